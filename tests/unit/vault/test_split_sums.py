"""Split sums: exact, additive, and no pair of rows beyond the sensitivity, which some pair reaches."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.vault.statistics.split_sums import SplitSums

UNIT = 12
SHAPE = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 6], "edges": [3]},
            "size": {"kind": "number", "between": [-1, 1], "bins": 2},
            "sex": {"kind": "category", "values": ["f", "m"]},
        },
    }
)
TABLES = [("age", None), ("size", None), ("age", "sex"), ("age", "size"), ("size", "sex")]
# Beyond the bounds, missing, and everything between.
VALUES = {"age": [-5, 0, 1, 3, 5, 6, 99, None], "size": [-2.0, -1.0, 0.25, 1.0, None], "sex": ["f", "m", None]}


def total(rows: list[tuple], statistic: SplitSums) -> np.ndarray:
    columns = zip(*rows, strict=True)
    table = pa.table({name: list(column) for name, column in zip(VALUES, columns, strict=True)})
    wanted = statistic.columns(SHAPE)
    return statistic.accumulate(statistic.read(table.select(wanted).to_batches()[0], SHAPE))


@pytest.mark.parametrize("tables", [TABLES, TABLES[:1], TABLES[2:3], TABLES[3:]])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("power", [1, 2])
def test_the_sensitivity_is_that_of_the_farthest_rows(tables, neighbours, power):
    statistic = SplitSums(SHAPE, tables, unit=UNIT)
    random = np.random.default_rng(1)
    weights = [Fraction(int(w)) for w in random.integers(1, 9, len(tables))]
    each = np.array([total([row], statistic)[1:] for row in product(*VALUES.values())])
    own = np.array([float(w) for w in weights])[statistic.scales(None, weights).index]
    if neighbours == "replace":
        changes = np.abs(each[:, None] - each[None, :]).reshape(-1, each.shape[1])
    else:
        changes = np.abs(each)
    most = (changes.astype(float) ** power @ own).max()
    assert most == float(statistic.sensitivity(power=power, weights=weights, neighbours=neighbours))
    assert changes.max() == statistic.largest_change(neighbours)


def test_blocks_add_up_and_units_are_exact():
    statistic = SplitSums(SHAPE, TABLES, unit=UNIT)
    rows = list(product(*VALUES.values()))
    whole = total(rows, statistic)
    assert np.array_equal(whole, total(rows[:50], statistic) + total(rows[50:], statistic))
    assert statistic.rows(whole) == len(rows)
    ages = [min(max(row[0], 0), 6) for row in rows if row[0] is not None]
    assert whole[1:3].tolist() == [sum(UNIT - 2 * a for a in ages), sum(2 * a for a in ages)]
    sizes = [min(max(row[1], -1.0), 1.0) for row in rows if row[1] is not None]
    assert whole[4] == sum(round(UNIT * (s + 1) / 2) for s in sizes)


def test_how_a_row_is_read_depends_on_that_row_alone():
    statistic = SplitSums(SHAPE, TABLES, unit=UNIT)
    rows = list(product(*VALUES.values()))
    assert np.array_equal(total(rows, statistic), sum(total([row], statistic) for row in rows))

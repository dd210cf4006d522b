"""Number cells: exact, additive, and no pair of rows beyond the sensitivity, which some pair reaches."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.maths.ranges.habits import round_classes
from hushtable.vault.statistics.number_cells import NumberCells

SHAPE = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "pay": {"kind": "integer", "between": [0, 2000], "missing": "error", "other": True},
            "size": {"kind": "number", "between": [-1, 1], "step": "0.001"},
            "visits": {"kind": "integer", "between": [0, 300]},
        },
    }
)
PAY, SIZE, VISITS = SHAPE.closed
# Beyond the bounds, missing, round and odd ones, and everything between.
VALUES = {
    "pay": [-5, 0, 1, 700, 703, 2000, 9999],
    "size": [-2.0, -1.0, 0.25, 0.1234, None],
    "visits": [0, 17, 300, None],
}


def total(rows: list[tuple], statistic: NumberCells) -> np.ndarray:
    table = pa.table({name: list(column) for name, column in zip(VALUES, zip(*rows, strict=True), strict=True)})
    batch = table.select(statistic.columns(SHAPE)).to_batches()[0]
    return statistic.accumulate(statistic.read(batch, SHAPE))


@pytest.mark.parametrize("rounded", [(), (PAY,), (PAY, SIZE)], ids=len)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("power", [1, 2])
def test_the_sensitivity_is_that_of_the_farthest_rows(rounded, neighbours, power):
    statistic = NumberCells([PAY, SIZE, VISITS], rounded)
    weights = [Fraction(int(w)) for w in np.random.default_rng(1).integers(1, 9, statistic.groups)]
    each = np.array([total([row], statistic) for row in product(*VALUES.values())])
    own = np.array([float(w) for w in weights])[statistic.scales(None, weights).index]
    changes = np.abs(each[:, None] - each[None, :]).reshape(-1, each.shape[1]) if neighbours == "replace" else each
    assert (changes.astype(float) ** power @ own).max() == float(
        statistic.sensitivity(power=power, weights=weights, neighbours=neighbours)
    )
    assert changes.max() == statistic.largest_change(neighbours) == 1


def test_blocks_add_up_and_every_row_is_in_one_cell_of_every_table():
    statistic = NumberCells([PAY, SIZE], [PAY, SIZE])
    rows = list(product(*VALUES.values()))
    whole = total(rows, statistic)
    assert np.array_equal(whole, total(rows[:50], statistic) + total(rows[50:], statistic))
    assert {int(part.sum()) for part in np.split(whole, statistic.starts[1:-1])} == {len(rows)}
    assert statistic.rows(whole) == len(rows)


def test_classes_are_the_roundest_number_that_divides():
    assert round_classes(PAY) == (1, 5, 10, 50, 100)
    statistic = NumberCells([], [PAY])
    for value, place in ((703, 0), (705, 1), (710, 2), (750, 3), (700, 4), (0, 4), (9999, 5)):
        counts = total([(value, None, None)], statistic)
        assert counts.tolist() == [int(i == place) for i in range(6)], value
    # 0.25 is 250 steps of 0.001, though 0.25 / 0.001 is no whole number of floats everywhere.
    sizes = NumberCells([], [SIZE])
    assert total([(0, 0.29, None)], sizes)[round_classes(SIZE).index(10)] == 1


def test_cells_are_those_of_the_codes():
    statistic = NumberCells([PAY])
    for value in VALUES["pay"]:
        assert total([(value, None, None)], statistic)[PAY.code(value)] == 1

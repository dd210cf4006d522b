"""What every statistic of the catalogue promises, whatever it reads: codes, keys, lists of decisions or numbers.

Rows are made up of all kinds that a small domain allows and go the way that rows go: read as text, coded, summed.
"""

from fractions import Fraction

import numpy as np
import pytest

from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.shapes import RELATIONS, shape
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.laws import Law

MOST_ROWS = 150


def cases() -> list:
    params = []
    for name, specimen in STATISTICS.items():
        for relation in RELATIONS:
            domain = shape(specimen.attributes, relation)
            for number, statistic in enumerate(specimen.build(domain)):
                params.append(pytest.param(statistic, domain, specimen, id=f"{name}-{number}-{relation}"))
    return params


CASES = pytest.mark.parametrize(("statistic", "domain", "specimen"), cases())


def rows_of(domain) -> list:
    return possible_rows(domain, most=MOST_ROWS, seed=3)


def read(statistic, domain, rows):
    whole = statistic.whole
    return whole.accumulate(whole.read(MadeUpTable(domain, rows).batch(whole.columns(domain)), domain))


def coordinates(statistic, sums) -> np.ndarray:
    return statistic.own_part(statistic.whole.to_coordinates(sums))


def single_rows(statistic, domain) -> np.ndarray:
    """The coordinates of every row alone, as whole numbers of any size."""
    alone = {tuple(coordinates(statistic, read(statistic, domain, [row])).tolist()) for row in rows_of(domain)}
    return np.array(sorted(alone), dtype=object)


@CASES
def test_sums_of_blocks_add_up_in_any_order(statistic, domain, specimen):
    source = np.random.default_rng(1)
    known = rows_of(domain)
    rows = [known[i] for i in source.integers(0, len(known), 200)]
    total = coordinates(statistic, read(statistic, domain, rows))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(rows))
        blocks = np.split(order, sorted(source.integers(1, len(rows) - 1, 3)))
        sums = statistic.whole.zeros()
        for block in (block for block in blocks if block.size):
            sums += read(statistic, domain, [rows[i] for i in block])
        np.testing.assert_array_equal(coordinates(statistic, sums), total)
        assert statistic.whole.rows(sums) == len(rows)
    assert total.dtype == np.int64


@CASES
def test_no_rows_sum_to_zero(statistic, domain, specimen):
    assert not coordinates(statistic, statistic.whole.zeros()).any()
    assert statistic.whole.rows(statistic.whole.zeros()) == 0


@CASES
def test_a_table_is_the_sum_of_its_rows(statistic, domain, specimen):
    rows = rows_of(domain)[:40]
    alone = sum(coordinates(statistic, read(statistic, domain, [row])) for row in rows)
    np.testing.assert_array_equal(coordinates(statistic, read(statistic, domain, rows)), alone)


def weights_for(statistic, seed: int) -> list[Fraction]:
    pairs = np.random.default_rng(seed).integers(1, 9, (statistic.groups, 2))
    return [Fraction(int(a), int(b)) for a, b in pairs]


def weight_of_each(statistic, law: Law, weights: list[Fraction]) -> list[Fraction]:
    """Weight / unit of every coordinate: where a group's own scale is 1 and all others are 0."""
    total = [Fraction(0)] * len(statistic.scales(law, weights).index)
    for group, weight in enumerate(weights):
        scales = statistic.scales(law, [Fraction(int(g == group)) for g in range(statistic.groups)])
        units = [weight / unit if unit else Fraction(0) for unit in scales.table]
        total = [known + units[i] for known, i in zip(total, scales.index, strict=True)]
    return total


def worst_pair(statistic, domain, law: Law, weights: list[Fraction]) -> Fraction:
    """The largest weighted change that one row of those tried makes, by brute force and exact."""
    each = weight_of_each(statistic, law, weights)
    denominator = int(np.lcm.reduce(np.array([weight.denominator for weight in each], dtype=object)))
    whole = np.array([int(weight * denominator) for weight in each], dtype=object)
    rows = single_rows(statistic, domain)
    changes = [rows] if domain.unit.private_rows else [rows[i:] - row for i, row in enumerate(rows)]
    return Fraction(max(int((abs(change) ** law.power @ whole).max()) for change in changes), denominator)


@pytest.mark.parametrize("law", Law)
@CASES
def test_sensitivity_is_at_least_the_worst_pair_and_equal_where_promised(statistic, domain, specimen, law):
    for seed in range(2):
        weights = weights_for(statistic, seed)
        stated = statistic.sensitivity(power=law.power, weights=weights, neighbours=domain.unit.neighbours)
        worst = worst_pair(statistic, domain, law, weights)
        assert stated >= worst
        if law.power in specimen.exact or (specimen.exact and domain.unit.private_rows):
            assert stated == worst


@CASES
def test_no_row_changes_a_coordinate_or_a_block_by_more_than_stated(statistic, domain, specimen):
    rows, neighbours = single_rows(statistic, domain), domain.unit.neighbours
    changes = [rows] if domain.unit.private_rows else [rows - row for row in rows]
    starts = statistic.block_starts()
    starts = np.arange(rows.shape[1] + 1) if starts is None else starts
    assert max(int(abs(change).max()) for change in changes) <= statistic.largest_change(neighbours)
    blocks = max(int(np.add.reduceat(abs(change), starts[:-1], axis=1).max()) for change in changes)
    assert blocks <= statistic.block_change(neighbours)


@CASES
def test_a_power_that_no_law_has_is_refused(statistic, domain, specimen):
    with pytest.raises(ValueError, match="power must be 1"):
        statistic.sensitivity(power=3, weights=[Fraction(1)] * statistic.groups, neighbours=domain.unit.neighbours)

"""What every Statistic promises: sums that add up however rows are split, and a spread no pair exceeds."""

import inspect
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from hushtable.errors import BadPlan
from hushtable.laws import Law
from hushtable.maths.families.family import Family
from hushtable.maths.families.row_polynomials import RowPolynomials
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.maths.linear import Boxes, LinearClass, ListedQueries
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet
from hushtable.maths.weighted_rows.rare_design import RareColumns
from hushtable.maths.wide.shape import Symmetric
from hushtable.vault.statistics import (
    ChosenTables,
    GroupedInteractions,
    GroupedTables,
    LinearQueries,
    OneQuestion,
    OneWayTables,
    Parities,
    Part,
    RareLengths,
    RareSums,
    Statistic,
    Tables,
    statistics,
)
from hushtable.vault.statistics.cell_vectors import CellVectors
from hushtable.vault.statistics.polynomials import PolynomialSums
from hushtable.vault.statistics.row_count import RowCount
from hushtable.vault.statistics.wide_counts import WideCounts

# Small enough to try all pairs of rows: two values only, mixed, repeated sizes, one value, one attribute.
DOMAINS = [
    ((2, 2, 2, 2), 1), ((2, 2, 2, 2), 2), ((2, 2, 2, 2), 3), ((2, 2, 2), 9), ((2,), 1), ((5,), 1),
    ((3, 3, 3), 2), ((2, 3, 2), 2), ((4, 2, 3), 3), ((2, 1, 3), 2), ((6, 5), 2), ((1,), 1), ((2, 2, 4, 2), 2),
]  # fmt: skip
NEIGHBOURS = ["replace", "add-remove"]
# Statistics whose absolute spread is exact under either relation, whatever the sizes.
EXACT = {
    "histogram", "tables", "chosen-tables", "linear-queries", "one-question", "part", "polynomials", "row-count",
    "wide-counts",
}  # fmt: skip


# Not summed from codes: those of real columns, of keys and of decision lists, which have tests of their own.
NOT_OF_CODES = {
    "bounded-tables", "chebyshev", "decided-counts", "decision-lists", "edge-degrees", "edge-pairs", "functions",
    "hash-sums", "leaf-means", "list-count", "list-monomials", "list-sums", "long-lists", "projected-sums",
    "sparse-chebyshev", "split-sums", "splines",
}  # fmt: skip


def every_statistic() -> list[type[Statistic]]:
    """Those that are summed from the codes of a row."""
    return [kind for name, kind in statistics().items() if name not in NOT_OF_CODES]


def chosen_sets(sizes: tuple[int, ...], order: int) -> list[tuple[int, ...]]:
    """Sets of several widths, in no particular order: all of `order`, the single attributes, and all attributes."""
    width = len(sizes)
    sets = [*combinations(range(width), min(order, width)), *((j,) for j in range(width)), tuple(range(width))]
    return [sets[i] for i in np.random.default_rng(width).permutation(len(sets))]


def linear_classes(sizes: tuple[int, ...], order: int) -> list[LinearClass]:
    """Queries with random weights, one of them the same everywhere; and intervals of attributes that have any."""
    source, sets = np.random.default_rng(sum(sizes)), chosen_sets(sizes, order)
    weights = [source.integers(0, 9, prod(sizes[j] for j in s)) for s in sets]
    for function in weights:
        function[0] += 1  # a query without weights is refused
    weights[0][:] = 4
    found: list[LinearClass] = [ListedQueries.of(sizes, zip(sets, weights, strict=True), grid=9)]
    # Odd attributes have a last code outside all intervals, as `missing` is.
    bins = {j: size - j % 2 for j, size in enumerate(sizes) if size > 1}
    boxed = [s for s in sorted(set(sets)) if all(j in bins for j in s)]
    return found + ([Boxes(sizes, boxed, bins=bins)] if boxed else [])


def parts(sizes: tuple[int, ...], order: int) -> list[Part]:
    """One part of everything that has parts; the number of rows and the last set of parities."""
    order = min(order, len(sizes))
    tables = Tables(InteractionLayout(sizes, order), threads=1)
    chosen = ChosenTables(sizes, chosen_sets(sizes, order), threads=1)
    queries = [LinearQueries(given, threads=1) for given in linear_classes(sizes, order)]
    found = [tables.part(0), chosen.part(chosen.groups - 1), *(q.part(len(q.linear_class) - 1) for q in queries)]
    if set(sizes) == {2}:
        signs, bits = (
            Parities(InteractionLayout(sizes, order, basis), threads=1) for basis in ("contrast", "monomial")
        )
        found += [signs.part(0), signs.part(signs.interactions.length - 1), bits.part(1)]
    return found


def one_questions(sizes: tuple[int, ...], order: int) -> list[OneQuestion]:
    """Conditions true of about half of the cells, of one cell, of every row and of none."""
    sets, source = chosen_sets(sizes, order), np.random.default_rng(len(sizes))
    cells = prod(sizes[j] for j in sets[0])
    truths = [source.random(cells) < 0.5, np.arange(cells) == 0, np.arange(cells) >= 0, np.arange(cells) < 0]
    return [OneQuestion(sizes, sets[0], true) for true in truths]


def wide_counts(sizes: tuple[int, ...]) -> list[WideCounts]:
    """Any, some and all of conditions on every attribute, the same for all; in one block and in two."""
    masks = tuple(tuple(code == size - 1 for code in range(size)) for size in sizes)
    width = len(sizes)
    values = [tuple(float(ones >= least) for ones in range(width + 1)) for least in (1, width)]
    questions = [Symmetric(tuple(range(width)), masks, truth) for truth in values]
    return [WideCounts(sizes, [questions]), WideCounts(sizes, [questions[:1], questions[1:]])]


def polynomial_sums(sizes: tuple[int, ...]) -> list[PolynomialSums]:
    """A family on all attributes, within its bounds, and with bounds that its rows exceed."""
    names, width = [f"c{j}" for j in range(len(sizes))], len(sizes)
    said = {"name": "f", "columns": names, "variables": names, "degree": 1, "coefficients": _signed}
    within = {"l1": 1 + sum(sizes), "l2": 1 + sum(sizes)}
    families = [Family(**said, **within), Family(**said, l1=2, l2=1.5)]
    return [PolynomialSums(RowPolynomials(family, sizes, tuple(range(width)))) for family in families]


def _signed(row):
    return [1 - row[0] % 2, *(-row)]


def grouped_sets(sizes: tuple[int, ...], order: int) -> list[GroupedSet]:
    """Tables of up to three attributes, each at one of two groupings of its codes: every code alone, or halves."""
    chosen = list(combinations(range(len(sizes)), min(order, 3, len(sizes))))
    maps = [[np.arange(size), np.minimum(np.arange(size) * 2 // size, 1)] for size in sizes]
    return [GroupedSet(s, tuple(maps[j][(i + k) % 2] for k, j in enumerate(s))) for i, s in enumerate(chosen)]


def rare_columns(sizes: tuple[int, ...]) -> list[RareColumns]:
    """All rare, all even, and some of each, with usual codes 0 and 1."""
    if set(sizes) != {2}:
        raise BadPlan("only for columns of two values")
    width = len(sizes)
    usual = tuple(j % 2 for j in range(width))
    splits = sorted({0, width, width // 2, width - 1})
    return [RareColumns(tuple(range(e)), tuple(range(e, width)), usual[e:]) for e in splits]


def rare_sums(sizes: tuple[int, ...]) -> list[RareSums]:
    """Weights that are all 1, fall with the length, and are in no order at all."""
    found = []
    for columns in rare_columns(sizes):
        lengths, source = len(columns.rare) + 1, np.random.default_rng(len(columns.rare))
        found += [RareSums(columns, [1] * lengths, [1] * lengths)]
        found += [RareSums(columns, [9 - k for k in range(lengths)], [9 // (k + 1) for k in range(lengths)])]
        found += [RareSums(columns, *source.integers(0, 9, (2, lengths)))]
    return found


def cell_vectors(sizes: tuple[int, ...]) -> list[Statistic]:
    """One level, and two, of vectors on all columns and on the first."""
    cells, source = int(np.prod(sizes)), np.random.default_rng(len(sizes))
    if min(sizes) < 2 or cells > 3000:
        raise BadPlan("too many cells to try, or none to tell apart")
    first = [source.integers(-3, 4, (k, cells)) for k in (2, 1)]
    return [CellVectors(sizes, range(len(sizes)), first[:1]), CellVectors(sizes, range(len(sizes)), first)]


def builds(cls: type[Statistic], sizes: tuple[int, ...], order: int) -> list[Statistic]:  # noqa: PLR0911
    if cls in (Part, RowCount, PolynomialSums):
        return parts(sizes, order) if cls is Part else [RowCount()] if cls is RowCount else [*polynomial_sums(sizes)]
    if cls in (GroupedTables, GroupedInteractions):
        sets = grouped_sets(sizes, order)
        finer = [GroupedTables(sizes, times=3)] if cls is GroupedTables else []
        return [cls(sizes), cls(sizes, sets, [i % 2 for i in range(len(sets))] if len(sets) > 1 else None), *finer]
    if cls in (RareLengths, RareSums):
        return [*rare_sums(sizes)] if cls is RareSums else [RareLengths(columns) for columns in rare_columns(sizes)]
    if cls in (ChosenTables, OneQuestion, OneWayTables):
        apart = [OneWayTables(sizes), OneWayTables(sizes, [[p] for p in reversed(range(len(sizes)))])]
        if cls is OneWayTables:
            return [*apart]
        chosen = ChosenTables(sizes, chosen_sets(sizes, order), threads=2)
        return [chosen] if cls is ChosenTables else [*one_questions(sizes, order)]
    if cls is CellVectors:
        return cell_vectors(sizes)
    if cls in (LinearQueries, WideCounts):
        linear = [LinearQueries(given, threads=1) for given in linear_classes(sizes, order)]
        return [*linear] if cls is LinearQueries else [*wide_counts(sizes)]
    takes = inspect.signature(cls).parameters
    return [cls(InteractionLayout(sizes, order) if "interactions" in takes else sizes)]  # type: ignore[call-arg]


def cases() -> list:
    found = []
    for cls in every_statistic():
        for sizes, order in DOMAINS:
            try:
                made = builds(cls, sizes, order)
            except BadPlan:
                continue
            name = f"{cls.name}-{'x'.join(map(str, sizes))}-order{order}"
            found += [pytest.param(s, sizes, id=f"{name}-{i}" if i else name) for i, s in enumerate(made)]
    return found


def all_rows(sizes: tuple[int, ...]) -> np.ndarray:
    return np.array(list(product(*map(range, sizes))), dtype=np.uint8).reshape(prod(sizes), -1).T


def some_rows(sizes: tuple[int, ...], count: int, seed: int) -> np.ndarray:
    source = np.random.default_rng(seed)
    return np.array([source.integers(0, size, count) for size in sizes], dtype=np.uint8)


def coordinates(statistic: Statistic, codes: np.ndarray) -> np.ndarray:
    return statistic.to_coordinates(statistic.accumulate(codes))


def random_weights(groups: int, seed: int) -> list[Fraction]:
    source = np.random.default_rng(seed)
    pairs = source.integers([0, 1], [9, 9], (groups, 2))
    return [Fraction(int(a), int(b)) for a, b in pairs]


def weight_of_each(statistic: Statistic, power: int, weights: list[Fraction]) -> list[Fraction]:
    """Weight / unit of every coordinate, from `scales` alone: a group's own scale is 1, the others' 0."""
    law = Law.GAUSSIAN if power == 2 else Law.LAPLACE
    total = [Fraction(0)] * len(statistic.to_coordinates(statistic.zeros()))
    for group, weight in enumerate(weights):
        scales = statistic.scales(law, [Fraction(int(g == group)) for g in range(statistic.groups)])
        for c, number in enumerate(scales.index):
            unit = scales.table[number]
            total[c] += weight / unit if unit else 0
    return total


def brute_force(
    statistic: Statistic, sizes: tuple[int, ...], power: int, weights: list[Fraction], neighbours: str
) -> Fraction:
    """The largest weighted change over all pairs of rows (or single rows), in fractions."""
    each = weight_of_each(statistic, power, weights)
    denominator = np.lcm.reduce([w.denominator for w in each])
    whole = np.array([int(w * int(denominator)) for w in each], dtype=object)
    seen = {tuple(coordinates(statistic, row[:, None])) for row in all_rows(sizes).T}
    rows = np.array(sorted(seen), dtype=object)
    changes = [rows] if neighbours == "add-remove" else [rows - row for row in rows]
    return Fraction(max(int((abs(c) ** power @ whole).max()) for c in changes), int(denominator))


def test_every_statistic_is_found():
    """By adding its file; a statistic that goes is taken out here, so that none is lost unnoticed."""
    assert sorted(statistics()) == [
        "bounded-tables", "cell-vectors", "chebyshev", "chosen-tables", "decided-counts", "decision-lists",
        "edge-degrees", "edge-pairs", "functions", "grouped-interactions", "grouped-tables", "hash-sums",
        "histogram", "leaf-means", "linear-queries", "list-count", "list-monomials", "list-sums",
        "long-lists", "one-question", "one-way-tables", "parities", "part", "polynomials", "projected-sums",
        "rare-lengths", "rare-sums", "residuals", "row-count", "sparse-chebyshev", "splines", "split-sums",
        "summed-tables", "tables", "wide-counts",
    ]  # fmt: skip
    assert all(kind.name == name for name, kind in statistics().items())


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_sums_do_not_depend_on_the_split(statistic, sizes):
    codes = some_rows(sizes, count=531, seed=1)
    whole = statistic.accumulate(codes)
    assert whole.dtype == np.int64
    for seed in range(3):
        cuts = np.sort(np.random.default_rng(seed).integers(0, 532, 3))
        parts = [statistic.accumulate(part) for part in np.split(codes, cuts, axis=1)]
        np.testing.assert_array_equal(sum(parts, statistic.zeros()), whole)
    assert statistic.rows(whole) == 531


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_sums_do_not_depend_on_strides_or_width_of_codes(statistic, sizes):
    codes = some_rows(sizes, count=100, seed=2)
    before, whole = codes.copy(), statistic.accumulate(codes)
    padded = np.repeat(np.repeat(codes, 2, axis=0), 3, axis=1)[::2, ::3]
    wide = np.asfortranarray(codes.astype(np.uint16))
    for same in (np.asfortranarray(codes), codes.astype(np.uint16), padded, wide):
        np.testing.assert_array_equal(statistic.accumulate(same), whole)
    np.testing.assert_array_equal(codes, before)


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_no_rows_sum_to_zero(statistic, sizes):
    nothing = statistic.accumulate(np.zeros((len(sizes), 0), dtype=np.uint8))
    np.testing.assert_array_equal(nothing, statistic.zeros())
    assert not statistic.to_coordinates(statistic.zeros()).any()


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_finish_is_linear(statistic, sizes):
    one, two = (statistic.accumulate(some_rows(sizes, count, seed=count)) for count in (70, 33))
    np.testing.assert_array_equal(
        statistic.to_coordinates(one + two), statistic.to_coordinates(one) + statistic.to_coordinates(two)
    )


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_squared_spread_is_that_of_the_worst_pair(statistic, sizes, neighbours):
    for seed in range(3):
        weights = random_weights(statistic.groups, seed)
        assert statistic.sensitivity(power=2, weights=weights, neighbours=neighbours) == brute_force(
            statistic, sizes, 2, weights, neighbours
        )


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_absolute_spread_is_at_least_the_worst_pair_and_equal_where_promised(statistic, sizes, neighbours):
    for seed in range(3):
        weights = random_weights(statistic.groups, seed)
        given = statistic.sensitivity(power=1, weights=weights, neighbours=neighbours)
        worst = brute_force(statistic, sizes, 1, weights, neighbours)
        assert given >= worst
        assert given <= 2 * worst
        if neighbours == "add-remove" or set(sizes) == {2} or statistic.name in EXACT:
            assert given == worst


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_largest_change_is_that_of_the_worst_pair(statistic, sizes, neighbours):
    rows = np.array([coordinates(statistic, row[:, None]) for row in all_rows(sizes).T])
    changes = rows if neighbours == "add-remove" else rows[:, None] - rows[None]
    assert statistic.largest_change(neighbours) == abs(changes).max()


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_block_change_is_that_of_the_worst_pair(statistic, sizes, neighbours):
    rows = np.array([coordinates(statistic, row[:, None]) for row in all_rows(sizes).T])
    starts = statistic.block_starts()
    starts = np.arange(rows.shape[1] + 1) if starts is None else starts
    changes = abs(rows[:, None] - (0 * rows if neighbours == "add-remove" else rows)[None])
    assert statistic.block_change(neighbours) == np.add.reduceat(changes, starts[:-1], axis=2).max()


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_a_part_is_cut_from_its_whole(statistic, sizes):
    codes, whole = some_rows(sizes, count=50, seed=5), statistic.whole
    sums = whole.accumulate(codes)
    np.testing.assert_array_equal(statistic.accumulate(codes), sums)
    np.testing.assert_array_equal(statistic.own_part(whole.to_coordinates(sums)), statistic.to_coordinates(sums))


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_codes_beyond_the_domain_count_as_the_last_value(statistic, sizes):
    codes = some_rows(sizes, count=64, seed=4)
    last = np.array(sizes, dtype=np.uint8)[:, None] - 1
    beyond = np.where((codes == last) & (last > 0), np.uint8(255), codes)
    np.testing.assert_array_equal(statistic.accumulate(beyond), statistic.accumulate(codes))


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_wrong_power_is_refused(statistic, sizes):
    with pytest.raises(ValueError, match="power must be 1"):
        statistic.sensitivity(power=3, weights=[Fraction(1)] * statistic.groups, neighbours="replace")


@pytest.mark.parametrize(("statistic", "sizes"), cases())
def test_a_weight_too_few_or_too_many_is_refused(statistic, sizes):
    for count in (statistic.groups - 1, statistic.groups + 1):
        with pytest.raises(ValueError, match="groups need as many weights"):
            statistic.sensitivity(power=1, weights=[Fraction(1)] * count, neighbours="replace")

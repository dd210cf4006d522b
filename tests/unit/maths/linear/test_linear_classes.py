"""Classes of linear queries: every compact form equals its matrices written out in full."""

from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from hushtable.errors import TooLarge
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.maths.linear import Boxes, ListedQueries, WholeTables, cell_starts, intervals_of, listed

SIZES = (4, 2, 3, 5)
SETS = [(0,), (1, 2), (0, 2, 3), (3,), (0, 1, 2, 3)]


def some_queries(seed=1, count=37, grid=7):
    source = np.random.default_rng(seed)
    queries = []
    for _ in range(count):
        members = SETS[source.integers(len(SETS))]
        weights = source.integers(0, grid + 1, prod(SIZES[j] for j in members))
        weights[0] += not weights.any()
        queries.append((members, weights))
    return queries


CLASSES = {
    "whole": WholeTables(SIZES, SETS),
    "width": WholeTables.of_width(SIZES, 2),
    "listed": ListedQueries.of(SIZES, some_queries(), grid=7),
    "wide-grid": ListedQueries.of(SIZES, some_queries(grid=1024), grid=1024),
    "boxes": Boxes(SIZES, [(0,), (2,), (0, 2), (0, 2, 3)], bins={0: 4, 2: 2, 3: 5}),
}
every_class = pytest.mark.parametrize("given", CLASSES.values(), ids=CLASSES)


@every_class
def test_apply_is_the_product_with_all_functions(given):
    counts = np.random.default_rng(2).integers(0, 1000, int(given.cell_starts[-1]))
    coordinates = given.apply(counts)
    assert coordinates.dtype == np.int64
    assert len(coordinates) == given.starts[-1]
    for c in range(len(given)):
        np.testing.assert_array_equal(coordinates[given.place(c)], given.functions(c) @ counts[given.cells_of(c)])


@every_class
def test_large_counts_stay_exact(given):
    counts = np.zeros(int(given.cell_starts[-1]), dtype=np.int64)
    counts[::3] = 2**54 // given.grid + 1  # doubles would drop the last digit
    for c in (0, len(given) - 1):
        expected = given.functions(c).astype(object) @ counts[given.cells_of(c)].astype(object)
        np.testing.assert_array_equal(given.apply(counts)[given.place(c)].astype(object), expected)


@every_class
def test_expected_takes_a_list_or_a_function_and_is_a_mean_over_rows(given):
    source = np.random.default_rng(3)
    shapes = [tuple(given.sizes[j] for j in members) for members in given.sets]
    tables = [source.dirichlet(np.ones(prod(shape))).reshape(shape) for shape in shapes]
    from_list, from_function = given.expected(tables), given.expected(lambda s: tables[s])
    np.testing.assert_array_equal(from_list, from_function)
    for c in range(len(given)):
        assert tables[given.set_of(c)].shape == given.shape(c)
        exact = given.functions(c) @ tables[given.set_of(c)].ravel()
        np.testing.assert_allclose(from_list[given.place(c)], exact, atol=1e-12 * given.grid)


@every_class
def test_ranges_and_norms_are_those_of_the_functions(given):
    low, high = given.ranges()
    norms = {power: np.zeros(int(given.cell_starts[-1]), dtype=np.int64) for power in (1, 2)}
    for c in range(len(given)):
        functions = given.functions(c)
        np.testing.assert_array_equal(low[given.place(c)], functions.min(axis=1))
        np.testing.assert_array_equal(high[given.place(c)], functions.max(axis=1))
        for power, total in norms.items():
            total[given.cells_of(c)] += (functions**power).sum(axis=0)
    assert 0 <= low.min() <= high.max() <= given.grid
    for power, total in norms.items():
        np.testing.assert_array_equal(given.norms(power), total)


@every_class
def test_single_means_one_coordinate_a_candidate(given):
    assert given.single == (np.diff(given.starts) == 1).all()


def test_listed_queries_keep_their_order_and_weights():
    queries = some_queries()
    given = ListedQueries.of(SIZES, queries, grid=7)
    assert len(given) == len(queries)
    for c, (members, weights) in enumerate(queries):
        assert given.sets[given.set_of(c)] == members
        np.testing.assert_array_equal(given.functions(c)[0], weights)


@pytest.mark.parametrize("chunk", [1, 5, 64])
def test_queries_are_summed_the_same_in_any_chunks(chunk, monkeypatch):
    given = CLASSES["listed"]
    counts = np.random.default_rng(4).integers(0, 9, int(given.cell_starts[-1]))
    whole = given.apply(counts)
    monkeypatch.setattr(listed, "CHUNK", chunk)
    np.testing.assert_array_equal(given.apply(counts), whole)


@pytest.mark.parametrize(("bins", "size"), [(4, 4), (4, 5), (4, 6), (1, 2), (2, 2)])
def test_boxes_of_one_attribute_are_its_intervals(bins, size):
    given = Boxes((size,), [(0,)], bins={0: bins})
    wanted = [(a, b + 1) for a in range(bins) for b in range(a, bins) if b + 1 - a < size]
    assert [given.bounds(c)[0] for c in range(len(given))] == wanted
    assert len(given) == intervals_of(bins, size)


def test_boxes_of_several_attributes_are_all_products():
    given = CLASSES["boxes"]
    boxes = {(given.sets[given.set_of(c)], given.bounds(c)) for c in range(len(given))}
    intervals = {j: [(a, b) for b in range(1, bins + 1) for a in range(b) if b - a < SIZES[j]]
                 for j, bins in ((0, 4), (2, 2), (3, 5))}  # fmt: skip
    assert boxes == {(s, box) for s in given.sets for box in product(*(intervals[j] for j in s))}
    assert len(boxes) == len(given)
    for c in range(0, len(given), 7):
        box = given.functions(c).reshape(given.shape(c))
        slices = tuple(slice(*ends) for ends in given.bounds(c))
        assert box[slices].all()
        assert box.sum() == box[slices].size


def test_boxes_need_an_interval_that_says_something():
    with pytest.raises(ValueError, match="no interval"):
        Boxes((1, 3), [(0, 1)], bins={0: 1, 1: 3})


def test_a_hundred_thousand_boxes_hold_no_matrix():
    given = Boxes((450,), [(0,)], bins={0: 449})
    assert len(given) > 100_000
    counts = np.arange(450)
    assert given.apply(counts)[-1] == 448
    assert given.bounds(len(given) - 1) == ((448, 449),)


def test_tables_of_one_width_are_laid_out_as_the_interactions_have_them():
    given, layout = CLASSES["width"], InteractionLayout(SIZES, 2)
    assert sorted(given.sets) == list(combinations(range(4), 2))
    assert [list(s) for s in given.sets] == layout.sets[2].tolist()
    np.testing.assert_array_equal(given.starts, layout.table_starts)


def test_too_many_cells_are_counted_not_built():
    with pytest.raises(TooLarge) as caught:
        WholeTables.of_width((10,) * 60, 20)
    assert caught.value.fits == 3
    with pytest.raises(TooLarge):
        cell_starts((10,) * 8, [(0, 1), tuple(range(8))])


@pytest.mark.parametrize("sets", [[], [()], [(1, 0)], [(0, 0)], [(0, 4)], [(-1, 0)]])
def test_sets_are_ascending_positions(sets):
    with pytest.raises(ValueError, match="set"):
        cell_starts(SIZES, sets)


@pytest.mark.parametrize("weights", [[0, 0, 0, 0], [0, 8, 1, 1]])
def test_weights_are_from_0_to_the_grid_and_not_all_0(weights):
    with pytest.raises(ValueError, match="from 1 to 7"):
        ListedQueries.of(SIZES, [((0,), np.array([1, 0, 0, 2])), ((0,), np.array(weights))], grid=7)


def test_a_weight_outside_its_table_is_refused():
    zero = np.array([0])
    with pytest.raises(ValueError, match="outside"):
        ListedQueries(
            SIZES,
            [(0,), (1,)],
            set_numbers=zero,
            entries=np.array([0, 1]),
            places=zero + 4,
            weights=zero.astype("u1") + 1,
        )

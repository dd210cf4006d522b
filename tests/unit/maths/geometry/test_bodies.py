"""Bodies against enumeration: lattice points, gauges of all changes, and the law of the noise as rationals."""

import math
from itertools import product

import numpy as np
import pytest

from hushtable.maths.geometry.bodies import ProductBody
from hushtable.maths.geometry.column_groups import one_group, planned_groups
from hushtable.maths.geometry.lattice_counts import ehrhart_numerator, points_by, positive_places, vectors_within
from hushtable.maths.geometry.product_law import draw_product, product_moments

SHAPES = [(2,), (3,), (2, 2), (3, 2), (1, 2), (4,)]


def lattice_points(body: ProductBody, reach: int) -> list[tuple[int, ...]]:
    """All lattice points of gauge at most `reach`, by trying every vector."""
    found = []
    for vector in product(range(-reach, reach + 1), repeat=body.length):
        parts = body.tables(np.array(vector))
        sums = {int(part.sum()) for part in parts}
        if len(sums) == 1 and (body.added or sums == {0}) and body.gauge(np.array(vector)) <= reach:
            found.append(vector)
    return found


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("sizes", SHAPES)
def test_lattice_points_are_counted(sizes, added):
    body = ProductBody(sizes, added)
    for reach in range(3):
        exact = len(lattice_points(body, reach))
        assert body.points(reach) == exact
        assert points_by(body.numerator(), reach) == exact
    assert body.numerator() == ehrhart_numerator(body.points, body.dimension, symmetric=False)


def test_counts_of_the_source():
    assert [vectors_within(3, 0, j) for j in range(6)] == [1 + 3 * j * (j + 1) for j in range(6)]
    assert [vectors_within(4, 0, j) for j in range(4)] == [1, 13, 55, 147]
    assert [vectors_within(5, 0, j) for j in range(4)] == [1, 21, 131, 471]
    assert ProductBody((3, 2)).numerator() == (1, 17, 17, 1)


def test_vectors_by_positive_places():
    for plus, minus in product(range(4), repeat=2):
        ways = [0] * 4
        for vector in product(range(-3, 4), repeat=3):
            up, down = sum(v for v in vector if v > 0), -sum(v for v in vector if v < 0)
            if (up, down) == (plus, minus):
                ways[sum(v > 0 for v in vector)] += 1
        assert positive_places(3, plus, minus) == ways


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("sizes", SHAPES)
def test_all_changes_have_gauge_one_at_most_and_some_has_it(sizes, added):
    body = ProductBody(sizes, added)
    rows = [np.concatenate([np.eye(size, dtype=int)[code] for size, code in zip(sizes, codes, strict=True)])
            for codes in product(*map(range, sizes))]  # fmt: skip
    changes = [*rows, *(-row for row in rows)] if added else [a - b for a in rows for b in rows]
    gauges = {body.gauge(change) for change in changes}
    assert max(gauges) == 1
    assert gauges <= {0, 1}


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("sizes", [(3,), (2, 2), (3, 2)])
def test_the_gauge_is_symmetric_and_subadditive(sizes, added):
    body = ProductBody(sizes, added)
    points = [np.array(p) for p in lattice_points(body, 2)]
    source = np.random.default_rng(1)
    for _ in range(500):
        a, b = (points[i] for i in source.integers(0, len(points), 2))
        assert body.gauge(a) == body.gauge(-a)
        assert body.gauge(a + b) <= body.gauge(a) + body.gauge(b)


def test_privacy_by_enumeration():
    """log P(y - s) - log P(y - s') is a difference of gauges: at most 1 for every y and change, and 1 for some."""
    for added in (False, True):
        body = ProductBody((3, 2), added)
        points = [np.array(p) for p in lattice_points(body, 3)]
        changes = [p for p in points if body.gauge(p) == 1]
        worst = max(abs(body.gauge(y) - body.gauge(y - change)) for y in points[:400] for change in changes)
        assert worst == 1


def test_moments_are_those_of_the_source():
    cell = {c: math.sqrt(product_moments(ProductBody((c,))).contrasts[0] * (c - 1) / c) for c in (2, 3, 4, 8, 16, 64)}
    assert cell == pytest.approx({2: 1.414, 3: 1.826, 4: 2.049, 8: 2.415, 16: 2.615, 64: 2.774}, abs=6e-4)
    added = product_moments(ProductBody((2,) * 10, True))
    # A cube of 11 dimensions in the sum and the differences of each pair of cells.
    assert (added.total, added.contrasts[0]) == pytest.approx((12 * 13 / 3, 12 * 13 / 6))
    laplace = product_moments(ProductBody((7,), True))
    assert (laplace.total, laplace.contrasts[0]) == pytest.approx((14, 2))


@pytest.mark.parametrize("added", [False, True])
def test_draws_have_these_moments(added):
    """Second moments of 40,000 draws: each is within 6 standard errors (false alarm 2e-9 each)."""
    body, many = ProductBody((2, 5, 9), added), 40_000
    tables, total = draw_product(body, (0, 1, 2), many, seed=3)
    moments = product_moments(body)
    seen = [((t - t.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (t.shape[1] - 1) for t in tables]
    for mine, stated in zip([*seen, total**2], [*moments.contrasts, moments.total], strict=True):
        assert abs(mine.mean() - stated) <= 6 * mine.std() / math.sqrt(many) + 1e-9
    for table in tables:
        assert np.allclose(table.sum(axis=1), total)


def squared(sizes, groups, *, added=False) -> float:
    whole = 0.0
    for group in groups:
        body = ProductBody(tuple(sizes[p] for p in group.columns), added)
        moments = product_moments(body)
        pairs = zip(body.sizes, moments.contrasts, strict=True)
        whole += sum(c * (s - 1) + moments.total / s for s, c in pairs) / group.share**2
    return whole


def test_groups_are_planned_as_in_the_source():
    sizes = (2, 5, 6, 7, 9, 15, 16, 42)
    groups = planned_groups(sizes, added=False)
    assert sorted(tuple(sizes[p] for p in group.columns) for group in groups) == [(2, 5, 6, 7, 9), (15, 16), (42,)]
    assert math.sqrt(squared(sizes, groups)) == pytest.approx(157.3, abs=0.05)
    assert math.sqrt(squared(sizes, one_group(sizes))) == pytest.approx(202.9, abs=0.05)
    mixed = (2,) * 10 + (50,)
    assert math.sqrt(squared(mixed, planned_groups(mixed, added=False))) == pytest.approx(69.0, abs=0.05)


@pytest.mark.parametrize("added", [False, True])
def test_planned_groups_are_never_worse_than_one(added):
    source = np.random.default_rng(5)
    for _ in range(20):
        sizes = tuple(int(c) for c in source.integers(1, 30, source.integers(1, 9)))
        planned = planned_groups(sizes, added=added)
        assert sum(group.share for group in planned) == pytest.approx(1)
        if max(sizes) > 1:
            assert squared(sizes, planned, added=added) <= squared(sizes, one_group(sizes), added=added) * (1 + 1e-9)


@pytest.mark.parametrize("sizes", [(1,), (2,), (3,), (5,), (9,), (2, 3), (3, 3, 7), (40,)])
def test_sums_near_0_have_most_points(sizes):
    """What the draw of a sum rests on, for every sum up to a reach of 24: see `points_of_sum`."""
    body = ProductBody(sizes, added=True)
    for reach in range(1, 25):
        counts = [body.points_of_sum(reach, total) for total in range(reach + 1)]
        assert max(counts) == counts[reach % 2]
        assert all(here >= there for here, there in zip(counts, counts[2:], strict=False))

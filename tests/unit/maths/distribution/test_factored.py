"""Factored hypotheses: joining and updating are exact, so factored and explicit tables say the same."""

from functools import reduce
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.maths.distribution import Factored
from hushtable.maths.distribution.answers import TableClass, all_parities
from hushtable.maths.distribution.points import on_points, random_points
from hushtable.maths.interactions.layout import InteractionLayout

SIZES = (2, 3, 4, 2, 3)


def updated(start: Factored, seed: int, updates: int = 4) -> Factored:
    """Some random updates of two or three attributes each, in random order of members."""
    random = np.random.default_rng(seed)
    for _ in range(updates):
        chosen = random.choice(len(start.sizes), size=random.integers(2, 4), replace=False)
        positions = tuple(int(p) for p in chosen)
        start.multiply(positions, np.exp(random.normal(size=int(np.prod([start.sizes[p] for p in positions])))))
    return start


def explicit(sizes) -> Factored:
    return Factored.explicit(sizes, np.ones(int(np.prod(sizes))))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_factored_and_explicit_give_the_same_answers(seed):
    factored, joint = updated(Factored(SIZES), seed, 2), updated(explicit(SIZES), seed, 2)
    for width in (1, 2, 3, 5):
        for positions in combinations(range(5), width):
            np.testing.assert_allclose(factored.table(positions), joint.table(positions), rtol=0, atol=1e-14)


def test_a_table_has_its_axes_in_the_order_asked():
    table = updated(Factored(SIZES), 1)
    np.testing.assert_allclose(table.table((3, 0, 2)), table.table((0, 2, 3)).transpose(2, 0, 1), atol=1e-16)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_all_tables_of_a_class_are_the_tables_one_by_one(seed):
    sets = [(0,), (2, 4), *combinations(range(5), 3), (0, 1, 2, 3)]
    starts = np.cumsum([0, *(int(np.prod([SIZES[p] for p in s])) for s in sets)])
    for distribution in (updated(Factored(SIZES), seed, 2), updated(explicit(SIZES), seed)):
        cells = TableClass(SIZES, sets, starts).of(distribution)
        for members, start, stop in zip(sets, starts[:-1], starts[1:], strict=True):
            np.testing.assert_allclose(cells[start:stop], distribution.table(members).ravel(), atol=1e-15)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_all_parities_are_means_of_products_of_signs(seed):
    sizes = (2,) * 6
    levels = InteractionLayout(sizes, 3).sets
    for start in (Factored(sizes), explicit(sizes), on_points(sizes, np.indices(sizes).reshape(6, -1))):
        distribution = updated(start, seed, 3)
        joint = distribution.table(range(6))
        signs = [np.array([1.0, -1.0]).reshape([2 if i == p else 1 for i in range(6)]) for p in range(6)]
        want = [reduce(np.multiply, [signs[p] for p in s], joint).sum() for level in levels for s in level]
        np.testing.assert_allclose(all_parities(distribution, levels), want, atol=1e-14)


def test_the_cap_is_known_before_anything_is_joined():
    distribution = Factored((10,) * 4, cap=1000)
    sets = np.array([(0, 1, 2), (1, 2, 3)])
    assert distribution.fits(sets).all()
    distribution.join((0, 1))
    assert distribution.fits(np.array([(0, 1, 2), (0, 2, 3), (2, 3, 3)])).tolist() == [True, False, True]
    with pytest.raises(ValueError, match="over the cap"):
        distribution.join((0, 2, 3))


def test_listed_rows_that_are_all_rows_are_the_explicit_table():
    listed = updated(on_points(SIZES, np.indices(SIZES).reshape(5, -1)), 3)
    joint = updated(explicit(SIZES), 3)
    np.testing.assert_allclose(listed.table((0, 2, 4)), joint.table((0, 2, 4)), atol=1e-15)
    assert set(listed.groups[0].sub_tables(2)) == set(joint.groups[0].sub_tables(2))


def test_random_points_are_rows_of_the_domain_half_of_them_from_the_one_ways():
    one_ways = [np.eye(size)[0] for size in SIZES]  # the first value always
    points = random_points(SIZES, one_ways, 1001, np.random.default_rng(1))
    assert (points < np.array(SIZES)[:, None]).all()
    assert 501 <= (points == 0).all(axis=0).sum() < 560


def test_rows_are_drawn_with_the_weights_of_their_cells():
    """Chi-square over all cells; false alarm 1e-9 (the seed is fixed, so it is the law that is tested, once)."""
    from scipy.stats import chisquare

    listed = on_points((2, 3, 2), np.indices((2, 3, 2)).reshape(3, -1))
    for distribution in (updated(Factored((2, 3, 2)), 5), updated(listed, 5)):
        codes = distribution.draw(200_000, np.random.default_rng(7))
        counts = np.bincount(np.ravel_multi_index(tuple(codes.astype(int)), (2, 3, 2)), minlength=12)
        expected = distribution.table((0, 1, 2)).ravel() * 200_000
        assert chisquare(counts, expected).pvalue > 1e-9
        assert chisquare(counts, np.roll(expected, 1)).pvalue < 1e-9

"""Rows needed: the figures of the published method and of ours, checked against brute force and the budget."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, inf

import numpy as np
import pytest
from published import (
    changed_parities,
    gaussian_precisions,
    laplace_precisions,
    monomial_stderr,
    parity_stderr_gaussian,
    parity_stderr_laplace,
    rows_needed,
)

from hushtable.accounting import amount_of
from hushtable.maths.wide.minimax import best_uniform

# d, k, t, statistics, rows with the published method, with parities at epsilon = 1, at (1, 1e-9).
ROWS = [
    (20, 5, 4, 6_196, 7.02e6, 2.64e5, 2.09e4),
    (20, 10, 6, 60_460, 1.36e8, 7.53e5, 1.81e4),
    (20, 15, 7, 137_980, 5.64e8, 1.46e6, 2.10e4),
    (50, 5, 4, 251_176, 2.66e8, 8.56e6, 1.08e5),
    (50, 8, 5, 2_369_936, 2.67e9, 7.45e7, 2.20e5),
    (100, 3, 3, 166_751, 1.72e8, 1.60e7, 1.77e5),
    (100, 5, 4, 4_087_976, 4.23e9, 1.26e8, 3.91e5),
]


def disjunction(k):
    return np.concatenate([[0.0], np.ones(k)])


@pytest.mark.parametrize(("d", "k", "t", "statistics", "published", "pure", "zcdp"), ROWS)
def test_rows_needed(d, k, t, statistics, published, pure, zcdp):
    need = rows_needed(d, k)
    assert (need.degree, need.statistics) == (t, statistics)
    assert need.monomial_pure == pytest.approx(published, rel=5e-3)
    assert need.parity_pure == pytest.approx(pure, rel=5e-3)
    assert need.parity_zcdp == pytest.approx(zcdp, rel=5e-3)


@pytest.mark.parametrize("d", [1, 3, 5])
def test_changed_parities_are_those_that_brute_force_finds(d):
    parity = {
        row: [np.array([sum(members) % 2 for members in combinations(row, i)]) for i in range(d + 1)]
        for row in product([0, 1], repeat=d)
    }
    for one, other in product(parity, repeat=2):
        apart = sum(a != b for a, b in zip(one, other, strict=True))
        if apart:
            differ = [int((a != b).sum()) for a, b in zip(parity[one], parity[other], strict=True)]
            assert changed_parities(d, d)[:, apart - 1].tolist() == differ


@pytest.mark.parametrize(("d", "k", "t"), [(8, 3, 2), (20, 10, 4), (50, 8, 3)])
def test_precisions_spend_the_budget_and_give_the_stderr(d, k, t):
    b, _ = best_uniform(disjunction(k), k, t)
    rho = float(amount_of(Fraction(1), Fraction(1, 10**9), "zcdp"))
    gaussian, laplace = gaussian_precisions(b, d=d, k=k, rho=rho), laplace_precisions(b, d=d, k=k, epsilon=0.5)
    changed = changed_parities(d, t)[1:]
    assert (gaussian @ changed).max() / 2 == pytest.approx(rho)
    assert (laplace @ changed).max() == pytest.approx(0.5)
    ask = np.array([comb(k, i) for i in range(1, t + 1)])
    for law, precision, power in [("gaussian", gaussian, 1), ("laplace", laplace, 2)]:
        variances = (2 if law == "laplace" else 1) / precision**power
        stderr = 2 * np.sqrt((b[1:] ** 2 * ask * variances).sum())
        stated = (
            parity_stderr_gaussian(b, d=d, k=k, rho=rho)
            if law == "gaussian"
            else parity_stderr_laplace(b, d=d, k=k, epsilon=0.5)
        )
        assert stated == pytest.approx(stderr)


def test_an_order_that_is_not_used_gets_no_noise_budget():
    b = [0.5, 0.0, -0.5]
    assert gaussian_precisions(b, d=4, k=2, rho=1.0)[0] == 0
    assert 0 < parity_stderr_gaussian(b, d=4, k=2, rho=1.0) < inf
    assert parity_stderr_laplace([1.0, 0.0], d=4, k=2, epsilon=1.0) == 0


def test_a_question_wider_than_the_table_is_an_error():
    with pytest.raises(ValueError, match="width 5 and order 1 does not fit a table of 4"):
        monomial_stderr([0, 1], d=4, k=5, epsilon=1.0)
    with pytest.raises(ValueError, match="does not fit a table of 4"):
        rows_needed(4, 5)


def test_the_published_basis_needs_far_more_rows():
    needed = rows_needed(20, 10)
    assert needed.monomial_pure > 100 * needed.parity_pure

"""Polynomials near a question: the least bias, the least bias plus noise, and two bases."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from hushtable.maths.wide import minimax
from hushtable.maths.wide.krawtchouk import (
    amplification,
    krawtchouk,
    monomial_of_parity,
    newton,
    parity_of_monomial,
    parity_of_values,
)
from hushtable.maths.wide.minimax import best_biased, best_uniform
from hushtable.maths.wide.polynomials import chebyshev_or

# Least distance of a polynomial of degree t = 1, 2, ... from OR on 0, ..., k.
BIAS = {
    3: [0.3333, 0.1250, 0],
    5: [0.4000, 0.2222, 0.1000, 0.0313, 0],
    8: [0.4375, 0.3000, 0.1750, 0.0918, 0.0391, 0.0143],
    10: [0.4500, 0.3333, 0.2143, 0.1212, 0.0692, 0.0303],
    15: [0.4667, 0.3828, 0.2800, 0.1923, 0.1200, 0.0754],
    20: [0.4750, 0.4091, 0.3239, 0.2391, 0.1676, 0.1120],
}
# k, t, bias, noise amplification with monomials, with parities.
AMPLIFICATION = [
    (5, 3, 0.1000, 2.77, 0.177),
    (8, 4, 0.0918, 5.01, 0.0873),
    (10, 4, 0.1212, 5.05, 0.0888),
    (10, 6, 0.0303, 14.4, 0.0399),
    (15, 5, 0.1200, 8.86, 0.0836),
    (15, 8, 0.0222, 46.3, 0.0175),
    (20, 8, 0.0469, 53.3, 0.0340),
    (30, 8, 0.0934, 51.1, 0.0613),
]

values = st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=2, max_size=13).map(np.array)
# A standard deviation is 0 or anything that is not absurd; sums of many rows and tiny fractions both occur.
deviations = st.lists(st.one_of(st.just(0.0), st.floats(-9, 9).map(lambda e: 10.0**e)), min_size=5, max_size=5)


def disjunction(k):
    return np.concatenate([[0.0], np.ones(k)])


def shapes(k):
    """The symmetric questions a user can ask about k attributes."""
    s = np.arange(k + 1)
    cases = {"or": s >= 1, "and": s == k, "at least 2": s >= 2, "exactly half": s == k // 2, "parity": s % 2}
    return {name: np.asarray(f, dtype=float) for name, f in cases.items()}


def least_by_linear_program(f, k, t):
    """The same optimum by HiGHS, in the basis of Chebyshev polynomials."""
    A = np.polynomial.chebyshev.chebvander(np.linspace(-1, 1, k + 1), t)
    ones = np.ones((k + 1, 1))
    rows, bounds = np.block([[A, -ones], [-A, -ones]]), [(None, None)] * (t + 2)
    return linprog(np.eye(t + 2)[-1], A_ub=rows, b_ub=np.concatenate([f, -f]), bounds=bounds).fun


def total(basis, f, noise, b, z=1.96):
    return np.abs(b @ basis - f).max() + z * np.sqrt(max(0.0, b @ noise @ b))


# Bases


@pytest.mark.parametrize(("k", "t"), [(0, 0), (1, 0), (1, 3), (6, 4), (6, 6), (9, 2)])
def test_krawtchouk_and_newton_sum_over_sets(k, t):
    for s in range(k + 1):
        row = [1] * s + [0] * (k - s)
        for i in range(t + 1):
            sets = list(combinations(row, i))
            assert krawtchouk(k, t)[i, s] == sum((-1) ** sum(members) for members in sets)
            assert newton(k, t)[i, s] == sum(all(members) for members in sets)


def test_krawtchouk_is_exact_for_large_tables():
    K = krawtchouk(200, 40)
    assert K[40, 0] == float(comb(200, 40))
    for i, s in [(40, 77), (39, 100), (17, 3)]:
        exact = sum((-1) ** j * comb(s, j) * comb(200 - s, i - j) for j in range(i + 1))
        assert K[i, s] == float(exact)
    assert not K.flags.writeable


def test_a_negative_size_is_an_error():
    with pytest.raises(ValueError, match="at least 0, not -1 and 2"):
        krawtchouk(-1, 2)
    with pytest.raises(ValueError, match="at least 0, not 2 and -1"):
        newton(2, -1)


@given(b=st.lists(st.floats(-10, 10, allow_subnormal=False), min_size=1, max_size=7), k=st.integers(0, 20))
def test_the_two_bases_hold_the_same_polynomial(b, k):
    b, t = np.array(b), len(b) - 1
    a = monomial_of_parity(b, k)
    scale = 1 + np.abs(a) @ newton(k, t)[:, -1] + np.abs(b) @ np.abs(krawtchouk(k, t)).max(axis=1)
    assert np.abs(a @ newton(k, t) - b @ krawtchouk(k, t)).max() <= 1e-14 * scale
    orders = min(t, k) + 1
    assert parity_of_monomial(a, k)[:orders] == pytest.approx(b[:orders], rel=1e-9, abs=1e-9 * scale)


@given(f=values)
def test_parity_coefficients_of_values_interpolate_them(f):
    k = len(f) - 1
    b = parity_of_values(f, k + 2)
    assert (b[k + 1 :] == 0).all()
    assert b[: k + 1] @ krawtchouk(k, k) == pytest.approx(f, abs=1e-10)


# Least bias


@pytest.mark.parametrize(("k", "t", "bias"), [(k, t, bias) for k, row in BIAS.items() for t, bias in enumerate(row, 1)])
def test_least_bias_of_or(k, t, bias):
    assert best_uniform(disjunction(k), k, t)[1] == pytest.approx(bias, abs=1e-4)


@pytest.mark.parametrize(("k", "t", "bias", "monomial", "parity"), AMPLIFICATION)
def test_parities_amplify_noise_less_than_monomials(k, t, bias, monomial, parity):
    b, gamma = best_uniform(disjunction(k), k, t)
    assert gamma == pytest.approx(bias, abs=1e-4)
    assert amplification(b, k) == pytest.approx(parity, rel=5e-3)
    assert amplification(monomial_of_parity(b, k), k) == pytest.approx(monomial, rel=5e-3)


@pytest.mark.parametrize("shape", shapes(4))
@pytest.mark.parametrize(("k", "t"), [(4, 2), (9, 3), (20, 8), (40, 5), (40, 12), (100, 8)])
def test_least_bias_agrees_with_a_linear_program(k, t, shape):
    f = shapes(k)[shape]
    assert best_uniform(f, k, t)[1] == pytest.approx(least_by_linear_program(f, k, t), abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(f=values)
def test_bias_falls_with_the_degree_and_ends_at_exactly_zero(f):
    k = len(f) - 1
    biases = [best_uniform(f, k, t)[1] for t in range(k + 3)]
    assert biases[0] == pytest.approx(np.ptp(f) / 2, abs=1e-8)
    assert all(later <= earlier + 1e-7 for earlier, later in pairwise(biases))
    assert biases[k:] == [0.0] * 3


@settings(max_examples=40, deadline=None)
@given(f=values, t=st.integers(0, 8))
def test_the_stated_bias_holds_in_exact_arithmetic(f, t):
    k = len(f) - 1
    b, gamma = best_uniform(f, k, t)
    for s in range(k + 1):
        p = sum(Fraction(b[i]) * int(krawtchouk(k, t)[i, s]) for i in range(t + 1))
        assert abs(p - Fraction(f[s])) <= gamma + 1e-11


def test_values_must_fit_the_width():
    with pytest.raises(ValueError, match="0 to 3 ones has 4 values"):
        best_uniform([0, 1, 1], 3, 1)
    with pytest.raises(ValueError, match="finite"):
        best_uniform([0, 1, inf], 2, 1)


# Least bias plus noise


@settings(max_examples=60, deadline=None)
@given(f=values, sd=deviations, t=st.integers(0, 4))
def test_a_fit_states_its_error_and_beats_the_simple_ones(f, sd, t):
    k = len(f) - 1
    basis, noise = krawtchouk(k, t), np.diag(np.square(sd[: t + 1]))
    fit = best_biased(basis, f, noise)
    slack = 1e-8 * (1 + np.abs(f).max())
    assert (np.abs(fit.coefficients @ basis - f) <= fit.bias * (1 + 1e-12)).all()
    assert fit.stderr == pytest.approx(np.sqrt(fit.coefficients @ noise @ fit.coefficients))
    mine = fit.bias + 1.96 * fit.stderr
    constant = np.eye(t + 1)[0] * (f.max() + f.min()) / 2
    assert mine <= total(basis, f, noise, constant)
    assert mine <= total(basis, f, noise, best_uniform(f, k, t)[0]) + slack


def by_descent(basis, f, noise, z):
    """The optimum by another method: sequential least squares on (b, bias), from several starts."""
    n = len(basis)

    def objective(x):
        return x[-1] + z * np.sqrt(x[:n] @ noise @ x[:n] + 1e-18)

    inside = {"type": "ineq", "fun": lambda x: np.concatenate([x[-1] - x[:n] @ basis + f, x[-1] + x[:n] @ basis - f])}
    starts = [np.append(b, np.abs(b @ basis - f).max()) for b in np.random.default_rng(5).normal(size=(6, n)) / 3]
    runs = [minimize(objective, x, constraints=inside, method="SLSQP", options={"maxiter": 500}) for x in starts]
    return min(total(basis, f, noise, run.x[:n], z) for run in runs)


@pytest.mark.parametrize("shape", shapes(4))
@pytest.mark.parametrize("sd", [1e-3, 0.03, 0.3, 2.0])
@pytest.mark.parametrize(("k", "t"), [(3, 1), (4, 2), (6, 3)])
def test_no_other_method_finds_a_better_fit(k, t, sd, shape):
    f, basis = shapes(k)[shape], krawtchouk(k, t)
    noise = np.diag([0.0] + [sd**2 * comb(k, i) for i in range(1, t + 1)])
    fit = best_biased(basis, f, noise)
    mine, other = fit.bias + 1.96 * fit.stderr, by_descent(basis, f, noise, 1.96)
    assert mine <= other + 1e-9
    assert mine == pytest.approx(other, abs=1e-4)  # descent stops early at the kink where the noise is 0
    # The problem is convex, so a step to a better fit from anywhere but the best one would show at some size.
    steps = np.random.default_rng(7).normal(size=(300, len(basis))) * 10.0 ** np.linspace(-6, 0, 300)[:, None]
    assert min(total(basis, f, noise, fit.coefficients + step) for step in steps) >= mine - 1e-9


def test_correlated_noise_and_repeated_sums_are_used():
    source = np.random.default_rng(3)
    basis = np.concatenate([krawtchouk(5, 2), krawtchouk(5, 2)[1:], np.zeros((1, 6))])
    root = source.normal(size=(6, 6)) / 20
    noise, f = root @ root.T, disjunction(5)
    fit = best_biased(basis, f, noise)
    assert fit.bias + 1.96 * fit.stderr == pytest.approx(by_descent(basis, f, noise, 1.96), abs=1e-4)
    # Less than with one copy of each sum: copies are averaged, and the sum that is always 0 shows some of the noise.
    once = best_biased(basis[:3], f, noise[:3, :3])
    assert fit.bias + 1.96 * fit.stderr < once.bias + 1.96 * once.stderr - 1e-3


@pytest.mark.parametrize("sd", [0.0, 1e-100, 1e-12, 1e-6])
def test_with_no_noise_to_speak_of_the_bias_is_least(sd):
    for k, t in [(15, 3), (100, 8)]:
        noise = np.diag([0.0] + [sd**2 * comb(k, i) for i in range(1, t + 1)])
        fit = best_biased(krawtchouk(k, t), disjunction(k), noise)
        assert fit.bias == pytest.approx(best_uniform(disjunction(k), k, t)[1], abs=1e-6)


@pytest.mark.parametrize("sd", [1e5, 1e12, 1e100])
def test_with_nothing_but_noise_the_answer_is_the_middle(sd):
    for k, t in [(15, 3), (60, 8)]:
        fit = best_biased(krawtchouk(k, t), disjunction(k), np.diag([0.0] + [sd**2 * comb(k, i) for i in range(t)]))
        assert (fit.bias, fit.stderr) == (0.5, 0.0)


def test_more_weight_on_noise_buys_less_noise():
    noise = np.diag([0.0] + [0.01 * comb(15, i) for i in range(1, 4)])
    fits = [best_biased(krawtchouk(15, 3), disjunction(15), noise, z=z) for z in (1, 6, 12, 18, 100)]
    assert np.diff([fit.bias for fit in fits]).min() > 1e-3
    assert np.diff([fit.stderr for fit in fits]).max() < -1e-4


def test_a_function_of_4096_points_by_orders():
    bits = np.array(list(product([0, 1], repeat=12)))
    f = ((bits[:, :3].sum(axis=1) == 3) | (bits[:, 4] > bits[:, 7])).astype(float)
    basis = np.stack([krawtchouk(12, 4)[i, bits.sum(axis=1)] for i in range(5)])
    fit = best_biased(basis, f, np.zeros((5, 5)))
    # Both values of f occur at several numbers of ones, so no function of that number does better than the middle.
    assert fit.bias == 0.5
    symmetric = best_biased(basis, (bits.sum(axis=1) > 0).astype(float), np.zeros((5, 5)))
    assert symmetric.bias == pytest.approx(best_uniform(disjunction(12), 12, 4)[1], abs=1e-8)


def test_a_basis_of_nothing_gives_nothing():
    fit = best_biased(np.zeros((2, 3)), [0.0, 1.0, -2.0], np.eye(2))
    assert (fit.bias, fit.stderr) == (2.0, 0.0)
    assert best_biased(krawtchouk(3, 1), np.zeros(4), np.eye(2)).bias == 0.0


def test_a_solver_that_fails_costs_accuracy_not_truth(monkeypatch):
    monkeypatch.setattr(minimax, "_step", lambda *_: None)
    basis, f = krawtchouk(5, 2), disjunction(5)
    fit = best_biased(basis, f, np.eye(3) * 0.01)
    assert fit.bias == np.abs(fit.coefficients @ basis - f).max()
    assert fit.bias + 1.96 * fit.stderr < 0.5 + 1.96 * 0.05  # the constant's


@pytest.mark.parametrize(
    ("basis", "f", "noise", "z", "message"),
    [
        (np.ones(3), np.ones(3), np.eye(3), 1, "shape"),
        (np.ones((0, 3)), np.ones(3), np.ones((0, 0)), 1, "shape"),
        (np.ones((2, 3)), np.ones(2), np.eye(2), 1, "shape"),
        (np.ones((2, 3)), np.ones(3), np.eye(3), 1, "shape"),
        (np.ones((2, 3)), np.ones(3), np.eye(2), -1, "z must be"),
        (np.ones((2, 3)), np.ones(3), np.eye(2), inf, "z must be"),
        (np.ones((2, 3)), np.ones(3), -np.eye(2), 1, "covariance"),
        (np.ones((2, 3)), np.ones(3), np.array([[1.0, 2.0], [2.0, 1.0]]), 1, "covariance"),
        (np.ones((2, 3)), np.ones(3), np.array([[1.0, 0.5], [0.0, 1.0]]), 1, "covariance"),
        (np.full((2, 3), np.nan), np.ones(3), np.eye(2), 1, "basis must be finite"),
    ],
)
def test_a_problem_that_is_not_one_is_an_error(basis, f, noise, z, message):
    with pytest.raises(ValueError, match=message):
        best_biased(basis, f, noise, z)


# The published polynomial


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize(("k", "t"), [(1, 3), (2, 3), (5, 4), (12, 6), (30, 9), (4, 7)])
def test_the_published_polynomial_has_its_bias_and_its_coefficients(k, t, power):
    g = chebyshev_or(k, t, power=power)
    assert g.values[0] == 0
    assert g.bias == pytest.approx(np.abs(g.values - disjunction(k)).max(), abs=1e-12)
    assert g.bias >= best_uniform(disjunction(k), k, t)[1] - 1e-9
    assert g.bias >= chebyshev_or(k, t).bias
    size = np.abs(g.coefficients) @ newton(k, t)
    assert (np.abs(g.coefficients @ newton(k, t) - g.values) <= 1e-14 * (1 + size)).all()


def test_the_published_polynomial_by_hand():
    # k = 3, c = 2: T_2(x) = 2 x^2 - 1 at 3/2, 1, 1/2, 0 is 7/2, 1, -1/2, -1.
    g = chebyshev_or(3, 2)
    assert g.values == pytest.approx([0, 1 - 2 / 7, 1 + 1 / 7, 1 + 2 / 7])
    assert chebyshev_or(3, 4, power=2).values == pytest.approx([0, 1 - 4 / 49, 1 - 1 / 49, 1 - 4 / 49])


@pytest.mark.parametrize(("k", "t", "power"), [(0, 1, 1), (3, 0, 1), (3, 2, 3), (3, 2, 0)])
def test_the_published_polynomial_needs_a_degree(k, t, power):
    with pytest.raises(ValueError, match="OR needs"):
        chebyshev_or(k, t, power=power)

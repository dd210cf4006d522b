"""servedio2012: constants, boosting's price, the sieve and the search are what they say."""

from math import log

import numpy as np
import published  # noqa: F401  (puts papers/ on the path)
import pytest

from papers.servedio2012 import bounds, simulated
from papers.servedio2012.boosting import boosted, draws_cost, rounds_needed, rows_for_half
from papers.servedio2012.sieve import Sieve, heavy, kept_cells, parity_signs


def test_the_rows_of_the_theorem_are_those_of_its_constants():
    given = {"columns": 16, "width": 3, "alpha": 0.1, "gamma": 0.1, "beta": 0.05, "products": 137}
    needs = bounds.privlearn_rows(**given, improved=True)
    assert needs["n"] == pytest.approx(3.6e13, rel=0.02)
    assert needs["b_total"] == pytest.approx(2 * needs["b_iter"])
    assert bounds.privlearn_rows(**given, improved=False)["n"] > 30 * needs["n"]


def test_the_oracle_needs_a_constant_of_three():
    """By simulation: 500 Laplace noises of scale b / (epsilon n), each below a third of the tolerance."""
    many, beta = 500, 0.05
    noise = np.abs(np.random.default_rng(1).laplace(size=(4000, many))).max(axis=1)
    for constant in (2.0, 2.5, 3.0):
        seen = float((noise >= constant / 3 * log(many / beta)).mean())
        assert seen == pytest.approx(bounds.oracle_fails(constant, many, beta), abs=6 * (0.25 / 4000) ** 0.5)
    assert bounds.oracle_fails(3.0, many, beta) <= beta < bounds.oracle_fails(2.5, many, beta)


def test_the_price_of_boosting_falls_as_the_square_of_the_rows():
    given = {"rounds": rounds_needed(142_506, 0.45), "draws": 500, "eta": 0.45, "ramp": 0.01}
    assert given["rounds"] == 15
    assert draws_cost(rows=50_000, **given) == pytest.approx(8.8, abs=0.05)
    rows = rows_for_half(0.02436, **given)
    assert draws_cost(rows=rows, **given) <= 0.02436 / 2 < draws_cost(rows=rows - 10, **given)


def test_boosting_mends_what_a_base_gets_wrong_somewhere():
    """A base that is right but on a few questions, and each time on those that were drawn."""
    truth = np.linspace(0.1, 0.9, 400)

    def base(drawn, answers, noise_sd):
        found = truth.copy()
        wrong = np.ones(len(truth), dtype=bool)
        wrong[drawn] = False
        found[np.flatnonzero(wrong)[:20]] += 0.3
        return found

    made = boosted(truth, base, rows=10**9, rho=1.0, rounds=9, draws=300, eta=0.45, near=0.01, ramp=0.01,
                   random=np.random.default_rng(1))  # fmt: skip
    assert np.abs(made.first - truth).max() == pytest.approx(0.3)
    assert np.abs(made.answers - truth).max() < 0.01


def test_the_sieve_learns_a_majority_of_parities_and_no_random_labels():
    bits, random = 8, np.random.default_rng(2)
    codes = np.arange(1 << bits)
    target = parity_signs(codes, 3) + parity_signs(codes, 80) + parity_signs(codes, 129) > 0
    shown = random.permutation(codes)[:200]
    for label, learned in ((target, True), (random.random(1 << bits) < 0.5, False)):
        parities, votes = Sieve().fit(shown, label[shown], bits)
        found = simulated.walsh(np.bincount(parities, weights=votes, minlength=1 << bits)) >= 0
        rest = np.setdiff1d(codes, shown)
        assert ((found == label)[rest].mean() > 0.95) == learned


def test_the_search_finds_the_frequent_rows_and_the_histogram_keeps_them():
    shares = simulated.frequencies(simulated.skewed(1, 10, 20_000))
    coefficients = shares / 2

    def mass(prefix, length):
        return float((coefficients[np.arange(1024) & ((1 << length) - 1) == prefix] ** 2).sum())

    found, asked = heavy(mass, 10, 0.005)
    assert found == set(np.flatnonzero(shares >= 0.01).tolist()) != set()
    assert asked < 400
    kept = kept_cells(shares, 20_000, 1.0, np.random.default_rng(1), log(1024))
    assert found <= set(np.flatnonzero(kept).tolist())
    assert (kept == 0).any()


def test_walsh_is_the_sum_over_signs():
    values = np.random.default_rng(1).random(16)
    signs = np.array([[(-1) ** int(u & q).bit_count() for u in range(16)] for q in range(16)])
    assert simulated.walsh(values) == pytest.approx(signs @ values)

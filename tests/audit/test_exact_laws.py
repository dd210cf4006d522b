"""Laws: the exact chances that audits compare with, against enumeration of every outcome."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr

from hushtable.audit.exact_laws import exponential_law, flip_law, noise_pit, noise_tail, renyi_price
from hushtable.audit.key_law import KeyLaw
from hushtable.audit.sparse_vector_law import SparseVectorLaw
from hushtable.laws import Law
from hushtable.vault.door.reveal import Revealed

SCALES = [Fraction(1, 2), Fraction(3), Fraction(22, 7)]


def mass(law: Law, scale: Fraction, reach: int = 400) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(-reach, reach + 1)
    if law == Law.ROUNDED:
        ends = ndtr((np.append(y, y[-1] + 1) - 0.5) / np.sqrt(float(scale)))
        return y, np.diff(ends)
    weight = np.exp(-np.abs(y) / float(scale)) if law == Law.LAPLACE else np.exp(-(y**2) / (2 * float(scale)))
    return y, weight / weight.sum()


@pytest.mark.parametrize("law", list(Law))
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_uniform_numbers_are_the_distribution_function(law, scale):
    y, chances = mass(law, scale)
    upto = np.cumsum(chances)
    near = np.abs(y) < 30
    for coin, wanted in ((0.0, upto - chances), (1.0, upto)):
        # A coin may run from either end of its jump, so compare both ends as a set.
        found = [noise_pit(law, scale, y[near], np.full(near.sum(), c)) for c in (coin, 1 - coin)]
        assert np.minimum(*[np.abs(f - wanted[near]) for f in found]).max() < 1e-9


def test_a_wide_gaussian_is_the_rounded_normal_one():
    variance = Fraction(25_000**2)
    y = np.array([-60_000, -1, 0, 1, 12_345])
    wide = noise_pit(Law.GAUSSIAN, variance, y, np.full(5, 0.5))
    narrow = noise_pit(Law.GAUSSIAN, Fraction(19_999**2), y, np.full(5, 0.5))
    assert wide[2] == pytest.approx(0.5, abs=1e-12)
    assert narrow[2] == pytest.approx(0.5, abs=1e-12)
    assert np.abs(wide - [0.5 * math.erfc(-v / 25_000 / math.sqrt(2)) for v in y]).max() < 1e-8


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_tails_of_laplace_noise(scale):
    y, chances = mass(Law.LAPLACE, scale)
    for least in (-5, -1, 0, 1, 2, 9):
        assert math.exp(noise_tail(scale, np.array([least]))[0]) == pytest.approx(chances[y >= least].sum(), rel=1e-9)


def by_coins(scores: list[int], step: float) -> np.ndarray:
    weights, found = [math.exp(-step * (max(scores) - s)) for s in scores], np.zeros(len(scores))
    for coins in product([0, 1], repeat=len(scores)):
        if any(coins):
            chance = math.prod(w if c else 1 - w for w, c in zip(weights, coins, strict=True))
            found += chance * np.array(coins) / sum(coins)
    return found


@pytest.mark.parametrize("scores", [[3], [1, 1], [10, 8, 8, 9, 7, 8], list(range(12))])
def test_permute_and_flip_is_the_enumeration_of_all_coins(scores):
    found = flip_law(np.array(scores), Fraction(3, 7))
    np.testing.assert_allclose(found, by_coins(scores, 3 / 7), rtol=1e-10)
    assert exponential_law(np.array(scores), Fraction(3, 7)).sum() == pytest.approx(1)


def test_renyi_price_of_two_coins():
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert renyi_price(p, p) < 1e-12
    largest = max(abs(math.log(a / b)) for a, b in zip(p, q, strict=True))
    kl = (p * np.log(p / q)).sum()
    assert kl * 0.999 <= renyi_price(p, q) <= largest**2 / 2


def by_summation(distances: list[int], crossed: list[bool], threshold: int, first: Fraction, second: Fraction) -> float:
    """P(answers), summed over all thresholds and all noise of every comparison."""
    t, weight = mass(Law.LAPLACE, first, 300)
    y, chances = mass(Law.LAPLACE, second, 300)
    total = 0.0
    for noisy, w in zip(t + threshold, weight, strict=True):
        chance = w
        for d, yes in zip(distances, crossed, strict=True):
            chance *= chances[(d + y >= noisy) == yes].sum()
        total += chance
    return total


@pytest.mark.parametrize("crossed", list(product([False, True], repeat=3)))
def test_a_watch_is_the_sum_over_all_noise(crossed):
    first, second, here, there = Fraction(3), Fraction(4), [2, 5, 9], [3, 4, 10]
    law = SparseVectorLaw(6, float(first), float(second))
    for a, b, yes in zip(here, there, crossed, strict=True):
        law.answer(a, b, yes)
    ratio = math.log(by_summation(here, crossed, 6, first, second) / by_summation(there, crossed, 6, first, second))
    assert law.loss == pytest.approx(ratio, abs=1e-9)


def test_revealed_keys():
    law = KeyLaw({b"a": 3, b"b": 1}, {b"a": 4})
    none = Revealed([], np.zeros(0, dtype=np.int64), None)
    scale, threshold, coins = Fraction(2), 5, np.random.default_rng(1)
    y, chances = mass(Law.LAPLACE, scale)
    below = {n: chances[n + y < threshold].sum() for n in (1, 3, 4)}
    loss, price, delta, pits, outputs = law.judge(none, scale, threshold, coins)
    assert loss == pytest.approx(math.log(below[3] * below[1] / below[4]), rel=1e-9)
    assert price == pytest.approx(1 / 2)
    assert delta == pytest.approx(1 - below[1], rel=1e-9)
    assert len(pits) == 2
    assert outputs == [4.0, 4.0]
    shown = Revealed([b"b"], np.array([7]), None)
    assert law.judge(shown, scale, threshold, coins)[0] == math.inf

"""Noise: draws fit the exact law, on every path, and the same check rejects scales 7 % off."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, chi2_contingency

from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise
from hushtable.vault.door.bernoulli import Precision
from hushtable.vault.door.randomness import Simulated, SystemRandomness
from hushtable.vault.door.samplers import exponential, gaussian, laplace, permute_and_flip, sample, uniform

FALSE_ALARM = 1e-9  # per test
ODD = (Fraction(93, 100), Fraction(107, 100))  # scales that must be rejected
SOURCE = SystemRandomness()
# How the rare paths are made common: two bits at a time tie often, and a float of huge slack decides nothing.
TIES, SETTLED = Precision(width=2), Precision(slack=2.0)
PATHS = [
    pytest.param(Precision(), 100_000, id="usual"),
    pytest.param(TIES, 100_000, id="ties"),
    pytest.param(SETTLED, 40_000, id="settled", marks=pytest.mark.slow),
]
SCALES = [Fraction(b) for b in ("1/2", "3", "22/7", "50", "1000000")]
VARIANCES = [Fraction(v) for v in ("1/4", "2", "121/10", "2500", "100000000/3", "100000000")]


def cells_of(law: str, scale: Fraction) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Inner edges of about 24 cells of like chance, and the exact chance of each cell.

    Cell i holds the integers above edge i - 1 and up to edge i. Gaussian scales are variances.
    """
    width = float(scale) if law == "laplace" else math.sqrt(scale)
    quantiles = np.linspace(-1, 1, 25)[1:-1]
    spread = -np.sign(quantiles) * np.log1p(-np.abs(quantiles)) * width
    edges = np.unique(np.round(spread * (1 if law == "laplace" else 0.8)).astype(np.int64))
    below = np.array([cdf(law, scale)(int(edge)) for edge in edges])
    return edges, np.diff(np.concatenate([[0.0], below, [1.0]]))


def cdf(law: str, scale: Fraction) -> Callable[[int], float]:
    """The exact distribution function at integers, to float accuracy."""
    if law == "laplace":
        r = math.exp(-1 / scale)

        def upper(k: int) -> float:  # P(Y > k), k >= 0
            return math.exp(-(k + 1) / scale) / (1 + r)

        return lambda k: 1 - upper(k) if k >= 0 else upper(-k - 1)
    reach = math.ceil(12 * math.sqrt(scale)) + 2
    mass = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * float(scale)))
    total = np.cumsum(mass) / mass.sum()
    return lambda k: float(total[min(max(k + reach, 0), 2 * reach)])


def fits(draws: NDArray[np.int64], law: str, scale: Fraction) -> bool:
    """Chi-square over cells with expected count at least 50, the rest pooled."""
    edges, chances = cells_of(law, scale)
    seen = np.bincount(np.searchsorted(edges, draws), minlength=chances.size)
    return agrees(seen, chances)


def agrees(seen: NDArray[np.int64], chances: NDArray[np.float64]) -> bool:
    expected = chances * seen.sum()
    large = expected >= 50
    seen = np.append(seen[large], seen[~large].sum())
    expected = np.append(expected[large], expected[~large].sum())
    if expected[-1] < 50:  # too little to pool alone
        most = expected.argmax()
        seen[most] += seen[-1]
        expected[most] += expected[-1]
        seen, expected = seen[:-1], expected[:-1]
    assert seen.size > 1, "one cell tests nothing: draw more"
    return bool(chi2.sf(((seen - expected) ** 2 / expected).sum(), seen.size - 1) > FALSE_ALARM)


def draws_of(law: str, scale: Fraction, size: int, precision: Precision) -> NDArray[np.int64]:
    draw = laplace if law == "laplace" else gaussian
    return draw(scale, size, SOURCE, precision=precision)


def assert_fits_and_can_reject(law: str, scale: Fraction, size: int, precision: Precision) -> None:
    assert fits(draws_of(law, scale, size, precision), law, scale)
    for odd in ODD:
        wrong = scale * odd if law == "laplace" else scale * odd**2
        assert not fits(draws_of(law, wrong, size, precision), law, scale)


@pytest.mark.parametrize(("precision", "size"), PATHS[:2])
@pytest.mark.parametrize("b", SCALES, ids=str)
def test_laplace(b, precision, size):
    assert_fits_and_can_reject(Law.LAPLACE, b, size, precision)


def test_laplace_that_is_hardly_ever_noise():
    # Scale 1/50 is zero but for one draw in 10^21, so its power is shown at 1/8: one draw in 1500.
    assert not laplace(Fraction(1, 50), 10**6, SOURCE).any()
    assert_fits_and_can_reject(Law.LAPLACE, Fraction(1, 8), 2 * 10**6, Precision())


@pytest.mark.parametrize(("precision", "size"), PATHS)
@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_gaussian(variance, precision, size):
    assert_fits_and_can_reject(Law.GAUSSIAN, variance, size, precision)


def test_gaussian_that_is_hardly_ever_noise():
    # Standard deviation 1/4: one draw in 1500 is not zero.
    assert_fits_and_can_reject(Law.GAUSSIAN, Fraction(1, 16), 10**6, Precision())


@pytest.mark.slow
def test_gaussian_by_ties_and_decimals_together():
    assert_fits_and_can_reject(Law.GAUSSIAN, Fraction(37, 5), 40_000, Precision(width=2, slack=2.0))


@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
def test_every_entry_of_a_mixed_table(law):
    """Scales drawn together, several with one proposal, each fit their own law and no neighbour's."""
    table = tuple(Fraction(30) * Fraction(115, 100) ** i for i in range(8))
    index = np.tile(np.arange(8, dtype=np.int32), 60_000)
    y = sample(CoordinateNoise(law=law, table=table, index=index), SOURCE)
    for i, scale in enumerate(table):
        assert fits(y[index == i], law, scale)
        assert not fits(y[index == i], law, table[(i + 1) % 8])


def test_no_draw_beyond_thirty_scales():
    # Seeded, because the chance of one such draw in 10^6 is 1e-7, more than a test is allowed.
    for b in (Fraction(1, 50), Fraction(1, 2), Fraction(50), Fraction(10**6)):
        assert np.abs(laplace(b, 10**6, Simulated(30))).max() < 30 * b
    assert np.abs(gaussian(Fraction(2500), 10**6, Simulated(30))).max() < 10 * 50


def test_laplace_tail_is_not_cut():
    # Beyond 10 b, where the counted-out part decides, as many as the law says.
    y = np.abs(laplace(Fraction(5), 2 * 10**6, SOURCE))
    for cut in (25, 40, 50):
        r = math.exp(-1 / 5)
        expected = y.size * 2 * r**cut / (1 + r)
        assert abs((y >= cut).sum() - expected) < 7 * math.sqrt(expected)


# Selections


def flip_chances(scores: list[int], step: Fraction) -> NDArray[np.float64]:
    """Permute-and-flip by enumeration of all coins."""
    weights = [math.exp(-step * (max(scores) - s)) for s in scores]
    chances = np.zeros(len(scores))
    for coins in product([0, 1], repeat=len(scores)):
        if any(coins):
            chance = math.prod(w if c else 1 - w for w, c in zip(weights, coins, strict=True))
            chances += chance * np.array(coins) / sum(coins)
    return chances


def exponential_chances(scores: list[int], step: Fraction) -> NDArray[np.float64]:
    weights = np.array([math.exp(-step * (max(scores) - s)) for s in scores])
    return weights / weights.sum()


@pytest.mark.parametrize(("precision", "size"), PATHS)
@pytest.mark.parametrize("choose", [permute_and_flip, exponential])
def test_selection(choose, precision, size):
    law, other = flip_chances, exponential_chances
    if choose is exponential:
        law, other = other, law
    scores, step = [10, 8, 8, 9, 7, 8], Fraction(8, 7)
    chosen = [choose(scores, step, SOURCE, precision=precision) for _ in range(size // 8)]
    counts = np.bincount(chosen, minlength=len(scores))
    assert agrees(counts, law(scores, step))
    assert not agrees(counts, other(scores, step))
    assert not agrees(counts, law(scores, step * Fraction(3, 4)))


def test_uniform():
    counts = np.bincount(uniform(37, 200_000, SOURCE), minlength=37)
    assert agrees(counts, np.full(37, 1 / 37))
    assert not agrees(counts, np.append(np.full(36, 1 / 36), 0))


# Other people's samplers


def two_sample(first: NDArray[np.int64], second: NDArray[np.int64], edges: NDArray[np.int64]) -> float:
    """P-value of the hypothesis that two samples have one law."""
    counts = [np.bincount(np.searchsorted(edges, s), minlength=edges.size + 1) for s in (first, second)]
    table = np.array(counts)
    return float(chi2_contingency(table[:, table.sum(axis=0) >= 100]).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
@pytest.mark.parametrize("scale", [0.75, 5.0])
def test_opendp_draws_the_same_law(law, scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    metric = dp.l1_distance(T=float) if law == "laplace" else dp.l2_distance(T=float)
    make = dp.m.make_laplace if law == "laplace" else dp.m.make_gaussian
    theirs = np.array(make(dp.vector_domain(dp.atom_domain(T=int)), metric, scale=scale)([0] * 20_000))
    exact = Fraction(scale) if law == "laplace" else Fraction(scale) ** 2
    edges, _ = cells_of(law, exact)
    ours = draws_of(law, exact, 200_000, Precision())
    assert two_sample(ours, theirs, edges) > FALSE_ALARM
    wider = draws_of(law, exact * Fraction(13, 10), 200_000, Precision())
    assert two_sample(wider, theirs, edges) < FALSE_ALARM

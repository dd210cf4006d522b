"""Rounded Gaussian noise fits its law: middle, tails, every path; the same checks find planted faults."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import chi2

from hushtable.vault.door.polar_point import PolarPoint
from hushtable.vault.door.randomness import Randomness, Simulated, SystemRandomness
from hushtable.vault.door.rounded_gaussian import Reading, rounded_gaussian, rounded_gaussians

FALSE_ALARM = 1e-9  # per test
SOURCE = SystemRandomness()
VARIANCES = [
    Fraction(v) for v in ("1/4", "2/3", "1", "121/10", "100", "2500", "1000000", "100000000/3", "1e12", "1e26")
]
# Points of one block: the draws of a call of this size are the first coordinates, then the second ones.
PAIRS = 6_144
SLOW = pytest.mark.slow
WRONG_SCALES = (0.97, 0.93, 1.07)


def p_value(seen: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    """Of the chi-square test of counts; cells of fewer than 10 expected are joined with the last that has more."""
    order = np.argsort(-chances)
    expected, counts = seen.sum() * chances[order], seen[order].astype(float)
    large = max(1, np.count_nonzero(expected >= 10))
    expected = np.append(expected[: large - 1], expected[large - 1 :].sum())
    counts = np.append(counts[: large - 1], counts[large - 1 :].sum())
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), max(1, large - 1)))


def edges_of(sigma: float) -> NDArray[np.int64]:
    """Inner edges of about 40 cells: like chances in the middle, half sigmas from 2 on."""
    middle = ndtri(np.linspace(0.025, 0.975, 31))
    reach = np.concatenate([middle, np.arange(2, 5, 0.5), -np.arange(2, 5, 0.5)])
    return np.unique(np.rint(reach * sigma).astype(np.int64))


def fit(draws: NDArray[np.int64], sigma: float) -> float:
    """p-value of draws under the exact law: cell i holds the whole numbers above edge i - 1, up to edge i."""
    edges = edges_of(sigma)
    at = np.concatenate([[-np.inf], (edges + 0.5) / sigma, [np.inf]])
    # The smaller tail, so that nothing cancels.
    chances = np.where(at[:-1] > 0, ndtr(-at[:-1]) - ndtr(-at[1:]), ndtr(at[1:]) - ndtr(at[:-1]))
    return p_value(np.bincount(np.searchsorted(edges, draws), minlength=edges.size + 1), chances)


# The law


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_draws_fit_the_law_and_other_scales_do_not(variance):
    draws = rounded_gaussian(variance, 10**6, SOURCE)
    sigma = math.sqrt(variance)
    assert fit(draws, sigma) > FALSE_ALARM
    for wrong in WRONG_SCALES:
        planted = rounded_gaussian(variance * Fraction(wrong) ** 2, 10**6, SOURCE)
        assert fit(planted, sigma) < 1e-100


@pytest.mark.parametrize("variance", [v for v in VARIANCES if v <= 100], ids=str)
def test_a_finer_draw_rounds_to_the_law_and_other_ways_to_round_do_not(variance):
    """sigma Z to a millionth, from a draw of 10^12 times the variance."""
    fine = rounded_gaussian(variance * 10**12, 10**6, SOURCE) / 10**6
    sigma = math.sqrt(variance)
    assert fit(np.rint(fine).astype(np.int64), sigma) > FALSE_ALARM
    for wrong in (np.trunc, np.floor, np.ceil):
        assert fit(wrong(fine).astype(np.int64), sigma) < 1e-12


@pytest.mark.parametrize("bits", [2, *(pytest.param(bits, marks=SLOW) for bits in (5, 17, 32))])
@pytest.mark.parametrize("variance", [Fraction(v) for v in ("1/4", "121/10", "1e12")], ids=str)
def test_every_point_settled_in_whole_numbers(variance, bits):
    """With few digits nearly all points need more, at the rim too; no float decides anything."""
    size = 60_000 if bits >= 17 else 20_000
    which = np.zeros(size, dtype=np.int32)
    draws = rounded_gaussians((variance,), which, SOURCE, reading=Reading(bits=bits, slack=math.inf))
    sigma = math.sqrt(variance)
    assert fit(draws, sigma) > FALSE_ALARM
    for wrong in (0.93, 1.07):
        assert fit(rounded_gaussian(variance * Fraction(wrong) ** 2, size, SOURCE), sigma) < FALSE_ALARM


def test_points_that_are_hard_to_decide_and_drawn_anew_would_be_seen():
    """The fault the sampler must not have: with few digits, a point that needs more is replaced by another."""

    class Refuses(Randomness):
        private = False

        def bytes(self, count):
            raise EOFError

    words = np.random.default_rng(5).integers(-16, 16, (20_000, 2)).tolist()
    kept = []
    for pair in words:
        point = PolarPoint((pair[0], pair[1]), 5)
        try:
            if point.inside(Refuses()):
                kept += point.rounded((Fraction(2), Fraction(2)), Refuses())
        except EOFError:
            continue
    assert fit(np.array(kept), math.sqrt(2)) < 1e-50


# Without luck


def brackets(variance: Fraction, depth: int) -> tuple[dict[int, float], float]:
    """The chance of each |X| that the first `depth` digits tell, and what they leave open; a quadrant is enough."""

    class Open(Randomness):
        private = False

        def bytes(self, count):
            raise EOFError

    told: dict[int, float] = {}
    cells, still = [(0, 0)], []
    for bits in range(2, depth + 1):
        cells, still = [(2 * a + i, 2 * b + j) for a, b in cells for i in (0, 1) for j in (0, 1)], []
        for cell in cells:
            point = PolarPoint(cell, bits)
            try:
                if point.inside(Open()):
                    size = point.rounded((variance, Fraction(0)), Open())[0]
                    told[size] = told.get(size, 0.0) + 4.0 ** (1 - bits)
            except EOFError:
                still.append(cell)
        cells = still
    disc = math.pi / 4
    return {size: mass / disc for size, mass in told.items()}, len(still) * 4.0 ** (1 - depth) / disc


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(1), Fraction(4)], ids=str)
def test_all_first_digits_together_enclose_the_law(variance):
    """No sampling: every cell of the quadrant, divided until it tells its value; false alarms are impossible."""
    told, left = brackets(variance, 10)
    assert left < 0.03

    def enclosed(sigma):
        def chance(k):
            return (2 if k else 1) * (ndtr((k + 0.5) / sigma) - ndtr((k - 0.5) / sigma))

        return all(mass <= chance(k) <= mass + left for k, mass in told.items())

    sigma = math.sqrt(variance)
    assert sum(told.values()) + left > 1
    assert enclosed(sigma)
    assert not enclosed(sigma * 0.97)
    assert not enclosed(sigma * 1.03)


# Large sigma, on identical digits


@pytest.mark.parametrize(
    ("variance", "bits"),
    [(Fraction(10) ** 12, 53), (Fraction(10) ** 18, 53), (Fraction(22, 7) * 10**20, 64), (Fraction(10) ** 27, 64)],
)
def test_large_draws_are_those_of_an_oracle_on_the_same_digits(variance, bits):
    """The rule of bytes written down again, and arithmetic of 60 digits; points that read on are settled elsewhere."""
    pairs = 1_000
    points = pairs * 4 // 3 + 8
    draws = rounded_gaussian(variance, 2 * pairs, Simulated(8)).reshape(2, pairs)
    words = Simulated(8).bytes(16 * points).view("<i8").reshape(2, points) >> (64 - bits)
    differ = dict.fromkeys((mpmath.nint, mpmath.floor, mpmath.ceil), 0)
    with mpmath.workdps(60):
        sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        v = [[mpmath.ldexp(2 * int(w) + 1, -bits) for w in row] for row in words]
        inside = [(x, y) for x, y in zip(*v, strict=True) if x * x + y * y < 1][:pairs]
        for (x, y), drawn in zip(inside, draws.T.tolist(), strict=True):
            s = x * x + y * y
            scale = sigma * mpmath.sqrt(-2 * mpmath.log(s) / s)
            for how in differ:
                differ[how] += (int(how(x * scale)) != drawn[0]) + (int(how(y * scale)) != drawn[1])
    assert differ[mpmath.nint] <= 1
    assert 700 < differ[mpmath.floor] < 1300
    assert 700 < differ[mpmath.ceil] < 1300


# Tails


class Zoomed(Randomness):
    """All points in the square of half side 2^-zoom about the origin: normals far out, as often as one likes."""

    private = False

    def __init__(self, seed: int, zoom: int, bits: int = 32) -> None:
        self._source, self._zoom, self._type = Simulated(seed), zoom, "<i4" if bits == 32 else "<i8"

    def bytes(self, count):
        return (self._source.bytes(count).view(self._type) >> self._zoom).view(np.uint8)

    def words(self, count):
        return self._source.words(count)


def tail(t: float, zoom: int) -> float:
    """P(Z1 > t) for t > 0, given a point that is uniform on the square of half side 2^-zoom.

    In polar coordinates (r, phi) of the point times 2^zoom, Z1 > t means r < 2^zoom exp(-t^2 / (4 cos(phi)^2)).
    """
    nodes = 1 << 15
    phi = (np.arange(nodes) + 0.5) * (np.pi / nodes) - np.pi / 2
    rim = 1 / np.maximum(np.abs(np.cos(phi)), np.abs(np.sin(phi)))
    reach = np.minimum(rim, np.exp(zoom * math.log(2) - t**2 / (4 * np.cos(phi) ** 2)))
    return float((reach**2).mean() * np.pi / 8)


def zoomed_fit(draws: NDArray[np.int64], sigma: float, zoom: int) -> float:
    """p-value of |X| given the zoom."""
    top = math.ceil(sigma * math.sqrt(4 * (zoom + 8) * math.log(2)))
    step = max(1, top // 40)
    starts = np.arange(1, top + 1, step)
    above = np.array([1.0, *(2 * tail((k - 0.5) / sigma, zoom) for k in starts)])
    chances = above - np.append(above[1:], 0.0)
    return p_value(np.bincount(np.searchsorted(starts, np.abs(draws), side="right"), minlength=chances.size), chances)


@pytest.mark.parametrize(
    ("sigma", "zoom", "bits"),
    [
        (1.0, 3, 32),
        (10.0, 8, 32),
        (1000.0, 8, 53),
        (10.0, 12, 32),
        (0.1, 12, 32),
        (1 / 16, 29, 32),
        (300.0, 40, 53),
        (2.0**40, 8, 64),
    ],
)
def test_tails(sigma, zoom, bits):
    """Floats decide up to a zoom of 8, whole numbers beyond. Coordinates by themselves: here they are dependent."""
    which = np.zeros(2 * PAIRS, dtype=np.int32)
    source = Zoomed(zoom, zoom, bits)
    drawn = rounded_gaussians((Fraction(sigma) ** 2,), which, source, reading=Reading(bits=bits)).reshape(2, PAIRS)
    for draws in drawn:
        assert zoomed_fit(draws, sigma, zoom) > FALSE_ALARM / 2
        assert zoomed_fit(draws, sigma * 0.93, zoom) < FALSE_ALARM
        assert zoomed_fit(draws, sigma * 1.07, zoom) < FALSE_ALARM
        if zoom >= 12:
            cut = np.clip(draws, -math.floor(6 * sigma), math.floor(6 * sigma))
            assert zoomed_fit(cut, sigma, zoom) < FALSE_ALARM


# Independence


def joint(first: NDArray[np.int64], second: NDArray[np.int64], sigma: float) -> float:
    """p-value of pairs under independence with the exact law: an eight by eight table of like chances."""
    edges = np.rint(ndtri(np.arange(1, 8) / 8) * sigma).astype(np.int64)
    chances = np.diff(ndtr(np.concatenate([[-np.inf], (edges + 0.5) / sigma, [np.inf]])))
    cells = 8 * np.searchsorted(edges, first) + np.searchsorted(edges, second)
    return p_value(np.bincount(cells, minlength=64), np.outer(chances, chances).ravel())


def test_the_draws_of_a_point_and_neighbours_are_independent():
    sigma = 100.0
    blocks = [rounded_gaussian(Fraction(10_000), 2 * PAIRS, SOURCE).reshape(2, PAIRS) for _ in range(60)]
    first, second = np.concatenate(blocks, axis=1)
    assert joint(first, second, sigma) > FALSE_ALARM / 2
    assert joint(first[:-1:2], first[1::2], sigma) > FALSE_ALARM / 2
    mixed = np.rint(0.05 * first + math.sqrt(1 - 0.05**2) * second).astype(np.int64)
    assert joint(first, mixed, sigma) < 1e-100, "a correlation of 0.05 is seen"
    sizes = np.rint(second * np.where(np.abs(first) > 67, 1.07, 0.93)).astype(np.int64)
    assert joint(first, sizes, sigma) < 1e-100, "so are sizes that depend on each other"


# Many variances in one call


@pytest.mark.parametrize("largest", [10**4, 10**7])
def test_two_hundred_variances_in_one_call(largest):
    """Each draw to a uniform number: Phi at its lower end and a random part of its chance."""
    random = np.random.default_rng(1)
    variances = [Fraction(largest) ** 2 / Fraction(11, 10) ** (2 * i) for i in range(200)]
    which = random.integers(0, 200, 600_001).astype(np.int32)
    draws = rounded_gaussians(variances, which, SOURCE)

    def fits(sigma):
        low, high = ndtr((draws - 0.5) / sigma), ndtr((draws + 0.5) / sigma)
        places = ((low + random.random(draws.size) * (high - low)) * 50).astype(int)
        counts = np.bincount(np.minimum(places, 49), minlength=50)
        return p_value(counts, np.full(50, 0.02)) > FALSE_ALARM

    sigma = np.sqrt(np.array([float(variance) for variance in variances]))
    assert min(sigma) < 1e-1
    assert fits(sigma[which])
    assert not fits(sigma[which] * 0.97)
    assert not fits(sigma[which] * 1.07)
    assert not fits(np.where(which % 8 == 3, 1.5, 1) * sigma[which]), "an eighth of them wrong"
    assert not fits(np.roll(sigma[which], 1)), "variances that went to their neighbours"

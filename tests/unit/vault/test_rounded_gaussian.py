"""Rounded Gaussian noise: draws are what their digits say, floats decide nothing wrong, bytes are read by rule."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from math import inf, isqrt

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from hushtable.errors import BadPlan
from hushtable.vault.door import rounded_gaussian as module
from hushtable.vault.door.polar_point import PolarPoint, _minus_log
from hushtable.vault.door.randomness import Randomness, Simulated, SystemRandomness
from hushtable.vault.door.rounded_gaussian import Reading, rounded_gaussian, rounded_gaussians

VARIANCES = [Fraction(v) for v in ("1e-12", "1/4", "2", "121/10", "10000", "1e8", "1e12", "1e20", "1e30")]


class Recorded(Randomness):
    """Simulated bytes, and how many of them were read."""

    private = False

    def __init__(self, seed: int) -> None:
        self._source = Simulated(seed)
        self.tape = b""

    def bytes(self, count: int) -> NDArray[np.uint8]:
        drawn = self._source.bytes(count)
        self.tape += drawn.tobytes()
        return drawn


class Nothing(Randomness):
    """No bytes: whoever reads one fails."""

    private = False

    def bytes(self, count: int) -> NDArray[np.uint8]:
        raise AssertionError("a byte was read")


def oracle(words: tuple[int, int], bits: int, variance: Fraction, how=mpmath.nint) -> tuple[int, int]:
    """The two draws of a point by arithmetic of 150 digits, or by a wrong way to round."""
    with mpmath.workdps(150):
        v = [(2 * word + 1) / mpmath.mpf(2) ** bits for word in words]
        s = v[0] ** 2 + v[1] ** 2
        sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        return tuple(int(how(x * sigma * mpmath.sqrt(-2 * mpmath.log(s) / s))) for x in v)


def read_on(words: tuple[int, int], bits: int, tape: bytes) -> tuple[tuple[int, int], int]:
    """The point's words after 64 digits a coordinate were appended for every 16 bytes."""
    for start in range(0, len(tape), 16):
        words = tuple(word << 64 | int.from_bytes(tape[start + 8 * i :][:8], "little") for i, word in enumerate(words))
        bits += 64
    return words, bits


def points_inside(count: int, bits: int, seed: int) -> NDArray[np.int64]:
    words = np.random.default_rng(seed).integers(-(2 ** (bits - 1)), 2 ** (bits - 1), (2, 2 * count), np.int64)
    inside = (((words + 0.5) * 2.0 ** (1 - bits)) ** 2).sum(axis=0) < 0.999
    return words[:, inside][:, :count]


# Digits decide


@pytest.mark.parametrize("bits", [5, 32, 53])
@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_a_point_rounds_as_an_oracle_of_150_digits_says_on_the_same_digits(bits, variance):
    wrong = {mpmath.floor: 0, lambda x: mpmath.sign(x) * mpmath.floor(abs(x)): 0}
    for i, pair in enumerate(points_inside(100, bits, seed=1).T.tolist()):
        source = Recorded(i)
        point = PolarPoint(tuple(pair), bits)
        if not point.inside(source):
            continue
        drawn = point.rounded((variance, variance), source)
        words, known = read_on(tuple(pair), bits, source.tape)
        assert drawn == oracle(words, known, variance)
        for how in wrong:
            wrong[how] += drawn != oracle(words, known, variance, how)
    if variance >= 1:
        assert min(wrong.values()) > 20, "the oracle tells other ways to round"


def test_a_point_reads_on_only_where_its_digits_leave_a_value_open():
    """With four digits a coordinate: every point, against the extremes over a fine grid of its cell."""
    for variance, first, second in [(Fraction(v), a, b) for v in (1, 30) for a in range(-8, 8) for b in range(0, 8)]:
        source = Recorded(3)
        point = PolarPoint((first, second), 4)
        if not point.inside(source) or source.tape:
            continue
        grid = np.linspace(1e-9, 1 - 1e-9, 65)
        x, y = np.meshgrid((first + grid) / 8, (second + grid) / 8)
        s = x * x + y * y
        z = np.stack([x, y]) * np.sqrt(-2 * np.log(s) / s) * float(variance) ** 0.5
        seen = [np.unique(np.rint(each)) for each in z]
        drawn = point.rounded((variance, variance), source)
        assert all(value in values for value, values in zip(drawn, seen, strict=True)) or source.tape
        if max(len(values) for values in seen) > 1:
            assert source.tape, "more than one value is possible, so digits have to be read"


@pytest.mark.parametrize("bits", [4, 8, 32, 53])
def test_whether_a_point_at_the_rim_is_inside_is_what_its_digits_say(bits):
    top = 2 ** (bits - 1)
    assert PolarPoint((0, top - 2), bits).inside(Nothing())
    assert PolarPoint((-1, 1 - top), bits).inside(Nothing())
    assert not PolarPoint((top - 1, top - 1), bits).inside(Nothing())
    candidates = [(x, ~isqrt(top**2 - x**2)) for x in range(top // 2, top // 2 + min(top // 2, 30))]
    rim = min(candidates, key=lambda pair: abs(sum((2 * word + 1) ** 2 for word in pair) - 4 * top**2))
    seen = set()
    for seed in range(40):
        source = Recorded(seed)
        inside = PolarPoint(rim, bits).inside(source)
        words, known = read_on(rim, bits, source.tape)
        assert inside == (sum((2 * word + 1) ** 2 for word in words) < 4**known)
        seen.add(inside)
    assert seen == {False, True}


@pytest.mark.parametrize(("part", "whole"), [(1, 2**62), (7, 8), (2**62 - 1, 2**62), (5, 5), (1, 2**400)])
def test_bounds_on_logarithms_hold_and_are_three_units_apart(part, whole):
    low, high = (_minus_log(part, whole, 42, up=up) for up in (False, True))
    with mpmath.workdps(400):
        assert low <= -mpmath.log(mpmath.mpf(part) / whole) * mpmath.mpf(10) ** 42 <= high
    assert 0 <= low <= high <= low + 3


def test_bounds_on_logarithms_hold_for_all_small_fractions():
    """To a tenth: with so few digits the step outwards and the directions of rounding are needed often."""
    with mpmath.workdps(30):
        for whole in range(1, 120):
            for part in range(1, whole + 1):
                low, high = (_minus_log(part, whole, 1, up=up) for up in (False, True))
                assert low <= -10 * mpmath.log(mpmath.mpf(part) / whole) <= high


def test_the_origin_is_read_on_until_it_is_not():
    drawn = PolarPoint((0, -1), 32).rounded((Fraction(1), Fraction(10) ** 6), Simulated(1))
    assert 0 <= drawn[0] < 20
    assert -20 * 10**3 < drawn[1] <= 0
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        PolarPoint((0, 0), 32).rounded((Fraction(2) ** 124, Fraction(2) ** 124), Simulated(1))


# Floats decide nothing wrong, and nothing else


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("bits", [32, 53, 64])
def test_floats_give_the_draws_and_read_the_bytes_of_whole_numbers(variance, bits):
    fast, exact = Recorded(5), Recorded(5)
    which = np.zeros(1_501, dtype=np.int32)
    drawn = rounded_gaussians((variance,), which, fast, reading=Reading(bits=bits))
    settled = rounded_gaussians((variance,), which, exact, reading=Reading(bits=bits, slack=inf))
    np.testing.assert_array_equal(drawn, settled)
    assert fast.tape == exact.tape


class Chosen(Randomness):
    """Words of its own choice for the first digits, simulated ones for those that follow."""

    private = False

    def __init__(self, words: NDArray[np.int32]) -> None:
        self._first, self._source = words, Recorded(1)
        self.read = 0

    def bytes(self, count: int) -> NDArray[np.uint8]:
        points = count // 8
        drawn, self._first = self._first[:, :points], self._first[:, points:]
        return np.ascontiguousarray(drawn.astype("<i4")).view(np.uint8).ravel()

    def words(self, count: int) -> NDArray[np.uint64]:
        self.read += count
        return self._source.words(count)


def near_the_rim(count: int) -> NDArray[np.int32]:
    random = np.random.default_rng(2)
    x = random.integers(1, 2**31 - 1, count)
    y = np.array([isqrt(2**62 - int(a) ** 2) for a in x]) + random.integers(-2, 2, count)
    return np.stack([x, np.where(random.random(count) < 0.5, np.minimum(y, 2**31 - 1), ~np.minimum(y, 2**31 - 1))])


def near_the_origin(count: int) -> NDArray[np.int32]:
    return np.random.default_rng(3).integers(-3, 3, (2, count))


@pytest.mark.parametrize("words", [near_the_rim, near_the_origin])
@pytest.mark.parametrize("sigma", [Fraction(1, 100), Fraction(1), Fraction(10_000)], ids=str)
def test_where_floats_cannot_be_sure_they_are_not_asked(words, sigma):
    """Points at S = 1 and S = 0, to a few of their last digits: draws and bytes are those of whole numbers."""
    fast, exact = Chosen(words(4_000)), Chosen(words(4_000))
    which = np.zeros(1_000, dtype=np.int32)
    drawn = rounded_gaussians((sigma**2,), which, fast, reading=Reading(bits=32))
    settled = rounded_gaussians((sigma**2,), which, exact, reading=Reading(bits=32, slack=inf))
    np.testing.assert_array_equal(drawn, settled)
    assert fast.read == exact.read > 0


@pytest.mark.parametrize(("bits", "sigma"), [(32, 2.0**24), (53, 2.0**42), (64, 2.0**53)])
def test_floats_decide_nothing_wrong_and_would_with_a_slack_100_times_smaller(bits, sigma):
    """Digits that are not drawn dominate with 32 bits, roundings with more. Looks at what is hardest to decide."""
    words = points_inside(60_000, bits, seed=bits)
    v = (words.astype(Reading(bits=bits).kind) + 0.5) * 2.0 ** (1 - bits)
    s = v[0] * v[0] + v[1] * v[1]
    distrust = Reading(bits=bits).distrust

    def sure(times):
        return module._propose(v, s, np.array([sigma]), distrust=distrust * times)[1][0]

    def wrong(places):
        n = module._propose(v, s, np.array([sigma]), distrust=0.0)[0][0]
        count = 0
        for i in places[:2000]:
            point = PolarPoint((int(words[0, i]), int(words[1, i])), bits)
            try:
                count += point.rounded((Fraction(sigma) ** 2, Fraction(0)), Nothing())[0] != n[i]
            except AssertionError:
                count += 1
        return count

    if distrust == inf:
        pytest.skip("this machine has no long floats")
    hardest = np.flatnonzero(sure(1) & ~sure(1.2))
    assert hardest.size > 500
    assert wrong(hardest) == 0
    assert wrong(np.flatnonzero(sure(0.01) & ~sure(0.05))) > 50


@pytest.mark.parametrize("ulps", [-4, 4])
def test_a_machine_with_another_logarithm_draws_the_same_and_reads_the_same(ulps, monkeypatch):
    variances = tuple(VARIANCES)
    which = np.arange(60_000, dtype=np.int32) % 7
    usual = Recorded(11)
    drawn = rounded_gaussians(variances[:7], which, usual)
    log = np.log
    monkeypatch.setattr(np, "log", lambda x: log(x) * (1 + ulps * 2.0**-52 * ((x * 2.0**40) % 2 > 1)))
    other = Recorded(11)
    np.testing.assert_array_equal(rounded_gaussians(variances[:7], which, other), drawn)
    assert other.tape == usual.tape


def test_a_machine_without_long_floats_draws_the_same_and_reads_the_same(monkeypatch):
    long, short = Recorded(4), Recorded(4)
    which = np.arange(2_000, dtype=np.int32) % len(VARIANCES)
    drawn = rounded_gaussians(VARIANCES, which, long)
    monkeypatch.setattr(module, "_has_long_floats", lambda: False)
    np.testing.assert_array_equal(rounded_gaussians(VARIANCES, which, short), drawn)
    assert long.tape == short.tape


# The rule


def test_the_draws_of_a_seed_are_the_same_for_ever():
    digest = hashlib.sha256()
    for variance in VARIANCES:
        digest.update(rounded_gaussian(variance, 3_001, Simulated(2)).astype("<i8").tobytes())
    which = np.arange(6_000, dtype=np.int32) % len(VARIANCES)
    digest.update(rounded_gaussians(VARIANCES, which, Simulated(3)).astype("<i8").tobytes())
    assert digest.hexdigest()[:16] == "5c8ec4cb9e9a1531"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000, 12_287, 12_288, 12_289, 50_001])
def test_sizes(size):
    drawn = rounded_gaussian(Fraction(10**6), size, Simulated(1))
    assert drawn.shape == (size,)
    assert drawn.dtype == np.int64
    assert np.abs(drawn).max(initial=0) < 8_000
    assert np.unique(drawn).size >= min(size, 1000) * 0.6


def test_a_block_without_a_point_inside_is_followed_by_another():
    words = np.full((2, 18), 2**31 - 1)
    words[:, 11] = 2**30, -(2**30)
    drawn = rounded_gaussians((Fraction(100),), np.zeros(1, dtype=np.int32), Chosen(words))
    assert drawn.tolist() == [8]  # 10 x sqrt(ln 2) = 8.33


@pytest.mark.parametrize("variance", [Fraction(-1), Fraction(2) ** 100 + 1], ids=["negative", "huge"])
def test_other_variances_are_refused_before_anything_is_drawn(variance):
    with pytest.raises(BadPlan, match=r"a rounded-gaussian noise variance must be 0 to 1\S*, not"):
        rounded_gaussians((Fraction(1), variance), np.zeros(5, dtype=np.int32), Nothing())


def test_the_largest_variance_is_drawn():
    drawn = rounded_gaussian(Fraction(2) ** 100, 300, SystemRandomness())
    assert 2.0**48 < np.sqrt(np.mean(drawn.astype(float) ** 2)) < 2.0**52
    assert np.unique(drawn % 1024).size > 150


def test_variance_0_is_0_and_reads_nothing():
    assert not rounded_gaussian(Fraction(0), 9, Nothing()).any()
    which = np.array([0, 1, 0, 1, 1], dtype=np.int32)
    drawn = rounded_gaussians((Fraction(0), Fraction(10**12)), which, Simulated(1))
    np.testing.assert_array_equal(drawn != 0, which == 1)


def test_a_variance_too_small_for_a_float():
    assert not rounded_gaussian(Fraction(1, 10**700), 1000, Simulated(1)).any()


@pytest.mark.parametrize("reading", [(1, inf), (65, inf), (31, module.SLACK), (32, module.SLACK / 2)])
def test_readings_that_are_none(reading):
    with pytest.raises(ValueError, match="bits must be 2 to 64"):
        Reading(bits=reading[0], slack=reading[1])

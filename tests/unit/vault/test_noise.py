"""Noise: exact digits, exact coins, the bounds that floats are trusted by, and every path of the samplers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hushtable.errors import BadPlan
from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise
from hushtable.vault.door import samplers as noise
from hushtable.vault.door.bernoulli import Chance, Exponents, Precision, bernoulli, bernoulli_exp, leading_bits
from hushtable.vault.door.randomness import Randomness, Simulated, SystemRandomness

FORMS = ("exp", "odds", "twice-odds")
EXACT = Precision(slack=2.0)
EITHER = pytest.mark.parametrize("choose", [noise.permute_and_flip, noise.exponential])
ORACLE = Context(prec=400)
BOUND = Decimal(2) ** -48

rationals = st.fractions(min_value=Fraction(1, 10**12), max_value=400, max_denominator=10**13)


class Script(Randomness):
    """The bytes of a script, then zeros."""

    private = False

    def __init__(self, script: Sequence[int]) -> None:
        self.left = list(script)

    def bytes(self, count: int) -> NDArray[np.uint8]:
        taken, self.left = self.left[:count], self.left[count:]
        return np.array(taken + [0] * (count - len(taken)), dtype=np.uint8)


def exp_minus(q: Fraction) -> Decimal:
    return ORACLE.exp(ORACLE.divide(Decimal(-q.numerator), Decimal(q.denominator)))


def chance(q: Fraction, form: str) -> Decimal:
    x = exp_minus(q)
    odds = ORACLE.divide(x, ORACLE.add(Decimal(1), x))
    return {"exp": x, "odds": odds, "twice-odds": ORACLE.add(odds, odds)}[form]


# Digits


@settings(deadline=None)
@given(q=rationals, bits=st.integers(1, 300), form=st.sampled_from(FORMS))
def test_leading_bits_are_those_of_a_far_more_precise_value(q, bits, form):
    assert leading_bits(q, form, bits) == math.floor(ORACLE.multiply(chance(q, form), Decimal(2**bits)))


@settings(deadline=None)
@given(q=rationals, bits=st.integers(1, 100), more=st.integers(1, 100), form=st.sampled_from(FORMS))
def test_longer_digits_extend_shorter_ones(q, bits, more, form):
    assert leading_bits(q, form, bits + more) >> more == leading_bits(q, form, bits)


def test_precision_is_raised_until_the_floor_is_certain():
    # exp(-q) = 1 - 10^-200 + ...: a first guess of a few digits cannot tell it from 1.
    assert leading_bits(Fraction(1, 10**200), "exp", 64) == 2**64 - 1


def test_an_enormous_exponent_has_zero_digits():
    assert leading_bits(Fraction(10**30), "exp", 10**6) == 0


def test_the_first_digit_that_is_not_zero_is_found():
    # exp(-50) = 2^-72.13...
    assert [Chance(Fraction(50)).digit(place, 8) for place in range(10)] == [0] * 9 + [233]


# Coins


@pytest.mark.parametrize("width", [1, 2, 3, 8])
@pytest.mark.parametrize("form", FORMS)
def test_a_coin_compares_every_digit(width, form):
    coin = Chance(Fraction(7, 3), form)
    digits = [coin.digit(place, width) for place in range(12)]
    last = max(place for place in range(12) if digits[place] > 0)
    assert bernoulli(coin, 1, Script([*digits[:last], digits[last] - 1]), width=width)[0]
    last = max(place for place in range(12) if digits[place] < 2**width - 1)
    assert not bernoulli(coin, 1, Script([*digits[:last], digits[last] + 1]), width=width)[0]


def test_the_smallest_chances_come_true():
    assert bernoulli(Chance(Fraction(50)), 1, Script([0] * 9 + [232]))[0]
    assert not bernoulli(Chance(Fraction(50)), 1, Script([0] * 9 + [234]))[0]


@pytest.mark.parametrize("width", [2, 8])
def test_ties_of_many_coins_are_refined_apart(width):
    coin = Chance(Fraction(1, 3))
    heads = bernoulli(coin, 200_000, Simulated(3), width=width).mean()
    deviation = math.sqrt(0.25 / 200_000)
    assert abs(heads - math.exp(-1 / 3)) < 6.2 * deviation


@pytest.mark.parametrize("given", [{"width": 0}, {"width": 9}, {"slack": 2.0**-45}])
def test_a_precision_that_would_change_the_law_is_refused(given):
    with pytest.raises(ValueError, match="slack at least"):
        Precision(**given)


def coins(qs: Sequence[Fraction], randomness: Randomness, precision: Precision) -> NDArray[np.bool_]:
    near = np.array([float(q) for q in qs])
    return bernoulli_exp(Exponents(near, qs.__getitem__), randomness, precision=precision)


@pytest.mark.parametrize("width", [2, 8])
def test_floats_and_decimals_toss_the_same_coin(width):
    """With the same random bits the fast path and the exact path must agree on every coin."""
    for seed in range(600):
        q = [Fraction(seed % 23, 7)]
        fast = coins(q, Simulated(seed), Precision(width=width))
        assert fast == coins(q, Simulated(seed), Precision(width=width, slack=2.0))


def test_a_coin_too_close_to_call_goes_on_with_the_same_bits():
    q = Fraction(1, 3)
    digits = leading_bits(q, "exp", 104).to_bytes(13, "big")
    # One byte, then the high half of a little-endian word, then a whole one: U equals exp(-q) so far.
    script = [digits[0], 0, 0, 0, 0, *reversed(digits[1:5]), *reversed(digits[5:])]
    last = leading_bits(q, "exp", 168) & (2**64 - 1)
    for tail, expected in ((last - 1, True), (last + 1, False)):
        assert coins([q], Script([*script, *tail.to_bytes(8, "little")]), Precision())[0] == expected


def test_exponent_zero_is_always_heads():
    assert coins([Fraction(0)], Script([255] * 1000), Precision())[0]
    assert coins([Fraction(0)], Script([255] * 1000), EXACT)[0]


# The bounds that floats are trusted by


def test_the_exponential_of_numpy_is_as_close_as_assumed():
    points = np.concatenate([np.linspace(0, 45, 2000), 2.0 ** -np.arange(1, 60)])
    for x, value in zip(points, np.exp(-points), strict=True):
        assert abs(Decimal(float(value)) - Context(prec=40).exp(Decimal(-float(x)))) <= BOUND


@settings(deadline=None, max_examples=300)
@given(
    y=st.one_of(st.integers(0, 100), st.integers(0, 2**60)),
    variance=st.fractions(min_value=Fraction(1, 50), max_value=10**20, max_denominator=10**6),
    factor=st.one_of(st.none(), st.floats(0, 8)),
)
def test_gaussian_exponents_keep_their_promise(y, variance, factor):
    if factor is not None:  # near the bulk, where the weight is not just 0
        y = int(factor * math.sqrt(variance))
    target = noise._Gaussians((variance,))
    found = target.exponents(np.array([-y]), np.zeros(1, dtype=np.int32))
    t = target.proposals[0]
    assert t * t >= variance
    q = (y - variance / t) ** 2 / (2 * variance)
    assert found.exact(0) == q
    assert_promise(found.near[0], q)


@settings(deadline=None)
@given(
    scores=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
    step=st.fractions(min_value=0, max_value=20, max_denominator=10**20),
)
def test_selection_exponents_keep_their_promise(scores, step):
    for given_scores in (scores, np.array(scores, dtype=np.int64)):
        found = noise._exponents(given_scores, step)
        for i, score in enumerate(scores):
            assert found.exact(i) == step * (max(scores) - score)
            assert_promise(found.near[i], found.exact(i))


def assert_promise(near: float, q: Fraction) -> None:
    if q > 1000:
        assert near > 900
    else:
        assert abs(exp_minus(Fraction(float(near))) - exp_minus(q)) <= BOUND


# Draws


@pytest.mark.parametrize(("b", "coin_bytes"), [("50", 1), ("1/50", 10), ("1000000", 1)])
def test_the_far_tail_can_be_reached(b, coin_bytes):
    b = Fraction(b)
    planes = (math.ceil(4 * b) - 1).bit_length()
    trials = 1000
    script = [0] * (trials * coin_bytes) + [255]  # then zeros: every digit 1, not zero, positive
    (y,) = noise.laplace(b, 1, Script(script))
    assert y == (trials + 1) * 2**planes
    assert y > 30 * b


def test_the_gaussian_tail_can_be_reached():
    # Scale 1: 9 of what stands above 2 planes, both planes, not zero, positive; zeros then accept 40 sigma.
    (y,) = noise.gaussian(Fraction(1), 1, Script([0] * 9 + [255]))
    assert y == 40


def test_ones_give_no_noise():
    assert noise.laplace(Fraction(50), 4, Script([255] * 1000)).tolist() == [0] * 4


def test_the_sign_is_one_bit():
    # Scale 1/2: one count, one plane, one coin for zero, one byte of signs, for each of 8 draws.
    script = [255] * 8 + [0] * 8 + [0] * 8 + [0b10100000]
    assert noise.laplace(Fraction(1, 2), 8, Script(script)).tolist() == [-2, 2, -2, 2, 2, 2, 2, 2]


def test_a_draw_beyond_64_bits_is_refused():
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        noise.laplace(Fraction(2**50), 1, Script([0] * 1100 + [255]))


@pytest.mark.parametrize("precision", [Precision(), Precision(width=2)])
@pytest.mark.parametrize("b", [Fraction(1, 2), Fraction(50), Fraction(10**10)])
def test_moments(b, precision):
    n = 40_000
    y = noise.laplace(b, n, Simulated(5), precision=precision).astype(float)
    r = math.exp(-1 / b)
    variance = 2 * r / (1 - r) ** 2 if b < 10**6 else 2 * float(b) ** 2
    assert abs(y.mean()) < 6.2 * math.sqrt(variance / n)
    assert abs(np.mean(y**2) / variance - 1) < 6.2 * math.sqrt(np.var(y**2) / n) / variance


def test_each_coordinate_has_the_noise_of_its_own_scale():
    table = (Fraction(0), Fraction(10**10), Fraction(3), Fraction(1, 50), Fraction(10**6), Fraction(3))
    index = np.random.default_rng(0).integers(0, len(table), 30_000).astype(np.int32)
    for law, unit in ((Law.LAPLACE, 2**0.5), (Law.GAUSSIAN, 1.0)):
        scales = table if law == "laplace" else tuple(s * s for s in table)
        y = noise.sample(CoordinateNoise(law=law, table=scales, index=index), Simulated(1))
        spread = np.array([y[index == i].std() for i in range(len(table))])
        assert spread[0] == 0
        assert spread[3] == 0
        for i in (1, 2, 4, 5):
            assert spread[i] == pytest.approx(unit * float(table[i]), rel=0.1)


def test_equal_scales_share_no_draws():
    index = np.repeat([0, 1], 500).astype(np.int32)
    both = CoordinateNoise(law=Law.GAUSSIAN, table=(Fraction(10**12),) * 2, index=index)
    y = noise.sample(both, Simulated(9))
    assert len(set(y.tolist())) > 990


@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
def test_no_coordinates_give_no_noise(law):
    nothing = np.zeros(0, dtype=np.int32)
    for table in ((), (Fraction(3), Fraction(5))):
        assert noise.sample(CoordinateNoise(law=law, table=table, index=nothing), Simulated(1)).shape == (0,)


@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
@pytest.mark.parametrize("scale", [Fraction(-1), Fraction(2**100 + 1)])
def test_a_scale_out_of_range_is_refused(law, scale):
    with pytest.raises(BadPlan, match=f"{law} noise scale must be 0 to"):
        noise.sample(CoordinateNoise(law=law, table=(scale,), index=np.zeros(3, dtype=np.int32)), Simulated(1))


@given(sigma=st.fractions(min_value=Fraction(1, 1000), max_value=10**10, max_denominator=1000))
def test_proposals_are_near_and_few(sigma):
    t = noise._proposal(sigma * sigma)
    assert sigma <= t <= max(1, Fraction(5, 4) * math.ceil(sigma))
    assert t.denominator == 1
    leading = int(t)
    while leading % 2 == 0:
        leading //= 2
    assert leading < 8


# Uniform integers and selections


def test_uniform_rejects_what_is_too_large():
    # Three bits of a word's top; 7, 5 and 6 are drawn again.
    words = [7, 2, 5, 6, 4]
    script = [byte for word in words for byte in (word << 61).to_bytes(8, "little")]
    assert noise.uniform(5, 1, Script(script)).tolist() == [2]
    assert noise.uniform(5, 2, Script(script)).tolist() == [4, 2]


@pytest.mark.parametrize("below", [1, 2, 5, 64, 65, 2**40 + 1, 2**63])
def test_uniform_stays_below_and_covers(below):
    drawn = noise.uniform(below, 5000, Simulated(2))
    assert drawn.min() >= 0
    assert drawn.max() < below
    assert drawn.max() >= below * 0.98 - 1


@pytest.mark.parametrize("below", [0, -3, 2**63 + 1])
def test_uniform_needs_a_bound(below):
    with pytest.raises(ValueError, match="bound of 1 to"):
        noise.uniform(below, 1, Simulated(2))


@EITHER
def test_a_far_better_candidate_is_always_chosen(choose):
    scores = [2**70, 0, -(2**2000)]
    assert {choose(scores, Fraction(1), Simulated(s)) for s in range(50)} == {0}
    widest = np.array([-(2**63), 2**63 - 1], dtype=np.int64)
    assert {choose(widest, Fraction(1), Simulated(s)) for s in range(50)} == {1}


@EITHER
def test_ties_and_no_step_reach_every_candidate(choose):
    assert {choose([4, 4, 4], Fraction(9), Simulated(s)) for s in range(60)} == {0, 1, 2}
    assert {choose([1, 4, 90], Fraction(0), Simulated(s)) for s in range(60)} == {0, 1, 2}


@EITHER
def test_lists_and_arrays_choose_alike(choose):
    scores = [3, -1, 4, 1, 5, -9]
    for seed in range(50):
        given = (scores, np.array(scores), np.array(scores, dtype=np.int32))
        alike = [choose(each, Fraction(1, 3), Simulated(seed)) for each in given]
        assert len(set(alike)) == 1


@EITHER
def test_a_selection_that_makes_no_sense_is_refused(choose):
    with pytest.raises(BadPlan, match="needs a candidate"):
        choose([], Fraction(1), Simulated(0))
    with pytest.raises(BadPlan, match="not -1"):
        choose([1, 2], Fraction(-1), Simulated(0))
    with pytest.raises(TypeError):
        choose([1.5, 2.0], Fraction(1), Simulated(0))


# Randomness


def test_simulated_repeats_and_is_not_private():
    first, second, other = Simulated(7), Simulated(7), Simulated(8)
    assert first.bytes(1003).tolist() == second.bytes(1003).tolist()
    assert first.words(10).tolist() == second.words(10).tolist()
    assert first.bytes(1003).tolist() != other.bytes(1003).tolist()
    assert not Simulated.private
    assert Simulated.__doc__.startswith("Not private:")
    with pytest.raises(TypeError):
        Simulated()


def test_the_simulated_stream_is_pinned():
    assert Simulated(1).bytes(6).tolist() == [255, 228, 34, 121, 243, 189]


def test_system_randomness_is_private_and_does_not_repeat():
    assert SystemRandomness.private
    assert SystemRandomness().bytes(64).tolist() != SystemRandomness().bytes(64).tolist()
    assert SystemRandomness().words(5).shape == (5,)


def test_bytes_are_uniform():
    for source in (Simulated(4), SystemRandomness()):
        counts = np.bincount(source.bytes(256_000), minlength=256)
        # Chi-square with 255 degrees of freedom: mean 255, deviation 22.6; beyond 420 has chance below 1e-9.
        assert ((counts - 1000.0) ** 2 / 1000).sum() < 420


def test_same_seed_same_noise():
    scales = CoordinateNoise(law=Law.GAUSSIAN, table=(Fraction(7, 2),), index=np.zeros(100, dtype=np.int32))
    first, second = (noise.sample(scales, Simulated(1)).tolist() for _ in range(2))
    assert first == second
    first, second = (noise.sample(scales, SystemRandomness()).tolist() for _ in range(2))
    assert first != second

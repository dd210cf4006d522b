"""Noise: exact discrete Laplace and Gaussian draws, and exact private selection. Rounded noise has its own file.

Everything here is integers and exact coins; no released number ever was a rounded real, so the attack on
floating-point noise [Mir12] finds nothing. The time taken is not hidden: it depends on the draws and, for a
selection, on the scores.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...words import readable
from .bernoulli import Chance, Exponents, Precision, bernoulli, bernoulli_exp
from .randomness import Randomness
from .rounded_gaussian import rounded_gaussians

__all__ = ["exponential", "gaussian", "geometric", "laplace", "permute_and_flip", "sample", "uniform"]

Integers = NDArray[np.int64]
Scores = Sequence[int] | NDArray[np.int64]

# Draws are made in blocks that stay in a core's cache.
BLOCK = 1 << 16
# Far from where a draw could leave 64 bits: at this scale |Y| >= 2^62 has chance e^-4096.
LARGEST_SCALE = 2**50
USUAL = Precision()


def sample(scales: CoordinateNoise, randomness: Randomness, *, precision: Precision = USUAL) -> Integers:
    """Independent integer noise for every coordinate, exactly of the law and scale asked.

    laplace           P(Y = y) proportional to exp(-|y| / b)
    gaussian          P(Y = y) proportional to exp(-y^2 / (2 sigma^2))
    rounded-gaussian  P(Y = y) = P(y - 1/2 < sigma Z < y + 1/2), Z normal

    Where the scale is 0 the noise is 0. Any b and sigma up to 2^50 will do.
    """
    _check(scales)
    out = np.zeros(scales.index.shape, dtype=np.int64)
    if scales.law == Law.LAPLACE:
        for b, places in _grouped(scales.table, scales.index):
            out[places] = laplace(b, places.size, randomness, precision=precision)
        return out
    if scales.law == Law.ROUNDED:
        return rounded_gaussians(scales.table, scales.index, randomness)
    targets = _Gaussians(scales.table)
    for t, places in _grouped(targets.proposals, scales.index):
        out[places] = targets.draw(t, scales.index[places], randomness, precision)
    return out


def _check(scales: CoordinateNoise) -> None:
    top = Fraction(LARGEST_SCALE) ** scales.law.power
    for scale in scales.table:
        if not 0 <= scale <= top:
            raise BadPlan(f"a {scales.law} noise scale must be 0 to {readable(top)}, not {readable(scale)}")


def _grouped(kinds: Sequence[Fraction], index: NDArray[np.int32]) -> Iterator[tuple[Fraction, NDArray[np.int64]]]:
    """Each kind of noise but 0, with the coordinates that want it."""
    distinct = sorted(set(kinds))
    number = {kind: i for i, kind in enumerate(distinct)}
    # The smallest type: numpy sorts up to 16 bits by radix, in linear time.
    smallest = np.min_scalar_type(len(distinct))
    group = np.array([number[kind] for kind in kinds], dtype=smallest)[index]
    ordered = np.argsort(group, kind="stable") if len(distinct) > 1 else np.arange(index.size)
    ends = np.cumsum(np.bincount(group, minlength=len(distinct)))
    for kind, start, end in zip(distinct, [0, *ends], ends, strict=False):
        if kind and start < end:
            yield kind, ordered[start:end]


def geometric(q: Fraction, size: int, randomness: Randomness, *, precision: Precision = USUAL) -> Integers:
    """P(G = g) proportional to r^g for g >= 0, with ratio r = exp(-q).

    r^g is the product of r^(2^i) over the binary ones of g, so the digits of G are independent coins with
    odds r^(2^i). The lowest digits are drawn so; what stands above them is geometric with ratio r^(2^planes),
    small, and counted out by coins.
    """
    planes = (math.ceil(4 / q) - 1).bit_length()
    out = _count(Chance(q * 2**planes), size, randomness, precision)
    if out.max(initial=0) >= 2**62 >> planes:
        raise OverflowError("a noise draw beyond 64 bits, which no working source of randomness gives")
    for plane in reversed(range(planes)):
        ones = bernoulli(Chance(q * 2**plane, "odds"), size, randomness, width=precision.width)
        out <<= 1
        out |= ones
    return out


def _count(chance: Chance, size: int, randomness: Randomness, precision: Precision) -> Integers:
    """How often a coin comes up before it first does not."""
    out = np.zeros(size, dtype=np.int64)
    alive = np.flatnonzero(bernoulli(chance, size, randomness, width=precision.width))
    while alive.size:
        out[alive] += 1
        alive = alive[bernoulli(chance, alive.size, randomness, width=precision.width)]
    return out


def laplace(b: Fraction, size: int, randomness: Randomness, *, precision: Precision = USUAL) -> Integers:
    """Discrete Laplace noise of scale b > 0: P(Y = y) = (1-r)/(1+r) r^|y|, with r = exp(-1/b).

    On integer vectors of L1 sensitivity D it is (D/b)-DP                                   [GhoRS12]
    Y is 0 unless a coin of chance 2r/(1+r) comes up; then it is a fair sign times one more than a geometric,
    so nothing is drawn in vain.
    """
    out = np.empty(size, dtype=np.int64)
    for start in range(0, size, BLOCK):
        block = out[start : start + BLOCK]
        block[:] = geometric(1 / b, block.size, randomness, precision=precision)
        block += 1
        block *= bernoulli(Chance(1 / b, "twice-odds"), block.size, randomness, width=precision.width)
        block *= _signs(block.size, randomness)
    return out


def _signs(size: int, randomness: Randomness) -> NDArray[np.int8]:
    """Independent fair signs, one random bit each."""
    bits = np.unpackbits(randomness.bytes(-(-size // 8)), count=size).view(np.int8)
    return 1 - 2 * bits


def gaussian(variance: Fraction, size: int, randomness: Randomness, *, precision: Precision = USUAL) -> Integers:
    """Discrete Gaussian noise: P(Y = y) proportional to exp(-y^2 / (2 variance)), variance > 0.

    On integer vectors of L2 sensitivity D it is (D^2 / (2 variance))-zCDP         [CanKS20, Thm. 4]
    """
    target = _Gaussians((variance,))
    return target.draw(target.proposals[0], np.zeros(size, dtype=np.int32), randomness, precision)


def _proposal(variance: Fraction) -> Fraction:
    """A whole t >= sigma with three leading bits, so that many variances share few proposals; 0 for 0.

    The sampler is exact for any t > 0. Of large sigma it accepts 76 % at t = sigma and 73 % at 5/4 sigma.
    """
    if variance == 0:
        return Fraction(0)
    sigma = math.isqrt(math.ceil(variance) - 1) + 1
    shift = max(0, sigma.bit_length() - 3)
    return Fraction(-(-sigma >> shift) << shift)


class _Gaussians:
    """Discrete Gaussians of many variances, drawn together when they share the proposal t.

    Propose y from the discrete Laplace of scale t; accept it with chance exp(-q),
    q = (|y| - variance/t)^2 / (2 variance); else propose again                    [CanKS20, Alg. 3]
    """

    def __init__(self, variances: Sequence[Fraction]) -> None:
        self.variances = variances
        self.proposals = tuple(_proposal(v) for v in variances)
        pairs = list(zip(variances, self.proposals, strict=True))
        self._centre = np.array([float(v / t) if t else 0.0 for v, t in pairs])
        self._half = np.array([float(1 / (2 * v)) if v else 0.0 for v in variances])

    def draw(self, t: Fraction, which: NDArray[np.int32], randomness: Randomness, precision: Precision) -> Integers:
        """One draw of variance `variances[which[i]]` for each i; all of these have the proposal t."""
        out = np.empty(which.size, dtype=np.int64)
        pending = np.arange(which.size)
        while pending.size:
            refused = []
            for start in range(0, pending.size, BLOCK):
                places = pending[start : start + BLOCK]
                y = laplace(t, places.size, randomness, precision=precision)
                accepted = bernoulli_exp(self.exponents(y, which[places]), randomness, precision=precision)
                # The refused are written too: their next proposal replaces them.
                out[places] = y
                refused.append(places[~accepted])
            pending = np.concatenate(refused)
        return out

    def exponents(self, y: Integers, which: NDArray[np.int32]) -> Exponents:
        """q for each proposal.

        Why `near` keeps its promise: let u = 2^-53, a = |y|, c = variance/t, d = a - c, h = 1/(2 variance).
        Then a, c and h are rounded once each (Fractions convert to the nearest float), so d errs by at most
        u(|d| + a + c) <= 2u(|d| + c) and q = d d h, up to terms in u^2, by at most
            2|d| h 2u(|d| + c) + 3u q = 7u q + 4u |d| c h.
        Now |d| c h = |d|/(2t) = sqrt(q/2) sigma/t <= (1 + q)/2 because sigma <= t. So q errs by at most
        10u(1 + q) and exp(-q) by at most 20u (1 + q) exp(-q) <= 20u < 2^-48, whatever y, t and the variance.
        (The 20 needs 10u(1 + q) < ln 2; for larger q both exponentials are below 2^-1000.)
        """
        near: NDArray[np.float64] = np.abs(y).astype(np.float64)
        near -= self._centre[which]
        near *= near
        near *= self._half[which]

        def exact(i: int) -> Fraction:
            variance, t = self.variances[int(which[i])], self.proposals[int(which[i])]
            d = abs(int(y[i])) - variance / t
            return d * d / (2 * variance)

        return Exponents(near, exact)


def uniform(below: int, size: int, randomness: Randomness) -> Integers:
    """Independent integers, uniform on 0, ..., below - 1 exactly; `below` is 1 to 2^63.

    Draws as many bits as `below` has and draws again what is too large.
    """
    if not 1 <= below <= 2**63:
        raise ValueError(f"a uniform integer needs a bound of 1 to 2^63, not {below}")
    spare = np.uint64(64 - max(1, (below - 1).bit_length()))
    out = np.empty(size, dtype=np.int64)
    pending = np.arange(size)
    while pending.size:
        out[pending] = (randomness.words(pending.size) >> spare).view(np.int64)
        pending = pending[out[pending] >= below]
    return out


def permute_and_flip(scores: Scores, step: Fraction, randomness: Randomness, *, precision: Precision = USUAL) -> int:
    """Chooses a candidate of high score. With scores of sensitivity D and step = epsilon/(2D): epsilon-DP.

    Its expected error is never above the exponential mechanism's                  [McKS20]
    Each candidate is heads with chance exp(-step (best - score)), and the first head in random order wins.
    The order does not depend on the coins, so that is a uniform choice among the heads.
    """
    heads = np.flatnonzero(bernoulli_exp(_exponents(scores, step), randomness, precision=precision))
    return int(heads[uniform(heads.size, 1, randomness)[0]])


def exponential(scores: Scores, step: Fraction, randomness: Randomness, *, precision: Precision = USUAL) -> int:
    """Chooses candidate i with chance proportional to exp(step score_i), exactly.

    With scores of sensitivity D and step = epsilon/(2D) it is epsilon-DP          [McST07]
    and, as its privacy loss has range epsilon [DonDR19], (epsilon^2/8)-zCDP       [CesR21]
    Proposes candidates uniformly and accepts with chance exp(-step (best - score)), at most as many proposals
    as candidates on average.
    """
    exponents = _exponents(scores, step)
    count = exponents.near.size
    while True:
        proposed = uniform(count, min(count + 8, BLOCK), randomness)
        accepted = bernoulli_exp(exponents.take(proposed), randomness, precision=precision)
        if accepted.any():
            return int(proposed[accepted.argmax()])


def _exponents(scores: Scores, step: Fraction) -> Exponents:
    """step x (best - score) for each candidate. Its floats carry three roundings, 3u q for u = 2^-53."""
    if len(scores) == 0 or step < 0:
        raise BadPlan(f"a selection needs a candidate and a step of at least 0, not {readable(step)}")
    if isinstance(scores, np.ndarray) and scores.dtype == np.int64:
        # The difference may wrap around, and as an unsigned number it is right again.
        gaps = (scores.max() - scores).view(np.uint64)
        return Exponents(gaps * float(step), lambda i: step * int(gaps[i]))
    whole = [operator.index(score) for score in scores]
    best = max(whole)
    exact = [step * (best - score) for score in whole]
    # Beyond 1000 every weight is 0 to a thousand bits; a huge fraction would not convert.
    return Exponents(np.array([float(min(q, Fraction(1000))) for q in exact]), exact.__getitem__)

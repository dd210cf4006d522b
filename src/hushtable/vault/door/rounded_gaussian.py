"""Rounded Gaussian noise: X = round(sigma Z) for a standard normal Z, drawn exactly and in bulk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan
from ...words import readable
from .polar_point import PolarPoint
from .randomness import Randomness

__all__ = ["Reading", "rounded_gaussian", "rounded_gaussians"]

Integers = NDArray[np.int64]
# Floats of 53 bits, or long ones of 64.
Floats = NDArray[np.floating[Any]]

LARGEST_VARIANCE = Fraction(2) ** 100
# Up to here, sigma 10^4, settling what 32 digits leave open costs less than drawing 53 for all.
SHORT_READING = Fraction(10) ** 8
# Up to here, sigma 2^33, the same holds for 53 digits and floats of 53 bits, against 64 digits and long floats.
USUAL_READING = Fraction(2) ** 66
# Points are drawn in blocks that stay in a core's cache.
BLOCK = 1 << 13
# In units of the floats' rounding; see `_propose`.
SLACK = 64.0
# Closer than this to S = 0 and S = 1 no float decides anything.
RIM = 2.0**-20
NO_ROOM = 0.5 - 2.0**-50


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How many digits of a point are drawn at first and how far floats are distrusted. No choice changes any law.

    Tests choose few bits and an endless slack, so that every point is settled in whole numbers.
    """

    bits: int
    slack: float = SLACK

    @classmethod
    def of(cls, variance: Fraction) -> Reading:
        """The fastest one for draws of up to this variance."""
        return cls(bits=32 if variance <= SHORT_READING else 53 if variance <= USUAL_READING else 64)

    @property
    def kind(self) -> type[np.floating[Any]]:
        """Floats that hold the midpoints exactly, where the machine has them."""
        return np.float64 if self.bits <= 53 else np.longdouble

    @property
    def distrust(self) -> float:
        """What `_propose` has to know; endless where more than 53 digits are read and long floats are no longer."""
        if self.bits > 53 and not _has_long_floats():
            return math.inf
        return 1.5 * 2.0**-self.bits + self.slack * (2.0**-53 if self.bits <= 53 else 2.0**-64)

    def __post_init__(self) -> None:
        if not (2 <= self.bits <= 64 and self.slack >= SLACK and (self.bits >= 32 or self.slack == math.inf)):
            raise ValueError(
                f"bits must be 2 to 64 and slack at least {SLACK}, or inf with fewer than 32 bits; "
                f"not {self.bits}, {self.slack}"
            )

    def words(self, points: int, randomness: Randomness) -> NDArray[np.int32] | NDArray[np.int64]:
        """Signed words of `bits` bits, a row for each coordinate: one word of 64 bits a point, or two."""
        if self.bits <= 32:
            return randomness.bytes(8 * points).view("<i4").reshape(2, points) >> np.int32(32 - self.bits)
        return randomness.bytes(16 * points).view("<i8").reshape(2, points) >> np.int64(64 - self.bits)


def _has_long_floats() -> bool:
    """Whether `longdouble` has 64 bits (x86) or 113 and rounds to nearest; elsewhere it has 53, or two parts."""
    if np.finfo(np.longdouble).nmant not in (63, 112):
        return False
    # A processor can be told to round to fewer bits than it has.
    one = np.ones(1, dtype=np.longdouble)
    return bool((one + 2.0**-63 > one)[0])


def rounded_gaussian(variance: Fraction, size: int, randomness: Randomness) -> Integers:
    """`size` independent draws with P(X = k) = Phi((k + 1/2) / sigma) - Phi((k - 1/2) / sigma), exactly.

    On integer vectors of L2 sensitivity D it is (D / sigma)-Gaussian-DP, for round(N + sigma Z) = N + round(sigma Z)
    is computed from the Gaussian mechanism's output.
    """
    return rounded_gaussians((variance,), np.zeros(size, dtype=np.int32), randomness)


def rounded_gaussians(
    variances: Sequence[Fraction],
    which: NDArray[np.int32],
    randomness: Randomness,
    *,
    reading: Reading | None = None,
) -> Integers:
    """One draw of variance `variances[which[i]]` for each i, all independent; variance 0 gives 0.

    Variances are 0 to 2^100; others are refused before anything is drawn. Where sigma is beyond 2^33 the machine's
    long floats decide; one without them settles most such points in whole numbers, in a tenth of a millisecond each.
    """
    for variance in variances:
        if not 0 <= variance <= LARGEST_VARIANCE:
            raise BadPlan(
                f"a rounded-gaussian noise variance must be 0 to {readable(LARGEST_VARIANCE)}, not {readable(variance)}"
            )
    noisy = np.array([variance > 0 for variance in variances], dtype=np.bool_)
    if noisy.all():
        return _Normals(variances, reading).draw(which, randomness)
    out = np.zeros(which.size, dtype=np.int64)
    places = np.flatnonzero(noisy[which])
    out[places] = _Normals(variances, reading).draw(which[places], randomness)
    return out


class _Normals:
    """Rounded normals of many variances, from points of a square whose digits are drawn as far as they are needed.

    The law. Let (V1, V2) be uniform on [-1, 1)^2 and S = V1^2 + V2^2. Given S < 1, Z_i = V_i sqrt(-2 ln S / S) are
    independent standard normals, by the polar method [MarB64]. The number of points of a block is fixed before they
    are drawn, and those with S < 1 are used in order until there are enough. Given S < 1, which these are depends on
    no Z.

    The digits. Of every point the first `bits` binary digits are drawn. Where they do not tell a draw, more digits of
    the same point are drawn until they do; floats decide where they are sure (`_propose`), else whole numbers
    (`PolarPoint`).

    Why nothing depends on the machine. Machines differ in `log` and in long floats, so they may differ in which points
    floats decide, but in no draw, and not in the bytes that are read: where a float is sure, whole numbers would give
    the same value from the same digits and read no more. Of S < 1 that is plain: floats are sure where all of the cell
    that the digits leave is on one side, by far. As to a draw, `PolarPoint` encloses h and cos(phi), with the names of
    `_propose`, by the corners of that cell. That puts Z, to either side, in at most
        e (|cos| + |sin|) (2 |cos| / (R h) + |sin| h / R) <= sqrt(2) e G
    to first order, and in less than 3/2 e G with the changes inside the cell (a part in 500) and the decimals (a part
    in 10^30). A float that is sure has kept 3/2 e G clear of the border, and its own errors besides.

    The time depends on the draws (near S = 0 and 1, and near a border of two values) and on no row.
    """

    def __init__(self, variances: Sequence[Fraction], reading: Reading | None) -> None:
        self._variances = variances
        self._reading = reading or Reading.of(max(variances, default=Fraction(0)))
        self._sigma: Floats = np.sqrt(np.array([_nearest(v, self._reading) for v in variances], self._reading.kind))

    def draw(self, which: NDArray[np.int32], randomness: Randomness) -> Integers:
        """One draw of variance `variances[which[i]]` for each i."""
        out = np.empty(which.size, dtype=np.int64)
        done = 0
        while done < which.size:
            wanted = min(-(-(which.size - done) // 2), BLOCK * 3 // 4)
            # A point is inside with chance pi/4, a little more than 3/4.
            points = _Points(wanted * 4 // 3 + 8, self._reading, randomness)
            drawn = self._rounded(points, which[done : done + 2 * min(wanted, points.count)], randomness)
            out[done : done + drawn.size] = drawn
            done += drawn.size
        return out

    def _rounded(self, points: _Points, which: NDArray[np.int32], randomness: Randomness) -> Integers:
        """A draw for each of `which`: the first coordinates of the first points, then the second ones."""
        pairs = -(-which.size // 2)
        # Of an odd number the last point's second coordinate is dropped, whatever it is.
        both = np.resize(which, (2, pairs)) if which.size % 2 else which.reshape(2, pairs)
        v, s = points.midpoints(pairs)
        sigma = self._sigma[both] if self._sigma.size > 1 else self._sigma
        out, sure = _propose(v, s, sigma, distrust=self._reading.distrust)
        for i in np.flatnonzero(~sure.all(axis=0)):
            first, second = (self._variances[k] for k in both[:, i])
            out[:, i] = points.exact(int(i)).rounded((first, second), randomness)
        return out.ravel()[: which.size]


def _nearest(variance: Fraction, reading: Reading) -> np.floating[Any]:
    """The variance as a float of this reading's kind, off by at most half a unit in its last place."""
    near = reading.kind(float(variance))
    # What a float leaves of it is a float again, far below it.
    return near if reading.bits <= 53 else near + reading.kind(float(variance - Fraction(float(variance))))


def _propose(v: Floats, s: Floats, sigma: Floats, *, distrust: float) -> tuple[Integers, NDArray[np.bool_]]:
    """n = rint(r) for r = v f sigma, f = sqrt(-2 ln s / s), and where it is the draw whatever digits follow.

    Let e = 2^-bits and u = 2^-53, or 2^-64 for long floats. The points are within e of the midpoints v, exact floats,
    in both coordinates; s = v1^2 + v2^2. With distrust = 3/2 e + 64 u and G = f + 2 / (s f), floats are sure where
        |r - n| + sigma distrust G < 1/2 - 2^-50    and    2^-20 < s < 1 - 2^-20.

    Digits that follow. Let R = sqrt(S), h = sqrt(-2 ln S) and phi be the angle of the point, so that Z1 = h cos(phi).
    Z1 changes by -2 cos(phi) / (R h) along the radius and by -sin(phi) h / R across, so its gradient is at most
    max(h / R, 2 / (R h)) <= h / R + 2 / (R h), which is G at the midpoint. The point is at most sqrt(2) e away, and
    e <= 2^-32. On the way R >= 2^-10 changes by less than a part in 2^21; h^2 = -4 ln R by less than 4 sqrt(2) e / R,
    which is a part in 2^19 where S < 1/2, hence h > 1, and in 2^9 elsewhere, as h^2 > 2^-19. So the gradient stays
    below 1.002 G, and Z within 1.418 e G of the midpoint's. A twentieth of the 3/2 e is to spare.

    Rounding. Let `log` be within c units in the last place, 2 c u of its value. Each of these is off by
    so much of itself: s by 2u; ln s by (2 / |ln s| + 2c) u; f by (1 / |ln s| + c + 5/2) u; sigma, a Fraction that is
    rounded to nearest and rooted, by 3/2 u; r, with two products, by (1 / |ln s| + c + 6) u. Now |Z| <= h < f and
    h / |ln s| = 2 / h < 2 / (s f), so r is off by less than sigma (c + 6) u G. 64 u are allowed. The computed G is
    off by less than a part in 2^30, which the rest of both terms covers if c <= 50; numpy's logarithm is within 4.
    r - n is exact, and 2^-50 covers the last sum. (Where sigma is too small for a full float, |r| < 2^-500 and n = 0
    is right.)
    """
    f = np.sqrt(-2.0 * np.log(s) / s)
    r: Floats = v * f
    r *= sigma
    n = np.rint(r)
    r -= n
    np.abs(r, out=r)
    gradient: Floats = f + 2.0 / (s * f)
    gradient *= distrust
    r += gradient * sigma
    return n.astype(np.int64), (r < NO_ROOM) & (np.abs(s - 0.5) < 0.5 - RIM)


class _Points:
    """Points of the square, and which of them are inside the circle, exactly."""

    def __init__(self, drawn: int, reading: Reading, randomness: Randomness) -> None:
        self._bits = reading.bits
        self._words = reading.words(drawn, randomness)
        self._v: Floats = self._words.astype(reading.kind)
        self._v += 0.5
        self._v *= 2.0 ** (1 - self._bits)
        squares = self._v * self._v
        self._s: Floats = np.add(squares[0], squares[1])
        rim = RIM if reading.distrust < math.inf else math.inf
        inside = self._s < 1.0 - rim
        # Points whose digits were read on to tell whether they are inside: these digits are theirs from now on.
        self._read: dict[int, PolarPoint] = {}
        for place in np.flatnonzero(np.abs(self._s - 1.0) <= rim):
            point = self._read[int(place)] = self._point(int(place))
            inside[place] = point.inside(randomness)
            # Floats are not to decide it.
            self._s[place] = RIM / 2
        self._inside = np.flatnonzero(inside)
        self.count = self._inside.size

    def midpoints(self, count: int) -> tuple[Floats, Floats]:
        """The midpoints of the first `count` points inside, and the sums of their squares."""
        places = self._inside[:count]
        return self._v.take(places, axis=1), self._s.take(places)

    def exact(self, i: int) -> PolarPoint:
        """Point i of those inside, with all its digits."""
        place = int(self._inside[i])
        return self._read.get(place) or self._point(place)

    def _point(self, place: int) -> PolarPoint:
        first, second = self._words[:, place]
        return PolarPoint((int(first), int(second)), self._bits)

"""Polar points: uniform points of a square, read digit by digit, and the rounded normals they stand for, exactly."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt

from .randomness import Randomness

__all__ = ["PolarPoint"]

# A draw has to fit into 64 bits, with room to be added to a sum.
LARGEST_DRAW = 2**62


class PolarPoint:
    """A point (V1, V2), uniform on [-1, 1)^2, of which the first `bits` binary digits of both coordinates are known.

    V_i is in [w_i, w_i + 1) 2^(1 - bits) for the signed whole numbers w_i. More digits are drawn where the known ones
    leave open what is asked, 64 for each coordinate at a time, and only there: how many are drawn depends on the
    digits alone. No digit is ever drawn anew, for a point that is dropped because it is hard to decide would be
    missing where such points are frequent, which is a bias.
    """

    __slots__ = ("_bits", "_words")

    def __init__(self, words: tuple[int, int], bits: int) -> None:
        self._words, self._bits = words, bits

    def inside(self, randomness: Randomness) -> bool:
        """Whether S = V1^2 + V2^2 < 1, exactly. Ends almost surely, because S = 1 has chance 0."""
        while True:
            whole = 1 << 2 * (self._bits - 1)
            low, high = self._squares()
            if high <= whole:
                return True
            if low >= whole:
                return False
            self._read_on(randomness)

    def rounded(self, variances: tuple[Fraction, Fraction], randomness: Randomness) -> tuple[int, int]:
        """round(sigma_i Z_i) for Z_i = V_i sqrt(-2 ln S / S), exactly; the point has to be `inside`.

        Given S < 1 the Z_i are independent standard normals                        [MarB64]

        Why the value is right: |X| = floor(sigma |Z| + 1/2) = (floor(2 sigma |Z|) + 1) // 2, and floor(2 sigma |Z|) =
        isqrt(floor(Q)) for Q = 4 variance Z^2 = 8 variance (-ln S) V^2 / S. So |X| does not fall when Q grows, and
        `_sizes` encloses Q for every continuation of the known digits: where both ends give one |X|, all of them do.
        The sign of X is the sign of V, which the first digit tells. (Halves are rounded up; they have chance 0.)

        Why it ends: the ends approach Q as digits are drawn, and almost surely Q is not at a border of two values.
        """
        while True:
            logs = self._minus_logs()
            if logs is not None:
                ends = [self._sizes(variances[i], i, logs) for i in (0, 1)]
                if all(least == most for least, most in ends):
                    return self._signed(ends[0][0], 0), self._signed(ends[1][0], 1)
            self._read_on(randomness)

    def _read_on(self, randomness: Randomness) -> None:
        """The next 64 digits of both coordinates."""
        first, second = (int(word) for word in randomness.words(2))
        self._words = self._words[0] << 64 | first, self._words[1] << 64 | second
        self._bits += 64

    def _size(self, i: int) -> int:
        """The whole number m with |V_i| in [m, m + 1] 2^(1 - bits)."""
        word = self._words[i]
        return word if word >= 0 else ~word

    def _squares(self) -> tuple[int, int]:
        """S is between these, in units of 4^(1 - bits)."""
        first, second = self._size(0), self._size(1)
        return first**2 + second**2, (first + 1) ** 2 + (second + 1) ** 2

    def _minus_logs(self) -> tuple[int, int] | None:
        """-ln S is between these, in units of 10^-(bits + 10); None if S may still be 0."""
        low, high = self._squares()
        if low == 0:
            return None
        whole, places = 1 << 2 * (self._bits - 1), self._bits + 10
        return _minus_log(high, whole, places, up=False), _minus_log(low, whole, places, up=True)

    def _sizes(self, variance: Fraction, i: int, minus_logs: tuple[int, int]) -> tuple[int, int]:
        """|X_i| is between these, whatever digits follow.

        Q = 8 variance (-ln S) C with C = V_i^2 / S. The logarithm falls as S grows. C grows with |V_i| and falls as
        the other coordinate grows, so its ends are at two corners.
        """
        mine, other = self._size(i), self._size(1 - i)
        least, most = (8 * variance.numerator * log for log in minus_logs)
        unit = variance.denominator * 10 ** (self._bits + 10)
        low = least * mine**2 // (unit * (mine**2 + (other + 1) ** 2))
        high = most * (mine + 1) ** 2 // (unit * ((mine + 1) ** 2 + other**2))
        return (isqrt(low) + 1) // 2, (isqrt(high) + 1) // 2

    def _signed(self, size: int, i: int) -> int:
        if size >= LARGEST_DRAW:
            raise OverflowError("a noise draw beyond 64 bits, which no working source of randomness gives")
        return size if self._words[i] >= 0 else -size


def _minus_log(part: int, whole: int, places: int, *, up: bool) -> int:
    """A bound on -ln(part / whole) in units of 10^-places, for 0 < part <= whole: from above if `up`, else from below.

    It is at most three units off where the logarithm is below 1000: quotient and logarithm have `places` + 3 digits.
    """
    outward = Context(prec=places + 3, rounding=ROUND_FLOOR if up else ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
    # ln is correctly rounded to nearest whatever the context says, so one step outwards bounds it.
    nearest = outward.ln(outward.divide(Decimal(part), Decimal(whole)))
    log = outward.next_minus(nearest) if up else outward.next_plus(nearest)
    scaled = log.copy_negate().scaleb(places, context=outward)
    # Where the ratio is 1 the step goes below 0.
    return max(0, int(scaled.to_integral_value(ROUND_CEILING if up else ROUND_FLOOR)))

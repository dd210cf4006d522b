"""The normal law between proven bounds, in decimals: what privacy rests on is never a rounded guess.

Every number is a pair (low, high) that encloses the true one. All of it comes from Mills' ratio
M(x) = Phi(-x) / phi(x), which falls with x and is tame where the tail itself is as small as e^-1000000.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

__all__ = ["DOWN", "LESS", "MORE", "ONE", "TWO", "UP", "Bounds", "delta_of", "delta_slope", "enclosed", "tail"]

Bounds = tuple[Decimal, Decimal]

DIGITS = 60
UP, DOWN = Context(prec=DIGITS, rounding=ROUND_CEILING), Context(prec=DIGITS, rounding=ROUND_FLOOR)
# Python's exp and ln are rounded correctly to 60 digits, and no sum here has more than 10^4 positive terms: what
# rounding to the nearest can do is far below one unit in the 50th digit.
HAIR, NOTHING = Decimal("1e-50"), Decimal("1e-55")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
# From here on the continued fraction of Mills' ratio needs fewer steps than the series.
FAR = 5
STEPS = 120
ONE, TWO = Decimal(1), Decimal(2)
LESS, MORE = DOWN.subtract(ONE, HAIR), UP.add(ONE, HAIR)


def enclosed(value: Fraction) -> Bounds:
    """A fraction as decimals."""
    above, below = Decimal(value.numerator), Decimal(value.denominator)
    return DOWN.divide(above, below), UP.divide(above, below)


def delta_of(mu: Bounds, epsilon: Fraction) -> Bounds:
    """The delta at `epsilon` of the Gaussian mechanism whose centres are `mu` standard deviations apart.

    delta = Phi(-x1) - e^epsilon Phi(-x2),  x1 = epsilon/mu - mu/2,  x2 = epsilon/mu + mu/2         [BalW18, Thm. 8]
          = phi(x1) (M(x1) - M(x2))
    since x2^2 - x1^2 = 2 epsilon. It grows with mu (its derivative is phi(x1)), so each end of mu gives one end.
    """
    return _delta(mu[0], epsilon)[0], _delta(mu[1], epsilon)[1]


def delta_slope(mu: Decimal, epsilon: Fraction) -> Decimal:
    """How fast that delta grows with mu, or a hair more: phi(x1)."""
    first, _ = _arguments(mu, epsilon)
    return _density(*first)[1]


def tail(x: Bounds) -> Bounds:
    """Phi(-x) for x >= 0: the chance that a normal number is above x."""
    low, high = _density(x[1], x[1])[0], _density(x[0], x[0])[1]
    return DOWN.multiply(low, _mills(x[1])[0]), UP.multiply(high, _mills(x[0])[1])


def _delta(mu: Decimal, epsilon: Fraction) -> Bounds:
    """`delta_of` one exact mu."""
    first, second = _arguments(mu, epsilon)
    density = _density(*first)
    low = DOWN.subtract(_mills(first[1])[0], _mills(second[0])[1])
    high = UP.subtract(_mills(first[0])[1], _mills(second[1])[0])
    return DOWN.multiply(density[0], max(low, Decimal(0))), UP.multiply(density[1], high)


def _arguments(mu: Decimal, epsilon: Fraction) -> tuple[Bounds, Bounds]:
    """x1 and x2 of `delta_of`."""
    least, most = enclosed(epsilon)
    ratio = DOWN.divide(least, mu), UP.divide(most, mu)
    half = DOWN.divide(mu, TWO), UP.divide(mu, TWO)
    return (
        (DOWN.subtract(ratio[0], half[1]), UP.subtract(ratio[1], half[0])),
        (DOWN.add(ratio[0], half[0]), UP.add(ratio[1], half[1])),
    )


def _density(low: Decimal, high: Decimal) -> Bounds:
    """exp(-x^2 / 2) / sqrt(2 pi) for all x between two numbers."""
    least = Decimal(0) if low <= 0 <= high else min(low.copy_abs(), high.copy_abs())
    most = max(low.copy_abs(), high.copy_abs())
    root = UP.sqrt(UP.multiply(TWO, PI))
    small = DOWN.exp(UP.divide(UP.multiply(most, most), TWO).copy_negate())
    large = UP.exp(DOWN.divide(DOWN.multiply(least, least), TWO).copy_negate())
    return DOWN.multiply(DOWN.divide(small, root), LESS), UP.multiply(UP.divide(large, root), MORE)


def _mills(x: Decimal) -> Bounds:
    """M(x) for any x, by M(x) = 1 / phi(x) - M(-x) below 0."""
    if x < 0:
        beyond, density = _mills(x.copy_negate()), _density(x, x)
        return (
            DOWN.subtract(DOWN.divide(ONE, density[1]), beyond[1]),
            UP.subtract(UP.divide(ONE, density[0]), beyond[0]),
        )
    return _mills_far(x) if x >= FAR else _mills_near(x)


def _mills_far(x: Decimal) -> Bounds:
    """M(x) = 1 / (x + 1 / (x + 2 / (x + 3 / ...))): for x > 0 it lies between any two successive convergents."""
    ends = sorted(_convergent(x, steps) for steps in (STEPS, STEPS + 1))
    return DOWN.multiply(ends[0], LESS), UP.multiply(ends[1], MORE)


def _convergent(x: Decimal, steps: int) -> Decimal:
    value = x
    for step in range(steps, 0, -1):
        value = UP.add(x, UP.divide(Decimal(step), value))
    return UP.divide(ONE, value)


def _mills_near(x: Decimal) -> Bounds:
    """M(x) = sqrt(pi / 2) e^(x^2 / 2) - (x + x^3 / 3 + x^5 / (3 5) + ...), both of them known to HAIR."""
    square = UP.multiply(x, x)
    term = total = x
    odd = 1
    # Terms fall by more than a half each from odd = 2 x^2 on, so that the rest is less than the last one added.
    while odd < 2 * FAR**2 or term > UP.multiply(total, NOTHING):
        odd += 2
        term = UP.divide(UP.multiply(term, square), Decimal(odd))
        total = UP.add(total, term)
    whole = UP.multiply(UP.sqrt(UP.divide(PI, TWO)), UP.exp(UP.divide(square, TWO)))
    reach, middle = UP.multiply(whole, HAIR), UP.subtract(whole, total)
    return DOWN.subtract(middle, reach), UP.add(middle, reach)

"""Jets: Taylor coefficients along one axis, enclosed for whole boxes of points at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from .balls import EXACT, Ball
from .functions import FUNCTIONS, ndtr
from .slopes import largest_slopes

__all__ = ["Jet", "JetCalculus"]

Floats = NDArray[np.float64]
WAVES = {"sin": np.sin, "cos": np.cos}


# Coefficient k encloses the k-th derivative / k!; those beyond the end of the list are 0.
Jet = list[Ball]


class JetCalculus:
    """Arithmetic of jets up to an order, by the recurrences of formal power series [GriW08, Ch. 13]."""

    def __init__(self, order: int, *, local: bool = True) -> None:
        self.order, self.local = order, local

    def add(self, a: Jet, b: Jet) -> Jet:
        """Sum."""
        longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
        return [x + y for x, y in zip(longer, shorter, strict=False)] + longer[len(shorter) :]

    def scale(self, a: Jet, factor: float) -> Jet:
        """Times a number."""
        return [x.scaled(factor) for x in a]

    def line(self, a: Jet, slope: float, shift: float) -> Jet:
        """slope * a + shift."""
        first, *rest = a if slope == 1.0 else self.scale(a, slope)
        return [Ball(first.middle + shift, first.radius), *rest]

    def multiply(self, a: Jet, b: Jet) -> Jet:
        """Product."""
        length = min(len(a) + len(b) - 1, self.order + 1)
        return [_sum(a[j] * b[k - j] for j in range(max(0, k - len(b) + 1), min(k + 1, len(a)))) for k in range(length)]

    def multiply_apart(self, a: Jet, b: Jet) -> Jet:
        """Product of functions of different columns: along any one axis only one of them changes."""
        longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
        rest = [x * shorter[0] for x in longer[1:]]
        for k, y in enumerate(shorter[1:]):
            rest[k] = rest[k] + y * longer[0]
        return [longer[0] * shorter[0], *rest]

    def divide(self, a: Jet, b: Jet) -> Jet:
        """Quotient; without bound where the divisor's enclosure holds 0."""
        over = b[0].inverse()
        if len(b) == 1:
            return [x * over for x in a]
        out: Jet = []
        for k in range(self.order + 1):
            terms = [(b[j] * out[k - j]).scaled(-1.0) for j in range(1, min(k + 1, len(b)))]
            out.append(_sum([*([a[k]] if k < len(a) else []), *terms]) * over)
        return out

    def integrated(self, start: Ball, u: Jet, slope: Callable[[Jet], Ball]) -> Jet:
        """The jet of F(u), given F(u_0) and `slope`: coefficient k of F'(u) from the coefficients of F(u) so far."""
        out, slopes = [start], list[Ball]()
        if len(u) == 1:
            return out
        rises = [x.scaled(j) for j, x in enumerate(u)]
        for k in range(1, self.order + 1):
            slopes.append(slope(out))
            terms = (rises[j] * slopes[k - j] for j in range(1, min(k + 1, len(u))))
            out.append(_sum(terms).scaled(1 / k))
        return out

    def exp(self, u: Jet) -> Jet:
        """exp' = exp."""
        return self.integrated(u[0].rising(np.exp), u, lambda out: out[-1])

    def bounded(self, function: str, u: Jet) -> Jet | None:
        """A function with bounded derivatives of a line, by those bounds; None where u is no line.

        Not as tight as the recurrences far from where the function bends, and many times faster.
        """
        if len(u) > 2 or (len(u) == 2 and u[1].radius is not EXACT):
            return None
        first = _wave(u[0], WAVES[function]) if function in WAVES else u[0].rising(FUNCTIONS[function])
        if len(u) == 1:
            return [first]
        slope, zero, limits = np.abs(u[1].middle), np.zeros_like(u[1].middle), largest_slopes(function)
        return [first, *(Ball(zero, limits[k] * slope**k) for k in range(1, self.order + 1))]

    def expit(self, u: Jet) -> Jet:
        """(1 + tanh(u / 2)) / 2."""
        first, *rest = self.scale(self.tanh(self.scale(u, 0.5)), 0.5)
        return [Ball(first.middle + 0.5, first.radius), *rest]

    def tanh(self, u: Jet) -> Jet:
        """T' = 1 - T^2."""
        ones = np.ones_like(u[0].middle)

        def slope(out: Jet) -> Ball:
            square = _convolved(out).scaled(-1.0)
            return Ball(ones, EXACT) + square if len(out) == 1 else square

        return self.integrated(u[0].rising(np.tanh), u, slope)

    def ndtr(self, u: Jet) -> Jet:
        """N' = exp(-u^2 / 2) / sqrt(2 pi)."""
        bell = self.scale(self.exp(self.scale(self.multiply(u, u), -0.5)), float(1 / np.sqrt(2 * np.pi)))
        zero = np.zeros_like(u[0].middle)
        bell += [Ball(zero, EXACT)] * (self.order + 1 - len(bell))
        return self.integrated(u[0].rising(ndtr), u, lambda out: bell[len(out) - 1])

    def log(self, u: Jet) -> Jet:
        """log' = 1 / u."""
        safe = Ball.between(np.maximum(u[0].low, np.finfo(float).tiny), np.maximum(u[0].high, np.finfo(float).tiny))
        logarithm = self.integrated(safe.rising(np.log), u, self._powers(u, -1.0))
        return _unbounded_unless(u[0].low > 0, logarithm)

    def power(self, u: Jet, exponent: float) -> Jet:
        """u^a for u > 0, and for whole a >= 0 any u."""
        if exponent >= 0 and exponent == int(exponent) and exponent <= 64:
            return self._whole_power(u, int(exponent))
        tiny = np.finfo(float).tiny
        safe = Ball.between(np.maximum(u[0].low, tiny), np.maximum(u[0].high, tiny))
        raised = [Ball.between(*sorted_ends(safe.low**exponent, safe.high**exponent))]
        over = safe.inverse()
        for k in range(1, self.order + 1 if len(u) > 1 else 1):
            # k u_0 P_k = sum over j of (a j - (k - j)) u_j P_(k-j), from u P' = a P u'.
            terms = ((u[j] * raised[k - j]).scaled((exponent * j - (k - j)) / k) for j in range(1, min(k + 1, len(u))))
            raised.append(_sum(terms) * over)
        return _unbounded_unless(u[0].low > 0, raised)

    def square(self, a: Jet) -> Jet:
        """Product with itself: each pair of different coefficients once, and twice."""
        out = []
        for k in range(min(2 * len(a) - 1, self.order + 1)):
            pairs = [(a[j] * a[k - j]).scaled(2.0) for j in range(max(0, k - len(a) + 1), (k + 1) // 2)]
            out.append(_sum([*pairs, a[k // 2] * a[k // 2]] if k % 2 == 0 else pairs))
        return out

    def _whole_power(self, u: Jet, exponent: int) -> Jet:
        if exponent == 0:
            return [Ball(np.ones((1, 1)), EXACT)]
        half = self._whole_power(u, exponent // 2) if exponent > 1 else u
        out = self.square(half) if exponent > 1 else u
        return self.multiply(out, u) if exponent > 1 and exponent % 2 else out

    def _powers(self, u: Jet, exponent: float) -> Callable[[Jet], Ball]:
        """Coefficient k of u^a, looked up as the integration goes on."""
        powers = self.power(u, exponent)
        return lambda out: powers[len(out) - 1]

    def waves(self, u: Jet) -> tuple[Jet, Jet]:
        """sin and cos, which are each other's slopes."""
        sines, cosines = [_wave(u[0], np.sin)], [_wave(u[0], np.cos)]
        for k in range(1, self.order + 1 if len(u) > 1 else 1):
            steps = range(1, min(k + 1, len(u)))
            up = _sum((u[j] * cosines[k - j]).scaled(j / k) for j in steps)
            down = _sum((u[j] * sines[k - j]).scaled(-j / k) for j in steps)
            sines.append(up)
            cosines.append(down)
        return sines, cosines

    def absolute(self, u: Jet) -> Jet:
        """|u|: where u may be 0 it has a slope of at most 1 and nothing beyond."""
        sign = np.where(u[0].low > 0, 1.0, np.where(u[0].high < 0, -1.0, 0.0))
        sure = sign != 0
        out = []
        for k, x in enumerate(u):
            kink = x.largest if k <= 1 else np.full_like(x.largest, np.inf)
            out.append(Ball(np.where(sure, x.middle * sign, 0.0), np.where(sure, x.radius, kink)))
        flat = np.zeros_like(u[0].middle)
        return out + [Ball(flat, np.where(sure, 0.0, np.inf))] * (self.order + 1 - len(u) if len(u) > 1 else 0)


def sorted_ends(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The smaller and the larger of each pair."""
    return np.minimum(a, b), np.maximum(a, b)


def _sum(balls: Iterable[Ball]) -> Ball:
    return reduce(add, balls)


def _convolved(out: Jet) -> Ball:
    """The last known coefficient of the square."""
    return _sum(a * b for a, b in zip(out, reversed(out), strict=True))


def _unbounded_unless(sure: NDArray[np.bool_], jet: Jet) -> Jet:
    return [Ball(x.middle, np.where(sure, x.radius, np.inf)) for x in jet]


def _wave(u: Ball, function: Callable[[Floats], Floats]) -> Ball:
    """sin or cos of a ball: its slope is at most 1, and it stays between -1 and 1."""
    middle = function(u.middle)
    low, high = np.maximum(middle - u.radius, -1.0), np.minimum(middle + u.radius, 1.0)
    return Ball.between(low, high)

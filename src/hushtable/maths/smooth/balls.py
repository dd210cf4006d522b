"""Balls: interval arithmetic by middles and radii, for whole boxes of points at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT", "Ball"]

Floats = NDArray[np.float64]
# The radius of single numbers. Compared by `is`: most jets have some, and need a third of the arithmetic there.
EXACT: Floats = np.zeros(())


class Ball:
    """All numbers within `radius` of `middle`, one ball for each box."""

    __slots__ = ("_absolute", "middle", "radius")

    def __init__(self, middle: Floats, radius: Floats) -> None:
        self.middle, self.radius = middle, radius
        self._absolute: Floats | None = None

    def __add__(self, other: Ball) -> Ball:
        middle = self.middle + other.middle
        if self.radius is EXACT or other.radius is EXACT:
            return Ball(middle, other.radius if self.radius is EXACT else self.radius)
        return Ball(middle, self.radius + other.radius)

    def __mul__(self, other: Ball) -> Ball:
        middle = self.middle * other.middle
        if self.radius is EXACT or other.radius is EXACT:
            sure, ball = (self, other) if self.radius is EXACT else (other, self)
            return Ball(middle, EXACT if ball.radius is EXACT else sure.absolute * ball.radius)
        return Ball(middle, self.largest * other.radius + self.radius * other.absolute)

    def scaled(self, factor: float) -> Ball:
        """Times a number."""
        return Ball(self.middle * factor, EXACT if self.radius is EXACT else self.radius * abs(factor))

    @property
    def low(self) -> Floats:
        """Lower ends."""
        return self.middle - self.radius

    @property
    def high(self) -> Floats:
        """Upper ends."""
        return self.middle + self.radius

    @property
    def absolute(self) -> Floats:
        """|middle|, kept because a coefficient is used in many products."""
        if self._absolute is None:
            self._absolute = np.abs(self.middle)
        return self._absolute

    @property
    def largest(self) -> Floats:
        """No number in it is larger in absolute value."""
        return self.absolute if self.radius is EXACT else self.absolute + self.radius

    @classmethod
    def between(cls, low: Floats, high: Floats) -> Ball:
        """The ball with these ends."""
        return cls((low + high) / 2, (high - low) / 2)

    def rising(self, function: Callable[[Floats], Floats]) -> Ball:
        """The values of a function that never falls."""
        return Ball.between(function(self.low), function(self.high))

    def inverse(self) -> Ball:
        """1 / x; without bound where the ball holds 0."""
        low, high = self.low, self.high
        clear = (low > 0) | (high < 0)
        inverse = Ball.between(1 / np.where(clear, high, 1.0), 1 / np.where(clear, low, 1.0))
        return Ball(inverse.middle, np.where(clear, inverse.radius, np.inf))

"""Tally: how many true values the intervals of one kind held, over repeated releases, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LEVELS", "STEP", "WIDENED", "Tally"]

LEVELS = (0.5, 0.95, 0.999)
WIDENED = 0.95
"""A fourth level: 95% intervals divided by this must hold 95%, or else they are too narrow by more than that."""
STEP = 1.02
"""Ratios of error to half-width are counted in bins of 2%."""


@dataclass
class Tally:
    """Sums over intervals, which add up over settings. `variance` is that of each number of hits, between releases."""

    releases: int = 0
    freedom: int = 0
    """Degrees of freedom of `variance`: releases, less one a setting."""
    intervals: int = 0
    unknown: int = 0
    """Answers that are refused, without ends, or averages whose interval is all of the column's range."""
    exact: int = 0
    """Answers that are known without noise, and right; they are no intervals."""
    hits: list[float] = field(default_factory=lambda: [0.0] * 4)
    variance: list[float] = field(default_factory=lambda: [0.0] * 4)
    doubt: float = 0.0
    """Intervals, times how many of them are worth one independent interval."""
    squares: float = 0.0
    """Sum of (error / stderr)^2 ..."""
    judged: int = 0
    """... over so many answers with a standard error."""
    ratios: Counter[int] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        """Both together: settings are independent, so variances add up."""
        return Tally(
            releases=self.releases + other.releases,
            freedom=self.freedom + other.freedom,
            intervals=self.intervals + other.intervals,
            unknown=self.unknown + other.unknown,
            exact=self.exact + other.exact,
            hits=[a + b for a, b in zip(self.hits, other.hits, strict=True)],
            variance=[a + b for a, b in zip(self.variance, other.variance, strict=True)],
            doubt=self.doubt + other.doubt,
            squares=self.squares + other.squares,
            judged=self.judged + other.judged,
            ratios=self.ratios + other.ratios,
        )

    def coverage(self, level: int) -> float:
        """The share of intervals that held the truth."""
        return self.hits[level] / self.intervals if self.intervals else math.nan

    def error(self, level: int) -> float:
        """Monte Carlo standard error of that share."""
        return math.sqrt(self.variance[level]) / self.intervals if self.intervals else math.nan

    def error_below(self, level: int, bar: float) -> float:
        """The same, at least that of as many independent intervals: a few that all missed would look certain."""
        return max(self.error(level), math.sqrt(bar * (1 - bar) / max(self.intervals, 1)))

    def error_above(self, level: int, bar: float) -> float:
        """The same for a share near 1: where nothing missed, releases do not differ and it would look certain.

        So at least the error of as many independent intervals as the 50% intervals show them to be worth.
        """
        return max(self.error(level), math.sqrt(self.doubt * bar * (1 - bar)) / max(self.intervals, 1))

    @property
    def rmse_over_stderr(self) -> float:
        """Root mean square of error / stderr: 1 where the standard error is right and nothing is biased."""
        return math.sqrt(self.squares / self.judged) if self.judged else math.nan

    @property
    def width_over_error(self) -> float:
        """How many times as wide the 95% intervals are as they would have to be to hold just 95%."""
        seen, wanted = 0, 0.95 * self.intervals
        for place in sorted(self.ratios):
            seen += self.ratios[place]
            if seen >= wanted:
                return STEP ** -(place + 0.5)
        return math.nan

    @property
    def share_unknown(self) -> float:
        """Of all answers that are not known exactly."""
        asked = self.intervals + self.unknown
        return self.unknown / asked if asked else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self.__dict__ | {"ratios": {str(place): count for place, count in self.ratios.items()}}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Tally:
        """Reads what `to_dict` wrote."""
        return cls(**(given | {"ratios": Counter({int(place): n for place, n in given["ratios"].items()})}))

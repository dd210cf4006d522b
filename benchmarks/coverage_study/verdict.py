"""Verdicts: whether the intervals of a kind hold what they say, with the chance of the draw allowed for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from scipy.stats import t as student

from .tally import WIDENED, Tally

__all__ = ["FALSE_ALARM", "HIGHEST", "LOWEST", "RARE", "Verdict", "judge"]

LOWEST, HIGHEST, RARE = 0.93, 0.975, 0.995
"""The bars: of 95% intervals at least and at most so many hold, of 99.9% intervals at least so many."""
FALSE_ALARM = 1e-5
"""Chance that a kind that stands just on a bar is said to miss it."""


@dataclass(frozen=True)
class Verdict:
    """`misses` says which bars are missed beyond chance; `outside` whether a figure lies beyond any bar at all."""

    misses: tuple[str, ...]
    outside: bool

    @property
    def word(self) -> str:
        """For a table."""
        return "**misses**" if self.misses else "unclear" if self.outside else "holds"


@cache
def _allowed(freedom: int) -> float:
    """Standard errors that chance is allowed."""
    return float(student.isf(FALSE_ALARM, max(freedom, 1)))


def judge(tally: Tally, *, conservative: bool) -> Verdict | None:
    """None where no interval was seen. Intervals that are wide on purpose have no upper bar."""
    if not tally.intervals:
        return None
    chance = _allowed(tally.freedom)
    inside, rare, widened = tally.coverage(1), tally.coverage(2), tally.coverage(3)
    tests = [
        (LOWEST - inside, tally.error_below(1, LOWEST), f"95% intervals hold {inside:.1%}"),
        (RARE - rare, tally.error_below(2, RARE), f"99.9% intervals hold {rare:.2%}"),
        (0.95 - widened, tally.error_below(3, 0.95), f"95% intervals 1/{WIDENED} times as wide hold {widened:.1%}"),
    ]
    if not conservative:
        tests.append((inside - HIGHEST, tally.error_above(1, HIGHEST), f"95% intervals hold {inside:.1%}"))
    misses = tuple(text for beyond, error, text in tests if beyond > chance * error)
    return Verdict(misses, any(beyond > 0 for beyond, _, _ in tests))

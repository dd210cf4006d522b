"""Tally: how many true values the intervals of one kind held, over repeated releases, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asked import Seen

__all__ = ["BOUNDED", "LEVELS", "WIDENED", "Tally", "tallies"]

Floats = NDArray[np.float64]
LEVELS = (0.5, 0.95, 0.999)
WIDENED = 0.95
"""A fourth level: 95% intervals divided by this must hold 95%, or else they are too narrow by more than that."""
BOUNDED, MATTERS = "bounded", 0.05
"""Answers whose bias bound is above this part of their standard error are called bounded."""
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
    """Answers that say nothing: refused, or wide enough for every possible table."""
    exact: int = 0
    """Answers that are known without noise, and right; they are no intervals."""
    hits: list[float] = field(default_factory=lambda: [0.0] * 4)
    variance: list[float] = field(default_factory=lambda: [0.0] * 4)
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


def tallies(releases: Iterable[list[Seen]]) -> dict[str, Tally]:
    """One tally a kind; each release is one independent trial."""
    parts: dict[str, list[_Release]] = {}
    for seen in releases:
        here: dict[str, _Release] = {}
        for one in seen:
            for kind, among in _kinds(one):
                here.setdefault(kind, _Release()).take(one, among)
        for kind, part in here.items():
            parts.setdefault(kind, []).append(part)
    return {kind: _summed(found) for kind, found in parts.items()}


def _kinds(seen: Seen) -> list[tuple[str, NDArray[np.bool_]]]:
    """The kinds of the answers, and which are of each: those whose bias bound matters are a kind of their own."""
    if seen.answer is None:
        return [(seen.kind, np.ones(1, dtype=bool))]
    bias, stderr = (np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (seen.answer.bias, seen.answer.stderr))
    bounded = bias > MATTERS * stderr
    both = ((seen.kind, ~bounded), (f"{seen.kind}, {BOUNDED}", bounded))
    return [(kind, among) for kind, among in both if among.any()]


class _Release:
    """What one release said, of one kind."""

    def __init__(self) -> None:
        self.tally, self.number = Tally(releases=1), 0

    def take(self, seen: Seen, among: NDArray[np.bool_]) -> None:
        """Counts one answer, or those of a table of answers that are meant."""
        truth = np.atleast_1d(np.asarray(seen.truth, dtype=np.float64))
        if seen.answer is None:
            self.tally.unknown += 1
            return
        value, stderr = (
            np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (seen.answer.value, seen.answer.stderr)
        )
        ends = [tuple(np.atleast_1d(end) for end in seen.answer.interval(level)) for level in LEVELS]
        asked = np.isfinite(truth) & among
        silent = asked & _silent(seen, value, *ends[1])
        sure = asked & ~silent & (ends[1][1] - ends[1][0] <= 0) & np.isclose(value, truth, rtol=1e-9, atol=1e-9)
        kept = asked & ~silent & ~sure
        self.tally.unknown += int(silent.sum())
        self.tally.exact += int(sure.sum())
        self._count(kept, truth, value, stderr, ends)

    def _count(self, kept: NDArray[np.bool_], truth: Floats, value: Floats, stderr: Floats, ends: list[Any]) -> None:
        tally = self.tally
        tally.intervals += int(kept.sum())
        for level, (low, high) in enumerate(ends):
            tally.hits[level] += float(((low <= truth) & (truth <= high))[kept].sum())
        ratio = _ratio(truth, value, *ends[1])[kept]
        tally.hits[3] += float((ratio <= 1 / WIDENED).sum())
        places = np.floor(np.log(np.clip(ratio, 1e-4, 1e4)) / math.log(STEP)).astype(int)
        tally.ratios.update(Counter(places.tolist()))
        noisy = kept & (stderr > 0)
        tally.judged += int(noisy.sum())
        tally.squares += float((((value - truth)[noisy] / stderr[noisy]) ** 2).sum())


def _silent(seen: Seen, value: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Which answers say nothing: no number, no ends, or a bound that leaves every possible answer.

    An interval made wide by noise alone is a statement: it fails as often as it says, and leaving it out would only
    leave the failures. So, except for averages, the bias bound must span nearly everything.
    """
    assert seen.answer is not None
    nothing = ~(np.isfinite(value) & np.isfinite(low) & np.isfinite(high))
    if seen.span is None:
        return nothing
    least, most = seen.span
    whole = (low <= least) & (high >= most)
    bias = np.atleast_1d(np.asarray(seen.answer.bias, dtype=np.float64))
    vain = 2 * bias >= 0.9 * (most - least)
    return nothing | (whole & (vain | (seen.answer.unit == "mean")))


def _ratio(truth: Floats, value: Floats, low: Floats, high: Floats) -> Floats:
    """The error over the width of the interval on its side: at most 1 where the truth is inside."""
    side = np.where(truth >= value, high - value, value - low)
    with np.errstate(all="ignore"):
        ratio = np.abs(truth - value) / side
    # A value at the end of its interval has no width on that side; whether it holds is a matter of its ends.
    inside = (low <= truth) & (truth <= high)
    return np.where(side > 0, ratio, np.where(inside, 0.0, np.inf))


def _summed(releases: list[_Release]) -> Tally:
    """The sum over releases, with the variance of its hits from the differences between them."""
    total = Tally()
    for one in releases:
        total = total + one.tally
    sizes = np.array([one.tally.intervals for one in releases], dtype=np.float64)
    total.freedom = int((sizes > 0).sum()) - 1
    if sizes.sum() == 0:
        total.freedom = 0
        return total
    between = [_between(sizes, np.array([one.tally.hits[level] for one in releases])) for level in range(4)]
    worth = _worth(sizes, total.coverage(0), between[0])
    total.variance = [
        max(seen, worth * total.intervals * bar * (1 - bar)) for seen, bar in zip(between, (*LEVELS, 0.95), strict=True)
    ]
    return total


def _between(sizes: Floats, hits: Floats) -> float:
    """Variance of the sum of hits, with releases as the independent trials, whatever goes on inside one."""
    many, share = len(sizes), hits.sum() / sizes.sum()
    return float(((hits - share * sizes) ** 2).sum() * many / (many - 1)) if many > 1 else float(sizes.sum() ** 2)


def _worth(sizes: Floats, half: float, between: float) -> float:
    """How many intervals are worth one independent interval, at least 1.

    Told from the 50% intervals, because hardly any 99.9% interval misses: where none did, the differences between
    releases are 0, and the share would look certain. Where all 50% intervals hold too, a release counts as one.
    """
    most = float((sizes**2).sum() / sizes.sum())
    if not 0.02 < half < 0.98:
        return max(most, 1.0)
    return min(max(between / (sizes.sum() * half * (1 - half)), 1.0), max(most, 1.0))

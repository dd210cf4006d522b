"""Counting: from the answers of repeated releases to one tally a kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asked import Seen, Span
from .tally import LEVELS, STEP, WIDENED, Tally

__all__ = ["BOUNDED", "CALIBRATED", "SELDOM", "SILENT", "tallies"]

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
BOUNDED, MATTERS = "bounded", 0.05
"""Answers whose bias bound is above this part of their standard error are called bounded."""
CALIBRATED = "calibrated"
"""Answers whose bar was measured, for questions of their kind together."""
SILENT, VAIN = "says nothing", 0.5
"""Answers whose bias bound leaves this part of all possible answers, or more."""
SELDOM, OFTEN = "seldom shown", 0.05
"""Answers to questions that are unknown in more than this part of the releases: those that are shown are a choice."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Answers one below the other, those of a table on as many lines; `release` numbers the release of each."""

    release: NDArray[np.int64]
    truth: Floats
    value: Floats
    stderr: Floats
    bias: Floats
    low: Floats
    """One column a level."""
    high: Floats
    usual: Marks
    """Whether its bar is that of a usual question."""
    told: Marks
    """Whether it says anything: an average whose interval is all of its column's range does not."""

    def only(self, among: Marks) -> Lines:
        """Some of them."""
        return Lines(**{name: column[among] for name, column in self.__dict__.items()})


def tallies(releases: Iterable[list[Seen]]) -> dict[str, Tally]:
    """One tally a kind; each release is one independent trial."""
    questions: dict[tuple[str, int], list[tuple[int, Seen]]] = {}
    for number, release in enumerate(releases):
        for seen in release:
            questions.setdefault((seen.kind, seen.question), []).append((number, seen))
    kinds: dict[str, list[Lines]] = {}
    refused: Counter[str] = Counter()
    for (kind, _), answers in questions.items():
        given = [(number, seen) for number, seen in answers if seen.answer is not None]
        silence = 1 - len(given) / len(answers)
        sorts = _sorted(_lines(given), answers[0][1].span, silence) if given else {f", {SELDOM}": None}
        refused[kind + next(iter(sorts))] += len(answers) - len(given)
        for name, lines in sorts.items():
            kinds.setdefault(kind + name, []).extend([] if lines is None else [lines])
    found = {kind: _tally(parts, refused[kind]) for kind, parts in kinds.items()}
    return {kind: tally for kind, tally in found.items() if tally.intervals + tally.unknown + tally.exact}


def _lines(given: Sequence[tuple[int, Seen]]) -> Lines:
    """All answers to one question."""
    answers: list[Any] = [seen.answer for _, seen in given]
    value, stderr, bias = (_joined(getattr(one, name) for one in answers) for name in ("value", "stderr", "bias"))
    low, high = (
        np.stack([_joined(seen.ends[level][side] for _, seen in given) for level in range(len(LEVELS))], axis=1)
        for side in (0, 1)
    )
    sizes = [np.size(one.value) for one in answers]
    told = np.isfinite(value) & np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    span = given[0][1].span
    if span is not None and answers[0].unit != "count":
        told &= ~(np.isclose(low[:, 1], span[0]) & np.isclose(high[:, 1], span[1]))
    return Lines(
        release=np.repeat([number for number, _ in given], sizes),
        truth=_joined(np.broadcast_to(seen.truth, size) for (_, seen), size in zip(given, sizes, strict=True)),
        value=value, stderr=stderr, bias=bias, low=low, high=high, told=told,
        usual=np.repeat([CALIBRATED in (one.estimator, getattr(one, "bias_kind", None)) for one in answers], sizes),
    )  # fmt: skip


def _joined(parts: Iterable[Any]) -> Floats:
    return np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in parts])


def _sorted(lines: Lines, span: Span, refused: float) -> dict[str, Lines | None]:
    """The lines that are plain, bounded by a bias that matters, calibrated, seldom shown, and that say nothing.

    Told from all releases together: sorted by its own bound, which may be noisy itself, an answer would be put with
    the others that failed in the same way. Where all answers are tables of the same cells, each cell on its own.
    """
    if not len(lines.value):
        return {"": lines}
    sizes = np.unique(lines.release, return_counts=True)[1]
    cells = int(sizes[0]) if len(set(sizes.tolist())) == 1 else 1
    bias, stderr = (_median(column.reshape(-1, cells)) for column in (lines.bias, lines.stderr))
    silent = 2 * bias >= VAIN * (math.inf if span is None else span[1] - span[0])
    unknown = refused + (1 - refused) * (~lines.told).reshape(-1, cells).mean(axis=0)
    seldom = ~silent & (unknown > OFTEN)
    bounded = ~silent & ~seldom & (bias > MATTERS * stderr)
    usual = ~silent & ~seldom & ~bounded & (lines.usual.reshape(-1, cells).mean(axis=0) > OFTEN)
    plain = ~silent & ~seldom & ~bounded & ~usual
    sorts = {"": plain, f", {BOUNDED}": bounded, f", {CALIBRATED}": usual}
    sorts |= {f", {SELDOM}": seldom, f", {SILENT}": silent}
    many = len(lines.value) // cells
    return {name: lines.only(np.tile(among, many)) for name, among in sorts.items() if among.any()}


def _median(table: Floats) -> Floats:
    """Of each column, of its finite entries; 0 where there are none."""
    found, known = np.zeros(table.shape[1]), np.isfinite(table).any(axis=0)
    found[known] = np.nanmedian(table[:, known], axis=0)
    return found


def _tally(parts: list[Lines], refused: int) -> Tally:
    """What one kind came to. Truths that are no number (the average of no rows) are left out."""
    if not parts:
        return Tally(unknown=refused)
    lines = Lines(**{name: np.concatenate([getattr(p, name) for p in parts]) for name in parts[0].__dict__})
    lines = lines.only(np.isfinite(lines.truth))
    sure = (lines.high[:, 1] <= lines.low[:, 1]) & np.isclose(lines.value, lines.truth, rtol=1e-9, atol=1e-9)
    unknown, exact = refused + int((~lines.told).sum()), int((lines.told & sure).sum())
    releases = len(np.unique(lines.release))
    lines = lines.only(lines.told & ~sure)
    hits, ratio = _hits(lines)
    places = np.floor(np.log(np.clip(ratio, 1e-4, 1e4)) / math.log(STEP)).astype(int)
    noisy = lines.stderr > 0
    errors = (lines.value - lines.truth)[noisy] / lines.stderr[noisy]
    variance, doubt = _variances(lines.release, hits)
    return Tally(
        releases=releases, freedom=max(len(np.unique(lines.release)) - 1, 0), intervals=len(lines.value),
        unknown=unknown, exact=exact, hits=hits.sum(axis=0).tolist(), variance=variance, doubt=doubt,
        squares=float((errors**2).sum()), judged=int(noisy.sum()), ratios=Counter(places.tolist()),
    )  # fmt: skip


def _hits(lines: Lines) -> tuple[Floats, Floats]:
    """Which intervals hold the truth, a column a level and one of widened ones; and error over half-width.

    The half-width is that of the truth's side; an end that is the truth but for the rounding of floats holds it.
    """
    slack = 1e-9 * np.maximum(np.abs(lines.truth), 1e-3)[:, None]
    inside = (lines.low - slack <= lines.truth[:, None]) & (lines.truth[:, None] <= lines.high + slack)
    above = lines.truth >= lines.value
    side = np.where(above, lines.high[:, 1] - lines.value, lines.value - lines.low[:, 1])
    with np.errstate(all="ignore"):
        ratio = np.where(side > 0, np.abs(lines.truth - lines.value) / side, np.where(inside[:, 1], 0.0, np.inf))
    return np.column_stack([inside, inside[:, 1] | (ratio <= 1 / WIDENED)]).astype(np.float64), ratio


def _variances(release: NDArray[np.int64], hits: Floats) -> tuple[list[float], float]:
    """Variance of each sum of hits, with releases as the independent trials; and how much doubt full hits leave."""
    if not len(release):
        return [0.0] * 4, 0.0
    _, place = np.unique(release, return_inverse=True)
    sizes = np.bincount(place).astype(np.float64)
    between = [_between(sizes, np.bincount(place, weights=column).astype(np.float64)) for column in hits.T]
    worth = _worth(sizes, float(hits[:, 0].mean()), between[0])
    return between, worth * len(release)


def _between(sizes: Floats, hits: Floats) -> float:
    many, share = len(sizes), hits.sum() / sizes.sum()
    return float(((hits - share * sizes) ** 2).sum() * many / (many - 1)) if many > 1 else float(sizes.sum() ** 2)


def _worth(sizes: Floats, half: float, between: float) -> float:
    """How many intervals are worth one independent one; a whole release where all 50% intervals hold, or none."""
    most = float((sizes**2).sum() / sizes.sum())
    if not 0.02 < half < 0.98:
        return most
    return min(max(between / (sizes.sum() * half * (1 - half)), 1.0), most)

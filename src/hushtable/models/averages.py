"""Averages: the mean of an attribute in every group of a question, from released numbers with known noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute
from ..laws import Law
from ..maths.interactions.noisy_table import Moments
from ..questions.answer import Answer, CrossTab, interval_factor
from ..questions.parse import Question
from .build_answer import Estimates, Wording, build_answer, group_labels
from .quotients import PLACES, Averages, Quotients

__all__ = ["IN_BINS", "Around", "LinearSums", "Spans", "averages", "mean_answer"]

Floats = NDArray[np.float64]
IN_BINS = "{} was released in bins: the bias bound says how far values inside may move it"
BINS_PART = "{} was released in bins, in which values may lie anywhere: {} of the bar is theirs"
# Above it a bar is made of bins rather than of noise, and only an exact sum helps.
MOSTLY_BINS = 0.5
TOO_SMALL = "a group that is too small to tell from 0 has an unknown average; its interval is all there can be"


class LinearSums(Protocol):
    """Released numbers: sums over rows of a function of the codes, with their noise."""

    def coefficients(self, function: Floats) -> Floats:
        """What stands for a function of the codes; linear in it."""

    def moments(self, coefficients: Floats) -> Moments:
        """The sum over rows of what these coefficients stand for."""


@dataclass(frozen=True, eq=False)
class Spans:
    """For every group of a question: which rows have a value, and between which ends the values lie."""

    inside: list[Floats]
    """1 where a combination of codes belongs to the group and has a value."""
    low: Floats
    """Lower end of the values of every code, along the axis of the attribute."""
    high: Floats
    least: Floats
    """The smallest value that a row of the group may have; nan where none has a value."""
    most: Floats

    @classmethod
    def of(cls, attribute: Attribute, question: Question, where: Floats) -> Spans:
        """The groups of a question about an attribute; `where` has an axis for each of its positions."""
        assert question.average is not None
        shape = [1] * where.ndim
        shape[question.positions.index(question.average)] = attribute.size
        middle, half, has = (column.reshape(shape) for column in question.measure.levels(attribute))
        low, high, inside, ends = middle - half, middle + half, [], []
        for cell in np.ndindex(*where.shape[: len(question.groups)]):
            kept = np.zeros_like(where)
            kept[cell] = where[cell]
            inside.append(kept * has)
            here = inside[-1] > 0
            lows, highs = (np.broadcast_to(part, where.shape)[here] for part in (low, high))
            ends.append((lows.min(), highs.max()) if len(lows) else (np.nan, np.nan))
        least, most = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        return cls(inside, low, high, least, most)


def averages(numbers: LinearSums, spans: Spans) -> Averages:
    """The averages of all groups. Values are scaled by what there can be in the group, to 0 and 1."""
    lower = _quotients(numbers, spans, spans.low)
    upper = lower if np.array_equal(spans.low, spans.high) else _quotients(numbers, spans, spans.high)
    return Averages.of(lower, upper, spans.least, spans.most)


def _quotients(numbers: LinearSums, spans: Spans, values: Floats) -> Quotients:
    """The sums of scaled values over the numbers of rows."""
    moments = []
    for inside, least, most in zip(spans.inside, spans.least, spans.most, strict=True):
        scaled = (values - least) / (most - least) if most > least else np.zeros_like(values)
        top, below = numbers.coefficients(inside * scaled), numbers.coefficients(inside)
        moments.append([numbers.moments(top - m * below) for m in PLACES])
    value, variance, fourth = (
        np.array([[float(getattr(moment, name)) for moment in cell] for cell in moments]).reshape(-1, len(PLACES)).T
        for name in ("value", "variance", "fourth")
    )
    return Quotients.from_noise(value, variance, fourth)


@dataclass(frozen=True, eq=False, kw_only=True)
class Around:
    """Limits of averages around a model's own: how far the model may be off, over the share of rows in the group.

    Where a sum of (value - average) over the group is wrong by at most `bias` (as a fraction of the rows, up to noise
    of `stderr`), and the share of the group by at most `short`, the average is wrong by at most bias / (share - short).
    """

    least: Floats
    """What there can be in the group, as in Spans."""
    most: Floats
    value: Floats
    """The model's averages; nan where the group may be empty."""
    within: Floats
    """How far values inside their bins may move them."""
    share: Floats
    bias: Floats
    stderr: Floats
    short: Floats
    short_stderr: Floats

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of the intervals, inside what there can be."""
        z = interval_factor(confidence)
        with np.errstate(all="ignore"):
            room = self.share - self.short - z * self.short_stderr
            half = self.within + np.where(room > 0, (self.bias + z * self.stderr) / room, np.inf)
        # Nothing is said of a value without a bound; of one that is not known, only what there can be.
        half = np.where(np.isnan(self.value), np.inf, half)
        value = np.where(np.isnan(self.value), self.least, self.value)
        return np.maximum(value - half, self.least), np.minimum(value + half, self.most)

    def estimates(self) -> Estimates:
        """The values with their errors and limits."""
        stderr, bias, kurtosis = self.errors()
        return Estimates(value=self.value, stderr=stderr, bias=bias, kurtosis=kurtosis, limits=self)

    def errors(self) -> tuple[Floats, Floats, Floats]:
        """Standard error, bias bound and kurtosis of the values."""
        unknown = np.where(np.isnan(self.value), np.nan, 1.0)
        with np.errstate(all="ignore"):
            room = (self.share - self.short) * unknown
            return self.stderr / room, self.within + self.bias / room, np.zeros_like(room) * unknown


def bins_note(attribute: Attribute, means: Estimates, within: Floats) -> str:
    """What part of the bars is that of the bins, and not of noise."""
    if means.limits is None:
        return IN_BINS.format(attribute.name)
    low, high = means.limits(0.95)
    half = np.atleast_1d(np.asarray(high - low)) / 2
    with np.errstate(all="ignore"):
        parts = np.minimum(np.atleast_1d(within) / half, 1.0)
    known = parts[np.isfinite(parts)]
    if not known.size:
        return IN_BINS.format(attribute.name)
    part = float(np.median(known))
    advice = f"; more edges, or means: [{attribute.name}] in the domain, would narrow it" if part > MOSTLY_BINS else ""
    told = f"{part:.0%}" if known.size > 1 else f"± {float(f'{part * half[np.isfinite(parts)][0]:.2g}'):g}"
    return BINS_PART.format(attribute.name, told) + advice


def mean_answer(
    domain: Domain, question: Question, means: Estimates, *, law: Law, estimator: str = "exact",
    notes: tuple[str, ...] = (), unbiased: Answer | CrossTab | None = None, within: Floats | None = None,
) -> Answer | CrossTab:  # fmt: skip
    """The averages of all groups as an answer, with the notes that every model gives.

    `within` is how far values inside their bins may move each average, where that is not all of the bias.
    """
    assert question.average is not None
    attribute = domain.closed[question.average]
    if question.measure.levels(attribute).half.any():
        bins = np.asarray(means.bias if within is None else within, dtype=np.float64)
        notes = (*notes, bins_note(attribute, means, bins))
    if np.isnan(means.value).any():
        notes = (*notes, TOO_SMALL)
    groups = group_labels(domain, question.groups)
    wording = Wording(question=question.text, unit="mean", law=law, groups=groups, estimator=estimator, notes=notes)
    return build_answer(wording, means, unbiased=unbiased)

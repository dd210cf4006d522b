"""Averages of a weighted model: its own, with limits from a measured table or from what certifies it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..hypothesis.measured import Measured
from ..interactions import Law
from ..questions.answer import Answer, CrossTab
from ..questions.parse import Question
from ..questions.quotients import SURELY
from .averages import Around, Spans, averages, mean_answer
from .frame import Moments
from .weighted_answers import basis_notes
from .weighted_bars import Bar, bar

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["weighted_means"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Table:
    """A measured table as released numbers about some of its attributes."""

    item: Measured
    law: Law
    positions: tuple[int, ...]
    sizes: tuple[int, ...]

    @cached_property
    def _summed(self) -> int:
        """How many of its cells make one cell of the attributes asked for."""
        return prod(self.sizes[p] for p in self.item.positions if p not in self.positions)

    @property
    def variance(self) -> float:
        """Of the noise of a cell."""
        return self._summed * self.item.variance(self.law)

    @cached_property
    def counts(self) -> Floats:
        """The measured cells, in the order of the attributes asked for."""
        table = self.item.values.reshape([self.sizes[p] for p in self.item.positions]).astype(np.float64)
        kept = [p for p in self.item.positions if p in self.positions]
        summed = table.sum(axis=tuple(i for i, p in enumerate(self.item.positions) if p not in kept))
        return np.asarray(summed).transpose([kept.index(p) for p in self.positions])

    def coefficients(self, function: Floats) -> Floats:
        """See Linear."""
        return function

    def moments(self, coefficients: Floats) -> Moments:
        """See Linear."""
        # A Laplace noise of variance v has fourth cumulant 3 v^2; each cell sums some.
        fourth = 3 * self.variance**2 / self._summed if self.law == "laplace" else 0.0
        return Moments(
            (coefficients * self.counts).sum(),
            self.variance * (coefficients**2).sum(),
            fourth * (coefficients**4).sum(),
        )


def weighted_means(model: WeightedModel, question: Question, table: Floats, where: Floats) -> Answer | CrossTab:
    """Mean of an attribute; the limits are those of the measured table that tells most, or else of the certificate."""
    assert question.average is not None
    positions, sizes = question.positions, model.domain.sizes
    spans = Spans.of(model.domain.closed[question.average], question, where)
    holding = [
        _Table(item, model.law, positions, sizes)
        for item in model.measured
        if item.function is None and set(positions) <= set(item.positions)
    ]
    share = np.array([(table * inside).sum() for inside in spans.inside])
    with np.errstate(all="ignore"):
        low, high = (
            np.array([(table * inside * ends).sum() for inside in spans.inside]) / share
            for ends in (spans.low, spans.high)
        )
    value, within = (low + high) / 2, (high - low) / 2
    if not holding:
        found, bars = _around(model, question, spans, share, value, within)
        return mean_answer(model.domain, question, found.value, *found.errors(), law=model.law, limits=found,
                           estimator="model", notes=tuple(basis_notes(model, bars, 1.0)))  # fmt: skip
    # By the noise, which is public: to choose by what was measured would favour lucky tables.
    measured = averages(min(holding, key=lambda one: one.variance), spans)
    stderr, bias, kurtosis = measured.errors()
    shown = replace(measured, value=np.where(np.isnan(measured.value), np.nan, value))
    return mean_answer(model.domain, question, shown.value, stderr, bias + np.abs(value - measured.value), kurtosis,
                       law=model.law, limits=shown, estimator="model",
                       notes=("measured; the bias is how far the model moved it",))  # fmt: skip


def _around(
    model: WeightedModel, question: Question, spans: Spans, share: Floats, value: Floats, within: Floats
) -> tuple[Around, list[Bar]]:
    """Limits from what certifies the model's own sums of (value - average) and its share of the group."""
    sums, shares = [], []
    for i, inside in enumerate(spans.inside):
        if not share[i] > 0:
            sums.append(Bar(np.nan, np.nan, "guessed"))
            shares.append(sums[-1])
            continue
        ends = [
            bar(model, question.positions, (values - value[i] - move) * inside, 0.0)
            for values, move in ((spans.low, -within[i]), (spans.high, within[i]))
        ]
        sums.append(max(ends, key=lambda one: one.reach))
        shares.append(bar(model, question.positions, inside, float(share[i])))
    bias, stderr = (np.array([getattr(one, name) for one in sums]) for name in ("bias", "stderr"))
    short, noise = (np.array([getattr(one, name) for one in shares]) for name in ("bias", "stderr"))
    value = np.where(share > short + SURELY * noise, value, np.nan)
    return Around(least=spans.least, most=spans.most, value=value, within=within, share=share, bias=bias,
                  stderr=stderr, short=short, short_stderr=noise), sums  # fmt: skip

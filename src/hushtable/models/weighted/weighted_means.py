"""Averages of a weighted model: its own, with limits from measured tables or from what certifies it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.distribution.kind_ratios import KURTOSIS
from ...maths.interactions.noisy_table import Moments
from ...questions.answer import Answer, CrossTab
from ...questions.measure import levels
from ...questions.parse import Question
from ..averages import Around, Spans, averages, mean_answer
from ..build_answer import Estimates
from ..limits import WithinRange
from ..quotients import MIN_SIGMAS
from .calibrated_answers import basis_notes
from .calibrated_bars import CalibratedBars
from .error_bars import ErrorBar, bar
from .pooled_tables import JointTable, PooledTables

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["weighted_means"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Measured:
    """What the measured tables say together about some attributes, as released numbers."""

    tables: PooledTables
    table: JointTable

    def coefficients(self, function: Floats) -> Floats:
        return function

    def moments(self, coefficients: Floats) -> Moments:
        """A multiple of the number of rows, and a contrast of the cells."""
        lean = float(coefficients.mean())
        contrast = coefficients - lean
        noise = self.tables.noise(lean, self.table, contrast)
        value = lean * self.tables.rows + float((contrast * self.table.cells).sum())
        return Moments(np.array(value), np.array(noise.variance), np.array(noise.fourth))


def weighted_means(model: WeightedModel, question: Question, table: Floats, where: Floats) -> Answer | CrossTab:
    """Mean of an attribute; its limits are those of the measured tables that tell it, or else of the certificate."""
    assert question.average is not None
    spans = Spans.of(model.domain.closed[question.average], question, where)
    pooled = model.pooled.table(question.positions)
    share = np.array([(table * inside).sum() for inside in spans.inside])
    with np.errstate(all="ignore"):
        low, high = (
            np.array([(table * inside * ends).sum() for inside in spans.inside]) / share
            for ends in (spans.low, spans.high)
        )
    value, within = (low + high) / 2, (high - low) / 2
    if pooled is None and model.calibration is not None:
        return _calibrated(CalibratedBars(model, model.calibration, question), spans, table, share, value, within)
    if pooled is None:
        around, bars = _around(model, question, spans, share, value, within)
        return mean_answer(model.domain, question, around.estimates(), law=model.law, estimator="model",
                           notes=tuple(basis_notes(model, bars, 1.0)), within=within)  # fmt: skip
    measured = averages(_Measured(model.pooled, pooled), spans)
    stderr, bias, kurtosis = measured.errors()
    shown = replace(measured, value=np.where(np.isnan(measured.value), np.nan, value))
    means = Estimates(value=shown.value, stderr=stderr, bias=bias + np.abs(value - measured.value),
                      kurtosis=kurtosis, limits=shown)  # fmt: skip
    return mean_answer(model.domain, question, means, law=model.law, estimator="model",
                       notes=("measured; the bias is how far the model moved it",), within=within)  # fmt: skip


def _calibrated(
    bars: CalibratedBars, spans: Spans, table: Floats, share: Floats, value: Floats, within: Floats
) -> Answer | CrossTab:
    """With the bar of a usual question; unknown for groups that may be empty."""
    model, question = bars.model, bars.question
    assert question.average is not None
    middle, _, has = levels(model.domain.closed[question.average])
    square = [(table * inside * ((spans.low + spans.high) / 2) ** 2).sum() for inside in spans.inside]
    stderr = bars.averages(value * share, np.array(square), share, has, middle)
    with np.errstate(all="ignore"):
        known = (share > MIN_SIGMAS * bars.fractions(share)) & np.isfinite(stderr)
    unknown = np.where(known, 1.0, np.nan)
    limits = WithinRange(value * unknown, within, stderr * unknown, spans.least, spans.most)
    means = Estimates(value=limits.value, stderr=limits.stderr, bias=within * unknown, kurtosis=KURTOSIS, limits=limits)
    return mean_answer(model.domain, question, means, law=model.law, estimator="calibrated", notes=bars.notes())


def _around(
    model: WeightedModel, question: Question, spans: Spans, share: Floats, value: Floats, within: Floats
) -> tuple[Around, list[ErrorBar]]:
    """Limits from what certifies the model's own sums of (value - average) and its share of the group."""
    sums, shares = [], []
    for i, inside in enumerate(spans.inside):
        if not share[i] > 0:
            sums.append(ErrorBar(np.nan, np.nan, "guessed"))
            shares.append(sums[-1])
            continue
        ends = [
            bar(model, question.positions, (values - value[i] - move) * inside, 0.0)
            for values, move in ((spans.low, -within[i]), (spans.high, within[i]))
        ]
        sums.append(max(ends, key=lambda each: each.half_width))
        shares.append(bar(model, question.positions, inside, float(share[i])))
    bias, stderr = (np.array([getattr(each, name) for each in sums]) for name in ("bias", "stderr"))
    short, noise = (np.array([getattr(each, name) for each in shares]) for name in ("bias", "stderr"))
    value = np.where(share > short + MIN_SIGMAS * noise, value, np.nan)
    return Around(least=spans.least, most=spans.most, value=value, within=within, share=share, bias=bias,
                  stderr=stderr, short=short, short_stderr=noise), sums  # fmt: skip

"""Answers of a weighted model: sums over its distribution, each with the bar it can defend."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...questions.answer import Answer, CrossTab
from ...questions.answer_forms import UNKNOWN
from ...questions.parse import Question
from ...words import readable
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of
from .calibrated_answers import basis_notes, calibrated_answer
from .calibrated_bars import CalibratedBars
from .error_bars import ErrorBar, bar, guess

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["weighted_answer"]

Floats = NDArray[np.float64]
# A joint table up to this many cells is summed exactly; beyond, so many rows are drawn from the model.
MOST_CELLS, DRAWN = 1 << 22, 1 << 18
ESTIMATOR = "model"


def weighted_answer(model: WeightedModel, question: Question, *, count: bool) -> Answer | CrossTab:
    """The answer to a question, or one for every combination of its groups."""
    positions, sizes = question.positions, model.domain.sizes
    if prod(sizes[p] for p in positions) > MOST_CELLS:
        return _by_drawing(model, question, count=count)
    shape = [sizes[p] for p in positions]
    where = question.where.table(positions, shape) if question.where else np.ones(shape)
    table = model.distribution.table(positions)
    if question.kind == "mean":
        from .weighted_means import weighted_means

        return weighted_means(model, question, table, where)
    axes = len(question.groups)
    values, bars = [], []
    for cell in product(*(range(s) for s in shape[:axes])):
        inside = np.zeros(shape)
        inside[cell] = where[cell]
        values.append(float((table * inside).sum()))
        bars.append(bar(model, positions, inside, values[-1], count=count))
    return _answer(model, question, values, bars, count=count)


def _by_drawing(model: WeightedModel, question: Question, *, count: bool) -> Answer | CrossTab:
    """A question about too many attributes for one table: answered from rows drawn from the model, always the same."""
    if question.kind == "mean" or question.groups or question.where is None:
        raise BadQuestion(
            f"{len(question.positions)} attributes make a table of more than {MOST_CELLS:,} cells; "
            "ask for a count without GROUP BY, or about fewer attributes"
        )
    codes = model.draw(DRAWN, np.random.default_rng(0))
    value = float(question.where.on_rows(codes)[0].mean())
    sampling = float(np.sqrt(max(value * (1 - value), 1 / DRAWN) / DRAWN))
    whole = guess(model, 0.0, 1.0, value, count=count, sampling=sampling)
    note = f"summed over {DRAWN:,} rows drawn from the model: that alone errs by {readable(float(f'{sampling:.1g}'))}"
    return _answer(model, question, [value], [whole], count=count, notes=(note,))


def _answer(
    model: WeightedModel, question: Question, values: list[float], bars: list[ErrorBar], *, count: bool,
    notes: tuple[str, ...] = (),
) -> Answer | CrossTab:  # fmt: skip
    """From fractions and their bars, one of each a group."""
    rows = model.pooled.rows if count else 1.0
    wording = Wording(
        question=question.text, unit=unit_of(count=count), law=model.law,
        groups=group_labels(model.domain, question.groups), estimator=ESTIMATOR,
    )  # fmt: skip
    surely = Estimates(
        value=np.array(values),
        stderr=np.array([each.stderr for each in bars]),
        bias=np.array([each.bias for each in bars]),
        kurtosis=np.array([each.kurtosis for each in bars]),
    ).in_rows(rows)
    if model.calibration is not None:
        usual = CalibratedBars(model, model.calibration, question)
        answer = calibrated_answer(usual, replace(wording, notes=notes), surely, bars, count=count)
        if answer is not None:
            return answer
    named = UNKNOWN if all(each.basis == "guessed" for each in bars) else ESTIMATOR
    notes = (*notes, *basis_notes(model, bars, rows))
    return build_answer(replace(wording, notes=notes, estimator=named), surely)

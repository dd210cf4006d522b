"""Answers of a weighted model: sums over its distribution, each with the bar it can defend."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import AnswerUnit
from ..questions.parse import Question
from ..words import readable
from .weighted_bars import ErrorBar, bar, guess

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["basis_notes", "weighted_answer"]

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
    table = model.hypothesis.table(positions)
    if question.kind == "mean":
        from .weighted_means import weighted_means

        return weighted_means(model, question, table, where)
    scale = model.together.rows if count else 1.0
    axes = len(question.groups)
    found = []
    for cell in product(*(range(s) for s in shape[:axes])):
        inside = np.zeros(shape)
        inside[cell] = where[cell]
        value = float((table * inside).sum())
        found.append((scale * value, bar(model, positions, inside, value, count=count)))
    return _wrapped(model, question, "count" if count else "fraction", found, scale, ())


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
    scale = model.together.rows if count else 1.0
    found = [(scale * value, guess(model, 0.0, 1.0, value, count=count, sampling=sampling))]
    note = f"summed over {DRAWN:,} rows drawn from the model: that alone errs by {readable(float(f'{sampling:.1g}'))}"
    return _wrapped(model, question, "count" if count else "fraction", found, scale, (note,))


def _wrapped(
    model: WeightedModel,
    question: Question,
    unit: str,
    found: list[tuple[float, ErrorBar]],
    scale: float,
    notes: tuple[str, ...],
) -> Answer | CrossTab:
    notes = (*notes, *basis_notes(model, [one for _, one in found], scale))
    if not question.groups:
        value, one = found[0]
        return Answer(question=question.text, unit=cast(AnswerUnit, unit), value=value, stderr=scale * one.stderr,
                      bias=scale * one.bias, kurtosis=one.kurtosis, estimator=ESTIMATOR, notes=notes)  # fmt: skip
    attributes = [model.domain.closed[p] for p in question.groups]
    cells = list(product(*(range(a.size) for a in attributes)))
    labels = {a.name: tuple(a.labels[cell[i]] for cell in cells) for i, a in enumerate(attributes)}
    return CrossTab(question=question.text, unit=cast(AnswerUnit, unit), groups=labels,
                    value=np.array([value for value, _ in found]),
                    stderr=scale * np.array([one.stderr for _, one in found]),
                    bias=scale * np.array([one.bias for _, one in found]),
                    kurtosis=np.array([one.kurtosis for _, one in found]), law=model.law,
                    estimator=ESTIMATOR, notes=notes)  # fmt: skip


def basis_notes(model: WeightedModel, bars: list[ErrorBar], scale: float) -> list[str]:
    """What the error bars rest on."""
    notes = []
    kinds = {one.basis for one in bars}
    if "measured" in kinds:
        first = next(one for one in bars if one.basis == "measured")
        unbiased = f": unbiased value {scale * (first.direct or 0):.6g}" if len(bars) == 1 and first.direct else ""
        notes.append(f"measured{unbiased}; the bias is how far the model moved it")
    if "certified" in kinds and model.certificate is not None:
        notes.append(
            f"not measured; the bias bound holds with probability {model.certificate.confidence:g}, by the last choice"
        )
    if "guessed" in kinds:
        notes.append("nothing certifies this answer: it is what the fitted distribution says")
    return notes

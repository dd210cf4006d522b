"""Wide answers: questions about more attributes than were measured together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..domain.predicate import Event, Predicate, conjunction
from ..errors import BadQuestion
from ..maths.wide.general import assisted_general, certified_general
from ..maths.wide.shape import Symmetric, shape_of
from ..maths.wide.symmetric import Bits, Estimate, assisted, certified, published, sets_of
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import AnswerUnit
from ..questions.parse import Question

if TYPE_CHECKING:
    from .low_order import LowOrderModel

__all__ = ["WideEstimate", "wide_answer", "wide_estimate"]

Floats = NDArray[np.float64]
Z = 1.96
MOST_CELLS = 500


@dataclass(frozen=True)
class WideEstimate:
    """The best guess, and the certified estimate beside it."""

    guess: Estimate
    bound: Estimate

    @property
    def value(self) -> float:
        """The guess, moved into what is certified (widened by 3 standard errors) and into [0, 1]."""
        reach = self.bound.bias + 3 * self.bound.stderr
        inside = min(max(self.guess.value, self.bound.value - reach), self.bound.value + reach)
        return min(max(inside, 0.0), 1.0)

    @property
    def bias(self) -> float:
        """A certified bound on the distance of the value from what it would be without noise and bias."""
        return self.bound.bias + abs(self.value - self.bound.value)


def wide_answer(model: LowOrderModel, question: Question, *, count: bool) -> Answer | CrossTab:
    """The answer to a count question, or to one for every combination of its groups."""
    scale, unit = (model.total, "count") if count else (1.0, "fraction")
    if not question.groups:
        assert question.where is not None
        estimate = wide_estimate(model, question.where)
        return Answer(question=question.text, unit=cast(AnswerUnit, unit), value=scale * estimate.value,
                      stderr=scale * _stderr(model, estimate, count=count), bias=scale * estimate.bias,
                      estimator="assisted", notes=(_note(model, question, estimate),))  # fmt: skip
    attributes = [model.domain.closed[p] for p in question.groups]
    cells = list(product(*(range(a.size) for a in attributes)))
    if len(cells) > MOST_CELLS:
        raise BadQuestion(f"{len(cells):,} groups; beyond {model.order} attributes at most {MOST_CELLS} are estimated")
    found = [wide_estimate(model, _in_cell(model, question, cell)) for cell in cells]
    labels = {a.name: tuple(a.labels[cell[i]] for cell in cells) for i, a in enumerate(attributes)}
    return CrossTab(question=question.text, unit=cast(AnswerUnit, unit), groups=labels,
                    value=scale * np.array([e.value for e in found]),
                    stderr=scale * np.array([_stderr(model, e, count=count) for e in found]),
                    bias=scale * np.array([e.bias for e in found]), kurtosis=np.zeros(len(found)), law=model.law,
                    estimator="assisted", notes=(_note(model, question, None),))  # fmt: skip


def _in_cell(model: LowOrderModel, question: Question, cell: tuple[int, ...]) -> Predicate:
    """The question's condition for the rows of one group."""
    parts: list[Predicate] = [question.where] if question.where else []
    for position, code in zip(question.groups, cell, strict=True):
        mask = tuple(c == code for c in range(model.domain.sizes[position]))
        parts.append(Event(position, mask, tuple(not m for m in mask)))
    return conjunction(parts)


def _stderr(model: LowOrderModel, estimate: WideEstimate, *, count: bool) -> float:
    """Noise of the certified estimate, with that of a noisy number of rows added (at most its share of it).

    The estimate weighs the number of rows by a mean of the question, which lies in [0, 1]; dividing by it takes its
    own share away again. The bias of a count grows with the number of rows.
    """
    rows = model.variances[model.scales.index[0]] / model.total**2
    share = max(abs(estimate.bound.value), abs(1 - estimate.bound.value)) if not count else 1 + estimate.bound.bias
    return float(np.sqrt(estimate.bound.stderr**2 + share**2 * rows))


def _note(model: LowOrderModel, question: Question, estimate: WideEstimate | None) -> str:
    """What was done, and what is certified."""
    text = (f"{len(question.positions)} attributes, of which {model.order} at a time were measured: the value is the "
            "best guess, and its interval is certified to hold whatever the table")  # fmt: skip
    if estimate is None:
        return text
    bound = estimate.bound
    return (f"{text}; certified alone: {bound.value:.4f}, bias at most {bound.bias:.4f}, noise {bound.stderr:.4f}; "
            f"noise of the guess: {estimate.guess.stderr:.4f}")  # fmt: skip


def wide_estimate(model: LowOrderModel, predicate: Predicate) -> WideEstimate:
    """The fraction of rows for which a predicate of many attributes is true."""
    shape = shape_of(predicate, model.domain.sizes)
    if isinstance(shape, Symmetric):
        bits, values = _bits(model, shape), np.array(shape.values)
        if model.basis == "monomial":
            faithful = published(bits, values)
            return WideEstimate(faithful, faithful)
        return WideEstimate(assisted(bits, values), certified(bits, values, Z))
    order = min(model.order, len(shape.positions))
    rows = model.total
    return WideEstimate(
        assisted_general(shape, order, model.frame, rows), certified_general(shape, order, model.frame, rows, Z)
    )


def _bits(model: LowOrderModel, shape: Symmetric) -> Bits:
    """The released numbers about the bits of a symmetric predicate."""
    order, rows = min(model.order, len(shape.positions)), model.total
    turned = [
        model.interactions.functions(model.domain.sizes[p]).inverse.T @ np.array(m, float) for p, m in _pairs(shape)
    ]
    values, variances = [np.ones(1)], [np.zeros(1)]
    for size in range(1, order + 1):
        if model.interactions.binary:
            value, variance = _binary(model, shape, turned, size)
        else:
            found = [_projected(model, shape, turned, members) for members in sets_of(len(turned), size).tolist()]
            value, variance = (np.array(column) for column in zip(*found, strict=True))
        values.append(value / rows)
        variances.append(variance / rows**2)
    return Bits(np.array([column[0] for column in turned]), tuple(values), tuple(variances))


def _pairs(shape: Symmetric) -> list[tuple[int, tuple[bool, ...]]]:
    return list(zip(shape.positions, shape.masks, strict=True))


def _binary(model: LowOrderModel, shape: Symmetric, turned: list[Floats], size: int) -> tuple[Floats, Floats]:
    """All sets at once: one coordinate each."""
    sets = sets_of(len(turned), size)
    places = model.interactions.ranks(np.array(shape.positions, dtype=np.int64)[sets])
    weights = np.array([column[1] for column in turned])[sets].prod(axis=1)
    return weights * model.coordinates[places], weights**2 * model.variances[model.scales.index[places]]


def _projected(model: LowOrderModel, shape: Symmetric, turned: list[Floats], members: list[int]) -> tuple[float, float]:
    """The interaction of a few attributes, weighted by the bits' contrasts."""
    place = model.interactions.place([shape.positions[j] for j in members])
    weights = np.ones(1)
    for j in members:
        weights = np.multiply.outer(weights, turned[j][1:]).ravel()
    noise = model.variances[model.scales.index[place]]
    return float(weights @ model.coordinates[place]), float(weights**2 @ noise)

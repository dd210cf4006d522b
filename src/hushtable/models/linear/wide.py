"""Wide answers: questions about more attributes than were measured together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...domain.predicate import Event, Predicate, conjunction
from ...errors import BadQuestion
from ...maths.wide.general import assisted_general, certified_general
from ...maths.wide.shape import General, Symmetric, shape_of
from ...maths.wide.symmetric import BiasedEstimate, Bits, assisted, certified, published, reach, sets_of
from ...maths.wide.usual import Usual
from ...questions.answer import Answer, CrossTab, interval_factor
from ...questions.parse import Question
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of

if TYPE_CHECKING:
    from .low_order import LowOrderModel

__all__ = ["WideEstimate", "estimate_of", "usual_in", "wide_answer", "wide_estimate"]

Floats = NDArray[np.float64]
Z = 1.96
MOST_CELLS = 500
# What is usual is learnt from at most so many attributes, and all of their pairs.
MOST_SAMPLED, SAMPLE_SEED = 160, 13


@dataclass(frozen=True)
class WideEstimate:
    """The best guess, and the certified estimate beside it."""

    guess: BiasedEstimate
    bound: BiasedEstimate
    reach: float | None = None
    """How far pairs could move it, where that is known."""

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
    sizes = [model.domain.sizes[p] for p in question.groups]
    if prod(sizes) > MOST_CELLS:
        raise BadQuestion(f"{prod(sizes):,} groups; beyond {model.order} attributes at most {MOST_CELLS} are estimated")
    cells = product(*(range(size) for size in sizes))
    guesses = [wide_estimate(model, _in_cell(model, question, cell)) for cell in cells]
    certified = Estimates(
        value=np.array([guess.value for guess in guesses]),
        stderr=np.array([_stderr(model, guess, count=count) for guess in guesses]),
        bias=np.array([guess.bias for guess in guesses]),
    )
    single = None if question.groups else guesses[0]
    usual = _usual(model, guesses, certified, len(question.positions), count=count)
    wording = Wording(
        question=question.text, unit=unit_of(count=count), law=model.law,
        estimator="assisted" if usual is None else "calibrated", groups=group_labels(model.domain, question.groups),
        notes=(_note(model, question, single, calibrated=usual is not None),),
    )  # fmt: skip
    rows = model.total if count else 1.0
    answer = build_answer(wording, (usual or certified).in_rows(rows))
    if usual is None or not isinstance(answer, Answer):
        return answer
    surely = build_answer(wording, certified.in_rows(rows))
    low, high = surely.interval()
    return replace(answer, certified=(float(low), float(high)))


def _usual(
    model: LowOrderModel, guesses: Sequence[WideEstimate], certified: Estimates, width: int, *, count: bool
) -> Estimates | None:
    """The same with the bar of a usual question; None where that is not known, or what is certified is narrower."""
    if (bar := model.bar) is None:
        return None
    share = np.array([bar.stderr(width, model.total, guess.guess.stderr, guess.reach) for guess in guesses])
    value, rows = np.asarray(certified.value), model.variances[model.scales.index[0]] / model.total**2
    stderr = np.sqrt(share**2 + (value**2 * rows if count else 0.0))
    half = interval_factor(0.95, bar.kurtosis) * stderr
    surely = np.asarray(certified.bias) + interval_factor(0.95) * np.asarray(certified.stderr)
    if (surely <= half).all():
        return None
    return Estimates(value=value, stderr=stderr, kurtosis=np.full(value.shape, bar.kurtosis))


def _in_cell(model: LowOrderModel, question: Question, cell: tuple[int, ...]) -> Predicate:
    """The question's condition for the rows of one group; the condition itself where there are no groups."""
    if not question.groups:
        assert question.where is not None
        return question.where
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


def _note(model: LowOrderModel, question: Question, estimate: WideEstimate | None, *, calibrated: bool) -> str:
    """What was done, what the bar is, and what is certified."""
    measured = f"{len(question.positions)} attributes, of which {model.order} at a time were measured"
    text = f"{measured}: the value is the best guess, and its interval is certified to hold whatever the table"
    if calibrated and model.bar is not None:
        widths = " and ".join(map(str, model.bar.widths))
        text = (
            f"{measured}: the value is the best guess, and its 95% interval is made to hold 95% of questions of this "
            f"kind, as {model.bar.questions} held-out ones about {widths} attributes say, not each of them"
        )
    elif model.bar is None and model.basis != "monomial":
        text += "; how far guesses usually are off was not measured"
    if estimate is None:
        return text
    bound = estimate.bound
    return (f"{text}; certified alone: {bound.value:.4f}, bias at most {bound.bias:.4f}, noise {bound.stderr:.4f}; "
            f"noise of the guess: {estimate.guess.stderr:.4f}")  # fmt: skip


def wide_estimate(model: LowOrderModel, predicate: Predicate) -> WideEstimate:
    """The fraction of rows for which a predicate of many attributes is true."""
    return estimate_of(model, shape_of(predicate, model.domain.sizes))


def estimate_of(model: LowOrderModel, shape: Symmetric | General) -> WideEstimate:
    """The same for a predicate whose shape is known."""
    if isinstance(shape, Symmetric):
        bits, values = _bits(model, shape), np.array(shape.values)
        if model.basis == "monomial":
            faithful = published(bits, values)
            return WideEstimate(faithful, faithful)
        denoised = _denoised(model, shape, bits)
        older = model.bar is not None and model.bar.expected is not None and model.bar.expected.order is None
        moved = reach(denoised, values, odds=not older)
        return WideEstimate(assisted(denoised, values), certified(bits, values, Z), moved)
    order = min(model.order, len(shape.positions))
    rows = model.total
    return WideEstimate(
        assisted_general(shape, order, model.frame, rows), certified_general(shape, order, model.frame, rows, Z)
    )


def _denoised(model: LowOrderModel, shape: Symmetric, bits: Bits) -> Bits:
    """The same numbers drawn to what is usual in the table, where the model is one that does so."""
    if model.guesses == "single":
        return bits
    drawn = model.usual.denoised(bits, np.array([1.0 if mask[1] else -1.0 for mask in shape.masks]))
    return drawn if model.guesses == "doubted" else replace(drawn, unsure=drawn.variances, common=None)


def usual_in(model: LowOrderModel) -> Usual:
    """How the shares and pairs of a table of two-valued attributes are spread: all of them, or a public sample."""
    d = len(model.domain.sizes)
    chosen = np.random.default_rng([SAMPLE_SEED, d]).choice(d, min(d, MOST_SAMPLED), replace=False)
    positions = tuple(sorted(int(position) for position in chosen))
    every = Symmetric(positions, ((False, True),) * len(positions), ())
    return Usual.of(_bits(model, every, most=2))


def _bits(model: LowOrderModel, shape: Symmetric, most: int | None = None) -> Bits:
    """The released numbers about the bits of a symmetric predicate."""
    order, rows = min(model.order, len(shape.positions), most or model.order), model.total
    turned = [
        model.interactions.functions(model.domain.sizes[p]).inverse.T @ np.array(m, float) for p, m in _pairs(shape)
    ]
    values, variances = [np.ones(1)], [np.zeros(1)]
    for size in range(1, order + 1):
        if model.interactions.binary:
            value, variance = _binary(model, shape, turned, size)
        else:
            projected = [_projected(model, shape, turned, members) for members in sets_of(len(turned), size).tolist()]
            value, variance = (np.array(column) for column in zip(*projected, strict=True))
        values.append(value / rows)
        variances.append(variance / rows**2)
    return Bits(np.array([column[0] for column in turned]), tuple(values), tuple(variances))


def _pairs(shape: Symmetric) -> list[tuple[int, tuple[bool, ...]]]:
    return list(zip(shape.positions, shape.masks, strict=True))


def _binary(model: LowOrderModel, shape: Symmetric, turned: list[Floats], size: int) -> tuple[Floats, Floats]:
    """All sets at once: one coordinate each."""
    sets = sets_of(len(turned), size)
    values, variances = model.released_bits(np.array(shape.positions, dtype=np.int64)[sets])
    weights = np.array([column[1] for column in turned])[sets].prod(axis=1)
    return weights * values, weights**2 * variances


def _projected(model: LowOrderModel, shape: Symmetric, turned: list[Floats], members: list[int]) -> tuple[float, float]:
    """The interaction of a few attributes, weighted by the bits' contrasts."""
    values, noise, _ = model.released([shape.positions[j] for j in members])
    weights = np.ones(1)
    for j in members:
        weights = np.multiply.outer(weights, turned[j][1:]).ravel()
    return float(weights @ values), float(weights**2 @ noise)

"""Shares of a smooth release: rows in a category, and rows in which a smooth column is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..maths.smooth.basis import along
from ..questions.answer import Answer, CrossTab, SmoothAnswer, SmoothTable
from ..questions.smooth import SmoothQuestion
from .margins import Margin, Released
from .ratios import Ratio

if TYPE_CHECKING:
    from .smooth import SmoothModel

__all__ = ["present_or_not", "share"]

Floats = NDArray[np.float64]
# Coefficients in the kept cells, in the others, and which cells are kept.
Parts = tuple[Floats, Floats, Floats]


def share(model: SmoothModel, question: SmoothQuestion, *, count: bool) -> Answer | CrossTab:
    """A share of all rows, or a number of rows; both know the noise of the number of rows where it has any."""
    one, names = _home(model, question)
    margin = one.margin(names)
    parts = _parts(model, question, one, margin)
    words: Any = {"question": question.text, "unit": "count" if count else "fraction", "estimator": one.basis}
    if count:
        sums = [margin.sum(*part) for part in parts]
        values, errors = np.array([s.value for s in sums]), np.sqrt([s.variance for s in sums])
        kurtosis, ratios = np.array([s.kurtosis for s in sums]), list[Ratio]()
    else:
        ratios = [margin.portion(*part) for part in parts]
        values, errors = np.array([r.value for r in ratios]), np.array([r.stderr for r in ratios])
        kurtosis = np.array([r.kurtosis for r in ratios])
    noisy = any(r.bottom.variance for r in ratios)
    if not question.groups:
        return SmoothAnswer(value=float(values[0]), stderr=float(errors[0]), kurtosis=float(kurtosis[0]),
                            ends=(lambda level: _ends(ratios[0], level)) if noisy else None, **words)  # fmt: skip
    return SmoothTable(
        groups=model.labels(question, [""]), value=values, stderr=errors, bias=np.zeros(len(values)),
        kurtosis=kurtosis, law=one.law,
        ends=(lambda level: tuple(np.array([_ends(r, level) for r in ratios]).T)) if noisy else None, **words,
    )  # fmt: skip


def _ends(ratio: Ratio, level: float) -> tuple[float, float]:
    """The interval; all shares where the number of rows cannot be told from 0."""
    low, high = ratio.ends(level)
    return (low, high) if np.isfinite(high - low) else (0.0, 1.0)


def _home(model: SmoothModel, question: SmoothQuestion) -> tuple[Released, list[str]]:
    """The block to count in, and the columns of it whose missing values the question is about."""
    asked = set(question.where.positions) if question.where else set()
    optional = {axis.name for one in model.released for axis in one.block.axes if axis.optional}
    names = sorted(name for name in optional if model.domain.position(name) in asked)
    if names:
        return model.home(set(names)), names
    return min(model.released, key=lambda one: float(one.margin(()).variances)), []


def _parts(model: SmoothModel, question: SmoothQuestion, one: Released, margin: Margin) -> list[Parts]:
    """For each group, which function is 1 for the rows that the question counts, cell by cell."""
    columns = [model.domain.position(axis.name) for axis in margin.axes]
    masks = model.kept(question, one.block, columns=columns)
    # One function is 1 where a column is there, the other where it is missing.
    sides = []
    for axis in margin.axes:
        present = margin.basis.lift(margin.basis.constant, [axis])
        sides.append(np.stack([present, margin.basis.everyone([axis]) - present], axis=1))
    found = []
    for mask in masks:
        patterns, which = np.unique(mask.reshape(len(mask), -1), axis=0, return_inverse=True)
        if len(patterns) > 2:
            raise BadQuestion(
                "the condition joins missing values and categories in more than two ways; ask about one category alone"
            )
        first, last = (along(sides, patterns[i].reshape(mask.shape[1:])) for i in (0, -1))
        found.append((last, first, (which.ravel() == len(patterns) - 1).astype(np.float64)))
    return found


def present_or_not(table: Floats, axis: int, missing: int | None) -> Floats:
    """A condition on codes as one on whether the value is there; BadQuestion where it depends on the value."""
    codes = range(table.shape[axis])
    there = [code for code in codes if code != missing]
    values = np.take(table, there, axis)
    if (values != np.take(values, [0], axis)).any():
        raise BadQuestion("a smooth column has no bins to count; ask a formula of it, such as cdf(...), or IS NULL")
    return np.take(table, [there[0], there[0] if missing is None else missing], axis)

"""Shares of a smooth release: rows in a category, and rows in which a smooth column is missing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...maths.smooth.basis import along
from ...questions.answer import Answer, CrossTab
from ...questions.smooth import SmoothQuestion
from ..build_answer import Estimates, Wording, build_smooth_answer, unit_of
from .ratios import Ratio
from .released_sums import Released, SmoothSums

if TYPE_CHECKING:
    from .smooth import SmoothModel

__all__ = ["present_or_not", "share"]

Floats = NDArray[np.float64]
# Coefficients in the kept cells, in the others, and which cells are kept.
Parts = tuple[Floats, Floats, Floats]


def share(model: SmoothModel, question: SmoothQuestion, *, count: bool) -> Answer | CrossTab:
    """A share of all rows, or a number of rows; both know the noise of the number of rows where it has any."""
    released, names = _home(model, question)
    margin = released.margin(names)
    parts = _parts(model, question, released, margin)
    if count:
        sums, ratios = [margin.sum(*part) for part in parts], list[Ratio]()
        estimates = Estimates(
            value=np.array([s.value for s in sums]),
            stderr=np.sqrt([s.variance for s in sums]),
            kurtosis=np.array([s.kurtosis for s in sums]),
        )
    else:
        ratios = [margin.portion(*part) for part in parts]
        estimates = Estimates(
            value=np.array([r.value for r in ratios]),
            stderr=np.array([r.stderr for r in ratios]),
            kurtosis=np.array([r.kurtosis for r in ratios]),
        )
    wording = Wording(
        question=question.text, unit=unit_of(count=count), law=released.law, estimator=released.basis,
        groups=model.labels(question, [""]) if question.groups else None,
    )  # fmt: skip
    noisy = any(r.bottom.variance for r in ratios)
    return build_smooth_answer(wording, estimates, ends=[partial(_ends, r) for r in ratios] if noisy else None)


def _ends(ratio: Ratio, level: float) -> tuple[float, float]:
    """The interval; all shares where the number of rows cannot be told from 0."""
    low, high = ratio.plain_ends(level)
    return (low, high) if np.isfinite(high - low) else (0.0, 1.0)


def _home(model: SmoothModel, question: SmoothQuestion) -> tuple[Released, list[str]]:
    """The block to count in, and the columns of it whose missing values the question is about."""
    asked = set(question.where.positions) if question.where else set()
    optional = {axis.name for released in model.released for axis in released.block.axes if axis.optional}
    names = sorted(name for name in optional if model.domain.position(name) in asked)
    if names:
        return model.home(set(names)), names
    return min(model.released, key=lambda released: float(released.margin(()).variances)), []


def _parts(model: SmoothModel, question: SmoothQuestion, released: Released, margin: SmoothSums) -> list[Parts]:
    """For each group, which function is 1 for the rows that the question counts, cell by cell."""
    columns = [model.domain.position(axis.name) for axis in margin.axes]
    masks = model.kept(question, released.block, columns=columns)
    # One function is 1 where a column is there, the other where it is missing.
    sides = []
    for axis in margin.axes:
        present = margin.basis.lift(margin.basis.constant, [axis])
        sides.append(np.stack([present, margin.basis.everyone([axis]) - present], axis=1))
    parts = []
    for mask in masks:
        patterns, which = np.unique(mask.reshape(len(mask), -1), axis=0, return_inverse=True)
        if len(patterns) > 2:
            raise BadQuestion(
                "the condition joins missing values and categories in more than two ways; ask about one category alone"
            )
        first, last = (along(sides, patterns[i].reshape(mask.shape[1:])) for i in (0, -1))
        parts.append((last, first, (which.ravel() == len(patterns) - 1).astype(np.float64)))
    return parts


def present_or_not(table: Floats, axis: int, missing: int | None) -> Floats:
    """A condition on codes as one on whether the value is there; BadQuestion where it depends on the value."""
    codes = range(table.shape[axis])
    there = [code for code in codes if code != missing]
    values = np.take(table, there, axis)
    if (values != np.take(values, [0], axis)).any():
        raise BadQuestion("a smooth column has no bins to count; ask a formula of it, such as cdf(...), or IS NULL")
    return np.take(table, [there[0], there[0] if missing is None else missing], axis)

"""Evaluation: the values of an expression where its columns are arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .addition import ADDITION_THEOREMS, by_addition
from .expressions import ARITHMETIC, Call, Constant, Expression, LinearForm, terms
from .functions import FUNCTIONS

__all__ = ["evaluate"]

Floats = NDArray[np.float64]


def evaluate(expression: Expression, columns: Mapping[str, Floats]) -> Floats:
    """Its values, where columns are arrays that broadcast. May be not finite; the caller looks."""
    with np.errstate(all="ignore"):
        return np.asarray(_evaluate(expression, columns))


def _evaluate(expression: Expression, columns: Mapping[str, Floats]) -> Any:
    """An array, or a plain number where there is no column."""
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, LinearForm):
        scaled = columns[expression.name]
        scaled = scaled if expression.slope == 1.0 else expression.slope * scaled
        return scaled if expression.shift == 0.0 else scaled + expression.shift
    if isinstance(expression, Call):
        if expression.function in ADDITION_THEOREMS:
            parts = _sums(expression.argument, columns)
            apart = by_addition(expression.function, parts)
            return FUNCTIONS[expression.function](reduce(np.add, parts)) if apart is None else apart
        return FUNCTIONS[expression.function](_evaluate(expression.argument, columns))
    left, right = _evaluate(expression.left, columns), _evaluate(expression.right, columns)
    return ARITHMETIC[expression.operator](left, right)


def _sums(expression: Expression, columns: Mapping[str, Floats]) -> list[Floats]:
    """Arrays that add up to the expression, one for each shape: what varies along the same axes is summed here."""
    by_shape: dict[tuple[int, ...], Floats] = {}
    for factor, term in terms(expression):
        value = np.asarray(_evaluate(term, columns))
        value = value if factor == 1.0 else factor * value
        by_shape[value.shape] = by_shape[value.shape] + value if value.shape in by_shape else value
    constant = by_shape.pop((), None)
    parts = list(by_shape.values())
    return parts if constant is None else [parts[0] + constant, *parts[1:]] if parts else [constant]

"""Typical questions: what a plan forecasts its errors on when nobody gives examples, and how each is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, BadQuestion
from .asked_function import ExpressionTarget
from .axes import Block
from .basis import Basis
from .chebyshev import chebyshev_basis
from .expressions import Expression
from .functions import ndtr
from .sparse_basis import SparseBasis

__all__ = ["Typical", "typical_questions"]

Floats = NDArray[np.float64]
COUNT = 36


@dataclass(frozen=True)
class Typical:
    """One question in a basis: its coefficients, a bound on its bias, and how much one row can move it."""

    coefficients: Floats
    bias: float
    reach: float


def typical_questions(block: Block, scale: float, basis: Basis, examples: Sequence[Expression]) -> list[Typical]:
    """The examples of a block, or a public family: bumps of 1 to 4 length scales, moments, soft steps."""
    if examples:
        return [_example(block, basis, expression) for expression in examples]
    family = _family(len(block.axes), scale)
    return [_of_two(basis, parts) if isinstance(basis, SparseBasis) else _separable(basis, parts) for parts in family]


def _example(block: Block, basis: Basis, expression: Expression) -> Typical:
    target = ExpressionTarget(expression)
    listed = isinstance(basis, SparseBasis)
    axes = [axis for axis in block.axes if listed or axis.name in target.names]
    try:
        values = target.values(axes, basis.points)
    except BadQuestion as error:
        raise BadPlan(f"an example cannot be asked: {error}") from None
    fitted = basis.fit(values)
    if listed:
        return Typical(fitted, basis.sampled(basis.error(values, fitted)), float(values.max() - values.min()))
    # Axes it does not use: the function 1.
    shape = [basis.size if axis in axes else 1 for axis in block.axes]
    full = fitted.reshape(shape)
    for i, axis in enumerate(block.axes):
        if axis not in axes:
            full = full * basis.constant.reshape([-1 if i == j else 1 for j in range(len(block.axes))])
    return Typical(full, basis.sampled(basis.error(values, fitted)), float(values.max() - values.min()))


def _separable(basis: Basis, parts: Sequence[Callable[[Floats], Floats]]) -> Typical:
    """A product of functions of one column each: fitted axis by axis, its bias bounded by telescoping."""
    values = [part(basis.points) for part in parts]
    fitted = [basis.project @ v for v in values]
    errors = [float(np.abs(v - basis.values @ a).max()) for v, a in zip(values, fitted, strict=True)]
    sizes = [float(np.abs(v).max()) for v in values]
    bias = sum(
        e * float(np.prod([s + o for j, (s, o) in enumerate(zip(sizes, errors, strict=True)) if j != i]))
        for i, e in enumerate(errors)
    )
    product = reduce(np.multiply.outer, values) if len(values) <= 2 else np.array([0.0, np.prod(sizes)])
    return Typical(reduce(np.multiply.outer, fitted), bias, float(product.max() - product.min()))


def _of_two(basis: SparseBasis, parts: Sequence[Callable[[Floats], Floats]]) -> Typical:
    """Of many columns two: what a sparse release says of more at once depends on the question more than on it."""
    some = chebyshev_basis(basis.size, 2, basis.smoothness, basis.level)
    function = np.multiply.outer(*(part(some.points) for part in parts[:2]))
    fitted = some.fit(function)
    first, second = basis.indices[:, :2].T
    alone = ~basis.indices[:, 2:].any(axis=1)
    coefficients = np.where(alone, fitted[first, second], 0.0)
    return Typical(coefficients, some.sampled(some.error(function, fitted)), float(function.max() - function.min()))


def _family(d: int, scale: float) -> list[tuple[Callable[[Floats], Floats], ...]]:
    """A third each of bumps, powers and soft steps, the same for every release of the same shape."""
    source = np.random.default_rng(d)
    widest = min(4 * scale, 1.0)
    questions: list[tuple[Callable[[Floats], Floats], ...]] = []
    for number in range(COUNT):
        widths = np.exp(source.uniform(np.log(scale), np.log(max(widest, scale)), d))
        centres, powers = source.uniform(-0.7, 0.7, d), source.integers(0, 4, d)
        powers[0] += not powers.any()
        kinds = (_bump, _power, _step)
        questions.append(
            tuple(kinds[number % 3](c, w, int(p)) for c, w, p in zip(centres, widths, powers, strict=True))
        )
    return questions


def _bump(centre: float, width: float, _: int) -> Callable[[Floats], Floats]:
    return lambda x: np.exp(-0.5 * ((x - centre) / width) ** 2)


def _power(_: float, __: float, power: int) -> Callable[[Floats], Floats]:
    return lambda x: x**power


def _step(centre: float, width: float, _: int) -> Callable[[Floats], Floats]:
    return lambda x: ndtr((centre - x) / width)

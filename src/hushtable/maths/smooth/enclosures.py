"""Enclosures: an expression and its derivatives on boxes of its columns, by interval arithmetic on jets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .axes import Axis
from .balls import EXACT, Ball
from .expressions import Call, Constant, Expression, LinearForm, Operation, names_in
from .jets import Jet, JetCalculus
from .slopes import BOUNDED

__all__ = ["BOXES", "apart", "enclosed", "value_range"]

Floats = NDArray[np.float64]
# Boxes an axis for 1, 2, ... axes: more are tighter and slower.
BOXES = (64, 20, 8, 5, 1, 1, 1, 1)


def value_range(expression: Expression, axes: Sequence[Axis]) -> tuple[float, float]:
    """Proven bounds on the values, infinite where none are found."""
    with np.errstate(all="ignore"):
        first = enclosed(JetCalculus(0, local=False), expression, axes, BOXES[len(axes) - 1] * 4)[0]
    low, high = np.nan_to_num(first.low, nan=-np.inf, neginf=-np.inf), np.nan_to_num(first.high, nan=np.inf)
    least, most = float(low.min()), float(high.max())
    rounding = 1e-12 * max(abs(least), abs(most))
    return least - rounding, most + rounding


def apart(operation: Operation) -> bool:
    """Whether it is a product of functions of different columns."""
    return operation.operator == "*" and not names_in(operation.left) & names_in(operation.right)


def enclosed(calculus: JetCalculus, expression: Expression, axes: Sequence[Axis], boxes: int) -> Jet:
    """The jet of an expression on all boxes; row i of every ball is about steps along axis i."""
    return _jet(calculus, expression, _columns(calculus.order, tuple(axes), boxes))


@lru_cache(maxsize=64)
def _columns(order: int, axes: tuple[Axis, ...], boxes: int) -> dict[str, Jet]:
    """The jets of the columns themselves; kept, because many questions are about the same columns."""
    d = len(axes)
    centres = (np.arange(boxes) + 0.5) * 2 / boxes - 1
    grid = np.meshgrid(*[centres] * d, indexing="ij")
    return {
        axis.name: _column(JetCalculus(order), axis, np.broadcast_to(x.ravel(), (d, x.size)), 1 / boxes, i, d)
        for i, (axis, x) in enumerate(zip(axes, grid, strict=True))
    }


def _column(calculus: JetCalculus, axis: Axis, x: Floats, radius: float, number: int, d: int) -> Jet:
    """The column's own value as a function of its scaled one; row i of every ball is about steps along axis i."""
    moves = (np.arange(d) == number).astype(np.float64)[:, None]
    inner = [Ball(axis.centre + axis.half * x, np.full(x.shape, axis.half * radius))]
    inner += [Ball(axis.half * moves, EXACT)] if calculus.order else []
    if axis.transform == "none":
        return inner
    return calculus.exp(inner) if axis.transform == "log" else calculus.multiply(inner, inner)


def _jet(c: JetCalculus, expression: Expression, columns: dict[str, Jet]) -> Jet:
    if isinstance(expression, Constant):
        return [Ball(np.array([[expression.value]]), EXACT)]
    if isinstance(expression, LinearForm):
        return c.line(columns[expression.name], expression.slope, expression.shift)
    if isinstance(expression, Call):
        return _call(c, expression.function, _jet(c, expression.argument, columns))
    return _operation(c, expression, columns)


def _operation(c: JetCalculus, expression: Operation, columns: dict[str, Jet]) -> Jet:
    left, right, operator = expression.left, expression.right, expression.operator
    if operator in "*/" and isinstance(right, Constant):
        factor = right.value if operator == "*" else 1 / right.value if right.value else float("inf")
        return c.scale(_jet(c, left, columns), factor)
    if operator == "*" and isinstance(left, Constant):
        return c.scale(_jet(c, right, columns), left.value)
    if operator == "**" and isinstance(right, Constant):
        base = _jet(c, left, columns)
        if right.value < 0 and right.value == int(right.value) and (base[0].low <= 0).any():
            return c.divide([Ball(np.ones((1, 1)), EXACT)], c.power(base, -right.value))
        return c.power(base, right.value)
    a, b = _jet(c, left, columns), _jet(c, right, columns)
    joined: dict[str, Callable[[], Jet]] = {
        "+": lambda: c.add(a, b),
        "-": lambda: c.add(a, c.scale(b, -1.0)),
        "*": lambda: (
            c.multiply_apart(a, b) if apart(expression) else c.power(a, 2.0) if left == right else c.multiply(a, b)
        ),
        "/": lambda: c.divide(a, b),
        "**": lambda: c.exp(c.multiply(b, c.log(a))),
    }
    return joined[operator]()


def _call(c: JetCalculus, function: str, argument: Jet) -> Jet:
    quick = c.bounded(function, argument) if function in BOUNDED and not c.local else None
    if quick is not None:
        return quick
    if function in ("sin", "cos"):
        return c.waves(argument)[function == "cos"]
    if function == "sqrt":
        return c.power(argument, 0.5)
    if function == "abs":
        return c.absolute(argument)
    table = {"exp": c.exp, "log": c.log, "tanh": c.tanh, "expit": c.expit, "ndtr": c.ndtr}
    return table[function](argument)

"""Steepness: proven bounds on the derivatives of an expression over all points between the bounds of its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .axes import Axis
from .balls import EXACT, Ball
from .enclosures import BOXES, apart, enclosed
from .expressions import Call, Constant, Expression, LinearForm, Operation, names_in, terms
from .functions import FUNCTIONS
from .jets import Jet, JetCalculus
from .slopes import BOUNDED, largest_slopes

__all__ = ["derivative_bounds"]

Floats = NDArray[np.float64]
# exp of larger numbers is left to jets, which do not multiply what overflows with what underflows.
LARGEST_EXPONENT = 300.0
ONE_AND_NOTHING, NOTHING_AND_ONE = np.array([[[1.0]], [[0.0]]]), np.array([[[0.0]], [[1.0]]])
# Functions that never fall are largest at an end.
RISING = ("exp", "tanh", "expit", "ndtr")
# A bound for each column that an expression uses.
Steepness = dict[str, float]


def derivative_bounds(expression: Expression, axes: Sequence[Axis], order: int, *, finer: int = 1) -> list[float]:
    """For each axis a bound on |d^order f / dx^order| / order! over all points, x the scaled column.

    Infinite where none is found: a kink, a pole, or boxes too large to tell.
    """
    calculus, boxes = JetCalculus(order, local=finer > 1), BOXES[len(axes) - 1] * finer
    with np.errstate(all="ignore"):
        steep = _steepest(calculus, expression, axes, boxes)
    return [steep.get(axis.name, 0.0) for axis in axes]


def _steepest(c: JetCalculus, expression: Expression, axes: Sequence[Axis], boxes: int) -> Steepness:
    """The largest last coefficient along each column, by the shortest way that gives the same bound."""
    if isinstance(expression, Constant):
        return {}
    if isinstance(expression, Operation) and apart(expression):
        return _of_product(c, expression, axes, boxes)
    quick = None
    if isinstance(expression, Call) and expression.function in BOUNDED and not c.local:
        quick = _of_bounded(c, expression, axes)
    elif isinstance(expression, Call) and expression.function == "exp":
        quick = _of_exp(c, expression.argument, axes, boxes)
    return _on_all_boxes(c, expression, axes, boxes) if quick is None else quick


def _on_all_boxes(c: JetCalculus, expression: Expression, axes: Sequence[Axis], boxes: int) -> Steepness:
    own = _own(expression, axes)
    jet = enclosed(c, expression, own, boxes)
    if len(jet) <= c.order:
        return {}
    last = jet[c.order].largest
    rows = np.broadcast_to(last, (len(own), last.shape[-1])).max(axis=1)
    return {axis.name: _bound(row) for axis, row in zip(own, rows, strict=True)}


def _of_product(c: JetCalculus, product: Operation, axes: Sequence[Axis], boxes: int) -> Steepness:
    """Functions of different columns: their product is largest where both are, so each is looked at alone."""
    left, right = product.left, product.right
    high, other = _highest(left, axes, boxes), _highest(right, axes, boxes)
    along_left, along_right = _steepest(c, left, axes, boxes), _steepest(c, right, axes, boxes)
    return {name: _bound(steep * other) for name, steep in along_left.items()} | {
        name: _bound(steep * high) for name, steep in along_right.items()
    }


def _highest(expression: Expression, axes: Sequence[Axis], boxes: int) -> float:
    """The largest absolute value."""
    if isinstance(expression, Constant):
        return abs(expression.value)
    if isinstance(expression, Operation) and apart(expression):
        return _bound(_highest(expression.left, axes, boxes) * _highest(expression.right, axes, boxes))
    c, own = JetCalculus(0, local=False), _own(expression, axes)
    if isinstance(expression, Call) and expression.function in RISING:
        inner = enclosed(c, expression.argument, own, boxes)[0]
        ends = FUNCTIONS[expression.function](np.array([inner.low.min(), inner.high.max()]))
        return _bound(np.abs(ends).max())
    return _bound(enclosed(c, expression, own, boxes)[0].largest.max())


def _of_bounded(c: JetCalculus, call: Call, axes: Sequence[Axis]) -> Steepness | None:
    """A function with bounded derivatives of a sum of lines has the same bound everywhere; None for anything else."""
    half = {axis.name: axis.half for axis in axes if axis.transform == "none"}
    slopes: dict[str, float] = {}
    for factor, term in terms(call.argument):
        if isinstance(term, LinearForm) and term.name in half:
            slopes[term.name] = slopes.get(term.name, 0.0) + factor * term.slope * half[term.name]
        elif not isinstance(term, Constant):
            return None
    limit = largest_slopes(call.function)[c.order]
    return {name: limit * abs(slope) ** c.order for name, slope in slopes.items()}


def _of_exp(c: JetCalculus, argument: Expression, axes: Sequence[Axis], boxes: int) -> Steepness | None:
    """exp of a sum of functions of one column each; None for anything else."""
    jets = _one_column_each(c, argument, axes, boxes)
    if jets is None or len(jets) < 2:
        return None
    # Row i of everything below is about column i; its entries are the boxes of that column alone.
    u = _stacked(list(jets.values()))
    low, high = u[0].low, u[0].high
    if not (np.abs(high.max(axis=1)) <= LARGEST_EXPONENT).all():
        return None
    low, high = np.exp(low), np.exp(high)
    # Along one column the coefficients of exp(a + b) are linear in its enclosure on each box: |middle| times the first
    # factor and radius times the second, which follow from the recurrence for exp and that column's part alone.
    factors = c.integrated(Ball(ONE_AND_NOTHING, NOTHING_AND_ONE), u, lambda out: out[-1])
    if len(factors) <= c.order:
        return {}
    first, second = factors[c.order].largest
    up, down = high * (first + second) / 2, low * (first - second) / 2
    steepness = {}
    for i, name in enumerate(jets):
        others = [j for j in range(len(jets)) if j != i]
        last = reduce(np.multiply.outer, [up[i], *high[others]]) + reduce(np.multiply.outer, [down[i], *low[others]])
        steepness[name] = _bound(last.max())
    return steepness


def _stacked(jets: Sequence[Jet]) -> Jet:
    """Jets of different columns as one, a row each; those that end early go on with 0."""
    nothing, stacked = Ball(np.zeros((1, 1)), EXACT), []
    for k in range(max(map(len, jets))):
        balls = [jet[k] if k < len(jet) else nothing for jet in jets]
        exact = all(ball.radius is EXACT for ball in balls)
        stacked.append(Ball(_rows([b.middle for b in balls]), EXACT if exact else _rows([b.radius for b in balls])))
    return stacked


def _rows(arrays: Sequence[Floats]) -> Floats:
    same = all(array.shape == arrays[0].shape for array in arrays)
    return np.concatenate(arrays if same else np.broadcast_arrays(*arrays))


def _one_column_each(c: JetCalculus, argument: Expression, axes: Sequence[Axis], boxes: int) -> dict[str, Jet] | None:
    """The jets of each column's part of a sum; None where a term joins columns."""
    jets: dict[str, Jet] = {}
    constant = 0.0
    for factor, term in terms(argument):
        if isinstance(term, Constant):
            constant += factor * term.value
            continue
        own = _own(term, axes)
        if len(own) != 1:
            return None
        jet = c.scale(enclosed(c, term, own, boxes), factor)
        jets[own[0].name] = c.add(jets[own[0].name], jet) if own[0].name in jets else jet
    if jets and constant:
        first = next(iter(jets))
        jets[first] = c.line(jets[first], 1.0, constant)
    return jets


def _own(expression: Expression, axes: Sequence[Axis]) -> list[Axis]:
    names = names_in(expression)
    return [axis for axis in axes if axis.name in names]


def _bound(number: float) -> float:
    """What is not a number is no bound."""
    return math.inf if math.isnan(number) else float(number)

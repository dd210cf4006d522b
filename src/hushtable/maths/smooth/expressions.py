"""Expressions: a formula in the columns of a table, read from text through a whitelist and never evaluated as code."""

from __future__ import annotations

import ast
import math
import operator as python
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...words import listed, suggestion
from .functions import FUNCTIONS

__all__ = [
    "Call",
    "Constant",
    "Expression",
    "LinearForm",
    "Operation",
    "joined",
    "names_in",
    "parse_expression",
    "terms",
]

Floats = NDArray[np.float64]
MOST_NODES = 400
LONGEST = 4000
ALLOWED = f"columns, numbers, + - * / ** and {', '.join(FUNCTIONS)}"
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": python.add,
    "-": python.sub,
    "*": python.mul,
    "/": python.truediv,
    "**": python.pow,
}


@dataclass(frozen=True)
class Constant:
    """A finite number."""

    value: float


@dataclass(frozen=True)
class LinearForm:
    """slope * column + shift, the column in its own units."""

    name: str
    slope: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class Operation:
    """Two expressions joined by + - * / or **."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Call:
    """One of FUNCTIONS of an expression."""

    function: str
    argument: Expression


Expression = Constant | LinearForm | Operation | Call


def parse_expression(text: str, known: Sequence[str]) -> Expression:
    """The expression a text spells over the known columns; BadQuestion names the first thing that is not allowed."""
    if not text.strip() or len(text) > LONGEST:
        raise BadQuestion(f"the expression has {len(text):,} characters; write at most {LONGEST:,}, of {ALLOWED}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python remarks on doubtful code such as 1(2), which is refused below
            tree = ast.parse(text.strip(), mode="eval").body
        return _Reader({name.lower(): name for name in known}, known).read(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        shown = " ".join(text.split())[:60]
        raise BadQuestion(f"cannot read the expression {shown!r}; write {ALLOWED}") from None


class _Reader:
    """Walks a Python syntax tree; what is not listed here is refused."""

    def __init__(self, lower: Mapping[str, str], known: Sequence[str]) -> None:
        self.lower, self.known, self.left = lower, known, MOST_NODES

    def read(self, node: ast.expr) -> Expression:
        self.left -= 1
        if self.left < 0:
            raise BadQuestion(f"the expression has too many parts; write at most {MOST_NODES}")
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return joined(OPERATORS[type(node.op)], self.read(node.left), self.read(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            inner = self.read(node.operand)
            return inner if isinstance(node.op, ast.UAdd) else joined("*", Constant(-1.0), inner)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id)
        if isinstance(node, ast.Name):
            return self._column(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._column(node.value)  # a column whose name is no Python name is written in quotes
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return _constant(float(node.value))
        raise BadQuestion(f"{ast.unparse(node)[:60]!r} is not allowed in an expression; write {ALLOWED}")

    def _call(self, node: ast.Call, name: str) -> Expression:
        function = name.lower()
        if function not in FUNCTIONS:
            known = list(FUNCTIONS)
            close = suggestion(function, known)
            raise BadQuestion(f"no function '{name[:60]}' in expressions; there are {listed(known)}.{close}")
        if len(node.args) != 1 or node.keywords:
            raise BadQuestion(f"{function} takes one expression, as in {function}(x)")
        argument = self.read(node.args[0])
        if isinstance(argument, Constant):
            with np.errstate(all="ignore"):
                return _constant(float(FUNCTIONS[function](np.array(argument.value))))
        return Call(function, argument)

    def _column(self, name: str) -> LinearForm:
        if name.lower() not in self.lower:
            raise BadQuestion(
                f"no smooth column '{name[:60]}'; this synopsis has {listed(self.known)}.{suggestion(name, self.known)}"
            )
        return LinearForm(name if name in self.known else self.lower[name.lower()])


def _constant(value: float) -> Constant:
    return Constant(_finite(value))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise BadQuestion("the expression has a constant part that is not a finite number")
    return value


def joined(operator: str, left: Expression, right: Expression) -> Expression:
    """The operation; computed now where both sides are numbers, and written as a line where it is one."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _constant(_computed(operator, left.value, right.value))
    if isinstance(left, (Constant, LinearForm)) and isinstance(right, (Constant, LinearForm)):
        line = _line(operator, left, right)
        if line is not None:
            return line
    return Operation(operator, left, right)


def _computed(operator: str, left: float, right: float) -> float:
    """As Python computes it, and not a number where it has no real value."""
    try:
        value = ARITHMETIC[operator](left, right)
    except ArithmeticError:  # 1 / 0, or too large
        return math.nan
    return value if isinstance(value, float) else math.nan  # a root of a negative number is complex


def _line(operator: str, left: Constant | LinearForm, right: Constant | LinearForm) -> LinearForm | None:
    """Lines stay lines under + - and under * / by a number: ((2 * age - 116) / 80 - 0.5) / 0.1 is one."""
    first, a, b = _ends(left)
    second, c, e = _ends(right)
    if first and second and first != second:
        return None
    name = first or second
    if operator in "+-":
        sign = 1.0 if operator == "+" else -1.0
        return _written(name, a + sign * c, b + sign * e)
    if operator == "*" and not (first and second):
        return _written(name, a * e + b * c, b * e)
    if operator == "/" and not second and e:
        return _written(name, a / e, b / e)
    return None


def _ends(part: Constant | LinearForm) -> tuple[str, float, float]:
    """Column, slope and shift; a number is a line without a column."""
    return ("", 0.0, part.value) if isinstance(part, Constant) else (part.name, part.slope, part.shift)


def _written(name: str, slope: float, shift: float) -> LinearForm:
    return LinearForm(name, _finite(slope), _finite(shift))


def terms(expression: Expression, factor: float = 1.0) -> Iterator[tuple[float, Expression]]:
    """The numbers and parts that add up, each times its number, to an expression; several where it is a sum."""
    if isinstance(expression, Operation):
        left, right, operator = expression.left, expression.right, expression.operator
        if operator in "+-":
            yield from terms(left, factor)
            yield from terms(right, factor if operator == "+" else -factor)
            return
        if operator == "*" and isinstance(left, Constant):
            yield from terms(right, factor * left.value)
            return
        if operator == "*" and isinstance(right, Constant):
            yield from terms(left, factor * right.value)
            return
        if operator == "/" and isinstance(right, Constant) and right.value:
            yield from terms(left, factor / right.value)
            return
    yield factor, expression


def names_in(expression: Expression) -> set[str]:
    """The columns an expression uses."""
    return {part.name for part in _parts(expression) if isinstance(part, LinearForm)}


def _parts(expression: Expression) -> Iterator[Expression]:
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Operation):
            waiting += [part.left, part.right]
        elif isinstance(part, Call):
            waiting.append(part.argument)

"""Expressions: a formula in the columns of a table, read from text through a whitelist and never evaluated as code."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion, listed, suggestion
from .functions import FUNCTIONS

__all__ = [
    "Call",
    "Column",
    "Constant",
    "Expression",
    "Operation",
    "evaluate",
    "joined",
    "names_in",
    "parse_expression",
]

Floats = NDArray[np.float64]
MOST_NODES = 400
LONGEST = 4000
ALLOWED = f"columns, numbers, + - * / ** and {', '.join(FUNCTIONS)}"
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
ARITHMETIC: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
}


@dataclass(frozen=True)
class Constant:
    """A finite number."""

    value: float


@dataclass(frozen=True)
class Column:
    """A column, in its own units."""

    name: str


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


Expression = Constant | Column | Operation | Call


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
            return _constant(float(_quietly(FUNCTIONS[function], np.array(argument.value))))
        return Call(function, argument)

    def _column(self, name: str) -> Column:
        if name.lower() not in self.lower:
            raise BadQuestion(
                f"no smooth column '{name[:60]}'; this synopsis has {listed(self.known)}.{suggestion(name, self.known)}"
            )
        return Column(name if name in self.known else self.lower[name.lower()])


def _constant(value: float) -> Constant:
    if not math.isfinite(value):
        raise BadQuestion("the expression has a constant part that is not a finite number")
    return Constant(value)


def joined(operator: str, left: Expression, right: Expression) -> Expression:
    """The operation; computed now where both sides are numbers."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        both = _quietly(ARITHMETIC[operator], np.array(left.value), np.array(right.value))
        return _constant(float(both))
    line = _line(operator, _ends(left), _ends(right))
    return Operation(operator, left, right) if line is None else _written(*line)


# A number times one column plus a number; the column is None where there is none.
Line = tuple[str | None, float, float]


def _ends(expression: Expression) -> Line | None:
    """The line an expression is, if it was written as `slope * column + shift`."""
    if isinstance(expression, Constant):
        return None, 0.0, expression.value
    rest: Expression = expression
    shift, slope = 0.0, 1.0
    if isinstance(rest, Operation) and rest.operator == "+" and isinstance(rest.right, Constant):
        shift, rest = rest.right.value, rest.left
    if isinstance(rest, Operation) and rest.operator == "*" and isinstance(rest.left, Constant):
        slope, rest = rest.left.value, rest.right
    return (rest.name, slope, shift) if isinstance(rest, Column) else None


def _line(operator: str, left: Line | None, right: Line | None) -> Line | None:
    """Lines stay lines under + - and under * / by a number: ((2 * age - 116) / 80 - 0.5) / 0.1 is one."""
    if left is None or right is None or (left[0] and right[0] and left[0] != right[0]):
        return None
    name, (_, a, b), (_, c, e) = left[0] or right[0], left, right
    if operator in "+-":
        sign = 1.0 if operator == "+" else -1.0
        return name, a + sign * c, b + sign * e
    if operator == "*" and not (left[0] and right[0]):
        return name, a * e + b * c, b * e
    if operator == "/" and not right[0] and e:
        return name, a / e, b / e
    return None


def _written(name: str | None, slope: float, shift: float) -> Expression:
    if name is None or not math.isfinite(slope) or not math.isfinite(shift):
        return _constant(shift if math.isfinite(slope) else slope)
    column: Expression = Column(name)
    scaled = column if slope == 1.0 else Operation("*", Constant(slope), column)
    return scaled if shift == 0.0 else Operation("+", scaled, Constant(shift))


def _quietly(function: Callable[..., Floats], *arguments: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return function(*arguments)


def names_in(expression: Expression) -> set[str]:
    """The columns an expression uses."""
    return {part.name for part in _parts(expression) if isinstance(part, Column)}


def _parts(expression: Expression) -> Iterator[Expression]:
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Operation):
            waiting += [part.left, part.right]
        elif isinstance(part, Call):
            waiting.append(part.argument)


def evaluate(expression: Expression, columns: Mapping[str, Floats]) -> Floats:
    """Its values, where columns are arrays that broadcast. May be not finite; the caller looks."""
    with np.errstate(all="ignore"):
        return _evaluate(expression, columns)


def _evaluate(expression: Expression, columns: Mapping[str, Floats]) -> Floats:
    if isinstance(expression, Constant):
        return np.array(expression.value)
    if isinstance(expression, Column):
        return columns[expression.name]
    if isinstance(expression, Call):
        return FUNCTIONS[expression.function](_evaluate(expression.argument, columns))
    left, right = (_evaluate(part, columns) for part in (expression.left, expression.right))
    if expression.operator == "**" and right.ndim == 0 and right == 2:
        return left * left  # numpy's power is slower
    return ARITHMETIC[expression.operator](left, right)

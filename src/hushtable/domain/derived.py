"""Derived values: CASE, parts of dates, and conditions, each as branches that hold for some rows and have one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import BadQuestion
from .calendar import part_asked, values_by_code
from .domain import Domain
from .events import Value
from .predicate import UNKNOWN, Event, Holds, Not, Predicate, conjunction, disjunction, known

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Branch", "as_condition", "branches", "compare_derived", "is_derived"]

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


class Reader(Protocol):
    """What reads the parts: conditions, literals and names of columns."""

    domain: Domain

    def predicate(self, node: exp.Expr) -> Predicate:
        """The predicate of an expression."""

    def value(self, node: exp.Expr) -> Value:
        """A literal."""

    def position(self, node: exp.Expr) -> int:
        """The closed attribute that a column names."""


@dataclass(frozen=True)
class Branch:
    """The rows for which an expression has one value; no row is in two branches of one expression."""

    value: Value
    """None is SQL's NULL."""
    holds: Predicate
    """True or false, never unknown."""


def is_derived(node: exp.Expr) -> bool:
    """Whether an expression is a CASE or a part of a date or time."""
    from sqlglot import exp

    return isinstance(node, exp.Case) or part_asked(node) is not None


def branches(reader: Reader, node: exp.Expr) -> tuple[Branch, ...]:
    """The branches of an expression: of CASE one a WHEN, of a part of a date one a value, of a condition its truth."""
    from sqlglot import exp

    if isinstance(node, exp.Case):
        return tuple(Branch(reader.value(value), holds) for value, holds in case_parts(reader, node))
    part = part_asked(node)
    if part is not None:
        name, column = part
        position = reader.position(column)
        attribute = reader.domain.closed[position]
        values = values_by_code(attribute, name)
        distinct = dict.fromkeys(values)
        return tuple(Branch(v, _codes(position, [own == v for own in values])) for v in distinct)
    condition = reader.predicate(node)
    truths = ((False, Holds(Not(condition))), (True, Holds(condition)), (None, Not(known(condition))))
    return tuple(Branch(value, holds) for value, holds in truths)


def case_parts(reader: Reader, node: exp.Expr) -> list[tuple[exp.Expr, Predicate]]:
    """What CASE gives and for which rows: those of the first WHEN that is true, and of none."""
    from sqlglot import exp

    parts: list[tuple[exp.Expr, Predicate]] = []
    before: list[Predicate] = []
    for when in node.args["ifs"]:
        test = exp.EQ(this=node.this, expression=when.this) if node.this else when.this
        condition = Holds(reader.predicate(test))
        parts.append((when.args["true"], Holds(conjunction([condition, *map(Not, before)]))))
        before.append(condition)
    otherwise = node.args.get("default") or exp.Null()
    return [*parts, (otherwise, Holds(conjunction([Not(c) for c in before])))]


def as_condition(reader: Reader, node: exp.Expr) -> Predicate:
    """A CASE on its own, where each branch is TRUE, FALSE or NULL."""
    found = branches(reader, node)
    if not all(branch.value is None or isinstance(branch.value, bool) for branch in found):
        raise BadQuestion(f"{node.sql()[:60]!r} is not true or false on its own; compare it with a value")
    return _where(found, [branch.value is True for branch in found])


def compare_derived(reader: Reader, node: exp.Expr, operator: str, value: Value) -> Predicate:
    """A derived value compared with a literal, in three-valued logic."""
    found = branches(reader, node)
    if value is None:
        return UNKNOWN
    kinds = {type(branch.value) for branch in found if branch.value is not None}
    if kinds == {Fraction} and isinstance(value, str) and value.lstrip("-").isdigit():
        value = Fraction(value)
    if kinds and type(value) not in kinds:
        raise BadQuestion(f"cannot compare {node.sql()[:60]!r} with {str(value)[:40]!r}: it has other kinds of values")
    compared = OPERATORS[operator]
    return _where(found, [branch.value is not None and compared(branch.value, value) for branch in found])


def _where(found: Sequence[Branch], true: Sequence[bool]) -> Predicate:
    """True in some of the branches, unknown in those without a value, false in the others."""
    kept = [branch.holds for branch, is_true in zip(found, true, strict=True) if is_true]
    absent = [conjunction([branch.holds, UNKNOWN]) for branch in found if branch.value is None]
    nothing = [conjunction([found[0].holds, Not(found[0].holds)])]
    return disjunction([*kept, *absent] or nothing)


def _codes(position: int, true: Sequence[bool]) -> Predicate:
    return Event(position, tuple(true), tuple(not t for t in true))

"""Parsing: from the text of a question to a Question. Text is parsed, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..domain import Domain
from ..domain.conditions import TOO_DEEP, ConditionReader, syntax_tree
from ..domain.cuts import BinCuts
from ..domain.predicate import Predicate, surely_empty
from ..errors import BadQuestion
from .measure import COUNT, Measure

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["FORMS", "Question", "is_select", "parse"]

FORMS = "a WHERE expression, or SELECT [columns,] count(*) or avg(column) FROM table [WHERE ...] [GROUP BY columns]"

SELECT = re.compile(r"\s*(--[^\n]*\n\s*|/\*.*?\*/\s*)*\(*\s*(select|with)\b", re.IGNORECASE | re.DOTALL)


def is_select(text: str) -> bool:
    """Whether a text is a SELECT, which gives numbers of rows, or else a condition, which gives a share of them."""
    return SELECT.match(text) is not None


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, over the positions of the domain's closed attributes."""

    text: str
    measure: Measure = COUNT
    where: Predicate | None = None
    groups: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks on what was asked, such as a value that no row can have; an answer carries them."""

    @property
    def kind(self) -> Literal["count", "mean"]:
        """What is measured."""
        return self.measure.kind

    @property
    def average(self) -> int | None:
        """The attribute whose mean is asked."""
        return self.measure.column

    @property
    def positions(self) -> tuple[int, ...]:
        """All attributes involved: the groups in the order asked, then the others."""
        used = (set(self.where.positions) if self.where else set()) | self.measure.positions
        return (*self.groups, *sorted(used - set(self.groups)))

    def empty(self, sizes: Sequence[int]) -> bool:
        """Whether it counts rows that no table can have, so that the answer is 0 whatever was released."""
        plain = self.measure == COUNT and not self.groups
        return plain and self.where is not None and surely_empty(self.where, sizes)


def parse(text: str, domain: Domain, cuts: BinCuts | None = None) -> Question:
    """The question a text asks of a domain; BadQuestion says what is wrong with it, and where.

    A condition that cuts a bin in two is refused, or read as `cuts` has it.
    """
    from sqlglot import exp

    tree, reader = syntax_tree(text, FORMS), ConditionReader(domain, cuts)
    try:
        if isinstance(tree, exp.Select):
            return _selection(text, tree, reader)
        where = reader.predicate(tree)
        return Question(text=text, where=where, notes=tuple(reader.notes))
    except RecursionError:
        raise BadQuestion(TOO_DEEP) from None


def _selection(text: str, tree: exp.Select, reader: ConditionReader) -> Question:
    """SELECT with one measure, and what may stand behind it."""
    allowed = {"expressions", "from", "from_", "where", "group"}
    for part, value in tree.args.items():
        if value and part not in allowed:
            raise BadQuestion(f"{part.upper().rstrip('_')} is not supported; write {FORMS}")
    _check_table(tree.args.get("from_") or tree.args.get("from"), reader.domain)
    where, group = tree.args.get("where"), tree.args.get("group")
    predicate = reader.predicate(where.this) if where else None
    groups = tuple(reader.position(column) for column in group.expressions) if group else ()
    if group and (any(value for part, value in group.args.items() if part != "expressions") or not groups):
        raise BadQuestion("GROUP BY takes column names only")
    if len(set(groups)) < len(groups):
        raise BadQuestion("GROUP BY names a column twice; name each column once")
    measure = _selected(tree.expressions, groups, reader)
    return Question(text=text, measure=measure, where=predicate, groups=groups, notes=tuple(reader.notes))


def _check_table(source: exp.Expr | None, domain: Domain) -> None:
    from sqlglot import exp

    if source is None:
        return
    table = source.this
    plain = (
        isinstance(table, exp.Table)
        and not any(value for part, value in table.args.items() if part not in ("this", "alias"))
        and not table.alias_column_names
    )
    if not plain or table.name.lower() != domain.table.lower():
        raise BadQuestion(f"this synopsis has one table, {domain.table}; write FROM {domain.table}")


def _selected(items: list[exp.Expr], groups: tuple[int, ...], reader: ConditionReader) -> Measure:
    """The one measure among the selected items; the plain columns must be the groups."""
    from sqlglot import exp

    columns: list[exp.Expr] = []
    measures: list[exp.Expr] = []
    for item in items:
        inner = item.this if isinstance(item, exp.Alias) else item
        (measures if isinstance(inner, (exp.Count, exp.Avg)) else columns).append(inner)
    if len(measures) != 1:
        raise BadQuestion(f"ask for exactly one count(*) or avg(column); write {FORMS}")
    for column in columns:
        if reader.position(column) not in groups:
            raise BadQuestion(f"{column.name} is selected but not in GROUP BY; add GROUP BY {column.name}")
    return _measure(measures[0], reader)


def _measure(node: exp.Expr, reader: ConditionReader) -> Measure:
    """count(*) or avg(column)."""
    from sqlglot import exp

    if isinstance(node, exp.Count):
        if not isinstance(node.this, exp.Star) or node.expressions:
            raise BadQuestion("count takes a star: count(*); for non-missing rows add WHERE column IS NOT NULL")
        return COUNT
    if (follower := reader.follower(node.this)) is not None:
        return Measure.of_follower(follower)
    position = reader.position(node.this)
    return Measure.of_column("mean", position, reader.domain.closed[position])

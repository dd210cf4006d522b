"""Statements: a whole SELECT, read into groups, columns and what is done with the table afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain import Domain
from ...domain.conditions import TOO_DEEP, ConditionReader, syntax_tree
from ...domain.hints import quoted_name as quoted
from ...domain.predicate import Predicate
from ...errors import BadQuestion
from ..parse import FORMS, is_select
from .aggregates import AggregateReader, is_aggregate
from .groups import Grouping, read_grouping
from .rename import flattened
from .terms import CountOf, Term

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Having", "Order", "Selected", "Statement", "is_share", "read_statement"]

SHARE = re.compile(r"\s*share\s+of\s+(?P<part>.+?)(\s+among\s+(?P<among>.+?))?(\s+by\s+(?P<by>[^()']+))?\s*;?\s*",
                   re.IGNORECASE | re.DOTALL)  # fmt: skip
READ = {"expressions", "from_", "from", "where", "group", "having", "order", "limit", "offset", "distinct"}
PICKED = (
    "groups are picked by their noisy values, so that those at the edge may be picked by noise; "
    "--simultaneous makes intervals that hold for all groups at once"
)


@dataclass(frozen=True)
class Selected:
    """One number a group."""

    name: str
    term: Term


@dataclass(frozen=True)
class Order:
    """One key of ORDER BY: a group, or a term."""

    key: Grouping | Term
    descending: bool


@dataclass(frozen=True, eq=False)
class Having:
    """A condition on the values of groups, as a tree, and the terms that stand in it."""

    tree: exp.Expr
    reader: AggregateReader


@dataclass(frozen=True, eq=False, kw_only=True)
class Statement:
    """What a SELECT asks."""

    text: str
    columns: tuple[Selected, ...]
    groups: tuple[Grouping, ...] = ()
    where: Predicate | None = None
    having: Having | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    notes: tuple[str, ...] = ()


def is_share(text: str) -> bool:
    """Whether a text asks for a share in words: share of smoker among age >= 65 by sex."""
    return SHARE.fullmatch(text) is not None


def read_statement(text: str, domain: Domain) -> Statement | None:
    """The statement of a SELECT; None where it is a plain question, which every model reads by itself."""
    from sqlglot import exp

    found = None if is_select(text) else SHARE.fullmatch(text)
    tree = syntax_tree(_share_text(found, domain) if found else text, FORMS)
    while isinstance(tree, (exp.Subquery, exp.Paren)):
        tree = tree.this
    if not isinstance(tree, exp.Select):
        raise BadQuestion(f"ask one SELECT at a time; write {FORMS}")
    try:
        return None if _is_plain(tree, domain) else _Reading(text, flattened(tree, domain), domain).statement()
    except RecursionError:
        raise BadQuestion(TOO_DEEP) from None


def _share_text(found: re.Match[str], domain: Domain) -> str:
    """`share of smoker among age >= 65 by sex` as SQL."""
    among = f" WHERE {found['among']}" if found["among"] else ""
    by = f" GROUP BY {found['by']}" if found["by"] else ""
    return f"SELECT avg(CASE WHEN {found['part']} THEN 1 ELSE 0 END) FROM {quoted(domain.table)}{among}{by}"


def _is_plain(tree: exp.Select, domain: Domain) -> bool:
    """Columns, and one count(*) or avg(column), with WHERE about other columns."""
    from sqlglot import exp

    parts = {part for part, value in tree.args.items() if value}
    source = tree.args.get("from_") or tree.args.get("from")
    if parts - {"expressions", "from_", "from", "where", "group"} or (source is not None and source.this.alias):
        return False
    group, where = tree.args.get("group"), tree.args.get("where")
    by = group.expressions if group else []
    if group and group.args.get("all"):
        return False
    inner = {c.name.lower() for c in where.find_all(exp.Column)} if where else set()
    own = [g for g in by if isinstance(g, exp.Column) and domain.follower(g.name) is None]
    if len(own) < len(by) or any(g.name.lower() in inner for g in own):
        return False
    measures = [item.this if isinstance(item, exp.Alias) else item for item in tree.expressions]
    others = [m for m in measures if not isinstance(m, exp.Column)]
    named = any(isinstance(item, exp.Alias) and isinstance(item.this, exp.Column) for item in tree.expressions)
    if len(others) != 1 or named:
        return False
    only = others[0]
    if isinstance(only, exp.Count):
        return isinstance(only.this, exp.Star)
    return isinstance(only, exp.Avg) and isinstance(only.this, exp.Column)


class _Reading:
    """Reads one SELECT from the table itself."""

    def __init__(self, text: str, tree: exp.Select, domain: Domain) -> None:
        self.text, self.tree, self.domain = text, tree, domain
        self.reader = ConditionReader(domain)
        self.items = [(item.alias, _inner(item)) for item in tree.expressions]

    def statement(self) -> Statement:
        for part, value in self.tree.args.items():
            if value and part not in READ:
                raise BadQuestion(f"{part.upper().rstrip('_')} is not supported; write {FORMS}")
        where, limit, offset = (self.tree.args.get(part) for part in ("where", "limit", "offset"))
        predicate = self.reader.predicate(where.this) if where else None
        groups = self._groups()
        self.aggregates = AggregateReader(self.reader, tuple(groups.items()))
        columns = self._columns(groups)
        having = self.tree.args.get("having")
        return Statement(
            text=self.text, columns=columns, groups=tuple(groups.values()), where=predicate,
            having=Having(self._resolved(having.this), self.aggregates) if having else None,
            order=self._order(groups), limit=_whole(limit, "LIMIT"), offset=_whole(offset, "OFFSET") or 0,
            notes=(*self.reader.notes, *((PICKED,) if having or limit else ())),
        )  # fmt: skip

    def _groups(self) -> dict[str, Grouping]:
        """The groups by their text."""
        from sqlglot import exp

        group, distinct = self.tree.args.get("group"), self.tree.args.get("distinct")
        plain = [inner for _, inner in self.items if not is_aggregate(inner)]
        if distinct and (len(plain) < len(self.items) or group):
            raise BadQuestion("DISTINCT stands alone: SELECT DISTINCT columns; with an aggregate use GROUP BY columns")
        if group and any(value for part, value in group.args.items() if part not in ("expressions", "all")):
            raise BadQuestion("GROUP BY takes columns and expressions, without ROLLUP, CUBE or GROUPING SETS")
        everything = bool(distinct or (group and group.args.get("all")))
        nodes = plain if everything else [self._group(node) for node in group.expressions] if group else []
        if any(isinstance(node, exp.Star) for node in plain) or (not group and not distinct and plain):
            self._no_rows(plain)
        found: dict[str, Grouping] = {}
        for node in nodes:
            if node.sql() in found:
                raise BadQuestion("GROUP BY names a column twice; name each column once")
            found[node.sql()] = read_grouping(node, self._alias(node), self.reader)
        for node in plain:
            if node.sql() not in found:
                raise BadQuestion(f"{node.sql()[:60]} is selected but not in GROUP BY; add GROUP BY {node.sql()[:60]}")
        return found

    def _no_rows(self, plain: Sequence[exp.Expr]) -> None:
        from sqlglot import exp

        names = [node.name for node in plain if isinstance(node, exp.Column)]
        if len(plain) < len(self.items) and names:
            raise BadQuestion(f"{names[0]} is selected but not in GROUP BY; add GROUP BY {names[0]}")
        table, by = quoted(self.domain.table), ", ".join(map(quoted, names[:3])) or quoted(self.domain.closed[0].name)
        raise BadQuestion(
            f"a synopsis has no rows to list; ask SELECT {by}, count(*) FROM {table} GROUP BY {by}, "
            "or draw synthetic rows by hush sample"
        )

    def _group(self, node: exp.Expr) -> exp.Expr:
        """A group as it is meant: by its place among the selected, by its alias, or as written."""
        from sqlglot import exp

        if isinstance(node, exp.Literal) and not node.is_string:
            return self._at(node, "GROUP BY")
        if isinstance(node, exp.Column) and node.name.lower() not in (n.lower() for n in self.domain.names):
            return self._resolved(node)
        return node

    def _at(self, node: exp.Expr, where: str) -> exp.Expr:
        place = int(node.name) if node.name.isdigit() else 0
        if not 1 <= place <= len(self.items):
            raise BadQuestion(f"{where} {node.name}: SELECT has {len(self.items)} columns; name one of them")
        return self.items[place - 1][1]

    def _resolved(self, node: exp.Expr) -> exp.Expr:
        """Aliases by what they stand for."""
        from sqlglot import exp

        named = {alias.lower(): inner for alias, inner in self.items if alias}

        def put(part: exp.Expr) -> exp.Expr:
            known = isinstance(part, exp.Column) and part.name.lower() in named
            return named[part.name.lower()].copy() if known else part

        return node.copy().transform(put)

    def _alias(self, node: exp.Expr) -> str:
        return next((alias for alias, inner in self.items if alias and inner.sql() == node.sql()), "")

    def _columns(self, groups: dict[str, Grouping]) -> tuple[Selected, ...]:
        found: list[Selected] = []
        for alias, inner in self.items:
            if is_aggregate(inner):
                name = alias or inner.sql().lower()[:60]
                taken = {column.name for column in found} | {group.name for group in groups.values()}
                while name in taken:
                    name += "_"
                found.append(Selected(name, self.aggregates.term(inner)))
        if not found:
            if not groups:
                raise BadQuestion(f"SELECT nothing: write {FORMS}")
            self.reader.say("which groups have rows is known by their noisy counts alone; those near 0 may have none")
            found.append(Selected("count", CountOf()))
        return tuple(found)

    def _order(self, groups: dict[str, Grouping]) -> tuple[Order, ...]:
        from sqlglot import exp

        order = self.tree.args.get("order")
        keys: list[Order] = []
        for item in order.expressions if order else ():
            node = item.this
            node = self._at(node, "ORDER BY") if isinstance(node, exp.Literal) else self._resolved(node)
            descending = bool(item.args.get("desc"))
            if node.sql() in groups:
                keys.append(Order(groups[node.sql()], descending))
            elif is_aggregate(node):
                keys.append(Order(self.aggregates.term(node), descending))
            else:
                raise BadQuestion(f"ORDER BY {node.sql()[:60]}: it is neither a group nor an aggregate of this SELECT")
        return tuple(keys)


def _inner(item: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    inner = item.this if isinstance(item, exp.Alias) else item
    while isinstance(inner, exp.Paren):
        inner = inner.this
    return inner


def _whole(node: exp.Expr | None, name: str) -> int | None:
    if node is None:
        return None
    given = node.args.get("expression")
    text = given.name if given is not None else ""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadQuestion(f"{name} takes a whole number, not {node.sql()[:40]!r}")
    return int(text)

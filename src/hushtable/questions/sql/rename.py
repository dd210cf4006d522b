"""Renaming: WITH and subqueries that only rename or keep rows, and aliases of the table, written as one SELECT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ...domain import Domain
from ...errors import BadQuestion, UnknownAttribute

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["flattened"]

DEEPEST = 20
INNER = {"expressions", "from_", "from", "where"}


@dataclass(frozen=True)
class _View:
    """What a SELECT that only renames gives: its columns, its condition, and whether all others are there too."""

    columns: dict[str, exp.Expr]
    every: bool
    where: exp.Expr | None


def flattened(tree: exp.Select, domain: Domain) -> exp.Select:
    """The same SELECT from the table itself: inner SELECTs are put in place, and the table has no other name."""
    inner = tree.args.get("with_") or tree.args.get("with")
    named = {cte.alias.lower(): cte.this for cte in inner.expressions} if inner else {}
    view = _source(tree, named, domain, DEEPEST)
    out = tree.copy()
    out.set("with_", None)
    out.set("with", None)
    chosen = {item.alias.lower() for item in out.expressions if item.alias}
    out = cast("exp.Select", out.transform(lambda node: _replaced(node, view, domain, chosen)))
    if view.where is not None:
        out = out.where(view.where.copy(), copy=False)
    return out


def _source(tree: exp.Select, named: dict[str, exp.Expr], domain: Domain, depth: int) -> _View:
    """What stands behind FROM."""
    from sqlglot import exp

    if tree.args.get("joins"):
        raise BadQuestion(f"there is one table, {domain.table}, and nothing to join; put all conditions into WHERE")
    source = tree.args.get("from_") or tree.args.get("from")
    if source is None:
        return _View({}, True, None)
    inner = source.this
    if isinstance(inner, exp.Table):
        plain = not any(value for part, value in inner.args.items() if part not in ("this", "alias"))
        if plain and not inner.alias_column_names and inner.name.lower() in named:
            others = {name: query for name, query in named.items() if name != inner.name.lower()}
            return _view(named[inner.name.lower()], others, domain, depth - 1)
        if plain and not inner.alias_column_names and inner.name.lower() == domain.table.lower():
            return _View({}, True, None)
    if isinstance(inner, exp.Subquery) and not inner.alias_column_names:
        return _view(inner.this, named, domain, depth - 1)
    raise BadQuestion(f"this synopsis has one table, {domain.table}; write FROM {domain.table}")


def _view(query: exp.Expr, named: dict[str, exp.Expr], domain: Domain, depth: int) -> _View:
    from sqlglot import exp

    own = {part for part, value in query.args.items() if value}
    aggregates = any(isinstance(node, (exp.AggFunc, exp.Window)) for item in query.expressions for node in item.walk())
    if depth <= 0 or not isinstance(query, exp.Select) or own - INNER or aggregates:
        raise BadQuestion(
            "a SELECT inside may rename columns and keep rows by WHERE, and no more; "
            f"ask each step as a question of its own, FROM {domain.table}"
        )
    below = _source(query, named, domain, depth)
    columns: dict[str, exp.Expr] = {}
    every = False
    for item in query.expressions:
        if isinstance(item, exp.Star):
            every = True
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        columns[item.alias_or_name.lower()] = inner.copy().transform(lambda node: _replaced(node, below, domain, set()))
    if every:
        columns = below.columns | columns
    where = query.args.get("where")
    conditions = [below.where] if below.where is not None else []
    if where is not None:
        conditions.append(where.this.copy().transform(lambda node: _replaced(node, below, domain, set())))
    return _View(columns, every and below.every, exp.and_(*conditions) if conditions else None)


def _replaced(node: exp.Expr, view: _View, domain: Domain, chosen: set[str]) -> exp.Expr:
    """A column without the name of its table, by what it stands for."""
    from sqlglot import exp

    if not isinstance(node, exp.Column):
        return node
    name = node.name.lower()
    if name in view.columns:
        return (
            exp.Paren(this=view.columns[name].copy()) if not _simple(view.columns[name]) else view.columns[name].copy()
        )
    if not view.every and name not in chosen:
        raise UnknownAttribute(node.name, known=list(view.columns))
    return exp.Column(this=node.this.copy())


def _simple(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, (exp.Column, exp.Case, exp.Func, exp.Paren))

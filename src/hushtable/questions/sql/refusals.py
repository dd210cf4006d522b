"""Refusals: what no synopsis can answer, with the nearest thing that it can, as text to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain import Domain
from ...domain.hints import quoted_name as quoted
from ...errors import BadQuestion

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["no_row", "refused"]


def _column(node: exp.Expr) -> str:
    from sqlglot import exp

    found = node.find(exp.Column)
    return "column" if found is None else quoted(found.name)


def refused(node: exp.Expr, name: str, domain: Domain) -> BadQuestion:
    """Why an aggregate is not answered, and what to ask instead."""
    column, table = _column(node), quoted(domain.table)
    counts = f"SELECT {column}, count(*) FROM {table} GROUP BY {column}"
    if name in ("MIN", "MAX"):
        level = "0.01" if name == "MIN" else "0.99"
        attribute = next((a for a in domain.closed if quoted(a.name).lower() == column.lower()), None)
        numbers = attribute is not None and attribute.kind in ("integer", "number")
        instead = f"SELECT quantile({column}, {level}) FROM {table}" if numbers else counts
        return BadQuestion(
            f"{name.lower()} is the value of a single row, which no private release tells; ask {instead}"
        )
    if name == "COUNT DISTINCT":
        return BadQuestion(
            f"how many values occur at least once depends on single rows, which no private release tells; ask {counts}"
        )
    if name == "DISTINCT":
        return BadQuestion(f"DISTINCT inside an aggregate depends on single rows; leave it out, or ask {counts}")
    if name == "MODE":
        return BadQuestion(f"mode is not answered; ask {counts} ORDER BY 2 DESC LIMIT 1")
    known = "count(*), count(column), sum, avg, median, quantile(column, 0.9), stddev and variance"
    return BadQuestion(f"{node.sql()[:60]!r} is no aggregate that is answered; there are {known}")


def no_row(node: exp.Expr, inner: exp.Expr) -> BadQuestion:
    """A formula inside an aggregate."""
    name = node.sql_name().lower() if hasattr(node, "sql_name") else "avg"
    return BadQuestion(
        f"{name}({inner.sql()[:60]}) computes row by row, and a release has no rows; take the column alone and compute "
        f"with the answer, as in 2 * {name}({_column(inner)}), or release smooth(columns=[{_column(inner)}])"
    )

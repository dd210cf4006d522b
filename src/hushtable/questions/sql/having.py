"""HAVING: a condition on the values of groups, read and evaluated on released values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ..answer import CrossTab
from .terms import Term

if TYPE_CHECKING:
    from sqlglot import exp

    from .statement import Having

__all__ = ["holds"]

Flags = NDArray[np.bool_]


def holds(having: Having, cells: Callable[[Term], CrossTab]) -> Flags:
    """Which groups meet the condition, by their values; what is not known meets none."""
    return _holds(having.tree, having, cells)


def _holds(node: exp.Expr, having: Having, cells: Callable[[Term], CrossTab]) -> Flags:
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return _holds(node.this, having, cells)
    if isinstance(node, exp.Not):
        return ~_holds(node.this, having, cells)
    if isinstance(node, (exp.And, exp.Or)):
        both = (_holds(part, having, cells) for part in (node.this, node.expression))
        return np.logical_and(*both) if isinstance(node, exp.And) else np.logical_or(*both)
    if isinstance(node, exp.Between):
        value, low, high = (
            cells(having.reader.term(part)).value for part in (node.this, node.args["low"], node.args["high"])
        )
        return (value >= low) & (value <= high)
    compared: dict[type[exp.Expr], np.ufunc] = {
        exp.GT: np.greater, exp.GTE: np.greater_equal, exp.LT: np.less, exp.LTE: np.less_equal,
        exp.EQ: np.equal, exp.NEQ: np.not_equal,
    }  # fmt: skip
    if type(node) not in compared:
        raise BadQuestion(
            f"HAVING compares aggregates with numbers, as in HAVING count(*) > 100, not {node.sql()[:60]!r}"
        )
    if isinstance(node.this, exp.Column):
        raise BadQuestion(f"HAVING is about aggregates; put {node.sql()[:60]} into WHERE")
    left, right = (cells(having.reader.term(part)).value for part in (node.this, node.expression))
    with np.errstate(invalid="ignore"):
        return np.asarray(compared[type(node)](left, right), dtype=np.bool_)

"""Polynomial queries: `polynomial(near, NOT cheap)`, which sets each variable of a family to 1 or 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..domain.conditions import syntax_tree
from ..errors import BadQuestion
from ..words import listed, suggestion

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["PolynomialQuery", "parse_query", "read_queries"]


@dataclass(frozen=True, eq=False)
class PolynomialQuery:
    """One query: which variables are 1."""

    text: str
    ones: NDArray[np.bool_]
    unnamed: tuple[str, ...] = ()
    """Variables that the question does not name; they are 0."""


def parse_query(text: str, variables: Sequence[str], most: int) -> PolynomialQuery:
    """The query a text asks; BadQuestion says what is wrong with it. Variables that are not named are 0."""
    from sqlglot import exp

    form = f"polynomial({', NOT '.join(variables[:2])}), where variables that are not named are 0"
    tree = syntax_tree(text, form)
    if not isinstance(tree, exp.Anonymous) or tree.name.lower() != "polynomial":
        raise BadQuestion(f"this synopsis has a family of polynomials and nothing else; ask {form}")
    named: dict[int, bool] = {}
    for literal in tree.expressions:
        number, one = _variable(literal, variables, form)
        if named.setdefault(number, one) != one:
            raise BadQuestion(f"{variables[number]} is both 1 and 0 in the question; name it once")
    ones = np.array([named.get(i, False) for i in range(len(variables))], dtype=bool)
    _check_ones(int(ones.sum()), most)
    return PolynomialQuery(text, ones, tuple(name for i, name in enumerate(variables) if i not in named))


def _variable(node: exp.Expr, variables: Sequence[str], form: str) -> tuple[int, bool]:
    from sqlglot import exp

    one, inner = True, node
    while isinstance(inner, (exp.Not, exp.Paren)):
        one = one != isinstance(inner, exp.Not)
        inner = inner.this
    if not isinstance(inner, exp.Column) or inner.table:
        raise BadQuestion(f"{node.sql()[:60]!r} is not a variable; name them with commas and NOT only; ask {form}")
    lower = [name.lower() for name in variables]
    if inner.name.lower() not in lower:
        known = list(variables)
        raise BadQuestion(f"no variable '{inner.name}'; there are {listed(known)}.{suggestion(inner.name, known)}")
    return lower.index(inner.name.lower()), one


def read_queries(given: Any, variables: int, most: int) -> NDArray[np.bool_]:
    """A matrix of 0 and 1, a query a row; BadQuestion for anything else."""
    matrix = np.asarray(given)
    if matrix.ndim != 2 or matrix.shape[1] != variables or matrix.dtype.kind not in "biuf":
        raise BadQuestion(
            f"queries are a matrix with a row each and {variables} columns of 0 and 1, one a variable; given: shape "
            f"{matrix.shape} of {matrix.dtype}"
        )
    if not np.isin(matrix, (0, 1)).all():
        raise BadQuestion("queries are of 0 and 1 alone")
    _check_ones(int(matrix.sum(axis=1).max(initial=0)), most)
    return matrix.astype(bool)


def _check_ones(ones: int, most: int) -> None:
    if ones > most:
        raise BadQuestion(f"the query sets {ones} variables to 1, and this synopsis answers up to {most}")

"""Shares: conditions put together, sums of terms, and quotients that are shares, which are asked as such."""

from __future__ import annotations

from collections.abc import Sequence

from ...domain.predicate import Predicate, conjunction
from .terms import Arithmetic, CountOf, Known, ShareOf, Term, TotalOf

__all__ = ["as_share", "both", "sum_of"]


def both(one: Predicate | None, other: Predicate | None) -> Predicate | None:
    """Both conditions; None is no condition."""
    if one is None or other is None:
        return one or other
    return conjunction([one, other])


def sum_of(terms: Sequence[Term]) -> Term:
    """All terms added up; 0 for none."""
    if not terms:
        return Known(0.0)
    total = terms[0]
    for term in terms[1:]:
        total = Arithmetic("+", total, term)
    return total


def as_share(term: Arithmetic) -> Term:
    """A quotient as a share, where it is one: of a filtered count over a plain one, or over a total of groups."""
    factor, above, below = 1.0, term.left, term.right
    if term.operator != "/":
        return term
    if isinstance(above, Arithmetic) and above.operator == "*":
        if isinstance(above.left, Known):
            factor, above = above.left.value, above.right
        elif isinstance(above.right, Known):
            factor, above = above.right.value, above.left
    if not isinstance(above, CountOf) or above.relative:
        return term
    share: Term
    if below == CountOf() and above.where is not None:
        share = ShareOf(above.where)
    elif isinstance(below, TotalOf) and below.term == above:
        share = Arithmetic("share", above, below)
    else:
        return term
    return share if factor == 1.0 else Arithmetic("*", Known(factor), share)

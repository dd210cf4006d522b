"""Conjunctions: `a AND NOT b AND ...` about all but a few columns, as the list of rows for which it holds."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ..domain import Domain
from ..domain.conditions import syntax_tree
from ..domain.predicate import Count, Event, Not, Predicate
from ..errors import BadQuestion
from ..words import listed
from .list_text import parse_list
from .lists import Listed, Top
from .measure import COUNT
from .parse import FORMS, parse

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["parse_conjunction"]


def parse_conjunction(text: str, domain: Domain, *, free: int) -> Listed | Top:
    """The rows that meet the conditions; BadQuestion where these leave more than `free` columns open."""
    if _is_top(syntax_tree(text, FORMS)):
        return parse_list(text, domain, domain.attributes)
    question = parse(text, domain)
    if question.measure != COUNT or question.groups or question.where is None:
        raise BadQuestion("this synopsis answers conditions joined by AND, without averages or GROUP BY")
    allowed: dict[int, set[int]] = {}
    for event in _events(question.where):
        codes = {code for code, true in enumerate(event.true) if true}
        allowed[event.position] = allowed.get(event.position, codes) & codes
    everywhere = [allowed.get(i, set(range(a.size))) for i, a in enumerate(domain.closed)]
    open_ones = [a.name for a, codes in zip(domain.closed, everywhere, strict=True) if len(codes) > 1]
    if len(open_ones) > free:
        raise BadQuestion(
            f"the question leaves {len(open_ones)} columns open ({listed(open_ones)}) and this synopsis allows {free}; "
            "add conditions, or release marginals for questions about few columns"
        )
    labels = [[a.labels[c] for c in sorted(codes)] for a, codes in zip(domain.closed, everywhere, strict=True)]
    rows = list(product(*labels))
    return Listed([row[0] for row in rows] if len(labels) == 1 else rows, text=text, notes=question.notes)


def _is_top(tree: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Anonymous) and tree.name.lower() == "top"


def _events(where: Predicate) -> list[Event]:
    """The conditions on single columns that must all hold."""
    if isinstance(where, Event):
        return [where]
    if isinstance(where, Not) and isinstance(where.part, Event):
        part = where.part
        return [Event(part.position, part.false, part.true)]
    if isinstance(where, Count) and where.least == len(where.parts):
        return [event for part in where.parts for event in _events(part)]
    raise BadQuestion("a conjunction joins conditions on single columns by AND, with NOT before a column only")

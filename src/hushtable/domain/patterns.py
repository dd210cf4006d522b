"""Patterns: LIKE and ILIKE on the declared values of a category."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import BadQuestion
from .attributes import Attribute, Category
from .events import Say
from .predicate import Event

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["like"]


def like(position: int, attribute: Attribute, node: exp.Expr, say: Say) -> Event:
    """The declared values that match; undeclared ones may or may not, so that of them it is unknown."""
    from sqlglot import exp

    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise BadQuestion(f"LIKE takes a quoted pattern, as in {attribute.name} LIKE 'a%', not {pattern.sql()[:60]!r}")
    if not isinstance(attribute, Category):
        raise BadQuestion(f"{attribute.name} is no text, so LIKE means nothing; compare it by =, <, >= or BETWEEN")
    flags = re.DOTALL | (re.IGNORECASE if isinstance(node, exp.ILike) else 0)
    # Cut into pieces first, so that no pattern can make the search slow: each piece is matched once, from the left.
    matched = [_matches(pattern.this, label, flags) for label in attribute.values]
    extra = (False,) * (attribute.size - len(matched))
    if attribute.other:
        say(f"undeclared values of {attribute.name} are counted together as 'other', and are left out of LIKE")
    if not any(matched):
        say(f"no declared value of {attribute.name} is LIKE '{pattern.this}'")
    true, false = (*matched, *extra), (*(not m for m in matched), *extra)
    return Event(position, false, true) if node.args.get("negate") else Event(position, true, false)


def _matches(pattern: str, text: str, flags: int) -> bool:
    """Whether a text is like a pattern: % stands for any characters, _ for one."""
    first, *rest = [re.escape(piece).replace("_", ".") for piece in pattern.split("%")]
    if not rest:
        return re.fullmatch(first, text, flags) is not None
    found = re.match(first, text, flags)
    if found is None:
        return False
    start = found.end()
    for piece in rest[:-1]:
        found = re.compile(piece, flags).search(text, start)
        if found is None:
            return False
        start = found.end()
    # The last piece stands at the end of the text; earlier ones were taken as early as they can be.
    last = re.compile(f"{rest[-1]}\\Z", flags)
    return any(last.match(text, place) for place in range(start, len(text) + 1))

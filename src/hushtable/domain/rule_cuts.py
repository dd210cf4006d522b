"""Rule cuts: numbers without bins get cells that end where a rule says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from ..errors import HushError
from .attributes import Attribute, Binned
from .conditions import syntax_tree
from .range_cells import clear_cuts
from .rule_text import sides

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["with_rule_cuts"]


def with_rule_cuts(parts: Mapping[str, Any], attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes, those without bins cut where `impossible` and `always` compare them with a number.

    What cannot be read is left to whoever reads the rules.
    """
    wanted: dict[str, set[Fraction]] = {a.name.lower(): set() for a in attributes if isinstance(a, Binned) and a.ranged}
    texts = [
        t for name in ("impossible", "always") if isinstance(given := parts.get(name), (list, tuple)) for t in given
    ]
    for text in texts if wanted else ():
        for name, cuts in _thresholds(text, {a.name.lower(): a for a in attributes}):
            if name in wanted:
                wanted[name].update(cuts)
    return tuple(_cut(a, wanted[a.name.lower()]) if wanted.get(a.name.lower()) else a for a in attributes)


def _cut(attribute: Attribute, cuts: set[Fraction]) -> Attribute:
    assert isinstance(attribute, Binned)
    fixed = clear_cuts(attribute, cuts)
    return replace(attribute, fixed=fixed, cuts=clear_cuts(attribute, [*attribute.cuts, *fixed]))


def _thresholds(text: object, known: Mapping[str, Attribute]) -> Iterator[tuple[str, list[Fraction]]]:
    """Columns that a rule compares with numbers, and where that cuts them."""
    from sqlglot import exp

    try:
        trees = [syntax_tree(side) for side in sides(text)] if isinstance(text, str) else []
    except HushError:
        return
    for tree in trees:
        for node in tree.find_all(exp.Predicate):
            column, values = _compared(node)
            attribute = known.get(column.lower())
            if attribute is not None:
                whole = getattr(attribute, "steps", False)
                yield column.lower(), [cut for value in values for cut in _around(value, whole)]


def _compared(node: exp.Expr) -> tuple[str, list[Fraction]]:
    """The column of a comparison, and the numbers it is compared with."""
    from sqlglot import exp

    column = next((part for part in node.iter_expressions() if isinstance(part, exp.Column)), None)
    numbers = [number for part in node.iter_expressions() if (number := _number(part)) is not None]
    return ("" if column is None else column.name), numbers


def _number(node: exp.Expr) -> Fraction | None:
    from sqlglot import exp

    negative = isinstance(node, exp.Neg)
    literal = node.this if negative else node
    if not isinstance(literal, exp.Literal) or literal.is_string:
        return None
    try:
        number = Decimal(literal.this)
    except ArithmeticError:
        return None
    if not number.is_finite() or abs(number.adjusted()) > 300:
        return None
    return -Fraction(number) if negative else Fraction(number)


def _around(value: Fraction, whole: bool) -> list[Fraction]:
    """Of whole numbers a cut before the value and one behind it; of others the value, which is the start of a cell."""
    return [Fraction(ceil(value)), Fraction(floor(value) + 1)] if whole else [value]

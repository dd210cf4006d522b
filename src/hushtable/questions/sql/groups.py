"""Groups: columns as they are, or expressions such as CASE and year(d), by which a SELECT groups."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ...domain.attributes import MISSING, Attribute, Category, Ordered
from ...domain.conditions import ConditionReader
from ...domain.derived import branches
from ...domain.events import Value
from ...domain.follows import Follower
from ...domain.predicate import Event, Predicate, disjunction, surely_empty
from ...errors import BadQuestion

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Grouping", "read_grouping"]

Rank = tuple[int, float, str]
MOST_BRANCHES = 400
LAST: Rank = (1, 0.0, "")


@dataclass(frozen=True)
class Grouping:
    """One group column: an attribute, or labels with the condition under which a row has each."""

    name: str
    position: int | None
    labels: tuple[str, ...]
    ranks: tuple[Rank, ...]
    """By which ORDER BY sorts: numbers by size, words by the alphabet, missing last."""
    conditions: tuple[Predicate, ...] = ()
    """One a label; none for an attribute."""


def read_grouping(node: exp.Expr, name: str, reader: ConditionReader) -> Grouping:
    """What GROUP BY names."""
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    if (follower := reader.follower(node)) is not None:
        return _followed(follower, name)
    if isinstance(node, exp.Column):
        position = reader.position(node)
        attribute = reader.domain.closed[position]
        ranks = tuple(_rank_of(attribute, code) for code in range(attribute.size))
        return Grouping(name or attribute.name, position, attribute.labels, ranks)
    found = [branch for branch in branches(reader, node) if not surely_empty(branch.holds, reader.domain.sizes)]
    if len(found) > MOST_BRANCHES:
        raise BadQuestion(f"{node.sql()[:60]!r} makes {len(found):,} groups; at most {MOST_BRANCHES:,} are answered")
    # Branches of one value are one group, and CASE may give a value twice.
    values = list(dict.fromkeys(branch.value for branch in found))
    conditions = [disjunction([branch.holds for branch in found if branch.value == value]) for value in values]
    labels = tuple(_label(value) for value in values)
    return Grouping(name or node.sql()[:60], None, labels, tuple(map(_rank, values)), tuple(conditions))


def _followed(follower: Follower, name: str) -> Grouping:
    """By a column that follows another: groups of that one's values."""
    own, used = follower.attribute, sorted(set(follower.codes))
    if len(used) > MOST_BRANCHES:
        raise BadQuestion(f"{own.name} makes {len(used):,} groups; at most {MOST_BRANCHES:,} are answered")
    conditions = []
    for code in used:
        true = tuple(c == code for c in follower.codes)
        conditions.append(Event(follower.root, true, tuple(not t for t in true)))
    labels, ranks = tuple(own.labels[code] for code in used), tuple(_rank_of(own, code) for code in used)
    return Grouping(name or own.name, None, labels, ranks, tuple(conditions))


def _rank_of(attribute: Attribute, code: int) -> Rank:
    """Ordered values by their order, words by the alphabet, words that are numbers by their size."""
    if code == attribute.missing_code:
        return LAST
    numbers = attribute.numbers if isinstance(attribute, Category) else None
    if numbers is not None and code < len(numbers):
        return (0, numbers[code], "")
    return (0, float(code), "") if isinstance(attribute, Ordered) else (0, 0.0, attribute.labels[code])


def _label(value: Value) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(int(value)) if value.denominator == 1 else repr(float(value))


def _rank(value: Value) -> Rank:
    if value is None:
        return LAST
    return (0, float(value), "") if isinstance(value, (bool, Fraction)) else (0, 0.0, value)

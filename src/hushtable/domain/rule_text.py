"""Rule text: what a domain's `impossible` and `always` say, as conditions that no row satisfies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadDomain, BadQuestion, HushError
from ..words import shortened
from .column_pairs import check_comparable, surely
from .conditions import ConditionReader
from .derived import OPERATORS
from .domain import Domain
from .predicate import Event, Not, Predicate, conjunction

__all__ = ["PairTest", "RuleText", "read_rule_texts", "rule_texts", "sides"]

Truth = NDArray[np.bool_]
MOST_CONDITIONS = 200
ARROW = "->"
EXAMPLES = {
    "impossible": '["age < 15 AND married", "discharge < admission"]',
    "always": "[\"age < 15 -> married = 'never'\"]",
}


@dataclass(frozen=True)
class PairTest:
    """A comparison between two columns inside a rule."""

    left: int
    operator: str
    right: int

    def outcome(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.uint8]:
        """0 false, 1 true, 2 unknown."""
        known = ~(np.isnan(left) | np.isnan(right))
        return np.where(known, OPERATORS[self.operator](left, right), 2).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class RuleText:
    """A condition that no row satisfies, with the text that declares it."""

    text: str
    predicate: Predicate
    """Over the domain's attributes and, behind them, one place a comparison: 0 false, 1 true, 2 unknown."""
    tests: tuple[PairTest, ...]

    def broken(self, codes: NDArray[np.integer], outcomes: Sequence[NDArray[np.integer]]) -> Truth:
        """For each row whether it breaks the rule, by its codes and by how each comparison came out."""
        lines = [codes, *(outcome[None] for outcome in outcomes)]
        return self.predicate.on_rows(np.concatenate(lines) if outcomes else codes)[0]

    def by_codes(self, codes: NDArray[np.integer], domain: Domain) -> Truth:
        """The same where codes tell: comparisons that depend on values inside bins are unknown."""
        return self.broken(codes, [_outcome(test, codes, domain) for test in self.tests])

    def by_values(self, codes: NDArray[np.integer], numbers: Callable[[int], NDArray[np.float64]]) -> Truth:
        """The same by the values themselves: the numbers of an ordered column, not a number where there is none."""
        return self.broken(codes, [test.outcome(numbers(test.left), numbers(test.right)) for test in self.tests])


def _outcome(test: PairTest, codes: NDArray[np.integer], domain: Domain) -> NDArray[np.uint8]:
    both = check_comparable(domain.closed[test.left], domain.closed[test.right])
    true, false = surely(test.operator, *both)
    table = np.full((both[0].size, both[1].size), 2, dtype=np.uint8)
    table[: len(true), : true.shape[1]] = np.where(true, 1, np.where(false, 0, 2))
    return np.asarray(table[codes[test.left], codes[test.right]])


class _RuleReader(ConditionReader):
    """Takes comparisons between columns down for later, so that values inside bins may decide them."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.tests: list[PairTest] = []

    def columns_compared(self, left: int, operator: str, right: int) -> Predicate:
        """One more place behind the attributes."""
        check_comparable(self.domain.closed[left], self.domain.closed[right])
        if left == right:
            raise BadQuestion(f"{self.domain.closed[left].name} is compared with itself; name another column")
        self.tests.append(PairTest(left, operator, right))
        return Event(len(self.domain.sizes) + len(self.tests) - 1, (False, True, False), (True, False, False))


def rule_texts(domain: Domain) -> tuple[RuleText, ...]:
    """All rules of a domain, `impossible` first; read once."""
    kept = vars(domain)  # as cached_property keeps things: a domain is a frozen value
    if "_rule_texts" not in kept:
        kept["_rule_texts"] = _all_texts(domain)
    found: tuple[RuleText, ...] = kept["_rule_texts"]
    return found


def _all_texts(domain: Domain) -> tuple[RuleText, ...]:
    never = [_read(text, [text], domain) for text in domain.impossible]
    return (*never, *(_read(text, sides(text), domain, always=True) for text in domain.always))


def read_rule_texts(parts: Mapping[str, Any], domain: Domain) -> dict[str, tuple[str, ...]]:
    """The rules of a domain file by setting, or BadDomain that says which one is wrong."""
    found = {}
    for setting, example in EXAMPLES.items():
        given = parts.get(setting, ())
        if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
            raise BadDomain(f"{setting} is a list of conditions, such as {example}")
        if len(given) > MOST_CONDITIONS:
            raise BadDomain(f"{setting} has {len(given):,} conditions; at most {MOST_CONDITIONS} are allowed")
        for text in given:
            try:
                _read(text, sides(text) if setting == "always" else [text], domain, always=setting == "always")
            except HushError as error:
                raise BadDomain(f"{setting}: {shortened(text, 60)!r}: {error}") from None
        found[setting] = tuple(given)
    return found


def _read(text: str, sides: list[str], domain: Domain, *, always: bool = False) -> RuleText:
    """`a -> b` is broken by a AND NOT b, and what holds always by its opposite."""
    reader = _RuleReader(domain)
    parts = [reader.condition(side) for side in sides]
    if reader.notes:  # it names a value that no row can have, so it rules out nothing: surely not what was meant
        raise BadQuestion(next(iter(reader.notes)))
    predicate = parts[0] if not always else conjunction([*parts[:-1], Not(parts[-1])])
    return RuleText(text, predicate, tuple(reader.tests))


def sides(text: str) -> list[str]:
    """What stands before and behind the arrow, which may also stand inside quotes."""
    sides, quote, start = [], "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif text.startswith(ARROW, place):
            sides.append(text[start:place])
            start = place + len(ARROW)
    sides.append(text[start:])
    if len(sides) > 2:
        raise BadQuestion("one arrow only: write `condition -> what then holds`")
    if any(not side.strip() for side in sides):
        raise BadQuestion("a condition stands before the arrow and one behind it")
    return sides

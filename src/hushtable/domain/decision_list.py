"""Decision lists: a column whose values are rules, such as `near:1, !cheap:0, default:1`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import BadDomain
from .attributes import FALSE_WORDS, TRUE_WORDS, Uncoded, canonical

__all__ = ["DecisionList", "RuleList"]

LONGEST = 64
MOST_INPUTS = 1000
# They separate rules, decisions and literals in the text of a list.
RESERVED = ':,!{}"'
DEFAULT = "default"


@dataclass(frozen=True)
class RuleList:
    """One decision list: the first rule whose literal is true decides, else the default does.

    `RuleList.of` keeps the shortest such list: every input occurs once, and the last rule differs from the default.
    """

    inputs: tuple[int, ...]
    negated: tuple[bool, ...]
    decisions: tuple[bool, ...]
    default: bool

    @classmethod
    def of(cls, rules: Iterable[tuple[int, bool, bool]], default: bool) -> RuleList:
        """The list of (input, negated, decision) rules, without the rules that can never matter.

        A second rule on a literal never fires. A rule on the opposite of an earlier literal is true whenever it
        is reached, so it is the default, and what follows is never reached.
        """
        kept: dict[int, tuple[bool, bool]] = {}
        for number, negated, decision in rules:
            if number not in kept:
                kept[number] = (negated, decision)
            elif kept[number][0] != negated:
                default = decision
                break
        needed = [(number, *rest) for number, rest in kept.items()]
        while needed and needed[-1][2] == default:
            needed.pop()
        inputs, signs, decisions = zip(*needed, strict=True) if needed else ((), (), ())
        return cls(inputs=inputs, negated=signs, decisions=decisions, default=default)

    def __len__(self) -> int:
        return len(self.inputs)

    def decide(self, truth: Sequence[bool]) -> bool:
        """The decision where each input is true or false."""
        for number, negated, decision in zip(self.inputs, self.negated, self.decisions, strict=True):
            if bool(truth[number]) != negated:
                return decision
        return self.default


@dataclass(frozen=True, kw_only=True)
class DecisionList(Uncoded):
    """Lists of at most `length` rules over boolean inputs, with a default.

    A row without a list decides 0 on every input, unless `missing: error`.
    """

    kind = "decision_list"
    inputs: tuple[str, ...]
    length: int

    def __post_init__(self) -> None:
        if not 1 <= len(self.inputs) <= MOST_INPUTS:
            raise BadDomain(f"{self.name}: {len(self.inputs):,} inputs; give 1 to {MOST_INPUTS:,}")
        for name in self.inputs:
            if name.lower() == DEFAULT or set(name) & set(RESERVED) or not name.isprintable():
                allowed = f"write printable text other than '{DEFAULT}', without {' '.join(RESERVED)}"
                raise BadDomain(f"{self.name}: an input cannot be called '{name}'; {allowed}")
        lower = [name.lower() for name in self.inputs]
        if len(set(lower)) < len(lower):
            twice = next(name for name in self.inputs if lower.count(name.lower()) > 1)
            raise BadDomain(f"{self.name}: input '{twice}' is listed twice (capitals do not count)")
        if not 1 <= self.length <= LONGEST:
            raise BadDomain(f"{self.name}: length must be at least 1 and at most {LONGEST}, not {self.length}")

    @property
    def most_rules(self) -> int:
        """The longest list that can matter: no input is tested twice."""
        return min(self.length, len(self.inputs))

    @property
    def advice(self) -> str:
        return f"holds decision lists; release decision_lists() and ask decides({self.name}, {self.inputs[0]})"

    def rules(self, value: object) -> RuleList | None:
        """The list a value spells, as text or JSON; None where it is outside the domain."""
        if self.is_missing(value):
            return RuleList((), (), (), default=False) if self.missing == "category" else None
        try:
            pairs, default = _parts(value)
            rules = RuleList.of((self._rule(literal, decision) for literal, decision in pairs), _decision(default))
        except (ValueError, TypeError, RecursionError):
            return None
        return rules if len(rules) <= self.length else None

    def _rule(self, literal: object, decision: object) -> tuple[int, bool, bool]:
        text = str(literal).strip()
        number = self._numbers.get(text.removeprefix("!").strip())
        if number is None:
            raise ValueError("unknown input")
        return number, text.startswith("!"), _decision(decision)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.inputs)}

    def to_dict(self) -> dict[str, Any]:
        return self.options() | {"inputs": list(self.inputs), "length": self.length}


def _parts(value: object) -> tuple[list[tuple[object, object]], object]:
    """(literal, decision) pairs and the default; ValueError or TypeError when the value has another form."""
    if isinstance(value, bytes):
        value = value.decode("utf-8")
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        items: list[tuple[object, object]] = [_pair(item.split(":")) for item in value.split(",")]
        word, default = items.pop()
        if str(word).strip() != DEFAULT:
            raise ValueError("no default")
        return items, default
    read = json.loads(value) if isinstance(value, str) else value
    if not isinstance(read, Mapping) or set(read) != {"rules", DEFAULT} or not isinstance(read["rules"], list):
        raise ValueError("not a decision list")
    return [_pair(pair) for pair in read["rules"]], read[DEFAULT]


def _pair(items: object) -> tuple[object, object]:
    if not isinstance(items, list):
        raise ValueError("not a pair")
    literal, decision = items
    return literal, decision


def _decision(value: object) -> bool:
    word = (canonical(value) or "").lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise ValueError("neither 0 nor 1")
    return word in TRUE_WORDS

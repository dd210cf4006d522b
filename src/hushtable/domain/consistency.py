"""Consistency: whether the rules of a domain leave every declared value a place in some row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import BadDomain
from ..words import shortened
from .attributes import Ordered
from .domain import Domain
from .impossible import Rule
from .rule_text import rule_texts

__all__ = ["check_consistent", "unplaced"]

Mask = NDArray[np.bool_]
# Steps of the search for rows; values that are not decided by then are taken to have a place.
MOST_STEPS = 20_000


def check_consistent(rules: Sequence[Rule], domain: Domain) -> None:
    """BadDomain where a rule says nothing, or where rules leave nothing, or some value no place.

    The ends of an ordered column may be left without a place by a comparison with another column: `discharge <=
    admission` alone rules out a discharge on the very first day. `unplaced` names those too.
    """
    for rule in rules:
        if not rule.banned.any() and not _by_values(rule, domain):
            raise BadDomain(
                f"rule {_shown(rule)} is the same for all rows: it rules out nothing; correct it or drop it"
            )
        if rule.banned.all():
            raise BadDomain(f"rule {_shown(rule)} is the same for all rows: all break it; name what cannot go together")
        _check_placed([rule], domain, f"rule {_shown(rule)} leaves")
    if len(rules) > 1:
        _check_placed(rules, domain, "together the rules leave")


def _check_placed(rules: Sequence[Rule], domain: Domain, who: str) -> None:
    for position, code in unplaced(rules, domain):
        if position < 0:
            raise BadDomain(f"{who} no row any place: they contradict each other; correct or drop one of them")
        if _must_have_place(position, domain):
            attribute = domain.closed[position]
            raise BadDomain(
                f"{who} {attribute.name} = '{attribute.labels[code]}' no place; correct what is declared, or leave the "
                "value out of the domain"
            )


def _by_values(rule: Rule, domain: Domain) -> bool:
    """Whether a rule compares columns, so that values inside bins may break it."""
    return any(text.text == rule.text and text.tests for text in rule_texts(domain))


def _must_have_place(position: int, domain: Domain) -> bool:
    compared = {place for text in rule_texts(domain) for test in text.tests for place in (test.left, test.right)}
    return not (isinstance(domain.closed[position], Ordered) and position in compared)


def _shown(rule: Rule) -> str:
    return repr(shortened(rule.text, 60))


def unplaced(rules: Sequence[Rule], domain: Domain) -> list[tuple[int, int]]:
    """Attributes and codes of declared values that no row can have, [(-1, -1)] where there is no row at all.

    A row here has all its values: what only fits beside missing ones has no place. A search with propagation: each
    value is tried in turn, and what a found row has is placed as well.
    """
    if not rules:
        return []
    search = _Search(rules, domain.sizes)
    declared = {j: np.arange(domain.sizes[j]) < len(domain.closed[j].values) for j in search.variables}
    start = search.propagated(declared)
    if start is None or search.row(start) is None:
        return [(-1, -1)] if search.steps < MOST_STEPS else []
    found = [(j, int(code)) for j in search.variables for code in np.flatnonzero(declared[j] & ~start[j])]
    for j in search.variables:
        for code in np.flatnonzero(start[j] & ~search.placed[j]).tolist():
            if search.placed[j][code]:
                continue
            one = dict(start) | {j: np.arange(domain.sizes[j]) == code}
            kept = search.propagated(one)
            if (kept is None or search.row(kept) is None) and search.steps < MOST_STEPS:
                found.append((j, code))
    return sorted(found)


class _Search:
    """Rows that keep all rules, sought by trying values and striking out what they leave no place."""

    def __init__(self, rules: Sequence[Rule], sizes: Sequence[int]) -> None:
        self.rules = rules
        self.variables = sorted({member for rule in rules for member in rule.members})
        self.touching = {j: [rule for rule in rules if j in rule.members] for j in self.variables}
        self.placed = {j: np.zeros(sizes[j], dtype=bool) for j in self.variables}
        self.steps = 0

    def propagated(self, masks: dict[int, Mask], changed: set[int] | None = None) -> dict[int, Mask] | None:
        """The codes that still have support in every rule; None where some attribute has none left."""
        masks, waiting = dict(masks), list(self.rules if changed is None else self._rules_of(changed))
        while waiting and self.steps < MOST_STEPS:
            rule = waiting.pop()
            self.steps += 1
            inside = [np.unique(c[masks[m]]) for m, c in zip(rule.members, rule.classes, strict=True)]
            allowed = ~rule.banned[np.ix_(*inside)]
            for axis, (member, classes) in enumerate(zip(rule.members, rule.classes, strict=True)):
                support = np.zeros(rule.banned.shape[axis], dtype=bool)
                support[inside[axis]] = allowed.any(axis=tuple(a for a in range(allowed.ndim) if a != axis))
                kept = masks[member] & support[classes]
                if not kept.any():
                    return None
                if kept.sum() < masks[member].sum():
                    masks[member] = kept
                    waiting += [other for other in self.touching[member] if other is not rule and other not in waiting]
        return masks

    def _rules_of(self, members: set[int]) -> list[Rule]:
        return [rule for rule in self.rules if members & set(rule.members)]

    def row(self, masks: dict[int, Mask]) -> dict[int, int] | None:
        """One row inside the masks; what it has counts as placed."""
        open_ones = [j for j in self.variables if masks[j].sum() > 1]
        if not open_ones:
            found = {j: int(np.argmax(masks[j])) for j in self.variables}
            for j, code in found.items():
                self.placed[j][code] = True
            return found
        j = min(open_ones, key=lambda j: int(masks[j].sum()))
        fresh_first = sorted(np.flatnonzero(masks[j]).tolist(), key=lambda code: bool(self.placed[j][code]))
        for code in fresh_first:
            kept = self.propagated(masks | {j: np.arange(len(masks[j])) == code}, {j})
            if kept is not None and (deeper := self.row(kept)) is not None:
                return deeper
            if self.steps >= MOST_STEPS:
                return None
        return None

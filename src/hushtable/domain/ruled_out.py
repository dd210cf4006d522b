"""Ruled out: which groups of a question can have no row, because the domain's rules say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from .domain import Domain
from .impossible import Rule, events_of, rules_of
from .predicate import Predicate

__all__ = ["RuledOut", "ruled_out"]

Map = NDArray[np.int64]
MOST_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class RuledOut:
    """Whether each group is ruled out, one entry a combination of the group columns' codes, and by which rules."""

    groups: NDArray[np.bool_]
    texts: tuple[str, ...]


def ruled_out(where: Predicate | None, groups: Sequence[int], domain: Domain) -> RuledOut | None:
    """The groups in which no row can meet a condition; None where there are none, or it would take long to tell."""
    asked = {*groups, *(where.positions if where is not None else ())}
    rules = [rule for rule in rules_of(domain) if asked & set(rule.members)] if asked else []
    if not rules:
        return None
    firsts = _first_codes(where, groups, sorted(asked - set(groups)), rules, domain)
    shape = [len(codes) for codes in firsts.values()]
    if prod(shape) > MOST_CELLS:
        return None
    grid = np.indices(shape).reshape(len(shape), -1)
    codes = np.zeros((len(domain.sizes), grid.shape[1]), dtype=np.uint16)
    for (position, own), line in zip(firsts.items(), grid, strict=True):
        codes[position] = own[line]
    met = np.ones(grid.shape[1], dtype=bool) if where is None else where.on_rows(codes)[0]
    banned = [_projected(rule, asked, codes) for rule in rules]
    across = prod(shape[: len(groups)])
    left = (met & ~np.logical_or.reduce(banned)).reshape(across, -1).any(axis=1)
    out = met.reshape(across, -1).any(axis=1) & ~left
    if not out.any():
        return None
    there = met & np.repeat(out, grid.shape[1] // across)
    return RuledOut(out, tuple(rule.text for rule, own in zip(rules, banned, strict=True) if (own & there).any()))


def _first_codes(
    where: Predicate | None, groups: Sequence[int], others: Sequence[int], rules: Sequence[Rule], domain: Domain
) -> dict[int, Map]:
    """For the group columns all codes, for others one a class that neither the condition nor a rule tells apart."""
    found = {position: np.arange(domain.sizes[position]) for position in groups}
    for position in others:
        asked = [e for event in events_of(where) if event.position == position for e in (event.true, event.false)]
        ruled = [c for rule in rules for m, c in zip(rule.members, rule.classes, strict=True) if m == position]
        lines = np.concatenate(
            [np.array(asked, dtype=np.int64), np.array(ruled, np.int64).reshape(len(ruled), domain.sizes[position])]
        )
        found[position] = np.unique(lines, axis=1, return_index=True)[1]
    return found


def _projected(rule: Rule, asked: set[int], codes: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Where a rule is broken whatever the columns are that nobody asked for."""
    away = tuple(axis for axis, member in enumerate(rule.members) if member not in asked)
    places = tuple(c[codes[m]] for m, c in zip(rule.members, rule.classes, strict=True) if m in asked)
    return np.asarray(np.asarray(rule.banned.all(axis=away))[places])

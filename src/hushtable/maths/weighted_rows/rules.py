"""Rules: combinations that the domain declares impossible, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...domain.impossible import Rule

__all__ = ["Rules"]

Map = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rules:
    """All rules over base groups: lines (attribute, place of classes, stride, place of the table), one a member."""

    rules: tuple[Rule, ...] = ()

    def layout(self) -> tuple[Map, Map, Map, NDArray[np.bool_]]:
        """Lines, where each rule's lines begin, classes and tables: what `gibbs_pass` takes."""
        lines, spans, classes, tables = [], [0], [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=bool)]
        filled, place = 1, 1
        for rule in self.rules:
            stride = prod(rule.banned.shape)
            for member, mine, size in zip(rule.members, rule.classes, rule.banned.shape, strict=True):
                stride //= size
                lines.append((member, place, stride, filled))
                classes.append(mine)
                place += len(mine)
            filled += rule.banned.size
            tables.append(rule.banned.ravel())
            spans.append(len(lines))
        return (np.array(lines, dtype=np.int64).reshape(-1, 4), np.array(spans, dtype=np.int64),
                np.concatenate(classes), np.concatenate(tables))  # fmt: skip

    def on_base(self, base: Sequence[Map]) -> Rules:
        """The same with maps from base group to class; base groups never straddle two classes."""
        moved = []
        for rule in self.rules:
            maps = []
            for member, classes in zip(rule.members, rule.classes, strict=True):
                _, first = np.unique(base[member], return_index=True)
                maps.append(classes[first])
            moved.append(Rule(rule.members, tuple(maps), rule.banned, rule.text))
        return Rules(tuple(moved))

    def groupings(self) -> list[tuple[int, Map]]:
        """Every (attribute, map from code to class)."""
        return [pair for rule in self.rules for pair in zip(rule.members, rule.classes, strict=True)]

    def broken(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Rows (columns of `codes`) that any rule calls impossible."""
        out = np.zeros(codes.shape[1], dtype=bool)
        for rule in self.rules:
            out |= rule.holds(codes)
        return out

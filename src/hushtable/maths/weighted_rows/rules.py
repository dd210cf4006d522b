"""Rules: combinations that the domain declares impossible, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...domain.impossible import Rule

__all__ = ["Rules"]

Map = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rules:
    """All rules over base groups, laid out once for each of their members, which then comes first."""

    rules: tuple[Rule, ...] = ()

    def layout(self, width: int) -> tuple[Map, Map, Map, Map, NDArray[np.bool_]]:
        """What `gibbs_pass` takes of so many attributes: lines, where those of a rule begin, where the rules of an
        attribute begin, classes and tables.

        A line is (attribute, place of its classes, stride, place). The first is of the attribute itself: how many
        classes it has stands for the stride, and its place is that of the rule's table, with its classes along the
        last axis. The others' place is that of the table of whether any class of it is banned, and strides are that
        table's.
        """
        lines, spans, classes, tables = [], [0], [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=bool)]
        firsts, filled, place = [0], 1, 1
        for own in range(width):
            for rule in self.rules:
                if own not in rule.members:
                    continue
                axis = rule.members.index(own)
                table = np.moveaxis(rule.banned, axis, -1)
                places = (filled, filled + table.size)
                stride, others = table.size, [a for a in range(table.ndim) if a != axis]
                made = []
                for other in others:
                    stride //= rule.banned.shape[other]
                    made.append((rule.members[other], place, stride // table.shape[-1], places[1]))
                    classes.append(rule.classes[other])
                    place += len(rule.classes[other])
                lines += [(own, place, table.shape[-1], places[0]), *made]
                classes.append(rule.classes[axis])
                place += len(rule.classes[axis])
                tables += [table.ravel(), table.any(axis=-1).ravel()]
                filled += table.size + table.size // table.shape[-1]
                spans.append(len(lines))
            firsts.append(len(spans) - 1)
        return (np.array(lines, dtype=np.int64).reshape(-1, 4), np.array(spans, dtype=np.int64),
                np.array(firsts, dtype=np.int64), np.concatenate(classes), np.concatenate(tables))  # fmt: skip

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

"""Question tree: sets of columns, told apart by which of a few columns they have, grown from a model alone."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from .chow_liu import ChowLiu

__all__ = ["Leaf", "QuestionTree", "grow"]

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Leaf:
    """The sets that have all of `inside` and none of `outside`; any other column may be in them or not."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class QuestionTree:
    """A decision tree over sets of columns: every set reaches exactly one leaf, whatever the tree asks.

    One line a node: the column asked about, and the nodes of sets that have it and of those that do not; a leaf asks
    about -1. Children come after their parents.
    """

    nodes: Whole
    columns: int

    @classmethod
    def read(cls, flat: Whole, columns: int) -> QuestionTree:
        """From the numbers of a file; ValueError where they are no tree."""
        nodes = flat.reshape(-1, 3)
        asks = nodes[:, 0] >= 0
        children = nodes[asks, 1:]
        later = (children > np.flatnonzero(asks)[:, None]).all() and sorted(children.ravel()) == list(
            range(1, len(nodes))
        )
        if not len(nodes) or not later or (nodes[:, 0] >= columns).any():
            raise ValueError("these numbers are no tree")
        tree = cls(nodes, columns)
        if any(len(set(leaf.inside + leaf.outside)) < len(leaf.inside + leaf.outside) for leaf in tree.leaves):
            raise ValueError("the tree asks for a column twice")
        return tree

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """In the order of their nodes."""
        found: dict[int, Leaf] = {}
        waiting = [(0, Leaf((), ()))]
        while waiting:
            node, leaf = waiting.pop()
            column, has, lacks = map(int, self.nodes[node])
            if column < 0:
                found[node] = leaf
                continue
            waiting.append((has, Leaf((*leaf.inside, column), leaf.outside)))
            waiting.append((lacks, Leaf(leaf.inside, (*leaf.outside, column))))
        return tuple(found[node] for node in sorted(found))

    @cached_property
    def _numbers(self) -> Whole:
        """The number of each node among the leaves."""
        return np.cumsum(self.nodes[:, 0] < 0) - 1

    def leaf_of(self, sets: Flags) -> Whole:
        """The number of the leaf that each set reaches, a line a set."""
        at, lines = np.zeros(len(sets), dtype=np.int64), np.arange(len(sets))
        while True:
            column = self.nodes[at, 0]
            asks = column >= 0
            if not asks.any():
                return np.asarray(self._numbers[at])
            has = sets[lines, np.maximum(column, 0)]
            at = np.where(asks, self.nodes[at, np.where(has, 1, 2)], at)

    def free(self, leaf: Leaf) -> int:
        """How many columns a leaf leaves open."""
        return self.columns - len(leaf.inside) - len(leaf.outside)

    def fits(self, leaf: Leaf, width: int) -> bool:
        """Whether sets of this width reach the leaf."""
        return 0 <= width - len(leaf.inside) <= self.free(leaf)

    def masks(self) -> tuple[Flags, Flags]:
        """Which columns are inside, and which are free, a line a leaf."""
        inside = np.zeros((len(self.leaves), self.columns), dtype=bool)
        free = np.ones_like(inside)
        for number, leaf in enumerate(self.leaves):
            inside[number, list(leaf.inside)] = True
            free[number, list(leaf.inside + leaf.outside)] = False
        return inside, free


def grow(model: ChowLiu, leaves: int, width: int, chance: float | None = None) -> QuestionTree:
    """Splits the leaf again and again whose sets of this width the model tells apart most, by the best column.

    With a `chance` sets are those that have each column by it, whatever their width.

    A split of a leaf that random sets reach with chance P, and of which a share s has the column, takes about
    P s (1 - s) drop^2 from the variance of what the model says, where drop is how much the column makes rarer.
    """
    columns = len(model.chances)
    nodes: list[list[int]] = [[-1, 0, 0]]
    waiting: list[tuple[float, int, int, Leaf]] = []

    def weigh(node: int, leaf: Leaf) -> None:
        found = _best(model, leaf, columns, width, chance)
        if found is not None:
            heapq.heappush(waiting, (-found[0], node, found[1], leaf))

    weigh(0, Leaf((), ()))
    while waiting and (len(nodes) + 1) // 2 < leaves:
        _, node, column, leaf = heapq.heappop(waiting)
        nodes[node] = [column, len(nodes), len(nodes) + 1]
        nodes += [[-1, 0, 0], [-1, 0, 0]]
        weigh(nodes[node][1], Leaf((*leaf.inside, column), leaf.outside))
        weigh(nodes[node][2], Leaf(leaf.inside, (*leaf.outside, column)))
    return QuestionTree(np.array(nodes, dtype=np.int64), columns)


def _best(model: ChowLiu, leaf: Leaf, columns: int, width: int, chance: float | None) -> tuple[float, int] | None:
    """What the best split of a leaf is worth, and its column; None where there is none."""
    open_columns = [c for c in range(columns) if c not in leaf.inside and c not in leaf.outside]
    left, free = width - len(leaf.inside), len(open_columns)
    if free == 0 or (chance is None and (left <= 0 or left >= free)):
        return None
    fixed = np.full((1 + free, columns), -1, dtype=np.int8)
    fixed[:, list(leaf.inside)] = 1
    fixed[np.arange(1, 1 + free), open_columns] = 1
    chances = model.chance(fixed)
    drops = chances[0] - chances[1:]
    best = int(np.argmax(drops))
    if chance is None:
        share, reached = left / free, comb(free, left) / comb(columns, width)
    else:
        share, reached = chance, chance ** len(leaf.inside) * (1 - chance) ** len(leaf.outside)
    return reached * share * (1 - share) * float(drops[best]) ** 2, open_columns[best]

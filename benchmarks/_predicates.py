"""Random predicates, many at once: their true shares, a model's, and those of all its replicates.

A predicate: some columns, of each a random set of its values that has 15 to 80% of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from hushtable.domain.predicate import Count, Event
from hushtable.maths.weighted_rows.replicates import Replicates
from hushtable.maths.weighted_rows.weighted_rows import WeightedRows
from hushtable.questions.parse import Question

__all__ = ["Predicates", "some_values", "splits"]

Floats = NDArray[np.float64]
LEAST, MOST = 0.15, 0.8


def splits(share: Floats) -> bool:
    """Whether some set of values has a share in the range."""
    return bool(share[share <= MOST].sum() >= LEAST)


@dataclass(frozen=True, eq=False)
class Predicates:
    """Conditions on so many columns each."""

    members: NDArray[np.int64]
    """The columns, one line a predicate."""
    kept: NDArray[np.bool_]
    """Whether a value is kept: predicate, place among its columns, code."""

    @classmethod
    def random(cls, shares: Sequence[Floats], width: int, many: int, random: np.random.Generator) -> Predicates:
        """So many of a width; `shares` are those of all values of all columns."""
        able = [j for j, share in enumerate(shares) if splits(share)]
        members = np.array([np.sort(random.choice(able, width, replace=False)) for _ in range(many)], dtype=np.int64)
        kept = np.zeros((many, width, max(len(share) for share in shares)), dtype=bool)
        for line, columns in enumerate(members):
            for place, j in enumerate(columns):
                kept[line, place, : len(shares[j])] = some_values(shares[j], random)
        return cls(members, kept)

    @property
    def width(self) -> int:
        """How many columns each is about."""
        return self.members.shape[1]

    def __len__(self) -> int:
        return len(self.members)

    def some(self, begin: int, end: int) -> Predicates:
        """A part of them."""
        return Predicates(self.members[begin:end], self.kept[begin:end])

    def question(self, number: int, sizes: Sequence[int]) -> Question:
        """One of them, as answers are asked for."""
        sets = [self.kept[number, place, : sizes[j]] for place, j in enumerate(self.members[number])]
        pairs = zip(self.members[number].tolist(), sets, strict=True)
        events = tuple(Event(j, tuple(kept.tolist()), tuple((~kept).tolist())) for j, kept in pairs)
        return Question(text="", where=Count(len(events), len(events), events))

    def true_shares(self, codes: NDArray[np.uint16]) -> Floats:
        """Of rows, one line a column."""
        return np.asarray(_counted(np.ascontiguousarray(codes), self.members, self.kept) / codes.shape[1])

    def model_shares(self, cloud: WeightedRows) -> Floats:
        """Exact sums over the model's rows, as in answers."""
        inside = np.zeros((*self.kept.shape[:2], max(cloud.base_sizes)))
        for line, columns in enumerate(self.members):
            for place, j in enumerate(columns):
                own = cloud.inside[j] * self.kept[line, place, : len(cloud.base[j])]
                inside[line, place, : cloud.base_sizes[j]] = np.bincount(cloud.base[j], own)
        return np.asarray(_weighed(cloud.codes, cloud.weights, self.members, inside))

    def replicate_shares(self, replicates: Replicates) -> tuple[Floats, Floats]:
        """Of the rows that carry replicates: the model's shares, and those of each replicate (one line a predicate)."""
        columns = np.unique(self.members).tolist()
        codes = replicates.codes(columns)
        most = self.kept.shape[2]
        ratios = np.ones((len(replicates.cloud.base), most, replicates.count))
        alone = np.ones(len(replicates.cloud.base), dtype=bool)
        for j in columns:
            ratio: Any = replicates.values(j)[1]
            if ratio is not None:
                ratios[j, : len(ratio)], alone[j] = ratio, False
        own, each = np.zeros(len(self)), np.zeros((len(self), replicates.count))
        weights = np.ascontiguousarray(replicates.weights, dtype=np.float64)
        _replicated(codes, replicates.carriers[1], weights, ratios, alone, self.members, self.kept, own, each)
        return own, each


def some_values(share: Floats, random: np.random.Generator) -> NDArray[np.bool_]:
    """A random set of values with a share in the range; values with more are never in it."""
    for _ in range(10_000):
        order = random.permutation(len(share))
        sums = np.cumsum(share[order])
        ends = np.flatnonzero((sums >= LEAST) & (sums <= MOST))
        if len(ends):
            kept = np.zeros(len(share), dtype=bool)
            kept[order[: 1 + random.choice(ends)]] = True
            return kept
    raise ValueError("no set of values has a share in the range")


@numba.njit(cache=True)
def _counted(codes, members, kept):  # type: ignore[no-untyped-def]  # pragma: no cover
    out = np.zeros(len(members))
    for q in range(len(members)):
        holds = kept[q, 0][codes[members[q, 0]]]
        for place in range(1, members.shape[1]):
            own, line = kept[q, place], codes[members[q, place]]
            for row in range(codes.shape[1]):
                holds[row] &= own[line[row]]
        out[q] = holds.sum()
    return out


@numba.njit(cache=True)
def _weighed(codes, weights, members, inside):  # type: ignore[no-untyped-def]  # pragma: no cover
    out, each = np.zeros(len(members)), np.empty(len(weights))
    for q in range(len(members)):
        each[:] = weights
        for place in range(members.shape[1]):
            own, line = inside[q, place], codes[members[q, place]]
            for row in range(len(weights)):
                each[row] *= own[line[row]]
        out[q] = each.sum()
    return out


@numba.njit(cache=True)
def _kept_rows(codes, members, kept, holds):  # type: ignore[no-untyped-def]  # pragma: no cover
    holds[:] = True
    for place in range(len(members)):
        own, line = kept[place], codes[members[place]]
        for row in range(len(holds)):
            holds[row] &= own[line[row]]


@numba.njit(cache=True, fastmath=True)
def _moved(codes, weights, ratios, alone, members, moved):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Weights of all rows with the codes that they have: inside groups these have other shares in each replicate."""
    moved[:] = weights
    for place in range(len(members)):
        if not alone[members[place]]:
            ratio, line = ratios[members[place]], codes[members[place]]
            for row in range(len(moved)):
                for r in range(moved.shape[1]):
                    moved[row, r] *= ratio[line[row], r]


@numba.njit(cache=True, fastmath=True)
def _summed(weights, holds, out):  # type: ignore[no-untyped-def]  # pragma: no cover
    for row in range(len(holds)):
        if holds[row]:
            for r in range(weights.shape[1]):
                out[r] += weights[row, r]


@numba.njit(cache=True, fastmath=True)
def _replicated(codes, shares, weights, ratios, alone, members, kept, own, each):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Shares of each predicate among the rows as each replicate weighs them."""
    holds, everything = np.empty(len(shares), dtype=np.bool_), np.ones(len(shares), dtype=np.bool_)
    moved, whole = np.empty_like(weights), np.empty(weights.shape[1])
    for q in range(len(members)):
        _kept_rows(codes, members[q], kept[q], holds)
        own[q] = (shares * holds).sum()
        if alone[members[q]].all():
            _summed(weights, holds, each[q])
            continue
        _moved(codes, weights, ratios, alone, members[q], moved)
        whole[:] = 0.0
        _summed(moved, everything, whole)
        _summed(moved, holds, each[q])
        each[q] /= whole

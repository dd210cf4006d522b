"""Answers: what a distribution says to a whole class of questions at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from .factored import Factored

__all__ = ["TableClass", "all_parities"]

Floats = NDArray[np.float64]
Sets = NDArray[np.int32]


class TableClass:
    """The tables of a fixed list of attribute sets, one after the other; sets of one shape are computed together."""

    def __init__(self, sizes: Sequence[int], sets: Sequence[Sequence[int]], starts: NDArray[np.int64]) -> None:
        self.sets, self.starts = sets, starts
        self.width = max(map(len, sets))
        rows: dict[tuple[int, ...], list[int]] = {}
        for row, members in enumerate(sets):
            rows.setdefault(tuple(sizes[p] for p in members), []).append(row)
        self._shapes = [(shape, np.array(same_shape)) for shape, same_shape in rows.items()]
        self._members = [np.array([sets[row] for row in same_shape]) for _, same_shape in self._shapes]
        # Short sets repeat a member, which says nothing new about the groups they span.
        self.padded = np.array([(*members, *[members[-1]] * (self.width - len(members))) for members in sets])

    def of(self, distribution: Factored) -> Floats:
        """All cells, as fractions.

        Attributes in different groups are independent: first every table is the product of its one-ways, then
        those that have two members in one group are replaced.
        """
        out = np.empty(int(self.starts[-1]))
        ones = distribution.one_ways()
        for (shape, rows), members in zip(self._shapes, self._members, strict=True):
            product = np.ones((len(rows), 1))
            for column, size in enumerate(shape):
                padded = np.array([one_way if len(one_way) == size else np.zeros(size) for one_way in ones])
                product = (product[:, :, None] * padded[members[:, column]][:, None, :]).reshape(len(rows), -1)
            if len(self._shapes) == 1:
                out = product.ravel()
            else:
                out[self.starts[rows][:, None] + np.arange(prod(shape))] = product
        self._replace_joined(distribution, ones, out)
        return out

    def _replace_joined(self, distribution: Factored, ones: list[Floats], out: Floats) -> None:
        number = np.full(len(ones), -1)
        inside = []
        for g, group in enumerate(distribution.together()):
            number[list(group.members)] = g
            inside.append(group.sub_tables(self.width))
        owners = np.sort(np.where(number[self.padded] < 0, -1 - self.padded, number[self.padded]), axis=1)
        joined = ((owners[:, 1:] == owners[:, :-1]) & (owners[:, 1:] >= 0)).any(axis=1)
        for (shape, rows), members in zip(self._shapes, self._members, strict=True):
            chosen = joined[rows]
            for few, own in _alike(number, rows[chosen], members[chosen]):
                out[self.starts[few][:, None] + np.arange(prod(shape))] = _products(number, inside, ones, own)


def _blocks(number: NDArray[np.intp], members: NDArray[np.integer]) -> tuple[tuple[int, ...], ...]:
    """The columns of a set that lie in one group, group after group; an attribute of no group is alone."""
    columns: dict[int, tuple[int, ...]] = {}
    for column, p in enumerate(members):
        key = int(number[p]) if number[p] >= 0 else -1 - int(p)
        columns[key] = (*columns.get(key, ()), column)
    return tuple(columns.values())


def _alike(
    number: NDArray[np.intp], rows: NDArray[np.intp], members: NDArray[np.integer]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.integer]]]:
    """Sets that are split over groups in the same columns, together."""
    kinds: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for at, own in enumerate(members):
        kinds.setdefault(_blocks(number, own), []).append(at)
    for places in kinds.values():
        yield rows[places], members[places]


def _products(
    number: NDArray[np.intp], inside: list[dict[tuple[int, ...], Floats]], ones: list[Floats], sets: NDArray[np.integer]
) -> Floats:
    """The tables of sets that are split in the same columns: for each part its table, then all outer products."""
    letters = "abcdefghijklmnop"
    terms, parts = [], []
    for columns in _blocks(number, sets[0]):
        own = sets[:, columns].tolist()
        tables = [inside[number[p[0]]][tuple(p)] if number[p[0]] >= 0 else ones[p[0]] for p in own]
        parts.append(np.array(tables))
        terms.append("z" + "".join(letters[c] for c in columns))
    tables_of_sets: Floats = np.einsum(f"{','.join(terms)}->z{letters[: sets.shape[1]]}", *parts)
    return tables_of_sets.reshape(len(sets), -1)


def all_parities(distribution: Factored, levels: Sequence[Sets]) -> Floats:
    """The mean of every parity (product of signs, first value +1) of the sets of size 0, 1, 2, ..., in order."""
    means = np.array([one_way[0] - one_way[1] for one_way in distribution.one_ways()])
    joined = list(distribution.together())
    means[[p for group in joined for p in group.members]] = 1.0
    parts = [means[level].prod(axis=1) for level in levels]
    for group in joined:
        parts = [part * own for part, own in zip(parts, group.parity_means(levels), strict=True)]
    return np.concatenate(parts)

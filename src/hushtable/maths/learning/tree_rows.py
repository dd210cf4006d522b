"""Rows of a tree: public rows drawn from noisy pairs of columns, each column by one that it depends on most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["tree_of", "tree_rows"]

Floats = NDArray[np.float64]
Pair = Callable[[int, int], Floats]


def shares(table: Floats) -> Floats:
    """A noisy table as shares: nothing below 0, all together 1; even where nothing is left."""
    kept = np.maximum(table, 0.0)
    total = kept.sum()
    return kept / total if total > 0 else np.full(table.shape, 1.0 / table.size)


def information(table: Floats) -> float:
    """How much two columns say of each other, in nats."""
    apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    held = table > 0
    return float((table[held] * np.log(table[held] / apart[held])).sum())


def tree_of(count: int, pair: Pair) -> list[int]:
    """The column that each depends on, -1 for the first: the tree of the most information [ChoL68], by Prim."""
    parents, best = [-1] * count, np.full(count, -np.inf)
    order, last = [0], 0
    best[0] = np.inf
    outside = set(range(1, count))
    while outside:
        for column in outside:
            told = information(shares(pair(last, column)))
            if told > best[column]:
                best[column], parents[column] = told, last
        last = max(sorted(outside), key=lambda column: best[column])
        order.append(last)
        outside.remove(last)
    return parents


def tree_rows(
    count: int, pair: Pair | None, single: Callable[[int], Floats], rows: int, seed: int
) -> NDArray[np.int64]:
    """Rows of codes, a line each: by the tree where pairs are known, else each column by itself."""
    random = np.random.default_rng(seed)
    out = np.zeros((rows, count), dtype=np.int64)
    parents = [-1] * count if pair is None else tree_of(count, pair)
    done, left = set[int](), list(range(count))
    while left:
        column = next(c for c in left if parents[c] < 0 or parents[c] in done)
        if pair is None or parents[column] < 0:
            chances = shares(single(column))[None].repeat(rows, axis=0)
        else:
            table = shares(pair(parents[column], column))
            whole = table.sum(axis=1, keepdims=True)
            given = np.divide(table, whole, out=np.full(table.shape, 1 / table.shape[1]), where=whole > 0)
            chances = given[out[:, parents[column]]]
        ends = np.cumsum(chances, axis=1)
        out[:, column] = np.minimum((random.random((rows, 1)) > ends).sum(axis=1), chances.shape[1] - 1)
        done.add(column)
        left.remove(column)
    return out

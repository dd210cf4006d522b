"""The simulated tables and graphs: rows of yes/no columns, and edges with hubs and communities."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["basket", "every_set", "graph", "random_sets", "small_graph", "survey"]

Bits = NDArray[np.bool_]
Edges = NDArray[np.int64]


def survey(seed: int, columns: int, rows: int = 50_000) -> Bits:
    """Eight kinds of people, each with a chance of its own for every column."""
    source = np.random.default_rng(seed)
    weights = source.dirichlet(np.full(8, 2.0))
    base, effect = source.normal(-0.7, 1, columns), source.normal(0, 1.3, (8, columns))
    kind = source.choice(8, rows, p=weights)
    return np.asarray(source.random((rows, columns)) < 1 / (1 + np.exp(-(base + effect[kind]))))


def basket(seed: int, columns: int, rows: int = 50_000) -> Bits:
    """Things that are bought on twelve occasions, each of which is rare."""
    source = np.random.default_rng(seed)
    base, active = source.normal(-2.2, 1, columns), source.random((rows, 12)) < 0.15
    loads = source.normal(2.2, 0.5, (12, columns)) * (source.random((12, columns)) < 0.12)
    return np.asarray(source.random((rows, columns)) < 1 / (1 + np.exp(-(base + active @ loads))))


def graph(seed: int, vertices: int, edges: int) -> Edges:
    """Weights i^-0.6, eight communities with four times the affinity, each pair at most once; a line an end."""
    source = np.random.default_rng(seed)
    weight, community = np.arange(1, vertices + 1) ** -0.6, source.integers(0, 8, vertices)
    small, large = np.triu_indices(vertices, 1)
    chance = weight[small] * weight[large] * np.where(community[small] == community[large], 4.0, 1.0)
    chosen = source.choice(len(small), edges, replace=False, p=chance / chance.sum())
    return np.stack([small[chosen], large[chosen]])


def small_graph(seed: int, vertices: int = 9) -> list[tuple[int, int]]:
    """Of which all sets can be looked at; every vertex has two neighbours at least."""
    source = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(vertices), 2) if source.random() < 0.45]
    return [*pairs, *((v, (v + 1) % vertices) for v in range(vertices))]


def random_sets(source: np.random.Generator, count: int, columns: int, chance: float) -> Bits:
    """Every column is in a set by the same chance."""
    return np.asarray(source.random((count, columns)) < chance)


def every_set(columns: int) -> NDArray[Any]:
    """All sets, a line a set; line i is the set of the bits of i."""
    return np.asarray((np.arange(2**columns)[:, None] >> np.arange(columns)) % 2 == 1)

"""Forest: where the fit starts. The strongest pairs that close no circle, and rows drawn exactly from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .network import Network

__all__ = ["forest_start", "systematic"]

Floats = NDArray[np.float64]
# A cell at 0 can never be revived by raking, so none starts below 5% of independence.
FLOOR, ROUNDS = 0.05, 30


def systematic(chances: Floats, count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """`count` draws whose numbers differ from count x chance by less than 1, in random order."""
    edges = np.cumsum(chances)
    points = (np.arange(count) + random.random()) * (edges[-1] / max(count, 1))
    drawn = np.minimum(np.searchsorted(edges, points, side="right"), len(chances) - 1)
    return random.permutation(drawn)


def _tree(network: Network, scores: Sequence[float]) -> list[tuple[int, int, int]]:
    """(number of the pair, parent, child) in an order in which parents come first (Kruskal, then a walk)."""
    width = len(network.shares)
    root = list(range(width))

    def find(j: int) -> int:
        while root[j] != j:
            root[j] = root[root[j]]
            j = root[j]
        return j

    near: list[list[tuple[int, int]]] = [[] for _ in range(width)]
    for number in sorted(range(len(scores)), key=lambda k: -scores[k]):
        if len(network.sets[number].members) != 2:
            continue
        i, j = network.sets[number].members
        if find(i) != find(j):
            root[find(i)] = find(j)
            near[i].append((number, j))
            near[j].append((number, i))
    steps, seen = [], [False] * width
    for start in range(width):
        if seen[start]:
            continue
        seen[start], waiting = True, [start]
        while waiting:
            parent = waiting.pop()
            for number, child in near[parent]:
                if not seen[child]:
                    seen[child] = True
                    steps.append((number, parent, child))
                    waiting.append(child)
    return steps


def _edge(network: Network, number: int) -> Floats:
    """Shares of a pair's cells with exactly the margins of the one-ways (iterative proportional fitting)."""
    pair = network.sets[number]
    sides = [np.bincount(groups, network.shares[m]) for m, groups in zip(pair.members, pair.maps, strict=True)]
    apart = np.outer(*sides)
    counts = network.target[network.cells[number] : network.cells[number + 1]].reshape(pair.shape)
    joint = np.maximum(counts / network.rows, FLOOR * apart)
    for _ in range(ROUNDS):
        joint *= (sides[0] / np.maximum(joint.sum(axis=1), 1e-300))[:, None]
        joint *= sides[1] / np.maximum(joint.sum(axis=0), 1e-300)
    return np.asarray(joint)


def forest_start(
    network: Network, scores: Sequence[float], count: int, random: np.random.Generator
) -> tuple[NDArray[np.uint16], Floats]:
    """Rows (attributes x rows, base groups) and theta that describe the same distribution."""
    codes = np.zeros((len(network.shares), count), dtype=np.uint16)
    theta = np.zeros(len(network.target))
    steps = _tree(network, scores)
    children = {child for _, _, child in steps}
    for j, shares in enumerate(network.shares):
        if j not in children:
            codes[j] = systematic(shares, count, random)
    for number, parent, child in steps:
        pair, joint = network.sets[number], _edge(network, number)
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where((joint > 0) & (apart > 0), np.log(joint / apart), 0.0)
        theta[network.cells[number] : network.cells[number + 1]] = ratio.ravel()
        if pair.members[0] == child:
            ratio = ratio.T
        up, down = pair.members.index(parent), pair.members.index(child)
        group = pair.maps[up][codes[parent]]
        for g in range(pair.shape[up]):
            rows = np.flatnonzero(group == g)
            chances = network.shares[child] * np.exp(ratio[g])[pair.maps[down]]
            codes[child, rows] = systematic(chances, len(rows), random)
    return codes, theta

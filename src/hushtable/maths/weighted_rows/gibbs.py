"""Gibbs: every attribute of every row drawn anew, given the row's others, by what a network and its theta say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .network import Network

__all__ = ["renew"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]
Singles = NDArray[np.float32]
# Larger factors are cut here, so that no product of single-precision numbers leaves its range.
FACTOR_REACH = 60.0
NO_LINES, NO_ODDS = np.zeros(0, dtype=np.float32), np.zeros((0, 0), dtype=np.float32)


def renew(network: Network, codes: NDArray[np.uint16], theta: Floats, seed: int, by_length: Floats) -> None:
    """Changes the rows in place; the distribution that theta describes stays as it is.

    `by_length` are the factors of the cells of row lengths; none where lengths do not matter.
    """
    from .kernels import gibbs_pass

    if max(network.sizes) == 2 and all(len(grouped.members) < 3 for grouped in network.sets):
        shift, odds = _log_odds(network, theta)
        none = np.zeros(1, dtype=np.int64)
        links, starts, maps, tables = none.reshape(1, 1), none, none, np.zeros(1, dtype=np.float32)
    else:
        shift, odds = NO_LINES, NO_ODDS
        links, starts, maps, tables = _links(network, theta)
    bases, base = np.cumsum([0, *network.sizes]), np.concatenate(network.shares).astype(np.float32)
    rules = network.rules.layout(len(network.sizes))
    gibbs_pass(codes, base, bases, links, starts, maps, tables, np.uint64(seed), *rules,
               network.lengths.group, network.lengths.order, by_length, shift, odds)  # fmt: skip


def _log_odds(network: Network, theta: Floats) -> tuple[Singles, Singles]:
    """For attributes of two groups: the logarithm of the odds of group 1 where all others have group 0, and (line k,
    column j) what group 1 of attribute k adds to that of j."""
    width = len(network.shares)
    shift, odds = np.zeros(width), np.zeros((width, width))
    with np.errstate(divide="ignore"):
        for j, share in enumerate(network.shares):
            shift[j] = np.log(share[1]) - np.log(share[0]) if len(share) == 2 else 0.0
    shift = np.nan_to_num(shift, nan=0.0, posinf=2 * FACTOR_REACH, neginf=-2 * FACTOR_REACH)
    for j, (one, none) in network.of_one:
        shift[j] += theta[one] - theta[none]
    members, cells = network.of_two
    if len(members):
        first, second = members.T
        corner, down, across, both = theta[cells].T
        np.add.at(shift, first, down - corner)
        np.add.at(shift, second, across - corner)
        together = both - down - across + corner
        np.add.at(odds, (second, first), together)
        np.add.at(odds, (first, second), together)
    return shift.astype(np.float32), odds.astype(np.float32)


def _links(network: Network, theta: Floats) -> tuple[Map, Map, Map, Singles]:
    """For attributes of any number of groups: their links, where each one's begin, the maps and the factor tables."""
    sizes = network.sizes
    lines: list[list[tuple[int, ...]]] = [[] for _ in sizes]
    # A map of zeros stands in for a second other attribute where there is none.
    maps, place = [np.zeros(max(sizes), dtype=np.int64)], max(sizes)
    tables: list[Singles] = []
    filled = 0
    for number, grouped in enumerate(network.sets):
        whole = theta[network.cells[number] : network.cells[number + 1]].reshape(grouped.shape)
        for axis, member in enumerate(grouped.members):
            # Rows: cells of the others, columns: base groups of this member.
            part = np.moveaxis(whole, axis, -1)[..., grouped.maps[axis]].reshape(-1, sizes[member])
            part = part - part.max(axis=1, keepdims=True)
            line = [0, 0, 0, 0]
            stride = 1
            for slot, other in enumerate([a for a in range(len(grouped.members)) if a != axis][::-1]):
                maps.append(grouped.maps[other] * stride)
                line[2 * slot : 2 * slot + 2] = [grouped.members[other], place]
                place += len(grouped.maps[other])
                stride *= grouped.shape[other]
            lines[member].append((*line, filled))
            tables.append(np.exp(np.maximum(part, -FACTOR_REACH)).astype(np.float32).ravel())
            filled += part.size
    starts = np.cumsum([0, *(len(mine) for mine in lines)])
    flat = np.array([line for mine in lines for line in mine], dtype=np.int64).reshape(-1, 5)
    return flat, starts, np.concatenate(maps), np.concatenate([*tables, np.zeros(1, np.float32)])

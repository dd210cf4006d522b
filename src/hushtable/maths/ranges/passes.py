"""Passes: noisy counts of a number's cells, each pass finer where the ones before have seen rows.

Every pass is one table of disjoint cells, chosen from numbers that were released before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ...domain.attributes import Binned
from ...domain.range_cells import roundest

__all__ = ["Cuts", "Pass", "by_share", "least_squares", "parted", "pooled_deviation"]

Floats = NDArray[np.float64]
Cuts = tuple[Fraction, ...]
# A cell is worth parts of so many deviations of the next pass's noise, and of so much of the rows; parts of one cell.
PART, SHARE, PARTS = 6.0, 1 / 512, 32
# Neighbours that both hold less than so many deviations are joined.
JOINED = 2.0
# Less noise than any pass has.
LEAST = 1e-6
# Cuts that a column has at least.
FEWEST = 3
# A cut may be moved to a rounder number by so much of a part.
MOVED = Fraction(15, 100)


@dataclass(frozen=True, eq=False)
class Pass:
    """The counts of one pass: its cells are those between the cuts; what is missing or undeclared is not among them."""

    cuts: Cuts
    counts: Floats
    variance: float

    @property
    def precision(self) -> float:
        """One over the variance; of a single cell that holds all rows, whose number is public, as good as none."""
        return 1 / max(self.variance, LEAST)


def pooled_deviation(passes: Sequence[Pass]) -> float:
    """Standard deviation of a cell that all passes have counted."""
    return float(sum(own.precision for own in passes) ** -0.5)


def least_squares(passes: Sequence[Pass]) -> Floats:
    """What all passes say of the cells of the last one.

    A cut of an earlier pass that is no longer there makes its neighbours one cell, of k counts and k times the noise.
    The last pass has counted every cell and the others sums of them: as many equations as these sums are enough
    (Woodbury's formula).
    """
    last, sums, groups = passes[-1], list[Floats](), list[NDArray[np.int64]]()
    right, weights, known = last.precision * last.counts, list[Floats](), 0
    for own in passes[:-1]:
        shared = sorted(set(own.cuts) & set(last.cuts))
        theirs, mine = (_groups(edges, shared) for edges in (own.cuts, last.cuts))
        weights.append(own.precision / np.bincount(theirs))
        sums.append(weights[-1] * np.bincount(theirs, own.counts))
        right = right + sums[-1][mine]
        groups.append(known + mine)
        known += len(shared) + 1
    if not groups:
        return last.counts
    alone = right / last.precision
    inner = np.diag(1 / np.concatenate(weights))
    for one in groups:
        for two in groups:
            inner += np.bincount(one * known + two, minlength=known**2).reshape(known, known) / last.precision
    told = np.linalg.solve(inner, sum((np.bincount(own, alone, minlength=known) for own in groups), np.zeros(known)))
    return np.asarray(alone - sum((told[own] for own in groups), np.zeros(len(alone))) / last.precision)


def _groups(cuts: Sequence[Fraction], shared: Sequence[Fraction]) -> NDArray[np.int64]:
    """For every cell between cuts the cell between those that are shared."""
    known = set(shared)
    return np.cumsum([0, *(cut in known for cut in cuts)]).astype(np.int64)


def coarser(cuts: Cuts, counts: Floats, enough: float, fixed: Collection[Fraction]) -> tuple[Cuts, Floats]:
    """Neighbours that both hold less than `enough` are joined until they do; a fixed cut stays."""
    kept, sums, held = [], [], float(counts[0])
    for cut, count in zip(cuts, counts[1:].tolist(), strict=True):
        if held < enough and count < enough and cut not in fixed:
            held += count
            continue
        kept.append(cut)
        sums.append(held)
        held = count
    return tuple(kept), np.array([*sums, held])


def finer(attribute: Binned, cuts: Cuts, counts: Floats, each: float, parts: int = PARTS) -> Cuts:
    """Every cell in as many parts of whole steps as it holds `each`, cut at round numbers where one is near."""
    edges = (attribute.edges[0], *cuts, attribute.edges[-1])
    found = list(cuts)
    for low, high, count in zip(edges, edges[1:], counts.tolist(), strict=False):
        many = int(min(max(count / each, 1), parts))
        if many > 1:
            found += _inside(attribute, low, high, many)
    return tuple(sorted(set(found)))


def _inside(attribute: Binned, low: Fraction, high: Fraction, parts: int) -> list[Fraction]:
    """Cuts on the grid of steps that part an interval about evenly."""
    start, unit = attribute.low, attribute.unit
    first, last = ceil((low - start) / unit), ceil((high - start) / unit)
    parts = min(parts, last - first)
    width = Fraction(last - first, max(parts, 1)) * unit
    even = (low + i * width for i in range(1, parts))
    near = (roundest(value, MOVED * width, attribute) for value in even)
    return [cut for cut in near if low < cut < high]


def parted(attribute: Binned, passes: Sequence[Pass], next_noise: float, fixed: Collection[Fraction]) -> Cuts:
    """Cells for the next pass, whose counts will have this standard deviation."""
    cuts = passes[-1].cuts
    counts = least_squares(passes)
    joined, sums = coarser(cuts, counts, JOINED * pooled_deviation(passes), fixed)
    return _some(finer(attribute, joined, sums, max(PART * next_noise, SHARE * float(counts.sum()), 1.0)), passes)


def _some(cuts: Cuts, passes: Sequence[Pass]) -> Cuts:
    """At least four cells, by cuts of the first pass where noise has joined nearly all: a column is never lost."""
    first = passes[0].cuts
    return cuts if len(cuts) >= FEWEST else tuple(sorted({*cuts, *first[len(first) // 4 :: len(first) // 4 or 1]}))


def by_share(attribute: Binned, passes: Sequence[Pass], cells: int, fixed: Collection[Fraction]) -> Cuts:
    """At most about so many cells of about equal shares; values with large shares of their own stay alone."""
    cuts = passes[-1].cuts
    counts = least_squares(passes)
    rows, noise = max(float(counts.sum()), 1.0), pooled_deviation(passes)
    joined, sums = coarser(cuts, counts, max(JOINED * noise, rows / (2 * cells)), fixed)
    split = finer(attribute, joined, sums, max(PART * noise, rows / cells), cells)
    # What is cut finer than was measured is about even in each cell.
    for_each = dict(zip((attribute.edges[0], *joined), sums.tolist(), strict=True))
    held = _spread(attribute, joined, for_each, split)
    while len(split) >= cells + len(fixed):
        pairs = [(a + b, cut) for a, b, cut in zip(held, held[1:], split, strict=False) if cut not in fixed]
        if not pairs:
            break
        at = split.index(min(pairs)[1])
        held = [*held[:at], held[at] + held[at + 1], *held[at + 2 :]]
        split = (*split[:at], *split[at + 1 :])
    return _some(split, passes)


def _spread(attribute: Binned, cuts: Cuts, sums: dict[Fraction, float], split: Cuts) -> list[float]:
    """Counts of finer cells, even inside those that were counted."""
    edges = (attribute.edges[0], *split, attribute.edges[-1])
    coarse = [attribute.edges[0], *cuts, attribute.edges[-1]]
    held, at = [], 0
    for low, high in pairwise(edges):
        while coarse[at + 1] <= low:
            at += 1
        held.append(sums[coarse[at]] * float((high - low) / (coarse[at + 1] - coarse[at])))
    return held

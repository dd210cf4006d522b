"""Sensitivity of interactions: the largest weighted change one row can make to them all, as an exact fraction.

Weights belong to groups, and the attributes of one size are exchangeable within a group, so the worst pair of
rows is known by how many attributes of each size differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from math import comb, lcm, prod

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...maths.interactions.contrasts import contrasts
from ...maths.interactions.layout import InteractionLayout

__all__ = ["absolute", "largest_change", "sensitivity", "squared"]

# More points than this are not searched; `squared` then bounds group by group.
GRID = 200_000

Group = tuple[tuple[int, int], ...]
"""A group as (size, how many members have it)."""


def sensitivity(
    interactions: InteractionLayout, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours
) -> Fraction:
    """`Statistic.sensitivity` for coordinates laid out by `interactions`: `squared` or `absolute`."""
    if interactions.basis == "monomial":
        return _monomial(interactions, weights, neighbours)
    return (squared if power == 2 else absolute)(interactions, weights, neighbours)


def _monomial(interactions: InteractionLayout, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
    """Every product of bits is 1 for the row of ones and 0 for the row of zeros: exact, for either power."""
    sets = [interactions.sets_in(group) for group in range(len(weights))]
    counted = sum((w * s for w, s in zip(weights[1:], sets[1:], strict=True)), Fraction(0))
    return counted + (weights[0] if neighbours == "add-remove" else 0)


def squared(interactions: InteractionLayout, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
    """Largest weighted squared change, in orthonormal coordinates. Exact, except as said below.

    add-remove  sum over sets A of w_A prod_{j in A} p_j,  p = (m - 1) / m                       [XiaHZK23]
    replace     max over the set D of attributes that differ of the sum over A of
                w_A 2 (prod_{A} p_j - prod_{A - D} p_j prod_{A and D} (-1 / m_j))

    With two values each, replace is the Krawtchouk formula: 2 (C(d,i) - K_i(|D|; d)) / 2^i for the sets of
    size i. When more than 200,000 combinations of numbers of differing attributes are possible, the maximum
    is taken for each group alone: an upper bound.
    """
    have = Counter(interactions.sizes)
    live = _live(interactions, weights)
    if neighbours == "add-remove":
        norms = (prod(comb(have[s], a) * Fraction(s - 1, s) ** a for s, a in g) for g, _ in live)
        return sum((w * norm for (_, w), norm in zip(live, norms, strict=True)), Fraction(0))
    # The number of rows does not change; and an attribute in no weighted group need not differ.
    live = [(g, 2 * w / prod(s**a for s, a in g)) for g, w in live if g]
    overlaps = {(s, a): _overlaps(s, have[s], a) for g, _ in live for s, a in g}
    points = {s: len(column) for (s, _), column in overlaps.items()}
    if prod(points.values()) > GRID:
        return sum((w * (_most(g, overlaps) - _least(g, overlaps)) for g, w in live), Fraction(0))
    return _largest(live, points, overlaps)


def absolute(interactions: InteractionLayout, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
    """Largest weighted sum of absolute changes, in units of the contrasts' steps.

    add-remove  sum over sets A of w_A prod_{j in A} L(m_j), L = `Contrasts.largest_l1`. Exact: one row can
                take the largest value of every attribute.
    replace     sets of two-valued attributes change by 2 where an odd number of members differ: exact,
                maximised over the number of attributes that differ. Other sets: twice the add-remove value,
                an upper bound (reached by single attributes with 2^k values, whose rows part at the root).
    """
    have = Counter(interactions.sizes)
    live = _live(interactions, weights)
    reach = {s: _reach(s) for s in have}
    one_row = [(g, w * prod(comb(have[s], a) * reach[s] ** a for s, a in g)) for g, w in live]
    if neighbours == "add-remove":
        return sum((value for _, value in one_row), Fraction(0))
    rest = sum((2 * value for g, value in one_row if any(s != 2 for s, _ in g)), Fraction(0))
    parities = [(g[0][1], w) for g, w in live if g and all(s == 2 for s, _ in g)]
    odd = {a: _overlaps(2, have[2], a) for a, _ in parities}
    differ = range(have[2] + 1)
    return rest + max(sum((w * (odd[a][0] - odd[a][h]) for a, w in parities), Fraction(0)) for h in differ)


def largest_change(interactions: InteractionLayout, neighbours: Neighbours) -> int:
    """The most that one row can change any single coordinate: exact.

    The largest |product of contrasts|, or under replace the largest difference between two values of one
    product, because the two rows are free.
    """
    if interactions.basis == "monomial":
        return 1
    if neighbours == "add-remove":
        ends = {s: int(abs(contrasts(s).matrix[1:]).max(initial=0)) for s in set(interactions.sizes)}
        return max(prod(ends[s] for s in group) for group in interactions.groups)
    ranges = {
        s: _widest((int(row.min()), int(row.max())) for row in contrasts(s).matrix[1:]) for s in set(interactions.sizes)
    }
    widest = 0
    for group in interactions.groups[1:]:
        values = [(1, 1)]
        for size in group:
            values = _widest(_times(a, b) for a in values for b in ranges[size])
        widest = max([widest, *(high - low for low, high in values)])
    return widest


Range = tuple[int, int]


def _times(a: Range, b: Range) -> Range:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _widest(ranges: Iterable[Range]) -> list[Range]:
    """The ranges that lie inside no other one: products of wider ranges are wider."""
    known = set(ranges)
    return [a for a in known if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in known)]


@cache
def _reach(size: int) -> Fraction:
    return contrasts(size).largest_l1()


def _live(interactions: InteractionLayout, weights: Sequence[Fraction]) -> list[tuple[Group, Fraction]]:
    """Groups that have a weight, each with it."""
    pairs = zip(interactions.groups, weights, strict=True)
    return [(tuple(sorted(Counter(sizes).items())), w) for sizes, w in pairs if w]


def _overlaps(size: int, count: int, members: int) -> list[int]:
    """For h = 0, ..., count attributes of `size` that differ, how alike two rows are on `members` of them.

    Sum over all sets of `members` of prod (m - 1 where they agree, -1 where they differ): the Krawtchouk
    polynomial K_members(h; count) in base m. An attribute with one value cannot differ.
    """
    most = count if size > 1 else 0
    return [
        sum(
            comb(h, u) * comb(count - h, members - u) * (size - 1) ** (members - u) * (-1) ** u
            for u in range(min(h, members) + 1)
        )
        for h in range(most + 1)
    ]


Overlaps = dict[tuple[int, int], list[int]]


def _most(group: Group, overlaps: Overlaps) -> int:
    """The overlap of a row with itself, summed over the sets of a group."""
    return prod(overlaps[part][0] for part in group)


def _least(group: Group, overlaps: Overlaps) -> int:
    """The smallest overlap, over all numbers of differing attributes: a product is extreme at ends."""
    low = high = 1
    for part in group:
        low, high = _times((low, high), (min(overlaps[part]), max(overlaps[part])))
    return low


def _largest(live: list[tuple[Group, Fraction]], points: dict[int, int], overlaps: Overlaps) -> Fraction:
    """Max over all points h of the sum over groups of w (overlap at 0 - overlap at h).

    Doubles screen the grid: no overlap exceeds that at 0, and averaged over the second row each is 0, so the
    maximum is at least the sum of w x (overlap at 0) and rounding is below 1e-12 of it. Hence every true
    maximum is within 1e-9 of the screened one; the points that close are settled in integers.
    """
    if not live:
        return Fraction(0)
    unit = lcm(*(w.denominator for _, w in live))
    whole = [(g, int(w * unit), _most(g, overlaps)) for g, w in live]
    heaviest = max(w * most for _, w, most in whole) or 1
    grid = np.zeros(tuple(points.values()))
    for group, w, most in whole:
        grid += float(Fraction(w * most, heaviest)) * (1.0 - _alike(group, list(points), overlaps))
    close = np.argwhere(grid >= grid.max() * (1 - 1e-9))
    values = (_value(dict(zip(points, map(int, h), strict=True)), whole, overlaps) for h in close)
    return Fraction(max(values), unit)


def _alike(group: Group, kinds: list[int], overlaps: Overlaps) -> NDArray[np.float64]:
    """Overlap of a group's sets relative to that at 0; the axes of sizes not in the group have length 1."""
    alike = np.ones([1] * len(kinds))
    for size, members in group:
        column = overlaps[size, members]
        shape = [len(column) if kind == size else 1 for kind in kinds]
        scale = column[0] or 1
        alike = alike * np.array([float(Fraction(v, scale)) for v in column]).reshape(shape)
    return alike


def _value(at: dict[int, int], whole: list[tuple[Group, int, int]], overlaps: Overlaps) -> int:
    return sum(w * (most - prod(overlaps[s, a][at[s]] for s, a in group)) for group, w, most in whole)

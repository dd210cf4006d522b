"""Ordering: values of an unordered column that go with the same values of other columns are put side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Category
from .grouped_sets import GroupedSet, RawTable
from .levels import Groupings

__all__ = ["likeness_order", "ordered", "profile_sets", "unordered"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]
# Columns of fewer values need no order: the values that matter stand alone at the levels in use.
FEW_VALUES = 12
# How many other columns a value's profile is made of, and how coarsely these are grouped.
PARTNERS, PARTNER_LEVEL = 2, 4


def unordered(domain: Domain) -> list[int]:
    """Columns whose codes stand in no meaningful order and are too many to do without one."""
    return [j for j, a in enumerate(domain.closed) if isinstance(a, Category) and a.size > FEW_VALUES]


def ordered(domain: Domain) -> list[int]:
    """Columns whose codes stand in a meaningful order: like values are side by side."""
    return [j for j, a in enumerate(domain.closed) if not isinstance(a, Category)]


def profile_sets(
    columns: Sequence[int], ladders: Sequence[Groupings], pairs: Sequence[tuple[int, ...]], scores: Floats
) -> list[GroupedSet]:
    """For each column its full resolution against the few columns it depends on most, coarsely."""
    found: dict[tuple[int, int], GroupedSet] = {}
    for j in columns:
        mine = [(float(score), sum(pair) - j) for score, pair in zip(scores, pairs, strict=True) if j in pair]
        for _, other in sorted(m for m in mine if m[0] > 0)[::-1][:PARTNERS]:
            groups = ladders[other].steps[PARTNER_LEVEL]
            if groups.max() > 0:
                found[j, other] = GroupedSet((j, other), (np.arange(len(ladders[j].shares)), groups))
    return list(found.values())


def likeness_order(column: int, profiles: Sequence[RawTable], shares: Sequence[Floats], rows: float) -> Map | None:
    """An order of the codes along the direction in which their profiles differ most; None where noise hides it.

    A profile is what a value's rows have more or less of than all rows; it is shrunk towards 0 by its own noise, so
    that rare values end up in the middle. The direction is the first axis of correspondence analysis.
    """
    parts = [t for t in profiles if t.set.members[0] == column]
    if not parts:
        return None
    expected = rows * np.maximum(shares[column], 1e-9)
    excess = np.concatenate([_excess(t, shares, rows) for t in parts], axis=1)
    noise = np.concatenate([np.full(t.set.shape[1], t.variance) for t in parts])
    mass = expected / expected.sum()
    profile = excess / expected[:, None]
    spread = noise[None] / expected[:, None] ** 2
    # Signal variance of each part of the profile, over values weighted by their share, beyond what noise makes.
    signal = np.maximum(mass @ (profile**2) - mass @ np.minimum(spread, 1.0), 0.0)
    if not signal.any():
        return None
    clean = profile * signal / (signal + spread)
    _, _, axes = np.linalg.svd(np.sqrt(mass)[:, None] * clean, full_matrices=False)
    return np.argsort(clean @ axes[0], kind="stable")


def _excess(table: RawTable, shares: Sequence[Floats], rows: float) -> Floats:
    """Counts beyond independence, of every value and partner's group."""
    first, second = (np.bincount(g, shares[m]) for m, g in zip(table.set.members, table.set.maps, strict=True))
    apart = rows * np.outer(first, second)
    interaction = table.interaction - apart
    for axis in range(2):
        interaction = interaction - interaction.mean(axis=axis, keepdims=True)
    return np.asarray(interaction)

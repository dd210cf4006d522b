"""Column groups: which columns share one radius, and how much of epsilon each group gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from .bodies import ProductBody
from .product_law import product_moments

__all__ = ["MOST_DIMENSION", "MOST_VALUES", "ColumnGroup", "groups_of_columns", "one_group", "planned_groups"]

# The numerator of a group's lattice points takes seconds beyond; noise of a larger column hardly gains by its shape.
MOST_DIMENSION, MOST_VALUES = 600, 512


@dataclass(frozen=True)
class ColumnGroup:
    """Some columns, by their positions, and their share of epsilon."""

    columns: tuple[int, ...]
    share: float


def one_group(sizes: Sequence[int]) -> tuple[ColumnGroup, ...]:
    """All columns share one radius, as the source has it."""
    return (ColumnGroup(tuple(range(len(sizes))), 1.0),)


def groups_of_columns(given: Any, sizes: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """Groups as a file has them, if each column is in one and none is too large to be sampled from; else None."""
    if not isinstance(given, list) or not all(isinstance(group, list) and group for group in given):
        return None
    listed = [p for group in given for p in group]
    if not all(type(p) is int for p in listed) or sorted(listed) != list(range(len(sizes))):
        return None
    widest = max(sum(sizes[p] - 1 for p in group) for group in given)
    if max(sizes) > MOST_VALUES or widest > max(MOST_DIMENSION, MOST_VALUES):
        return None
    return tuple(tuple(group) for group in given)


def planned_groups(sizes: Sequence[int], *, added: bool) -> tuple[ColumnGroup, ...]:
    """Groups of columns of similar sizes with the least total squared error of all cells.

    A group whose noise of scale 1 has the squared error c takes the share c^(1/3) / (sum of all c^(1/3)) of epsilon,
    which makes the total (sum of c^(1/3))^3 / epsilon^2 (Lagrange); so that sum is made least, over all ways to cut the
    columns in the order of their sizes: a shortest path. One group is a way, so it is never worse than that.
    """
    atoms = list(_atoms(sizes))
    least: list[tuple[float, int]] = [(0.0, 0)]
    costs: dict[tuple[int, int], float] = {}
    for end in range(1, len(atoms) + 1):
        ways = []
        for start in range(end - 1, -1, -1):
            columns = [p for atom in atoms[start:end] for p in atom]
            body = ProductBody(tuple(sizes[p] for p in columns), added)
            if body.dimension > MOST_DIMENSION and start < end - 1:
                break
            costs[start, end] = _squares(body) ** (1 / 3)
            ways.append((least[start][0] + costs[start, end], start))
        least.append(min(ways))
    return tuple(_path(atoms, least, costs))


def _path(
    atoms: list[list[int]], least: list[tuple[float, int]], costs: dict[tuple[int, int], float]
) -> Iterator[ColumnGroup]:
    end, whole = len(atoms), least[-1][0]
    while end:
        start = least[end][1]
        columns = tuple(sorted(p for atom in atoms[start:end] for p in atom))
        # Columns of one value alone: nothing of them is noisy, and nothing is paid.
        yield ColumnGroup(columns, costs[start, end] / whole if whole else 1.0)
        end = start


def _atoms(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Columns of one size stand together: parted, each part would pay for a radius of its own."""
    ordered = sorted(range(len(sizes)), key=lambda p: (sizes[p], p))
    for size, same in groupby(ordered, key=lambda p: sizes[p]):
        columns = list(same)
        many = max(1, MOST_DIMENSION // max(1, size - 1))
        for start in range(0, len(columns), many):
            yield columns[start : start + many]


def _squares(body: ProductBody) -> float:
    """The squared error of all cells, for scale 1."""
    moments = product_moments(body)
    pairs = zip(body.sizes, moments.contrasts, strict=True)
    return sum(contrast * (size - 1) + moments.total / size for size, contrast in pairs)

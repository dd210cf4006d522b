"""Examples of submodular functions: coverage, influence, cuts, and rows that have any, or lack any, of some columns.

Not private: each says the truth about what it is given. Ask a release instead where that is private.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, check_whole
from .set_function import SetFunction

__all__ = ["coverage", "cuts", "influence", "rows_lacking_any", "rows_with_any"]

Bits = NDArray[np.bool_]


def coverage(sets: Mapping[Hashable, Iterable[Hashable]]) -> SetFunction:
    """The share of all things that at least one of the chosen sets has. Monotone."""
    held = {name: set(things) for name, things in sets.items()}
    items = {thing: place for place, thing in enumerate(dict.fromkeys(t for own in held.values() for t in own))}
    if not items:
        raise BadPlan("coverage needs at least one set with at least one thing in it")
    has = np.zeros((len(items), len(held)), dtype=bool)
    for column, own in enumerate(held.values()):
        has[[items[thing] for thing in own], column] = True
    return _any_of(has, list(held))


def influence(edges: Iterable[tuple[Hashable, Hashable]], chance: float, *, worlds: int, seed: int) -> SetFunction:
    """The share of vertices that an idea started at the chosen ones reaches, where each edge carries it by a chance.

    On average over `worlds` drawings of which edges do; independent cascade. Monotone.
    """
    check_whole(worlds, "worlds", BadPlan)
    if not 0 <= chance <= 1:
        raise BadPlan(f"chance is from 0 to 1, not {chance!r}")
    ends = [tuple(edge) for edge in edges]
    names = list(dict.fromkeys(end for edge in ends for end in edge))
    if not names:
        raise BadPlan("influence needs at least one edge")
    places = {name: place for place, name in enumerate(names)}
    start, stop = np.array([[places[a], places[b]] for a, b in ends]).T
    random = np.random.default_rng(seed)
    reached = [_reach(start[own], stop[own], len(names)) for own in random.random((worlds, len(ends))) < chance]
    # A line a world and vertex, a column an element: whether the one reaches the other there.
    return _any_of(np.concatenate(reached), names)


def _reach(start: NDArray[np.int64], stop: NDArray[np.int64], count: int) -> Bits:
    """Who is reached from whom, a line a vertex that is reached."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    graph = csr_array((np.ones(len(start)), (start, stop)), shape=(count, count))
    return np.asarray(np.isfinite(shortest_path(graph, unweighted=True))).T


def cuts(edges: Iterable[tuple[Hashable, Hashable]]) -> SetFunction:
    """The share of edges that leave the chosen vertices.

    It is divided by the number of edges; by that of vertices squared, as [Har11, Sec. 6.4.1] prints it, no vertex of a
    large graph moves it enough to be seen.
    """
    ends = [tuple(edge) for edge in edges]
    names = list(dict.fromkeys(end for edge in ends for end in edge))
    if not names:
        raise BadPlan("cuts needs at least one edge")
    places = {name: place for place, name in enumerate(names)}
    one, other = np.array([[places[a], places[b]] for a, b in ends]).T

    def value(group: frozenset[Any]) -> float:
        inside = np.zeros(len(names), dtype=bool)
        inside[[places[name] for name in group]] = True
        return float((inside[one] != inside[other]).mean())

    return SetFunction(elements=names, value=value)


def rows_with_any(rows: Any, names: Sequence[str] | None = None, *, literals: bool = False) -> SetFunction:
    """The share of rows, lines of 0 and 1, that have at least one of the chosen columns. Monotone.

    With `literals` every column x is there a second time as `NOT x`.
    """
    return _any_of(*_with_literals(rows, names, literals))


def rows_lacking_any(rows: Any, names: Sequence[str] | None = None, *, literals: bool = False) -> SetFunction:
    """One less the share of rows that have all of the chosen columns, so that it is submodular. Monotone."""
    has, elements = _with_literals(rows, names, literals)
    return _any_of(~has, elements)


def _with_literals(rows: Any, names: Sequence[str] | None, literals: bool) -> tuple[Bits, list[str]]:
    given = np.asarray(rows)
    if given.ndim != 2 or not given.size or not ((given == 0) | (given == 1)).all():
        raise BadPlan("rows are a matrix of 0 and 1, a line a row and a column an element")
    named = [f"c{column}" for column in range(given.shape[1])] if names is None else list(names)
    if len(named) != given.shape[1]:
        raise BadPlan(f"{len(named)} names for {given.shape[1]} columns; give one each")
    has = given.astype(bool)
    if not literals:
        return has, named
    return np.concatenate([has, ~has], axis=1), [*named, *(f"NOT {name}" for name in named)]


def _any_of(has: Bits, elements: Sequence[Hashable]) -> SetFunction:
    """The share of lines that have at least one of some columns, 64 lines at a time."""
    lines = len(has)
    padded = np.zeros((-(-lines // 64) * 64, has.shape[1]), dtype=bool)
    padded[:lines] = has
    words = np.ascontiguousarray(np.packbits(padded, axis=0).T).view(np.uint64)
    places = {element: place for place, element in enumerate(elements)}

    def value(chosen: frozenset[Any]) -> float:
        if not chosen:
            return 0.0
        own = np.bitwise_or.reduce(words[[places[element] for element in chosen]], axis=0)
        return float(np.bitwise_count(own).sum(dtype=np.int64)) / lines

    return SetFunction(elements=elements, value=value, monotone=True)

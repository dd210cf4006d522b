"""Reading vertices: what a domain says of the ends of edges, of which the second may be like the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ..errors import BadDomain
from ..words import listed, readable, suggestion
from .vertex import Vertex

__all__ = ["read_vertex", "with_like"]


def with_like(attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same columns; one whose vertices are those of another has them beside `like`."""
    found = dict(attributes)
    for name, given in attributes.items():
        if not isinstance(given, Mapping) or given.get("kind") != "vertex" or "like" not in given:
            continue
        if len(given) > 2:
            raise BadDomain(f"{name}: vertices that are like another column's are declared there alone")
        ends = {k: v for k, v in attributes.items() if isinstance(v, Mapping) and _declares(v)}
        like = given["like"]
        if not isinstance(like, str) or like not in ends:
            known = [str(end) for end in ends]
            hint = suggestion(str(like), known)
            raise BadDomain(f"{name}: like '{str(like)[:40]}', which declares no vertices; {listed(known)} does.{hint}")
        found[name] = dict(ends[like]) | {"like": like}
    return found


def _declares(given: Mapping[str, Any]) -> bool:
    return given.get("kind") == "vertex" and "like" not in given


def read_vertex(
    name: str, given: Mapping[str, Any], ends: tuple[Fraction, Fraction] | None, names: Callable[[], tuple[str, ...]]
) -> Vertex:
    """One end of an edge: `values: [...]`, `between: [1, 1000]`, or like another column."""
    if ("values" in given) == (ends is not None):
        raise BadDomain(f"{name}: give the vertices as `values: [...]`, `between: [1, 1000]` or `like: COLUMN`")
    if ends is None:
        return Vertex(name=name, names=names(), like=given.get("like"))
    if (ends[0].denominator, ends[1].denominator) != (1, 1):
        raise BadDomain(f"{name}: vertices lie between whole numbers, not {readable(ends[0])} and {readable(ends[1])}")
    return Vertex(name=name, between=(int(ends[0]), int(ends[1])), like=given.get("like"))

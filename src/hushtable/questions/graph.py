"""Graph questions: `cut(a, b, c)`, `unbiased cut(a, b, c)`, `degree(a)` and `edges()` about the edges of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..domain.vertex import Vertex
from ..errors import BadQuestion
from ..words import shortened
from .lists import Listed, Lists

__all__ = ["GraphQuestion", "parse_graph_question", "vertex_group", "vertex_groups"]

FORM = re.compile(r"\s*(?:(unbiased)\s+)?(cut|degree|edges)\s*\((.*)\)\s*;?\s*", re.IGNORECASE | re.DOTALL)
NAME = re.compile(r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|([^,'"]*?))\s*(?:,|$)""")
ASK = "ask cut(a, b, c) for the edges that leave a group of vertices, degree(a) for those of one, or edges() for all"
Kind = Literal["cut", "degree", "edges"]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphQuestion:
    """One number about the edges of a graph, or the cuts of several groups."""

    text: str
    kind: Kind
    groups: tuple[NDArray[np.int64], ...] = ()
    """The numbers of the vertices of each group, each once."""
    names: tuple[str, ...] | None = None
    """What the groups are called, where a table of them is asked for."""
    unbiased: bool = False
    """Whether pairs of vertices alone may answer, which no structure of the graph can mislead."""


def parse_graph_question(text: str, ends: Vertex) -> GraphQuestion:
    """The question a text asks; BadQuestion says what is wrong with it."""
    found = FORM.fullmatch(text)
    if found is None:
        raise BadQuestion(f"this synopsis has the edges of a graph and nothing else; {ASK}")
    kind: Any = found[2].lower()
    names = _names(found[3])
    if kind == "edges" and names:
        raise BadQuestion("edges() takes no vertices; ask degree(a) for the edges of one")
    if kind == "degree" and len(names) != 1:
        raise BadQuestion(f"degree takes one vertex, not {len(names)}; ask cut(a, b, c) for a group")
    if found[1] and kind != "cut":
        raise BadQuestion(f"{kind} is unbiased as it is; only cut has another way of answering")
    groups = () if kind == "edges" else (_numbers(names, ends),)
    return GraphQuestion(text=text.strip(), kind=kind, groups=groups, unbiased=bool(found[1]))


def vertex_group(question: Listed, ends: Vertex) -> GraphQuestion:
    """The cut of a list of vertices."""
    return GraphQuestion(text=question.question, kind="cut", groups=(_plain(question.values, ends),))


def vertex_groups(question: Lists, ends: Vertex) -> GraphQuestion:
    """The cuts of several lists, a line each."""
    groups = tuple(_plain(values, ends) for values in question.lists.values())
    names = tuple(map(str, question.lists))
    return GraphQuestion(text=f"cuts of {len(names):,} groups", kind="cut", groups=groups, names=names)


def _plain(values: Iterable[Any] | Mapping[Any, float], ends: Vertex) -> NDArray[np.int64]:
    if isinstance(values, (str, bytes, Mapping)):
        raise BadQuestion("a group is a list of vertices, without weights: ['a', 'b']")
    return _numbers(values, ends)


def _names(inside: str) -> list[str]:
    """The names between the brackets: bare, or in quotes where they have commas or quotes in them."""
    names: list[str] = []
    place = 0
    if not inside.strip():
        return names
    while place < len(inside) or inside[place - 1] == ",":
        found = NAME.match(inside, place)
        if found is None or (found[3] == "" and found[1] is None and found[2] is None):
            raise BadQuestion("vertices are separated by commas, and names with commas or quotes stand in quotes")
        single, double, bare = found.groups()
        names.append(single.replace("''", "'") if single is not None else (double or bare or "").replace('""', '"'))
        place = found.end()
        if place >= len(inside) and not inside[:place].rstrip().endswith(","):
            break
    return names


def _numbers(values: Iterable[Any], ends: Vertex) -> NDArray[np.int64]:
    """The vertices of a group, each once, as cuts do not count them; BadQuestion names one that there is not."""
    numbers = []
    for value in values:
        number = ends.vertex(value)
        if number is None:
            known = (
                f"{ends.label(0)} to {ends.label(ends.count - 1)}"
                if ends.between is not None
                else ", ".join(shortened(ends.label(i), 20) for i in range(min(3, ends.count))) + ", ..."
            )
            raise BadQuestion(
                f"there is no vertex '{shortened(str(value), 40)}'; the domain has {ends.count:,}: {known}"
            )
        numbers.append(number)
    return np.unique(np.array(numbers, dtype=np.int64))

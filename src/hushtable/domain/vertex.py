"""Vertices: the public ends that the edges of a graph may have, a list of names or a range of whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import BadDomain
from .attributes import Uncoded, canonical, number_in, plain_decimal

__all__ = ["MOST_VERTICES", "Vertex"]

MOST_VERTICES = 1_000_000
# Whole numbers up to here are floats, as which numbers in rows are compared.
EXACT = 2**53


@dataclass(frozen=True, kw_only=True)
class Vertex(Uncoded):
    """One end of an edge. A row is an edge: it has two columns of this kind, with the same vertices.

    Who may be an end is public and declared. A value that is no declared vertex, or none at all, makes its row no edge.
    """

    kind = "vertex"
    names: tuple[str, ...] = ()
    """The vertices in order; none where they are a range."""
    between: tuple[int, int] | None = None
    """Smallest and largest vertex, where they are whole numbers."""
    like: str | None = None
    """The column that declares them, where another does."""

    def __post_init__(self) -> None:
        if not 2 <= self.count <= MOST_VERTICES:
            raise BadDomain(f"{self.name}: {self.count:,} vertices; declare 2 to {MOST_VERTICES:,}")
        if self.between is not None and max(map(abs, self.between)) > EXACT:
            raise BadDomain(f"{self.name}: vertices are whole numbers of up to 15 digits; list others as `values`")
        if len(self._numbers) < len(self.names):
            raise BadDomain(f"{self.name}: a vertex is listed twice; list each once")

    @property
    def count(self) -> int:
        """How many vertices there are."""
        return len(self.names) if self.between is None else self.between[1] - self.between[0] + 1

    @property
    def advice(self) -> str:
        return f"is an end of edges; release cuts() and ask degree({self.label(0)})"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def label(self, number: int) -> str:
        """The name of a vertex."""
        return self.names[number] if self.between is None else str(self.between[0] + number)

    def written(self, number: int) -> str:
        """The name as a question has it: in quotes where it would be read as something else."""
        name = self.label(number)
        return "'" + name.replace("'", "''") + "'" if set(name) & set(",()'\"") else name

    def vertex(self, value: object) -> int | None:
        """The number of a vertex, from 0; None for what is none. 1.0 and 1 are found for each other."""
        if self.between is not None:
            number = number_in(value)
            if number is None or not number.is_integer() or not self.between[0] <= number <= self.between[1]:
                return None
            return int(number) - self.between[0]
        text = canonical(value) or ""
        return self._numbers.get(text, self._numbers.get(plain_decimal(text)))

    def same_as(self, other: Vertex) -> bool:
        """Whether both columns have the same vertices."""
        return (self.names, self.between) == (other.names, other.between)

    def to_dict(self) -> dict[str, Any]:
        if self.like is not None:
            return {"kind": self.kind, "like": self.like}
        if self.between is not None:
            return {"kind": self.kind, "between": list(self.between)}
        return {"kind": self.kind, "values": list(self.names)}

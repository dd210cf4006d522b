"""Key columns: the columns whose values a sparse synopsis answers about, and the form of questions it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadSynopsis
from ...questions.lists import KeyBatch, Listed, Top, flatten

__all__ = ["KeyColumns"]


@dataclass(frozen=True)
class KeyColumns:
    """Columns of a key; `free` is how many may be left open in a conjunction, None where lists are asked."""

    attributes: tuple[Attribute, ...]
    free: int | None = None

    def parse(self, text: str, domain: Domain) -> Listed | Top:
        """What a text asks: a list of values, or a conjunction that stands for one."""
        if self.free is not None:
            from ...questions.conjunctions import parse_conjunction

            return parse_conjunction(text, domain, free=self.free)
        from ...questions.list_text import parse_list

        return parse_list(text, domain, self.attributes)

    def flat(self, lists: Sequence[Any]) -> KeyBatch:
        """The keys of some lists."""
        return flatten(lists, self.attributes)

    def parameters(self) -> dict[str, Any]:
        """As plain values; the inverse of `read`."""
        return {"columns": [a.name for a in self.attributes], "free": self.free}

    @classmethod
    def read(cls, domain: Domain, parameters: dict[str, Any]) -> KeyColumns:
        """From what `parameters` wrote."""
        by_name = {a.name: a for a in domain.attributes}
        free = parameters["free"]
        attributes = tuple(by_name[name] for name in parameters["columns"])
        if not attributes or not (free is None or 0 <= int(free) <= len(attributes)):
            raise BadSynopsis("the synopsis has columns that make no sense")
        return cls(attributes, free)

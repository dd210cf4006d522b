"""ListCountsModel: the noisy counts of lists that were known before the release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion
from ...questions.lists import KeyBatch
from ...words import counted
from .evaluation import Evaluation
from .noisy_sums import NoisySums

if TYPE_CHECKING:
    from ..sections import Section

__all__ = ["ListCountsModel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ListCountsModel(NoisySums):
    """Answers the released lists, whole, in any order of their values; nothing is known about others."""

    kind = "list-counts"
    lists: tuple[tuple[str, ...], ...]
    """Each of the sums is the rows on one of them."""

    @cached_property
    def _numbers(self) -> dict[frozenset[bytes], int]:
        flat = self.columns.flat([list(values) for values in self.lists])
        return {keys: number for number, keys in enumerate(_sets(flat))}

    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        if not (flat.weights == 1).all():
            raise BadQuestion("this synopsis has counts of whole lists, without weights; release sparse(size=...)")
        places = []
        for keys in _sets(flat):
            if keys and keys not in self._numbers:
                raise BadQuestion(
                    f"this is not one of the {counted(len(self.lists), 'list')} that were released, and nothing else "
                    "is known; ask for one of them, or release sparse(size=...), which answers any list"
                )
            places.append(1 + self._numbers[keys] if keys else -1)
        known = np.array(places, dtype=np.int64) >= 0
        noise = known * np.sqrt(self.law.discrete_variance(self.group_scales[1]))
        fourth = np.full(len(flat), self.law.fourth(self.group_scales[1]))
        value = np.where(known, self.sums[places] if places else 0, 0).astype(np.float64)
        none = np.zeros(len(flat))
        return Evaluation(value=value, noise=noise, collision=none, bias=none, fourth=fourth * known)

    def sections(self) -> tuple[Section, ...]:
        from .keyed_sections import list_sections

        return list_sections(self)

    def too_long(self, flat: KeyBatch) -> bool:
        """Never: there are no buckets."""
        return False

    @property
    def shape(self) -> dict[str, Any]:
        return {"lists": [list(values) for values in self.lists]}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"sums": 1 + len(parameters["lists"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> ListCountsModel:
        lists = tuple(tuple(map(str, values)) for values in parameters["lists"])
        return cls(lists=lists, **cls.read(domain, parameters, numbers))


def _sets(flat: KeyBatch) -> list[frozenset[bytes]]:
    """The keys of each list; BadQuestion where one has a key twice."""
    keys = flat.keys.to_pylist()
    sets = [frozenset(keys[a:b]) for a, b in zip(flat.starts, flat.starts[1:], strict=False)]
    for distinct, length in zip(sets, np.diff(flat.starts), strict=True):
        if len(distinct) < length:
            raise BadQuestion("a value is listed twice; list each value once")
    return sets

"""Held keys: how often every value occurs, counted once and kept for all questions of a curator of lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..domain import Domain
from ..domain.attributes import Attribute
from ..errors import BadPlan
from ..maths.keys.siphash import KEY_BYTES
from .door.randomness import Randomness
from .key_counts import Counts, KeyCounts
from .sources import Progress, Source
from .statistics.base import Additive, Sums, T, Total, add_up
from .statistics.list_count import ListCount
from .statistics.row_count import RowCount

__all__ = ["HeldKeys"]


class HeldKeys:
    """The exact counts of all keys. Never leaves the vault."""

    def __init__(self, keys: KeyCounts, counts: Counts) -> None:
        self._keys, self._counts, self._rows = keys, counts, counts.rows()

    @classmethod
    def read(
        cls,
        source: Source,
        domain: Domain,
        attributes: Sequence[Attribute],
        *,
        randomness: Randomness,
        progress: Progress | None = None,
    ) -> HeldKeys:
        """Reads all rows once, under a secret hash; BadData when one does not fit the domain."""
        keys = KeyCounts(attributes, bytes(randomness.bytes(2 * KEY_BYTES)))
        return cls(keys, source.total(keys, domain, progress).here())

    def total(self, wanted: Total[T], /) -> T:
        """The total over all rows, of lists and of the number of rows: all that counts of keys can tell."""
        return add_up(wanted, [self._total(wanted)])

    def _total(self, wanted: Total[Additive]) -> Sums:
        if isinstance(wanted, ListCount) and wanted.attributes == self._keys.attributes:
            return wanted.weighed(self._counts.look_up(*self._keys.hashed(wanted.keys)), self._rows)
        if isinstance(wanted, RowCount):
            return np.array([self._rows], dtype=np.int64)
        raise BadPlan(f"a curator of lists holds counts of values and cannot sum {type(wanted).__name__}")

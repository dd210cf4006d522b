"""Held keys: how often every value occurs, counted once and kept for all questions of a curator of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..domain import Domain
from ..domain.attributes import Attribute
from ..errors import BadPlan
from ..maths.keys.siphash import KEY_BYTES
from .door.randomness import Randomness
from .sources import Progress, Source
from .statistics import Statistic
from .statistics.list_count import KeyTotals

__all__ = ["HeldKeys"]


class HeldKeys:
    """The exact counts of all keys. Never leaves the vault."""

    def __init__(self, totals: KeyTotals, sums: Any) -> None:
        self.totals, self._sums = totals, sums

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
        totals = KeyTotals(attributes, bytes(randomness.bytes(2 * KEY_BYTES)))
        return cls(totals, source.total(totals, domain, progress))

    def total(self, statistic: Statistic) -> Any:
        """The counts, for the one statistic they are."""
        if statistic is not self.totals:
            raise BadPlan(f"a curator of lists holds counts of values and cannot sum {statistic.name}")
        return self._sums

"""Held codes: within a snapshot, the codes of all rows by the domain that they are asked for with, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..domain import Domain
from .coded_blocks import CodedBlocks
from .statistics.base import ReadAs, T, Total, add_up

__all__ = ["HeldCodes", "coding_of"]


class HeldCodes:
    """Codes of all rows. Never leaves the vault.

    A release whose cells of numbers are found codes rows anew only when cells are: passes before have read numbers, and
    all passes after share one domain. Codes are a function of a row and its domain, so that totals are those of rows
    that are read again.
    """

    def __init__(self) -> None:
        self._kept: tuple[Domain, CodedBlocks] | None = None

    def total(
        self, wanted: Total[T], coding: Domain, batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    ) -> T:
        """The total over all rows, coded by `coding`. `batches` reads them, where their codes are not held."""
        kept = self._kept
        if kept is not None and kept[0] == coding:
            return kept[1].total(wanted)
        held, self._kept = CodedBlocks(), None  # codes of another domain make room first

        def blocks() -> Iterator[object]:
            for batch in batches(wanted.columns(coding)):
                codes = wanted.read(batch, coding)
                held.add_if_room(codes)
                yield wanted.accumulate(codes)

        summed = add_up(wanted, blocks())
        self._kept = (coding, held) if held.complete else None
        return summed


def coding_of(wanted: Total[Any], domain: Domain) -> Domain | None:
    """The domain whose codes are all that a total reads; None where it reads something else."""
    if isinstance(wanted, ReadAs):
        return coding_of(wanted.wanted, wanted.domain)
    return domain if CodedBlocks.serves(wanted, domain) else None

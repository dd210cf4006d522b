"""Reading for a release: one snapshot over all its passes, and the same rows of each person in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from ..domain import Domain
from ..vault.bounded_source import bounded
from ..vault.door.randomness import Randomness
from ..vault.sources import Progress, Source
from ..vault.statistics.base import T, Total, Totals

__all__ = ["reading", "row_secret"]

SECRET_BYTES = 16


@contextmanager
def reading(
    source: Source | Callable[[], Source], domain: Domain, secret: str, progress: Progress | None
) -> Iterator[Totals]:
    """Totals over the rows that count; the source is opened, or its snapshot begun, when the first one is asked for."""
    with ExitStack() as stack:
        opened = list[Source]()

        def total(wanted: Total[T], /) -> T:
            if not opened:
                table = source if isinstance(source, Source) else source()
                stack.enter_context(table.snapshot())
                opened.append(bounded(table, domain, secret))
            return opened[0].total(wanted, domain, progress)

        yield total


def row_secret(domain: Domain, randomness: Randomness) -> str:
    """What decides which rows of a person count in a rehearsal; nothing is drawn where there is nothing to decide."""
    return bytes(randomness.bytes(SECRET_BYTES)).hex() if domain.unit.person else ""

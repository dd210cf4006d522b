"""People in the rows: whether a column tells them apart, and what keeping few rows of each leaves out.

Not private: exact numbers of the rows, for the owner's eyes only.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..domain import Domain
from ..domain.attributes import Open, Uncoded
from ..domain.identifier_names import names_an_identifier
from ..maths.keys.keys import MISSING
from ..maths.keys.siphash import KEY_BYTES
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..vault.bounded_source import bounded
from ..vault.key_counts import KeyCounts
from ..vault.sources import Progress, Source, open_source, watched
from ..vault.statistics.grouped_tables import GroupedTables

__all__ = ["PeopleFit", "Repeated", "identifiers", "people_fit"]

# A column that nobody declared looks like an identifier if it has so many values, and no more rows a value.
LEAST_VALUES, MOST_ROWS_A_VALUE = 50, 1000


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A column that looks like an identifier, and how often its values occur. Not private."""

    name: str
    values: int
    most: int
    """Rows of the most frequent value."""
    above: int
    """Values with more rows than the domain declares for a person."""


@dataclass(frozen=True, kw_only=True)
class PeopleFit:
    """What enforcing the rows of a person leaves out. Not private."""

    rows: int
    left_out: int
    people: int
    cut: int
    """People who have more rows than are kept."""
    unnamed: int
    """Rows that name nobody: each counts as a person of its own."""
    moved: tuple[tuple[str, float], ...]
    """For every column with codes the share of rows that would have to move for the kept rows to be like all rows."""


def identifiers(data: Any, domain: Domain, progress: Progress | None = None) -> list[Repeated]:
    """Columns that look like identifiers and whose values have more rows than the domain declares for a person.

    Looked at are open columns, those of the data that the domain leaves out, and all that are named like one.
    Not private.
    """
    source = open_source(data, domain)
    coded = {a.name for a in domain.attributes if not isinstance(a, Uncoded)}
    names = [
        name
        for name, times in Counter(source.columns).items()
        if times == 1 and (name not in coded or names_an_identifier(name))
    ]
    if not names or domain.unit.person is not None:
        return []
    secret = secrets.token_bytes(2 * KEY_BYTES)
    keys = {name: KeyCounts([Open(name=name)], secret) for name in names}
    counts = {name: wanted.zeros() for name, wanted in keys.items()}
    for batch in watched(source.batches(names), progress):
        for name, column in zip(names, batch.columns, strict=True):
            read = keys[name].read(pa.record_batch({name: column}), domain)
            counts[name] += keys[name].accumulate(read.filter(pc.not_equal(read, MISSING)))
    found = [_repeated(name, counts[name].counts, domain.unit.rows, coded=name in coded) for name in names]
    return [one for one in found if one is not None]


def _repeated(name: str, counts: np.ndarray[Any, np.dtype[np.int64]], rows: int, *, coded: bool) -> Repeated | None:
    values, most = len(counts), int(counts.max(initial=0))
    # A value a row is no news, and a few values for all rows name nobody.
    many = values >= LEAST_VALUES and counts.sum() <= MOST_ROWS_A_VALUE * values
    named = values > 1 and not coded and names_an_identifier(name)
    if most <= rows or not (many or named):
        return None
    return Repeated(name=name, values=values, most=most, above=int((counts > rows).sum()))


def people_fit(data: Any, domain: Domain, progress: Progress | None = None) -> PeopleFit | None:
    """What is left out, by a choice like that of a release (which forgets its own); None without a `person`."""
    if domain.unit.person is None:
        return None
    source = open_source(data, domain)
    source.check(domain)
    with source.snapshot():
        counted = bounded(source, domain, secrets.token_hex(KEY_BYTES))
        moved = _moved(source, counted, domain, progress)
        told = counted.left_out()
        return PeopleFit(
            rows=told.rows, left_out=told.rows - told.kept, people=told.people, cut=told.cut,
            unnamed=told.unnamed, moved=moved,
        )  # fmt: skip


def _moved(source: Source, counted: Source, domain: Domain, progress: Progress | None) -> tuple[tuple[str, float], ...]:
    sets = [GroupedSet((j,), (np.arange(size),)) for j, size in enumerate(domain.sizes)]
    if not sets:
        return ()
    statistic = GroupedTables(domain.sizes, sets)
    shares = []
    for table in (source, counted):
        sums = np.split(table.total(statistic, domain, progress), statistic.starts[1:-1])
        shares.append([part / max(part.sum(), 1) for part in sums])
    far = (float(np.abs(a - b).sum()) / 2 for a, b in zip(*shares, strict=True))
    return tuple(zip((a.name for a in domain.closed), far, strict=True))

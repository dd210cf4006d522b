"""Cases of people with many rows: whatever one of them has, of everybody else the same rows count, in every pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..domain import Domain
from ..vault.bounded_source import bounded
from ..vault.sources import FrameSource, Source
from ..vault.statistics import Histogram
from .checks import Check, coins_for
from .made_up_tables import Row, possible_rows
from .shapes import BINARY, RELATIONS, shape

__all__ = ["PEOPLE", "PeopleCase", "audit_people", "people_cases"]

PEOPLE = ("rows of a person",)
NOBODY, SOMEBODY_ELSE = None, "a newcomer"
# Who each row is of (None: nobody is named), and what it says.
Table = list[tuple[str | None, Row]]
Bounded = Callable[[Source, Domain, str], Source]


@dataclass(frozen=True)
class PeopleCase:
    """A domain that tells people apart."""

    name: str
    domain: Domain


def people_cases() -> Iterator[PeopleCase]:
    """Both relations, with few and more rows a person."""
    for relation in RELATIONS:
        for rows in (1, 2, 3):
            yield PeopleCase(
                f"people, {relation}, {rows} of each kept", shape(BINARY, relation, rows=rows, person="who")
            )


def audit_people(case: PeopleCase, *, seed: int, bounded: Bounded = bounded) -> list[Check]:
    """Every person of a table leaves, or is replaced by others with any number of rows: how many counted rows change?

    price  the most rows that change, against those of one person (under replace: that go and that come)
    rows   how many rows count in one pass or order of the table and not in another: none may
    """
    domain, most = case.domain, case.domain.unit.rows
    table = _table(domain, seed)
    counted = _counted(table, domain, bounded, seed)
    changes = []
    for neighbour in _neighbours(table, domain, seed):
        before, after = counted[0], _counted(neighbour, domain, bounded, seed)[0]
        changes.append(sum(((before - after) + (after - before)).values()))
    shuffled = [table[i] for i in coins_for(seed).permutation(len(table))]
    others = [*counted[1:], *_counted(shuffled, domain, bounded, seed)]
    apart = max(sum(((counted[0] - other) + (other - counted[0])).values()) for other in others)
    claim = most if domain.unit.neighbours == "add-remove" else 2 * most
    shared = {"unit": "rows", "runs": len(changes), "by": "every person"}
    return [
        Check(kind="price", passed=max(changes) <= claim, found=max(changes), claim=claim, **shared),  # type: ignore[arg-type]
        Check(kind="rows", passed=apart == 0, found=apart, claim=0, **shared),  # type: ignore[arg-type]
    ]


def _table(domain: Domain, seed: int) -> Table:
    """People of one to six rows, some of them equal, and rows of nobody, in no order."""
    coins, rows = coins_for(seed + 1), possible_rows(domain, most=100, seed=seed)
    whose = [f"p{p}" for p in range(12) for _ in range(1 + p % 6)] + [NOBODY] * 4
    return [(whose[i], rows[coins.integers(len(rows))]) for i in coins.permutation(len(whose))]


def _neighbours(table: Table, domain: Domain, seed: int) -> Iterator[Table]:
    coins, rows = coins_for(seed + 2), possible_rows(domain, most=100, seed=seed)
    lots: list[Table] = [[table[i]] for i, (who, _) in enumerate(table) if who is NOBODY]
    lots += [[entry for entry in table if entry[0] == who] for who in sorted({w for w, _ in table if w})]
    for gone in lots:
        rest = list(table)
        for entry in gone:
            rest.remove(entry)
        yield rest
        if domain.unit.neighbours == "replace":
            for many in range(1, domain.unit.rows + 3):
                new: Table = [(SOMEBODY_ELSE, rows[coins.integers(len(rows))]) for _ in range(many)]
                # In front, so that all other rows move.
                yield [*new, *rest]


def _counted(table: Table, domain: Domain, bounded: Bounded, seed: int) -> list[Counter[int]]:
    """The rows that count, as two passes and a total of one source see them."""
    columns = {a.name: [row[i] for _, row in table] for i, a in enumerate(domain.attributes)}
    frame = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
    frame = frame.append_column("who", pa.array([who for who, _ in table], pa.string()))
    source = bounded(FrameSource(frame), domain, f"audit {seed}")
    total = Counter(dict(enumerate(source.total(Histogram(domain.sizes), domain).tolist())))
    return [+total, *(_passed(source, domain) for _ in range(2))]


def _passed(source: Source, domain: Domain) -> Counter[int]:
    """One pass, as the cells that its rows are in."""
    codes = [_cells(batch, domain) for batch in source.batches(domain.names)]
    return Counter(np.concatenate(codes).tolist() if codes else [])


def _cells(batch: pa.RecordBatch, domain: Domain) -> Sequence[int]:
    histogram = Histogram(domain.sizes)
    rows = (batch.slice(i, 1) for i in range(batch.num_rows))
    return [int(np.argmax(histogram.accumulate(histogram.read(row, domain)))) for row in rows]

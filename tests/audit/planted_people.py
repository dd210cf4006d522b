"""Faults about people with many rows: whose rows count, and what it costs that nobody knows how many there are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from planting import measured

from hushtable.audit.checks import Check
from hushtable.audit.people_cases import audit_people, people_cases
from hushtable.audit.shapes import BINARY, shape
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.bounded_source import BoundedSource
from hushtable.vault.person_rows import Choice
from hushtable.vault.statistics import Parities


def audited(kind: type[BoundedSource], named: str, seed: int) -> list[Check]:
    case = next(case for case in people_cases() if case.name == named)
    return audit_people(case, seed=seed, bounded=kind)


class ByPlace(BoundedSource):
    """Of each person the rows that come first when all are ordered by a hash of their place in the file."""

    @property
    def choice(self):
        self._held, kept = None, []
        people = [p for batch in self._source.batches(["who"]) for p in batch.column(0).to_pylist()]
        luck = np.random.default_rng(5).random(len(people))
        for who in set(people) - {None}:
            own = [i for i, p in enumerate(people) if p == who]
            kept += sorted(own, key=luck.__getitem__)[: self._domain.unit.rows]
        kept += [i for i, p in enumerate(people) if p is None]
        return Choice(np.isin(np.arange(len(people)), kept), 0, 0, 0)

    def batches(self, names):
        kept, start = self.choice.kept, 0
        for batch in self._source.batches(names):
            yield batch.filter(pa.array(kept[start : start + batch.num_rows]))
            start += batch.num_rows


def rows_by_their_place(seed: int) -> list[Check]:
    return audited(ByPlace, "people, replace, 2 of each kept", seed)


class ChosenAnew(BoundedSource):
    """A key of its own for every pass."""

    def batches(self, names):
        self.passes = getattr(self, "passes", 0) + 1
        yield from BoundedSource(self._source, self._domain, f"pass {self.passes}").batches(names)


def other_rows_in_a_second_pass(seed: int) -> list[Check]:
    return audited(ChosenAnew, "people, add-remove, 2 of each kept", seed)


class RowsStayAsMany(Parities):
    """Priced as if a person always had as many rows as before, but for the number of rows alone."""

    def _sensitivity(self, *, power, weights, neighbours):
        replaced = super()._sensitivity(power=power, weights=weights, neighbours="replace")
        return replaced or super()._sensitivity(power=power, weights=weights, neighbours=neighbours)


def public_rows_of_people(seed: int) -> list[Check]:
    statistic = RowsStayAsMany(InteractionLayout(shape(BINARY).sizes, 2, "monomial"))
    return measured(statistic, Law.LAPLACE, shape(BINARY, rows=2, person="who"), seed=seed)

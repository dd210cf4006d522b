"""Evaluation: a statement asked of a model as plain questions, and their answers put together to one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.predicate import Event, Predicate, conjunction, known, surely_empty
from ...errors import BadQuestion
from ..answer import Answer, CrossTab
from ..declaration import answer_of
from ..measure import COUNT, Measure, levels
from ..parse import Question
from ..selection import Selection
from .arithmetic import combine
from .cells import as_answer, as_table, joined, known_cells, quotient, rounded, taken
from .estimates import below_code, quantile_of, squares_of, sum_of, variance_of
from .groups import Grouping
from .having import holds
from .statement import Statement
from .terms import Arithmetic, CountOf, Known, MeanOf, QuantileAt, Rounded, ShareOf, SpreadOf, SumOf, Term, TotalOf

__all__ = ["Answering", "evaluate"]

Places = NDArray[np.int64]
# A condition on more combinations of values than this is not searched for groups that it excludes.
MOST_CELLS = 1 << 20
MOST_GROUPS = 100_000


class Answering(Protocol):
    """What answers plain questions: a model."""

    @property
    def domain(self) -> Domain:
        """The table's."""

    def plain(self, question: Question) -> Any:
        """The question in the model's own form."""

    def answer(self, question: Any, *, count: bool = False) -> Answer | CrossTab:
        """Its answer."""

    def sum_answer(self, question: Question) -> Answer | CrossTab | None:
        """The sum of a column from the released numbers themselves, of a model that has it; None otherwise."""

    @property
    def means_of_codes(self) -> bool:
        """Whether a mean may be one of numbers that a question gives to codes, such as 1 and 0."""

    def quantile_answer(self, question: Question, level: float) -> Answer | None:
        """A quantile of all rows that a question keeps, of a model that has it; None otherwise."""


def evaluate(statement: Statement, model: Answering, *, count: bool = True) -> Answer | CrossTab:
    """The answer to a statement; count=False gives shares of all rows in place of counts."""
    asking = _Asking(statement, model, count=count)
    tables = [asking.cells(column.term, statement.groups) for column in statement.columns]
    labels = asking.labels(statement.groups)
    places = asking.possible()
    if statement.having is not None:
        kept = holds(statement.having, lambda term: asking.cells(term, statement.groups))
        places = places[kept[places]]
    places = asking.ordered(places)
    before = len(places)
    if statement.limit is not None or statement.offset:
        stop = None if statement.limit is None else statement.offset + statement.limit
        places = places[statement.offset : stop]
    groups = {name: tuple(column[i] for i in places) for name, column in labels.items()}
    chosen = [
        _finished(taken(table, places), statement, groups, max(before, len(asking.possible()))) for table in tables
    ]
    if len(chosen) == 1:
        return chosen[0] if statement.groups else as_answer(chosen[0])
    named = {column.name: table for column, table in zip(statement.columns, chosen, strict=True)}
    return Selection.of(named)


def _finished(table: CrossTab, statement: Statement, groups: dict[str, tuple[str, ...]], among: int) -> CrossTab:
    return replace(table, question=statement.text, groups=groups, among=among,
                   notes=tuple(dict.fromkeys((*statement.notes, *table.notes))))  # fmt: skip


class _Asking:
    """Asks each plain question of one statement once."""

    def __init__(self, statement: Statement, model: Answering, *, count: bool) -> None:
        self.statement, self.model, self.count = statement, model, count
        self.domain = model.domain
        self._asked: dict[Any, CrossTab] = {}
        if prod(len(g.labels) for g in statement.groups) > MOST_GROUPS:
            raise BadQuestion(f"GROUP BY makes more than {MOST_GROUPS:,} groups; use fewer or coarser columns")

    def labels(self, groups: Sequence[Grouping]) -> dict[str, list[str]]:
        """Each group column's label in every line, the last column changing fastest."""
        grid = _grid(groups)
        return {g.name: [g.labels[i] for i in line] for g, line in zip(groups, grid, strict=True)}

    def possible(self) -> Places:
        """The groups that a row may be in: WHERE leaves the others empty in every table."""
        statement, groups = self.statement, self.statement.groups
        everything = np.arange(prod(len(g.labels) for g in groups))
        if not groups or (statement.where is None and all(g.position is not None for g in groups)):
            return everything
        cells = product(*(range(len(g.labels)) for g in groups))
        inner = set(statement.where.positions) if statement.where else set()
        for g in groups:
            inner |= {g.position} if g.position is not None else set().union(*(c.positions for c in g.conditions))
        sizes = [self.domain.sizes[p] for p in sorted(inner)]
        if prod(sizes) * len(everything) > 64 * MOST_CELLS:
            return everything
        kept = [i for i, cell in enumerate(cells) if not surely_empty(self._cell(groups, cell), self.domain.sizes)]
        return np.array(kept, dtype=np.int64)

    def _cell(self, groups: Sequence[Grouping], cell: Sequence[int]) -> Predicate:
        parts = [self.statement.where] if self.statement.where else []
        for group, place in zip(groups, cell, strict=True):
            if group.position is None:
                parts.append(group.conditions[place])
            else:
                mask = tuple(c == place for c in range(self.domain.sizes[group.position]))
                parts.append(Event(group.position, mask, tuple(not m for m in mask)))
        return conjunction(parts)

    def ordered(self, places: Places) -> Places:
        """By ORDER BY; equal ones stay in the order of the groups. What is not known comes last."""
        out = places.tolist()
        for order in reversed(self.statement.order):
            if isinstance(order.key, Grouping):
                own = _grid(self.statement.groups)[self.statement.groups.index(order.key)]
                ranks = [order.key.ranks[i] for i in own]
                absent, present = ([p for p in out if (ranks[p][0] == 1) is gone] for gone in (True, False))
                out = sorted(present, key=lambda p: ranks[p], reverse=order.descending) + absent
            else:
                value = self.cells(order.key, self.statement.groups).value
                absent, present = ([p for p in out if bool(np.isnan(value[p])) is gone] for gone in (True, False))
                out = sorted(present, key=lambda p: value[p], reverse=order.descending) + absent
        return np.array(out, dtype=np.int64)

    def cells(self, term: Term, groups: tuple[Grouping, ...]) -> CrossTab:
        """The values of a term in all groups."""
        if isinstance(term, Known):
            return known_cells(term.value, cells=prod(len(g.labels) for g in groups))
        if isinstance(term, Rounded):
            return rounded(self.cells(term.term, groups), term.decimals)
        if isinstance(term, TotalOf):
            return self._total(term, groups)
        if isinstance(term, Arithmetic):
            return self._arithmetic(term, groups)
        return self._joined(term, groups)

    def _arithmetic(self, term: Arithmetic, groups: tuple[Grouping, ...]) -> CrossTab:
        if term.operator == "share":
            assert isinstance(term.left, CountOf)
            assert isinstance(term.right, TotalOf)
            if self.statement.having is not None:
                raise BadQuestion("OVER after HAVING is not answered; ask for the shares without HAVING, and pick then")
            if not term.right.partition and self.statement.where is None and term.left.where is None:
                return self.cells(CountOf(None, relative=True), groups)
            return quotient(self.cells(term.left, groups), self.cells(term.right, groups), inside=True)
        return combine(term.operator, self.cells(term.left, groups), self.cells(term.right, groups))

    def _total(self, term: TotalOf, groups: tuple[Grouping, ...]) -> CrossTab:
        """The term by some of the groups, for every group."""
        kept = tuple(g for g in groups if g in term.partition)
        inner = self.cells(term.term, kept)
        grid = _grid(groups)
        places = np.zeros(grid.shape[1], dtype=np.int64)
        for group, line in zip(groups, grid, strict=True):
            if group in kept:
                places = places * len(group.labels) + line
        return taken(inner, places)

    def _joined(self, term: Term, groups: tuple[Grouping, ...]) -> CrossTab:
        """Asked once for every combination of the groups that are no columns, and put into the order of all groups."""
        derived = [i for i, g in enumerate(groups) if g.position is None]
        plain = [i for i, g in enumerate(groups) if g.position is not None]
        positions = tuple(p for i in plain if (p := groups[i].position) is not None)
        parts = [
            self._asked_of(term, positions, [groups[i].conditions[k] for i, k in zip(derived, chosen, strict=True)])
            for chosen in product(*(range(len(groups[i].labels)) for i in derived))
        ]
        table = joined(parts)
        shape = [len(groups[i].labels) for i in (*derived, *plain)]
        places = np.arange(len(table)).reshape(shape or [1])
        if groups:
            axes = np.argsort([*derived, *plain])
            places = places.transpose(axes)
        return taken(table, places.ravel())

    def _asked_of(self, term: Term, positions: tuple[int, ...], inside: list[Predicate]) -> CrossTab:
        """A term that needs no other, of the rows that meet some conditions."""
        where = getattr(term, "where", None)
        if isinstance(term, CountOf):
            count = not term.relative and self.count
            return self._ask(COUNT, (where, *inside), positions, count=count)
        if isinstance(term, MeanOf):
            return self._ask(term.measure, (where, *inside), positions)
        if isinstance(term, SumOf):
            return self._sum(term.measure, (where, *inside), positions)
        if isinstance(term, ShareOf):
            return self._share(term, inside, positions)
        if isinstance(term, QuantileAt):
            return self._quantile(term, (where, *inside), positions)
        assert isinstance(term, SpreadOf)
        return self._spread(term, (where, *inside), positions)

    def _question(self, measure: Measure, parts: Sequence[Predicate | None], groups: tuple[int, ...]) -> Question:
        conditions = [part for part in (self.statement.where, *parts) if part is not None]
        where = conditions[0] if len(conditions) == 1 else conjunction(conditions) if conditions else None
        return Question(text=self.statement.text, measure=measure, where=where, groups=groups)

    def _ask(
        self, measure: Measure, parts: Sequence[Predicate | None], groups: tuple[int, ...], *, count: bool = True
    ) -> CrossTab:
        question = self._question(measure, parts, groups)
        key = (measure, question.where, groups, count)
        if key not in self._asked:
            if question.empty(self.domain.sizes):
                self._asked[key] = known_cells(0.0, unit="count" if count else "fraction")
            else:
                self._asked[key] = as_table(answer_of(self.model, self.model.plain(question), count=count))
        return self._asked[key]

    def _sum(self, measure: Measure, parts: Sequence[Predicate | None], groups: tuple[int, ...]) -> CrossTab:
        question = self._question(measure, parts, groups)
        own = self.model.sum_answer(question)
        if own is not None:
            return as_table(own)
        mean = self._ask(measure, parts, groups)
        return sum_of(self._ask(COUNT, (*parts, self._valued(measure)), groups), mean)

    def _valued(self, measure: Measure) -> Predicate | None:
        """Whether a row has a number in the column; None where every row has."""
        assert measure.column is not None
        has = tuple(bool(k) for k in measure.levels(self.domain.closed[measure.column]).known)
        return None if all(has) else Event(measure.column, has, tuple(not h for h in has))

    def _share(self, term: ShareOf, inside: list[Predicate], groups: tuple[int, ...]) -> CrossTab:
        """A mean where the condition is about one column, else a quotient of two counts."""
        positions = sorted(term.part.positions)
        if len(positions) == 1 and positions[0] not in groups and self.model.means_of_codes:
            true, false = term.part.truth(positions, [self.domain.sizes[positions[0]]])
            rest = term.among
            worth: tuple[tuple[float, float] | None, ...] = tuple(
                (1.0, 1.0) if t else (0.0, 0.0) for t in np.broadcast_to(true, self.domain.sizes[positions[0]])
            )
            if rest == known(term.part):
                worth = tuple(w if t or f else None for w, t, f in zip(worth, true.ravel(), false.ravel(), strict=True))
                rest = None
            share = self._ask(Measure("mean", positions[0], worth), (rest, *inside), groups)
            return replace(share, unit="fraction")
        above = self._ask(COUNT, (term.part, term.among, *inside), groups)
        return quotient(above, self._ask(COUNT, (term.among, *inside), groups), inside=True)

    def _quantile(self, term: QuantileAt, parts: Sequence[Predicate | None], groups: tuple[int, ...]) -> CrossTab:
        if not groups:
            own = self.model.quantile_answer(self._question(Measure("mean", term.column), parts, groups), term.level)
            if own is not None:
                return as_table(own)
        attribute = self.domain.closed[term.column]
        return quantile_of(
            attribute, term.level, lambda code: self._ask(below_code(term.column, attribute, code), parts, groups)
        )

    def _spread(self, term: SpreadOf, parts: Sequence[Predicate | None], groups: tuple[int, ...]) -> CrossTab:
        attribute = self.domain.closed[term.column]
        own = Measure("mean", term.column)
        mean = self._ask(own, parts, groups)
        # Squares are taken around one centre, near which the means are: then little is lost by taking it away again.
        sizes = levels(attribute)
        around = mean.value[np.isfinite(mean.value)]
        centre = float(np.mean(around)) if len(around) else float(sizes.middle.mean())
        square = self._ask(squares_of(term.column, attribute, centre), parts, groups)
        rows = self._ask(COUNT, (*parts, self._valued(own)), groups)
        return variance_of(rows, mean, square, centre, root=term.root, sample=term.sample)


def _grid(groups: Sequence[Grouping]) -> Places:
    """The place of every line's label in each group column: one line a column."""
    sizes = [len(g.labels) for g in groups]
    return np.indices(sizes).reshape(len(sizes), -1) if groups else np.zeros((0, 1), dtype=np.int64)

"""Conditions: what a curator of columns with codes is asked, believes and remembers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..domain.predicate import Predicate
from ..domain.ruled_out import ruled_out
from ..errors import BadQuestion, BadState, BadSynopsis
from ..maths.distribution import Factored
from ..maths.distribution.measured import Measured
from ..maths.distribution.question_parts import MOST_CELLS as MOST_PARTS
from ..maths.distribution.question_parts import QuestionParts, question_parts, whole
from ..maths.distribution.running_points import RunningPoints
from ..models.reading import noise_scale, row_count
from ..questions.declaration import zero_note
from ..questions.lists import Listed
from ..questions.parse import Question, parse
from ..vault.ledger.sealed_lines import Chain
from ..vault.statistics import ChosenTables, OneQuestion, Statistic
from ..words import listed
from .plan import CuratorPlan
from .sub_universe import running_for
from .subject import Asked, PaidAnswer, Subject

if TYPE_CHECKING:
    from ..models.weighted.calibration import WeightedCalibration
    from ..models.weighted.weighted import WeightedModel

__all__ = ["MOST_CELLS", "ConditionBelief", "ConditionSubject", "remembered"]

# No group of attributes is joined to more cells.
MOST_CELLS = 1 << 22
# Passes over all answers where they are fitted at once.
PASSES = 5
# Conditions over at most so many cells are remembered, and at most so many of them.
SMALL, MANY = 4096, 20_000
NO_LISTS = "this curator answers conditions; begin one with workload sparse(size=...) for lists of values"

Key = tuple[tuple[int, ...], bytes]


class ConditionSubject(Subject):
    """Conditions on the columns with codes; the hypothesis starts from the table of every column."""

    grain = 1

    def __init__(self, plan: CuratorPlan) -> None:
        self.plan, self.domain = plan, plan.domain
        self._known: dict[Predicate, AskedCondition] = {}

    @property
    def unlearned(self) -> str:
        if self.plan.sub_universe is not None:
            return "the hypothesis cannot learn from it: it is true of all of its points, or of none"
        return f"the hypothesis cannot learn from it: its attributes would be joined to more than {MOST_CELLS:,} cells"

    @property
    def rows(self) -> int:
        return self.belief.rows

    @property
    def rows_stderr(self) -> float:
        return self.belief.rows_stderr

    @property
    def start_variance(self) -> float:
        return self.belief.start_variance

    def start(self) -> Statistic:
        return ChosenTables(self.domain.sizes, [(p,) for p in range(len(self.domain.sizes))])

    def remember(self, state: Chain) -> dict[Hashable, PaidAnswer]:
        self.belief, answers = remembered(self.plan, state)
        self._known.clear()
        return answers

    def parse(self, text: str) -> Question:
        return parse(text, self.domain)

    def asked(self, question: Question | Listed) -> Asked:
        """BadQuestion for anything but one count, and for conditions beyond the cap."""
        if not isinstance(question, Question):
            raise BadQuestion(NO_LISTS)
        if question.kind != "count" or question.groups:
            raise BadQuestion(
                "a curator answers one count at a time, because each may have to be paid for; ask without avg and "
                "GROUP BY, or freeze the curator and ask the synopsis"
            )
        if question.where is None:
            return AskedCondition(self.belief, (), np.ones(1, dtype=bool))
        known = self._known.get(question.where)
        if known is None:
            # People ask the same questions again and again.
            known = self._condition(question.where)
            if len(known.true) <= SMALL:
                if len(self._known) >= MANY:
                    self._known.clear()
                self._known[question.where] = known
        return known

    def read_list(self, path: str | Path) -> Listed:
        raise BadQuestion(NO_LISTS)

    def check_freeze(self) -> None:
        """There always is one."""

    def distribution(self) -> Factored:
        return self.belief.distribution()

    def model(self, calibration: WeightedCalibration | None) -> WeightedModel:
        return self.belief.model(calibration)

    def _condition(self, where: Predicate) -> AskedCondition:
        positions = tuple(sorted(where.positions))
        sizes = tuple(self.domain.sizes[p] for p in positions)
        if prod(sizes) > MOST_CELLS:
            names = [self.domain.closed[p].name for p in positions]
            raise BadQuestion(
                f"the question joins {len(names)} attributes ({listed(names)}) with {prod(sizes):,} combinations of "
                f"values, and a curator joins at most {MOST_CELLS:,}; ask about fewer; nothing was spent"
            )
        if (ruled := ruled_out(where, (), self.domain)) is not None:
            return AskedCondition(self.belief, (), np.zeros(1, dtype=bool), zero_note(ruled))
        table = np.broadcast_to(where.truth(positions, sizes)[0], sizes)
        # (a AND b) OR (a AND NOT b) is a: an attribute that never changes the outcome is left out.
        kept = [axis for axis in range(table.ndim) if (table != table.take([0], axis=axis)).any()]
        table = table[tuple(slice(None) if axis in kept else 0 for axis in range(len(positions)))]
        return AskedCondition(self.belief, tuple(positions[axis] for axis in kept), np.ascontiguousarray(table).ravel())


@dataclass(frozen=True, eq=False)
class AskedCondition(Asked):
    """A condition on the attributes it really depends on; none of them when it holds for every row or for no row."""

    belief: ConditionBelief
    positions: tuple[int, ...]
    true: NDArray[np.bool_]
    """Flat, over the codes at `positions` in C order."""
    why: str = ""
    """Of a condition that the domain's rules leave no row: which."""

    @property
    def always(self) -> bool | None:
        return None if self.positions else bool(self.true[0])

    @cached_property
    def key(self) -> Key:
        return self.positions, np.packbits(self.true).tobytes()

    @property
    def width(self) -> int:
        return len(self.positions)

    @cached_property
    def parts(self) -> QuestionParts:
        shares = self.belief.distribution().one_ways()
        if len(self.true) > MOST_PARTS:
            share = self.share()
            return whole(np.array([share * (1 - share)]))
        table = self.true.reshape(1, *(len(shares[p]) for p in self.positions)).astype(np.float64)
        return question_parts(table, self.positions, shares)

    def statistic(self) -> Statistic:
        return OneQuestion(self.belief.plan.domain.sizes, self.positions, self.true)

    def share(self) -> float:
        return float(self.belief.share(self.positions, self.true))

    def learn(self, paid: PaidAnswer) -> tuple[PaidAnswer, dict[str, Any]]:
        theta = self.belief.learn(_measured(self.positions, self.true, paid.value, paid.scale))
        positions, truth = self.key
        facts: dict[str, Any] = {"positions": list(positions), "true": truth.hex(), "theta": theta}
        if theta and (begun := self.belief.begun(positions)):
            facts["begun"] = begun
        return replace(paid, learned=self.belief.plan.way == "independent" or bool(theta)), facts


class ConditionBelief:
    """A hypothesis with the measurements behind it. Public: it never sees a row.

    In the way `hypothesis` it is corrected with every paid answer. In the way `independent` nobody asks it before
    the last answer is paid, so it is fitted when it is first wanted.
    """

    def __init__(self, plan: CuratorPlan, *, rows: int, rows_stderr: float, start: Sequence[Measured]) -> None:
        self.plan, self.rows, self.rows_stderr = plan, rows, rows_stderr
        self._start, self._measured = list(start), list[Measured]()
        self._waiting: list[Measured] = []
        evidence = [table.evidence(rows=rows, grid=1, law=plan.law) for table in start]
        self._running = running_for(plan.sub_universe, plan.domain, start, evidence, cap=MOST_CELLS)

    @property
    def start_variance(self) -> float:
        """Of a count in the tables of single columns."""
        return max((table.variance(self.plan.law) for table in self._start), default=0.0)

    def share(self, positions: tuple[int, ...], true: NDArray[np.bool_]) -> float:
        """The share of rows it expects a condition to be true for."""
        self._fit()
        return self._running.share(positions, true)

    def learn(self, answer: Measured) -> list[float]:
        """Takes a paid answer in; returns the log-weights that changed, none if it has to stay outside."""
        if self.plan.way == "independent":
            self._waiting.append(answer)
            return []
        if not self._can_learn(answer):
            return []
        self._measured.append(answer)
        self._running.learn(answer.evidence(rows=self.rows, grid=1, law=self.plan.law))
        return [float(item.theta[0]) for item in self._running.recent if item.theta is not None]

    def begun(self, positions: tuple[int, ...]) -> dict[str, list[float]]:
        """The log-weights of the tables it starts from that were fitted again with an answer, by their place."""
        places = {id(item): place for place, item in enumerate(self._running.start)}
        found = self._running.begun(positions)
        return {str(places[id(item)]): item.theta.tolist() for item in found if item.theta is not None}

    def restore(
        self, learned: Iterable[tuple[Measured, Sequence[float]]], begun: dict[int, Sequence[float]] | None = None
    ) -> None:
        """Takes in what an earlier process learned, as it learned it."""
        if self.plan.way == "independent":
            self._waiting += [answer for answer, _ in learned]
            return
        items = []
        for answer, theta in learned:
            if theta:
                items.append(answer.evidence(rows=self.rows, grid=1, law=self.plan.law))
                self._measured.append(answer)
                for item, weight in zip(items[-len(theta) :], theta, strict=True):
                    item.theta = np.array([weight])
        self._running.restore(items, begun)

    def check(self) -> None:
        """ValueError when what was restored is no distribution."""
        if not all(np.isfinite(group.table).all() for group in self._running.distribution.groups):
            raise ValueError("weights that are no distribution")

    def distribution(self) -> Factored:
        """The hypothesis itself."""
        self._fit()
        return self._running.distribution

    def model(self, calibration: WeightedCalibration | None) -> WeightedModel:
        """All of it as a model that answers any question."""
        from ..models.weighted.weighted import WeightedModel

        self._fit()
        return WeightedModel.of(
            self.plan.domain,
            [*self._start, *self._measured],
            [*self._running.start, *self._running.learned],
            law=self.plan.law,
            rows=self.rows,
            rows_stderr=self.rows_stderr,
            cap=MOST_CELLS,
            calibration=calibration,
            points=self._running.codes.astype(np.int64) if isinstance(self._running, RunningPoints) else None,
        )

    def _fit(self) -> None:
        """Fits what is waiting, together with all that was learned before."""
        fresh = [answer for answer in self._waiting if self._joined(answer)]
        self._waiting.clear()
        if fresh:
            self._measured += fresh
            self._running.learned += [answer.evidence(rows=self.rows, grid=1, law=self.plan.law) for answer in fresh]
            self._running.refit(self._running.learned, passes=PASSES)

    def _joined(self, answer: Measured) -> bool:
        fits = self._can_learn(answer)
        if fits:
            self._running.distribution.join(answer.positions)
        return fits

    def _can_learn(self, answer: Measured) -> bool:
        assert answer.function is not None
        return self._running.can_learn(answer.positions, answer.function > 0)


def remembered(plan: CuratorPlan, state: Chain) -> tuple[ConditionBelief, dict[Hashable, PaidAnswer]]:
    """The hypothesis and the paid answers as they were when the newest entry was written."""
    try:
        belief = _belief(plan, state.first("start") or {})
        answers: dict[Hashable, PaidAnswer] = {}
        learned, begun = [], dict[int, Sequence[float]]()
        for entry in state.entries:
            if entry["kind"] == "answer":
                key, paid, true = _answer(plan, entry)
                answers[key] = paid
                learned.append((_measured(key[0], true, paid.value, paid.scale), entry["theta"]))
                begun |= _begun(entry.get("begun", {}))
        with np.errstate(all="ignore"):
            belief.restore(learned, begun)
        belief.check()
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError, IndexError, OverflowError, BadSynopsis):
        raise BadState("the curator's state holds something that no curator wrote; put the right file back") from None
    return belief, answers


def _belief(plan: CuratorPlan, start: dict[str, Any]) -> ConditionBelief:
    sizes, values, scale = plan.domain.sizes, start["tables"], noise_scale(start["scale"], plan.law)
    rows = row_count(start["rows"])
    if rows is None or (values and not scale):
        raise ValueError("tables without noise, or of no rows")
    ends = [*accumulate(sizes, initial=0)]
    # Points are drawn by the tables of single columns.
    if (values or plan.sub_universe is not None) and len(values) != ends[-1]:
        raise ValueError("tables of another domain")
    tables = [
        Measured((p,), np.array(values[ends[p] : ends[p + 1]], dtype=np.int64), scale)
        for p in range(len(sizes) if values else 0)
    ]
    return ConditionBelief(plan, rows=rows, rows_stderr=plan.rows_stderr, start=tables)


def _answer(plan: CuratorPlan, entry: dict[str, Any]) -> tuple[Key, PaidAnswer, NDArray[np.bool_]]:
    positions, packed = tuple(entry["positions"]), bytes.fromhex(entry["true"])
    if not positions or list(positions) != sorted({p for p in positions if p in range(len(plan.domain.sizes))}):
        raise ValueError("attributes that the domain does not have")
    cells = prod(plan.domain.sizes[p] for p in positions)
    true = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=cells).astype(bool)
    paid = PaidAnswer(int(entry["value"]), noise_scale(entry["scale"], plan.law), bool(entry["learned"]))
    if not paid.scale or len(packed) != -(-cells // 8) or not all(isinstance(t, float) for t in entry["theta"]):
        raise ValueError("an answer without noise, or of another shape")
    return (positions, packed), paid, true


def _begun(given: dict[str, Any]) -> dict[int, Sequence[float]]:
    if not all(isinstance(weight, float) for theta in given.values() for weight in theta):
        raise ValueError("log-weights that are no numbers")
    return {int(place): theta for place, theta in given.items()}


def _measured(positions: tuple[int, ...], true: NDArray[np.bool_], value: int, scale: Fraction) -> Measured:
    """A paid answer as a measurement."""
    return Measured(positions, np.array([value], dtype=np.int64), scale, true.astype(np.int64))

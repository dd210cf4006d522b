"""Curator: answers questions one at a time as they come, free where it can, paid where it must."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ..budget import UNIT_NAME, Price
from ..errors import BadQuestion, BadState, Exhausted
from ..laws import Law
from ..questions.parse import Question, parse
from ..synopsis import Synopsis
from ..synopsis.synopsis import SIMULATED
from ..vault.door.door import Door, Noise, SparseVector, price_of
from ..vault.door.randomness import Randomness
from ..vault.ledger.sealed_lines import Chain
from ..vault.statistics import ChosenTables, OneQuestion, Statistic
from ..vault.statistics.base import T, Total
from .account import CuratorAccount
from .answer import CuratorAnswer, Source, said
from .belief import MOST_CELLS
from .memory import Kept, remembered
from .plan import CuratorPlan, noise_scale, stderr_of
from .question import Conditions

if TYPE_CHECKING:
    from pathlib import Path

    from ..questions.lists import Listed

__all__ = ["Curator", "Held", "OnExhausted"]

OnExhausted = Literal["unverified", "refuse"]
NO_LISTS = "this curator answers conditions; begin one with workload sparse(size=...) for lists of values"
REMEMBERED_TEXTS = 10_000


class Held(Protocol):
    """Rows kept in memory, for sums over them."""

    def total(self, wanted: Total[T], /) -> T:
        """The total over all rows."""


class Curator:
    """Made by `Vault.curate`. Private multiplicative weights [HarR10] with fresh noise on every paid answer.

    A stretch of free answers and the paid answer that ends it are charged together, before the first comparison of
    the stretch, so that a crash anywhere costs budget and never privacy. A paid answer is in the state file before
    it is given, and the same question gets it again. A restart begins a new stretch: the noisy threshold of the old
    one was only ever in memory.
    """

    grain = 1
    """How many units of what is compared and measured one row counts."""

    def __init__(
        self,
        *,
        plan: CuratorPlan,
        state: Chain,
        account: CuratorAccount,
        rows: Held,
        randomness: Randomness,
        on_exhausted: OnExhausted,
        door: Callable[..., Door] = Door,
    ) -> None:
        self.domain, self.plan, self.on_exhausted = plan.domain, plan, on_exhausted
        self.not_private = not randomness.private
        self._state, self._account = state, account
        price = Price(currency=plan.price.currency, amount=account.left)
        self._door = door(total=rows.total, unit=self.domain.unit, price=price, account=account, randomness=randomness)
        self._stretch: ExitStack | None = None
        self._watch: SparseVector | None = None
        self._texts: dict[str, Any] = {}
        self._prepare(rows)
        self._mutex, self._process, self._closed = threading.Lock(), os.getpid(), ""
        power = 2 if plan.law == Law.GAUSSIAN else 1
        self._answer_noise = Noise(law=plan.law, per_group=(plan.answer_scale * self.grain**power,))
        if state.first("start") is None:
            self._measure_start()
        self._remember()
        self._payable = self._count_payable()

    def ask(self, question: str | Listed, *, count: bool = False) -> CuratorAnswer:
        """The answer to one count in SQL's words: a fraction of all rows, or a number of rows with count=True."""
        if not isinstance(question, str):
            return self.answer(question, count=count)
        parsed = self._texts.get(question)
        if parsed is None:
            parsed = self._parse(question)
            if len(self._texts) >= REMEMBERED_TEXTS:
                self._texts.clear()
            self._texts[question] = parsed
        answer, said = self.answer(parsed, count=count), getattr(parsed, "notes", ())
        return replace(answer, notes=(*answer.notes, *said)) if said else answer

    def answer(self, question: Question | Listed, *, count: bool = False) -> CuratorAnswer:
        """The same for a question that was parsed before."""
        with self._mutex:
            self._check_open()
            one = self._asked(question)
            if one.always is not None:
                rows = self._belief.rows if one.always else 0.0
                return self._answer(question.text, "certain", rows, 0.0, count=count)
            known = self._kept.get(one.key)
            if known is not None:
                return self._paid(question.text, known, "repeated", count=count)
            try:
                return self._new(one, question.text, count=count)
            except Exhausted:
                raise
            except BaseException:
                # Charged but not kept, or half kept: what is on the disk is right, what is in memory may not be.
                self._shut("it was stopped in the middle of an answer")
                raise

    @property
    def answers_left(self) -> int:
        """How many answers can still be paid for."""
        return self._payable + (self._stretch is not None)

    @property
    def budget_left(self) -> Fraction:
        """What is left of the reservation for them, in the currency of the budget."""
        return self._account.left

    def read_list(self, path: str | Path) -> Listed:
        """The question whether a row has one of the values in a text file, one a line."""
        raise BadQuestion(NO_LISTS)

    def check_freeze(self) -> None:
        """Raises where `freeze` would, so that it need not be found out after the questions."""

    def freeze(self) -> Synopsis:
        """A synopsis of what was learned so far: answers anything, for ever. Spends nothing; the curator goes on."""
        self.check_freeze()
        with self._mutex:
            self._check_open()
            self._account.pin("frozen")
            price, unit = self.plan.price, self.domain.unit
            accounting = {
                "budget": self.plan.budget.to_dict(),
                "currency": price.currency,
                "price": str(price.amount),
                "neighbours": unit.neighbours,
                "rows_per_person": unit.rows,
                "plan": self.plan.digest,
                "ledger": self._account.entry,
            }
            return Synopsis(
                domain=self.domain,
                model=self._belief.model(),
                workload=f"curator(questions={self.plan.questions})",
                mechanism=f"curator-{self.plan.way}",
                accounting=accounting,
                not_private=self.not_private,
            )

    def close(self) -> None:
        """Lets go of the state file; `Vault.curate` opens it again."""
        with self._mutex:
            if not self._closed and os.getpid() == self._process:
                self._account.pin("closed")
                self._shut("it was closed")

    def __enter__(self) -> Curator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __str__(self) -> str:
        stamp = f"\n{SIMULATED}" if self.not_private else ""
        return f"{self.plan}\n\n{self.answers_left:,} paid answers left, {len(self._kept):,} given{stamp}"

    def _prepare(self, rows: Held) -> None:
        """What questions are turned into."""
        self._conditions = Conditions(self.domain, most_cells=MOST_CELLS)

    def _parse(self, text: str) -> Any:
        return parse(text, self.domain)

    def _asked(self, question: Any) -> Any:
        """What is counted, the same for every way to write it; BadQuestion where it is nothing this one answers."""
        if not isinstance(question, Question):
            raise BadQuestion(NO_LISTS)
        return self._conditions.of(question)

    def _statistic(self, one: Any) -> Statistic:
        return OneQuestion(self.domain.sizes, one.positions, one.true)

    def _share(self, one: Any) -> float:
        """The share of rows that the hypothesis expects."""
        return float(self._belief.share(one.positions, one.true))

    def _remember(self) -> None:
        """The hypothesis and the paid answers, as the state has them."""
        self._belief: Any
        self._kept: dict[Any, Kept]
        self._belief, self._kept = remembered(self.plan, self._state)

    def _learn(self, one: Any, kept: Kept) -> tuple[Kept, dict[str, Any]]:
        """Corrects the hypothesis; what the state needs to do it again."""
        theta = self._belief.learn(kept.measured(one.positions, one.true))
        positions, truth = one.key
        facts = {"positions": list(positions), "true": truth.hex(), "theta": theta}
        return replace(kept, learned=self.plan.way == "independent" or bool(theta)), facts

    def _start_tables(self) -> Statistic:
        """Counts the rows and, for a hypothesis, is what it starts from."""
        return ChosenTables(self.domain.sizes, [(p,) for p in range(len(self.domain.sizes))])

    def _new(self, one: Any, text: str, *, count: bool) -> CuratorAnswer:
        """A question that was not paid for before."""
        if not self._begin_stretch():
            return self._unverified(one, text, count=count)
        statistic = self._statistic(one)
        if self._watch is not None:
            expected = self._share(one) * self._belief.rows
            if not self._door.exceeds(self._watch, statistic, round(expected * self.grain)):
                return self._answer(text, "free", expected, 0.0, count=count)
        value = int(self._door.measure(statistic, self._answer_noise).values[0])
        self._end_stretch()
        return self._paid(text, self._keep(one, text, value), "paid", count=count)

    def _begin_stretch(self) -> bool:
        """Pays for the next paid answer and for all free ones before it; False when too little is left."""
        if self._stretch is not None:
            return True
        if not self._payable:
            return False
        terms, margin = self.plan.terms, self.plan.margin
        amount = terms.each + (terms.opening if self._watch is None else 0)
        paying = ExitStack()
        price = Price(currency=self.plan.price.currency, amount=amount)
        paying.enter_context(self._door.paid(price, f"stretch {len(self._kept) + 1}"))
        self._stretch = paying
        if self._watch is not None:
            self._door.extend(self._watch)
        elif margin is not None:
            epsilon = Price(currency="pure", amount=terms.watch)
            self._watch = self._door.watch(
                change=self.grain,
                threshold=margin.threshold * self.grain,
                price=epsilon,
                crossings=terms.crossings,
                paid=1,
            )
        self._payable = self._count_payable()
        return True

    def _end_stretch(self) -> None:
        assert self._stretch is not None
        self._stretch.close()
        self._stretch = None
        if self.plan.law == Law.GAUSSIAN:
            self._watch = None  # pure epsilon keeps its threshold for all stretches

    def _count_payable(self) -> int:
        """How many more stretches what is left will pay for."""
        opening = self.plan.terms.opening if self._watch is None else 0
        return max(0, (self._account.left - opening) // self.plan.terms.each)

    def _keep(self, one: Any, text: str, value: int) -> Kept:
        """Puts a paid answer into the hypothesis, then on the disk. Only then may it be given."""
        kept, facts = self._learn(one, Kept(value, self.plan.answer_scale, learned=True))
        self._state.append("answer", text=text, value=kept.value, scale=str(kept.scale), learned=kept.learned, **facts)
        self._kept[one.key] = kept
        return kept

    def _measure_start(self) -> None:
        """The number of rows and, for a hypothesis, the table of every attribute: one line of the ledger."""
        plan, unit = self.plan, self.domain.unit
        tables = self._start_tables()
        price = Price(currency=plan.price.currency, amount=plan.rows_amount + plan.start_amount)
        found, scale = np.zeros(0, dtype=np.int64), Fraction(1)
        with self._door.paid(price, "start"):
            private = noise_scale(plan.rows_amount, plan.law, unit.rows) if plan.rows_amount else Fraction(1)
            rows = self._door.count_rows(tables, private, plan.law)
            if plan.start_amount:
                at_one = price_of(tables, Noise(law=plan.law, per_group=(Fraction(1),) * tables.groups), unit).amount
                scale = at_one / plan.start_amount or Fraction(1)
                noise = Noise(law=plan.law, per_group=(scale,) * tables.groups)
                found = self._door.measure(tables, noise).values
        self._state.append("start", rows=max(rows, 1), tables=found.tolist(), scale=str(scale))

    def _unverified(self, one: Any, text: str, *, count: bool) -> CuratorAnswer:
        if self.on_exhausted == "refuse":
            raise Exhausted(
                f"this curator had {self.plan.paid_answers:,} paid answers to give and none is left; open it with "
                "on_exhausted='unverified' to go on without checks, freeze it, or begin another one"
            )
        return self._answer(text, "unverified", self._share(one) * self._belief.rows, 0.0, count=count)

    def _paid(self, text: str, kept: Kept, source: Source, *, count: bool) -> CuratorAnswer:
        # Noise may point below 0 or above all rows; the nearest possible count is never farther from the truth.
        # A noisy number of rows is no such limit: there may be more.
        most = math.inf if self._belief.rows_stderr else self._belief.rows
        value = min(max(kept.value / self.grain, 0), most)
        answer = self._answer(text, source, value, stderr_of(kept.scale, self.plan.law), count=count)
        if kept.learned:
            return answer
        note = f"the hypothesis cannot learn from it: its attributes would be joined to more than {MOST_CELLS:,} cells"
        return replace(answer, notes=(*answer.notes, note))

    def _answer(self, text: str, source: Source, value: float, stderr: float, *, count: bool) -> CuratorAnswer:
        """From rows to the unit asked for, with the noise of a private number of rows.

        A count has it where it is a share of all rows, a fraction in what it is divided by.
        """
        rows, margin = self._belief.rows, self.plan.margin if source == "free" else None
        step = 1.0 if count else 1 / rows
        bias = float(rows) if source == "unverified" else margin.reach(0.95) if margin else 0.0
        if source in ("certain", "unverified"):
            lean = float(count and (value > 0 or source == "unverified"))
        else:
            lean = 0.0 if count else (value + bias) / rows
        stderr, bias = math.hypot(stderr, self._belief.rows_stderr * lean), bias * step
        left, many, currency = self._account.left, self.answers_left, self.plan.price.currency
        notes = (said(source, many, left, UNIT_NAME[currency]),)
        return CuratorAnswer(
            question=text,
            unit="count" if count else "fraction",
            value=value * step,
            stderr=stderr * step,
            bias=bias,
            kurtosis=3.0 if self.plan.law == Law.LAPLACE else 0.0,
            estimator={"paid": "measured", "repeated": "measured", "certain": "exact"}.get(source, "hypothesis"),
            notes=(SIMULATED, *notes) if self.not_private else notes,
            not_private=self.not_private,
            source=source,
            answers_left=many,
            budget_left=left,
            currency=currency,
            rows=rows,
            margin=margin,
        )

    def _check_open(self) -> None:
        if self._closed:
            raise BadState(f"this curator does not answer any more: {self._closed}; open it again with Vault.curate")
        if os.getpid() != self._process:
            raise BadState("this curator belongs to the process that opened it; a forked process must not use it")

    def _shut(self, why: str) -> None:
        self._closed = why
        self._state.close()

"""Curator: answers questions one at a time as they come, free where it can, paid where it must."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol

import numpy as np

from ..budget import UNIT_NAME, Price
from ..errors import BadState, Exhausted
from ..maths.distribution.kind_ratios import KURTOSIS
from ..questions.lists import Listed
from ..questions.parse import Question, is_select
from ..synopsis import Synopsis
from ..synopsis.synopsis import SIMULATED
from ..vault.door.door import Door, Noise, SparseVector, price_of
from ..vault.door.randomness import Randomness
from ..vault.ledger.sealed_lines import Chain
from ..vault.statistics.base import T, Total
from ..words import html
from .account import StateAccount
from .answer import CuratorAnswer, Source, remark
from .plan import CuratorPlan
from .subject import Asked, PaidAnswer, Subject
from .usual_bars import bought, due, read_bars, remembered_bars

__all__ = ["Curator", "Held", "OnExhausted"]

OnExhausted = Literal["unverified", "refuse"]
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

    What is asked, and what is believed about it, is the subject's business: conditions, or lists of values.
    """

    def __init__(
        self,
        *,
        plan: CuratorPlan,
        subject: Subject,
        state: Chain,
        account: StateAccount,
        rows: Held,
        randomness: Randomness,
        on_exhausted: OnExhausted,
        door: Callable[..., Door] = Door,
    ) -> None:
        self.domain, self.plan, self.on_exhausted = plan.domain, plan, on_exhausted
        self.not_private = not randomness.private
        self._subject, self._state, self._account = subject, state, account
        price = Price(currency=plan.price.currency, amount=account.left)
        self._door = door(total=rows.total, unit=self.domain.unit, price=price, account=account, randomness=randomness)
        self._stretch: ExitStack | None = None
        self._series: SparseVector | None = None
        self._texts: dict[str, Question | Listed] = {}
        self._mutex, self._process, self._closed = threading.Lock(), os.getpid(), ""
        self._answer_noise = Noise(law=plan.law, per_group=(plan.answer_scale * subject.grain**plan.law.power,))
        if state.first("start") is None:
            self._measure_start()
        self._paid_answers = subject.remember(state)
        self._margin = plan.margin_for(subject.rows)
        self._bars = remembered_bars(plan, state)
        self._payable = self._count_payable()

    def ask(self, question: str | Listed, *, count: bool | None = None) -> CuratorAnswer:
        """The answer to one count in SQL's words: of a condition the share of all rows, of SELECT count(*) the number
        of rows; count=True and count=False ask for one or the other."""
        if not isinstance(question, str):
            return self.answer(question, count=bool(count))
        count = is_select(question) if count is None else count
        parsed = self._texts.get(question)
        if parsed is None:
            parsed = self._subject.parse(question)
            if len(self._texts) >= REMEMBERED_TEXTS:
                self._texts.clear()
            self._texts[question] = parsed
        answer = self.answer(parsed, count=count)
        return replace(answer, notes=(*answer.notes, *parsed.notes)) if parsed.notes else answer

    def answer(self, question: Question | Listed, *, count: bool = False) -> CuratorAnswer:
        """The same for a question that was parsed before."""
        with self._mutex:
            self._check_open()
            asked = self._subject.asked(question)
            if asked.always is not None:
                rows = self._subject.rows if asked.always else 0.0
                certain = self._answer(question.text, "certain", rows, 0.0, count=count)
                return replace(certain, notes=(*certain.notes, asked.why)) if asked.why else certain
            paid = self._paid_answers.get(asked.key)
            if paid is not None:
                return self._paid(question.text, paid, "repeated", count=count)
            try:
                return self._new(asked, question.text, count=count)
            except Exhausted:
                raise
            except BaseException:
                # Charged but not kept, or half kept: what is on the disk is right, what is in memory may not be.
                self._shut("it was stopped in the middle of an answer")
                raise

    def knows(self, text: str) -> bool:
        """Whether a question has an answer that costs nothing: paid for before, or the same for every table."""
        asked = self._subject.asked(self._subject.parse(text))
        return asked.always is not None or asked.key in self._paid_answers

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
        return self._subject.read_list(path)

    def check_freeze(self) -> None:
        """Raises where `freeze` would, so that it need not be found out after the questions."""
        self._subject.check_freeze()

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
                model=self._subject.model(self._bars.calibration()),
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

    def _repr_html_(self) -> str:
        return f"<pre>{html(str(self))}</pre>"

    def __str__(self) -> str:
        stamp = f"\n{SIMULATED}" if self.not_private else ""
        return f"{self.plan}\n\n{self.answers_left:,} paid answers left, {len(self._paid_answers):,} given{stamp}"

    def _new(self, asked: Asked, text: str, *, count: bool) -> CuratorAnswer:
        """A question that was not paid for before."""
        if not self._begin_stretch():
            return self._unverified(asked, text, count=count)
        statistic = asked.statistic()
        if self._series is not None:
            expected = asked.share() * self._subject.rows
            if not self._door.exceeds(self._series, statistic, round(expected * self._subject.grain)):
                return self._answer(text, "free", expected, self._usual(expected, asked, free=True), count=count)
        value = int(self._door.measure(statistic, self._answer_noise).values[0])
        self._end_stretch()
        return self._paid(text, self._keep(asked, text, value), "paid", count=count)

    def _begin_stretch(self) -> bool:
        """Pays for the next paid answer and for all free ones before it; False when too little is left."""
        if self._stretch is not None:
            return True
        self._calibrate()
        if not self._payable:
            return False
        terms, margin, grain = self.plan.terms, self._margin, self._subject.grain
        amount = terms.each + (terms.opening if self._series is None else 0)
        paying = ExitStack()
        price = Price(currency=self.plan.price.currency, amount=amount)
        paying.enter_context(self._door.paid(price, f"stretch {len(self._paid_answers) + 1}"))
        self._stretch = paying
        if self._series is not None:
            self._door.extend(self._series)
        elif margin is not None:
            epsilon = Price(currency="pure", amount=terms.comparing)
            self._series = self._door.watch(
                change=grain, threshold=margin.threshold * grain, price=epsilon, crossings=terms.crossings, paid=1
            )
        self._payable = self._count_payable()
        return True

    def _calibrate(self) -> None:
        """Compares the hypothesis with the table where that is due, for the bars of all answers until the next time."""
        stage = due(self.plan, len(self._paid_answers), self._bars, last=not self._payable)
        each = self.plan.calibration_each
        if stage is None or self._account.left < each:
            return
        distribution = self._subject.distribution()
        if distribution is None:
            return
        with self._door.paid(Price(currency=self.plan.price.currency, amount=each), f"calibration {stage + 1}"):
            found = bought(self._door, self.plan, distribution, self._subject.rows, stage)
        self._state.append("calibration", **found)
        self._bars = read_bars(self.plan, found)
        self._payable = self._count_payable()

    def _end_stretch(self) -> None:
        assert self._stretch is not None
        self._stretch.close()
        self._stretch = None
        if self.plan.law.power == 2:
            self._series = None  # pure epsilon keeps its threshold for all stretches

    def _count_payable(self) -> int:
        """How many more stretches what is left will pay for."""
        kept = self.plan.terms.opening if self._series is None else Fraction(0)
        kept += self.plan.calibration_each * (len(self.plan.stages) - 1 - self._bars.stage)
        return max(0, (self._account.left - kept) // self.plan.terms.each)

    def _keep(self, asked: Asked, text: str, value: int) -> PaidAnswer:
        """Puts a paid answer into the hypothesis, then on the disk. Only then may it be given."""
        paid, facts = asked.learn(PaidAnswer(value, self.plan.answer_scale, learned=True))
        self._state.append("answer", text=text, value=paid.value, scale=str(paid.scale), learned=paid.learned, **facts)
        self._paid_answers[asked.key] = paid
        return paid

    def _measure_start(self) -> None:
        """The number of rows and, for a hypothesis, the table of every attribute: one line of the ledger."""
        plan, unit = self.plan, self.domain.unit
        tables = self._subject.start()
        price = Price(currency=plan.price.currency, amount=plan.rows_amount + plan.start_amount)
        values, scale = np.zeros(0, dtype=np.int64), Fraction(1)
        with self._door.paid(price, "start"):
            rows = self._door.count_rows(tables, plan.rows_scale or Fraction(1), plan.law)
            if plan.start_amount:
                at_one = price_of(tables, Noise(law=plan.law, per_group=(Fraction(1),) * tables.groups), unit).amount
                scale = at_one / plan.start_amount or Fraction(1)
                noise = Noise(law=plan.law, per_group=(scale,) * tables.groups)
                values = self._door.measure(tables, noise).values
        self._state.append("start", rows=max(rows, 1), tables=values.tolist(), scale=str(scale))

    def _unverified(self, asked: Asked, text: str, *, count: bool) -> CuratorAnswer:
        if self.on_exhausted == "refuse":
            raise Exhausted(
                f"this curator had {self.plan.paid_answers:,} paid answers to give and none is left; open it with "
                "on_exhausted='unverified' to go on without checks, freeze it, or begin another one"
            )
        expected = asked.share() * self._subject.rows
        return self._answer(text, "unverified", expected, self._usual(expected, asked, free=False), count=count)

    def _usual(self, expected: float, asked: Asked, *, free: bool) -> float:
        """The standard error, in rows, of what the hypothesis usually says."""
        return self._bars.stderr(expected, asked, self._subject, free=free)

    def _paid(self, text: str, paid: PaidAnswer, source: Source, *, count: bool) -> CuratorAnswer:
        # Noise may point below 0 or above all rows; the nearest possible count is never farther from the truth.
        # A noisy number of rows is no such limit: there may be more.
        most = math.inf if self._subject.rows_stderr else self._subject.rows
        value = min(max(paid.value / self._subject.grain, 0), most)
        answer = self._answer(text, source, value, self.plan.law.stderr(paid.scale), count=count)
        return answer if paid.learned else replace(answer, notes=(*answer.notes, self._subject.unlearned))

    def _answer(self, text: str, source: Source, value: float, stderr: float, *, count: bool) -> CuratorAnswer:
        """From rows to the unit asked for, with the noise of a private number of rows.

        A count has it where it is a share of all rows that was not compared, a fraction in what it is divided by.
        """
        rows, margin = self._subject.rows, self._margin if source == "free" else None
        step, usual = 1.0 if count else 1 / rows, source in ("free", "unverified")
        shared = source in ("certain", "unverified")
        beside = self._subject.rows_stderr * (value / rows if shared == count else 0.0)
        left, many, currency = self._account.left, self.answers_left, self.plan.price.currency
        notes = [self._bars.note(free=source == "free")] if usual else []
        notes.append(remark(source, many, left, UNIT_NAME[currency]))
        known = "calibrated" if math.isfinite(stderr) else "hypothesis"
        answer = CuratorAnswer(
            question=text,
            unit="count" if count else "fraction",
            value=value * step,
            stderr=math.hypot(stderr, beside) * step,
            kurtosis=KURTOSIS if usual else self.plan.law.kurtosis,
            estimator={"paid": "measured", "repeated": "measured", "certain": "exact"}.get(source, known),
            notes=(SIMULATED, *notes) if self.not_private else tuple(notes),
            not_private=self.not_private,
            source=source,
            answers_left=many,
            budget_left=left,
            currency=currency,
            rows=rows,
            rows_noise=beside * step,
            rows_stderr=self._subject.rows_stderr,
            margin=margin,
        )
        return replace(answer, certified=answer.surely(0.95)) if usual else answer

    def _check_open(self) -> None:
        if self._closed:
            raise BadState(f"this curator does not answer any more: {self._closed}; open it again with Vault.curate")
        if os.getpid() != self._process:
            raise BadState("this curator belongs to the process that opened it; a forked process must not use it")

    def _shut(self, why: str) -> None:
        self._closed = why
        self._state.close()

"""Plan of a curator: in which way it will answer, at what price a piece, and what error to expect."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from ..budget import Budget, Currency, Number, Price, exact
from ..domain import Domain
from ..domain.attributes import Open
from ..errors import BadPlan
from ..laws import Law
from ..mechanisms.found_cells import no_bins
from ..questions.workloads import Workload, read_workload
from ..questions.workloads.sparse import Conjunctions, Sparse
from .answer import FreeMargin
from .sub_universe import SubUniverse, read_sub_universe
from .terms import CuratorTerms, down, gaussian_terms, pure_terms

__all__ = ["CuratorPlan", "Way", "plan_curator"]

Way = Literal["hypothesis", "independent"]
QUESTIONS, UPDATES, FACTOR = 20_000, 200, Fraction(1, 2)
LIST_SIZE = 100
# Shares of the budget: the one-way tables the hypothesis starts from; the number of rows where that is private.
START_SHARE, ROWS_SHARE = Fraction(1, 10), Fraction(1, 50)
# Share that compares the hypothesis with the table, for error bars; and after which parts of the updates it does.
CALIBRATION, STAGES = Fraction(3, 100), (Fraction(1, 4), Fraction(1, 2), Fraction(1))
# Measured on one table of 16 yes/no columns, random conditions on three of them (benchmarks/curator.py): the error
# of free answers is about this many standard deviations of the noisy comparison ...
LAZY = 0.4
# ... and what the start leaves unknown, as a fraction of the rows, which this many updates halve.
UNKNOWN, HALVING = 0.08, 45
# Errors of a hypothesis on points over the threshold, which is mostly what points add (benchmarks/curator_points.py).
BELOW = 0.25
MOST_QUESTIONS, MOST_UPDATES = 10**9, 10**6


@dataclass(frozen=True, kw_only=True)
class CuratorPlan:
    """Everything decided about a curator. Printing it shows the way, the prices and both forecasts."""

    domain: Domain
    budget: Budget
    rows: int | None
    """About how many rows, for the forecast."""
    questions: int
    updates: int
    factor: Fraction
    """The threshold, as a multiple of the noise that the planned questions would make cross it a few times."""
    way: Way
    workload: Sparse | Conjunctions | None = None
    """Lists of values, up to so many each; None for conditions on columns with codes."""
    currency: Currency
    calibration: Fraction = Fraction(0)
    """Share of the budget that compares the hypothesis with the table, for error bars; states that have none say 0."""
    sub_universe: SubUniverse | None = None
    """The random rows that carry the hypothesis; None where it is about all combinations of values."""

    @property
    def points(self) -> int | None:
        """How many random rows carry the hypothesis."""
        return None if self.sub_universe is None else self.sub_universe.points

    @property
    def smoothness(self) -> Fraction | None:
        """How many times as frequent as among them a combination of values may be."""
        return None if self.sub_universe is None else self.sub_universe.smoothness

    @cached_property
    def price(self) -> Price:
        """All of it is reserved at the start."""
        return self.budget.price_in(self.currency).on_grid(up=False)

    @property
    def law(self) -> Law:
        """Laplace for pure epsilon, else Gaussian."""
        return Law.of(self.price)

    @property
    def rows_amount(self) -> Fraction:
        """For the number of rows; 0 where it is public."""
        return down(self.price.amount * ROWS_SHARE) if self.domain.unit.private_rows else Fraction(0)

    @property
    def rows_stderr(self) -> float:
        """Standard error of the number of rows; 0 where it is public."""
        return self.law.stderr(self.rows_scale) if self.rows_scale else 0.0

    @property
    def rows_scale(self) -> Fraction:
        """The noise of the number of rows; 0 where it is public."""
        return self._scale(self.rows_amount) if self.rows_amount else Fraction(0)

    @property
    def start_amount(self) -> Fraction:
        """For the one-way tables; 0 where there is no hypothesis."""
        starts = self.way == "hypothesis" and self.workload is None
        return down(self.price.amount * START_SHARE) if starts else Fraction(0)

    @cached_property
    def stages(self) -> tuple[int, ...]:
        """After so many paid answers the hypothesis is compared with the table; the last time after the last one."""
        compares = self.calibration and self.way == "hypothesis" and self.workload is None
        return tuple(sorted({math.ceil(self.updates * part) for part in STAGES})) if compares else ()

    @property
    def calibration_each(self) -> Fraction:
        """What one comparison costs."""
        return down(self.price.amount * self.calibration / len(STAGES)) if self.stages else Fraction(0)

    @cached_property
    def terms(self) -> CuratorTerms:
        """What one paid answer costs, and what it buys."""
        left = self.price.amount - self.rows_amount - self.start_amount - len(self.stages) * self.calibration_each
        if self.way == "independent":
            each = down(left / self.questions)
            return CuratorTerms(opening=Fraction(0), each=each, answer=each, comparing=Fraction(0), crossings=0)
        if self.law == Law.LAPLACE:
            return pure_terms(left, self.updates)
        return gaussian_terms(left, self.updates, self.currency)

    @property
    def feasible(self) -> bool:
        """Whether every price is above 0 on the grid of budgets."""
        return min(self.terms.each, self.terms.answer) > 0 and (self.way == "independent" or self.terms.comparing > 0)

    @property
    def paid_answers(self) -> int:
        """At most so many are paid for."""
        return self.updates if self.way == "hypothesis" else self.questions

    @property
    def answer_scale(self) -> Fraction:
        """The noise of a paid answer: variance (Gaussian) or b (Laplace), in rows."""
        return self._scale(self.terms.answer)

    @property
    def answer_stderr(self) -> float:
        """Standard error of a paid answer, in rows."""
        return self.law.stderr(self.answer_scale)

    @cached_property
    def margin(self) -> FreeMargin | None:
        """What bounds the error of a free answer, for about as many rows as were given."""
        return self.margin_for(self.rows)

    def raised(self, rows: int | None) -> int:
        """By so many rows the threshold is higher because of points: T' = T + gamma [Har11, Lemma 4.3.7]."""
        if self.sub_universe is None or not rows:
            return 0
        return math.ceil(rows * self.sub_universe.beyond(self.questions, rows))

    def margin_for(self, rows: int | None) -> FreeMargin | None:
        """The same for a table of this many rows, which matters where there are points; None where no answer is free.

        threshold = factor (2 / e2) ln(questions / 2 max(1, updates / 10)): at factor 1, noise alone crosses it for
        about a tenth of the updates. Points raise it by what they cannot say.
        """
        if self.way == "independent":
            return None
        from ..vault.door.door import sparse_vector_shares

        first, second = sparse_vector_shares(self.terms.comparing, self.terms.crossings)
        person = self.domain.unit.rows
        comparison = float(2 * self.terms.crossings * person / second)
        seldom = max(math.log(self.questions / (2 * max(1, self.updates / 10))), 1.0)
        return FreeMargin(
            threshold=math.ceil(float(self.factor) * comparison * seldom) + self.raised(rows),
            first=float(person / first),
            second=comparison,
            thresholds=self.updates,
            questions=self.questions,
        )

    @property
    def forecast(self) -> float:
        """Expected error of an answer, in rows: exact for `independent`, as on a real table for `hypothesis`.

        Lists: half the threshold, below which nothing is corrected, while paid answers last. Points: a quarter.
        """
        if self.margin is None:
            return self.answer_stderr
        if self.workload is not None:
            return self.margin.threshold / 2
        if self.sub_universe is not None:
            return self.margin.threshold * BELOW
        left = UNKNOWN * 2 ** (-self.updates / HALVING) * (self.rows or 0)
        return math.hypot(LAZY * self.margin.deviation, left)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was decided; the ledger keeps it beside the reservation."""
        facts = {"domain": self.domain.digest} | self.settings()
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def settings(self) -> dict[str, Any]:
        """What makes the plan, as plain values: the inverse of `from_settings`."""
        return {
            "budget": self.budget.to_dict(),
            "rows": self.rows,
            "questions": self.questions,
            "updates": self.updates,
            "factor": str(self.factor),
            "way": self.way,
        } | self._settings_if_said()

    def _settings_if_said(self) -> dict[str, Any]:
        """Those that states of older versions do not have."""
        lists = {} if self.workload is None else {"workload": str(self.workload)}
        compared: dict[str, Any] = {"calibration": str(self.calibration)} if self.calibration else {}
        if self.sub_universe is not None:
            compared |= {"points": self.points, "smoothness": str(self.smoothness)}
        return lists | compared | ({"currency": "gdp"} if self.currency == "gdp" else {})

    @classmethod
    def from_settings(cls, domain: Domain, given: dict[str, Any]) -> CuratorPlan:
        """Reads what `settings` wrote; BadBudget or BadPlan where no curator is planned like that."""
        from ..models.reading import plain_fraction

        parts = {name: given[name] for name in ("rows", "questions", "updates", "way")}
        parts |= {name: given[name] for name in ("workload", "currency", "points") if name in given}
        if "smoothness" in given:
            parts |= {"smoothness": plain_fraction(given["smoothness"])}
        factor = plain_fraction(given["factor"])
        share = plain_fraction(given.get("calibration", "0"))
        return plan_curator(domain, budget=Budget.from_dict(given["budget"]), factor=factor, calibration=share, **parts)

    def other(self) -> CuratorPlan:
        """The same in the other way."""
        way: Way = "independent" if self.way == "hypothesis" else "hypothesis"
        return CuratorPlan(**(_fields(self) | {"way": way}))

    def _scale(self, amount: Fraction) -> Fraction:
        """The scale at which a count, which a person changes by as many rows as they have, costs this much."""
        return self.law.scale(self.domain.unit.rows**self.law.power, amount)

    def to_dict(self) -> dict[str, Any]:
        """What `hush curate --json` prints before its answers."""
        from .plan_text import plan_dict

        return plan_dict(self)

    def __str__(self) -> str:
        from .plan_text import plan_text

        return plan_text(self)


def plan_curator(
    domain: Domain,
    *,
    budget: Budget,
    questions: int = QUESTIONS,
    rows: int | None = None,
    updates: int = UPDATES,
    factor: Number = FACTOR,
    way: Way | None = None,
    workload: Workload | str | None = None,
    currency: Currency | None = None,
    calibration: Number = CALIBRATION,
    points: int | None = None,
    smoothness: Number | None = None,
) -> CuratorPlan:
    """Chooses the way with the smaller expected error. Needs no data.

    Epsilon with delta is spent in the `currency` zcdp, in which comparing is cheaper than where Gaussian noise is
    counted exactly (gdp), unless that is asked for.

    The workload is sparse(size=...) for lists of values of an open column, conjunctions(free=...) for conditions on
    all but a few columns of a wide table of two values each, and is left out for conditions on columns
    with codes. Where all columns are open it is sparse(size=100) unless given.

    calibration  share of the budget that compares the hypothesis with the table three times, for the error bars of
                 its answers; left out where rows and budget are too few for it, or answers are about lists

    points       the hypothesis has weights on so many random rows alone, for domains too large to list; the threshold
                 is raised by what they may miss, if no combination of values is more than `smoothness` (4) times as
                 frequent as among them [Har11, section 4.6]

    independent  noise on every answer, for `questions` of them                               (error as sqrt(k) or k)
    hypothesis   private multiplicative weights [HarR10]: free answers while a hypothesis agrees with the table, a
                 paid one and an update where it does not, for at most `updates` of them    (error hardly grows with k)
    """
    _whole(questions, "questions", MOST_QUESTIONS)
    _whole(updates, "updates", MOST_UPDATES)
    if rows is not None:
        _whole(rows, "rows", 10**15)
    lists = _lists(domain, workload)
    if lists is None and domain.ranged:
        raise BadPlan(no_bins("a curator", [a.name for a in domain.ranged]))
    scale = exact(factor, "factor")
    if not 0 < scale <= 100:
        raise BadPlan(f"factor must be above 0 and at most 100, not {str(factor)[:40]}")
    share = exact(calibration, "calibration")
    if not 0 <= share <= Fraction(1, 2):
        raise BadPlan(f"calibration must be a share of the budget from 0 to 0.5, not {str(calibration)[:40]}")
    if way not in (None, "hypothesis", "independent"):
        raise BadPlan(f"way must be hypothesis or independent, not {str(way)[:40]!r}; leave it out for a choice")
    made = CuratorPlan(
        domain=domain, budget=budget, rows=rows, questions=questions, updates=updates, factor=scale, way="independent",
        workload=lists, currency=currency or budget.currencies[-1],
        sub_universe=_reduced(domain, points, smoothness, lists, way),
    )  # fmt: skip
    if made.sub_universe is not None:
        way = "hypothesis"
        made.sub_universe.check_worth(questions, rows)
    if lists is None and share and (rows is None or _worth(made, share, rows)):
        made = replace(made, calibration=share)
    able = [either for either in (made, made.other()) if way in (None, either.way) and either.feasible]
    if not able:
        raise BadPlan(
            f"{budget} is too small for {questions:,} questions and {updates:,} updates; plan fewer, or spend more"
        )
    return min(able, key=lambda either: either.forecast)


def _reduced(
    domain: Domain, points: int | None, smoothness: Number | None, lists: Workload | None, way: Way | None
) -> SubUniverse | None:
    """The points of the hypothesis; BadPlan where there is no hypothesis to put on them."""
    if points is not None and (lists is not None or way == "independent"):
        kind = "of lists remembers keys" if lists is not None else "in the way independent has no hypothesis"
        raise BadPlan(f"points carry the hypothesis about conditions, and a curator {kind}; leave points out")
    return read_sub_universe(domain, points, smoothness)


def _worth(plan: CuratorPlan, share: Fraction, rows: int) -> bool:
    """Whether the noise of one comparison is small enough to tell anything."""
    from ..maths.distribution.kind_ratios import BETWEEN, expected_noise

    law, amount = plan.law, plan.price.amount * share / len(STAGES)
    return expected_noise(law.stderr(law.scale(Fraction(plan.domain.unit.moved) ** law.power, amount)), rows) <= BETWEEN


def _lists(domain: Domain, workload: Workload | str | None) -> Sparse | Conjunctions | None:
    """The lists that will be asked; None for conditions."""
    chosen = read_workload(workload) if isinstance(workload, str) else workload
    if chosen is None:
        if domain.closed:
            return None
        if not any(isinstance(a, Open) for a in domain.attributes):
            raise BadPlan("the domain has no attribute with codes, so a curator has nothing to answer from")
        chosen = Sparse(size=LIST_SIZE)
    if not isinstance(chosen, (Sparse, Conjunctions)):
        raise BadPlan(
            "a curator answers conditions (no workload), lists (sparse(size=...)) or conditions on nearly all columns "
            f"(conjunctions(free=...)), not {str(chosen)[:60]}; release a synopsis for that"
        )
    if chosen.buckets is not None or not chosen.rare:
        raise BadPlan("a curator has no buckets and no list of frequent values; leave buckets and rare out")
    chosen.check(domain)
    return chosen


def _whole(value: object, name: str, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise BadPlan(f"{name} must be a whole number from 1 to {most:,}, not {str(value)[:40]}")


def _fields(plan: CuratorPlan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__dataclass_fields__}

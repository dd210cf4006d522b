"""Plan: which mechanism, at what price, with what error; made before any data are opened."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..budget import GRID, Budget, Number, Price, epsilon_of, exact
from ..domain import Domain
from ..domain.decision_list import DecisionList
from ..errors import BadPlan, HushError
from ..questions.workloads import DecisionLists, Marginals, Smooth, Workload, read_workload
from ..questions.workloads.sparse import Sparse
from ..questions.workloads.whole_table import WholeTable
from ..questions.workloads.wide import Wide
from ..words import counted, readable, shortened
from . import Design, Mechanism, mechanisms, read_mechanism

__all__ = ["Alternative", "Plan", "plan"]

# A mechanism by name, with options or not, or the mechanism itself; None: the best by its forecast.
Choice = str | Mechanism | None
# Without a workload: the widest marginals whose typical cell has at most this standard error (as a fraction).
USEFUL = 0.005
WIDEST_BY_DEFAULT = 3


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Another way that was looked at, and what it would give."""

    mechanism: str
    workload: str
    typical: tuple[float, ...]
    """Typical standard error in rows for widths 1, 2, ...; empty when it cannot be done."""
    why_not: str
    what: str = "typical cell by width:"
    """What the errors in `typical` are."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything decided about a release. Printing it shows the price and the forecast."""

    domain: Domain
    workload: Workload
    budget: Budget
    rows: int | None
    design: Design
    alternatives: tuple[Alternative, ...]

    @property
    def mechanism(self) -> str:
        """The chosen mechanism, with its options where they are not the defaults."""
        options = self.design.options
        return f"{self.design.mechanism}({options})" if options else self.design.mechanism

    @property
    def by(self) -> Mechanism:
        """The mechanism itself; what it is called need not be known to anybody else."""
        assert self.design.by is not None
        return self.design.by

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was decided; the ledger keeps it beside the charge."""
        facts = {
            "domain": self.domain.digest,
            "workload": str(self.workload),
            "mechanism": self.mechanism,
            "budget": self.budget.to_dict(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """What `hush plan --json` prints. Errors in rows, and as fractions when the number of rows is known."""
        design, rows = self.design, self.rows
        return {
            "table": self.domain.table,
            "workload": str(self.workload),
            "mechanism": self.mechanism,
            "summary": design.summary,
            "budget": {k: float(Fraction(v)) for k, v in self.budget.to_dict().items()},
            "price": {"currency": design.price.currency, "amount": float(design.price.amount)}
            | ({"delta": float(design.price.delta)} if design.price.delta else {}),
            "neighbours": self.domain.unit.neighbours,
            "rows_per_person": self.domain.unit.rows,
            "rows": rows,
            "numbers": design.numbers,
            "memory_bytes": design.memory,
            "seconds": None if rows is None else seconds(design, rows),
            "forecast": [
                {"width": f.width, "tables": f.tables, "stderr_rows": f.typical, "worst_stderr_rows": f.worst}
                | {"bias": f.bias}
                | ({} if rows is None else {"stderr": f.typical / rows, "worst_stderr": f.worst / rows})
                for f in design.forecasts
            ],
            "caution": design.caution or None,
            "alternatives": [
                {"mechanism": a.mechanism, "workload": a.workload, "stderr_rows": list(a.typical), "why_not": a.why_not}
                for a in self.alternatives
            ],
        }

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f", {counted(self.rows, 'row')}"
        what = f"{shortened(str(self.workload), 200)} by {shortened(self.mechanism, 200)}"
        return f"<Plan for {shortened(self.domain.table, 80)}{rows}: {what}, {self.budget}; print it for the forecast>"

    def __str__(self) -> str:
        from .plan_text import plan_text

        return plan_text(self)


def seconds(design: Design, rows: int) -> float:
    """About how long reading, counting and drawing noise will take."""
    return 0.5 + design.work * rows / 1e6 + design.numbers * 4e-7 + design.fit_seconds


def plan(
    domain: Domain,
    *,
    workload: Workload | str | None = None,
    budget: Budget | None = None,
    rows: int | None = None,
    mechanism: Choice = None,
    target_error: Number | None = None,
    width: int | None = None,
    delta: Number | None = None,
) -> Plan:
    """Chooses a mechanism by its forecast. Needs no data.

    With `target_error` (a standard error, as a fraction) and `width` it solves for the budget instead: the
    least epsilon, with `delta` if given, at which a typical cell of a table of that width has that error.
    """
    if rows is not None and (not isinstance(rows, int) or rows < 1):
        raise BadPlan(f"rows must be a whole number of at least 1, not {rows!r}")
    chosen = read_workload(workload) if isinstance(workload, str) else workload
    if target_error is not None:
        if budget is not None:
            raise BadPlan("give a budget or a target error, not both")
        chosen = chosen or Marginals(width=width or 2)
        budget = _budget_for(domain, chosen, rows, mechanism, exact(target_error, "target error"), width, delta)
    elif width is not None:
        raise BadPlan("width goes with a target error; to release wider tables give workload=marginals(width=...)")
    if budget is None:
        raise BadPlan("give a budget (epsilon, with or without delta, or rho) or a target error")
    if chosen is None:
        chosen = _default_workload(domain, budget.price, rows, mechanism)
    price = chosen.price(budget)
    design, others = _best(domain, chosen, price, mechanism, rows)
    others += _other_widths(domain, chosen, price, mechanism)
    others += _other_orders(domain, chosen, price, mechanism, rows, design)
    if isinstance(chosen, Smooth) and mechanism is None:
        others += _other_ways(domain, chosen, budget, rows, design)
    others += _without_model(domain, chosen, price)
    return Plan(domain=domain, workload=chosen, budget=budget, rows=rows, design=design, alternatives=tuple(others))


def _candidates(workload: Workload, mechanism: Choice) -> list[Mechanism]:
    if mechanism is not None:
        chosen = read_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
        if not chosen.suits(workload):
            raise BadPlan(f"the mechanism {chosen.name} cannot answer {workload}")
        return [chosen]
    return [m for m in mechanisms().values() if m.suits(workload) and not m.by_name_only]


def _best(
    domain: Domain, workload: Workload, price: Price, mechanism: Choice, rows: int | None = None
) -> tuple[Design, list[Alternative]]:
    """The design with the least typical error at the largest width, and why not the others."""
    workload.check(domain)
    designs: list[Design] = []
    refused: list[tuple[Mechanism, HushError]] = []
    for candidate in _candidates(workload, mechanism):
        try:
            designs.append(replace(candidate.design(domain, workload, price, rows), by=candidate))
        except BadPlan as error:
            refused.append((candidate, error))
    if not designs and not refused:
        raise BadPlan(f"no mechanism answers {workload}; take another workload, such as marginals(width=2)")
    if not designs:
        first = next((e for m, e in refused if m.name in ("low-order", "smooth-spline")), None) or refused[0][1]
        raise first
    best = min(designs, key=lambda design: design.forecasts[-1].typical)
    others = [_alternative(d, workload, "larger error") for d in designs if d is not best]
    others += [
        Alternative(mechanism=m.name, workload=str(workload), typical=(), why_not=str(error)) for m, error in refused
    ]
    return best, others


def _alternative(design: Design, workload: Workload, why_not: str) -> Alternative:
    if isinstance(workload, Smooth):
        return _smooth_alternative(design, str(workload), why_not)
    return Alternative(
        mechanism=design.mechanism,
        workload=str(workload),
        why_not=why_not,
        typical=tuple(f.typical for f in design.forecasts),
        what=f"{design.words[2]} by {design.words[0]}:",
    )


def _other_widths(domain: Domain, workload: Workload, price: Price, mechanism: Choice) -> list[Alternative]:
    """What narrower and wider marginals would give for the same budget."""
    if not isinstance(workload, Marginals):
        return []
    found = []
    for width in (workload.width - 1, workload.width + 1):
        if 1 <= width <= len(domain.closed):
            other = Marginals(width=width)
            why = "answers less" if width < workload.width else "larger error, answers more"
            try:
                found.append(_alternative(_best(domain, other, price, mechanism)[0], other, why))
            except BadPlan as error:
                found.append(Alternative(mechanism="any", workload=str(other), typical=(), why_not=str(error)))
    return found


def _without_model(domain: Domain, workload: Workload, price: Price) -> list[Alternative]:
    """What the whole table gives up: unbiased answers about few columns, each with an exact error bar."""
    if not isinstance(workload, WholeTable):
        return []
    other, found = Marginals(width=2), "unbiased, an exact error bar on every answer; two columns at most, no rows"
    try:
        return [_alternative(_best(domain, other, price, None)[0], other, found)]
    except BadPlan as error:
        return [Alternative(mechanism="any", workload=str(other), typical=(), why_not=str(error))]


def _other_orders(
    domain: Domain, workload: Workload, price: Price, mechanism: Choice, rows: int | None, design: Design
) -> list[Alternative]:
    """Why this many attributes are measured together: what one fewer and one more would give."""
    if not isinstance(workload, Wide) or workload.order is not None:
        return []
    chosen = len(design.forecasts) - 1
    found = []
    for order in (chosen - 1, chosen + 1):
        if 1 <= order <= workload.width:
            other = replace(workload, order=order)
            try:
                last = _best(domain, other, price, mechanism, rows)[0].forecasts[-1]
            except BadPlan as error:
                found.append(Alternative(mechanism="any", workload=str(other), typical=(), why_not=str(error)))
                continue
            less = "larger certified bias" if order < chosen else "more noise, certified bias"
            found.append(
                Alternative(
                    mechanism=design.mechanism,
                    workload=str(other),
                    typical=(last.typical,),
                    what="expected error",
                    why_not=f"{less} {readable(last.bias)}",
                )
            )
    return found


def _other_ways(
    domain: Domain, workload: Smooth, budget: Budget, rows: int | None, design: Design
) -> list[Alternative]:
    """Smooth questions: pure epsilon where a delta was given for it, and noise on each known question directly."""
    from .smooth.planning import crossover

    found, named = [], str(workload)
    if budget.epsilon is not None and budget.delta:
        pure, _ = _best(domain, workload, Budget(epsilon=budget.epsilon).price, None, rows)
        better = pure.forecasts[-1].typical < design.forecasts[-1].typical
        why = f"{'smaller' if better else 'larger'} error with the same epsilon and no delta, in a ledger of epsilon"
        found.append(_smooth_alternative(pure, named, why))
    if not workload.examples:
        few = crossover(design, workload, domain, design.price)
        why = f"at most {few} questions known in advance get less noise so; give them as examples" if few else ""
        return found + [Alternative(mechanism="smooth-direct", workload=named, typical=(), why_not=why)] * bool(few)
    try:
        direct, _ = _best(domain, workload, design.price, "smooth-direct", rows)
    except BadPlan:
        return found
    better = direct.forecasts[-1].typical < design.forecasts[-1].typical
    why = f"{'SMALLER' if better else 'larger'} error for the examples, and answers nothing else"
    return [*found, _smooth_alternative(direct, named, why + (": use --mechanism smooth-direct" if better else ""))]


def _smooth_alternative(design: Design, workload: str, why: str) -> Alternative:
    typical = (design.forecasts[-1].typical,)
    return Alternative(
        mechanism=design.mechanism, workload=workload, typical=typical, why_not=why, what="typical question"
    )


def _default_workload(domain: Domain, price: Price, rows: int | None, mechanism: Choice) -> Workload:
    """The whole table; one column alone; decision lists where nothing else is in the table.

    With a mechanism that cannot do the whole table: the widest marginals whose typical error is useful.
    """
    if not domain.closed and any(isinstance(a, DecisionList) for a in domain.attributes):
        return DecisionLists()
    if not domain.closed:
        return Sparse(size=100)
    if len(domain.closed) > 1 and _can_do_whole(mechanism):
        return WholeTable()
    if len(domain.closed) == 1:
        return Marginals(width=1)
    if rows is None:
        raise BadPlan(
            "without a workload the plan needs about how many rows there are: give rows, "
            "or a workload such as marginals(width=2)"
        )
    chosen = Marginals(width=1)
    for width in range(2, min(WIDEST_BY_DEFAULT, len(domain.closed)) + 1):
        try:
            design, _ = _best(domain, Marginals(width=width), price, mechanism)
        except BadPlan:
            break
        if design.forecasts[-1].typical / rows > USEFUL:
            break
        chosen = Marginals(width=width)
    return chosen


def _can_do_whole(mechanism: Choice) -> bool:
    """Whether the whole table can be released by the mechanism asked for."""
    chosen = read_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    return chosen is None or chosen.suits(WholeTable())


def _budget_for(
    domain: Domain,
    workload: Workload,
    rows: int | None,
    mechanism: Choice,
    target: Fraction,
    width: int | None,
    delta: Number | None,
) -> Budget:
    """Errors shrink like 1/epsilon (Laplace) or 1/sqrt(rho) (Gaussian), so one design at price 1 is enough."""
    if rows is None:
        raise BadPlan("a target error is a fraction of the rows: say about how many rows there are")
    if not 0 < target < 1:
        raise BadPlan(f"the target error must be a fraction between 0 and 1 (say 0.01), not {readable(target)}")
    small = Fraction(0) if delta is None else Budget(epsilon=1, delta=delta).delta
    one = workload.price(Budget(epsilon=1, delta=small))
    pure = one.currency == "pure"
    one = one if pure else Price(currency="zcdp", amount=Fraction(1))
    design, _ = _best(domain, workload, one, mechanism)
    wanted = width or design.forecasts[-1].width
    if not 1 <= wanted <= len(design.forecasts):
        raise BadPlan(f"width {wanted} is not answered by {workload}; at most {len(design.forecasts)}")
    ratio = Fraction(design.forecasts[wanted - 1].typical) / rows / target
    if pure:
        return Budget(epsilon=_three_digits_up(ratio), delta=small)
    return Budget(epsilon=_three_digits_up(epsilon_of(ratio**2, small)), delta=small)


def _three_digits_up(value: Fraction) -> Fraction:
    """The next number with three digits: a budget a person can write down."""
    step = Fraction(1)
    while value / step >= 1000:
        step *= 10
    while value / step < 100 and step > Fraction(1, GRID):
        step /= 10
    return -(-value // step) * step

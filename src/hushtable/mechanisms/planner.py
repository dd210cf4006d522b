"""The planner: from a domain, a workload and a budget (or a target error) to a plan, before any data are opened."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..accounting import epsilon_of
from ..budget import GRID, Budget, Currency, Number, Price, exact
from ..domain import Domain
from ..domain.decision_list import DecisionList
from ..domain.vertex import Vertex
from ..errors import BadPlan
from ..questions.workloads import DecisionLists, Marginals, Workload, read_workload
from ..questions.workloads.cuts import GraphCuts
from ..questions.workloads.sparse import Sparse
from ..questions.workloads.whole_table import WholeTable
from ..words import readable
from .alternatives import other_ways
from .base import Mechanism
from .choice import Choice, Offer, best, mechanism_of, offer_of
from .found_cells import design_cells, left_for_cells
from .means import MEANS_SHARE, design_means, left_for_tables, left_from, measures_means
from .plans import Alternative, Plan

__all__ = ["Alternative", "Plan", "plan"]

# Without a workload: the widest marginals whose typical cell has at most this standard error (as a fraction).
USEFUL = 0.005
WIDEST_BY_DEFAULT = 3


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
    currency: Currency | None = None,
) -> Plan:
    """Chooses a mechanism by its forecast. Needs no data.

    Epsilon with delta is spent in the `currency` gdp (Gaussian noise counted exactly) or zcdp; by default in the one
    in which the mechanism has the least noise.

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
        budget = _budget_for(
            domain, chosen, rows, mechanism, exact(target_error, "target error"), width, delta, currency
        )
    elif width is not None:
        raise BadPlan("width goes with a target error; to release wider tables give workload=marginals(width=...)")
    if budget is None:
        raise BadPlan("give a budget (epsilon, with or without delta, or rho) or a target error")
    if chosen is None:
        chosen = _default_workload(domain, budget, rows, mechanism, currency)
    offer, means = offer_of(chosen, budget, currency), measures_means(domain, chosen)
    chosen.check(domain)

    def for_tables(mechanism: Mechanism[Any]) -> Price:
        """What sums of columns leave, where they are paid for too."""
        return left_for_tables(offer(mechanism)) if means else offer(mechanism)

    design, others = best(domain, chosen, _without_cells(for_tables, domain, chosen), mechanism, rows)
    others += other_ways(domain, chosen, budget, rows, design, mechanism, currency)
    cells = design_cells(domain, chosen, for_tables(design.by))
    rest = left_from(left_for_cells(offer(design.by), cells), design.price)
    sums = design_means(domain, rest, domain.unit) if means else None
    return Plan(domain=domain, workload=chosen, budget=budget, rows=rows, design=design, alternatives=tuple(others),
                means=sums, cells=cells)  # fmt: skip


def _without_cells(offer: Offer, domain: Domain, workload: Workload) -> Offer:
    """What is left to each mechanism where cells of numbers are found first."""

    def left(mechanism: Mechanism[Any]) -> Price:
        whole = offer(mechanism)
        return left_for_cells(whole, design_cells(domain, workload, whole))

    return left


def _default_workload(
    domain: Domain, budget: Budget, rows: int | None, mechanism: Choice, currency: Currency | None
) -> Workload:
    """The whole table; one column alone; decision lists where nothing else is in the table.

    With a mechanism that cannot do the whole table: the widest marginals whose typical error is useful.
    """
    if not domain.closed and any(isinstance(a, DecisionList) for a in domain.attributes):
        return DecisionLists()
    if not domain.closed and any(isinstance(a, Vertex) for a in domain.attributes):
        return GraphCuts()
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
            wider = Marginals(width=width)
            offer = _without_cells(offer_of(wider, budget, currency), domain, wider)
            design, _ = best(domain, wider, offer, mechanism)
        except BadPlan:
            break
        if design.error / rows > USEFUL:
            break
        chosen = Marginals(width=width)
    return chosen


def _can_do_whole(mechanism: Choice) -> bool:
    """Whether the whole table can be released by the mechanism asked for."""
    asked_for = mechanism_of(mechanism)
    return asked_for is None or asked_for.suits(WholeTable())


def _budget_for(
    domain: Domain,
    workload: Workload,
    rows: int | None,
    mechanism: Choice,
    target: Fraction,
    width: int | None,
    delta: Number | None,
    currency: Currency | None,
) -> Budget:
    """Errors shrink like 1/epsilon (Laplace) or 1/sqrt(rho) (Gaussian), so one design at price 1 is enough."""
    if rows is None:
        raise BadPlan("a target error is a fraction of the rows: say about how many rows there are")
    if not 0 < target < 1:
        raise BadPlan(f"the target error must be a fraction between 0 and 1 (say 0.01), not {readable(target)}")
    small = Fraction(0) if delta is None else Budget(epsilon=1, delta=delta).delta

    def one(candidate: Mechanism[Any]) -> Price:
        price = candidate.price(workload, Budget(epsilon=1, delta=small), currency)
        return price if price.currency == "pure" else Price(currency=price.currency, amount=Fraction(1))

    design, _ = best(domain, workload, _without_cells(one, domain, workload), mechanism)
    wanted = width or design.forecasts[-1].width
    if not 1 <= wanted <= len(design.forecasts):
        raise BadPlan(f"width {wanted} is not answered by {workload}; at most {len(design.forecasts)}")
    ratio = Fraction(design.forecasts[wanted - 1].typical) / rows / target
    kind = design.price.currency
    amount = ratio if kind == "pure" else ratio**2
    if measures_means(domain, workload):
        amount /= 1 - MEANS_SHARE
    epsilon = amount if kind == "pure" else epsilon_of(amount, small, kind)
    return Budget(epsilon=_three_digits_up(epsilon), delta=small)


def _three_digits_up(value: Fraction) -> Fraction:
    """The next number with three digits: a budget a person can write down."""
    step = Fraction(1)
    while value / step >= 1000:
        step *= 10
    while value / step < 100 and step > Fraction(1, GRID):
        step /= 10
    return -(-value // step) * step

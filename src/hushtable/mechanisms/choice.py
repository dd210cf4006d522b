"""Choice: the design with the least forecast error among all mechanisms that suit a workload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..budget import Budget, Currency, Price
from ..domain import Domain
from ..errors import BadPlan
from ..questions.workloads.base import Workload
from . import mechanisms, read_mechanism
from .base import Design, Mechanism
from .plans import Alternative

__all__ = ["Choice", "Offer", "best", "mechanism_of", "offer_of"]

# A mechanism by name, with options or not, or the mechanism itself; None: the best by its forecast.
Choice = str | Mechanism[Any] | None
Offer = Callable[[Mechanism[Any]], Price]


def mechanism_of(choice: Choice) -> Mechanism[Any] | None:
    """The mechanism that was asked for, if one was."""
    return read_mechanism(choice) if isinstance(choice, str) else choice


def offer_of(workload: Workload, budget: Budget, currency: Currency | None) -> Offer:
    """A whole budget, to each mechanism in its own currency unless one is asked for."""
    return lambda mechanism: mechanism.price(workload, budget, currency)


def best(
    domain: Domain, workload: Workload, offer: Offer, choice: Choice, rows: int | None = None
) -> tuple[Design[Any], list[Alternative]]:
    """The design with the least typical error at the largest width, and why not the others.

    `offer` says what each mechanism may spend: equal budgets are different prices in different currencies.
    """
    workload.check(domain)
    designs: list[Design[Any]] = []
    refused: list[tuple[Mechanism[Any], BadPlan]] = []
    for candidate in _candidates(workload, choice):
        price = offer(candidate)
        if choice is None and not _offers(candidate, price, domain, workload):
            continue
        try:
            # The candidate carries it out, whomever it asked for the design.
            designs.append(replace(candidate.design(domain, workload, price, rows), by=candidate))
        except BadPlan as error:
            refused.append((candidate, error))
    if not designs and not refused:
        raise BadPlan(f"no mechanism answers {workload}; take another workload, such as marginals(width=2)")
    if not designs:
        _, reason = next((pair for pair in refused if pair[0].speaks_first), refused[0])
        raise reason
    chosen = min(designs, key=lambda design: design.error / design.worth)
    rest = [design for design in designs if design is not chosen]
    others = [Alternative.told(design, workload, _why_not(design, chosen)) for design in rest]
    others += [Alternative.refused(candidate.name, workload, error) for candidate, error in refused]
    return chosen, others


def _why_not(design: Design[Any], chosen: Design[Any]) -> str:
    return "larger error" if design.error >= chosen.error else "hardly smaller error, for more work"


def _offers(candidate: Mechanism[Any], price: Price, domain: Domain, workload: Workload) -> bool:
    """Whether a mechanism that nobody asked for is looked at."""
    pure = price.currency == "pure"
    return (pure or not candidate.pure_only) and candidate.offers_itself(domain, workload)


def _candidates(workload: Workload, choice: Choice) -> list[Mechanism[Any]]:
    asked_for = mechanism_of(choice)
    if asked_for is None:
        return [m for m in mechanisms().values() if m.suits(workload) and m.may_be_chosen(workload)]
    if not asked_for.suits(workload):
        able = [m.name for m in mechanisms().values() if m.suits(workload)]
        instead = f"; these can: {', '.join(able)}" if able else ""
        raise BadPlan(f"the mechanism {asked_for.name} cannot answer {workload}{instead}")
    return [asked_for]

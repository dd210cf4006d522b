"""Alternatives: what else a plan shows, so that a person can see why it was not taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..budget import Budget, Currency
from ..domain import Domain
from ..errors import BadPlan
from ..questions.workloads.base import Other, Workload
from ..words import readable
from . import mechanisms
from .base import Design
from .choice import Choice, Offer, best, offer_of
from .plans import Alternative

__all__ = ["other_ways"]


def other_ways(
    domain: Domain,
    workload: Workload,
    budget: Budget,
    rows: int | None,
    chosen: Design[Any],
    mechanism: Choice,
    currency: Currency | None,
) -> Iterator[Alternative]:
    """Other workloads of the same kind, then mechanisms that are not chosen but worth a line."""
    named = mechanism is not None
    for other in chosen.by.compared_with(workload, domain, budget, widths=len(chosen.forecasts), named=named):
        money = offer_of(other.workload, other.budget or budget, None if other.budget else currency)
        yield _compared(other, domain, money, rows, chosen, mechanism)
    if not named:
        for candidate in mechanisms().values():
            if candidate.suits(workload) and (told := candidate.beside(chosen, domain, workload, rows)) is not None:
                yield told


def _compared(
    other: Other, domain: Domain, money: Offer, rows: int | None, chosen: Design[Any], mechanism: Choice
) -> Alternative:
    try:
        design, _ = best(
            domain,
            other.workload,
            money,
            None if other.any_mechanism else mechanism,
            rows if other.by_rows else None,
        )
    except BadPlan as error:
        return Alternative.refused("any", other.workload, error)
    compared = "smaller" if design.error < chosen.error else "larger"
    bias = readable(design.forecasts[-1].bias)
    return Alternative.told(design, other.workload, other.remark.format(bias=bias, compared=compared))

"""Carried out: a plan's way through the door, from cells of numbers to the model and the sums beside it."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain import Domain
from ..models.base import Model
from ..models.column_means import ColumnMeans
from ..models.number_shapes import NumberShapes
from ..vault.door.door import Door
from .plans import Plan

__all__ = ["CarriedOut", "carried_out"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CarriedOut:
    """All that a release has made."""

    domain: Domain
    """With the cells that were found."""
    model: Model
    means: ColumnMeans | None
    shapes: NumberShapes | None


def carried_out(plan: Plan, door: Door) -> CarriedOut:
    """What a plan says, through this door. Where cells are found first, the rest is designed for these."""
    domain, design, shapes = plan.domain, plan.design, None
    if plan.cells is None:
        model = plan.by.release(door, domain, design)
    else:
        shapes = plan.cells.release(door, domain)
        domain = shapes.domain
        door.refine(domain)
        design = plan.by.design(domain, plan.workload, design.price, plan.rows)
        model = plan.by.release_found(door, domain, design, shapes)
    means = None if plan.means is None else plan.means.release(door, domain)
    return CarriedOut(domain=domain, model=model, means=means, shapes=shapes)

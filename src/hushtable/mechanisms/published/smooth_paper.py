"""Smooth as published: one scale of Laplace noise for all averages and the Jackson operator, with corrections."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...maths.smooth.chebyshev import jackson_folds
from ...models.smooth.smooth import SmoothModel
from ...questions.workloads.base import Workload
from ...questions.workloads.smooth import MOST_ORDER, Smooth
from ..base import Design, of_kind, options_text
from ..smooth.base import SmoothMechanism
from ..smooth.cheb import WeightedSums, chebyshev_design, chebyshev_model

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["SMOOTHNESS", "SmoothPaper", "published_degrees"]

# The source's K where nothing is said; it is not chosen by the data.
SMOOTHNESS = 2


def published_degrees(rows: int, epsilon: float, d: int, smoothness: int) -> int:
    """t = (n epsilon)^(1 / (2d + K)), rounded: the source's rule, with the epsilon it leaves out."""
    return max(2, round(math.exp(math.log(rows * epsilon) / (2 * d + smoothness))))


@dataclass(frozen=True)
class SmoothPaper(SmoothMechanism[WeightedSums]):
    """The source's mechanism [WanFZW13], private as it stands here; kept to compare with, its error is large.

    Corrected: the scale of the noise, which was too small by up to 22% for tables that differ in a replaced row;
    the degree of the operator, which was one more than what is released; and t, which forgot epsilon.
    """

    order: int | None = None
    """How many derivatives of a question are bounded, the source's K; that of the workload, or 2, unless given."""
    name = "smooth-paper"
    source = "WanFZW13"
    takes_order = True
    by_name_only = True

    def __post_init__(self) -> None:
        if self.order is not None:
            check_whole(self.order, "order", BadPlan, most=MOST_ORDER)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[WeightedSums]:
        workload.check(domain)
        asked = of_kind(workload, Smooth)
        if price.currency != "pure":
            raise BadPlan("smooth-paper is priced in epsilon alone; leave delta out")
        if rows is None and asked.t is None:
            raise BadPlan("smooth-paper chooses its degrees by the number of rows; give rows, or t in the workload")
        d = max(len(block.axes) for block in asked.blocks(domain))
        given = self.order or asked.order
        order = given or SMOOTHNESS
        t = asked.t or published_degrees(rows or 1, float(price.amount), d, order)
        if given and t <= jackson_folds(order):
            raise BadPlan(
                f"the operator of order {order} needs at least {jackson_folds(order) + 1} degrees a column to be more "
                f"than a constant, and this release has {t}; lower order, or give t in the workload, as in "
                f"smooth(columns=[...], t={2 * jackson_folds(order)})"
            )
        made = chebyshev_design(
            self, domain, asked, price, rows, degrees=lambda _: t, smoothness=order,
            weigh=lambda planned: np.ones((t,) * len(planned.block.axes)),
        )  # fmt: skip
        return replace(made, options=options_text(self))

    def release(self, door: Door, domain: Domain, design: Design[WeightedSums]) -> SmoothModel:
        return chebyshev_model(door, domain, design)

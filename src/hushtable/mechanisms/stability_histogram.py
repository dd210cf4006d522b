"""Stability histogram: values that occur often enough to be shown, with noisy counts; others count as absent."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..budget import Price
from ..domain import Domain
from ..domain.attributes import Attribute
from ..errors import BadPlan
from ..laws import Law
from ..models.key_columns import KeyColumns
from ..models.stability import StabilityModel
from ..questions.workloads.base import Workload
from ..questions.workloads.sparse import KeyWorkload
from ..vault.door.noise import Noise
from ..vault.statistics.row_count import RowCount
from .base import Design, Mechanism, of_kind
from .hash_sketch import ROWS_SHARE, SECONDS_PER_COUNT, forecast_sizes, frequent_of

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["StabilityHistogram"]


class Thresholds(NamedTuple):
    """Which keys are counted, the noise of their counts, what is shown of them, and the noise of the rows."""

    attributes: tuple[Attribute, ...]
    free: int | None
    scale: Fraction
    threshold: int
    rows_scale: Fraction


class StabilityHistogram(Mechanism[Thresholds]):
    """Noise on the count of every value that occurs, and a threshold that hides those few rows have [KorKMN09].

    Best where lists are mostly of absent or frequent values: the absent ones answer exactly 0. A value below the
    threshold is lost, and nothing in the synopsis tells.
    """

    name = "stability-histogram"
    source = "KorKMN09"
    answers = (KeyWorkload,)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[Thresholds]:
        from ..vault.door.reveal import threshold_for

        workload.check(domain)
        if price.currency != "pure" or price.delta == 0:
            raise BadPlan(f"a threshold needs a delta, and the budget is {price}; give epsilon and delta")
        asked, unit = of_kind(workload, KeyWorkload), domain.unit  # type: ignore[type-abstract]
        private = unit.private_rows
        share = 1 - ROWS_SHARE if private else Fraction(1)
        epsilon = Price(currency="pure", amount=price.amount * share).on_grid(up=False).amount
        scale = unit.moved / epsilon
        rows_scale = unit.rows / (price.amount - epsilon) if private else Fraction(0)
        threshold = threshold_for(scale, price.delta, unit)
        variance = Law.LAPLACE.variance(scale)
        forecasts = forecast_sizes(asked.largest, variance, 0.0)
        # Every value of a list may lie just below the threshold; only the user knows that they do not.
        lost = [replace(f, worst=math.hypot(f.worst, f.width * threshold)) for f in forecasts]
        return Design(
            by=self,
            summary=f"values with at least {threshold:,} noisy rows and their counts with discrete Laplace noise",
            price=price,
            numbers=1 if rows is None else 1 + rows // threshold,
            parameters=Thresholds(asked.attributes(domain), getattr(asked, "free", None), scale, threshold, rows_scale),
            memory=150_000_000 + 100 * (rows or 0),
            forecasts=tuple(lost if not asked.rare else [replace(f, typical=f.worst) for f in lost]),
            work=1e6 * SECONDS_PER_COUNT,
            words=("values", "lists", "expected", "all values rare"),
        )

    def release(self, door: Door, domain: Domain, design: Design[Thresholds]) -> StabilityModel:
        attributes, free, scale, threshold, rows_scale = design.parameters
        seen = door.reveal(attributes, scale=scale, threshold=threshold)
        rows = seen.rows
        if rows is None:
            rows = int(door.measure(RowCount(), Noise(law=Law.LAPLACE, per_group=(rows_scale,))).values[0])
        return StabilityModel(
            domain=domain,
            columns=KeyColumns(attributes, free),
            frequent=frequent_of(seen, scale, threshold),
            count=rows,
            rows_scale=rows_scale,
        )

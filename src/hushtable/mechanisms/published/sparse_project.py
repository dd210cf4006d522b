"""SparseProject: the published projection of a table of values by random signs, kept to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...budget import Budget, Currency, Price
from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadPlan, check_whole
from ...laws import Law
from ...maths.keys.projection import MOST_HEIGHT, Projection, independence_for, key_length, published_height
from ...models.keyed.key_columns import KeyColumns
from ...models.keyed.sparse_project import ProjectionModel
from ...questions.workloads.base import Workload
from ...questions.workloads.sparse import KeyWorkload
from ...vault.door.noise import Noise
from ...vault.statistics.projected_sums import ProjectedSums
from ..base import Design, Mechanism, of_kind, options_text
from ..hash_sketch import forecast_sizes, rows_and_rest

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["SparseProject"]

# Measured: one sign of one value in one coordinate, seconds on one core, for each independent sign.
SECONDS_PER_SIGN = 2e-10
MOST_LISTS = 10**12


@dataclass(frozen=True)
class Signs:
    """What was decided: the projection but for its key, and the noise."""

    attributes: tuple[Attribute, ...]
    free: int | None
    height: int
    independence: int
    noise: Noise


@dataclass(frozen=True)
class SparseProject(Mechanism[Signs]):
    """The published algorithm [BluR11, Alg. 2], with the noise of our accounting.

    Every value is projected by signs of which any 2 log2(k T / (2 beta)) are independent. Corrected: replaced rows
    change a coordinate by two, where the source has rows that come or go; and noise is Gaussian and counted exactly
    where the source adds Laplace noise up by a composition theorem, for a tenth of its variance at delta = 1e-6.
    """

    height: int | None = None
    """T, the coordinates; the source's own number is beyond any computer."""
    lists: int = 10_000
    """k, how many lists are asked about."""
    failure: float = 0.05
    """beta, the chance with which one of them may be off by more than the theorem says."""
    name = "sparse-project"
    source = "BluR11"
    answers = (KeyWorkload,)
    by_name_only = True

    def __post_init__(self) -> None:
        check_whole(self.lists, "lists", BadPlan, most=MOST_LISTS)
        if self.height is not None:
            check_whole(self.height, "height", BadPlan)
        if isinstance(self.failure, bool) or not isinstance(self.failure, (int, float)) or not 0 < self.failure < 1:
            raise BadPlan(f"failure is a chance between 0 and 1, such as 0.05, not {self.failure!r}")

    def price(self, workload: Workload, budget: Budget, currency: Currency | None = None) -> Price:
        """With a delta as Gaussian noise: a row moves all coordinates, where a sketch's buckets are moved by ones."""
        return budget.price_in(currency or budget.currencies[0])

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[Signs]:
        workload.check(domain)
        asked = of_kind(workload, KeyWorkload)  # type: ignore[type-abstract]
        if price.currency == "pure":
            raise BadPlan("sparse-project needs a delta or a rho, as published: every coordinate has noise of its own")
        height = self._fitting(rows, asked.largest)
        independence = independence_for(self.lists, height, self.failure)
        law, attributes = Law.of(price), asked.attributes(domain)
        statistic = ProjectedSums(attributes, Projection(bytes(key_length(independence)), height))
        noise = Noise.sharing(price, statistic, domain.unit, rows_and_rest(domain.unit))
        signs = Signs(attributes, getattr(asked, "free", None), height, independence, noise)
        variance = law.variance(noise.per_group[1]) / height
        return Design(
            by=self,
            summary=f"{height:,} coordinates of {independence}-wise independent signs with {law.noise}",
            price=price,
            numbers=height + 1,
            parameters=signs,
            memory=150_000_000 + 48 * height,
            forecasts=forecast_sizes(asked.largest, variance, 0.0 if rows is None else float(rows) ** 2 / height),
            work=1e6 * SECONDS_PER_SIGN * height * independence,
            words=("values", "lists", "noise alone", "and other values"),
            options=options_text(self),
        )

    def _fitting(self, rows: int | None, largest: int) -> int:
        """The height; BadPlan with the one it would need where none that fits was given."""
        if self.height is not None and self.height <= MOST_HEIGHT:
            return self.height
        needs = "" if rows is None else (
            f"; as published {rows:,} rows and lists of {largest:,} need "
            f"{published_height(rows, largest, self.lists, self.failure):.1e}"
        )  # fmt: skip
        given = "has no height" if self.height is None else f"has a height of {self.height:,}"
        raise BadPlan(
            f"sparse-project {given}, and at most {MOST_HEIGHT:,} coordinates fit{needs}; give one that fits, such as "
            "sparse-project(height=16384), or take hash-sketch, which needs no height"
        )

    def release(self, door: Door, domain: Domain, design: Design[Signs]) -> ProjectionModel:
        signs = design.parameters
        projection = Projection(door.key_bytes(key_length(signs.independence)), signs.height)
        sums = door.measure(ProjectedSums(signs.attributes, projection), signs.noise)
        rows_scale, each_scale = signs.noise.per_group
        return ProjectionModel(
            domain=domain,
            columns=KeyColumns(signs.attributes, signs.free),
            projection=projection,
            law=signs.noise.law,
            group_scales=(rows_scale, each_scale),
            sums=sums.values,
        )

"""List counts: noise on the count of every list, for lists that are all known before the release."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..budget import Budget, Currency, Price
from ..domain import Domain
from ..domain.attributes import Attribute
from ..models.keyed.key_columns import KeyColumns
from ..models.keyed.list_counts import ListCountsModel
from ..questions.workloads.base import Workload
from ..questions.workloads.known_lists import KnownLists
from ..vault.door.noise import Noise
from ..vault.statistics.list_sums import ListSums
from ..words import counted
from .base import Design, Forecast, Mechanism, of_kind
from .hash_sketch import rows_and_rest

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["ListCounts"]

SECONDS_PER_ROW = 2e-7


class NoisyLists(NamedTuple):
    """The lists, the columns of their values, and the noise on their counts."""

    statistic: ListSums
    noise: Noise
    attributes: tuple[Attribute, ...]
    lists: tuple[tuple[str, ...], ...]


class ListCounts(Mechanism[NoisyLists]):
    """The noise grows with how many lists a value is in, and not with how long they are [DwoMNS06].

    With a delta the noise is Gaussian, and the square root of that number counts.
    """

    name = "list-counts"
    source = "DwoMNS06"
    answers = (KnownLists,)

    def price(self, workload: Workload, budget: Budget, currency: Currency | None = None) -> Price:
        """A budget with delta buys Gaussian noise here, whatever serves other lists best."""
        return budget.price_in(currency or budget.currency)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[NoisyLists]:
        workload.check(domain)
        asked = of_kind(workload, KnownLists)
        attributes = asked.attributes(domain)
        flat = KeyColumns(attributes).flat([list(dict.fromkeys(values)) for values in asked.lists])
        keys = flat.keys.to_pylist()
        statistic = ListSums(attributes, [keys[a:b] for a, b in zip(flat.starts, flat.starts[1:], strict=False)])
        noise = Noise.sharing(price, statistic, domain.unit, rows_and_rest(domain.unit))
        stderr = math.sqrt(noise.law.variance(noise.per_group[1]))
        return Design(
            by=self,
            summary=f"{counted(len(asked.lists), 'list')} with {noise.law.noise} on each count",
            price=price,
            numbers=1 + len(asked.lists),
            parameters=NoisyLists(statistic, noise, attributes, asked.lists),
            memory=150_000_000 + 200 * len(keys),
            forecasts=(Forecast(width=asked.largest, tables=len(asked.lists), typical=stderr, worst=stderr),),
            work=1e6 * SECONDS_PER_ROW,
            words=("values", "lists", "every list", "every list"),
        )

    def release(self, door: Door, domain: Domain, design: Design[NoisyLists]) -> ListCountsModel:
        statistic, noise, attributes, lists = design.parameters
        rows_scale, list_scale = noise.per_group
        return ListCountsModel(
            domain=domain,
            columns=KeyColumns(attributes),
            lists=tuple(tuple(dict.fromkeys(values)) for values in lists),
            law=noise.law,
            group_scales=(rows_scale, list_scale),
            sums=door.measure(statistic, noise).values,
        )

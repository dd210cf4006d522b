"""List counts: noise on the count of every list, for lists that are all known before the release."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from ..budget import Price, rho_of
from ..domain import Domain
from ..laws import Law
from ..models.keyed.key_columns import KeyColumns
from ..models.keyed.list_counts import ListCountsModel
from ..questions.workloads.base import Workload
from ..questions.workloads.known_lists import KnownLists
from ..vault.statistics.list_sums import ListSums
from ..words import counted
from .allocation import round_up
from .base import Design, Forecast, Mechanism
from .hash_sketch import ROWS_SHARE

if TYPE_CHECKING:
    from ..vault.door.door import Door, Noise

__all__ = ["ListCounts"]

SECONDS_PER_ROW = 2e-7


class ListCounts(Mechanism):
    """The noise grows with how many lists a value is in, and not with how long they are [DwoMNS06].

    With a delta the noise is Gaussian, and the square root of that number counts.
    """

    name = "list-counts"
    source = "DwoMNS06"

    def suits(self, workload: Workload) -> bool:
        """Lists that are known."""
        return isinstance(workload, KnownLists)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design:
        workload.check(domain)
        asked = cast(KnownLists, workload)
        attributes = asked.attributes(domain)
        flat = KeyColumns(attributes).flat([list(dict.fromkeys(one)) for one in asked.lists])
        keys = flat.keys.to_pylist()
        statistic = ListSums(attributes, [keys[a:b] for a, b in zip(flat.starts, flat.starts[1:], strict=False)])
        if price.delta:
            price = Price(currency="zcdp", amount=rho_of(price.amount, price.delta))
        noise = _noise(statistic, domain, price)
        variance = float(noise.per_group[1]) if noise.law == Law.GAUSSIAN else 2 * float(noise.per_group[1]) ** 2
        stderr = math.sqrt(variance)
        return Design(
            mechanism=self.name,
            summary=f"{counted(len(asked.lists), 'list')} with discrete {noise.law.title()} noise on each count",
            price=price,
            numbers=1 + len(asked.lists),
            parameters=(statistic, noise, attributes, asked.lists),
            memory=150_000_000 + 200 * len(keys),
            forecasts=(Forecast(width=asked.largest, tables=len(asked.lists), typical=stderr, worst=stderr),),
            work=1e6 * SECONDS_PER_ROW,
            words=("values", "lists", "every list", "every list"),
        )

    def release(self, door: Door, domain: Domain, design: Design) -> ListCountsModel:
        statistic, noise, attributes, lists = design.parameters
        return ListCountsModel(
            domain=domain,
            columns=KeyColumns(attributes),
            lists=tuple(tuple(dict.fromkeys(one)) for one in lists),
            law=noise.law,
            group_scales=noise.per_group,
            sums=door.measure(statistic, noise).values,
        )


def _noise(statistic: ListSums, domain: Domain, price: Price) -> Noise:
    """One scale for all lists, and one for the number of rows where it is private."""
    from ..vault.door.door import Noise

    law = Law.of(price)
    power, unit = (1 if law == Law.LAPLACE else 2), domain.unit
    shares = (ROWS_SHARE, 1 - ROWS_SHARE) if unit.neighbours == "add-remove" else (Fraction(0), Fraction(1))
    whole, scales = price.on_grid(up=False).amount, []
    for group, share in enumerate(shares):
        alone = [Fraction(int(g == group)) / power for g in range(2)]
        one = statistic.sensitivity(power=power, weights=alone, neighbours=unit.neighbours) * Fraction(unit.rows**power)
        scales.append(round_up(one / (whole * share)) if share else Fraction(0))
    return Noise(law=law, per_group=tuple(scales))

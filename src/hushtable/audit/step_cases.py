"""Cases of the door's other steps: choosing, comparing, counting rows and distances, and several steps in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..budget import Currency, Price
from ..domain import Domain
from ..interactions import Law
from ..rake.tables import GroupedSet
from ..vault.door import Noise
from ..vault.statistics import GroupedTables, Histogram, OneQuestion
from .releases import ReleaseCase, opener
from .shapes import BINARY, RELATIONS, shape
from .tables import Row, Table

__all__ = ["STEPS", "step_cases"]

NO, YES = ("false", "false", "false"), ("true", "true", "true")
CURRENCIES: tuple[Currency, ...] = ("pure", "zcdp")
TWICE = 2


def _price(currency: Currency, epsilon: int = 1) -> Price:
    """Epsilon, or the rho that noise of the same step would have."""
    return Price(currency=currency, amount=Fraction(epsilon) if currency == "pure" else Fraction(epsilon**2, 2))


def _law(currency: Currency) -> Law:
    return "laplace" if currency == "pure" else "gaussian"


def _tables(domain: Domain, others: list[Row]) -> tuple[Table, Table]:
    new = [] if domain.unit.neighbours == "add-remove" else [YES]
    return Table(domain, [*others, NO]), Table(domain, [*others, *new])


def _select(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    """Two cells whose distances one replaced row moves apart: by 1 against 3, where the ratio is nearly the largest."""
    statistic, price = Histogram(domain.sizes), _price(currency)
    reference = np.zeros(len(statistic.zeros()), dtype=np.int64)
    # Distances of the first and of the last cell: 10 and 11 with the row NO, 9 and 12 with YES.
    reference[0], reference[-1] = -9, -11
    among = np.array([0, len(reference) - 1])

    def release(door: Any, _: Domain) -> None:
        door.select(statistic, reference, price, among=among)

    return release


def _choose(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    """All cells, at distances of all kinds."""
    statistic, price = Histogram(domain.sizes), _price(currency)
    reference = np.arange(len(statistic.zeros()), dtype=np.int64)

    def release(door: Any, _: Domain) -> None:
        door.select(statistic, reference, price)

    return release


def _distances(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    sets = [GroupedSet((i, j), (np.arange(2), np.arange(2))) for i, j in ((0, 1), (0, 2), (1, 2))]
    statistic, law = GroupedTables(domain.sizes, sets, times=8), _law(currency)
    reference = np.tile(np.array([0, 9, 9, 90], dtype=np.int64), 3)
    change = statistic.block_change(domain.unit.neighbours)
    scale = Fraction(len(sets) * change) if law == "laplace" else Fraction(len(sets) * change**2)

    def release(door: Any, _: Domain) -> None:
        door.distances(statistic, reference, scale, law)

    return release


def _count(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    statistic = Histogram(domain.sizes)

    def release(door: Any, _: Domain) -> None:
        door.count_rows(statistic, Fraction(1), _law(currency))

    return release


def _watch(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    """Questions that one row moves all the same way, some of them past the threshold; each yes is then measured."""
    sure, never = (OneQuestion(domain.sizes, (0,), np.array([first, not first])) for first in (True, False))
    law, crossings = _law(currency), (2 if currency == "pure" else 1)
    epsilon = Price(currency="pure", amount=Fraction(1, 2))
    # The other half for the measurements.
    scale = Fraction(2 * crossings) if law == "laplace" else Fraction(1, 2 * (Fraction(1, 2) - Fraction(1, 8)))
    noise = Noise(law=law, per_group=(scale,))

    def release(door: Any, _: Domain) -> None:
        watch = door.watch(change=1, threshold=6, price=epsilon, crossings=crossings)
        for number in range(12):
            statistic, reference = (sure, -2) if number % 3 else (never, -6)
            if door.exceeds(watch, statistic, reference):
                door.measure(statistic, noise)
                if watch.left == 0:
                    break

    return release


def _several(domain: Domain, currency: Currency) -> Callable[[Any, Domain], None]:
    """Four measurements, each for a quarter of the budget."""
    statistic, law = Histogram(domain.sizes), _law(currency)
    change = 1 if domain.unit.neighbours == "add-remove" else TWICE
    noise = Noise(law=law, per_group=(Fraction(4 * change),))

    def release(door: Any, _: Domain) -> None:
        for _number in range(4):
            door.measure(statistic, noise)

    return release


# Name to what is done and how many releases of each table.
STEPS: dict[str, tuple[Callable[[Domain, Currency], Callable[[Any, Domain], None]], int]] = {
    "select between two": (_select, 6000),
    "select among all": (_choose, 1500),
    "distances": (_distances, 1500),
    "count rows": (_count, 3000),
    "watch, then measure": (_watch, 800),
    "four measurements": (_several, 600),
}


def step_cases(name: str) -> Iterator[ReleaseCase]:
    """The cases of one kind of step."""
    build, runs = STEPS[name]
    for relation in RELATIONS:
        if name == "count rows" and relation == "replace":
            continue  # the number of rows is public there
        for currency in CURRENCIES:
            domain = shape(BINARY, relation)
            act = opener(_price(currency), build(domain, currency))
            yield ReleaseCase(f"{name}, {relation}, {currency}", domain, _tables(domain, [NO, YES]), act, runs)

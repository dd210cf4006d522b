"""Cases of the door's other steps: choosing, comparing, revealing, counting, and several steps in a row.

Each also for persons of two and of three rows: a step that forgets them has too little noise there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..budget import Currency, Price
from ..domain import Domain
from ..errors import OverBudget
from ..laws import Law
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..vault.door.door import JointNoise, Noise
from ..vault.door.reveal import reveal_price, threshold_for
from ..vault.statistics import GroupedTables, Histogram, OneQuestion, OneWayTables
from ..vault.statistics.cell_vectors import CellVectors
from .made_up_tables import NAMES, MadeUpTable, Row
from .releases import ReleaseCase, opener
from .shapes import BINARY, OPEN, RELATIONS, persons, shape

__all__ = ["STEPS", "step_cases"]

NO, YES = ("false", "false", "false"), ("true", "true", "true")
# Currencies and rows of a person.
SETTINGS: tuple[tuple[Currency, int], ...] = (
    ("pure", 1),
    ("gdp", 3),
    ("zcdp", 3),
    ("pure", 2),
    ("zcdp", 1),
    ("gdp", 1),
)
Release = Callable[[Any, Domain], None]


def _price(currency: Currency, epsilon: int = 1) -> Price:
    """Epsilon, or what a step of that epsilon costs in another currency."""
    return Price(currency="pure", amount=Fraction(epsilon)).into(currency).on_grid(up=True)


def _tables(domain: Domain, here: list[Row], there: list[Row], others: list[Row]) -> tuple[MadeUpTable, MadeUpTable]:
    """Two neighbouring tables: all rows of one person are others, or are there only once."""
    new = [] if domain.unit.neighbours == "add-remove" else there
    return MadeUpTable(domain, [*others, *here]), MadeUpTable(domain, [*others, *new])


def _cells(domain: Domain) -> tuple[MadeUpTable, MadeUpTable]:
    """All rows of the person are in one cell, where they are seen best."""
    return _tables(domain, [NO] * domain.unit.rows, [YES] * domain.unit.rows, [NO, YES])


def _keys(domain: Domain) -> tuple[MadeUpTable, MadeUpTable]:
    """Each row of the person has a key of its own, which nobody else has; there, one that others have."""
    mine: list[Row] = [(f"mine-{i}",) for i in range(domain.unit.rows)]
    common: list[Row] = [(NAMES[0],)] * 40
    return _tables(domain, mine, common[: domain.unit.rows], [*common, (NAMES[1],)])


def _wider(domain: Domain, law: Law) -> int:
    """How much wider the noise of a person with several rows must be: the scale, or the variance."""
    return int(domain.unit.rows**law.power)


def _select(domain: Domain, currency: Currency) -> Release:
    """Two cells whose distances a replaced person moves apart: by m against 3m, where the ratio is nearly the largest.

    m is the rows of the person, who moves each of the distances by it.
    """
    statistic, price = Histogram(domain.sizes), _price(currency)
    reference = np.zeros(len(statistic.zeros()), dtype=np.int64)
    reference[0], reference[-1] = -9, -9 - 2 * domain.unit.rows
    among = np.array([0, len(reference) - 1])

    def release(door: Any, _: Domain) -> None:
        door.select(statistic, reference, price, among=among)

    return release


def _choose(domain: Domain, currency: Currency) -> Release:
    """All cells, at distances of all kinds."""
    statistic, price = Histogram(domain.sizes), _price(currency)
    reference = np.arange(len(statistic.zeros()), dtype=np.int64)

    def release(door: Any, _: Domain) -> None:
        door.select(statistic, reference, price)

    return release


def _distances(domain: Domain, currency: Currency) -> Release:
    sets = [GroupedSet((i, j), (np.arange(2), np.arange(2))) for i, j in ((0, 1), (0, 2), (1, 2))]
    statistic, law = GroupedTables(domain.sizes, sets, times=8), Law.of(_price(currency))
    reference = np.tile(np.array([0, 9, 9, 90], dtype=np.int64), 3)
    change = statistic.block_change(domain.unit.neighbours) * domain.unit.rows
    scale = law.scale(len(sets) * change**law.power, _price(currency).amount)

    def release(door: Any, _: Domain) -> None:
        door.distances(statistic, reference, scale, law)

    return release


def _count(domain: Domain, currency: Currency) -> Release:
    statistic, law = Histogram(domain.sizes), Law.of(_price(currency))
    scale = law.scale(_wider(domain, law), _price(currency).amount)

    def release(door: Any, _: Domain) -> None:
        door.count_rows(statistic, scale, law)

    return release


def _watch(domain: Domain, currency: Currency) -> Release:
    """Questions that one row moves all the same way, some of them past the threshold; each yes is then measured."""
    sure, never = (OneQuestion(domain.sizes, (0,), np.array([first, not first])) for first in (True, False))
    law, crossings = Law.of(_price(currency)), (2 if currency == "pure" else 1)
    epsilon = Price(currency="pure", amount=Fraction(1, 2))
    # The rest for the measurements.
    rest = _price(currency).amount - epsilon.into(currency).on_grid(up=True).amount
    noise = Noise(law=law, per_group=(law.scale(_wider(domain, law), rest / crossings),))

    def release(door: Any, _: Domain) -> None:
        watch = door.watch(change=1, threshold=6, price=epsilon, crossings=crossings)
        for number in range(12):
            statistic, reference = (sure, -2) if number % 3 else (never, -6)
            if door.exceeds(watch, statistic, reference):
                door.measure(statistic, noise)
                if watch.left == 0:
                    break

    return release


def _watch_afar(domain: Domain, currency: Currency) -> Release:
    """Questions two noise scales below the threshold and above it, where it matters most how wide the noise is."""
    statistic = OneQuestion(domain.sizes, (0,), np.array([True, False]))
    price, apart = Price(currency="pure", amount=Fraction(1)), 6 * domain.unit.rows

    def release(door: Any, _: Domain) -> None:
        watch = door.watch(change=1, threshold=2 * apart, price=price)
        for reference in (-apart, -apart, -apart, -3 * apart):
            if door.exceeds(watch, statistic, reference):
                break

    return release


def _several(domain: Domain, currency: Currency) -> Release:
    """Four measurements, each for a quarter of the budget."""
    statistic = Histogram(domain.sizes)
    quarter = Price(currency=currency, amount=_price(currency).amount / 4).on_grid(up=False)
    noise = Noise.costing(quarter, statistic, domain.unit, [1], rounded=False)

    def release(door: Any, _: Domain) -> None:
        for _number in range(4):
            door.measure(statistic, noise)

    return release


def _jointly(domain: Domain, currency: Currency) -> Release:
    """One-way tables in two groups of different scales; in other currencies than epsilon it costs what that does."""
    statistic = OneWayTables(domain.sizes, [[1], [0, 2]])
    epsilon = Price(currency="pure", amount=Fraction(1))
    noise = JointNoise.sharing(epsilon, statistic, domain.unit, [1 / 3, 2 / 3])

    def release(door: Any, _: Domain) -> None:
        door.measure_jointly(statistic, noise)

    return release


# Two numbers whose changes fill half of their box, and one more, of three yes/no columns.
SLANTED = np.array([[1, 0, 0], [-1, 0, 1]], dtype=np.int64)
LINE = np.array([[1, 1, 0]], dtype=np.int64)
# Where noise is small, it matters most that a radius is drawn anew.
EPSILON_OF_LEVELS = 4


def _levels(domain: Domain, currency: Currency) -> Release:
    """Whole vectors of a hull in two levels, whose noise is found by trial: the second is a projection of the cells."""
    kinds = np.indices(domain.sizes).reshape(len(domain.sizes), -1)
    cuts = [np.array([[1, 1]], dtype=np.int64), np.array([[1]], dtype=np.int64)]
    statistic = CellVectors(domain.sizes, range(len(domain.sizes)), [SLANTED @ kinds, LINE @ kinds], cuts)
    noise = JointNoise.sharing(_price("pure", EPSILON_OF_LEVELS), statistic, domain.unit, [3 / 4, 1 / 4])

    def release(door: Any, _: Domain) -> None:
        door.measure_jointly(statistic, noise)

    return release


def _reveal(domain: Domain, currency: Currency) -> Release:
    """Reveals again and again, until there is no delta left: epsilon is enough for more."""
    scale, threshold = _reveal_noise(domain)

    def release(door: Any, _: Domain) -> None:
        try:
            for _number in range(MOST_REVEALS):
                door.reveal(domain.attributes, scale=scale, threshold=threshold)
        except OverBudget:
            return

    return release


MOST_REVEALS = 6


def _reveal_noise(domain: Domain) -> tuple[Fraction, int]:
    unit = domain.unit
    scale = Fraction(4 * unit.moved)
    return scale, threshold_for(scale, Fraction(1, 50), unit)


def _reveal_price(domain: Domain, currency: Currency) -> Price:
    """The delta of two reveals and the epsilon of many."""
    each = reveal_price(*_reveal_noise(domain), domain.unit).into(currency).on_grid(up=True)
    return Price(currency=currency, amount=each.amount * MOST_REVEALS, delta=each.delta * 2)


@dataclass(frozen=True, kw_only=True)
class StepKind:
    """One kind of step: what is done for which price, to which tables, and how many releases of each there are."""

    build: Callable[[Domain, Currency], Release]
    runs: int
    attributes: dict[str, Any] = field(default_factory=lambda: BINARY)
    tables: Callable[[Domain], tuple[MadeUpTable, MadeUpTable]] = _cells
    price: Callable[[Domain, Currency], Price] = lambda _, currency: _price(currency)


STEPS: dict[str, StepKind] = {
    "select between two": StepKind(build=_select, runs=6000),
    "select among all": StepKind(build=_choose, runs=1500),
    "distances": StepKind(build=_distances, runs=1500),
    "count rows": StepKind(build=_count, runs=3000),
    "watch, then measure": StepKind(build=_watch, runs=800),
    "watch from afar": StepKind(build=_watch_afar, runs=800),
    "measure jointly": StepKind(build=_jointly, runs=1500),
    "measure levels jointly": StepKind(
        build=_levels, runs=1500, price=lambda _, currency: _price(currency, EPSILON_OF_LEVELS)
    ),
    "four measurements": StepKind(build=_several, runs=600),
    "reveal": StepKind(build=_reveal, runs=400, attributes=OPEN, tables=_keys, price=_reveal_price),
}


def step_cases(name: str) -> Iterator[ReleaseCase]:
    """The cases of one kind of step."""
    kind = STEPS[name]
    for relation in RELATIONS:
        if name == "count rows" and relation == "replace":
            continue  # the number of rows is public there
        for currency, rows in SETTINGS:
            domain = shape(kind.attributes, relation, rows=rows)
            act = opener(kind.price(domain, currency), kind.build(domain, currency))
            label = f"{name}, {relation}, {currency}{persons(rows)}"
            yield ReleaseCase(label, domain, kind.tables(domain), act, kind.runs)

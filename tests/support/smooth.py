"""What the tests of smooth questions share: a small domain, rows, and a door without noise."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from hushtable.budget import Price
from hushtable.domain import Domain
from hushtable.models import Model
from hushtable.synopsis import Synopsis
from hushtable.vault.door.door import Door, Measurement, Noise, price_of
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.sources import FrameSource
from hushtable.vault.statistics import Statistic

Columns = dict[str, np.ndarray]

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "age": {"kind": "integer", "between": [18, 98], "bins": 8},
    "income": {"kind": "number", "between": [1000, 200000], "bins": 8},
    "bmi": {"kind": "number", "between": [14, 54], "bins": 4},
    "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
    "region": {"kind": "category", "values": ["north", "south", "west"], "missing": "error"},
}
PURE, ZCDP = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-9")


def people(*, neighbours: str = "replace", rows: int = 1, complete: bool = False) -> Domain:
    """Complete: the domain says that no number is missing, so that the number of rows that have one is public."""
    attributes = {n: a | {"missing": "error"} for n, a in ATTRIBUTES.items()} if complete else ATTRIBUTES
    return Domain.from_dict(
        {"table": "people", "neighbours": neighbours, "unit": {"rows": rows}, "attributes": attributes}
    )


def table(rows: int = 4000, seed: int = 1) -> dict[str, np.ndarray]:
    g = np.random.default_rng(seed)
    age = np.clip(np.rint(g.normal(45, 15, rows)), 18, 98)
    return {
        "age": age,
        "income": np.clip(np.exp(g.normal(10.3, 0.5, rows) + 0.004 * age), 1000, 200000),
        "bmi": np.clip(g.normal(25, 4, rows), 14, 54),
        "sex": np.array(["female", "male"])[(g.random(rows) < 0.6).astype(int)],
        "region": np.array(["north", "south", "west"])[g.integers(0, 3, rows)],
    }


class ExactDoor:
    """Reads rows and adds no noise; keeps the prices it was asked for."""

    def __init__(self, columns: Columns, domain: Domain) -> None:
        self.source, self.domain = FrameSource(pa.table(columns)), domain
        self.prices: list[Price] = []

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        self.prices.append(price_of(statistic, noise, self.domain.unit))
        sums = self.source.total(statistic, self.domain)
        rows = statistic.rows(sums) if self.domain.unit.neighbours == "replace" else None
        return Measurement(values=statistic.to_coordinates(sums), noise=noise, rows=rows)


def exact(
    columns: Columns, domain: Domain, workload: str, budget: ht.Budget = PURE, mechanism: str | None = None
) -> Synopsis:
    """Not private: a synopsis without noise that believes it has some."""
    made = ht.plan(domain, rows=len(columns["age"]), workload=workload, budget=budget, mechanism=mechanism)
    door: Any = ExactDoor(columns, domain)
    model = made.by.release(door, domain, made.design)
    return Synopsis.from_release(made, model, ledger=None, not_private=False)


class Account:
    """Pays for everything."""

    def charge(self, price: Price, *, what: str) -> None:
        assert price.amount > 0


def releases(
    rows: Columns, shape: Domain, workload: str, budget: ht.Budget, mechanism: str | None, count: int
) -> Iterator[Model]:
    """Models of one table: one without noise, then independent releases; the sums are computed once."""
    made = ht.plan(shape, rows=len(next(iter(rows.values()))), workload=workload, budget=budget, mechanism=mechanism)
    exact: Any = ExactDoor(rows, shape)
    yield made.by.release(exact, shape, made.design)
    known: dict[str, Any] = {}

    def total(statistic: Any, /) -> Any:
        if statistic.name not in known:
            known[statistic.name] = exact.source.total(statistic, shape)
        return known[statistic.name].copy()

    for seed in range(count):
        door = Door(
            total=total, unit=shape.unit, price=made.design.price, account=Account(), randomness=Simulated(seed)
        )
        yield made.by.release(door, shape, made.design)

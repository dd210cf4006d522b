"""What the tests of smooth questions share: a small domain, rows, and a door without noise."""

import numpy as np
import pyarrow as pa

import hushtable as ht
from hushtable.domain import Domain
from hushtable.mechanisms import mechanisms
from hushtable.synopsis import Synopsis
from hushtable.vault.door.door import Door, Measurement, price_of
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.sources import FrameSource

ATTRIBUTES = {
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

    def __init__(self, columns: dict, domain: Domain) -> None:
        self.source, self.domain, self.prices = FrameSource(pa.table(columns)), domain, []

    def measure(self, statistic, noise):
        self.prices.append(price_of(statistic, noise, self.domain.unit))
        sums = self.source.total(statistic, self.domain)
        rows = statistic.rows(sums) if self.domain.unit.neighbours == "replace" else None
        return Measurement(values=statistic.to_coordinates(sums), noise=noise, rows=rows)


def exact(columns: dict, domain: Domain, workload: str, budget=PURE, mechanism: str | None = None) -> Synopsis:
    """Not private: a synopsis without noise that believes it has some."""
    made = ht.plan(domain, rows=len(columns["age"]), workload=workload, budget=budget, mechanism=mechanism)
    model = mechanisms()[made.mechanism].release(ExactDoor(columns, domain), domain, made.design)
    return Synopsis.from_release(made, model, ledger=None, not_private=False)


class Account:
    """Pays for everything."""

    def charge(self, price, *, what):
        assert price.amount > 0


def releases(rows, shape, workload, budget, mechanism, count):
    """Models of one table: one without noise, then independent releases; the sums are computed once."""
    made = ht.plan(shape, rows=len(next(iter(rows.values()))), workload=workload, budget=budget, mechanism=mechanism)
    mechanism, exact = made.mechanism, ExactDoor(rows, shape)
    yield mechanisms()[mechanism].release(exact, shape, made.design)
    known = {}

    def total(statistic):
        if statistic.name not in known:
            known[statistic.name] = exact.source.total(statistic, shape)
        return known[statistic.name].copy()

    for seed in range(count):
        door = Door(
            total=total, unit=shape.unit, price=made.design.price, account=Account(), randomness=Simulated(seed)
        )
        yield mechanisms()[mechanism].release(door, shape, made.design)

"""Small tables and doubles that many tests share."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from hushtable.budget import Price
from hushtable.domain import Domain
from hushtable.laws import Law
from hushtable.vault.door.door import JointMeasurement, JointNoise, Measurement, Noise, joint_price, price_of
from hushtable.vault.statistics import Statistic
from hushtable.vault.statistics.joint import JointStatistic

BINARY = {f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(4)}
MIXED = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
    "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
    "region": {"kind": "category", "values": ["north", "south", "west"], "other": True},
    "smoker": {"kind": "boolean", "missing": "error"},
}
# One representative value a code, in code order.
VALUES: dict[str, list[Any]] = {
    "age": [5, 40, 80, None],
    "sex": ["female", "male"],
    "region": ["north", "south", "west", "abroad", None],
    "smoker": [False, True],
}


def domain(
    attributes: dict[str, Any] | None = None,
    *,
    neighbours: str = "replace",
    rows: int = 1,
    person: str | None = None,
) -> Domain:
    unit = {"rows": rows} | ({"person": person} if person else {})
    return Domain.from_dict({"table": "t", "neighbours": neighbours, "unit": unit, "attributes": attributes or MIXED})


def random_codes(shape: Domain, rows: int, seed: int) -> np.ndarray:
    """Codes with skewed and dependent columns, shape (attributes, rows)."""
    g = np.random.default_rng(seed)
    lean = g.random(rows)
    return np.array([np.minimum((g.random(rows) * 0.6 + lean * 0.4) * s, s - 1).astype(np.uint8) for s in shape.sizes])


def table_of(shape: Domain, codes: np.ndarray) -> pa.Table:
    """The rows with these codes, as a table of representative values."""
    columns = {}
    for attribute, column in zip(shape.closed, codes, strict=True):
        values = VALUES.get(attribute.name, [False, True])
        columns[attribute.name] = pa.array([values[c] for c in column])
    return pa.table(columns)


def all_rows(shape: Domain) -> np.ndarray:
    """Every possible row once."""
    return np.array(list(product(*(range(s) for s in shape.sizes))), dtype=np.uint8).T


class FakeDoor:
    """Answers without noise, so that an algorithm is tested without luck; keeps the prices it was asked for."""

    def __init__(self, codes: np.ndarray, shape: Domain) -> None:
        self.codes, self.unit = codes, shape.unit
        self.prices: list[Price] = []

    def count_rows(self, statistic: Statistic, scale: Fraction, law: Law) -> int:
        if self.unit.neighbours == "add-remove":
            self.prices.append(Price(currency=law.currency, amount=law.price(1, scale)))
        return int(self.codes.shape[1])

    def select(
        self, statistic: Statistic, reference: np.ndarray, price: Price, *, among: np.ndarray | None = None
    ) -> int:
        self.prices.append(price)
        apart = np.abs(statistic.to_coordinates(statistic.accumulate(self.codes)) - reference)
        starts = statistic.block_starts()
        scores = apart if starts is None else np.add.reduceat(apart, starts[:-1])
        return int(np.argmax(scores)) if among is None else int(among[np.argmax(scores[among])])

    def distances(self, statistic: Statistic, reference: np.ndarray, scale: Fraction, law: Law) -> np.ndarray:
        starts = statistic.block_starts()
        blocks = len(reference) if starts is None else len(starts) - 1
        change = Fraction(statistic.block_change(self.unit.neighbours) * self.unit.rows) ** law.power
        self.prices.append(Price(currency=law.currency, amount=law.price(blocks * change, scale)))
        apart = np.abs(statistic.to_coordinates(statistic.accumulate(self.codes)) - reference)
        return apart if starts is None else np.add.reduceat(apart, starts[:-1])

    @contextmanager
    def paid(self, price: Price, what: str) -> Iterator[None]:
        yield

    def key_bytes(self, count: int) -> bytes:
        return bytes(range(count))

    def measure_jointly(self, statistic: JointStatistic, noise: JointNoise) -> JointMeasurement:
        self.prices.append(joint_price(statistic, noise, self.unit))
        sums = statistic.accumulate(self.codes)
        rows = statistic.rows(sums) if self.unit.neighbours == "replace" else None
        return JointMeasurement(values=statistic.to_coordinates(sums), rows=rows)

    def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
        self.prices.append(price_of(statistic, noise, self.unit))
        sums = statistic.accumulate(self.codes)
        rows = statistic.rows(sums) if self.unit.neighbours == "replace" else None
        return Measurement(values=statistic.to_coordinates(sums), noise=noise, rows=rows)

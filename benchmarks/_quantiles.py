"""Tables of the benchmark of quantiles: real columns and simulated ones, smooth, rounded and with piles."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
import pandas

import hushtable as ht
from benchmarks._smooth import DATA, PURE, ZCDP
from hushtable.models.smooth.released_sums import SmoothSums
from hushtable.models.smooth.smooth import SmoothModel
from hushtable.questions.answer import Answer

WHOLE, REAL = "integer", "number"
COLUMNS: dict[str, dict[str, tuple[float, float, str]]] = {
    "adult.csv.gz": {"age": (17, 90, WHOLE), "hours-per-week": (1, 99, WHOLE), "fnlwgt": (0, 600_000, WHOLE),
                     "capital-gain": (0, 20_000, WHOLE)},
    "california_housing.csv.gz": {"median_income": (0, 15, REAL), "median_house_value": (0, 500_001, REAL),
                                  "housing_median_age": (0, 60, WHOLE), "population": (0, 6000, WHOLE)},
    "diamonds.csv.gz": {"carat": (0, 5, REAL), "price": (0, 20_000, WHOLE), "depth": (50, 75, REAL)},
    "nycflights.csv.gz": {"dep_delay": (-60, 300, WHOLE), "distance": (0, 5000, WHOLE), "air_time": (0, 700, WHOLE)},
    "german_credit.csv": {"age": (18, 80, WHOLE), "credit_amount": (0, 20_000, WHOLE),
                          "duration_months": (4, 72, WHOLE)},
}  # fmt: skip
# Rounded to steps that the release does not resolve, and not declared so.
UNDECLARED: dict[str, dict[str, tuple[float, float, str]]] = {
    "adult.csv.gz": {"age": (17, 90, REAL)}, "diamonds.csv.gz": {"table": (45, 75, REAL)},
}  # fmt: skip
SIMULATED = ("smooth", "rounded", "piles", "two-values", "bounds")
TABLES = (*(file.split(".")[0] for file in COLUMNS), "simulated")
CURRENCIES = {"pure": PURE, "delta": ZCDP}
RELATIONS = ("replace", "add-remove")
ROWS = (200, 2_000, 20_000, 100_000)
LEVELS = np.round(np.arange(1, 25) * 0.04, 2)


@dataclass(frozen=True, eq=False)
class Column:
    """Not private: values between declared bounds."""

    table: str
    name: str
    values: np.ndarray
    low: float
    high: float
    kind: str

    @property
    def truth(self) -> np.ndarray:
        """The quantiles of the rows."""
        return np.quantile(self.values, LEVELS, method="inverted_cdf")

    def released(self, relation: str, currency: str, seeds: range) -> Iterator[tuple[SmoothModel, SmoothSums]]:
        """Releases of the column alone, as one makes them without a thought; no two columns have the same noise."""
        spec = {"kind": self.kind, "between": [self.low, self.high], "bins": 2, "missing": "error"}
        domain = ht.Domain.from_dict({"table": "t", "neighbours": relation, "attributes": {"v": spec}})
        vault = ht.Vault(pandas.DataFrame({"v": self.values}), domain)
        rows, budget = len(self.values), CURRENCIES[currency]
        plan = ht.plan(domain, rows=rows, workload=ht.Smooth(("v",)), budget=budget)
        own = crc32(f"{self.table}/{self.name}/{len(self.values)}/{relation}".encode())
        for seed in seeds:
            model = vault.release(plan, randomness=ht.Simulated(own + seed)).model
            assert isinstance(model, SmoothModel)
            yield model, model.released[0].margin(["v"])


def asked(model: SmoothModel, level: float) -> Answer:
    """The quantile of a release."""
    answer = model.answer(model.parse(f"quantile(v, {level})"))
    assert isinstance(answer, Answer)
    return answer


def surely_of(model: SmoothModel, level: float) -> tuple[float, float]:
    """Its certified interval."""
    certified = asked(model, level).certified
    assert certified is not None
    return certified


def missing_files() -> list[str]:
    """Tables that are not here."""
    return [file for file in COLUMNS if not (DATA / file).exists()]


def columns(rows: int) -> Iterator[Column]:
    """So many rows of every column, always the same: with repetition where a table has fewer."""
    yield from _read(COLUMNS, rows)
    for name in SIMULATED:
        yield Column("simulated", name, _simulated(name, rows), 0, 1, REAL)


def undeclared(rows: int) -> Iterator[Column]:
    """The same of columns that are rounded without a word of it."""
    for column in _read(UNDECLARED, rows):
        yield replace(column, table=f"undeclared-{column.name}")


def _read(tables: dict[str, dict[str, tuple[float, float, str]]], rows: int) -> Iterator[Column]:
    for file, given in tables.items():
        if not (DATA / file).exists():
            continue
        frame = pandas.read_csv(DATA / file, usecols=list(given))
        for name, (low, high, kind) in given.items():
            values = np.clip(frame[name].to_numpy(float), low, high)
            values = np.random.default_rng(rows).choice(values, rows, replace=rows > len(values))
            yield Column(file.split(".")[0], name, values, low, high, kind)


def _simulated(name: str, rows: int) -> np.ndarray:
    """Between 0 and 1: smooth, of one decimal, 40% on two values, two values alone, 60% at a bound."""
    g = np.random.default_rng(8)
    smooth, piled = g.beta(2, 4, rows), g.random(rows)
    return {
        "smooth": smooth,
        "rounded": np.round(smooth, 1),
        "piles": np.where(piled < 0.4, g.choice([0.2, 0.31], rows), smooth),
        "two-values": g.choice([0.25, 0.75], rows),
        "bounds": np.where(piled < 0.6, 0.0, np.clip(3 * smooth - 0.4, 0, 1)),
    }[name]

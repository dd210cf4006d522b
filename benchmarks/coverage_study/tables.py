"""The tables of the study: real ones where the folder of data is there, simulated ones where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from benchmarks._tables import DATA
from hushtable import Domain
from hushtable.demo.clinic import DOMAIN, simulate_clinic
from hushtable.domain.dummy import dummy_rows

__all__ = ["DATA", "Shape", "Table", "draw", "present", "shapes"]

Attributes = dict[str, dict[str, Any]]
ROWS = 100_000
"""Simulated tables have so many rows."""


@dataclass(frozen=True)
class Shape:
    """A table of the study before rows are drawn from it: what it is for, and how its columns are declared."""

    role: str
    """codes, bits, rare, numbers, keys, rules or edges."""
    attributes: Attributes
    load: Callable[[], pandas.DataFrame]
    file: str | None = None
    """Its file in the folder of data; None for simulated rows."""


@dataclass(frozen=True, eq=False)
class Table:
    """Not private: rows in memory with their declared columns."""

    name: str
    attributes: Attributes
    rows: pa.Table

    def only(self, most: int) -> Table:
        """The first columns alone."""
        kept = list(self.attributes)[:most]
        return Table(self.name, {name: self.attributes[name] for name in kept}, self.rows.select(kept))


def present(name: str) -> bool:
    """Whether the table can be read here."""
    file = shapes()[name].file
    return file is None or (DATA / file).exists()


def draw(name: str, rows: int) -> Table:
    """So many rows, always the same: without repetition where the table has enough, else with."""
    frame = _frame(name)
    place = np.random.default_rng(rows).choice(len(frame), rows, replace=rows > len(frame))
    return Table(name, shapes()[name].attributes, pa.Table.from_pandas(frame.iloc[place], preserve_index=False))


@cache
def _frame(name: str) -> pandas.DataFrame:
    shape = shapes()[name]
    return shape.load()[list(shape.attributes)]


def _csv(file: str, renamed: dict[str, str] | None = None) -> Callable[[], pandas.DataFrame]:
    return lambda: pandas.read_csv(DATA / file, na_values="?").rename(columns=renamed or {})


def _words(*values: str, **more: Any) -> dict[str, Any]:
    return {"kind": "category", "values": list(values), "missing": "error"} | more


def _whole(low: int, high: int, **more: Any) -> dict[str, Any]:
    return {"kind": "integer", "between": [low, high], "missing": "error"} | more


def _real(low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"kind": "number", "between": [low, high], "bins": 4, "missing": "error"} | more


BIT = {"kind": "boolean", "missing": "error"}
ADULT = {"education-num": "schooling", "hours-per-week": "hours"}
ADULT_CODES: Attributes = {
    "schooling": _whole(1, 16),
    "sex": _words("Female", "Male"),
    "workclass": _words("Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov",
                        "Without-pay", "Never-worked", missing="category"),
    "income": _words("<=50K", ">50K"),
    "age": _whole(17, 90, edges=[25, 35, 45, 55, 65]),
    "race": _words("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
    "relationship": _words("Husband", "Not-in-family", "Own-child", "Unmarried", "Wife", "Other-relative"),
}  # fmt: skip
TAXI = {"payment_type": "payment", "trip_miles": "miles", "trip_seconds": "seconds"}
OCEAN = ("<1H OCEAN", "INLAND", "ISLAND", "NEAR BAY", "NEAR OCEAN")
CUTS = ("Fair", "Good", "Very Good", "Premium", "Ideal")


def _clinic(*names: str) -> Attributes:
    return {name: DOMAIN["attributes"][name] for name in names}


def _clinic_rows() -> pandas.DataFrame:
    return pandas.DataFrame(simulate_clinic(ROWS, seed=5))


def _bits(file: str, count: int) -> Shape:
    """The first columns of a table of 0 and 1, under plain names."""
    names = [f"b{i}" for i in range(count)]

    def load() -> pandas.DataFrame:
        return pandas.read_csv(DATA / file).iloc[:, :count].astype(bool).set_axis(names, axis=1)

    return Shape("rare" if count > 16 else "bits", dict.fromkeys(names, BIT), load, file)


def _simulated_bits(count: int, chance: float) -> Callable[[], pandas.DataFrame]:
    def load() -> pandas.DataFrame:
        drawn = np.random.default_rng(8).random((ROWS, count)) < chance
        return pandas.DataFrame({f"b{i}": drawn[:, i] for i in range(count)})

    return load


def _keys() -> pandas.DataFrame:
    drawn = np.random.default_rng(6).zipf(1.3, ROWS)
    return pandas.DataFrame({"key": [None if i % 41 == 0 else f"v{i}" for i in drawn]})


RULES = {"kind": "decision_list", "inputs": [f"i{number}" for number in range(8)], "length": 3}


def _choices() -> pandas.DataFrame:
    """No table of decision lists is public: 400 different ones, some frequent and most rare."""
    shape = Domain.from_dict({"table": "t", "attributes": {"choice": RULES}})
    pool, source = np.array(dummy_rows(shape, rows=400, seed=1)["choice"]), np.random.default_rng(7)
    return pandas.DataFrame({"choice": source.choice(pool, ROWS, p=source.dirichlet(np.full(len(pool), 0.3)))})


EDGES = {"a": {"kind": "vertex", "between": [1, 60]}, "b": {"kind": "vertex", "like": "a"}}


def _edges() -> pandas.DataFrame:
    """Random pairs of 60 vertices, of which a few have many edges."""
    source, weight = np.random.default_rng(9), np.arange(1, 61) ** -0.6
    small, large = np.triu_indices(60, 1)
    chance = weight[small] * weight[large]
    drawn = source.choice(len(small), ROWS, p=chance / chance.sum())
    return pandas.DataFrame({"a": small[drawn] + 1, "b": large[drawn] + 1})


def _baskets() -> pandas.DataFrame:
    """One row an item of a basket."""
    items = pandas.read_csv(DATA / "retail.csv.gz")["items"].str.split().explode()
    return pandas.DataFrame({"key": items.astype(str).to_numpy()})


def _bigrams() -> pandas.DataFrame:
    read = pandas.read_csv(DATA / "reddit_bigrams.csv.gz", na_filter=False)
    return pandas.DataFrame({"key": read["bigram"].str.strip().to_numpy()})


def _coded() -> dict[str, Shape]:
    taxi = {"fare": _whole(0, 10), "payment": _whole(0, 8), "tips": _whole(0, 10), "miles": _whole(0, 10),
            "seconds": _whole(0, 10)}  # fmt: skip
    clinic = _clinic("visits", "sex", "education", "diabetic", "age", "children", "insurance")
    bits = _clinic("exercise", "diabetic", "hypertension", "asthma", "depression", "heart_disease", "vaccinated",
                   "readmitted")  # fmt: skip
    return {
        "adult": Shape("codes", ADULT_CODES, _csv("adult.csv.gz", ADULT), "adult.csv.gz"),
        "taxi": Shape("codes", taxi, _csv("taxi_chicago.csv.gz", TAXI), "taxi_chicago.csv.gz"),
        "clinic": Shape("codes", clinic, _clinic_rows),
        "nltcs": _bits("nltcs.csv.gz", 10),
        "clinic-bits": Shape("bits", bits, _clinic_rows),
        "retail-bits": _bits("retail_top100.csv.gz", 32),
        "rare-bits": Shape("rare", {f"b{i}": BIT for i in range(32)}, _simulated_bits(32, 0.02)),
    }


def _numbers() -> dict[str, Shape]:
    homes = {"median_income": _real(0, 16), "latitude": _real(32, 42), "ocean_proximity": _words(*OCEAN)}
    stones = {"carat": _real(0, 6), "depth": _real(40, 80), "cut": _words(*CUTS)}
    people = {"age": _whole(0, 100, bins=4), "hours": _whole(0, 100, bins=4), "sex": _words("Female", "Male")}
    housing = "california_housing.csv.gz"
    return {
        "california": Shape("numbers", homes, _csv(housing), housing),
        "diamonds": Shape("numbers", stones, _csv("diamonds.csv.gz"), "diamonds.csv.gz"),
        "adult-numbers": Shape("numbers", people, _csv("adult.csv.gz", ADULT), "adult.csv.gz"),
        "clinic-numbers": Shape("numbers", _clinic("bmi", "income", "insurance"), _clinic_rows),
    }


@cache
def shapes() -> dict[str, Shape]:
    """Every table of the study, by name."""
    open_key: Attributes = {"key": {"kind": "open"}}
    uncoded = {
        "retail": Shape("keys", open_key, _baskets, "retail.csv.gz"),
        "bigrams": Shape("keys", open_key, _bigrams, "reddit_bigrams.csv.gz"),
        "zipf": Shape("keys", open_key, _keys),
        "choices": Shape("rules", {"choice": RULES}, _choices),
        "edges": Shape("edges", EDGES, _edges),
    }
    return _coded() | _numbers() | uncoded

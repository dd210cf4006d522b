"""Four small tables as four kinds of people have them, each as exported (for the vault) and as meant (for DuckDB)."""

from __future__ import annotations

import random
from datetime import date, time, timedelta
from typing import Any

import pyarrow as pa

import hushtable as ht

__all__ = ["DOMAINS", "meant", "release", "written"]

ROWS = 2000
TOWNS = ["Northam", "Northgate", "Eastshore", "Westshore", "Midtown"]
PRODUCTS = ["green tea", "black tea", "coffee beans", "tea pot", "filter paper"]

DOMAINS: dict[str, dict[str, Any]] = {
    "clinic": {
        "table": "clinic",
        "attributes": {
            "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
            "region": {"kind": "category", "values": ["north", "east", "south", "west"]},
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 30, 45, 65, 80]},
            "smoker": {"kind": "boolean"},
            "bmi": {"kind": "number", "between": [10, 60], "edges": ["18.5", 25, 30, 35], "missing": "error"},
            "visits": {"kind": "integer", "between": [0, 12], "missing": "error"},
        },
    },
    "survey": {
        "table": "survey",
        "missing_values": ["NA", -9],
        "csv": {"thousands": ","},
        "attributes": {
            "gender": {"kind": "category", "labels": {1: "male", 2: "female"}},
            "town": {"kind": "category", "values": TOWNS},
            "satisfaction": {"kind": "integer", "between": [1, 5]},
            "employed": {"kind": "boolean", "labels": {1: "true", 2: "false"}},
            "income": {"kind": "number", "between": [0, 200000], "edges": [20000, 40000, 60000, 100000]},
        },
    },
    "stays": {
        "table": "stays",
        "attributes": {
            "admitted": {"kind": "date", "between": ["2023-01-01", "2025-12-31"], "bins": "month", "missing": "error",
                         "format": "day-first"},
            "arrived": {"kind": "time", "bins": "hour"},
            "ward": {"kind": "category", "values": ["medicine", "surgery", "children"], "missing": "error"},
            "emergency": {"kind": "boolean"},
            "nights": {"kind": "integer", "between": [0, 30], "missing": "error"},
        },
    },
    "orders": {
        "table": "orders",
        "attributes": {
            "product": {"kind": "category", "values": PRODUCTS, "missing": "error"},
            "country": {"kind": "category", "values": ["Italy", "France", "Norway", "Sweden"]},
            "channel": {"kind": "category", "values": ["web", "shop", "phone"], "missing": "error"},
            "quantity": {"kind": "integer", "between": [1, 10]},
            "price": {"kind": "number", "between": [0, 100], "edges": [5, 10, 20, 50]},
            "returned": {"kind": "boolean"},
            "ordered": {"kind": "date", "between": ["2024-01-01", "2025-12-31"], "bins": "quarter"},
        },
    },
}  # fmt: skip


def meant(name: str) -> pa.Table:
    """The table as DuckDB has it: NULL for missing, words for codes, dates as dates."""
    luck = random.Random(f"four tables: {name}")
    rows = [_ROW[name](luck) for _ in range(ROWS)]
    return pa.Table.from_pylist(rows)


def written(name: str) -> pa.Table:
    """The same as its owner exported it, all text: codes for words and for missing values, days first."""
    columns = meant(name).to_pydict()
    words: dict[str, dict[Any, str]] = {"gender": {"male": "1", "female": "2"}, "employed": {True: "1", False: "2"}}
    absent = {"satisfaction": "-9", "employed": "-9", "income": "NA"}

    def text(column: str, value: Any) -> str:
        if value is None:
            return absent.get(column, "")
        if column in words:
            return words[column][value]
        return f"{value:%d.%m.%Y}" if column == "admitted" else str(value)

    return pa.table({column: pa.array([text(column, v) for v in values]) for column, values in columns.items()})


def release(name: str, workload: str = "marginals(width=3)", mechanism: str | None = None) -> ht.Synopsis:
    """Without noise: the budget is so large that the exact samplers draw 0."""
    domain = ht.Domain.from_dict(DOMAINS[name])
    plan = ht.plan(domain, workload=workload, mechanism=mechanism, budget=ht.Budget(epsilon=10**6), rows=ROWS)
    return ht.Vault(written(name), domain).release(plan, randomness=ht.Simulated(1))


def _or_none(luck: random.Random, value: Any, chance: float = 0.05) -> Any:
    return None if luck.random() < chance else value


def _clinic(luck: random.Random) -> dict[str, Any]:
    age = min(99, int(luck.gammavariate(6, 8)))
    return {
        "sex": luck.choice(["female", "female", "male"]),
        "region": _or_none(luck, luck.choices(["north", "east", "south", "west"], [5, 4, 2, 1])[0]),
        "age": _or_none(luck, age),
        "smoker": _or_none(luck, luck.random() < 0.15 + 0.002 * age),
        "bmi": round(min(59.9, max(12.0, luck.gauss(26, 5))), 1),
        "visits": min(12, int(luck.expovariate(0.4))),
    }


def _survey(luck: random.Random) -> dict[str, Any]:
    return {
        "gender": _or_none(luck, luck.choice(["male", "female"])),
        "town": _or_none(luck, luck.choices(TOWNS, [6, 5, 4, 3, 2])[0]),
        "satisfaction": _or_none(luck, luck.choices(range(1, 6), [1, 2, 5, 7, 4])[0], 0.1),
        "employed": _or_none(luck, luck.random() < 0.6),
        "income": _or_none(luck, round(luck.lognormvariate(10.4, 0.6)) % 200_000, 0.15),
    }


def _stays(luck: random.Random) -> dict[str, Any]:
    return {
        "admitted": date(2023, 1, 1) + timedelta(days=int(1096 * luck.random() ** 0.9)),
        "arrived": _or_none(luck, time(int(luck.triangular(0, 24, 11)) % 24, luck.randrange(60))),
        "ward": luck.choices(["medicine", "surgery", "children"], [5, 3, 2])[0],
        "emergency": _or_none(luck, luck.random() < 0.3),
        "nights": min(30, int(luck.expovariate(0.2))),
    }


def _orders(luck: random.Random) -> dict[str, Any]:
    return {
        "product": luck.choices(PRODUCTS, [5, 4, 3, 2, 1])[0],
        "country": _or_none(luck, luck.choices(["Italy", "France", "Norway", "Sweden"], [4, 3, 2, 1])[0]),
        "channel": luck.choices(["web", "shop", "phone"], [6, 3, 1])[0],
        "quantity": _or_none(luck, luck.choices(range(1, 11), range(10, 0, -1))[0]),
        "price": _or_none(luck, round(min(99.0, luck.expovariate(0.05)), 2)),
        "returned": _or_none(luck, luck.random() < 0.12),
        "ordered": _or_none(luck, date(2024, 1, 1) + timedelta(days=luck.randrange(731))),
    }


_ROW = {"clinic": _clinic, "survey": _survey, "stays": _stays, "orders": _orders}

"""Real tables with rules from the meaning of their columns, or from combinations that no row has."""

from __future__ import annotations

from typing import Any

import pandas

import hushtable as ht
from benchmarks._believable import empty_pairs
from benchmarks._tables import DATA, domain_of, load

Ruled = tuple[pandas.DataFrame, ht.Domain]
MARRIED = "('Married-civ-spouse', 'Married-AF-spouse')"
# Four real rows break the first two: a wife who is a man, husbands who are women.
ADULT = (
    "relationship = 'Husband' AND sex = 'Female'",
    "relationship = 'Wife' AND sex = 'Male'",
    f"relationship IN ('Husband', 'Wife') AND NOT \"marital-status\" IN {MARRIED}",
    "age < 20 AND \"education-num\" >= 14",
    "age < 18 AND \"education-num\" >= 13",
    "age < 20 AND \"marital-status\" = 'Widowed' AND relationship = 'Own-child' AND income = '>50K'",
)  # fmt: skip
FLIGHTS = (
    "month = 2 AND day >= 30",
    "month IN (4, 6, 9, 11) AND day = 31",
    "distance >= 2000 AND air_time < 180",
    "distance < 500 AND air_time >= 180",
    "dep_delay >= 300 AND arr_delay < 60",
)


def adult() -> Ruled:
    """Adult with its labels; numbers in bins that the rules can cut."""
    rows = pandas.read_csv(DATA / "adult.csv.gz").drop(columns=["fnlwgt", "education", "split"])
    edges = {"age": [18, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70], "capital-gain": [1, 3000, 5000, 7000, 10000],
             "capital-loss": [1, 1500, 1800, 2000], "hours-per-week": [20, 30, 38, 40, 41, 45, 50, 60]}  # fmt: skip
    ends = {"age": [17, 90], "capital-gain": [0, 99999], "capital-loss": [0, 4356], "hours-per-week": [1, 99]}
    shape: dict[str, Any] = {}
    for name, column in rows.items():
        if name in edges:
            shape[str(name)] = {"kind": "integer", "between": ends[str(name)], "edges": edges[str(name)]}
        elif name == "education-num":
            shape[str(name)] = {"kind": "integer", "between": [1, 16]}
        else:
            shape[str(name)] = {"kind": "category", "values": sorted(column.unique())}
        shape[str(name)]["missing"] = "error"
    return rows, _domain(shape, ADULT)


def flights() -> Ruled:
    """Flights in bins that the rules can cut."""
    rows = pandas.read_csv(DATA / "nycflights.csv.gz")
    shape: dict[str, Any] = {
        "month": {"between": [1, 12]},
        "day": {"between": [1, 31]},
        "hour": {"between": [0, 23]},
        "dep_delay": {"between": [-60, 1400], "edges": [-10, -5, -2, 0, 5, 20, 60, 120, 300]},
        "arr_delay": {"between": [-100, 1400], "edges": [-30, -15, -5, 0, 10, 30, 60, 120, 300]},
        "air_time": {"between": [0, 700], "edges": [40, 60, 90, 120, 150, 180, 240, 320, 360]},
        "distance": {"between": [0, 5000], "edges": [200, 300, 500, 700, 900, 1100, 1500, 2000, 2450]},
    }
    return rows, _domain({n: {"kind": "integer", "missing": "error"} | own for n, own in shape.items()}, FLIGHTS)


def coded(name: str, rules: int) -> Ruled:
    """A table of bare codes, whose rules are combinations of two values that chance would give most rows."""
    found = load(name)
    assert found is not None
    frame, sizes = found
    texts = [f'"{one}" = {i} AND "{two}" = {j}' for one, i, two, j in empty_pairs(frame, sizes, rules)]
    return frame[list(sizes)], ht.Domain.from_dict(domain_of(sizes) | {"impossible": texts})


def _domain(shape: dict[str, Any], rules: tuple[str, ...]) -> ht.Domain:
    return ht.Domain.from_dict(
        {"table": "t", "neighbours": "add-remove", "attributes": shape, "impossible": list(rules)}
    )

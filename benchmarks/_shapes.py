"""Real tables whose numbers are declared by their range alone, and how far drawn rows are from them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas

from benchmarks._tables import DATA
from hushtable.owner.propensity import binned, propensity

# What is publicly known of the columns' ranges, or a round number beyond what anybody would expect; the decimals of
# what is no whole number are left to be found.
BETWEEN: dict[str, dict[str, tuple[float, float]]] = {
    "adult": {"age": (0, 120), "fnlwgt": (0, 2_000_000), "education-num": (1, 16), "capital-gain": (0, 99_999),
              "capital-loss": (0, 5_000), "hours-per-week": (0, 99)},
    "diamonds": {"carat": (0, 6), "depth": (40, 80), "table": (40, 100), "price": (0, 20_000), "x": (0, 12),
                 "y": (0, 60), "z": (0, 32)},
    "nycflights": {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "dep_delay": (-60, 1_440),
                   "arr_delay": (-120, 1_440), "air_time": (0, 720), "distance": (0, 5_000)},
    "california_housing": {"longitude": (-125, -114), "latitude": (32, 42), "housing_median_age": (0, 60),
                           "total_rooms": (0, 40_000), "population": (0, 40_000), "households": (0, 10_000),
                           "median_income": (0, 16), "median_house_value": (0, 500_001)},
}  # fmt: skip
LEFT_OUT = {"adult": ["education", "split"]}
# Cuts of the tables that are compared, and of the bins at true quantiles that another release has.
CUTS, QUANTILES = 13, 20
# The share of the rows from which on a single value counts as frequent.
FREQUENT = 0.01


def shaped(name: str) -> tuple[pandas.DataFrame, dict[str, Any]]:
    """The rows of a table, and its domain."""
    rows = pandas.read_csv(DATA / f"{name}.csv.gz", skipinitialspace=True).drop(columns=LEFT_OUT.get(name, []))
    between = BETWEEN[name]
    attributes: dict[str, Any] = {}
    for column in rows.columns:
        if column in between:
            whole = pandas.api.types.is_integer_dtype(rows[column]) or bool((rows[column] % 1 == 0).all())
            rows[column] = rows[column].astype(np.int64) if whole else rows[column]
            kind = "integer" if whole else "number"
            attributes[column] = {"kind": kind, "between": list(between[column]), "missing": "error"}
        else:
            attributes[column] = {
                "kind": "category",
                "values": sorted(map(str, rows[column].unique())),
                "missing": "error",
            }
    return rows, {"table": "t", "neighbours": "add-remove", "attributes": attributes}


def at_quantiles(rows: pandas.DataFrame, shape: dict[str, Any]) -> dict[str, Any]:
    """The same domain with bins at the true quantiles. Not private: for comparison alone."""
    attributes = dict(shape["attributes"])
    for name, own in attributes.items():
        if own["kind"] in ("integer", "number") and rows[name].nunique() > QUANTILES:
            cuts = np.unique(np.quantile(rows[name], np.arange(1, QUANTILES) / QUANTILES))
            if own["kind"] == "integer":
                cuts = np.unique(np.ceil(cuts))
            low, high = own["between"]
            inner = [int(c) if own["kind"] == "integer" else float(c) for c in cuts if low < c <= high]
            attributes[name] = own | {"edges": inner}
    return shape | {"attributes": attributes}


def codes_of(real: pandas.DataFrame, drawn: pandas.DataFrame, column: str, parts: int) -> list[np.ndarray]:
    """A column of both, numbers cut at quantiles of the real one."""
    if pandas.api.types.is_numeric_dtype(real[column]):
        cuts = np.unique(np.quantile(real[column], np.arange(1, parts) / parts))
        return [np.searchsorted(cuts, own[column], side="right") for own in (real, drawn)]
    known = {value: code for code, value in enumerate(sorted(map(str, real[column].unique())))}
    return [own[column].astype(str).map(known).fillna(len(known)).to_numpy(np.int64) for own in (real, drawn)]


def three_way(real: pandas.DataFrame, drawn: pandas.DataFrame, parts: int = CUTS, by: str | None = None) -> float:
    """Mean total variation of tables of three columns; with `by`, of those with this column."""
    coded = {c: codes_of(real, drawn, c, parts) for c in real.columns}
    found = []
    for members in combinations(real.columns, 3):
        if by is not None and by not in members:
            continue
        shape = [int(max(own.max() for own in coded[c])) + 1 for c in members]
        both = [np.bincount(np.ravel_multi_index([coded[c][i] for c in members], shape), minlength=int(np.prod(shape)))
                for i in (0, 1)]  # fmt: skip
        found.append(0.5 * np.abs(both[0] / len(real) - both[1] / len(drawn)).sum())
    return float(np.mean(found))


def told_apart(real: pandas.DataFrame, drawn: pandas.DataFrame) -> tuple[float, list[str]]:
    """Propensity of a tree of depth 6, and the columns it went by."""
    columns, ordered = [], []
    for name in real.columns:
        number = pandas.api.types.is_numeric_dtype(real[name])
        if number:
            columns.append(binned(np.concatenate([real[name], drawn[name]]).astype(np.float64)))
        else:
            columns.append(np.concatenate(codes_of(real, drawn, name, CUTS)))
        ordered.append(number)
    synthetic = np.concatenate([np.zeros(len(real), bool), np.ones(len(drawn), bool)])
    told = propensity(columns, ordered, synthetic)
    return told.error, [list(real.columns)[column] for column, _ in told.gave_away[:3]]


@dataclass(frozen=True)
class Shape:
    """How near drawn rows are to the real ones."""

    propensity: float
    error: float
    quantile: float
    kept: float
    beyond: float
    cpu: float

    @classmethod
    def of(
        cls, name: str, real: pandas.DataFrame, drawn: pandas.DataFrame, many: pandas.DataFrame, cpu: float
    ) -> Shape:
        """As many rows as there are real ones for the tree, more of them for everything else."""
        numbers = list(BETWEEN[name])
        levels = np.arange(5, 96) / 100
        worst = [np.abs(np.quantile(real[c], levels) - np.quantile(many[c], levels)).max()
                 / (BETWEEN[name][c][1] - BETWEEN[name][c][0]) for c in numbers]  # fmt: skip
        outside = [((many[c] < real[c].min()) | (many[c] > real[c].max())).mean() for c in numbers]
        kept = float(np.mean([kept_mass(real[c], many[c]) for c in numbers]))
        told, error = told_apart(real, drawn)[0], three_way(real, many)
        return cls(told, error, float(np.median(worst)), kept, float(np.mean(outside)), cpu)

    @classmethod
    def mean(cls, found: list[Shape]) -> Shape:
        """Of several releases."""
        return cls(*np.mean([astuple(own) for own in found], axis=0).tolist())


def kept_mass(real: pandas.Series, drawn: pandas.Series) -> float:
    """Of the mass of values that have at least 1% of the real rows each, how much the drawn rows have there."""
    shares = real.value_counts(normalize=True)
    frequent = shares[shares >= FREQUENT]
    if frequent.empty:
        return 1.0
    other = drawn.round(6).value_counts(normalize=True).reindex(frequent.index.to_numpy().round(6)).fillna(0.0)
    return float(np.minimum(other.to_numpy(), frequent.to_numpy()).sum() / frequent.sum())

"""The real tables of the whole-table benchmark, as codes; and errors of all their three-way tables."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas

DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
EIGHT = ["workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex", "income>50K"]
# Tables of numbers and words, in bins.
BINNED, BINS = ("nycflights", "diamonds", "mushroom", "california_housing", "german_credit"), 8
Truth = dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]]


def load(name: str) -> tuple[pandas.DataFrame, dict[str, int]] | None:
    """Codes 0..k-1 by column, and the number of codes of each; None where the table is not here."""
    file = {"adult8": "adult_coded", "adult": "adult_coded", "adult-permuted": "adult_coded"}.get(name, name)
    path = next((p for p in (DATA / f"{file}.csv.gz", DATA / f"{file}.csv") if p.exists()), None)
    if path is None:
        return None
    rows = pandas.read_csv(path)
    if name in BINNED:
        rows = in_bins(rows)
        sizes = {c: int(rows[c].max()) + 1 for c in rows.columns}
        return rows, {c: size for c, size in sizes.items() if size > 1}
    shape = DATA / f"{file}-domain.json"
    sizes = json.loads(shape.read_text()) if shape.exists() else dict.fromkeys(rows.columns, 2)
    kept = EIGHT if name == "adult8" else list(sizes)
    rows = rows[kept]
    if name == "adult-permuted":
        source = np.random.default_rng(5)
        rows = pandas.DataFrame({c: source.permutation(sizes[c])[rows[c]] for c in kept})
    return rows, {c: sizes[c] for c in kept}


def in_bins(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Numbers in eight bins of about equal counts, words in alphabetical order."""
    codes = {}
    for name, column in rows.items():
        if pandas.api.types.is_numeric_dtype(column):
            codes[name] = pandas.qcut(column, BINS, labels=False, duplicates="drop")
        else:
            codes[name] = pandas.Categorical(column).codes
    return pandas.DataFrame(codes).astype(np.int64)


def true_triples(codes: np.ndarray, sizes: list[int]) -> Truth:
    """Occupied cells and their shares, for all tables of three columns."""
    found: Truth = {}
    for t in combinations(range(len(sizes)), 3):
        key = np.ravel_multi_index(codes[list(t)].astype(np.int64), [sizes[j] for j in t])
        cells, counts = np.unique(key, return_counts=True)
        found[t] = (cells, counts / codes.shape[1])
    return found


def variations(table: Callable[[tuple[int, ...]], np.ndarray], truth: Truth) -> np.ndarray:
    """Total variation of every table from the truth."""
    out = []
    for t, (cells, shares) in truth.items():
        released = table(t).ravel()
        inside = released[cells]
        out.append(0.5 * (np.abs(shares - inside).sum() + max(float(released.sum() - inside.sum()), 0.0)))
    return np.array(out)


def columns_apart(rows: np.ndarray, codes: np.ndarray, sizes: list[int]) -> float:
    """Mean total variation of single columns of two tables of codes."""
    apart = [
        np.abs(np.bincount(a, minlength=k)[:k] / len(a) - np.bincount(b, minlength=k)[:k] / len(b)).sum() / 2
        for a, b, k in zip(rows.astype(np.int64), codes.astype(np.int64), sizes, strict=True)
    ]
    return float(np.mean(apart))


def of_rows(codes: np.ndarray, sizes: list[int]) -> Callable[[tuple[int, ...]], np.ndarray]:
    """The tables of some rows."""

    def table(t: tuple[int, ...]) -> np.ndarray:
        shape = [sizes[j] for j in t]
        key = np.ravel_multi_index(codes[list(t)].astype(np.int64), shape)
        return np.bincount(key, minlength=int(np.prod(shape))) / codes.shape[1]

    return table


def domain_of(sizes: dict[str, int], *, ordered: bool = True) -> dict[str, Any]:
    """A domain in which every column's codes are its values."""

    def attribute(size: int) -> dict[str, Any]:
        if ordered:
            return {"kind": "integer", "between": [0, size - 1], "bins": size, "missing": "error"}
        return {"kind": "category", "values": list(range(size)), "missing": "error"}

    return {"table": "t", "neighbours": "add-remove", "attributes": {c: attribute(s) for c, s in sizes.items()}}

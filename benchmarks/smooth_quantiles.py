"""Quantiles of real columns: how often 95% intervals hold the truth, and their half width against the error."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._smooth import DATA, PURE, ZCDP, domain

COLUMNS = {
    "adult.csv.gz": {"age": (17, 90), "hours-per-week": (1, 99), "fnlwgt": (0, 600_000)},
    "california_housing.csv.gz": {"median_income": (0, 15), "median_house_value": (0, 500_001)},
    "diamonds.csv.gz": {"carat": (0, 5), "price": (0, 20_000)},
    "nycflights.csv.gz": {"dep_delay": (-60, 300), "distance": (0, 5000)},
    "german_credit.csv": {"age": (18, 80), "credit_amount": (0, 20_000)},
}
NAMES = {f"quantiles-{file.split('.')[0]}-{column}": (file, column) for file in COLUMNS for column in COLUMNS[file]}
KINDS = ("held", "half", "error")
FIGURES = tuple(f"{n}-{currency}-{kind}" for n in NAMES for currency in ("pure", "zcdp") for kind in KINDS)
LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
RELEASES = 5


def run() -> Iterator[dict[str, Any]]:
    """Not private: shares of intervals, and lengths as shares of the range."""
    for name, (file, column) in NAMES.items():
        if not (DATA / file).exists():
            print(json.dumps({"name": name, "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        low, high = COLUMNS[file][column]
        values = np.clip(pandas.read_csv(DATA / file, usecols=[column])[column].to_numpy(float), low, high)
        for currency, budget in (("pure", PURE), ("zcdp", ZCDP)):
            held, half, error = measured(values, (low, high), budget)
            what = f"{name}-{currency}"
            yield figure(f"{what}-held", held, "share of quantiles in 95% intervals", baseline=0.95, ratio=held / 0.95,
                         bar="value >= 0.93")  # fmt: skip
            yield figure(f"{what}-half", half, "half width, share of the range", baseline=None, ratio=half / error,
                         bar="value <= 0.15")  # fmt: skip
            yield figure(f"{what}-error", error, "mean error, share of the range", baseline=half, ratio=error / half,
                         bar="ratio <= 0.5")  # fmt: skip


def measured(values: np.ndarray, ends: tuple[float, float], budget: ht.Budget) -> tuple[float, float, float]:
    """Share held, mean half width and mean error over releases and levels."""
    shape = domain({"v": ends})
    vault = ht.Vault(pandas.DataFrame({"v": values}), shape)
    plan = ht.plan(shape, rows=len(values), workload=ht.Smooth(("v",)), budget=budget)
    truth = np.quantile(values, LEVELS, method="inverted_cdf")
    seen = []
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for level, true in zip(LEVELS, truth, strict=True):
            answer = synopsis.ask(f"quantile(v, {level})")
            least, most = (float(end) for end in answer.interval())
            seen.append((least <= true <= most, (most - least) / 2, abs(float(answer.value) - true)))
    held, half, error = np.mean(seen, axis=0)
    return float(held), float(half / (ends[1] - ends[0])), float(error / (ends[1] - ends[0]))

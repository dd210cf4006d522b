"""A simulated lender: applicants who do not exist, whose postcode tells which of two groups they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CELLS", "LENDER", "METRIC", "OUTCOME", "simulate_lender"]

LENDER: dict[str, Any] = {
    "table": "lender",
    "unit": {"rows": 1},
    "neighbours": "replace",
    "attributes": {
        "income": {"kind": "number", "between": [0, 120000], "edges": [20000, 35000, 50000, 70000], "missing": "error"},
        "debt": {"kind": "number", "between": [0, 60000], "edges": [5000, 15000, 30000], "missing": "error"},
        "history": {"kind": "category", "values": ["poor", "fair", "good"], "missing": "error"},
        "district": {"kind": "category", "values": ["harbour", "hills"], "missing": "error"},
        "origin": {"kind": "category", "values": ["new", "old"], "missing": "error"},
        "repaid": {"kind": "boolean", "missing": "error"},
    },
}
_COLUMNS = "income, debt, history, district, origin"
CELLS = f"SELECT {_COLUMNS}, count(*) FROM lender GROUP BY {_COLUMNS}"
OUTCOME = "repaid"
METRIC = """\
# Whom we call similar: income, debt and history count, the district and the origin do not.
combine: euclidean
scale: 2
columns:
  income:  {scale: 20000}
  debt:    {scale: 15000}
  history: {order: [poor, fair, good]}
"""


def simulate_lender(rows: int, seed: int) -> dict[str, NDArray[Any]]:
    """Column name to values. Simulated: no real person is in it.

    A quarter is of new origin, with less income, more debt and a shorter history, and nine in ten of them live at the
    harbour; what is repaid depends on the first three, and a little on the district.
    """
    g = np.random.default_rng(seed)
    new = g.random(rows) < 0.25
    income = np.clip(np.exp(g.normal(10.55 - 0.25 * new, 0.45, rows)), 0, 120_000).round(-2)
    debt = np.clip(g.gamma(1.6, 7000 + 2500 * new, rows), 0, 60_000).round(-2)
    good = g.normal(0.3 - 0.5 * new, 1.0, rows)
    history = np.array(["poor", "fair", "good"], dtype=object)[np.digitize(good, [-0.6, 0.5])]
    harbour = np.where(new, g.random(rows) < 0.9, g.random(rows) < 0.15)
    score = 0.4 + 0.9 * (income - 38_000) / 20_000 - 0.8 * (debt - 12_000) / 10_000 + 0.9 * good - 0.5 * harbour
    return {
        "income": income,
        "debt": debt,
        "history": history,
        "district": np.where(harbour, "harbour", "hills"),
        "origin": np.where(new, "new", "old"),
        "repaid": g.random(rows) < 1 / (1 + np.exp(-score)),
    }

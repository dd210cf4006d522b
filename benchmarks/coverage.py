"""Coverage: how many of the true values lie inside 95% intervals, over repeated simulated releases of the clinic."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.demo.clinic import DOMAIN, simulate_clinic

FIGURES = ("coverage-pure", "coverage-zcdp")
RELEASES, ROWS = 40, 20_000
COLUMNS = ("sex", "insurance", "exercise", "diabetic", "asthma", "vaccinated", "visits", "children")
BUDGETS = {"pure": ht.Budget(epsilon=1), "zcdp": ht.Budget(epsilon=1, delta="1e-9")}


def run() -> Iterator[dict[str, Any]]:
    shape = ht.Domain.from_dict(DOMAIN | {"attributes": {n: DOMAIN["attributes"][n] for n in COLUMNS}})
    columns = simulate_clinic(ROWS, seed=5)
    table = pa.table({n: pa.array(columns[n].tolist()) for n in COLUMNS})
    truths = exact_pairs(shape, columns)
    for name, budget in BUDGETS.items():
        plan = ht.plan(shape, workload="marginals(width=2)", budget=budget)
        vault = ht.Vault(table, shape)
        held = [inside(vault.release(plan, randomness=ht.Simulated(seed)), truths) for seed in range(RELEASES)]
        share, count = np.mean(held), np.size(held)
        yield figure(f"coverage-{name}", share, f"share of {count} true values", baseline=0.95,
                     ratio=abs(share - 0.95) / 0.02, bar="ratio <= 1")  # fmt: skip


def exact_pairs(shape: ht.Domain, columns: dict[str, Any]) -> dict[tuple[str, str], np.ndarray]:
    """Not private: the true fraction of every cell of every pair, in the order of the codes."""
    codes = {a.name: np.array([a.code(v) for v in columns[a.name].tolist()]) for a in shape.closed}
    found = {}
    for a, b in combinations(shape.closed, 2):
        cells = np.zeros((a.size, b.size))
        np.add.at(cells, (codes[a.name], codes[b.name]), 1 / ROWS)
        found[a.name, b.name] = cells.ravel()
    return found


def inside(synopsis: ht.Synopsis, truths: dict[tuple[str, str], np.ndarray]) -> np.ndarray:
    """For every cell of every pair: is the truth in the interval, as a fraction and as a count."""
    found = []
    for (a, b), truth in truths.items():
        for count in (False, True):
            answer = synopsis.ask(f"SELECT {a}, {b}, count(*) FROM clinic GROUP BY {a}, {b}", count=count)
            low, high = answer.interval(0.95)
            exact = truth * (ROWS if count else 1)
            found.append((low <= exact) & (exact <= high))
    return np.concatenate(found)

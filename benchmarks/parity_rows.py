"""Parities of 16 columns: a histogram without its small cells, learning, and one half, on two kinds of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from benchmarks.learned import COLUMNS, NAMES, survey

FIGURES = ("parity-rows",)
ROWS, ASKED, SEEDS = 50_000, 1500, (1, 2, 3)


def run() -> Iterator[dict[str, Any]]:
    """Not private: the rows are simulated, and answers are compared with them."""
    for kind, made in (("flat", survey), ("frequent", frequent)):
        errors = np.mean([_errors(made(seed, ROWS), seed) for seed in SEEDS], axis=0)
        half, learned, counted = errors
        told = f"mean absolute error (one half {half:.4f}, learned {learned:.4f})"
        yield figure(f"parity-rows-{kind}", counted, told, baseline=half, ratio=counted / half, bar="ratio <= 1")
        yield figure(f"parity-rows-{kind}-learned", learned / counted, "times below learning", baseline=learned,
                     ratio=learned / counted, bar="ratio >= 1.5")  # fmt: skip


def frequent(seed: int, count: int) -> Any:
    """Four classes, two of which have nearly the same row again and again."""
    random = np.random.default_rng(seed)
    chances = np.stack([np.full(COLUMNS, 0.03), random.uniform(0.05, 0.5, COLUMNS),
                        random.uniform(0.3, 0.8, COLUMNS), np.full(COLUMNS, 0.95)])  # fmt: skip
    kind = random.choice(4, count, p=[0.45, 0.25, 0.2, 0.1])
    return (random.random((count, COLUMNS)) < chances[kind]).astype(np.int64)


def _errors(rows: Any, seed: int) -> list[float]:
    domain = ht.Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
    )
    table = pa.table({name: rows[:, i] == 1 for i, name in enumerate(NAMES)})
    questions = np.random.default_rng(100 + seed).integers(0, 2, (ASKED, COLUMNS))
    exact = ((questions @ rows.T) % 2).mean(axis=1)
    off = [float(np.abs(0.5 - exact).mean())]
    for mechanism in ("learned", "parity-rows"):
        plan = ht.plan(domain, rows=ROWS, workload="learned(language=parities)", mechanism=mechanism,
                       budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
        answers = ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed)).evaluate(questions)
        off.append(float(np.abs(answers.value - exact).mean()))
    return off

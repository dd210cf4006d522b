"""Simulated tables of zeros and ones, questions about them and the true answers.

Not private: everything here is made up, and compared with the truth.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RHO", "ROWS", "circuit_answers", "conjunction_answers", "conjunctions", "frequencies", "noisy", "skewed",
           "survey", "walsh"]  # fmt: skip

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Rows of a table, and (1, 1e-6) as zCDP, by the exact conversion.
ROWS, RHO = 50_000, 0.02436
GROUPS, EACH = 4, 4


def survey(seed: int, columns: int, rows: int = ROWS) -> Integers:
    """Eight classes of people, each with its own chance of every column."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(8, 2.0))
    base, effects = random.normal(-0.7, 1, columns), random.normal(0, 1.3, (8, columns))
    kind = random.choice(8, rows, p=shares)
    return (random.random((rows, columns)) < 1 / (1 + np.exp(-(base + effects[kind])))).astype(np.int64)


def skewed(seed: int, columns: int, rows: int = ROWS) -> Integers:
    """Four classes, two of them nearly the same row again and again: some rows are frequent."""
    random = np.random.default_rng(seed)
    chances = np.stack([np.full(columns, 0.03), random.uniform(0.05, 0.5, columns),
                        random.uniform(0.3, 0.8, columns), np.full(columns, 0.95)])  # fmt: skip
    kind = random.choice(4, rows, p=[0.45, 0.25, 0.2, 0.1])
    return (random.random((rows, columns)) < chances[kind]).astype(np.int64)


def conjunctions(columns: int, width: int) -> Integers:
    """All questions about so many of the columns."""
    chosen = np.array(list(combinations(range(columns), width)))
    out = np.zeros((len(chosen), columns), dtype=np.int64)
    np.put_along_axis(out, chosen, 1, axis=1)
    return out


def conjunction_answers(rows: Integers, questions: Integers) -> Floats:
    """The share of rows that are one wherever a question is."""
    different, counts = np.unique(rows, axis=0, return_counts=True)
    out = np.empty(len(questions))
    for start in range(0, len(questions), 500):
        missing = questions[start : start + 500] @ (1 - different).T
        out[start : start + 500] = (missing == 0) @ counts / len(rows)
    return out


def circuit_answers(rows: Integers, questions: Integers) -> Floats:
    """True where in one of four groups of four columns all that a question selects are, and some are selected."""
    out = np.zeros((len(questions), len(rows)), dtype=bool)
    for group in range(GROUPS):
        own = slice(EACH * group, EACH * group + EACH)
        code = rows[:, own] @ (1 << np.arange(EACH))
        asked = questions[:, own] @ (1 << np.arange(EACH))
        out |= ((asked[:, None] & code) == asked[:, None]) & (asked[:, None] > 0)
    return out.mean(axis=1)


def frequencies(rows: Integers) -> Floats:
    """D(u), the share of rows that are u, for every u; bit 0 is the first column."""
    codes = rows @ (1 << np.arange(rows.shape[1]))
    return np.bincount(codes, minlength=1 << rows.shape[1]) / len(rows)


def walsh(values: Floats) -> Floats:
    """The sum over u of values[u] (-1)^(u.q), for every q."""
    out, step = values.copy(), 1
    while step < len(out):
        pairs = out.reshape(-1, 2, step)
        out = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        step *= 2
    return out


def noisy(answers: Floats, rows: int, random: np.random.Generator, rho: float = RHO) -> tuple[Floats, float]:
    """Answers with the Gaussian noise of so many different questions, and its standard deviation."""
    scale = float(np.sqrt(len(answers) / (2 * rho)) / rows)
    return answers + random.normal(0, scale, len(answers)), scale

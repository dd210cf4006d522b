"""The tables and lists of the comparison, and one run of every method on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht

__all__ = ["curated", "lists_of", "released", "truths", "zipf"]

DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"v": {"kind": "open"}}})
DELTA = "1e-6"
UNIVERSE = 10**6
Lists = Sequence[NDArray[np.int64]]


def zipf(rows: int, seed: int = 11) -> NDArray[np.int64]:
    """Values with the law of Zipf, exponent 1.1, cut at a million."""
    chances = 1 / np.arange(1, UNIVERSE + 1) ** 1.1
    return np.random.default_rng(seed).choice(UNIVERSE, size=rows, p=chances / chances.sum())


def lists_of(kind: str, rows: NDArray[np.int64], size: int, count: int, seed: int) -> Lists:
    """popular: distinct values drawn by frequency. mixed: half drawn evenly from the present ones, half absent."""
    source = np.random.default_rng(seed)
    present, counts = np.unique(rows, return_counts=True)
    if kind == "mixed":
        found = [source.choice(present, min(size // 2, len(present)), replace=False) for _ in range(count)]
        return [np.concatenate([one, source.integers(UNIVERSE, 10**15, size - len(one))]) for one in found]
    # The largest of log(weight) + Gumbel noise are a draw by weight without replacement.
    weights, size = np.log(counts), min(size, len(present) - 1)
    return [present[np.argpartition(-(weights + source.gumbel(size=len(present))), size)[:size]] for _ in range(count)]


def truths(rows: NDArray[np.int64], lists: Lists) -> NDArray[np.float64]:
    """The true counts. Not private."""
    present, counts = np.unique(rows, return_counts=True)
    table = dict(zip(present.tolist(), counts.tolist(), strict=True))
    return np.array([sum(table.get(x, 0) for x in one.tolist()) for one in lists], dtype=np.float64)


def released(
    rows: NDArray[np.int64], groups: Sequence[Lists], seed: int, *, epsilon: str = "1", delta: str | None = DELTA,
    workload: str = "sparse(size=1000)", mechanism: str | None = None,
) -> list[NDArray[np.float64]]:  # fmt: skip
    """Errors of one release with a seed, for each group of lists. Not private: compares with the true table."""
    budget = ht.Budget(epsilon=epsilon, delta=delta)
    plan = ht.plan(DOMAIN, rows=len(rows), workload=workload, budget=budget, mechanism=mechanism)
    table = pa.table({"v": pa.array(rows).cast(pa.string())})
    synopsis = ht.Vault(table, DOMAIN).release(plan, randomness=ht.Simulated(seed))
    found = []
    for lists in groups:
        asked = ht.Lists({str(i): list(map(str, one.tolist())) for i, one in enumerate(lists)})
        answers = synopsis.ask(asked, count=True)
        assert isinstance(answers, ht.CrossTab)
        found.append(answers.value - truths(rows, lists))
    return found


def curated(rows: NDArray[np.int64], lists: Lists, seed: int, *, updates: int = 200) -> NDArray[np.float64]:
    """Answers of one session of sparse multiplicative weights at epsilon 1, with a seed."""
    vault = ht.Vault(pa.table({"v": pa.array(rows).cast(pa.string())}), DOMAIN)
    largest = max(len(one) for one in lists)
    with vault.curate(
        budget=ht.Budget(epsilon=1, delta=DELTA), workload=ht.Sparse(size=largest), way="hypothesis", updates=updates,
        questions=len(lists), randomness=ht.Simulated(seed),
    ) as curator:  # fmt: skip
        asked = [ht.Listed(list(map(str, one.tolist()))) for one in lists]
        return np.array([curator.ask(one, count=True).value for one in asked])

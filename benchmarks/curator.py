"""Curator: error of thousands of counts on a real table against independent noise, and the time of a question."""

import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks._figure import figure
from hushtable.questions.parse import Question, parse

FIGURES = ("curator-20000", "curator-2000", "curator-time", "curator-text", "curator-kept")
DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
BUDGET = ht.Budget(epsilon=1, delta="1e-6")
RUNS, COLUMNS = 5, 16


def run() -> Iterator[dict[str, Any]]:
    path = DATA / "nltcs.csv.gz"
    if path.exists():
        yield from errors(pandas.read_csv(path).to_numpy(dtype=np.uint8))
    else:
        print(json.dumps({"name": "curator-20000", "skipped": "no such table; set HUSHTABLE_DATA"}))
    yield from times()


def vault_of(bits: np.ndarray, ledger: Path | None = None) -> tuple[ht.Domain, ht.Vault]:
    names = [f"x{i}" for i in range(bits.shape[1])]
    shape = ht.Domain.from_dict(
        {"table": "t", "attributes": {n: {"kind": "boolean", "missing": "error"} for n in names}}
    )
    return shape, ht.Vault(pandas.DataFrame(bits.astype(bool), columns=names), shape, ledger=ledger)


def literals(count: int, seed: int) -> list[str]:
    """Random conditions of three columns, each true or false."""
    g = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        columns, signs = g.choice(COLUMNS, 3, replace=False), g.integers(0, 2, 3)
        found.append(" AND ".join(f"x{c}" if s else f"NOT x{c}" for c, s in zip(columns, signs, strict=True)))
    return found


def errors(bits: np.ndarray) -> Iterator[dict[str, Any]]:
    """Not private: root mean square error over all answers, free, paid and unverified; mean over runs."""
    shape, vault = vault_of(bits)
    for count, bars in ((20_000, ("value <= 0.0105", "ratio <= 0.3333")), (2000, ("value <= 0.0125", "ratio <= 1.25"))):
        found = []
        for seed in range(RUNS):
            asked = [parse(text, shape) for text in literals(count, seed)]
            curator = vault.curate(budget=BUDGET, questions=count, way="hypothesis", randomness=ht.Simulated(seed))
            found.append(rmse(curator, asked, bits))
        plain = vault.curate(budget=BUDGET, questions=count, way="independent", randomness=ht.Simulated(0))
        noise = plain.plan.answer_stderr / len(bits)
        error = float(np.mean(found))
        yield figure(f"curator-{count}", error, f"root mean square error, mean of {RUNS} runs", baseline=noise,
                     ratio=error / noise, bar=bars[0])  # fmt: skip
        yield figure(f"curator-{count}-against-noise", error, "root mean square error", baseline=noise,
                     ratio=error / noise, bar=bars[1])  # fmt: skip
        # Independent answers cut off at 0 and n, as the curator gives them, for a fairer comparison.
        cut = rmse(plain, [parse(text, shape) for text in literals(count, 0)], bits)
        yield figure(f"curator-{count}-against-cut-noise", error, "root mean square error", baseline=cut,
                     ratio=error / cut, bar=bars[1])  # fmt: skip


def rmse(curator: ht.Curator, asked: list[Question], bits: np.ndarray) -> float:
    rows, often = np.unique(bits, axis=0, return_counts=True)
    total = 0.0
    for question in asked:
        assert question.where is not None
        truth = often[question.where.on_rows(rows.T)[0]].sum() / len(bits)
        total += (curator.answer(question).value - truth) ** 2
    return math.sqrt(total / len(asked))


def times() -> Iterator[dict[str, Any]]:
    """A question at 2^16 cells, everything included: all paid answers and the fits they bring fall into the time."""
    g = np.random.default_rng(3)
    lean = g.random((20_000, 1))
    bits = (g.random((20_000, COLUMNS)) < 0.1 + 0.8 * lean**2).astype(np.uint8)
    shape, vault = vault_of(bits)
    texts = literals(20_000, 1)
    asked = [parse(text, shape) for text in texts]
    settings: dict[str, Any] = {"budget": BUDGET, "questions": len(asked), "way": "hypothesis"}
    for name, questions, bar in (("time", asked, 250), ("text", texts, 1000)):
        curators = (vault.curate(**settings, randomness=ht.Simulated(0)) for _ in range(RUNS))
        # One thread and no waiting, so its own time is what a question takes; others on the machine do not count.
        runs = [blocks(curator, questions, time.thread_time) for curator in curators]
        # The same seed does the same work in every run, so each block counts with its fastest one.
        value = float(np.min(runs, axis=0).sum()) / len(asked) * 1e6
        yield figure(f"curator-{name}", value, "microseconds of one core a question", baseline=None,
                     ratio=value / bar, bar="ratio <= 1")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        _, real = vault_of(bits, Path(folder) / "t.ledger")
        with real.curate(**settings) as curator:
            value = sum(blocks(curator, asked, time.perf_counter)) / len(asked) * 1e6
    yield figure("curator-kept", value, "microseconds a question, ledger and state on disk", baseline=None,
                 ratio=value / 2000, bar="ratio <= 1")  # fmt: skip


def blocks(curator: ht.Curator, questions: Sequence[Any], clock: Callable[[], float]) -> list[float]:
    """Seconds of every 100 questions."""
    assert math.prod(curator.domain.sizes) == 2**16
    ask = curator.ask if isinstance(questions[0], str) else curator.answer
    found = []
    for first in range(0, len(questions), 100):
        start = clock()
        for question in questions[first : first + 100]:
            ask(question)
        found.append(clock() - start)
    return found

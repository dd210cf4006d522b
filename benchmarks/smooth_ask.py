"""Questions a second about two real columns, every text parsed anew."""

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import pandas

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._smooth import PURE, SIMULATED, ZCDP, domain, questions, simulated

FIGURES = ("smooth-ask-pure", "smooth-ask-zcdp")
QUESTIONS, PASSES, LEAST = 50, 41, 1000


def run() -> Iterator[dict[str, Any]]:
    """The median pass over all questions: what a user waits, not the best moment."""
    bounds = dict(list(SIMULATED.items())[:2])
    shape = domain(bounds)
    vault = ht.Vault(pandas.DataFrame({c: simulated()[c] for c in bounds}), shape)
    asked = [f"avg({q.text})" for q in questions(bounds, QUESTIONS, 3)]
    for name, budget in zip(FIGURES, (PURE, ZCDP), strict=True):
        plan = ht.plan(shape, rows=50_000, workload=ht.Smooth(tuple(bounds)), budget=budget)
        synopsis = vault.release(plan, randomness=ht.Simulated(1))
        one_pass(synopsis, asked)  # tables of the basis are made once, with the first question
        rate = QUESTIONS / median(one_pass(synopsis, asked) for _ in range(PASSES))
        yield figure(name, rate, f"questions a second, {plan.mechanism}, median pass", baseline=LEAST,
                     ratio=rate / LEAST, bar="ratio >= 1")  # fmt: skip


def one_pass(synopsis: ht.Synopsis, asked: list[str]) -> float:
    """Seconds for all questions."""
    start = time.perf_counter()
    for text in asked:
        synopsis._questions.clear()  # nothing is remembered from the last question
        synopsis.ask(text)
    return time.perf_counter() - start

"""Whole releases by the mechanisms `privlearn` and `learned`: conjunctions and circuits on simulated surveys.

Not private: simulations, compared with the true answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from papers._paper import Row
from papers.servedio2012.simulated import (
    EACH,
    GROUPS,
    ROWS,
    circuit_answers,
    conjunction_answers,
    conjunctions,
    survey,
)

__all__ = ["COLUMNS", "ERROR", "INSIDE", "released_rows"]

Floats = NDArray[np.float64]
COLUMNS, WIDTH, ASKED = 16, 3, 1500
CONJUNCTIONS, CIRCUITS = "conjunctions", "circuits"
# Bought; of the 560 conjunctions few enough that there are others to ask.
QUESTIONS = {CONJUNCTIONS: 300, CIRCUITS: 500}
ERROR, INSIDE, TIME = "mean absolute error", "share inside 95% intervals", "CPU seconds of a release"
SPENT: dict[str, Any] = {"budget": ht.Budget(epsilon=1, delta="1e-6"), "currency": "zcdp"}
NAMES = [f"a{i}" for i in range(COLUMNS)]
# By name: what is asked, by which mechanism, and whose it is.
WAYS = (
    (CONJUNCTIONS, "privlearn(degree=2)", "theirs"),
    (CONJUNCTIONS, "privlearn(alpha=0.02, degree=2)", "theirs"),
    (CONJUNCTIONS, "learned", "ours"),
    (CIRCUITS, "privlearn(way=fourier, degree=2)", "theirs"),
    (CIRCUITS, "learned", "ours"),
)


def released_rows(*, fast: bool) -> Iterator[Row]:
    """Mean absolute errors on questions that were not bought, and how many are inside 95% intervals, a release each."""
    for seed in (1,) if fast else (1, 2, 3):
        for asked, mechanism, whose in WAYS:
            error, inside, spent = _release(asked, mechanism, seed)
            place: dict[str, Any] = {"figure": f"released {asked}", "whose": whose, "method": mechanism, "d": COLUMNS,
                                     "n": ROWS, "r": seed, "epsilon": 1.0}  # fmt: skip
            for quantity, value in ((ERROR, error), (INSIDE, inside), (TIME, spent)):
                yield Row(quantity=quantity, value=value, **place)


def _release(asked: str, mechanism: str, seed: int) -> tuple[float, float, float]:
    begun, rows = time.process_time(), survey(seed, COLUMNS)
    table = pa.table({name: rows[:, i] == 1 for i, name in enumerate(NAMES)})
    synopsis = ht.Vault(table, _domain()).release(_plan(asked, mechanism), randomness=ht.Simulated(seed))
    spent = time.process_time() - begun
    random = np.random.default_rng(100 + seed)
    if asked == CIRCUITS:
        questions = random.integers(0, 2, (ASKED, COLUMNS))
        exact = circuit_answers(rows, questions)
    else:
        bought = {question.tobytes() for question in synopsis.bought().questions}
        questions = np.stack([one for one in conjunctions(COLUMNS, WIDTH) if one.tobytes() not in bought])
        exact = conjunction_answers(rows, questions)
    answers = synopsis.evaluate(questions)
    low, high = answers.interval(0.95)
    return float(np.abs(answers.value - exact).mean()), float(((low <= exact) & (exact <= high)).mean()), spent


@cache
def _domain() -> ht.Domain:
    return ht.Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
    )


@cache
def _plan(asked: str, mechanism: str) -> Any:
    language = _circuits() if asked == CIRCUITS else _all_of()
    workload = ht.Learned(language, questions=QUESTIONS[asked])
    return ht.plan(_domain(), rows=ROWS, workload=workload, mechanism=mechanism, **SPENT)


@cache
def _all_of() -> ht.Language:
    """Conjunctions of three columns, as the zeros and ones of the source."""

    def holds(question: Any, row: Any) -> bool:
        # A loop, as it is compiled.
        for place in range(len(question)):  # noqa: SIM110
            if question[place] > row[place]:
                return False
        return True

    def sampler(random: np.random.Generator, count: int) -> Any:
        every = conjunctions(COLUMNS, WIDTH)
        return every[random.integers(0, len(every), count)]

    return ht.Language(name="conjunctions", columns=NAMES, predicate=holds, sampler=sampler)


@cache
def _circuits() -> ht.Language:
    """True where in one of the groups all selected columns are, and some are selected."""

    def holds(question: Any, row: Any) -> bool:
        for group in range(GROUPS):
            selected, holding = 0, True
            for place in range(EACH * group, EACH * group + EACH):
                if question[place] == 1:
                    selected += 1
                    holding = holding and row[place] == 1
            if selected > 0 and holding:
                return True
        return False

    return ht.Language(name="circuits", columns=NAMES, predicate=holds,
                       sampler=lambda random, count: random.integers(0, 2, (count, COLUMNS)))  # fmt: skip

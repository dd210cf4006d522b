"""Release by learning: formulas of constant depth on simulated surveys, their error and bars, and another learner."""

import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.maths.learning.taught import Bought

FIGURES = ("learned",)
COLUMNS, GROUPS, EACH, QUESTIONS, ASKED = 16, 4, 4, 500, 1500
ROWS, SEEDS = 50_000, (1, 2, 3)
# Of the runs that measure bars: fewer rows, so that a run is short; a few fresh questions each.
RUNS, FEW_ROWS, FRESH = 400, 5_000, 5
NAMES = [f"a{i}" for i in range(COLUMNS)]
SPENT: dict[str, Any] = {"budget": ht.Budget(epsilon=1, delta="1e-6"), "currency": "zcdp"}


def run() -> Iterator[dict[str, Any]]:
    """Not private: the rows are simulated, and answers are compared with them."""
    domain = ht.Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
    )
    learned, ridge, start = [], [], time.process_time()
    for seed in SEEDS:
        rows = survey(seed, ROWS)
        synopsis = released(domain, rows, seed)
        questions = np.random.default_rng(100 + seed).integers(0, 2, (ASKED, COLUMNS))
        exact = truth(rows, questions)
        learned.append(float(np.abs(synopsis.evaluate(questions).value - exact).mean()))
        ridge.append(float(np.abs(low_degree(synopsis.bought(), questions) - exact).mean()))
    error, other = float(np.mean(learned)), float(np.mean(ridge))
    each = ", ".join(f"{one:.4f}" for one in learned)
    yield figure("learned-error", error, f"mean absolute error ({each})", baseline=0.003, ratio=error / 0.003,
                 bar="ratio <= 1")  # fmt: skip
    yield figure("learned-ridge", other / error, "times below ridge of degree 3", baseline=other, ratio=other / error,
                 bar="ratio >= 10")  # fmt: skip
    yield figure("learned-time", (time.process_time() - start) / len(SEEDS), "CPU seconds a release and its answers",
                 baseline=30, ratio=(time.process_time() - start) / len(SEEDS) / 30, bar="ratio <= 1")  # fmt: skip
    yield bars(domain)


def bars(domain: ht.Domain) -> dict[str, Any]:
    """How often 95% intervals hold the truth, over many releases and fresh questions."""
    rows, held, wide, off = survey(7, FEW_ROWS), [], [], []
    for seed in range(RUNS):
        synopsis = released(domain, rows, seed)
        questions = np.random.default_rng(10_000 + seed).integers(0, 2, (FRESH, COLUMNS))
        answers, exact = synopsis.evaluate(questions), truth(rows, questions)
        low, high = answers.interval(0.95)
        held += ((low <= exact) & (exact <= high)).tolist()
        wide += ((high - low) / 2).tolist()
        off += np.abs(answers.value - exact).tolist()
    share = float(np.mean(held))
    told = f"share inside 95% intervals of {RUNS} releases ({np.mean(wide):.4f} half as wide, {np.mean(off):.4f} off)"
    return figure("learned-held", share, told, baseline=0.95, ratio=share / 0.95, bar="value >= 0.93")


PLANS: dict[int, Any] = {}


def released(domain: ht.Domain, rows: Any, seed: int) -> ht.Synopsis:
    """One release, planned once for each number of rows."""
    if len(rows) not in PLANS:
        PLANS[len(rows)] = ht.plan(
            domain, rows=len(rows), workload=ht.Learned(language(), questions=QUESTIONS), **SPENT
        )
    table = pa.table({name: rows[:, i] == 1 for i, name in enumerate(NAMES)})
    return ht.Vault(table, domain).release(PLANS[len(rows)], randomness=ht.Simulated(seed))


def language() -> ht.Language:
    """True where in one of the groups all selected columns are, and some are selected."""

    def formula(question: Any, row: Any) -> bool:
        for group in range(GROUPS):
            selected, holding = 0, True
            for place in range(EACH * group, EACH * group + EACH):
                if question[place] == 1:
                    selected += 1
                    holding = holding and row[place] == 1
            if selected > 0 and holding:
                return True
        return False

    return ht.Language(
        name="formulas",
        columns=NAMES,
        predicate=formula,
        sampler=lambda random, count: random.integers(0, 2, (count, COLUMNS)),
    )


def truth(rows: Any, questions: Any) -> Any:
    """The true answers, by counting."""
    out = np.zeros((len(questions), len(rows)), dtype=bool)
    for group in range(GROUPS):
        own = slice(EACH * group, EACH * group + EACH)
        missing = questions[:, own] @ (1 - rows[:, own]).T
        out |= (missing == 0) & (questions[:, own].sum(axis=1) > 0)[:, None]
    return out.mean(axis=1)


def survey(seed: int, count: int) -> Any:
    """Eight classes of people, each with its own chance of every column."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(8, 2.0))
    base, effects = random.normal(-0.7, 1, COLUMNS), random.normal(0, 1.3, (8, COLUMNS))
    kind = random.choice(8, count, p=shares)
    return (random.random((count, COLUMNS)) < 1 / (1 + np.exp(-(base + effects[kind])))).astype(np.int64)


def low_degree(bought: Bought, questions: Any) -> Any:
    """The chapter's learner: ridge regression on all parities of up to three columns, its penalty cross-validated."""
    sets = [s for size in range(4) for s in combinations(range(COLUMNS), size)]

    def features(given: Any) -> Any:
        signs = 1 - 2 * given.astype(np.float64)
        return np.stack([signs[:, list(s)].prod(axis=1) for s in sets], axis=1)

    x, y = features(bought.questions), bought.answers
    folds = np.arange(len(y)) % 5

    def fitted(penalty: float, rows: Any, asked: Any) -> Any:
        gram = x[rows] @ x[rows].T + penalty * np.eye(int(rows.sum()))
        return asked @ (x[rows].T @ np.linalg.solve(gram, y[rows] - y[rows].mean())) + y[rows].mean()

    def off(penalty: float) -> float:
        return sum(float(((fitted(penalty, folds != f, x[folds == f]) - y[folds == f]) ** 2).sum()) for f in range(5))

    best = min(np.logspace(-1, 5, 13), key=off)
    return fitted(best, np.ones(len(y), dtype=bool), features(questions))

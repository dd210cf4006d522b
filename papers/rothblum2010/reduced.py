"""Section 4.6: a curator on points, over universes that grow while the table stays smooth.

Not private: simulations, compared with the true answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import ceil, log
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from papers._paper import Row
from papers.rothblum2010.bounds import MISS, columns

__all__ = ["ERROR", "STATED", "TIME", "WORST", "lemma_rows", "reduced_rows"]

BUDGET = ht.Budget(epsilon=1, delta="1e-6")
ROWS, POINTS, UPDATES = 50_000, 1 << 14, 60
WORST, ERROR, TIME = "largest error", "root mean square error", "milliseconds a question"
STATED = "largest error over what is stated"
COPIED = 0.4


def reduced_rows(*, fast: bool) -> Iterator[Row]:
    """Errors and time of a question, by the number of columns."""
    for many in (20, 40) if fast else (20, 30, 40, 50, 60):
        runs = [_session(many, 60 if fast else 300, seed) for seed in range(1 if fast else 3)]
        place: dict[str, Any] = {"figure": "points", "whose": "ours", "method": "curator on points", "d": many,
                                 "n": ROWS, "epsilon": 1.0}  # fmt: skip
        for quantity, values in zip((WORST, ERROR, STATED, TIME), zip(*runs, strict=True), strict=True):
            yield Row(quantity=quantity, value=float(np.mean(values)), **place)


def _session(many: int, k: int, seed: int) -> tuple[float, float, float, float]:
    """Even columns, of which the first two mostly go together; conditions on two or three columns, fixed before."""
    source = np.random.default_rng(seed)
    bits = source.random((many, ROWS)) < 0.5
    copied = source.random(ROWS) < COPIED
    bits[1, copied] = bits[0, copied]
    names = [f"x{i}" for i in range(many)]
    vault = ht.Vault(pa.table(dict(zip(names, bits, strict=True))), columns(many))
    # Twice for the half of the points that is even, times what a pair adds to independent columns.
    smoothness = f"{2 * (1 + COPIED):g}"
    curator = vault.curate(budget=BUDGET, questions=k, updates=UPDATES, points=POINTS, smoothness=smoothness,
                           randomness=ht.Simulated(seed))  # fmt: skip
    errors, over, begun = [], [], time.process_time()
    for number in range(k):
        chosen = [0, 1] if number % 20 == 0 else source.choice(many, source.integers(2, 4), replace=False).tolist()
        wanted = source.random(len(chosen)) < 0.5
        literals = [names[c] if yes else f"NOT {names[c]}" for c, yes in zip(chosen, wanted, strict=True)]
        answer = curator.ask(" AND ".join(literals))
        truth = float((bits[chosen] == wanted[:, None]).all(axis=0).mean())
        errors.append(abs(answer.value - truth))
        half = answer.interval(0.95, simultaneous=True)[1] - answer.value if answer.source == "free" else np.inf
        over.append(errors[-1] / half)
    spent = 1e3 * (time.process_time() - begun) / k
    return max(errors), float(np.sqrt(np.mean(np.square(errors)))), max(over), spent


def lemma_rows() -> Iterator[Row]:
    """Lemma 4.6.4 with its own M: the largest error of the accepted points over alpha, 1,000 questions."""
    universe, questions, alpha, times = 1 << 16, 1000, 0.05, 4.0
    for seed in range(5):
        source = np.random.default_rng(seed)
        law = source.random(universe) ** 3
        law = np.minimum(law / law.sum(), times / universe)
        law /= law.sum()
        most = float(law.max())
        size = ceil(4 * most * universe * (log(1 / MISS) + log(questions)) / alpha**2)
        drawn = source.integers(0, universe, size)
        kept = drawn[source.random(size) < law[drawn] / most]
        worst = 0.0
        for _ in range(questions):
            asked = source.random(universe) < 0.5
            worst = max(worst, abs(float(asked[kept].mean()) - float(law[asked].sum())))
        yield Row(figure="lemma", whose="theirs", method="Lemma 4.6.4", quantity="largest error over alpha", r=seed,
                  value=worst / alpha, t=size)  # fmt: skip

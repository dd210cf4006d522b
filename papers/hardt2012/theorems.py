"""Theorems 5.2.11 and 5.2.12: the largest error of Algorithm 5.1 with the rounds of their proofs, over their bounds.

Not private: simulations, compared with the true table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import expm1, log, sqrt

import numpy as np

from papers._paper import Row
from papers.hardt2012.methods import ParityClass, as_published
from papers.hardt2012.tables import Counts

__all__ = ["OVER", "theorem_rows"]

OVER = "expected largest error over alpha"
DELTA = 1e-6
# Beyond so many rounds nothing new is seen on these tables.
MOST_ROUNDS = 200


def theorem_rows(tables: Sequence[Counts], epsilons: Sequence[Fraction], runs: int) -> Iterator[Row]:
    """alpha(T) as in the proofs, with no constant but 1, at the T where it is least."""
    for table in tables:
        parities = ParityClass(table, 3)
        cells, k = log(len(table.counts)), len(parities.numbers)
        for epsilon in epsilons:
            for theorem, delta in (("Theorem 5.2.11", None), ("Theorem 5.2.12", DELTA)):
                grow = 1.0 if delta is None else sqrt(log(1 / delta))
                power = 1.0 if delta is None else 0.5
                each = log(k) / (float(epsilon) * table.rows) * grow
                alphas = {t: sqrt(cells / t) + t**power * each for t in range(1, MOST_ROUNDS + 1)}
                rounds = min(alphas, key=lambda t: alphas[t])
                spent = epsilon if delta is None else Fraction(rounds * _round(float(epsilon), delta, rounds))
                # Parities run from -1 to 1, the questions of the theorem from 0 to 1.
                errors = [np.abs(parities.means(as_published(parities, spent, rounds, seed)) - parities.exact).max() / 2
                          for seed in range(runs)]  # fmt: skip
                yield Row(figure=table.name, whose="theirs", method=theorem, quantity=OVER, t=rounds, n=table.rows, k=3,
                          value=float(np.mean(errors)) / alphas[rounds], epsilon=float(epsilon))  # fmt: skip


def _round(epsilon: float, delta: float, rounds: int) -> float:
    """The epsilon of a round: epsilon = e0 (2 T log 1/delta)^(1/2) + T e0 (e^e0 - 1), by halving."""
    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        total = middle * sqrt(2 * rounds * log(1 / delta)) + rounds * middle * expm1(middle)
        low, high = (middle, high) if total <= epsilon else (low, middle)
    return round(low, 9)

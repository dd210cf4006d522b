"""Good models without privacy: log-linear models of few interactions, as statisticians would publish them.

The line of figure 5.2 is from a paper whose numbers the source does not print. Here it is the model of main effects and
some pairs with the least BIC that is found by adding and removing one pair at a time.
"""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from papers.hardt2012.methods import relative_entropy
from papers.hardt2012.tables import Counts

__all__ = ["good_model", "model_of_pairs"]

Floats = NDArray[np.float64]
Pair = tuple[int, int]
# Proportional fitting ends when no margin is off by more, or after so many passes: empty margins converge slowly.
EXACT, PASSES = 1e-7, 300


def good_model(table: Counts) -> tuple[frozenset[Pair], float]:
    """The pairs of the model with the least BIC, and its relative entropy; not private."""
    chosen: frozenset[Pair] = frozenset()
    best = _score(table, chosen)
    while True:
        near = [chosen ^ {pair} for pair in combinations(range(len(table.attributes)), 2)]
        found = min(((_score(table, other), other) for other in near), key=lambda one: one[0])
        if found[0] >= best - 1e-9:
            return chosen, relative_entropy(table, model_of_pairs(table, chosen))
        best, chosen = found


def model_of_pairs(table: Counts, pairs: frozenset[Pair]) -> Floats:
    """The distribution of most entropy with the table's own margins of all attributes and these pairs."""
    many = len(table.attributes)
    shares = table.shares.reshape((2,) * many)
    margins = [*((p,) for p in range(many)), *sorted(pairs)]
    others = [tuple(p for p in range(many) if p not in own) for own in margins]
    targets = [shares.sum(axis=rest, keepdims=True) for rest in others]
    model = np.full(shares.shape, 2.0**-many)
    for _ in range(PASSES):
        off = 0.0
        for target, rest in zip(targets, others, strict=True):
            now = model.sum(axis=rest, keepdims=True)
            off = max(off, float(np.abs(now - target).max()))
            model = model * np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if off < EXACT:
            break
    return model.ravel()


def _score(table: Counts, pairs: frozenset[Pair]) -> float:
    """BIC over 2: the relative entropy of n rows, and half of ln n for each free parameter."""
    fitted = relative_entropy(table, model_of_pairs(table, pairs))
    return table.rows * fitted + log(table.rows) / 2 * (len(table.attributes) + len(pairs))

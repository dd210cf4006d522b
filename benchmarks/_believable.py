"""What gives coded rows away: a decision tree, and combinations of two values that no real row has."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas

from hushtable.owner.propensity import propensity

__all__ = ["empty_pairs", "told_and_against"]

# Combinations that stand for what a reader knows to be impossible.
COMBINATIONS = 20


def empty_pairs(frame: pandas.DataFrame, sizes: dict[str, int], most: int) -> list[tuple[str, int, str, int]]:
    """Combinations of two values that no row has, at most one a pair of columns: those that chance would give most."""
    found = []
    for one, two in combinations(sizes, 2):
        table = np.zeros((sizes[one], sizes[two]))
        np.add.at(table, (frame[one].to_numpy(), frame[two].to_numpy()), 1)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(frame)
        i, j = np.unravel_index(np.argmax(np.where(table == 0, expected, 0)), table.shape)
        if table[i, j] == 0 and expected[i, j] > 0:
            found.append((float(expected[i, j]), (one, int(i), two, int(j))))
    return [own for _, own in sorted(found, reverse=True)[:most]]


def told_and_against(frame: pandas.DataFrame, sizes: dict[str, int], rows: np.ndarray) -> tuple[float, float]:
    """Propensity of a tree of depth 6, and of a million rows how many have a combination that no real row has."""
    place = {name: j for j, name in enumerate(sizes)}
    real = np.array([frame[c] for c in sizes], dtype=np.int64)
    synthetic = np.concatenate([np.zeros(real.shape[1], bool), np.ones(rows.shape[1], bool)])
    both = [np.concatenate([one, two]) for one, two in zip(real, rows.astype(np.int64), strict=True)]
    broken = np.zeros(rows.shape[1], dtype=bool)
    for one, i, two, j in empty_pairs(frame, sizes, COMBINATIONS):
        broken |= (rows[place[one]] == i) & (rows[place[two]] == j)
    return propensity(both, [True] * len(both), synthetic).error, 1e6 * float(broken.mean())

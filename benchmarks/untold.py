"""How far a pair of two-valued columns is from even, of which nothing was told: what bars then take for granted.

Not private: true shares of the cells of all pairs, as errors of an even model over sqrt(v (1 - v)), v = 1/4.
"""

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._tables import load
from hushtable.maths.distribution.kind_ratios import HARDER, UNTOLD_ALONE

TABLES = ("nltcs", "czech", "mildew", "rochdale", "adult8", "titanic", "mushroom", "german_credit", "retail_top100")
FIGURES = ("untold",)
REACHED = 1.96


def run() -> Iterator[dict[str, Any]]:
    needed = {}
    for name in TABLES:
        if (loaded := load(name)) is None:
            print(json.dumps({"name": f"untold-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        frame, sizes = loaded
        needed[name] = stderr_for_most(halves(frame[list(sizes)].to_numpy().T, list(sizes.values())))
    for name, own in needed.items():
        others = [needed[other] for other in needed if other != name]
        shares = {"chosen": float(np.mean(others)) / HARDER, "it needs": float(own) / HARDER}
        line = {"left out": name} | {what: round(share, 3) for what, share in shares.items()}
        print(json.dumps(line), flush=True)
    if needed:
        chosen = float(np.mean(list(needed.values()))) / HARDER
        yield figure("untold", chosen, f"chosen on {len(needed)} tables, deviations", baseline=UNTOLD_ALONE,
                     ratio=chosen / UNTOLD_ALONE, bar="ratio <= 1.15")  # fmt: skip


def halves(codes: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Columns of more values cut in two at random, as near to halves as they allow."""
    random, bits = np.random.default_rng(1), []
    for column, size in zip(codes, sizes, strict=True):
        order = random.permutation(size) if size > 2 else np.array([1, 0])
        shares = np.cumsum(np.bincount(column, minlength=size)[order]) / len(column)
        cut = 1 + int(np.argmin(np.abs(shares[:-1] - 0.5))) if size > 2 else 1
        bits.append(np.isin(column, order[:cut]))
    return np.array(bits)


def stderr_for_most(bits: np.ndarray) -> float:
    """The standard error, in deviations, with which 95% of the cells of pairs are inside 95% intervals."""
    off = [
        abs(((bits[i] == x) & (bits[j] == y)).mean() - 0.25)
        for i, j in combinations(range(len(bits)), 2)
        for x in (False, True)
        for y in (False, True)
    ]
    return float(np.quantile(off, 0.95)) / REACHED / np.sqrt(0.25 * 0.75)


if __name__ == "__main__":
    for _ in run():
        pass

"""One column of a whole table: how many 95% intervals of answers, and of differences of answers, hold over releases.

Errors of one column are few: all questions about a column of two values miss together. So there are many releases, and
the error of a share is taken from how it differs between them. `python -m benchmarks.one_column titanic` measures one
table alone.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._predicates import Predicates
from benchmarks._tables import domain_of, load
from benchmarks.whole_table import release

TABLES = ("titanic", "czech", "nltcs")
FIGURES = ("one-column", *(f"one-column-{name}" for name in TABLES))
RELEASES, QUESTIONS, EPSILON = 40, 24, "1"
LEAST = 0.93


def run(tables: tuple[str, ...] = TABLES) -> Iterator[dict[str, Any]]:
    """Not private: compares with the true tables."""
    for name in tables:
        if load(name) is None:
            print(json.dumps({"name": f"one-column-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for kind, held in measure(name).items():
            mean, error = float(np.mean(held)), float(np.std(held, ddof=1)) / len(held) ** 0.5
            unit = f"inside 95% intervals, {len(held)} releases, +- {error:.4f}"
            yield figure(f"one-column-{name}-{kind}", mean, unit,
                         baseline=0.95, ratio=mean / 0.95, bar=f"value >= {LEAST - 2 * error:.4f}")  # fmt: skip


def measure(name: str) -> dict[str, list[float]]:
    """For every release the shares of intervals that hold: shares, counts, differences of two columns' shares, and of
    a share of one column and one of two."""
    frame, sizes = load(name)  # type: ignore[misc]
    codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
    domain = ht.Domain.from_dict(domain_of(sizes))
    shares = [np.bincount(c, minlength=s) / codes.shape[1] for c, s in zip(codes, sizes.values(), strict=True)]
    random = np.random.default_rng(0)
    one, two = (Predicates.random(shares, width, QUESTIONS, random) for width in (1, 2))
    true, wider = one.true_shares(codes), two.true_shares(codes)
    found: dict[str, list[float]] = {}
    for _ in range(RELEASES):
        model = release(codes, domain, EPSILON)
        alone = [model.answer(one.question(i, domain.sizes)) for i in range(QUESTIONS)]
        counts = [model.answer(one.question(i, domain.sizes), count=True) for i in range(QUESTIONS)]
        pairs = [model.answer(two.question(i, domain.sizes)) for i in range(QUESTIONS)]
        apart = [first - second for first, second in zip(alone, alone[1:] + alone[:1], strict=True)]
        mixed = [first - second for first, second in zip(alone, pairs, strict=True)]
        seen = {"shares": (alone, true), "counts": (counts, true * codes.shape[1]),
                "differences": (apart, true - np.roll(true, -1)), "with-pairs": (mixed, true - wider)}  # fmt: skip
        for kind, (answers, truth) in seen.items():
            inside = [low <= t <= high for (low, high), t in zip((a.interval() for a in answers), truth, strict=True)]
            found.setdefault(kind, []).append(float(np.mean(inside)))
    return found


if __name__ == "__main__":
    lines = list(run(tuple(sys.argv[1:]) or TABLES))
    for line in lines:
        print(json.dumps(line))
    sys.exit(0 if all(line["holds"] for line in lines) else 1)

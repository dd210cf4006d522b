"""Summing splines of real columns: time for a million rows, growth with rows, any split gives the same integers."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._figure import best_of, figure
from hushtable.maths.smooth.axes import Axis, Block
from hushtable.vault.statistics.reals import RealRows
from hushtable.vault.statistics.splines import SplineSums

FIGURES = tuple(f"smooth-{what}-{d}" for d in (2, 3) for what in ("sum", "growth", "split"))


def run() -> Iterator[dict[str, Any]]:
    g = np.random.default_rng(1)
    for d, size, bar in ((2, 28, 0.6), (3, 16, 1.5)):
        statistic = SplineSums([Block(tuple(Axis(f"x{i}", -1, 1) for i in range(d)))], size=[size], unit=2**38)
        data = RealRows(np.clip(g.normal(0, 0.4, (d, 10**6)), -1, 1), np.zeros(10**6, np.int64))
        quarter = RealRows(data.x[:, :250_000], data.cells[:250_000])
        statistic.accumulate(quarter)
        whole, part = (
            best_of(5, partial(statistic.accumulate, data)),
            best_of(5, partial(statistic.accumulate, quarter)),
        )
        yield figure(
            f"smooth-sum-{d}", whole, "s for a million rows", baseline=bar, ratio=whole / bar, bar="ratio <= 1"
        )
        yield figure(f"smooth-growth-{d}", whole / part, "times for 4 times the rows", baseline=4,
                     ratio=whole / part / 4, bar="ratio <= 1.3")  # fmt: skip
        cuts = np.array_split(g.permutation(10**6), 13)
        split = sum((statistic.accumulate(RealRows(data.x[:, c], data.cells[c])) for c in cuts), statistic.zeros())
        same = float((split == statistic.accumulate(data)).all())
        yield figure(
            f"smooth-split-{d}", same, "share of integers that agree", baseline=1, ratio=same, bar="value >= 1"
        )

"""Noise: seconds per million exact draws at scale 50, ours and OpenDP's, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks._figure import figure
from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise
from hushtable.vault.door.randomness import SystemRandomness
from hushtable.vault.door.samplers import sample

FIGURES = ("noise-laplace", "noise-gaussian")
DRAWS = 10**6
# OpenDP takes its time; it is linear in the number of draws, so a part is measured and scaled.
THEIR_DRAWS = 20_000
SCALE = 50
BARS: dict[Law, int] = {Law.LAPLACE: 50, Law.GAUSSIAN: 30}


def run() -> Iterator[dict[str, Any]]:
    """One figure a law; `ratio` is how many times faster than OpenDP."""
    for law, bar in BARS.items():
        ours, theirs = our_seconds(law), their_seconds(law)
        unit = "seconds per 10^6 draws"
        yield figure(f"noise-{law}", ours, unit, baseline=theirs, ratio=theirs / ours, bar=f"ratio >= {bar}")


def our_seconds(law: Law) -> float:
    scale = Fraction(SCALE) if law == Law.LAPLACE else Fraction(SCALE) ** 2
    scales = CoordinateNoise(law=law, table=(scale,), index=np.zeros(DRAWS, dtype=np.int32))
    source = SystemRandomness()
    return median_time(lambda: sample(scales, source), repeats=5)


def their_seconds(law: Law) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if law == Law.LAPLACE:
        measure = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=float(SCALE))
    else:
        measure = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(SCALE))
    zeros = [0] * THEIR_DRAWS
    return median_time(lambda: measure(zeros), repeats=3) * DRAWS / THEIR_DRAWS


def median_time(work: Callable[[], object], *, repeats: int) -> float:
    """Median of some runs, after one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


if __name__ == "__main__":
    for line in run():
        print(line)

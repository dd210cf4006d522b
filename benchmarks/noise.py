"""Noise: seconds per million exact draws, ours and OpenDP's, in one run; rounded ones also against discrete ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks._figure import figure
from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise
from hushtable.vault.door.randomness import SystemRandomness
from hushtable.vault.door.rounded_gaussian import rounded_gaussians
from hushtable.vault.door.samplers import sample

# Sigmas of rounded noise, by the name of their figure; 200 of them between 1 and 10^4 in one call.
SIGMAS: dict[str, tuple[Fraction, ...]] = {
    "1": (Fraction(1),),
    "10": (Fraction(10),),
    "100": (Fraction(100),),
    "10000": (Fraction(10_000),),
    "mixed": tuple(Fraction(round(10 ** (4 + 4 * i / 199)), 10_000) for i in range(200)),
}
FIGURES = ("noise-laplace", "noise-gaussian", *(f"noise-rounded-{name}" for name in SIGMAS))
DRAWS = 10**6
# OpenDP takes its time; it is linear in the number of draws, so a part is measured and scaled.
THEIR_DRAWS = 20_000
SCALE = Fraction(50)
UNIT = "seconds per 10^6 draws"
BARS: dict[Law, int] = {Law.LAPLACE: 50, Law.GAUSSIAN: 30}
ROUNDED_BAR, ROUNDED_BAR_OWN = 250, 1.5


def run() -> Iterator[dict[str, Any]]:
    """`ratio` is how many times faster than OpenDP, or for figures that end in `own` than our discrete Gaussian."""
    for law, bar in BARS.items():
        ours, theirs = our_seconds(law, [SCALE]), their_seconds(law, [SCALE])
        yield figure(f"noise-{law}", ours, UNIT, baseline=theirs, ratio=theirs / ours, bar=f"ratio >= {bar}")
    for name, sigmas in SIGMAS.items():
        ours = rounded_seconds(sigmas)
        theirs, own = their_seconds(Law.GAUSSIAN, sigmas), our_seconds(Law.GAUSSIAN, sigmas)
        for ending, other, least in (("", theirs, ROUNDED_BAR), ("-own", own, ROUNDED_BAR_OWN)):
            full = f"noise-rounded-{name}{ending}"
            yield figure(full, ours, UNIT, baseline=other, ratio=other / ours, bar=f"ratio >= {least}")


def spread(kinds: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Which kind of noise each draw is of, in no order."""
    return np.random.default_rng(1).integers(0, kinds, DRAWS, dtype=np.int32)


def our_seconds(law: Law, scales: Sequence[Fraction]) -> float:
    table = tuple(scale if law == Law.LAPLACE else scale**2 for scale in scales)
    noise = CoordinateNoise(law=law, table=table, index=spread(len(scales)))
    source = SystemRandomness()
    return median_time(lambda: sample(noise, source), repeats=5)


def rounded_seconds(sigmas: Sequence[Fraction]) -> float:
    variances, which = [sigma**2 for sigma in sigmas], spread(len(sigmas))
    source = SystemRandomness()
    return median_time(lambda: rounded_gaussians(variances, which, source), repeats=5)


def their_seconds(law: Law, scales: Sequence[Fraction]) -> float:
    """Draws of many scales are one call a scale."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if law == Law.LAPLACE:
        measures = [dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=float(scale)) for scale in scales]
    else:
        measures = [dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(scale)) for scale in scales]
    zeros = [0] * (THEIR_DRAWS // len(scales))
    return median_time(lambda: [measure(zeros) for measure in measures], repeats=3) * DRAWS / THEIR_DRAWS


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

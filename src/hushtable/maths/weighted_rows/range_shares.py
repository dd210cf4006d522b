"""Range shares: counts of a number's found cells, from the pass that counted them and those that found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..ranges.passes import Pass, least_squares
from .shares import small_counts

__all__ = ["FoundRange"]

Floats = NDArray[np.float64]
# A group of neighbouring cells, whose sum is believed, holds so many deviations and so much of the rows; the sum of k
# cells is no noise from so many deviations times the root of k on.
GROUP, SHARE, SURE = 8.0, 1 / 64, 2.0


@dataclass(frozen=True, eq=False)
class FoundRange:
    """What passes before the last have said of a column whose cells they found."""

    cuts: tuple[Fraction, ...]
    passes: Sequence[Pass]

    @property
    def precision(self) -> float:
        """Of the last pass: its cells are nearly these."""
        return self.passes[-1].precision if self.passes else 0.0

    def counts(self, seen: Floats, variance: float) -> Floats:
        """Non-negative counts of all codes: cells, then what is undeclared or missing.

        seen  the counts of the last pass, with independent noise of this variance

        Small cells are denoised, sums of neighbouring cells are those of least squares over all passes, and cells at
        both ends that are no more than noise together are empty.
        """
        cells = len(self.cuts) + 1
        last = Pass(self.cuts, seen[:cells], variance)
        fitted = least_squares([*self.passes, last])
        deviation = float((last.precision + self.precision) ** -0.5)
        clean = small_counts(fitted, deviation, ordered=True)
        clean = _restored(clean, fitted, deviation)
        for walk in (slice(None), slice(None, None, -1)):
            running = np.cumsum(fitted[walk]) / np.sqrt(np.arange(1, cells + 1))
            told = np.flatnonzero(running >= SURE * deviation)
            clean[walk][: told[0] if len(told) else 0] = 0.0
        return np.concatenate([clean, np.maximum(seen[cells:], 0.0)])


def _restored(clean: Floats, fitted: Floats, deviation: float) -> Floats:
    """Groups of cells scaled to what least squares say of their sums."""
    enough = max(GROUP * deviation, SHARE * float(fitted.sum()))
    out, start, held = clean.copy(), 0, 0.0
    for place, count in enumerate(fitted.tolist()):
        alone = count >= enough and held > SURE * deviation * np.sqrt(max(place - start, 1))
        if alone and place > start:
            _scale(out, fitted, start, place)
            start, held = place, 0.0
        held += count
        if held >= enough:
            _scale(out, fitted, start, place + 1)
            start, held = place + 1, 0.0
    if start < len(out):
        _scale(out, fitted, start, len(out))
    return out


def _scale(out: Floats, fitted: Floats, start: int, end: int) -> None:
    now, wanted = float(out[start:end].sum()), max(float(fitted[start:end].sum()), 0.0)
    if now > 0:
        out[start:end] *= wanted / now

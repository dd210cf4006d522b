"""Key law: the exact chances of revealing keys through a threshold, on two tables at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..laws import Law
from ..vault.door.reveal import Revealed
from .exact_laws import Floats, noise_pit, noise_tail

__all__ = ["KeyLaw"]


@dataclass(frozen=True)
class KeyLaw:
    """How often each key occurs in either table."""

    here: Mapping[bytes, int]
    there: Mapping[bytes, int]

    def judge(
        self, seen: Revealed, scale: Fraction, threshold: int, coins: np.random.Generator
    ) -> tuple[float, float, float, Floats, list[float]]:
        """Loss, epsilon and delta of this pair, uniform numbers if the law is as stated, and the outputs in order.

        A key that only this table has may show what the other never shows: delta is the chance that one does.
        Outputs: for every key of either table its noisy count, or threshold - 1 where it was not shown.
        """
        shown = dict(zip(seen.keys, seen.counts.tolist(), strict=True))
        loss, price, hidden, pits, outputs = 0.0, 0.0, 1.0, [], []
        for key in sorted(set(self.here) | set(self.there)):
            here, there, count = self.here.get(key, 0), self.there.get(key, 0), shown.get(key)
            outputs.append(float(threshold - 1 if count is None else count))
            loss += _likely(here, count, scale, threshold) - _likely(there, count, scale, threshold)
            if here and there:
                price += abs(here - there) / float(scale)
            elif here:
                hidden *= math.exp(_likely(here, None, scale, threshold))
            else:
                price -= _likely(there, None, scale, threshold)
            if here:
                pits.append(_pit(here, count, scale, threshold, coins))
        return loss, price, 1 - hidden, np.array(pits), outputs


def _likely(rows: int, count: int | None, scale: Fraction, threshold: int) -> float:
    """log of the chance that a key with so many rows shows this count, or nothing."""
    if rows == 0:
        return 0.0 if count is None else -math.inf
    if count is None:
        return math.log1p(-math.exp(float(noise_tail(scale, np.array([threshold - rows]))[0])))
    return -abs(count - rows) / float(scale)  # both tables have the same factor in front


def _pit(rows: int, count: int | None, scale: Fraction, threshold: int, coins: np.random.Generator) -> float:
    coin = coins.random(1)
    if count is None:
        return float(coin[0] * math.exp(_likely(rows, None, scale, threshold)))
    return float(noise_pit(Law.LAPLACE, scale, np.array([count - rows]), coin)[0])

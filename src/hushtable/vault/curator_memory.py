"""Memory of a curator: what its state says about measurements, answers and the hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..curator_belief import Belief
from ..curator_plan import CuratorPlan
from ..errors import BadState
from ..hypothesis.measured import Measured
from .curator_state import Chain

__all__ = ["Kept", "Key", "remembered"]

Key = tuple[tuple[int, ...], bytes]


@dataclass(frozen=True, eq=False)
class Kept:
    """A paid answer: the noisy count, its noise, and whether the hypothesis could learn from it."""

    value: int
    scale: Fraction
    learned: bool

    def measured(self, positions: tuple[int, ...], true: NDArray[np.bool_]) -> Measured:
        """The same as a measurement of a condition."""
        return Measured(positions, np.array([self.value], dtype=np.int64), self.scale, true.astype(np.int64))


def remembered(plan: CuratorPlan, state: Chain) -> tuple[Belief, dict[Key, Kept]]:
    """The hypothesis and the paid answers as they were when the newest entry was written."""
    try:
        belief = _belief(plan, state.first("start") or {})
        answers: dict[Key, Kept] = {}
        learned = []
        for entry in state.entries:
            if entry["kind"] == "answer":
                key, kept, true = _answer(plan, entry)
                answers[key] = kept
                learned.append((kept.measured(key[0], true), entry["theta"]))
        belief.restore(learned)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, IndexError):
        raise BadState("the curator's state holds something that no curator wrote; put the right file back") from None
    return belief, answers


def _belief(plan: CuratorPlan, start: dict[str, Any]) -> Belief:
    sizes, values, scale = plan.domain.sizes, start["tables"], Fraction(start["scale"])
    ends = [*accumulate(sizes, initial=0)]
    if values and len(values) != ends[-1]:
        raise ValueError("tables of another domain")
    tables = [
        Measured((p,), np.array(values[ends[p] : ends[p + 1]], dtype=np.int64), scale)
        for p in range(len(sizes) if values else 0)
    ]
    return Belief(plan, rows=int(start["rows"]), rows_stderr=plan.rows_stderr, start=tables)


def _answer(plan: CuratorPlan, entry: dict[str, Any]) -> tuple[Key, Kept, NDArray[np.bool_]]:
    positions, packed = tuple(entry["positions"]), bytes.fromhex(entry["true"])
    cells = prod(plan.domain.sizes[p] for p in positions)
    true = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=cells).astype(bool)
    kept = Kept(int(entry["value"]), Fraction(entry["scale"]), bool(entry["learned"]))
    return (positions, packed), kept, true

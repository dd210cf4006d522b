"""Memory of a curator: what its state says about measurements, answers and the hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadState, BadSynopsis
from ..maths.distribution.measured import Measured
from ..models.reading import noise_scale, row_count
from ..vault.ledger.sealed_lines import Chain
from .belief import Belief
from .plan import CuratorPlan

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
        with np.errstate(all="ignore"):
            belief.restore(learned)
        belief.check()
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError, IndexError, OverflowError, BadSynopsis):
        raise BadState("the curator's state holds something that no curator wrote; put the right file back") from None
    return belief, answers


def _belief(plan: CuratorPlan, start: dict[str, Any]) -> Belief:
    sizes, values, scale = plan.domain.sizes, start["tables"], noise_scale(start["scale"], plan.law)
    rows = row_count(start["rows"])
    if rows is None or (values and not scale):
        raise ValueError("tables without noise, or of no rows")
    ends = [*accumulate(sizes, initial=0)]
    if values and len(values) != ends[-1]:
        raise ValueError("tables of another domain")
    tables = [
        Measured((p,), np.array(values[ends[p] : ends[p + 1]], dtype=np.int64), scale)
        for p in range(len(sizes) if values else 0)
    ]
    return Belief(plan, rows=rows, rows_stderr=plan.rows_stderr, start=tables)


def _answer(plan: CuratorPlan, entry: dict[str, Any]) -> tuple[Key, Kept, NDArray[np.bool_]]:
    positions, packed = tuple(entry["positions"]), bytes.fromhex(entry["true"])
    if not positions or list(positions) != sorted({p for p in positions if p in range(len(plan.domain.sizes))}):
        raise ValueError("attributes that the domain does not have")
    cells = prod(plan.domain.sizes[p] for p in positions)
    true = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=cells).astype(bool)
    kept = Kept(int(entry["value"]), noise_scale(entry["scale"], plan.law), bool(entry["learned"]))
    if not kept.scale or len(packed) != -(-cells // 8) or not all(isinstance(t, float) for t in entry["theta"]):
        raise ValueError("an answer without noise, or of another shape")
    return (positions, packed), kept, true

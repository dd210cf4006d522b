"""Answers that can be computed with: `a - b`, `a + b`, `2 * a`, `a / b`, `a - 0.1`, `-a` are answers again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from .answer_forms import AnswerUnit
from .arithmetic import NOWHERE, Errors, Later, QuotientSide, Release, known_errors, quotient_ends
from .intervals import interval_factor
from .stamp import SIMULATED, other_notes

if TYPE_CHECKING:
    from .answer import Answer

__all__ = ["Computed", "notes_of"]

Floats = NDArray[np.float64]
# A ratio needs a denominator that is surely not 0: fewer of its standard errors are none.
MIN_SIGMAS = 3.0
SHARED = "its bar knows what the answers share: it was computed with every replicate of the release"
JOINT = "its bar knows what the answers share: the noises of the released numbers that they are made of"
ADDED = "answers of one release, whose errors may go together: their bars are added"
APART = "answers of different releases, whose errors are independent"
NO_RATIO = "the answer that is divided by cannot be told from 0, so that the ratio is unknown"


class Computed:
    """What `Answer` has of arithmetic."""

    question: str
    unit: AnswerUnit
    value: float
    stderr: float
    bias: float
    kurtosis: float
    estimator: str
    notes: tuple[str, ...]
    not_private: bool
    release: Release | None
    parts: Errors | Later | None

    @property
    def errors(self) -> Errors:
        """What its error is made of; of unknown make, where nobody has said."""
        parts = known_errors(self.parts) or Errors(opaque={(NOWHERE, f"{self.question} ({self.unit})"): self.stderr})
        return parts if self.release is None else parts.named(self.release.name)

    def _computed(self, text: str, unit: AnswerUnit, numbers: dict[str, Any], others: list[Computed]) -> Answer:
        raise NotImplementedError

    def __neg__(self) -> Answer:
        return self._multiple(-1.0, f"-({self.question})")

    def __add__(self, other: Computed | float) -> Answer:
        return self._sum(other, 1.0, "+")

    def __radd__(self, other: float) -> Answer:
        return self._sum(other, 1.0, "+")

    def __sub__(self, other: Computed | float) -> Answer:
        return self._sum(other, -1.0, "-")

    def __rsub__(self, other: float) -> Answer:
        return -self + other

    def __mul__(self, factor: float) -> Answer:
        return self._multiple(_number(factor, "*"), f"{factor:g} * ({self.question})")

    __rmul__ = __mul__

    def __truediv__(self, other: Computed | float) -> Answer:
        if isinstance(other, Computed):
            return _ratio(self, other)
        if _number(other, "/") == 0:
            raise BadQuestion("an answer cannot be divided by 0; divide by another number or by an answer")
        return self._multiple(1 / other, f"({self.question}) / {other:g}")

    def _multiple(self, factor: float, text: str) -> Answer:
        numbers = {"value": factor * self.value, "parts": self.errors.times(factor), "bias": abs(factor) * self.bias}
        return self._computed(text, self.unit, numbers, [])

    def _sum(self, other: Computed | float, sign: float, word: str) -> Answer:
        if not isinstance(other, Computed):
            numbers = {"value": self.value + sign * _number(other, word), "parts": self.errors, "bias": self.bias}
            return self._computed(f"({self.question}) {word} {other:g}", self.unit, numbers, [])
        if other.unit != self.unit:
            raise BadQuestion(
                f"one answer is a {self.unit} and the other a {other.unit}; {word} takes two of the same unit: ask "
                "both as fractions, or both with count=True"
            )
        numbers = {
            "value": self.value + sign * other.value,
            "parts": self.errors.plus(other.errors.times(sign)),
            "bias": self.bias + other.bias,
        }
        return self._computed(f"({self.question}) {word} ({other.question})", self.unit, numbers, [other])


def _number(given: object, word: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not math.isfinite(float(given)):
        kind = type(given).__name__ if not isinstance(given, float) else f"{given}"
        raise BadQuestion(f"{word} takes an answer and a number that is finite, not {kind}")
    return float(given)


def _ratio(top: Computed, below: Computed) -> Answer:
    """top / below; unknown where `below` may be 0."""
    text = f"({top.question}) / ({below.question})"
    spread = MIN_SIGMAS * below.stderr + below.bias
    if not abs(below.value) > spread:  # also where one of them is not known
        unknown = {"value": math.nan, "parts": Errors(), "bias": math.nan, "unknown": NO_RATIO}
        return top._computed(text, "number", unknown, [below])
    ratio = top.value / below.value
    numbers = {
        "value": ratio,
        "parts": top.errors.plus(below.errors.times(-ratio)).times(1 / below.value),
        "bias": (top.bias + abs(ratio) * below.bias) / abs(below.value),
        "limits": _Quotient(_part(top), _part(below), max(top.kurtosis, below.kurtosis)),
    }
    return top._computed(text, "number", numbers, [below])


def _part(answer: Computed) -> QuotientSide:
    return QuotientSide(np.array(answer.value), np.array(answer.bias), answer.errors)


@dataclass(frozen=True, eq=False)
class _Quotient:
    """The interval of a ratio."""

    top: QuotientSide
    below: QuotientSide
    kurtosis: float

    def __call__(self, confidence: float) -> tuple[Floats, Floats]:
        low, high = quotient_ends(self.top, self.below, float(interval_factor(confidence, self.kurtosis)))
        return np.atleast_1d(low), np.atleast_1d(high)


def notes_of(own: Computed, others: list[Computed], parts: Errors) -> tuple[str, ...]:
    """How the bar was made, then the notes of all answers, each once; the stamp of a rehearsal first."""
    how: tuple[str, ...] = ()
    if others:
        known = JOINT if parts.noises and not parts.replicates else SHARED
        how = (ADDED,) if parts.added else (known,) if len(parts.releases) == 1 else (APART,)
    given = [
        note for answer in (own, *others) for note in other_notes(answer.notes) if not note.startswith("below its")
    ]
    stamp = (SIMULATED,) if any(answer.not_private for answer in (own, *others)) else ()
    return (*stamp, *dict.fromkeys((*how, *given)))

"""CuratorAnswer: an answer of a curator, with what it cost, what is left and what its error bar rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ..errors import BadQuestion
from ..questions.answer import Answer, interval_factor
from ..questions.answer_forms import shown, with_bar
from ..words import readable

__all__ = ["CuratorAnswer", "FreeMargin", "Source", "remark"]

Source = Literal["free", "paid", "repeated", "unverified", "certain"]

TEXT: dict[Source, str] = {
    "free": "free: a noisy comparison found the hypothesis close enough to the table",
    "paid": "paid: measured with fresh noise",
    "repeated": "free: paid for before, so this is the same answer again",
    "unverified": "free but unverified: no paid answer is left, so this was not compared with the table",
    "certain": "free: it follows from the domain alone",
}


@dataclass(frozen=True, kw_only=True)
class FreeMargin:
    """Why a free answer is close: |count - expected| + noise was below a noisy threshold. All in rows.

    A miss by threshold + t + s needs threshold noise above t or comparison noise below -s. Over all thresholds the
    first has a chance of at most thresholds / 2 exp(-t / first), whatever is asked; the second, for one question,
    of 1/2 exp(-s / second).
    """

    threshold: int
    first: float
    """Scale b of the threshold's noise."""
    second: float
    """Scale b of a comparison's noise."""
    thresholds: int
    """At most so many are drawn."""
    questions: int
    """So many were planned."""

    @property
    def deviation(self) -> float:
        """Standard deviation of a comparison with the threshold."""
        return math.sqrt(2 * (self.first**2 + self.second**2))

    @property
    def seldom(self) -> float:
        """A hypothesis without error is paid for about once in so many questions, because of noise alone."""
        return 2 * math.exp(min(self.threshold / self.second, 100.0))

    def half_width(self, confidence: float, *, simultaneous: bool = False) -> float:
        """How far off a free answer can be: each with this confidence, or all planned ones at once."""
        if not 0 < confidence < 1:
            raise BadQuestion(f"confidence must be between 0 and 1 (say 0.95), not {confidence:g}")
        miss = 1 - confidence
        together = self.questions if simultaneous else 1
        above = self.first * math.log(max(self.thresholds / miss, 1))
        # Half a row more: the hypothesis' count was rounded for the comparison.
        return self.threshold + above + self.second * math.log(together / miss) + 0.5


@dataclass(frozen=True, kw_only=True)
class CuratorAnswer(Answer):
    """One number, where it came from, and what the curator has left.

    free        from the hypothesis, which a noisy comparison found close to the table; its bar is that of a usual one,
                and `certified` what the comparison proves
    paid        measured with fresh noise; `repeated` is the same number again
    unverified  from the hypothesis after the last paid answer; its bar is that of a usual question, or unknown
    certain     the same for every table of this domain
    """

    source: Source
    answers_left: int
    """How many paid answers are left."""
    budget_left: Fraction
    """What is left of the reservation for them, in its currency."""
    currency: str
    rows: float
    """The number of rows that a value of 1 (or of that many) stands for."""
    rows_noise: float = 0.0
    """The part of the standard error that is the noise of the number of rows."""
    rows_stderr: float = 0.0
    """Standard error of the number of rows itself."""
    margin: FreeMargin | None = None

    @property
    def free(self) -> bool:
        """Whether it cost nothing."""
        return self.source != "paid"

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[float, float]:
        """Lower and upper end: of a free answer, the bar of a usual one, or what is certified where that is narrower.

        `simultaneous` is certified to hold for the free answers to all planned questions at once.
        """
        half = interval_factor(confidence, self.kurtosis) * self.stderr
        if self.source == "unverified":
            return max(self.value - half, 0.0) if math.isfinite(half) else math.nan, self.value + half
        low, high = self.value - half, self.value + half
        if self.source != "free":
            return low, high
        least, most = self.surely(confidence, simultaneous=simultaneous)
        if simultaneous:
            return least, most
        return max(low, least, 0.0), min(high, most)

    def surely(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[float, float]:
        """What holds whatever the hypothesis is: threshold plus noise for a free answer, all there can be for others
        that were not measured."""
        step = 1.0 if self.unit == "count" else 1 / self.rows
        factor = interval_factor(confidence, self.kurtosis)
        if self.margin is None:
            return 0.0, self.rows + factor * self.rows_stderr if self.unit == "count" else 1.0
        half = factor * self.rows_noise + self.margin.half_width(confidence, simultaneous=simultaneous) * step
        return self.value - half, self.value + half

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """What `hush curate --json` prints."""
        left = {"answers_left": self.answers_left, "budget_left": float(self.budget_left), "currency": self.currency}
        return super().to_dict(confidence) | {"source": self.source, "free": self.free} | left

    def _plain(self, confidence: float) -> str:
        """`0.0712 ± 0.0110 (95%), paid`; `unknown (95%), unverified`."""
        low, high = self.interval(confidence)
        named = self.source if self.source in ("paid", "unverified") else "free"
        value = float(with_bar(self.value, low, high, self.estimator))
        return f"{shown(value, low, high)} ({100 * confidence:g}%), {named}"


def remark(source: Source, answers_left: int, left: Fraction, unit: str) -> str:
    """The note every answer carries."""
    return f"{TEXT[source]}; {answers_left:,} paid answers left ({unit} = {readable(left)})"

"""Answers to smooth questions: as others, and they say whether their bias bound is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .answer import Answer, CrossTab, measured

__all__ = ["QuantileAnswer", "SmoothAnswer", "SmoothTable"]

BiasKind = Literal["certified", "sampled"]


@dataclass(frozen=True, kw_only=True)
class SmoothAnswer(Answer):
    """A mean. `bias_kind` is certified (proven between all points) or sampled (looked at on a grid)."""

    bias_kind: BiasKind = "certified"

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """See Answer."""
        return super().to_dict(confidence) | {"bias_kind": self.bias_kind}


@dataclass(frozen=True, kw_only=True)
class SmoothTable(CrossTab):
    """Means of groups, or the two parts of a characteristic function."""

    bias_kind: BiasKind = "certified"

    def to_dict(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        """See CrossTab."""
        return super().to_dict(confidence, simultaneous=simultaneous) | {"bias_kind": self.bias_kind}


@dataclass(frozen=True, kw_only=True)
class QuantileAnswer(SmoothAnswer):
    """A quantile. Its interval holds every value at which the distribution function may reach the level."""

    ends: Callable[[float], tuple[float, float]]
    """From a confidence to the interval."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Not symmetric: where the distribution function is flat, a quantile is known less well."""
        return self.ends(confidence)

    def _plain(self, confidence: float) -> str:
        """`37.2, between 36.8 and 37.7 (95%)`."""
        low, high = self.interval(confidence)
        places = measured(self.value, (high - low) / 2).partition(" ")[0]
        digits = len(places.partition(".")[2])
        return f"{places}, between {low:,.{digits}f} and {high:,.{digits}f} ({100 * confidence:g}%)"

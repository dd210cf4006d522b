"""Answers to smooth questions: as others, and they say whether their bias bound is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .answer import Answer, CrossTab, measured

__all__ = ["QuantileAnswer", "SmoothAnswer", "SmoothTable"]

Floats = NDArray[np.float64]
BiasKind = Literal["certified", "sampled"]


@dataclass(frozen=True, kw_only=True)
class SmoothAnswer(Answer):
    """A mean. `bias_kind` is certified (proven between all points) or sampled (looked at on a grid)."""

    bias_kind: BiasKind = "certified"
    ends: Callable[[float], tuple[float, float]] | None = None
    """From a confidence to the interval, where it is not symmetric: bias and noise, as in `Answer.interval`."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """See Answer. Not symmetric where the number of rows is noisy too."""
        return super().interval(confidence) if self.ends is None else self.ends(confidence)

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        return super().to_dict(confidence) | {"bias_kind": self.bias_kind}


@dataclass(frozen=True, kw_only=True)
class SmoothTable(CrossTab):
    """Means of groups, or the two parts of a characteristic function."""

    bias_kind: BiasKind = "certified"
    ends: Callable[[float], tuple[Floats, Floats]] | None = None
    """From a confidence to the intervals, where they are not symmetric."""

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """See CrossTab. At once: Bonferroni, which holds for every law."""
        if self.ends is None:
            return super().interval(confidence, simultaneous=simultaneous)
        return self.ends(1 - (1 - confidence) / len(self) if simultaneous else confidence)

    def consistent(self) -> CrossTab:
        """See CrossTab: a plain table, with the intervals of this one's standard errors."""
        inherited = {field.name: getattr(self, field.name) for field in fields(CrossTab)}
        return self if self.unit == "mean" else CrossTab(**inherited).consistent()

    def to_dict(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        return super().to_dict(confidence, simultaneous=simultaneous) | {"bias_kind": self.bias_kind}


@dataclass(frozen=True, kw_only=True)
class QuantileAnswer(SmoothAnswer):
    """A quantile. Where the distribution function is flat, it is known less well, so that `ends` are its interval."""

    def _plain(self, confidence: float) -> str:
        """`37.2, between 36.8 and 37.7 (95%)`."""
        low, high = self.interval(confidence)
        places = measured(self.value, (high - low) / 2).partition(" ")[0]
        digits = len(places.partition(".")[2])
        return f"{places}, between {low:,.{digits}f} and {high:,.{digits}f} ({100 * confidence:g}%)"

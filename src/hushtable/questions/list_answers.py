"""Answers about lists: the error bar in two parts, what noise does and what collisions of the hash do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .answer import Answer, CrossTab, Floats

__all__ = ["ListAnswer", "ListTable"]


@dataclass(frozen=True, kw_only=True)
class ListAnswer(Answer):
    """An answer whose `stderr` has two independent parts."""

    noise: float
    """Standard error of the noise that protects the rows."""
    collision: float
    """Standard deviation over the hash's key of what other values in the same buckets add; estimated, no bound."""

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """The usual answer, and the parts of its error."""
        return super().to_dict(confidence) | {"noise": self.noise, "collision": self.collision}


@dataclass(frozen=True, kw_only=True)
class ListTable(CrossTab):
    """One answer a list or value; errors in two parts, as in `ListAnswer`."""

    noise: Floats
    collision: Floats

    def columns(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, list[Any]]:
        """The usual columns, then the parts of the error."""
        parts = {"noise": self.noise.tolist(), "collision": self.collision.tolist()}
        return super().columns(confidence, simultaneous=simultaneous) | parts

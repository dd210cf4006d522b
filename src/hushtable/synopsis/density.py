"""Density: how rows are spread over one or two smooth columns, with error bars, from a synopsis alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from . import Synopsis

if TYPE_CHECKING:
    from ..models.smooth.density import Density

__all__ = ["density"]


def density(
    synopsis: Synopsis, columns: Sequence[str], *, where: str | None = None, confidence: float = 0.95
) -> Density:
    """The kernel density of one or two columns; that of a rehearsal is marked."""
    seen = synopsis.model.density(columns, where=where, confidence=confidence)
    return replace(seen, not_private=synopsis.not_private)

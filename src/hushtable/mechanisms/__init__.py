"""How it is answered: one file per method, each with its forecast and its source."""

from __future__ import annotations

import sys
from functools import cache

from ..discover import classes_in
from .base import Design, Forecast, Mechanism

__all__ = ["Design", "Forecast", "Mechanism", "mechanisms"]


@cache
def mechanisms() -> dict[str, Mechanism]:
    """Every mechanism, by name."""
    return {name: cls() for name, cls in classes_in(sys.modules[__name__], Mechanism).items()}

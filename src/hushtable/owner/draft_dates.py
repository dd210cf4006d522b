"""Drafting dates and times from rows. Not private: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..domain.dates import DATE_FORMATS, EPOCH, OTHERWISE, day_number, seconds_of

__all__ = ["guess_moments"]

# Days up to which there is a bin a day, a month, a quarter; longer ranges have bins of a year.
LONGEST = (("day", 45), ("month", 1500), ("quarter", 4000))


def guess_moments(present: Sequence[str]) -> dict[str, Any] | None:
    """A date or a time that all values are; None where they are none, or may be read in two ways."""
    if not present or not all("-" in v or "/" in v or "." in v or ":" in v for v in present):
        return None  # 20240131 may as well be a number
    days = {style: [day_number(v, style) for v in present] for style in DATE_FORMATS}
    fitting = [style for style in DATE_FORMATS if None not in days[style]]
    dotted = all((found := OTHERWISE.fullmatch(v)) and found[2] == "." for v in present)
    if dotted and "day-first" in fitting:
        fitting = ["day-first"]  # nobody writes the month first with dots
    if "iso" in fitting or len(fitting) == 1:
        style = "iso" if "iso" in fitting else fitting[0]
        return _date([day for day in days[style] if day is not None], style)
    if all(seconds_of(v) is not None for v in present):
        return {"kind": "time", "other": True}
    return None


def _date(days: Sequence[int], style: str) -> dict[str, Any]:
    first, last = min(days), max(*days, min(days) + 1)
    bins = next((name for name, most in LONGEST if last - first <= most), "year")
    ends = [(EPOCH + timedelta(days=day)).isoformat() for day in (first, last)]
    shown = {} if style == "iso" else {"format": style}
    return {"kind": "date", "between": ends, "bins": bins, "other": True} | shown

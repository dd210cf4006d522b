"""Dates and times of day: ordered columns of whole days or seconds, in bins of the calendar or the clock."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ..errors import BadDomain
from .attributes import MOST_CODES, Ordered, canonical

__all__ = ["DATE_BINS", "DATE_FORMATS", "EPOCH", "TIME_BINS", "Date", "Time", "calendar_cuts", "day_number",
           "seconds_of"]  # fmt: skip

EPOCH = date(1970, 1, 1)
DAY = 24 * 3600
# A time behind the date is read and left out, as is a time zone: the day is the one that is written.
BEHIND = r"(?:[T ]\d{1,2}:\d{2}.{0,40})?"
ISO = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){BEHIND}", re.ASCII)
COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
OTHERWISE = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){BEHIND}", re.ASCII)
CLOCK = re.compile(r"(?:.{8,10}[T ])?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?([AaPp])[Mm])?", re.ASCII)
DATE_FORMATS = ("iso", "day-first", "month-first")
TIME_BINS = {"hour": 3600, "half-hour": 1800, "quarter-hour": 900, "minute": 60}


def day_number(value: object, style: str = "iso") -> int | None:
    """Days since 1970 of a date: 2024-01-31, 2024/01/31 or 20240131; 31.01.2024 or 1/31/2024 where declared.

    A time behind the date is left out. None where the text is no date, or no day of the calendar.
    """
    text = canonical(value) or ""
    found = ISO.fullmatch(text)
    if found:
        parts = (found[1], found[3], found[4])
    elif found := COMPACT.fullmatch(text):
        parts = (found[1], found[2], found[3])
    elif style != "iso" and (found := OTHERWISE.fullmatch(text)):
        parts = (found[4], *((found[3], found[1]) if style == "day-first" else (found[1], found[3])))
    else:
        return None
    try:
        return (date(*map(int, parts)) - EPOCH).days
    except ValueError:
        return None


def seconds_of(value: object) -> int | None:
    """Seconds since midnight of a time: 8:05, 08:05:30, 8:05 pm, or behind a date; None where it is no time."""
    found = CLOCK.fullmatch(canonical(value) or "")
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    return 3600 * hour + 60 * minute + second if hour < 24 and minute < 60 and second < 60 else None


def _next_month(day: date, months: int) -> date:
    whole = day.year * 12 + day.month - 1
    whole = (whole // months + 1) * months
    return date(whole // 12, whole % 12 + 1, 1)


# The first day of the next one.
DATE_BINS: dict[str, Callable[[date], date]] = {
    "day": lambda day: day + timedelta(days=1),
    "week": lambda day: day + timedelta(days=7 - day.weekday()),
    "month": lambda day: _next_month(day, 1),
    "quarter": lambda day: _next_month(day, 3),
    "year": lambda day: _next_month(day, 12),
}
LABELS: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": lambda day: f"{day.isocalendar().year}-W{day.isocalendar().week:02}",
    "month": lambda day: f"{day.year}-{day.month:02}",
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year": lambda day: str(day.year),
}


def calendar_cuts(low: int, high: int, bins: str) -> tuple[Fraction, ...]:
    """The days on which a new week, month, ... begins, between two days."""
    cuts: list[Fraction] = []
    try:
        day = DATE_BINS[bins](EPOCH + timedelta(days=low))
        while (day - EPOCH).days <= high and len(cuts) < MOST_CODES:
            cuts.append(Fraction((day - EPOCH).days))
            day = DATE_BINS[bins](day)
    except (OverflowError, ValueError):  # the end of the calendar
        pass
    return tuple(cuts)


@dataclass(frozen=True, kw_only=True)
class Date(Ordered):
    """A day between two days, both included; its number is that of days since 1970."""

    kind = "date"
    steps: ClassVar[bool] = True
    wanted: ClassVar[str] = "a date such as '2024-01-31'"
    bins: str | None = None
    """day, week, month, quarter or year; None where edges are declared."""
    style: str = "iso"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.style not in DATE_FORMATS:
            raise BadDomain(f"{self.name}: format is {', '.join(DATE_FORMATS)}, not {self.style[:40]!r}")

    @property
    def bins_text(self) -> str:
        """What the bins are, in words."""
        return f"bins of a {self.bins}" if self.bins else "bins between declared edges"

    @cached_property
    def values(self) -> tuple[str, ...]:
        """`2024-01` for a month that is whole, and otherwise both ends of the bin."""
        return tuple(self._label(int(first), int(last)) for first, last in self.bin_bounds())

    def _label(self, first: int, last: int) -> str:
        start, end = (EPOCH + timedelta(days=day) for day in (first, last))
        if self.bins and DATE_BINS[self.bins](start) == end + timedelta(days=1) and _begins(start, self.bins):
            return LABELS[self.bins](start)
        return start.isoformat() if first == last else f"{start} to {end}"

    def place(self, value: object) -> int | None:
        """The bin of a day inside the bounds."""
        day = day_number(value, self.style)
        return bisect_right(self._cuts, day) if day is not None and self.low <= day <= self.high else None

    def text(self, number: Fraction) -> str:
        try:
            return (EPOCH + timedelta(days=int(number))).isoformat()
        except OverflowError:
            return str(number)

    def number(self, value: Fraction | str) -> Fraction | None:
        """Dates in questions are ISO, or 20240131; whatever the data write."""
        day = day_number(str(value) if isinstance(value, Fraction) else value)
        return None if day is None else Fraction(day)

    def to_dict(self) -> dict[str, Any]:
        cuts = {"bins": self.bins} if self.bins else {"edges": [self.text(cut) for cut in self.cuts]}
        style = {"format": self.style} if self.style != "iso" else {}
        return self.options() | {"between": [self.text(self.low), self.text(self.high)]} | cuts | style


def _begins(day: date, bins: str) -> bool:
    """Whether a week, month, ... begins on this day."""
    return day == date.min or DATE_BINS[bins](day - timedelta(days=1)) == day


@dataclass(frozen=True, kw_only=True)
class Time(Ordered):
    """A time of day between two times, both included; its number is that of seconds since midnight."""

    kind = "time"
    steps: ClassVar[bool] = True
    wanted: ClassVar[str] = "a time such as '08:30'"
    bins: str | None = None
    """hour, half-hour, quarter-hour or minute; None where edges are declared."""

    @property
    def bins_text(self) -> str:
        """What the bins are, in words."""
        return f"bins of {'an' if self.bins and self.bins[0] == 'h' else 'a'} {self.bins or 'declared length'}"

    @cached_property
    def values(self) -> tuple[str, ...]:
        """`08:00-08:59`; seconds are shown where a bin does not end with its minute."""
        return tuple(f"{_clock(a)}-{_clock(b - b % 60 if b % 60 == 59 else b)}" for a, b in self._whole())

    def _whole(self) -> list[tuple[int, int]]:
        return [(int(first), int(last)) for first, last in self.bin_bounds()]

    def place(self, value: object) -> int | None:
        """The bin of a time inside the bounds."""
        second = seconds_of(value)
        return bisect_right(self._cuts, second) if second is not None and self.low <= second <= self.high else None

    def text(self, number: Fraction) -> str:
        return _clock(int(number))

    def number(self, value: Fraction | str) -> Fraction | None:
        second = seconds_of(value)
        return None if second is None else Fraction(second)

    def to_dict(self) -> dict[str, Any]:
        cuts = {"bins": self.bins} if self.bins else {"edges": [self.text(cut) for cut in self.cuts]}
        return self.options() | {"between": [self.text(self.low), self.text(self.high)]} | cuts


def _clock(second: int) -> str:
    """`08:30`, `08:30:15`, and `24:00` for the end of the day."""
    rest = f":{second % 60:02}" if second % 60 else ""
    return f"{second // 3600:02}:{second // 60 % 60:02}{rest}"

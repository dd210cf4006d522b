"""Cells of a sheet: from the type, format and text of one cell to its value; what contradicts itself is missing."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from .excel_book import DateFormats
from .excel_pieces import parsed

__all__ = ["place_of", "row_values", "value_of"]

Value = str | bool | int | float | date | time | timedelta | None

NUMBER = re.compile(r"[+-]?(?:\d+(?P<point>\.\d*)?|\.\d+)(?P<power>[eE][+-]?\d+)?", re.ASCII)
PLACE = re.compile(r"([A-Z]{1,3})\d*", re.ASCII)
# A character that XML has no place for is written by its number.
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
MOST_DIGITS = 400
DAY_MILLISECONDS = 86_400_000
# The calendar of 1900 has a 29 February that never was, on its day 60.
NEVER_WAS = 60


def row_values(piece: bytes, width: int, texts: list[str | None], formats: DateFormats) -> list[Value]:
    """The values of one row; all are missing where it is no XML, and so is a cell that says where it is not."""
    values: list[Value] = [None] * width
    held = parsed(piece) if piece else None
    place = -1
    for attributes, text in held.cells if held else ():
        told = attributes.get("r")
        found = place + 1 if told is None else place_of(told)
        if found is None:
            continue
        place = found
        if place < width and text is not None:
            values[place] = value_of(attributes.get("t", "n"), attributes.get("s", "0"), text, texts, formats)
    return values


def place_of(told: str) -> int | None:
    """The number of a column, from 0: of B7 it is 1. The number of the line does not matter: rows are as they come."""
    found = PLACE.fullmatch(told)
    if not found:
        return None
    place = 0
    for letter in found[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def value_of(kind: str, style: str, text: str, texts: list[str | None], formats: DateFormats) -> Value:
    """The value of a cell, None where its text is none of its kind."""
    if kind == "n":
        number = _number(text.strip())
        if number is None or style not in formats.dates:
            return number
        return _date(number, formats.zero, span=style in formats.spans)
    if kind == "s":
        index = text.strip()
        known = index.isascii() and index.isdigit() and len(index) < 10 and int(index) < len(texts)
        return _plain(texts[int(index)]) if known else None
    if kind in ("str", "inlineStr", "e"):
        return _plain(text)
    if kind == "b":
        return {"1": True, "true": True, "0": False, "false": False}.get(text.strip())
    return _iso(text.strip()) if kind == "d" else None


def _plain(text: str | None) -> str | None:
    return text and ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _number(text: str) -> int | float | None:
    found = NUMBER.fullmatch(text) if len(text) <= MOST_DIGITS else None
    if not found:
        return None
    return float(text) if found["point"] is not None or found["power"] or "." in text else int(text)


def _date(number: float, zero: datetime, *, span: bool) -> datetime | time | timedelta | None:
    """The day that is so many days after the first; of less than one day the time, as spreadsheets show it."""
    try:
        day, fraction = divmod(number, 1)
        rest = timedelta(milliseconds=round(fraction * DAY_MILLISECONDS))
        if span:
            return timedelta(days=day) + rest
        if day == 0 and rest.days == 0:
            return (datetime.min + rest).time()
        if 0 < number < NEVER_WAS and zero.year < 1900:
            day += 1
        return zero + timedelta(days=day) + rest
    except (OverflowError, ValueError):
        return None


def _iso(text: str) -> date | time | None:
    for kind in (date, datetime, time):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    return None

"""Persons: the values of one person, as somebody types them."""

from __future__ import annotations

import re

from ..errors import BadPolicy

__all__ = ["read_person"]

FIELD = re.compile(r"""\s*([^\s=,]+)\s*=\s*('[^']*'|"[^"]*"|[^,'"]*?)\s*(?:,|$)""")


def read_person(text: str) -> int | dict[str, str]:
    """`income = 42000, sex = female` as a mapping; a whole number is the number of a type.

    Values with a comma stand in quotes: `income = '[15000, 30000)'`.
    """
    if text.strip().isdigit():
        return int(text)
    found: dict[str, str] = {}
    place = 0
    while place < len(text.rstrip()):
        field = FIELD.match(text, place)
        if field is None or not field[2]:
            raise BadPolicy(
                f"cannot read the person at '{text[place : place + 40]}'; write column = value, column = value"
            )
        if field[1] in found:
            raise BadPolicy(f"the person has two values of '{field[1]}'; give one")
        found[field[1]] = field[2].strip("'\"")
        place = field.end()
    if not found:
        raise BadPolicy("the person is empty; write column = value, column = value")
    return found

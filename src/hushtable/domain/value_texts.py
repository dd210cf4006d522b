"""Value texts: one text for a value, whatever its physical type, and the number that a text spells."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = ["canonical", "number_in", "plain_decimal"]

LONGEST_EXPONENT = 400


def canonical(value: object) -> str | None:
    """The text under which a value is looked up; None when it is missing.

    The physical type does not matter: 1, 1.0, Decimal("1.00") and "1" are the same value, and so are True and "true".
    """
    if value is None:
        return None
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = bytes(value).decode("utf-8", "replace")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Decimal):
        return None if value.is_nan() else _decimal_text(value)
    return str(value).strip() or None


def _decimal_text(number: Decimal) -> str:
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > LONGEST_EXPONENT:
        return str(number)  # infinite, or too long to write out
    return plain_decimal(format(number, "f")) if number else "0"


def plain_decimal(text: str) -> str:
    """`1.0` as `1` and `2.50` as `2.5`, the way numbers leave data frames and databases; any other text as it is."""
    whole, point, decimals = text.partition(".")
    if not point or not decimals.isdigit() or not whole.removeprefix("-").isdigit():
        return text
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def number_in(value: object) -> float | None:
    """The finite number a value spells, or None. Text follows Python's spelling, without underscores."""
    text = canonical(value)
    if text is None or "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text)
    return number if math.isfinite(number) else None

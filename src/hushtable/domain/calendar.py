"""The calendar: parts of dates and times, such as the year, as values of the bins of a column."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import BadQuestion
from .attributes import Attribute
from .dates import EPOCH, Date, Time
from .events import Value

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["PARTS", "TRUNCATED", "part_asked", "values_by_code"]


def _first_of_week(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _first_of_quarter(day: date) -> date:
    return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)


# As DuckDB counts: weeks by ISO 8601, days of the week from Sunday.
PARTS: dict[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month - 1) // 3 + 1,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar().week,
    "day": lambda day: day.day,
    "dayofweek": lambda day: (day.weekday() + 1) % 7,
}
TRUNCATED: dict[str, Callable[[date], date]] = {
    "year": lambda day: date(day.year, 1, 1),
    "quarter": _first_of_quarter,
    "month": lambda day: date(day.year, day.month, 1),
    "week": _first_of_week,
    "day": lambda day: day,
}
CLOCK: dict[str, Callable[[int], int]] = {"hour": lambda second: second // 3600, "minute": lambda s: s // 60 % 60}
OTHER_NAMES = {"dow": "dayofweek", "dayofmonth": "day", "weekofyear": "week", "day_of_week": "dayofweek",
               "day_of_month": "day", "week_of_year": "week"}  # fmt: skip


def part_asked(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """The part and the column of `year(d)`, `extract(year FROM d)`, `date_part('year', d)`, `date_trunc('month', d)`.

    What was cut off at the first day of its month is called `trunc month` here.
    """
    from sqlglot import exp

    if isinstance(node, exp.Extract):
        name, column = str(node.this.name).lower(), node.expression
    elif isinstance(node, (exp.DateTrunc, exp.TimestampTrunc)):
        return f"trunc {str(node.args['unit'].name).lower()}", node.this
    elif isinstance(node, exp.Anonymous) and node.name.lower() == "date_part" and len(node.expressions) == 2:
        name, column = str(node.expressions[0].name).lower(), node.expressions[1]
    elif isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous):
        name, column = node.sql_name().lower(), node.this
    elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        name, column = node.name.lower(), node.expressions[0]
    else:
        return None
    name = OTHER_NAMES.get(name, name)
    known = name in PARTS or name in CLOCK or isinstance(node, exp.Extract)
    return (name, column) if known and isinstance(column, exp.Column) else None


def values_by_code(attribute: Attribute, part: str) -> list[Value]:
    """The part for each code; BadQuestion where the rows of one bin have several."""
    if isinstance(attribute, Time):
        return _by_code(attribute, part, CLOCK.get(part))
    if not isinstance(attribute, Date):
        kind = part.removeprefix("trunc ")
        raise BadQuestion(
            f"{attribute.name} is no date or time, so it has no {kind}; compare it as it is, or declare it as a date"
        )
    name = part.removeprefix("trunc ")
    if name != part:
        cut = TRUNCATED.get(name)
        return _by_code(attribute, part, None if cut is None else lambda number: cut(_day(number)).isoformat())
    reads = PARTS.get(part)
    return _by_code(attribute, part, None if reads is None else lambda number: reads(_day(number)))


def _by_code(attribute: Date | Time, part: str, reads: Callable[[int], int | str] | None) -> list[Value]:
    own = PARTS if isinstance(attribute, Date) else CLOCK
    if reads is None:
        raise BadQuestion(f"{attribute.name} has no {part!r}; ask for {', '.join(own)}")
    found: list[Value] = []
    for (first, last), label in zip(attribute.bin_bounds(), attribute.values, strict=True):
        steps = {reads(number) for number in _steps(attribute, int(first), int(last))}
        if len(steps) > 1:
            raise BadQuestion(
                f"{part}({attribute.name}) differs inside the bin {label}, and {attribute.name} was released in "
                f"{attribute.bins_text}; GROUP BY {attribute.name} gives the bins as they are"
            )
        value = steps.pop()
        found.append(value if isinstance(value, str) else Fraction(value))
    return found + [None] * (attribute.size - len(found))


def _steps(attribute: Date | Time, first: int, last: int) -> list[int]:
    """All days of a bin up to a year, then its ends, which differ in every part or are in one long bin."""
    step = 1 if isinstance(attribute, Date) else 60
    inner = range(first, min(last, first + 400 * step) + 1, step)
    return [*inner, last]


def _day(number: int) -> date:
    return EPOCH + timedelta(days=number)

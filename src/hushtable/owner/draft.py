"""Drafting a domain from rows. Not private: for the owner's eyes only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..domain import Domain
from ..domain.attributes import FALSE_WORDS, MISSING, OTHER, TRUE_WORDS, number_in
from ..domain.csv_text import Csv
from ..domain.reading_words import USUAL_CODES
from ..errors import BadData, BadDomain
from ..maths.keys.keys import scalar_text
from ..vault.sources import Progress, open_source, watched
from .draft_dates import guess_moments

__all__ = ["WARNING", "draft_domain"]

PADDED = re.compile(r"0\d+", re.ASCII)

WARNING = """DRAFT made by looking at the data: it reveals values, bounds and categories it saw.
Review every line before use: replace bounds and lists by what is publicly known about the
table, and never publish a bound or a value only because it occurs in the rows."""
MOST_VALUES = 50
MOST_DISTINCT = 100_000


def draft_domain(data: str | Path, table: str, progress: Progress | None = None, *, csv: Csv | None = None) -> Domain:
    """A first domain for a table. Not private: bounds and categories are copied from the rows."""
    csv = csv or Csv()
    source = open_source(data, csv=csv)
    distinct: dict[str, dict[str | None, None]] = {name: {} for name in source.columns}
    for batch in watched(source.batches(source.columns), progress):
        for name, column in zip(source.columns, batch.columns, strict=True):
            if len(distinct[name]) <= MOST_DISTINCT:
                distinct[name].update(dict.fromkeys(scalar_text(v) for v in _unique(column)))
            else:
                distinct[name][None] = None  # the rest is not looked at, so it may have missing values
    guessed = {name: _guess(list(values), csv.decimal) for name, values in distinct.items()}
    try:
        return Domain.from_dict({"table": table, "attributes": guessed, "csv": csv.to_dict()})
    except BadDomain:
        # Its words would quote a column's name or a value, and the name may be a cell of a file without a header.
        raise BadData(
            "no domain can be drafted: the table's name, or the name of a column, or a value is blank or not "
            "printable; mend it, or write the domain by hand"
        ) from None


def _unique(column: pa.Array) -> pa.Array:
    try:
        return column.unique()
    except pa.ArrowNotImplementedError:  # nested values
        return column


def _guess(values: list[str | None], decimal: str) -> dict[str, Any]:
    """Boolean, date, time, integer, number, category or open, whichever fits first."""
    every = sorted((v for v in values if v is not None), key=_natural)
    codes = [v for v in every if v in USUAL_CODES]
    present = [v for v in every if v not in codes]
    if not present:
        present, codes = every, []
    missing: dict[str, Any] = {} if codes or len(every) < len(values) else {"missing": "error"}
    missing |= {"missing_values": codes} if codes else {}
    words = {v.lower() for v in present}
    if present and words <= TRUE_WORDS | FALSE_WORDS:
        return {"kind": "boolean"} | _spelled(present) | missing
    if moments := guess_moments(present):
        return moments | missing
    if any(PADDED.fullmatch(v) for v in present) and len(present) <= MOST_VALUES:
        return {"kind": "category", "values": present, "other": True} | missing  # codes, whose zeros are part of them
    numbers = [number_in(v.replace(",", ".") if decimal == "," else v) for v in present]
    if present and None not in numbers:
        sure = [n for n in numbers if n is not None]
        return _number(min(sure), max(sure), whole=all(n.is_integer() for n in sure)) | missing
    if len(present) > MOST_VALUES:
        return {"kind": "open"}
    # A value spelled like one of the two special labels is left to the bin for undeclared values.
    listable = [v for v in present if v not in (OTHER, MISSING)]
    return {"kind": "category", "values": listable or ["unknown"], "other": True} | missing


def _natural(text: str) -> list[tuple[int, int, str]]:
    """A key by which '2-5 years' comes before '10 or more'."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]", text)
    return [(0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]


def _spelled(present: list[str]) -> dict[str, Any]:
    """How the data write true and false, where it is otherwise and one way each."""
    yes, no = ([v for v in present if v.lower() in words] for words in (TRUE_WORDS, FALSE_WORDS))
    plain = {"true", "false"} >= {v.lower() for v in present}
    return {"labels": {yes[0]: "true", no[0]: "false"}} if len(yes) == len(no) == 1 and not plain else {}


def _number(low: float, high: float, *, whole: bool) -> dict[str, Any]:
    if whole:
        first, last = int(low), max(int(high), int(low) + 1)
        bins = {"bins": 8} if last - first >= 16 else {}
        return {"kind": "integer", "between": [first, last], "other": True} | bins
    return {"kind": "number", "between": [repr(low), repr(max(high, low + 1))], "bins": 8, "other": True}

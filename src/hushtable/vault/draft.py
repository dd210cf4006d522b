"""Drafting a domain from rows, and checking rows against one. Not private: for the owner's eyes only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from ..attributes import FALSE_WORDS, MISSING, OTHER, TRUE_WORDS, Open, canonical, number_in
from ..decision_list import DecisionList
from ..domain import Domain
from ..errors import BadData, BadDomain, listed
from .coding import encode
from .rules import encode_rules
from .sources import Progress, open_source, watched

__all__ = ["WARNING", "check_fit", "draft_domain"]

WARNING = """DRAFT made by looking at the data: it reveals values, bounds and categories it saw.
Review every line before use: replace bounds and lists by what is publicly known about the
table, and never publish a bound or a value only because it occurs in the rows."""
MOST_VALUES = 50
MOST_DISTINCT = 100_000


def check_fit(data: Any, domain: Domain, progress: Progress | None = None) -> None:
    """BadData that names the columns with values the domain has no code for. Not private: tells the owner only."""
    source = open_source(data)
    source.check(domain)
    bad: list[str] = []
    checked = [a for a in domain.attributes if not isinstance(a, Open)]
    for batch in watched(source.batches([a.name for a in checked]), progress):
        for i, attribute in enumerate(checked):
            if attribute.name not in bad and not _fits(attribute, batch.column(i)):
                bad.append(attribute.name)
    if bad:
        raise BadData(
            f"values without a code in: {listed(bad)}; declare them, or count them with `other: true` "
            "(undeclared values) or `missing: category` (missing values)"
        )


def _fits(attribute: Any, column: pa.Array) -> bool:
    try:
        (encode_rules if isinstance(attribute, DecisionList) else encode)(attribute, column)
    except BadData:
        return False
    return True


def draft_domain(data: str | Path, table: str, progress: Progress | None = None) -> Domain:
    """A first domain for a table. Not private: bounds and categories are copied from the rows."""
    source = open_source(data)
    distinct: dict[str, dict[str | None, None]] = {name: {} for name in source.columns}
    for batch in watched(source.batches(source.columns), progress):
        for name, column in zip(source.columns, batch.columns, strict=True):
            if len(distinct[name]) <= MOST_DISTINCT:
                distinct[name].update(dict.fromkeys(canonical(v) for v in _unique(column).to_pylist()))
            else:
                distinct[name][None] = None  # the rest is not looked at, so it may have missing values
    guessed = {name: _guess(list(values)) for name, values in distinct.items()}
    try:
        return Domain.from_dict({"table": table, "attributes": guessed})
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


def _guess(values: list[str | None]) -> dict[str, Any]:
    """Boolean, integer, number, category or open, whichever fits first."""
    present = sorted(v for v in values if v is not None)
    missing = {} if len(present) < len(values) else {"missing": "error"}
    words = {v.lower() for v in present}
    if present and words <= TRUE_WORDS | FALSE_WORDS:
        return {"kind": "boolean"} | missing
    numbers = [number_in(v) for v in present]
    if present and None not in numbers:
        found = [n for n in numbers if n is not None]
        return _number(min(found), max(found), whole=all(n.is_integer() for n in found)) | missing
    if len(present) > MOST_VALUES:
        return {"kind": "open"}
    # A value spelled like one of the two special labels is left to the bin for undeclared values.
    listable = [v for v in present if v not in (OTHER, MISSING)]
    return {"kind": "category", "values": listable or ["unknown"], "other": True} | missing


def _number(low: float, high: float, *, whole: bool) -> dict[str, Any]:
    if whole:
        first, last = int(low), max(int(high), int(low) + 1)
        bins = {"bins": 8} if last - first >= 16 else {}
        return {"kind": "integer", "between": [first, last], "other": True} | bins
    return {"kind": "number", "between": [repr(low), repr(max(high, low + 1))], "bins": 8, "other": True}

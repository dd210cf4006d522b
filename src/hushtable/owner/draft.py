"""Drafting a domain from rows. Not private: for the owner's eyes only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..domain import Domain
from ..domain.attributes import FALSE_WORDS, MISSING, OTHER, TRUE_WORDS, number_in
from ..domain.csv_text import Csv
from ..domain.identifier_names import names_an_identifier
from ..domain.range_cells import SINGLE
from ..domain.reading_words import USUAL_CODES
from ..domain.yaml_text import yaml_text
from ..errors import BadData, BadDomain
from ..maths.keys.keys import scalar_text
from ..vault.sources import Progress, open_source, watched
from ..words import listed, one_line
from .draft_dates import guess_moments

__all__ = ["WARNING", "Draft", "draft", "draft_domain"]

PADDED = re.compile(r"0\d+", re.ASCII)

WARNING = """DRAFT made by looking at the data: it reveals values, bounds and categories it saw.
Review every line before use: replace bounds and lists by what is publicly known about the
table, and never publish a bound or a value only because it occurs in the rows."""
MOST_VALUES = 50
MOST_DISTINCT = 100_000
FOUND = "their cells are found by a release, or declare edges where questions must cut"
# Ranges of whole numbers shorter than this have a bin a value.
SINGLE_BINS = 16
# Whole numbers with gaps are codes if they are no more than these, not large, and each comes so often on average.
FEW_CODES, LARGEST_CODE, OFTEN = 12, 99_999, 10
# Fewer rows do not show an id; above this share of distinct values a column named like one is one.
FEW_ROWS, MOSTLY = 100, 0.9


@dataclass(frozen=True)
class Draft:
    """A domain, and why each of its columns is as it is. Not private."""

    domain: Domain
    reasons: dict[str, str]
    """By column; also of those that were left out."""

    def text(self) -> str:
        """The domain file: the warning, then every line with why it was guessed."""
        lines = [f"# {line}" for line in WARNING.splitlines()]
        for line in yaml_text(self.domain.to_dict()).splitlines():
            name = next(
                (n for n in self.reasons if line.startswith((f"  {n}: {{", f"  '{n}': {{", f'  "{n}": {{'))), ""
            )
            lines += [f"  # {one_line(self.reasons[name])}"] if name else []
            lines.append(line)
        left = [name for name in self.reasons if name not in self.domain.names]
        return "\n".join([*lines, *(f"  # {one_line(name)}: {one_line(self.reasons[name])}" for name in left)]) + "\n"


def draft_domain(data: str | Path, table: str, progress: Progress | None = None, *, csv: Csv | None = None) -> Domain:
    """A first domain for a table. Not private: bounds and categories are copied from the rows."""
    return draft(data, table, progress, csv=csv).domain


def draft(data: str | Path, table: str, progress: Progress | None = None, *, csv: Csv | None = None) -> Draft:
    """A first domain with its reasons. Not private: bounds and categories are copied from the rows."""
    csv = csv or Csv()
    source = open_source(data, csv=csv)
    seen: dict[str, dict[str | None, int]] = {name: {} for name in source.columns}
    for batch in watched(source.batches(source.columns), progress):
        for name, column in zip(source.columns, batch.columns, strict=True):
            own = seen[name]
            if len(own) <= MOST_DISTINCT:
                for text, count in _counted(column):
                    own[text] = own.get(text, 0) + count
            else:
                own[None] = own.get(None, 0) + len(column)  # not looked at, so it may have missing values
    guessed = {name: _guess(counts, csv.decimal) for name, counts in seen.items()}
    ids = {name: why for name, counts in seen.items() if (why := _looks_like_an_id(name, counts))}
    kept = {name: guess for name, (guess, _) in guessed.items() if name not in ids}
    if not kept:
        kept, ids = {name: guess for name, (guess, _) in guessed.items()}, {}
    reasons = {name: ids.get(name, why) for name, (_, why) in guessed.items()}
    try:
        return Draft(Domain.from_dict({"table": table, "attributes": kept, "csv": csv.to_dict()}), reasons)
    except BadDomain:
        # Its words would quote a column's name or a value, and the name may be a cell of a file without a header.
        raise BadData(
            "no domain can be drafted: the table's name, or the name of a column, or a value is blank or not "
            "printable; mend it, or write the domain by hand"
        ) from None


def _counted(column: pa.Array) -> list[tuple[str | None, int]]:
    try:
        found = column.value_counts()
    except pa.ArrowNotImplementedError:  # nested values
        return [(scalar_text(value), 1) for value in column]
    return [(scalar_text(v), int(c.as_py())) for v, c in zip(found.field(0), found.field(1), strict=True)]


def _looks_like_an_id(name: str, counts: Mapping[str | None, int]) -> str | None:
    """Why a column is left out: it is named like an id, and nearly every value is another."""
    rows, distinct = sum(counts.values()), len(counts)
    if not names_an_identifier(name) or rows < FEW_ROWS or distinct <= MOST_VALUES:
        return None
    most = max(counts.values())
    if distinct > MOSTLY * rows:
        return "left out: an id, since nearly every row has its own value"
    if distinct > MOST_DISTINCT:
        return "left out: an id with very many values"
    return (
        f"left out: an id with up to {most} rows a value; if it names persons, say how many rows one may have: "
        f"unit: {{person: {name}, rows: {most}}}"
    )


def _guess(counts: Mapping[str | None, int], decimal: str) -> tuple[dict[str, Any], str]:
    """Boolean, date, time, integer, number, category or open, whichever fits first; and why."""
    values = list(counts)
    every = sorted((v for v in values if v is not None), key=_natural)
    codes = [v for v in every if v in USUAL_CODES]
    present = [v for v in every if v not in codes]
    if not present:
        present, codes = every, []
    missing: dict[str, Any] = {} if codes or len(every) < len(values) else {"missing": "error"}
    missing |= {"missing_values": codes} if codes else {}
    words = {v.lower() for v in present}
    if present and words <= TRUE_WORDS | FALSE_WORDS:
        return {"kind": "boolean"} | _spelled(present) | missing, f"only {listed(present, 4)}{_absent(missing)}"
    if moments := guess_moments(present):
        return moments | missing, f"all {len(present):,} values are {moments['kind']}s{_absent(missing)}"
    if any(PADDED.fullmatch(v) for v in present) and len(present) <= MOST_VALUES:
        padded = {"kind": "category", "values": present, "other": True}
        return padded | missing, f"codes whose zeros are part of them{_absent(missing)}"
    numbers = [number_in(v.replace(",", ".") if decimal == "," else v) for v in present]
    if present and None not in numbers:
        sure: dict[float, int] = {}
        for text, n in zip(present, numbers, strict=True):
            if n is not None:
                sure[n] = sure.get(n, 0) + counts[text]
        made, why = _number(sure, whole=all(n.is_integer() for n in sure))
        return made | missing, f"{why}; replace the bounds by public ones{_absent(missing)}"
    if len(present) > MOST_VALUES:
        return {"kind": "open"}, f"text with {len(present):,} values, more than {MOST_VALUES}: too many to list"
    # A value spelled like one of the two special labels is left to the bin for undeclared values.
    listable = [v for v in present if v not in (OTHER, MISSING)]
    made = {"kind": "category", "values": listable or ["unknown"], "other": True} | missing
    return made, f"text with {len(present):,} values, in the order of their numbers and letters{_absent(missing)}"


def _absent(missing: Mapping[str, Any]) -> str:
    """What was seen of missing values."""
    if codes := missing.get("missing_values"):
        return f"; {listed(codes, 4)} taken for missing"
    return "; none is missing" if "missing" in missing else "; some are missing"


def _natural(text: str) -> list[tuple[int, int, str]]:
    """A key by which '2-5 years' comes before '10 or more'."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]", text)
    return [(0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]


def _spelled(present: list[str]) -> dict[str, Any]:
    """How the data write true and false, where it is otherwise and one way each."""
    yes, no = ([v for v in present if v.lower() in words] for words in (TRUE_WORDS, FALSE_WORDS))
    plain = {"true", "false"} >= {v.lower() for v in present}
    return {"labels": {yes[0]: "true", no[0]: "false"}} if len(yes) == len(no) == 1 and not plain else {}


def _number(counts: Mapping[float, int], *, whole: bool) -> tuple[dict[str, Any], str]:
    low, high = min(counts), max(counts)
    gaps = whole and int(high) - int(low) >= len(counts) and sum(counts.values()) >= OFTEN * len(counts)
    if gaps and 2 < len(counts) <= FEW_CODES and max(-low, high) <= LARGEST_CODE:
        # 1, 2, 3 and 9: numbers that count or measure something seldom leave gaps.
        values = [str(int(n)) for n in sorted(counts)]
        return {"kind": "category", "values": values, "other": True}, "few whole numbers with gaps: taken for codes"
    if whole and int(high) - int(low) < SINGLE_BINS:
        ends = [int(low), max(int(high), int(low) + 1)]
        return {"kind": "integer", "between": ends, "other": True}, "few whole numbers: one bin each"
    if whole:
        how = "one bin each" if int(high) - int(low) < SINGLE else FOUND
        return {"kind": "integer", "between": [int(low), int(high)], "other": True}, f"whole numbers; {how}"
    made = {"kind": "number", "between": [repr(low), repr(max(high, low + 1))], "other": True}
    return made, f"numbers; {FOUND}"

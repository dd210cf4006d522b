"""Kept: what an earlier page says of families and numbers of rows that the results at hand know nothing of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Kept", "KeptPage", "kept_page"]

HEAD, STATES, MISSES = "| answer | rows |", "## What made the figures", "## Kinds that miss a bar"
ROWS, FACTOR = 1, -3
"""Places among the cells of a line."""


@dataclass(frozen=True)
class Kept:
    """One line of a family's table, as it was written."""

    family: str
    kind: str
    rows: int
    factor: float
    text: str


@dataclass(frozen=True)
class KeptPage:
    """The lines of tables, the kinds that missed, and what made them."""

    lines: tuple[Kept, ...] = ()
    misses: tuple[tuple[str, int, str], ...] = ()
    """Family, rows, and the line."""
    states: tuple[str, ...] = ()

    def without(self, fresh: set[tuple[str, int]]) -> KeptPage:
        """What is not about these families and numbers of rows, which were measured again."""
        lines = tuple(one for one in self.lines if (one.family, one.rows) not in fresh)
        if not lines:
            return KeptPage()
        return KeptPage(lines, tuple(one for one in self.misses if one[:2] not in fresh), self.states)


def kept_page(text: str) -> KeptPage:
    """Reads what `page_text` wrote."""
    sections = re.split(r"(?m)^(?=## )", text)
    named = {section.split("\n", 1)[0]: section for section in sections if section.startswith("## ")}
    lines = [one for title, section in named.items() if HEAD in section for one in _lines(title[3:], section)]
    misses = re.findall(r"(?m)^- \*\*([\w-]+): .*, ([\d,]+) rows\.\*\*.*$", named.get(MISSES, ""))
    whole = re.findall(r"(?m)^- \*\*[\w-]+: .*, [\d,]+ rows\.\*\*.*$", named.get(MISSES, ""))
    states = re.findall(r"(?m)^\| [0-9a-f]{16} \|.*$", named.get(STATES, ""))
    found = ((family, _number(rows), line) for (family, rows), line in zip(misses, whole, strict=True))
    return KeptPage(tuple(lines), tuple(found), tuple(states))


def _lines(family: str, section: str) -> Iterator[Kept]:
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) > ROWS and re.fullmatch(r"[\d,]+", cells[ROWS]):
            factor = cells[FACTOR].replace("over 1,000", "1000") or "nan"
            yield Kept(family, cells[0].removesuffix(" (wide)"), _number(cells[ROWS]), float(factor), line)


def _number(text: str) -> int:
    return int(text.replace(",", ""))

"""A workbook: which part is its first sheet, its shared texts, and which formats show numbers as dates."""

from __future__ import annotations

import posixpath
import re
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from zipfile import ZipFile

from ...errors import BadData
from .excel_pieces import parsed, pieces

__all__ = ["DateFormats", "Workbook"]

# Parts that hold no rows are read whole, and no program makes them as large.
MOST_BYTES = 1 << 26
MOST_FORMAT = 255
SINCE_1900, SINCE_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)

# Formats without a text in the file, by their number; those of east Asia are dates and times too.
DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
SPAN_NUMBER = "46"
QUOTED = re.compile(r'"[^"]*"|\\.|_.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
SPAN = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)


class DateFormats(NamedTuple):
    """Which formats of cells, by their number in the workbook, show a number as a date or as a span of time."""

    dates: frozenset[str]
    spans: frozenset[str]
    zero: datetime


class Workbook:
    """The parts of one .xlsx file that say how its cells are meant."""

    def __init__(self, file: ZipFile, path: Path) -> None:
        self.file, self._path = file, path

    @cached_property
    def sheet(self) -> str:
        """The name of the part that is the first sheet of cells."""
        folder, links = posixpath.dirname(self._main), self._links(self._main)
        for sheet in _named(self._whole(self._main), "sheet"):
            target = next((v for k, v in sheet.items() if k.rpartition("}")[2] == "id"), None)
            kind, place = links.get(target or "", ("", ""))
            if kind == "worksheet":
                return _beside(folder, place)
        raise BadData(f"{self._path} has no sheet of cells")

    @cached_property
    def texts(self) -> list[str | None]:
        """The texts that cells name by number; None for one that is too long or no XML."""
        name = self._linked("sharedStrings")
        if name is None:
            return []
        with self.file.open(name) as part:
            return [held.text if (held := parsed(piece)) else None for piece in pieces(part, b"si")]

    @cached_property
    def formats(self) -> DateFormats:
        """From the workbook's list of styles; without one no cell is a date."""
        settings = next(iter(_named(self._whole(self._main), "workbookPr")), ElementTree.Element("none"))
        zero = SINCE_1904 if settings.get("date1904") in ("1", "true") else SINCE_1900
        name = self._linked("styles")
        if name is None:
            return DateFormats(frozenset(), frozenset(), zero)
        root = self._whole(name)
        codes = {f.get("numFmtId"): f.get("formatCode", "")[:MOST_FORMAT] for f in _named(root, "numFmt")}
        chosen = next((e for e in root if _kind(e) == "cellXfs"), ElementTree.Element("none"))
        shown = [(str(i), style.get("numFmtId", "")) for i, style in enumerate(chosen)]
        dates = frozenset(i for i, number in shown if _is_date(number, codes.get(number)))
        spans = frozenset(i for i, number in shown if _is_span(number, codes.get(number)))
        return DateFormats(dates, spans, zero)

    @cached_property
    def _main(self) -> str:
        for kind, place in self._links("").values():
            if kind == "officeDocument":
                return _beside("", place)
        return "xl/workbook.xml"

    def _linked(self, kind: str) -> str | None:
        folder = posixpath.dirname(self._main)
        places = [_beside(folder, place) for is_kind, place in self._links(self._main).values() if is_kind == kind]
        return next((place for place in places if place in self.file.namelist()), None)

    def _links(self, part: str) -> dict[str, tuple[str, str]]:
        """What a part refers to: identifier to kind and place."""
        folder, name = posixpath.split(part)
        links = _named(self._whole(posixpath.join(folder, "_rels", f"{name}.rels")), "Relationship")
        return {e.get("Id", ""): (e.get("Type", "").rpartition("/")[2], e.get("Target", "")) for e in links}

    def _whole(self, name: str) -> ElementTree.Element:
        with self.file.open(name) as part:
            text = part.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES or b"<!DOCTYPE" in text:
            raise BadData(f"cannot read {self._path}: its part {name} is larger than any program makes it")
        return ElementTree.fromstring(text)


def _kind(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _named(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if _kind(element) == name]


def _beside(folder: str, place: str) -> str:
    """Places are relative to the folder of the part that names them, or begin with a slash."""
    return posixpath.normpath(posixpath.join(folder, place) if not place.startswith("/") else place[1:])


def _is_date(number: str, code: str | None) -> bool:
    if code is None:
        return number.isdigit() and int(number) in DATES
    return re.search("[dmyhs]", QUOTED.sub("", code.split(";")[0]), re.IGNORECASE) is not None


def _is_span(number: str, code: str | None) -> bool:
    return SPAN.search(code.split(";")[0]) is not None if code is not None else number == SPAN_NUMBER

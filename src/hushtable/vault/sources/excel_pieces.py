"""Pieces of a workbook: the elements of one name in one of its XML parts, each as it stands, whatever is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import IO
from xml.parsers import expat

from .text_blocks import LONGEST

__all__ = ["Parsed", "parsed", "pieces"]

BLOCK_BYTES = 1 << 20
# Longer than any opening tag's name, so that one which two blocks share is found.
OVERLAP = 64
ROOT = re.compile(rb"<(?P<prefix>[A-Za-z_][\w.-]{0,20}:)?(?:worksheet|sst)[\s/>]")


def pieces(file: IO[bytes], name: bytes) -> Iterator[bytes]:
    """From every `<name` to its own end tag, or empty where it is too long or has none before the next one.

    They are found by their bytes and not by a reader of the whole part, so that nothing inside one of them can hide
    another, end the part, or make it unreadable. A reader of the whole fails at the first mark that is no XML.
    """
    carried = file.read(BLOCK_BYTES)
    prefix = _prefix(carried)
    opening = re.compile(b"<" + prefix + name + rb"(?=[\s/>])")
    closed = re.compile(b"</" + prefix + name + rb"\s*>")
    seen = False
    while True:
        starts = [found.start() for found in opening.finditer(carried)]
        for start, end in pairwise(starts):
            yield _whole(carried[start:end], closed)
        seen = seen or bool(starts)
        rest = carried[starts[-1] :] if starts else carried if seen else carried[-OVERLAP:]
        more = file.read(BLOCK_BYTES)
        if not more:
            break
        carried = _short(rest) + more
    if seen:
        yield _whole(rest, closed)


def _prefix(head: bytes) -> bytes:
    """How the part writes its own names, such as `x:`; some programs do."""
    root = ROOT.search(head)
    return root["prefix"] or b"" if root else b""


def _short(rest: bytes) -> bytes:
    """A piece that never ends is kept only so far that it is known to be too long."""
    return rest if len(rest) <= LONGEST + OVERLAP else rest[: LONGEST + 1] + b"\0" + rest[-OVERLAP:]


def _whole(piece: bytes, closed: re.Pattern[bytes]) -> bytes:
    head = piece[: piece.find(b">") + 1]
    if head.endswith(b"/>"):
        return head
    end = closed.search(piece)
    return piece[: end.end()] if end and end.end() <= LONGEST else b""


class Parsed:
    """What a piece holds: the attributes and the text of its cells, or its own text if it has no cells."""

    def __init__(self) -> None:
        self.cells: list[tuple[dict[str, str], str | None]] = []
        self.text = ""
        self._cell: dict[str, str] | None = None
        self._found: list[str] = []
        self._said = False
        self._open = False
        self._sounds = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Only values (`v`) and texts (`t`) are kept: no formulas (`f`), and no spelling of how it sounds (`rPh`)."""
        kind = name.rpartition(":")[2]
        if kind == "c":
            self._cell, self._found, self._said = attributes, [], False
        elif kind in ("v", "t"):
            self._open = not self._sounds
            self._said = self._said or self._open
        elif kind == "rPh":
            self._sounds += 1

    def data(self, text: str) -> None:
        """Text counts where a value or a text is open."""
        if self._open:
            self._found.append(text)

    def end(self, name: str) -> None:
        """A cell is whole, or all of a shared text."""
        kind = name.rpartition(":")[2]
        if kind in ("v", "t"):
            self._open = False
        elif kind == "c" and self._cell is not None:
            self.cells.append((self._cell, "".join(self._found) if self._said else None))
            self._cell, self._found = None, []
        elif kind == "rPh":
            self._sounds -= 1
        elif kind == "si":
            self.text = "".join(self._found)


def parsed(piece: bytes) -> Parsed | None:
    """What it holds; None where it is no XML. Nothing can be declared inside a piece, so there are no entities."""
    reader, held = expat.ParserCreate("utf-8"), Parsed()
    reader.buffer_text = True
    reader.StartElementHandler, reader.CharacterDataHandler, reader.EndElementHandler = held.start, held.data, held.end
    try:
        reader.Parse(piece.decode("utf-8", "replace").encode() if not piece.isascii() else piece, True)
    except (expat.ExpatError, RecursionError):
        return None
    return held

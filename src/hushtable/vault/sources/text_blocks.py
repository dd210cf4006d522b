"""Blocks of text: a file, packed or not, as UTF-8 in blocks of whole lines, whatever its bytes are."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from ...errors import BadData

__all__ = ["LONGEST", "PACKED", "count_lines", "first_line", "line_blocks", "reading", "whole_text"]

BLOCK_BYTES = 1 << 23
# A longer line is a row without values: no row can need more memory than there is, or stop a release.
LONGEST = 1 << 22
MARK = b"\xef\xbb\xbf"
PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Errors of libraries may quote what they read, so they stop here."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError):
        raise BadData(f"cannot read {path}: it is damaged or not what its ending says") from None


def first_line(path: Path, encoding: str, most: int) -> str | None:
    """The first line without its end; None when it is longer than `most` bytes."""
    with reading(path), _stream(path) as file:
        head = b""
        while b"\n" not in head and len(head) <= most and (more := file.read(1 << 16)):
            head += more
    line = head.removeprefix(MARK).split(b"\n", 1)[0]
    return None if len(line) > most else line.decode(encoding, "replace").removesuffix("\r")


def line_blocks(path: Path, encoding: str = "utf-8") -> Iterator[bytes]:
    """All lines, each with its end, in valid UTF-8; bytes that are no text become U+FFFD.

    Blocks end where a line ends, so a byte never changes how another line is read.
    """
    name = codecs.lookup(encoding).name
    for block in _raw_blocks(path):
        yield _utf8(block, name)


def whole_text(path: Path) -> bytes:
    """All of it in valid UTF-8, for a file that is one value whatever its lines are."""
    with reading(path), _stream(path) as file:
        return _utf8(file.read().removeprefix(MARK), "utf-8")


def count_lines(path: Path) -> int:
    """The number of lines; the last one may lack its end."""
    return sum(block.count(b"\n") for block in _raw_blocks(path))


def _raw_blocks(path: Path) -> Iterator[bytes]:
    with reading(path), _stream(path) as file:
        rest = file.read(len(MARK)).removeprefix(MARK)
        while more := file.read(BLOCK_BYTES):
            end = more.rfind(b"\n") + 1
            if end:
                yield rest + more[:end]
                rest = more[end:]
            else:
                # A line that never ends is kept only so far that it is known to be too long.
                rest = (rest + more)[: LONGEST + 1]
        if rest:
            yield rest + b"\n"


def _utf8(block: bytes, encoding: str) -> bytes:
    if block.isascii():
        return block
    if encoding != "utf-8":
        return block.decode(encoding, "replace").encode()
    try:
        block.decode()
    except UnicodeDecodeError:
        # ASCII bytes are never swallowed by a broken character, so separators and line ends stay where they are.
        return block.decode("utf-8", "replace").encode()
    return block


def _stream(path: Path) -> pa.NativeFile:
    return pa.input_stream(str(path), compression=PACKED.get(path.suffix.lower()))

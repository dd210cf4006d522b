"""State of a curator: an append-only file of sealed lines, for one process at a time. It holds no private number."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ...errors import BadPath, BadState, InUse
from .durable import sync_folder

__all__ = ["Chain", "StateFile"]

FORMAT = 1
START = "0" * 64


class Chain:
    """Entries in the order they were made, each sealed with the hash of the one before; here in memory only."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.hashes: list[str] = []

    @property
    def hash(self) -> str:
        """The seal of the newest entry: it stands for the whole chain."""
        return self.hashes[-1] if self.hashes else START

    def append(self, kind: str, **facts: Any) -> None:
        """Adds an entry; when this returns it is kept."""
        entry = {"number": len(self.entries), "kind": kind, "previous": self.hash} | facts
        seal = _seal(entry)
        self._keep(_canonical(entry | {"hash": seal}) + b"\n")
        self.entries.append(entry)
        self.hashes.append(seal)

    def first(self, kind: str) -> dict[str, Any] | None:
        """The first entry of a kind."""
        return next((entry for entry in self.entries if entry["kind"] == kind), None)

    def close(self) -> None:
        """Nothing to let go of."""

    def discard(self) -> None:
        """Nothing was left anywhere."""

    def _keep(self, line: bytes) -> None:
        """Memory keeps it already."""


class StateFile(Chain):
    """The chain in a file that is locked while this object lives; the system unlocks it when the process ends.

    An entry is on the disk before `append` returns. A crash can leave half a line at the end, of something that
    nobody has seen; it is cut off on opening. Anything else that does not fit is somebody's edit: BadState.
    """

    # What errors call it, what is lost when a line cannot be written, and why nobody else may use it now.
    noun, loss = "a curator's state", "what was being answered is paid for and lost"
    busy = "a curator answers in one process at a time; close the other one first"

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = Path(path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise BadPath(f"cannot open or make {self.path}: {error.strerror}; give another path") from None
        try:
            self._lock()
            self._read()
        except BaseException:
            os.close(self._file)
            raise
        self.disposable = not self.entries
        """Whether the file was empty and no ledger was asked for money on its behalf."""

    def close(self) -> None:
        """Unlocks the file; nothing can be added afterwards."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def discard(self) -> None:
        """Closes, and removes the file if that loses nothing."""
        with contextlib.suppress(OSError):
            if self.disposable:
                self.path.unlink()
        self.close()

    def _lock(self) -> None:
        try:
            _lock(self._file)
        except OSError:
            raise InUse(f"{self.path} is in use: {self.busy}") from None

    def _read(self) -> None:
        data = b"".join(iter(lambda: os.read(self._file, 1 << 20), b""))
        lines = data.split(b"\n")
        for number, line in enumerate(lines[:-1]):
            self._take(number, line)
        if lines[-1]:
            os.ftruncate(self._file, len(data) - len(lines[-1]))
        os.lseek(self._file, 0, os.SEEK_END)
        if not self.entries:
            sync_folder(self.path.parent)

    def _take(self, number: int, line: bytes) -> None:
        try:
            entry = json.loads(line)
            seal = entry.pop("hash")
            fits = (
                isinstance(entry["kind"], str)
                and entry["number"] == number
                and entry["previous"] == self.hash
                and _seal(entry) == seal
            )
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            fits = False
        if not fits:
            raise BadState(
                f"{self.path} is not {self.noun}, or its line {number + 1} was edited, moved or removed; "
                "put the right file back: what it lost was paid for"
            )
        self.entries.append(entry)
        self.hashes.append(seal)

    def _keep(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise BadPath(f"cannot write {self.path}: {error.strerror}; {self.loss}") from None


def _lock(file: int) -> None:
    """OSError when another process, or another object in this one, has the lock."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        import msvcrt

        # Beyond any content: a locked byte could not be read.
        os.lseek(file, 1 << 40, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        os.lseek(file, 0, os.SEEK_SET)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _canonical(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def _seal(entry: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(entry)).hexdigest()

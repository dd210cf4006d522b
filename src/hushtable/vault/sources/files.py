"""Files: what sources of one file share, which is known by its ending alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from ...addresses import scheme_of
from ...domain import Domain
from ...errors import BadData, BadPath
from ..statistics.base import T, Total
from .base import Progress, Source
from .text_blocks import PACKED

__all__ = ["FileSource", "ending_of"]


def ending_of(path: Path) -> str:
    """`.csv` for t.csv, and for t.csv.gz too."""
    return (path.with_suffix("") if path.suffix.lower() in PACKED else path).suffix.lower()


class FileSource(Source):
    """One file."""

    endings: ClassVar[tuple[str, ...]]
    packable: ClassVar[bool] = True
    """Whether it may be compressed as a whole, as t.csv.gz is."""

    def __init__(self, data: str | Path) -> None:
        self.path = Path(data)
        self._seen: tuple[int, int, int] | None = None
        if not self.path.exists():
            raise BadPath(f"no file {self.path}; give the path of a .csv, .csv.gz, .parquet or .jsonl file")
        if not self.path.is_file():
            raise BadPath(f"{self.path} is not a file; give the path of one ({', '.join(self.endings)})")

    @property
    def label(self) -> str:
        """Its path."""
        return str(self.path)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A file cannot be held still, but that it changed shows in its size and time."""
        self._seen = self._state()
        try:
            yield
        finally:
            self._seen = None

    def total(self, wanted: Total[T], domain: Domain, progress: Progress | None = None) -> T:
        summed = super().total(wanted, domain, progress)
        self.check_still()
        return summed

    def check_still(self) -> None:
        """BadData where it was written since the snapshot began, or is another file now."""
        if self._seen is not None and self._seen != self._state():
            raise BadData(
                f"{self.path} changed while it was read; what was charged stays spent: release from a file that nobody "
                "writes"
            )

    def _state(self) -> tuple[int, int, int] | None:
        try:
            now = self.path.stat()
        except OSError:
            return None
        return now.st_ino, now.st_size, now.st_mtime_ns

    @classmethod
    def takes(cls, data: Any) -> bool:
        if not isinstance(data, (str, Path)) or scheme_of(data):
            return False
        path = Path(data)
        return ending_of(path) in cls.endings and (cls.packable or path.suffix.lower() not in PACKED)

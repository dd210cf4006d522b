"""Files: what sources of one file share, which is known by its ending alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from ...errors import BadPath
from .base import Source
from .text_blocks import PACKED

__all__ = ["FileSource", "ending_of", "scheme_of"]

# Of two letters or more: one alone is a drive.
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def scheme_of(data: Any) -> str | None:
    """The scheme of an address such as `postgresql://host/table`; None for anything else. A `Path` is none."""
    given = SCHEME.match(data) if isinstance(data, str) else None
    return given[1] if given else None


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
        if not self.path.exists():
            raise BadPath(f"no file {self.path}; give the path of a .csv, .csv.gz, .parquet or .jsonl file")
        if not self.path.is_file():
            raise BadPath(f"{self.path} is not a file; give the path of one ({', '.join(self.endings)})")

    @classmethod
    def takes(cls, data: Any) -> bool:
        if not isinstance(data, (str, Path)) or scheme_of(data):
            return False
        path = Path(data)
        return ending_of(path) in cls.endings and (cls.packable or path.suffix.lower() not in PACKED)

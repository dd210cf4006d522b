"""Files: who reads which ending."""

from __future__ import annotations

from pathlib import Path

from ...domain.csv_text import Csv
from ...errors import BadPath
from .base import Source
from .csv_file import CsvSource
from .json_file import JsonSource
from .parquet_file import ParquetSource
from .text_blocks import PACKED

__all__ = ["open_file"]

ENDINGS = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson")


def open_file(path: str | Path, *, csv: Csv | None = None, numbers: frozenset[str] = frozenset()) -> Source:
    """The source for a file, by its ending alone. `numbers` are the columns whose decimal mark `csv` declares."""
    path = Path(path)
    if not path.exists():
        raise BadPath(f"no file {path}; give the path of a .csv, .csv.gz, .parquet or .jsonl file")
    packed = path.suffix.lower() in PACKED
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    if ending not in ENDINGS or not path.is_file() or (packed and ending == ".parquet"):
        raise BadPath(f"{path} is not a file this reads; allowed: {', '.join(ENDINGS)} (text also packed: .csv.gz)")
    if ending == ".parquet":
        return ParquetSource(path)
    if ending in (".csv", ".tsv"):
        return CsvSource(path, csv=csv, numbers=numbers)
    return JsonSource(path, lines=ending != ".json")

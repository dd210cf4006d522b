"""Where rows come from. Each source yields Arrow batches in which a row depends on that row and the domain alone."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

from ...addresses import DATABASES, TableAt, database_at, scheme_of
from ...domain import Domain
from ...domain.attributes import Binned
from ...domain.csv_text import Csv
from ...errors import BadData, BadPath, HushError
from ...registry import classes_in
from .base import Progress, Source, watched
from .csv_file import CsvSource
from .databases import quoted
from .files import FileSource
from .frames import FrameSource

__all__ = ["CsvSource", "FrameSource", "Progress", "Source", "open_source", "sources", "watched"]


@cache
def sources() -> dict[str, type[Source]]:
    """Every source in this folder, by its name: to add one is to add its file."""
    return classes_in(sys.modules[__name__], Source)


def open_source(data: Any, domain: Domain | None = None, *, csv: Csv | None = None) -> Source:
    """The source that takes the data, or the data if they are one; text is read as the domain or `csv` declares."""
    if isinstance(data, Source):
        return data
    numbers = frozenset(a.name for a in domain.attributes if isinstance(a, Binned)) if domain else frozenset[str]()
    for kind in sources().values():
        if kind.takes(data):
            return kind.open(data, csv=csv or (domain.csv if domain else Csv()), numbers=numbers)
    if database_at(data):
        return open_source(TableAt(data, quoted(domain.table) if domain else ""), domain)
    raise _refused(data)


def _refused(data: Any) -> HushError:
    """One line that names what is taken; of an address only the scheme is said, as there may be a password in it."""
    frames = "a pandas or polars frame, a pyarrow table or anything with __arrow_c_stream__"
    if not isinstance(data, (str, Path)):
        return BadData(f"cannot read rows from a {type(data).__name__}; give a path, {frames}")
    endings = ", ".join(e for kind in sources().values() if issubclass(kind, FileSource) for e in kind.endings)
    if scheme := scheme_of(data):
        known = f"the address of a database ({', '.join(DATABASES)}://...)"
        return BadPath(
            f"nothing here reads {scheme}:// addresses; give the path of a file ({endings}), {known}, {frames}"
        )
    if not Path(data).exists():
        return BadPath(f"no file {Path(data)}; give the path of a .csv, .csv.gz, .parquet or .jsonl file")
    return BadPath(f"{Path(data)} is not a file this reads; allowed: {endings} (text also packed: .csv.gz)")

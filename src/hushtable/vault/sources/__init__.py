"""Where rows come from. Each source yields Arrow batches in which a row depends on that row and the domain alone."""

from pathlib import Path
from typing import Any

from ...domain import Domain
from ...domain.attributes import Binned
from ...domain.csv_text import Csv
from .base import Progress, Source, watched
from .csv_file import CsvSource
from .files import open_file
from .frames import FrameSource

__all__ = ["CsvSource", "FrameSource", "Progress", "Source", "open_source", "watched"]


def open_source(data: Any, domain: Domain | None = None, *, csv: Csv | None = None) -> Source:
    """A source for a path, a frame, or a Source itself; text is read as the domain declares, or as `csv` does."""
    if isinstance(data, Source):
        return data
    if not isinstance(data, (str, Path)):
        return FrameSource(data)
    numbers = frozenset(a.name for a in domain.attributes if isinstance(a, Binned)) if domain else frozenset[str]()
    return open_file(data, csv=csv or (domain.csv if domain else None), numbers=numbers)

"""Where rows come from. Each source yields Arrow batches; `open_source` picks one."""

from pathlib import Path
from typing import Any

from .base import Progress, Source, watched
from .files import FileSource
from .frames import FrameSource

__all__ = ["FileSource", "FrameSource", "Progress", "Source", "open_source", "watched"]


def open_source(data: Any) -> Source:
    """A source for a path, a frame, or a Source itself."""
    if isinstance(data, Source):
        return data
    if isinstance(data, (str, Path)):
        return FileSource(data)
    return FrameSource(data)

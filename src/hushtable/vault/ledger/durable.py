"""Durable: a new name in a folder is on the disk only when the folder is."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["sync_folder"]


def sync_folder(folder: Path) -> None:
    """Writes the folder itself through to the disk."""
    if hasattr(os, "O_DIRECTORY"):  # elsewhere a folder cannot be opened, nor needs to be
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

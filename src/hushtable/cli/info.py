"""`hush info`: what a synopsis file holds and how to ask it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, say

__all__ = ["run"]


def run(synopsis: Annotated[Path, typer.Argument(help="A .hush file.")], as_json: AsJson = False) -> None:
    """Say what a released summary holds: columns, questions to try, the promise, the noise. Needs no data."""
    from ..synopsis import load

    found = load(synopsis).info()
    say(found.to_dict(), str(found), as_json=as_json)

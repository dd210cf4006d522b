"""`hush ask`: a question to a synopsis file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, say

__all__ = ["View", "run"]


class View(StrEnum):
    """How a cross-tab is shown."""

    raw = "raw"
    consistent = "consistent"


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    question: Annotated[
        str | None, typer.Argument(help="A condition, share of ... among ..., or a SELECT; see docs/questions.md.")
    ] = None,
    in_file: Annotated[
        Path | None,
        typer.Option(
            "--in",
            help="Instead of a question: how many rows have one of the values in this file, one a line; of a graph, "
            "how many edges leave these vertices.",
        ),
    ] = None,
    count: Annotated[
        bool | None,
        typer.Option(
            "--count/--share", help="Numbers or shares of rows; else SELECT gives numbers, and a condition a share."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Intervals that hold for all cells of a cross-tab at once.")
    ] = False,
    view: Annotated[View, typer.Option(help="A cross-tab as released, or without negative cells.")] = View.raw,
    interpolate: Annotated[
        bool, typer.Option("--interpolate", help="Estimate where a condition cuts a bin in two, which is refused else.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a released summary. Needs no data, spends no budget, and says how sure it is."""
    from ..errors import BadQuestion
    from ..questions.answer import CrossTab
    from ..questions.stamp import other_notes
    from ..synopsis import load

    if (question is None) == (in_file is None):
        raise BadQuestion("give a question or --in FILE, not both or neither")
    opened = load(synopsis)
    answer = opened.ask(
        opened.read_list(in_file) if in_file is not None else question or "", count=count, interpolate=interpolate
    )
    if isinstance(answer, CrossTab):
        answer = answer.consistent() if view is View.consistent else answer
        value = answer.to_dict(confidence, simultaneous=simultaneous)
        text = answer.text(confidence, simultaneous=simultaneous)
    else:
        if simultaneous or view is not View.raw:
            raise BadQuestion("--simultaneous and --view are for cross-tabs; ask with GROUP BY or leave them out")
        value, text = answer.to_dict(confidence), answer.text(confidence)
    notes = "".join(f"\nnote: {note}" for note in other_notes(answer.notes))
    say(value, text + notes, as_json=as_json)

"""`hush predict`: the rule that agrees most with a label, by a synopsis's own answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    label: Annotated[str, typer.Option(help="What to predict: a column or a condition, such as readmitted.")],
    among: Annotated[
        str, typer.Option(help="The rules to compare: all_of, any_of, at_least or decision_lists.")
    ] = "all_of",
    width: Annotated[int, typer.Option(help="Most conditions in a rule.")] = 2,
    r: Annotated[int | None, typer.Option(help="With at_least: how many conditions must hold.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the interval, for all rules at once.")] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Find the rule that predicts a label best. Needs no data and spends no budget."""
    from ..synopsis import load

    found = load(synopsis).best_predictor(label=label, among=among, width=width, r=r, confidence=confidence)
    say(found.to_dict(), str(found), as_json=as_json)

"""`hush reproduce`: the claims of a source, checked again, theirs beside ours."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import AsJson, progress_bar, say

__all__ = ["run"]

# src/hushtable/cli/ lies three folders below the root of a clone.
ROOT = Path(__file__).parents[3]


def run(
    name: Annotated[str | None, typer.Argument(help="A source; without it they are listed.")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Write result.csv, result.json and figure.svg here; papers/NAME by default.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Fewer and smaller numbers, in seconds; written only with --folder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute a source's figures again and say, claim by claim, their number, ours and the verdict.

    Exit 0 when every verdict (confirmed, refuted, corrected, ours) is the one on record.
    """
    paper = _papers()
    known: dict[str, str] = paper.listing()
    if name is None:
        value = {"papers": [{"name": key, "title": title} for key, title in known.items()]}
        say(value, "\n".join(f"{key:<12} {title}" for key, title in known.items()), as_json=as_json)
        return
    _check(name, known, folder)
    place = folder if folder is not None or fast else ROOT / "papers" / name
    with progress_bar(name, None) as progress:
        result = paper.reproduce(name, folder=place, fast=fast, progress=progress)
    say(result | {"folder": None if place is None else str(place)}, _table(result, place), as_json=as_json)
    if not result["holds"]:
        raise typer.Exit(1)


def _papers() -> Any:
    """The module the papers share. They are no part of the package: only a clone has them."""
    from ..errors import BadPaper

    if not (ROOT / "papers" / "_paper.py").is_file():
        raise BadPaper(
            "the papers are not installed with the package: clone the repository, run "
            "`pip install --editable '.[report]'` there, and run hush reproduce again"
        )
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module("papers._paper")


def _check(name: str, known: dict[str, str], folder: Path | None) -> None:
    """Everything that can be wrong, before minutes of computing."""
    from ..errors import BadPaper, BadPath
    from ..extras import need
    from ..words import listed, suggestion

    if name not in known:
        raise BadPaper(f"no paper '{name}'; there are {listed(list(known))}.{suggestion(name, list(known))}")
    need("matplotlib")
    if folder is not None and (folder.is_file() or not folder.absolute().parent.is_dir()):
        raise BadPath(f"cannot write to {folder}: give a folder, existing or new, in one that exists")


def _table(result: dict[str, Any], place: Path | None) -> str:
    """One line a claim: the source's number or our bar, each in a column of its own, what was measured, the verdict."""
    head = f"{'where':<34}{'claim':<16}{'theirs':>10} {'our bar':>10} {'+-':>7}  {'measured':>10}  verdict"
    lines = [result["title"], head]
    for claim in result["claims"]:
        measured = "-" if claim["ours"] is None else f"{claim['ours']:.4g}"
        verdict = {True: claim["found"], False: f"FAILS: recorded as {claim['verdict']}", None: claim["measured"]}
        sign = {"equal": "=", "at most": "<=", "at least": ">="}[claim["relation"]]
        theirs, bar = ("" if n is None else f"{sign} {n:.4g}" for n in (claim["theirs"], claim["bar"]))
        start = f"{claim['where']:<34}{claim['name']:<16}{theirs:>10} {bar:>10} {claim['tolerance']:>7g}"
        note = f": {claim['note']}" if claim["note"] and claim["holds"] else ""
        lines.append(f"{start}  {measured:>10}  {verdict[claim['holds']]}{note}")
    lines.append(", ".join(f"{number} {kind}" for kind, number in result["verdicts"].items()))
    return "\n".join(lines + ([] if place is None else [f"wrote result.csv, result.json and figure.svg to {place}"]))

"""`hush sample`: synthetic rows from a synopsis file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, progress_bar, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    rows: Annotated[int, typer.Option("-n", "--rows", help="How many rows.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write: .csv or .parquet.")],
    seed: Annotated[
        int | None, typer.Option(help="Draw the same rows again; without a seed they are fresh every time.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write synthetic rows drawn from a released summary. Needs no data and spends no budget, seed or no seed."""
    from ..questions.stamp import SIMULATED
    from ..synopsis import load
    from ..synopsis.rows import left_out, notes, write_rows

    released = load(synopsis)
    with progress_bar("drawing", rows) as progress:
        write_rows(released, rows, output, seed=seed, progress=progress)
    remarks, columns = notes(released), [a.name for a in released.domain.closed]
    for note in remarks:
        typer.echo(f"note: {note}", err=True)
    stamp = f"; {SIMULATED}" if released.not_private else ""
    value = {
        "file": str(output),
        "rows": rows,
        "columns": columns,
        "left_out": left_out(released),
        "seed": seed,
        "not_private": released.not_private,
        "notes": remarks,
    }
    say(value, f"wrote {rows:,} synthetic rows of {len(columns)} columns to {output}{stamp}", as_json=as_json)

"""`hush sample`: synthetic rows from a synopsis file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, progress_bar, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write: .csv or .parquet.")],
    rows: Annotated[
        int | None, typer.Option("-n", "--rows", help="How many rows, of each set where there are several.")
    ] = None,
    sets: Annotated[
        int | None,
        typer.Option(
            help="So many sets of rows, in a column `set`, each drawn by another replicate: see `ht.combine`."
        ),
    ] = None,
    where: Annotated[
        str | None, typer.Option(help='Only rows that meet a condition, such as "age >= 65 AND smoker".')
    ] = None,
    replicate_weights: Annotated[
        bool,
        typer.Option("--replicate-weights", help="Weighted rows with a weight for each replicate, instead of -n."),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Draw the same rows again; without a seed they are fresh every time.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write synthetic rows drawn from a released summary. Needs no data and spends no budget, seed or no seed."""
    from ..questions.stamp import SIMULATED
    from ..synopsis import load
    from ..synopsis.row_values import RowValues
    from ..synopsis.rows import left_out, notes, write_batches, write_rows

    if (rows is None) != replicate_weights or (replicate_weights and (sets is not None or where is not None)):
        raise typer.BadParameter("give the number of rows by -n (with --sets, --where), or --replicate-weights alone")
    released = load(synopsis)
    if rows is None:
        batches = released.replicate_weights(seed=seed).to_reader()
        rows = released.model.replicate_weights()[0].shape[1]
        write_batches(released, batches, output)
    else:
        with progress_bar("drawing", rows * (sets or 1)) as progress:
            write_rows(released, rows, output, seed=seed, sets=sets, where=where, progress=progress)
    remarks, columns = notes(released), RowValues(released.domain).names
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
    } | {name: value for name, value in (("sets", sets), ("where", where)) if value is not None}
    kind = "weighted" if replicate_weights else "synthetic"
    many = (f"{sets} sets of " if sets else "") + f"{rows:,} {kind} rows"
    say(value, f"wrote {many} of {len(columns)} columns to {output}{stamp}", as_json=as_json)

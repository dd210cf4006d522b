"""`hush plot`: a picture of how rows are spread over smooth columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file with smooth columns.")],
    columns: Annotated[str, typer.Option(help="One or two smooth columns, for example age,income.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write: .svg or .png.")],
    where: Annotated[
        str | None, typer.Option(help="Only these rows: a condition on categories of the release.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Draw the density of one or two smooth columns with its uncertainty. Needs no data and spends no budget."""
    from ..questions.stamp import SIMULATED
    from ..report.plots import check_picture, save_density
    from ..synopsis import load
    from ..synopsis.density import density

    target = check_picture(output)
    released = load(synopsis)
    names = [name.strip() for name in columns.split(",") if name.strip()]
    seen = density(released, names, where=where, confidence=confidence)
    words = [released.domain.table, *([where] if where else [])]
    save_density(target, seen, title="; ".join(words))
    value = {
        "file": str(output),
        "columns": [axis.name for axis in seen.axes],
        "kernel_widths": list(seen.widths),
        "confidence": confidence,
        "highest": float(seen.value.max()),
        "typical_half_width": float(seen.half.mean()),
        "not_private": released.not_private,
    }
    say(value, f"wrote {output}{f'; {SIMULATED}' if released.not_private else ''}", as_json=as_json)

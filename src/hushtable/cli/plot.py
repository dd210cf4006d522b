"""`hush plot`: a picture of a question about one or two columns, or of how rows are spread over smooth ones."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import AsJson, say

if TYPE_CHECKING:
    from ..questions.answer import Answer, CrossTab
    from ..synopsis import Synopsis

__all__ = ["PictureKind", "run"]


class PictureKind(StrEnum):
    """What a picture is made of."""

    bars = "bars"
    lines = "lines"
    map = "map"


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    question: Annotated[
        str | None, typer.Argument(help="A SELECT with GROUP BY over one or two columns; or give --columns.")
    ] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write: .svg or .png.")],
    columns: Annotated[
        str | None, typer.Option(help="One or two columns, for example age,income: their table, or their density.")
    ] = None,
    where: Annotated[str | None, typer.Option(help="With --columns: only the rows that a condition keeps.")] = None,
    kind: Annotated[PictureKind | None, typer.Option(help="Bars, lines or a heat map; chosen if not given.")] = None,
    count: Annotated[
        bool | None, typer.Option("--count/--share", help="Numbers or shares of rows; --columns draws shares.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Draw a question about one or two columns with its error bars. Needs no data and spends no budget."""
    from ..errors import BadQuestion
    from ..questions.answer import CrossTab
    from ..questions.stamp import SIMULATED
    from ..report.plots import check_picture, save_answer
    from ..synopsis import load

    if (question is None) == (columns is None):
        raise BadQuestion("give a question or --columns age,income, not both or neither")
    if question is not None and where is not None:
        raise BadQuestion("--where goes with --columns; write the condition into the question: SELECT ... WHERE ...")
    target, released = check_picture(output), load(synopsis)
    if columns is not None:
        names = [name.strip() for name in columns.split(",") if name.strip()]
        answer = _columns(released, names, where, count=bool(count), confidence=confidence, target=target)
    else:
        answer = released.ask(question or "", count=count)
    if isinstance(answer, dict):
        value = answer
    elif isinstance(answer, CrossTab):
        save_answer(target, answer, kind=kind.value if kind else None, confidence=confidence)
        value = {"question": answer.question, "columns": list(answer.groups), "lines": len(answer)}
    else:
        raise BadQuestion(f"that is one number, {answer.text(confidence)}; add GROUP BY for something to draw")
    said = {"file": str(output), "confidence": confidence, "not_private": released.not_private}
    say(value | said, f"wrote {output}{f'; {SIMULATED}' if released.not_private else ''}", as_json=as_json)


def _columns(
    released: Synopsis, names: list[str], where: str | None, *, count: bool, confidence: float, target: Path
) -> dict[str, Any] | Answer | CrossTab:
    """The density of smooth columns, which is drawn at once; else the table of the columns."""
    from ..domain.hints import quoted_name
    from ..errors import BadQuestion
    from ..report.plots import save_density
    from ..synopsis.density import density

    try:
        seen = density(released, names, where=where, confidence=confidence)
    except BadQuestion as no_density:
        by = ", ".join(map(quoted_name, names))
        kept = f" WHERE {where}" if where else ""
        table = quoted_name(released.domain.table)
        try:
            return released.ask(f"SELECT {by}, count(*) FROM {table}{kept} GROUP BY {by}", count=count)
        except BadQuestion as no_table:
            raise (no_table if released.model.answers_tables else no_density) from None
    words = [released.domain.table, *([where] if where else [])]
    save_density(target, seen, title="; ".join(words))
    return {
        "columns": [axis.name for axis in seen.axes],
        "kernel_widths": list(seen.widths),
        "highest": float(seen.value.max()),
        "typical_half_width": float(seen.half.mean()),
    }

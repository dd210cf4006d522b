"""What the commands share: options, printing, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..budget import Budget

__all__ = [
    "DATA_HELP",
    "AsJson",
    "Counting",
    "Data",
    "Decimal",
    "Delta",
    "DomainPath",
    "Encoding",
    "Engine",
    "Epsilon",
    "Kept",
    "Multiline",
    "Quote",
    "Rho",
    "Separator",
    "TableName",
    "budget_from",
    "progress_bar",
    "say",
    "show_error",
    "stoppable",
]

# The exit code of a command that was stopped by hand, as shells have it.
STOPPED = 130
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
# As typed: the address of a database is no path, and would lose a slash as one.
DATA_HELP = "The table: .csv, .csv.gz, .parquet, .feather, .xlsx or .jsonl, or the address of a database."
Data = Annotated[str, typer.Argument(help=DATA_HELP)]
TableName = Annotated[
    str | None, typer.Option("--table", help="The table at the address of a database, NAME or SCHEMA.NAME.")
]


class Engines(StrEnum):
    """What may read a table instead of this process."""

    spark = "spark"


Engine = Annotated[
    Engines | None, typer.Option("--engine", help="Let Spark read the path and sum its rows where they are.")
]
DomainPath = Annotated[Path, typer.Option("--domain", help="The domain file (YAML).")]
Epsilon = Annotated[str | None, typer.Option(help="Total epsilon.")]
Delta = Annotated[str | None, typer.Option(help="Delta that goes with epsilon, for example 1e-9.")]
Rho = Annotated[str | None, typer.Option(help="Total rho (zero-concentrated DP) instead of epsilon and delta.")]


class Counting(StrEnum):
    """How epsilon with delta is counted: Gaussian noise exactly, or everything in zero-concentrated DP."""

    gdp = "gdp"
    zcdp = "zcdp"


Kept = Annotated[
    Counting | None,
    typer.Option(
        "--currency",
        help="Count epsilon and delta by the exact curve of Gaussian noise (gdp) or in rho (zcdp); the ledger decides.",
    ),
]
Separator = Annotated[str | None, typer.Option(help="CSV: the character between fields, or `tab`.")]
Quote = Annotated[str | None, typer.Option(help="CSV: the character around fields, or `none`.")]
Decimal = Annotated[str | None, typer.Option(help="CSV: the decimal mark, a point or a comma.")]
Encoding = Annotated[str | None, typer.Option(help="CSV: utf-8, latin-1, cp1252, ...")]
Multiline = Annotated[bool | None, typer.Option(help="CSV: quoted fields may hold line breaks (trusts all quotes).")]


def budget_from(epsilon: str | None, delta: str | None, rho: str | None) -> Budget:
    """The budget the three options describe, exactly as typed."""
    from ..budget import Budget

    return Budget(epsilon=epsilon, delta=delta, rho=rho)


def say(value: dict[str, Any], text: str, *, as_json: bool) -> None:
    """One result, to standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False) if as_json else text)


def show_error(error: dict[str, Any]) -> None:
    """One line to standard error: what `to_dict` of an error says, or only its message unless --json was asked for."""
    as_json = "--json" in sys.argv
    typer.echo(json.dumps({"error": error}, ensure_ascii=False) if as_json else f"hush: {error['message']}", err=True)


@contextmanager
def stoppable() -> Iterator[None]:
    """Stopped by hand, a command says what it leaves behind."""
    try:
        yield
    except KeyboardInterrupt as error:
        from ..errors import error_dict

        show_error(error_dict(error, kind="Stopped", message="stopped", exit_code=STOPPED))
        raise typer.Exit(STOPPED) from None


@contextmanager
def progress_bar(label: str, total: int | None) -> Iterator[Callable[[int], None] | None]:
    """Rows read so far, on standard error, only when that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)

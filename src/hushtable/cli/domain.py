"""`hush domain`: check, draft or try out the public shape of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, progress_bar, say

__all__ = ["app"]

app = typer.Typer(help="The public shape of a table.", no_args_is_help=True)
DomainFile = Annotated[Path, typer.Argument(help="A domain file (YAML).")]


@app.command()
def check(
    domain: DomainFile,
    data: Annotated[
        Path | None, typer.Option(help="Also check that every value of this table has a code. Reads the data.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a domain declares, and optionally whether a table fits it."""
    from ..domain import Domain
    from ..errors import counted

    shape = Domain.load(domain)
    if data is not None:
        from ..vault.draft import check_fit

        with progress_bar("reading", None) as progress:
            check_fit(data, shape, progress)
    rows = [{"name": a.name, "kind": a.kind, "codes": a.size} for a in shape.attributes]
    who = f"at most {counted(shape.unit.rows, 'row')} per person, {shape.unit.neighbours}"
    text = [f"{shape.table}: {counted(len(rows), 'attribute')}, {who}"]
    text += [f"  {row['name']:<24} {row['kind']:<10} {row['codes'] or 'unlisted'}" for row in rows]
    text += ["the data fit"] if data is not None else []
    value = {
        "table": shape.table,
        "digest": shape.digest,
        "neighbours": shape.unit.neighbours,
        "rows_per_person": shape.unit.rows,
        "attributes": rows,
        "data_fit": True if data is not None else None,
    }
    say(value, "\n".join(text), as_json=as_json)


@app.command()
def draft(
    data: Annotated[Path, typer.Argument(help="The table to look at.")],
    table: Annotated[str | None, typer.Option(help="Name of the table; the file's name by default.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of printing.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draft a domain from a table. READS THE DATA: the draft reveals what it saw and must be reviewed."""
    from ..file_format import check_writable, new_file
    from ..vault.draft import WARNING, draft_domain
    from ..yaml_text import yaml_text

    target = check_writable(output) if output is not None else None
    with progress_bar("reading", None) as progress:
        shape = draft_domain(data, table or data.name.split(".")[0], progress)
    text = "".join(f"# {line}\n" for line in WARNING.splitlines()) + yaml_text(shape.to_dict())
    if target is not None:
        with new_file(target) as file:
            file.write(text.encode("utf-8"))
    typer.echo(WARNING, err=True)
    shown = f"wrote {output}" if target is not None else text.rstrip("\n")
    say({"warning": " ".join(WARNING.split()), "domain": shape.to_dict()}, shown, as_json=as_json)


@app.command()
def dummy(
    domain: DomainFile,
    rows: Annotated[int, typer.Option("-n", "--rows", help="How many rows.")] = 1000,
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV file to write.")] = Path("dummy.csv"),
    seed: Annotated[int, typer.Option(help="Same seed, same rows.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write fake rows made from the domain alone, to try things out. No data are read."""
    from ..domain import Domain
    from ..dummy import write_dummy

    write_dummy(Domain.load(domain), rows=rows, path=output, seed=seed)
    say({"file": str(output), "rows": rows}, f"wrote {rows:,} fake rows to {output}", as_json=as_json)

"""`hush report`: a page about a synopsis, for everyone or for its owner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .common import AsJson, TableName, progress_bar, say

__all__ = ["run"]


def run(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")],
    data: Annotated[
        str | None, typer.Option(help="Compare with these rows. READS THE DATA: the page is not for publication.")
    ] = None,
    table: TableName = None,
    domain: Annotated[Path | None, typer.Option(help="The domain of the rows; the synopsis's own by default.")] = None,
    publisher: Annotated[str | None, typer.Option(help="Who publishes the summary, for the page to say.")] = None,
    contact: Annotated[str | None, typer.Option(help="Whom to ask about the table: an address or a name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a page with pictures and error figures: from the file alone, or for the owner with the truth beside it."""
    from ..domain import Domain
    from ..errors import BadPlan
    from ..files import check_writable, new_file
    from ..questions.stamp import SIMULATED
    from ..report.owner import STAMP, owner_report
    from ..report.public import public_report
    from ..synopsis import load

    released, target = load(synopsis), check_writable(output)
    if data is None and domain is not None:
        raise BadPlan("--domain goes with --data, the rows to compare with; leave both out for the public report")
    shape = released.domain if domain is None else Domain.load(domain)
    if shape.digest != released.domain.digest:
        raise BadPlan(f"{domain} is another domain than the one {synopsis} was released with")
    compared = None
    if data is None:
        text = public_report(released, publisher=publisher, contact=contact)
    else:
        from ..addresses import table_at
        from ..owner.compare import true_tables
        from ..owner.comparison import compare
        from ..owner.people import people_fit

        with progress_bar("reading", None) as progress:
            rows = table_at(data, table)
            people = people_fit(rows, shape, progress)
            compared = compare(released, rows, progress=progress) if released.model.rows_by is not None else None
            text = owner_report(released, lambda sets: true_tables(rows, shape, sets, progress), people, compared)
    with new_file(target) as file:
        file.write(text.encode("utf-8"))
    publishable = data is None and not released.not_private
    stamps = ([STAMP] if data is not None else []) + ([SIMULATED] if released.not_private else [])
    note = "made from the file alone: it may be published" if publishable else "; ".join(stamps)
    value: dict[str, Any] = {
        "file": str(output),
        "publishable": publishable,
        "not_private": released.not_private,
        "notes": stamps,
    }
    if compared is not None:
        value["rows"] = compared.to_dict()
    say(value, f"wrote {output}; {note}", as_json=as_json)

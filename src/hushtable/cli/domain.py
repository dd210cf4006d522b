"""`hush domain`: check, draft or try out the public shape of a table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import AsJson, Decimal, Encoding, Engine, Multiline, Quote, Separator, TableName, progress_bar, say

if TYPE_CHECKING:
    from ..domain import Domain
    from ..owner.fit import ColumnFit
    from ..owner.people import PeopleFit, Repeated

__all__ = ["app"]

app = typer.Typer(help="The public shape of a table.", no_args_is_help=True)
# From this share of undeclared values on a column is pointed out.
SUSPICIOUS = 0.05
DomainFile = Annotated[Path, typer.Argument(help="A domain file (YAML).")]


@app.command()
def check(
    domain: DomainFile,
    data: Annotated[
        str | None, typer.Option(help="Also count, column by column, which values fit. READS THE DATA: owner only.")
    ] = None,
    table: TableName = None,
    engine: Engine = None,
    propose: Annotated[
        bool,
        typer.Option("--propose", help="With --data: also rules that all rows keep. PRIVATE KNOWLEDGE: owner only."),
    ] = False,
    separator: Separator = None,
    quote: Quote = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    multiline: Multiline = None,
    as_json: AsJson = False,
) -> None:
    """Say what a domain declares, check its rules, and optionally how a table fits both."""
    from ..domain import Domain
    from ..domain.review import warnings_about
    from ..errors import BadData
    from ..words import counted, listed

    shape = Domain.load(domain).with_csv(
        separator=separator, quote=quote, decimal=decimal, encoding=encoding, multiline=multiline
    )
    rows = [{"name": a.name, "kind": a.kind, "codes": a.size, "values": list(a.labels)} for a in shape.attributes]
    following = [{"name": f.name, "kind": f.attribute.kind, "follows": f.of} for f in shape.followers]
    warnings = warnings_about(shape)
    kept = f"{counted(shape.unit.rows, 'row')} per person"
    told = f"people told apart by {shape.unit.person}, at most {kept} kept"
    who = f"{told if shape.unit.person else f'at most {kept}'}, {shape.unit.neighbours}"
    text = [f"{shape.table}: {counted(len(rows), 'attribute')}, {who}"]
    text += [_column_line(row) for row in rows]
    text += [f"  {row['name']:<24} {row['kind']:<10} follows {row['follows']}, costs nothing" for row in following]
    text += [f"warning: {warning}" for warning in warnings]
    value: dict[str, Any] = {
        "table": shape.table,
        "digest": shape.digest,
        "neighbours": shape.unit.neighbours,
        "rows_per_person": shape.unit.rows,
        "attributes": rows,
        "means": list(shape.means),
        "warnings": warnings,
    } | ({"following": following} if following else {})
    value |= _rules(shape, text)
    if data is None:
        if propose:
            raise typer.BadParameter("rules are proposed from the rows: give them by --data")
        say(value, "\n".join(text), as_json=as_json)
        return
    from ..addresses import table_at
    from ..owner.fit import fit_of
    from ..owner.people import identifiers, people_fit

    rows_at = table_at(data, table, engine)
    with progress_bar("reading", None) as progress:
        fits = fit_of(rows_at, shape, progress)
        repeated, people = identifiers(rows_at, shape, progress), people_fit(rows_at, shape, progress)
    value["data"] = [asdict(fit) for fit in fits]
    value["identifiers"] = [asdict(one) for one in repeated]
    value["people"] = None if people is None else asdict(people)
    text += [*_fit_lines(fits), *_people_lines(people, shape.unit.rows), *_identifier_lines(repeated, shape.unit.rows)]
    value |= _rule_counts(shape, rows_at, text, propose=propose)
    say(value, "\n".join(text), as_json=as_json)
    refused = [fit.name for fit in fits if fit.refused]
    if refused:
        raise BadData(f"a release would be refused: `missing: error` and not all values fit in: {listed(refused)}")


def _column_line(row: dict[str, Any]) -> str:
    """Name, kind, how many values or bins there are, and the first of them."""
    from ..words import listed, shortened

    shown = shortened(listed([shortened(value, 30) for value in row["values"]], 8), 120)
    return f"  {row['name']:<24} {row['kind']:<10} {row['codes'] or 'unlisted':<9} {shown}".rstrip()


def _rules(shape: Domain, text: list[str]) -> dict[str, Any]:
    """What the rules are, and the ends of columns that comparisons leave no place; such lines go to the text."""
    from ..domain.consistency import unplaced
    from ..domain.impossible import rules_of
    from ..words import counted, listed

    rules = rules_of(shape)
    if not rules:
        return {}
    left = [f"{shape.closed[j].name} = {shape.closed[j].labels[code]}" for j, code in unplaced(rules, shape)]
    text.append(f"{counted(len(rules), 'rule')}, which do not contradict each other")
    if left:
        text.append(f"  no row can have {listed(left, 6)}, because of comparisons between columns")
    return {"rules": [rule.text for rule in rules], "no_place": left}


def _rule_counts(shape: Domain, data: Any, text: list[str], *, propose: bool) -> dict[str, Any]:
    """How many rows break each rule, and rules that all keep; exact, for the owner."""
    if not (propose or shape.impossible or shape.always or shape.followers):
        return {}
    from ..owner.rule_counts import PROPOSED, broken_rules, contradictions, proposals
    from ..owner.true_rows import read_rows

    with progress_bar("reading", None) as progress:
        rows = read_rows(data, shape, progress)
    counts = [*broken_rules(rows), *contradictions(data, shape)]
    if counts:
        text.append(
            "rows that break a rule or a map; they are released like all others, and answers will say 0 for them"
        )
        text += [f"  {count.broken:>12,}  {count.rule}" for count in counts]
    value: dict[str, Any] = {"broken_rules": [asdict(count) for count in counts]}
    if propose:
        found = proposals(rows)
        text += [f"{len(found)} {PROPOSED}", *(f"  {line}" for line in found)]
        value["proposed"] = found
    return value


def _fit_lines(fits: list[ColumnFit]) -> list[str]:
    """What the owner should look at before anything is spent."""
    lines = ["", "NOT FOR PUBLICATION: exact counts of the rows, for the owner's eyes only"]
    odd = [fit for fit in fits if fit.blank or fit.undeclared or fit.broken]
    lines += [f"{fits[0].rows:,} rows; " + ("every value is declared" if not odd else "values that are not declared:")]
    if odd:
        lines += [f"  {'column':<24} {'blank':>12} {'undeclared':>12} {'no field':>12}"]
        lines += [f"  {fit.name:<24} {fit.blank:>12,} {fit.undeclared:>12,} {fit.broken:>12,}" for fit in odd]
    lines += [
        f"look at {fit.name}: {fit.share:.0%} of its values do not fit; is its name, kind, list of values or the "
        "separator right?"
        for fit in odd
        if fit.share > SUSPICIOUS
    ]
    return lines


def _people_lines(people: PeopleFit | None, rows: int) -> list[str]:
    if people is None:
        return []
    from ..words import counted

    most = sorted(people.moved, key=lambda pair: -pair[1])[:3]
    return [
        f"people: {people.people:,}, of whom {people.cut:,} have more than {counted(rows, 'row')}; "
        f"{people.left_out:,} of {people.rows:,} rows would be left out",
        *([f"rows that name nobody: {people.unnamed:,}; each counts as a person of its own"] * (people.unnamed > 0)),
        *(
            [f"columns that leaving out moves most: {', '.join(f'{n} ({s:.1%} of rows)' for n, s in most)}"]
            * bool(most)
        ),
    ]


def _identifier_lines(repeated: list[Repeated], rows: int) -> list[str]:
    """Loud: a table of many rows a person, released as one row each, protects nobody as it says."""
    from ..words import counted

    return [
        f"LOOK AT {one.name}: it looks like an identifier and has up to {counted(one.most, 'row')} a value "
        f"({one.above:,} of {one.values:,} values have more than {rows}), but the domain declares "
        f"{counted(rows, 'row')} per person. If it tells people apart, declare unit: {{person: {one.name}, rows: m}}, "
        "or a person with many rows is protected far less than the budget says"
        for one in repeated
    ]


@app.command()
def draft(
    data: Annotated[str, typer.Argument(help="The table to look at.")],
    table: Annotated[
        str | None, typer.Option(help="Name of the table, also of the one at an address; the file's name by default.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of printing.")] = None,
    separator: Separator = None,
    quote: Quote = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    multiline: Multiline = None,
    as_json: AsJson = False,
) -> None:
    """Draft a domain from a table. READS THE DATA: the draft reveals what it saw and must be reviewed."""
    from ..addresses import database_at, table_at
    from ..domain.csv_text import Csv
    from ..files import check_writable, new_file
    from ..owner.draft import WARNING
    from ..owner.draft import draft as drafted

    csv = Csv().with_options(separator=separator, quote=quote, decimal=decimal, encoding=encoding, multiline=multiline)
    target = check_writable(output) if output is not None else None
    with progress_bar("reading", None) as progress:
        named = table or Path(data).name.split(".")[0]
        made = drafted(table_at(data, table) if database_at(data) else data, named, progress, csv=csv)
    text, shape = made.text(), made.domain
    if target is not None:
        with new_file(target) as file:
            file.write(text.encode("utf-8"))
    typer.echo(WARNING, err=True)
    shown = f"wrote {output}" if target is not None else text.rstrip("\n")
    value = {"warning": " ".join(WARNING.split()), "domain": shape.to_dict(), "reasons": made.reasons}
    say(value, shown, as_json=as_json)


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
    from ..domain.dummy import write_dummy

    write_dummy(Domain.load(domain), rows=rows, path=output, seed=seed)
    say({"file": str(output), "rows": rows}, f"wrote {rows:,} fake rows to {output}", as_json=as_json)

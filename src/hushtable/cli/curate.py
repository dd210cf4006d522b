"""`hush curate`: questions to a table one at a time, as they come."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import (
    AsJson,
    Data,
    Decimal,
    Delta,
    DomainPath,
    Encoding,
    Engine,
    Epsilon,
    Kept,
    Multiline,
    Quote,
    Rho,
    Separator,
    TableName,
    budget_from,
    progress_bar,
    say,
    show_error,
)

if TYPE_CHECKING:
    from ..curator.curator import Curator
    from ..questions.lists import Listed

__all__ = ["Exhaustion", "How", "run"]


class How(StrEnum):
    """In which way questions are answered."""

    hypothesis = "hypothesis"
    independent = "independent"


class Exhaustion(StrEnum):
    """What happens after the last paid answer."""

    unverified = "unverified"
    refuse = "refuse"


def run(
    data: Data,
    domain: DomainPath,
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUESTIONS]...", help="Counts; without any, one a line of standard input."),
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="The curator's memory; NAME.curator beside the ledger by default.")
    ] = None,
    table: TableName = None,
    engine: Engine = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    currency: Kept = None,
    planned: Annotated[
        int | None, typer.Option("--questions", help="How many questions to plan for; 20,000 by default.")
    ] = None,
    updates: Annotated[int | None, typer.Option(help="The most answers to pay for; 200 by default.")] = None,
    factor: Annotated[
        str | None, typer.Option(help="Moves the threshold: higher lasts longer, lower errs less; 0.5 by default.")
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="For lists of values of an open column: sparse(size=100), at most 100 values a list; for conditions "
            "on all but 3 of many two-valued columns: conjunctions(free=3)."
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option(
            help="For domains too large to list: the hypothesis has weights on this many random rows alone (say 65536)."
        ),
    ] = None,
    smoothness: Annotated[
        str | None,
        typer.Option(
            help="With --points: how many times as frequent as among them a combination of values may be; 4 by default."
        ),
    ] = None,
    in_files: Annotated[
        list[Path] | None,
        typer.Option("--in", help="How many rows have one of the values in this file, one a line; may be repeated."),
    ] = None,
    way: Annotated[How | None, typer.Option(help="Force a way; without it the plan chooses.")] = None,
    on_exhausted: Annotated[
        Exhaustion, typer.Option(help="After the last paid answer: go on unverified, or refuse.")
    ] = Exhaustion.unverified,
    count: Annotated[
        bool | None,
        typer.Option(
            "--count/--share", help="Numbers or shares of rows; else SELECT gives numbers, and a condition a share."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    freeze: Annotated[
        Path | None, typer.Option(help="After the questions, write what was learned to this synopsis file.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The table's ledger; NAME.ledger beside the data by default.")
    ] = None,
    simulate: Annotated[
        int | None, typer.Option(help="Rehearse with this seed: repeatable, NOT private, spends and keeps nothing.")
    ] = None,
    separator: Separator = None,
    quote: Quote = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    multiline: Multiline = None,
    as_json: AsJson = False,
) -> None:
    """Answer counts as they come: free while a hypothesis about the table is close, paid where it is not."""
    from ..addresses import table_at
    from ..domain import Domain
    from ..errors import BadQuestion
    from ..files import check_writable
    from ..owner.vault import Vault
    from ..vault.door.randomness import Simulated

    if not 0 < confidence < 1:
        raise BadQuestion(f"confidence must be between 0 and 1 (say 0.95), not {confidence:g}")
    budget = None if (epsilon, delta, rho) == (None, None, None) else budget_from(epsilon, delta, rho)
    shape = Domain.load(domain).with_csv(
        separator=separator, quote=quote, decimal=decimal, encoding=encoding, multiline=multiline
    )
    vault = Vault(table_at(data, table, engine), shape, ledger=ledger)
    if freeze is not None:
        check_writable(freeze)
    with progress_bar("reading", None) as progress:
        curator = vault.curate(
            budget=budget,
            questions=planned,
            state=state,
            updates=updates,
            factor=factor,
            way=way.value if way else None,
            workload=workload,
            currency=currency.value if currency else None,
            points=points,
            smoothness=smoothness,
            on_exhausted=on_exhausted.value,
            asked=() if in_files else questions or (),
            randomness=None if simulate is None else Simulated(simulate),
            progress=progress,
        )
    with curator:
        if freeze is not None:
            curator.check_freeze()
        say(curator.plan.to_dict(), f"{curator}\n", as_json=as_json)
        lists = [curator.read_list(path) for path in in_files or ()]
        asked: Iterator[str | Listed] = chain(lists, _texts(questions) if questions or not lists else ())
        failed = [_ask(curator, question, count, confidence, as_json) for question in asked]
        if freeze is not None:
            synopsis = curator.freeze()
            synopsis.save(freeze)
            say({"file": str(freeze), "digest": synopsis.digest}, f"wrote {freeze}", as_json=as_json)
    if any(failed):
        raise typer.Exit(1)


def _texts(given: list[str] | None) -> Iterator[str]:
    lines = given or (line.rstrip("\n") for line in sys.stdin)
    return (line for line in lines if line.strip())


def _ask(curator: Curator, question: str | Listed, count: bool | None, confidence: float, as_json: bool) -> bool:
    """Prints the answer, or one line that says what is wrong with the question; the next one is asked all the same."""
    from ..errors import BadQuestion

    try:
        answer = curator.ask(question, count=count)
    except BadQuestion as error:
        show_error(error.to_dict())
        return True
    value: dict[str, Any] = answer.to_dict(confidence)
    say(value, f"{answer.text(confidence)}; {answer.answers_left:,} paid answers left", as_json=as_json)
    return False

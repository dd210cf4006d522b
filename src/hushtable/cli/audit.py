"""`hush audit`: attack our own releases and say what was found."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, progress_bar, say

__all__ = ["run"]


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A mechanism, statistic, curator or step; all when left out.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Fewer cases and releases: about a minute for everything.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes work on it.")] = 2,
    write: Annotated[Path | None, typer.Option(help="Write the page with all figures here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Attack releases of neighbouring made-up tables; exit code 1 if any promise is broken."""
    from ..audit.report import check_page, page, summary
    from ..audit.run import FAST, FULL, audit, targets, total_alarm

    chosen = targets(name)
    if write is not None:
        check_page(write)
    started, results = time.perf_counter(), []
    with progress_bar("cases", None) as progress:
        for result in audit(chosen, effort=FAST if fast else FULL, jobs=jobs, progress=progress):
            results.append(result)
            if not as_json:
                typer.echo(f"{'passed' if result.passed else 'FAILED'}  {result.target.group:<10}{result.case}")
                for check in result.checks:
                    if not check.passed:
                        typer.echo(
                            f"        {check.kind} ({check.by}): {check.unit} {check.found:.4g}, {check.claim:.4g}"
                        )
    if write is not None:
        write.write_text(page(results), encoding="utf-8")
    passed, took = all(result.passed for result in results), time.perf_counter() - started
    alarm = total_alarm(results)
    value = {"passed": passed, "false_alarm": alarm, "seconds": took, "cases": [r.to_dict() for r in results]}
    say(value, f"{summary(results)} False alarm at most {alarm:.1e}; {took:.0f} s", as_json=as_json)
    if not passed:
        raise typer.Exit(1)

"""`hush fair`: rules that treat similar people similarly, from released numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import AsJson, progress_bar, say

if TYPE_CHECKING:
    from ..fair.released import ReleasedTypes
    from ..synopsis import Synopsis

__all__ = ["Divergence", "Method", "app"]

app = typer.Typer(help="Rules that treat similar people similarly, from released numbers.", no_args_is_help=True)
RulePath = Annotated[Path, typer.Argument(help="The file of a rule (hush fair solve writes one).")]


class Divergence(StrEnum):
    """How far two lines of odds are apart."""

    tv = "tv"
    inf = "inf"


class Method(StrEnum):
    """How a protected group is preferred."""

    lp = "lp"
    earthmover = "earthmover"


@app.command()
def solve(
    synopsis: Annotated[Path, typer.Argument(help="A .hush file.")],
    cells: Annotated[str, typer.Option(help="One type a cell: SELECT columns, count(*) FROM table GROUP BY columns.")],
    metric: Annotated[
        Path, typer.Option(help="The policy: columns with weights and scales (YAML), or a matrix (.csv).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the rule (JSON).")],
    outcome: Annotated[str | None, typer.Option(help="Whom a yes is right for, a condition such as repaid.")] = None,
    costs: Annotated[
        str | None, typer.Option(help="What mistakes cost, such as wrong_yes=5,wrong_no=1; 1 each by default.")
    ] = None,
    loss: Annotated[
        Path | None, typer.Option(help="Instead of an outcome: a loss of your own, cells by actions (.csv).")
    ] = None,
    groups: Annotated[str | None, typer.Option(help="A column of the cells whose values are the groups.")] = None,
    protected: Annotated[str | None, typer.Option(help="The protected group; the smallest by default.")] = None,
    parity: Annotated[float | None, typer.Option(help="The largest difference between groups, from 0 to 1.")] = None,
    cross: Annotated[
        float | None,
        typer.Option(help="Mean slack of the protected group's pairs with others; 0 keeps all, inf drops them."),
    ] = None,
    divergence: Annotated[Divergence, typer.Option(help="Differences of chances, or their ratios.")] = Divergence.tv,
    method: Annotated[Method, typer.Option(help="One program, or the two steps by earthmover.")] = Method.lp,
    time_limit: Annotated[float, typer.Option(help="Seconds; the best fair rule so far is kept.")] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Find the rule of least loss that treats similar people similarly. Reads no rows and spends nothing."""
    from ..fair.policy_file import read_metric
    from ..fair.solving import solve as solved
    from ..fair.summary import summary, summary_text
    from ..files import check_writable
    from ..synopsis import load

    target = check_writable(output)
    types = _types(load(synopsis), cells, outcome, costs, loss)
    policy = read_metric(metric, types, divergence.value)
    with progress_bar("solving", None):
        rule = solved(
            types,
            policy,
            divergence=divergence.value,
            groups=groups,
            parity=parity,
            cross=cross,
            protected=protected,
            method=method.value,
            time_limit=time_limit,
        )
        rule.save(target)
        found = summary(rule)
    say(found | {"file": str(output)}, f"{summary_text(found)}\nwrote {output}", as_json=as_json)


def _types(synopsis: Synopsis, cells: str, outcome: str | None, costs: str | None, loss: Path | None) -> ReleasedTypes:
    from ..fair.policy_file import read_costs, types_with_loss
    from ..fair.released import from_synopsis

    if loss is None:
        return from_synopsis(synopsis, cells, outcome, read_costs(costs))
    return types_with_loss(synopsis, cells, loss, outcome=outcome, costs=costs)


@app.command()
def report(
    rule: RulePath,
    html: Annotated[Path | None, typer.Option(help="Write a page with pictures here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a rule costs, whom it treats how, and how unequal any rule of its metric could be."""
    from ..fair.rule import FairRule
    from ..fair.summary import summary, summary_text
    from ..files import check_writable, new_file

    target = None if html is None else check_writable(html)
    opened = FairRule.load(rule)
    found: dict[str, Any] = summary(opened)
    text = summary_text(found)
    if target is not None:
        from ..report.fair import fair_report

        with progress_bar("drawing", None), new_file(target) as file:
            file.write(fair_report(opened).encode("utf-8"))
        found, text = found | {"file": str(html)}, f"{text}\nwrote {html}"
    say(found, text, as_json=as_json)


@app.command()
def decide(
    rule: RulePath,
    person: Annotated[str, typer.Option(help="The values of one person: 'income = 42000, sex = female'.")],
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="For rehearsals: the same seed decides the same. Real decisions have none."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a decision for one person with the odds of their type and fresh coins."""
    from ..fair.coins import REHEARSAL, Coins
    from ..fair.persons import read_person
    from ..fair.rule import FairRule
    from ..questions.stamp import SIMULATED

    opened = FairRule.load(rule)
    drawn = opened.decide(read_person(person), Coins(seed))
    stamps = ([REHEARSAL] if drawn.rehearsal else []) + ([SIMULATED] if opened.not_private else [])
    odds = ", ".join(f"{action} {share:.4f}" for action, share in drawn.odds.items())
    text = "\n".join([*stamps, f"{drawn.action} (drawn from {odds})"])
    value = {"action": drawn.action, "odds": drawn.odds, "rehearsal": drawn.rehearsal, "notes": stamps}
    say(value, text, as_json=as_json)

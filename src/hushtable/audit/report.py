"""Report: the verdicts as a page of tables, the same on every run with the same seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ..files import check_writable
from .checks import Check
from .run import Result, total_alarm

__all__ = ["check_page", "page", "summary", "table"]

TITLE = "# Audit\n"

GROUPS = {
    "mechanism": "Mechanisms",
    "curator": "Curators",
    "statistic": "Statistics",
    "step": "Steps of the door",
    "people": "People with many rows",
}
HEAD = """\
# Audit

<!-- Written by `hush audit --write docs/audit.md` (`make audit`); edits here are lost. -->

`hush audit` attacks everything that may leave the vault: every mechanism, every statistic, every curator and every
step of the door. It takes two neighbouring tables (the worst pair of rows that a search over all pairs, or over many
and by climbing, finds; of persons with one row, and where the name says so with two or three), makes many simulated
releases of both, and asks four things:

- **exact price**: what do the steps cost this pair, by their stated laws, and was at least that much charged?
- **law**: do the outputs have the law that their step states? Every output is turned into a number that is uniform if
  so, and exact binomial tests look at 22 levels of these numbers. The worst p-value is shown.
- **independence**: is the noise of neighbouring numbers independent, and that of the same number in any two steps of a
  release? Noise that is drawn once and used again shows there.
- **proven**: how much epsilon (or rho, or delta) does the best attack prove, whatever made the releases? Attacks are
  the likelihood ratio of the stated law, a logistic regression, exact matches with the true sums, and the low bits of
  numbers that are not whole. One half of the releases chooses attack and threshold, the other half proves, with
  Clopper-Pearson bounds.

An exact price, a stated law that holds, and independence together bound the loss of a release; the attack assumes
none of them. A check fails by chance at most once in 1e9, and all checks below together with a chance of at most
{alarm}. That an attack proves less than the claim says nothing against the claim: few releases prove little.
Faults planted on purpose, among them noise that is 10% too small, are found: see `tests/audit`. For why noise is
needed at all see [the attack](attack.md).

{verdict}
"""


def check_page(path: Path) -> Path:
    """The path, if a page can be written there: a new file, or an older page in its place."""
    if path.is_file() and path.read_text("utf-8", errors="replace").startswith(TITLE):
        return path
    return check_writable(path)


def page(results: Sequence[Result]) -> str:
    """The whole page."""
    text = [HEAD.format(alarm=f"{total_alarm(results):.1e}", verdict=summary(results))]
    for group, title in GROUPS.items():
        chosen = [result for result in results if result.target.group == group]
        if chosen:
            text += [f"## {title}", "", *table(chosen), ""]
    return "\n".join(text)


def summary(results: Sequence[Result]) -> str:
    """One sentence."""
    checks = [check for result in results for check in result.checks]
    failed = [check for check in checks if not check.passed]
    said = "all of them passed" if not failed else f"{len(failed)} FAILED"
    releases = sum(max((c.runs for c in result.checks), default=0) for result in results)
    return f"{len(checks):,} checks of {len(results):,} cases with {releases:,} simulated releases: {said}."


def table(results: Sequence[Result]) -> list[str]:
    """One line a case."""
    lines = [
        "| case | charged | exact price | law, p | independence, p | proven | by | releases | verdict |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return lines + [_line(result) for result in results]


def _line(result: Result) -> str:
    kinds = {kind: [c for c in result.checks if c.kind == kind] for kind in ("price", "law", "independence")}
    proven = [c for c in result.checks if c.kind in ("attack", "delta")]
    prices = kinds["price"]
    cells = [
        result.case,
        ", ".join(f"{c.unit} {_short(c.claim)}" for c in prices),
        ", ".join(_short(c.found) for c in prices),
        _least(kinds["law"]),
        _least(kinds["independence"]),
        ", ".join(f"{c.unit} {_short(c.found)}" for c in proven),
        ", ".join(dict.fromkeys(c.by for c in proven)),
        f"{max((c.runs for c in result.checks), default=0):,}",
        "passed" if result.passed else "**FAILED**: " + ", ".join(c.kind for c in result.checks if not c.passed),
    ]
    return f"| {' | '.join(cells)} |"


def _least(checks: Sequence[Check]) -> str:
    return f"{min(c.found for c in checks):.2g}" if checks else ""


def _short(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "infinite"

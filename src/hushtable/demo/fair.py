"""The demo of fair decisions: a simulated lender, from rows to a released table, a fair rule and a decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..budget import Budget
from ..domain import Domain
from ..fair.policy_file import read_metric
from ..fair.released import from_synopsis
from ..fair.rule import DrawnAction, FairRule
from ..fair.solving import solve
from ..mechanisms.planner import plan
from ..questions.workloads.marginals import Marginals
from ..synopsis import load
from .lender import CELLS, LENDER, METRIC, OUTCOME, simulate_lender

__all__ = ["PARITY", "PERSON", "Decided", "decide_fairly", "prepare_lender", "release_lender"]

PARITY = 0.05
PERSON = {"income": 42000, "debt": 12000, "history": "fair", "district": "harbour", "origin": "new"}


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What the demo shows: two rules, and one decision."""

    fair: FairRule
    """Fair to pairs."""
    equal: FairRule
    """... and the groups within PARITY of each other."""
    drawn: DrawnAction


def prepare_lender(folder: Path, *, rows: int, seed: int) -> None:
    """Writes the simulated table, its domain and the metric."""
    import pyarrow as pa
    import pyarrow.csv

    columns = {name: pa.array(values.tolist()) for name, values in simulate_lender(rows, seed).items()}
    pyarrow.csv.write_csv(pa.table(columns), folder / "lender.csv")
    Domain.from_dict(LENDER).save(folder / "lender.yaml")
    (folder / "metric.yaml").write_text(METRIC, encoding="utf-8")


def release_lender(folder: Path, *, rows: int, progress: Callable[[int], None] | None = None) -> None:
    """Releases the whole table of six columns with real randomness at epsilon 1."""
    from ..owner.vault import Vault

    domain = Domain.load(folder / "lender.yaml")
    width = len(domain.closed)
    made = plan(domain, rows=rows, workload=Marginals(width=width), budget=Budget(epsilon=1), mechanism="histogram")
    Vault(folder / "lender.csv", domain).release(made, progress=progress).save(folder / "lender.hush")


def decide_fairly(folder: Path) -> Decided:
    """From the released file alone: both rules, the file of the second, and a decision."""
    types = from_synopsis(load(folder / "lender.hush"), CELLS, OUTCOME)
    metric = read_metric(folder / "metric.yaml", types)
    fair = solve(types, metric, groups="origin")
    equal = solve(types, metric, groups="origin", parity=PARITY)
    equal.save(folder / "rule.json")
    return Decided(fair=fair, equal=equal, drawn=equal.decide(PERSON))

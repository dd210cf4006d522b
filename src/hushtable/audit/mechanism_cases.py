"""Cases of mechanisms: for every mechanism a small domain, a workload and budgets under which it is attacked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..budget import Budget, Neighbours
from ..domain import Domain
from ..mechanisms.planner import Plan, plan
from ..questions.workloads.base import Workload
from ..questions.workloads.known_lists import KnownLists
from ..vault.door.door import Door, Measurement, Noise
from ..vault.door.randomness import Simulated
from ..vault.statistics import Statistic
from .pairs import Pair, pair_tables, worst_pair
from .releases import ReleaseCase, opener
from .shapes import BINARY, LISTS, MIXED, OPEN, REAL, RELATIONS, persons, shape
from .steps import MeasureCase, Tally
from .tables import Table, possible_rows

__all__ = ["SETTINGS", "Setting", "mechanism_cases"]

PURE, RHO, MIXED_BUDGET = Budget(epsilon=1), Budget(rho="0.5"), Budget(epsilon=1, delta="0.05")
KEY_LISTS = "key-0\tkey-1\nkey-1\tkey-2\tkey-3\nkey-4\n"
OTHERS = 15


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How one mechanism is attacked; `runs` whole releases of each table, fewer where one takes long."""

    attributes: dict[str, Any]
    workload: str
    budgets: tuple[Budget, ...] = (PURE, RHO)
    options: str = ""
    runs: int = 200
    rows: int = 1
    """Of one person."""


SETTINGS: dict[str, tuple[Setting, ...]] = {
    "low-order": (Setting(attributes=MIXED, workload="marginals(width=2)", runs=150),),
    "tables": (Setting(attributes=MIXED, workload="marginals(width=2)", runs=250),),
    "histogram": (Setting(attributes=MIXED, workload="marginals(width=2)", runs=500),),
    "monomial": (Setting(attributes=BINARY, workload="marginals(width=2)", budgets=(PURE,), runs=300),),
    "mwem": (
        Setting(attributes=MIXED, workload="marginals(width=2)", options="mwem(rounds=2)", runs=120),
        Setting(
            attributes=BINARY,
            workload="parities(order=2)",
            options="mwem(rounds=3, adaptive=true, start=histogram)",
            runs=100,
        ),
        *(
            Setting(
                attributes=BINARY,
                workload="parities(order=2)",
                budgets=(budget,),
                options="mwem(rounds=2, split=0.9)",
                runs=150,
                rows=rows,
            )
            for budget, rows in ((Budget(epsilon=8), 2), (Budget(rho=8), 3))
        ),
    ),
    "pair-rake": (Setting(attributes=MIXED, workload="whole_table()", runs=40),),
    "decision-lists": (Setting(attributes=LISTS, workload="decision_lists()", runs=300),),
    "hash-sketch": (
        Setting(attributes=OPEN, workload="sparse(size=3, buckets=256)", budgets=(PURE, RHO, MIXED_BUDGET), runs=120),
    ),
    "stability-histogram": (Setting(attributes=OPEN, workload="sparse(size=3)", budgets=(MIXED_BUDGET,), runs=500),),
    "list-counts": (Setting(attributes=OPEN, workload="known_lists()", budgets=(PURE, RHO, MIXED_BUDGET), runs=300),),
    "smooth-spline": (Setting(attributes=REAL, workload="smooth(columns=[age, bmi], length_scale=0.5)"),),
    "smooth-cheb": (
        Setting(attributes=REAL, workload="smooth(columns=[age, bmi], length_scale=0.5)", budgets=(RHO,), runs=60),
    ),
    "smooth-paper": (
        Setting(attributes=REAL, workload="smooth(columns=[age, bmi], length_scale=0.5)", budgets=(PURE,)),
    ),
    "smooth-direct": (
        Setting(attributes=REAL, workload="smooth(columns=[age, bmi], examples=['exp(-age/50)', 'age*bmi'])"),
    ),
}


def mechanism_cases(name: str, *, seed: int) -> Iterator[MeasureCase | ReleaseCase]:
    """What a mechanism measures, each attacked alone with very many draws, and its releases as a whole."""
    for number, setting in enumerate(SETTINGS[name]):
        for budget in setting.budgets:
            for relation in RELATIONS:
                domain = shape(setting.attributes, relation, rows=setting.rows)
                label = f"{name}{f' {number + 1}' if number else ''}, {relation}, {budget}{persons(setting.rows)}"
                yield from _cases(label, name, domain, setting, budget, seed)


def _cases(
    label: str, name: str, domain: Domain, setting: Setting, budget: Budget, seed: int
) -> Iterator[MeasureCase | ReleaseCase]:
    workload = _known_lists() if setting.workload == "known_lists()" else setting.workload
    made = plan(domain, rows=OTHERS + setting.rows, workload=workload, budget=budget, mechanism=setting.options or name)
    others = possible_rows(domain, most=OTHERS, seed=seed)[:OTHERS]
    measured = _measured(made, Table(domain, others), seed)
    pairs: list[Pair] = []
    for place, (statistic, noise) in enumerate(measured):
        pairs.append(worst_pair(statistic, noise, domain, seed=seed))
        yield MeasureCase(f"{label}: {statistic.name}{f' {place + 1}' if place else ''}", domain, statistic, noise)
    chosen = max(pairs, key=lambda pair: pair.price) if pairs else _any_pair(domain)
    act = opener(made.design.price, lambda door, of: made.by.release(door, of, made.design))
    yield ReleaseCase(f"{label}: whole", domain, pair_tables(domain, chosen, others), act, setting.runs)


def _any_pair(domain: Domain) -> Pair:
    rows = possible_rows(domain, most=100, seed=0)
    relation: Neighbours = domain.unit.neighbours
    return Pair(rows[0], None if relation == "add-remove" else rows[-1], 0.0)


def _measured(made: Plan, table: Table, seed: int) -> list[tuple[Statistic, Noise]]:
    """The distinct kinds of statistics that one release measures."""
    seen: dict[str, tuple[Statistic, Noise]] = {}

    class Noting(Door):
        def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
            seen.setdefault(statistic.name, (statistic, noise))
            return super().measure(statistic, noise)

    domain, price = made.domain, made.design.price
    door = Noting(total=table.total, unit=domain.unit, price=price, account=Tally(), randomness=Simulated(seed))
    made.by.release(door, domain, made.design)
    return list(seen.values())


def _known_lists() -> Workload:
    """The workload reads its lists once, from a file that is then gone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.txt"
        path.write_text(KEY_LISTS, encoding="utf-8")
        workload = KnownLists(file=str(path))
        assert workload.lists
    return workload

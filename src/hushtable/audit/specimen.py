"""Specimen: a small release of every mechanism and model, and how an audit attacks it; the catalogue has them all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..budget import Budget, Neighbours
from ..domain import Domain
from ..domain.dummy import dummy_rows
from ..questions.lists import Listed
from ..questions.workloads.base import Workload
from ..questions.workloads.known_lists import KnownLists
from .shapes import Attributes, shape

if TYPE_CHECKING:
    import pyarrow as pa

    from ..mechanisms.planner import Plan
    from ..synopsis import Synopsis

__all__ = ["APPROX", "EXACT", "LOOSE", "PURE", "RHO", "ROWS", "Attack", "CuratorSpecimen", "Specimen", "lists_workload",
           "rows_of"]  # fmt: skip

# Of the table that a specimen is released from.
ROWS = 60
PURE, RHO = Budget(epsilon=1), Budget(rho="0.5")
# About as much as that rho; Gaussian noise is counted exactly.
EXACT = Budget(epsilon=2, delta="0.02")
APPROX, LOOSE = Budget(epsilon=20, delta="1e-6"), Budget(epsilon=1, delta="0.05")


@dataclass(frozen=True, kw_only=True)
class Attack:
    """How an audit attacks a specimen; what is left out is that of the specimen.

    Smaller columns than the specimen's have fewer pairs of rows to try, and more releases in the same time.
    """

    budgets: tuple[Budget, ...] = (PURE, EXACT)
    attributes: Attributes | None = None
    workload: str | None = None
    mechanism: str | None = None
    lists: str | None = None
    runs: int = 200
    """Whole releases of each of two tables; fewer where one takes long."""
    person: int = 1
    """Rows of one person."""


@dataclass(frozen=True)
class Specimen:
    """What is released, by what, and what may be asked of it."""

    name: str
    attributes: Attributes
    workload: str | None
    mechanism: str | None
    """With options; None: whatever the planner chooses."""
    budget: Budget
    questions: tuple[str, ...]
    model: str = field(default="", kw_only=True)
    """The kind of model that a release of it has."""
    chooses: bool = field(default=False, kw_only=True)
    """Whether noisy numbers decide what is measured or kept, so that the shape of its file is part of the release."""
    lists: str = field(default="", kw_only=True)
    """What stands in the file that the workload names, if it names one."""
    attacks: tuple[Attack, ...] = field(default=(), kw_only=True)

    @property
    def by(self) -> str | None:
        """The mechanism without its options."""
        return self.mechanism and self.mechanism.split("(")[0]

    @property
    def domain(self) -> Domain:
        """Rows of one person are replaced by others."""
        return shape(self.attributes)

    def in_folder(self, folder: Path) -> Specimen:
        """The specimen, its workload reading its lists from a file in this folder."""
        if not self.lists:
            return self
        (folder / "lists.txt").write_text(self.lists, encoding="utf-8")
        return replace(self, workload=f"known_lists(file='{folder / 'lists.txt'}')", lists="")

    def attacked(self, attack: Attack) -> Specimen:
        """The specimen in the form that an attack wants."""
        return replace(
            self,
            attributes=attack.attributes or self.attributes,
            workload=attack.workload or self.workload,
            mechanism=attack.mechanism or self.mechanism,
            lists=attack.lists or self.lists,
            attacks=(attack,),
        )

    def plan(
        self, *, budget: Budget | None = None, neighbours: Neighbours = "replace", person: int = 1, rows: int = ROWS
    ) -> Plan:
        """Its plan, with another budget or another unit if one is given."""
        from ..mechanisms.planner import plan

        domain = shape(self.attributes, neighbours, rows=person)
        workload: Workload | str | None = lists_workload(self.lists) if self.lists else self.workload
        return plan(domain, rows=rows, workload=workload, mechanism=self.mechanism, budget=budget or self.budget)

    def release(self) -> Synopsis:
        """Not private: simulated."""
        from ..owner.vault import Vault
        from ..vault.door.randomness import Simulated

        return Vault(rows_of(self.attributes), self.domain).release(self.plan(), randomness=Simulated(1))


@dataclass(frozen=True, kw_only=True)
class CuratorSpecimen:
    """A session with a curator: what it is about, and the questions in their order."""

    name: str
    attributes: Attributes
    questions: tuple[str | Listed, ...]
    workload: str | None = None
    """The lists it may be asked for, if it answers lists."""
    points: int | None = None
    """The random rows that carry its hypothesis, if not all combinations of values do."""


def lists_workload(lists: str) -> Workload:
    """The workload of known lists. It reads them once, from a file that is then gone."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lists.txt"
        path.write_text(lists, encoding="utf-8")
        workload = KnownLists(file=str(path))
        assert workload.lists
    return workload


def rows_of(attributes: Attributes, number: int = ROWS) -> pa.Table:
    """Made-up rows of these columns, the same every time."""
    import numpy as np
    import pyarrow as pa

    if "choice" in attributes:
        return pa.table(dummy_rows(shape(attributes), rows=number, seed=1))
    source = np.random.default_rng(1)
    values = {
        "age": source.integers(0, 99, number),
        "sex": np.array(["female", "male"])[source.integers(0, 2, number)],
        "url": [f"a{i}" for i in source.zipf(1.5, number) % 50],
        "pay": (10 * source.gamma(2, 150, number)).astype(int).clip(0, 20_000),
        "bmi": source.normal(25, 4, number).clip(14, 54).round(1),
    }
    return pa.table({name: values.get(name, source.random(number) < 0.5) for name in attributes})

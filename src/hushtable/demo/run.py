"""Running the demo: simulate, declare, plan, release, ask, and compare with the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..budget import Budget
from ..domain import Domain
from ..errors import BadPath
from ..mechanisms.planner import Plan, plan
from ..questions.answer import Answer
from ..questions.workloads.marginals import Marginals
from ..synopsis import load
from .clinic import DOMAIN, simulate_clinic
from .questions import QUESTIONS

__all__ = ["Checked", "new_folder", "prepare", "questions_and_truth", "release"]


@dataclass(frozen=True)
class Checked:
    """One question with its answer and, because the patients are simulated, the truth."""

    question: str
    truth: float
    answer: Answer

    @property
    def inside(self) -> bool:
        """Whether the truth lies in the 95% interval."""
        low, high = self.answer.interval(0.95)
        return low <= self.truth <= high


def new_folder(folder: Path, table: str = "clinic") -> None:
    """Makes the folder; one with an earlier demo in it is left as it is."""
    if (folder / f"{table}.ledger").exists():
        raise BadPath(f"{folder} holds an earlier demo, whose budget is spent; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadPath(f"cannot make the folder {folder}: {error.strerror}") from None


def prepare(folder: Path, *, rows: int, seed: int) -> tuple[Path, Path]:
    """Writes the simulated table and its domain; returns both paths."""
    import pyarrow as pa
    import pyarrow.csv

    columns = {name: pa.array(values.tolist()) for name, values in simulate_clinic(rows, seed).items()}
    pyarrow.csv.write_csv(pa.table(columns), folder / "clinic.csv")
    Domain.from_dict(DOMAIN).save(folder / "clinic.yaml")
    return folder / "clinic.csv", folder / "clinic.yaml"


def release(folder: Path, *, rows: int, progress: Callable[[int], None] | None = None) -> Plan:
    """Plans and releases the table with real randomness at epsilon 1."""
    from ..owner.vault import Vault

    domain = Domain.load(folder / "clinic.yaml")
    # By name: the demonstration is of exact error bars, also with fewer rows, where the planner would take mwem.
    budget, workload = Budget(epsilon=1, delta="1e-9"), Marginals(width=3)
    made = plan(domain, rows=rows, workload=workload, budget=budget, mechanism="low-order")
    Vault(folder / "clinic.csv", domain).release(made, progress=progress).save(folder / "clinic.hush")
    return made


def questions_and_truth(folder: Path) -> Iterator[Checked]:
    """Asks the synopsis file. Not private: reads the simulated rows to show the truth beside the answers."""
    import duckdb

    synopsis = load(folder / "clinic.hush")
    table: Any = duckdb.connect().execute(
        f"SELECT {', '.join(sql for _, sql in QUESTIONS)} FROM read_csv(?)", [str(folder / "clinic.csv")]
    )
    for (question, _), truth in zip(QUESTIONS, table.fetchone(), strict=True):
        answer = synopsis.ask(question)
        assert isinstance(answer, Answer)
        yield Checked(question, float(truth), answer)

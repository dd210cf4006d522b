"""A small table and the curators that the tests open on it."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
from tables import domain, random_codes, table_of

import hushtable as ht

ROWS = 2000
SHAPE = domain()
CODES = random_codes(SHAPE, ROWS, seed=21)
# So much that noise is a few rows, and the dependence between the columns is found out and paid for.
RICH = ht.Budget(rho=400)
PURE = ht.Budget(epsilon=400)
WIDE_QUESTIONS = [
    f"{a} AND {b} AND {c}"
    for a in ("age < 18", "age >= 65", "age >= 18")
    for b in ("smoker", "NOT smoker", "sex = 'male'")
    for c in ("region = 'north'", "region <> 'south'", "region IN ('west', 'other')")
]


def write_table(folder: Path, codes: np.ndarray = CODES, shape: ht.Domain = SHAPE) -> Path:
    pyarrow.csv.write_csv(table_of(shape, codes), folder / "t.csv")
    shape.save(folder / "t.yaml")
    return folder


def vault(folder: Path, shape: ht.Domain = SHAPE, **more: Any) -> ht.Vault:
    return ht.Vault(folder / "t.csv", shape, **more)


def quick_vault(folder: Path) -> ht.Vault:
    """The same table in memory, with its ledger in the folder: opens in no time."""
    return ht.Vault(table_of(SHAPE, CODES), SHAPE, ledger=folder / "t.ledger")


def rehearsal(
    budget: ht.Budget = RICH, *, seed: int = 1, shape: ht.Domain = SHAPE, codes: np.ndarray = CODES, **more: Any
) -> ht.Curator:
    """Simulated: no ledger, no state."""
    table = ht.Vault(table_of(shape, codes), shape)
    usual: dict[str, Any] = {"way": "hypothesis", "updates": 30, "questions": 1000}
    return table.curate(budget=budget, randomness=ht.Simulated(seed), **usual | more)


def ask_all(curator: ht.Curator, times: int = 1) -> list[ht.CuratorAnswer]:
    return [curator.ask(text) for _ in range(times) for text in WIDE_QUESTIONS]


def truth(question: str, codes: np.ndarray = CODES, shape: ht.Domain = SHAPE) -> float:
    """Not private: the exact share."""
    from hushtable.questions.parse import parse

    condition = parse(question, shape).where
    assert condition is not None
    return float(condition.on_rows(codes)[0].mean())

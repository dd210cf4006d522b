"""Releases of whole tables whose truth is known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tables import domain

import hushtable as ht
from hushtable.budget import Price
from hushtable.models.base import Model
from hushtable.vault.door.door import Door

Codes = NDArray[np.uint16]

BUDGETS = (ht.Budget(epsilon=1, delta="1e-9"), ht.Budget(epsilon=2), ht.Budget(epsilon="0.2", delta="1e-9"))


class Free:
    def charge(self, price: Price, *, what: str) -> None:
        """Nothing is counted."""


def release(shape: ht.Domain, codes: Codes, budget: ht.Budget, seed: int) -> Model:
    plan = ht.plan(shape, workload=ht.WholeTable(), budget=budget)
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=plan.design.price, account=Free(),
                randomness=ht.Simulated(seed))  # fmt: skip
    return plan.by.release(door, shape, plan.design)


def latent(rows: int, sizes: Sequence[int], seed: int) -> Codes:
    """Rows that lean on two hidden numbers, so that pairs do not tell everything."""
    g = np.random.default_rng(seed)
    hidden = g.normal(size=(2, rows))
    columns = []
    for size in sizes:
        score = g.normal(size=2) @ hidden + 0.4 * hidden[0] * hidden[1] + g.normal(size=rows)
        columns.append(np.searchsorted(np.quantile(score, np.sort(g.random(size - 1))), score))
    return np.array(columns, dtype=np.uint16)


def whole_numbers(sizes: Sequence[int]) -> ht.Domain:
    kinds = {f"c{j}": {"kind": "integer", "between": [0, size - 1], "missing": "error"} for j, size in enumerate(sizes)}
    return domain(kinds, neighbours="add-remove")

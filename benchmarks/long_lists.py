"""Long decision lists: 50,000 simulated lists of up to 32 rules over 24 inputs, error and bars against the truth."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.domain.decision_list import DecisionList

FIGURES = ("long-lists",)
ROWS, INPUTS, LENGTH, ASKED, RELEASES = 50_000, 24, 32, 40, 5


def run() -> Iterator[dict[str, Any]]:
    """Not private: the rows are simulated, and answers are compared with them."""
    names = [f"i{j}" for j in range(INPUTS)]
    lists = {"kind": "decision_list", "inputs": names, "length": LENGTH}
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
    texts = simulated(names)
    plan = ht.plan(domain, rows=ROWS, workload="decision_lists()", budget=ht.Budget(epsilon=1, delta="1e-9"))
    vault, (column,) = ht.Vault(pa.table({"choice": texts}), domain), domain.attributes
    assert isinstance(column, DecisionList)
    inputs = np.random.default_rng(5).random((ASKED, INPUTS)) < np.resize([0.5, 0.3, 0.15, 0.7], (ASKED, 1))
    rules = [column.rules(text) for text in texts]
    exact = [float(np.mean([rule.decide(row) for rule in rules if rule is not None])) for row in inputs]
    errors, held, start = [], [], time.process_time()
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for row, truth in zip(inputs, exact, strict=True):
            named = " AND ".join(name if one else f"NOT {name}" for name, one in zip(names, row, strict=True))
            answer = synopsis.ask(f"decides(choice, {named})")
            low, high = answer.interval()
            errors.append(abs(float(answer.value) - truth))
            held.append(bool(low <= truth <= high))
    seconds = (time.process_time() - start) / RELEASES
    yield figure("long-lists-error", max(errors), "largest error", baseline=0.05, ratio=max(errors) / 0.05,
                 bar="ratio <= 1")  # fmt: skip
    yield figure("long-lists-held", float(np.mean(held)), "share inside 95% intervals", baseline=0.95,
                 ratio=float(np.mean(held)), bar="value >= 0.93")  # fmt: skip
    yield figure("long-lists-time", seconds, "CPU seconds a release and its answers", baseline=30, ratio=seconds / 30,
                 bar="ratio <= 1")  # fmt: skip


def simulated(names: list[str]) -> list[str]:
    """Each input has its own chance to speak for 1; a fifth of the literals is negated."""
    source = np.random.default_rng(1)
    liked, texts = source.random(INPUTS), []
    for _ in range(ROWS):
        chosen = source.permutation(INPUTS)[: source.integers(8, LENGTH + 1)]
        rules = [f"{'!' * int(source.random() < 0.2)}{names[i]}:{int(source.random() < liked[i])}" for i in chosen]
        texts.append(", ".join([*rules, f"default:{source.integers(2)}"]))
    return texts

"""Long decision lists: 50,000 simulated lists of up to 32 rules over 24 inputs, error and bars against the truth."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from benchmarks._figure import figure
from hushtable.domain.decision_list import DecisionList
from hushtable.maths.wide.made_up_lists import error_on_made_up_lists
from hushtable.maths.wide.prefix_polynomials import prefix_polynomials
from hushtable.maths.wide.single_polynomials import single_polynomials

FIGURES = ("long-lists", "long-lists-ways")
ROWS, INPUTS, LENGTH, ASKED, RELEASES = 50_000, 24, 32, 60, 5
# How many inputs of a question are true: half and less, one in twenty, most.
TRUE = [0.5, 0.3, 0.15, 0.05, 0.7]
BUDGET = ht.Budget(epsilon=1, delta="1e-9")


def run() -> Iterator[dict[str, Any]]:
    """Not private: the rows are simulated, and answers are compared with them."""
    texts, inputs = simulated(), np.random.default_rng(5).random((ASKED, INPUTS)) < np.resize(TRUE, (ASKED, 1))
    errors, held, halves, seconds = _released(texts, inputs, "decision-lists")
    yield figure("long-lists-error", max(errors), "largest error", baseline=0.05, ratio=max(errors) / 0.05,
                 bar="ratio <= 1")  # fmt: skip
    yield figure("long-lists-held", float(np.mean(held)), "share inside 95% intervals", baseline=0.95,
                 ratio=float(np.mean(halves) / np.mean(errors)), bar="value >= 0.93")  # fmt: skip
    yield figure("long-lists-time", seconds, "CPU seconds a release and its answers", baseline=30, ratio=seconds / 30,
                 bar="ratio <= 1")  # fmt: skip
    for way in ("prefix", "single"):
        errors, held, halves, _ = _released(texts, inputs, f"decision-lists(polynomials={way})")
        yield figure(f"long-lists-ways-{way}", float(np.mean(errors)), "mean error at the order that suits it",
                     baseline=None, ratio=float(np.mean(held)), bar="ratio >= 0.93")  # fmt: skip
    yield from grid()


def grid() -> Iterator[dict[str, Any]]:
    """Lengths by orders: what each way certifies, and what it is off on made-up lists without noise."""
    for length in (9, 12, 16, 24, 32, 48):
        for order in (2, 3, 4, 5):
            ways = [way(length, order) for way in (prefix_polynomials, single_polynomials)]
            prefix, single = (error_on_made_up_lists(way, length) for way in ways)
            certified = [float(way.bias) for way in ways]
            yield figure(f"long-lists-ways-{length}-{order}", single / prefix,
                         "error on made-up lists, single / prefix", baseline=certified[0],
                         ratio=certified[1] / certified[0], bar="ratio <= 1")  # fmt: skip


def _released(texts: list[str], inputs: NDArray[np.bool_], mechanism: str) -> tuple[
    list[float], list[bool], list[float], float
]:  # fmt: skip
    """Errors, whether intervals held, their half widths, and CPU seconds a release."""
    names = [f"i{j}" for j in range(INPUTS)]
    lists = {"kind": "decision_list", "inputs": names, "length": LENGTH}
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
    plan = ht.plan(domain, rows=ROWS, workload="decision_lists()", budget=BUDGET, mechanism=mechanism)
    vault, (column,) = ht.Vault(pa.table({"choice": texts}), domain), domain.attributes
    assert isinstance(column, DecisionList)
    rules = [column.rules(text) for text in texts]
    exact = [float(np.mean([rule.decide(row) for rule in rules if rule is not None])) for row in inputs]
    errors, held, halves, start = list[float](), list[bool](), list[float](), time.process_time()
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for row, truth in zip(inputs, exact, strict=True):
            named = " AND ".join(name if one else f"NOT {name}" for name, one in zip(names, row, strict=True))
            answer = synopsis.ask(f"decides(choice, {named})")
            low, high = map(float, answer.interval())
            errors.append(abs(float(answer.value) - truth))
            held.append(low <= truth <= high)
            halves.append((high - low) / 2)
    return errors, held, halves, (time.process_time() - start) / RELEASES


def simulated() -> list[str]:
    """Each input has its own chance to speak for 1; a fifth of the literals is negated."""
    source, names = np.random.default_rng(1), [f"i{j}" for j in range(INPUTS)]
    liked, texts = source.random(INPUTS), []
    for _ in range(ROWS):
        chosen = source.permutation(INPUTS)[: source.integers(8, LENGTH + 1)]
        rules = [f"{'!' * int(source.random() < 0.2)}{names[i]}:{int(source.random() < liked[i])}" for i in chosen]
        texts.append(", ".join([*rules, f"default:{source.integers(2)}"]))
    return texts

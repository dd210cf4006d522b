"""Wide questions: error of random disjunctions on real tables, certified bounds, and time."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._memory import peak_bytes

FIGURES = ("adult-wide", "retail-wide", "nltcs-wide", "wide-20", "order-4", "ask-wide")
DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
BUDGET = ht.Budget(epsilon=1, delta="1e-9")
QUESTIONS, RELEASES = 1000, 5
BARS = {5: 0.008, 8: 0.013, 15: 0.016}
CATEGORIES = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
              "income"]  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    for name, table in (("adult", adult), ("retail", retail), ("nltcs", nltcs)):
        bits = table()
        if bits is None:
            print(json.dumps({"name": f"{name}-wide", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for width, bar in BARS.items():
            error, held = disjunctions(bits, width)
            yield figure(f"{name}-wide-{width}", error, "mean absolute error", baseline=bar, ratio=error / bar,
                         bar="ratio <= 1")  # fmt: skip
            yield figure(f"{name}-wide-{width}-certified", held, "share inside certified intervals", baseline=1,
                         ratio=held, bar="value >= 1")  # fmt: skip
    yield from twenty()
    yield from order_four()


def adult() -> np.ndarray | None:
    """One-hot, the 100 most balanced indicator columns."""
    path = DATA / "adult.csv.gz"
    if not path.exists():
        return None
    rows = pandas.read_csv(path)
    columns = [c for c in rows.columns if c.replace("_", "-") in CATEGORIES]
    bits = pandas.get_dummies(rows[columns].astype(str)).to_numpy(dtype=np.uint8)
    return bits[:, np.sort(np.argsort(np.abs(bits.mean(axis=0) - 0.5), kind="stable")[:100])]


def retail() -> np.ndarray | None:
    path = DATA / "retail_top100.csv.gz"
    return pandas.read_csv(path).to_numpy(dtype=np.uint8) if path.exists() else None


def nltcs() -> np.ndarray | None:
    path = DATA / "nltcs.csv.gz"
    return pandas.read_csv(path).to_numpy(dtype=np.uint8) if path.exists() else None


def vault_of(bits: np.ndarray) -> tuple[ht.Domain, ht.Vault]:
    names = [f"x{i}" for i in range(bits.shape[1])]
    shape = ht.Domain.from_dict(
        {"table": "t", "attributes": {n: {"kind": "boolean", "missing": "error"} for n in names}}
    )
    return shape, ht.Vault(pandas.DataFrame(bits.astype(bool), columns=names), shape)


def disjunctions(bits: np.ndarray, width: int) -> tuple[float, float]:
    """Not private: mean absolute error of random disjunctions, and the share inside certified intervals."""
    shape, vault = vault_of(bits)
    plan = ht.plan(shape, rows=len(bits), workload=f"any_of(width={width})", budget=BUDGET)
    g, errors, held = np.random.default_rng(width), [], []
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for _ in range(QUESTIONS):
            columns = g.choice(bits.shape[1], width, replace=False)
            answer = synopsis.ask(f"any({', '.join(f'x{c}' for c in columns)})")
            truth = bits[:, columns].any(axis=1).mean()
            low, high = answer.interval(1 - 1e-6)  # every question at once: 5,000 of them
            errors.append(abs(answer.value - truth))
            held.append(low <= truth <= high)
    return float(np.mean(errors)), float(np.mean(held))


def twenty() -> Iterator[dict[str, Any]]:
    """20 columns, 30,000 rows, order 7: every one of 2,000 random 15-way disjunctions within its bias + 0.02."""
    g = np.random.default_rng(1)
    lean = g.random(30_000)[:, None] < 0.3
    bits = (g.random((30_000, 20)) < np.where(lean, 0.25, 0.06)).astype(np.uint8)
    shape, vault = vault_of(bits)
    plan = ht.plan(shape, rows=30_000, workload="any_of(width=15, order=7)", budget=BUDGET)
    synopsis = vault.release(plan, randomness=ht.Simulated(1))
    worst, times = -1.0, []
    for _ in range(2000):
        columns = g.choice(20, 15, replace=False)
        question = f"any({', '.join(f'x{c}' for c in columns)})"
        start = time.perf_counter()
        answer = synopsis.ask(question)
        times.append(time.perf_counter() - start)
        worst = max(worst, abs(answer.value - bits[:, columns].any(axis=1).mean()) - answer.bias)
    bias = plan.design.forecasts[-1].bias
    yield figure("wide-20-worst", worst, "error beyond certified bias", baseline=0.02, ratio=worst / 0.02,
                 bar="value <= 0.02")  # fmt: skip
    yield figure(
        "wide-20-bias", bias, "certified bias at order 7", baseline=0.05, ratio=bias / 0.05, bar="value <= 0.06"
    )


def order_four() -> Iterator[dict[str, Any]]:
    """All 4.09 million parities of at most 4 of 100 columns, end to end, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.wide"]
    seen = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    yield figure("order-4-time", seen["seconds"], "s", baseline=30, ratio=seen["seconds"] / 30, bar="value <= 30")
    yield figure(
        "order-4-memory", seen["peak"] / 2**30, "GiB", baseline=2, ratio=seen["peak"] / 2**31, bar="value <= 2"
    )
    for name in ("any", "at_least"):
        yield figure(f"ask-wide-{name}", seen[name], "ms", baseline=5, ratio=seen[name] / 5, bar="value <= 5")


def measure() -> None:
    """Prints what one order-4 release took, and the time of 15-way questions on an order-3 synopsis."""
    g = np.random.default_rng(1)
    bits = (g.random((50_000, 100)) < 0.2).astype(np.uint8)
    shape, vault = vault_of(bits)
    start = time.perf_counter()
    plan = ht.plan(shape, rows=50_000, workload="any_of(width=8, order=4)", budget=BUDGET)
    vault.release(plan, randomness=ht.Simulated(1))
    seconds, peak = time.perf_counter() - start, peak_bytes()
    plan = ht.plan(shape, rows=50_000, workload="predicates(width=15, order=3)", budget=BUDGET)
    synopsis = vault.release(plan, randomness=ht.Simulated(1))
    times: dict[str, float] = {}
    for name, form in (("any", "any({0})"), ("at_least", "at_least(3, {0})")):
        taken = []
        for _ in range(60):
            question = form.format(", ".join(f"x{c}" for c in g.choice(100, 15, replace=False)))
            begin = time.perf_counter()
            synopsis.ask(question)
            taken.append(time.perf_counter() - begin)
        times[name] = 1000 * statistics.median(taken[1:])
    print(json.dumps({"seconds": seconds, "peak": peak} | times))


if __name__ == "__main__":
    measure()

"""MWEM on 100 attributes, whose table has 2^100 cells: error, time and memory of factored hypotheses."""

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._memory import peak_bytes
from hushtable.models.weighted import WeightedModel

ATTRIBUTES, ROWS, ROUNDS = 100, 20_000, 25
WORKLOADS = {"parities": "parities(order=3)", "tables": "marginals(width=3)"}
SECONDS, GIB = 40, 2
# What no method can avoid here. Sampling: the farthest of 166,750 means of so many rows is about 5 standard errors
# from its expectation, of a yes/no query sqrt(1/4n), of a cell of chance 1/8 sqrt(7/64n). Noise: 4T/epsilon on a sum of
# signs (half that on a count) or on each of 8 cells, whose largest of m is about ln(m) times that.
NOISE = 4 * ROUNDS / ROWS
FLOOR = {
    "parities": max(5 * math.sqrt(1 / (4 * ROWS)), NOISE / 2 * math.log(ROUNDS)),
    "tables": max(5 * math.sqrt(7 / (64 * ROWS)), NOISE * math.log(8 * ROUNDS)),
}
FIGURES = tuple(f"mwem-wide-{name}-{what}" for name in WORKLOADS for what in ("error", "time", "memory"))


def run() -> Iterator[dict[str, Any]]:
    """Each in a process of its own, for its memory; the largest error over all answers, as a fraction."""
    for name in WORKLOADS:
        command = [sys.executable, "-m", "benchmarks.mwem_wide", name]
        seen = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        unit = f"largest error of {seen['answers']:,} answers; groups {seen['groups']}; mean error {seen['mean']:.2g}"
        yield figure(f"mwem-wide-{name}-error", seen["largest"], unit, baseline=FLOOR[name],
                     ratio=seen["largest"] / FLOOR[name], bar="ratio <= 1.5")  # fmt: skip
        yield figure(f"mwem-wide-{name}-time", seen["seconds"], "s", baseline=SECONDS,
                     ratio=seen["seconds"] / SECONDS, bar=f"value <= {SECONDS}")  # fmt: skip
        yield figure(f"mwem-wide-{name}-memory", seen["peak"] / 2**30, "GiB", baseline=GIB,
                     ratio=seen["peak"] / 2**30 / GIB, bar=f"value <= {GIB}")  # fmt: skip


def planted() -> np.ndarray:
    """Fair coins, but for ten biased attributes and one parity: attribute 2 agrees with 0 xor 1 in 9 of 10 rows."""
    g = np.random.default_rng(8)
    bits = g.random((ATTRIBUTES, ROWS)) < 0.5
    bits[2] = bits[0] ^ bits[1] ^ (g.random(ROWS) < 0.1)
    for attribute in range(10, 20):
        bits[attribute] = g.random(ROWS) < 0.5 + 0.03 * (attribute - 9)
    return bits


def measure(name: str) -> None:
    """Prints what one release took; its answers are judged after the clock and the memory were read."""
    import pyarrow as pa

    bits = planted()
    attributes = {f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(ATTRIBUTES)}
    shape = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    table = pa.table({f"x{i}": own for i, own in enumerate(bits)})
    start = time.perf_counter()
    plan = ht.plan(shape, rows=ROWS, workload=WORKLOADS[name], budget=ht.Budget(epsilon=1),
                   mechanism=f"mwem(rounds={ROUNDS}, cells={1 << 16})")  # fmt: skip
    model = ht.Vault(table, shape).release(plan, randomness=ht.Simulated(1)).model
    seconds, peak = time.perf_counter() - start, peak_bytes()
    assert isinstance(model, WeightedModel)
    groups = sorted(len(group.members) for group in model.hypothesis.together())
    apart = distances(model.hypothesis, bits, name)
    print(json.dumps({"seconds": seconds, "peak": peak, "groups": groups, "largest": float(apart.max()),
                      "mean": float(apart.mean()), "answers": len(apart)}))  # fmt: skip


def distances(hypothesis: Any, bits: np.ndarray, name: str) -> np.ndarray:
    """Not private: how far the hypothesis is from the table, for every even-parity share, or every cell."""
    from hushtable.maths.linear import WholeTables
    from hushtable.mechanisms.mwem.candidates import LinearCandidates, ParityCandidates

    sizes = (2,) * ATTRIBUTES
    all_of = ParityCandidates(sizes, 3) if name == "parities" else LinearCandidates(WholeTables.of_width(sizes, 3))
    sums = all_of.statistic.to_coordinates(all_of.statistic.accumulate(bits.astype(np.uint8)))
    apart = np.abs(sums / ROWS - all_of.expected(hypothesis))
    return apart[1:] / 2 if name == "parities" else apart


if __name__ == "__main__":
    measure(sys.argv[1])

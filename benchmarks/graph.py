"""Graphs: errors of cuts against their formula, how often bars hold, and what a large graph costs."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._memory import peak_bytes

FIGURES = ("graph-rms", "graph-held", "graph-community", "graph-release", "graph-memory", "graph-cut")
VERTICES, EDGES, GRAPHS, GROUPS, RELEASES = 1000, 10_000, 20, 40, 60
LARGE_VERTICES, LARGE_EDGES = 100_000, 1_000_000
ALONE = "degree-cuts(pairs=False)"


def run() -> Iterator[dict[str, Any]]:
    """Not private: the graphs are simulated, and answers are compared with them."""
    yield from errors()
    yield from communities()
    yield from large()


def shape(vertices: int) -> ht.Domain:
    ends = {"a": {"kind": "vertex", "between": [1, vertices]}, "b": {"kind": "vertex", "like": "a"}}
    return ht.Domain.from_dict({"table": "graph", "neighbours": "add-remove", "attributes": ends})


def simulated(seed: int, edges: int = EDGES) -> tuple[np.ndarray, np.ndarray]:
    """Weights i^-0.6, eight communities with four times the affinity, each pair at most once; and the communities."""
    source = np.random.default_rng(seed)
    weight, community = np.arange(1, VERTICES + 1) ** -0.6, source.integers(0, 8, VERTICES)
    small, large = np.triu_indices(VERTICES, 1)
    chance = weight[small] * weight[large] * np.where(community[small] == community[large], 4.0, 1.0)
    chosen = source.choice(len(small), edges, replace=False, p=chance / chance.sum())
    return np.stack([small[chosen], large[chosen]]), community


def cut_of(edges: np.ndarray, inside: np.ndarray) -> int:
    return int((inside[edges[0]] != inside[edges[1]]).sum())


def released(edges: np.ndarray, seed: int, mechanism: str | None) -> ht.Synopsis:
    domain = shape(VERTICES)
    plan = ht.plan(domain, rows=edges.shape[1], budget=ht.Budget(epsilon=1), mechanism=mechanism)
    table = pa.table({"a": edges[0] + 1, "b": edges[1] + 1})
    return ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed))


def errors() -> Iterator[dict[str, Any]]:
    """rms^2 = (1 - 2p)^2 |S| 8 / 0.9^2 + 4 |E| p^2 (1 - p)^2, at epsilon 1 of which degrees have nine tenths."""
    for share in (0.1, 0.02):
        missed, held = [], []
        for seed in range(GRAPHS):
            edges, _ = simulated(seed)
            synopsis, source = released(edges, seed, ALONE), np.random.default_rng(1000 + seed)
            for _ in range(GROUPS):
                inside = source.random(VERTICES) < share
                answer, truth = synopsis.ask(ht.Listed((1 + np.flatnonzero(inside)).tolist())), cut_of(edges, inside)
                low, high = answer.interval()
                missed.append(float(answer.value) - truth)
                held.append(bool(low <= truth <= high))
        rms, size = float(np.sqrt(np.mean(np.square(missed)))), share * VERTICES
        formula = ((1 - 2 * share) ** 2 * size * 8 / 0.81 + 4 * EDGES * (share * (1 - share)) ** 2) ** 0.5
        yield figure(f"graph-rms-{share:g}", rms, f"edges, rms; the formula says {formula:.1f}", baseline=formula,
                     ratio=rms / formula, bar="ratio <= 1.1")  # fmt: skip
        yield figure(f"graph-rms-{share:g}-least", rms, "the same, from below", baseline=formula, ratio=rms / formula,
                     bar="ratio >= 0.9")  # fmt: skip
        yield figure(f"graph-held-{share:g}", float(np.mean(held)), "share inside 95% intervals", baseline=0.95,
                     ratio=float(np.mean(held)) / 0.95, bar="value >= 0.93")  # fmt: skip


def communities() -> Iterator[dict[str, Any]]:
    """Groups that degrees are wrong about, asked unbiased of a release with pairs: bars hold all the same."""
    held = []
    edges, community = simulated(0, 5 * EDGES)
    for seed in range(RELEASES):
        synopsis = released(edges, seed, None)
        for number in range(8):
            inside = community == number
            names = ", ".join(map(str, 1 + np.flatnonzero(inside)))
            low, high = synopsis.ask(f"unbiased cut({names})").interval()
            held.append(bool(low <= cut_of(edges, inside) <= high))
    yield figure("graph-community", float(np.mean(held)), "share of communities inside unbiased 95% intervals",
                 baseline=0.95, ratio=float(np.mean(held)) / 0.95, bar="value >= 0.92")  # fmt: skip


def large() -> Iterator[dict[str, Any]]:
    """In a process of its own, whose memory is that of the release."""
    with tempfile.TemporaryDirectory() as folder:
        source = np.random.default_rng(1)
        ends = source.integers(1, LARGE_VERTICES + 1, (2, LARGE_EDGES))
        pq.write_table(pa.table({"a": ends[0], "b": ends[1]}), Path(folder) / "edges.parquet")
        code = f"from benchmarks.graph import large_alone; large_alone({folder!r})"
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    seconds, memory, cut = map(float, said)
    yield figure("graph-release", seconds, "s: 10^6 edges and 10^5 vertices released, read and saved", baseline=20,
                 ratio=seconds / 20, bar="ratio <= 1")  # fmt: skip
    yield figure("graph-memory", memory / 2**30, "GiB at most", baseline=2, ratio=memory / 2**31, bar="ratio <= 1")
    yield figure("graph-cut", 1000 * cut, "ms: the cut of 1,000 vertices", baseline=5, ratio=cut / 0.005,
                 bar="ratio <= 1")  # fmt: skip


def large_alone(folder: str) -> None:
    """Prints seconds, bytes and the seconds of one cut."""
    start, domain = time.perf_counter(), shape(LARGE_VERTICES)
    plan = ht.plan(domain, rows=LARGE_EDGES, budget=ht.Budget(epsilon=1))
    ht.Vault(f"{folder}/edges.parquet", domain).release(plan).save(f"{folder}/graph.hush")
    seconds = time.perf_counter() - start
    synopsis = ht.load(f"{folder}/graph.hush")
    group = np.random.default_rng(2).choice(LARGE_VERTICES, 1000, replace=False) + 1
    asked = ht.Listed(group.tolist())
    synopsis.ask(asked)
    start = time.perf_counter()
    for _ in range(20):
        synopsis.ask(asked)
    print(seconds, peak_bytes(), (time.perf_counter() - start) / 20)

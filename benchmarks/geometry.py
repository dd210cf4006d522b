"""Pure epsilon: errors of K-norm noise against formulas, Laplace noise and other plans, on Adult, and its time."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import best_of, figure
from benchmarks._tables import load
from hushtable.maths.geometry.bodies import ProductBody
from hushtable.maths.geometry.column_groups import planned_groups
from hushtable.maths.geometry.product_law import product_moments
from hushtable.mechanisms.geometry.levels import level_of
from hushtable.vault.door.joint_samplers import joint_noise
from hushtable.vault.door.randomness import Simulated

FIGURES = (
    "geometry-cube", "geometry-one-way", "geometry-pairs", "geometry-adult", "geometry-bits", "geometry-means",
    "geometry-coverage",
    "geometry-time", "geometry-factor",
)  # fmt: skip
SIZES = (2, 5, 6, 7, 9, 15, 16, 42)
EPSILON = ht.Budget(epsilon=1)
RELEASES = 50


def run() -> Iterator[dict[str, Any]]:
    yield from formulas()
    yield from adult()
    yield from bits()
    yield from means()
    yield from times()
    yield from factors()


def near(name: str, value: float, stated: float, unit: str = "rows, root of total squares") -> dict[str, Any]:
    """A figure that must be within 3% of a stated one."""
    ratio = max(value / stated, stated / value)
    return figure(name, value, unit, baseline=stated, ratio=ratio, bar="ratio <= 1.03")


def formulas() -> Iterator[dict[str, Any]]:
    """Exact draws on whole numbers against the values of the continuous law."""
    for d, stated, draws in ((10, 21.0, 4_000), (50, 210.2, 1_500)):
        randomness, body = Simulated(1), ProductBody((2,) * d)
        noise = np.array([joint_noise(body, Fraction(1), randomness)[::2] for _ in range(draws)], dtype=float)
        yield near(f"geometry-cube-{d}", math.sqrt((noise**2).sum(axis=1).mean()), stated)
    total = 0.0
    for group in planned_groups(SIZES, added=False):
        body = ProductBody(tuple(SIZES[p] for p in group.columns))
        moments = product_moments(body)
        total += sum(c * (s - 1) for c, s in zip(moments.contrasts, body.sizes, strict=True)) / group.share**2
    yield near("geometry-one-way", math.sqrt(total), 157.3)
    cells = np.array(list(product((0, 1), repeat=4)))
    sets = [s for k in (1, 2) for s in combinations(range(4), k)]
    core = np.array([cells[:, list(s)].sum(axis=1) % 2 for s in sets], dtype=np.int64)
    told = [(members, values) for members in sets for values in product((0, 1), repeat=len(members))]
    queries = np.array([(cells[:, list(members)] == values).all(axis=1) for members, values in told], dtype=float)
    moved, centred = (m - m.mean(axis=1, keepdims=True) for m in (core, queries))
    lift = np.linalg.lstsq(moved.T, centred.T, rcond=None)[0].T
    second = level_of(core, added=False).drawn.second
    yield near("geometry-pairs-of-4", math.sqrt(np.trace(lift @ second @ lift.T)), 24.4)


def observed(domain: ht.Domain, codes: dict[str, np.ndarray], plan: Any) -> tuple[float, float]:
    """Root mean square error of all cells over many releases, and the share of 95% intervals that hold."""
    import pyarrow as pa

    table = pa.table({name: [str(c) for c in column] for name, column in codes.items()})
    vault, squares, held = ht.Vault(table, domain), [], []
    truths = {name: np.bincount(column, minlength=domain.sizes[i]) for i, (name, column) in enumerate(codes.items())}
    for seed in range(RELEASES):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for name, truth in truths.items():
            answer = synopsis.ask(f"SELECT {name}, count(*) FROM t GROUP BY {name}")
            low, high = answer.interval()
            squares.append((answer.value - truth) ** 2)
            held.append((low <= truth) & (truth <= high))
    return math.sqrt(np.concatenate(squares).mean()), float(np.concatenate(held).mean())


def shape(sizes: dict[str, int], neighbours: str) -> ht.Domain:
    attributes = {
        name: {"kind": "category", "values": [str(c) for c in range(size)], "missing": "error"}
        for name, size in sizes.items()
    }
    return ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": attributes})


def compared(name: str, codes: dict[str, np.ndarray], sizes: dict[str, int], bars: dict[str, str]) -> Iterator[Any]:
    """The chosen plan, released again and again, against the forecast of the best other one."""
    rows = len(next(iter(codes.values())))
    for neighbours, bar in bars.items():
        domain = shape(sizes, neighbours)
        plan = ht.plan(domain, rows=rows, workload="marginals(width=1)", budget=EPSILON)
        others = [ht.plan(domain, rows=rows, workload="marginals(width=1)", budget=EPSILON, mechanism=m).design.error
                  for m in ("tables", "low-order")]  # fmt: skip
        error, share = observed(domain, codes, plan)
        yield figure(f"geometry-{name}-{neighbours}", error, "rows per cell", baseline=min(others),
                     ratio=min(others) / error, bar=bar)  # fmt: skip
        yield figure(f"geometry-coverage-{name}-{neighbours}", share, "of 95% intervals", baseline=0.95,
                     ratio=abs(share - 0.95) / 0.02, bar="ratio <= 1")  # fmt: skip


def adult() -> Iterator[dict[str, Any]]:
    loaded = load("adult")
    if loaded is None:
        print(json.dumps({"name": "geometry-adult", "skipped": "no adult_coded.csv.gz; set HUSHTABLE_DATA"}))
        return
    rows, sizes = loaded
    names = {name: f"c{i}" for i, name in enumerate(sizes)}
    codes = {names[name]: rows[name].to_numpy() for name in sizes}
    bars = {"replace": "ratio >= 1.1", "add-remove": "ratio >= 1"}
    yield from compared("adult", codes, {names[name]: size for name, size in sizes.items()}, bars)


def bits() -> Iterator[dict[str, Any]]:
    source = np.random.default_rng(1)
    codes = {f"b{i}": source.integers(0, 2, 20_000) for i in range(10)}
    yield from compared("bits", codes, dict.fromkeys(codes, 2), {"replace": "ratio >= 2", "add-remove": "ratio >= 1"})


def means() -> Iterator[dict[str, Any]]:
    """Means of ten columns between 0 and 10, against the forecast of Laplace noise on each; errors over the range."""
    import pyarrow as pa

    source, rows = np.random.default_rng(1), 20_000
    codes = {f"c{i}": source.beta(2, 2 + i, rows) * 10 for i in range(10)}
    number = {"kind": "number", "between": [0, 10], "bins": 4, "missing": "error"}
    for neighbours, bar in (("replace", "ratio >= 2"), ("add-remove", "ratio >= 1")):
        domain = ht.Domain.from_dict(
            {"table": "t", "neighbours": neighbours, "attributes": dict.fromkeys(codes, number)}
        )
        plans = [ht.plan(domain, rows=rows, workload=ht.Means(columns=tuple(codes)), budget=EPSILON, mechanism=by)
                 for by in (None, "smooth-direct")]  # fmt: skip
        vault, off, held = ht.Vault(pa.table(codes), domain), [], []
        for seed in range(RELEASES):
            synopsis = vault.release(plans[0], randomness=ht.Simulated(seed))
            for name, column in codes.items():
                answer = synopsis.ask(f"avg({name})")
                low, high = answer.interval()
                off.append((answer.value - column.mean()) / 10 * rows)
                held.append(low <= column.mean() <= high)
        error, other = math.sqrt(np.mean(np.square(off))), plans[1].design.error
        yield figure(
            f"geometry-means-{neighbours}", error, "rows x range", baseline=other, ratio=other / error, bar=bar
        )
        yield figure(f"geometry-coverage-means-{neighbours}", float(np.mean(held)), "of 95% intervals", baseline=0.95,
                     ratio=abs(np.mean(held) - 0.95) / 0.02, bar="ratio <= 1")  # fmt: skip


def times() -> Iterator[dict[str, Any]]:
    """One draw for 200 columns; planning and one draw for 16 random queries of 256 kinds of rows."""
    body, randomness = ProductBody((2,) * 200), Simulated(1)
    joint_noise(body, Fraction(1), randomness)
    seconds = best_of(5, lambda: joint_noise(body, Fraction(1), randomness))
    yield figure("geometry-time-200", seconds, "s", baseline=None, ratio=seconds / 0.05, bar="ratio <= 1")
    rows = np.random.default_rng(16_256).choice([-1, 1], size=(16, 256)).astype(np.int64)
    start = time.process_time()
    joint_noise(level_of(rows, added=True).body, Fraction(1), randomness)
    spent = time.process_time() - start
    yield figure("geometry-time-16-256", spent, "s of a core", baseline=None, ratio=spent, bar="ratio <= 1")


def factors() -> Iterator[dict[str, Any]]:
    """How far from the best, for every kind of workload of the README that has a certificate, on a small table."""
    attributes: dict[str, Any] = {f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(3)}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    aged = ht.Domain.from_dict(
        {"table": "t", "attributes": {"age": {"kind": "integer", "between": [0, 79], "bins": 8, "missing": "error"}}}
    )
    listed = ht.Linear(questions=["b0 AND b1", "b1 OR b2", "b0 AND NOT b2"])
    for name, of, workload in (
        ("marginals-1", domain, "marginals(width=1)"), ("marginals-2", domain, "marginals(width=2)"),
        ("parities", domain, "parities(order=2)"), ("ranges", aged, "ranges(attributes=[age])"),
        ("linear", domain, listed),
    ):  # fmt: skip
        plan = ht.plan(of, rows=50_000, workload=workload, budget=EPSILON, mechanism="k-norm")
        found = plan.optimality()
        assert found.factor is not None
        yield figure(f"geometry-factor-{name}", found.factor, f"times the best ({found.certificate}, k = {found.k})",
                     baseline=found.lower_bound, ratio=found.factor, bar="ratio >= 1")  # fmt: skip

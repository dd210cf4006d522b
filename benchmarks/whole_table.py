"""Whole tables: error of all three-way tables of a release and of its synthetic rows, time, memory, coverage."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._memory import peak_bytes
from benchmarks._tables import domain_of, load, of_rows, true_triples, variations
from hushtable.maths.weighted_rows.rare_design import WEIGHT_UNIT, Lengths, single_weights
from hushtable.mechanisms import mechanisms
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import SystemRandomness

# Table, epsilon, ordered codes, bar of the model, bar of the rows.
CASES = (
    ("adult", "1", True, 0.072, 0.079), ("adult", "0.1", True, 0.17, None), ("adult", "10", True, 0.046, None),
    ("adult8", "1", True, 0.031, 0.032), ("fire", "1", True, 0.031, None), ("salary", "1", True, 0.073, None),
    ("taxi_chicago", "1", True, 0.055, None), ("nltcs", "1", True, 0.0090, None),
    ("titanic", "1", True, 0.255, None), ("adult-permuted", "1", False, 0.080, None),
    # The bars of these two are what pairs alone had.
    ("nycflights", "1", True, 0.0298, None), ("diamonds", "1", True, 0.0532, None),
)  # fmt: skip
FIGURES = ("whole-table", *(f"whole-table-{name}-{epsilon}" for name, epsilon, *_ in CASES))
RELEASES = 5
# What (1, 1e-9) is worth in zero-concentrated privacy.
RHO = float(ht.Budget(epsilon="1", delta="1e-9").price.amount)
# CPU seconds, GiB; measured in a fresh process with compiled kernels.
COSTS = {"adult": (12.0, 1.5), "fire": (25.0, 4.0), "retail_top100": (240.0, 4.0)}


def run() -> Iterator[dict[str, Any]]:
    for name, epsilon, ordered, bar, rows_bar in CASES:
        if (found := load(name)) is None:
            print(json.dumps({"name": f"whole-table-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        yield from accuracy(name, epsilon, found, ordered=ordered, bar=bar, rows_bar=rows_bar)
    for name, (seconds, gibibytes) in COSTS.items():
        if load(name) is not None:
            yield from cost(name, seconds, gibibytes)


def release(codes: np.ndarray, domain: ht.Domain, epsilon: str) -> Any:
    """A model released with real randomness; the rows are in memory and no ledger is kept."""
    made = ht.plan(domain, workload=ht.WholeTable(), budget=ht.Budget(epsilon=epsilon, delta="1e-9"))

    class Free:
        def charge(self, price: object, *, what: str) -> None:
            """Nothing to charge."""

    door = Door(total=lambda s: s.accumulate(codes), unit=domain.unit, price=made.design.price, account=Free(),
                randomness=SystemRandomness())  # fmt: skip
    return mechanisms()[made.mechanism].release(door, domain, made.design)


def accuracy(
    name: str, epsilon: str, found: Any, *, ordered: bool, bar: float, rows_bar: float | None
) -> Iterator[dict[str, Any]]:
    frame, sizes = found
    codes, shape = np.array([frame[c] for c in sizes], dtype=np.uint16), list(sizes.values())
    domain, truth = ht.Domain.from_dict(domain_of(sizes, ordered=ordered)), true_triples(codes, shape)
    errors, by_rows, audited, inside = [], [], [], []
    for seed in range(RELEASES):
        model = release(codes, domain, epsilon)
        error = variations(model.cloud.table, truth)
        errors.append(error.mean())
        drawn = model.draw(round(model.total[0]), np.random.default_rng(seed))
        by_rows.append(variations(of_rows(drawn, shape), truth).mean())
        bounds = [model.audit.bound(t, shape, model.total[0]) for t in truth]
        audited.append(np.mean([e <= b.bias + 1.96 * b.stderr for e, b in zip(error, bounds, strict=True) if b]))
        inside.append(measured_inside(model, codes))
    label = f"whole-table-{name}-{epsilon}"
    mean, rows = float(np.mean(errors)), float(np.mean(by_rows))
    yield figure(f"{label}-model", mean, "mean total variation", baseline=bar, ratio=mean / bar, bar="ratio <= 1")
    limit = rows_bar or bar * 1.1
    yield figure(f"{label}-rows", rows, "mean total variation", baseline=limit, ratio=rows / limit, bar="ratio <= 1")
    held = float(np.mean(audited))
    yield figure(f"{label}-audit", held, "triples within their 95% bound", baseline=0.93, ratio=held / 0.93,
                 bar="value >= 0.93")  # fmt: skip
    covered = float(np.mean(inside))
    yield figure(f"{label}-coverage", covered, "measured cells inside 95% intervals", baseline=0.95,
                 ratio=abs(covered - 0.95), bar="ratio <= 0.02")  # fmt: skip


def measured_inside(model: Any, codes: np.ndarray) -> float:
    """Share of the cells of all measured tables whose true count lies in the 95% interval of its unbiased value."""
    from hushtable.models.whole_table.measured import moments_of_column, moments_of_pair

    hits, cells = 0, 0
    for raw in model.tables:
        one = raw.set
        if not one.members or len(one.members) > 2:  # of triples only the interaction was measured
            continue
        found = moments_of_column(model, one.members[0]) if raw.alone else moments_of_pair(model, raw)
        groups = [g[codes[j]] for j, g in zip(one.members, one.maps, strict=True)]
        true = np.bincount(np.ravel_multi_index(groups, one.shape), minlength=one.cells)
        hits += int((np.abs(found[0] - true) <= 1.96 * found[1]).sum())
        cells += one.cells
    return hits / cells


def cost(name: str, seconds: float, gibibytes: float) -> Iterator[dict[str, Any]]:
    """In a fresh process, on one thread; the second release, so that kernels are compiled."""
    program = f"import benchmarks.whole_table as w; w.alone({name!r})"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    seen = json.loads(out.splitlines()[-1])
    yield figure(f"whole-table-{name}-seconds", seen["cpu"], "CPU seconds", baseline=seconds,
                 ratio=seen["cpu"] / seconds, bar="ratio <= 1")  # fmt: skip
    yield figure(f"whole-table-{name}-memory", seen["gib"], "GiB", baseline=gibibytes, ratio=seen["gib"] / gibibytes,
                 bar="ratio <= 1")  # fmt: skip
    for against, most in (("contrasts", 0.5), ("cells", 0.5), ("exact", 1)):
        if against in seen:
            yield figure(f"whole-table-{name}-pairs-against-{against}", seen["pairs"],
                         "mean total variation of two columns", baseline=seen[against],
                         ratio=seen["pairs"] / seen[against], bar=f"ratio <= {most}")  # fmt: skip
    if "floor" in seen:
        print(json.dumps({"name": f"whole-table-{name}-floor", "value": seen["floor"],
                          "unit": "mean total variation of two columns if their dependence were known"}))  # fmt: skip


def alone(name: str) -> None:
    """One JSON line: CPU seconds and memory of a release; for a wide table its error on pairs and those of models
    that have spent everything on single columns and take them as independent."""
    frame, sizes = load(name)  # type: ignore[misc]
    codes, shape = np.array([frame[c] for c in sizes], dtype=np.uint16), list(sizes.values())
    domain = ht.Domain.from_dict(domain_of(sizes))
    small = codes[:, :2000]
    release(small, domain, "1")
    start = time.process_time()
    model = release(codes, domain, "1")
    seen = {"cpu": time.process_time() - start, "gib": peak_bytes() / 2**30}
    if len(shape) > 50:
        seen |= {
            "pairs": float(
                np.mean(
                    [pair_error(release(codes, domain, "1").cloud.table, codes) for _ in range(RELEASES - 1)]
                    + [pair_error(model.cloud.table, codes)]
                )
            )
        }
        seen |= independent(codes, RHO) | {"floor": floor(codes, RHO)}  # fmt: skip
    print(json.dumps(seen))


def pair_error(table: Any, codes: np.ndarray) -> float:
    """Mean total variation of all pairs of two-valued columns."""
    apart = []
    for i, j in combinations(range(len(codes)), 2):
        true = np.bincount(codes[i].astype(np.int64) * 2 + codes[j], minlength=4).reshape(2, 2) / codes.shape[1]
        apart.append(np.abs(table((i, j)) - true).sum() / 2)
    return float(np.mean(apart))


def independent(codes: np.ndarray, rho: float) -> dict[str, float]:
    """The same for independent columns: without noise, and with the whole price spent on cells or on contrasts.

    Noise on a column's two cells, or on their difference alone, of which one row is half as long.
    """
    random, (width, rows) = np.random.default_rng(), codes.shape
    ones = codes.sum(axis=1).astype(float)
    found = {"exact": [ones / rows], "cells": [], "contrasts": []}
    for _ in range(RELEASES):
        noise = random.normal(0, np.sqrt(width / (2 * rho)), (2, width))
        found["cells"].append((ones + noise[1]) / (rows + noise.sum(axis=0)))
        found["contrasts"].append((ones + random.normal(0, np.sqrt(width / (8 * rho)), width)) / rows)

    def error(p: np.ndarray) -> float:
        return pair_error(lambda t: np.outer([1 - p[t[0]], p[t[0]]], [1 - p[t[1]], p[t[1]]]), codes)

    return {name: float(np.mean([error(p) for p in several])) for name, several in found.items()}


def floor(codes: np.ndarray, rho: float) -> float:
    """The same if rare columns alone are measured, by the best weights and with the whole price, and all else is known:
    columns with a tenth of the rows or more, how long rows are, and how any two columns depend on each other."""
    random, rows = np.random.default_rng(), codes.shape[1]
    share = codes.mean(axis=1)
    rare = share < 0.1
    length = codes[rare].sum(axis=0)
    lengths = Lengths(
        np.bincount(length, minlength=rare.sum() + 1).astype(float), codes[rare][:, length == 1].sum(axis=1)
    )
    unit = 1 / np.sqrt(2 * rho)
    weights = single_weights(lengths, lengths.mean(1, int(rare.sum())), unit)
    kept = lengths.kept(weights, 1) * WEIGHT_UNIT
    noise = unit * np.sqrt((lengths.each(1) * weights.astype(float) ** 2).max()) / kept
    seen = (codes[rare] * weights[length]).sum(axis=1) / kept
    both = codes.astype(float) @ codes.T / rows - np.outer(share, share)
    found = []
    for _ in range(RELEASES):
        p = share.copy()
        p[rare] = (seen + random.normal(0, noise, len(seen))) / rows
        found.append(pair_error(lambda t, p=p: np.outer([1 - p[t[0]], p[t[0]]], [1 - p[t[1]], p[t[1]]])
                                + both[t] * np.array([[1, -1], [-1, 1]]), codes))  # fmt: skip
    return float(np.mean(found))

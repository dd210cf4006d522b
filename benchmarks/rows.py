"""Rows people can believe: rules, near-certain relations, columns that follow others, a focus, and how fast rows are
written.

`python -m benchmarks rows`; `rows-rules`, `rows-certain`, `rows-follows`, `rows-focus`, `rows-shape` and `rows-speed`
are its parts.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks import _shapes
from benchmarks._figure import figure
from benchmarks._ruled import Ruled, adult, coded, flights
from benchmarks._tables import DATA, domain_of, load, true_triples, variations
from hushtable.domain.impossible import rules_of
from hushtable.maths.weighted_rows import empty_cells, resolution
from hushtable.models.whole_table.whole_table import WholeTableModel
from hushtable.owner.rule_counts import broken_rules
from hushtable.owner.true_rows import read_rows
from hushtable.synopsis.rows import write_rows

RELEASES, DRAWN = 5, 1_000_000
BUDGET = ht.Budget(epsilon="1", delta="1e-9")
# Differences of two means of five releases below this are noise: a release's mean error varies by about 1%.
NOISE = 1.02
TABLES = {"adult": adult, "nycflights": flights, "taxi_chicago": lambda: coded("taxi_chicago", 20),
          "salary": lambda: coded("salary", 20)}  # fmt: skip
# The most that a tree may tell rows apart by, where numbers are declared by their range alone.
PROPENSITY = {"adult": 0.010, "diamonds": 0.006, "nycflights": 0.006, "california_housing": 0.006}
# Rows whose tables are compared: so many that their own chance does not show.
COMPARED = 300_000
FOCUS = {"adult": "marital-status", "taxi_chicago": "payment_type", "mushroom": "odor", "diamonds": "clarity",
         "salary": "organization-name", "german_credit": "class"}  # fmt: skip
# A weight of the focus beyond the one that is used, to show what more of it would do.
HEAVY = 8.0
FIGURES = ("rows", "rows-rules", "rows-certain", "rows-follows", "rows-focus", "rows-shape", "rows-speed",
           *(f"rows-rules-{name}" for name in TABLES),
           *(f"rows-certain-{name}" for name in TABLES), *(f"rows-focus-{name}" for name in FOCUS),
           *(f"rows-shape-{name}" for name in PROPENSITY))  # fmt: skip


def parts() -> dict[str, Callable[[], Iterator[dict[str, Any]]]]:
    """What can be run by itself: `python -m benchmarks rows-shape-diamonds`."""
    return {
        **{f"rows-rules-{name}": partial(_rules_of, name) for name in TABLES},
        **{f"rows-certain-{name}": partial(_certain_of, name) for name in TABLES},
        "rows-follows": follows,
        **{f"rows-focus-{name}": partial(focus, name, column) for name, column in FOCUS.items()},
        **{f"rows-shape-{name}": partial(shape, name) for name in PROPENSITY},
        "rows-speed": speed,
    }


def run(only: str | None = None) -> Iterator[dict[str, Any]]:
    if not DATA.exists():
        print(json.dumps({"name": "rows", "skipped": "no tables; set HUSHTABLE_DATA"}))
        return
    for name, part in parts().items():
        if only is None or name.startswith(only) or only.startswith(name):
            yield from part()


def _rules_of(name: str) -> Iterator[dict[str, Any]]:
    yield from rules(name, TABLES[name]())


def _certain_of(name: str) -> Iterator[dict[str, Any]]:
    yield from certain(name, TABLES[name]())


def released(rows: Any, domain: ht.Domain, workload: ht.WholeTable | None = None) -> tuple[ht.Synopsis, float]:
    """A release with real randomness and no ledger to keep, and its CPU seconds."""
    plan = ht.plan(domain, workload=workload or ht.WholeTable(), budget=BUDGET)
    with tempfile.TemporaryDirectory() as folder:
        vault, start = ht.Vault(rows, domain, ledger=Path(folder) / "l"), time.process_time()
        synopsis = vault.release(plan)
    return synopsis, time.process_time() - start


def tables_of(synopsis: ht.Synopsis) -> Callable[[tuple[int, ...]], np.ndarray]:
    """The tables of the released model."""
    assert isinstance(synopsis.model, WholeTableModel)
    return synopsis.model.cloud.table


def rules(name: str, found: Ruled) -> Iterator[dict[str, Any]]:
    """Rows against rules, error with and without them, and the time that they take."""
    frame, ruled = found
    free, rows = replace(ruled, impossible=()), pa.Table.from_pandas(frame, preserve_index=False)
    real = read_rows(rows, ruled)
    truth = true_triples(real.codes, list(ruled.sizes))
    errors: dict[bool, list[float]] = {True: [], False: []}
    seconds: dict[bool, list[float]] = {True: [], False: []}
    against: dict[bool, list[int]] = {True: [], False: []}
    released(rows.slice(0, 5_000), ruled)  # compiles
    for _ in range(RELEASES):
        for with_rules, domain in ((True, ruled), (False, free)):
            synopsis, cpu = released(rows, domain)
            errors[with_rules].append(float(variations(tables_of(synopsis), truth).mean()))
            seconds[with_rules].append(cpu)
            drawn = synopsis.sample(DRAWN if with_rules else 100_000)
            broken = broken_rules(replace(read_rows(drawn, free), domain=ruled))
            against[with_rules].append(sum(count.broken for count in broken) * (1 if with_rules else 10))
    without_rules = float(np.mean(against[False]))
    said = {"name": f"rows-rules-{name}", "rules": len(ruled.impossible),
            "real rows against them": sum(count.broken for count in broken_rules(real)),
            "of a million rows without them": without_rules}  # fmt: skip
    print(json.dumps(said), flush=True)
    yield figure(f"rows-rules-{name}-broken", float(np.max(against[True])), "of 1,000,000 rows break a rule",
                 baseline=without_rules, ratio=0.0, bar="value <= 0")  # fmt: skip
    with_, without = (float(np.mean(errors[each])) for each in (True, False))
    yield figure(f"rows-rules-{name}-error", with_, "mean error of three columns", baseline=without,
                 ratio=with_ / without, bar=f"ratio <= {NOISE}")  # fmt: skip
    took, before = (float(np.min(seconds[each])) for each in (True, False))
    yield figure(f"rows-rules-{name}-time", took, "CPU seconds", baseline=before, ratio=took / before,
                 bar="ratio <= 1.25")  # fmt: skip


def certain(name: str, found: Ruled) -> Iterator[dict[str, Any]]:
    """Rows against rules that nobody declared, and the error of all tables, with and without empty cells taken so."""
    frame, ruled = found
    free, rows = replace(ruled, impossible=()), pa.Table.from_pandas(frame, preserve_index=False)
    truth, known = true_triples(read_rows(rows, free).codes, list(free.sizes)), rules_of(ruled)
    against: dict[bool, list[float]] = {True: [], False: []}
    errors: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(RELEASES):
        for taken in (True, False):
            with patch.object(empty_cells, "SEEN", empty_cells.SEEN if taken else -np.inf):
                synopsis, _ = released(rows, free)
            errors[taken].append(float(variations(tables_of(synopsis), truth).mean()))
            assert isinstance(synopsis.model, WholeTableModel)
            drawn = synopsis.model.draw(COMPARED, np.random.default_rng())
            against[taken].append(sum(float(rule.holds(drawn).mean()) for rule in known) * DRAWN)
    mine, before = (float(np.mean(against[each])) for each in (True, False))
    yield figure(f"rows-certain-{name}-broken", mine, "of 1,000,000 rows break a rule that was not declared",
                 baseline=before, ratio=mine / before, bar="ratio <= 0.5")  # fmt: skip
    mine, before = (float(np.mean(errors[each])) for each in (True, False))
    yield figure(f"rows-certain-{name}-error", mine, "mean error of three columns", baseline=before,
                 ratio=mine / before, bar="ratio <= 1.01")  # fmt: skip


def follows() -> Iterator[dict[str, Any]]:
    """Adult with a column that another one fixes, three times over: the error of the other columns."""
    loaded = load("adult")
    if loaded is None:
        return
    frame, sizes = loaded
    fixed = np.arange(sizes["occupation"]) // 3
    rows = frame[list(sizes)].assign(**{f"kind{i}": fixed[frame["occupation"]] for i in range(3)})
    shape = domain_of(sizes)
    more = domain_of({f"kind{i}": int(fixed.max()) + 1 for i in range(3)})["attributes"]
    maps = {f"kind{i}": {"of": "occupation", "map": dict(enumerate(fixed.tolist()))} for i in range(3)}
    domains = {
        "without": shape,
        "declared": shape | {"attributes": shape["attributes"] | more, "follows": maps},
        "measured": shape | {"attributes": shape["attributes"] | more},
    }
    truth = true_triples(np.array([frame[c] for c in sizes], dtype=np.uint16), list(sizes.values()))
    errors: dict[str, list[float]] = {name: [] for name in domains}
    wrong: dict[str, list[float]] = {name: [] for name in domains}
    for _ in range(RELEASES):
        for name, parts in domains.items():
            synopsis, _ = released(pa.Table.from_pandas(rows), ht.Domain.from_dict(parts))
            errors[name].append(float(variations(tables_of(synopsis), truth).mean()))
            drawn = synopsis.sample(100_000).to_pandas()
            if "kind0" in drawn:
                differ = [drawn[f"kind{i}"] != fixed[drawn["occupation"]] for i in range(3)]
                wrong[name].append(float(np.logical_or.reduce(differ).mean()))
    mean = {name: float(np.mean(own)) for name, own in errors.items()}
    apart = {name: float(np.mean(own)) for name, own in wrong.items() if own}
    said = {"name": "rows-follows", "mean error of the other columns": mean, "rows that contradict": apart}
    print(json.dumps(said), flush=True)
    yield figure("rows-follows-error", mean["declared"], "mean error of three other columns", baseline=mean["without"],
                 ratio=mean["declared"] / mean["without"], bar=f"ratio <= {NOISE}")  # fmt: skip
    yield figure("rows-follows-contradictions", float(np.max(wrong["declared"])), "of rows contradict",
                 baseline=float(np.mean(wrong["measured"])), ratio=0.0, bar="value <= 0")  # fmt: skip


def focus(name: str, column: str) -> Iterator[dict[str, Any]]:
    """The score by a column with and without a focus on it, in points of 1,000, and the error of all tables."""
    loaded = load(name)
    if loaded is None:
        return
    frame, sizes = loaded
    domain, place = ht.Domain.from_dict(domain_of(sizes)), list(sizes).index(column)
    truth = true_triples(np.array([frame[c] for c in sizes], dtype=np.uint16), list(sizes.values()))
    inside = np.array([place in members for members in truth])
    found: dict[float, list[tuple[float, float]]] = {1.0: [], resolution.FOCUS: [], HEAVY: []}
    for _ in range(RELEASES):
        for weight, seen in found.items():
            workload = ht.WholeTable(focus=None if weight == 1 else (column,))
            with patch.object(resolution, "FOCUS", weight):
                synopsis, _ = released(pa.Table.from_pandas(frame[list(sizes)]), domain, workload)
            error = variations(tables_of(synopsis), truth)
            seen.append((float(error[inside].mean()), float(error.mean())))
    (before, all_before), (mine, whole), (heavy, all_heavy) = (np.mean(seen, axis=0) for seen in found.values())
    print(json.dumps({"name": f"rows-focus-{name}-weight-{HEAVY:g}", "points more": 1000 * (before - heavy),
                      "error of all": float(all_heavy / all_before)}), flush=True)  # fmt: skip
    yield figure(f"rows-focus-{name}", 1000 * (before - mine), f"points more in the score by {column}",
                 baseline=1000 * (1 - before), ratio=mine / before, bar="value >= 8")  # fmt: skip
    yield figure(f"rows-focus-{name}-all", float(whole), "mean error of three columns", baseline=float(all_before),
                 ratio=float(whole / all_before), bar="ratio <= 1.05")  # fmt: skip


def shape(name: str) -> Iterator[dict[str, Any]]:
    """Numbers by their range alone, beside bins at the true quantiles."""
    rows, parts = _shapes.shaped(name)
    table = pa.Table.from_pandas(rows, preserve_index=False)
    domains = {
        "ranges": ht.Domain.from_dict(parts),
        "quantiles": ht.Domain.from_dict(_shapes.at_quantiles(rows, parts)),
    }
    found: dict[str, list[_shapes.Shape]] = {each: [] for each in domains}
    for domain in domains.values():
        released(table.slice(0, 5_000), domain)  # compiles
    for _ in range(RELEASES):
        for each, domain in domains.items():
            synopsis, cpu = released(table, domain)
            drawn, many = (synopsis.sample(n).to_pandas() for n in (len(rows), COMPARED))
            found[each].append(_shapes.Shape.of(name, rows, drawn, many, cpu))
    mine, other = (_shapes.Shape.mean(found[each]) for each in ("ranges", "quantiles"))
    yield figure(f"rows-shape-{name}-propensity", mine.propensity, "propensity MSE", baseline=other.propensity,
                 ratio=mine.propensity / other.propensity, bar=f"value <= {PROPENSITY[name]}")  # fmt: skip
    yield figure(f"rows-shape-{name}-error", mine.error, "mean error of three columns, numbers at 13 quantiles",
                 baseline=other.error, ratio=mine.error / other.error, bar="ratio <= 1.03")  # fmt: skip
    yield figure(f"rows-shape-{name}-quantiles", mine.quantile, "of the range: worst quantile, median column",
                 baseline=other.quantile, ratio=mine.quantile / other.quantile, bar="value <= 0.02")  # fmt: skip
    yield figure(f"rows-shape-{name}-round", mine.kept, "of the mass on frequent values kept", baseline=other.kept,
                 ratio=mine.kept / max(other.kept, 1e-9), bar="value >= 0.9")  # fmt: skip
    yield figure(f"rows-shape-{name}-beyond", mine.beyond, "of values beyond the real range", baseline=other.beyond,
                 ratio=mine.beyond / max(other.beyond, 1e-9), bar="value <= 0.005")  # fmt: skip
    yield figure(f"rows-shape-{name}-time", mine.cpu, "CPU seconds", baseline=other.cpu, ratio=mine.cpu / other.cpu,
                 bar="ratio <= 1.15")  # fmt: skip


def speed() -> Iterator[dict[str, Any]]:
    """A million rows of Adult as files."""
    loaded = load("adult")
    if loaded is None:
        return
    frame, sizes = loaded
    synopsis, _ = released(pa.Table.from_pandas(frame[list(sizes)]), ht.Domain.from_dict(domain_of(sizes)))
    for ending in ("csv", "parquet"):
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            write_rows(synopsis, DRAWN, Path(folder) / f"rows.{ending}")
            took = time.process_time() - start
        yield figure(f"rows-speed-{ending}", took, "CPU seconds for a million rows", baseline=None, ratio=took / 10,
                     bar="value <= 10")  # fmt: skip

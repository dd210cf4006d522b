"""How many columns to measure together: the planned order of wide workloads against the best one, on real tables."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._tables import DATA
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.maths.wide.symmetric import sets_of
from hushtable.models.linear.low_order import LowOrderModel
from hushtable.questions.parse import parse

TABLES = {
    "nltcs": ("nltcs.csv.gz", 16),
    "retail": ("retail_top100.csv.gz", 100),
    "adult": ("adult.csv.gz", 100),
    "mushroom": ("mushroom.csv.gz", 60),
    "fire": ("fire.csv.gz", 40),
    "german": ("german_credit.csv", 40),
    "salary": ("salary.csv.gz", 30),
    "titanic": ("titanic.csv", 24),
    "rochdale": ("rochdale.csv", 8),
    "czech": ("czech.csv", 6),
}
FIGURES = tuple(f"order-{name}" for name in TABLES)
BUDGET = ht.Budget(epsilon=1, delta="1e-9")
ROWS, WIDTHS = (2000, 7000, 27_000, 88_162), (3, 5, 8, 12)
# Errors below this are as good as none: a ratio of two of them would say nothing.
FLOOR = 0.003
MOST_NUMBERS = 6_000_000
BLOCK = 256


def run() -> Iterator[dict[str, Any]]:
    for name, (file, columns) in TABLES.items():
        if not (DATA / file).exists():
            print(json.dumps({"name": f"order-{name}", "skipped": f"no {file}; set HUSHTABLE_DATA"}))
            continue
        planned, pairs = np.log(np.array(list(ratios(bits_of(DATA / file, columns))))).T
        mean, worst, fixed = (float(np.exp(x)) for x in (planned.mean(), planned.max(), pairs.mean()))
        unit = "times the error of the best order"
        yield figure(f"order-{name}", mean, f"{unit}, geometric mean; baseline: pairs", baseline=fixed,
                     ratio=mean / fixed, bar="value <= 1.5")  # fmt: skip
        yield figure(f"order-{name}-worst", worst, f"{unit}, largest", baseline=None, ratio=worst, bar="value <= 5")


def bits_of(path: Path, columns: int) -> np.ndarray:
    """One column a value (numbers in quarters), the most balanced ones; two-valued tables as they are."""
    frame = pandas.read_csv(path)
    if frame.max(numeric_only=True).max() <= 1 and not frame.select_dtypes("object").shape[1]:
        return frame.to_numpy(np.uint8)
    parts = []
    for name in frame.columns.difference(["split", "fnlwgt"], sort=False):
        values = frame[name]
        if values.dtype.kind in "if" and values.nunique() > 12:
            values = pandas.qcut(values, 4, labels=False, duplicates="drop")
        if values.nunique() <= 60:
            parts.append(pandas.get_dummies(values.astype(str)))
    bits = pandas.concat(parts, axis=1).to_numpy(np.uint8)
    return bits[:, np.sort(np.argsort(np.abs(bits.mean(axis=0) - 0.5), kind="stable")[:columns])]


def ratios(bits: np.ndarray) -> Iterator[tuple[float, float]]:
    """Not private: error at the planned order, and at order 2, over error at the best, in many settings."""
    g = np.random.default_rng(1)
    for rows in sorted({n for n in ROWS if n < len(bits)} | {min(len(bits), ROWS[-1])}):
        some = bits[g.choice(len(bits), rows, replace=False)]
        for width in (w for w in WIDTHS if w <= bits.shape[1]):
            for signed in (False, True):
                yield ratio(some, width, signed, g)


def ratio(bits: np.ndarray, width: int, signed: bool, g: np.random.Generator) -> tuple[float, float]:
    """Of random disjunctions, of columns as they are or each negated or not."""
    rows, d = bits.shape
    shape, workload = domain(d), f"any_of(width={width}{{}})"
    planned = ht.plan(shape, rows=rows, workload=workload.format(""), budget=BUDGET)
    chosen = planned.design.parameters.usual
    asked = [
        (g.choice(d, width, replace=False), g.random(width) < 0.5 * signed) for _ in range(max(10, 200_000 // rows))
    ]
    asked, errors = asked[:30], {}
    for order in sorted({*range(1, min(width - 1, 4) + 1), chosen, *({width} if width <= 8 and d <= 60 else ())}):
        if InteractionLayout.count(shape.sizes, order) <= MOST_NUMBERS:
            plan = ht.plan(shape, rows=rows, workload=workload.format(f", order={order}, calibration=0"), budget=BUDGET)
            off = [
                error(bits[:, columns], negated, order, plan.design.parameters.noise, g) for columns, negated in asked
            ]
            errors[order] = float(np.sqrt(np.mean(np.square(off)))) + FLOOR
    least = min(errors.values())
    return errors[chosen] / least, errors[2] / least


def error(bits: np.ndarray, negated: np.ndarray, order: int, noise: Any, g: np.random.Generator) -> float:
    """Of one question, from the numbers that a release of all columns would have about its own."""
    rows, width = bits.shape
    signs, sums = np.float32(1) - 2 * bits.astype(np.float32), [np.array([float(rows)])]
    for size in range(1, order + 1):
        sets = sets_of(width, size)
        sums.append(np.concatenate([_sums(signs, sets[a : a + BLOCK]) for a in range(0, len(sets), BLOCK)]))
    exact, own = np.concatenate(sums), domain(width)

    def model(numbers: np.ndarray) -> LowOrderModel:
        return LowOrderModel(
            domain=own, law=noise.law, order=order, group_scales=noise.per_group, width=width,
            coordinates=np.rint(numbers).astype(np.int64), basis=InteractionLayout(own.sizes, order).basis,
        )  # fmt: skip

    spread = np.sqrt(model(exact).variances[model(exact).scales.index])
    parts = [f"NOT x{i}" if no else f"x{i}" for i, no in enumerate(negated)]
    text = f"any({', '.join(parts)})"
    found = model(exact + g.normal(size=len(exact)) * spread).answer(parse(text, own))
    return float(found.value) - float((bits ^ negated.astype(np.uint8)).any(axis=1).mean())


def _sums(signs: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The sum over rows of the product of each set of columns."""
    products = signs[:, sets[:, 0]]
    for member in sets.T[1:]:
        products = products * signs[:, member]
    return np.asarray(products.sum(axis=0, dtype=np.float64))


def domain(columns: int) -> ht.Domain:
    bit = {"kind": "boolean", "missing": "error"}
    return ht.Domain.from_dict({"table": "t", "attributes": {f"x{i}": bit for i in range(columns)}})

"""Trees or low-order: errors of both on simulated and real tables of yes/no columns, and what released pairs say."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks import tree
from benchmarks._figure import figure
from benchmarks._tables import load
from hushtable.maths.trees.chow_liu import ChowLiu, frechet
from hushtable.models.tree import chances_of

FIGURES = ("tree-choice-error", "tree-choice-held", "tree-choice-left-out")
WIDTHS, ASKED, SEED = (3, 5, 8), 500, 1
MOST = 100
# Errors below this are as good as none.
LEAST = 1e-5
Bits = np.ndarray
Seen = dict[str, Any]


def run() -> Iterator[dict[str, Any]]:
    """Not private: answers are compared with the tables."""
    seen = {name: compared(make()) for name, make in TABLES.items()}
    for name, one in seen.items():
        for width in WIDTHS:
            ratio = one["tree"][width] / one["low-order"][width]
            yield figure(f"tree-choice-error-{name}-{width}", one["tree"][width],
                         f"mean absolute error of tree; low-order {one['low-order'][width]:.4g}; pairs are "
                         f"{one['worth']:.2f} times their noise from the model", baseline=one["low-order"][width],
                         ratio=ratio, bar="ratio >= 0")  # fmt: skip
        yield figure(f"tree-choice-held-{name}", one["held"], "share inside 95% intervals of tree, all widths",
                     baseline=0.95, ratio=one["held"] / 0.95, bar="ratio >= 0")  # fmt: skip
    for name, own in seen.items():
        limit = best_limit([one for other, one in seen.items() if other != name])
        yield figure(f"tree-choice-left-out-{name}", regret(own, limit),
                     f"error of the route taken over that of the better one; tree from {limit:.2f} on, chosen on the "
                     "other tables", baseline=1.0, ratio=regret(own, limit), bar="ratio >= 0")  # fmt: skip


def survey(source: np.random.Generator, rows: int) -> Bits:
    """Eight kinds of people, each with a chance of its own for every column."""
    weights = source.dirichlet(np.full(8, 2.0))
    base, effect = source.normal(-0.7, 1, MOST), source.normal(0, 1.3, (8, MOST))
    kind = source.choice(8, rows, p=weights)
    return np.array(source.random((rows, MOST)) < 1 / (1 + np.exp(-(base + effect[kind]))))


def simulated(make: Callable[[np.random.Generator, int], Bits]) -> Bits:
    return make(np.random.default_rng(SEED), tree.ROWS)


def real(name: str) -> Bits:
    """Its columns of two values as they are, and a column for every value of others; the most even ones."""
    table = load(name)
    if table is None:
        raise SystemExit(f"{name} is not here; HUSHTABLE_DATA names its folder")
    rows, sizes = table
    bits = [rows[c].to_numpy() == code for c, size in sizes.items() for code in range(size if size > 2 else 1)]
    even = sorted(range(len(bits)), key=lambda i: abs(float(bits[i].mean()) - 0.5))[:MOST]
    return np.stack([bits[i] for i in sorted(even)], axis=1)


TABLES: dict[str, Callable[[], Bits]] = {
    "factor": lambda: simulated(tree.factor),
    "basket": lambda: simulated(tree.basket),
    "survey": lambda: simulated(survey),
    "nltcs": lambda: real("nltcs"),
    "retail_top100": lambda: real("retail_top100"),
    "mushroom": lambda: real("mushroom"),
    "adult": lambda: real("adult"),
    "diamonds": lambda: real("diamonds"),
}


def compared(bits: Bits) -> Seen:
    """By mechanism and width the mean error of random sets, and how far pairs are from the model of a tree of them."""
    columns = bits.shape[1]
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(columns)}
    domain = ht.Domain.from_dict({"table": "t", "attributes": named})
    rows, source = pa.table({f"c{i}": bits[:, i] for i in range(columns)}), np.random.default_rng(99)
    sets = {width: random_sets(source, columns, width) for width in WIDTHS}
    truth = {width: np.array([bits[:, own].all(axis=1).mean() for own in sets[width]]) for width in WIDTHS}
    seen: Seen = {}
    for mechanism in ("tree", "low-order"):
        plan = ht.plan(domain, rows=len(bits), workload="all_of(width=8)", mechanism=mechanism,
                       budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
        synopsis = ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(SEED))
        seen[mechanism] = {width: float(np.abs(answers(synopsis, sets[width]) - truth[width]).mean())
                           for width in WIDTHS}  # fmt: skip
        if mechanism == "tree":
            seen["held"] = float(np.mean([held(synopsis, sets[width], truth[width]) for width in WIDTHS]))
            single, both, noise = chances_of(synopsis.model.pairs, 1)  # type: ignore[attr-defined]
            seen["worth"] = ChowLiu.fit(*frechet(single, both, 1 / len(bits))).residual() / noise
    return seen


def held(synopsis: ht.Synopsis, sets: Bits, truth: np.ndarray) -> float:
    low, high = synopsis.evaluate(sets).interval()
    return float(((low <= truth) & (truth <= high)).mean())


def answers(synopsis: ht.Synopsis, sets: Bits) -> np.ndarray:
    if synopsis.model.kind == "tree":
        return np.asarray(synopsis.evaluate(sets).value)
    asked = [f"all({', '.join(f'c{i}' for i in np.flatnonzero(own))})" for own in sets]
    return np.array([float(synopsis.ask(one).value) for one in asked])


def random_sets(source: np.random.Generator, columns: int, width: int) -> Bits:
    sets = np.zeros((ASKED, columns), dtype=bool)
    for own in sets:
        own[source.choice(columns, width, replace=False)] = True
    return sets


def regret(one: Seen, limit: float) -> float:
    """The error of the route that the limit takes over that of the better one, a geometric mean over widths."""
    route = "tree" if one["worth"] >= limit else "low-order"
    errors = {way: np.maximum([one[way][width] for width in WIDTHS], LEAST) for way in ("tree", "low-order")}
    return float(np.exp(np.mean(np.log(errors[route] / np.minimum(errors["tree"], errors["low-order"])))))


def best_limit(others: list[Seen]) -> float:
    """Between two neighbouring tables, that of least regret."""
    cuts = sorted(one["worth"] for one in others)
    limits = [cuts[0] / 2, *np.sqrt(np.multiply(cuts[1:], cuts[:-1])), cuts[-1] * 2]
    return float(min(limits, key=lambda limit: sum(np.log(regret(one, limit)) for one in others)))

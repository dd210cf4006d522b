"""One small synopsis of every mechanism, with questions that its model understands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

import hushtable as ht
from hushtable.domain import Domain
from hushtable.domain.dummy import dummy_rows

ROWS = 60
APPROX, RHO, PURE = ht.Budget(epsilon=20, delta="1e-6"), ht.Budget(rho="0.5"), ht.Budget(epsilon=1)
CLOSED = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
    "sex": {"kind": "category", "values": ["female", "male"], "other": True},
    "smoker": {"kind": "boolean", "other": True},
}
YES = {name: {"kind": "boolean", "missing": "error"} for name in ("near", "cheap", "new")}
URL = {"url": {"kind": "open"}}
RULES = {"choice": {"kind": "decision_list", "inputs": ["near", "cheap", "new"], "length": 2}}
SMOOTH = {
    "age": {"kind": "integer", "between": [0, 99], "bins": 4},
    "sex": {"kind": "category", "values": ["female", "male"], "other": True},
}
TABLES = ("age >= 65 AND smoker", "SELECT sex, count(*) FROM t GROUP BY sex", "SELECT avg(age) FROM t")
YESSES = ("near AND NOT cheap", "any(near, cheap)")
LISTS = ("url IN ('a1', 'b')", "url = 'a2'", "url IS NULL", "top(3)")
MEANS = ("SELECT avg(exp(-age / 40)) FROM t", "SELECT sex, avg(age) FROM t GROUP BY sex")


@dataclass(frozen=True)
class Specimen:
    """What is released, and what may be asked of it."""

    name: str
    attributes: dict
    workload: str | None
    mechanism: str | None
    budget: ht.Budget
    questions: tuple[str, ...]

    @property
    def domain(self) -> Domain:
        return Domain.from_dict({"table": "t", "attributes": self.attributes})

    def release(self) -> ht.Synopsis:
        """Not private: simulated."""
        plan = ht.plan(self.domain, rows=ROWS, workload=self.workload, mechanism=self.mechanism, budget=self.budget)
        return ht.Vault(rows(self.attributes), self.domain).release(plan, randomness=ht.Simulated(1))


def rows(attributes: dict, number: int = ROWS) -> pa.Table:
    g = np.random.default_rng(1)
    values = {
        "age": g.integers(0, 99, number),
        "sex": np.array(["female", "male"])[g.integers(0, 2, number)],
        "url": [f"a{i}" for i in g.zipf(1.5, number) % 50],
    }
    if "choice" in attributes:
        return pa.table(dummy_rows(Domain.from_dict({"table": "t", "attributes": attributes}), rows=number, seed=1))
    return pa.table({name: values.get(name, g.random(number) < 0.5) for name in attributes})


SPECIMENS = (
    Specimen("low-order", CLOSED, "marginals(width=2)", "low-order", RHO, TABLES),
    Specimen("predicates", CLOSED, "predicates(width=3, order=2)", "low-order", PURE, TABLES),
    Specimen("tables", CLOSED, "marginals(width=2)", "tables", PURE, TABLES),
    Specimen("histogram", CLOSED, "marginals(width=2)", "histogram", RHO, TABLES),
    Specimen("monomial", YES, "marginals(width=2)", "monomial", PURE, YESSES),
    Specimen("mwem", CLOSED, "marginals(width=2)", "mwem(rounds=3)", RHO, TABLES),
    Specimen("mwem-histogram", CLOSED, "marginals(width=2)", "mwem(rounds=2, start=histogram)", RHO, TABLES),
    Specimen("mwem-points", CLOSED, "marginals(width=2)", "mwem(rounds=2, points=50)", RHO, TABLES),
    Specimen("mwem-queries", CLOSED, "ranges(attributes=[age])", "mwem(rounds=2, unit=query)", PURE, TABLES[:1]),
    Specimen("parities", YES, "parities(order=2)", "mwem(rounds=2)", PURE, YESSES),
    Specimen("pair-rake", CLOSED, "whole_table()", "pair-rake", RHO, TABLES),
    Specimen("hash-sketch", URL, "sparse(size=5, buckets=256)", "hash-sketch", APPROX, LISTS),
    Specimen("stability-histogram", URL, "sparse(size=5)", "stability-histogram", APPROX, LISTS),
    Specimen("conjunctions", YES, "conjunctions(free=1, buckets=256)", "hash-sketch", PURE, ("near AND cheap",)),
    Specimen(
        "decision-lists",
        RULES,
        "decision_lists()",
        "decision-lists",
        PURE,
        ("decides(choice, near AND NOT cheap AND new)",),
    ),
    Specimen("smooth-spline", SMOOTH, "smooth(columns=[age], by=[sex])", "smooth-spline", RHO, MEANS),
    Specimen("smooth-cheb", SMOOTH, "smooth(columns=[age], t=4)", "smooth-cheb", RHO, MEANS[:1]),
    Specimen("smooth-paper", SMOOTH, "smooth(columns=[age], t=4)", "smooth-paper", PURE, MEANS[:1]),
    Specimen(
        "smooth-direct", SMOOTH, "smooth(columns=[age], examples=['exp(-age / 40)'])", "smooth-direct", RHO, MEANS[:1]
    ),
)


def list_counts(folder: Path) -> Specimen:
    """Lists that are known need a file."""
    (folder / "lists.txt").write_text("a1\ta2\nb\n")
    return Specimen("list-counts", URL, f"known_lists(file='{folder / 'lists.txt'}')", "list-counts", PURE, LISTS[:2])


def frozen_curator() -> tuple[ht.Synopsis, tuple[str, ...]]:
    """Not private: what a rehearsed curator learned, as a synopsis."""
    shape = Domain.from_dict({"table": "t", "attributes": CLOSED})
    curator = ht.Vault(rows(CLOSED), shape).curate(
        budget=ht.Budget(rho=40), updates=5, questions=100, way="hypothesis", randomness=ht.Simulated(1)
    )
    with curator:
        for text in ("age >= 65 AND smoker", "sex = 'male' AND smoker"):
            curator.ask(text)
        return curator.freeze(), TABLES


@cache
def released(folder: Path) -> dict[str, tuple[ht.Synopsis, tuple[str, ...]]]:
    """Every specimen's synopsis and questions, by name."""
    return dict(_released(folder))


def _released(folder: Path) -> Iterator[tuple[str, tuple[ht.Synopsis, tuple[str, ...]]]]:
    for specimen in (*SPECIMENS, list_counts(folder)):
        yield specimen.name, (specimen.release(), specimen.questions)
    yield "frozen", frozen_curator()

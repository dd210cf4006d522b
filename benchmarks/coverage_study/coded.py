"""Columns with codes: marginals, lists of counts, wide conditions and whole tables."""

from __future__ import annotations

from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked, Seen, ask_all
from .conditions import Truth, averages, cells, fractions, plain_averages, wide
from .held import Held
from .settings import Setting
from .tables import Table, draw

__all__ = ["learned", "linear", "marginals", "monomial", "odd", "one_way", "parities", "polynomials", "predicates",
           "ranges", "repeated", "whole_table"]  # fmt: skip


def repeated(setting: Setting, table: Table, asked: list[Asked], *, workload: Any, mechanism: str | None,
             budget: ht.Budget | None = None) -> Any:  # fmt: skip
    """Releases of one table by one plan, which differ in their seed alone."""
    domain = setting.domain(table.attributes)
    plan = ht.plan(domain, rows=setting.rows, workload=workload, mechanism=mechanism, budget=budget or setting.budget())
    vault, parsed = ht.Vault(Held(table.rows), domain), dict[str, Any]()

    def observe(seed: int) -> list[Seen]:
        return list(ask_all(vault.release(plan, randomness=ht.Simulated(seed)), asked, parsed))

    return observe


def _begun(setting: Setting, columns: int | None = None) -> tuple[Table, Truth, np.random.Generator]:
    table = draw(setting.table, setting.rows)
    table = table if columns is None else table.only(columns)
    return table, Truth(table), np.random.default_rng(setting.number)


def _all(table: Table, truth: Truth, source: np.random.Generator) -> list[Asked]:
    """Every kind of question about two columns."""
    return [
        *fractions(table, truth, source, many=6),
        *cells(table, truth, source, many=3),
        *averages(table, truth, source, many=3),
    ]


def marginals(setting: Setting, *, mechanism: str, columns: int | None = None) -> Any:
    """All tables of two columns."""
    table, truth, source = _begun(setting, columns)
    asked = _all(table, truth, source)
    return repeated(setting, table, asked, workload="marginals(width=2)", mechanism=mechanism)


def one_way(setting: Setting) -> Any:
    """All tables of single columns, by noise that shares its radius."""
    table, truth, source = _begun(setting)
    asked = [
        *fractions(table, truth, source, many=6, width=1),
        *cells(table, truth, source, many=4, width=1),
        *plain_averages(table, truth),
    ]
    return repeated(setting, table, asked, workload="marginals(width=1)", mechanism="k-norm")


def monomial(setting: Setting) -> Any:
    """The published wide mechanism, asked about what it measured."""
    table, truth, source = _begun(setting, 8)
    asked = [*fractions(table, truth, source, many=6), *cells(table, truth, source, many=3)]
    return repeated(setting, table, asked, workload="marginals(width=2)", mechanism="monomial")


def polynomials(setting: Setting) -> Any:
    """The general sanitizer at its whole degree, asked for any of three yes/no columns."""
    table, _, source = _begun(setting, 8)
    names = list(table.attributes)
    bits = np.array([table.rows.column(name).to_pylist() for name in names], dtype=bool)
    asked = []
    for _ in range(10):
        chosen = sorted(int(i) for i in source.choice(len(names), 3, replace=False))
        text, exact = f"polynomial({', '.join(names[i] for i in chosen)})", float(bits[chosen].any(axis=0).sum())
        asked.append(Asked("share of a query", text, exact / setting.rows, span=(0, 1)))
        asked.append(Asked("count of a query", text, exact, count=True, span=(0, setting.rows)))
    workload = "polynomials(family=any_of, width=3, degree=3)"
    return repeated(setting, table, asked, workload=workload, mechanism="polynomials")


def learned(setting: Setting, *, mechanism: str = "learned") -> Any:
    """Rules of one to three columns, drawn as those that were learned from."""
    table, _, source = _begun(setting, 8)
    names = list(table.attributes)
    bits = np.array([table.rows.column(name).to_pylist() for name in names], dtype=bool)
    asked = []
    for _ in range(20):
        chosen = source.choice(len(names), int(source.integers(1, 4)), replace=False)
        wanted = source.random(len(chosen)) < 0.5
        text = " AND ".join(f"{'' if yes else 'NOT '}{names[i]}" for i, yes in zip(chosen, wanted, strict=True))
        exact = float((bits[chosen] == wanted[:, None]).all(axis=0).mean())
        asked.append(Asked("share of a learned question", text, exact, span=(0, 1)))
    return repeated(setting, table, asked, workload="learned(language=all_of, width=3)", mechanism=mechanism)


def odd(setting: Setting) -> Any:
    """Parities of any of eight yes/no columns."""
    table, _, source = _begun(setting, 8)
    names = list(table.attributes)
    bits = np.array([table.rows.column(name).to_pylist() for name in names], dtype=bool)
    asked = []
    for _ in range(20):
        chosen = np.flatnonzero(source.random(len(names)) < 0.5)
        chosen = chosen if len(chosen) else np.array([0])
        text = f"parity({', '.join(names[i] for i in chosen)})"
        exact = float((bits[chosen].sum(axis=0) % 2).mean())
        asked.append(Asked("share of a parity", text, exact, span=(0, 1)))
    return repeated(setting, table, asked, workload="learned(language=parities)", mechanism="parity-rows")


def parities(setting: Setting) -> Any:
    """Yes/no columns, by mwem."""
    table, truth, source = _begun(setting, 8)
    asked = [*fractions(table, truth, source, many=THREE), *cells(table, truth, source, many=THREE // 2)]
    return repeated(setting, table, asked, workload="parities(order=2)", mechanism="mwem")


def ranges(setting: Setting) -> Any:
    """Intervals of one column of whole numbers, by mwem."""
    table, truth, source = _begun(setting, 3)
    name = next(iter(table.attributes))
    low, high = table.attributes[name]["between"]
    asked = []
    for _ in range(10):
        first, last = sorted(int(x) for x in source.integers(low, high + 1, 2))
        text = f"{name} BETWEEN {first} AND {last}"
        asked += _both(truth, text, "range")
    return repeated(setting, table, asked, workload=f"ranges(attributes=[{name}])", mechanism="mwem")


def linear(setting: Setting) -> Any:
    """A list of conditions on three columns, by mwem."""
    table, truth, source = _begun(setting, 5)
    listed = [one.question for one in fractions(table, truth, source, many=20, width=3) if not one.count]
    asked = [one for text in listed for one in _both(truth, text, "linear query")]
    return repeated(setting, table, asked, workload=ht.Linear(questions=listed), mechanism="mwem")


def _both(truth: Truth, text: str, kind: str) -> list[Asked]:
    exact = truth.number("count(*)", text)
    return [
        Asked(kind, text, exact / truth.rows, span=(0, 1)),
        Asked(f"{kind} count", text, exact, count=True, span=(0, truth.rows)),
    ]


def predicates(setting: Setting) -> Any:
    """Conditions on more columns than are measured together."""
    table, truth, source = _begun(setting, 8)
    asked = [*fractions(table, truth, source, many=4), *wide(table, truth, source, many=THREE // 3, width=6)]
    return repeated(setting, table, asked, workload="predicates(width=6)", mechanism="low-order")


def trees(setting: Setting) -> Any:
    """All of three to five columns, and pairs of them."""
    table, truth, source = _begun(setting, 8)
    names, asked = list(table.attributes), fractions(table, truth, source, many=4)
    bits = {name: np.array(table.rows.column(name).to_pylist(), dtype=bool) for name in names}
    for width in (3, 4, 5) * 3:
        chosen = [names[i] for i in source.choice(len(names), width, replace=False)]
        exact = float(np.mean(np.logical_and.reduce([bits[name] for name in chosen])))
        asked.append(Asked("all of several", f"all({', '.join(chosen)})", exact, span=(0, 1)))
    return repeated(setting, table, asked, workload="all_of(width=5)", mechanism="tree")


def whole_table(setting: Setting) -> Any:
    """What is released when nothing else is said."""
    table, truth, source = _begun(setting)
    asked = [*_all(table, truth, source), *_three(table, truth, source)]
    return repeated(setting, table, asked, workload="whole_table()", mechanism="pair-rake")


# Their bars hold for 95% of questions, and the same few are off in every release: so many are asked that one is few.
THREE = 24


def _three(table: Table, truth: Truth, source: np.random.Generator) -> list[Asked]:
    """Conditions on three columns, which a model answers from their pairs."""
    named = {"fraction": "fraction of three columns", "count": "count of three columns"}
    return [
        Asked(named[one.kind], one.question, one.truth, one.count, one.span)
        for one in fractions(table, truth, source, many=THREE, width=3)
    ]

"""Smooth columns: means of formulas, shares of categories and quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked, span_of
from .coded import repeated
from .conditions import Truth
from .settings import Setting
from .tables import Table, draw

__all__ = ["direct", "means", "paper"]

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)


def _parts(table: Table) -> tuple[list[str], str]:
    """The two numbers, and the category."""
    first, second, group = table.attributes
    return [first, second], group


def _formulas(table: Table, source: np.random.Generator) -> list[str]:
    """Bumps, soft steps and powers of one column, as wide as a release resolves."""
    found = []
    for name in _parts(table)[0]:
        low, high = span_of(table.attributes[name]) or (0.0, 1.0)
        middle, width = (f"{x:.6g}" for x in (source.uniform(low, high), (high - low) / 4))
        found += [f"exp(-(({name} - {middle}) / {width}) ** 2)", f"expit(({name} - {middle}) / {width})", name]
    return found


def _value(formula: str, table: Table) -> np.ndarray:
    """Not private: the formula's values on the rows; nan where a column has none."""
    names = {name: _column(table, name) for name in _parts(table)[0]}
    known = {"exp": np.exp, "expit": lambda x: 1 / (1 + np.exp(-x)), "__builtins__": {}}
    # The formulas are those written above, and nothing a user gave.
    return np.asarray(eval(formula, known, names), dtype=np.float64)


def _column(table: Table, name: str) -> np.ndarray:
    return table.rows.column(name).to_pandas().astype(float).to_numpy()


def _mean_questions(table: Table, source: np.random.Generator, *, groups: bool) -> list[Asked]:
    group = _parts(table)[1]
    codes = table.rows.column(group).to_pandas().astype(str).to_numpy()
    found = []
    for formula in _formulas(table, source):
        value = _value(formula, table)
        has = np.isfinite(value)
        column = next(name for name in _parts(table)[0] if name in formula)
        span = span_of(table.attributes[column]) if formula == column else (0.0, 1.0)
        gaps = ", column with gaps" if table.attributes[column].get("missing") != "error" else ""
        found.append(Asked(f"mean{gaps}", f"avg({formula})", float(value[has].mean()), span=span, may_refuse=True))
        if not groups:
            continue
        exact = {(str(one),): float(value[has & (codes == one)].mean()) for one in np.unique(codes[has])}
        text = f"SELECT {group}, avg({formula}) FROM t GROUP BY {group}"
        found.append(Asked(f"mean of groups{gaps}", text, exact, span=span, may_refuse=True))
    return found


def _share_questions(table: Table) -> list[Asked]:
    group, truth = _parts(table)[1], Truth(table)
    text = f"SELECT {group}, count(*) FROM t GROUP BY {group}"
    exact = truth.groups("count(*)", [group])
    shares = {labels: number / truth.rows for labels, number in exact.items()}
    return [Asked("share of a group", text, shares, span=(0, 1)),
            Asked("count of a group", text, exact, count=True, span=(0, truth.rows))]  # fmt: skip


def _quantile_questions(table: Table, source: np.random.Generator) -> list[Asked]:
    """Two levels of each column: a quantile takes longer than a release."""
    found = []
    for name in _parts(table)[0]:
        value = _column(table, name)
        value = value[np.isfinite(value)]
        for level in source.permutation(LEVELS)[:2]:
            exact = float(np.quantile(value, level, method="inverted_cdf"))
            span = span_of(table.attributes[name])
            found.append(Asked("quantile", f"quantile({name}, {level})", exact, span=span, may_refuse=True))
    return found


def means(setting: Setting, *, mechanism: str) -> Any:
    """Each number on its own, within the category."""
    table, source = draw(setting.table, setting.rows), np.random.default_rng(setting.number)
    (first, second), group = _parts(table)
    asked = [
        *_mean_questions(table, source, groups=True),
        *_share_questions(table),
        *_quantile_questions(table, source),
    ]
    workload = f"smooth(columns=[[{first}], [{second}]], by=[{group}])"
    return repeated(setting, table, asked, workload=workload, mechanism=mechanism)


def paper(setting: Setting) -> Any:
    """The published mechanism, corrected."""
    table, source = draw(setting.table, setting.rows), np.random.default_rng(setting.number)
    asked = [one for one in _mean_questions(table, source, groups=False) if _parts(table)[0][0] in one.question]
    workload = f"smooth(columns=[{_parts(table)[0][0]}], t=8)"
    return repeated(setting, table, asked, workload=workload, mechanism="smooth-paper")


def direct(setting: Setting) -> Any:
    """A few formulas that were named before the release."""
    table, source = draw(setting.table, setting.rows), np.random.default_rng(setting.number)
    formulas = _formulas(table, source)
    asked = _mean_questions(table, np.random.default_rng(setting.number), groups=False)
    workload = ht.Smooth(columns=_parts(table)[0], examples=tuple(formulas))
    return repeated(setting, table, asked, workload=workload, mechanism="smooth-direct")

"""Smooth columns: means of formulas, shares of categories and quantiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked, span_of
from .coded import repeated
from .conditions import Truth
from .settings import Setting
from .tables import Table, draw

__all__ = ["bounded", "direct", "many", "means", "paper", "quantiles"]

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
MANY_LEVELS = 16


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula of one column, and its values on the rows."""

    column: str
    text: str
    value: np.ndarray
    span: tuple[float, float]


def _parts(table: Table) -> tuple[list[str], str]:
    """The two numbers, and the category."""
    first, second, group = table.attributes
    return [first, second], group


def _formulas(table: Table, source: np.random.Generator) -> list[Formula]:
    """A bump, a soft step and the mean of each column, as wide as a release resolves."""
    found = []
    for name in _parts(table)[0]:
        low, high = span = span_of(table.attributes[name])
        at, width = round(float(source.uniform(low, high)), 6), (high - low) / 4
        column = _column(table, name)
        bump, step = np.exp(-(((column - at) / width) ** 2)), 1 / (1 + np.exp(-(column - at) / width))
        found.append(Formula(name, f"exp(-(({name} - {at}) / {width}) ** 2)", bump, (0.0, 1.0)))
        found.append(Formula(name, f"expit(({name} - {at}) / {width})", step, (0.0, 1.0)))
        found.append(Formula(name, name, column, span))
    return found


def _column(table: Table, name: str) -> np.ndarray:
    """Not private: nan where a row has no value."""
    return table.rows.column(name).to_pandas().astype(float).to_numpy()


def _mean_questions(table: Table, formulas: list[Formula], *, groups: bool) -> list[Asked]:
    """Means over the rows that have a value."""
    group = _parts(table)[1]
    codes = table.rows.column(group).to_pandas().astype(str).to_numpy()
    found = []
    for one in formulas:
        has = np.isfinite(one.value)
        gaps = "" if table.attributes[one.column].get("missing") == "error" else ", column with gaps"
        exact = float(one.value[has].mean())
        found.append(Asked(f"mean{gaps}", f"avg({one.text})", exact, span=one.span, may_refuse=True))
        if groups:
            each = {(str(code),): float(one.value[has & (codes == code)].mean()) for code in np.unique(codes[has])}
            text = f"SELECT {group}, avg({one.text}) FROM t GROUP BY {group}"
            found.append(Asked(f"mean of groups{gaps}", text, each, span=one.span, may_refuse=True))
    return found


def _share_questions(table: Table) -> list[Asked]:
    group, truth = _parts(table)[1], Truth(table)
    text = f"SELECT {group}, count(*) FROM t GROUP BY {group}"
    exact = truth.groups("count(*)", [group])
    shares = {labels: number / truth.rows for labels, number in exact.items()}
    return [Asked("share of a group", text, shares, span=(0, 1)),
            Asked("count of a group", text, exact, count=True, span=(0, truth.rows))]  # fmt: skip


def _quantile_questions(table: Table) -> list[Asked]:
    """Five levels of each column."""
    return [one for name in _parts(table)[0] for one in _quantiles_of(table, name, LEVELS)]


def _quantiles_of(table: Table, name: str, levels: Iterable[float]) -> Iterator[Asked]:
    """Of the rows that have a value."""
    value, span = _column(table, name), span_of(table.attributes[name])
    value = value[np.isfinite(value)]
    for level in levels:
        exact = float(np.quantile(value, level, method="inverted_cdf"))
        yield Asked("quantile", f"quantile({name}, {level})", exact, span=span, may_refuse=True)


def _begun(setting: Setting) -> tuple[Table, list[Formula]]:
    table = draw(setting.table, setting.rows)
    return table, _formulas(table, np.random.default_rng(setting.number))


def means(setting: Setting, *, mechanism: str) -> Any:
    """Each number on its own, within the category."""
    table, formulas = _begun(setting)
    (first, second), group = _parts(table)
    asked = [
        *_mean_questions(table, formulas, groups=True),
        *_share_questions(table),
        *_quantile_questions(table),
    ]
    workload = f"smooth(columns=[[{first}], [{second}]], by=[{group}])"
    return repeated(setting, table, asked, workload=workload, mechanism=mechanism)


def quantiles(setting: Setting) -> Any:
    """One number alone, which is how quantiles of small tables are to be released; other levels for each setting."""
    table = draw(setting.table, setting.rows)
    name = _parts(table)[0][setting.number % 2]
    levels = np.random.default_rng(setting.number).uniform(0.04, 0.96, MANY_LEVELS).round(3).tolist()
    asked = list(_quantiles_of(table, name, levels))
    return repeated(setting, table, asked, workload=f"smooth(columns=[{name}])", mechanism="smooth-spline")


def many(setting: Setting) -> Any:
    """Both numbers together, of which a sparse release has only some combinations."""
    table, formulas = _begun(setting)
    (first, second), group = _parts(table)
    asked = _mean_questions(table, formulas, groups=True)
    workload = f"smooth(columns=[{first}, {second}], by=[{group}], t=17)"
    return repeated(setting, table, asked, workload=workload, mechanism="smooth-sparse")


def paper(setting: Setting) -> Any:
    """The published mechanism, corrected, on one column."""
    table, formulas = _begun(setting)
    name = _parts(table)[0][0]
    asked = _mean_questions(table, [one for one in formulas if one.column == name], groups=False)
    return repeated(setting, table, asked, workload=f"smooth(columns=[{name}], t=8)", mechanism="smooth-paper")


def direct(setting: Setting) -> Any:
    """A few formulas that were named before the release."""
    table, formulas = _begun(setting)
    asked = _mean_questions(table, formulas, groups=False)
    workload = ht.Smooth(columns=tuple(_parts(table)[0]), examples=tuple(one.text for one in formulas))
    return repeated(setting, table, asked, workload=workload, mechanism="smooth-direct")


def bounded(setting: Setting) -> Any:
    """The means of columns, and nothing else."""
    table, formulas = _begun(setting)
    columns = tuple(_parts(table)[0])
    asked = _mean_questions(table, [one for one in formulas if one.text in columns], groups=False)
    return repeated(setting, table, asked, workload=ht.Means(columns=columns), mechanism="k-norm")

"""Dummy rows: fake rows from a domain alone, uniform over its codes, to try a pipeline without any data."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from ..errors import BadPlan
from ..files import new_file
from . import Domain
from .attributes import Attribute, Ordered, Uncoded
from .decision_list import DecisionList
from .vertex import Vertex

__all__ = ["dummy_rows", "write_dummy"]


def dummy_rows(domain: Domain, *, rows: int, seed: int) -> dict[str, list[str]]:
    """Column name to `rows` values as text; a missing value is an empty text."""
    if rows < 1:
        raise BadPlan(f"rows must be at least 1, not {rows}")
    generator = np.random.default_rng(seed)
    codes, made = {}, {}
    for a in domain.attributes:
        codes[a.name] = generator.integers(0, max(1, a.size), rows)
        made[a.name] = [_value(a, int(c), generator) for c in codes[a.name]]
    for follower in domain.followers:
        root = codes[domain.closed[follower.root].name]
        made[follower.name] = [follower.texts[code] or "" for code in root.tolist()]
    return {column.name: made[column.name] for column in domain.every_column}


def write_dummy(domain: Domain, *, rows: int, path: str | Path, seed: int) -> None:
    """The rows as a CSV file."""
    columns = dummy_rows(domain, rows=rows, seed=seed)
    with new_file(path) as file, io.TextIOWrapper(file, newline="", encoding="utf-8") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _value(attribute: Attribute, code: int, generator: np.random.Generator) -> str:
    """A value with this code; numbers are drawn inside their bin."""
    if isinstance(attribute, Uncoded):
        return _uncoded(attribute, generator)
    if code == attribute.missing_code:
        return ""
    if code == attribute.other_code:
        return "undeclared"
    if isinstance(attribute, Ordered):
        low, high = attribute.bin_bounds()[code]
        if attribute.steps:
            return attribute.text(low + int(generator.integers(0, min(int(high - low) + 1, 2**62))))
        return repr(float(low) + (float(high) - float(low)) * float(generator.random()))
    return attribute.values[code]


def _uncoded(attribute: Uncoded, generator: np.random.Generator) -> str:
    """One of a million names, a vertex, or a decision list of any length about distinct inputs."""
    if isinstance(attribute, Vertex):
        return attribute.label(int(generator.integers(attribute.count)))
    if not isinstance(attribute, DecisionList):
        return f"{attribute.name}-{generator.integers(0, 10**6)}"
    tested = generator.permutation(len(attribute.inputs))[: generator.integers(0, attribute.most_rules + 1)]
    rules = [f"{'!' * int(generator.integers(2))}{attribute.inputs[i]}:{generator.integers(2)}" for i in tested]
    return ", ".join([*rules, f"default:{generator.integers(2)}"])

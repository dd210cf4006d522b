"""Dummy rows: fake rows from a domain alone, uniform over its codes but for rules, to try a pipeline without data."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BadPlan
from ..files import new_file
from . import Domain
from .attributes import Attribute, Binned, Ordered, Uncoded, number_in
from .decision_list import DecisionList
from .impossible import events_of
from .rule_text import rule_texts
from .vertex import Vertex

__all__ = ["dummy_rows", "write_dummy"]

# How often columns of rows that break a rule are drawn again.
MOST_TRIES = 500


def dummy_rows(domain: Domain, *, rows: int, seed: int) -> dict[str, list[str]]:
    """Column name to `rows` values as text; a missing value is an empty text."""
    if rows < 1:
        raise BadPlan(f"rows must be at least 1, not {rows}")
    generator = np.random.default_rng(seed)
    made: dict[str, list[str]] = {}
    codes = np.zeros((len(domain.closed), rows), dtype=np.int64)
    for a in domain.attributes:
        own = generator.integers(0, max(1, a.size), rows)
        made[a.name] = [_value(a, int(c), generator) for c in own]
        if not isinstance(a, Uncoded):
            codes[domain.position(a.name)] = own
    if domain.impossible or domain.always:
        _keep_rules(domain, codes, made, generator)
    for follower in domain.followers:
        made[follower.name] = [follower.texts[code] or "" for code in codes[follower.root].tolist()]
    return {column.name: made[column.name] for column in domain.every_column}


def _keep_rules(
    domain: Domain, codes: NDArray[np.int64], made: dict[str, list[str]], generator: np.random.Generator
) -> None:
    """Draws one column of a broken rule again, at random, until no row breaks any; BadPlan where that has no end."""
    rules = rule_texts(domain)
    touched = [sorted({e.position for e in events_of(rule.predicate) if e.position < len(codes)}
                      | {p for test in rule.tests for p in (test.left, test.right)}) for rule in rules]  # fmt: skip

    def numbers(place: int) -> NDArray[np.float64]:
        attribute = domain.closed[place]
        assert isinstance(attribute, Ordered)
        read = number_in if isinstance(attribute, Binned) else attribute.number
        found = (read(text) if text else None for text in made[attribute.name])
        return np.array([float("nan") if number is None else float(number) for number in found])

    for _ in range(MOST_TRIES):
        sound = True
        for rule, places in zip(rules, touched, strict=True):
            for row in np.flatnonzero(rule.by_values(codes, numbers)).tolist():
                place, sound = places[int(generator.integers(len(places)))], False
                attribute = domain.closed[place]
                codes[place, row] = generator.integers(0, attribute.size)
                made[attribute.name][row] = _value(attribute, int(codes[place, row]), generator)
        if sound:
            return
    raise BadPlan("no random rows were found that keep the rules of the domain; hush domain check says which conflict")


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

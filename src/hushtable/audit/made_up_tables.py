"""Made-up tables: rows of every kind that a domain allows, and sums over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from ..domain import Domain
from ..domain.attributes import Attribute, Ordered, Uncoded
from ..domain.decision_list import DecisionList
from ..domain.vertex import Vertex
from ..vault.coding import read_keys
from ..vault.statistics import Statistic
from ..vault.statistics.base import T, Total, add_up

__all__ = ["MadeUpTable", "Row", "possible_rows"]

Row = tuple[str | None, ...]
MOST_SUMS = 16
# Names that open columns take: some often asked for, some never.
NAMES = tuple(f"key-{i}" for i in range(6))


class MadeUpTable:
    """Some rows of a domain, as text. Nobody is in them."""

    def __init__(self, domain: Domain, rows: Sequence[Row]) -> None:
        self.domain, self.rows = domain, tuple(rows)
        columns = zip(*rows, strict=True) if rows else [[] for _ in domain.attributes]
        self._columns = {
            a.name: pa.array(list(column), pa.string()) for a, column in zip(domain.attributes, columns, strict=True)
        }
        # Simulated releases ask for the same sums again and again.
        self._last: dict[int, tuple[Total[Any], Any]] = {}

    def batch(self, names: Sequence[str]) -> pa.RecordBatch:
        """Some columns."""
        return pa.RecordBatch.from_arrays([self._columns[name] for name in names], names=list(names))

    def total(self, wanted: Total[T], /) -> T:
        """The total over all rows."""
        known = self._last.get(id(wanted))
        if known is not None:
            sums: T = known[1]
            return sums
        batches = [self.batch(wanted.columns(self.domain))] if self.rows else []
        sums = add_up(wanted, (wanted.accumulate(wanted.read(batch, self.domain)) for batch in batches))
        if len(self._last) >= MOST_SUMS:
            self._last.clear()
        self._last[id(wanted)] = wanted, sums
        return sums

    def coordinates(self, statistic: Statistic) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The statistic's coordinates."""
        return statistic.own_part(statistic.whole.to_coordinates(self.total(statistic.whole)))

    def keys(self, attributes: Sequence[Attribute]) -> Counter[bytes]:
        """How often each key occurs."""
        if not self.rows:
            return Counter()
        return Counter(read_keys(attributes, self.batch([a.name for a in attributes])).to_pylist())

    def replaced(self, gone: Sequence[Row], new: Sequence[Row]) -> MadeUpTable:
        """The table of somebody who differs in one person: her rows are gone and others are there."""
        rows = list(self.rows)
        for row in gone:
            rows.remove(row)
        return MadeUpTable(self.domain, [*rows, *new])


def possible_rows(domain: Domain, *, most: int, seed: int) -> list[Row]:
    """Every combination of telling values, or `most` of them at random with the corners among them."""
    values = [telling_values(a) for a in domain.attributes]
    if prod(map(len, values)) <= most:
        return list(product(*values))
    chance = np.random.default_rng(seed)
    corners = [tuple(v[0] for v in values), tuple(v[-1] for v in values)]
    drawn = [tuple(v[chance.integers(len(v))] for v in values) for _ in range(most)]
    return list(dict.fromkeys([*corners, *drawn]))


def telling_values(attribute: Attribute) -> list[str | None]:
    """One value a code; of numbers both ends of every bin; of open columns a few names."""
    if isinstance(attribute, DecisionList):
        return _decision_lists(attribute)
    if isinstance(attribute, Vertex):
        return [*map(attribute.label, range(attribute.count)), "undeclared", None]
    if isinstance(attribute, Uncoded):
        return list(NAMES)
    if isinstance(attribute, Ordered):
        ends = [end for low, high in attribute.bin_bounds()[: attribute.size] for end in (low, high)]
        inside = [_written(attribute, end) for end in dict.fromkeys(ends)]
        telling: list[str | None] = [v for v in inside if attribute.code(v) is not None]
    else:
        telling = list(attribute.values)
    telling += ["undeclared"] if attribute.other_code is not None else []
    return telling + ([None] if attribute.missing_code is not None else [])


def _written(attribute: Ordered, number: Fraction) -> str:
    return attribute.text(number) if attribute.steps else repr(float(number))


def _decision_lists(attribute: DecisionList) -> list[str | None]:
    """All lists of at most two rules."""
    rules = [f"{sign}{name}:{out}" for name in attribute.inputs for sign in ("", "!") for out in (0, 1)]
    longer = [f"{a}, {b}" for a in rules for b in rules if a.split(":")[0].strip("!") != b.split(":")[0].strip("!")]
    shortest: list[str | None] = [f"default:{out}" for out in (0, 1)]
    return shortest + [f"{rule}, default:{out}" for rule in [*rules, *longer] for out in (0, 1)]

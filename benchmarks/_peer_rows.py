"""Rows of a graphical model of mbi, as its makers repaired them in 2.0.0, for peers that are bound to 1.1.0.

`synthetic_data` of mbi 1.1.0 gives every row of a group the same rank for each column that depends on the group, so
columns that are independent there come out in lockstep; and it forgets the links that the junction tree adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np


@contextmanager
def repaired() -> Iterator[None]:
    """Inside, models of mbi 1.1.0 draw their rows by `rows_of`; other versions are left as they are."""
    try:
        broken = version("mbi") == "1.1.0"
    except PackageNotFoundError:  # a peer with a copy of its own, or none
        broken = False
    if not broken:
        yield
        return
    from mbi import Dataset, MarkovRandomField

    before = MarkovRandomField.synthetic_data

    def synthetic_data(self: Any, rows: int | None = None, method: str = "round") -> Any:
        return Dataset(rows_of(self, max(1, int(rows or self.total))), self.domain)

    MarkovRandomField.synthetic_data = synthetic_data
    try:
        yield
    finally:
        MarkovRandomField.synthetic_data = before


def rows_of(model: Any, count: int) -> dict[str, np.ndarray]:
    """Codes by column. In each group the shares of the values are the model's up to rounding, in random order."""
    from mbi import junction_tree, marginal_oracles

    source = np.random.default_rng()
    tree, order = junction_tree.make_junction_tree(model.domain, [set(c) for c in model.cliques])
    tables = marginal_oracles.message_passing_stable(model.potentials.expand(list(tree.nodes)))
    rows: dict[str, np.ndarray] = {}
    for column in reversed(order):
        given = tuple(c for c in rows if any({c, column} <= set(node) for node in tree.nodes))
        table = np.asarray(tables.project((*given, column)).datavector(flatten=False), dtype=float)
        group = np.zeros(count, dtype=np.int64)
        if given:
            group = np.ravel_multi_index([rows[c] for c in given], table.shape[:-1])
        shuffled = np.lexsort((source.random(count), group))
        ordered = group[shuffled]
        rank = np.arange(count) - np.searchsorted(ordered, ordered)
        place = (rank + source.random(count)) / np.bincount(group)[ordered]
        sums = table.reshape(-1, table.shape[-1]).cumsum(axis=1)[ordered]
        below = place[:, None] * sums[:, -1:] >= sums[:, :-1]
        rows[column] = np.empty(count, dtype=np.int64)
        rows[column][shuffled] = below.sum(axis=1)
    return {c: rows[c] for c in model.domain.attrs}

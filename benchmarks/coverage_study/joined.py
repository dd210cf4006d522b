"""Graphs: rows that are edges. They are simulated: 60 vertices, some with many edges, all pairs possible once."""

from __future__ import annotations

from typing import Any

import numpy as np

from .asked import Asked
from .coded import repeated
from .settings import Setting
from .tables import draw

__all__ = ["cuts"]


def cuts(setting: Setting) -> Any:
    """Cuts of random groups and degrees; a drawn table repeats edges, which its bars are told."""
    table = draw(setting.table, setting.rows)
    ends = np.array([table.rows.column(name).to_pylist() for name in ("a", "b")])
    vertices = table.attributes["a"]["between"][1]
    pairs = np.sort(ends, axis=0)
    repeats = int(np.unique(pairs, axis=1, return_counts=True)[1].max())
    source, asked = np.random.default_rng(setting.number), [Asked("edges", "edges()", float(ends.shape[1]))]
    for _ in range(15):
        group = np.flatnonzero(source.random(vertices) < source.choice([0.1, 0.3, 0.5])) + 1
        inside = np.isin(ends, group)
        exact = float((inside[0] != inside[1]).sum())
        asked.append(Asked("cut", f"cut({', '.join(map(str, group))})", exact, span=(0, ends.shape[1])))
        vertex = int(source.integers(1, vertices + 1))
        asked.append(Asked("degree", f"degree({vertex})", float((ends == vertex).sum()), span=(0, ends.shape[1])))
    return repeated(setting, table, asked, workload=f"cuts(repeats={repeats})", mechanism="degree-cuts")

"""Comparing with the rows: exact tables for the owner's report. Not private: for the owner's eyes only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..vault.sources import Progress, open_source
from ..vault.statistics.grouped_tables import GroupedTables

__all__ = ["true_tables"]


def true_tables(
    data: str | Path | Any, domain: Domain, sets: list[tuple[int, ...]], progress: Progress | None = None
) -> list[NDArray[np.float64]]:
    """True shares of the cells of each table. Not private: nothing is noisy and nothing is charged."""
    source = open_source(data, domain)
    source.check(domain.nameless)  # sampled rows have no column that tells people apart
    grouped = [GroupedSet(s, tuple(np.arange(domain.sizes[j]) for j in s)) for s in sets]
    statistic = GroupedTables(domain.sizes, grouped)
    counts = source.total(statistic, domain, progress)
    rows = max(statistic.rows(counts), 1)
    parts = np.split(counts, statistic.starts[1:-1])
    return [part.reshape(table.shape) / rows for part, table in zip(parts, grouped, strict=True)]

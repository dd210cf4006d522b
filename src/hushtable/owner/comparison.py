"""Comparison: synthetic rows beside the real ones, and beside a fresh sample of these. Not private: owner only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Ordered
from ..questions.workloads import read_workload
from ..questions.workloads.whole_table import WholeTable
from ..synopsis import Synopsis
from ..vault.sources import Progress
from ..words import listed
from .propensity import Propensity, binned, propensity
from .rule_counts import RuleCount, broken_rules
from .true_rows import TrueRows, read_rows

__all__ = ["NOT_FOR_PUBLICATION", "RowComparison", "RowFigures", "compare"]

NOT_FOR_PUBLICATION = "NOT FOR PUBLICATION: computed from the rows themselves, for the owner's eyes only"
Codes = NDArray[np.int64]
# Bins of numbers by quantiles of the real rows; tables of three columns that are compared at most; cells of one.
QUANTILES, MOST_TABLES, MOST_CELLS = 20, 500, 1 << 22
CHOSEN_SEED = 5


@dataclass(frozen=True, kw_only=True)
class RowFigures:
    """How rows compare with the real ones."""

    score: float
    """1000 (1 - mean total variation of tables of three columns), numbers in 20 quantile bins of the real rows."""
    by_focus: dict[str, float]
    """The same over tables with a column in focus."""
    propensity: float
    """Mean of (p - 1/2)^2 of a decision tree of depth 6: 0 is perfect, 0.25 hopeless."""
    gave_away: tuple[str, ...]
    """The columns by which the tree told them, the three that helped it most."""
    rules: tuple[RuleCount, ...]
    """How many rows break each rule."""


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """Synthetic rows against the real ones. Not private: never publish it, nor let it decide what is published."""

    rows: int
    synthetic: RowFigures
    bootstrap: RowFigures
    """The same figures of rows drawn from the real ones with replacement: what perfect looks like."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the stamp."""
        return {"stamp": NOT_FOR_PUBLICATION} | asdict(self)

    def lines(self) -> list[tuple[str, ...]]:
        """What, of the synthetic rows, of a bootstrap."""
        both = (self.synthetic, self.bootstrap)
        lines: list[tuple[str, ...]] = [("score", *(f"{own.score:.1f}" for own in both))]
        lines += [(f"score by {n}", *(f"{own.by_focus[n]:.1f}" for own in both)) for n in self.synthetic.by_focus]
        lines += [("propensity MSE", *(f"{own.propensity:.4f}" for own in both))]
        lines += [("told by", *(listed(own.gave_away) or "nothing" for own in both))]
        for mine, theirs in zip(self.synthetic.rules, self.bootstrap.rules, strict=True):
            lines.append((f"rows against {mine.rule}", f"{mine.broken:,}", f"{theirs.broken:,}"))
        return lines

    def __str__(self) -> str:
        head = (f"{self.rows:,} rows", "synthetic", "real rows drawn again")
        lines = [head, *self.lines()]
        width = [max(len(line[i]) for line in lines) for i in range(3)]
        table = ["  ".join(part.ljust(w) for part, w in zip(line, width, strict=True)).rstrip() for line in lines]
        return "\n".join([NOT_FOR_PUBLICATION, *table])


def compare(
    synopsis: Synopsis,
    data: Any,
    *,
    focus: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> RowComparison:
    """As many synthetic rows as there are real ones, beside these. Reads the data: the result is not private.

    `focus` names columns; by default those that the release was made for.
    """
    domain = synopsis.domain
    real = read_rows(data, domain, progress)
    drawn = read_rows(_closed(synopsis.sample(real.count, seed=seed), domain), domain)
    again = np.random.default_rng(seed).integers(0, real.count, real.count)
    names = _focus(synopsis) if focus is None else tuple(focus)
    return RowComparison(
        rows=real.count,
        synthetic=_figures(real, drawn, names),
        bootstrap=_figures(real, _taken(real, again), names),
    )


def _closed(rows: pa.Table, domain: Domain) -> pa.Table:
    return rows.select([attribute.name for attribute in domain.closed])


def _focus(synopsis: Synopsis) -> tuple[str, ...]:
    if not synopsis.workload.startswith(f"{WholeTable.name}("):
        return ()
    workload = read_workload(synopsis.workload)
    return workload.names_in_focus if isinstance(workload, WholeTable) else ()


def _taken(rows: TrueRows, places: NDArray[np.int64]) -> TrueRows:
    columns = tuple(column.take(pa.array(places)) for column in rows.columns)
    return TrueRows(rows.domain, rows.codes[:, places], columns)


def _figures(real: TrueRows, other: TrueRows, focus: Sequence[str]) -> RowFigures:
    domain = real.domain
    coded = [_both(real, other, j) for j in range(len(domain.closed))]
    places = {name: next(iter(WholeTable(focus=(name,)).focused(domain))) for name in focus}
    everywhere: list[tuple[int, ...]] = list(combinations(range(len(coded)), 3)) or [tuple(range(len(coded)))]
    told = _told(real, other)
    return RowFigures(
        score=_score(coded, everywhere),
        by_focus={name: _score(coded, [s for s in everywhere if j in s]) for name, j in places.items()},
        propensity=told.error,
        gave_away=tuple(domain.closed[j].name for j, _ in told.gave_away[:3]),
        rules=tuple(broken_rules(other)),
    )


def _both(real: TrueRows, other: TrueRows, column: int) -> tuple[Codes, Codes]:
    """Codes of a column in both: values, or quantile bins of the real numbers, with missing ones apart."""
    attribute = real.domain.closed[column]
    if not isinstance(attribute, Ordered):
        return real.codes[column].astype(np.int64), other.codes[column].astype(np.int64)
    mine = real.numbers(column)
    known = np.sort(mine[~np.isnan(mine)])
    cuts = np.unique(known[(np.arange(1, QUANTILES) * len(known)) // QUANTILES]) if len(known) else known
    one, two = (
        np.where(np.isnan(own), len(cuts) + 1, np.searchsorted(cuts, own, side="right"))
        for own in (mine, other.numbers(column))
    )
    return one, two


def _score(coded: Sequence[tuple[Codes, Codes]], sets: Sequence[tuple[int, ...]]) -> float:
    sizes = [int(max(one.max(initial=0), two.max(initial=0))) + 1 for one, two in coded]
    small = [s for s in sets if prod(sizes[j] for j in s) <= MOST_CELLS]
    if len(small) > MOST_TABLES:
        kept = np.random.default_rng(CHOSEN_SEED).choice(len(small), MOST_TABLES, replace=False)
        small = [small[i] for i in sorted(kept)]
    apart = []
    for members in small:
        shares = []
        for side in (0, 1):
            key = np.zeros(len(coded[0][side]), dtype=np.int64)
            for j in members:
                key = key * sizes[j] + coded[j][side]
            shares.append(np.bincount(key, minlength=prod(sizes[j] for j in members)) / max(len(key), 1))
        apart.append(float(np.abs(shares[0] - shares[1]).sum()) / 2)
    return 1000.0 * (1 - float(np.mean(apart))) if apart else float("nan")


def _told(real: TrueRows, other: TrueRows) -> Propensity:
    """The tree, on equal numbers of both."""
    columns, ordered = [], []
    for j, attribute in enumerate(real.domain.closed):
        ordered.append(isinstance(attribute, Ordered))
        if ordered[-1]:
            columns.append(binned(np.concatenate([real.numbers(j), other.numbers(j)])))
        else:
            columns.append(np.concatenate([real.codes[j], other.codes[j]]).astype(np.int64))
    return propensity(columns, ordered, np.arange(real.count + other.count) >= real.count)

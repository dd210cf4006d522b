"""WholeTableModel: noisy tables of single columns and pairs as they were measured, and weighted rows fitted to them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ...maths.weighted_rows.calibration import Calibration
from ...maths.weighted_rows.error_ratios import NOT_MEASURED, ErrorRatios
from ...maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from ...maths.weighted_rows.rare_targets import RareMeasured
from ...maths.weighted_rows.replicates import Replicates
from ...maths.weighted_rows.row_logs import CellLogs
from ...maths.weighted_rows.shares import ColumnTotals
from ...maths.weighted_rows.weighted_rows import WeightedRows, word_spans
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ...words import counted
from ..base import Model
from ..reading import noise_scale, read_law, row_count
from .rare_sums import built, described, numbers_in
from .replicate_file import described_replicates, read_ratios, read_replicates, replicate_lengths, replicate_numbers

if TYPE_CHECKING:
    from ..sections import Section

__all__ = ["WholeTableModel"]

Integers = NDArray[np.int64]
# Below this effective share of the rows a fit is poor, and answers say so.
POOR = 0.2
# Below this effective share replicates are too uneven, and answers say so.
UNEVEN = 0.05


@dataclass(frozen=True, eq=False)
class WholeTableModel(Model):
    """Answers anything about the whole table from weighted rows; tables that were measured also without bias."""

    kind = "whole-table"
    rows_by = "pair-rake"
    domain: Domain
    law: Law
    rows: int | None
    """The number of rows where it is public (replace); else None."""
    tables: tuple[RawTable, ...]
    """All measured tables: every column alone at full resolution, then pairs and triples."""
    scores: Integers
    """Noisy distances of all pairs from independence, by which the tables were chosen."""
    score_scale: Fraction | None
    cloud: WeightedRows
    effective: float
    """Effective share of the fitted rows: 1 is best."""
    audit: Calibration | None = None
    said: tuple[str, ...] = ()
    """Remarks of the fit."""
    rare: RareMeasured | None = None
    """Sums over columns and pairs of a wide table of rare values, which was measured by these instead of tables."""
    replicates: Replicates | None = None
    """The rows weighted again, by other noise: where bars come from. Files of format 1 have none."""
    ratios: ErrorRatios | None = None
    """How much larger errors are than what replicates show, as measured."""

    @property
    def form(self) -> int:
        """Version 4 is the first with replicates, version 5 with those that are kept by cells of tables."""
        if self.replicates is None:
            return super().form
        return 5 if isinstance(self.replicates.logs, CellLogs) else 4

    @cached_property
    def measured_pairs(self) -> frozenset[tuple[int, ...]]:
        """Two columns of which a table was measured, alone or with a third."""
        sets = (tuple(sorted(raw.set.members)) for raw in self.tables)
        return frozenset(pair for members in sets for pair in combinations(members, 2))

    @cached_property
    def pair_noise(self) -> dict[tuple[int, ...], float]:
        """Standard deviation of the noise in every direction of each measured pair's table, in rows."""
        pairs = (raw for raw in self.tables if len(raw.set.members) == 2)
        return {tuple(sorted(raw.set.members)): math.sqrt(raw.variance) for raw in pairs}

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        from .whole_table_answers import whole_table_answer

        return whole_table_answer(self, question, count=count)

    def draw(self, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        return self.cloud.draw(rows, random)

    @property
    def replicate_count(self) -> int:
        return 0 if self.replicates is None else self.replicates.count

    def draw_replicate(self, replicate: int, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        if self.replicates is None:
            return super().draw_replicate(replicate, rows, random)
        # Replicates are shrunk twice. Every second one is mirrored, so that sets lie around the model, and as far as
        # answers about three columns are off.
        ratio = (self.ratios or NOT_MEASURED).ratio(3).ratio
        return self.replicates.draw(replicate, -ratio if replicate % 2 else ratio, rows, random)

    def replicate_weights(self) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
        if self.replicates is None:
            return super().replicate_weights()
        codes, weights = self.replicates.weighted_rows()
        return codes, self.total[0] * weights

    def facts(self) -> tuple[tuple[str, str], ...]:
        pairs, triples = (sum(len(raw.set.members) == width for raw in self.tables) for width in (2, 3))
        pairs += 0 if self.rare is None else sum(self.rare.columns.counts[2:])
        return (
            ("measured together", counted(pairs, "pair") + (f", {counted(triples, 'triple')}" if triples else "")),
            ("effective share of the fitted rows", f"{self.effective:.2f} of {len(self.cloud.weights):,}"),
            ("Monte Carlo error of a share", f"at most {self.monte_carlo:.4f}"),
        )

    def sections(self) -> tuple[Section, ...]:
        from .audit_section import audit_section
        from .ratio_section import ratio_section

        bars = () if self.ratios is None else (ratio_section(self.ratios),)
        return bars if self.audit is None else (*bars, audit_section(self, self.audit))

    def fitted_table(self, positions: tuple[int, ...]) -> NDArray[np.float64]:
        return self.cloud.table(positions)

    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of this release."""
        poor = "the fit is poor: its weights are uneven, and answers may be wrong beyond the usual"
        return (*self.said, *([poor] if self.effective < POOR else []), *self._uneven())

    def _uneven(self) -> tuple[str, ...]:
        """A remark where replicates have degenerated, so that their spread is for a part that of few rows."""
        if self.replicates is None or self.replicates.effective >= UNEVEN:
            return ()
        share = f"{self.replicates.effective:.1%}"
        return (f"replicates are uneven (an effective share of {share}): bars rest on few rows and may be too wide",)

    @property
    def measured(self) -> tuple[RawTable, ...]:
        """All released tables that answers can be read off without a model."""
        return self.tables if self.rare is None else (*self.tables, *self.rare.tables)

    @cached_property
    def totals(self) -> ColumnTotals:
        """The tables of single columns, pooled."""
        return ColumnTotals(len(self.domain.sizes), [raw for raw in self.measured if raw.alone], self.rows)

    @property
    def total(self) -> tuple[float, float]:
        """The number of rows and its variance; at least 1, so that answers stay finite."""
        return max(self.totals.rows, 1.0), self.totals.rows_variance

    def row_count(self) -> tuple[float, float]:
        return self.total[0], self.total[1] ** 0.5

    @property
    def monte_carlo(self) -> float:
        """Standard error, at most, that any share has because the model is carried by so many rows."""
        return 0.5 / math.sqrt(max(self.effective * len(self.cloud.weights), 1.0))

    def parameters(self) -> dict[str, Any]:
        audit = self.audit
        return (
            {
                "law": self.law,
                "rows": self.rows,
                "tables": [
                    {"members": list(raw.set.members), "shape": list(raw.set.shape), "scale": str(raw.scale)}
                    | ({"contrasted": True} if raw.contrasted else {})
                    for raw in self.tables
                ],
                "score_scale": None if self.score_scale is None else str(self.score_scale),
                "scores": len(self.scores),
                "base": self.cloud.base_sizes,
                "order": list(self.cloud.order),
                "weighted_rows": len(self.cloud.fixed_weights),
                "effective": round(self.effective, 6),
                "audit": None if audit is None else {"scale": audit.scale, "tables": [list(t) for t in audit.tables]},
                "remarks": list(self.said),
            }
            | ({} if self.rare is None else {"rare": described(self.rare)})
            | described_replicates(self.replicates, self.ratios)
        )

    def numbers(self) -> dict[str, Integers]:
        return (
            {
                "tables": np.concatenate([raw.numbers for raw in self.tables]),
                "groups": np.concatenate([g for raw in self.tables for g in raw.set.maps]),
                "scores": self.scores,
                "base": np.concatenate(self.cloud.base),
                "shares": np.concatenate(self.cloud.fixed_shares),
                "weights": self.cloud.fixed_weights,
                "words": self.cloud.words.ravel(),
                "audit": np.zeros(0, dtype=np.int64) if self.audit is None else self.audit.distances,
            }
            | ({} if self.rare is None else {"lengths": self.rare.lengths, "sums": self.rare.sums})
            | replicate_numbers(self.replicates, self.ratios)
        )

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        sizes, tables, audit = domain.sizes, parameters["tables"], parameters["audit"]
        if len(parameters["base"]) != len(sizes) or sorted(parameters["order"]) != list(range(len(sizes))):
            raise BadSynopsis("the synopsis has rows that do not fit its domain")
        if any(not 1 <= b <= s for b, s in zip(parameters["base"], sizes, strict=True)):
            raise BadSynopsis("the synopsis has more groups than its domain has values")
        if any(m not in range(len(sizes)) for table in tables for m in table["members"]):
            raise BadSynopsis("the synopsis has a table of columns that its domain does not have")
        words = len(word_spans([parameters["base"][j] for j in parameters["order"]]))
        return (
            {
                "tables": sum(_numbers_in(table) for table in tables),
                "groups": sum(sizes[m] for table in tables for m in table["members"]),
                "scores": parameters["scores"],
                "base": sum(sizes),
                "shares": sum(sizes),
                "weights": parameters["weighted_rows"],
                "words": parameters["weighted_rows"] * words,
                "audit": 0 if audit is None else len(audit["tables"]),
            }
            | (numbers_in(parameters["rare"], sizes) if "rare" in parameters else {})
            | replicate_lengths(parameters, sizes)
        )

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, Integers]) -> WholeTableModel:
        law, rows, sizes = read_law(parameters["law"]), row_count(parameters["rows"]), domain.sizes
        audit, score_scale, effective = parameters["audit"], parameters["score_scale"], float(parameters["effective"])
        if not 0 <= effective <= 1:
            raise BadSynopsis("the synopsis has a quality of fit that makes no sense")
        cloud = _cloud(sizes, parameters, numbers)
        return cls(
            domain=domain,
            law=law,
            rows=rows,
            tables=_tables(domain, law, parameters["tables"], numbers),
            scores=numbers["scores"],
            score_scale=None if score_scale is None else noise_scale(score_scale, law),
            cloud=cloud,
            effective=effective,
            audit=None if audit is None else _audit(sizes, audit, numbers["audit"], law),
            said=tuple(str(remark) for remark in parameters["remarks"]),
            rare=built(parameters["rare"], numbers, law) if "rare" in parameters else None,
            replicates=read_replicates(cloud, parameters, numbers),
            ratios=read_ratios(law, parameters, numbers),
        )


def _numbers_in(described: dict[str, Any]) -> int:
    """How many integers a table has: its cells, or its interactions."""
    return prod(size - 1 if described.get("contrasted") else size for size in described["shape"])


def _tables(
    domain: Domain, law: Law, described: list[dict[str, Any]], numbers: dict[str, Integers]
) -> tuple[RawTable, ...]:
    tables, place, filled, sizes = [], 0, 0, domain.sizes
    for entry in described:
        members, maps = tuple(int(m) for m in entry["members"]), []
        for m in members:
            maps.append(numbers["groups"][place : place + sizes[m]])
            place += sizes[m]
        shaped, scale = GroupedSet(members, tuple(maps)), noise_scale(entry["scale"], law)
        if list(shaped.shape) != entry["shape"] or any(int(g.min()) < 0 for g in maps) or scale <= 0:
            raise BadSynopsis("the synopsis has a table that does not fit its domain")
        length = _numbers_in(entry)
        part = numbers["tables"][filled : filled + length]
        tables.append(RawTable(shaped, part, law, scale, bool(entry.get("contrasted", False))))
        filled += length
    alone = {raw.set.members[0]: raw.set.cells for raw in tables if len(raw.set.members) == 1}
    if sorted(alone) != list(range(len(sizes))) or any(alone[j] != size for j, size in enumerate(sizes)):
        raise BadSynopsis("the synopsis lacks the tables of its single columns")
    return tuple(tables)


def _cloud(sizes: tuple[int, ...], parameters: dict[str, Any], numbers: dict[str, Integers]) -> WeightedRows:
    ends = np.cumsum(sizes)[:-1]
    base, shares = np.split(numbers["base"], ends), np.split(numbers["shares"], ends)
    weights = numbers["weights"]
    sound = all(g.min() == 0 and g.max() == b - 1 for g, b in zip(base, parameters["base"], strict=True))
    if not sound or not len(weights) or weights.min() <= 0 or any(p.min() < 0 or p.sum() <= 0 for p in shares):
        raise BadSynopsis("the synopsis has weights or shares that make no sense")
    words = numbers["words"].reshape(-1, len(weights))
    order, reach = parameters["order"], parameters["base"]
    for (begin, end), word in zip(word_spans([reach[j] for j in order]), words, strict=True):
        if word.min() < 0 or word.max() >= prod(reach[j] for j in order[begin:end]):
            raise BadSynopsis("the synopsis has a row outside its domain")
    return WeightedRows(tuple(base), tuple(shares), tuple(order), words, weights)


def _audit(sizes: tuple[int, ...], described: dict[str, Any], distances: Integers, law: Law) -> Calibration:
    tables = tuple(tuple(int(j) for j in members) for members in described["tables"])
    scale = float(described["scale"])
    if not 0 < scale <= 1e60 or any(not 0 <= j < len(sizes) for members in tables for j in members):
        raise BadSynopsis("the synopsis has an audit that does not fit its domain")
    return Calibration(tables, distances, scale, law)

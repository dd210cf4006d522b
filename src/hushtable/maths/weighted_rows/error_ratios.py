"""ErrorRatios: how many times its deviation an answer of a model is off, width by width, as a release has measured.

Replicates know of noise alone. What a model misses besides (dependence that pairs do not show, groups of values) makes
answers err by a factor that differs between tables and grows with the number of columns. A few sums measure it: over
many tables of a width, and all of their cells, of |rows - model|. One row changes each table's sum by 1 or 2, so that
the noise of the whole is small against it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .grouped_sets import GroupedSet
from .replicates import Replicates
from .weighted_rows import WeightedRows

__all__ = [
    "KURTOSIS",
    "MOST_WIDTH",
    "NOT_MEASURED",
    "USUAL",
    "USUAL_BEFORE",
    "ErrorRatio",
    "ErrorRatios",
    "beyond_pairs",
    "deviations",
    "expected_sums",
    "model_tables",
    "table_layout",
    "tables_to_sum",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Columns of the widest tables that are compared, and how many tables of each width.
MOST_WIDTH, TABLES = 5, 32
# Below so many rows of the model one code for each is too few.
FEW_ROWS = 2**15
# What other tables showed (docs/whole-table.md): the ratio of each width; its standard deviation between tables as a
# part of it, for all widths together and for each alone; by how much it grows with each column beyond the widest; and
# the least one that is believed.
USUAL, COMMON, OWN, GROWTH, LEAST = (1.0, 0.9, 1.0, 1.1, 1.1), 0.1, 0.12, 1.1, 0.5
# What was usual before a file said so.
USUAL_BEFORE = (1.0, 0.9, 1.0, 1.05, 1.05)
# Sums over tables of halves show so many times the ratio of questions of that width, and a sum of so few tables differs
# from that of all by such a part of it.
SHOWN, SAMPLED = (1.0, 1.0, 1.0, 1.1, 1.15), 0.12
# So many standard errors are added to it: bars that are too narrow do more harm than bars that are too wide.
CAUTION = 1.0
# Excess kurtosis of errors over deviations: some questions are harder than others.
KURTOSIS = 5.0


class ErrorRatio(NamedTuple):
    """Errors over deviations of questions about so many columns."""

    ratio: float
    basis: str
    """measured, usual (the calibration is too noisy, or was left out) or extrapolated (wider than was compared)."""


def deviations(share: Floats, spread: Floats, width: int, rows: float, *, all_chance: bool = False) -> Floats:
    """Standard deviations of shares: what replicates show, and what chance moves where no table was measured.

    The rows are themselves a draw from whatever they come from, and a model of pairs knows nothing of chance in tables
    of three columns and more; never less than one row. `all_chance` is as older files had it.
    """
    moved = share * (1 - share) if all_chance else beyond_pairs(share, width)
    chance = np.clip(moved, 1 / rows, None) / rows if width > 2 else 1 / rows**2
    return np.asarray(np.sqrt(spread**2 + chance))


def beyond_pairs(share: Floats, width: int) -> Floats:
    """Variance of a row's part in a question that its pairs of columns do not tell.

    If each of k independent columns keeps a share s of the rows, with s^k = share, the variance share (1 - share) is a
    sum over sets of columns of (s (1 - s))^|set| s^(2 (k - |set|)) [EfrS81]; those of more than two are left.
    """
    each = np.clip(share, 0.0, 1.0) ** (1 / width)
    alone, apart = each * (1 - each), each**2
    parts = [math.comb(width, size) * alone**size * apart ** (width - size) for size in range(3, width + 1)]
    return np.asarray(sum(parts, np.zeros_like(each)))


def tables_to_sum(
    shares: Sequence[Floats],
    random: np.random.Generator,
    *,
    columns: Sequence[int] | None = None,
    ordered: bool = False,
) -> list[list[GroupedSet]]:
    """Random tables of 1, 2, ... columns, each column cut in two at random, as near to halves as the shares allow.

    Of these columns or of all; `ordered` cuts them into an interval, which may go round the ends, and the rest.
    """
    among = range(len(shares)) if columns is None else columns
    able = [j for j in among if len(shares[j]) > 1]
    return [
        [
            GroupedSet(tuple(members), tuple(_halves(shares[j], random, ordered) for j in members))
            for members in (random.choice(able, width, replace=False).tolist() for _ in range(TABLES))
        ]
        for width in range(1, min(MOST_WIDTH, len(able)) + 1)
    ]


def _halves(share: Floats, random: np.random.Generator, ordered: bool) -> Integers:
    codes = len(share)
    order = np.roll(np.arange(codes), int(random.integers(codes))) if ordered else random.permutation(codes)
    cut = 1 + int(np.argmin(np.abs(np.cumsum(share[order])[:-1] - 0.5)))
    groups = np.ones(codes, dtype=np.int64)
    groups[order[:cut]] = 0
    return groups


def model_tables(cloud: WeightedRows, sets: Sequence[GroupedSet]) -> list[Floats]:
    """The model's shares of the cells of tables.

    Many rows have a code each, drawn inside its base group. Few rows stand for all codes of their groups.
    """
    from .kernels import weighted_tables

    grouped_codes = any(len(base) > size for base, size in zip(cloud.base, cloud.base_sizes, strict=True))
    if grouped_codes and len(cloud.weights) < FEW_ROWS:
        return [_by_groups(cloud, grouped) for grouped in sets]
    codes = np.array([cloud.values(j) for j in range(len(cloud.base))])
    lines, spans, maps, starts = table_layout(sets)
    out = np.zeros(int(starts[-1]))
    weighted_tables(codes, cloud.weights, lines, spans, maps, starts, out)
    return [part.reshape(grouped.shape) for part, grouped in zip(np.split(out, starts[1:-1]), sets, strict=True)]


def _by_groups(cloud: WeightedRows, grouped: GroupedSet) -> Floats:
    """The shares of a table's cells, with every code of a row's base groups by its share inside."""
    from .kernels import spread_rows

    shares, places = [], [0]
    for member, groups, size in zip(grouped.members, grouped.maps, grouped.shape, strict=True):
        inside = np.zeros((cloud.base_sizes[member], size))
        np.add.at(inside, (cloud.base[member], groups), cloud.inside[member])
        shares.append(inside.ravel())
        places.append(places[-1] + inside.size)
    cells = np.zeros(grouped.cells)
    spread_rows(cloud.codes, cloud.weights, np.array(grouped.members), np.array(grouped.shape), np.concatenate(shares),
                np.array(places), cells)  # fmt: skip
    return cells.reshape(grouped.shape)


def expected_sums(
    cloud: WeightedRows, replicates: Replicates, sets: Sequence[Sequence[GroupedSet]], rows: float
) -> list[float]:
    """For each width the sum over tables and cells of |rows - model| if errors were as large as deviations."""
    from .kernels import replicated_tables

    drawn = [replicates.values(j) for j in range(len(cloud.base))]
    codes = np.array([values for values, _ in drawn], dtype=np.uint16)
    none = np.ones((1, replicates.count), dtype=np.float64)
    ratios = [none if ratio is None else ratio for _, ratio in drawn]
    places = np.cumsum([0, *(len(ratio) for ratio in ratios)])
    places = np.where([ratio is None for _, ratio in drawn], -1, places[:-1])
    sums = []
    for tables in sets:
        lines, spans, maps, starts = table_layout(tables)
        own, each = np.zeros(int(starts[-1])), np.zeros((int(starts[-1]), replicates.count))
        replicated_tables(codes, replicates.carriers[1], replicates.weights, np.concatenate(ratios), places, lines,
                          spans, maps, starts, own, each)  # fmt: skip
        whole = np.repeat(np.add.reduceat(each, starts[:-1], axis=0), np.diff(starts), axis=0)
        each /= np.where(whole > 0, whole, 1.0)
        spread = np.sqrt(((each - own[:, None]) ** 2).mean(axis=1))
        width = len(tables[0].members)
        if width == 1:  # as in answers: the rows may have come to the released shares not quite
            apart = [m - t.expected(cloud.shares) for m, t in zip(model_tables(cloud, tables), tables, strict=True)]
            spread = np.hypot(spread, np.concatenate(apart))
        # The mean of |x| is sqrt(2 / pi) of the deviation for normal x.
        sums.append(rows * math.sqrt(2 / math.pi) * float(deviations(own, spread, width, rows).sum()))
    return sums


def table_layout(sets: Sequence[GroupedSet]) -> tuple[Integers, Integers, Integers, Integers]:
    """Lines (attribute, place of its map), where each table's lines begin, the maps, and where its cells begin."""
    lines, maps, place = [], [np.zeros(1, dtype=np.int64)], 1
    for grouped in sets:
        stride = grouped.cells
        for member, groups, size in zip(grouped.members, grouped.maps, grouped.shape, strict=True):
            stride //= size
            lines.append((member, place))
            maps.append(groups * stride)
            place += len(groups)
    spans = np.cumsum([0, *(len(grouped.members) for grouped in sets)])
    starts = np.cumsum([0, *(grouped.cells for grouped in sets)])
    return np.array(lines, dtype=np.int64).reshape(-1, 2), spans, np.concatenate(maps), starts


@dataclass(frozen=True, eq=False)
class ErrorRatios:
    """Noisy sums of |rows - model| over all cells of a width's tables, in units of 1/1024 row, and the expected ones.

    The first width is 1. Nothing measured: no sums.
    """

    sums: Integers
    expected: Integers
    """What the sums would be if errors were as large as deviations; 0 where nothing was measured."""
    scales: tuple[float, ...]
    """Variance (Gaussian) or scale b (Laplace) of each sum's noise."""
    law: Law
    all_chance: bool = False
    """Whether chance in pairs was expected too, as in files of before; then answers take it in as well."""
    usual: tuple[float, ...] = USUAL_BEFORE
    """The ratio of each width on other tables."""

    @cached_property
    def _measured(self) -> list[ErrorRatio]:
        """What other tables showed, corrected by what was measured here as far as its noise allows.

        All widths together: a table that is harder than others at one width is so at the others too.
        """
        usual = np.array(self.usual)
        prior = COMMON**2 + OWN**2 * np.eye(len(usual))
        seen = [place for place in range(min(len(self.sums), len(usual))) if self.expected[place] > 0]
        expected = self.expected[seen].astype(np.float64) * usual[seen] * np.array(SHOWN)[seen]
        noise = np.array([self.law.stderr(self.scales[place]) for place in seen]) / expected
        gain = prior[:, seen] @ np.linalg.inv(prior[np.ix_(seen, seen)] + np.diag(noise**2 + SAMPLED**2))
        ratio = 1 + gain @ (self.sums[seen] / expected - 1)
        # A fit that went wrong is no usual table: what was surely seen is believed.
        ratio[seen] = np.maximum(ratio[seen], (self.sums[seen] / expected - 2 * noise) / (1 + 2 * SAMPLED))
        left = np.diag(prior - gain @ prior[seen])
        trust = 1 - left / np.diag(prior)
        return [
            ErrorRatio(float(max(u * (r + CAUTION * v**0.5), LEAST)), "measured" if t >= 0.5 else "usual")
            for u, r, v, t in zip(usual, ratio, left, trust, strict=True)
        ]

    def ratio(self, width: int) -> ErrorRatio:
        """Errors over deviations for questions about so many columns."""
        if width <= MOST_WIDTH:
            return self._measured[max(width, 1) - 1]
        return ErrorRatio(self._measured[-1].ratio * GROWTH ** (width - MOST_WIDTH), "extrapolated")


NOT_MEASURED = ErrorRatios(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), (), Law.GAUSSIAN)

"""KindRatios: how many times its deviation an answer of a fitted distribution is off, by the kind of question.

What a distribution was never told makes its answers err several times as much as noise and chance do, and on some
tables ten times as much as on others. Columns that were never joined are independent in it, which may be far from the
truth. So a release measures it, for each kind of question: the sum over many random tables, and all of their cells, of
|rows - model|. One row changes each table's sum by 1 or 2, so that the noise of the whole is small against it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from ..weighted_rows.error_ratios import KURTOSIS, ErrorRatio, tables_to_sum
from ..weighted_rows.grouped_sets import GroupedSet
from .factored import Factored
from .question_parts import QuestionParts, question_parts

__all__ = [
    "BETWEEN",
    "COARSE",
    "DEPENDENCE",
    "KURTOSIS",
    "MOST_WIDTH",
    "Comparison",
    "Kind",
    "KindRatios",
    "comparisons_for",
    "deviations",
    "expected_by_parts",
    "expected_noise",
    "expected_sum",
    "grouped_table",
    "kind_of",
    "pair_comparisons",
    "tables_of_pairs",
    "tables_to_compare",
    "told_apart",
]

Floats = NDArray[np.float64]
Kind = Literal["together", "apart", "any"]
# Columns of the widest tables that are compared.
MOST_WIDTH = 5
# What other tables showed (docs/mwem.md): the ratio of questions about 1, 2, ... columns; and its standard deviation,
# as a part of it, between tables or kinds, and between numbers of columns of one table and kind.
USUAL, BETWEEN, STEP = (2.9, 2.0, 1.9, 1.85, 1.75), 0.65, 0.3
# The same for a single column of which nothing was measured: the distribution has it even.
USUAL_UNSEEN = 6.5
# What is not known of a strongly dependent table does not fall with the number of rows, as chance does. Where nothing
# was measured, an answer of share v is taken to err by at least this many times sqrt(v (1 - v)).
UNTOLD = 0.15
# The same where columns lie apart and not even their own shares were told, so that the distribution has them even; and
# a part of it for each column of which that is so (`python -m benchmarks untold`).
UNTOLD_ALONE = 0.36
# Of one kind some questions are harder than others: small shares on some tables, large ones on others.
HARDER = 1.15
# Where the dependence of all columns is compared at once: errors over what sums over halves show, which have more of it
# than other questions; and the part of it that moves single columns, besides the noise of the tables they start from.
AT_ONCE, DRIFT = 1.0, 0.1
# Numbers of columns are told apart where the noise of each sum is expected to be at most this part of it.
FINE_NOISE = 0.25
# Few columns may have all of their dependence in one pair, so that a number for all says little of each: pairs of so
# many columns are compared one by one where the noise of each sum is expected to be at most so large. Ratios of pairs
# differ by more than those of tables do, and so do questions about one pair.
MOST_APART, PAIR_NOISE, BETWEEN_PAIRS, HARDER_PAIRS = 6, 8.0, 1.5, 1.5
# One pair may have ten and more times what is usual: less so many standard errors, what was seen of it is believed.
SURE = 2.0
# The least ratio that is believed; and so many standard errors are added to a ratio, since bars that are too narrow do
# more harm than bars that are too wide.
LEAST, CAUTION = 0.5, 1.0


class Comparison(NamedTuple):
    """What one sum is about: a kind of question, and from how many to how many columns, or just these ones."""

    kind: Kind
    least: int
    most: int
    columns: tuple[int, ...] = ()

    def holds(self, kind: Kind, width: int) -> bool:
        """Whether a question is one of these; wider ones than were compared count as the widest."""
        return (
            not self.columns
            and self.kind in ("any", kind)
            and self.least <= min(max(width, 1), MOST_WIDTH) <= self.most
        )


# What two and more columns have together, whatever each of them has alone.
DEPENDENCE = Comparison("any", 2, MOST_WIDTH)
COARSE = (Comparison("together", 1, MOST_WIDTH), Comparison("apart", 1, MOST_WIDTH))
# In the order in which each tells what to expect of the next.
FINE = (Comparison("together", 4, MOST_WIDTH), Comparison("together", 3, 3), Comparison("together", 1, 2), COARSE[1])


def comparisons_for(change: float, rows: float, law: Law) -> tuple[Comparison, ...]:
    """What is compared where the noise of a single sum would be `change` x the number of tables (standard deviation).

    Nothing where it would be larger than ratios differ between tables. Each of k sums has 1/k of the price, and k times
    the Laplace noise or sqrt(k) times the Gaussian.
    """
    for chosen, most in ((FINE, FINE_NOISE), (COARSE, BETWEEN)):
        if expected_noise(len(chosen) ** (1 / law.power) * change, rows) <= most:
            return chosen
    return ()


def pair_comparisons(columns: int, change: float, rows: float, law: Law) -> tuple[Comparison, ...]:
    """One for every column, every pair of them, and one for more; nothing where that is too many or too noisy.

    Of so many columns of several values, with noise as in `comparisons_for`.
    """
    if not 1 < columns <= MOST_APART:
        return ()
    own = [Comparison("any", size, size, among) for size in (1, 2) for among in combinations(range(columns), size)]
    chosen = (*own, *[Comparison("any", 3, MOST_WIDTH)][: columns - 2])
    noise = expected_noise(len(chosen) ** (1 / law.power) * change, rows, width=2)
    return () if noise > PAIR_NOISE else chosen


def told_apart(comparisons: Iterable[Comparison]) -> bool:
    """Whether what columns have together is compared apart from what each has alone."""
    return any(comparison.columns or comparison == DEPENDENCE for comparison in comparisons)


def tables_of_pairs(
    distribution: Factored, random: np.random.Generator, comparisons: Sequence[Comparison]
) -> dict[Comparison, list[GroupedSet]]:
    """Random tables for each of these, every column cut in two; a column of one value has none."""
    shares = distribution.one_ways()
    able = [p for p, share in enumerate(shares) if len(share) > 1]
    found = dict[Comparison, list[GroupedSet]]()
    for comparison in comparisons:
        among = [p for p in comparison.columns or able if p in able]
        several = tables_to_sum(shares, random, columns=among, ordered=True)[comparison.least - 1 : comparison.most]
        if several:
            found[comparison] = [table for tables in several for table in tables]
    return found


def kind_of(distribution: Factored, positions: Sequence[int], seen: Container[int]) -> Kind:
    """The kind of a question about these columns: apart where they lie in several groups, or one was never seen."""
    known = all(p in seen for p in positions) and len(distribution.spanned(positions)) == 1
    return "together" if known else "apart"


def usual(kind: Kind, width: int) -> float:
    """The ratio that other tables showed."""
    return USUAL_UNSEEN if kind == "apart" and width <= 1 else USUAL[min(max(width, 1), MOST_WIDTH) - 1]


def deviations(share: Floats, spread: Floats | float, rows: float) -> Floats:
    """Standard deviations of shares by noise and by chance alone: the rows are a draw from whatever they come from."""
    return np.asarray(np.sqrt(np.asarray(spread) ** 2 + np.clip(share * (1 - share), 1 / rows, None) / rows))


def tables_to_compare(
    distribution: Factored,
    random: np.random.Generator,
    comparisons: Sequence[Comparison],
    *,
    columns: Sequence[int],
    tables: Sequence[Sequence[int]] = (),
    seen: Container[int] = (),
    ordered: bool = False,
) -> dict[Comparison, list[GroupedSet]]:
    """Random tables of some columns, each cut in two; none that lies within one that was measured (`tables`).

    `seen` are the columns of which anything was measured. `ordered` cuts a column into an interval and the rest, for
    questions about intervals. A comparison without tables is left out.
    """
    known, found = [set(positions) for positions in tables], dict[Comparison, list[GroupedSet]]()
    for several in tables_to_sum(distribution.one_ways(), random, columns=columns, ordered=ordered):
        for table in several:
            if any(set(table.members) <= own for own in known):
                continue
            kind = kind_of(distribution, table.members, seen)
            for comparison in comparisons:
                if comparison.holds(kind, len(table.members)):
                    found.setdefault(comparison, []).append(table)
    return {comparison: found[comparison] for comparison in comparisons if comparison in found}


def grouped_table(distribution: Factored, grouped: GroupedSet) -> Floats:
    """The distribution's shares of the cells of a grouped table; no larger table is made than each group's own."""
    out, axes = np.ones(()), list[int]()
    maps = dict(zip(grouped.members, zip(grouped.maps, grouped.shape, strict=True), strict=True))
    for group in distribution.spanned(grouped.members):
        own = [p for p in grouped.members if p in group.members]
        table = group.marginal(own)
        for axis, position in enumerate(own):
            groups, size = maps[position]
            table = np.moveaxis(np.tensordot(np.eye(size)[:, groups], table, axes=(1, axis)), 0, axis)
        out = np.multiply.outer(out, table)
        axes += own
    return np.ascontiguousarray(out.transpose([axes.index(p) for p in grouped.members]))


def expected_by_parts(
    comparison: Comparison, sets: Sequence[GroupedSet], shares: Sequence[Floats], rows: float
) -> float:
    """The same where pairs are compared one by one: errors are as large as the part that this one has in each cell."""
    deviation = 0.0
    for grouped in sets:
        cut = zip(grouped.members, grouped.maps, grouped.shape, strict=True)
        halves = [np.bincount(groups, shares[column], size).astype(np.float64) for column, groups, size in cut]
        cells = np.eye(grouped.cells).reshape(grouped.cells, *grouped.shape)
        parts = question_parts(cells, range(len(halves)), halves)
        wide = [part for among, part in parts.own.items() if len(among) >= min(comparison.least, 2)]
        deviation += float(np.sqrt(sum(wide, parts.rest)).sum())
    return math.sqrt(rows) * math.sqrt(2 / math.pi) * _usual_apart(comparison) * deviation


def _usual_apart(comparison: Comparison) -> float:
    """Single columns are fitted again and again to what was measured of them; they err by no more than chance."""
    return 1.0 if len(comparison.columns) == 1 else usual("any", comparison.least)


def expected_sum(
    kind: Kind, sets: Sequence[GroupedSet], tables: Sequence[Floats], spreads: Floats | float, rows: float
) -> float:
    """The sum over tables and cells of |rows - model| if errors were as large as is usual; `spreads` of all cells."""
    shares = np.concatenate([table.ravel() for table in tables])
    times = np.concatenate([np.full(grouped.cells, usual(kind, len(grouped.members))) for grouped in sets])
    # The mean of |x| is sqrt(2 / pi) of the deviation for normal x.
    return rows * math.sqrt(2 / math.pi) * float((times * deviations(shares, spreads, rows)).sum())


def expected_noise(change: float, rows: float, *, width: int = 4) -> float:
    """Noise of one sum over what the sum usually is, for noise of standard deviation `change` x the number of tables.

    As on tables of four columns, or so many, each cut in two.
    """
    cells = 2.0**width
    share = np.full(1, 1 / cells)
    return change / (rows * cells * USUAL[width - 1] * math.sqrt(2 / math.pi) * float(deviations(share, 0.0, rows)[0]))


@dataclass(frozen=True, eq=False)
class KindRatios:
    """For each comparison a noisy sum of |rows - model|, in units of 1/1024 row, and the expected one."""

    comparisons: tuple[Comparison, ...]
    sums: NDArray[np.int64]
    expected: NDArray[np.int64]
    """What the sums would be if errors were as large as is usual; above 0."""
    scales: tuple[float, ...]
    """Variance (Gaussian) or scale b (Laplace) of each sum's noise."""
    law: Law

    @cached_property
    def _beyond(self) -> dict[Comparison, tuple[float, bool]]:
        """Ratios over usual ones, with caution, and whether they rest on this release.

        What other tables showed, corrected by what was measured here as far as its noise allows; what one comparison
        showed is expected of the next.
        """
        found: dict[Comparison, tuple[float, bool]] = {}
        middle, left = 1.0, 0.0
        for place, comparison in enumerate(self.comparisons):
            if self.by_pairs:  # each by itself
                middle, prior = 1.0, (BETWEEN_PAIRS if len(comparison.columns) > 1 else BETWEEN) ** 2
            else:
                first = place == 0 or comparison.kind != self.comparisons[place - 1].kind
                prior = left + (BETWEEN if first else STEP * middle) ** 2
            expected = float(self.expected[place])
            noise = self.law.stderr(self.scales[place]) / expected
            trust = prior / (prior + noise**2)
            seen = float(self.sums[place]) / expected
            middle = max(middle + trust * (seen - middle), LEAST / USUAL[-1])
            if self.by_pairs:
                middle = max(middle, seen - SURE * noise)
            left = prior * (1 - trust)
            found[comparison] = (middle + CAUTION * math.sqrt(left), left <= BETWEEN**2 / 2)
        return found

    @property
    def by_pairs(self) -> bool:
        """Whether pairs of columns were compared one by one."""
        return any(comparison.columns for comparison in self.comparisons)

    @property
    def apart(self) -> bool:
        """Whether what columns have together was compared apart from what each has alone."""
        return told_apart(self.comparisons)

    def by_parts(self, parts: QuestionParts, rows: float, noise: float) -> Floats:
        """Standard deviations of errors of shares, where pairs were compared one by one.

        `noise`: the variance of a count in the tables of single columns that the distribution starts from.

        Every column and every pair has its own ratio, and what only more columns tell that of wider questions. Where
        the dependence of all columns was compared at once, it has one ratio, and single columns err as their noise.
        """
        if not self.by_pairs:
            return self._at_once(parts, rows, noise)
        times = {each.columns: HARDER_PAIRS * _usual_apart(each) * own for each, (own, _) in self._beyond.items()}
        most = max(times.values())
        square = times.get((), most) ** 2 * parts.rest
        square = square + sum(times.get(among, most) ** 2 * own for among, own in parts.own.items())
        return np.asarray(np.sqrt(square / rows + (1 + noise * parts.squares) / rows**2))

    def _at_once(self, parts: QuestionParts, rows: float, noise: float) -> Floats:
        ((beyond, _),) = self._beyond.values()
        alone = sum((own for among, own in parts.own.items() if len(among) == 1), np.zeros_like(parts.rest))
        pairs = sum((own for among, own in parts.own.items() if len(among) > 1), parts.rest)
        # Without tables of single columns to start from, they are known no better than anything else.
        told = pairs + (DRIFT**2 if noise else 1.0) * alone
        square = (AT_ONCE * usual("any", 2) * beyond) ** 2 * told
        return np.asarray(np.sqrt(square / rows + (1 + noise * parts.squares) / rows**2))

    def ratio(self, kind: Kind, width: int, rows: float, *, untold: float = 0.0) -> ErrorRatio:
        """Errors over deviations for questions of a kind about so many columns of a table of so many rows.

        `untold`: the part of these columns whose own shares nothing that was measured tells.
        """
        times = HARDER * usual(kind, width)
        for comparison, (beyond, here) in self._beyond.items():
            if here and comparison.holds(kind, width):
                return ErrorRatio(beyond * times, "extrapolated" if width > MOST_WIDTH else "measured")
        # Nothing was compared, or it was too noisy: as on other tables, and not below what was seen of other kinds.
        beyond = max([1 + CAUTION * BETWEEN, *(own for own, _ in self._beyond.values())])
        even = untold if kind == "apart" else 0.0
        least = math.sqrt((1 - even) * UNTOLD**2 + even * UNTOLD_ALONE**2)
        return ErrorRatio(max(beyond * times, HARDER * least * math.sqrt(rows)), "usual")

"""Resolution: how values are grouped, which pairs are worth measuring, and how finely; from released numbers only."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Binned, Category
from ...laws import Law
from .grouped_sets import GroupedSet, RawTable

__all__ = [
    "FOCUS",
    "LEVELS",
    "MOST_CELLS",
    "Column",
    "Groupings",
    "Pricing",
    "TablePlan",
    "chance_distances",
    "dependence",
    "level_order",
    "likeness_order",
    "nested_of",
    "ordered",
    "plan_pairs",
    "plan_tables",
    "profile_sets",
    "ranges_of",
    "refined",
    "score_sets",
    "unordered",
    "weights_of",
]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]

# About how many groups a column is cut into, from coarse to fine.
LEVELS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
# About the most groups of a number whose cells are found; coarser ones are made of these.
FINEST = 24
# A number with more bins than this is grouped as one whose cells were found: single bins are then mostly noise.
MANY_BINS = 256


class Groupings:
    """All groupings of one attribute. Codes that stand together in `order` are merged first.

    `declared` are groups with a meaning, one a code: they stay apart wherever there are as many groups as these.
    `even` groups have about equal shares, as suits cells of a number, which are narrow where rows are many.
    """

    def __init__(
        self, shares: Floats, order: Map | None = None, declared: Map | None = None, *, even: bool = False
    ) -> None:
        self.order = np.arange(len(shares)) if order is None else order
        self.shares, self.even = shares, even
        self.declared = None if declared is None else declared[self.order]

    @cached_property
    def steps(self) -> dict[int, Map]:
        """Level to map from code to group."""
        return {level: self._grouped(level) for level in LEVELS}

    def _grouped(self, level: int) -> Map:
        """Walks the codes in order; large ones stand alone, small neighbours are joined until they are large.

        Size is the square root of a share: it is the size of a count's sampling error, and a dominant value then
        does not force all rare ones together.
        """
        if self.even:
            return _nested(np.maximum(self.shares, 0.0), level)
        size = np.sqrt(np.maximum(self.shares, 0.0)[self.order])
        enough = size.sum() / level
        groups = np.empty(len(size), dtype=np.int64)
        group, filled = 0, 0.0
        apart = np.zeros(len(size), dtype=bool)
        if self.declared is not None and len(np.unique(self.declared)) <= level:
            apart[1:] = self.declared[1:] != self.declared[:-1]
        for place, mine in enumerate(size):
            if (mine >= enough or apart[place]) and filled > 0:
                group, filled = group + 1, 0.0
            groups[place] = group
            filled += mine
            if filled >= enough and place + 1 < len(size):
                group, filled = group + 1, 0.0
        by_code = np.empty_like(groups)
        by_code[self.order] = groups
        return by_code


def _nested(shares: Floats, level: int) -> Map:
    """Groups of about equal shares, each of whole groups of the finest level, so that few base groups hold them all."""
    finest = _even(shares, FINEST)
    return finest if level >= FINEST else _even(np.bincount(finest, shares).astype(np.float64), level)[finest]


def _even(shares: Floats, level: int) -> Map:
    """Neighbours whose middles lie in the same part of all rows; a value with the share of a group stands alone."""
    whole = max(float(shares.sum()), 1e-300)
    part = np.floor((np.cumsum(shares) - shares / 2) * (level / whole))
    alone = shares * level >= whole
    cut = (np.diff(part) > 0) | alone[1:] | alone[:-1]
    return np.concatenate([[0], np.cumsum(cut)]).astype(np.int64)


def refined(maps: list[Map]) -> Map:
    """The coarsest grouping that all of the given ones are made of, groups numbered by first appearance."""
    keys = np.stack(maps)
    _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    return number[group.ravel()].astype(np.int64)


# Columns of fewer values need no order: the values that matter stand alone at the levels in use.
FEW_VALUES = 12
# How many other columns a value's profile is made of, and how coarsely these are grouped.
PARTNERS, PARTNER_LEVEL = 2, 4


def unordered(domain: Domain) -> list[int]:
    """Columns whose codes stand in no meaningful order and are too many to do without one."""
    many = [j for j, a in enumerate(domain.closed) if isinstance(a, Category) and a.size > FEW_VALUES]
    return [j for j in many if level_order(domain, j)[0] is None]


def level_order(domain: Domain, column: int) -> tuple[Map | None, Map | None]:
    """An order of a category's codes by its declared groups, and these: its levels, or a column that follows it."""
    attribute = domain.closed[column]
    if not isinstance(attribute, Category):
        return None, None
    groups = next((np.unique(level.groups, return_inverse=True)[1] for level in domain.levels
                   if level.name == attribute.name), None)  # fmt: skip
    if groups is None:
        following = [np.array(f.codes[: len(attribute.names)]) for f in domain.followers if f.root == column]
        coarse = [codes for codes in following if 1 < len(np.unique(codes)) < len(codes)]
        if not coarse:
            return None, None
        groups = max(coarse, key=lambda codes: len(np.unique(codes)))
    extra = attribute.size - len(groups)
    whole = np.concatenate([groups.ravel(), groups.max() + 1 + np.arange(extra)]).astype(np.int64)
    return np.argsort(whole, kind="stable"), whole


def ordered(domain: Domain) -> list[int]:
    """Columns whose codes stand in a meaningful order: like values are side by side."""
    return [j for j, a in enumerate(domain.closed) if not isinstance(a, Category)]


def ranges_of(domain: Domain) -> list[int]:
    """Columns of numbers without declared bins, whose cells are found."""
    return [j for j, a in enumerate(domain.closed) if isinstance(a, Binned) and a.ranged]


def nested_of(domain: Domain) -> list[int]:
    """Columns whose groups are nested and of even shares: numbers whose cells were found, or that have many bins."""
    many = [j for j, a in enumerate(domain.closed) if isinstance(a, Binned) and len(a.values) > MANY_BINS]
    return sorted({*ranges_of(domain), *many})


def profile_sets(
    columns: Sequence[int], groupings: Sequence[Groupings], pairs: Sequence[tuple[int, ...]], scores: Floats
) -> list[GroupedSet]:
    """For each column its full resolution against the few columns it depends on most, coarsely."""
    profiles: dict[tuple[int, int], GroupedSet] = {}
    for j in columns:
        mine = [(float(score), sum(pair) - j) for score, pair in zip(scores, pairs, strict=True) if j in pair]
        for _, other in sorted(m for m in mine if m[0] > 0)[::-1][:PARTNERS]:
            groups = groupings[other].steps[PARTNER_LEVEL]
            if groups.max() > 0:
                profiles[j, other] = GroupedSet((j, other), (np.arange(len(groupings[j].shares)), groups))
    return list(profiles.values())


def likeness_order(column: int, profiles: Sequence[RawTable], shares: Sequence[Floats], rows: float) -> Map | None:
    """An order of the codes along the direction in which their profiles differ most; None where noise hides it.

    A profile is what a value's rows have more or less of than all rows; it is shrunk towards 0 by its own noise, so
    that rare values end up in the middle. The direction is the first axis of correspondence analysis.
    """
    parts = [t for t in profiles if t.set.members[0] == column]
    if not parts:
        return None
    expected = rows * np.maximum(shares[column], 1e-9)
    excess = np.concatenate([_excess(t, shares, rows) for t in parts], axis=1)
    noise = np.concatenate([np.full(t.set.shape[1], t.variance) for t in parts])
    mass = expected / expected.sum()
    profile = excess / expected[:, None]
    spread = noise[None] / expected[:, None] ** 2
    # Signal variance of each part of the profile, over values weighted by their share, beyond what noise makes.
    signal = np.maximum(mass @ (profile**2) - mass @ np.minimum(spread, 1.0), 0.0)
    if not signal.any():
        return None
    clean = profile * signal / (signal + spread)
    _, _, axes = np.linalg.svd(np.sqrt(mass)[:, None] * clean, full_matrices=False)
    return np.argsort(clean @ axes[0], kind="stable")


def _excess(table: RawTable, shares: Sequence[Floats], rows: float) -> Floats:
    """Counts beyond independence, of every value and partner's group."""
    first, second = (np.bincount(g, shares[m]) for m, g in zip(table.set.members, table.set.maps, strict=True))
    apart = rows * np.outer(first, second)
    interaction = table.interaction - apart
    for axis in range(2):
        interaction = interaction - interaction.mean(axis=axis, keepdims=True)
    return np.asarray(interaction)


# The level at which dependence is scored, the most cells of a pair, and how much of the dependence a pair's noise
# may cost; see docs/whole-table.md for what was tried.
SCORE_LEVEL, MOST_CELLS, WORTH = 12, 1024, 0.7
# How much more the error of a table with a column in focus matters.
FOCUS = 3.0
# Halvings of the search for the multiplier at which everything is spent.
HALVINGS = 50


@dataclass(frozen=True)
class Pricing:
    """What noise costs: a table at standard deviation s (of every direction) costs price(table) (u / s)^power of 1.

    deviation_at_full_price  u, the standard deviation at which a table of price 1 uses up everything
    replaced                 whether rows are replaced; then a row that differs in one attribute costs the most
    """

    law: Law
    deviation_at_full_price: float
    replaced: bool = False

    @property
    def power(self) -> int:
        """2 for Gaussian noise (in rho), 1 for Laplace noise (in epsilon)."""
        return self.law.power

    def price(self, grouped: GroupedSet) -> float:
        """Gaussian noise goes on interactions, which cost less than cells; Laplace noise on cells."""
        if self.law == Law.LAPLACE:
            return 1.0
        # Two rows are furthest apart when they differ in the member of fewest groups alone.
        return math.prod(1 - 1 / size for size in sorted(grouped.shape)[1:]) if self.replaced else grouped.length

    def loss(self, grouped: GroupedSet, cells: float | None = None) -> float:
        """Expected total variation, in rows, that noise of standard deviation 1 adds: half the mean absolute value.

        `cells` says how many cells are large enough to be changed by it, where not all are.
        """
        half_mean = 0.4 if self.law.power == 2 else 0.3536
        return half_mean * (grouped.cells if cells is None else cells) * math.sqrt(grouped.length)

    def deviation(self, price: float, loss: float, multiplier: float) -> float:
        """Lagrange's condition: minimises loss * s + multiplier * price / (power * s^power) over s."""
        return float((multiplier * price / loss) ** (1 / (self.power + 1)))

    def cost(self, price: float, deviation: float) -> float:
        """Share of everything that is spent."""
        return price * (self.deviation_at_full_price / deviation) ** self.power


def score_sets(groupings: Sequence[Groupings]) -> list[GroupedSet]:
    """All pairs at the level of the scores."""
    maps = [grouping.steps[SCORE_LEVEL] for grouping in groupings]
    return [GroupedSet((i, j), (maps[i], maps[j])) for i, j in combinations(range(len(maps)), 2)]


def chance_distances(
    sets: Sequence[GroupedSet], shares: Sequence[Floats], variances: Sequence[float], rows: float
) -> Floats:
    """What the distances of pairs from independence, in rows, would be if their columns were independent.

    A cell of expectation e has a mean absolute error of about 0.8 sqrt(e + p_i^2 v_j + p_j^2 v_i), v = noise variance
    of a group's one-way count.
    """
    found = []
    for grouped in sets:
        sides = []
        for member, groups in zip(grouped.members, grouped.maps, strict=True):
            sides.append((np.bincount(groups, shares[member]), np.bincount(groups) * variances[member]))
        (p, v), (q, w) = sides
        spread = rows * np.outer(p, q) + np.outer(p**2, w) + np.outer(v, q**2)
        found.append(0.8 * np.sqrt(spread).sum())
    return np.array(found)


def dependence(distances: Floats, deviation: float, chance: Floats, rows: float) -> Floats:
    """Total variation of each pair from independence, without what sampling and noise alone would show.

    `distances` are the sums of |count - rows p_i p_j|, with noise of a standard deviation; `chance` is what they would
    be for independent columns.
    """
    squares = np.maximum(distances, 0.0) ** 2 - chance**2 - deviation**2
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2 * rows))


@dataclass(frozen=True, eq=False)
class TablePlan:
    """The tables to measure, and the standard deviation of each one's noise; single columns once more come last."""

    tables: list[GroupedSet]
    again: list[GroupedSet]
    deviations: list[float]


@dataclass(frozen=True)
class Column:
    """A column that was measured: its table, the standard deviation it has, and how much its error matters.

    cells   how many of its values have counts above the noise
    weight  how many tables it spoils for one that a pair spoils
    """

    set: GroupedSet
    deviation: float
    cells: float
    weight: float


def plan_pairs(
    groupings: Sequence[Groupings],
    pairs: Sequence[tuple[int, ...]],
    scores: Floats,
    rows: float,
    pricing: Pricing,
    columns: Sequence[Column] = (),
    focus: Collection[int] = (),
) -> TablePlan:
    """Every pair as finely as its dependence pays for the noise; see `plan_tables`."""
    steps, weights = [_steps(groupings[i], groupings[j], (i, j)) for i, j in pairs], weights_of(pairs, focus)
    return plan_tables(steps, scores, rows, pricing, columns, weights)


def weights_of(sets: Sequence[Sequence[int]], focus: Collection[int]) -> Floats:
    """How much the errors of tables matter: those with a column in focus more."""
    return np.array([FOCUS if set(focus) & set(members) else 1.0 for members in sets])


def plan_tables(
    steps: Sequence[Sequence[GroupedSet]],
    scores: Floats,
    rows: float,
    pricing: Pricing,
    columns: Sequence[Column] = (),
    weights: Floats | None = None,
) -> TablePlan:
    """The least summed error that the price allows. `steps` are a table's resolutions, finest first.

    `weights` say how much the error of each table matters.

    The expected noise of a table, in total variation, may cost at most WORTH times the dependence it captures, so
    weak ones are measured coarsely or not at all. Columns get more where that lowers the sum faster than tables do.
    """
    worth = WORTH * np.asarray(scores) * rows
    matters = np.ones(len(steps)) if weights is None else weights

    def at(multiplier: float) -> tuple[list[tuple[GroupedSet, float]], list[tuple[GroupedSet, float]], float]:
        chosen, again, spent = [], [], 0.0
        for number, finest in enumerate(steps):
            for grouped in finest:
                price, loss = pricing.price(grouped), pricing.loss(grouped)
                deviation = pricing.deviation(price, loss * matters[number], multiplier)
                if loss * deviation <= worth[number]:
                    chosen.append((grouped, deviation))
                    spent += pricing.cost(price, deviation)
                    break
        for column in columns:
            price, loss = pricing.price(column.set), pricing.loss(column.set, column.cells) * column.weight
            wanted = pricing.deviation(price, loss, multiplier) if loss > 0 else math.inf
            if wanted < column.deviation:
                more = 1 / math.sqrt(1 / wanted**2 - 1 / column.deviation**2)
                again.append((column.set, more))
                spent += pricing.cost(price, more)
        return chosen, again, spent

    low, high = -60.0, 60.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(math.exp(middle))[2] > 1 else (low, middle)
    chosen, again, _ = at(math.exp(high))
    return TablePlan(
        [grouped for grouped, _ in chosen], [grouped for grouped, _ in again], [s for _, s in (*chosen, *again)]
    )


def _steps(first: Groupings, second: Groupings, members: tuple[int, int]) -> list[GroupedSet]:
    """The pair at every common level, finest first, with two groups on each side and not too many cells."""
    by_shape: dict[tuple[int, ...], GroupedSet] = {}
    for level in reversed(LEVELS):
        pair = GroupedSet(members, (first.steps[level], second.steps[level]))
        by_shape.setdefault(pair.shape, pair)
    return [pair for pair in by_shape.values() if min(pair.shape) >= 2 and pair.cells <= MOST_CELLS]

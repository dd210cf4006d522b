"""Plan of MWEM: what may be selected, in how many rounds, at what noise, and what error to expect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...budget import Price, Unit
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.distribution.kind_ratios import Comparison, comparisons_for
from ...maths.linear import ListedQueries
from ...models.weighted.certificate import Coverage
from ...questions.workloads.base import Workload
from ...questions.workloads.linear_workload import linear_class_of
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.parities import ParityQueries
from ...vault.door.noise import Noise
from ..base import Forecast
from .candidates import Candidates, LinearCandidates, ParityCandidates

if TYPE_CHECKING:
    from ...vault.statistics import Statistic

__all__ = [
    "CAUTION",
    "FEW_PASSES",
    "LARGE",
    "LAST_PASSES",
    "PASSES",
    "Rounds",
    "candidates_of",
    "cells_for",
    "comparisons_of",
    "coverage_of",
    "forecasts_of",
    "rounds_for",
]  # fmt: skip

# Rounds x noise of one round (standard error of a query between 0 and 1, as a fraction): more rounds see more,
# but each sees worse, and a table of more attributes needs more. Under pure epsilon with half of a round for
# selecting this is T = sqrt(epsilon n d) / 12 with d attributes (docs/mwem.md).
BALANCE = math.sqrt(2) / 72
# A round that measures a table of three or more covers its narrower ones as well, and fewer rounds do.
WIDE_BALANCE = math.sqrt(2) / 50
# The typical correlation that nobody measured, as a mean product of signs; see docs/mwem.md for where it is from.
UNMEASURED = 0.03
MOST_QUERIES = 200_000
# How often the measurements are gone through after a round: less often where a group has more than LARGE cells, more
# often at the end, when no further choice waits for it.
LARGE, PASSES, FEW_PASSES, LAST_PASSES = 1 << 15, 20, 6, 30
# Groups grow as far as all passes together take about this long, at the seconds that one cell of an update takes.
PATIENCE, CELL_SECONDS = 30.0, 5e-9
LEAST_CELLS, MOST_CELLS = 1 << 16, 1 << 24
CAUTION = (
    f"expected, not exact: answers are biased towards what was not measured, taken as {UNMEASURED} for a mean product "
    "of signs; the last column bounds the expected largest error"
)


def candidates_of(domain: Domain, workload: Workload, measure_by: str) -> Candidates:
    """What a round may choose: whole tables, parities, or single queries."""
    sizes = domain.sizes
    if isinstance(workload, ParityQueries):
        return ParityCandidates(sizes, workload.order)
    if not isinstance(workload, Marginals) or measure_by == "table":
        return LinearCandidates(linear_class_of(workload, domain))
    if all(size == 2 for size in sizes):
        return ParityCandidates(sizes, workload.width)
    cells = sum(prod(s) for s in combinations(sizes, workload.width))
    if cells > MOST_QUERIES:
        raise BadPlan(
            f"{cells:,} cells are too many to choose from one by one; use measure_by=table or narrower tables"
        )
    return LinearCandidates(ListedQueries.of(sizes, _single_cells(sizes, workload.width)))


def _single_cells(sizes: tuple[int, ...], width: int) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    for members in combinations(range(len(sizes)), width):
        for row in np.eye(prod(sizes[p] for p in members), dtype=np.int64):
            yield members, row


@dataclass(frozen=True, eq=False, kw_only=True)
class Rounds:
    """How many rounds, and what each may spend on selecting and on measuring."""

    candidates: Candidates
    many: int
    split: Fraction
    """Share of a round that selects; 0 when there is nothing to select from."""
    price: Price
    unit: Unit
    cells: int
    """The most cells that attributes are joined to."""
    calibration: Fraction = Fraction(0)
    """Share of the price that measures how far the model is off."""
    comparisons: tuple[Comparison, ...] = ()
    """What it compares."""
    ordered: bool = False
    """Whether questions will be about intervals of columns."""

    @property
    def per_round(self) -> Fraction:
        """The price of a round, where they are equal."""
        return self.price.amount * (1 - self.calibration) / self.many

    @property
    def law(self) -> Law:
        """Laplace for pure epsilon, else Gaussian."""
        return Law.of(self.price)

    def shares(self, amount: Fraction) -> tuple[Price, Price]:
        """The prices of selecting and of measuring in a round of this price."""
        whole = Price(currency=self.price.currency, amount=amount).on_grid(up=False)
        select = Price(currency=whole.currency, amount=whole.amount * self.split).on_grid(up=False)
        return select, Price(currency=whole.currency, amount=whole.amount - select.amount)

    @property
    def joined(self) -> int:
        """Cells of the largest group, at most."""
        return min(self.cells, 1 << min(60, self.many * max(self.candidates.width, 2)))

    @property
    def memory(self) -> int:
        """Bytes, about: the sums and their reference, and a hypothesis that joins what it measures."""
        return 150_000_000 + 40 * len(self.candidates) * self.candidates.largest + 16 * self.joined

    @property
    def fit_seconds(self) -> float:
        """How long the fits take, at most."""
        return _updates(self.many) * self.joined * CELL_SECONDS

    @property
    def work(self) -> float:
        """Seconds per million rows, about: reading, and a count for every candidate."""
        return 1e6 * len(self.candidates) * 2e-9 + 1.0

    def noise(self, part: Statistic, measure: Price) -> Noise:
        """The noise that costs exactly this much."""
        return Noise.costing(measure, part, self.unit, [1] * part.groups, rounded=False)


def _query_noise(price: Price, rounds: float, rows: int, unit: Unit) -> float:
    """Standard error, as a fraction, of a 0/1 query measured with half of one of this many rounds."""
    amount = float(price.amount) / (2 * rounds)
    sigma = math.sqrt(2) / amount if price.currency == "pure" else math.sqrt(1 / (2 * amount))
    return sigma * unit.rows / rows


def rounds_for(candidates: Candidates, price: Price, rows: int, unit: Unit) -> int:
    """The number of rounds T at which T x noise of a round is what it was best at."""
    power = 2.0 if price.currency == "pure" else 1.5
    balance = WIDE_BALANCE if candidates.width >= 3 else BALANCE * candidates.attributes
    exact: float = (balance / _query_noise(price, 1, rows, unit)) ** (1 / power)
    return min(max(round(exact), 2), len(candidates))


def comparisons_of(share: Fraction, price: Price, rows: int, unit: Unit) -> tuple[Comparison, ...]:
    """What a calibration of this share of the price compares; nothing where it would tell less than other tables do."""
    if not share:
        return ()
    law = Law.of(price)
    return comparisons_for(law.stderr(law.scale(Fraction(unit.moved) ** law.power, price.amount * share)), rows, law)


def cells_for(rounds: int) -> int:
    """The most cells of a group for which the fits of this many rounds take no longer than PATIENCE."""
    affordable = int(PATIENCE / (_updates(rounds) * CELL_SECONDS))
    return min(max(1 << (affordable.bit_length() - 1), LEAST_CELLS), MOST_CELLS)


def _updates(rounds: int) -> float:
    """How many measurements are gone through: all so far after each round, and all again at the end."""
    return FEW_PASSES * rounds * (rounds + 1) / 2 + LAST_PASSES * rounds


def coverage_of(candidates: Candidates) -> Coverage:
    """What the certificate of a run will speak of: what its candidates are."""
    if isinstance(candidates, ParityCandidates):
        return Coverage(kind="parities", width=candidates.interactions.order)
    if isinstance(candidates, LinearCandidates) and not candidates.given.single:
        return Coverage(kind="tables", width=candidates.width)
    return Coverage(kind="queries", width=0)


def _cell_share(sizes: Sequence[int], width: int) -> float:
    """Error of a cell for an error of 1 in every coefficient: root mean square of sqrt(c - 1) / c over all cells.

    A table of c cells has c - 1 coefficients, each of which enters every cell over c.
    """
    ones, counts = [1.0] + [0.0] * width, [1.0] + [0.0] * width
    for size in sizes:
        for i in range(width, 0, -1):
            ones[i] += ones[i - 1] / size
            counts[i] += counts[i - 1] * size
    # Summed over the cells of all tables: sum of (c - 1) / c, over the number of cells.
    return math.sqrt(max(comb(len(sizes), width) - ones[width], 0.0) / counts[width])


def forecasts_of(plan: Rounds, domain: Domain, rows: int) -> tuple[Forecast, ...]:
    """By width (or for a typical query): what is not measured is expected to miss UNMEASURED a coefficient.

    worst: E max error <= sqrt(ln N / 2T + v) + (4 ln K + 4) T / (epsilon n)        [HarLM12, with constants mended]
    """
    select, measure = plan.shares(plan.per_round)
    scale = float(plan.noise(plan.candidates.part(plan.candidates.first), measure).per_group[0])
    noise = plan.law.stderr(scale) / (rows * plan.candidates.grid)
    width = coverage_of(plan.candidates).width
    kinds = [(w, comb(len(domain.sizes), w)) for w in range(1, width + 1)] or [(1, len(plan.candidates))]
    forecasts = []
    for w, tables in kinds:
        share = _cell_share(domain.sizes if width else (2,), w)
        seen = min(1.0, plan.many / tables)
        # Of a table every cell is measured, of a class of queries a coefficient that enters every cell.
        each = noise if plan.candidates.largest > 1 else noise * share
        typical = math.sqrt((1 - seen) * (UNMEASURED * share) ** 2 + seen * each**2)
        worst = min(_worst(plan, domain, select, noise, rows), 1.0)
        forecasts.append(Forecast(width=w, tables=tables, typical=typical * rows, worst=worst * rows))
    return tuple(forecasts)


def _worst(plan: Rounds, domain: Domain, select: Price, noise: float, rows: int) -> float:
    """A bound on the expected largest error of any candidate, as a fraction."""
    cells = sum(math.log(size) for size in domain.sizes)
    epsilon = float(select.selection_epsilon)
    slack = (2 * math.log(len(plan.candidates)) + 2) * plan.unit.rows / (epsilon * rows) if epsilon else 0.0
    return math.sqrt(cells / (2 * plan.many) + noise**2) + slack

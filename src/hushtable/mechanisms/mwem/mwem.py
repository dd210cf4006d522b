"""MWEM: a hypothesis about the whole table, corrected round by round where it is most wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...budget import Price, exact
from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...laws import Law
from ...maths.distribution import Evidence, Factored, fit
from ...maths.distribution.measured import Measured, possible_table
from ...maths.distribution.points import on_points, random_points
from ...models.weighted.certificate import Certificate, certify, query_digest
from ...models.weighted.weighted import MOST_CELLS, WeightedModel
from ...questions.workloads.base import Workload
from ...questions.workloads.linear_workload import LinearWorkload
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.ranges import Ranges
from ...vault.statistics import ChosenTables, Histogram
from ...words import readable
from ..base import Design, Mechanism, Trial, options_text
from .calibrate import calibrated
from .design import (
    CAUTION,
    FEW_PASSES,
    LARGE,
    LAST_PASSES,
    PASSES,
    Rounds,
    candidates_of,
    cells_for,
    comparisons_of,
    coverage_of,
    forecasts_of,
    rounds_for,
)
from .learners import ChooseFromAll, Learner, Sampled, public_chance

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["MWEM", "MwemRelease"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# Shares of the price: the number of rows where it is private, and all cells where a run starts from them.
ROWS_SHARE, HISTOGRAM_SHARE = Fraction(1, 50), Fraction(1, 10)
# More than half of the price for error bars would leave too little to have bars on.
MOST_CALIBRATION = Fraction(1, 2)
# If the mean of abs(measured - expected) is below so many noise scales the round saw only noise; `adaptive` then
# doubles its price.
UNSEEN = 1.5
# Cells of the groups that are tried before a release.
TRIAL_CELLS = 1 << 12


@dataclass(frozen=True)
class MWEM(Mechanism[Rounds]):
    """Multiplicative weights with the exponential mechanism [HarLM12], measuring whole tables at a time.

    Each round selects the candidate on which data and hypothesis differ most, measures it, and refits the
    hypothesis to all measurements, each as closely as its noise deserves. What is not measured stays at what the
    hypothesis says, so error is traded: far less noise than measuring everything, but no unbiased answers.
    """

    name = "mwem"
    selects = True
    source = "HarLM12"
    answers = (Marginals, LinearWorkload)
    unbiased = False
    former = MappingProxyType({"unit": "measure_by"})
    since = MappingProxyType({"calibration": 0})

    rounds: int | None = None
    """How many; None: by the rule of `rounds_for`."""
    split: Fraction = Fraction(1, 2)
    """Share of a round that selects."""
    measure_by: Literal["table", "query"] = "table"
    """What a round measures of marginals: a whole table, or a single query."""
    adaptive: bool = False
    """Start with cheaper rounds, and double the price of a round when one has seen nothing but noise."""
    start: Literal["uniform", "histogram"] = "uniform"
    """Histogram: a tenth of the price goes to all cells first; helps only where the price is very small."""
    cells: int | None = None
    """The most cells that attributes may be joined to; None: as many as the fits of all rounds have time for."""
    points: int | None = None
    """Reduce the domain to this many random rows; for comparison, since joining attributes as needed is better."""
    sample: int | None = None
    """Look at this many random candidates a round instead of at all; then nothing is certified."""
    calibration: float = 0.03
    """Share of the price that measures how far the finished model is off, for the error bars of what was not measured;
    0: these bars are certified ones, which are often wide. It is left out where rows and budget are too few for it."""
    learner: Learner | None = None
    """Another private way to choose."""

    def __post_init__(self) -> None:
        for what, value in (
            ("rounds", self.rounds),
            ("sample", self.sample),
            ("cells", self.cells),
            ("points", self.points),
        ):
            if value is not None:
                check_whole(value, f"{what} of mwem", BadPlan)
        object.__setattr__(self, "split", exact(self.split, "split"))
        if not 0 < self.split < 1:
            raise BadPlan(f"split is the share of a round that selects, between 0 and 1, not {readable(self.split)}")
        if not 0 <= exact(self.calibration, "calibration") <= MOST_CALIBRATION:
            given = readable(self.calibration)
            raise BadPlan(f"calibration is a share of the budget, between 0 and 0.5 (say 0.03), not {given}")
        if self.measure_by not in ("table", "query") or self.start not in ("uniform", "histogram"):
            given = f"{self.measure_by!r}, {self.start!r}"
            raise BadPlan(f"mwem has measure_by=table|query and start=uniform|histogram, not {given}")
        if self.cells is not None and self.cells > MOST_CELLS:
            raise BadPlan(f"cells of mwem must be at most {MOST_CELLS:,}, not {self.cells:,}")

    @property
    def chooser(self) -> Learner:
        """The learner that the options ask for."""
        return self.learner or (ChooseFromAll() if self.sample is None else Sampled(self.sample))

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[Rounds]:
        workload.check(domain)
        if rows is None:
            raise BadPlan("mwem needs about how many rows there are: the number of rounds depends on it")
        candidates = candidates_of(domain, workload, self.measure_by)
        many = min(self.rounds or rounds_for(candidates, price, rows, domain.unit), len(candidates))
        cells = min(self.cells or cells_for(many), prod(domain.sizes))
        if len(candidates.fitting(Factored(domain.sizes, cap=cells))) == 0:
            raise BadPlan(f"every table of {workload} has more than {cells:,} cells; use narrower tables or bins")
        if self.start == "histogram" and self.points is not None:
            raise BadPlan("start=histogram puts weights on all cells and points= on some; give one of them")
        if self.start == "histogram" and prod(domain.sizes) > cells:
            raise BadPlan(f"the whole table has more than {cells:,} cells; use start=uniform, which joins few")
        # When every candidate will be measured there is nothing to select.
        split = self.split if many < len(candidates) else Fraction(0)
        share = exact(self.calibration, "calibration")
        compared = comparisons_of(share, price, rows, domain.unit)
        plan = Rounds(
            candidates=candidates, many=many, split=split, price=price, unit=domain.unit, cells=cells,
            calibration=share if compared else Fraction(0), comparisons=compared,
            ordered=isinstance(workload, Ranges),
        )  # fmt: skip
        return Design(
            by=self,
            options=options_text(self),
            summary=f"{many} rounds, each selects 1 of {len(candidates):,} and measures it with {plan.law.noise}"
            + (f"; {float(plan.calibration):.0%} for error bars" if compared else ""),
            price=price,
            numbers=many * candidates.largest,
            forecasts=forecasts_of(plan, domain, rows),
            caution=CAUTION,
            memory=plan.memory,
            work=plan.work,
            fit_seconds=plan.fit_seconds,
            parameters=plan,
        )

    def trials(self, domain: Domain, design: Design[Rounds]) -> Iterator[Trial]:
        """Two rounds, on groups as small as they can be; and what a later round expects of a group."""
        plan = design.parameters
        small = min(plan.cells, TRIAL_CELLS)
        joins = self.start == "uniform" and len(plan.candidates.fitting(Factored(domain.sizes, cap=small))) > 0
        few = replace(plan, many=min(plan.many, 2), cells=small if joins else plan.cells)
        yield from super().trials(domain, replace(design, parameters=few))
        hypothesis = Factored(domain.sizes, cap=few.cells)
        hypothesis.join(plan.candidates.positions(int(plan.candidates.fitting(hypothesis)[-1])))
        plan.candidates.expected(hypothesis)

    def release(self, door: Door, domain: Domain, design: Design[Rounds]) -> WeightedModel:
        run = MwemRelease(self, design.parameters, door, domain)
        for price in run.prices():
            run.round(price)
        model = run.model()
        return model if self.calibration == 0 else calibrated(door, model, design.parameters, run.for_calibration)


class MwemRelease:
    """One release: the hypothesis, the measurements so far, and what is left to spend."""

    def __init__(self, settings: MWEM, plan: Rounds, door: Door, domain: Domain) -> None:
        self.settings, self.plan, self.door, self.domain = settings, plan, door, domain
        self.measured: list[Measured] = []
        self.evidence: list[Evidence] = []
        self.chosen: list[int] = []
        self.before: list[Floats] = []
        self.certificate: Certificate | None = None
        self.surprise = 0.0
        self.left = plan.price.on_grid(up=False).amount
        self.for_calibration = self._share(plan.calibration)
        self.rows, self.rows_stderr = self._count()
        self.start = self._histogram() if settings.start == "histogram" else None
        self.points = self._reduced() if settings.points is not None else None
        self.hypothesis = Factored(domain.sizes, cap=plan.cells)
        if self.start is not None:
            self.hypothesis = Factored.explicit(domain.sizes, self.start, cap=plan.cells)
        elif self.points is not None:
            self.hypothesis = on_points(domain.sizes, self.points)

    def _share(self, part: Fraction) -> Fraction:
        """Takes a share of what is left."""
        share = Price(currency=self.plan.price.currency, amount=self.left * part).on_grid(up=False).amount
        self.left -= share
        return share

    def _count(self) -> tuple[int, float]:
        """The number of rows, for which a share is paid where it is private. Reads the rows for the first time."""
        statistic, law = self.plan.candidates.statistic, self.plan.law
        if not self.plan.unit.private_rows:
            return self.door.count_rows(statistic, Fraction(1), law), 0.0
        scale = law.scale(self.plan.unit.rows**law.power, self._share(ROWS_SHARE))
        return max(self.door.count_rows(statistic, scale, law), 1), law.stderr(scale)

    def _histogram(self) -> Ints:
        """Starting weights: cells whose noisy count stands out keep it, and all others share what it leaves.

        The expected largest noise of N cells is about b ln N (Laplace) or sigma sqrt(2 ln N) [Har11, section 5.3].
        """
        statistic, law = Histogram(self.domain.sizes, cap=self.plan.cells), self.plan.law
        share = Price(currency=self.plan.price.currency, amount=self._share(HISTOGRAM_SHARE))
        noise = self.plan.noise(statistic, share)
        values, scale = self.door.measure(statistic, noise).values, float(noise.per_group[0])
        logs = math.log(max(len(values), 2))
        least = scale * logs if law == Law.LAPLACE else math.sqrt(2 * scale * logs)
        kept = np.where(values > least, values, 0)
        even = max(self.rows - int(kept.sum()), self.rows // 2, 1) / len(values)
        # Whole numbers, fine enough that no cell is rounded to nothing.
        return np.rint((kept + even) * (1 << 20)).astype(np.int64)

    def _reduced(self) -> Ints:
        """Rows to put weights on, drawn from noisy one-ways and evenly, half and half."""
        sizes, many = self.domain.sizes, self.settings.points or 0
        statistic = ChosenTables(sizes, [(p,) for p in range(len(sizes))])
        share = Price(currency=self.plan.price.currency, amount=self._share(HISTOGRAM_SHARE))
        seen = self.door.measure(statistic, self.plan.noise(statistic, share)).values
        one_ways = [possible_table(own, self.rows) / self.rows for own in np.split(seen, np.cumsum(sizes)[:-1])]
        return random_points(sizes, one_ways, many, public_chance(self.door)).astype(np.int64)

    def prices(self) -> Iterator[Fraction]:
        """The price of each round: equal parts; adaptive: half of that, doubled when a round saw only noise."""
        equal = self.left / self.plan.many
        if not self.settings.adaptive:
            yield from [equal] * self.plan.many
            return
        price, many = equal / 2, len(self.plan.candidates)
        while self.left > 0 and len(self.chosen) < many:
            price = self.left if self.left < 2 * price or len(self.chosen) == many - 1 else price
            self.left -= price
            yield price
            if self.surprise < UNSEEN:
                price *= 2

    def round(self, price: Fraction) -> None:
        """Selects, measures and refits."""
        plan, candidates = self.plan, self.plan.candidates
        select, measure = plan.shares(price)
        reference = np.rint(candidates.expected(self.hypothesis) * self.rows).astype(np.int64)
        fitting = candidates.fitting(self.hypothesis)
        allowed = fitting[~np.isin(fitting, self.chosen)]
        if len(allowed) == 0:
            return  # what is left fits no group; nothing more is paid for
        with self.door.paid(select + measure, f"round {len(self.chosen) + 1}"):
            selected = int(allowed[0])
            if len(allowed) > 1 and select.amount > 0:
                selected = self.settings.chooser.choose(self.door, candidates, reference, allowed, select)
            part = candidates.part(selected)
            noise = plan.noise(part, measure)
            values = self.door.measure(part, noise).values
        self.before = [item.theta for item in self.evidence] + [np.zeros(len(values))]
        self.chosen.append(selected)
        self.measured.append(
            Measured(candidates.positions(selected), values, noise.per_group[0], candidates.function(selected))
        )
        self._judge(values - reference[part.start : part.stop], noise.per_group[0], select, len(allowed))
        self._refit()

    def _judge(self, apart: Ints, scale: Fraction, select: Price, among: int) -> None:
        """How surprising the measurement was, and what it says about all that was not chosen."""
        law, candidates = self.plan.law, self.plan.candidates
        size = law.width(scale)
        self.surprise = float(np.abs(apart).mean()) / size
        self.certificate = None
        if self.settings.chooser.covers_all and select.amount > 0:
            change = self.plan.unit.most(candidates.statistic.block_change) * self.plan.unit.rows
            self.certificate = certify(
                apart, scale, law=law, select=select, change=change, among=among, grid=candidates.grid
            )

    def _refit(self) -> None:
        latest = self.measured[-1]
        grid, law = self.plan.candidates.grid, self.plan.law
        self.evidence.append(latest.evidence(rows=self.rows, grid=grid, law=law))
        group = self.hypothesis.join(latest.positions)
        # Groups are independent of each other, so that what lies in others stays as it is.
        own = [item for item in self.evidence if set(item.positions) <= set(group.members)]
        fit(self.hypothesis, own, passes=PASSES if len(group.table) <= LARGE else FEW_PASSES)

    def model(self) -> WeightedModel:
        """The model, after one longer fit."""
        fit(self.hypothesis, self.evidence, passes=LAST_PASSES)
        candidates = self.plan.candidates
        return WeightedModel.of(
            self.domain,
            self.measured,
            self.evidence,
            law=self.plan.law,
            rows=self.rows,
            rows_stderr=self.rows_stderr,
            grid=candidates.grid,
            before=self.before,
            start=self.start,
            points=self.points,
            coverage=coverage_of(candidates),
            covered=[query_digest(*query) for query in candidates.listed()],
            certificate=self.certificate,
            cap=self.plan.cells,
        )

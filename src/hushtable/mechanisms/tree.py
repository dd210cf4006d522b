"""Tree: noisy pairs of many two-valued columns, a model along a tree of them, and means over sets that correct it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan, check_whole
from ..laws import Law
from ..maths.trees.chow_liu import ChowLiu, frechet
from ..maths.trees.question_tree import grow
from ..maths.wide.bar import NORMAL, Expected, WideBar
from ..maths.wide.held_out import as_drawn, draw_questions
from ..models.tree import UNIT, TreeModel, chance_of, chances_of
from ..questions.workloads.base import Other, Workload
from ..questions.workloads.whole_table import WholeTable
from ..questions.workloads.wide import AllOf, AnyOf
from ..vault.door.noise import Noise
from ..vault.statistics.leaf_means import LeafMeans
from ..vault.statistics.wide_counts import WideCounts
from .base import Design, Forecast, Mechanism, of_kind, options_text
from .low_order import LowOrder
from .plans import Alternative, Plan
from .wide_design import HELD_OUT, NoisyInteractions, Shares, scale_for
from .wide_release import measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..budget import Budget
    from ..vault.door.door import Door

__all__ = ["TreeRelease"]

# Widths that have means of their own, as far as a workload goes, and its own width.
WIDTHS = (3, 5, 8)
MOST_COLUMNS, MOST_MEANS = 150, 100_000
LEAVES = 64
# Half of the price buys pairs, half means.
PAIRS_SHARE = Fraction(1, 2)
# For held-out questions, unless the workload says otherwise: errors are mostly what is missed, and little is noise.
CALIBRATION = 0.08
# A plan by another mechanism mentions this one from so many columns on.
MANY = 30
# Planning a whole table takes seconds beyond so many columns, and more than all else of a plan by this mechanism.
FEW = 40
# Means of many leaves are bought where pairs that are no edges of the model differ from it by more than so many
# deviations of their noise; chosen on three simulated kinds of tables, see docs/trees.md.
WORTH = 2.0
# What is missed of a set, as a variance, has this part that goes with the square of its share; chosen on eight tables,
# leaving each out in turn, see docs/trees.md.
BY_SQUARE = 0.3
SECONDS_PER_ROW = 5e-6
MEASURED_ORDER = 2
LOW_ORDER = "better where columns depend on few others; see docs/trees.md"
WHOLE_TABLE = "answers these too, from a model of all columns; how far that is off for many of them is not known before"
WHEN = "by name alone: better where a few hidden traits stand behind many columns, which no released number tells"


class NoisyTree(NamedTuple):
    """What is measured in any case, and what released numbers decide."""

    workload: AllOf | AnyOf
    shares: Shares
    pairs: NoisyInteractions
    leaves: int
    plain: bool

    @property
    def side(self) -> int:
        """The code that all columns of a set must have."""
        return int(isinstance(self.workload, AllOf))

    @property
    def widths(self) -> tuple[int, ...]:
        """Those with means of their own."""
        width = self.workload.width
        return tuple(sorted({w for w in WIDTHS if w <= width} | {width}))

    @property
    def chance(self) -> Fraction | None:
        """How likely each column is in a set, where sets are drawn so; then a leaf has one mean."""
        return chance_of(self.workload.p)

    @property
    def means(self) -> int:
        """How many numbers a leaf has."""
        return len(self.widths) if self.chance is None else 1

    @property
    def rest(self) -> Price:
        """What is left for means."""
        return self.shares.price((1 - self.shares.calibration) * (1 - PAIRS_SHARE))


@dataclass(frozen=True)
class TreeRelease(Mechanism[NoisyTree]):
    """All, or any, of many columns: the pairs of columns, and what they miss on average over sets of columns.

    Sets of columns are told apart by a decision tree, which is grown from the released pairs alone and so costs
    nothing [Har11, Sec. 6.3]. One linear statistic a leaf and width is the exact mean over its sets; the distance from
    the mean that the model of pairs [ChoL68] has there corrects the model. `model=none` leaves the model out. Of a
    workload with `p` a leaf has one mean, over sets that have each column by that chance.
    """

    name = "tree"
    source = "Har11"
    answers = (AllOf, AnyOf)
    unbiased = False
    by_name_only = True
    why_by_name = (
        "it is better than low-order where a few hidden traits stand behind many columns, and worse elsewhere, which "
        "neither a domain nor released pairs tell; docs/trees.md has both on eight tables"
    )

    leaves: int = LEAVES
    """How many, at most."""
    model: str = "pairs"
    """`pairs`, or `none`: the mean of a leaf is the answer to all its sets."""

    def __post_init__(self) -> None:
        check_whole(self.leaves, "leaves", BadPlan, most=MOST_MEANS)
        if self.model not in ("pairs", "none"):
            raise BadPlan(f"model is pairs or none, not {str(self.model)[:40]!r}")

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[NoisyTree]:
        workload.check(domain)
        asked: AllOf | AnyOf = workload if isinstance(workload, AllOf) else of_kind(workload, AnyOf)
        if rows is None:
            raise BadPlan(f"{workload} needs about how many rows there are: what is worth measuring depends on it")
        _check(domain, asked)
        given = CALIBRATION if asked.calibration is None else asked.calibration
        shares = Shares.of(price, replace(asked, order=MEASURED_ORDER, calibration=given), domain, rows)
        on_pairs = shares.price((1 - shares.calibration) * PAIRS_SHARE)
        pairs = LowOrder()._at_order(domain, MEASURED_ORDER, on_pairs)
        made = NoisyTree(asked, shares, pairs.parameters, self.leaves, self.model == "none")
        means = self.leaves * made.means
        error = _mean_noise(made, means, domain)
        if means > MOST_MEANS:
            raise BadPlan(
                f"{means:,} means of leaves have noise {error / rows:.2g} each; at most {MOST_MEANS:,} are measured: "
                "take fewer leaves"
            )
        return Design(
            by=self,
            options=options_text(self),
            summary=f"{pairs.numbers:,} parities of at most 2 columns and up to {means:,} means over sets of columns, "
            f"with {Law.of(price).noise}",
            price=price,
            numbers=pairs.numbers + means,
            parameters=made,
            forecasts=(*pairs.forecasts, _forecast(asked, error)),
            headline="noise of a mean",
            caution="noise alone: what pairs and means miss is known when pairs are",
            memory=pairs.memory + 400 * means,
            work=pairs.work + 1e6 * SECONDS_PER_ROW,
            fit_seconds=1.0,
        )

    def may_be_chosen(self, workload: Workload) -> bool:
        """Where nobody else takes the workload."""
        return workload.only_by == self.name

    def compared_with(
        self, workload: Workload, domain: Domain, budget: Budget, *, widths: int, named: bool
    ) -> Iterator[Other]:
        """The two other routes to such questions: few columns at a time, and the law of all columns."""
        plain = replace(workload, p=None, order=None)  # type: ignore[type-var]
        yield Other(workload=plain, remark=LOW_ORDER, any_mechanism=True, by_rows=True)
        if len(domain.closed) <= FEW:
            yield Other(workload=WholeTable(), remark=WHOLE_TABLE, any_mechanism=True, by_rows=True)

    def beside(self, chosen: Design[Any], domain: Domain, workload: Workload, rows: int | None) -> Alternative | None:
        """A line where there are many columns of two values: whoever knows that they go together may ask for it."""
        if rows is None or len(domain.closed) < MANY or self.may_be_chosen(workload):
            return None
        try:
            return Alternative.told(self.design(domain, workload, chosen.price, rows), workload, WHEN)
        except BadPlan:
            return None

    def forecast_lines(self, plan: Plan) -> list[str]:
        """Noise is all that is known before pairs are: no error is expected on any public table."""
        from .plan_text import forecast_by_width

        *others, told, caution = forecast_by_width(plan)
        return [*others, told.partition(": expected error")[0] + ": " + _noise_text(plan), caution]

    def release(self, door: Door, domain: Domain, design: Design[NoisyTree]) -> TreeModel:
        """Which means are measured is decided by released pairs, their price is not."""
        made = design.parameters
        pairs = measured(door, domain, made.pairs)
        single, both, noise = chances_of(pairs, made.side)
        fitted = ChowLiu.fit(*frechet(single, both, 1 / max(pairs.total, 2.0)))
        many = made.plain or fitted.residual() >= WORTH * noise
        middle = made.widths[len(made.widths) // 2]
        tree = grow(fitted, made.leaves if many else 1, middle, made.workload.p)
        statistic = LeafMeans(tree, made.widths, side=made.side, unit=UNIT, chance=made.chance)
        means = Noise.costing(made.rest, statistic, domain.unit, [1])
        sums = door.measure(statistic, means).values
        model = TreeModel(
            domain=domain, pairs=pairs, side=made.side, width=made.workload.width, widths=made.widths,
            means_alone=made.plain, parents=fitted.parents, tree=tree, scale=means.per_group[0], sums=sums,
            chance=made.workload.p,
        )  # fmt: skip
        return _calibrated(door, made, model)


def _noise_text(plan: Plan) -> str:
    noise = float(f"{plan.design.error / (plan.rows or 1):.3g}")
    return f"noise of a mean over sets of columns {noise:g}"


def _calibrated(door: Door, made: NoisyTree, model: TreeModel) -> TreeModel:
    """With how far it is off for held-out questions of some widths, which no measurement was made for."""
    share, domain = made.shares.calibration, model.domain
    if not share:
        return model
    d, widths = len(domain.sizes), made.widths
    drawn = [draw_questions(domain.sizes, range(d), width=width, count=HELD_OUT) for width in widths]
    blocks = [[as_drawn(one, made.workload.values_of(len(one))) for one in block] for block in drawn]
    values, reach = [], []
    for block in blocks:
        sets = np.zeros((len(block), d), dtype=bool)
        for line, question in enumerate(block):
            sets[line, list(question.positions)] = True
        shares = model.shares(sets)
        reach.append(float(shares.mean()))
        values.append(shares if made.side else 1 - shares)
    scale = scale_for(made.shares.price(share), domain, blocks=len(widths), questions=HELD_OUT)
    said = np.rint(np.concatenate(values) * model.pairs.total).astype(np.int64)
    distances = door.distances(WideCounts(domain.sizes, blocks), said, scale, model.law)
    noise = NORMAL * model.law.stderr(model.scale) / UNIT / model.pairs.total
    expected = Expected(noise=(noise,) * len(widths), reach=tuple(reach), order=MEASURED_ORDER)
    bar = WideBar(model.law, widths, HELD_OUT, scale, distances, expected)
    return replace(model, bar=bar, by_square=BY_SQUARE)


def _check(domain: Domain, asked: AllOf | AnyOf) -> None:
    wide = [a for a in domain.closed if a.size != 2]
    if wide:
        raise BadPlan(
            f"tree needs columns of two values, and {wide[0].name} has {wide[0].size} (a missing value counts as one; "
            "`missing: error` says there is none)"
        )
    if len(domain.closed) > MOST_COLUMNS:
        raise BadPlan(f"tree measures all pairs of at most {MOST_COLUMNS} columns, not of {len(domain.closed)}")
    if asked.width <= MEASURED_ORDER:
        raise BadPlan(f"tree is for questions about 3 columns or more; measure {asked.width} by marginals(width=2)")
    if asked.order is not None:
        raise BadPlan("tree measures pairs; order is for the mechanism low-order")


def _mean_noise(made: NoisyTree, means: int, domain: Domain) -> float:
    """The deviation of the noise of a mean, in rows."""
    law = Law.of(made.rest)
    change = Fraction(means) * Fraction(domain.unit.rows) ** law.power
    return law.stderr(law.scale(change, made.rest.amount))


def _forecast(asked: AllOf | AnyOf, error: float) -> Forecast:
    return Forecast(width=asked.width, tables=math.comb(asked.width, 1), typical=error, worst=error, reference=True)

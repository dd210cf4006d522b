"""Smooth, directly: noise on the mean of each example; for a few questions that are known, nothing is better."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.smooth.axes import Axis, Block
from ...maths.smooth.enclosures import value_range
from ...maths.smooth.expressions import Expression, LinearForm, names_in
from ...models.smooth.smooth_direct import SmoothDirectModel
from ...questions.workloads.base import Workload
from ...questions.workloads.means import Means
from ...questions.workloads.smooth import Smooth
from ...vault.door.noise import Noise
from ...vault.statistics.functions import FunctionSums
from ...words import counted
from ..base import Design, Forecast, of_kind
from ..means_text import means_forecast
from ..plans import Alternative
from .base import SmoothMechanism
from .planning import check_numbers, crossover, too_large, unit_bits

if TYPE_CHECKING:
    from ...vault.door.door import Door
    from ..plans import Plan

__all__ = ["SmoothDirect"]

MOST_BITS, LEAST_BITS = 40, 12
WORK, READING = 0.05, 0.5


class NoisyMeans(NamedTuple):
    """The questions, each with its noise, and the columns they are about."""

    statistic: FunctionSums
    noise: Noise
    columns: tuple[str, ...]
    examples: tuple[str, ...]


class SmoothDirect(SmoothMechanism[NoisyMeans]):
    """Each question pays for its own noise, so that its error grows with their number [DwoMNS06]."""

    name = "smooth-direct"
    source = "DwoMNS06"
    answers = (Smooth, Means)
    by_name_only = True
    why_by_name = "it answers its examples and nothing else, which only its user can want"
    resolves = False

    def may_be_chosen(self, workload: Workload) -> bool:
        """For means, which are all that is wanted then."""
        return isinstance(workload, Means)

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[NoisyMeans]:
        """Scales that minimise the squared errors of all examples together; of means, as shares of their ranges."""
        workload.check(domain)
        asked = _asked(domain, workload)
        check_numbers(len(asked.texts), rows, "the number of examples")
        functions, halves = asked.functions, asked.halves
        law, bits = Law.of(price), unit_bits(rows, MOST_BITS)
        # Laplace: sum of (half x scale)^2 at a given sum of 1 / scale; Gaussian: half^2 x variance, likewise.
        shape = [h ** (-2 / 3) if law == Law.LAPLACE else 1 / h for h in halves]
        private = domain.unit.private_rows
        while True:
            statistic = FunctionSums(Block(asked.axes), functions, asked.ranges, 2**bits)
            left_out = [_left_out_scale(statistic, needed, shape, law, private=private) for needed in statistic.lacking]
            rows_scale = _rows_scale(halves, law, bits) if private else 0.0
            noise = Noise.costing(price, statistic, domain.unit, [rows_scale, *shape, *left_out])
            if not too_large(noise):
                break
            bits -= too_large(noise)
            if bits < LEAST_BITS:
                raise BadPlan("the budget is so small that the noise would leave 64 bits; raise it")
        return Design(
            by=self,
            summary=f"the means of {counted(len(functions), asked.what)}, and no others, with {law.noise}",
            price=price,
            numbers=statistic.groups,
            forecasts=(_error(statistic, noise, halves),),
            memory=150_000_000,
            work=READING + WORK * len(functions),
            headline=f"typical {'mean' if isinstance(workload, Means) else 'question'}",
            parameters=NoisyMeans(statistic, noise, tuple(str(axis) for axis in asked.axes), asked.texts),
        )

    def forecast_lines(self, plan: Plan) -> list[str]:
        return means_forecast(plan) if isinstance(plan.workload, Means) else super().forecast_lines(plan)

    def beside(self, chosen: Design[Any], domain: Domain, workload: Workload, rows: int | None) -> Alternative | None:
        """How many questions it would answer as well as the chosen design, or how well it answers the examples."""
        if isinstance(workload, Means):
            return None
        asked = of_kind(workload, Smooth)
        if not asked.examples:
            few = crossover(chosen, asked, domain, chosen.price)
            why = f"at most {few} questions known in advance get less noise so; give them as examples"
            return Alternative(mechanism=self.name, workload=str(asked), typical=(), why_not=why) if few else None
        try:
            design = self.design(domain, asked, chosen.price, rows)
        except BadPlan:
            return None
        better = design.error < chosen.error
        why = f"{'SMALLER' if better else 'larger'} error for the examples, and answers nothing else"
        return Alternative.told(design, asked, why + (f": use --mechanism {self.name}" if better else ""))

    def release(self, door: Door, domain: Domain, design: Design[NoisyMeans]) -> SmoothDirectModel:
        statistic, noise, columns, examples = design.parameters
        seen = door.measure(statistic, noise)
        return SmoothDirectModel(
            domain=domain, columns=columns, examples=examples, ranges=statistic.ranges, law=noise.law,
            unit=statistic.unit, scales=tuple(Fraction(s) for s in noise.per_group), sums=seen.values,
            lacking=statistic.lacking,
        )  # fmt: skip


class KnownFunctions(NamedTuple):
    """Functions with proven ranges, and how much an error of each counts, where its range is from -1 to 1."""

    axes: tuple[Axis, ...]
    texts: tuple[str, ...]
    functions: list[Expression]
    ranges: list[tuple[float, float]]
    halves: list[float]
    what: str


def _asked(domain: Domain, workload: Workload) -> KnownFunctions:
    if isinstance(workload, Means):
        axes = workload.axes(domain)
        texts = tuple(name if name.isidentifier() else repr(name) for name in workload.columns)
        columns: list[Expression] = [LinearForm(axis.name, 1.0, 0.0) for axis in axes]
        return KnownFunctions(axes, texts, columns, [(a.low, a.high) for a in axes], [0.5] * len(axes), "column")
    asked = of_kind(workload, Smooth)
    if not asked.examples or asked.by:
        raise BadPlan("smooth-direct answers the examples of the workload, without `by`; give examples=['...']")
    axes = tuple({axis.name: axis for block in asked.blocks(domain) for axis in block.axes}.values())
    functions, ranges = [expression for _, expression in asked.questions(domain)], []
    for text, function in zip(asked.examples, functions, strict=True):
        low, high = value_range(function, [axis for axis in axes if axis.name in names_in(function)])
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise BadPlan(f"example {text[:60]!r} has no range that can be proven between the bounds; rewrite it")
        ranges.append((low, high))
    return KnownFunctions(
        axes, asked.examples, functions, ranges, [(high - low) / 2 for low, high in ranges], "question"
    )


def _error(statistic: FunctionSums, noise: Noise, halves: list[float]) -> Forecast:
    """Half the range is allowed for what the number of rows, or of those left out, moves the mean by."""
    many = len(statistic.functions)
    variances = np.array([noise.law.variance(scale) for scale in noise.per_group])
    counts = [variances[0], *variances[1 + many :]]
    moved = [counts[0] + (counts[1 + statistic.lacking.index(n)] if n else 0.0) for n in statistic.needs]
    each = (variances[1 : 1 + many] / float(statistic.unit) ** 2 + np.array(moved)) * np.array(halves) ** 2
    return Forecast(width=1, tables=1, typical=float(np.sqrt(each.mean())), worst=float(np.sqrt(each.max())))


def _rows_scale(halves: list[float], law: Law, bits: int) -> float:
    """The scale of the number of rows, where it is private, beside those of the sums: it moves all answers."""
    use = sum(h**2 for h in halves) / 4
    return float(use ** (-1 / 3) / 2.0**bits if law == Law.LAPLACE else use ** (-1 / 2) / 4.0**bits)


def _left_out_scale(
    statistic: FunctionSums, needed: frozenset[str], shape: list[float], law: Law, *, private: bool
) -> float:
    """The smallest scale that costs nothing: a row that goes missing moves functions by half of what another moves."""
    own = sum(1 / s for s, n in zip(shape, statistic.needs, strict=True) if n == needed)
    if law == Law.LAPLACE:
        return 1 / (own * statistic.unit)
    return 1 / (own * statistic.unit**2 * (1 if private else 3))

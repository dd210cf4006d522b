"""Planning of smooth questions: units, shares of the budget, forecasts, and what answering directly would give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...laws import Law
from ...maths.smooth.axes import MOST_DENSE_AXES, Block
from ...maths.smooth.basis import Basis
from ...maths.smooth.reference import Typical, typical_questions
from ...maths.smooth.sparse_basis import SparseBasis
from ...questions.workloads.smooth import Smooth
from ...vault.door.noise import Noise
from ...words import counted
from ..allocation import least_variance_root
from ..base import Design, Forecast

__all__ = [
    "Planned",
    "check_numbers",
    "crossover",
    "described",
    "forecast",
    "planned_blocks",
    "shares",
    "too_large",
    "unit_bits",
]

Floats = NDArray[np.float64]
MOST_NUMBERS = 5_000_000
MOST_ROWS = 2**40
# Scales of noise up to 2^50 can be drawn.
LARGEST_SCALE_BITS = 48
# Without a number of rows there is room for this many.
ROOM_BITS = 34


@dataclass(frozen=True)
class Planned:
    """A block with its basis and the questions its noise is judged by."""

    block: Block
    basis: Basis
    typical: list[Typical]

    @property
    def numbers(self) -> int:
        """How many sums it has."""
        level = self.basis.level if isinstance(self.basis, SparseBasis) else None
        return self.block.cells * self.block.combinations(self.basis.size, level)

    def variances(self, units: Floats, *, private_rows: bool = False) -> Floats:
        """Noise variance of each question over the whole block, in rows^2, when coordinates have these variances.

        A mean is a sum over a number of rows, which is private or, where values may be missing, noisy too. As much of
        that number is taken out of a question as leaves the least noise; what should be taken out is the mean, which
        depends on the rows, so that half the question's range is allowed for. The number of all rows is taken out
        freely where it is public.
        """
        axes, everyone = self.block.axes, self.basis.everyone(self.block.axes)
        units = units.reshape(everyone.shape)
        present = self.basis.lift(self.basis.one(len(axes)), axes)
        if not private_rows:
            present = _without(present, everyone, units)
        below = float((units * present**2).sum())
        variances = []
        for question in self.typical:
            weights = self.basis.lift(question.coefficients, axes)
            weights = _without(weights if private_rows else _without(weights, everyone, units), present, units)
            least = float((units * weights**2).sum())
            variances.append(self.block.cells * (least + below * (question.reach / 2) ** 2))
        return np.array(variances)


def _without(weights: Floats, part: Floats, units: Floats) -> Floats:
    """Weights minus the multiple of a part that leaves the least noise."""
    noise = float((units * part**2).sum())
    # What is left of the number of all rows without itself is rounding.
    return weights - part * (float((units * part * weights).sum()) / noise) if noise > 1e-20 * units.max() else weights


def planned_blocks(domain: Domain, workload: Smooth, basis: Callable[[Block], Basis]) -> list[Planned]:
    """Every block, with the examples that are about it or the public family."""
    blocks, examples = workload.blocks(domain), workload.questions(domain)
    made = []
    for i, block in enumerate(blocks):
        own = basis(block)
        asked = [expression for home, expression in examples if home == i]
        made.append(Planned(block, own, typical_questions(block, workload.scale_of(block), own, asked)))
    return made


def check_numbers(numbers: int, rows: int | None, word: str) -> None:
    """BadPlan for more numbers or rows than can be handled."""
    if numbers > MOST_NUMBERS:
        raise BadPlan(
            f"this release has {numbers:,} numbers and the cap is {MOST_NUMBERS:,}; raise length_scale, lower {word}, "
            "take fewer columns together or fewer categories"
        )
    if rows is not None and rows > MOST_ROWS:
        raise BadPlan(f"{rows:,} rows are more than the {MOST_ROWS:,} that sums of smooth functions can count")


def unit_bits(rows: int | None, most: int) -> int:
    """Bits of the unit of a row so that the sums of four times as many rows fit 62 bits."""
    room = ROOM_BITS if rows is None else (4 * rows).bit_length()
    return min(most, 61 - room)


def too_large(noise: Noise, *, least_weight: float = 1.0) -> int:
    """How many bits the largest scale has too many."""
    top = max(noise.per_group) / Fraction(least_weight)
    bits = math.ceil(top).bit_length() / noise.law.power
    return max(0, math.ceil(bits - LARGEST_SCALE_BITS))


def shares(uses: Sequence[float], law: Law) -> list[float]:
    """Scales of least total variance: sum of use x scale (Gaussian) or use x scale^2 (Laplace) at one price."""
    root = least_variance_root(law)
    return [(1 / use) ** root if use > 0 else 1.0 for use in uses]


def forecast(blocks: Sequence[Planned], units: Sequence[Floats], domain: Domain) -> Forecast:
    """Errors in rows over all questions of all blocks, given the noise variance of each coordinate in rows^2."""
    private = domain.unit.private_rows
    variances = np.concatenate([b.variances(u, private_rows=private) for b, u in zip(blocks, units, strict=True)])
    return Forecast(
        width=1,
        tables=len(blocks),
        typical=float(np.sqrt(variances.mean())),
        worst=float(np.sqrt(variances.max())),
        bias=max(question.bias for block in blocks for question in block.typical),
    )


def described(blocks: Sequence[Planned], what: str, law: Law) -> str:
    """`784 spline sums of 2 columns with discrete Laplace noise`."""
    numbers = sum(b.numbers for b in blocks)
    columns = " + ".join(str(len(b.block.axes)) for b in blocks)
    groups = "" if len(blocks) == 1 else f" in {counted(len(blocks), 'group')}"
    return f"{numbers:,} {what} sums of {columns} columns{groups} with {law.noise}"


def crossover(design: Design[Any], workload: Smooth, domain: Domain, price: Price) -> int:
    """How many questions, known in advance, direct noise would answer as well as this design.

    Each moves by at most its range R: the error of Q questions is sqrt(2) Q R / epsilon, or sqrt(Q / (2 rho)) R.
    """
    from ...models.smooth.released_sums import basis_for

    block = replace(first := workload.blocks(domain)[0], axes=first.axes[:MOST_DENSE_AXES])
    basis = basis_for("spline", 16, len(block.axes))
    reaches = [t.reach for t in typical_questions(block, workload.scale_of(block), basis, ())]
    reach = math.sqrt(sum(r**2 for r in reaches) / len(reaches)) * domain.unit.rows
    error = design.error / reach
    amount = float(price.amount)
    return round(error * amount / math.sqrt(2)) if price.currency == "pure" else round(error**2 * 2 * amount)

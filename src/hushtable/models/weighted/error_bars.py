"""Error bars of a weighted model: from a measured table, from the certificate of the last choice, or none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...maths.distribution import Factored
from .certificate import MISS, largest_noise, query_digest
from .pooled_tables import NoiseMoments

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["ErrorBar", "bar", "guess"]

Floats = NDArray[np.float64]
Z = 1.96
# How many tables that hold the attributes of a question are looked at to find one that was a candidate.
MOST_TRIES = 1000


Basis = Literal["measured", "certified", "guessed", "certain"]


@dataclass(frozen=True)
class ErrorBar:
    """The error of one answer, as a share of the number of rows, and what it rests on."""

    stderr: float
    bias: float
    basis: Basis
    direct: float | None = None
    """The unbiased value, where the question was measured."""
    kurtosis: float = 0.0
    """Excess kurtosis of the noise."""

    @property
    def half_width(self) -> float:
        """About half of a 95% interval."""
        return self.bias + Z * self.stderr


@dataclass(frozen=True)
class _Asked:
    """A question: the mean of a function of some attributes over the rows, or (count) its sum.

    Where the number of rows n is private, r = n + e is known. A sum S has the model's answer r x value, and a mean
    has value: what misses is S - r value, or (S - r value + e value) / n. So e enters sums and means differently.
    """

    model: WeightedModel
    positions: tuple[int, ...]
    function: Floats
    value: float
    """What the model says."""
    count: bool

    @property
    def rows(self) -> float:
        """r, the best estimate."""
        return self.model.pooled.rows

    def bar(self, basis: Basis, bias: float, noise: NoiseMoments, direct: float | None = None) -> ErrorBar:
        """Noise in rows, bias as a share of them."""
        square = noise.variance**2
        return ErrorBar(
            math.sqrt(noise.variance) / self.rows, bias, basis, direct, noise.fourth / square if square else 0.0
        )

    def bounded(self, apart: float, before: float, constant: float) -> ErrorBar:
        """S is within `apart` rows of `before` + `constant` (n - released), by what was selected or measured."""
        expected = before + constant * (self.rows - self.model.rows)
        bias = (apart + abs(expected - self.rows * self.value)) / self.rows
        # Dividing by n instead of r moves the bound itself, too.
        lean = constant if self.count else abs(self.value - constant) + bias
        return self.bar("certified", bias, self.model.pooled.noise(lean))


def bar(
    model: WeightedModel, positions: tuple[int, ...], function: Floats, value: float, *, count: bool = False
) -> ErrorBar:
    """The best bar for the mean over rows of a function of these attributes; `value` is what the model says.

    `count`: for the sum over rows, still as a share of the number of rows.
    """
    asked = _Asked(model, positions, function, value, count)
    measured = [each for each in (_from_tables(asked), *_from_queries(asked)) if each is not None]
    # By the noise alone, which does not depend on luck.
    known = sorted(measured, key=lambda each: each.stderr)[:1]
    certified = _certified(asked)
    if certified is not None:
        known.append(certified)
    nothing = guess(model, float(function.min()), float(function.max()), value, count=count)
    best = min(known, key=lambda each: each.half_width, default=nothing)
    return best if best.half_width < nothing.half_width else nothing


def guess(
    model: WeightedModel, low: float, high: float, value: float, *, count: bool, sampling: float = 0.0
) -> ErrorBar:  # fmt: skip
    """What is known of every mean of a function between `low` and `high`; a sum is at most `high` n."""
    asked = _Asked(model, (), np.zeros(0), value, count)
    noise = model.pooled.noise(max(abs(low), abs(high)) if count else 0.0)
    noise = NoiseMoments(noise.variance + (sampling * asked.rows) ** 2, noise.fourth)
    return asked.bar("certain" if low == high else "guessed", max(value - low, high - value), noise)


def _from_tables(asked: _Asked) -> ErrorBar | None:
    """An interval around the model's value that holds the one around the unbiased value."""
    pooled, table = asked.model.pooled, asked.model.pooled.table(asked.positions)
    if table is None:
        return None
    mean = float(asked.function.mean())
    contrast = asked.function - mean
    direct = float((contrast * table.cells).sum()) / pooled.rows + mean
    noise = pooled.noise(mean if asked.count else mean - direct, table, contrast)
    return asked.bar("measured", abs(asked.value - direct), noise, direct)


def _from_queries(asked: _Asked) -> Iterator[ErrorBar]:
    """The same for single queries that were measured: each tells of itself, its opposite and its multiples."""
    model, function = asked.model, asked.function.ravel()
    for item in model.measured:
        if item.function is None or item.positions != asked.positions:
            continue
        weights = item.function / model.grid
        first, last = int(weights.argmin()), int(weights.argmax())
        if weights[first] == weights[last]:
            continue
        slope = float((function[last] - function[first]) / (weights[last] - weights[first]))
        constant = float(function[first] - slope * weights[first])
        if np.allclose(function, constant + slope * weights, rtol=0, atol=1e-12):
            direct = constant + slope * float(item.values[0]) / model.grid / asked.rows
            rows, step = model.pooled.noise(constant if asked.count else constant - direct), slope / model.grid
            noise = NoiseMoments(
                step**2 * item.variance(model.law) + rows.variance, step**4 * item.fourth(model.law) + rows.fourth
            )
            yield asked.bar("measured", abs(asked.value - direct), noise, direct)


def _certified(asked: _Asked) -> ErrorBar | None:
    model, positions, function = asked.model, asked.positions, asked.function
    certificate, coverage = model.certificate, model.coverage
    if certificate is None or coverage.kind == "none" or len(positions) > (coverage.width or len(positions)):
        return None
    before = model.rows * float((model.earlier.table(positions) * function).sum())
    if coverage.kind == "parities":
        reach = _parity_reach(model, positions, function)
        return None if reach is None else asked.bounded(reach, before, float(function.mean()))
    if coverage.kind == "queries":
        listed = query_digest(positions, function) in model.covered
        return asked.bounded(certificate.apart, before, 0.0) if listed else None
    if not _was_candidate(model, positions):
        return None
    low, high = float(function.min()), float(function.max())
    # Less its middle the function is at most (high - low) / 2 on every cell; the middle is the same for all rows.
    return asked.bounded((high - low) / 2 * certificate.apart, before, (low + high) / 2)


def _was_candidate(model: WeightedModel, positions: tuple[int, ...]) -> bool:
    """Whether some table with these attributes could be selected in the last round: small enough, not yet measured."""
    earlier = model.earlier
    taken = {frozenset(item.positions) for item in model.measured[:-1]}
    inside = {p for group in earlier.spanned(positions) for p in group.members}
    others = [p for p in range(len(earlier.sizes)) if p not in positions]
    others.sort(key=lambda p: (p not in inside, earlier.cells((p,))))
    fillers = combinations(others, model.coverage.width - len(positions))
    for more in islice(fillers, MOST_TRIES):
        whole = (*positions, *more)
        if frozenset(whole) not in taken and earlier.cells(whole) <= earlier.cap:
            return True
    return False


def _parity_reach(model: WeightedModel, positions: tuple[int, ...], function: Floats) -> float | None:
    """Rows: the sum over all parities of these attributes of |coefficient| x what is known about the parity.

    A parity measured before the last round was no candidate in it; its own measurement says how far off it was.
    """
    from ...maths.distribution.kernels import walsh

    assert model.certificate is not None
    coefficients = function.astype(np.float64).ravel().copy()
    walsh(coefficients)
    coefficients /= len(coefficients)
    own = {frozenset(item.positions): item for item in model.measured[:-1]}
    reach, last = 0.0, len(positions) - 1
    for mask in range(1, len(coefficients)):
        members = tuple(p for i, p in enumerate(positions) if mask >> (last - i) & 1)
        item = own.get(frozenset(members))
        if item is not None:
            apart = abs(float(item.values[0]) - model.rows * _parity(model.earlier, members))
            apart += largest_noise(item.scale, 1, MISS / 3 / len(model.measured), model.law) + 1
        elif model.earlier.cells(members) <= model.earlier.cap:
            apart = model.certificate.apart
        else:
            return None
        reach += abs(float(coefficients[mask])) * apart
    return reach


def _parity(hypothesis: Factored, members: tuple[int, ...]) -> float:
    table = hypothesis.table(members)
    for _ in members:
        table = table[0] - table[1]
    return float(table)

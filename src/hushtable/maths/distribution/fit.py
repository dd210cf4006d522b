"""Fit: the distribution that agrees with what was measured as closely as the noise deserves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .factored import Factored

__all__ = ["Evidence", "fit", "objective"]

Floats = NDArray[np.float64]
# Standard deviation of a normal prior on log-weights; the ridge coefficient c of `fit` is variance / PRIOR_SD^2.
PRIOR_SD = 0.5
# Passes stop when no log-weight moves by more than this.
STILL = 1e-3


@dataclass(eq=False)
class Evidence:
    """What was measured about a few attributes: their whole table, or one weighted sum of its cells.

    `target` is in fractions of the rows and `variance` is that of its noise; `theta` is the log-weight found so far.
    """

    positions: tuple[int, ...]
    target: Floats
    """One number a cell of the table (C order), or a single number."""
    variance: float
    weights: Floats | None = None
    """The weight of each cell in the sum; None when the whole table was measured."""
    theta: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.target = np.atleast_1d(np.asarray(self.target, dtype=np.float64))
        if not len(self.theta):
            self.theta = np.zeros_like(self.target)

    @property
    def give(self) -> float:
        """Ridge coefficient: variance / PRIOR_SD^2."""
        return max(self.variance / PRIOR_SD**2, 1e-12)

    def exponent(self, theta: Floats) -> Floats:
        """The log-weight of every cell."""
        return theta if self.weights is None else float(theta[0]) * self.weights


def fit(distribution: Factored, evidence: Sequence[Evidence], *, passes: int) -> float:
    """Maximises sum theta m - log Z(theta) - sum c theta^2 / 2 by blocks, the newest first.

    Each block is solved exactly, so that the objective never falls, however inconsistent the measurements are;
    at the optimum the distribution misses a target by c theta. Returns the last largest change of a log-weight.
    """
    moved = 0.0
    for _ in range(passes):
        moved = 0.0
        for item in reversed(evidence):
            moved = max(moved, _update(distribution, item))
        if moved < STILL:
            break
    return moved


def _update(distribution: Factored, item: Evidence) -> float:
    from .kernels import scale, sum_step, table_steps

    group = distribution.join(item.positions)
    now = group.marginal(item.positions).ravel()
    # Of a whole table every cell is solved alone; normalising afterwards is one more exact step, for the total.
    if item.weights is None:
        step = table_steps(now, item.target, item.theta, item.give)
    else:
        step = np.array([sum_step(now, item.weights, float(item.target[0]), float(item.theta[0]), item.give)])
    item.theta = item.theta + step
    group.table /= scale(group.table, *group.places(item.positions), np.exp(item.exponent(step)))
    return float(np.abs(step).max())


def objective(distribution: Factored, start: Factored, evidence: Sequence[Evidence]) -> float:
    """What `fit` maximises, with log Z counted from `start`; for tests and for judging convergence."""
    joint = tuple(range(len(distribution.sizes)))
    begin = start.table(joint)
    total = np.zeros_like(begin)
    value = 0.0
    for item in evidence:
        shape = [distribution.sizes[p] if p in item.positions else 1 for p in joint]
        order = np.argsort(item.positions)
        cells = item.exponent(item.theta).reshape([distribution.sizes[p] for p in item.positions]).transpose(order)
        total = total + cells.reshape(shape)
        value += float(item.theta @ item.target) - item.give * float(item.theta @ item.theta) / 2
    return value - float(total.max() + np.log((begin * np.exp(total - total.max())).sum()))

"""Fit: weighted rows whose tables agree with the released ones, and are otherwise as independent as possible.

    min over q of  n KL(q || prod p_j) + sum over tables A of |y_A - n q_A|^2 / (2 c_A)

At the minimum theta_A = (y_A - n q_A) / c_A and q ~ prod p_j exp(sum theta_A). Rows carry q by their weights:
soft raking [DemS40] changes theta and weights together, and when weights degenerate the rows are drawn again and
moved by Gibbs steps, which leave q as it is (sequential Monte Carlo [DelDJ06]).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .forest import forest_start
from .gibbs import renew
from .network import Network
from .weighted_rows import pack_rows, word_spans

__all__ = ["Fitted", "fit", "refit", "touch_up"]

Floats = NDArray[np.float64]
# Rows while annealing, the factors on c_A stage by stage (from a soft pull of the tables to the full one), and sweeps
# over all tables in each stage.
ROWS, STAGES, SWEEPS = 50_000, (8.0, 4.0, 2.0, 1.0), 5
# Rows are drawn again when their effective share is below FLOOR. It is looked at every CHECK_EVERY tables, and after
# MOST_MOVES draws only at the end of a sweep, which bounds the time.
FLOOR, MOST_MOVES, CHECK_EVERY = 0.4, 40, 4
# The rows that are published: sweeps after each draw, up to REPEATS further draws while the effective share is below
# GOOD, and the share at which a sweep ends early.
LAST_SWEEPS, REPEATS, GOOD, STOP = 4, 3, 0.5, 0.3
# Equal rows are joined where at most this part of the rows is left: else it takes more time than it saves.
FEWER = 0.7
# Further passes over single attributes at the very end: they are known best, and each moves those that depend on it.
LAST_PASSES = 5


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weighted rows over base groups."""

    codes: NDArray[np.uint16]
    weights: Floats
    theta: Floats
    effective: float
    """Effective share of the rows at the end."""
    moves: int
    count: int
    """How many rows there are."""
    copies: Floats
    """How many of these each line stands for: equal ones may stand once."""

    @property
    def carriers(self) -> float:
        """How many rows of equal weight would carry the model as well."""
        return self.effective * self.count


class _Walk:
    """Rows, weights and theta on their way."""

    def __init__(self, network: Network, codes: NDArray[np.uint16], theta: Floats, random: np.random.Generator) -> None:
        self.network, self.codes, self.theta, self.random = network, codes, theta, random
        self.count, self.weights, self.copies = codes.shape[1], np.ones(codes.shape[1]), np.ones(codes.shape[1])
        self.weights[network.rules.broken(codes)] = 0.0
        if not self.weights.any():
            self.weights[:] = 1.0
        self.by_length = np.ones(len(network.lengths.wanted))
        self.moves = 0

    def move(self, count: int) -> None:
        """Resamples by weight, then one Gibbs pass with the present theta."""
        edges = np.cumsum(self.weights)
        points = (np.arange(count) + self.random.random()) * (edges[-1] / count)
        chosen = np.minimum(np.searchsorted(edges, points, side="right"), len(edges) - 1)
        self.codes = np.ascontiguousarray(self.codes[:, chosen])
        renew(self.network, self.codes, self.theta, int(self.random.integers(0, 2**63)), self.by_length)
        self.moves += 1
        self.count = count
        self.codes, self.copies = _once(self.codes, self.network.sizes)
        self.weights = self.copies * (self.network.rows / count)

    def sweep(self, softness: float, floor: float) -> None:
        """One pass over all factors; rows are moved as soon as their weights degenerate."""
        from .raking_kernels import sweep

        network, at = self.network, 0
        strength = network.strength * softness
        every = CHECK_EVERY if self.moves < MOST_MOVES else 0
        if len(self.by_length):
            network.lengths.rake(self.codes, self.weights, self.by_length)
        while at < len(network.factors):
            at = sweep(self.codes, self.weights, self.copies, self.count, network.factors, network.maps, network.cells,
                       self.theta, network.target, strength, network.rows, at, floor, every)  # fmt: skip
            if at < len(network.factors) or self.effective < floor:
                if floor <= STOP:
                    return
                self.move(self.count)
                every = CHECK_EVERY if self.moves < MOST_MOVES else 0

    def margins(self, passes: int) -> None:
        """Passes over the factors of single attributes, which change weights alone.

        Theta stays as it is: it would grow with every pass where no row is, and the next move would draw rows there.
        """
        from .raking_kernels import sweep

        net, spare = self.network, self.theta.copy()
        for _ in range(passes):
            sweep(self.codes, self.weights, self.copies, self.count, net.factors, net.maps, net.cells, spare,
                  net.target, net.strength, net.rows, net.alone, 0.0, 0)  # fmt: skip

    @property
    def effective(self) -> float:
        """Effective share of the rows."""
        from .raking_kernels import effective

        return float(effective(self.weights, self.copies, self.count))


def fit(network: Network, scores: Sequence[float], count: int, random: np.random.Generator) -> Fitted:
    """Starts from a forest, anneals the tables' pull from soft to full, and ends with `count` rows."""
    codes, theta = forest_start(network, scores, min(ROWS, count), random)
    walk = _Walk(network, codes, theta, random)
    if len(network.factors) == 0:
        return Fitted(codes, walk.weights, theta, 1.0, 0, walk.count, walk.copies)
    for softness in STAGES:
        walk.move(codes.shape[1])
        for number in range(SWEEPS):
            walk.sweep(softness, FLOOR)
            if number == SWEEPS // 2:
                walk.move(codes.shape[1])
    return _finished(walk, count)


def refit(network: Network, start: Fitted, random: np.random.Generator) -> Fitted:
    """From rows and theta that describe a distribution already near: one stage at full pull, and as many rows."""
    walk = _Walk(network, start.codes, start.theta, random)
    walk.weights, few = start.weights.copy(), min(ROWS, start.count)
    walk.move(few)
    for number in range(SWEEPS):
        walk.sweep(1.0, FLOOR)
        if number == SWEEPS // 2:
            walk.move(few)
    return _finished(walk, start.count)


def touch_up(network: Network, start: Fitted, random: np.random.Generator) -> Fitted:
    """The same where so little is to be changed that the rows can stay as they are."""
    walk = _Walk(network, start.codes, start.theta, random)
    walk.weights, walk.copies, walk.count = start.weights.copy(), start.copies, start.count
    for _ in range(LAST_SWEEPS):
        walk.sweep(1.0, STOP)
    return _published(walk) if walk.effective >= GOOD else _finished(walk, start.count)


def _finished(walk: _Walk, count: int) -> Fitted:
    """The last rows, at full pull; drawn again where their weights are uneven."""
    for _ in range(1 + REPEATS):
        walk.move(count)
        for _ in range(LAST_SWEEPS):
            walk.sweep(1.0, STOP)
        if walk.effective >= GOOD:
            break
    return _published(walk)


def _published(walk: _Walk) -> Fitted:
    walk.margins(LAST_PASSES)
    return Fitted(walk.codes, walk.weights, walk.theta, walk.effective, walk.moves, walk.count, walk.copies)


def _once(codes: NDArray[np.uint16], sizes: Sequence[int]) -> tuple[NDArray[np.uint16], Floats]:
    """Equal rows once, where that makes them much fewer, and how many times each was there.

    They keep equal weights until they are moved, so that sweeps over them are the same, in less time.
    """
    if len(word_spans(sizes)) == 1:
        _, first, times = np.unique(pack_rows(codes, sizes)[0], return_index=True, return_counts=True)
        if len(first) <= FEWER * codes.shape[1]:
            return np.ascontiguousarray(codes[:, first]), times.astype(np.float64)
    return codes, np.ones(codes.shape[1])

"""Corollary 7.1.3: from most questions to all by boosting over questions, and what its draws cost.

Not private: a simulation with the noise that would be added. Nobody should use it: measuring is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Boosted", "boosted", "draws_cost", "rounds_needed", "rows_for_half", "step"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Base(Protocol):
    """From the questions drawn and their noisy answers to predictions for all."""

    def __call__(self, drawn: Integers, answers: Floats, noise_sd: float) -> Floats:
        """A prediction for each question there is."""


def step(eta: float) -> float:
    """a = 1/2 ln((1 + 2 eta) / (1 - 2 eta)), for a base that is right on a share 1/2 + eta of the weight."""
    return 0.5 * log((1 + 2 * eta) / (1 - 2 * eta))


def rounds_needed(questions: int, eta: float) -> int:
    """T > ln |Q| / (-1/2 ln(1 - 4 eta^2))."""
    return ceil(log(questions) / (-0.5 * log(1 - 4 * eta**2)))


def draws_cost(*, rounds: int, draws: int, eta: float, ramp: float, rows: int) -> float:
    """rho of all draws: in round t + 1 an exponential mechanism whose scores one row moves by 2 t / (n ramp).

    Its range is 4 a t / (n ramp), and a draw of bounded range e is e^2 / 8 zCDP           [BunS16, Prop. 1.4]
    """
    each = [(4 * step(eta) * t / (rows * ramp)) ** 2 / 8 for t in range(rounds)]
    return draws * sum(each)


def rows_for_half(rho: float, **given: float) -> int:
    """The rows at which the draws cost half a budget: they fall as the square."""
    return ceil(sqrt(draws_cost(rows=1, **given) / (rho / 2)))


@dataclass(frozen=True)
class Boosted:
    """What came out, and of what it was made."""

    answers: Floats
    first: Floats
    """Of the first base, before any boosting."""
    right: tuple[float, ...]
    """The share of weight that each base was right on."""


def boosted(truth: Floats, base: Base, *, rows: int, rho: float, rounds: int, draws: int, eta: float, near: float,
            ramp: float, random: np.random.Generator) -> Boosted:  # fmt: skip
    """T bases on questions drawn by weights that grow where all before were wrong; the median of them.

    A score is 1 within `near` of the truth, -1 beyond near + ramp, and linear between.
    """
    scores, said, right = np.zeros(len(truth)), [], []
    noise = sqrt(rounds * draws / rho) / rows
    for _ in range(rounds):
        weights = np.exp(-step(eta) * scores)
        weights /= weights.sum()
        drawn = np.unique(random.choice(len(truth), draws, p=weights))
        found = base(drawn, truth[drawn] + random.normal(0, noise, len(drawn)), noise)
        off = np.abs(found - truth)
        score = np.clip(1 - 2 * (off - near) / ramp, -1, 1)
        right.append(float(weights[off <= near].sum()))
        scores += score
        said.append(found)
    return Boosted(np.median(np.stack(said), axis=0), said[0], tuple(right))

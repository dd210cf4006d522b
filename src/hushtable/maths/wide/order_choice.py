"""Order choice: how many attributes to measure together, from what single ones and a few wide questions showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from .krawtchouk import parity_of_values
from .one_factor import OneFactor
from .tilted import independent_law

__all__ = ["STRENGTHS", "Look", "expected_errors", "weigh"]

Floats = NDArray[np.float64]
STRENGTHS = (0.0, 0.01, 0.03, 0.07, 0.15, 0.3, 0.5, 0.7, 0.9)
"""How strongly the columns of the reference tables depend."""
# How often tables are of each strength, as a guess: most depend weakly.
BEFORE = np.array([0.5, 0.5, 1.0, 2.0, 2.0, 1.0, 0.5, 0.5, 0.25])
# Mean absolute value of a normal number.
NORMAL = 0.8
# Questions on which errors are foretold; how far, as a share, what is foretold for a strength may be off, and the part
# of it that is noise.
FEW, ROUGH, SHARED = 40, 0.25, 1.5
# Strengths that are less likely than this part of the likeliest are left out.
UNLIKELY = 0.05
# Odd orders do worse on real tables than on these: they have nearly the noise of the next one, and little less bias
# than the one before.
ODD = 1.1
# Real tables are not of one factor: of what single attributes miss, so much is still missed by pairs, and so many times
# less by every further order; less of it where the one factor is strong.
MISSED, FALL = 0.25, 2.2


@dataclass(frozen=True, eq=False)
class Look:
    """What is known before the order is chosen."""

    values: Floats
    """The typical question, by how many of its conditions hold."""
    chances: Sequence[Floats]
    """Of the conditions of some questions, as released."""
    noise: Floats
    """Deviations of the released means, by how many centred bits they are a product of: 0 and 1."""
    distance: float
    """Mean distance of wide questions from what single attributes say, as released."""
    deviation: float
    """Its noise; infinite where nothing was measured."""
    seed: int
    """Of simulated noise: a released number, so that everyone comes to the same choice."""
    stray: float = 0.0
    """Deviation of the mean of all released shares of conditions."""


def weigh(look: Look) -> Floats:
    """How likely each strength is, given the distance."""
    foretold = np.array([_error(look, strength, look.noise) for strength in STRENGTHS])
    if not np.isfinite(look.deviation):
        return np.asarray(BEFORE / BEFORE.sum())
    # What the noise of single attributes alone adds to the distance is shared by all questions, and strays as a whole:
    # where it made all shares too small, questions are far from what they say though nothing depends on anything.
    shared = max(SHARED * foretold[0], _strayed(look))
    spread = np.sqrt(look.deviation**2 + (ROUGH * foretold) ** 2 + shared**2) + 1e-9
    logs = -0.5 * ((look.distance - foretold) / spread) ** 2 - np.log(spread)
    weights = BEFORE * np.exp(logs - logs.max())
    weights[weights < UNLIKELY * weights.max()] = 0.0
    return np.asarray(weights / weights.sum())


def expected_errors(look: Look, weights: Floats, designs: Mapping[int, Floats]) -> dict[int, float]:
    """The mean absolute error of the guess at every order, whose noise is given as in a look.

    Over strengths it is the geometric mean: what counts is how many times the error of the best order is reached, and
    an arithmetic one would be that of the strongest tables alone.
    """
    likely = [(strength, float(w)) for strength, w in zip(STRENGTHS, weights, strict=True) if w]
    exact = {strength: _error(look, strength, np.zeros(2)) for strength, _ in likely}
    out = {}
    for order, noise in designs.items():
        missed = MISSED * FALL ** (2 - order) if 1 < order < len(look.values) - 1 else 0.0
        odd = ODD if order % 2 and 1 < order < len(look.values) - 1 else 1.0
        logs = 0.0
        for strength, w in likely:
            error = np.hypot(_error(look, strength, noise), missed * (1 - strength) ** 2 * exact[strength])
            logs += w * float(np.log(max(error, 1e-12)))
        out[order] = odd * float(np.exp(logs))
    return out


def _strayed(look: Look) -> float:
    """How far independent questions are from themselves if all shares are off by the noise of their mean."""
    apart = []
    for chances in look.chances[:FEW]:
        own, *moved = (
            float(independent_law(np.clip(chances + sign * look.stray, 0.0, 1.0)) @ look.values) for sign in (0, 1, -1)
        )
        apart += [each - own for each in moved]
    return float(np.sqrt(np.mean(np.square(apart))))


def _error(look: Look, strength: float, noise: Floats) -> float:
    """Mean absolute error over the first questions, were the table one of this strength."""
    k = len(look.values) - 1
    if len(noise) > k:
        # The whole width is measured: answers are unbiased, and all of their error is noise.
        weights = parity_of_values(tuple(look.values), k)
        orders = np.arange(1, k + 1)
        sets = np.array([comb(k, i) for i in orders], dtype=np.float64)
        return NORMAL * float(np.sqrt((weights[1:] ** 2 * sets * 4.0**orders * noise[1 : k + 1] ** 2).sum()))
    errors, source = [], np.random.default_rng(look.seed)
    for chances in look.chances[:FEW]:
        rows = OneFactor(chances, strength)
        errors.append(abs(rows.guess(look.values, noise, source) - rows.truth(look.values)))
    return float(np.mean(errors))

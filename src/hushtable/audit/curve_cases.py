"""Cases of the exact Gaussian curve: the whole law of the noise on small supports, against the curve it is priced by.

Nothing is drawn: chances are summed over all whole numbers, so that a law which is nearly right shows too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..laws import Law
from .checks import Check
from .exact_laws import Floats, noise_log

__all__ = ["CURVES", "CurveCase", "audit_curve", "curve_cases"]

CURVES = ("rounded-gaussian",)
EPSILONS = (0.25, 1.0, 3.0, 10.0)
# Chances below this are lost in the rounding of sums; deltas below the second are nobody's.
REACH, LEAST_DELTA = 12.0, 1e-12
ROUNDING = 1e-9
# Variances of the noise, and what one person changes the numbers by.
SHAPES: tuple[tuple[tuple[float, ...], tuple[int, ...]], ...] = (
    ((0.25,), (1,)),
    ((1.0,), (1,)),
    ((4.0,), (1,)),
    ((4.0,), (3,)),
    ((30.25,), (1,)),
    ((1.0, 4.0), (1, 1)),
    ((1.0, 2.25, 4.0), (1, -1, 2)),
)


@dataclass(frozen=True)
class CurveCase:
    """Noise of these variances on numbers that differ by `shifts` between two tables."""

    name: str
    law: Law
    variances: tuple[float, ...]
    shifts: tuple[int, ...]


def curve_cases(name: str) -> Iterator[CurveCase]:
    """The cases of one law."""
    for variances, shifts in SHAPES:
        spread = " and ".join(f"{v:g}" for v in variances)
        yield CurveCase(f"{name}, variance {spread}, moved by {shifts}", Law(name), variances, shifts)


def audit_curve(case: CurveCase) -> list[Check]:
    """The delta of the law at each epsilon, against that of normal noise; the one that comes nearest to it."""
    mu = math.sqrt(sum(shift**2 / v for v, shift in zip(case.variances, case.shifts, strict=True)))
    here, losses = _both(case)
    worst = (0.0, 1.0)
    for epsilon in EPSILONS:
        found, claim = _delta(here, losses, epsilon), _gaussian_delta(mu, epsilon)
        if claim > LEAST_DELTA and found * worst[1] > worst[0] * claim:
            worst = (found, claim)
    found, claim = worst
    passed = found <= claim * (1 + ROUNDING)
    return [Check(kind="delta", passed=passed, found=found, claim=claim, unit="delta", runs=0, by="its whole law")]


def _both(case: CurveCase) -> tuple[Floats, Floats]:
    """The chances of all outcomes on one table, and their losses against the other."""
    chances, losses = [], []
    for variance, shift in zip(case.variances, case.shifts, strict=True):
        most = math.ceil(REACH * math.sqrt(variance)) + abs(shift) + 1
        whole = np.arange(-most, most + 1)
        mass, moved = (noise_log(case.law, variance, at) for at in (whole, whole - shift))
        chances.append(np.exp(mass))
        losses.append(mass - moved)
    return _outer(np.multiply, chances), _outer(np.add, losses)


def _outer(join: np.ufunc, parts: Sequence[Floats]) -> Floats:
    return np.asarray(reduce(lambda left, right: join.outer(left, right).ravel(), parts))


def _delta(here: Floats, losses: Floats, epsilon: float) -> float:
    """Sum of P - e^epsilon Q over the outcomes where it is positive."""
    above = losses > epsilon
    return math.fsum((here[above] * -np.expm1(epsilon - losses[above])).tolist())


def _gaussian_delta(mu: float, epsilon: float) -> float:
    """The curve, by floats and a formula of its own: that of the accounting may be wrong         [BalW18, Thm. 8]"""
    from scipy.special import log_ndtr

    first, second = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(np.exp(first) * -np.expm1(second - first))

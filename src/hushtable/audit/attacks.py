"""Attacks: tell releases of two neighbouring tables apart, and prove by how much, whatever made the releases.

Half of the releases choose the best of several tests and its threshold; the other half prove.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..budget import UNIT_NAME
from .bounds import at_least, at_most, delta_proven, epsilon_proven, gdp_proven, rho_proven
from .checks import ALARM, Check
from .exact_laws import Floats

__all__ = ["Claim", "Releases", "attack"]

# About how many standard deviations the proof will cost; only the choice of a threshold uses it.
CAUTION = 6.0
LEVELS = np.concatenate([[0.0005, 0.002, 0.005], np.linspace(0.01, 0.99, 50), [0.995, 0.998, 0.9995]])
MOST_FEATURES = 64


PROVEN = {UNIT_NAME["zcdp"]: rho_proven, UNIT_NAME["gdp"]: gdp_proven}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What was charged: pure epsilon, perhaps with a delta, rho, or mu^2/2 of Gaussian-DP."""

    unit: str
    amount: float
    delta: float = 0.0

    def proven(self, p: float, q: float) -> float:
        """The least amount that chances of at least p here and at most q there are compatible with."""
        if self.unit in PROVEN:
            return PROVEN[self.unit](p, q)
        return epsilon_proven(max(0.0, p - self.delta), q)


@dataclass(frozen=True)
class Releases:
    """Many releases of one table: numbers, one line a release, and the likelihood ratio by the stated law."""

    numbers: Floats
    losses: Floats
    """log P(release | first table) - log P(release | second table), for releases of either table."""


@dataclass(frozen=True)
class ScoreEvent:
    """Score at least (or below) a threshold, more likely on the first (or the second) table."""

    by: str
    first: Floats
    second: Floats
    threshold: float
    upper: bool


def attack(
    first: Releases, second: Releases, claim: Claim, *, sums: tuple[Floats, Floats] | None = None
) -> list[Check]:
    """The proven amount against the claim; for a claim with a delta also the proven delta."""
    half = len(first.losses) // 2
    scores = list(_scores(first, second, half, sums))
    checks = []
    kinds = [False, True] if claim.delta else [False]
    for for_delta in kinds:
        event = max((_best(by, a, b, half, claim, for_delta) for by, a, b in scores), key=lambda pair: pair[0])[1]
        checks.append(_prove(event, half, claim, for_delta))
    return checks


def _scores(
    first: Releases, second: Releases, half: int, sums: tuple[Floats, Floats] | None
) -> Iterator[tuple[str, Floats, Floats]]:
    """Numbers that are larger for releases of the first table, each with its name."""
    # Rounded: a last bit that depends on the order of two tables would tell them apart.
    yield "likelihood ratio", np.round(first.losses, 9), np.round(second.losses, 9)
    a, b = first.numbers, second.numbers
    if a.shape[1] == 0:
        return
    chosen = np.argsort(-np.abs(a[:half].mean(axis=0) - b[:half].mean(axis=0)), kind="stable")[:MOST_FEATURES]
    yield "classifier", *_classifier(a[:, chosen], b[:, chosen], half)
    if (a != np.rint(a)).any() or (b != np.rint(b)).any():
        low = [_lowest_bit(x).min(axis=1) for x in (a, b)]
        yield "low bits", low[0], low[1]
        yield "low bits", -low[0], -low[1]
    if sums is not None:
        moved = np.flatnonzero(sums[0] != sums[1])
        same = [
            (x[:, moved] == sums[0][moved]).sum(axis=1) - (x[:, moved] == sums[1][moved]).sum(axis=1) for x in (a, b)
        ]
        yield "exact matches", same[0].astype(np.float64), same[1].astype(np.float64)


def _lowest_bit(values: Floats) -> Floats:
    """The exponent of the lowest bit that is set: noise on a float grid gives its grid away [Mir12]."""
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    return np.asarray(np.where(values == 0, 99.0, exponent - 53 + lowest))


def _classifier(a: Floats, b: Floats, half: int) -> tuple[Floats, Floats]:
    """Logistic regression on the first halves, by a few Newton steps with a small ridge."""
    train = np.concatenate([a[:half], b[:half]])
    centre, width = train.mean(axis=0), np.maximum(train.std(axis=0), 1e-12)

    def features(x: Floats) -> Floats:
        z = np.clip((x - centre) / width, -8, 8)
        return np.concatenate([np.ones((len(x), 1)), z, np.abs(z)], axis=1)

    x, y = features(train), np.repeat([1.0, 0.0], half)
    weights = np.zeros(x.shape[1])
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + np.eye(x.shape[1])
        weights += np.linalg.solve(curve, x.T @ (y - chance) - weights)
    return features(a) @ weights, features(b) @ weights


def _best(by: str, a: Floats, b: Floats, half: int, claim: Claim, for_delta: bool) -> tuple[float, ScoreEvent]:
    """The threshold that promises the best proof, from the first halves."""
    left, right = np.sort(a[:half]), np.sort(b[:half])
    best, event = -1.0, ScoreEvent(by, a, b, math.inf, True)
    for threshold in np.unique(np.quantile(np.concatenate([left, right]), LEVELS, method="nearest")):
        p, q = (1 - np.searchsorted(side, threshold) / half for side in (left, right))
        for upper, (more, less) in ((True, (p, q)), (False, (1 - q, 1 - p))):
            value = _value(_cautious(more, half, -1), _cautious(less, half, 1), claim, for_delta)
            if value > best:
                best, event = value, ScoreEvent(by, a, b, float(threshold), upper)
    return best, event


def _cautious(share: float, of: int, side: int) -> float:
    return float(np.clip(share + side * (CAUTION * math.sqrt(share * (1 - share) / of) + 9 / of), 1e-12, 1 - 1e-12))


def _value(p: float, q: float, claim: Claim, for_delta: bool) -> float:
    return delta_proven(p, q, claim.amount) if for_delta else claim.proven(p, q)


def _prove(event: ScoreEvent, half: int, claim: Claim, for_delta: bool) -> Check:
    """The event on the second halves, by Clopper-Pearson bounds."""
    more, less = (event.first, event.second) if event.upper else (event.second, event.first)
    counts = [int(((s[half:] >= event.threshold) == event.upper).sum()) for s in (more, less)]
    runs = len(more) - half
    proven = _value(at_least(counts[0], runs, ALARM / 2), at_most(counts[1], runs, ALARM / 2), claim, for_delta)
    if for_delta:
        return Check(kind="delta", passed=proven <= claim.delta, found=proven, claim=claim.delta, unit="delta",
                     runs=2 * len(more), by=event.by)  # fmt: skip
    return Check(kind="attack", passed=proven <= claim.amount, found=proven, claim=claim.amount, unit=claim.unit,
                 runs=2 * len(more), by=event.by)  # fmt: skip

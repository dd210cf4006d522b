"""Fit rows: the model's weighted rows, from the tables that the released numbers agree on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.impossible import rules_of
from . import network
from .fit import Fitted, fit, touch_up
from .fit_targets import FitTargets
from .network import Network
from .repair import PairDistances, Repair, repairs
from .replicates import Replicates
from .row_lengths import NO_LENGTHS, RowLengths
from .rules import Rules
from .weighted_rows import WeightedRows

__all__ = [
    "FIT_ROWS",
    "ReleasedNoise",
    "RowFit",
    "fit_rows",
    "repairs_of",
    "row_fit",
    "rows_to_fit",
    "seeded",
    "weighted_rows_of",
]

FIT_ROWS, MOST_ROWS = 300_000, 1_000_000


class ReleasedNoise(Protocol):
    """What is known of the noise of a release."""

    def replicates(
        self,
        cloud: WeightedRows,
        agreed: FitTargets,
        network: Network,
        theta: NDArray[np.float64],
        random: np.random.Generator,
    ) -> Replicates:
        """Other weights of the model's rows, by noise that might have been."""


@dataclass(frozen=True, eq=False)
class RowFit:
    """Rows fitted to what was measured."""

    cloud: WeightedRows
    effective: float
    """Their effective share."""
    replicates: Replicates | None


def fit_rows(
    domain: Domain,
    agreed: FitTargets,
    dependence: Sequence[float],
    released: Iterable[NDArray[np.int64]],
    noise: ReleasedNoise,
    lengths: RowLengths = NO_LENGTHS,
    distances: PairDistances | None = None,
) -> RowFit:
    """The rows and their replicates: a pure function of the released numbers.

    `distances` from independence, where they were released, say which pairs are to be repaired after the fit.
    """
    rules = Rules(rules_of(domain))
    # Columns whose rare values are counted are in the rows even where no table asks for them.
    whole = [(j, np.arange(domain.sizes[j])) for j in np.flatnonzero(lengths.group >= 0).tolist()]
    base = network.base_groups(domain.sizes, agreed.sets, [*rules.groupings(), *whole])
    net = network.build(agreed, base, rules.on_base(base), lengths)
    random = seeded(released)
    done = fit(net, dependence, rows_to_fit(agreed), random)
    if distances is not None and (needed := repairs_of(net, agreed, done, distances)):
        repaired = network.build(agreed, base, net.rules, lengths, needed)
        done = touch_up(repaired, replace(done, theta=repaired.grown(net, done.theta)), random)
        net = repaired
    return row_fit(net, agreed, dependence, done, noise, random)


def repairs_of(net: Network, agreed: FitTargets, done: Fitted, distances: PairDistances) -> list[Repair]:
    """Pairs that the rows have too far from independence."""
    measured = {tuple(sorted(grouped.members)) for grouped in agreed.sets}
    return repairs(net.base, agreed.shares, done.codes, done.weights, distances, measured, agreed.rows)


def row_fit(
    net: Network,
    agreed: FitTargets,
    dependence: Sequence[float],
    done: Fitted,
    noise: ReleasedNoise,
    random: np.random.Generator,
) -> RowFit:
    """The rows as they are published, with their replicates."""
    cloud = weighted_rows_of(net.base, agreed, dependence, done)
    return RowFit(cloud, done.effective, noise.replicates(cloud, agreed, net, done.theta, random))


def rows_to_fit(agreed: FitTargets) -> int:
    """How many weighted rows carry a model."""
    return min(max(FIT_ROWS, math.ceil(agreed.rows)), MOST_ROWS)


def seeded(released: Iterable[NDArray[np.int64]]) -> np.random.Generator:
    """The seed follows from what was released, so that the same release gives the same rows."""
    text = hashlib.sha256(b"".join(np.ascontiguousarray(numbers).tobytes() for numbers in released)).digest()
    return np.random.default_rng(np.frombuffer(text, dtype=np.uint32))


def weighted_rows_of(
    base: Sequence[NDArray[np.int64]], agreed: FitTargets, dependence: Sequence[float], done: Fitted
) -> WeightedRows:
    """The rows as they are published, sorted by the columns that depend most on others."""
    strength = np.zeros(len(agreed.shares))
    for grouped, score in zip(agreed.sets, dependence, strict=True):
        strength[list(grouped.members)] += score
    order = np.argsort(-strength, kind="stable").tolist()
    return WeightedRows.of(base, agreed.shares, done.codes, done.weights, order, done.count)

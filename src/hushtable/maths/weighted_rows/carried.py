"""Carried: the model's weighted rows, from the tables that the released numbers agree on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.impossible import rules_of
from . import network
from .cloud import WeightedRows
from .consistency import FitTargets
from .fit import Fitted, fit
from .row_lengths import NO_LENGTHS, RowLengths
from .rules import Rules

__all__ = ["FIT_ROWS", "carried", "cloud_of", "rows_to_fit", "seeded"]

FIT_ROWS, MOST_ROWS = 300_000, 1_000_000


def carried(
    domain: Domain,
    agreed: FitTargets,
    dependence: Sequence[float],
    released: Iterable[NDArray[np.int64]],
    lengths: RowLengths = NO_LENGTHS,
) -> tuple[WeightedRows, float]:
    """The rows and their effective share: a pure function of the released numbers."""
    rules = Rules(rules_of(domain))
    # Columns whose rare values are counted are in the rows even where no table asks for them.
    whole = [(j, np.arange(domain.sizes[j])) for j in np.flatnonzero(lengths.group >= 0).tolist()]
    base = network.base_groups(domain.sizes, agreed.sets, [*rules.groupings(), *whole])
    net = network.build(agreed, base, rules.on_base(base), lengths)
    done = fit(net, dependence, rows_to_fit(agreed), seeded(released))
    return cloud_of(base, agreed, dependence, done), done.effective


def rows_to_fit(agreed: FitTargets) -> int:
    """How many weighted rows carry a model."""
    return min(max(FIT_ROWS, math.ceil(agreed.rows)), MOST_ROWS)


def seeded(released: Iterable[NDArray[np.int64]]) -> np.random.Generator:
    """The seed follows from what was released, so that the same release gives the same rows."""
    text = hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in released)).digest()
    return np.random.default_rng(np.frombuffer(text, dtype=np.uint32))


def cloud_of(
    base: Sequence[NDArray[np.int64]], agreed: FitTargets, dependence: Sequence[float], done: Fitted
) -> WeightedRows:
    """The rows as they are published, sorted by the columns that depend most on others."""
    strength = np.zeros(len(agreed.shares))
    for one, score in zip(agreed.sets, dependence, strict=True):
        strength[list(one.members)] += score
    order = np.argsort(-strength, kind="stable").tolist()
    return WeightedRows.of(base, agreed.shares, done.codes, done.weights, order)

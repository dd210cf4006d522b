"""Carried: the model's weighted rows, from the tables that the released numbers agree on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from . import network
from .cloud import Cloud
from .consistency import Agreed
from .fit import Fitted, fit
from .rules import domain_rules

__all__ = ["FIT_ROWS", "carried", "cloud_of", "rows_to_fit", "seeded"]

FIT_ROWS, MOST_ROWS = 300_000, 1_000_000


def carried(
    domain: Domain,
    agreed: Agreed,
    dependence: Sequence[float],
    released: Iterable[NDArray[np.int64]],
    finish: Callable[[network.Network, Fitted], Fitted] | None = None,
) -> tuple[Cloud, float]:
    """The rows and their effective share: a pure function of the released numbers. `finish` has the last word."""
    rules = domain_rules(domain)
    base = network.base_groups(domain.sizes, agreed.sets, rules.groupings())
    net = network.build(agreed, base, rules.on_base(base))
    done = fit(net, dependence, rows_to_fit(agreed), seeded(released))
    done = done if finish is None else finish(net, done)
    return cloud_of(base, agreed, dependence, done), done.effective


def rows_to_fit(agreed: Agreed) -> int:
    """How many weighted rows carry a model."""
    return min(max(FIT_ROWS, math.ceil(agreed.rows)), MOST_ROWS)


def seeded(released: Iterable[NDArray[np.int64]]) -> np.random.Generator:
    """The seed follows from what was released, so that the same release gives the same rows."""
    text = hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in released)).digest()
    return np.random.default_rng(np.frombuffer(text, dtype=np.uint32))


def cloud_of(base: Sequence[NDArray[np.int64]], agreed: Agreed, dependence: Sequence[float], done: Fitted) -> Cloud:
    """The rows as they are published, sorted by the columns that depend most on others."""
    strength = np.zeros(len(agreed.shares))
    for one, score in zip(agreed.sets, dependence, strict=True):
        strength[list(one.members)] += score
    order = np.argsort(-strength, kind="stable").tolist()
    return Cloud.of(base, agreed.shares, done.codes, done.weights, order)

"""Arithmetic between answers: sums, differences, multiples and ratios, with bars that know what the answers share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOWHERE", "Errors", "Named", "Release", "quotient_ends"]

Floats = NDArray[np.float64]
# Noise of which nothing else is known: answers that have no name share this one.
NOWHERE = ""


class Named(Protocol):
    """What was released, with a name of its own."""

    @property
    def digest(self) -> str:
        """No other release has it."""


class Release:
    """The release that an answer comes from; its name is made when it is first needed, and kept when it is pickled."""

    def __init__(self, source: Named | str) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """The same for all answers of a release, wherever it was loaded."""
        return self._source if isinstance(self._source, str) else self._source.digest

    def __getstate__(self) -> dict[str, Any]:
        return {"_source": self.name}


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """What the error of an answer is made of, release by release, so that errors of several answers can be added.

    Three kinds: deviations of replicates, which answers of a release share; errors of single questions beside these,
    each independent of the others; and errors of which only the size is known, which may go together in any way.
    """

    replicates: Mapping[str, Floats] = field(default_factory=dict)
    """By release: how far each replicate is from the model; their mean square is the variance."""
    single: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By release and question: standard errors, with a sign."""
    opaque: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def named(self, release: str) -> Errors:
        """The same, of a release that had no name yet."""
        return Errors(
            replicates={name or release: each for name, each in self.replicates.items()},
            single={(name or release, key): error for (name, key), error in self.single.items()},
            opaque={(name or release, key): error for (name, key), error in self.opaque.items()},
        )

    def times(self, factor: float) -> Errors:
        """Of a multiple."""
        return Errors(
            replicates={name: factor * each for name, each in self.replicates.items()},
            single={key: factor * error for key, error in self.single.items()},
            opaque={key: factor * error for key, error in self.opaque.items()},
        )

    def plus(self, other: Errors) -> Errors:
        """Of a sum: what is the same error is added with its sign."""
        return Errors(
            replicates=_joined(self.replicates, other.replicates),
            single=_joined(self.single, other.single),
            opaque=_joined(self.opaque, other.opaque),
        )

    def variance(self) -> float:
        """Of all together. Errors of one release of which only the size is known count as if they went together."""
        known = sum(float(np.mean(each**2)) for each in self.replicates.values())
        known += sum(error**2 for error in self.single.values())
        together: dict[str, float] = {}
        for (release, _), error in self.opaque.items():
            together[release] = together.get(release, 0.0) + abs(error)
        for release, error in together.items():
            # Such an error may go together with what else the release has, too.
            others = sum(float(np.mean(each**2)) for name, each in self.replicates.items() if name == release)
            others += sum(e**2 for (name, _), e in self.single.items() if name == release)
            known += error**2 + 2 * error * math.sqrt(others)
        return known

    @property
    def added(self) -> bool:
        """Whether errors of one release had to be added up as if they went together."""
        releases = [release for release, _ in self.opaque]
        mixed = {*self.replicates, *(release for release, _ in self.single)} & set(releases)
        return len(releases) > len(set(releases)) or bool(mixed)


def _joined(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: one.get(key, 0.0) + other.get(key, 0.0) for key in (*one, *(k for k in other if k not in one))}


def quotient_ends(
    top: tuple[float, Errors, float], below: tuple[float, Errors, float], factor: float
) -> tuple[float, float]:
    """The ratios m that noise does not rule out: |top - m below| within `factor` standard errors and the bias [Fie54].

    Each is a value with its errors and the bound on its bias. All numbers where `below` may be 0.
    """
    (a, errors, bias), (b, beside, slant) = top, below

    def kept(m: float) -> bool:
        half = factor * math.sqrt(max(errors.plus(beside.times(-m)).variance(), 0.0)) + bias + abs(m) * slant
        return abs(a - m * b) <= half

    if abs(b) <= factor * math.sqrt(beside.variance()) + slant:
        return -math.inf, math.inf
    return _last(kept, a / b, -1.0), _last(kept, a / b, 1.0)


def _last(kept: Any, start: float, side: float) -> float:
    """The last number that is kept, going from one that is to one side."""
    step = max(abs(start), 1.0) * 1e-6
    while kept(start + side * step):
        step *= 2
        if not math.isfinite(start + side * step):
            return side * math.inf
    inner, outer = 0.0 if step <= max(abs(start), 1.0) * 1e-6 else step / 2, step
    for _ in range(50):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if kept(start + side * middle) else (inner, middle)
    return start + side * outer

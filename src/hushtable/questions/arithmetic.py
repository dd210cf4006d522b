"""Arithmetic between answers: sums, differences, multiples and ratios, with bars that know what the answers share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .noises import Noises

__all__ = ["NOWHERE", "Errors", "Later", "Named", "QuotientSide", "Release", "Size", "known_errors", "quotient_ends"]

Floats = NDArray[np.float64]
Size = float | Floats
# Ends of quotients are looked for up to 2^80 times a millionth of the value, and found to a 2^50th of their distance.
DOUBLINGS, HALVINGS = 80, 50
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

    Four kinds: deviations of replicates, which answers of a release share; noises of released numbers, which they share
    too; errors of single questions beside these, each independent of the others; and errors of which only the size is
    known, which may go together in any way. Of a table of answers each has one more axis, with an entry a cell.
    """

    replicates: Mapping[str, Floats] = field(default_factory=dict)
    """By release: how far each replicate is from the model; their mean square is the variance."""
    noises: Mapping[str, Noises] = field(default_factory=dict)
    single: Mapping[tuple[str, Hashable], Size] = field(default_factory=dict)
    """By release and question: standard errors, with a sign."""
    opaque: Mapping[tuple[str, Hashable], Size] = field(default_factory=dict)

    def named(self, release: str) -> Errors:
        """The same, of a release that had no name yet."""
        return Errors(
            replicates={name or release: each for name, each in self.replicates.items()},
            noises={name or release: each for name, each in self.noises.items()},
            single={(name or release, key): error for (name, key), error in self.single.items()},
            opaque={(name or release, key): error for (name, key), error in self.opaque.items()},
        )

    def mapped(self, change: Callable[[Floats], Floats]) -> Errors:
        """Each changed alike; `change` takes an array whose last axis, if it has one for them, are the cells."""
        return Errors(
            replicates={name: change(each) for name, each in self.replicates.items()},
            noises={name: each.mapped(change) for name, each in self.noises.items()},
            single={key: change(np.asarray(error)) for key, error in self.single.items()},
            opaque={key: change(np.asarray(error)) for key, error in self.opaque.items()},
        )

    def times(self, factor: Size) -> Errors:
        """Of a multiple, or of one a cell."""
        return self.mapped(lambda each: each * factor)

    def plus(self, other: Errors) -> Errors:
        """Of a sum: what is the same error is added with its sign."""
        return Errors(
            replicates=_joined(self.replicates, other.replicates, np.add),
            noises=_joined(self.noises, other.noises, Noises.plus),
            single=_joined(self.single, other.single, np.add),
            opaque=_joined(self.opaque, other.opaque, np.add),
        )

    def variance(self) -> Floats:
        """Of all together. Errors of one release of which only the size is known count as if they went together."""
        known = self._known(None)
        together: dict[str, Floats] = {}
        for (release, _), error in self.opaque.items():
            together[release] = together.get(release, np.zeros(())) + np.abs(error)
        for release, error in together.items():
            # Such an error may go together with what else the release has, too.
            known = known + error**2 + 2 * error * np.sqrt(self._known(release))
        return known

    def _known(self, release: str | None) -> Floats:
        """The variance of what is known of one release, or of all."""

        def mine(name: str) -> bool:
            return release is None or name == release

        known = np.zeros(())
        known = sum((np.mean(each**2, axis=0) for name, each in self.replicates.items() if mine(name)), known)
        known = sum((each.variance() for name, each in self.noises.items() if mine(name)), known)
        return sum((np.asarray(e) ** 2 for (name, _), e in self.single.items() if mine(name)), known)

    def kurtosis(self) -> Floats:
        """The excess kurtosis that the noises of released numbers give it."""
        variance = self.variance()
        fourth = sum((each.fourth() for each in self.noises.values()), np.zeros(()))
        return np.divide(fourth, variance**2, out=np.zeros_like(variance + fourth), where=variance > 0)

    @property
    def added(self) -> bool:
        """Whether errors of one release had to be added up as if they went together."""
        releases = [release for release, _ in self.opaque]
        known = {*self.replicates, *self.noises, *(release for release, _ in self.single)}
        return len(releases) > len(set(releases)) or bool(known & set(releases))

    @property
    def releases(self) -> set[str]:
        """Where it comes from."""
        return {*self.replicates, *self.noises, *(name for name, _ in (*self.single, *self.opaque))}


class Later:
    """Errors that are made when they are first needed; None where they turn out to be unknown."""

    def __init__(self, make: Callable[[], Errors | None]) -> None:
        self._make = make

    @cached_property
    def errors(self) -> Errors | None:
        """What the error of the answer is made of."""
        return self._make()

    def __getstate__(self) -> dict[str, Any]:
        return {"errors": self.errors}


def known_errors(parts: Errors | Later | None) -> Errors | None:
    """What is known of them."""
    return parts.errors if isinstance(parts, Later) else parts


def _joined(one: Mapping[Any, Any], other: Mapping[Any, Any], add: Callable[[Any, Any], Any]) -> dict[Any, Any]:
    both = {key: add(one[key], other[key]) for key in one if key in other}
    return {**one, **other, **both}


@dataclass(frozen=True, eq=False)
class QuotientSide:
    """Of a quotient what is above or below the line, one a cell."""

    value: Floats
    bias: Floats
    errors: Errors


def quotient_ends(top: QuotientSide, below: QuotientSide, factor: Size) -> tuple[Floats, Floats]:
    """The ratios m that noise does not rule out: |top - m below| within `factor` standard errors and the bias [Fie54].

    All numbers where `below` may be 0.
    """
    variance, rows = _variance_by_ratio(top.errors, below.errors), below.errors.variance()

    def kept(m: Floats) -> NDArray[np.bool_]:
        half = factor * np.sqrt(np.maximum(variance(m), 0.0)) + top.bias + np.abs(m) * below.bias
        return np.asarray(np.abs(top.value - m * below.value) <= half)

    with np.errstate(all="ignore"):
        sure = np.abs(below.value) > factor * np.sqrt(rows) + below.bias
        start = np.where(sure, top.value / below.value, 0.0)
        low, high = (_last(kept, start, side) for side in (-1.0, 1.0))
    return np.where(sure, low, -np.inf), np.where(sure, high, np.inf)


def _variance_by_ratio(top: Errors, below: Errors) -> Callable[[Floats], Floats]:
    """That of top - m below: quadratic in m, but where errors of unknown make are added up."""
    if top.opaque or below.opaque:
        return lambda m: top.plus(below.times(-m)).variance()
    at = [top.plus(below.times(m)).variance() for m in (-1.0, 0.0, 1.0)]
    bend, slope = (at[2] + at[0]) / 2 - at[1], (at[0] - at[2]) / 2
    return lambda m: at[1] + m * (slope + m * bend)


def _last(kept: Callable[[Floats], NDArray[np.bool_]], start: Floats, side: float) -> Floats:
    """The last numbers that are kept, going from some that are to one side."""
    inner, outer = np.zeros_like(start), np.maximum(np.abs(start), 1.0) * 1e-6
    for _ in range(DOUBLINGS):
        going = kept(start + side * outer)
        if not going.any():
            break
        inner, outer = np.where(going, outer, inner), np.where(going, 2 * outer, outer)
    endless = going
    for _ in range(HALVINGS):
        middle = (inner + outer) / 2
        inside = kept(start + side * middle)
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return np.where(endless, side * np.inf, start + side * outer)

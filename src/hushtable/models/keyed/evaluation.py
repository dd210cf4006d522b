"""Evaluation: value and errors of some lists of values, in rows, as a model of a sparse workload finds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...questions.answer import Floats

__all__ = ["Above", "Evaluation", "Lost"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """Value and errors of some lists, in rows."""

    value: Floats
    noise: Floats
    collision: Floats
    bias: Floats
    fourth: Floats
    """Fourth cumulant of the noise."""
    values: Floats | None = None
    """As how many values of equal weight each list counts, where its error is that of a sum of so many buckets."""
    above: Above | None = None
    """Where the bias was read from noisy numbers: the noise of value + bias, which the truth is below."""

    @classmethod
    def of_nothing(cls) -> Evaluation:
        """No lists."""
        none = np.zeros(0)
        return cls(value=none, noise=none, collision=none, bias=none, fourth=none)


@dataclass(frozen=True, eq=False, kw_only=True)
class Above:
    """The noise of an upper limit: variance, fourth cumulant and share of the noise of the number of rows."""

    variance: Floats
    fourth: Floats
    lean: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Lost:
    """What values that count as absent may add up to, in rows, a number a list."""

    bias: Floats
    limited: Floats
    """1 where all rows that the list of frequent values leaves are fewer, which is a noisy number, else 0."""
    variance: Floats
    """Of the noise by which they were missed."""
    fourth: Floats

"""SmoothDirectModel: the noisy means of a few functions, and of no others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadQuestion, BadSynopsis, listed
from ..interactions import Law
from ..questions.smooth import SmoothQuestion, parse_smooth
from ..questions.smooth_answers import SmoothAnswer
from ..smooth.axes import axis_of
from ..smooth.expressions import Expression, parse_expression
from .base import Model
from .discrete_noise import discrete_variance
from .reading import noise_scale

__all__ = ["SmoothDirectModel"]

MOST = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class SmoothDirectModel(Model):
    """Answers avg(formula) for the released formulas; value = middle + half range x sum / (rows x unit)."""

    kind = "smooth-direct"
    domain: Domain
    columns: tuple[str, ...]
    examples: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    law: Law
    unit: int
    scales: tuple[Fraction, ...]
    """Noise of the number of rows (0 where it is public), then of each sum."""
    sums: NDArray[np.int64]

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(axis_of(self.domain, text).name for text in self.columns))

    def row_count(self) -> tuple[float, float]:
        """See Model."""
        return float(self.sums[0]), discrete_variance(self.law, self.scales[0]) ** 0.5

    def parse(self, text: str) -> SmoothQuestion:
        """See Model."""
        return parse_smooth(text, self.domain, self._names, lambda _, __: 1.0)

    def _expressions(self) -> list[Expression]:
        return [parse_expression(text, self._names) for text in self.examples]

    def answer(self, question: SmoothQuestion, *, count: bool = False) -> SmoothAnswer:
        """See Model."""
        (asked,) = question.parts.values() if len(question.parts) == 1 else (None,)
        known = self._expressions()
        if asked not in known or question.where or question.groups:
            raise BadQuestion(
                "this synopsis answers only the questions it was released for: "
                f"{listed([f'avg({text})' for text in self.examples])}; release smooth() for all others"
            )
        i = known.index(asked)
        low, high = self.ranges[i]
        # A noisy number of rows below 1 carries no information; dividing by 1 keeps the answer finite.
        rows, half = max(float(self.sums[0]), 1.0), (high - low) / 2
        mean = float(self.sums[1 + i]) / self.unit / rows
        moved = [float(self.scales[0]) * abs(mean), float(self.scales[1 + i]) / self.unit]
        if self.law == "gaussian":
            variance, fourth = float(self.scales[0]) * mean**2 + float(self.scales[1 + i]) / self.unit**2, 0.0
        else:
            variance, fourth = sum(2 * s**2 for s in moved), sum(12 * s**4 for s in moved)
        return SmoothAnswer(
            question=question.text,
            unit="mean",
            value=(low + high) / 2 + half * mean,
            stderr=math.sqrt(variance) / rows * half,
            bias=half / self.unit,
            kurtosis=fourth / variance**2 if variance else 0.0,
            estimator="direct",
        )

    def parameters(self) -> dict[str, Any]:
        """See Model."""
        return {
            "columns": list(self.columns),
            "examples": list(self.examples),
            "ranges": [[low.hex(), high.hex()] for low, high in self.ranges],
            "law": self.law,
            "unit": self.unit,
            "scales": [str(s) for s in self.scales],
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """See Model."""
        return {"sums": self.sums}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        """See Model."""
        if not 1 <= len(parameters["examples"]) <= MOST:
            raise BadSynopsis("the synopsis has a number of questions that makes no sense")
        return {"sums": 1 + len(parameters["examples"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> SmoothDirectModel:
        """See Model."""
        ranges = tuple((float.fromhex(low), float.fromhex(high)) for low, high in parameters["ranges"])
        law, unit = parameters["law"], parameters["unit"]
        if law not in ("gaussian", "laplace") or not isinstance(unit, int) or not 1 <= unit < 2**62:
            raise BadSynopsis("the synopsis has a noise law or a unit that makes no sense")
        scales = tuple(noise_scale(s, law, unit=unit) for s in parameters["scales"])
        counted = len(parameters["examples"])
        if (len(ranges), len(scales)) != (counted, counted + 1) or min(scales[1:]) <= 0 or scales[0] < 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its questions")
        if not all(math.isfinite(low) and math.isfinite(high) and low < high for low, high in ranges):
            raise BadSynopsis("the synopsis has ranges that make no sense")
        made = cls(domain=domain, columns=tuple(parameters["columns"]), examples=tuple(parameters["examples"]),
                   ranges=ranges, law=cast(Law, law), unit=unit, scales=scales, sums=numbers["sums"])  # fmt: skip
        made._expressions()
        return made

"""SmoothDirectModel: the noisy means of a few functions, and of no others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion, BadSynopsis
from ...laws import Law
from ...maths.smooth.axes import axis_of
from ...maths.smooth.expressions import Expression, names_in, parse_expression
from ...questions.answer import Answer, CrossTab
from ...questions.smooth import SmoothQuestion, parse_smooth
from ...words import listed
from ..base import Model
from ..build_answer import Estimates, Wording, build_smooth_answer
from ..reading import noise_scale, read_law
from .ratios import OLD, NoisyNumber, Ratio

if TYPE_CHECKING:
    from ..sections import Section

__all__ = ["SmoothDirectModel"]

MOST = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class SmoothDirectModel(Model):
    """Answers avg(formula) for the released formulas; value = middle + half range x sum / (rows x unit).

    Rows are those that have all columns of the formula.
    """

    kind = "smooth-direct"
    domain: Domain
    columns: tuple[str, ...]
    examples: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    law: Law
    unit: int
    scales: tuple[Fraction, ...]
    """Noise of the number of rows (0 where it is public), then of each sum, then of each number of rows left out."""
    sums: NDArray[np.int64]
    lacking: tuple[frozenset[str], ...] = ()
    """Sets of columns: the last numbers are how many rows lack one of each."""

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(axis_of(self.domain, text).name for text in self.columns))

    def row_count(self) -> tuple[float, float]:
        return float(self.sums[0]), self.law.discrete_variance(self.scales[0]) ** 0.5

    def parse(self, text: str) -> SmoothQuestion:
        return parse_smooth(text, self.domain, self._names, lambda _, __: 1.0)

    def _expressions(self) -> list[Expression]:
        return [parse_expression(text, self._names) for text in self.examples]

    def answer(self, question: SmoothQuestion, *, count: bool = False) -> Answer | CrossTab:
        (asked,) = question.parts.values() if len(question.parts) == 1 else (None,)
        known = self._expressions()
        if asked not in known or question.where or question.groups:
            raise BadQuestion(
                "this synopsis answers only the questions it was released for: "
                f"{listed([f'avg({text})' for text in self.examples])}; release smooth() for all others"
            )
        i = known.index(asked)
        ratio, (low, high) = self._ratio(i, known[i]), self.ranges[i]
        if not ratio.sure:
            raise BadQuestion("the released number of such rows cannot be told from 0, so they have no mean")
        middle, half = (low + high) / 2, (high - low) / 2
        bias = half / self.unit

        def ends(confidence: float) -> tuple[float, float]:
            least, most = ratio.ends(confidence)
            return max(middle + half * least - bias, low), min(middle + half * most + bias, high)

        notes = self._in_the_middle(known[i])
        wording = Wording(question=question.text, unit="mean", law=self.law, estimator="direct", notes=notes)
        estimates = Estimates(
            value=middle + half * ratio.value, stderr=ratio.stderr * half, bias=bias, kurtosis=ratio.kurtosis
        )
        return build_smooth_answer(wording, estimates, ends=[ends] if ratio.bottom.variance else None)

    def sections(self) -> tuple[Section, ...]:
        from .smooth_sections import formula_sections

        return formula_sections(self)

    def _ratio(self, i: int, asked: Expression) -> Ratio:
        """The mean of a formula stretched to [-1, 1], over the rows that have its columns."""
        rows, needs, start = self._noisy(0), self._needs(asked), 1 + len(self.examples)
        left_out = [self._noisy(start + j) for j, names in enumerate(self.lacking) if names == needs]
        count = NoisyNumber(
            rows.value - sum(e.value for e in left_out),
            rows.variance + sum(e.variance for e in left_out),
            rows.fourth + sum(e.fourth for e in left_out),
        )
        top = self._noisy(1 + i, self.unit)
        value = top.value / (count.value if count.value > 0 else 1.0)
        rest = NoisyNumber(0.0, top.variance + value**2 * count.variance, top.fourth + value**4 * count.fourth)
        return Ratio(value, count, rest, -value * count.variance)

    def _noisy(self, i: int, unit: int = 1) -> NoisyNumber:
        """A released number in units of `unit`."""
        scale = float(self.scales[i]) / unit**self.law.power
        return NoisyNumber(float(self.sums[i]) / unit, self.law.variance(scale), self.law.fourth(scale))

    def _needs(self, asked: Expression) -> frozenset[str]:
        """The columns of a formula that may be missing."""
        used = names_in(asked)
        axes = [axis_of(self.domain, text) for text in self.columns]
        return frozenset(axis.name for axis in axes if axis.optional and axis.name in used)

    def _in_the_middle(self, asked: Expression) -> tuple[str, ...]:
        """A remark where an old release counted missing rows in the middle of the range."""
        needs = self._needs(asked)
        return () if not needs or needs in self.lacking else (f"{OLD}: {listed(sorted(needs))}",)

    @property
    def form(self) -> int:
        """The first version did not leave missing rows out."""
        return 2 if self.lacking else 1

    def parameters(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "examples": list(self.examples),
            "ranges": [[low.hex(), high.hex()] for low, high in self.ranges],
            "law": self.law,
            "unit": self.unit,
            "scales": [str(s) for s in self.scales],
        } | ({"lacking": [sorted(names) for names in self.lacking]} if self.lacking else {})

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"sums": self.sums}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        if not 1 <= len(parameters["examples"]) <= MOST:
            raise BadSynopsis("the synopsis has a number of questions that makes no sense")
        return {"sums": 1 + len(parameters["examples"]) + len(parameters.get("lacking", ()))}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> SmoothDirectModel:
        ranges = tuple((float.fromhex(low), float.fromhex(high)) for low, high in parameters["ranges"])
        law, unit = read_law(parameters["law"]), parameters["unit"]
        if not isinstance(unit, int) or not 1 <= unit < 2**62:
            raise BadSynopsis("the synopsis has a noise law or a unit that makes no sense")
        scales = tuple(noise_scale(s, law, unit=unit) for s in parameters["scales"])
        counted, lacking = (
            len(parameters["examples"]),
            tuple(frozenset(names) for names in parameters.get("lacking", ())),
        )
        if (len(ranges), len(scales)) != (counted, counted + 1 + len(lacking)) or min(scales[1:]) <= 0 or scales[0] < 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its questions")
        if not all(math.isfinite(low) and math.isfinite(high) and low < high for low, high in ranges):
            raise BadSynopsis("the synopsis has ranges that make no sense")
        made = cls(domain=domain, columns=tuple(parameters["columns"]), examples=tuple(parameters["examples"]),
                   ranges=ranges, law=law, unit=unit, scales=scales, sums=numbers["sums"],
                   lacking=lacking)  # fmt: skip
        made._expressions()
        return made

"""DecisionListsModel: the noisy parities of a column of decision lists."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.decision_list import DecisionList
from ..errors import BadSynopsis
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..maths.wide.bar import WideBar
from ..questions.answer import Answer, CrossTab, interval_factor
from ..questions.decisions import Decision, parse_decision
from ..words import listed
from .base import Model
from .build_answer import Estimates, Wording, build_answer, unit_of
from .reading import noise_scale, plain_fraction, read_law

if TYPE_CHECKING:
    from .sections import Section

__all__ = ["DecisionListsModel"]

LARGEST_GRID, LARGEST_BIAS = 30, 1000
# As many inputs as a report shows.
MOST_INPUTS = 23


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionListsModel(Model):
    """Answers, for any input, which share of the lists decides 1.

    Every list is a polynomial in the parities of its inputs, deciding +1 or -1; the released numbers are the number
    of rows n and the summed coefficients. At an input y they add up, with the signs of the parities at y, to
    G(y) = (lists that decide 1) - (lists that decide 0), so the share is 1/2 + G(y) / 2n. All inputs have the same
    noise.
    """

    kind = "decision-lists"
    domain: Domain
    column: DecisionList
    law: Law
    order: int
    grid: int
    """Coefficients are multiples of 2^-grid."""
    group_scales: tuple[Fraction, ...]
    """Noise of the number of rows, then of the sets of size 0, 1, ..., order."""
    polynomial_bias: Fraction
    """No list is farther from its polynomial than this, as a share of one row."""
    sums: NDArray[np.int64]
    bar: WideBar | None = None
    """How far answers are off, as measured on held-out inputs; of long lists alone."""

    @property
    def form(self) -> int:
        """Version 1 knew neither a bar nor a bias beyond all rows."""
        return 1 if self.bar is None and self.polynomial_bias <= 1 else 5

    def row_count(self) -> tuple[float, float]:
        return float(self.sums[0]), self.law.discrete_variance(self.group_scales[0]) ** 0.5

    def parse(self, text: str) -> Decision:
        return parse_decision(text, self.domain, self.column)

    def answer(self, question: Decision, *, count: bool = False) -> Answer | CrossTab:
        """A share under add-remove is a ratio to a noisy n, with its first-order error."""
        # A noisy number of rows below 1 carries no information; dividing by 1 keeps the answer finite.
        rows = max(float(self.sums[0]), 1.0)
        balance = float(self.signs(question.truth) @ self.sums[1:]) / 2**self.grid
        value = (float(self.sums[0]) + balance) / 2 if count else 0.5 + balance / (2 * rows)
        # The bias of a count is a share of the true number of rows, not of the released one.
        weight = 0.5 + float(self.polynomial_bias) if count else 0.5 - value
        total = [
            weight**power * of_rows + 0.5**power * of_sums for power, (of_rows, of_sums) in self._cumulants.items()
        ]
        unit = 1.0 if count else rows
        note = f"inputs not named are false: {listed(question.unnamed)}"
        wording = Wording(
            question=question.text,
            unit=unit_of(count=count),
            law=self.law,
            estimator="minimax" if self.polynomial_bias else "exact",
            notes=(note,) if question.unnamed else (),
        )
        estimates = Estimates(
            value=value,
            stderr=math.sqrt(total[0]) / unit,
            bias=float(self.polynomial_bias) * (rows if count else 1),
            kurtosis=total[1] / total[0] ** 2 if total[0] else 0.0,
        )
        certified = build_answer(wording, estimates)
        return certified if self.bar is None else self._usual(wording, estimates, certified, rows, count=count)

    def _usual(
        self, wording: Wording, estimates: Estimates, certified: Answer | CrossTab, rows: float, *, count: bool
    ) -> Answer | CrossTab:
        """The same with the bar that held-out inputs gave, where that is narrower than what is certified."""
        assert self.bar is not None
        scale, counted = (rows, self._cumulants[2][0]) if count else (1.0, 0.0)
        stderr = math.sqrt((scale * self.bar.stderr(1, rows, 0.0, None)) ** 2 + counted)
        low, high = certified.interval()
        if interval_factor(0.95, self.bar.kurtosis) * stderr >= (float(high) - float(low)) / 2:
            return certified
        text = (
            f"lists are sums of polynomials of degree {self.order}: the 95% interval is made to hold 95% of inputs, as "
            f"{self.bar.questions} held-out ones say, not each of them"
        )
        usual = build_answer(
            replace(wording, estimator="calibrated", notes=(*wording.notes, text)),
            replace(estimates, stderr=stderr, bias=0.0, kurtosis=self.bar.kurtosis),
        )
        return replace(usual, certified=(float(low), float(high))) if isinstance(usual, Answer) else usual

    def sections(self) -> tuple[Section, ...]:
        """Each input on its own, with all others false."""
        from .sections import Bars, Section, quoted

        name, inputs, values, ends = self.column.name, self.column.inputs[:MOST_INPUTS], [], []
        for asked in ("", *(f", {quoted(true)}" for true in inputs)):
            answer = self.answer(self.parse(f"decides({quoted(name)}{asked})"))
            values.append(float(answer.value))
            ends.append(answer.interval(0.95))
        low, high = np.array(ends).T
        picture = Bars(
            caption=name, labels=["none", *inputs], value=np.array(values), low=low, high=high
        )  # fmt: skip
        text = (
            f"Share of the lists in {name} that decide 1 where only the named input is true, with 95% error bars. "
            "Any other combination of the inputs can be asked."
        )
        return (Section(heading="Decisions", text=text, parts=((picture,),)),)

    def signs(self, truth: tuple[bool, ...]) -> NDArray[np.int64]:
        """The parity of every set at an input, in the order of `Interactions`: those below a member are a prefix."""
        levels = [np.ones(1, dtype=np.int64)]
        for size in range(1, self.order + 1):
            below = levels[-1]
            parts = [below[: comb(top, size - 1)] * (1 - 2 * value) for top, value in enumerate(truth)]
            levels.append(np.concatenate(parts))
        return np.concatenate(levels)

    @property
    def _cumulants(self) -> dict[int, tuple[float, float]]:
        """Variance (2) and fourth cumulant (4) of the noise in n and in G(y)."""
        sizes = [comb(len(self.column.inputs), i) for i in range(self.order + 1)]
        cumulants = {}
        for power, cumulant in ((2, self.law.variance), (4, self.law.fourth)):
            each = [cumulant(scale) for scale in self.group_scales]
            rest = sum(noise * size for noise, size in zip(each[1:], sizes, strict=True))
            cumulants[power] = each[0], rest / 2 ** (power * self.grid)
        return cumulants

    def parameters(self) -> dict[str, Any]:
        return {
            "attribute": self.column.name,
            "order": self.order,
            "grid": self.grid,
            "law": self.law,
            "group_scales": [str(s) for s in self.group_scales],
            "bias": str(self.polynomial_bias),
        } | ({} if self.bar is None else {"bar": {"questions": self.bar.questions, "scale": str(self.bar.scale)}})

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"decisions": self.sums} | ({} if self.bar is None else {"bar": self.bar.distances})

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        column, order = _column(domain, parameters), parameters["order"]
        if not isinstance(order, int) or not 1 <= order <= column.most_rules:
            raise BadSynopsis(f"the synopsis says order {order!r}, which its domain does not allow")
        decisions = {"decisions": 1 + InteractionLayout.count([2] * len(column.inputs), order)}
        return decisions | ({"bar": 1} if "bar" in parameters else {})

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> DecisionListsModel:
        law, order, grid = read_law(parameters["law"]), parameters["order"], parameters["grid"]
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        bias = plain_fraction(parameters["bias"])
        if len(scales) != order + 2 or scales[0] < 0 or min(scales[1:]) <= 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
        if not isinstance(grid, int) or not 0 <= grid <= LARGEST_GRID or not 0 <= bias <= LARGEST_BIAS:
            raise BadSynopsis("the synopsis has a grid or a bias that makes no sense")
        return cls(domain=domain, column=_column(domain, parameters), law=law, order=order, grid=grid,
                   group_scales=scales, polynomial_bias=bias, sums=numbers["decisions"],
                   bar=_bar(law, parameters, numbers))  # fmt: skip


def _bar(law: Law, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> WideBar | None:
    if "bar" not in parameters:
        return None
    questions, scale = parameters["bar"]["questions"], noise_scale(parameters["bar"]["scale"], law)
    if type(questions) is not int or questions < 1 or scale <= 0:
        raise BadSynopsis("the synopsis has a calibration that cannot be")
    return WideBar(law=law, widths=(1,), questions=questions, scale=scale, distances=numbers["bar"])


def _column(domain: Domain, parameters: dict[str, Any]) -> DecisionList:
    for attribute in domain.attributes:
        if attribute.name == parameters["attribute"] and isinstance(attribute, DecisionList):
            return attribute
    raise BadSynopsis("the synopsis is about decision lists that its domain does not have")

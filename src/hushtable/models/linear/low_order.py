"""LowOrderModel: the noisy interactions of all sets of at most t attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis, TooWide
from ...maths.interactions.layout import Basis, CoordinateNoise, InteractionLayout
from ...maths.interactions.noisy_table import Independent, NoisyTable
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ..reading import noise_scale, read_law
from .linear import LinearModel

__all__ = ["LowOrderModel"]


@dataclass(frozen=True, eq=False)
class LowOrderModel(LinearModel):
    """Answers every question about at most `order` attributes without bias.

    The table of a set Y is the sum over its subsets A of the interaction of A spread evenly over the rest:
    a change of basis, so the answer to any question on Y is a known combination of independent noises.
    """

    kind = "low-order"
    order: int
    group_scales: tuple[Fraction, ...]
    coordinates: NDArray[np.int64]
    width: int
    """Questions about more attributes than this are refused; from `order` on, answers are approximate."""
    basis: Basis = "contrast"

    @cached_property
    def interactions(self) -> InteractionLayout:
        """Where the coordinates stand."""
        return InteractionLayout(self.domain.sizes, self.order, self.basis)

    @cached_property
    def scales(self) -> CoordinateNoise:
        """The noise of each coordinate."""
        return self.interactions.scales(self.law, self.group_scales)

    @cached_property
    def total(self) -> float:
        """The number of rows, exact or noisy, at least 1."""
        return max(float(self.coordinates[0]), 1.0)

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        """Exact up to `order` attributes, estimated beyond."""
        if len(question.positions) <= self.order:
            return super().answer(question, count=count)
        if len(question.positions) > self.width or question.kind == "mean":
            width = self.order if question.kind == "mean" else self.width
            raise TooWide(names=[self.domain.closed[p].name for p in question.positions], width=width)
        from .wide import wide_answer

        return wide_answer(self, question, count=count)

    def frame(self, positions: Sequence[int]) -> NoisyTable:
        if len(positions) > self.order:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=self.order)
        ascending = sorted(positions)
        shape = [self.domain.sizes[p] for p in ascending]
        numbers, scale = np.empty(shape), np.empty(shape, dtype=np.int64)
        for members in self.interactions.subsets(ascending):
            place = self.interactions.place(members)
            inner = self.interactions.shape(members)
            corner = tuple(slice(1, None) if p in members else 0 for p in ascending)
            numbers[corner] = self.coordinates[place].reshape(inner)
            scale[corner] = self.scales.index[place].reshape(inner)
        order = [ascending.index(p) for p in positions]
        numbers, scale = numbers.transpose(order), scale.transpose(order)
        inverses = tuple(self.interactions.functions(self.domain.sizes[p]).inverse for p in positions)
        return Independent(numbers, inverses, None, self.variances[scale], self._fourths[scale])

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Variance of the noise, by number in `scales.table`."""
        return self.law.variances(np.array([float(s) for s in self.scales.table]))

    @cached_property
    def _fourths(self) -> NDArray[np.float64]:
        return self.law.fourths(np.array([float(s) for s in self.scales.table]))

    def parameters(self) -> dict[str, Any]:
        return {"order": self.order, "law": self.law, "group_scales": [str(s) for s in self.group_scales],
                "width": self.width, "basis": self.basis}  # fmt: skip

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"interactions": self.coordinates}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        order = parameters["order"]
        if not isinstance(order, int) or not 1 <= order <= max(1, len(domain.sizes)):
            raise BadSynopsis(f"the synopsis says order {order!r}, which its domain does not allow")
        return {"interactions": InteractionLayout.count(domain.sizes, order)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> LowOrderModel:
        law = read_law(parameters["law"])
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        order = parameters["order"]
        groups = InteractionLayout(domain.sizes, order).groups
        if len(scales) != len(groups) or min(scales) < 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
        width, basis = parameters.get("width", order), parameters.get("basis", "contrast")
        if basis not in ("contrast", "monomial") or (basis == "monomial" and set(domain.sizes) != {2}):
            raise BadSynopsis("the synopsis names a basis that its domain does not allow")
        if not isinstance(width, int) or width < order:
            raise BadSynopsis("the synopsis says it answers fewer attributes than it measured")
        return cls(
            domain=domain,
            law=law,
            order=order,
            group_scales=scales,
            coordinates=numbers["interactions"],
            width=width,
            basis=basis,
        )

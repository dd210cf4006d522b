"""LowOrderModel: the noisy interactions of all sets of at most t attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis, TooWide
from ...laws import Law
from ...maths.interactions.layout import Basis, CoordinateNoise, InteractionLayout
from ...maths.interactions.noisy_table import Independent
from ...maths.wide.bar import Expected, WideBar
from ...maths.wide.usual import Usual
from ...questions.answer import Answer, CrossTab
from ...questions.noises import Noises
from ...questions.parse import Question
from ..reading import noise_scale, read_law
from .first_singles import FirstSingles
from .linear import LinearModel, of_independent

__all__ = ["Guesses", "LowOrderModel"]

Floats = NDArray[np.float64]
Guesses = Literal["single", "usual", "doubted"]


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
    first: FirstSingles | None = None
    """What was measured of single attributes before; both measurements count, by how exact they are."""
    bar: WideBar | None = None
    """How far wide guesses are off, where that was measured."""
    guesses: Guesses = "single"
    """Whether a wide guess is made of its own numbers alone, or these are drawn to what is usual in the table.

    "doubted" also says how far they may have been drawn from the truth, which files of format 5 ("usual") do not.
    """

    @property
    def form(self) -> int:
        """Version 1 knew neither a first look nor a bar, version 3 neither what is usual nor what is expected, and
        version 5 nothing of doubts."""
        if self.guesses == "doubted" or (self.bar and self.bar.expected and self.bar.expected.order is not None):
            return 6
        if self.guesses == "usual" or (self.bar is not None and self.bar.expected is not None):
            return 5
        return 1 if self.first is None and self.bar is None else 3

    @cached_property
    def interactions(self) -> InteractionLayout:
        """Where the coordinates stand."""
        return InteractionLayout(self.domain.sizes, self.order, self.basis)

    @cached_property
    def scales(self) -> CoordinateNoise:
        """The noise of each coordinate."""
        return self.interactions.scales(self.law, self.group_scales)

    @cached_property
    def usual(self) -> Usual:
        """How the shares and pairs of the table are spread."""
        from .wide import usual_in

        return usual_in(self)

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

    def frame(self, positions: Sequence[int]) -> Independent:
        if len(positions) > self.order:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=self.order)
        ascending = sorted(positions)
        shape = [self.domain.sizes[p] for p in ascending]
        parts = [np.empty(shape) for _ in range(3)]
        for members in self.interactions.subsets(ascending):
            inner = self.interactions.shape(members)
            corner = tuple(slice(1, None) if p in members else 0 for p in ascending)
            for part, known in zip(parts, self.released(members), strict=True):
                part[corner] = known.reshape(inner)
        order = [ascending.index(p) for p in positions]
        numbers, variances, fourths = (part.transpose(order) for part in parts)
        inverses = tuple(self.interactions.functions(self.domain.sizes[p]).inverse for p in positions)
        return Independent(numbers, inverses, None, variances, fourths)

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """Every coordinate has a noise of its own."""
        ascending, frame = sorted(positions), self.frame(positions)
        places = np.empty([self.domain.sizes[p] for p in ascending], dtype=np.int64)
        for members in self.interactions.subsets(ascending):
            corner = tuple(slice(1, None) if p in members else 0 for p in ascending)
            own = np.arange(len(self.coordinates))[self.interactions.place(members)]
            places[corner] = own.reshape(self.interactions.shape(members))
        places = places.transpose([ascending.index(p) for p in positions])
        return of_independent(frame, places, weights)

    def released(self, members: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """The coordinates of a set of attributes, and the variances and fourth cumulants of their noise."""
        place = self.interactions.place(members)
        scale = self.scales.index[place]
        known = self.coordinates[place].astype(np.float64), self.variances[scale], self._fourths[scale]
        if self.first is None or len(members) != 1 or members[0] not in self.first.positions:
            return known
        return _both(known, self.first.contrasts_of(members[0]))

    def released_bits(self, positions: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The same of many sets of two-valued attributes of one size, a row each: coordinates and variances."""
        places = self.interactions.ranks(positions)
        values, variances = self.coordinates[places].astype(np.float64), self.variances[self.scales.index[places]]
        if self.first is not None and positions.shape[1] == 1:
            for i, (position,) in enumerate(positions.tolist()):
                value, variance, _ = self.released([position])
                values[i], variances[i] = value[0], variance[0]
        return values, variances

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Variance of the noise, by number in `scales.table`."""
        return self.law.variances(np.array([float(s) for s in self.scales.table]))

    @cached_property
    def _fourths(self) -> NDArray[np.float64]:
        return self.law.fourths(np.array([float(s) for s in self.scales.table]))

    def parameters(self) -> dict[str, Any]:
        own = {"order": self.order, "law": self.law, "group_scales": [str(s) for s in self.group_scales],
               "width": self.width, "basis": self.basis}  # fmt: skip
        if self.guesses != "single":
            own["guesses"] = self.guesses
        if (first := self.first) is not None:
            own["first"] = {"positions": list(first.positions), "scale": str(first.scale)}
        if (bar := self.bar) is not None:
            given = {"widths": list(bar.widths), "questions": bar.questions, "scale": str(bar.scale)}
            known = bar.expected
            extra = {} if known is None else {"noise": list(known.noise), "reach": list(known.reach)}
            measured = {} if known is None or known.order is None else {"order": known.order}
            kinds = {"kinds": "several"} if known is not None and known.several else {}
            own["bar"] = {**given, **extra, **measured, **kinds}
        return own

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        first = {} if self.first is None else {"first": self.first.cells}
        bar = {} if self.bar is None else {"bar": self.bar.distances}
        return {"interactions": self.coordinates} | first | bar

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        order = parameters["order"]
        if not isinstance(order, int) or not 1 <= order <= max(1, len(domain.sizes)):
            raise BadSynopsis(f"the synopsis says order {order!r}, which its domain does not allow")
        lengths = {"interactions": InteractionLayout.count(domain.sizes, order)}
        if "first" in parameters:
            positions = _positions(domain, parameters["first"]["positions"])
            lengths["first"] = sum(domain.sizes[p] for p in positions)
        if "bar" in parameters:
            lengths["bar"] = len(parameters["bar"]["widths"])
        return lengths

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
            first=_first(domain, law, parameters, numbers),
            bar=_bar(law, parameters, numbers),
            guesses=_guesses(domain, parameters, basis),
        )


def _guesses(domain: Domain, parameters: dict[str, Any], basis: Basis) -> Guesses:
    """How wide guesses are made: as in the first versions unless the file says otherwise."""
    given = parameters.get("guesses", "single")
    bits = (basis, set(domain.sizes)) == ("contrast", {2})
    if given not in ("single", "usual", "doubted") or (given != "single" and not bits):
        raise BadSynopsis("the synopsis names a way to guess that its domain does not allow")
    return cast(Guesses, given)


def _both(one: tuple[Floats, ...], other: tuple[Floats, ...]) -> tuple[Floats, Floats, Floats]:
    """Two measurements of the same numbers, weighed by inverse variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(one[1] > 0, other[1] / (one[1] + other[1]), 1.0)
    rest = 1 - weight
    return (
        weight * one[0] + rest * other[0],
        weight**2 * one[1] + rest**2 * other[1],
        weight**4 * one[2] + rest**4 * other[2],
    )


def _positions(domain: Domain, given: Any) -> tuple[int, ...]:
    """Different attributes of the domain, in ascending order."""
    positions = tuple(given)
    if not positions or any(type(p) is not int or not 0 <= p < len(domain.sizes) for p in positions):
        raise BadSynopsis("the synopsis names attributes that its domain does not have")
    if list(positions) != sorted(set(positions)):
        raise BadSynopsis("the synopsis names an attribute twice")
    return positions


def _first(
    domain: Domain, law: Law, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
) -> FirstSingles | None:
    if "first" not in parameters:
        return None
    positions = _positions(domain, parameters["first"]["positions"])
    sizes, scale = tuple(domain.sizes[p] for p in positions), _above_zero(parameters["first"]["scale"], law)
    return FirstSingles(law=law, sizes=sizes, positions=positions, scale=scale, cells=numbers["first"])


def _bar(law: Law, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> WideBar | None:
    if "bar" not in parameters:
        return None
    given = parameters["bar"]
    widths, questions, scale = tuple(given["widths"]), given["questions"], _above_zero(given["scale"], law)
    whole = all(type(number) is int and number > 0 for number in (*widths, questions))
    if not widths or not whole or list(widths) != sorted(set(widths)):
        raise BadSynopsis("the synopsis has a calibration of widths that cannot be")
    distances = numbers["bar"]
    return WideBar(law, widths, questions, scale, distances, _expected(given, len(widths)))


def _expected(given: dict[str, Any], widths: int) -> Expected | None:
    """What was known of the held-out questions; nothing in older files."""
    if "noise" not in given:
        return None
    both = [tuple(map(float, given[name])) for name in ("noise", "reach")]
    if any(len(own) != widths or not all(0 <= number < np.inf for number in own) for own in both):
        raise BadSynopsis("the synopsis has a calibration whose noise or reach cannot be")
    order = given.get("order")
    if order is not None and (type(order) is not int or order < 1):
        raise BadSynopsis(f"the synopsis has a calibration of order {order!r}, which cannot be")
    noise, reach = both
    if given.get("kinds", "several") != "several":
        raise BadSynopsis(f"the synopsis has a calibration of kinds {given['kinds']!r}, which cannot be")
    return Expected(noise=noise, reach=reach, order=order, several="kinds" in given)


def _above_zero(given: Any, law: Law) -> Fraction:
    scale = noise_scale(given, law)
    if scale <= 0:
        raise BadSynopsis("the synopsis has noise of no size where there must be some")
    return scale

"""GraphModel: the noisy degrees of a graph's vertices, and the noisy number of edges of every pair."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.vertex import Vertex
from ..errors import BadQuestion, BadSynopsis
from ..laws import Law
from ..maths.graphs.degree_cuts import CutEstimate, DegreeCuts
from ..maths.graphs.pairs import pair_count, pair_matrix
from ..questions.answer import Answer, CrossTab, interval_factor
from ..questions.graph import GraphQuestion, parse_graph_question, vertex_group, vertex_groups
from ..questions.lists import Listed, Lists
from ..questions.workloads.cuts import MOST_REPEATS
from .base import Model
from .build_answer import Estimates, Wording, build_answer
from .reading import noise_scale, read_law

if TYPE_CHECKING:
    from .sections import Section

__all__ = ["GraphModel"]

# Pairs are believed instead of degrees where both differ by so many standard deviations.
APART = 4.0
# Noise of a smaller variance, in edges, is nearly always exactly 0.
HARDLY_EVER = 1e-9
BY_DEGREES = (
    "degrees do not tell who is joined to whom: the interval is made for groups that are chosen without regard to "
    "that; any group lies inside what is certified"
)
BY_PAIRS = "the pairs of vertices say that this group is joined otherwise than its degrees tell, and answer it"


class Cut(NamedTuple):
    """One number of edges, what it is off by, and how it was found."""

    value: float
    variance: float
    fourth: float
    estimator: str = "exact"
    notes: tuple[str, ...] = ()
    certified: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphModel(Model):
    """Answers how many edges leave a group of vertices, how many a vertex has and how many there are, in edges."""

    kind = "graph"
    domain: Domain
    law: Law
    group_scales: tuple[Fraction, ...]
    """Noise of the number of edges, of the degrees, and of the pairs if there are any."""
    repeats: int
    sums: NDArray[np.int64]
    """The number of edges, then the degrees."""
    pairs: NDArray[np.int64] | None = None

    @property
    def form(self) -> int:
        """Before it nobody knew vertices."""
        return 6

    @cached_property
    def ends(self) -> Vertex:
        """The vertices."""
        return next(a for a in self.domain.attributes if isinstance(a, Vertex))

    @cached_property
    def degrees(self) -> DegreeCuts:
        """What the degrees say."""
        edges, each = self.group_scales[:2]
        return DegreeCuts(
            measured=self.sums.astype(np.float64),
            edge_variance=self.law.discrete_variance(edges),
            edge_fourth=self.law.discrete_fourth(edges),
            degree_variance=self.law.discrete_variance(each),
            degree_fourth=self.law.discrete_fourth(each),
            repeats=self.repeats,
        )

    @cached_property
    def _matrix(self) -> NDArray[np.float32] | None:
        return None if self.pairs is None else pair_matrix(self.pairs, self.ends.count)

    def row_count(self) -> None:
        """Rows that are no edges are not counted."""

    def parse(self, text: str) -> GraphQuestion:
        return parse_graph_question(text, self.ends)

    def accept(self, question: Any) -> GraphQuestion:
        """Groups of vertices as lists."""
        if isinstance(question, Listed):
            return vertex_group(question, self.ends)
        if isinstance(question, Lists):
            return vertex_groups(question, self.ends)
        raise BadQuestion(f"a question is a text, a Listed or a Lists of vertices, not a {type(question).__name__}")

    def answer(self, question: GraphQuestion, *, count: bool = False) -> Answer | CrossTab:
        """Always in edges; the share of them is a quotient of two answers."""
        if question.kind == "edges":
            found = [_told(self.degrees.edge_estimate())]
        elif question.kind == "degree":
            found = [_told(self.degrees.cut(question.groups[0]))]
        else:
            found = [self._cut(group, unbiased=question.unbiased) for group in question.groups]
        estimates = Estimates(
            value=np.array([cut.value for cut in found]),
            stderr=np.sqrt([cut.variance for cut in found]),
            kurtosis=np.array([_kurtosis(cut.fourth, cut.variance) for cut in found]),
        )
        names = question.names
        wording = Wording(
            question=question.text,
            unit="count",
            law=self.law,
            groups=None if names is None else {"group": names},
            estimator=next((cut.estimator for cut in found if cut.estimator != "exact"), "exact"),
            notes=tuple(dict.fromkeys(note for cut in found for note in cut.notes)),
        )
        built = build_answer(wording, estimates)
        if isinstance(built, CrossTab):
            return built
        return replace(built, certified=found[0].certified)

    def _cut(self, group: NDArray[np.int64], *, unbiased: bool) -> Cut:
        """By degrees or by pairs, whichever has the smaller error to expect."""
        if len(group) in (0, self.ends.count):
            return Cut(0.0, 0.0, 0.0)
        by_pairs = self._by_pairs(group)
        if unbiased:
            if by_pairs is None:
                raise BadQuestion(
                    "this release has the degrees of vertices and not their pairs, which alone answer any group "
                    "unbiased; ask cut(...), or release with pairs, which few enough vertices have"
                )
            return by_pairs
        estimate = self.degrees.cut(group)
        if by_pairs is None:
            return _told(estimate)
        if by_pairs.variance <= estimate.variance:
            return by_pairs
        apart = abs(by_pairs.value - estimate.value) / math.sqrt(by_pairs.variance + estimate.variance)
        return by_pairs._replace(notes=(BY_PAIRS,)) if apart > APART else _told(estimate)

    def _by_pairs(self, group: NDArray[np.int64]) -> Cut | None:
        """The sum over all pairs with one end inside: no bias, whatever the group."""
        if self._matrix is None:
            return None
        rows = self._matrix[group]
        value = float(rows.sum(dtype=np.float64) - rows[:, group].sum(dtype=np.float64))
        cells, scale = len(group) * (self.ends.count - len(group)), self.group_scales[2]
        return Cut(value, cells * self.law.discrete_variance(scale), cells * self.law.discrete_fourth(scale))

    def facts(self) -> tuple[tuple[str, str], ...]:
        found = "degrees and pairs" if self.pairs is not None else "degrees"
        return (("graph", f"{self.ends.count:,} vertices, known by noisy {found}"),)

    def sections(self) -> tuple[Section, ...]:
        """The vertices with the most edges."""
        from .sections import Bars, Section

        top = np.argsort(-self.degrees.degrees, kind="stable")[:20]
        cuts = [self.degrees.cut(np.array([vertex])) for vertex in top]
        value = np.array([cut.value for cut in cuts])
        half = np.array([_half(cut.noise, cut.fourth) for cut in cuts])
        picture = Bars(
            caption="degrees", labels=[self.ends.label(int(v)) for v in top], value=value, low=value - half,
            high=value + half,
        )  # fmt: skip
        text = (
            "The vertices with the most edges by the noisy degrees, with 95% error bars. The largest of many noisy "
            "numbers are a little too large. Any group of vertices can be asked for the edges that leave it."
        )
        return (Section(heading="Degrees", text=text, parts=((picture,),)),)

    def parameters(self) -> dict[str, Any]:
        return {
            "law": self.law,
            "group_scales": [str(s) for s in self.group_scales],
            "repeats": self.repeats,
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"degrees": self.sums} | ({} if self.pairs is None else {"pairs": self.pairs})

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        vertices = _vertices(domain)
        pairs = {"pairs": pair_count(vertices)} if len(parameters["group_scales"]) > 2 else {}
        return {"degrees": 1 + vertices} | pairs

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> GraphModel:
        law, repeats = read_law(parameters["law"]), parameters["repeats"]
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        if len(scales) != 1 + len(numbers) or min(scales) <= 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its numbers")
        if type(repeats) is not int or not 1 <= repeats <= MOST_REPEATS:
            raise BadSynopsis("the synopsis has a number of repeated edges that makes no sense")
        return cls(
            domain=domain,
            law=law,
            group_scales=scales,
            repeats=repeats,
            sums=numbers["degrees"],
            pairs=numbers.get("pairs"),
        )


def _told(estimate: CutEstimate) -> Cut:
    """What degrees say, with what holds for any group beside it where they leave something open."""
    if not estimate.unseen:
        return Cut(estimate.value, estimate.noise, estimate.fourth)
    most = estimate.most + _half(estimate.most_noise, estimate.fourth)
    return Cut(estimate.value, estimate.variance, estimate.fourth, "calibrated", (BY_DEGREES,), (0.0, most))


def _half(variance: float, fourth: float) -> float:
    """Half of a 95% interval."""
    return float(interval_factor(0.95, _kurtosis(fourth, variance))) * math.sqrt(variance)


def _vertices(domain: Domain) -> int:
    """How many there are; BadSynopsis where the domain has no edges."""
    ends = [a for a in domain.attributes if isinstance(a, Vertex)]
    if len(ends) != 2 or not ends[0].same_as(ends[1]):
        raise BadSynopsis("the synopsis is about edges that its domain does not have")
    return ends[0].count


def _kurtosis(fourth: float, variance: float) -> float:
    """The excess kurtosis; 0 for noise that is hardly ever there, of which moments say nothing."""
    return fourth / variance**2 if variance > HARDLY_EVER else 0.0

"""SmoothModel: noisy sums of splines or Chebyshev polynomials of real columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadQuestion, BadSynopsis, listed, readable
from ..interactions import Law
from ..questions.answer import Answer, CrossTab
from ..questions.smooth import SmoothQuestion, parse_smooth
from ..questions.smooth_answers import SmoothAnswer, SmoothTable
from ..smooth.axes import Block, axis_of
from ..smooth.target import BiasKind, CallableTarget, ExpressionTarget, Target
from .base import Model
from .margins import BasisName, Estimate, Margin, Released
from .quantiles import quantile
from .reading import noise_scale, row_count
from .resolve import advice

__all__ = ["SmoothModel"]

Floats = NDArray[np.float64]
MOST_SIZE, MOST_BLOCKS = 5000, 1000
NOT_FINITE = "the function may have a pole between the bounds; then its mean, and this answer, mean nothing"
NO_GROUP = "a group too small to tell from 0 has no mean"


@dataclass(frozen=True)
class _Mean:
    """A mean of one formula in one group, with its bound; no estimate where the group is too small."""

    estimate: Estimate | None
    bias: float
    kind: BiasKind
    note: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SmoothModel(Model):
    """Answers the mean of any smooth function of the columns of one block, within any of its categories.

    A function is written in the basis by its values on a public grid; its mean is the same combination of the
    released sums. What the basis cannot express is the bias, which is bounded from the function alone and holds for
    every table. Nothing here depends on the rows but the released numbers.
    """

    kind = "smooth"
    domain: Domain
    released: tuple[Released, ...]

    @property
    def columns(self) -> list[str]:
        """Names of all smooth columns."""
        return list(dict.fromkeys(name for one in self.released for name in one.block.names))

    def parse(self, text: str) -> SmoothQuestion:
        """See Model."""
        return parse_smooth(text, self.domain, self.columns, self._usual)

    def _usual(self, column: str, at: float) -> float:
        """A width at a value of a column that is resolved with little bias."""
        found = self.home({column})
        axis = next(axis for axis in found.block.axes if axis.name == column)
        return 1.5 * found.resolution(axis, at)

    def home(self, names: set[str] | frozenset[str]) -> Released:
        """The smallest block with these columns; BadQuestion when they were not released together."""
        having = [one for one in self.released if names <= set(one.block.names)]
        if not having:
            groups = "; ".join(listed(one.block.names) for one in self.released)
            raise BadQuestion(f"{listed(sorted(names))} were not released together; the groups are: {groups}")
        return min(having, key=lambda one: len(one.block.axes))

    def answer(self, question: SmoothQuestion, *, count: bool = False) -> Answer | CrossTab:
        """See Model. Means stay means with count=True; a share of rows becomes a number of rows."""
        if question.share:
            return self._share(question, count=count)
        if question.quantile is not None:
            one = self.home({question.quantile.column})
            return quantile(question, one, self.kept(question, one.block)[0])
        targets = {name: ExpressionTarget(expression) for name, expression in question.parts.items()}
        return self._means(question, targets)

    def average(
        self, function: Callable[..., Any], *, where: str | None = None, by: Sequence[str] = ()
    ) -> SmoothAnswer | SmoothTable:
        """The mean of numpy code whose arguments are named like columns."""
        rest = (f" WHERE {where}" if where else "") + (f" GROUP BY {', '.join(by)}" if by else "")
        asked = self.parse(f"avg(1){rest}")
        name = getattr(function, "__name__", "function")
        return self._means(replace(asked, text=f"avg({name}){rest}"), {"": CallableTarget.of(function, self.columns)})

    def _means(self, question: SmoothQuestion, targets: dict[str, Any]) -> SmoothAnswer | SmoothTable:
        names = frozenset[str]().union(*(target.names for target in targets.values()))
        one = self.home(names)
        margin = one.margin(sorted(names))
        groups = self.kept(question, one.block)
        means = [_mean(one, margin, target, kept) for target in targets.values() for kept in groups]
        if len(means) == 1:
            return _answer(question, one, means[0])
        labels = self._labels(question, list(targets))
        notes = tuple(dict.fromkeys(m.note for m in means if m.note is not None))
        return SmoothTable(
            question=question.text, unit="mean", groups=labels, law=one.law, estimator=one.basis, notes=notes,
            value=np.array([m.estimate.value if m.estimate else np.nan for m in means]),
            stderr=np.array([math.sqrt(m.estimate.variance) if m.estimate else np.nan for m in means]),
            bias=np.array([m.bias if m.estimate else np.nan for m in means]),
            kurtosis=np.array([_kurtosis(m.estimate) if m.estimate else np.nan for m in means]),
            bias_kind="certified" if all(m.kind == "certified" for m in means) else "sampled",
        )  # fmt: skip

    def _share(self, question: SmoothQuestion, *, count: bool) -> Answer | CrossTab:
        one = min(self.released, key=lambda r: float(r.margin(()).share(np.zeros(r.block.cells)).variance))
        margin, unit = one.margin(()), 1.0
        if not count:
            unit = max(margin.share(np.ones(one.block.cells)).value, 1.0)
        seen = [margin.share(kept) for kept in self.kept(question, one.block)]
        words: Any = {"question": question.text, "unit": "count" if count else "fraction", "estimator": one.basis}
        values, errors = np.array([s.value for s in seen]) / unit, np.sqrt([s.variance for s in seen]) / unit
        kurtosis = np.array([_kurtosis(s) for s in seen])
        if not question.groups:
            return SmoothAnswer(value=values[0], stderr=errors[0], kurtosis=kurtosis[0], **words)
        labels = self._labels(question, [""])
        zeros = np.zeros(len(values))
        return SmoothTable(
            groups=labels, value=values, stderr=errors, bias=zeros, kurtosis=kurtosis, law=one.law, **words
        )

    def kept(self, question: SmoothQuestion, block: Block) -> list[Floats]:
        """For each group of the question, which cells of the block it keeps."""
        positions = [self.domain.position(a.name) for a in block.by]
        sizes = [a.size for a in block.by]
        used = (set(question.where.positions) if question.where else set()) | set(question.groups)
        for position in sorted(used - set(positions)):
            have = f"({listed([a.name for a in block.by])})" if block.by else "(it has none: release with by=[...])"
            raise BadQuestion(
                f"{self.domain.closed[position].name} is not among the categories of this release {have}; "
                "about a smooth column ask with a formula, such as a softened step cdf(...)"
            )
        where = question.where.table(positions, sizes) if question.where else np.ones(sizes)
        axes = [positions.index(p) for p in question.groups]
        codes = np.indices(sizes)
        chosen = [
            where * np.logical_and.reduce([codes[axis] == c for axis, c in zip(axes, cell, strict=True)])
            for cell in product(*(range(sizes[axis]) for axis in axes))
        ] if axes else [where]  # fmt: skip
        return [np.asarray(one, dtype=np.float64).reshape(block.cells) for one in chosen]

    def _labels(self, question: SmoothQuestion, parts: list[str]) -> dict[str, tuple[str, ...]]:
        attributes = [self.domain.closed[p] for p in question.groups]
        rows = [(part, *labels) for part in parts for labels in product(*(a.labels for a in attributes))]
        columns = ["part", *(a.name for a in attributes)]
        table = dict(zip(columns, zip(*rows, strict=True), strict=True))
        return table if len(parts) > 1 else {name: labels for name, labels in table.items() if name != "part"}

    def parameters(self) -> dict[str, Any]:
        """See Model."""
        first = self.released[0]
        return {
            "basis": first.basis,
            "law": first.law,
            "rows": first.rows,
            "by": [a.name for a in first.block.by],
            "smoothness": first.smoothness,
            "blocks": [
                {"columns": [str(axis) for axis in one.block.axes], "size": one.size, "unit": one.unit,
                 "scale": str(one.scale)}
                for one in self.released
            ],
        }  # fmt: skip

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """See Model."""
        sums = {f"sums-{i}": one.sums for i, one in enumerate(self.released)}
        weights = {f"weights-{i}": one.weights for i, one in enumerate(self.released) if one.weights is not None}
        return sums | weights

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        """See Model."""
        found = {}
        for i, (block, size) in enumerate(_blocks(domain, parameters)):
            found[f"sums-{i}"] = block.cells * size ** len(block.axes)
            if parameters["basis"] == "chebyshev":
                found[f"weights-{i}"] = size ** len(block.axes)
        return found

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> SmoothModel:
        """See Model."""
        law, rows, smoothness = parameters["law"], row_count(parameters["rows"]), parameters["smoothness"]
        if law not in ("gaussian", "laplace"):
            raise BadSynopsis("the synopsis has a noise law that makes no sense")
        if not (smoothness is None or (isinstance(smoothness, int) and 1 <= smoothness <= 20)):
            raise BadSynopsis("the synopsis has a smoothness that makes no sense")
        made = []
        for i, (block, size) in enumerate(_blocks(domain, parameters)):
            given = parameters["blocks"][i]
            scale, unit, weights = _scale(given, law), given["unit"], numbers.get(f"weights-{i}")
            if scale <= 0:
                raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
            if weights is not None and weights.min() < 1:
                raise BadSynopsis("the synopsis has weights that make no sense")
            made.append(Released(
                block=block, basis=cast(BasisName, parameters["basis"]), size=size, unit=unit, law=cast(Law, law),
                scale=scale, rows=rows, sums=numbers[f"sums-{i}"], weights=weights, smoothness=smoothness,
            ))  # fmt: skip
        return cls(domain=domain, released=tuple(made))


def _mean(one: Released, margin: Margin, target: Target, kept: Floats) -> _Mean:
    values = target.values(margin.axes, margin.basis.points)
    first = float(values.flat[0])
    if values.max() == values.min() and isinstance(target, ExpressionTarget):
        return _Mean(Estimate(first, 0.0, 0.0), 0.0, "certified")
    coefficients = margin.basis.fit(values)
    estimate = margin.mean(coefficients, kept)
    if estimate is None:
        return _Mean(None, math.nan, "certified", NO_GROUP)
    stderr = math.sqrt(estimate.variance)
    bias, kind = target.bias(margin.basis, margin.axes, values, coefficients, stderr)
    note = advice(one, margin, target, bias, kind, stderr) if bias > 3 * stderr else None
    if kind == "sampled" and not target.surely_finite(margin.axes):
        note = NOT_FINITE
    return _Mean(estimate, bias + one.rounding(coefficients), kind, note)


def _answer(question: SmoothQuestion, one: Released, mean: _Mean) -> SmoothAnswer:
    if mean.estimate is None:
        raise BadQuestion("the released number of such rows cannot be told from 0, so they have no mean")
    return SmoothAnswer(
        question=question.text,
        unit="mean",
        value=mean.estimate.value,
        stderr=math.sqrt(mean.estimate.variance),
        bias=mean.bias,
        kurtosis=_kurtosis(mean.estimate),
        estimator=one.basis,
        bias_kind=mean.kind,
        notes=() if mean.note is None else (mean.note,),
    )


def _kurtosis(estimate: Estimate) -> float:
    return estimate.fourth / estimate.variance**2 if estimate.variance else 0.0


def _scale(given: dict[str, Any], law: Any) -> Fraction:
    unit = given["unit"]
    if not isinstance(unit, int) or not 1 <= unit < 2**62:
        raise BadSynopsis("the synopsis has a unit that makes no sense")
    return noise_scale(given["scale"], law, unit=unit)


def _blocks(domain: Domain, parameters: dict[str, Any]) -> list[tuple[Block, int]]:
    by = tuple(domain.closed[domain.position(name)] for name in parameters["by"])
    found = []
    least = {"spline": 4, "chebyshev": 2}[parameters["basis"]]
    if not 1 <= len(parameters["blocks"]) <= MOST_BLOCKS:
        raise BadSynopsis("the synopsis has a number of column groups that makes no sense")
    for given in parameters["blocks"]:
        size = given["size"]
        if not isinstance(size, int) or not least <= size <= MOST_SIZE or not 1 <= len(given["columns"]) <= 4:
            raise BadSynopsis(f"the synopsis says {readable(size)} functions a column, which makes no sense")
        found.append((Block(tuple(axis_of(domain, text) for text in given["columns"]), by), size))
    return found

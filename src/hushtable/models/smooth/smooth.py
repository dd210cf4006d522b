"""SmoothModel: noisy sums of splines or Chebyshev polynomials of real columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion, BadSynopsis
from ...maths.smooth.asked_function import AskedFunction, BiasKind, CallableTarget, ExpressionTarget
from ...maths.smooth.axes import MOST_AXES, MOST_DENSE_AXES, Block, axis_of
from ...maths.smooth.expressions import Constant, parse_expression
from ...maths.smooth.sparse_grid import degrees_at
from ...questions.answer import Answer, CrossTab, SmoothAnswer, SmoothTable
from ...questions.measure import COUNT
from ...questions.parse import Question
from ...questions.smooth import QuantileOf, SmoothQuestion, parse_smooth
from ...words import listed, readable
from ..base import Model
from ..build_answer import Estimates, Wording, build_smooth_answer
from ..reading import noise_scale, read_law, row_count
from .advice import advice
from .quantiles import quantile
from .ratios import OLD, NoisyNumber, Ratio
from .released_sums import BasisName, Released, SmoothSums
from .row_shares import present_or_not, share

if TYPE_CHECKING:
    from ..sections import Section
    from .density import Density

__all__ = ["SmoothModel"]

Floats = NDArray[np.float64]
MOST_SIZE, MOST_BLOCKS = 5000, 1000
# What a file says where missing values have numbers of their own.
APART = "apart"
# With fewer rows than this many standard errors of their number, an interval is cut to the range of the formula.
PLENTY = 20.0
NOT_FINITE = "the function may have a pole between the bounds; then its mean, and this answer, mean nothing"
NO_GROUP = "a group too small to tell from 0 has no mean"


@dataclass(frozen=True)
class _Mean:
    """A mean of one formula in one group, with its bound; not known where the group is too small."""

    ratio: Ratio | None
    bias: float
    kind: BiasKind
    note: str | None = None
    limits: tuple[float, float] = (-math.inf, math.inf)
    """The least and the largest value of the formula, where the group is small enough for that to matter."""

    @property
    def value(self) -> float:
        """The mean, nan where it is not known."""
        return math.nan if self.ratio is None else min(max(self.ratio.value, self.limits[0]), self.limits[1])

    @property
    def stderr(self) -> float:
        """Of the noise."""
        return math.nan if self.ratio is None else self.ratio.stderr

    @property
    def kurtosis(self) -> float:
        """Of the noise."""
        return math.nan if self.ratio is None else self.ratio.kurtosis

    def ends(self, confidence: float) -> tuple[float, float]:
        """The interval: noise, then bias, within the limits."""
        if self.ratio is None:
            return math.nan, math.nan
        low, high = self.ratio.ends(confidence)
        return max(low - self.bias, self.limits[0]), min(high + self.bias, self.limits[1])


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
        return list(dict.fromkeys(name for released in self.released for name in released.block.names))

    def parse(self, text: str) -> SmoothQuestion:
        return parse_smooth(text, self.domain, self.columns, self._usual)

    def plain(self, question: Question) -> SmoothQuestion:
        """A count, or the mean of a smooth column, as a statement asks for it."""
        kept = {"text": question.text, "where": question.where, "groups": question.groups}
        if question.measure == COUNT:
            return SmoothQuestion(parts={"": Constant(1.0)}, share=True, **kept)  # type: ignore[arg-type]
        return SmoothQuestion(parts={"": parse_expression(repr(self._smooth_column(question)), self.columns)}, **kept)  # type: ignore[arg-type]

    def quantile_answer(self, question: Question, level: float) -> Answer:
        """By the softened distribution function, as `quantile(column, level)` asks for it."""
        if not 0 < level < 1:
            raise BadQuestion(f"the level of a quantile lies between 0 and 1 (the median is 0.5), not {level:g}")
        of = QuantileOf(column=self._smooth_column(question), level=level, softness=None)
        asked = SmoothQuestion(text=question.text, parts={}, where=question.where, quantile=of)
        answer = self.answer(asked)
        assert isinstance(answer, Answer)
        return answer

    def _smooth_column(self, question: Question) -> str:
        assert question.average is not None
        name = self.domain.closed[question.average].name
        if name not in self.columns or question.measure.worth is not None:
            raise BadQuestion(
                f"this synopsis has means of formulas of {listed(self.columns)}: ask avg({self.columns[0]}), "
                f"quantile({self.columns[0]}, 0.5) or avg(of a formula), one at a time"
            )
        return name

    @property
    def reads_statements(self) -> bool:
        return True

    def _usual(self, column: str, at: float) -> float:
        """A width at a value of a column that is resolved with little bias."""
        released = self.home({column})
        axis = next(axis for axis in released.block.axes if axis.name == column)
        return 1.5 * released.resolution(axis, at)

    def home(self, names: set[str] | frozenset[str]) -> Released:
        """The smallest block with these columns; BadQuestion when they were not released together."""
        having = [released for released in self.released if names <= set(released.block.names)]
        if not having:
            groups = "; ".join(listed(released.block.names) for released in self.released)
            raise BadQuestion(f"{listed(sorted(names))} were not released together; the groups are: {groups}")
        return min(having, key=lambda released: len(released.block.axes))

    def answer(self, question: SmoothQuestion, *, count: bool = False) -> Answer | CrossTab:
        """Means stay means with count=True; a share of rows becomes a number of rows."""
        if question.share:
            return share(self, question, count=count)
        if question.quantile is not None:
            released = self.home({question.quantile.column})
            answer = quantile(question, released, self.kept(question, released.block)[0])
            return replace(answer, notes=(*answer.notes, *self._in_the_middle({question.quantile.column})))
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

    def density(self, columns: Sequence[str], *, where: str | None = None, confidence: float = 0.95) -> Density:
        from .density import density_of

        return density_of(self, columns, where=where, confidence=confidence)

    def sections(self) -> tuple[Section, ...]:
        from .smooth_sections import smooth_sections

        return smooth_sections(self)

    def _means(self, question: SmoothQuestion, targets: dict[str, Any]) -> SmoothAnswer | SmoothTable:
        names = frozenset[str]().union(*(target.names for target in targets.values()))
        released = self.home(names)
        margin = released.margin(sorted(names))
        groups = self.kept(question, released.block)
        means = [_mean(released, margin, target, kept) for target in targets.values() for kept in groups]
        notes = (*dict.fromkeys(m.note for m in means if m.note is not None), *self._in_the_middle(names))
        alone = len(means) == 1
        if alone and means[0].ratio is None:
            raise BadQuestion("the released number of such rows cannot be told from 0, so they have no mean")
        wording = Wording(
            question=question.text, unit="mean", law=released.law, estimator=released.basis, notes=notes,
            groups=None if alone else self.labels(question, list(targets)),
        )  # fmt: skip
        estimates = Estimates(
            value=np.array([m.value for m in means]),
            stderr=np.array([m.stderr for m in means]),
            bias=np.array([m.bias for m in means]),
            kurtosis=np.array([m.kurtosis for m in means]),
        )
        noisy = any(m.ratio is not None and m.ratio.bottom.variance > 0 for m in means)
        return build_smooth_answer(
            wording,
            estimates,
            bias_kind="certified" if all(m.kind == "certified" for m in means) else "sampled",
            ends=[m.ends for m in means] if noisy else None,
        )

    def _in_the_middle(self, names: Iterable[str]) -> tuple[str, ...]:
        """A remark on columns whose missing rows an old release counted in the middle of the range."""
        known = {axis.name for released in self.released for axis in released.block.axes if axis.optional}
        old = sorted(n for n in {*names} - known if axis_of(self.domain, n).optional)
        return (f"{OLD}: {listed(old)}",) if old else ()

    def kept(self, question: SmoothQuestion, block: Block, columns: Sequence[int] = ()) -> list[Floats]:
        """For each group of the question, which cells of the block it keeps.

        With smooth columns (positions in the domain) there is one more axis each: present, missing.
        """
        positions = [*(self.domain.position(a.name) for a in block.by), *columns]
        sizes = [self.domain.closed[p].size for p in positions]
        used = (set(question.where.positions) if question.where else set()) | set(question.groups)
        for position in sorted(used - set(positions)):
            have = f"({listed([a.name for a in block.by])})" if block.by else "(it has none: release with by=[...])"
            raise BadQuestion(
                f"{self.domain.closed[position].name} is not among the categories of this release {have}; "
                "about a smooth column ask with a formula, such as a softened step cdf(...)"
            )
        where = question.where.table(positions, sizes) if question.where else np.ones(sizes)
        for i, position in enumerate(columns, start=len(block.by)):
            where = present_or_not(where, i, self.domain.closed[position].missing_code)
        axes = [positions.index(p) for p in question.groups]
        codes = np.indices(where.shape)
        chosen = [
            where * np.logical_and.reduce([codes[axis] == c for axis, c in zip(axes, cell, strict=True)])
            for cell in product(*(range(sizes[axis]) for axis in axes))
        ] if axes else [where]  # fmt: skip
        shape = (block.cells, *where.shape[len(block.by) :])
        return [np.asarray(mask, dtype=np.float64).reshape(shape) for mask in chosen]

    def labels(self, question: SmoothQuestion, parts: list[str]) -> dict[str, tuple[str, ...]]:
        """The group columns of a table, and which part of the question each line is about."""
        attributes = [self.domain.closed[p] for p in question.groups]
        rows = [(part, *labels) for part in parts for labels in product(*(a.labels for a in attributes))]
        columns = ["part", *(a.name for a in attributes)]
        table = dict(zip(columns, zip(*rows, strict=True), strict=True))
        return table if len(parts) > 1 else {name: labels for name, labels in table.items() if name != "part"}

    @property
    def apart(self) -> bool:
        """Whether missing values have numbers of their own."""
        return any(axis.optional for released in self.released for axis in released.block.axes)

    @property
    def form(self) -> int:
        """The first version did not keep missing values apart, and knew no sparse grids nor more than 4 columns."""
        many = any(r.level is not None or len(r.block.axes) > MOST_DENSE_AXES for r in self.released)
        return 6 if many else 2 if self.apart else 1

    def parameters(self) -> dict[str, Any]:
        first = self.released[0]
        return {
            "basis": first.basis,
            "law": first.law,
            "rows": first.rows,
            "by": [a.name for a in first.block.by],
            "smoothness": first.smoothness,
            **({"missing": APART} if self.apart else {}),
            "blocks": [
                {"columns": [str(axis) for axis in released.block.axes], "size": released.size, "unit": released.unit,
                 "scale": str(released.scale), **({} if released.level is None else {"level": released.level})}
                for released in self.released
            ],
        }  # fmt: skip

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        sums = {f"sums-{i}": released.sums for i, released in enumerate(self.released)}
        weights = {
            f"weights-{i}": released.weights for i, released in enumerate(self.released) if released.weights is not None
        }
        return sums | weights

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        lengths = {}
        for i, (block, size, level) in enumerate(_blocks(domain, parameters)):
            each = block.combinations(size, level)
            lengths[f"sums-{i}"] = block.cells * each
            if parameters["basis"] == "chebyshev":
                lengths[f"weights-{i}"] = each
        return lengths

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> SmoothModel:
        law, rows, smoothness = read_law(parameters["law"]), row_count(parameters["rows"]), parameters["smoothness"]
        if not (smoothness is None or (isinstance(smoothness, int) and 1 <= smoothness <= 20)):
            raise BadSynopsis("the synopsis has a smoothness that makes no sense")
        made = []
        for i, (block, size, level) in enumerate(_blocks(domain, parameters)):
            given = parameters["blocks"][i]
            scale, unit, weights = _scale(given, law), given["unit"], numbers.get(f"weights-{i}")
            if scale <= 0:
                raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
            if weights is not None and weights.min() < 1:
                raise BadSynopsis("the synopsis has weights that make no sense")
            made.append(Released(
                block=block, basis=cast(BasisName, parameters["basis"]), size=size, unit=unit, law=law,
                scale=scale, rows=rows, sums=numbers[f"sums-{i}"], weights=weights, smoothness=smoothness,
                level=level,
            ))  # fmt: skip
        return cls(domain=domain, released=tuple(made))


def _mean(released: Released, margin: SmoothSums, target: AskedFunction, kept: Floats) -> _Mean:
    values = target.values(margin.axes, margin.basis.points)
    first = float(values.flat[0])
    if values.max() == values.min() and isinstance(target, ExpressionTarget):
        exact = NoisyNumber(1.0, 0.0, 0.0)
        return _Mean(Ratio(first, exact, NoisyNumber(0.0, 0.0, 0.0), 0.0), 0.0, "certified")
    coefficients = margin.basis.fit(values)
    ratio = margin.mean(coefficients, kept)
    if not ratio.sure:
        return _Mean(None, math.nan, "certified", NO_GROUP)
    bias, kind = target.bias(margin.basis, margin.axes, values, coefficients, ratio.stderr)
    note = advice(released, margin, target, bias, kind, ratio.stderr) if bias > 3 * ratio.stderr else None
    if kind == "sampled" and not target.surely_finite(margin.axes):
        note = NOT_FINITE
    small = ratio.bottom.value < PLENTY * math.sqrt(ratio.bottom.variance)
    limits = target.limits(margin.axes) if small else (-math.inf, math.inf)
    return _Mean(ratio, bias + released.rounding(coefficients), kind, note, limits)


def _scale(given: dict[str, Any], law: Any) -> Fraction:
    unit = given["unit"]
    if not isinstance(unit, int) or not 1 <= unit < 2**62:
        raise BadSynopsis("the synopsis has a unit that makes no sense")
    return noise_scale(given["scale"], law, unit=unit)


def _blocks(domain: Domain, parameters: dict[str, Any]) -> list[tuple[Block, int, int | None]]:
    """The groups of columns, each with its functions a column and the level of its sparse grid, if it has one."""
    by = tuple(domain.closed[domain.position(name)] for name in parameters["by"])
    blocks, apart = [], parameters.get("missing") == APART
    least = {"spline": 4, "chebyshev": 2}[parameters["basis"]]
    if not 1 <= len(parameters["blocks"]) <= MOST_BLOCKS:
        raise BadSynopsis("the synopsis has a number of column groups that makes no sense")
    for given in parameters["blocks"]:
        size, level = given["size"], given.get("level")
        most = MOST_DENSE_AXES if parameters["basis"] == "spline" else MOST_AXES
        if not isinstance(size, int) or not least <= size <= MOST_SIZE or not 1 <= len(given["columns"]) <= most:
            raise BadSynopsis(f"the synopsis says {readable(size)} functions a column, which makes no sense")
        if level is not None and not (isinstance(level, int) and 1 <= level <= 12 and size == degrees_at(level)):
            raise BadSynopsis("the synopsis has a sparse grid that makes no sense")
        axes = (axis_of(domain, text) for text in given["columns"])
        own = tuple(axis if apart else replace(axis, optional=False) for axis in axes)
        blocks.append((Block(own, by), size, level))
    return blocks

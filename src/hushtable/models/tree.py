"""TreeModel: noisy pairs of two-valued columns, a model along a tree of them, and means that correct it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import BadQuestion, BadSynopsis, TooWide
from ..laws import Law
from ..maths.trees.chow_liu import ChowLiu, frechet
from ..maths.trees.question_tree import QuestionTree
from ..maths.wide.bar import BY_REACH, WideBar
from ..maths.wide.shape import Symmetric, shape_of
from ..questions.answer import Answer, CrossTab, interval_factor
from ..questions.parse import Question
from .base import Model
from .build_answer import Estimates, Wording, build_answer, unit_of
from .linear.low_order import LowOrderModel
from .reading import noise_scale
from .tree_parts import MEASURED, bar_of, rooted, square_of

__all__ = ["TreeModel", "chance_of", "chances_of"]

Floats = NDArray[np.float64]
SURELY = 3.0
# A set that the model has for so many times as frequent as others of its leaf is not corrected more than these.
MOST_RATIO = 10.0
UNIT = 2**20


def chance_of(given: float | None) -> Fraction | None:
    """A chance as it was written, so that no rounding of floats enters what is summed."""
    return None if given is None else Fraction(str(given))


def chances_of(pairs: LowOrderModel, side: int) -> tuple[Floats, Floats, float]:
    """How often each column has the code `side`, and each two of them; and the deviation of the noise of the latter.

    The parity of a column is 1 for its first code and -1 for its second one.
    """
    d, rows = len(pairs.domain.sizes), pairs.total
    small, large = np.triu_indices(d, 1)
    single, own = pairs.released_bits(np.arange(d)[:, None])
    product, joint = pairs.released_bits(np.stack([small, large], axis=1))
    sign = 1 if side == 0 else -1
    chances = (1 + sign * single / rows) / 2
    both = np.zeros((d, d))
    both[small, large] = (1 + sign * (single[small] + single[large]) / rows + product / rows) / 4
    both += both.T
    noise = np.sqrt(np.mean(own[small] + own[large] + joint) / 16) / rows if d > 1 else 0.0
    return chances, both, float(noise)


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeModel(Model):
    """Answers whether all, or any, of many columns are true; up to two columns as what was measured of them says."""

    kind = "tree"
    domain: Domain
    pairs: LowOrderModel
    side: int
    """The code that a set of columns must have: 1 for `all of`, 0 for `any of`, which is that not all are false."""
    width: int
    widths: tuple[int, ...]
    """Those that have means of their own."""
    means_alone: bool
    """Whether means answer alone, without a model of pairs."""
    parents: NDArray[np.int64]
    tree: QuestionTree
    scale: Fraction
    sums: NDArray[np.int64]
    bar: WideBar | None = None
    chance: float | None = None
    """How likely a column is in the sets that a mean is over; None where means are over the sets of a width."""
    by_square: float = 0.0
    """Of what is missed of a set, as a variance: the part that goes with the square of its share, beside the rest."""

    @property
    def form(self) -> int:
        """Before it nobody knew trees."""
        return 6

    @property
    def law(self) -> Law:
        """Of the noise."""
        return self.pairs.law

    def row_count(self) -> tuple[float, float] | None:
        return self.pairs.row_count()

    @cached_property
    def _chances(self) -> tuple[Floats, Floats]:
        single, both, _ = self._measured
        return frechet(single, both, 1 / max(self.pairs.total, 2.0))

    @cached_property
    def chow_liu(self) -> ChowLiu:
        """The model of pairs."""
        return ChowLiu(self.parents, *self._chances)

    @cached_property
    def model_means(self) -> Floats:
        """By leaf and width, the mean of what the model says of the leaf's sets; 0 where none has that width."""
        inside, free = self.tree.masks()
        out = np.zeros((len(inside), self.width + 1))
        if self.means_alone:
            return out
        if self.chance is not None:
            lacks = np.where(inside, 0.0, np.where(free, 1 - self.chance, 1.0))
            return np.tile(self.chow_liu.weighed(lacks, np.ones_like(lacks))[:, None], self.width + 1)
        sums = self.chow_liu.subsets(inside, free, self.width)
        for number, leaf in enumerate(self.tree.leaves):
            for width in range(self.width + 1):
                if self.tree.fits(leaf, width):
                    rest = width - len(leaf.inside)
                    out[number, width] = sums[number, rest] / comb(self.tree.free(leaf), rest)
        return out

    @cached_property
    def corrections(self) -> Floats:
        """By leaf and width: the mean as measured, less that of the model; between measured widths straight."""
        if self.chance is not None:
            return (self.sums / UNIT / self.pairs.total)[:, None] - self.model_means
        out, place = np.zeros_like(self.model_means), 0
        for number, leaf in enumerate(self.tree.leaves):
            known = [width for width in self.widths if self.tree.fits(leaf, width)]
            if known:
                seen = self.sums[place : place + len(known)] / UNIT / self.pairs.total
                out[number] = np.interp(np.arange(self.width + 1), known, seen - self.model_means[number, known])
                place += len(known)
        return out

    def shares(self, sets: NDArray[np.bool_]) -> Floats:
        """How often a row has all columns of each set, a line a set: the model, corrected.

        Half of a leaf's correction is added to all its sets alike and half in proportion to what the model says of
        each; either way the mean over the leaf is the measured one.
        """
        widths, leaves = sets.sum(axis=1), self.tree.leaf_of(sets)
        found = self.corrections[leaves, widths]
        if not self.means_alone:
            said = self.chow_liu.chance(np.where(sets, 1, -1).astype(np.int8))
            usual = np.maximum(self.model_means[leaves, widths], 1e-12)
            ratio = np.minimum(said / usual, MOST_RATIO)
            low, high = self.limits(sets)
            found = (np.clip(said + found, low, high) + np.clip(said + found * ratio, low, high)) / 2
            return np.where(widths == 0, 1.0, found)
        return np.where(widths == 0, 1.0, np.clip(found, *self.limits(sets)))

    def limits(self, sets: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """What no table with these pairs leaves, but for 3 deviations of their noise: no set is more frequent than two
        of its columns, nor misses more rows than its columns do together."""
        single, both, noise = self._measured
        low, high, widths = np.zeros(len(sets)), np.ones(len(sets)), sets.sum(axis=1)
        for width in set(widths.tolist()) - {0}:
            own = np.flatnonzero(widths == width)
            at = np.nonzero(sets[own])[1].reshape(len(own), width)
            small, large = np.triu_indices(width, 1)
            parts = single[at] if width == 1 else both[at[:, small], at[:, large]]
            high[own] = np.clip(parts.min(axis=1) + SURELY * noise, 0.0, 1.0)
            least = 1 - (1 - single[at]).sum(axis=1) - SURELY * noise * np.sqrt(width)
            low[own] = np.clip(least, 0.0, high[own])
        return low, high

    @cached_property
    def _measured(self) -> tuple[Floats, Floats, float]:
        return chances_of(self.pairs, self.side)

    def evaluate_queries(self, queries: Any, *, count: bool = False) -> CrossTab:
        """Many sets at once: a matrix of 0 and 1, a line a set and a column a column."""
        sets = np.asarray(queries)
        d = len(self.domain.sizes)
        if sets.ndim != 2 or sets.shape[1] != d or not ((sets == 0) | (sets == 1)).all():
            raise BadQuestion(f"queries are a matrix of 0 and 1 with {d} columns, those of the domain")
        sets = sets.astype(bool)
        widths = sets.sum(axis=1)
        if len(sets) and widths.max() > self.width:
            raise BadQuestion(f"a set has at most {self.width} columns here, not {int(widths.max())}")
        value, rows = self.shares(sets), self.pairs.total if count else 1.0
        stderr = self.deviations(sets, value)
        value = value if self.side == 1 else 1 - value
        wording = Wording(
            question=f"{len(sets):,} sets of columns", unit=unit_of(count=count), law=self.law,
            groups={"set": tuple(map(str, range(len(sets))))}, estimator="calibrated",
        )  # fmt: skip
        answers = build_answer(wording, Estimates(value=rows * value, stderr=rows * stderr, kurtosis=self._kurtosis))
        assert isinstance(answers, CrossTab)
        return answers

    @property
    def _kurtosis(self) -> float:
        return 0.0 if self.bar is None else self.bar.kurtosis

    @property
    def _noise(self) -> float:
        """The deviation of the noise of a mean, as a share."""
        return self.law.stderr(self.scale) / UNIT / self.pairs.total

    def deviations(self, sets: NDArray[np.bool_], shares: Floats) -> Floats:
        """How far sets are usually off; what is missed goes with the root of a set's share, and for large ones with it.

        Where that was not measured, noise alone.
        """
        widths, out = sets.sum(axis=1), np.full(len(sets), self._noise)
        if (bar := self.bar) is not None and bar.expected is not None:
            for width in set(widths.tolist()) - {0}:
                own = widths == width
                at_mean = bar.stderr(width, self.pairs.total, self._noise, None)
                usual = max(float(np.interp(width, bar.widths, bar.expected.reach)), 1e-12)
                share = shares[own] / usual
                missed = (at_mean**2 - self._noise**2) * (1 - BY_REACH + BY_REACH * share + self.by_square * share**2)
                out[own] = np.sqrt(self._noise**2 + missed)
        return np.where(widths == 0, 0.0, out)

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        """Up to two columns by pairs; all or any of more by the corrected model."""
        wide = len(question.positions) > MEASURED
        if not wide or question.kind == "mean" or question.groups or question.where is None:
            return self.pairs.answer(question, count=count)
        if len(question.positions) > self.width:
            raise TooWide(names=[self.domain.closed[p].name for p in question.positions], width=self.width)
        shape = shape_of(question.where, self.domain.sizes)
        return self._wide(question, *_conjunction(shape), count=count)

    def _wide(self, question: Question, codes: dict[int, int], turned: bool, *, count: bool) -> Answer | CrossTab:
        """One conjunction, or what is left beside it."""
        d, own = len(self.domain.sizes), set(codes.values()) == {self.side}
        value = self._conjunction(codes, d, own=own)
        usual = None
        if own and self.bar is not None:
            sets = np.isin(np.arange(d), list(codes))[None]
            usual = float(self.deviations(sets, np.array([value]))[0])
        low, high = self._certified(codes)
        value = min(max(value, low), high)
        if turned:
            value, low, high = 1 - value, 1 - high, 1 - low
        rows = self.pairs.total if count else 1.0
        counted = self.pairs.row_count() if count else None
        spread = value * counted[1] if counted else 0.0
        known = usual is not None and interval_factor(0.95, self._kurtosis) * usual < max(high - value, value - low)
        kind = "calibrated" if known else "assisted"
        wording = Wording(
            question=question.text, unit=unit_of(count=count), law=self.law, estimator=kind,
            notes=(_note(self, own=own, known=known),),
        )  # fmt: skip
        if known:
            assert usual is not None
            estimates = Estimates(value=rows * value, stderr=np.hypot(rows * usual, spread), kurtosis=self._kurtosis)
        else:
            bias = max(high - value, value - low)
            estimates = Estimates(value=rows * value, stderr=np.hypot(rows * self._noise, spread), bias=rows * bias)
        answer = build_answer(wording, estimates)
        return replace(answer, certified=(rows * low, rows * high)) if known and isinstance(answer, Answer) else answer

    def _conjunction(self, codes: dict[int, int], d: int, *, own: bool) -> float:
        if own:
            sets = np.zeros((1, d), dtype=bool)
            sets[0, list(codes)] = True
            return float(self.shares(sets)[0])
        fixed = np.full((1, d), -1, dtype=np.int8)
        for position, code in codes.items():
            fixed[0, position] = code == self.side
        return float(self.chow_liu.chance(fixed)[0])

    def _certified(self, codes: dict[int, int]) -> tuple[float, float]:
        """What no table with these pairs leaves: a conjunction is no more frequent than two of its parts."""
        single, both, noise = self._measured
        at = np.array(list(codes))
        meant = np.array([code == self.side for code in codes.values()])
        own = np.where(meant, single[at], 1 - single[at])
        joint = both[np.ix_(at, at)]
        one, other = single[at][:, None], single[at][None]
        cells = np.where(
            meant[:, None] & meant[None], joint,
            np.where(meant[:, None], one - joint, np.where(meant[None], other - joint, 1 - one - other + joint)),
        )  # fmt: skip
        small, large = np.triu_indices(len(at), 1)
        slack = SURELY * noise
        high = float(min(own.min(), cells[small, large].min())) + slack
        low = float(1 - (1 - own).sum()) - slack * np.sqrt(len(at))
        high = min(max(high, 0.0), 1.0)
        return min(max(low, 0.0), high), high

    def facts(self) -> tuple[tuple[str, str], ...]:
        over = f"widths {', '.join(map(str, self.widths))}" if self.chance is None else f"sets by p = {self.chance:g}"
        return (("tree", f"{len(self.tree.leaves):,} leaves, {over}"),)

    def parameters(self) -> dict[str, Any]:
        bar = {} if self.bar is None else {"bar": {
            "widths": list(self.bar.widths), "questions": self.bar.questions, "scale": str(self.bar.scale),
            "noise": list(self.bar.expected.noise if self.bar.expected else ()),
            "reach": list(self.bar.expected.reach if self.bar.expected else ()),
            "square": self.by_square,
        }}  # fmt: skip
        return (
            {
                "law": self.law,
                "pairs": self.pairs.parameters(),
                "side": self.side,
                "width": self.width,
                "widths": list(self.widths),
                "plain": self.means_alone,
                "nodes": len(self.tree.nodes),
                "places": len(self.sums),
                "scale": str(self.scale),
            }
            | ({} if self.chance is None else {"chance": self.chance})
            | bar
        )

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        own = {"parents": self.parents, "tree": self.tree.nodes.ravel(), "leaves": self.sums}
        return self.pairs.numbers() | own | ({} if self.bar is None else {"bar": self.bar.distances})

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        nodes, widths = parameters["nodes"], parameters["widths"]
        if type(nodes) is not int or not 1 <= nodes <= 2 * 10**5 or set(domain.sizes) != {2}:
            raise BadSynopsis("the synopsis has a tree that its domain does not allow")
        pairs = LowOrderModel.lengths(domain, parameters["pairs"])
        bar = {"bar": len(parameters["bar"]["widths"])} if "bar" in parameters else {}
        places = parameters["places"]
        if type(places) is not int or not 1 <= places <= (nodes + 1) // 2 * len(widths):
            raise BadSynopsis("the synopsis has more means than its tree has leaves and widths")
        return pairs | {"parents": len(domain.sizes), "tree": 3 * nodes, "leaves": places} | bar

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> TreeModel:
        pairs = LowOrderModel.build(domain, parameters["pairs"], numbers)
        side, width, d = parameters["side"], parameters["width"], len(domain.sizes)
        widths, parents = tuple(parameters["widths"]), numbers["parents"]
        scale = noise_scale(parameters["scale"], pairs.law, unit=UNIT)
        whole = all(type(w) is int and MEASURED < w <= width for w in widths) and list(widths) == sorted(set(widths))
        if side not in (0, 1) or type(width) is not int or not 1 <= width <= d or not whole or scale <= 0:
            raise BadSynopsis("the synopsis has a tree that its domain does not allow")
        if (parents < -1).any() or (parents >= d).any() or (parents < 0).sum() != 1 or not rooted(parents):
            raise BadSynopsis("the synopsis has a model of pairs that is no tree")
        tree = QuestionTree.read(numbers["tree"], d)
        chance = parameters.get("chance")
        if chance is not None and (type(chance) is not float or not 0 < chance < 1):
            raise BadSynopsis("the synopsis has means over sets by a chance that is none")
        of_widths = sum(tree.fits(leaf, w) for leaf in tree.leaves for w in widths)
        if len(numbers["leaves"]) != (of_widths if chance is None else len(tree.leaves)):
            raise BadSynopsis("the synopsis has other means than its tree has leaves and widths")
        return cls(
            domain=domain, pairs=pairs, side=side, width=width, widths=widths, means_alone=bool(parameters["plain"]),
            parents=parents, tree=tree, scale=scale, sums=numbers["leaves"],
            bar=bar_of(pairs.law, parameters, numbers), by_square=square_of(parameters), chance=chance,
        )  # fmt: skip


def _conjunction(shape: object) -> tuple[dict[int, int], bool]:
    """The code that each column of a conjunction must have, and whether the question is what it leaves."""
    if isinstance(shape, Symmetric) and all(sum(mask) == 1 for mask in shape.masks):
        codes = {p: mask.index(True) for p, mask in zip(shape.positions, shape.masks, strict=True)}
        *first, last = shape.values
        if last == 1 and not any(first):
            return codes, False
        if shape.values[0] == 0 and all(shape.values[1:]):
            return {p: 1 - code for p, code in codes.items()}, True
    raise BadQuestion(
        "this release answers all(...) and any(...) of more than two columns; other conditions need "
        "predicates(width=...)"
    )


def _note(model: TreeModel, *, own: bool, known: bool) -> str:
    what = "pairs of columns and means over sets of them were measured"
    if known and model.bar is not None:
        return (
            f"{what}: the interval is made for usual sets of so many columns, as held-out ones say, and not for each; "
            "any set lies inside what is certified"
        )
    extra = "" if own else "; extrapolated from pairs, as the means are of other questions"
    return f"{what}: the value is the best guess, and its interval is what pairs allow{extra}"

"""OneWayModel: the noisy counts of every value of every column, whose noises share a radius in groups of columns."""

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
from ...laws import Law
from ...maths.geometry.bodies import ProductBody
from ...maths.geometry.column_groups import MOST_DIMENSION, MOST_VALUES
from ...maths.geometry.product_law import draw_product, product_moments
from ...maths.geometry.shared_table import SharedTable
from ...questions.answer import Answer, CrossTab
from ...questions.noises import Noises
from ...questions.parse import Question
from ..reading import noise_scale, row_count
from .joint_limits import DRAWS, limits_of_noise
from .linear import LinearModel

__all__ = ["OneWayModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneWayModel(LinearModel):
    """Answers every question about one column without bias.

    Of several groups each tells the number of rows, where it is not public; all columns take the best mean of them.
    """

    kind = "one-way"
    groups: tuple[tuple[int, ...], ...]
    """Columns of each group, by their positions; the cells stand in this order."""
    scales: tuple[Fraction, ...]
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    @property
    def form(self) -> int:
        """Noise of a gauge came with version 5."""
        return 5

    @cached_property
    def _bodies(self) -> list[ProductBody]:
        sizes = self.domain.sizes
        return [ProductBody(tuple(sizes[p] for p in group), self.rows is None) for group in self.groups]

    @cached_property
    def _place(self) -> dict[int, tuple[int, int, int]]:
        """For each column its group, its place there, and where its cells begin."""
        out, start = {}, 0
        for number, group in enumerate(self.groups):
            for place, column in enumerate(group):
                out[column] = (number, place, start)
                start += self.domain.sizes[column]
        return out

    @cached_property
    def _totals(self) -> tuple[Floats, Floats]:
        """Each group's number of rows, and how much it counts in the mean of all; nothing where it is public."""
        firsts = [self._column(group[0]).sum() for group in self.groups]
        variances = self._row_variances
        weights = np.zeros(len(firsts)) if self.rows is not None else 1 / variances / (1 / variances).sum()
        return np.array(firsts, dtype=np.float64), weights

    @cached_property
    def _row_variances(self) -> Floats:
        pairs = zip(self._bodies, self.scales, strict=True)
        return np.array([product_moments(body).total * float(scale) ** 2 for body, scale in pairs])

    def _column(self, position: int) -> NDArray[np.int64]:
        start = self._place[position][2]
        return self.cells[start : start + self.domain.sizes[position]]

    @cached_property
    def _frames(self) -> dict[tuple[int, ...], SharedTable]:
        return {}

    def frame(self, positions: Sequence[int]) -> SharedTable:
        if len(positions) > 1:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=1)
        key = tuple(positions)
        if key not in self._frames:
            self._frames[key] = self._table(key[0]) if key else self._count()
        return self._frames[key]

    def _pooled(self) -> tuple[float, float]:
        """The best number of rows, and its variance."""
        if self.rows is not None:
            return float(self.rows), 0.0
        totals, weights = self._totals
        return float(totals @ weights), float(1 / (1 / self._row_variances).sum())

    def _count(self) -> SharedTable:
        rows, variance = self._pooled()
        return SharedTable(np.array(rows), (), None, 0.0, variance, self._total_draws)

    def _table(self, position: int) -> SharedTable:
        """The column's counts, moved to the best number of rows: each cell by as much."""
        group, place, _ = self._place[position]
        counts, (rows, variance) = self._column(position).astype(np.float64), self._pooled()
        body, scale = self._bodies[group], float(self.scales[group])
        contrast = product_moments(body).contrasts[place] * scale**2
        counts = counts + (rows - counts.sum()) / len(counts)
        return SharedTable(counts, (None,), None, contrast, variance, lambda: self._draws(group, place))

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """The number of rows has a noise of its own, and so has every column, without its mean; all uncorrelated."""
        frame, flat = self.frame(positions), weights.reshape(len(weights), -1)
        lean = flat.mean(axis=1, keepdims=True)
        start = 1 + self._place[positions[0]][2] if positions else 1
        numbers = np.concatenate([[0], start + np.arange(flat.shape[1])])
        each = np.concatenate([frame.total**0.5 * lean, frame.contrast**0.5 * (flat - lean)], axis=1)
        return Noises.of(numbers, each.T, self.law.kurtosis)

    def _draws(self, group: int, place: int) -> Floats:
        (drawn,), _ = draw_product(self._bodies[group], (place,), DRAWS, seed=group)
        noise = drawn * float(self.scales[group])
        if self.rows is not None:
            return noise
        pooled = self._total_draws()
        return np.asarray(noise - noise.mean(axis=1, keepdims=True) + pooled[:, None] / noise.shape[1])

    def _total_draws(self) -> Floats:
        """Noise of the best mean of all groups' numbers of rows; the same draws as `_draws` has."""
        pairs = zip(self._bodies, self.scales, strict=True)
        own = np.array([draw_product(b, (), DRAWS, seed=g)[1] * float(s) for g, (b, s) in enumerate(pairs)])
        return np.asarray(self._totals[1] @ own)

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        answer = super().answer(question, count=count)
        if question.kind == "mean" or answer.limits is not None:
            return answer
        frame = self.frame(question.positions)
        lines = self._coefficients(question, frame, count=count)
        return limits_of_noise(answer, frame.draws.reshape(len(frame.draws), -1) @ lines.T)

    def _coefficients(self, question: Question, frame: SharedTable, *, count: bool) -> Floats:
        """What each number of the answer weighs the cells by, one line a number; of shares, to first order."""
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        lines = np.diag(where.ravel()) if question.groups else where.reshape(1, -1)
        if count:
            return np.asarray(lines, dtype=np.float64)
        rows = max(float(frame.numbers.sum()), 1.0)
        shares = lines @ frame.numbers.ravel() / rows
        return np.asarray((lines - shares[:, None]) / rows)

    def parameters(self) -> dict[str, Any]:
        return {
            "groups": [list(group) for group in self.groups],
            "scales": [str(scale) for scale in self.scales],
            "rows": self.rows,
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"cells": self.cells}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"cells": sum(domain.sizes)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> OneWayModel:
        rows, groups = row_count(parameters["rows"]), _groups(parameters["groups"], domain.sizes)
        scales = tuple(noise_scale(scale, Law.LAPLACE) for scale in parameters["scales"])
        if len(scales) != len(groups):
            raise BadSynopsis("the synopsis has noise scales that do not fit its groups of columns")
        return cls(domain=domain, law=Law.LAPLACE, groups=groups, scales=scales, cells=numbers["cells"], rows=rows)


def _groups(given: Any, sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    if not isinstance(given, list) or not all(isinstance(group, list) and group for group in given):
        raise BadSynopsis("the synopsis has groups of columns that make no sense")
    listed = [p for group in given for p in group]
    if not all(type(p) is int for p in listed) or sorted(listed) != list(range(len(sizes))):
        raise BadSynopsis("the synopsis has groups of columns that do not fit its domain")
    if any(size > MOST_VALUES for size in sizes):
        raise BadSynopsis(f"the synopsis has a column of more than {MOST_VALUES} values in a group")
    if any(sum(sizes[p] - 1 for p in group) > max(MOST_DIMENSION, MOST_VALUES) for group in given):
        raise BadSynopsis("the synopsis has a group of columns that is too large")
    return tuple(tuple(group) for group in given)

"""CellVectorsModel: noisy sums of whole vectors that depend on a few columns, and all that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion, BadSynopsis
from ...laws import Law
from ...maths.geometry.level_fit import LevelFit
from ...maths.interactions.noisy_table import Moments
from ...questions.answer import Answer, CrossTab
from ...questions.arithmetic import NOWHERE, Errors, Later
from ...questions.noises import Noises
from ...questions.parse import Question
from ...words import listed
from ..averages import Spans, averages, mean_answer
from ..base import Model
from ..build_answer import Estimates, Wording, build_answer, group_labels, unit_of
from ..reading import noise_scale, row_count
from .joint_limits import limits_of_noise

__all__ = ["DRAW_UNIT", "CellVectorsModel"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Draws of the noise stand in the file as multiples of this part of the scale.
DRAW_UNIT = 1024
MOST_LEVELS, MOST_CELLS, MOST_DRAWS = 12, 5_000, 10_000


@dataclass(frozen=True, eq=False)
class CellVectorsModel(Model):
    """Answers every question that is a combination of what was released, without bias, and no other."""

    kind = "cell-vectors"
    domain: Domain
    columns: tuple[int, ...]
    """Positions of the columns that the vectors depend on."""
    vectors: tuple[Ints, ...]
    """One matrix a level, a column for every combination of the codes of `columns`."""
    scales: tuple[Fraction, ...]
    values: Ints
    draws: Ints
    """Draws of the noise of all levels for scale 1, one line a draw, in units of 1 / DRAW_UNIT: of no table."""
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    @property
    def form(self) -> int:
        """Noise of a gauge came with version 5."""
        return 5

    @cached_property
    def fit(self) -> LevelFit:
        """What all levels say together; BadSynopsis where the draws are not those of any noise."""
        try:
            return LevelFit.of(self.vectors, self.scales, self.draws / DRAW_UNIT, added=self.rows is None)
        except np.linalg.LinAlgError:
            raise BadSynopsis("the synopsis has draws of noise that are none; ask for a fresh copy") from None

    @cached_property
    def _estimates(self) -> Floats:
        return self.fit.centred(self.values.astype(np.float64), self.rows)

    def coefficients(self, positions: Sequence[int], function: Floats) -> Floats:
        """What stands for the sum over rows of a function of these columns: weights of the numbers, then its mean."""
        if not set(positions) <= set(self.columns):
            raise self._refused()
        shape = [self.domain.sizes[p] if p in positions else 1 for p in self.columns]
        order = [list(positions).index(p) for p in self.columns if p in positions]
        sizes = [self.domain.sizes[p] for p in self.columns]
        spread = np.broadcast_to(np.transpose(function, order).reshape(shape), sizes).ravel()
        found = self.fit.weights(spread)
        if found is None:
            raise self._refused()
        return found

    def _refused(self) -> BadQuestion:
        names = listed([self.domain.closed[p].name for p in self.columns])
        return BadQuestion(
            f"this synopsis answers what follows from the queries about {names} that it was released for, and this "
            "does not; release it with a workload that has this question"
        )

    def moments(self, coefficients: Floats) -> Moments:
        """The sum over rows of what these coefficients stand for."""
        value = coefficients[:-1] @ self._estimates + coefficients[-1] * (self.rows or 0)
        return Moments(np.asarray(value), *map(np.asarray, self.fit.noise_moments(coefficients[:-1])))

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        sizes = [self.domain.sizes[p] for p in question.positions]
        where = question.where.table(question.positions, sizes) if question.where else np.ones(sizes)
        if question.kind == "mean":
            return self._mean(question, where)
        cells = list(np.ndindex(*where.shape[: len(question.groups)]))
        lines = []
        for cell in cells:
            kept = np.zeros_like(where)
            kept[cell] = where[cell]
            lines.append(self.coefficients(question.positions, kept))
        return self._counted(question, np.array(lines), count=count)

    def _counted(self, question: Question, lines: Floats, *, count: bool) -> Answer | CrossTab:
        found = [self.moments(line) for line in lines]
        value, weights = np.array([float(m.value) for m in found]), lines[:, :-1]
        if not count:
            whole = self.coefficients((), np.ones(()))
            rows = max(float(self.moments(whole).value), 1.0)
            value, weights = value / rows, (weights - np.outer(value / rows, whole[:-1])) / rows
        noise = self.fit.noise(weights)
        stderr = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", weights, self.fit.covariance, weights), 0.0))
        groups = group_labels(self.domain, question.groups)
        wording = Wording(question=question.text, unit=unit_of(count=count), law=Law.LAPLACE, groups=groups)
        moments = map(self.fit.noise_moments, weights)
        kurtosis = np.array([max(fourth / variance**2, 0.0) if variance > 0 else 0.0 for variance, fourth in moments])
        errors = Later(partial(self._errors, weights, groups=bool(question.groups)))
        estimates = Estimates(value=value, stderr=stderr, kurtosis=kurtosis, errors=errors)
        return limits_of_noise(build_answer(wording, estimates), noise)

    def _errors(self, weights: Floats, *, groups: bool) -> Errors:
        """Of sums of the released numbers, by noises that are independent to second order."""
        each = np.linalg.cholesky(self.fit.covariance).T @ weights.T
        found = Noises(np.arange(len(each)), each if groups else each[:, 0], Law.LAPLACE.kurtosis)
        return Errors(noises={NOWHERE: found})

    def _mean(self, question: Question, where: Floats) -> Answer | CrossTab:
        assert question.average is not None
        attribute = self.domain.closed[question.average]
        released = averages(_Sums(self, question.positions), Spans.of(attribute, question, where))
        return mean_answer(self.domain, question, released.estimates(), law=Law.LAPLACE)

    def parameters(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "levels": [len(matrix) for matrix in self.vectors],
            "scales": [str(scale) for scale in self.scales],
            "draws": len(self.draws),
            "rows": self.rows,
        }

    def numbers(self) -> dict[str, Ints]:
        flat = np.concatenate([matrix.ravel() for matrix in self.vectors])
        return {"values": self.values, "vectors": flat, "draws": self.draws.ravel()}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        columns, levels, draws = parameters["columns"], parameters["levels"], parameters["draws"]
        if not all(isinstance(given, list) and given for given in (columns, levels)):
            raise BadSynopsis("the synopsis has columns or levels that make no sense")
        if not all(type(p) is int and 0 <= p < len(domain.sizes) for p in columns) or columns != sorted(set(columns)):
            raise BadSynopsis("the synopsis has columns that do not fit its domain")
        cells = prod(domain.sizes[p] for p in columns)
        small = len(levels) <= MOST_LEVELS and all(type(k) is int and 1 <= k <= 64 for k in levels)
        if not small or cells > MOST_CELLS or type(draws) is not int or not 2 <= draws <= MOST_DRAWS:
            raise BadSynopsis("the synopsis has more levels, cells or draws than there can be")
        total = sum(levels)
        return {"values": total, "vectors": total * cells, "draws": total * draws}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, Ints]) -> CellVectorsModel:
        levels, columns = parameters["levels"], tuple(parameters["columns"])
        cells = prod(domain.sizes[p] for p in columns)
        scales = tuple(noise_scale(scale, Law.LAPLACE) for scale in parameters["scales"])
        if len(scales) != len(levels) or min(scales) <= 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its levels")
        if max(np.abs(numbers[name]).max(initial=0) for name in ("vectors", "draws")) >= 1 << 50:
            raise BadSynopsis("the synopsis has vectors or draws that make no sense")
        starts = np.cumsum([0, *levels]) * cells
        matrices = [numbers["vectors"][a:b].reshape(-1, cells) for a, b in pairwise(starts)]
        return cls(domain=domain, columns=columns, vectors=tuple(matrices), scales=scales, values=numbers["values"],
                   draws=numbers["draws"].reshape(parameters["draws"], -1),
                   rows=row_count(parameters["rows"]))  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Sums:
    """The released numbers about a few columns, as averages take them."""

    model: CellVectorsModel
    positions: tuple[int, ...] | list[int]

    def coefficients(self, function: Floats) -> Floats:
        return self.model.coefficients(self.positions, function)

    def moments(self, coefficients: Floats) -> Moments:
        return self.model.moments(coefficients)

"""OneWayModel: the noisy counts of every value of every column, whose noises share a radius in groups of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import TooWide
from ...laws import Law
from ...maths.geometry.shared_table import SharedTable
from ...maths.geometry.shared_tables import SharedTables
from ...questions.answer import Answer, CrossTab
from ...questions.noises import Noises
from ...questions.parse import Question
from .grouped_cells import GroupedCells
from .joint_limits import DRAWS, limits_of_noise
from .linear import LinearModel

__all__ = ["OneWayModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneWayModel(GroupedCells, LinearModel):
    """Answers every question about one column without bias.

    Of several groups each tells the number of rows, where it is not public; all columns take the best mean of them.
    """

    kind = "one-way"

    @property
    def form(self) -> int:
        """Noise of a gauge came with version 5."""
        return 5

    @cached_property
    def _tables(self) -> SharedTables:
        return SharedTables(self.domain.sizes, self.groups, self.scales, self.cells, self.rows, DRAWS)

    @cached_property
    def _frames(self) -> dict[tuple[int, ...], SharedTable]:
        return {}

    def frame(self, positions: Sequence[int]) -> SharedTable:
        if len(positions) > 1:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=1)
        key = tuple(positions)
        if key not in self._frames:
            self._frames[key] = self._tables.table(key[0]) if key else self._tables.sum_alone()
        return self._frames[key]

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """The number of rows has a noise of its own, and so has every column, without its mean; all uncorrelated."""
        frame, flat = self.frame(positions), weights.reshape(len(weights), -1)
        lean = flat.mean(axis=1, keepdims=True)
        start = 1 + sum(self.domain.sizes[: positions[0]]) if positions else 1
        numbers = np.concatenate([[0], start + np.arange(flat.shape[1])])
        each = np.concatenate([frame.total**0.5 * lean, frame.contrast**0.5 * (flat - lean)], axis=1)
        return Noises.of(numbers, each.T, self.law.kurtosis)

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

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"cells": sum(domain.sizes)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> OneWayModel:
        return cls(domain=domain, law=Law.LAPLACE, **cls.read(parameters, numbers, domain.sizes))

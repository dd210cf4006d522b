"""With means: a model that answers averages of declared columns from their released sums, and all else itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..domain import Domain
from ..errors import BadQuestion
from ..questions.answer import Answer, CrossTab
from ..questions.parse import Question
from .base import Model
from .column_means import ColumnMeans

__all__ = ["WithMeans"]


@dataclass(frozen=True, eq=False)
class WithMeans:
    """What statements are asked of."""

    model: Model
    means: ColumnMeans

    @classmethod
    def of(cls, model: Model, means: ColumnMeans | None) -> Model | WithMeans:
        """The model itself where no means were released."""
        return model if means is None else cls(model, means)

    @property
    def domain(self) -> Domain:
        """The table's."""
        return self.model.domain

    @property
    def means_of_codes(self) -> bool:
        """As the model has it."""
        return self.model.means_of_codes

    def plain(self, question: Question) -> Any:
        """As the model has it."""
        return self.model.plain(question)

    def quantile_answer(self, question: Question, level: float) -> Answer | None:
        """As the model has it."""
        return self.model.quantile_answer(question, level)

    def answer(self, question: Any, *, count: bool = False) -> Answer | CrossTab:
        """From the sums where they tell and tell more than the model, else the model's."""
        own = self.means.answer(question) if isinstance(question, Question) else None
        if own is None:
            return self.model.answer(question, count=count)
        try:
            other = self.model.answer(question, count=count)
        except BadQuestion:
            return own
        return other if _width(other) < _width(own) else own

    def sum_answer(self, question: Question) -> Answer | CrossTab | None:
        """From the sums where they tell and tell more than the model, else the model's."""
        own, other = self.means.sum_answer(question), self.model.sum_answer(question)
        if own is None or other is None:
            return other if own is None else own
        return other if _width(other) < _width(own) else own


def _width(answer: Answer | CrossTab) -> float:
    """That of a typical interval: it follows from the noise and the sizes of groups, hardly from the averages."""
    low, high = answer.interval(0.95)
    widths = np.atleast_1d(np.asarray(high) - np.asarray(low))
    unknown = ~np.isfinite(np.atleast_1d(answer.value)) | ~np.isfinite(widths)
    return float(np.median(np.where(unknown, np.inf, widths)))

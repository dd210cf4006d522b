"""Keyed models: what the models of sparse workloads share."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion
from ...laws import Law
from ...questions.answer import ListAnswer, ListTable
from ...questions.lists import KeyBatch, Listed, Lists, Top
from ..base import Model
from .bucket_errors import BucketErrors
from .evaluation import Evaluation, Lost
from .frequent import Frequent
from .key_columns import KeyColumns
from .list_answers import answer_list, answer_lists, answer_top

if TYPE_CHECKING:
    from ..sections import Section

__all__ = ["KeyedModel"]

Floats = NDArray[np.float64]


class KeyedModel(Model):
    """Answers lists of keys, many lists at once, and the most frequent values."""

    domain: Domain
    columns: KeyColumns
    frequent: Frequent
    law: Law

    def parse(self, text: str) -> Any:
        return self.columns.parse(text, self.domain)

    def accept(self, question: Any) -> Any:
        """Lists, as they are."""
        if not isinstance(question, (Listed, Lists)):
            raise BadQuestion(f"a question is a text, a Listed or a Lists, not a {type(question).__name__}")
        return question

    def answer(self, question: Listed | Lists | Top, *, count: bool = False) -> ListAnswer | ListTable:
        if isinstance(question, Top):
            return answer_top(self, question, count=count)
        if isinstance(question, Lists):
            return answer_lists(self, question, count=count)
        return answer_list(self, question, count=count)

    def sections(self) -> tuple[Section, ...]:
        from .keyed_sections import key_sections

        return key_sections(self)

    @property
    def values_in_key(self) -> int:
        return len(self.columns.attributes)

    def row_count(self) -> tuple[float, float]:
        return self.rows, self.rows_variance**0.5

    @property
    def bucket_errors(self) -> BucketErrors | None:
        """The law of the error of a sum of buckets; None where there are no buckets."""
        return None

    @property
    @abstractmethod
    def rows(self) -> float:
        """The number of rows; a noisy one below 1 carries no information, and dividing by 1 keeps answers finite."""

    @property
    @abstractmethod
    def rows_noise(self) -> Fraction:
        """Scale of the noise in the number of rows, 0 where it is public."""

    @property
    def rows_variance(self) -> float:
        """Variance of that noise."""
        return self.law.discrete_variance(self.rows_noise)

    @property
    def rows_fourth(self) -> float:
        """Fourth cumulant of that noise."""
        return self.law.discrete_fourth(self.rows_noise)

    @abstractmethod
    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        """Value and errors of each list, in rows."""

    @abstractmethod
    def too_long(self, flat: KeyBatch) -> bool:
        """Whether some list fills so many buckets that its own values often share one."""

    def lost(self, flat: KeyBatch, kept: NDArray[np.int64]) -> Lost:
        """What the values that are not on the list of frequent ones may add up to.

        The noisy count of a value that is missed is below the threshold, so that the value has at most the threshold
        minus its noise. Together they have no more rows than the list leaves.
        """
        missed = flat.weights * (kept < 0)
        unseen = max(0.0, self.rows - float(self.frequent.counts.sum()))
        most = flat.add_up(missed) * self.frequent.threshold
        limited = (unseen < most).astype(np.float64)
        noisy = {power: (1 - limited) * flat.add_up(missed**power) for power in (2, 4)}
        return Lost(
            bias=np.minimum(most, unseen),
            limited=limited,
            variance=noisy[2] * Law.LAPLACE.discrete_variance(self.frequent.scale),
            fourth=noisy[4] * Law.LAPLACE.discrete_fourth(self.frequent.scale),
        )

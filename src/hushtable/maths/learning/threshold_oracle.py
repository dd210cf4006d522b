"""Threshold oracle: whether an answer is above a threshold, by one noisy answer for each question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import BadQuestion
from ...words import counted

__all__ = ["UNKNOWN", "ThresholdOracle", "labels"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# The label of a question whose answer is too near the threshold.
UNKNOWN = -1


def labels(noisy: Floats, threshold: float, tolerance: float) -> Integers:
    """1 where an answer is above the threshold by two thirds of the tolerance, 0 where it is so far below, else -1.

    Where no noise is above a third of the tolerance, what is 0 or 1 is true, also of a table whose answers are off by
    less than a third of it; and what is unknown is within the tolerance of the threshold   [Har11, Lemma 7.3.3]
    """
    far = 2 * tolerance / 3
    return np.where(noisy >= threshold + far, 1, np.where(noisy <= threshold - far, 0, UNKNOWN)).astype(np.int64)


@dataclass(eq=False)
class ThresholdOracle:
    """Figure 7.1, corrected: what is counted are different questions, and not calls.

    Its labels tell nothing that the noisy answer does not: whoever pays for them may publish the answer itself.

    answer     from a question to its noisy answer; asked once for each
    most       how many different questions it may be asked: the noise is that of so many
    tolerance  how near a threshold an answer has no label
    """

    answer: Callable[[Integers], float]
    most: int
    tolerance: float
    memo: dict[bytes, float] = field(default_factory=dict)

    @property
    def spent(self) -> int:
        """How many different questions were answered."""
        return len(self.memo)

    def noisy(self, question: Integers) -> float:
        """The noisy answer, always the same one; BadQuestion where it would be one too many, and nothing is spent."""
        key = np.ascontiguousarray(question, dtype=np.int64).tobytes()
        if key not in self.memo:
            if len(self.memo) >= self.most:
                raise BadQuestion(
                    f"the oracle answers {counted(self.most, 'different question')}, and all of them were asked; ask "
                    "one of these again, or buy more from the beginning"
                )
            self.memo[key] = float(self.answer(question))
        return self.memo[key]

    def label(self, question: Integers, threshold: float) -> int:
        """0, 1, or -1 where the answer is too near the threshold."""
        return int(labels(np.array([self.noisy(question)]), threshold, self.tolerance)[0])

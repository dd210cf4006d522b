"""Level fit: the best estimates of linear questions from noisy vectors in several levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["LevelFit"]

Floats = NDArray[np.float64]
# A question that is farther than this from what was released (of its own length) does not follow from it.
APART = 1e-7


@dataclass(frozen=True, eq=False)
class LevelFit:
    """Generalised least squares: of all unbiased combinations the one with the least noise."""

    vectors: Floats
    """All levels one below the other; each line without its mean where the number of rows is public."""
    means: Floats
    solver: Floats
    """From a question, without its mean, to the weights of all numbers."""
    covariance: Floats
    draws: Floats
    """Noise of all numbers, one line a draw."""
    added: bool
    """Whether the number of rows is private, and so among what is estimated."""

    @classmethod
    def of(
        cls, vectors: Sequence[NDArray[np.int64]], scales: Sequence[Fraction], draws: Floats, *, added: bool
    ) -> LevelFit:
        """From the matrices of all levels, their scales, and even draws of their noise for scale 1."""
        whole = np.concatenate(vectors).astype(np.float64)
        sizes = [len(matrix) for matrix in vectors]
        each = np.repeat([float(scale) for scale in scales], sizes)
        noise = draws * each
        covariance = np.zeros((len(whole), len(whole)))
        start = 0
        for size in sizes:
            mine = slice(start, start + size)
            covariance[mine, mine] = noise[:, mine].T @ noise[:, mine] / len(noise)
            start += size
        means = np.zeros(len(whole)) if added else whole.mean(axis=1)
        moved = whole - means[:, None]
        white = np.linalg.inv(np.linalg.cholesky(covariance))
        return cls(moved, means, np.linalg.pinv(white @ moved, rcond=1e-9) @ white, covariance, noise, added)

    def centred(self, values: Floats, rows: int | None) -> Floats:
        """The released numbers without what is known of them: their mean over all kinds of rows, times the rows."""
        return np.asarray(values - self.means * (rows or 0))

    def weights(self, question: Floats) -> Floats | None:
        """Weights of all numbers in the sum over rows of a question, then its mean; None where it does not follow."""
        mean = 0.0 if self.added else float(question.mean())
        rest = question - mean
        found = rest @ self.solver
        apart = np.linalg.norm(found @ self.vectors - rest)
        if apart > APART * max(float(np.linalg.norm(question)), 1e-300):
            return None
        return np.append(found, mean)

    def noise(self, weights: Floats) -> Floats:
        """Draws of the noise of questions, one a line of `weights`: one column each."""
        return np.asarray(self.draws @ np.atleast_2d(weights).T)

    def noise_moments(self, weights: Floats) -> tuple[float, float]:
        """Variance and fourth cumulant of the noise of one question."""
        variance = float(weights @ self.covariance @ weights)
        return variance, float((self.noise(weights) ** 4).mean()) - 3 * variance**2

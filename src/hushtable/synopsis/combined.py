"""Combined estimates: one analysis of several sets of synthetic rows, with a standard error that knows of the noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BadQuestion

__all__ = ["Combined", "combine"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Combined:
    """An estimate from several sets, or one for each coefficient, and its standard error."""

    estimate: Floats
    stderr: Floats
    freedom: int
    """Degrees of freedom of the standard error: one less than there are sets."""

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends, by Student's law."""
        from scipy.stats import t

        if not 0 < confidence < 1:
            raise BadQuestion(f"confidence must be between 0 and 1 (say 0.95), not {confidence:g}")
        half = float(t.ppf(0.5 + confidence / 2, self.freedom)) * self.stderr
        return self.estimate - half, self.estimate + half

    def __str__(self) -> str:
        pairs = zip(np.atleast_1d(self.estimate), np.atleast_1d(self.stderr), strict=True)
        return ", ".join(f"{value:.6g} (standard error {error:.3g})" for value, error in pairs)


def combine(estimates: ArrayLike, variances: ArrayLike) -> Combined:
    """The mean of the estimates of all sets, and its standard error as an estimate for the population.

    estimates  one a set, or one line a set with a number for each coefficient
    variances  their squared standard errors, as the analysis of a single set reports them

    Rubin's rules as they are here: sets are drawn by replicates, which differ by the noise of the release, and each
    set is a sample of its own. So the variance between sets b is that of noise and of sampling together, and that of
    the mean as an estimate is b (1 + 1 / m) [RagRR03]; never less than the sampling alone would make it.
    """
    found, inner = (np.asarray(given, dtype=np.float64) for given in (estimates, variances))
    if found.shape != inner.shape or found.ndim not in (1, 2) or len(found) < 2:
        raise BadQuestion(
            "estimates and variances are one number a set, or one line a set, for the same sets and at least two of "
            f"them; given were shapes {found.shape} and {inner.shape}"
        )
    if not np.isfinite(found).all() or not np.isfinite(inner).all() or (inner < 0).any():
        raise BadQuestion("estimates must be finite, and variances finite and at least 0; leave such sets out")
    between = np.maximum(found.var(axis=0, ddof=1), inner.mean(axis=0))
    return Combined(found.mean(axis=0), np.sqrt(between * (1 + 1 / len(found))), len(found) - 1)

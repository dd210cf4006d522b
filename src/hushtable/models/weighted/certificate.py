"""What certifies a weighted model: the last choice among its candidates, and which questions that speaks of."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...budget import Price
from ...errors import BadSynopsis
from ...laws import Law

__all__ = ["MISS", "Certificate", "Coverage", "certify", "largest_noise", "query_digest"]

Floats = NDArray[np.float64]
# The chance that a certificate does not hold: far below that of a 95% interval, so that it does not show in one.
MISS = 0.005


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """With probability `confidence` no candidate was farther than this from the hypothesis before the last round.

    The last choice was (nearly) the worst candidate, and was then measured: what the worst missed bounds what
    all others missed                                                 [exponential mechanism, McST07, Thm. 6]
    """

    apart: float
    """Rows: the sum of absolute differences over a table, or the difference of a query (over the grid)."""
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"apart": self.apart, "confidence": self.confidence}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Certificate:
        """The inverse of `to_dict`."""
        apart, confidence = given["apart"], given["confidence"]
        fine = all(isinstance(x, (int, float)) and math.isfinite(x) for x in (apart, confidence))
        if not fine or apart < 0 or not 0 < confidence < 1:
            raise BadSynopsis("the synopsis has a certificate that makes no sense")
        return cls(apart=float(apart), confidence=float(confidence))


def certify(
    apart: NDArray[np.int64], scale: Fraction, *, law: Law, select: Price, change: int, among: int, grid: int
) -> Certificate:
    """From the last choice, which was at most 2 D (ln K + ln 1/beta) / epsilon short of the worst, D its sensitivity.

    `apart` is what was measured less what was expected; `scale` that of its noise. The noise's own sum of
    absolute values is bounded by its quantile: Gamma for Laplace, sqrt(cells) x chi for Gaussian.
    """
    many, beta = len(apart), MISS / 3
    noise = largest_noise(scale, many, beta, law)
    epsilon = float(select.selection_epsilon)
    short = 2 * change * math.log(among / beta) / epsilon
    # Noise is on whole numbers and the reference was rounded: at most 1 and 1/2 more for each.
    total = float(np.abs(apart).sum()) + noise + short + 1.5 * many
    return Certificate(apart=total / grid, confidence=1 - MISS)


def largest_noise(scale: Fraction, many: int, beta: float, law: Law) -> float:
    """What the absolute noise of `many` numbers adds up to at most, but with probability beta."""
    if many == 1:
        return law.quantile(scale, 1 - beta / 2)
    from scipy.stats import chi2, gamma

    size = law.width(scale)
    if law == Law.LAPLACE:
        return size * float(gamma.isf(beta, many))
    return size * math.sqrt(many * float(chi2.isf(beta, many)))


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What the certificate speaks of: all tables or parities of at most `width` attributes, or listed queries."""

    kind: Literal["tables", "parities", "queries", "none"]
    width: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"kind": self.kind, "width": self.width}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Coverage:
        """The inverse of `to_dict`."""
        kind, width = given["kind"], given["width"]
        if kind not in ("tables", "parities", "queries", "none") or not isinstance(width, int) or width < 0:
            raise BadSynopsis("the synopsis says in no known way what its certificate covers")
        return cls(kind=kind, width=width)


def query_digest(positions: Sequence[int], function: Floats) -> int:
    """A number that stands for one query: 8 bytes of the SHA-256 of its attributes and weights."""
    data = np.asarray(positions, dtype=np.int64).tobytes() + np.asarray(function, dtype=np.float64).tobytes()
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big", signed=True)

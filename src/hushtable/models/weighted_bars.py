"""Error bars of a weighted model: from a measured table, from the certificate of the last choice, or none."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..budget import Price
from ..errors import BadSynopsis
from ..hypothesis import Factored
from ..hypothesis.measured import Measured
from ..interactions import Law

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["Bar", "Certificate", "Coverage", "bar", "certify", "query_digest"]

Floats = NDArray[np.float64]
Z = 1.96
# The chance that a certificate does not hold: far below that of a 95% interval, so that it does not show in one.
MISS = 0.005
# How many tables that hold the attributes of a question are looked at to find one that was a candidate.
MOST_TRIES = 1000


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
    apart: NDArray[np.int64], size: float, *, law: Law, select: Price, change: int, among: int, grid: int
) -> Certificate:
    """From the last choice, which was at most 2 D (ln K + ln 1/beta) / epsilon short of the worst, D its sensitivity.

    `apart` is what was measured less what was expected; `size` its noise scale (b or sigma). The noise's own sum of
    absolute values is bounded by its quantile: Gamma for Laplace, sqrt(cells) x chi for Gaussian.
    """
    many, beta = len(apart), MISS / 3
    noise = _noise_sum(size, many, beta, law)
    epsilon = float(select.amount) if select.currency == "pure" else math.sqrt(8 * float(select.amount))
    short = 2 * change * math.log(among / beta) / epsilon
    # Noise is on whole numbers and the reference was rounded: at most 1 and 1/2 more for each.
    total = float(np.abs(apart).sum()) + noise + short + 1.5 * many
    return Certificate(apart=total / grid, confidence=1 - MISS)


def _noise_sum(size: float, many: int, beta: float, law: Law) -> float:
    """What the absolute noise of `many` numbers adds up to at most, but with probability beta."""
    from scipy.stats import chi2, gamma

    if law == "laplace":
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


@dataclass(frozen=True)
class Bar:
    """The error of one answer and what it rests on."""

    stderr: float
    bias: float
    basis: Literal["measured", "certified", "guessed"]
    direct: float | None = None
    """The unbiased value, where the question was measured."""

    @property
    def reach(self) -> float:
        """About the half-width of a 95% interval."""
        return self.bias + Z * self.stderr


def bar(model: WeightedModel, positions: tuple[int, ...], function: Floats, value: float) -> Bar:
    """The best bar for the mean over rows of a function of these attributes; `value` is what the model says."""
    found = [_measured(model, item, positions, function, value) for item in model.measured]
    found.append(_certified(model, positions, function, value))
    known = [one for one in found if one is not None]
    low, high = float(function.min()), float(function.max())
    nothing = Bar(0.0, max(value - low, high - value), "guessed")
    best = min(known, key=lambda one: one.reach, default=nothing)
    return best if best.reach < nothing.bias else nothing


def _measured(
    model: WeightedModel, item: Measured, positions: tuple[int, ...], function: Floats, value: float
) -> Bar | None:
    """An interval around the model's value that holds the one around the unbiased value."""
    if item.function is not None:
        return _measured_query(model, item, positions, function, value)
    if not set(positions) <= set(item.positions):
        return None
    sizes = model.domain.sizes
    order = [positions.index(p) for p in item.positions if p in positions]
    shape = [sizes[p] if p in positions else 1 for p in item.positions]
    spread = np.broadcast_to(function.transpose(order).reshape(shape), [sizes[p] for p in item.positions]).ravel()
    rows = float(model.rows)
    direct = float(spread @ item.values) / rows
    variance = float(spread @ spread) * item.variance(model.law) + (direct * model.rows_stderr) ** 2
    return Bar(math.sqrt(variance) / rows, abs(value - direct), "measured", direct)


def _measured_query(
    model: WeightedModel, item: Measured, positions: tuple[int, ...], function: Floats, value: float
) -> Bar | None:
    """The same for a single query that was measured, if this is the very one."""
    assert item.function is not None
    if item.positions != positions or not np.array_equal(item.function, function.ravel() * model.grid):
        return None
    rows = float(model.rows * model.grid)
    direct = float(item.values[0]) / rows
    variance = item.variance(model.law) + (direct * model.grid * model.rows_stderr) ** 2
    return Bar(math.sqrt(variance) / rows, abs(value - direct), "measured", direct)


def query_digest(positions: Sequence[int], function: Floats) -> int:
    """A number that stands for one query: 8 bytes of the SHA-256 of its attributes and weights."""
    data = np.asarray(positions, dtype=np.int64).tobytes() + np.asarray(function, dtype=np.float64).tobytes()
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big", signed=True)


def _certified(model: WeightedModel, positions: tuple[int, ...], function: Floats, value: float) -> Bar | None:
    certificate, coverage = model.certificate, model.coverage
    if certificate is None or coverage.kind == "none" or len(positions) > (coverage.width or len(positions)):
        return None
    earlier = model.earlier
    moved = abs(value - float((earlier.table(positions) * function).sum()))
    uncounted = Z * model.rows_stderr / model.rows
    if coverage.kind == "parities":
        reach = _parity_reach(model, positions, function)
        return None if reach is None else Bar(0.0, moved + reach + uncounted, "certified")
    if coverage.kind == "queries":
        listed = query_digest(positions, function) in model.covered
        return Bar(0.0, moved + certificate.apart / model.rows + uncounted, "certified") if listed else None
    if not _was_candidate(model, positions):
        return None
    # Half of the absolute differences lie on either side, up to the rows that were miscounted.
    apart = certificate.apart / model.rows / 2 + uncounted
    return Bar(0.0, moved + float(function.max() - function.min()) * apart, "certified")


def _was_candidate(model: WeightedModel, positions: tuple[int, ...]) -> bool:
    """Whether some table with these attributes could be selected in the last round: small enough, not yet measured."""
    earlier = model.earlier
    taken = {frozenset(item.positions) for item in model.measured[:-1]}
    inside = {p for group in earlier.spanned(positions) for p in group.members}
    others = [p for p in range(len(earlier.sizes)) if p not in positions]
    others.sort(key=lambda p: (p not in inside, earlier.cells((p,))))
    fillers = combinations(others, model.coverage.width - len(positions))
    for more in islice(fillers, MOST_TRIES):
        whole = (*positions, *more)
        if frozenset(whole) not in taken and earlier.cells(whole) <= earlier.cap:
            return True
    return False


def _parity_reach(model: WeightedModel, positions: tuple[int, ...], function: Floats) -> float | None:
    """Sum over all parities of these attributes of |coefficient| x what is known about the parity.

    A parity measured before the last round was no candidate in it; its own measurement says how far off it was.
    """
    from ..hypothesis.kernels import walsh

    assert model.certificate is not None
    coefficients = function.astype(np.float64).ravel().copy()
    walsh(coefficients)
    coefficients /= len(coefficients)
    own = {frozenset(item.positions): item for item in model.measured[:-1]}
    reach, last = 0.0, len(positions) - 1
    for mask in range(1, len(coefficients)):
        members = tuple(p for i, p in enumerate(positions) if mask >> (last - i) & 1)
        item = own.get(frozenset(members))
        if item is not None:
            apart = abs(float(item.values[0]) - model.rows * _parity(model.earlier, members))
            size = float(item.scale) if model.law == "laplace" else math.sqrt(item.scale)
            apart += _noise_sum(size, 1, MISS / 3 / len(model.measured), model.law) + 1
        elif model.earlier.cells(members) <= model.earlier.cap:
            apart = model.certificate.apart
        else:
            return None
        reach += abs(float(coefficients[mask])) * apart / model.rows
    return reach


def _parity(hypothesis: Factored, members: tuple[int, ...]) -> float:
    table = hypothesis.table(members)
    for _ in members:
        table = table[0] - table[1]
    return float(table)

"""Optimality: how far the error of a plan is from the least that any mechanism of its kind can have."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...domain import Domain
from ...errors import BadPlan
from ...maths.geometry.hulls import hull_bound, spanned
from ...maths.geometry.lower_bounds import LeastError, gaussian_bound, marginals_spectrum, product_bound
from ...questions.workloads.base import Workload
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.means import Means
from .query_matrix import query_matrix

if TYPE_CHECKING:
    from ..plans import Plan

__all__ = ["Optimality", "optimality_of"]

# Lines of a matrix that are decomposed, and rank of a body that is looked at.
MOST_LINES, MOST_RANK = 2_000, 64


@dataclass(frozen=True, kw_only=True)
class Optimality:
    """A plan's error, and a bound that no mechanism of its kind goes below on every large table."""

    rms: float | None
    """Root of the total squared error of all queries, in rows; None where a plan forecasts no standard error."""
    lower_bound: float | None
    """The same of the best mechanism, at least; None where no certificate is known."""
    factor: float | None
    """The plan's error is at most so many times that of the best mechanism."""
    certificate: str
    """volume, facets, directions, determinant, gaussian-class, or none."""
    k: int
    """Dimension of what one row can change."""
    confidence: float
    """That the bound holds: below 1 where directions were drawn."""
    why_not: str = ""
    """Why there is no factor."""

    def to_dict(self) -> dict[str, Any]:
        """What `hush plan --json` prints."""
        return asdict(self)

    def __str__(self) -> str:
        if self.factor is None:
            return "no certificate of how near to the best this is" if self.lower_bound is None else self.why_not
        best = f"at most {self.factor:.3g} times the error of any"
        proof = f"certificate: {self.certificate}, k = {self.k}"
        if self.certificate == "gaussian-class":
            return f"{best} matrix mechanism with Gaussian noise ({proof})"
        sure = f", {self.confidence:.1%} sure" if self.confidence < 1 else ""
        return f"{best} epsilon-private mechanism ({proof}{sure}), for large tables at their worst"


def optimality_of(plan: Plan) -> Optimality:
    """The bound of a plan's workload, scaled to its price and unit, beside its forecast."""
    price = plan.design.price
    try:
        bound, queries = _bound(plan.workload, plan.domain, pure=price.currency == "pure")
    except BadPlan as error:
        return _without(str(error))
    scale = float(price.amount) if price.currency == "pure" else math.sqrt(price.amount)
    least = bound.rms * plan.domain.unit.rows / scale
    known: dict[str, Any] = {
        "lower_bound": least,
        "certificate": bound.certificate,
        "k": bound.k,
        "confidence": bound.confidence,
    }
    if not plan.by.unbiased:
        why = f"{plan.mechanism} forecasts no error that holds for every table, so there is none to compare"
        return Optimality(rms=None, factor=None, why_not=why, **known)
    rms = plan.design.error * math.sqrt(queries)
    if not least:
        why = "no row can change an answer, so all are exact"
        return Optimality(rms=rms, factor=None, why_not=why, **known)
    return Optimality(rms=rms, factor=rms / least, **known)


def _without(why: str) -> Optimality:
    return Optimality(rms=None, lower_bound=None, factor=None, certificate="none", k=0, confidence=0.0, why_not=why)


def _bound(workload: Workload, domain: Domain, *, pure: bool) -> tuple[LeastError, int]:
    """The bound for a price of 1, and how many queries it speaks of: those of the largest forecast."""
    added = domain.unit.private_rows
    if isinstance(workload, Means):
        return _of_means(workload, domain, pure=pure), len(workload.columns)
    if isinstance(workload, Marginals) and not pure:
        return _gaussian(domain.sizes, workload.width, added=added), _cells(domain.sizes, workload.width)
    if isinstance(workload, Marginals) and workload.width == 1:
        return product_bound(domain.sizes, added=added), sum(domain.sizes)
    matrix = query_matrix(workload, domain)
    weights = matrix.weights / matrix.grid
    if len(weights) > MOST_LINES:
        raise BadPlan(f"{workload} has {len(weights):,} queries and at most {MOST_LINES:,} are decomposed")
    if not pure:
        values = np.linalg.svd(weights - (0 if added else weights.mean(axis=1, keepdims=True)), compute_uv=False)
        logs = [(math.log(value), 1.0) for value in values if value > 1e-9 * max(values[0], 1e-300)]
        log_cells = math.log(weights.shape[1])
        return gaussian_bound(logs if added else [(-math.inf, 1.0), *logs], log_cells, added=added), len(weights)
    hull = spanned(weights, added=added)
    if hull.dimension > MOST_RANK:
        raise BadPlan(f"what one row can change has {hull.dimension:,} dimensions; at most {MOST_RANK} are looked at")
    return hull_bound(hull), len(weights)


def _gaussian(sizes: tuple[int, ...], width: int, *, added: bool) -> LeastError:
    log_cells = sum(math.log(size) for size in sizes)
    return gaussian_bound(marginals_spectrum(sizes, width), log_cells, added=added)


def _of_means(workload: Means, domain: Domain, *, pure: bool) -> LeastError:
    """Rows at the ends of all ranges are those of columns of two values: means are at least as hard as their shares.

    Each table has two cells of the same error, and a mean is one of them.
    """
    if domain.unit.private_rows or any(axis.optional for axis in workload.axes(domain)):
        raise BadPlan("a mean over a number of rows that is noisy too is no linear query")
    sizes = (2,) * len(workload.columns)
    both = product_bound(sizes, added=False) if pure else _gaussian(sizes, 1, added=False)
    return replace(both, rms=both.rms / math.sqrt(2))


def _cells(sizes: tuple[int, ...], width: int) -> int:
    from ...maths.interactions.layout import InteractionLayout

    return InteractionLayout.cells(sizes, width)

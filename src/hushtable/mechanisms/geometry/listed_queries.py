"""Listed queries by K-norm noise: a core of whole numbers that all follow from, its levels, and their error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan
from ...maths.geometry.bodies import Ints
from ...maths.geometry.cut_search import Thin, acceptance
from ...maths.geometry.level_fit import LevelFit
from ...maths.interactions.layout import InteractionLayout
from ...models.linear.cell_vectors import DRAW_UNIT, CellVectorsModel
from ...questions.workloads.base import Workload
from ...questions.workloads.linear_workload import linear_class_of
from ...questions.workloads.marginals import Marginals
from ...questions.workloads.parities import ParityQueries
from ...vault.door.noise import JointNoise
from ...vault.statistics.cell_vectors import CellVectors
from ..base import Design, Forecast, Mechanism
from .levels import Level, one_level, planned_levels, thesis_levels
from .query_matrix import QueryMatrix, query_matrix

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["CellDesign", "cell_design", "is_small", "release_cells"]

Floats = NDArray[np.float64]
# Dimensions beyond which no vector is found, and kinds of rows beyond which a search for cuts is too slow.
MOST_DIMENSION, MOST_ROWS = 24, 1_100
# Tries of a box that must hit the body at least so often: one release needs one hit.
TRIES, LEAST_HITS = 50_000, 5


# What the planner looks at by itself: plans of more take longer than a few seconds.
FEW_DIMENSIONS, FEW_ROWS, FEW_QUERIES = 10, 300, 1_000


# Of Laplace noise's error: a gain below is not worth a search.
WORTH = 0.95


class CellDesign(NamedTuple):
    """What is measured, its noise, and what the model keeps."""

    columns: tuple[int, ...]
    statistic: CellVectors
    noise: JointNoise
    draws: Ints


def is_small(workload: Workload, domain: Domain) -> bool:
    """Whether so few numbers tell all queries of a workload that a plan is quick."""
    if isinstance(workload, Marginals):
        small = InteractionLayout.count(domain.sizes, workload.width) - 1 <= FEW_DIMENSIONS
        return small and math.prod(domain.sizes) <= FEW_ROWS
    involved = linear_class_of(workload, domain)
    if len(involved) > FEW_QUERIES:
        return False
    try:
        weights = query_matrix(workload, domain).weights
    except BadPlan:
        return False
    return weights.shape[1] <= FEW_ROWS and bool(np.linalg.matrix_rank(weights - weights[:, :1]) <= FEW_DIMENSIONS)


def cell_design(
    by: Mechanism[Any], domain: Domain, workload: Workload, price: Price, levels: str, options: str
) -> Design[CellDesign]:
    """The best levels, or those asked for."""
    matrix, added = query_matrix(workload, domain), domain.unit.private_rows
    core = _core(_candidates(workload, domain, matrix, added=added), added=added)
    if len(core) > MOST_DIMENSION or core.shape[1] > MOST_ROWS:
        raise BadPlan(
            f"k-norm noise in {len(core)} dimensions for {core.shape[1]:,} kinds of rows; at most {MOST_DIMENSION} and "
            f"{MOST_ROWS:,} are tried"
        )
    try:
        chosen = _levels(core, matrix, levels, added=added)
        hits = min(acceptance(level.body, TRIES) * TRIES for level in chosen)
    except Thin:
        hits = 0.0
    if hits < LEAST_HITS:
        raise BadPlan(
            f"fewer than {LEAST_HITS} in {TRIES:,} tries would give a vector of k-norm noise in {len(core)} "
            "dimensions; Laplace noise is taken"
        )
    statistic = CellVectors(domain.sizes, matrix.columns, [level.vectors for level in chosen],
                            [level.body.cuts for level in chosen])  # fmt: skip
    noise = JointNoise.sharing(price, statistic, domain.unit, [level.share for level in chosen])
    draws = _noise_draws(chosen)
    fit = LevelFit.of(statistic.vectors, noise.per_group, draws / DRAW_UNIT, added=added)
    name = "level" if len(chosen) == 1 else "levels"
    sizes = ", ".join(str(len(level.vectors)) for level in chosen)
    queries = len(matrix.weights)
    return Design(
        by=by,
        options=options,
        summary=f"{queries:,} queries that follow from {len(core)} numbers, with K-norm noise in "
        f"{len(chosen)} {name} of {sizes} dimensions",
        price=price,
        numbers=sum(len(level.vectors) for level in chosen),
        parameters=CellDesign(matrix.columns, statistic, noise, draws),
        memory=200_000_000,
        forecasts=_forecasts(workload, domain, matrix, fit),
        work=1e6 * len(matrix.columns) * 4e-8,
        worth=WORTH,
        words=("width", "tables" if isinstance(workload, Marginals) else "queries", "typical cell", "worst question")
        if isinstance(workload, Marginals)
        else ("", "queries", "typical query", "worst query"),
    )


def _candidates(workload: Workload, domain: Domain, matrix: QueryMatrix, *, added: bool) -> Ints:
    """Whole-number queries that all others follow from: of two-valued columns how many rows are odd, else their own."""
    width = workload.width if isinstance(workload, Marginals) else 0
    lines = matrix.weights
    if width and set(matrix.sizes) == {2}:
        lines = query_matrix(ParityQueries(order=width), domain).weights
    return np.vstack([np.ones((1, lines.shape[1]), dtype=np.int64), lines]) if added else lines


def _core(lines: Ints, *, added: bool) -> Ints:
    """Lines that are independent and span all: the shortest first, so that the box around the body is small."""
    moved = lines.astype(np.float64) if added else lines - lines.mean(axis=1, keepdims=True)
    chosen: list[int] = []
    basis = np.zeros((0, lines.shape[1]))
    scale = max(float(np.abs(moved).max(initial=0.0)), 1e-300)
    order = np.argsort(np.linalg.norm(moved, axis=1), kind="stable")
    for i in [0, *order[order != 0]] if added else order:
        rest = moved[i] - basis.T @ (basis @ moved[i])
        rest -= basis.T @ (basis @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-9 * scale:
            basis = np.vstack([basis, rest / length])
            chosen.append(int(i))
        if len(chosen) > MOST_DIMENSION:
            break
    if not chosen:
        raise BadPlan("no row can change an answer of this workload, so there is nothing to release")
    return np.asarray(lines[chosen])


def _levels(core: Ints, matrix: QueryMatrix, levels: str, *, added: bool) -> list[Level]:
    if levels == "one":
        return one_level(core, added=added)
    moved = core.astype(np.float64) if added else core - core.mean(axis=1, keepdims=True)
    queries = matrix.weights / matrix.grid
    queries = queries if added else queries - queries.mean(axis=1, keepdims=True)
    lift = np.linalg.lstsq(moved.T, queries.T, rcond=None)[0].T
    return (thesis_levels if levels == "thesis" else planned_levels)(core, lift, added=added)


def _noise_draws(levels: list[Level]) -> Ints:
    """Noise of scale 1 of all levels, one line a draw: a radius of its own for each level."""
    source = np.random.default_rng(11)
    parts = []
    for level in levels:
        radii = source.gamma(level.body.dimension + 1, size=(len(level.drawn.points), 1))
        parts.append(source.permutation(level.drawn.points) * radii)
    return np.asarray(np.rint(np.hstack(parts) * DRAW_UNIT), dtype=np.int64)


def _forecasts(workload: Workload, domain: Domain, matrix: QueryMatrix, fit: LevelFit) -> tuple[Forecast, ...]:
    """Of tables up to the width of marginals, else of all queries; the worst of theirs."""
    if not isinstance(workload, Marginals):
        return (_forecast(matrix, fit, 1, len(matrix.weights)),)
    out = []
    for width in range(1, workload.width + 1):
        narrower = query_matrix(Marginals(width=width), domain)
        out.append(_forecast(narrower, fit, width, math.comb(len(domain.sizes), width)))
    return tuple(out)


def _forecast(matrix: QueryMatrix, fit: LevelFit, width: int, tables: int) -> Forecast:
    weights = np.array([fit.weights(line / matrix.grid) for line in matrix.weights])[:, :-1]
    variances = np.einsum("ij,jk,ik->i", weights, fit.covariance, weights)
    # A question about one table adds up some of its cells: no sum of them has more noise than all of their errors.
    cells = len(variances) / tables
    typical, worst = math.sqrt(float(variances.mean())), cells * math.sqrt(float(variances.max()))
    return Forecast(width=width, tables=tables, typical=typical, worst=worst)


def release_cells(door: Door, domain: Domain, design: Design[CellDesign]) -> CellVectorsModel:
    """One step of the door, one model."""
    columns, statistic, noise, draws = design.parameters
    seen = door.measure_jointly(statistic, noise)
    return CellVectorsModel(domain=domain, columns=columns, vectors=statistic.vectors, scales=noise.per_group,
                            values=seen.values, draws=draws, rows=seen.rows)  # fmt: skip

"""Hardt, Talwar (2010): on the geometry of differential privacy, as chapter 3 of Hardt's thesis has it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hushtable.maths.geometry.bodies import ProductBody
from hushtable.maths.geometry.column_groups import ColumnGroup, one_group, planned_groups
from hushtable.maths.geometry.cut_search import acceptance, cut_body, draw_body
from hushtable.maths.geometry.hulls import hull_bound, spanned
from hushtable.maths.geometry.lower_bounds import gaussian_bound, product_bound, tail_radius
from hushtable.maths.geometry.product_law import product_moments
from papers._paper import Measured, Row, axis, line, panels, select
from papers.hardt2010.bodies import (
    kept_error,
    long_body,
    pairs_of,
    parities_of,
    random_queries,
    smallest_error,
    walked_error,
)

__all__ = ["compute", "draw", "measure"]

# (1, 1e-6)-DP Gaussian noise over that of rho = 1/2.
GAUSSIAN = 4.2247
CUBES = (1, 2, 5, 10, 20, 50, 100)
FAR = (10, 50, 100, 200, 400, 600)
ONE_WAY = {
    "10 columns of 2": (2,) * 10,
    "5 columns of 5": (5,) * 5,
    "8 columns of 2 to 42": (2, 5, 6, 7, 9, 15, 16, 42),
    "10 of 2 and one of 50": (2,) * 10 + (50,),
}


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes fewer and smaller cases."""
    yield from cubes()
    yield from one_way()
    yield from figure_3_1(((6, 64), (8, 48)) if fast else ((6, 64), (8, 48), (16, 64), (16, 256), (16, 1024)))
    yield from structured((3,) if fast else (3, 4))
    yield from separation()
    yield from walks(((8, 16),) if fast else ((16, 32), (32, 64), (48, 96), (64, 128)), 60 if fast else 600)


def row(figure: str, method: str, quantity: str, value: float, **more: Any) -> Row:
    """A number of ours, unless said otherwise."""
    return Row(
        **({"figure": figure, "whose": "ours", "method": method, "quantity": quantity, "value": float(value)} | more)
    )


def cubes() -> Iterator[Row]:
    """Shares of d yes/no columns, rows replaced, epsilon 1: root of the total squared error."""
    for d in CUBES:
        yield row("cube", "Laplace", "rms", d * math.sqrt(2 * d), d=d, whose="naive")
        noise = math.sqrt(d * product_moments(ProductBody((2,) * d)).contrasts[0] / 2)
        yield row("cube", "K-norm", "rms", noise, d=d, whose="theirs")
        yield row("cube", "lower bound", "rms", product_bound((2,) * d, added=False).rms / math.sqrt(2), d=d)
        yield row("cube", "Gaussian, delta 1e-6", "rms", GAUSSIAN * d, d=d)


def one_way() -> Iterator[Row]:
    """All cells of the tables of single columns, rows replaced: one group of columns, planned ones, and other noise."""
    for name, sizes in ONE_WAY.items():
        # Each table pays for itself, of one of two cells alone where there are no more; moved to the number of rows.
        each = [4.0 if size == 2 else 8.0 * (size - 1) for size in sizes]
        laplace = sum(square ** (1 / 3) for square in each) ** 1.5
        yield row(name, "Laplace", "rms", laplace, d=sum(sizes) - len(sizes), whose="naive")
        for method, groups in (("one group", one_group(sizes)), ("K-norm", planned_groups(sizes, added=False))):
            yield row(name, method, "rms", _grouped_error(sizes, groups), d=sum(sizes) - len(sizes))
        yield row(name, "lower bound", "rms", product_bound(sizes, added=False).rms, d=sum(sizes) - len(sizes))
        gaussian = math.sqrt(2 * len(sizes) * (sum(sizes) - len(sizes)))
        yield row(name, "Gaussian, delta 1e-6", "rms", GAUSSIAN * gaussian, d=sum(sizes) - len(sizes))


def _grouped_error(sizes: tuple[int, ...], groups: Sequence[ColumnGroup]) -> float:
    total = 0.0
    for group in groups:
        body = ProductBody(tuple(sizes[p] for p in group.columns))
        contrasts = product_moments(body).contrasts
        total += sum(c * (s - 1) for c, s in zip(contrasts, body.sizes, strict=True)) / group.share**2
    return math.sqrt(total)


def figure_3_1(sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Random queries of +1 and -1, rows added or removed, epsilon 1."""
    for d, cells in sizes:
        rows = random_queries(d, cells)
        body = cut_body(rows, added=True)
        yield row("figure 3.1", "Laplace", "rms", d * math.sqrt(2 * d), d=d, n=cells, whose="naive")
        yield row("figure 3.1", "K-norm", "rms", smallest_error(rows, added=True, draws=4_000), d=d, n=cells)
        yield row("figure 3.1", "K-norm", "acceptance", acceptance(body), d=d, n=cells)
        yield row("figure 3.1", "Gaussian, delta 1e-6", "rms", GAUSSIAN * d, d=d, n=cells)
        found = hull_bound(spanned(rows.astype(np.float64), added=True))
        yield row("figure 3.1", "lower bound", "rms", found.rms, d=d, n=cells)
        points = draw_body(body, 4_000, 5).points
        planes = np.vstack([np.diag(1 / body.widths), body.cuts / body.bounds[:, None]])
        gauges = np.abs(points @ planes.T).max(axis=1)
        yield row("figure 3.1", "radius", "mean gauge / d", (d + 1) * gauges.mean() / d, d=d, n=cells)


def structured(columns: Sequence[int]) -> Iterator[Row]:
    """Tables of one and two yes/no columns, and a long body: one level, the printed levels, planned ones."""
    for count in columns:
        rows, queries = parities_of(count), pairs_of(count)
        moved = rows - rows.mean(axis=1, keepdims=True)
        lift = np.linalg.lstsq(moved.T, (queries - queries.mean(axis=1, keepdims=True)).T, rcond=None)[0].T
        name = f"1+2-way of {count}"
        for way in ("one", "thesis", "planned"):
            yield row(name, way, "rms", kept_error(rows, lift, way, added=False), d=len(rows))
        yield row(name, "lower bound", "rms", hull_bound(spanned(queries, added=False)).rms, d=len(rows))
        yield row(name, "identity", "rms", _identity(queries), d=len(rows), whose="naive")
        yield row(name, "Gaussian, delta 1e-6, at least", "rms", GAUSSIAN * _least_gaussian(queries), d=len(rows))
    rows = long_body()
    for way in ("one", "thesis", "planned"):
        yield row("long body", way, "rms", kept_error(rows, np.eye(len(rows)), way, added=True), d=len(rows))


def _identity(queries: np.ndarray[Any, Any]) -> float:
    """Laplace noise of scale 2 on every cell of the whole table, with the public number of rows taken out."""
    moved = queries - queries.mean(axis=1, keepdims=True)
    return math.sqrt(8 * float((moved**2).sum()))


def _least_gaussian(queries: np.ndarray[Any, Any]) -> float:
    """No matrix mechanism with Gaussian noise of rho = 1/2 is below."""
    values = np.linalg.svd(queries - queries.mean(axis=1, keepdims=True), compute_uv=False)
    logs = [(-math.inf, 1.0), *((math.log(value), 1.0) for value in values if value > 1e-9)]
    return gaussian_bound(logs, math.log(queries.shape[1]), added=False).rms * math.sqrt(2)


def separation() -> Iterator[Row]:
    """3.4.1: what no pure mechanism can go below, and what Gaussian noise with a delta has, on cubes."""
    for d in FAR:
        least = product_bound((2,) * d, added=False).rms / math.sqrt(2)
        yield row("separation", "least of any pure epsilon", "rms", least, d=d)
        yield row("separation", "Gaussian, delta 1e-6", "rms", GAUSSIAN * d, d=d)


def walks(sizes: Sequence[tuple[int, int]], steps: int) -> Iterator[Row]:
    """Not private: 3.7's walk as a simulation, where no exact vector is found any more."""
    for d, cells in sizes:
        yield row("walk", "not private: random walk", "rms", walked_error(d, cells, steps), d=d, n=cells)
        yield row("walk", "Laplace", "rms", d * math.sqrt(2 * d), d=d, n=cells, whose="naive")


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim."""

    def value(figure: str, method: str, quantity: str = "rms", **more: Any) -> float:
        return select(rows, figure=figure, method=method, quantity=quantity, **more)[0].value

    figures = {r.figure for r in rows}
    shapes = [
        r.value / (r.d * math.sqrt(math.log(r.n / r.d)))
        for r in select(rows, figure="figure 3.1", method="K-norm", quantity="rms")
        if r.d and r.n and r.n >= 6 * r.d
    ]
    gauges = [r.value for r in select(rows, figure="figure 3.1", quantity="mean gauge / d")]
    pairs = sorted(name for name in figures if name.startswith("1+2-way"))
    planned = max(value(name, "planned") / value(name, "one") for name in (*pairs, "long body"))
    walk = select(rows, figure="walk", method="not private: random walk")[-1]
    beaten = [d for d in CUBES if value("cube", "K-norm", d=d) <= value("cube", "Gaussian, delta 1e-6", d=d)]
    crossing = [d for d in FAR if value("separation", "least of any pure epsilon", d=d) > GAUSSIAN * d]
    k = 10
    ours = value("cube", "lower bound", d=k)
    packed = k / 32 * tail_radius(0.0, k) / math.exp(math.lgamma(k + 1) / k) * 2
    return {
        "k-norm-cube": Measured(value("cube", "K-norm", d=10), "root of d (d+1) (d+2) / 3"),
        "laplace-cube": Measured(value("cube", "Laplace", d=10), "d sqrt(2 d)"),
        "laplace-optimal": Measured(
            value("cube", "Laplace", d=100) / value("cube", "K-norm", d=100), "Laplace over K-norm, d = 100"
        ),
        "one-way": Measured(
            value("8 columns of 2 to 42", "K-norm") / value("8 columns of 2 to 42", "Laplace"), "planned over Laplace"
        ),
        "gauge": Measured(max(gauges, key=lambda g: abs(g - 1)), "mean gauge of the noise over d, farthest from 1"),
        "shape": Measured(max(shapes), f"largest of {len(shapes)}; smallest {min(shapes):.3g}"),
        "lower-bound": Measured(ours / packed, "our bound over one with the constant 1/32, cube of 10"),
        "nikm-levels": Measured(float(math.floor(math.log2(1)) + 1), "levels at d = 1"),
        "nikm-printed": Measured(
            min(value(name, "thesis") / value(name, "one") for name in pairs), "printed levels over one level"
        ),
        "planned": Measured(planned, "planned levels over one level, the worst case"),
        "long-body": Measured(
            value("long body", "planned") / value("long body", "thesis"), "planned over printed levels, a long body"
        ),
        "pure-beats-delta": Measured(float(max(beaten)), "largest cube where K-norm is below Gaussian noise"),
        "separation": Measured(
            float(min(crossing)) if crossing else None, "first cube where no pure mechanism reaches Gaussian noise"
        ),
        "walk": Measured(
            walk.value / (walk.d or 1) / math.sqrt(2 * (walk.d or 1)), f"not private: a walk over Laplace, d = {walk.d}"
        ),
    }


def draw(rows: Sequence[Row]) -> Any:
    """Five panels."""
    titles = (
        "1. Shares of d yes/no columns (cube)",
        "2. Random queries (figure 3.1)",
        "3. Levels: one, printed, planned",
        "4. Pure against approximate (3.4.1)",
        "5. Not private: a walk where exact draws end",
    )
    figure, axes = panels(2, 3, titles)
    ax = next(axes)
    for method in ("Laplace", "K-norm", "lower bound", "Gaussian, delta 1e-6"):
        line(ax, select(rows, figure="cube", method=method), "d", method, marker="o")
    axis(ax, "d", "root of total squared error", log="xy")
    ax = next(axes)
    for method in ("Laplace", "K-norm", "lower bound"):
        shown = select(rows, figure="figure 3.1", method=method, quantity="rms")
        ax.plot([f"{r.d}, {r.n}" for r in shown], [r.value for r in shown], "o-", label=method, markersize=4)
    axis(ax, "queries, cells", "root of total squared error")
    ax = next(axes)
    names = [name for name in dict.fromkeys(r.figure for r in rows) if name.startswith("1+2") or name == "long body"]
    for offset, way in enumerate(("one", "thesis", "planned")):
        heights = [select(rows, figure=name, method=way)[0].value for name in names]
        ax.bar(np.arange(len(names)) + 0.27 * offset, heights, width=0.25, label=way)
    ax.set_xticks(np.arange(len(names)) + 0.27, names, fontsize=8)
    axis(ax, "", "root of total squared error")
    ax = next(axes)
    for method in ("least of any pure epsilon", "Gaussian, delta 1e-6"):
        line(ax, select(rows, figure="separation", method=method), "d", method, marker="o")
    axis(ax, "d", "root of total squared error", log="xy")
    ax = next(axes)
    for method in ("not private: random walk", "Laplace"):
        line(ax, select(rows, figure="walk", method=method), "d", method, marker="o")
    axis(ax, "d", "root of total squared error")
    return figure

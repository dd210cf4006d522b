"""Hardt, Talwar (2010): on the geometry of differential privacy, as chapter 3 of Hardt's thesis has it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import hushtable as ht
from hushtable.maths.geometry.bodies import ProductBody
from hushtable.maths.geometry.column_groups import ColumnGroup, one_group, planned_groups
from hushtable.maths.geometry.cut_search import acceptance, cut_body, draw_body
from hushtable.maths.geometry.hulls import hull_bound, spanned
from hushtable.maths.geometry.lower_bounds import gaussian_bound, product_bound, tail_radius
from hushtable.maths.geometry.product_law import product_moments
from hushtable.mechanisms.geometry.levels import thesis_levels
from papers._paper import Measured, Row, axis, line, panels, select, slope
from papers.hardt2010.bodies import (
    kept_error,
    long_body,
    pairs_of,
    parities_of,
    printed_example,
    random_queries,
    smallest_error,
    walked_error,
)

__all__ = ["compute", "draw", "measure"]

# (1, 1e-6)-DP Gaussian noise over the largest change of a row, by the exact curve.
GAUSSIAN = 1 / math.sqrt(2 * float(ht.Budget(epsilon=1, delta="1e-6").price_in("gdp").amount))
CUBES = (1, 2, 5, 10, 20, 50, 100)
FAR = (10, 50, 100, 200, 400, 600)
WALK = "not private: random walk"
# Random queries and cells; where exact draws and a walk are compared.
RANDOM = ((6, 64), (8, 48), (16, 64), (16, 256), (16, 1024))
QUICK = ((6, 64), (8, 48), (16, 256))
COMPARED = (8, 48)
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
    yield from figure_3_1(QUICK if fast else RANDOM)
    yield from structured((3,) if fast else (3, 4))
    yield from examples((4, 12) if fast else (4, 6, 8, 12))
    yield from separation()
    yield from walks((COMPARED,), 300 if fast else 600)
    yield from walks(((16, 32),) if fast else ((16, 32), (32, 64), (48, 96), (64, 128)), 60 if fast else 600)


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
        # Each of d answers has noise whose scale is the most that one row moves all of them by.
        laplace = math.sqrt(2 * d) * float(np.abs(rows).sum(axis=0).max())
        yield row("figure 3.1", "Laplace", "rms", laplace, d=d, n=cells, whose="theirs")
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
        yield from _levels(name, rows, lift, added=False)
        yield row(name, "lower bound", "rms", hull_bound(spanned(queries, added=False)).rms, d=len(rows))
        yield row(name, "identity", "rms", _identity(queries), d=len(rows), whose="naive")
        yield row(name, "Gaussian, delta 1e-6, at least", "rms", GAUSSIAN * _least_gaussian(queries), d=len(rows))
    rows = long_body()
    for way in ("one", "thesis", "planned"):
        yield row("long body", way, "rms", kept_error(rows, np.eye(len(rows)), way, added=True), d=len(rows))


def examples(sizes: Sequence[int]) -> Iterator[Row]:
    """The example of 3.6: one level, the printed levels, and the larger of two lower bounds."""
    for d in sizes:
        rows = printed_example(d)
        for way in ("one", "thesis"):
            yield row("example", way, "rms", kept_error(rows, np.eye(d), way, added=True), d=d, whose="theirs")
        yield from _levels("example", rows, np.eye(d), added=True)
        bodies = (rows.astype(np.float64), rows[:1].astype(np.float64))
        least = max(hull_bound(spanned(one, added=True)).rms for one in bodies)
        yield row("example", "lower bound", "rms", least, d=d)


def _levels(name: str, rows: np.ndarray[Any, Any], lift: np.ndarray[Any, Any], *, added: bool) -> Iterator[Row]:
    """How often halving takes epsilon."""
    levels = len(thesis_levels(rows, lift, added=added))
    yield row(name, "thesis", "levels", levels, d=len(rows), whose="theirs")


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
        yield row("walk", WALK, "rms", walked_error(d, cells, steps), d=d, n=cells)
        yield row("walk", "Laplace", "rms", d * math.sqrt(2 * d), d=d, n=cells, whose="naive")


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim."""
    return _noise(rows) | _bounds(rows) | _halving(rows) | _ours(rows)


def _value(rows: Sequence[Row], figure: str, method: str, quantity: str = "rms", **more: Any) -> float:
    return select(rows, figure=figure, method=method, quantity=quantity, **more)[0].value


def _noise(rows: Sequence[Row]) -> dict[str, Measured]:
    """Of the mechanism itself, and of Laplace noise."""
    random = select(rows, figure="figure 3.1", quantity="rms")
    laplace, norm = ([r for r in random if r.method == method] for method in ("Laplace", "K-norm"))
    gauges = [r.value for r in select(rows, figure="figure 3.1", quantity="mean gauge / d")]
    rate = slope([(r.d or 1) * math.sqrt(math.log((r.n or 1) / (r.d or 1))) for r in norm], [r.value for r in norm])
    walk = _value(rows, "walk", WALK, d=COMPARED[0]) / _value(rows, "figure 3.1", "K-norm", d=COMPARED[0])
    last = select(rows, figure="walk", method=WALK)[-1]
    return {
        "k-norm-cube": Measured(_value(rows, "cube", "K-norm", d=10), "by the moments that a release uses"),
        "laplace": Measured(slope([r.d or 1 for r in laplace], [r.value for r in laplace]), f"{len(laplace)} tables"),
        "gauge": Measured(max(gauges, key=lambda g: abs(g - 1)), "mean gauge of the noise over d, farthest from 1"),
        "shape": Measured(rate, f"{len(norm)} pairs of d and N"),
        "walk-same": Measured(walk, "not private: d = {}, N = {}".format(*COMPARED)),
        "walk": Measured(last.value / (last.d or 1) / math.sqrt(2 * (last.d or 1)), f"not private: d = {last.d}"),
    }


def _bounds(rows: Sequence[Row]) -> dict[str, Measured]:
    """What no mechanism goes below, on cubes."""
    shares = {d: d * _cube_radius(d) / 32 / _value(rows, "cube", "K-norm", d=d) for d in CUBES}
    laplace = [_value(rows, "cube", "Laplace", d=d) / (d * _cube_radius(d)) for d in CUBES if d >= 10]
    ours = _value(rows, "cube", "lower bound", d=10) / (10 * _cube_radius(10) / 32)
    gaps = {
        d: _value(rows, "separation", "least of any pure epsilon", d=d)
        / _value(rows, "separation", "Gaussian, delta 1e-6", d=d)
        for d in FAR
    }
    wide = [d for d in FAR if d >= 100]
    crossing = [d for d in FAR if gaps[d] > 1]
    beaten = [
        d for d in CUBES if _value(rows, "cube", "K-norm", d=d) <= _value(rows, "cube", "Gaussian, delta 1e-6", d=d)
    ]
    return {
        "packing": Measured(max(shares.values()), f"cubes of {CUBES[0]} to {CUBES[-1]}"),
        "lower-bound": Measured(ours, "cube of 10"),
        "laplace-optimal": Measured(
            slope([d for d in CUBES if d >= 10], laplace), f"ratios {laplace[0]:.3g} to {laplace[-1]:.3g}"
        ),
        "laplace-factor": Measured(
            _value(rows, "cube", "Laplace", d=100) / _value(rows, "cube", "K-norm", d=100), "d = 100"
        ),
        "separation": Measured(slope(wide, [gaps[d] for d in wide]), f"d = {wide[0]} to {wide[-1]}"),
        "crossing": Measured(float(min(crossing)) if crossing else None, "of those tried"),
        "pure-beats-delta": Measured(float(max(beaten)), "of those tried"),
    }


def _cube_radius(d: int) -> float:
    """vr of [-1, 1]^d: what one replaced row may change d yes/no shares by."""
    return 2 * tail_radius(0.0, d) / math.exp(math.lgamma(d + 1) / d)


def _halving(rows: Sequence[Row]) -> dict[str, Measured]:
    """The recursive mechanism as printed."""
    levels = select(rows, quantity="levels")
    printed = [r.value / math.log2(r.d or 1) for r in levels]
    mended = [r.value / (math.floor(math.log2(r.d or 1)) + 1) for r in levels]
    sizes = sorted({r.d or 1 for r in select(rows, figure="example")})
    gains = {d: _value(rows, "example", "thesis", d=d) / _value(rows, "example", "one", d=d) for d in sizes}
    near = [
        _value(rows, "example", "thesis", d=d) / _value(rows, "example", "lower bound", d=d) / math.log2(d) ** 1.5
        for d in sizes
    ]
    shown = ", ".join(f"d = {d}: {gain:.3g}" for d, gain in gains.items())
    return {
        "nikm-levels": Measured(max(printed), f"{len(levels)} bodies"),
        "nikm-mended": Measured(max(mended, key=lambda share: abs(share - 1)), f"{len(levels)} bodies"),
        "nikm-example": Measured(gains[sizes[-1]], shown),
        "nikm-near": Measured(near[-1] / near[0], f"d = {sizes[0]} to {sizes[-1]}"),
    }


def _ours(rows: Sequence[Row]) -> dict[str, Measured]:
    """Levels and groups of columns as this library plans them."""
    pairs = sorted({r.figure for r in rows if r.figure.startswith("1+2-way")})
    columns, long = "8 columns of 2 to 42", "long body"
    planned = max(_value(rows, name, "planned") / _value(rows, name, "one") for name in (*pairs, long))
    printed = min(_value(rows, name, "thesis") / _value(rows, name, "one") for name in pairs)
    return {
        "nikm-printed": Measured(printed, "the best of these tables"),
        "planned": Measured(planned, "the worst case"),
        "long-body": Measured(_value(rows, long, "planned") / _value(rows, long, "thesis"), long),
        "one-way": Measured(_value(rows, columns, "K-norm") / _value(rows, columns, "Laplace"), columns),
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
    for method in (WALK, "Laplace"):
        line(ax, select(rows, figure="walk", method=method), "d", method, marker="o")
    axis(ax, "d", "root of total squared error")
    return figure

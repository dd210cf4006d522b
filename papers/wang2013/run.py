"""Wang, Fan, Zhang, Wang (2013): error of the mean of smooth functions against rows, theirs and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

from benchmarks._smooth import SIMULATED, questions, simulated
from hushtable.budget import Budget
from hushtable.maths.smooth.asked_function import ExpressionTarget
from hushtable.maths.smooth.axes import Axis
from hushtable.maths.smooth.basis import Basis
from hushtable.maths.smooth.chebyshev import ChebyshevBasis, chebyshev_basis, decaying, spread_squared
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.maths.smooth.splines import spline_basis
from hushtable.mechanisms.published.smooth_paper import published_degrees
from papers._paper import Measured, Row, axis, line, panels, select, slope
from papers.wang2013.times import lemma, times

__all__ = ["compute", "draw", "measure"]

EPSILON = 1.0
RHO = float(Budget(epsilon=1, delta="1e-9").price.amount)
KINK = 0.3
# Worst errors are looked at on these points, many of them where a function has its kink.
FINE = np.concatenate([np.cos(np.linspace(0, np.pi, 2001)), np.linspace(KINK - 0.02, KINK + 0.02, 2001)])
DEGREES = (3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512)
SIZES = (6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048)
ROWS = [10.0**e for e in range(3, 10)]
Function = Callable[[np.ndarray], np.ndarray]
# Table 1's classes: columns, smoothness, the function of one column whose product over the columns is asked, and the
# largest n at which the best t and g are still among those tried; the published t is small at every n.
CLASSES: dict[str, tuple[int, int, Function, float]] = {
    "d=1, K=1": (1, 1, lambda x: np.abs(x - KINK), 1e5),
    "d=1, K=2": (1, 2, lambda x: (x - KINK) * np.abs(x - KINK), 1e6),
    "d=2, K=1": (2, 1, lambda x: np.abs(x - KINK), 1e6),
    "d=2, K=4": (2, 4, lambda x: (x - KINK) ** 3 * np.abs(x - KINK), 1e9),
    "d=1, K=8": (1, 8, lambda x: np.exp(-0.5 * ((x - KINK) / 0.3) ** 2), 1e9),
}
# Where the rule's t is large enough for its operator to be near: no table has so many rows, but a formula may.
FAR = {"d=2, K=4": (15, 21), "d=1, K=8": (21, 25)}


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` asks fewer questions."""
    for name in CLASSES:
        yield from rates(name)
    for name, powers in FAR.items():
        yield from far_rates(name, powers)
    yield from times(fast=fast)
    yield from lemma()
    yield from sensitivity()
    yield from operators()
    for d, count in ((2, 40 if fast else 200), (3, 20 if fast else 80)):
        yield from table(d, count)


def worst(basis: Basis, function: Function, d: int) -> tuple[float, np.ndarray]:
    """Largest error of the product of one function over d columns, and the coefficients of one column."""
    fitted = basis.project @ function(basis.points)
    return distance(function(FINE), basis.at(FINE) @ fitted, d), fitted


def distance(true: np.ndarray, near: np.ndarray, d: int) -> float:
    """The largest distance between the products over d columns of a function and of what stands for it."""
    if d == 1:
        return float(np.abs(true - near).max())
    some = slice(None, None, 5)
    return float(np.abs(np.outer(true[some], true[some]) - np.outer(near[some], near[some])).max())


@cache
def spline(size: int, name: str) -> tuple[float, np.ndarray]:
    """The same for splines; their equations are solved without the dense matrices that questions keep."""
    d, _, function, _ = CLASSES[name]
    step, pieces = 2 / (size - 3), spline_pieces(size)
    u = (1 - np.cos((np.arange(5) + 0.5) * np.pi / 5)) / 2
    matrix, right = np.zeros((size, size)), np.zeros(size)
    for span in range(size - 3):
        four = u[:, None] ** np.arange(4) @ pieces[span].T
        matrix[span : span + 4, span : span + 4] += four.T @ four
        right[span : span + 4] += four.T @ function(-1 + step * (span + u))
    fitted = np.linalg.solve(matrix, right)
    place = np.clip((FINE + 1) / step, 0, size - 3)
    spans = np.minimum(place.astype(int), size - 4)
    four = np.einsum("ijk,ik->ij", pieces[spans], (place - spans)[:, None] ** np.arange(4))
    near = (four * fitted[spans[:, None] + np.arange(4)]).sum(axis=1)
    return distance(function(FINE), near, d), fitted


@cache
def spline_pieces(size: int) -> np.ndarray:
    """Pieces of B-splines: those of a small basis at the ends, and the same one everywhere between."""
    small = spline_basis(12).pieces
    inner = np.repeat(small[4:5], size - 3, axis=0)
    if size < 12:
        return spline_basis(size).pieces
    inner[:4], inner[-4:] = small[:4], small[-4:]
    return inner


def without_constant(coefficients: np.ndarray, d: int) -> float:
    """Length of the product's coefficients, the constant left out."""
    whole = float((coefficients**2).sum()) ** d
    return sqrt(max(whole - float(coefficients[0]) ** (2 * d), 0.0))


@cache
def polynomial(t: int, smoothness: int | None) -> ChebyshevBasis:
    """The basis of one column, kept because many classes use it."""
    return ChebyshevBasis(t, 1, smoothness)


def rates(name: str) -> Iterator[Row]:
    """Worst bias and one standard error against n: as published, and with the best size for each noise."""
    d, k, function, largest = CLASSES[name]
    tried = [(t, *worst(polynomial(t, None), function, d)) for t in DEGREES]
    for n in ROWS:
        t = published_degrees(int(n), EPSILON, d, k)
        bias, c = worst(polynomial(t, k), function, d)
        values = {"as published": bias + laplace(t, d, n) * without_constant(c, d)}
        if n <= largest:
            values["best t, Laplace"] = min(b + laplace(t, d, n) * without_constant(c, d) for t, b, c in tried)
            values["best t, Gaussian"] = min(b + gaussian(t, d, n) * without_constant(c, d) for t, b, c in tried)
            values["best g, splines"] = min(spline_error(g, name, n) for g in SIZES)
        for method, value in values.items():
            whose = "theirs" if method == "as published" else "ours"
            yield Row(figure=name, whose=whose, method=method, quantity="error", value=value, d=d, k=k, n=int(n))


def far_rates(name: str, powers: tuple[int, int]) -> Iterator[Row]:
    """The published mechanism's worst bias and one standard error at more rows than there are anywhere."""
    d, k, function, _ = CLASSES[name]
    for e in range(powers[0], powers[1] + 1):
        t = published_degrees(10**e, EPSILON, d, k)
        bias, c = worst(polynomial(t, k), function, d)
        value = bias + laplace(t, d, 10.0**e) * without_constant(c, d)
        place = {"figure": f"far, {name}", "whose": "theirs", "method": "as published", "d": d, "k": k, "t": t}
        yield Row(quantity="error", value=value, n=10**e, **place)


def laplace(t: int, d: int, n: float) -> float:
    """Standard error of one published average at its corrected scale, sqrt(2 N (N-1)) / (n epsilon) for N = t^d."""
    return sqrt(2) * sqrt(2 * t**d * (t**d - 1)) / (n * EPSILON)


def gaussian(t: int, d: int, n: float) -> float:
    """... with Gaussian noise at (1, 1e-9): the squared sensitivity is 2 t^d."""
    return sqrt(2 * t**d) / (n * sqrt(2 * RHO))


def spline_error(size: int, name: str, n: float) -> float:
    """Worst bias and one standard error of splines with Laplace noise."""
    d = CLASSES[name][0]
    bias, a = spline(size, name)
    spread = float((a**2).sum()) ** d - float(a.sum()) ** (2 * d) / size**d
    return bias + 2 * sqrt(2) / (n * EPSILON) * sqrt(max(spread, 0.0))


def sensitivity() -> Iterator[Row]:
    """The largest total change of the t averages of one column when a row is replaced, as a multiple of t."""
    for t in (3, 4, 6, 8, 11, 16, 23, 32, 45, 64):
        values = polynomial(t, None).at(np.cos(np.linspace(0, np.pi, 1501)))
        # One of the two rows is at an end of the range: the largest pairs found by a search over all of them are.
        change = max(float(np.abs(values - values[end]).sum(axis=1).max()) for end in (0, -1))
        yield Row(
            figure="scale", whose="ours", method="largest change", quantity="multiple of t/n", value=change / t, t=t
        )


def operators() -> Iterator[Row]:
    """Worst error of a narrow bump, and largest coefficients of a kink, against t."""

    def bump(x: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * ((x - 0.1) / 0.1) ** 2)

    for t in (12, 16, 24, 32, 48, 64):
        for method, smoothness in (("Jackson, K = 1", 1), ("Jackson, K = 2", 2), ("projection", None)):
            value, _ = worst(polynomial(t, smoothness), bump, 1)
            whose = "ours" if smoothness is None else "theirs"
            yield Row(figure="operator", whose=whose, method=method, quantity="worst error", value=value, t=t)
    for t in (4, 16, 64, 256):
        far, c = worst(polynomial(t, 1), CLASSES["d=1, K=1"][2], 1)
        share = float(np.abs(c).max()) / (2 * (1 + KINK))
        place = {"whose": "theirs", "method": "Jackson, K = 1", "t": t}
        yield Row(figure="coefficients", quantity="share", value=share, **place)
        yield Row(figure="rate", quantity="worst error", value=far, **place)


def table(d: int, count: int) -> Iterator[Row]:
    """Root mean square error over questions on the simulated table: noise by formula, bias on the rows themselves."""
    names = list(SIMULATED)[:d]
    axes = [Axis(name, *SIMULATED[name]) for name in names]
    rows = simulated()
    x = [one.scaled(rows[one.name]) for one in axes]
    n = len(x[0])
    bounds = {name: SIMULATED[name] for name in names}
    asked = [ExpressionTarget(parse_expression(q.text, names)) for q in questions(bounds, count, 1)]
    inside = {a.name: rows[a.name].clip(a.low, a.high) for a in axes}
    t = published_degrees(n, EPSILON, d, 2)
    best_t, tau = (32, 3.0) if d == 2 else (20, 1.75)
    weights = decaying(best_t, d, tau)
    weights[(0,) * d] = 0.0
    reach = sqrt(spread_squared(weights, grid=8 * best_t) / (2 * RHO)) / n
    weights[(0,) * d] = np.inf
    noise: dict[str, tuple[str, Basis, Callable[[np.ndarray], float]]] = {
        "as published (2 t^d, Jackson)": (
            "theirs", chebyshev_basis(t, d, 2), lambda c: sqrt(2) * 2 * t**d / (n * EPSILON) * _length(c)),
        "published t, projection": (
            "ours", chebyshev_basis(t, d), lambda c: laplace(t, d, n) * _length(c)),
        "splines, epsilon = 1": (
            "ours", spline_basis(28 if d == 2 else 16), lambda a: 2 * sqrt(2) / (n * EPSILON) * sqrt(a.size) * a.std()),
        "weighted Chebyshev, (1, 1e-9)": (
            "ours", chebyshev_basis(best_t, d), lambda c: reach * sqrt(float((c**2 / weights).sum()))),
    }  # fmt: skip
    for method, (whose, basis, stderr) in noise.items():
        moments = _moments(basis, x)
        squares = []
        for target in asked:
            fitted = basis.fit(target.values(axes, basis.points))
            true = float(np.mean(evaluate(target.expression, inside)))
            bias = float((fitted * moments).sum()) - true
            squares.append(stderr(fitted) ** 2 + bias**2)
        error = sqrt(sum(squares) / len(squares))
        yield Row(figure="table", whose=whose, method=method, quantity="RMSE", value=error, d=d, n=n)


def _length(coefficients: np.ndarray) -> float:
    return sqrt(max(float((coefficients**2).sum()) - float(coefficients.flat[0]) ** 2, 0.0))


def _moments(basis: Basis, x: Sequence[np.ndarray]) -> np.ndarray:
    """The means over rows of all products of basis functions."""
    total: np.ndarray | float = 0.0
    for start in range(0, len(x[0]), 5000):
        parts = [basis.at(column[start : start + 5000]) for column in x]
        total = total + np.einsum("ri,rj->ij" if len(x) == 2 else "ri,rj,rk->ijk", *parts, optimize=True)
    return np.asarray(total) / len(x[0])


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone."""

    def fall(name: str, method: str) -> Measured:
        found = select(rows, figure=name, method=method)
        exponent = slope([row.n for row in found], [row.value for row in found])
        return Measured(
            exponent, f"n = {found[0].n:.0e} to {found[-1].n:.0e}, errors {found[0].value:.2g} to {found[-1].value:.2g}"
        )

    def grows(name: str, method: str) -> Measured:
        found = select(rows, figure=name, method=method)
        exponent = slope([row.n for row in found], [row.value for row in found])
        return Measured(exponent, f"t = {found[0].t} to {found[-1].t}, n = t^(2d + K) up to {found[-1].n:.0e}")

    change = {row.t: row.value for row in select(rows, figure="scale")}
    jackson = {row.t: row.value for row in select(rows, figure="operator", method="Jackson, K = 1")}
    plain = {row.t: row.value for row in select(rows, figure="operator", method="projection")}
    ratios = {t: jackson[t] / plain[t] for t in plain}
    gains = {}
    for d in (2, 3):
        seen = {row.method: row.value for row in select(rows, figure="table", d=d)}
        gains[d] = Measured(
            seen["as published (2 t^d, Jackson)"] / seen["splines, epsilon = 1"],
            ", ".join(f"{method}: {value:.5f}" for method, value in seen.items()),
        )
    largest = max(row.value for row in select(rows, figure="coefficients"))
    far = select(rows, figure="rate")
    rate = Measured(slope([row.t for row in far], [row.value for row in far]), f"t = {far[0].t} to {far[-1].t}")
    return {
        "k1-d1": fall("d=1, K=1", "as published"),
        "k1-d2": fall("d=2, K=1", "as published"),
        "k2d": fall("d=1, K=2", "as published"),
        "k2d-d2": fall("d=2, K=4", "as published"),
        "k2d-d2-far": fall("far, d=2, K=4", "as published"),
        "k2d-d2-ours": fall("d=2, K=4", "best t, Gaussian"),
        "summary-k1": grows("d=1, K=1", "summary"),
        "summary-k2d": grows("d=1, K=2", "summary"),
        "summary-k2d-d2": grows("d=2, K=4", "summary"),
        "query-k1": grows("d=1, K=1", "query"),
        "query-k2d": grows("d=1, K=2", "query"),
        "query-k2d-d2": grows("d=2, K=4", "query"),
        "summary-many": grows("d=1, K=8", "summary"),
        "query-many": grows("d=1, K=8", "query"),
        "lemma-4.4": _lemma(select(rows, figure="lemma")),
        "many-k": fall("d=1, K=8", "as published"),
        "many-k-far": fall("far, d=1, K=8", "as published"),
        "many-k-ours": fall("d=1, K=8", "best t, Gaussian"),
        "k1-ours": fall("d=1, K=1", "best g, splines"),
        "k1-d2-ours": fall("d=2, K=1", "best g, splines"),
        "coefficients": Measured(largest, "largest of t = 4, 16, 64, 256"),
        "scale": Measured(change[64], ", ".join(f"t = {t}: {v:.3f}" for t, v in change.items())),
        "scale-mended": _largest({t: v * t / sqrt(2 * t * (t - 1)) for t, v in change.items()}),
        "scale-depth": _largest(change),
        "operator-rate": rate,
        "operator-mended": rate,
        "operator": Measured(min(ratios.values()), ", ".join(f"t = {t}: {v:.1f}" for t, v in ratios.items())),
        "gain-d2": gains[2],
        "gain-d3": gains[3],
    }


def _lemma(rows: Sequence[Row]) -> Measured:
    """The distance times t^K at the upper half of the degrees over that at the lower, in the worst class."""
    seen: dict[str, list[Row]] = {}
    for row in rows:
        seen.setdefault(row.method, []).append(row)
    halves = {name: ([r.value for r in mine[: len(mine) // 2]], [r.value for r in mine[len(mine) // 2 :]])
              for name, mine in seen.items()}  # fmt: skip
    growth = {name: max(upper) / max(lower) for name, (lower, upper) in halves.items()}
    return Measured(max(growth.values()), "; ".join(f"{name}: {value:.2g}" for name, value in growth.items()))


def _largest(values: dict[int | None, float]) -> Measured:
    at = max(values, key=lambda t: values[t])
    return Measured(values[at], f"at t = {at}, of t = {min(t or 0 for t in values)} to {max(t or 0 for t in values)}")


THEIRS, OURS, OTHER, THIRD = "#d95f02", "#1f77b4", "#2ca02c", "#9467bd"
STYLES = {"as published": (THEIRS, "s"), "best t, Laplace": (THIRD, "^"), "best t, Gaussian": (OTHER, "o"),
          "best g, splines": (OURS, "o")}  # fmt: skip


def draw(rows: Sequence[Row]) -> Any:
    """Eight panels; theirs orange, ours blue, green and violet."""
    titles = ["1  One column, K = 1: abs(x - a)", "2  One column, K = 2: (x - a) abs(x - a)",
              "3  Two columns, K = 1: product of abs", "4  Two columns, K = 4: product of (x - a)^3 abs(x - a)",
              "5  One column, analytic bump, rule with K = 8", "6  Time of the published summary and of a query",
              "7  Noise needed, as a multiple of the published scale", "8  Simulated table, 50,000 rows"]  # fmt: skip
    figure, axes = panels(4, 2, titles)
    for name in CLASSES:
        _draw_rates(next(axes), rows, name)
    _draw_times(next(axes), rows)
    _draw_scale(next(axes), rows)
    _draw_table(next(axes), rows)
    return figure


def _draw_rates(ax: Any, rows: Sequence[Row], name: str) -> None:
    for method, (color, marker) in STYLES.items():
        mine = select(rows, figure=name, method=method)
        label = f"{mine[0].whose}, {method}" if mine[0].whose == "ours" else "theirs, as published (scale corrected)"
        line(ax, mine, "n", label, color=color, marker=marker)
    d, k, _, _ = CLASSES[name]
    first = select(rows, figure=name, method="as published")
    claimed = [first[0].value * (row.n / first[0].n) ** (-k / (2 * d + k)) for row in first]
    ax.plot([row.n for row in first], claimed, color="black", linestyle=":", linewidth=1.3,
            label=f"Theorem 3.1: n^-{k / (2 * d + k):.2g}")  # fmt: skip
    place = "upper right" if k < 4 else "lower left"
    axis(ax, "rows", "worst bias + 1 standard error", log="xy", legend={"loc": place})
    ax.set_ylim(top=ax.get_ylim()[1] * (3 if k < 4 else 1))


def _draw_times(ax: Any, rows: Sequence[Row]) -> None:
    for name, color in (("d=1, K=1", OTHER), ("d=1, K=2", OURS), ("d=2, K=4", THIRD)):
        for method, marker in (("summary", "s"), ("query", "o")):
            line(ax, select(rows, figure=name, method=method), "n", f"{method}, {name}", color=color, marker=marker)
    axis(ax, "rows", "seconds", log="xy", legend={"loc": "upper left"})


def _draw_scale(ax: Any, rows: Sequence[Row]) -> None:
    line(ax, select(rows, figure="scale"), "t", "largest change of one replaced row", color=OURS, marker="o")
    ax.axhline(1.0, color=THEIRS, linewidth=1.6, label="theirs: t^d / (n epsilon)")
    ax.axhline(1.217, color="black", linestyle=":", linewidth=1.3, label="limit 1.217")
    axis(
        ax, "t", "multiple of t^d / (n epsilon)", log="x", legend={"loc": "lower right"}, x_ticks=(3, 4, 8, 16, 32, 64)
    )
    ax.set_ylim(0.9, 1.25)


def _draw_table(ax: Any, rows: Sequence[Row]) -> None:
    found = select(rows, figure="table", d=2)
    for i, row in enumerate(found):
        for j, d in enumerate((2, 3)):
            value = select(rows, figure="table", d=d, method=row.method)[0].value
            ax.barh(i + 0.2 - 0.4 * j, value, height=0.36, color=THEIRS if row.whose == "theirs" else OURS,
                    alpha=1.0 if d == 2 else 0.55, label=f"{d} columns" if i == len(found) - 1 else None)  # fmt: skip
            ax.text(value * 1.08, i + 0.2 - 0.4 * j, f"{value:.2g}", va="center", fontsize=8)
    ax.set_yticks(range(len(found)), [row.method for row in found], fontsize=8)
    ax.set_xlim(2e-4, 0.6)
    ax.invert_yaxis()
    axis(ax, "root mean square error", "", log="x", legend={"loc": "lower right"})

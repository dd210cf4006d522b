"""Thaler, Ullman, Vadhan (2012): degree, error and rows of low-degree polynomials, theirs and ours. No data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import acosh, ceil, comb, cosh, log, sqrt
from typing import Any

import numpy as np

from hushtable.budget import Budget
from hushtable.maths.wide.list_polynomials import list_polynomials
from hushtable.maths.wide.minimax import best_uniform
from hushtable.maths.wide.polynomials import chebyshev_or
from papers._paper import Measured, Row, axis, line, panels, select, slope
from papers._requirements import laplace_precisions, parity_stderr_gaussian
from papers.thaler2012.released import box, released

__all__ = ["compute", "draw", "measure"]

BIASES = (0.05, 0.01)
WIDTHS = (4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128)
# Where the degree is above this share of the width, it is the width that limits it: growth does not show yet.
GROWN = 0.75
# Theorem 1 at its own numbers: every answer within ALPHA, with chance 1 - BETA; half of ALPHA is bias.
ALPHA, BETA, TABLE = 0.01, 0.01, 100


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` stops at narrower questions."""
    widths = tuple(k for k in WIDTHS if not fast or k <= 64)
    yield from symmetric(widths)
    yield from dependence(36 if fast else 64)
    yield from lists((*WIDTHS, 181, 256, 362, 512), widest=32 if fast else 64, longest=4 if fast else 6)
    yield from construction(tuple(k for k in widths if not fast or k <= 32), powers=6)
    yield from box()
    yield from released(fast=fast)
    yield from rows_needed((4, 9, 16, 36, 64) if fast else (4, 9, 16, 25, 36, 49, 64, 81, 100))


@cache
def best_bias(k: int, r: int, t: int) -> float:
    """Least bias of a polynomial of degree t for "at least r of k"."""
    return best_uniform(np.arange(k + 1) >= r, k, t)[1]


def published_bias(k: int, t: int) -> float:
    """Bias of the published polynomial for OR, in closed form: 1 / T_t(k / (k-1))."""
    return 0.0 if k == 1 else 1 / cosh(t * acosh(k / (k - 1)))


def least(enough: Callable[[int], bool], most: int) -> int:
    """The least degree that is enough, by halving; more is always enough too."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def published_degree(k: int, bias: float) -> int:
    """The least degree of the published polynomial; at degree k the OR itself takes over."""
    return least(lambda t: published_bias(k, t) <= bias, k)


def symmetric(widths: Sequence[int]) -> Iterator[Row]:
    """Degree against width for OR and at least r of k."""
    for bias in BIASES:
        for k in widths:
            bound = ceil(sqrt(k)) * ceil(log(1 / bias, 2))
            yield _degree("or", "theirs", "bound of the lemma", bound, k=k, r=1, bias=bias)
            yield _degree("or", "theirs", "Chebyshev", published_degree(k, bias), k=k, r=1, bias=bias)
            for r in (1, 2, 3):
                t = least(lambda t, k=k, r=r, bias=bias: best_bias(k, r, t) <= bias, k)
                yield _degree("or" if r == 1 else "r-of-k", "ours", "minimax", t, k=k, r=r, bias=bias)


def dependence(k: int) -> Iterator[Row]:
    """Degree against the bias and against r, at one width."""
    for r in (1, 2, 3):
        for bias in (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001):
            t = least(lambda t, r=r, bias=bias: best_bias(k, r, t) <= bias, k)
            yield _degree("bias", "ours", "minimax", t, k=k, r=r, bias=bias)
            if r == 1:
                yield _degree("bias", "theirs", "Chebyshev", published_degree(k, bias), k=k, r=r, bias=bias)
    for r in (1, 2, 3, 4, 6) if k < 64 else (1, 2, 3, 4, 6, 8):
        yield _degree("r", "ours", "minimax", least(lambda t, r=r: best_bias(k, r, t) <= 0.05, k), k=k, r=r, bias=0.05)


def lists(widths: Sequence[int], *, widest: int, longest: int) -> Iterator[Row]:
    """Degree against length for decision lists: the worst list alternates, and its prefix ORs' biases add up."""
    for bias in BIASES:
        for k in widths:
            theirs = least(lambda t, k=k, bias=bias: sum(published_bias(i, t) for i in range(t + 1, k + 1)) <= bias, k)
            yield _degree("lists", "theirs", "Chebyshev prefix ORs", theirs, k=k, bias=bias)
        for k in widths:
            if k <= widest:
                t = least(lambda t, k=k, bias=bias: sum(best_bias(i, 1, t) for i in range(t + 1, k + 1)) <= bias, k)
                yield _degree("lists", "ours", "minimax prefix ORs", t, k=k, bias=bias)
    for k in range(2, longest + 1):
        for t in range(1, k):
            shared = {"figure": "list-bias", "quantity": "bias", "k": k, "t": t}
            total = sum(best_bias(i, 1, t) for i in range(t + 1, k + 1))
            yield Row(whose="theirs", method="sum of prefix ORs", value=total, **shared)
            yield Row(whose="ours", method="whole list", value=float(list_polynomials(k, t).bias), **shared)


def construction(widths: Sequence[int], *, powers: int) -> Iterator[Row]:
    """Error of the published polynomial at its own degree and power, against its bound and against the best."""
    for k in widths:
        for power in range(1, powers + 1):
            t = ceil(sqrt(k)) * power
            shared = {"figure": "construction", "k": k, "t": t, "quantity": "bias"}
            degree = acosh(k / (k - 1)) * ceil(sqrt(k))
            yield Row(whose="theirs", method="bound", value=2.0**-power, **shared)
            yield Row(whose="theirs", method="Chebyshev", value=cosh(degree) ** -power, **shared)
            if t < k:
                yield Row(whose="ours", method="minimax", value=best_bias(k, 1, t), **shared)
        t = published_degree(k, 0.05)
        largest = float(np.abs(_published(k, t)).max())
        yield Row(figure="norm", whose="theirs", method="Chebyshev", quantity="log(norm) / (degree log d)", k=k, t=t,
                  value=log(largest) / (t * log(k)))  # fmt: skip


def rows_needed(widths: Sequence[int]) -> Iterator[Row]:
    """Rows at which every OR of at most k of 100 attributes is within 0.01, with chance 0.99, at epsilon 1.

    Theorem 9 with its own constants: noise <= 4 T C^2 log(C / beta) / (epsilon n), C = C(d+t, t), T the norm. The
    others are proved by the moment generating function of the noise and a union over all questions.
    """
    d, share, rho = TABLE, ALPHA / 2, float(Budget(epsilon=1, delta="1e-9").price.amount)
    for k in widths:
        a = _published(k, published_degree(k, share))
        t, questions = len(a) - 1, log(2 * comb(d, k) / BETA)
        coefficients = comb(d + t, t)
        theorem = log(4 * np.abs(a).max() / share) + 2 * log(coefficients) + log(log(coefficients / BETA))
        noise = float(np.abs(a[1:]) @ [float(comb(d, i)) for i in range(1, t + 1)])
        sharp = _laplace_reach([noise] * (t + 1), [comb(k, i) for i in range(t + 1)], questions) / share
        best = least(lambda t, k=k: best_bias(k, 1, t) <= share, k)
        b = best_uniform(np.arange(k + 1) >= 1, k, best)[0]
        precisions = laplace_precisions(b, d=d, k=k, epsilon=1.0)
        weights = [2 * abs(x) / p for x, p in zip(b[1:], precisions, strict=True) if p > 0]
        counts = [comb(k, i + 1) for i, p in enumerate(precisions) if p > 0]
        pure = _laplace_reach(weights, counts, questions) / share
        gaussian = sqrt(2 * questions) * parity_stderr_gaussian(b, d=d, k=k, rho=rho) / share
        for whose, method, value, degree in (
            ("theirs", "Theorem 9", theorem / log(10), t),
            ("theirs", "their algorithm, exact noise", log(sharp, 10), t),
            ("ours", "pure epsilon 1", log(pure, 10), best),
            ("ours", "(1, 1e-9)", log(gaussian, 10), best),
        ):
            yield Row(figure="rows", whose=whose, method=method, quantity="log10 of rows", value=value, d=d, k=k,
                      t=degree, bias=share)  # fmt: skip


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone."""
    grown = [row for row in rows if row.quantity == "degree" and row.value <= GROWN * row.k]
    return {
        "or-growth": _farthest(_exponents(select(grown, figure="or", method="minimax"))),
        "or-gamma": _gamma_exponent(select(rows, figure="bias", method="minimax", r=1)),
        "construction": _ratio(rows, "construction", "Chebyshev", "bound"),
        "minimax": _ratio(rows, "construction", "minimax", "Chebyshev"),
        "norm": Measured(max(row.value for row in select(rows, figure="norm")), "0: no coefficient is above 1"),
        "r-of-k-growth": _farthest(_exponents(select(grown, figure="r-of-k"))),
        "r-of-k-r": _r_exponent(select(rows, figure="r")),
        "list-growth": _farthest(_exponents(select(grown, figure="lists"), divide=lambda k, bias: log(k / bias))),
        "list-direct": _ratio(rows, "list-bias", "whole list", "sum of prefix ORs"),
        "rows-growth": _rows_exponent(select(rows, figure="rows", method="Theorem 9")),
        "rows": _rows_ratio(rows),
        "box": _box(rows, "as printed"),
        "box-mended": _box(rows, "times the coefficients"),
        "accuracy": _accuracy(select(rows, figure="released")),
    }


def _exponents(rows: Sequence[Row], divide: Callable[[int, float], float] | None = None) -> dict[str, float]:
    """The exponent in k of every series of degrees, each divided by what else the claim has."""
    series: dict[str, list[Row]] = {}
    for row in rows:
        name = f"{row.method}, {'' if row.r is None else f'r = {row.r}, '}bias {row.bias}"
        series.setdefault(name, []).append(row)
    return {
        name: slope([p.k for p in points], [p.value / (divide(p.k, p.bias) if divide else 1) for p in points])
        for name, points in series.items()
    }


def _farthest(exponents: dict[str, float]) -> Measured:
    worst = max(exponents.values(), key=lambda e: abs(e - 0.5))
    return Measured(worst, "; ".join(f"{name}: {e:.3f}" for name, e in exponents.items()))


def _gamma_exponent(rows: Sequence[Row]) -> Measured:
    return Measured(slope([log(1 / row.bias) for row in rows], [row.value for row in rows]), f"OR, k = {rows[0].k}")


def _r_exponent(rows: Sequence[Row]) -> Measured:
    return Measured(slope([row.r for row in rows], [row.value for row in rows]), f"k = {rows[0].k}")


def _rows_exponent(rows: Sequence[Row]) -> Measured:
    grown = [row for row in rows if row.t <= GROWN * row.k]
    exponents = [row.value / math.log10(row.d) for row in grown]
    steps = ", ".join(f"k = {a.k} to {b.k}: {slope([a.k, b.k], [a.value, b.value]):.2f}" for a, b in pairwise(grown))
    return Measured(slope([row.k for row in grown], exponents), f"step by step {steps}")


def _rows_ratio(rows: Sequence[Row]) -> Measured:
    theirs = {row.k: row.value for row in select(rows, figure="rows", method="Theorem 9")}
    gains = {row.k: theirs[row.k] - row.value for row in select(rows, figure="rows", method="pure epsilon 1")}
    note = ", ".join(f"k = {k}: {gain:.0f}" for k, gain in gains.items())
    return Measured(10 ** -min(gains.values()), f"orders of magnitude fewer rows, {note}")


def _box(rows: Sequence[Row], method: str) -> Measured:
    (row,) = select(rows, figure="box", method=method)
    return Measured(row.value, f"d = {row.d}, k = {row.k}, degree {row.t}")


def _accuracy(rows: Sequence[Row]) -> Measured:
    """The largest error that was seen as a share of alpha, of all tables."""
    pairs = list(zip(select(rows, quantity="alpha"), select(rows, quantity="largest error"), strict=True))
    said = [f"n = {a.n:,}: {seen.value:.3g} of {a.value:.3g}" for a, seen in pairs]
    return Measured(max(seen.value / a.value for a, seen in pairs), "; ".join(said))


def _ratio(rows: Sequence[Row], figure: str, above: str, below: str) -> Measured:
    """The largest value of one method as a share of another's at the same (k, t)."""
    base = {(row.k, row.t): row.value for row in select(rows, figure=figure, method=below)}
    seen = {(row.k, row.t): row.value / base[row.k, row.t] for row in select(rows, figure=figure, method=above)}
    at = max(seen, key=lambda place: seen[place])
    return Measured(seen[at], f"largest of {len(seen)}, at k = {at[0]}, degree {at[1]}")


def _degree(figure: str, whose: Any, method: str, t: int, **place: Any) -> Row:
    return Row(figure=figure, whose=whose, method=method, quantity="degree", value=t, **place)


def _published(k: int, t: int) -> np.ndarray:
    """Coefficients of the published polynomial in products of attributes; of the OR itself at degree k."""
    return np.array([0.0, *(-((-1.0) ** i) for i in range(1, k + 1))]) if t >= k else chebyshev_or(k, t).coefficients


def _laplace_reach(scales: Sequence[float], counts: Sequence[int], chance: float) -> float:
    """x with Pr[|sum| > x] <= 2 exp(-chance) for `counts` Laplace noises of each scale.

    By Chernoff: x = min over u of (chance - sum counts log(1 - (u scale)^2)) / u.
    """
    largest = max(scales)
    shares, many = np.array(scales) / largest, np.array([float(c) for c in counts])
    u = np.geomspace(1e-9, 1 - 1e-9, 2000)[:, None]
    return float(((chance - np.log1p(-((u * shares) ** 2)) @ many) / u[:, 0]).min()) * largest


def draw(rows: Sequence[Row]) -> Any:
    """Six panels; theirs orange and brown, ours blue and green."""
    wide = select(rows, figure="bias")[0].k
    titles = ("1  Any of k (Lemma 11): degree needed", "2  At least r of k (Lemma 13): degree needed",
              "3  Decision lists of length k (Lemma 15): degree needed",
              "4  Error of the construction at its own degree (Lemma 11)",
              f"5  Degree against bias, k = {wide} (Lemmas 11 and 13)",
              f"6  Rows for errors within {ALPHA}, d = {TABLE} (Theorems 1, 9)")  # fmt: skip
    figure, axes = panels(3, 2, titles)
    for drawing in (_draw_or, _draw_r, _draw_lists, _draw_construction, _draw_bias, _draw_rows):
        drawing(next(axes), rows)
    return figure


K_TICKS, T_TICKS = (4, 8, 16, 32, 64, 128), (4, 8, 16, 32, 64, 128, 256)
THEIRS, BOUND, OURS, OTHER = "#d95f02", "#8c510a", "#1f77b4", "#2ca02c"


def _claimed(ax: Any, rows: Sequence[Row], growth: Callable[[int], float], label: str) -> None:
    """The claimed growth as a dotted line through the last point."""
    last = max(rows, key=lambda row: row.k)
    ks = sorted({row.k for row in rows})
    values = [last.value * growth(k) / growth(last.k) for k in ks]
    ax.plot(ks, values, color="black", linestyle=":", linewidth=1.3, label=label)


def _draw_or(ax: Any, rows: Sequence[Row]) -> None:
    for bias, style in zip(BIASES, ("-", "--"), strict=True):
        mine = select(rows, figure="or", bias=bias)
        name = f"bias {bias}"
        line(ax, select(mine, method="bound of the lemma"), "k", f"theirs, bound, {name}", color=BOUND, linestyle=style)
        chebyshev = select(mine, method="Chebyshev")
        line(ax, chebyshev, "k", f"theirs, Chebyshev, {name}", color=THEIRS, linestyle=style, marker="s")
        line(ax, select(mine, whose="ours"), "k", f"ours, minimax, {name}", color=OURS, linestyle=style, marker="o")
    _claimed(ax, select(rows, figure="or", whose="ours", bias=0.01), sqrt, "claimed growth, sqrt(k)")
    axis(ax, "width k", "degree", log="xy", legend={"loc": "upper left"}, x_ticks=K_TICKS, y_ticks=T_TICKS)
    ax.set_ylim(3, 900)


def _draw_r(ax: Any, rows: Sequence[Row]) -> None:
    for r, color in ((2, OURS), (3, OTHER)):
        for bias, style in zip(BIASES, ("-", "--"), strict=True):
            mine = select(rows, figure="r-of-k", r=r, bias=bias)
            line(ax, mine, "k", f"ours, r = {r}, bias {bias}", color=color, linestyle=style, marker="o")
            label = "claimed growth, sqrt(k)" if (r, bias) == (2, 0.05) else None
            _claimed(ax, mine, sqrt, label)
    axis(ax, "width k", "degree", log="xy", legend={"loc": "upper left"}, x_ticks=K_TICKS, y_ticks=T_TICKS[:5])
    ax.set_ylim(3, 130)


def _draw_lists(ax: Any, rows: Sequence[Row]) -> None:
    for bias, style in zip(BIASES, ("-", "--"), strict=True):
        mine = select(rows, figure="lists", bias=bias)
        theirs, ours = select(mine, whose="theirs"), select(mine, whose="ours")
        line(ax, theirs, "k", f"theirs, Chebyshev prefixes, bias {bias}", color=THEIRS, linestyle=style, marker="s")
        line(ax, ours, "k", f"ours, minimax prefixes, bias {bias}", color=OURS, linestyle=style, marker="o")
        for group in (theirs, ours):
            label = "claimed growth, sqrt(k) log(k / bias)" if bias == 0.01 and group is ours else None
            _claimed(ax, group, lambda k, bias=bias: sqrt(k) * log(k / bias), label)
    ticks = {"x_ticks": (*K_TICKS, 256, 512), "y_ticks": T_TICKS}
    axis(ax, "length k", "degree", log="xy", legend={"loc": "upper left"}, **ticks)
    ax.set_ylim(3, 500)


def _draw_construction(ax: Any, rows: Sequence[Row]) -> None:
    widest = max(row.k for row in select(rows, figure="construction"))
    for k, color in ((16, OTHER), (widest, OURS)):
        mine = select(rows, figure="construction", k=k)
        line(ax, select(mine, method="bound"), "t", f"their bound 2^-m, k = {k}", color=BOUND,
             linestyle="-" if k == widest else "--")  # fmt: skip
        line(ax, select(mine, method="Chebyshev"), "t", f"theirs, Chebyshev, k = {k}", color=THEIRS, marker="s",
             linestyle="-" if k == widest else "--")  # fmt: skip
        line(ax, select(mine, method="minimax"), "t", f"ours, minimax, k = {k}", color=color, marker="o")
    axis(ax, "degree, ceil(sqrt(k)) m for m = 1, 2, ...", "largest error", legend={"loc": "lower left"})


def _draw_bias(ax: Any, rows: Sequence[Row]) -> None:
    theirs = select(rows, figure="bias", whose="theirs")
    line(ax, theirs, "bias", "theirs, Chebyshev, any of k", color=THEIRS, marker="s")
    for r, color in ((1, OURS), (2, OTHER), (3, "#9467bd")):
        label = "ours, any of k" if r == 1 else f"ours, at least {r} of k"
        line(ax, select(rows, figure="bias", whose="ours", r=r), "bias", label, color=color, marker="o")
    axis(ax, "bias (smaller to the right)", "degree", log="x", legend={"loc": "upper left"})
    ax.invert_xaxis()


def _draw_rows(ax: Any, rows: Sequence[Row]) -> None:
    for method, color, marker in (("Theorem 9", BOUND, "^"), ("their algorithm, exact noise", THEIRS, "s"),
                                  ("pure epsilon 1", OURS, "o"), ("(1, 1e-9)", OTHER, "o")):  # fmt: skip
        mine = select(rows, figure="rows", method=method)
        line(ax, mine, "k", f"{mine[0].whose}, {method}", color=color, marker=marker)
    axis(ax, "width k", "log10 of the rows needed", log="", legend={"loc": "upper left"})
    ax.set_ylim(0, 115)

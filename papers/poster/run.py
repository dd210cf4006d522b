"""The poster: size, time, approximation error, rows needed and error on Adult, theirs and ours on the same axes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

import hushtable as ht
from hushtable.maths.wide.minimax import best_uniform
from hushtable.maths.wide.polynomials import chebyshev_or
from papers._paper import Measured, Row, axis, line, panels, select, slope
from papers._requirements import monomial_stderr
from papers._requirements import rows_needed as requirements
from papers.poster.adult import adult_rows, vault_of

__all__ = ["compute", "draw", "measure"]

ROWS = 20_000
# Fewer coefficients than this take the time of starting.
COUNTS = 200
NO_DATA = "skipped: no adult.csv.gz; set HUSHTABLE_DATA to its folder"


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes fewer and smaller ones."""
    yield from size(6 if fast else 7)
    yield from releases(((20, 4), (50, 3)) if fast else ((20, 5), (50, 4), (100, 4)))
    yield from approximation((5, 10, 20) if fast else (5, 10, 20, 50))
    yield from noise()
    yield from rows_needed((1, 3, 5, 8) if fast else range(1, 16))
    yield from adult_rows(fast=fast)


def size(most: int) -> Iterator[Row]:
    """Coefficients by the poster's two formulas."""
    for d in (20, 50, 100):
        for t in range(1, most + 1):
            shared = {"figure": "size", "whose": "theirs", "quantity": "coefficients", "d": d, "t": t}
            yield Row(method="original, C(d+t, t)", value=comb(d + t, t), **shared)
            yield Row(method="multilinear", value=sum(comb(d, i) for i in range(t + 1)), **shared)


def releases(tables: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Numbers and seconds of releases of random rows: ours, and every coefficient over every row in plain numpy."""
    for d, most in tables:
        bits = np.random.default_rng(d).random((ROWS, d)) < 0.3
        domain, vault = vault_of(bits)
        for t in range(1, most + 1):
            plan = ht.plan(domain, rows=ROWS, workload=f"marginals(width={t})", budget=ht.Budget(epsilon=1),
                           mechanism="low-order")  # fmt: skip
            synopsis = vault.release(plan, randomness=ht.Simulated(0))  # compiles and caches the kernels
            seconds = _seconds(lambda plan=plan, vault=vault: vault.release(plan, randomness=ht.Simulated(1)))
            numbers = sum(len(part) for part in synopsis.model.numbers().values())
            shared = {"d": d, "t": t, "n": ROWS}
            yield Row(figure="size", whose="ours", method="released", quantity="coefficients", value=numbers, **shared)
            yield Row(figure="time", whose="ours", method="released", quantity="seconds", value=seconds, **shared)
            if numbers < 300_000:
                yield Row(figure="time", whose="theirs", method="plain loop", quantity="seconds",
                          value=_seconds(lambda bits=bits, t=t: plain_means(bits, t)), **shared)  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    """Processor time, the least of three: others on the machine only ever add to it."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def plain_means(bits: np.ndarray, t: int) -> int:
    """Not private: the mean of every product of at most t columns, as the poster describes it; how many there are."""
    columns = np.ascontiguousarray(bits.T)

    def extend(product: np.ndarray, top: int, left: int) -> int:
        if left == 1:
            return len((columns[:top] & product).mean(axis=1))
        return sum(1 + extend(columns[j] & product, j, left - 1) for j in range(top))

    return 1 + extend(np.ones(len(bits), dtype=bool), len(columns), t)


def approximation(widths: Sequence[int]) -> Iterator[Row]:
    """Largest error of the published and of the minimax polynomial for OR."""
    for k in widths:
        for t in range(1, min(k, 15)):
            shared = {"figure": "approximation", "quantity": "largest error", "k": k, "t": t}
            yield Row(whose="theirs", method="Chebyshev", value=chebyshev_or(k, t).bias, **shared)
            yield Row(whose="ours", method="minimax", value=best_uniform(np.arange(k + 1) > 0, k, t)[1], **shared)


def noise() -> Iterator[Row]:
    """STD of the total noise: the poster's proposition, and sums of Laplace draws."""
    source = np.random.default_rng(1)
    for d, k, t in ((20, 3, 3), (20, 8, 4), (50, 5, 3), (100, 5, 2)):
        a = chebyshev_or(k, t).coefficients if t < k else np.array([0.0, 1.0, -1.0, 1.0])
        scale = float(np.abs(a[1:]) @ [float(comb(d, i)) for i in range(1, t + 1)]) / ROWS
        sets = sum(comb(k, i) for i in range(t + 1))
        seen = source.laplace(scale=scale, size=(20_000, sets)).sum(axis=1).std()
        shared = {"figure": "noise", "quantity": "STD of the total noise", "d": d, "k": k, "t": t, "n": ROWS}
        stated = monomial_stderr(a, d=d, k=k, epsilon=1.0) / ROWS
        yield Row(whose="theirs", method="proposition", value=stated, **shared)
        yield Row(whose="ours", method="simulated", value=float(seen), **shared)


def rows_needed(widths: Sequence[int]) -> Iterator[Row]:
    """Rows for noise within 0.01 with 99%, at the least degree with a bias of at most 0.05."""
    for d in (20, 50, 100):
        for k in widths:
            need = requirements(d, k)
            shared = {"figure": "rows", "quantity": "rows", "d": d, "k": k, "t": need.degree, "bias": 0.05}
            yield Row(whose="theirs", method="monomials, pure epsilon 1", value=need.monomial_pure, **shared)
            yield Row(whose="ours", method="parities, pure epsilon 1", value=need.parity_pure, **shared)
            yield Row(whose="ours", method="parities, (1, 1e-9)", value=need.parity_zcdp, **shared)


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone; those on Adult are skipped where the table is not at hand."""
    released = select(rows, figure="size", method="released")
    multilinear = {(row.d, row.t): row.value for row in select(rows, figure="size", method="multilinear")}
    sizes = [row.value / multilinear[row.d, row.t] for row in released]
    counts = [multilinear[row.d, row.t] for row in released]
    theirs = select(rows, figure="approximation", whose="theirs")
    falls = [b.value / a.value for a, b in pairwise(theirs) if a.k == b.k]
    five = select(rows, figure="rows", whose="theirs", k=5)
    return {
        "size": Measured(_farthest(sizes), f"{len(sizes)} releases, the largest of {max(counts):,} numbers"),
        "time": _time(rows, "theirs", multilinear),
        "time-ours": _time(rows, "ours", multilinear),
        "degree": Measured(max(falls), f"k = {sorted({row.k for row in theirs})}"),
        "minimax": _ratio(rows, "approximation", "minimax", "Chebyshev"),
        "noise": _noise(rows),
        "rows": _ratio(rows, "rows", "parities, pure epsilon 1", "monomials, pure epsilon 1"),
        "larger-d": Measured(slope([row.d for row in five], [row.value for row in five]), "d = 20, 50, 100"),
    } | _adult(rows)


def _adult(rows: Sequence[Row]) -> dict[str, Measured]:
    hundred = select(rows, figure="hundred")
    if not hundred:
        return dict.fromkeys(("naive", "adult", "hundred", "hundred-ours"), Measured(None, NO_DATA))
    two = [row for row in rows if row.figure in ("adult-k", "adult-n")]
    better = {}
    for row in two:
        if row.whose != "ours":
            place = row.figure, row.k, row.n
            better[place] = min(better.get(place, row.value), row.value)
    ratios = [r.value / better[r.figure, r.k, r.n] for r in select(two, method="pure epsilon 1")]
    (theirs,), (seen,) = (select(hundred, whose=whose, quantity="mean absolute error") for whose in ("theirs", "ours"))
    (needed,) = select(hundred, quantity="rows")
    return {
        "naive": _ratio(select(rows, figure="adult-k"), "adult-k", "as published", "all 2^d answers"),
        "adult": Measured(max(ratios), f"{len(ratios)} places; at best {min(ratios):.2g}"),
        "hundred": Measured(
            theirs.value, f"degree {theirs.t}; it reaches 0.01 at {needed.value:.2g} rows, degree {needed.t}"
        ),
        "hundred-ours": Measured(seen.value, f"order {seen.t}"),
    }


def _time(rows: Sequence[Row], whose: str, numbers: dict[Any, float]) -> Measured:
    """The exponent of the seconds in the numbers, where there are so many that starting does not count."""
    spent = [row for row in select(rows, figure="time", whose=whose) if numbers[row.d, row.t] >= COUNTS]
    exponent = slope([numbers[row.d, row.t] for row in spent], [row.value for row in spent])
    return Measured(exponent, f"{len(spent)} times, {max(row.value for row in spent):.2g} s at most")


def _farthest(ratios: Sequence[float]) -> float:
    return max(ratios, key=lambda ratio: abs(ratio - 1))


def _noise(rows: Sequence[Row]) -> Measured:
    stated, seen = (select(rows, figure="noise", method=m) for m in ("proposition", "simulated"))
    ratios = [b.value / a.value for a, b in zip(stated, seen, strict=True)]
    return Measured(_farthest(ratios), f"{len(ratios)} combinations of d, k, t; 20,000 draws each")


def _ratio(rows: Sequence[Row], figure: str, above: str, below: str) -> Measured:
    """The largest value of one method as a share of another's at the same place."""
    base = {(row.d, row.k, row.t if figure == "approximation" else 0): row.value
            for row in select(rows, figure=figure, method=below)}  # fmt: skip
    seen = {(row.d, row.k, row.t if figure == "approximation" else 0): row.value
            for row in select(rows, figure=figure, method=above)}  # fmt: skip
    ratios = {place: value / base[place] for place, value in seen.items()}
    at = max(ratios, key=lambda place: ratios[place])
    return Measured(ratios[at], f"largest of {len(ratios)}, at k = {at[1]}; at best {min(ratios.values()):.2g}")


def draw(rows: Sequence[Row]) -> Any:
    """Eight panels; theirs orange, ours blue and green, naive grey."""
    titles = ("1a  Size of the summary", f"1b  Time of a release, {ROWS:,} rows", "2  Largest approximation error",
              "3  Rows for noise within 0.01 with 99%", "4a  Adult: mean error against k (d = 20, n = 48,842)",
              "4b  Adult: mean error against rows (d = 20, k = 5)",
              "4c  Adult: mean error against d (k = 3, n = 48,842)", "Proposition: STD of the total noise")  # fmt: skip
    figure, axes = panels(4, 2, titles)
    for drawing in (_draw_size, _draw_time, _draw_approximation, _draw_rows):
        drawing(next(axes), rows)
    for name, x, label, log in (("adult-k", "k", "width k", "y"), ("adult-n", "n", "rows n", "xy"),
                                ("adult-d", "d", "attributes d", "y")):  # fmt: skip
        _draw_adult(next(axes), select(rows, figure=name), x, label, log)
    _draw_noise(next(axes), rows)
    return figure


THEIRS, BROWN, OURS, OTHER, NAIVE = "#d95f02", "#8c510a", "#1f77b4", "#2ca02c", "#777777"
DASHES = {20: "-", 50: "--", 100: ":"}


def _draw_size(ax: Any, rows: Sequence[Row]) -> None:
    for d, style in DASHES.items():
        mine = select(rows, figure="size", d=d)
        for method, name, color in (
            ("original, C(d+t, t)", "C(d+t, t)", BROWN),
            ("multilinear", "multilinear", THEIRS),
        ):
            chosen = select(mine, method=method)
            line(ax, chosen, "t", f"theirs, {name}, d = {d}", color=color, linestyle=style)
    released = select(rows, figure="size", whose="ours")
    ax.plot([r.t for r in released], [r.value for r in released], "o", color=OURS, label="ours, released")
    axis(ax, "degree t", "numbers", legend={"loc": "upper left", "ncol": 2})
    ax.set_ylim(10, 1e15)


def _draw_time(ax: Any, rows: Sequence[Row]) -> None:
    sizes = {(row.d, row.t): row.value for row in select(rows, figure="size", method="multilinear")}
    for d, style in DASHES.items():
        for whose, color, marker, what in (("theirs", THEIRS, "s", "plain loop"), ("ours", OURS, "o", "release")):
            mine = select(rows, figure="time", whose=whose, d=d)
            if mine:
                ax.plot([sizes[r.d, r.t] for r in mine], [r.value for r in mine], linestyle=style, marker=marker,
                        color=color, markersize=4.5, label=f"{whose}, {what}, d = {d}")  # fmt: skip
    axis(ax, "numbers in the summary", "seconds", log="xy", legend={"loc": "upper left"})


def _draw_approximation(ax: Any, rows: Sequence[Row]) -> None:
    colors = ("#1b9e77", "#7570b3", "#e7298a", "#66a61e")
    for k, color in zip(sorted({r.k for r in select(rows, figure="approximation")}), colors, strict=False):
        mine = select(rows, figure="approximation", k=k)
        theirs, ours = select(mine, whose="theirs"), select(mine, whose="ours")
        line(ax, theirs, "t", f"theirs, Chebyshev, k = {k}", color=color, linestyle="--", marker="s")
        line(ax, ours, "t", f"ours, minimax, k = {k}", color=color, marker="o")
    axis(ax, "degree t", "largest error", legend={"loc": "lower left"})
    ax.set_ylim(bottom=1e-6)


def _draw_rows(ax: Any, rows: Sequence[Row]) -> None:
    for d, style in DASHES.items():
        mine = select(rows, figure="rows", d=d)
        for method, color in (("monomials, pure epsilon 1", THEIRS), ("parities, pure epsilon 1", OURS),
                              ("parities, (1, 1e-9)", OTHER)):  # fmt: skip
            chosen = select(mine, method=method)
            label = f"{chosen[0].whose}, {method.split(', ', 1)[1]}, d = {d}"
            line(ax, chosen, "k", label, color=color, linestyle=style, marker=".")
    axis(ax, "width k", "rows", legend={"loc": "upper left", "ncol": 2, "fontsize": 7.5})
    ax.set_ylim(3e3, 1e20)


def _draw_adult(ax: Any, rows: Sequence[Row], x: str, label: str, log: str) -> None:
    if not rows:
        ax.text(0.5, 0.5, "no Adult table at hand", ha="center", transform=ax.transAxes)
        return
    for whose, method, color, style in (
        ("naive", "all 2^d answers", NAIVE, "--"),
        ("naive", "all answers of width at most k", NAIVE, ":"),
        ("theirs", "as published", THEIRS, "-"),
        ("theirs", "mechanism monomial", BROWN, "-"),
        ("ours", "pure epsilon 1", OURS, "-"),
        ("ours", "(1, 1e-9)", OTHER, "-"),
    ):
        line(ax, select(rows, method=method), x, f"{whose}, {method}", color=color, linestyle=style, marker="o")
    axis(ax, label, "mean absolute error", log=log, legend={"loc": "upper left", "ncol": 2, "fontsize": 7.5})
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.35)


def _draw_noise(ax: Any, rows: Sequence[Row]) -> None:
    stated, seen = (select(rows, figure="noise", method=m) for m in ("proposition", "simulated"))
    places = range(len(stated))
    formula, simulated = [r.value for r in stated], [r.value for r in seen]
    ax.plot(places, formula, "s", color=THEIRS, markersize=9, fillstyle="none", label="theirs, formula")
    ax.plot(places, simulated, "o", color=OURS, markersize=4.5, label="ours, simulated")
    ax.set_xticks(places, [f"d={r.d}\nk={r.k}\nt={r.t}" for r in stated])
    axis(ax, "", f"STD of an answer, {ROWS:,} rows", log="", legend={"loc": "upper left"})
    ax.margins(0.2)
    ax.set_ylim(bottom=0)

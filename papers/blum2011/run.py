"""Blum and Roth (2011) again: both theorems' rates in n, m and k, and every method on the same rows.

In the table `n` is the number of rows, `t` the number of values a list, `k` the number of lists, `d` the height of the
projection or the number of buckets, and `r` is 10 for epsilon 1 and 1 for epsilon 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hushtable as ht
from hushtable.maths.distribution.lazy_weights import LazyWeights
from papers._paper import Measured, Row, axis, line, panels, select, slope
from papers.blum2011.project import Projected, laplace_scale, signs
from papers.blum2011.tables import curated, lists_of, released, truths, zipf

__all__ = ["compute", "draw", "measure"]

EPSILON, DELTA = 1.0, 1e-6
THEIRS, OURS, WEIGHTS, OTHER = "#d95f02", "#1f77b4", "#2ca02c", "#9467bd"
PROJECT, SKETCH, CURATOR = "SparseProject", "list and sketch", "multiplicative weights"
PRINTED = "Algorithm 1"
# At epsilon 1: the list takes values with 264 noisy rows, whose noise has scale 20; sums of 10 have noise of 10.
MOST_LEFT, MOST_NOISE = 264 + 8 * 20, 8 * 10
METHODS: dict[str, dict[str, Any]] = {
    SKETCH: {"workload": "sparse(size=1000, buckets=1048576)"},
    "sketch alone": {"workload": "sparse(size=1000, buckets=4194304)", "delta": None},
    "stability histogram": {"workload": "sparse(size=1000, rare=False)"},
}


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the four figures."""
    yield from _projection(fast=fast)
    yield from _sketch(fast=fast)
    yield from _weights(fast=fast)
    yield from _comparison(fast=fast)


def _row(figure: str, method: str, value: float, quantity: str = "error", **place: Any) -> Row:
    whose: Any = "theirs" if method in (PROJECT, PRINTED) else "naive" if method == "always 0" else "ours"
    return Row(figure=figure, whose=whose, method=method, quantity=quantity, value=float(value), **place)


def _rmse(errors: Sequence[NDArray[np.float64]]) -> float:
    return math.sqrt(np.mean([np.mean(e**2) for e in errors]))


def _projection(*, fast: bool) -> Iterator[Row]:
    """Small tables: the height grows with n^2, and each of its coordinates needs a sign for every value."""
    repeats = 2 if fast else 6
    for n in (60, 120, 240):
        yield _row("n", PROJECT, _projected(n, 10, repeats)[0] / n, n=n, t=10, d=n * n // 2)
    for m in (4, 16, 64):
        yield _row("m", PROJECT, _projected(240, m, repeats)[0] / 240, n=240, t=m, d=28_800)
    observed, formula, shares = _projected(240, 16, repeats, keep=True)
    yield _row("law", PROJECT, observed / formula, "observed over formula", n=240, t=16)
    for k, largest in shares.items():
        yield _row("k", PROJECT, largest / 240, "largest error", n=240, t=16, k=k)
    yield _row("named", PROJECT, _named(fast=fast), "observed over formula", n=2_000, t=16, d=4_096)
    columns = signs(400, 64, seed=3)
    gram = columns.T @ columns
    yield _row("change", PROJECT, float(np.abs(columns).max() * 8), "largest change", d=64)
    lengths = [math.sqrt(2 - 2 * gram[a, b]) for a, b in combinations(range(400), 2)]
    yield _row("replaced", PROJECT, max(lengths), "largest length", d=64)


def _named(*, fast: bool) -> float:
    """The mechanism by its name: its error over noise and distortion as they should be."""
    rows, height = zipf(2_000, seed=5), 4_096
    lists = [lists_of("mixed", rows, 16, 300, seed=4)]
    how = {"workload": "sparse(size=16)", "mechanism": f"sparse-project(height={height})"}
    errors = [released(rows, lists, seed, **how)[0] for seed in range(3 if fast else 12)]
    budget, counts = ht.Budget(epsilon=1, delta="1e-6"), np.unique(rows, return_counts=True)[1]
    # Replaced rows: the vector of signs over the root of T moves by a length of at most 2.
    noise = 4 / (2 * float(budget.price_in(budget.currencies[0]).amount))
    return _rmse(errors) / math.sqrt(16 * (noise + float((counts**2).sum()) / height))


def _projected(n: int, m: int, repeats: int, *, keep: bool = False) -> tuple[float, float, dict[int, float]]:
    """Error in counts, what the formula says, and the largest errors by the number of lists."""
    rows, height = zipf(n, seed=5), n * n // 2
    counts = np.unique(rows, return_counts=True)[1]
    table = np.concatenate([counts, np.zeros(200, dtype=np.int64)])
    scale, source = laplace_scale(EPSILON, DELTA), np.random.default_rng(n + m)
    errors, largest = [], dict.fromkeys((100, 1000, 10_000), 0.0)
    for seed in range(repeats):
        projection = Projected.of(signs(len(table), height, seed), table, scale, seed)
        each = projection.values() - table
        picks = [source.choice(len(table), m, replace=False) for _ in range(10_000 if keep else 300)]
        errors.append(np.array([each[p].sum() for p in picks]))
        for k in largest:
            largest[k] += float(np.abs(errors[-1][:k]).max()) / repeats
    formula = math.sqrt(m * (2 * scale**2 + float((counts**2).sum()) / height))
    return _rmse(errors), formula, largest


def _sketch(*, fast: bool) -> Iterator[Row]:
    repeats, count = (1, 200) if fast else (3, 600)
    for n in (2_500, 10_000, 40_000):
        rows = zipf(n)
        lists = [lists_of("mixed", rows, 100, count, seed=1)]
        yield _row("n", SKETCH, _rmse([released(rows, lists, s)[0] for s in range(repeats)]) / n, n=n, t=100)
    sizes, rows = (10, 100, 1000), zipf(40_000)
    groups = [lists_of("mixed", rows, m, count, seed=2) for m in sizes] + [lists_of("mixed", rows, 10, 10_000, seed=3)]
    errors = [released(rows, groups, seed) for seed in range(repeats)]
    for i, m in enumerate(sizes):
        yield _row("m", SKETCH, _rmse([one[i] for one in errors]) / 40_000, n=40_000, t=m)
    for k in (100, 1000, 10_000):
        largest = [np.abs(one[3][i : i + k]).max() for one in errors for i in range(0, 10_000, k)]
        yield _row("k", SKETCH, float(np.mean(largest)) / 40_000, "largest error", n=40_000, t=10, k=k)
    worst = max(float(np.abs(one[3]).max()) for one in errors)
    yield _row("largest", SKETCH, worst, "largest error in counts", n=40_000, t=10, k=10_000)
    yield from _same_rows(repeats)


def _same_rows(repeats: int) -> Iterator[Row]:
    """Both on 240 rows with lists of 16."""
    rows = zipf(240, seed=5)
    lists = [lists_of("mixed", rows, 16, 300, seed=4)]
    errors = [released(rows, lists, seed)[0] for seed in range(repeats)]
    yield _row("same", SKETCH, _rmse(errors), "error in counts", n=240, t=16)
    yield _row("same", PROJECT, _projected(240, 16, repeats)[0], "error in counts", n=240, t=16)


def _weights(*, fast: bool) -> Iterator[Row]:
    count, sizes = (200, (2_000, 8_000)) if fast else (3000, (6_000, 18_000, 54_000))
    for n in sizes:
        rows = zipf(n)
        lists = lists_of("popular", rows, 10, count // 2, seed=1)
        # One unlucky noisy threshold can last for a whole session, so there are several.
        errors = [curated(rows, lists, seed) - truths(rows, lists) for seed in ((1,) if fast else (1, 2, 3))]
        yield _row("n", CURATOR, _rmse(errors) / n, n=n, t=10)
    rows = zipf(sizes[-1])
    for m in (10, 100):
        lists = lists_of("popular", rows, m, count, seed=2)
        error = _rmse([curated(rows, lists, 2) - truths(rows, lists)]) / len(rows)
        yield _row("m", CURATOR, error, n=len(rows), t=m)
        if m == 10:
            yield _row("k", CURATOR, error, "error", n=len(rows), t=m, k=count)
            short = [curated(rows, lists[i :: 10][: count // 10], 3) - truths(rows, lists[i :: 10][: count // 10])
                     for i in range(1 if fast else 3)]  # fmt: skip
            yield _row("k", CURATOR, _rmse(short) / len(rows), "error", n=len(rows), t=m, k=count // 10)
    for threshold in (0.02, 0.05, 0.1):
        yield _row("updates", CURATOR, _corrections(threshold, fast=fast), "corrections over bound", bias=threshold)
        printed = _printed_corrections(threshold, fast=fast)
        yield _row("printed updates", PRINTED, printed, "corrections over bound", bias=threshold)
    yield _row("potential", PRINTED, _printed_drop(0.01), "drop over alpha^2 / 4", bias=0.01)
    guess = 50_000 * LazyWeights(401).share({bytes([i]): 1.0 for i in range(10)})
    yield _row("guess", CURATOR, guess, "first answer in counts", n=50_000, t=10)


def _corrections(threshold: float, *, fast: bool) -> float:
    """Without noise: how often lists off by at least the threshold were corrected, over the proven bound."""
    rows, cells = zipf(5_000), 100_000
    lists = lists_of("popular", rows, 10, 500 if fast else 4000, seed=7)
    truth, weights, corrections = truths(rows, lists) / len(rows), LazyWeights(cells), 0
    for one, share in zip(lists, truth, strict=True):
        question = {str(x).encode(): 1.0 for x in one.tolist()}
        gap = share - weights.share(question)
        if abs(gap) >= threshold:
            weights.correct(question, 4 * gap)
            corrections += 1
    return corrections / (math.log(cells) / (2 * threshold**2))


def _printed_corrections(alpha: float, *, fast: bool) -> float:
    """Algorithm 1 with its own steps and number of variables, without noise: its corrections over 4 (log s + 1) / a^2.

    One change: the rows that have none of the assigned keys are a cell of their own, so that the argument holds.
    """
    rows, cells = zipf(5_000), _variables(alpha, 10)
    lists = lists_of("popular", rows, 10, 500 if fast else 4000, seed=7)
    truth, weights, corrections = truths(rows, lists) / len(rows), LazyWeights(cells), 0
    for one, share in zip(lists, truth, strict=True):
        question = {str(x).encode(): 1.0 for x in one.tolist()}
        while abs(gap := share - weights.share(question)) >= alpha:
            weights.correct(question, math.copysign(alpha / 2, gap))
            corrections += 1
    return corrections / (4 * (math.log(cells) + 1) / alpha**2)


def _variables(alpha: float, size: int) -> int:
    """The smallest s with s / (log s + 1) >= 4 m / alpha^2."""
    low, high = 2, 2**60
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if middle / (math.log(middle) + 1) >= 4 * size / alpha**2 else (middle + 1, high)
    return low


def _printed_drop(alpha: float) -> float:
    """By how much the potential of Lemma 3.7 falls in one step, over the alpha^2 / 4 that it says.

    4% of the rows have a, nobody has b, and nobody will ask about all others. Lists of both are too small until each
    has its half; then b alone is too large.
    """
    share, weights = {b"a": 0.04}, LazyWeights(_variables(alpha, 2))
    both, alone = dict.fromkeys((b"a", b"b"), 1.0), {b"b": 1.0}
    while share[b"a"] - weights.share(both) >= alpha:
        weights.correct(both, alpha / 2)
    assert weights.share(alone) >= alpha
    before = weights.share({b"a": 1.0})
    weights.correct(alone, -alpha / 2)
    return share[b"a"] * math.log(weights.share({b"a": 1.0}) / before) / (alpha**2 / 4)


def _comparison(*, fast: bool) -> Iterator[Row]:
    """Every method on the same 50,000 rows (5,000 in a fast run)."""
    rows = zipf(5_000 if fast else 50_000)
    repeats, count = (1, 100) if fast else (3, 500)
    places = [(kind, m) for kind in ("popular", "mixed") for m in (10, 100, 1000)]
    groups = [lists_of(kind, rows, m, count, seed=m) for kind, m in places]
    for tenths in (10, 1):
        for method, how in METHODS.items():
            quick = {"workload": "sparse(size=1000, buckets=262144)"} if fast and method == "sketch alone" else {}
            seen = [released(rows, groups, seed, epsilon=str(tenths / 10), **(how | quick)) for seed in range(repeats)]
            for i, (kind, m) in enumerate(places):
                error = _rmse([one[i] for one in seen])
                yield _row(f"table {kind}", method, error, "error in counts", n=len(rows), t=m, r=tenths)
    for (kind, m), lists in zip(places, groups, strict=True):
        yield _row(f"table {kind}", "always 0", _rmse([truths(rows, lists)]), "error in counts", n=len(rows), t=m, r=10)
    for kind in ("popular", "mixed"):
        for m in (10, 100):
            lists = lists_of(kind, rows, m, 4 * count, seed=m)
            errors = curated(rows, lists, 1) - truths(rows, lists)
            yield _row(f"table {kind}", CURATOR, _rmse([errors]), "error in counts", n=len(rows), t=m, r=10)


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim."""
    found: dict[str, Measured] = {}
    for name, method in (("project", PROJECT), ("sketch", SKETCH)):
        found[f"{name}-n"] = _exponent(select(rows, figure="n", method=method), lambda row: row.n)
        found[f"{name}-m"] = _exponent(select(rows, figure="m", method=method), lambda row: row.t)
    found["project-k"] = _growth(select(rows, figure="k", method=PROJECT), "k")
    (worst,), growth = select(rows, figure="largest"), _growth(select(rows, figure="k", method=SKETCH), "k")
    note = f"{worst.value:.0f} counts; 10,000 lists over 100 lists: {growth.ours:.2f}, more than log(k)"
    found["sketch-largest"] = Measured(worst.value / (MOST_LEFT + MOST_NOISE), note)
    found["project-law"] = _single(rows, "law")
    found["project-named"] = _single(rows, "named")
    found["project-change"] = _single(rows, "change")
    found["replaced-l2"] = _single(rows, "replaced", "sqrt(2) = 1.414, and the bound that always holds is 2")
    same = {row.method: row.value for row in select(rows, figure="same")}
    note = f"{same[SKETCH]:.1f} against {same[PROJECT]:.1f} counts; theirs at half of what replaced rows need"
    found["sketch-beats"] = Measured(same[SKETCH] / same[PROJECT], note)
    found["weights-n"] = _exponent(select(rows, figure="n", method=CURATOR), lambda row: row.n)
    found["weights-m"] = _growth(select(rows, figure="m", method=CURATOR), "t")
    found["weights-k"] = _growth(select(rows, figure="k", method=CURATOR), "k")
    for name, figure in (("weights-updates", "printed updates"), ("updates-ours", "updates")):
        updates = select(rows, figure=figure)
        shown = ", ".join(f"alpha = {row.bias}: {row.value:.3f}" for row in updates)
        found[name] = Measured(max(row.value for row in updates), shown)
    found["weights-drop"] = _single(rows, "potential", "alpha = 0.01, one value of 4% of the rows")
    found["first-guess"] = _single(rows, "guess", "so s is at least 20 n here")
    return found


def _exponent(rows: Sequence[Row], x: Callable[[Row], int | None]) -> Measured:
    points = [(x(row) or 0, row.value) for row in rows]
    shown = ", ".join(f"{a:,}: {b:.4g}" for a, b in points)
    return Measured(slope([a for a, _ in points], [b for _, b in points]), shown)


def _growth(rows: Sequence[Row], field: str) -> Measured:
    """The value at the most over the value at the least."""
    ordered = sorted(rows, key=lambda row: getattr(row, field))
    shown = ", ".join(f"{getattr(row, field):,}: {row.value:.4g}" for row in ordered)
    return Measured(ordered[-1].value / ordered[0].value, shown)


def _single(rows: Sequence[Row], figure: str, note: str = "") -> Measured:
    (row,) = select(rows, figure=figure)
    return Measured(row.value, note or row.quantity)


def draw(rows: Sequence[Row]) -> Any:
    """Four panels; theirs orange, ours blue and green."""
    titles = ("1  Error and the number of rows (Theorems 3.8, 4.9)", "2  Error and the length of lists",
              "3  Largest error and the number of lists", "4  All methods on the same rows, epsilon = 1")  # fmt: skip
    figure, axes = panels(2, 2, titles)
    names = {PROJECT: (THEIRS, "s", "theirs"), SKETCH: (OURS, "o", "ours"), CURATOR: (WEIGHTS, "^", "ours")}
    for number, field, label in (("n", "n", "rows n"), ("m", "t", "values a list, m"), ("k", "k", "lists, k")):
        ax = next(axes)
        for method, (color, marker, whose) in names.items():
            mine = select(rows, figure=number, method=method)
            if mine:
                # A curator's largest error is its threshold, so its usual one is shown.
                usual = " (root mean square)" if number == "k" and method == CURATOR else ""
                line(ax, mine, field, f"{whose}, {method}{usual}", color=color, marker=marker)
        _rates(ax, rows, number, field)
        axis(ax, label, "error, share of rows", log="xy", legend={"loc": "best"})
    _draw_table(next(axes), rows)
    return figure


def _rates(ax: Any, rows: Sequence[Row], number: str, field: str) -> None:
    """The claimed growth as dotted lines through the first points."""
    claimed = {PROJECT: {"n": -1.0, "m": 0.5}, SKETCH: {"n": -1.0, "m": 0.5}, CURATOR: {"n": -0.5}}
    for method, exponents in claimed.items():
        mine = sorted(select(rows, figure=number, method=method), key=lambda row: getattr(row, field))
        if number in exponents and mine:
            x = [getattr(row, field) for row in mine]
            y = [mine[0].value * (a / x[0]) ** exponents[number] for a in x]
            ax.plot(x, y, color="black", linestyle=":", linewidth=1.2)


def _draw_table(ax: Any, rows: Sequence[Row]) -> None:
    colors = {
        SKETCH: OURS,
        "sketch alone": "#17becf",
        "stability histogram": OTHER,
        CURATOR: WEIGHTS,
        "always 0": "#7f7f7f",
    }
    for kind, style in (("popular", "-"), ("mixed", "--")):
        for method, color in colors.items():
            mine = select(rows, figure=f"table {kind}", method=method, r=10)
            line(ax, mine, "t", f"{method}, {kind}", color=color, linestyle=style, marker="o")
    axis(ax, "values a list, m", "error in counts", log="xy", legend={"fontsize": 6.5, "ncol": 2, "loc": "upper left"})
    ax.set_ylim(top=2e6)  # room for the legend

"""Hardt, Ligett, McSherry (2012) and chapter 5 of Hardt's thesis: selected against measured, theirs and ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np

import hushtable as ht
from hushtable.mechanisms.mwem.design import UNMEASURED
from papers._paper import Measured, Row, axis, line, panels, select
from papers.hardt2012.good_models import good_model
from papers.hardt2012.methods import (
    ParityClass,
    all_coefficients,
    as_published,
    best_fit,
    iterated,
    ours,
    relative_entropy,
)
from papers.hardt2012.optimised import HISTOGRAM, optimised
from papers.hardt2012.tables import PUBLISHED, Counts, nltcs
from papers.hardt2012.theorems import OVER, theorem_rows

__all__ = ["compute", "draw", "measure"]


class Runs(NamedTuple):
    """How often each way is run at an epsilon."""

    theirs: int
    ours: int


EPSILONS = tuple(Fraction(e) for e in ("0.05", "0.1", "0.2", "0.5", "1", "2", "4", "8"))
LARGE_EPSILONS = tuple(Fraction(e) for e in ("0.05", "0.1", "0.5", "1"))
# Rounds of the published algorithms: the source has 20, 30 and 40 for nltcs and says nothing of the small tables.
ROUNDS, LARGE_ROUNDS = (4, 8, 16), (20, 30, 40)
# Runs: of theirs as many as the source has, of ours fewer.
RUNS, LARGE_RUNS = Runs(theirs=100, ours=20), Runs(theirs=10, ours=3)
FEW, ONE = Runs(theirs=6, ours=6), Runs(theirs=1, ours=1)
ALL, ALL_FITTED = "all coefficients, again and again", "all coefficients, our fit"
PLAIN, ITERATED = "Algorithm 5.1", "iterated"
OPTIMISED, NO_HISTOGRAM = "optimised", "optimised, no histogram"
GOOD = "good model"
OURS, PAIRS, PAIRS_DELTA = "parities", "tables of two", "tables of two, delta 1e-6"
QUANTITY, SPREAD, NOISE = "relative entropy", "standard deviation of it", "noise of a coefficient"
DELTA = Fraction(1, 10**6)
NO_DATA = "skipped: no nltcs.csv.gz; set HUSHTABLE_DATA to its folder"
# Records, attributes and cells that are not zero, as printed.
TABLE = {"mildew": (70, 6, 22), "czech": (1841, 6, 63), "rochdale": (665, 8, 91), "nltcs": (21574, 16, 3152)}


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes few releases at few epsilons."""
    large = nltcs()
    for table in (*PUBLISHED, *([large] if large else [])):
        yield from shape(table)
    yield from selection_loss()
    yield from theorem_rows(PUBLISHED, (Fraction(1, 2), Fraction(4)) if fast else EPSILONS, 3 if fast else 20)
    for table in PUBLISHED:
        epsilons = (Fraction(1, 2), Fraction(4)) if fast else EPSILONS
        yield from compared(table, 3, epsilons, ROUNDS, FEW if fast else RUNS)
    if large:
        for order in (3,) if fast else (3, 2):
            epsilons = (Fraction(1, 10),) if fast else LARGE_EPSILONS
            yield from compared(large, order, epsilons, LARGE_ROUNDS, ONE if fast else LARGE_RUNS)


def shape(table: Counts) -> Iterator[Row]:
    """The entries of Table 5.1, and what no privacy at all and no data at all would give."""
    seen = (table.rows, len(table.attributes), int((table.counts > 0).sum()))
    for name, printed, found in zip(("records", "attributes", "cells"), TABLE[table.name], seen, strict=True):
        for whose, value in (("theirs", printed), ("ours", found)):
            yield Row(figure=table.name, whose=whose, method="Table 5.1", quantity=name, value=value)
    parities = ParityClass(table, 3)
    place: dict[str, Any] = {"figure": table.name, "whose": "naive", "quantity": QUANTITY, "k": 3, "n": table.rows}
    yield Row(method="uniform", value=relative_entropy(table, parities.uniform()), **place)
    if len(table.counts) < 1 << 12:
        yield Row(method="no privacy", value=relative_entropy(table, best_fit(parities, 500)), **place)
        yield Row(method=GOOD, value=good_model(table)[1], **place)


def selection_loss() -> Iterator[Row]:
    """Exact loss of choosing between two queries that one row moves by 1 in opposite directions, claimed 0.5.

    P = e^(s u) / (e^(s u) + e^(s v)): as printed s = e0 / 2 = 0.5, ours s = e0 / 4; log P / P' as v - u grows.
    """
    for whose, scale in (("theirs", 0.5), ("ours", 0.25)):
        for apart in (0, 4, 8, 12, 16):
            chances = [1 / (1 + exp(scale * gap)) for gap in (apart, apart + 2)]
            yield Row(figure="selection", whose=whose, method=f"scale {scale}", quantity="privacy loss", r=apart,
                      value=log(chances[0] / chances[1]), epsilon=0.5)  # fmt: skip


def compared(
    table: Counts, order: int, epsilons: Sequence[Fraction], rounds: Sequence[int], runs: Runs
) -> Iterator[Row]:
    """Relative entropy of all ways at each epsilon: mean and standard deviation over runs."""
    parities, workload = ParityClass(table, order), f"parities(order={order})"
    for epsilon in epsilons:
        place: dict[str, Any] = {"figure": table.name, "k": order, "n": table.rows, "epsilon": float(epsilon)}
        both = [all_coefficients(parities, epsilon, seed) for seed in range(runs.theirs)]
        yield from _spread(table, [one for one, _ in both], whose="theirs", method=ALL, **place)
        yield from _spread(table, [one for _, one in both], whose="ours", method=ALL_FITTED, **place)
        noise = sqrt(2) * float(parities.equal_noise(epsilon).per_group[1]) / table.rows
        yield Row(whose="theirs", method=ALL, quantity=NOISE, value=noise, **place)
        for many in rounds:
            for method, way in ((PLAIN, as_published), (ITERATED, iterated)):
                found = [way(parities, epsilon, many, seed) for seed in range(runs.theirs)]
                yield from _spread(table, found, whose="theirs", method=method, t=many, **place)
        for method, share in ((OPTIMISED, HISTOGRAM), (NO_HISTOGRAM, Fraction(0))):
            found = [optimised(parities, epsilon, seed, histogram=share) for seed in range(runs.theirs)]
            yield from _spread(table, found, whose="theirs", method=method, **place)
        # Tables of two are the same whatever the order of the others; they stand with the first, order 3.
        pairs = ((PAIRS, "marginals(width=2)", 0), (PAIRS_DELTA, "marginals(width=2)", DELTA)) if order == 3 else ()
        for method, asked, delta in ((OURS, workload, 0), *pairs):
            budget = ht.Budget(epsilon=epsilon, delta=delta)
            found = [ours(table, asked, budget, seed) for seed in range(runs.ours)]
            yield from _spread(table, found, whose="ours", method=method, **place)


def _spread(table: Counts, found: Sequence[Any], **place: Any) -> Iterator[Row]:
    values = [relative_entropy(table, one) for one in found]
    yield Row(quantity=QUANTITY, value=float(np.mean(values)), **place)
    yield Row(quantity=SPREAD, value=float(np.std(values)), **place)


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone; those on nltcs are skipped where the table is not at hand."""
    seen = best(rows)
    small = [place for place in seen[ALL] if place[0] != "nltcs"]
    strong, weak = [p for p in small if p[2] <= 1], [p for p in small if p[2] >= 1]
    return {
        "table": _printed(rows),
        "scale": Measured(_loss(rows, "theirs"), "of two queries that one row moves in opposite directions"),
        "scale-ours": Measured(_loss(rows, "ours"), "the same two queries"),
        "bound-pure": _bound(rows, "Theorem 5.2.11"),
        "bound-delta": _bound(rows, "Theorem 5.2.12"),
        "select": _largest(seen[ITERATED], seen[ALL], strong),
        "select-plain": _largest(seen[PLAIN], seen[ALL], [p for p in strong if p[2] <= 0.5]),
        "iterate": _largest(seen[ITERATED], seen[PLAIN], weak),
        "ours-plain": _largest(seen[OURS], seen[PLAIN], small),
        "ours-iterated": _largest(seen[OURS], seen[ITERATED], small),
        "ours-pairs": _largest(seen[PAIRS], seen[ITERATED], small),
        "rule": _rule(rows, seen, 3),
        "rule-pairs": _rule(rows, seen, 2),
        "optimised": _largest(seen[OPTIMISED], seen[ALL], [p for p in strong if p[2] <= 0.5]),
        "histogram": _least(seen[OPTIMISED], seen[NO_HISTOGRAM], small),
        "good-values": _least(seen[OPTIMISED], _good(rows, small), [p for p in small if p[2] <= 4]),
        "large-rounds": _more_rounds(rows),
    } | _large(seen)  # fmt: skip


Places = dict[tuple[str, int, float], float]


def best(rows: Sequence[Row]) -> dict[str, Places]:
    """Of every way, table by table, order and epsilon: the relative entropy with the best number of rounds."""
    found: dict[str, Places] = {}
    for row in select(rows, quantity=QUANTITY):
        if row.epsilon is not None and row.k is not None:
            own, place = found.setdefault(row.method, {}), (row.figure, row.k, row.epsilon)
            own[place] = min(own.get(place, row.value), row.value)
    return found


def _printed(rows: Sequence[Row]) -> Measured:
    theirs, mine = (select(rows, method="Table 5.1", whose=whose) for whose in ("theirs", "ours"))
    same = [a.value == b.value for a, b in zip(theirs, mine, strict=True)]
    return Measured(
        sum(same) / len(same), f"{len(same)} entries, of {', '.join(dict.fromkeys(r.figure for r in mine))}"
    )


def _loss(rows: Sequence[Row], whose: str) -> float:
    return max(row.value / row.epsilon for row in select(rows, figure="selection", whose=whose) if row.epsilon)


def _largest(above: Places, below: Places, places: Sequence[tuple[str, int, float]]) -> Measured:
    """The largest ratio of two ways."""
    ratios = {place: above[place] / below[place] for place in places}
    at = max(ratios, key=lambda place: ratios[place])
    return Measured(
        ratios[at], f"largest of {len(ratios)}, {at[0]} at epsilon {at[2]:g}; at best {min(ratios.values()):.2g}"
    )


def _bound(rows: Sequence[Row], theorem: str) -> Measured:
    """The largest error over what a theorem bounds it by."""
    found = select(rows, method=theorem, quantity=OVER)
    at = max(found, key=lambda row: row.value)
    return Measured(at.value, f"largest of {len(found)}, {at.figure} at epsilon {at.epsilon:g} with T = {at.t}")


def _least(above: Places, below: Places, places: Sequence[tuple[str, int, float]]) -> Measured:
    """The smallest ratio of two ways."""
    ratios = {place: above[place] / below[place] for place in places}
    at = min(ratios, key=lambda place: ratios[place])
    below_one = sum(ratio <= 1 for ratio in ratios.values())
    return Measured(ratios[at], f"{at[0]} at epsilon {at[2]:g}; at most 1 at {below_one} of {len(ratios)} places")


def _good(rows: Sequence[Row], places: Sequence[tuple[str, int, float]]) -> Places:
    """The relative entropy of the good model of each table."""
    values = {row.figure: row.value for row in select(rows, method=GOOD)}
    return {place: values[place[0]] for place in places}


def _more_rounds(rows: Sequence[Row]) -> Measured:
    """More rounds over fewer, on nltcs, where there is budget for them."""
    own = [r for r in select(rows, figure="nltcs", method=ITERATED, quantity=QUANTITY) if (r.epsilon or 0) >= 0.5]
    if not own:
        many = select(rows, figure="nltcs", method=ITERATED)
        return Measured(None, "skipped: such epsilons are computed in the full run only" if many else NO_DATA)
    values = {(r.k, r.epsilon, r.t): r.value for r in own}
    ratios = [values[k, e, more] / values[k, e, fewer] for k, e, t in values if t == LARGE_ROUNDS[0]
              for fewer, more in pairwise(LARGE_ROUNDS)]  # fmt: skip
    return Measured(max(ratios), f"largest of {len(ratios)}; at best {min(ratios):.2g}")


def _rule(rows: Sequence[Row], seen: dict[str, Places], order: int) -> Measured:
    """What it costs to measure everything where a coefficient has less noise than the plan's limit, else to select."""
    noise = {(row.figure, row.k, row.epsilon): row.value for row in select(rows, quantity=NOISE, k=order)}
    if not noise:
        return Measured(None, "skipped: order 2 is computed in the full run, where nltcs is at hand")
    taken = {place: seen[ALL if noise[place] < UNMEASURED else OURS][place] for place in noise}
    better = {place: min(seen[ALL][place], seen[OURS][place]) for place in noise}
    return _largest(taken, better, list(noise))


def _large(seen: dict[str, Places]) -> dict[str, Measured]:
    """The claims on nltcs."""
    large = {order: [p for p in seen[ALL] if p[:2] == ("nltcs", order)] for order in (2, 3)}
    full = Measured(None, "skipped: order 2 is computed in the full run only")
    names = ("large-three", "large-ours", "large-strong", "large-weak", "large-fitted")
    found = dict.fromkeys(names, Measured(None, NO_DATA))
    if large[3]:
        strong = [p for p in large[3] if p[2] <= 1]
        found |= {"large-three": _largest(seen[ITERATED], seen[ALL], strong)} | dict.fromkeys(names[2:], full)
        found["large-ours"] = _largest(seen[OURS], seen[ALL], strong)
    if large[2]:
        found["large-strong"] = _largest(seen[ITERATED], seen[ALL], [p for p in large[2] if p[2] <= 0.05])
        found["large-weak"] = _largest(seen[ALL], seen[ITERATED], [p for p in large[2] if p[2] >= 0.1])
        found["large-fitted"] = _largest(seen[ALL_FITTED], seen[OURS], large[2])
    return found


def draw(rows: Sequence[Row]) -> Any:
    """Five panels of relative entropy against epsilon."""
    shown = (("mildew", 3), ("czech", 3), ("rochdale", 3), ("nltcs", 3), ("nltcs", 2))
    sizes = {row.figure: row.n for row in rows if row.n}
    titles = [f"{i}  {name}, {_rows(sizes.get(name))}order {order}" for i, (name, order) in enumerate(shown, 1)]
    figure, axes = panels(3, 2, titles)
    for name, order in shown:
        mine = select(rows, figure=name)
        _draw_table(next(axes), [row for row in mine if row.k == order or row.method in (PAIRS, PAIRS_DELTA)])
    return figure


def _rows(many: int | None) -> str:
    return "" if many is None else f"{many:,} rows, "


COLORS = {ALL: "#d95f02", ALL_FITTED: "#e6ab02", PLAIN: "#8c510a", ITERATED: "#c51b7d", OPTIMISED: "#111111",
          NO_HISTOGRAM: "#777777", OURS: "#1f77b4", PAIRS: "#2ca02c", PAIRS_DELTA: "#9467bd"}  # fmt: skip


MARKS = {f", T = {t}": mark for t, mark in zip(LARGE_ROUNDS, "v^s", strict=True)}


def _draw_table(ax: Any, rows: Sequence[Row]) -> None:
    if not any(row.epsilon for row in rows):
        ax.text(0.5, 0.5, "not computed: no such table at hand", ha="center", transform=ax.transAxes)
        return
    for method, color in COLORS.items():
        for label, curve in _curves(select(rows, method=method, quantity=QUANTITY)).items():
            line(ax, curve, "epsilon", f"{curve[0].whose}, {method}{label}", color=color, marker=MARKS.get(label, "o"),
                 linestyle="--" if curve[0].whose == "theirs" else "-")  # fmt: skip
            points = sorted((row.epsilon or 0.0, row.value, _deviation(rows, row)) for row in curve)
            x, middle, spread = (np.array(column) for column in zip(*points, strict=True))
            # A logarithm has no place for what is below 0: at most four fifths downwards.
            low = np.maximum(middle - spread, middle / 5)
            ax.fill_between(x, low, middle + spread, color=color, alpha=0.12, linewidth=0)
    for row in select(rows, whose="naive"):
        ax.axhline(row.value, color="black", linewidth=1, linestyle=":" if row.method == "uniform" else "-")
        ax.annotate(row.method, (0.05, row.value), fontsize=8, va="bottom")
    axis(ax, "epsilon", "relative entropy (nats)", log="xy", legend={"loc": "upper right", "fontsize": 7, "ncol": 2},
         x_ticks=sorted({row.epsilon for row in rows if row.epsilon}))  # fmt: skip
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.3)


def _curves(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """By label: each number of rounds that figure 5.3 has, or the best at every epsilon."""
    rounds = sorted({row.t for row in rows if row.t})
    if rows and rows[0].figure == "nltcs" and rows[0].method == ITERATED:
        return {f", T = {t}": select(rows, t=t) for t in rounds}
    best_rows = [
        min(select(rows, epsilon=e), key=lambda row: row.value) for e in sorted({r.epsilon or 0.0 for r in rows})
    ]
    return {", best T" if len(rounds) > 1 else "": best_rows} if rows else {}


def _deviation(rows: Sequence[Row], of: Row) -> float:
    (found,) = select(rows, method=of.method, quantity=SPREAD, epsilon=of.epsilon, t=of.t)
    return found.value

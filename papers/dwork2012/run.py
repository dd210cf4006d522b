"""Dwork, Hardt, Pitassi, Reingold, Zemel (2012): fairness through awareness, as chapter 8 of Hardt's thesis has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, e, exp, log10
from typing import Any

import numpy as np

from hushtable import fair
from hushtable.fair.bias import bias_by_program
from hushtable.fair.metric import Floats, metric_from_matrix
from hushtable.fair.summary import between_groups
from papers._paper import Row, axis, line, panels, select
from papers.dwork2012.evils import EVILS, EXAMPLES, figure_8_2
from papers.dwork2012.measured import measure
from papers.dwork2012.worked import EARLIER, applicants, rules

__all__ = ["compute", "draw", "measure"]


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes fewer and smaller cases."""
    yield from worlds()
    yield from biases(10 if fast else 50)
    yield from divergences()
    yield from exponential(fast=fast)
    yield from packing()
    yield from mechanisms()
    yield from table(fast=fast)
    yield from dimensions()
    yield from two_steps()


def row(figure: str, method: str, quantity: str, value: float, **more: Any) -> Row:
    """A number of ours, unless said otherwise."""
    return Row(
        **({"figure": figure, "whose": "ours", "method": method, "quantity": quantity, "value": float(value)} | more)
    )


def worlds() -> Iterator[Row]:
    """Figure 8.2, the examples of 8.1.2 and the evils of 8.6.5: harm before and after."""
    for name, asked in (("plain", None), ("parity", 0.0)):
        rule = figure_8_2(asked)
        yield row("figure 8.2", name, "loss", rule.loss)
        yield row("figure 8.2", name, "bias", rule.bias("S", "T"))
        yield row("figure 8.2", name, "best constant", rule.solution.constant_loss)
        refused = 1 - np.array([rule.group_odds["S"][1], rule.group_odds["T"][1]])
        yield row("figure 8.2", name, "S shown ad0", refused[0])
        yield row("figure 8.2", name, "T shown ad0", refused[1])
    for figure, cases in (("examples", EXAMPLES), ("evils", EVILS)):
        for name, world in cases.items():
            yield row(figure, name, "parity gap", world.parity_gap((world.wish > 0).astype(float)), whose="theirs")
            yield row(figure, name, "harm before", world.free(), whose="theirs")
            yield row(figure, name, "harm after, tv", world.fair())
            yield row(figure, name, "harm after, inf", world.fair("inf"))


def random_metric(g: np.random.Generator, types: int) -> Floats:
    """Shortest paths of random lengths."""
    d = g.gamma(1.5, 0.4, size=(types, types))
    return metric_from_matrix(np.minimum(d, d.T) * (1 - np.eye(types))).matrix


def biases(count: int) -> Iterator[Row]:
    """Theorem 8.3.7 and Corollary 8.3.10 on random metrics and groups."""
    g = np.random.default_rng(1)
    for number in range(count):
        d = random_metric(g, 14) * (0.5, 1.0, 3.0)[number % 3]
        near = d / d.max()
        s, t = g.dirichlet(np.ones(14)), g.dirichlet(np.ones(14))
        known = {"n": 14, "r": number}
        yield row("bias", "program", "tv", bias_by_program(metric_from_matrix(d), s - t, "tv"), **known)
        yield row("bias", "program, d <= 1", "tv", bias_by_program(metric_from_matrix(near), s - t, "tv"), **known)
        yield row("bias", "earthmover, d <= 1", "tv", fair.earthmover(near, s, t), whose="theirs", **known)
        yield row("bias", "earthmover of min(d, 1)", "tv", fair.earthmover(np.minimum(d, 1), s, t), **known)
        yield row("bias", "earthmover of d", "tv", fair.earthmover(d, s, t), whose="theirs", **known)
        yield row("bias", "program", "inf", fair.worst_bias(d, s, t, "inf"), **known)
        yield row("bias", "earthmover of tanh(d/2)", "inf", fair.earthmover(np.tanh(d / 2), s, t), **known)
        yield row("bias", "earthmover of 1 - exp(-d)", "inf", fair.earthmover(1 - np.exp(-d), s, t), **known)


def divergences() -> Iterator[Row]:
    """Lemma 8.2.5 on random pairs of distributions, and on the two points where ours is reached."""
    g = np.random.default_rng(2)
    worst = [0.0, 0.0]
    for number in range(2000):
        p, q = g.dirichlet(np.full(2 + number % 4, 0.7), size=2) if number else ([0.7, 0.3], [0.3, 0.7])
        p, q = np.maximum(p, 1e-12), np.maximum(q, 1e-12)
        ratios, apart = np.abs(np.log(p / q)).max(), np.abs(p - q).sum() / 2
        worst = [max(worst[0], apart / (1 - exp(-ratios))), max(worst[1], apart / np.tanh(ratios / 2))]
    yield row("lemma 8.2.5", "1 - exp(-D)", "largest share of the bound", worst[0], whose="theirs")
    yield row("lemma 8.2.5", "tanh(D/2)", "largest share of the bound", worst[1])


def exponential(*, fast: bool) -> Iterator[Row]:
    """Lemma 8.5.2 on three metrics, and Theorem 8.5.5: the loss on grids that grow."""
    g = np.random.default_rng(3)
    line_up = np.concatenate([np.linspace(0, 0.01, 100), [3.0]])
    cases = {
        "cluster and outlier": np.abs(line_up[:, None] - line_up),
        "square, n = 200": fair.metric_from_points(g.random((200, 2)) * 10, 1.0).matrix,
        "square, n = 400": fair.metric_from_points(g.random((400, 2)) * 14, 1.0).matrix,
    }
    for name, d in cases.items():
        for method, c in (("c = 1", 1.0), ("c = 1/2", 0.5), ("calibrated", None)):
            made = fair.exponential(d, c)
            whose = "theirs" if c == 1.0 else "ours"
            yield row("exponential", f"{name}, {method}", "D_inf / d", made.ratio or 0.0, whose=whose, n=len(d))
            yield row("exponential", f"{name}, {method}", "loss", made.loss, whose=whose, n=len(d))
    for dimension in (1, 2):
        for side in (8, 16, 24) if fast else (8, 16, 24, 32):
            count = side if dimension == 2 else side * side
            grid = np.stack(np.meshgrid(*[np.arange(count)] * dimension), axis=-1).reshape(-1, dimension)
            made = fair.exponential(fair.metric_from_points(grid, 1.0), 0.5)
            yield row("grids", f"dimension {dimension}", "loss", made.loss, n=len(grid), d=dimension)
        yield row("grids", "whole lattice", "loss", _lattice(dimension), d=dimension)


def _lattice(dimension: int) -> float:
    """The loss with exp(-d/2) on all points with whole coordinates; those beyond 120 no longer count."""
    far = np.arange(-120, 121)
    away = np.sqrt(sum(x.astype(float) ** 2 for x in np.meshgrid(*[far] * dimension)))
    weight = np.exp(-away / 2)
    return float((weight * away).sum() / weight.sum())


def packing() -> Iterator[Row]:
    """Theorem 8.5.8 where its proof works: 4^k types, all k apart. The best rule is the same for all, so it is known.

    p = e^k / (e^k + 4^k - 1) stays, everybody else is as likely; loss k (1 - p). For small k the program agrees.
    """
    for k in range(1, 21):
        stays = exp(k) / (exp(k) + 4.0**k - 1)
        yield row("packing", "formula", "loss / k", 1 - stays, k=k)
        yield row("packing", "printed contradiction", "(4/e)^k / 20", (4 / e) ** k / 20, whose="theirs", k=k)
    for k in (1, 2):
        apart = k * (1 - np.eye(4**k))
        rule = fair.solve(apart, apart, divergence="inf", public=True, time_limit=600)
        yield row("packing", "program", "loss / k", rule.loss / k, k=k, n=4**k)
    # A cap of radius k on a sphere of radius 100 k in R^k: how many random points put 4^k of them into it.
    for k in (2, 8, 12):
        share = (1 / 200) ** (k - 1)
        yield row("packing", "points needed", "log10 n", log10(4.0**k / share), whose="theirs", k=k)
    g = np.random.default_rng(4)
    for n in (6, 10, 16, 24, 36):
        points = g.random((n, 2)) * 4
        metric = fair.metric_from_points(points, 1.0)
        best = fair.solve(metric.matrix, metric, divergence="inf", public=True, time_limit=600)
        yield row("types", "program", "loss", best.loss, n=n)
        yield row("types", "exponential, c = 1/2", "loss", fair.exponential(metric, 0.5).loss, n=n)
        yield row("types", "exponential, calibrated", "loss", fair.exponential(metric).loss, n=n)


def mechanisms() -> Iterator[Row]:
    """8.2.3: the best private mechanism for a count from 0 to 20, and the geometric one with the best remap."""
    counts = np.arange(21)
    loss = np.abs(counts[:, None] - counts[None, :]).astype(float)
    for epsilon in (0.5, 1.0):
        edges = [(i, i + 1, epsilon) for i in range(20)]
        rule = fair.solve(loss, fair.metric_from_edges(21, edges), divergence="inf", public=True, tol=1e-7)
        yield row("privacy", "program", "loss", rule.loss, epsilon=epsilon)
        chances = np.log(np.maximum(rule.odds, 1e-300))
        yield row("privacy", "program", "largest loss / epsilon", np.abs(np.diff(chances, axis=0)).max() / epsilon,
                  epsilon=epsilon)  # fmt: skip
        ratio = exp(-epsilon)
        sent = (1 - ratio) / (1 + ratio) * ratio**loss
        for end in (0, 20):
            sent[:, end] = ratio ** loss[:, end] / (1 + ratio)
        # Every answer is read as the count that loses least, all counts as likely before.
        remapped = (sent.T @ loss).min(axis=1).sum() / 21
        yield row("privacy", "geometric, remapped", "loss", remapped, epsilon=epsilon)


def table(*, fast: bool) -> Iterator[Row]:
    """The worked example, rule by rule, and its frontier."""
    found = rules(fast=fast)
    for name, rule in found.items():
        values = (rule.loss, float(rule.group_odds["S"][1]), float(rule.group_odds["T"][1]))
        for quantity, value, before in zip(("loss", "S", "T"), values, (*EARLIER[name], None, None), strict=False):
            yield row("table", name, quantity, value)
            if before is not None:
                yield row("earlier table", name, quantity, before)
        yield row("table", name, "bias", rule.bias("S", "T"))
        yield row("table", name, "mean excess", between_groups(rule, "S", "T")[0])
    yield row("table", "best constant", "loss", found["tv"].solution.constant_loss)
    yield row("earlier table", "best constant", "loss", EARLIER["best constant"][0])
    plain = found["tv"]
    for bound in (0.0, 0.02, 0.05, 0.1, 0.2, 0.33):
        for method, cross in (("every pair kept", None), ("pairs between groups dropped", np.inf)):
            made = fair.solve(
                plain.loss_table, plain.metric, groups=plain.groups, parity=bound, cross=cross, public=True
            )
            yield row("frontier", method, "loss", made.loss, bias=bound)


def dimensions() -> Iterator[Row]:
    """Definition 8.5.3 on random points of R^k."""
    g = np.random.default_rng(5)
    for k in (1, 2, 3, 4):
        found = fair.doubling_dimension(fair.metric_from_points(g.random((200, k)), 1.0))
        yield row("dimension", "cover", "doubling dimension", found.upper, k=k)
        yield row("dimension", "packing", "doubling dimension", found.lower, k=k)


def two_steps() -> Iterator[Row]:
    """Propositions 8.4.1 and 8.4.2, the two readings of (8.16), and remark 4, on a small vendor."""
    points, score, protected = applicants()
    some = np.arange(0, 240, 4)
    loss, metric = np.column_stack([score, 1 - score])[some], fair.metric_from_points(points[some], 2.0)
    groups = {"S": protected[some], "T": ~protected[some]}
    for name, opinion in (("loss L'", True), ("original loss", False)):
        rule = fair.solve(loss, metric, groups=groups, parity=0.0, method="earthmover", opinion=opinion, public=True)
        yield row("two steps", name, "loss", rule.loss)
        yield row("two steps", name, "bias", rule.bias("S", "T"))
        yield row("two steps", name, "mean excess", between_groups(rule, "S", "T")[0])
        yield row("two steps", name, "carried", rule.parameters["carried"])
    s, t = (members.astype(float) for members in groups.values())
    before = fair.earthmover(np.minimum(metric.matrix, 1), s, t)
    made = fair.adjust_metric(np.minimum(metric.matrix, 1), s, t, before / 2)
    yield row("two steps", "adjusted metric", "earthmover", made.earthmover / before)
    yield row("two steps", "adjusted metric", "pairs changed", len(made.brought_together) / comb(len(some), 2))


def draw(rows: Sequence[Row]) -> Any:
    """Six panels."""
    titles = (
        "1. Harm before and after (8.1.2, 8.6.5)",
        "2. Bias and its bounds, ratios (8.3)",
        "3. Loss against parity",
        "4. Exponential mechanism: D / d (8.5.2)",
        "5. 4^k types, k apart (8.5.8)",
        "6. Loss by number of types",
    )
    figure, axes = panels(2, 3, titles)
    _draw_evils(next(axes), rows)
    _draw_bias(next(axes), rows)
    ax = next(axes)
    for method in ("every pair kept", "pairs between groups dropped"):
        line(ax, select(rows, figure="frontier", method=method), "bias", method, marker="o")
    axis(ax, "largest difference between groups", "expected loss", log="")
    _draw_exponential(next(axes), rows)
    ax = next(axes)
    line(ax, select(rows, figure="packing", method="formula"), "k", "loss / k, every fair rule", marker="o")
    line(
        ax, select(rows, figure="packing", method="printed contradiction"), "k", "(4/e)^k / 20: above 1 it contradicts"
    )
    ax.axhline(1, color="#777777", linewidth=1)
    axis(ax, "k", "", log="y")
    ax = next(axes)
    for method in ("program", "exponential, c = 1/2", "exponential, calibrated"):
        line(ax, select(rows, figure="types", method=method), "n", method, marker="o")
    axis(ax, "number of types in a square of side 4", "expected loss", log="")
    return figure


def _draw_bias(ax: Any, rows: Sequence[Row]) -> None:
    exact = {r.r: r.value for r in select(rows, figure="bias", method="program", quantity="inf")}
    for method in ("earthmover of tanh(d/2)", "earthmover of 1 - exp(-d)", "earthmover of d"):
        bound = [(exact[r.r], r.value) for r in select(rows, figure="bias", method=method)]
        ax.plot(*zip(*bound, strict=True), "o", markersize=4, label=method)
    ends = [min(exact.values()), max(exact.values())]
    ax.plot(ends, ends, color="#777777", linewidth=1, label="exact")
    axis(ax, "largest bias of any rule", "bound", log="xy")


def _draw_exponential(ax: Any, rows: Sequence[Row]) -> None:
    shown = select(rows, figure="exponential", quantity="D_inf / d")
    ax.barh(
        [r.method for r in shown],
        [r.value for r in shown],
        color=["#d9822b" if r.whose == "theirs" else "#2f6f9f" for r in shown],
    )
    ax.axvline(1, color="#777777", linewidth=1, label="fair up to here")
    axis(ax, "largest D_inf / d", "", log="", legend={"loc": "lower right"})


def _draw_evils(ax: Any, rows: Sequence[Row]) -> None:
    names = [(r.figure, r.method) for r in rows if r.quantity == "harm before"]
    place = np.arange(len(names))[::-1]
    for offset, quantity, colour in (
        (0.25, "harm before", "#d9822b"),
        (0, "harm after, tv", "#2f6f9f"),
        (-0.25, "harm after, inf", "#9fc3dd"),
    ):
        values = [select(rows, figure=f, method=m, quantity=quantity)[0].value for f, m in names]
        ax.barh(place + offset, values, height=0.24, color=colour, label=quantity)
    ax.set_yticks(place, [f"{'ex.: ' if f == 'examples' else ''}{m}" for f, m in names], fontsize=8)
    axis(ax, "harm, from 0 to 1", "", log="", legend={"loc": "center right"})

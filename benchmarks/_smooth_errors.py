"""Error and coverage of smooth questions over many releases, against histograms and the source. Not private."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._smooth import PURE, ZCDP, domain, questions
from hushtable.maths.smooth.axes import Axis
from hushtable.maths.smooth.chebyshev import chebyshev_basis
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.maths.smooth.target import ExpressionTarget
from hushtable.models.smooth import SmoothModel
from hushtable.questions.answer import interval_factor

RELEASES = 60
KINDS = {
    "pure": ("rmse", "predicted", "covered", "covered-most", "histogram", "published"),
    "zcdp": ("rmse", "predicted", "covered", "covered-most", "histogram"),
}


def names_of(name: str) -> list[str]:
    """The figures that `errors` yields under a name."""
    return [f"{name}-{currency}-{kind}" for currency, kinds in KINDS.items() for kind in kinds]


def errors(
    name: str, columns: dict[str, np.ndarray], bounds: dict[str, tuple[float, float]], count: int, bars: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Not private: root mean square error and coverage of 95% intervals over many releases; two baselines."""
    shape = domain(bounds)
    vault = ht.Vault(pandas.DataFrame(columns), shape)
    rows = len(next(iter(columns.values())))
    axes = [Axis(column, *ends) for column, ends in bounds.items()]
    inside = {axis.name: axis.original(axis.scaled(columns[axis.name])) for axis in axes}
    asked = [ExpressionTarget(parse_expression(q.text, list(bounds))) for q in questions(bounds, count, 1)]
    truth = np.array([np.mean(evaluate(target.expression, inside)) for target in asked])
    histogram = best_histogram(axes, inside, asked, truth, rows)
    for currency, budget in (("pure", PURE), ("zcdp", ZCDP)):
        plan = ht.plan(shape, rows=rows, workload=ht.Smooth(tuple(bounds)), budget=budget)
        error, covered, predicted = simulate(vault, plan, axes, asked, truth)
        bar = bars[currency] or histogram[currency]
        what = f"{name}-{currency}"
        yield figure(f"{what}-rmse", error, f"root mean square error, {plan.mechanism}", baseline=bar,
                     ratio=error / bar, bar="ratio <= 1")  # fmt: skip
        yield figure(f"{what}-predicted", predicted, "predicted", baseline=error, ratio=predicted / error,
                     bar="ratio >= 0.85")  # fmt: skip
        yield figure(f"{what}-covered", covered, "share in 95% intervals", baseline=0.95, ratio=covered / 0.95,
                     bar="value >= 0.93")  # fmt: skip
        yield figure(f"{what}-covered-most", covered, "share in 95% intervals", baseline=0.95, ratio=covered / 0.95,
                     bar="value <= 0.98")  # fmt: skip
        yield figure(f"{what}-histogram", error, "against the best noisy histogram", baseline=histogram[currency],
                     ratio=histogram[currency] / error, bar="ratio >= 1")  # fmt: skip
        if currency == "pure":
            theirs = published(axes, inside, asked, truth, rows)
            yield figure(f"{what}-published", error, "against the source as published", baseline=theirs,
                         ratio=theirs / error, bar=f"ratio >= {100 if name.endswith('-2') else 40}")  # fmt: skip


def margin_of(synopsis: ht.Synopsis, names: list[str]) -> Any:
    assert isinstance(synopsis.model, SmoothModel)
    return synopsis.model.released[0].margin(names)


def simulate(
    vault: ht.Vault, plan: ht.Plan, axes: list[Axis], asked: list[ExpressionTarget], truth: np.ndarray
) -> tuple[float, float, float]:
    """Mean error and coverage over releases. Bias bounds do not depend on the noise and are computed once."""
    names = [axis.name for axis in axes]
    margin = margin_of(vault.release(plan, randomness=ht.Simulated(0)), names)
    values = [target.values(axes, margin.basis.points) for target in asked]
    fitted = [margin.basis.fit(v) for v in values]
    kept = np.ones(1)
    seen = [margin.mean(c, kept) for c in fitted]
    stderr, kurtosis = np.array([one.stderr for one in seen]), np.array([one.kurtosis for one in seen])
    bounded = zip(asked, values, fitted, stderr, strict=True)
    bias = np.array([t.bias(margin.basis, axes, v, c, s)[0] for t, v, c, s in bounded])
    half = bias + interval_factor(0.95, kurtosis) * stderr
    found, inside = [], []
    for seed in range(RELEASES):
        one = margin_of(vault.release(plan, randomness=ht.Simulated(1 + seed)), names)
        error = np.array([one.mean(c, kept).value for c in fitted]) - truth
        found.append(sqrt((error**2).mean()))
        inside.append((np.abs(error) <= half).mean())
    return float(np.sqrt(np.mean(np.square(found)))), float(np.mean(inside)), sqrt((stderr**2).mean())


def best_histogram(
    axes: list[Axis], inside: dict[str, np.ndarray], asked: list[ExpressionTarget], truth: np.ndarray, rows: int
) -> dict[str, float]:
    """The least error of a noisy histogram over grids, chosen in hindsight: values at bin middles, known total."""
    x = [axis.scaled(inside[axis.name]) for axis in axes]
    rho = float(ZCDP.price.amount)
    noise = {"pure": 2 * sqrt(2) / rows, "zcdp": 1 / sqrt(rho) / rows}
    best = dict.fromkeys(noise, np.inf)
    for bins in (8, 12, 16, 20, 24, 32, 48, 64, 96) if len(axes) <= 2 else (6, 8, 12, 16, 20, 24, 32):
        middles = (np.arange(bins) + 0.5) * 2 / bins - 1
        counts = np.histogramdd(np.array(x).T, bins=bins, range=[(-1, 1)] * len(axes))[0] / rows
        values = [target.values(axes, middles) for target in asked]
        bias = np.array([(v * counts).sum() for v in values]) - truth
        length = np.array([sqrt(((v - v.mean()) ** 2).sum()) for v in values])
        for currency, one in noise.items():
            best[currency] = min(best[currency], sqrt(((one * length) ** 2 + bias**2).mean()))
    return best


def published(
    axes: list[Axis], inside: dict[str, np.ndarray], asked: list[ExpressionTarget], truth: np.ndarray, rows: int
) -> float:
    """The source's mechanism: t by its rule for K = 2, Laplace noise of scale 2 t^d / (n epsilon), its operator."""
    from hushtable.mechanisms.published.smooth_paper import published_degrees

    d = len(axes)
    t = published_degrees(rows, 1.0, d, 2)
    basis = chebyshev_basis(t, d, 2)
    tables = [basis.at(axis.scaled(inside[axis.name])) for axis in axes]
    moments = np.einsum("ri,rj->ij" if d == 2 else "ri,rj,rk->ijk", *tables, optimize=True) / rows
    squares = []
    for target, true in zip(asked, truth, strict=True):
        c = basis.fit(target.values(axes, basis.points))
        length = (c**2).sum() - c.flat[0] ** 2
        squares.append(2 * (2 * t**d / rows) ** 2 * length + ((c * moments).sum() - true) ** 2)
    return sqrt(np.mean(squares))

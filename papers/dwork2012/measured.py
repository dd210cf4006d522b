"""Fairness through awareness: our number for every claim of the source, from the rows of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hushtable.fair.metric import Floats
from papers._paper import Measured, Row, select, slope

__all__ = ["measure"]


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone."""
    found = {"posterior": _ours(_posterior(0.01), "parity 0.01, an outcome that only one group gets")}
    for part in (_of_worlds, _of_biases, _of_exponential, _of_two_steps, _of_packing, _of_tables):
        found |= part(rows)
    return found | {"frontier": _frontier(rows)}


def _ours(value: float, note: str = "") -> Measured:
    return Measured(float(value), note)


def _one(rows: Sequence[Row], figure: str, method: str, quantity: str, **more: Any) -> float:
    return select(rows, figure=figure, method=method, quantity=quantity, **more)[0].value


def _of_worlds(rows: Sequence[Row]) -> dict[str, Measured]:
    harms = {r.method: r.value for r in select(rows, figure="evils", quantity="harm after, tv")}
    stopped = [value for name, value in harms.items() if name != "cutting off a segment"]
    gaps = [r.value for r in select(rows, figure="examples", quantity="parity gap")]
    before = [r.value for r in select(rows, figure="examples", quantity="harm before")]
    loss, constant = (_one(rows, "figure 8.2", "parity", what) for what in ("loss", "best constant"))

    def after(example: str, distance: str) -> float:
        return _one(rows, "examples", example, f"harm after, {distance}")

    return {
        "figure-collapse": _ours(loss / constant),
        "figure-bias": _ours(_one(rows, "figure 8.2", "plain", "bias")),
        "figure-hostile": _ours(_one(rows, "figure 8.2", "plain", "S shown ad0"), "of T a tenth"),
        "parity-holds": _ours(max(gaps), f"harm before: {', '.join(f'{value:g}' for value in before)}"),
        "example-1": _ours(after("reduced utility", "tv")),
        "example-2": _ours(after("self-fulfilling prophecy", "tv")),
        "example-3": _ours(after("subset targeting", "inf"), "by ratios"),
        "example-3-tv": _ours(after("subset targeting", "tv"), "a click still tells all"),
        "evils-stopped": _ours(max(stopped), f"{len(stopped)} of 6, each 1 before"),
        "evil-segment": _ours(harms["cutting off a segment"], "the metric itself sets the segment apart"),
    }


def _of_biases(rows: Sequence[Row]) -> dict[str, Measured]:
    def seen(method: str, **more: Any) -> Floats:
        return np.array([r.value for r in select(rows, figure="bias", method=method, **more)])

    tv, inf = (seen("program", quantity=quantity) for quantity in ("tv", "inf"))
    cut, whole = seen("earthmover of min(d, 1)"), seen("earthmover of d")
    tangent, less = seen("earthmover of tanh(d/2)"), seen("earthmover of 1 - exp(-d)")
    share = "largest share of the bound"
    return {
        "bias-upper": _ours(float((tv / whole).max())),
        "bias-equality": _ours(float(np.abs(seen("program, d <= 1") - seen("earthmover, d <= 1")).max())),
        "bias-any": _ours(float(np.abs(tv - cut).max()), "also beyond d = 1"),
        "bias-inf": _ours(float((inf / whole).max())),
        "bias-tanh": _ours(float((inf / tangent).max())),
        "bias-sharper": _ours(float(np.mean(tangent / less))),
        "lemma-825": _ours(_one(rows, "lemma 8.2.5", "1 - exp(-D)", share)),
        "lemma-825-sharp": _ours(_one(rows, "lemma 8.2.5", "tanh(D/2)", share)),
    }


def _of_exponential(rows: Sequence[Row]) -> dict[str, Measured]:
    lattice = {r.d: r.value for r in select(rows, figure="grids", method="whole lattice")}
    grids = [r.value / lattice[r.d] for r in select(rows, figure="grids") if r.method != "whole lattice"]
    halves = [r.value for r in rows if r.method.endswith("c = 1/2") and r.quantity == "D_inf / d"]
    return {
        "exponential-ratio": _ours(_one(rows, "exponential", "cluster and outlier, c = 1", "D_inf / d")),
        "exponential-square": _ours(_one(rows, "exponential", "square, n = 200, c = 1", "D_inf / d")),
        "exponential-half": _ours(max(halves)),
        "exponential-loss": _ours(max(grids), f"loss on the lattice: {lattice[1]:.3g} and {lattice[2]:.3g}"),
    }


def _of_two_steps(rows: Sequence[Row]) -> dict[str, Measured]:
    def seen(method: str, quantity: str) -> float:
        return _one(rows, "two steps", method, quantity)

    changed = f"{seen('adjusted metric', 'pairs changed'):.0%} of the pairs changed"
    return {
        "two-step-parity": _ours(seen("loss L'", "bias")),
        "two-step-excess": _ours(seen("loss L'", "mean excess") / seen("loss L'", "carried")),
        "two-step-loss": _ours(seen("original loss", "loss") - seen("loss L'", "loss")),
        "adjusted": _ours(seen("adjusted metric", "earthmover"), changed),
    }


def _of_packing(rows: Sequence[Row]) -> dict[str, Measured]:
    printed, formula, solved = (
        {r.k: r.value for r in select(rows, figure="packing", method=method)}
        for method in ("printed contradiction", "formula", "program")
    )
    return {
        "packing-k2": _ours(printed[2]),
        "packing-k8": _ours(printed[8]),
        "packing-linear": _ours(min(formula[k] for k in range(8, 21))),
        "packing-program": _ours(max(abs(solved[k] - formula[k]) for k in solved), f"k up to {max(solved)}"),
    }


def _of_tables(rows: Sequence[Row]) -> dict[str, Measured]:
    def loss(method: str, epsilon: float) -> float:
        return _one(rows, "privacy", method, "loss", epsilon=epsilon)

    far = [r.value / s.value for r, s in _table_pairs(rows)]
    covers = {r.k: r.value for r in select(rows, figure="dimension", method="cover")}
    apart = max(abs(loss("program", x) - loss("geometric, remapped", x)) for x in (0.5, 1.0))
    fitted = f"{len(far)} figures, to sixteen of which the constants were fitted"
    exponent = slope(list(covers), [covers[k] for k in covers])
    lost = [_one(rows, "privacy", "program", "largest loss / epsilon", epsilon=x) for x in (0.5, 1.0)]
    return {
        "privacy": _ours(max(lost), f"mean absolute errors {loss('program', 0.5):.4f} and {loss('program', 1.0):.4f}"),
        "privacy-geometric": _ours(apart),
        "table": _ours(max(abs(value - 1) for value in far), fitted),
        "dimension": _ours(exponent, ", ".join(f"k = {k}: {cover:g}" for k, cover in covers.items())),
    }


def _table_pairs(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    earlier = select(rows, figure="earlier table")
    return [(select(rows, figure="table", method=t.method, quantity=t.quantity)[0], t) for t in earlier]


def _posterior(parity: float) -> float:
    """Two outcomes, mu_S = (1 - parity, parity), mu_T = (1, 0): the gap between posteriors at equal priors."""
    return abs(parity - 0.0) / (parity + 0.0)


def _frontier(rows: Sequence[Row]) -> Measured:
    """Loss of the two steps over that of one program with no more slack between the groups."""
    if not select(rows, figure="table", method="two steps"):
        return Measured(None, "skipped: the two steps take longer; run without --fast")
    one, two = (select(rows, figure="table", whose="ours", method=m, quantity="loss")[0].value
                for m in ("penalty 0.2", "two steps"))  # fmt: skip
    return _ours(two / one, "loss of two steps over that of one program with penalty 0.2")

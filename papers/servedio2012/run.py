"""Hardt, Rothblum, Servedio 2012: private data release via learning thresholds, as chapter 7 of the thesis has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from papers._paper import Measured, Row, select, slope
from papers.servedio2012.checks import constant_rows, degree_rows, route_rows, tree_rows
from papers.servedio2012.learning import (
    ALL,
    BEYOND,
    ERROR,
    FOURIER,
    HALF,
    KEPT,
    all_width_rows,
    boosting_rows,
    circuit_rows,
    conjunction_rows,
    parity_rows,
    sieve_rows,
)
from papers.servedio2012.pictures import draw
from papers.servedio2012.released import INSIDE, released_rows

__all__ = ["compute", "draw", "measure"]


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes fewer seeds, smaller tables and fewer widths."""
    yield from constant_rows()
    yield from route_rows()
    for part in (
        degree_rows,
        tree_rows,
        conjunction_rows,
        all_width_rows,
        boosting_rows,
        sieve_rows,
        parity_rows,
        circuit_rows,
    ):
        yield from part(fast=fast)
    yield from released_rows(fast=fast)


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone."""
    return _reduction(rows) | _polynomials(rows) | _learners(rows) | _fourier(rows)


def _reduction(rows: Sequence[Row]) -> dict[str, Measured]:
    """Theorems 7.1.1 to 7.3.10: constants, the oracle and the aggregation."""
    needs = select(rows, figure="constants", method="Theorem 7.3.10", quantity="n")
    formulas = {(r.d, r.k): r.value for r in select(rows, figure="formulas", quantity="formula")}
    questions = {(r.d, r.k): r.value for r in select(rows, figure="formulas", quantity="questions")}
    above = [place for place in formulas if formulas[place] > questions[place]]
    fails = {r.method: r.value for r in select(rows, figure="oracle")}
    near = select(rows, figure="spacing")
    stop = {r.bias: r.value for r in select(rows, figure="early stop")}
    calls = select(rows, figure="counter", method="calls")
    return {
        "rows-needed": Measured(min(r.value for r in needs), f"{needs[1].value:.2g} for d = 30"),
        "rows-improved": Measured(
            _one(rows, "constants", "Theorem 7.2.8", "n", d=16) / needs[0].value, "k = 30 thresholds, and a logarithm"
        ),
        "formula-above": Measured(
            len(above) / len(formulas),
            f"of {len(formulas)} pairs of d and w; below it for {sorted(set(formulas) - set(above))}",
        ),
        "oracle-agrees": Measured(fails["constant 30"], "500 questions, the chance of any wrong label"),
        "oracle-ours": Measured(fails["constant 3"], "the same at a tenth of the rows"),
        "aggregation": _largest(rows, "printed"),
        "aggregation-mended": _largest(rows, "counted"),
        "aggregation-robust": _largest(rows, "counted, nearest wrong"),
        "spacing": Measured(
            max(r.value for r in near if r.whose == "theirs"),
            f"two for alpha = {min((r.bias or 0) for r in near if r.value > 1):g} and above",
        ),
        "spacing-mended": Measured(
            max(r.value for r in near if r.whose == "ours"), f"{len(near) // 2} values of alpha"
        ),
        "counter": Measured(
            min(r.value for r in calls), f"{min(r.value for r in calls):.3f} to {max(r.value for r in calls):.3f}"
        ),
        "counter-mended": Measured(min(r.value for r in select(rows, figure="counter", whose="ours")), "of all calls"),
        "early-stop": Measured(stop[0.1], f"{stop[0.025]:.3f} where a quarter of that share has a label"),
    }


def _polynomials(rows: Sequence[Row]) -> dict[str, Measured]:
    """Section 7.4.1."""
    least = select(rows, figure="degree", method="least")
    printed = {(r.k, r.n): r.value for r in select(rows, figure="degree", method="printed (7.14)")}
    few = [r for r in least if r.n == 10]
    trivial = [value / place[0] for place, value in printed.items()]
    return {
        "ptf-width": Measured(
            slope([r.k or 1 for r in few], [r.value for r in few]),
            f"{few[0].value:g} to {few[-1].value:g} for w = {few[0].k} to {few[-1].k}, n = 10",
        ),
        "ptf-constant": _worst(least, lambda r: r.value / np.sqrt((r.k or 1) * np.log(3 * (r.n or 1)))),
        "ptf-signs": _worst(select(rows, figure="signs"), lambda r: r.value),
        "ptf-printed": Measured(max(trivial), f"{min(trivial):.2g} to {max(trivial):.2g} of the exact degree w"),
        "tree-rank": _worst(select(rows, figure="rank", quantity="rank over its bound"), lambda r: r.value),
        "tree-leaves": _worst(select(rows, figure="rank", quantity="leaf width over r"), lambda r: r.value),
        "tree-list": _worst(select(rows, figure="rank", quantity="bits of a rule over rank"), lambda r: r.value),
        "all-signs": _worst(select(rows, figure="all widths", quantity="wrong signs"), lambda r: r.value),
        "all-larger": _worst(select(rows, figure="all widths", quantity="degree over the larger"), lambda r: r.value),
        "all-sum": _worst(select(rows, figure="all widths", quantity="degree over the sum"), lambda r: r.value),
        "all-degree": _worst(
            select(rows, figure="all widths", quantity="least degree over the formula"), lambda r: r.value
        ),
    }


def _learners(rows: Sequence[Row]) -> dict[str, Measured]:
    """PrivLearn, releases and boosting."""
    beyond = select(rows, figure="conjunctions", quantity=BEYOND)
    boosting = select(rows, figure="boosting")
    by = {(r.quantity, r.r): r.value for r in boosting}
    measured = select(boosting, method="all measured")[0].value
    released = _means(select(rows, figure="released conjunctions", quantity=ERROR))
    inside = [r.value for r in rows if r.quantity == INSIDE and r.method.startswith("privlearn")]
    best = min(value for method, value in released.items() if method != "learned")
    return {
        "privlearn-accurate": _worst(beyond, lambda r: r.value),
        "all-widths": _worst(select(rows, figure="widths together", quantity=BEYOND), lambda r: r.value),
        "privlearn-w3-05": _error(rows, 3, 16, 0.05),
        "privlearn-w3-02": _error(rows, 3, 16, 0.02),
        "privlearn-w5-05": _error(rows, 5, 16, 0.05),
        "privlearn-w5-02": _error(rows, 5, 16, 0.02),
        "regression": _regression(rows),
        "released": Measured(best / released["learned"], ", ".join(f"{m}: {v:.4f}" for m, v in released.items())),
        "released-inside": Measured(min(inside), f"of {len(inside)} releases, largest {max(inside):.3f}"),
        "boosted": Measured(
            by["largest error, boosted", 3],
            f"one base {by['largest error, one base', 3]:.4f}; right "
            f"on {by['least weight that a base is right on', 3]:.2f} of the weight at least",
        ),
        "boosted-weak": Measured(
            by["least weight that a base is right on", 2],
            "base of degree 2: largest error "
            f"{by['largest error, one base', 2]:.4f}, "
            f"boosted {by['largest error, boosted', 2]:.4f}",
        ),
        "boosted-direct": Measured(
            by["largest error, boosted", 3] / measured,
            f"{measured:.4f} where all are, on {select(boosting, method='all measured')[0].n:,} rows",
        ),
        "boosted-cost": Measured(
            _one(rows, "boosting cost", "boosted", "rho of the draws at 50,000 rows") / 0.02436,
            "142,506 questions, 15 rounds of 500",
        ),
        "boosted-rows": Measured(_one(rows, "boosting cost", "boosted", "rows where draws cost half"), "of the same"),
    }


def _fourier(rows: Sequence[Row]) -> dict[str, Measured]:
    """Section 7.5."""
    sieve = select(rows, figure="sieve")
    errors = _means(select(sieve, quantity=ERROR))
    flat, skew = (_means(select(rows, figure=f"parities {kind}", quantity=ERROR)) for kind in ("flat", "skewed"))
    degrees = {r.k: r.value for r in select(rows, figure="circuits by degree", quantity=ERROR)}
    enough = min(k for k, value in degrees.items() if k is not None and value <= 0.01)
    made = select(rows, figure="circuits", t=500)
    released = _means(select(rows, figure="released circuits", quantity=ERROR))
    low = _means(select(made, quantity=ERROR))[FOURIER]
    coefficients = _one(rows, "circuits by degree", "no noise, every question", "coefficients", k=enough)
    return {
        "sieve": _worst(select(sieve, quantity=BEYOND), lambda r: r.value),
        "sieve-histogram": Measured(
            errors["Harmonic Sieve"] / errors[KEPT],
            f"{errors['Harmonic Sieve']:.4f} against {errors[KEPT]:.4f}; one half {errors[HALF]:.4f}",
        ),
        "fourier-rows": _worst(select(sieve, method="coefficients"), lambda r: r.value),
        "heavy-rows": _worst(select(sieve, method="Kushilevitz, Mansour"), lambda r: r.value),
        "parities-flat": Measured(flat[KEPT], _beside(flat)),
        "parities-skewed": Measured(skew[KEPT], _beside(skew)),
        "circuits": Measured(float(np.mean([r.value for r in select(made, quantity=BEYOND)])), f"mean error {low:.4f}"),
        "circuits-degree": Measured(
            float(enough), f"{coefficients:,.0f} of 65,536 coefficients; degree 3 leaves {degrees[3]:.4f}"
        ),
        "circuits-rows": Measured(low / released["learned"], f"{low:.4f} against {released['learned']:.4f}"),
    }


def _beside(errors: dict[str, float]) -> str:
    return f"one half {errors[HALF]:.4f}, all cells {errors['histogram, all cells']:.4f}"


def _one(rows: Sequence[Row], figure: str, method: str, quantity: str, **more: Any) -> float:
    return select(rows, figure=figure, method=method, quantity=quantity, **more)[0].value


def _worst(rows: Sequence[Row], of: Callable[[Row], float]) -> Measured:
    values = [float(of(row)) for row in rows]
    return Measured(max(values), f"largest of {len(values)}, least {min(values):.3g}")


def _largest(rows: Sequence[Row], method: str) -> Measured:
    return _worst(select(rows, figure="aggregation", method=method), lambda row: row.value)


def _means(rows: Sequence[Row]) -> dict[str, float]:
    """By method, over seeds."""
    return {method: float(np.mean([r.value for r in rows if r.method == method])) for method in
            dict.fromkeys(r.method for r in rows)}  # fmt: skip


def _error(rows: Sequence[Row], w: int, d: int, alpha: float) -> Measured:
    own = [
        r.value for r in select(rows, figure="conjunctions", method="PrivLearn", quantity=ERROR, d=d, k=w, bias=alpha)
    ]
    return Measured(float(np.mean(own)), ", ".join(f"{value:.4f}" for value in own))


def _regression(rows: Sequence[Row]) -> Measured:
    """One regression on the same products against PrivLearn at alpha = 0.05, the worst setting."""
    ratios = {}
    for d, w in dict.fromkeys((r.d, r.k) for r in select(rows, figure="conjunctions")):
        ours = _means(select(rows, figure="conjunctions", d=d, k=w, method=ALL))[ALL]
        theirs = select(rows, figure="conjunctions", d=d, k=w, method="PrivLearn", quantity=ERROR, bias=0.05)
        ratios[f"d = {d}, w = {w}"] = ours / float(np.mean([r.value for r in theirs]))
    return Measured(max(ratios.values()), ", ".join(f"{place}: {value:.2f}" for place, value in ratios.items()))

"""Statements that can be checked without noise: the oracle, the aggregation, polynomials and trees.

Not private: small simulated tables, every question of which is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushtable.maths.learning.and_polynomials import best_and, degree_of, printed_and, threshold_margin
from hushtable.maths.learning.polynomial_predictor import counted_thresholds
from hushtable.maths.learning.privlearn import thresholds
from hushtable.maths.learning.products import products_of
from hushtable.maths.learning.rank_trees import decision_list, rank_bound, rank_tree, tree_threshold
from hushtable.maths.learning.threshold_oracle import ThresholdOracle
from papers._paper import Row
from papers.servedio2012.bounds import (
    all_widths,
    ambiguous,
    at_once,
    early_stop,
    oracle_fails,
    privlearn_rows,
    width_bound,
)
from papers.servedio2012.simulated import survey

__all__ = ["ALPHAS", "constant_rows", "degree_rows", "route_rows", "tree_rows"]

Integers = NDArray[np.int64]
ALPHAS = (0.02, 0.05, 0.1, 0.25, 0.45, 0.6, 1.0)
WHOSE: dict[bool, Any] = {True: "theirs", False: "ours"}
MANY, FEW, BETA, GAMMA = 500, 20, 0.05, 0.1


def constant_rows() -> Iterator[Row]:
    """The rows that are needed, with the constants of the source and with those that suffice."""
    for d, products in ((16, 137), (30, 466)):
        for improved in (False, True):
            needs = privlearn_rows(columns=d, width=3, alpha=0.1, gamma=GAMMA, beta=BETA, products=products,
                                   improved=improved)  # fmt: skip
            for quantity, value in needs.items():
                yield Row(figure="constants", whose="theirs", quantity=quantity, value=value, d=d, k=3, epsilon=1.0,
                          method="Theorem 7.3.10" if improved else "Theorem 7.2.8", bias=0.1)  # fmt: skip
    for constant in (30.0, 3.0):
        yield Row(figure="oracle", whose="theirs" if constant > 3 else "ours", method=f"constant {constant:g}", t=MANY,
                  quantity="chance of a wrong label", value=oracle_fails(constant, MANY, BETA))  # fmt: skip
    for share in (GAMMA, 4 * GAMMA, GAMMA / 4):
        yield Row(figure="early stop", whose="theirs", method="Lemma 7.3.5", quantity="chance to stop", bias=share,
                  t=MANY, value=early_stop(share, GAMMA, MANY))  # fmt: skip
    for d in (16, 30, 100, 1000, 10_000):
        for w in (w for w in (3, 5, 10, 20) if 2 * w <= d):
            place: dict[str, Any] = {"figure": "formulas", "d": d, "k": w, "bias": 0.05}
            yield Row(
                whose="theirs", method="Theorem 7.1.2", quantity="formula", value=width_bound(d, w, 0.05), **place
            )
            yield Row(whose="naive", method="all measured", quantity="questions", value=at_once(d, w), **place)
        yield Row(figure="formulas", whose="theirs", method="Theorem 7.1.4", quantity="log2 of the formula", d=d,
                  value=all_widths(d, 0.05), bias=0.05)  # fmt: skip


def route_rows() -> Iterator[Row]:
    """The thresholds, their aggregation and their count, with exact labels."""
    exact = np.linspace(0, 1, 10_001)
    for alpha in ALPHAS:
        for printed in (True, False):
            yield Row(figure="spacing", whose=WHOSE[printed], method=WHOSE[printed], bias=alpha,
                      quantity="thresholds too near one answer", value=ambiguous(alpha, printed=printed))  # fmt: skip
        k, cells = ceil(3 / alpha), thresholds(alpha)
        printed_passed = exact[:, None] >= np.arange(1, k + 1) / (k + 1)
        first = np.array([_first_crossing(line) for line in printed_passed]) / (k + 1)
        yield _largest("theirs", "printed", alpha, (first - exact) / alpha)
        passed = exact[:, None] >= np.arange(1, cells) / cells
        yield _largest("ours", "counted", alpha, (counted_thresholds(passed, cells) - exact) * cells)
        flipped = passed.copy()
        nearest = np.abs(exact[:, None] - np.arange(1, cells) / cells).argmin(axis=1)
        flipped[np.arange(len(exact)), nearest] ^= True
        yield _largest("ours", "counted, nearest wrong", alpha, (counted_thresholds(flipped, cells) - exact) * cells)
        for method, answered in (("calls", _answered_by_calls(k)), ("different questions", _answered(k))):
            yield Row(figure="counter", whose="theirs" if method == "calls" else "ours", method=method, bias=alpha,
                      quantity="share of calls answered", value=answered)  # fmt: skip


def _answered_by_calls(k: int) -> float:
    """Of k b_iter calls by an oracle that ends after b_total = 2 b_iter calls, as Figure 7.1 counts."""
    calls = [j for j in range(k * FEW) if j + 1 <= 2 * FEW]
    return len(calls) / (k * FEW)


def _answered(k: int) -> float:
    """The same calls to an oracle of b_iter different questions."""
    oracle = ThresholdOracle(lambda question: float(question[0]) / FEW, most=FEW, tolerance=0.01)
    answered = 0
    for number in range(k):
        for question in range(FEW):
            answered += oracle.label(np.array([question]), number / k) in (-1, 0, 1)
    return answered / (k * FEW)


def _first_crossing(passed: NDArray[np.bool_]) -> int:
    """The smallest i with h_i = 1 and h_(i-1) = 0, where h_0 = 0 and h_(k+1) = 1, as Figure 7.2 has it."""
    with_ends = [False, *passed.tolist(), True]
    return next(i for i in range(1, len(with_ends)) if with_ends[i] and not with_ends[i - 1])


def _largest(whose: str, method: str, alpha: float, off: NDArray[np.float64]) -> Row:
    return Row(figure="aggregation", whose=whose, method=method, quantity="largest error", bias=alpha,
               value=float(np.abs(off).max()))  # fmt: skip


def degree_rows(*, fast: bool) -> Iterator[Row]:
    """Claim 7.4.4 and Lemma 7.4.3: degrees by width and rows, and signs at every question."""
    for w in (9, 16, 36, 64) if fast else (4, 9, 16, 25, 36, 64, 100, 144):
        for n in (10, 1000) if fast else (3, 10, 100, 1000, 10_000, 100_000):
            worst = Fraction(1, 3 * n)
            made = {"least": best_and(w, worst), "printed (7.14)": printed_and(w, worst)}
            for method, polynomial in made.items():
                assert polynomial.worst <= worst
                yield Row(figure="degree", whose="theirs", method=method, quantity="degree", k=w, n=n,
                          value=polynomial.degree)  # fmt: skip
    d, w = 9, 5
    for seed, n in ((1, 8), (2, 20)):
        rows, questions = survey(seed, d, n), _every(d)
        few = questions[questions.sum(axis=1) <= w]
        polynomial = best_and(w, Fraction(1, 3 * n))
        wrong = [_wrong(rows, count, threshold_margin(rows, count, polynomial, few), few) for count in (1, 2, n // 2)]
        yield Row(figure="signs", whose="theirs", method="Lemma 7.4.3", quantity="wrong signs", d=d, k=w, n=n,
                  value=float(np.mean(wrong)), r=seed)  # fmt: skip


def tree_rows(*, fast: bool) -> Iterator[Row]:
    """Lemmas 7.4.8 and 7.4.9: ranks against their bound, signs at every question, and degrees."""
    for seed in (1,) if fast else (1, 2, 3):
        for d, n, r in ((12, 60, 4), (14, 100, 5), (16, 100, 6)):
            rows = (np.random.default_rng(seed).random((n, d)) < 0.4).astype(np.int64)
            tree = rank_tree(rows, r)
            rules = decision_list(tree)
            open_zeros = max((_width(rows, rule.leaf.rows, rule.leaf.closed) for rule in rules), default=0)
            for quantity, value in (("rank over its bound", tree.rank / rank_bound(d, r, n)), ("leaf width over r",
                                    open_zeros / r), ("bits of a rule over rank",
                                    max(len(rule.when) for rule in rules) / max(tree.rank, 1))):  # fmt: skip
                yield Row(figure="rank", whose="theirs", method="Lemma 7.4.8", quantity=quantity, value=value, d=d, k=r,
                          n=n, r=seed)  # fmt: skip
    for d, n, r in ((6, 8, 2), (8, 12, 3)) if fast else ((6, 8, 2), (8, 12, 3), (8, 20, 2), (9, 12, 4)):
        rows, questions = (np.random.default_rng(0).random((n, d)) < 0.5).astype(np.int64), _every(d)
        for count in (1, 2, 4):
            made = tree_threshold(rows, count, r)
            values = made.values(questions)
            larger = max(made.rank, made.polynomial.degree)
            place: dict[str, Any] = {"figure": "all widths", "whose": "theirs", "d": d, "n": n, "k": r, "t": count}
            for quantity, value in (("wrong signs", _wrong(rows, count, values, questions)),
                                    ("degree over the larger", degree_of(values) / larger),
                                    ("degree over the sum", degree_of(values) / (made.rank + made.polynomial.degree)),
                                    ("least degree", float(least_degree(rows, count))),
                                    ("least degree over the formula",
                                     least_degree(rows, count) / (d ** (1 / 3) * log(n) ** (2 / 3)))):  # fmt: skip
                yield Row(method="Lemma 7.4.9", quantity=quantity, value=value, **place)


def least_degree(rows: Integers, count: int) -> int:
    """The least degree of any polynomial whose sign is the threshold at every question, by linear programs."""
    from scipy.optimize import linprog

    questions = _every(rows.shape[1])
    signs = np.where(_holding(rows, questions) >= count, 1.0, -1.0)
    for degree in range(rows.shape[1] + 1):
        said = products_of(questions == 1, degree, signs=True) * signs[:, None]
        found = linprog(np.zeros(said.shape[1]), A_ub=-said, b_ub=-np.ones(len(said)), bounds=(None, None))
        if found.status == 0:
            return degree
    return rows.shape[1]


def _every(d: int) -> Integers:
    return (np.arange(1 << d)[:, None] >> np.arange(d)) & 1


def _holding(rows: Integers, questions: Integers) -> Integers:
    return np.asarray((questions @ (1 - rows).T == 0).sum(axis=1))


def _wrong(rows: Integers, count: int, values: list[Fraction], questions: Integers) -> float:
    above = _holding(rows, questions) >= count
    return float(np.mean([(value >= 0) != true for value, true in zip(values, above, strict=True)]))


def _width(rows: Integers, alive: tuple[int, ...], closed: tuple[int, ...]) -> int:
    own = 1 - rows[list(alive)]
    own[:, list(closed)] = 0
    return int(own.sum(axis=1).max(initial=0))

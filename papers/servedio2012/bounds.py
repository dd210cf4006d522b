"""How many rows the theorems need with their own constants, and the oracle's chance to err."""

from __future__ import annotations

from math import ceil, comb, exp, expm1, floor, log, log1p, log2, sqrt

from scipy.stats import binom

__all__ = ["all_widths", "ambiguous", "at_once", "early_stop", "oracle_fails", "privlearn_rows", "width_bound"]


def privlearn_rows(*, columns: int, width: int, alpha: float, gamma: float, beta: float, products: int,
                   improved: bool, epsilon: float = 1.0) -> dict[str, float]:  # fmt: skip
    """(7.6) to (7.8), with a learner of as many examples as it has coefficients over its error: D / gamma'.

    improved  Theorem 7.3.10: b_total is 2 b_iter, not 2 k b_iter
    """
    k = ceil(3 / alpha)
    gamma_k, beta_k = gamma / k, beta / (6 * k)
    sampled = 4410 * log(comb(columns, width)) / alpha**2
    base = products / gamma_k
    each = 100 * base * log(1 / beta_k) / gamma
    total = 2 * each * (1 if improved else k)
    rows = 210 * total * log(10 * total / beta) / (epsilon * alpha)
    return {"n'": sampled, "b_base": base, "b_iter": each, "b_total": total, "n": rows}


def oracle_fails(constant: float, many: int, beta: float) -> float:
    """The chance that some |N| is at least a third of the tolerance, at n = constant b ln(b / beta) / (epsilon a)."""
    times = constant / 3 * log(many / beta)
    return -expm1(many * log1p(-exp(-times)))


def early_stop(share: float, gamma: float, many: int) -> float:
    """The chance that fewer than gamma / 2 of the questions have a label, where this share of all has one."""
    least = ceil(gamma / 2 * many)
    return float(binom.cdf(least - 1, many, share))


def ambiguous(alpha: float, *, printed: bool) -> int:
    """The largest number of thresholds that one answer is nearer to than alpha / 7."""
    spacing = 1 / (ceil(3 / alpha) + 1) if printed else 1 / floor(3 / alpha)
    return max(m for m in range(1, 9) if m == 1 or (m - 1) * spacing < 2 * alpha / 7 - 1e-12)


def width_bound(columns: int, width: int, alpha: float) -> float:
    """d^sqrt(w ln(w ln(d) / alpha)), what Theorem 7.1.2 has in an exponent's O, with a constant of 1."""
    return columns ** sqrt(width * log(width * log(columns) / alpha))


def all_widths(columns: int, alpha: float) -> float:
    """log2 of d^(d^(1/3) ln(d / alpha)^(2/3)) of Theorem 7.1.4, with a constant of 1."""
    return columns ** (1 / 3) * log(columns / alpha) ** (2 / 3) * log2(columns)


def at_once(columns: int, width: int) -> float:
    """How many questions of this width there are: what direct measurement pays for."""
    return float(comb(columns, width))

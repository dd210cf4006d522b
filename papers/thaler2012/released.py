"""Not private: releases of the published algorithm, asked every query, against the error that Theorem 9 promises."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, log

import numpy as np
from numpy.typing import NDArray

import hushtable as ht
from hushtable.maths.wide.polynomials import chebyshev_or
from papers._paper import Row
from papers.poster.adult import bits_of, vault_of

__all__ = ["box", "released"]

Bits = NDArray[np.bool_]
# The chance with which an answer may be farther off than promised.
BETA = 0.05


def box() -> Iterator[Row]:
    """What one row moves all coefficients by, over the noise of one: any of 6 of 20 attributes, degree 3."""
    d, k, t = 20, 6, 3
    a = np.abs(chebyshev_or(k, t).coefficients)
    moved, largest = float(a[1:] @ [comb(d, i) for i in range(1, t + 1)]), float(a.max())
    place = {"figure": "box", "whose": "theirs", "quantity": "loss / epsilon", "d": d, "k": k, "t": t, "epsilon": 1.0}
    yield Row(method="as printed", value=moved / (2 * largest), **place)  # type: ignore[arg-type]
    yield Row(method="times the coefficients", value=moved / (2 * largest * comb(d + t, t)), **place)  # type: ignore[arg-type]


def released(*, fast: bool) -> Iterator[Row]:
    """The largest error over all queries of several releases, and alpha; simulated bits, and Adult if it is there."""
    source = np.random.default_rng(1)
    n, k, t = (200_000 if fast else 1_000_000), 3, 2
    tables = {"simulated": source.random((n, 6)) < source.uniform(0.1, 0.6, 6)}
    if (adult := bits_of(6)) is not None:
        tables["Adult"] = adult
    for name, bits in tables.items():
        seen = _largest_errors(bits, k, t, releases=3 if fast else 20)
        place = {"figure": "released", "d": bits.shape[1], "k": k, "t": t, "n": len(bits), "epsilon": 1.0}
        yield Row(whose="theirs", method=f"{name}: Theorem 9", quantity="alpha", value=_alpha(bits, k, t), **place)  # type: ignore[arg-type]
        yield Row(whose="ours", method=f"{name}: released", quantity="largest error", value=max(seen), **place)  # type: ignore[arg-type]


def _alpha(bits: Bits, k: int, t: int) -> float:
    """gamma + 4 T N^2 log(N / beta) / (epsilon n), with N = C(m + t, t)."""
    (n, m), polynomial = bits.shape, chebyshev_or(k, t)
    many = comb(m + t, t)
    return float(polynomial.bias + 4 * np.abs(polynomial.coefficients).max() * many**2 * log(many / BETA) / n)


def _largest_errors(bits: Bits, k: int, t: int, *, releases: int) -> list[float]:
    (n, d), (domain, vault) = bits.shape, vault_of(bits)
    workload = f"polynomials(family=any_of, width={k}, degree={t})"
    plan = ht.plan(domain, rows=n, workload=workload, budget=ht.Budget(epsilon=1))
    chosen = [s for size in range(1, k + 1) for s in combinations(range(d), size)]
    queries = np.array([[int(j in s) for j in range(d)] for s in chosen])
    exact = np.array([bits[:, list(s)].any(axis=1).mean() for s in chosen])
    each = [vault.release(plan, randomness=ht.Simulated(seed)).evaluate(queries) for seed in range(releases)]
    return [float(np.abs(answers.value - exact).max()) for answers in each]

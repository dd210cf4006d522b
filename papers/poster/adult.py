"""Not private: simulations on the Adult table, which compare released answers with the true ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from math import comb, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hushtable as ht
from hushtable.maths.wide.polynomials import chebyshev_or
from papers._paper import Row
from papers._requirements import monomial_stderr

__all__ = ["adult_rows", "bits_of", "vault_of"]

Bits = NDArray[np.bool_]
DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[3] / "shared" / "data"))
CATEGORIES = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
              "native-country", "income")  # fmt: skip
# The published algorithm through the same path as ours, at the degree with a bias of at most 0.05.
IN_LIBRARY = "mechanism monomial"
PURE, APPROXIMATE = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-9")


def bits_of(d: int) -> Bits | None:
    """The d most balanced yes/no columns of Adult, one column a category; None where the table is not at hand."""
    path = DATA / "adult.csv.gz"
    if not path.exists():
        return None
    bits = _indicators(path)
    return bits[:, np.sort(np.argsort(np.abs(bits.mean(axis=0) - 0.5), kind="stable")[:d])]


@cache
def _indicators(path: Path) -> Bits:
    from pyarrow import csv

    columns = []
    for values in csv.read_csv(path).select(CATEGORIES).columns:
        codes = values.combine_chunks().dictionary_encode()
        order = np.argsort(np.array(codes.dictionary.to_pylist(), dtype=str))
        columns += [codes.indices.to_numpy() == code for code in order]
    return np.array(columns).T


def vault_of(bits: Bits) -> tuple[ht.Domain, ht.Vault]:
    """A vault of yes/no columns x0, x1, ..."""
    import pyarrow as pa

    names = [f"x{i}" for i in range(bits.shape[1])]
    attributes = {name: {"kind": "boolean", "missing": "error"} for name in names}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    return domain, ht.Vault(pa.table({name: bits[:, i] for i, name in enumerate(names)}), domain)


def adult_rows(*, fast: bool) -> Iterator[Row]:
    """Mean error against k, n and d, for their algorithm, the naive one and the planner's own choice."""
    bits = bits_of(20)
    if bits is None:
        return
    shuffled = np.random.default_rng(1).permutation(bits)
    for k in (2, 5) if fast else (2, 3, 4, 5, 6, 8, 10, 12, 15):
        yield from _errors("adult-k", shuffled, k, fast=fast)
    for n in (3_000,) if fast else (1_000, 3_000, 10_000, 20_000, len(bits)):
        yield from _errors("adult-n", shuffled[:n], 5, fast=fast)
    for d in (15,) if fast else (5, 8, 10, 12, 15, 20):
        chosen = bits_of(d)
        assert chosen is not None
        yield from _errors("adult-d", chosen, 3, fast=fast)
    hundred = bits_of(100)
    assert hundred is not None
    yield from _released("hundred", hundred, 15, APPROXIMATE, "(1, 1e-9)", fast=fast)
    place: dict[str, Any] = {"figure": "hundred", "whose": "theirs", "method": "as published", "d": 100, "k": 15}
    error, t = published_error(hundred, 15, questions=50 if fast else 300)
    yield Row(quantity="mean absolute error", value=error, n=len(hundred), t=t, **place)
    rows, t = rows_for(hundred, 15, 0.01, questions=50 if fast else 300)
    yield Row(quantity="rows", value=rows, t=t, **place)


def _errors(figure: str, bits: Bits, k: int, *, fast: bool) -> Iterator[Row]:
    n, d = bits.shape
    place: dict[str, Any] = {"figure": figure, "quantity": "mean absolute error", "d": d, "k": k, "n": n}
    error, t = published_error(bits, k, questions=50 if fast else 300)
    yield Row(whose="theirs", method="as published", value=error, t=t, **place)
    answers = sum(comb(d, i) for i in range(1, k + 1))
    # The mean size of Laplace noise is its scale.
    yield Row(whose="naive", method="all 2^d answers", value=2.0**d / n, **place)
    yield Row(whose="naive", method="all answers of width at most k", value=answers / n, **place)
    yield from _released(figure, bits, k, PURE, "pure epsilon 1", fast=fast)
    yield from _released(figure, bits, k, APPROXIMATE, "(1, 1e-9)", fast=fast)
    # Wider, its degree is 9 and more: hundreds of thousands of products a release, and answers that are noise alone.
    if k <= 8:
        yield from _released(figure, bits, k, PURE, IN_LIBRARY, mechanism="monomial", fast=fast)


def published_error(bits: Bits, k: int, *, questions: int) -> tuple[float, int]:
    """Not private: mean error of the published algorithm at epsilon 1, and the degree, the best one for it.

    The coefficient of a set of size i is a_i times the mean of its monomial, plus Laplace noise of scale
    S / n with S = sum_i |a_i| C(d, i). An answer sums all coefficients of the sets inside the question, so its exact
    part is the mean of g(s), s the number of ones. Answers are not cut to [0, 1], as published.
    """
    (n, d), source = bits.shape, np.random.default_rng(k)
    degrees = range(1, k + 1)
    polynomials = {t: chebyshev_or(k, t) for t in degrees if t < k} | {k: None}
    exact = np.array([0.0, *(-((-1.0) ** i) for i in range(1, k + 1))])
    coefficients = {t: exact if p is None else p.coefficients for t, p in polynomials.items()}
    stderr = {t: monomial_stderr(a, d=d, k=k, epsilon=1.0) / n for t, a in coefficients.items()}
    t = min(degrees, key=lambda t: stderr[t] + (polynomials[t].bias if polynomials[t] else 0.0))
    values = polynomials[t].values if polynomials[t] else np.minimum(np.arange(k + 1), 1)
    sets = sum(comb(k, i) for i in range(t + 1))
    scale = stderr[t] / sqrt(2 * sets)
    errors = []
    for _ in range(questions):
        ones = bits[:, source.choice(d, k, replace=False)].sum(axis=1)
        bias = values[ones].mean() - (ones > 0).mean()
        errors.append(abs(bias + source.laplace(scale=scale, size=sets).sum()))
    return float(np.mean(errors)), t


def rows_for(bits: Bits, k: int, error: float, *, questions: int) -> tuple[float, int]:
    """Not private: rows of such a table at which their mean error is `error`, and the degree that needs fewest.

    The mean error is taken to be the mean bias plus the mean size of the noise, which is nearly normal.
    """
    d, source = bits.shape[1], np.random.default_rng(k)
    held = [bits[:, source.choice(d, k, replace=False)].sum(axis=1) for _ in range(questions)]
    needed = {}
    for t in range(1, k):
        polynomial = chebyshev_or(k, t)
        bias = np.mean([abs(polynomial.values[ones].mean() - (ones > 0).mean()) for ones in held])
        if bias < error:
            noise = sqrt(2 / pi) * monomial_stderr(polynomial.coefficients, d=d, k=k, epsilon=1.0)
            needed[t] = noise / (error - float(bias))
    best = min(needed, key=lambda t: needed[t])
    return needed[best], best


def _released(
    figure: str, bits: Bits, k: int, budget: ht.Budget, method: str, *, mechanism: str | None = None, fast: bool
) -> Iterator[Row]:
    """Not private: mean error of random k-way questions to releases, by default of the planner's own choice."""
    n, d = bits.shape
    domain, vault = vault_of(bits)
    plan = ht.plan(domain, rows=n, workload=f"any_of(width={k})", budget=budget, mechanism=mechanism)
    source, errors = np.random.default_rng(k), []
    for seed in range(1 if fast else 4):
        synopsis = vault.release(plan, randomness=ht.Simulated(seed))
        for _ in range(40 if fast else 100):
            chosen = source.choice(d, k, replace=False)
            answer = synopsis.ask(f"any({', '.join(f'x{c}' for c in chosen)})")
            errors.append(abs(answer.value - bits[:, chosen].any(axis=1).mean()))
    order = getattr(synopsis.model, "order", None)
    yield Row(figure=figure, whose="theirs" if mechanism else "ours", method=method, quantity="mean absolute error",
              value=float(np.mean(errors)), d=d, k=k, n=n, t=order)  # fmt: skip

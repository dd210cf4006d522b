"""Section 6.2 and 6.3: tails, numbers of pieces, both stages as printed and mended, and what is learned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

import hushtable as ht
from papers._paper import Row
from papers.gupta2011.tables import basket, every_set, small_graph, survey

__all__ = ["decomposition_rows", "learned_rows", "size_rows", "tail_rows"]

Floats = NDArray[np.float64]
# Parameters of decompositions: one over the largest jump.
STEPS = (5, 10, 20, 40)
Function = ht.learning.SetFunction


def tail_rows(*, fast: bool) -> Iterator[Row]:
    """How often f is far from its mean, over what Corollary 6.2.6 allows: exact laws, and tables whole."""
    for name, chance, values, weights, rho in spread(fast=fast):
        far = np.abs(values - weights @ values)
        for distance in np.linspace(0, far.max(), 25)[1:]:
            share, bound = float(weights[far >= distance - 1e-12].sum()), ht.learning.tail_bound(rho, distance)
            place = {"figure": "tail", "whose": "theirs", "method": name, "bias": float(distance), "k": round(1 / rho),
                     "r": round(100 * chance)}  # fmt: skip
            # Where the bound is 1 it says nothing, and nothing is compared.
            over = [("over the bound", share / bound)] if bound < 1 else []
            for quantity, value in [("share", share), ("bound", bound), *over]:
                yield Row(quantity=quantity, value=value, **place)  # type: ignore[arg-type]


def spread(*, fast: bool) -> Iterator[tuple[str, float, Floats, Floats, float]]:
    """Submodular functions into [0, 1]: name, chance of an element, values with their chances, and largest jump.

    A sum of m equal parts of which each is 1 by the same chance has a binomial law: one element a part (modular), any
    of three elements (coverage), or one of the two ends of an edge (a matching's cut).
    """
    for chance in (0.5,) if fast else (0.1, 0.3, 0.5, 0.8):
        for m in (50, 400):
            for name, own in (("modular", chance), ("coverage", 1 - (1 - chance) ** 3),
                              ("cut of a matching", 2 * chance * (1 - chance))):  # fmt: skip
                counts = np.arange(m + 1)
                yield f"{name}, {m}", chance, counts / m, binom.pmf(counts, m, own), 1 / m
        for name, f in {"cut": ht.learning.cuts(small_graph(1, 12)),
                        "rows with any": ht.learning.rows_with_any(survey(1, 12, 2_000))}.items():  # fmt: skip
            values = np.array([f.at(mask) for mask in range(2**12)])
            weights = np.where(every_set(12), chance, 1 - chance).prod(axis=1)
            yield name, chance, values, weights, largest_jump(values, 12)


def largest_jump(values: Floats, elements: int) -> float:
    """Of any element at any set."""
    sets = np.arange(len(values))
    return max(float(np.abs(values[sets | 1 << e] - values[sets]).max()) for e in range(elements))


def size_rows(*, fast: bool) -> Iterator[Row]:
    """Pieces and questions of exact decompositions, by the order of the elements; conjunctions of simulated tables."""
    cases: list[tuple[str, Any, int, tuple[int, ...], str]] = [
        ("survey", survey, d, STEPS, order) for d in (10, 16) for order in ("given", "decreasing")
    ]
    if not fast:
        cases += [("survey", survey, 20, STEPS, order) for order in ("given", "decreasing")]
        cases += [("survey", survey, 50, STEPS[:2], "given"), ("survey", survey, 50, STEPS[:3], "decreasing")]
        cases += [("basket", basket, 100, STEPS[:1], order) for order in ("given", "decreasing")]
    for name, make, d, steps, order in cases:
        f = ht.learning.rows_lacking_any(make(1, d))
        for k in steps:
            # Questions about the same sets are counted for every decomposition anew.
            fresh = Function(elements=f.elements, value=f.value, monotone=True)
            pieces = ht.learning.decompose(fresh, 1 / k, order=order)
            deepest = max(inside.bit_count() for inside, _ in pieces.masks)
            for quantity, value in (("pieces", len(pieces)), ("questions", pieces.questions - 1), ("depth", deepest)):
                yield Row(figure="size", whose="theirs", method=f"{name}, {order}", quantity=quantity, value=value,
                          d=d, k=k, n=50_000)  # fmt: skip


def decomposition_rows(*, fast: bool) -> Iterator[Row]:
    """Of noisy oracles: whether each set is in one piece. Of cuts: the largest jump on a piece, over what it may be."""
    for seed in range(40 if fast else 200):
        said = np.random.default_rng(seed).normal(0.5, 0.4, 256)
        noise = Function(elements=range(8), value=looked_up(said))
        pieces = ht.learning.decompose(noise, 0.2, stages=1, order="given")
        yield Row(figure="partition", whose="theirs", method="noisy oracle", quantity="sets in one piece", d=8,
                  value=_in_one(pieces, 8), r=seed)  # fmt: skip
    for seed, noise_share in product(range(8 if fast else 30), (0.0, 1 / 12)):
        truth, bound = ht.learning.cuts(small_graph(seed)), 0.15
        off = np.random.default_rng(seed).uniform(-noise_share * bound, noise_share * bound, 2**9)
        values = np.array([truth.at(mask) for mask in range(2**9)])
        told = Function(elements=range(9), value=looked_up(values + off))
        tolerant = noise_share > 0
        pieces = ht.learning.decompose(told, bound, tolerant=tolerant, stages=2, order="given")
        rises = ht.learning.decompose(told, bound, tolerant=tolerant, stages=1, order="given")
        mended = [pieces.number_of(mask) for mask in range(2**9)]
        one = [rises.number_of(mask) for mask in range(2**9)]
        for method, quantity, value in (
            ("one stage", "largest rise", _largest(values, one, rises=True)),
            ("as printed", "largest jump", _largest(values, _as_printed(pieces), rises=False)),
            ("mended", "largest jump", _largest(values, mended, rises=False)),
            ("mended", "sets in one piece", _in_one(pieces, 9)),
        ):
            yield Row(figure="stages", whose="theirs", method=method, quantity=quantity, d=9, r=seed,
                      bias=noise_share, value=value / bound if "largest" in quantity else value)  # fmt: skip


def looked_up(values: Floats) -> Callable[[frozenset[Any]], float]:
    """The function with these values; place i is the set of the bits of i."""
    return lambda own: float(values[sum(1 << e for e in own)])


def _in_one(pieces: ht.learning.Decomposition, elements: int) -> float:
    """The share of sets of which exactly one piece says that it has them."""
    sets = np.arange(2**elements)
    inside, outside = np.array(pieces.masks).T
    fits = ((sets[:, None] & inside) == inside) & ((sets[:, None] & outside) == 0)
    return float((fits.sum(axis=1) == 1).mean())


def _as_printed(pieces: ht.learning.Decomposition) -> list[tuple[int, int]]:
    """F(S) = (F_f(S), F_B(S)): the second stage is asked about S itself, though it works on what sets lack."""
    found = []
    for mask in range(2 ** len(pieces.function.elements)):
        first = _walk(pieces.first, mask)
        found.append((first, _walk(pieces.second[first], mask)))
    return found


def _walk(tree: tuple, mask: int) -> int:  # type: ignore[type-arg]
    node = 0
    while (step := next((c for place, c in tree[node].children if mask >> place & 1), None)) is not None:
        node = step
    return node


def _largest(values: Floats, piece: list, *, rises: bool) -> float:  # type: ignore[type-arg]
    """The largest jump between two sets of the same piece, one of which has one element more."""
    largest = 0.0
    for mask, own in enumerate(piece):
        for element in range(len(values).bit_length() - 1):
            more = mask | 1 << element
            if more != mask and piece[more] == own:
                jump = float(values[more] - values[mask])
                largest = max(largest, jump if rises else abs(jump))
    return largest


def learned_rows(*, fast: bool) -> Iterator[Row]:
    """What Figures 6.3 and 6.5 miss with their own constants, exact oracles and ones that are as far off as allowed."""
    d = 9 if fast else 11
    cases = {"rows with any": (ht.learning.rows_with_any(survey(1, d, 5_000)), (0.3, 0.3)),
             "cut": (ht.learning.cuts(small_graph(2, d)), (0.4, 0.5))}  # fmt: skip
    for name, (truth, (alpha, beta)) in cases.items():
        values = np.array([truth.at(mask) for mask in range(2**d)])
        slack = ht.learning.lipschitz_for(alpha, beta) / 12
        off = np.random.default_rng(5).uniform(-slack, slack, len(values))
        told = Function(elements=range(d), value=looked_up(values + off),
                        monotone=truth.monotone)  # fmt: skip
        for chance in (0.2, 0.5):
            learned = ht.learning.learn_submodular(told, alpha, beta, chance, seed=1, samples=2_000)
            sets = every_set(d)
            weights = np.where(sets, chance, 1 - chance).prod(axis=1)
            beyond = float(weights[np.abs(learned.many(sets) - values) > alpha].sum())
            for quantity, value in (("beyond alpha over beta", beyond / beta),
                                    ("pieces over sets", len(learned.decomposition) / 2**d)):  # fmt: skip
                yield Row(figure="learned", whose="theirs", method=name, quantity=quantity, value=value, d=d,
                          bias=alpha, r=round(100 * chance))  # fmt: skip
    f = ht.learning.rows_lacking_any(survey(1, 10))
    pieces = ht.learning.decompose(f, ht.learning.lipschitz_for(0.1, 0.1), tolerant=True)
    yield Row(figure="learned", whose="theirs", method="survey", quantity="pieces over sets", d=10, bias=0.1,
              value=len(pieces) / 2**10, n=50_000)  # fmt: skip
    for alpha, beta in product((0.01, 0.1, 0.5, 1.0), (0.01, 0.1, 0.5, 1.0)):
        rho = ht.learning.lipschitz_for(alpha, beta)
        bound = 2 * math.exp(-((5 * alpha / 6 / rho) ** 2) / (2 * (1 / rho + 5 / 6 * (5 * alpha / 6 / rho))))
        yield Row(figure="constants", whose="theirs", method="Theorem 6.3.12", quantity="tail over beta",
                  value=bound / beta, bias=alpha)  # fmt: skip
        if beta < 1:
            yield Row(figure="constants", whose="theirs", method="Theorem 6.3.15", quantity="tolerance over rho / 12",
                      value=alpha**2 / (72 * math.log(1 / beta)) / (rho / 12), bias=alpha)  # fmt: skip

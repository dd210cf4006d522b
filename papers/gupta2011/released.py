"""Section 6.4: conjunctions by Figure 6.6 as it must be, and by the mechanism `tree`; widths; signed conjunctions.

Not private: simulations, compared with the true tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from papers._paper import Row
from papers.gupta2011.tables import every_set, random_sets, survey

__all__ = ["conjunction_rows", "release_rows"]

D, ROWS, WIDTH, ASKED, SAMPLES = 16, 50_000, 3, 1000, 10
SEEDS = (1, 2, 3)
ERROR = "mean absolute error"
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]


def conjunction_rows(*, fast: bool) -> Iterator[Row]:
    """Lemma 6.4.1, Lemma 6.4.3 and Remark 6.4.4, over all sets of ten columns."""
    for seed in (1,) if fast else SEEDS:
        f = ht.learning.rows_with_any(survey(seed, 10, 3_000))
        values = np.array([f.at(mask) for mask in range(2**10)])
        yield Row(figure="lemmas", whose="theirs", method="Lemma 6.4.1", quantity="largest growth of a jump", d=10,
                  r=seed, value=growth_of_jumps(values, 10))  # fmt: skip
        sets = every_set(10)
        for width in range(1, 10):
            own = values[sets.sum(axis=1) == width]
            weights = np.where(sets, width / 10, 1 - width / 10).prod(axis=1)
            # Both tails at every value that a set of this width has.
            ratios = [side for tau in own for side in (
                (own >= tau).mean() / weights[values >= tau].sum(), (own <= tau).mean() / weights[values <= tau].sum()
            )]  # fmt: skip
            yield Row(figure="lemmas", whose="theirs", method="Lemma 6.4.3", quantity="over the product's tail", d=10,
                      k=width, r=seed, value=float(max(ratios)))  # fmt: skip
    source, width = np.random.default_rng(4), 5
    table = survey(1, 20, 3_000)
    held = []
    for _ in range(300 if fast else 2_000):
        columns, signs = source.choice(20, width, replace=False), source.random(width) < 0.5
        held.append((table[:, columns] == signs).all(axis=1).mean())
    yield Row(figure="lemmas", whose="theirs", method="Remark 6.4.4", quantity="share of rows false", d=20, k=width,
              value=1 - float(np.mean(held)))  # fmt: skip


def growth_of_jumps(values: Floats, elements: int) -> float:
    """The most by which any jump is larger at a set with one element more than without it; 0 where all shrink."""
    sets, largest = np.arange(len(values)), 0.0
    for x, y in combinations(range(elements), 2):
        free = sets[(sets >> x & 1 == 0) & (sets >> y & 1 == 0)]
        at_large = values[free | 1 << x | 1 << y] - values[free | 1 << y]
        largest = max(largest, float((at_large - (values[free | 1 << x] - values[free])).max()))
    return largest


def release_rows(*, fast: bool) -> Iterator[Row]:
    """Figure 6.6 at pure epsilon 1, its noise counted for all questions; and `tree` on the same tables."""
    for seed in SEEDS[:1] if fast else SEEDS:
        table = survey(seed, D, ROWS)
        sets = random_sets(np.random.default_rng(99), ASKED, D, WIDTH / D)
        truth = shares(table, sets)
        yield _row("constant", ERROR, float(np.abs(truth - truth.mean()).mean()), seed, whose="naive")
        for rho in (0.3,) if fast else (0.3, 0.1):
            said, questions = figure_6_6(table, sets, rho, seed)
            yield _row(f"figure 6.6, rho = {rho}", ERROR, float(np.abs(said - truth).mean()), seed, whose="theirs")
            yield _row(f"figure 6.6, rho = {rho}", "questions", questions, seed, whose="theirs")
        three = random_width(np.random.default_rng(98), ASKED)
        for method, budget in (("tree, pure", ht.Budget(epsilon=1)),
                               ("tree, delta 1e-6", ht.Budget(epsilon=1, delta="1e-6"))):  # fmt: skip
            missed = np.abs(by_tree(table, three, budget, seed) - shares(table, three))
            yield _row(method, ERROR, float(missed.mean()), seed, whose="ours")
        said, _ = figure_6_6(table, three, 0.3, seed)
        yield _row("figure 6.6, three columns", ERROR, float(np.abs(said - shares(table, three)).mean()), seed,
                   whose="theirs")  # fmt: skip


def _row(method: str, quantity: str, value: float, seed: int, *, whose: str) -> Row:
    return Row(figure="release", whose=whose,  # type: ignore[arg-type]
               method=method, quantity=quantity, value=value, d=D, r=seed, n=ROWS,
               epsilon=1.0)  # fmt: skip


def shares(table: Bits, sets: Bits) -> Floats:
    """How many of the rows have all of each set."""
    return np.array([table[:, own].all(axis=1).mean() for own in sets])


def random_width(source: np.random.Generator, count: int) -> Bits:
    """Sets of three columns."""
    sets = np.zeros((count, D), dtype=bool)
    for own in sets:
        own[source.choice(D, WIDTH, replace=False)] = True
    return sets


def figure_6_6(table: Bits, sets: Bits, rho: float, seed: int) -> tuple[Floats, int]:
    """Its answers, and how many questions pay for noise of Lap(b / (epsilon n)).

    b is what the exact table needs (which is not private, and in its favour); where the noisy tree would ask for more,
    it stops growing, and means of pieces are taken over fewer sets.
    """
    exact = ht.learning.rows_lacking_any(table)
    pieces = ht.learning.decompose(exact, rho, tolerant=True, order="given")
    questions = pieces.questions - 1 + SAMPLES * len(pieces)
    noise = np.random.default_rng(seed)

    def noisy(own: frozenset[str]) -> float:
        return exact(own) + (noise.laplace(scale=questions / len(table)) if own else 0.0)

    told = ht.learning.SetFunction(elements=exact.elements, value=noisy, monotone=True)
    grown = ht.learning.decompose(told, rho, tolerant=True, order="given", most_questions=pieces.questions)
    each = max((questions - grown.questions + 1) // len(grown), 1)
    means = [_mean(told, grown, number, each, noise) for number in range(len(grown))]
    packed = [told.mask(np.array(told.elements)[own].tolist()) for own in sets]
    return 1 - np.array([means[grown.number_of(mask)] for mask in packed]), questions


def _mean(
    told: ht.learning.SetFunction, grown: ht.learning.Decomposition, number: int, each: int, source: np.random.Generator
) -> float:
    free, inside = np.array(grown.open_elements(number), dtype=int), grown.masks[number][0]
    drawn = [free[source.random(len(free)) < WIDTH / D] for _ in range(each)]
    return float(np.mean([told.at(inside | sum(1 << int(e) for e in own)) for own in drawn]))


def by_tree(table: Bits, sets: Bits, budget: ht.Budget, seed: int) -> Floats:
    """The answers of a release of the mechanism `tree`."""
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(table.shape[1])}
    domain = ht.Domain.from_dict({"table": "t", "attributes": named})
    plan = ht.plan(domain, rows=len(table), workload="all_of(width=3)", mechanism="tree", budget=budget)
    rows = pa.table({name: table[:, i] for i, name in enumerate(named)})
    synopsis = ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(seed))
    return np.asarray(synopsis.evaluate(sets).value)

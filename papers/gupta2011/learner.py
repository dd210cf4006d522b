"""Section 6.5: answers from a learner of one rule (Figure 6.7), as printed and mended, and a rule from answers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from papers._paper import Row
from papers.gupta2011.tables import every_set, survey

__all__ = ["learner_rows"]

Floats = NDArray[np.float64]
D = 6


def learner_rows(*, fast: bool) -> Iterator[Row]:
    """Updates and errors of Figure 6.7, and what the best rule by answers loses."""
    alpha = 0.1
    for seed in (1,) if fast else (1, 2, 3):
        for printed in (True, False):
            used, allowed, error = figure_6_7(law_of(seed), alpha, printed=printed)
            for quantity, value in (("updates over T", used / allowed), ("largest error over alpha", error / alpha)):
                yield Row(figure="figure 6.7", whose="theirs", method="as printed" if printed else "mended", d=D,
                          quantity=quantity, value=value, r=seed, bias=alpha)  # fmt: skip
    for seed in range(20 if fast else 200):
        yield Row(figure="rules", whose="theirs", method="Theorem 6.5.8", quantity="lost over 2 alpha", d=D, r=seed,
                  value=lost(seed, alpha), bias=alpha)  # fmt: skip
    for seed in (1,) if fast else range(1, 6):
        agreed, stated = by_release(seed)
        yield Row(figure="rules", whose="ours", method="best_predictor", quantity="lost over stated", d=8, r=seed,
                  value=agreed / stated, n=20_000, epsilon=1.0)  # fmt: skip


def law_of(seed: int) -> Floats:
    """The shares of the cells of a table of six columns."""
    table = survey(seed, D, 5_000)
    return np.bincount(table @ (1 << np.arange(D)), minlength=2**D) / len(table)


def conjunctions() -> Floats:
    """Of all sets of columns, which cells fulfil them, a line a set."""
    cells = every_set(D)
    return np.array([(cells | ~own).all(axis=1) for own in cells], dtype=float)


def figure_6_7(law: Floats, alpha: float, *, printed: bool) -> tuple[int, int, float]:
    """Updates used and allowed, and the largest error of any conjunction at the end."""
    beta = alpha / 2
    allowed = math.ceil(8 * math.log(len(law)) / beta**2) + 1
    errors = trace(law, alpha, printed=printed, most=allowed)
    return len(errors) - 1, allowed, errors[-1]


def trace(law: Floats, alpha: float, *, printed: bool, most: int) -> list[float]:
    """The largest error of any conjunction after every update, with an exact learner and exact questions.

    A learner that finds the best rule is a weak one for any beta up to alpha / 2. As printed the weight of rules of
    which the hypothesis has too much grows too: its update has one sign for both kinds.
    """
    queries, beta = conjunctions(), alpha / 2
    hypothesis = np.full(len(law), 1 / len(law))
    truth, errors = queries @ law, []
    while True:
        gaps = truth - queries @ hypothesis
        # Of a rule with gap g the learner is right on 1/2 + g/2 under A+, and on 1/2 - g/2 under A-.
        best = int(np.argmax(np.abs(gaps)))
        errors.append(float(np.abs(gaps[best])))
        if errors[-1] / 2 <= beta / 2 or len(errors) > most:
            return errors
        sign = 1.0 if printed or gaps[best] > 0 else -1.0
        hypothesis = hypothesis * np.exp(sign * beta / 2 * queries[best])
        hypothesis /= hypothesis.sum()


def lost(seed: int, alpha: float) -> float:
    """How far the rule that is best by answers off by up to alpha is from the best one, over 2 alpha."""
    source, queries = np.random.default_rng(seed), conjunctions()
    with_label, without = source.dirichlet(np.full(2**D, 0.3), 2) * 0.5
    right = queries @ with_label - queries @ without
    answers = right + source.choice([-alpha, alpha], len(right)) + source.choice([-alpha, alpha], len(right))
    return float(right.max() - right[int(np.argmax(answers))]) / (2 * alpha)


def by_release(seed: int) -> tuple[float, float]:
    """What the rule of `best_predictor` loses against the best of its class, and what its interval says it may."""
    table = survey(seed, 8, 20_000)
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(8)}
    domain = ht.Domain.from_dict({"table": "t", "attributes": named})
    plan = ht.plan(domain, rows=len(table), workload="marginals(width=3)", budget=ht.Budget(epsilon=1))
    rows = pa.table({name: table[:, i] for i, name in enumerate(named)})
    synopsis = ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(seed))
    found = synopsis.best_predictor(label="c0", among="all_of", width=2)
    label, others = table[:, 0], table[:, 1:]
    literals = [side for column in others.T for side in (column, ~column)]
    rules = [np.ones(len(table), bool), *literals, *(a & b for i, a in enumerate(literals) for b in literals[:i])]
    best = max(float((rule == label).mean()) for rule in [*rules, ~rules[0]])
    return best - truth_of(found.rule, table), found.best_possible - found.low


def truth_of(rule: str, table: NDArray[np.bool_]) -> float:
    """How often a conjunction, as text, agrees with the first column."""
    holds = np.ones(len(table), dtype=bool)
    if rule == "never":
        return float((~table[:, 0]).mean())
    for part in [] if rule == "always" else rule.split(" AND "):
        column = table[:, int(part.removeprefix("NOT ").removeprefix("c"))]
        holds &= ~column if part.startswith("NOT ") else column
    return float((holds == table[:, 0]).mean())

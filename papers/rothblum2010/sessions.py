"""Sessions with both curators on the hardest tables, few values among many: random questions, and some of an adversary.

Not private: simulations, compared with the true answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hushtable as ht
from hushtable.curator.account import StateAccount
from hushtable.curator.conditions import AskedCondition, ConditionSubject
from hushtable.curator.curator import Curator
from hushtable.curator.plan import CuratorPlan
from hushtable.vault.ledger.account import Rehearsal
from hushtable.vault.ledger.sealed_lines import Chain
from papers.rothblum2010.bounds import Printed

__all__ = ["Session", "our_session", "sparse_table", "their_session"]


# So many questions of a session are an adversary's, wrong by this share of the threshold: half of them stay unseen.
ADVERSE, NEARLY = 20, 1.0


@dataclass(frozen=True)
class Session:
    """What k questions came to."""

    largest: float
    """Largest error of an answer, as a share of the rows."""
    adverse: float
    """The same of the adversary's questions."""
    updates: int
    lasted: bool
    """Whether no question came after the last update that was allowed."""


class Repeated:
    """Rows of a few values, all as often: sums over them are sums over the values, times how often."""

    def __init__(self, codes: NDArray[np.uint8], often: int) -> None:
        self.codes, self.often = codes, often

    def total(self, wanted: Any, /) -> Any:
        """Every sum that a curator asks for is one over rows."""
        return wanted.accumulate(self.codes) * self.often


class AnyQuestions(ConditionSubject):
    """Questions that are given as the set of combinations they are true of."""

    def asked(self, question: Any) -> AskedCondition:
        return AskedCondition(self.belief, tuple(range(len(self.domain.sizes))), question.true)


def sparse_table(many: int, support: int, seed: int) -> NDArray[np.int64]:
    """The cells that have rows, of 2^many."""
    return np.random.default_rng([seed, 1]).choice(1 << many, support, replace=False)


def questions(many: int, k: int, seed: int) -> Any:
    """Random sets of cells, one after the other."""
    source = np.random.default_rng([seed, 2])
    for _ in range(k):
        bits = np.frombuffer(source.bytes(max(1 << many, 8) // 8), dtype=np.uint8)
        yield np.unpackbits(bits, count=1 << many).astype(bool)


def nearly_wrong(weights: NDArray[np.float64], cells: NDArray[np.int64], wrong: float) -> NDArray[np.float64]:
    """An adversary's question, who knows table and hypothesis: one that is answered too high by `wrong`.

    Cells whose weight is too large, the largest first, and of the last as large a part as it takes.
    """
    apart = weights.copy()
    apart[cells] -= 1 / len(cells)
    order = np.argsort(-apart)
    sums = np.cumsum(np.maximum(apart[order], 0))
    whole = int(np.searchsorted(sums, wrong))
    asked = np.zeros(len(weights))
    asked[order[:whole]] = 1.0
    if whole < len(order):
        asked[order[whole]] = (wrong - (sums[whole - 1] if whole else 0.0)) / apart[order[whole]]
    return asked


def their_session(given: Printed, cells: NDArray[np.int64], *, many: int, k: int, seed: int,
                  threshold_noise: float = 0.0) -> Session:  # fmt: skip
    """Figure 4.2 as printed, with noise on the threshold where there is no delta."""
    source = np.random.default_rng([seed, 3])
    threshold = given.threshold + source.laplace(scale=threshold_noise) if threshold_noise else given.threshold
    weights, largest, worst, updates = np.full(1 << many, 2.0**-many), 0.0, 0.0, 0
    for number, true in enumerate(questions(many, k, seed)):
        adverse = number % (k // ADVERSE) == 0
        asked = nearly_wrong(weights, cells, NEARLY * given.threshold) if adverse else true.astype(np.float64)
        exact, expected = float(asked[cells].mean()), float(weights @ asked)
        noisy = exact + source.laplace(scale=given.sigma)
        if abs(expected - noisy) <= threshold:
            largest = max(largest, abs(expected - exact))
            worst = max(worst, abs(expected - exact)) if adverse else worst
            continue
        largest, updates = max(largest, abs(noisy - exact)), updates + 1
        weights *= np.exp(-given.eta * (asked if expected > noisy else 1 - asked))
        weights /= weights.sum()
        if updates > given.updates:
            return Session(largest, worst, updates, lasted=False)
    return Session(largest, worst, updates, lasted=True)


def our_session(plan: CuratorPlan, cells: NDArray[np.int64], *, rows: int, k: int, seed: int) -> Session:
    """The curator of this library. The number of rows is made a multiple of that of the values."""
    many, state = len(plan.domain.sizes), Chain()
    codes = (cells >> np.arange(many)[::-1, None] & 1).astype(np.uint8)
    curator = Curator(
        plan=plan, subject=AnyQuestions(plan), state=state, account=StateAccount(Rehearsal(plan.price), state),
        rows=Repeated(codes, max(rows // len(cells), 1)), randomness=ht.Simulated(seed), on_exhausted="unverified",
    )  # fmt: skip
    largest, worst, sources, margin = 0.0, 0.0, [], plan.margin
    assert margin is not None
    for number, asked in enumerate(questions(many, k, seed)):
        true, adverse = asked, number % (k // ADVERSE) == 0
        if adverse:
            believed = curator._subject.distribution().table(range(many)).ravel()
            # Conditions are true or not: a part of a cell is left out.
            true = nearly_wrong(believed, cells, NEARLY * margin.threshold / rows) == 1
        answer = curator.answer(SimpleNamespace(true=true, text="", notes=()))  # type: ignore[arg-type]
        error = abs(answer.value - float(true[cells].mean()))
        largest, worst = max(largest, error), max(worst, error) if adverse else worst
        sources.append(answer.source)
    return Session(largest, worst, sources.count("paid"), lasted="unverified" not in sources)

"""BuiltIn: the predictor that a file has as plain numbers, by the learner rows or kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...maths.learning.conj_kernel import ConjKernel, KernelPredictor
from ...maths.learning.even_rows import EvenRows
from ...maths.learning.learner import Predictor
from ...maths.learning.row_features import RowFeatures, RowPredictor
from ...maths.learning.spoken import Spoken
from ...maths.learning.taught import Bought
from ...maths.learning.tree_rows import shares, tree_rows
from ..linear.low_order import LowOrderModel

__all__ = ["MOST_KEPT", "WEIGHT_UNIT", "BuiltIn", "fit_kernel", "fit_rows", "kept_rows"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Weights are kept as whole multiples of one over this.
WEIGHT_UNIT = 1 << 40
# Rows of a histogram that are kept.
MOST_KEPT = 100_000


@dataclass(frozen=True, eq=False, kw_only=True)
class BuiltIn:
    """Weighted public rows; or the two numbers of a kernel, with no rows."""

    rows: Integers
    weights: Integers
    """In units of 2^-40."""
    spread: float
    shrink: float | None = None
    """Of the kernel."""
    even: bool = False
    """Whether the rows are those of a histogram, and all others count as even, as for parities."""

    def predictor(self, language: Spoken, tables: LowOrderModel, bought: Bought) -> Predictor:
        """Ready to predict; nothing is fitted again."""
        if self.even:
            return EvenRows(self.rows, self.weights / WEIGHT_UNIT)
        shown = ~bought.held_out
        questions = bought.questions[shown]
        if self.shrink is None:
            own = self.weights / WEIGHT_UNIT
            return RowPredictor(language.holds, self.rows, own, self.spread, questions, bought.noise_sd)
        learner = _kernel(tables, language)
        rest = learner.rest(questions, bought.answers[shown])
        return KernelPredictor(learner, questions, rest, self.shrink, self.spread, bought.noise_sd)


def fit_rows(language: Spoken, tables: LowOrderModel, bought: Bought, count: int, seed: int) -> BuiltIn:
    """Weights on rows drawn from noisy tables: by their tree where there are pairs, else column by column."""
    positions = language.positions
    pair = None if tables.order < 2 else lambda i, j: _table(tables, positions[i], positions[j])
    rows = tree_rows(len(positions), pair, lambda i: _table(tables, positions[i]), count, seed)
    shown = ~bought.held_out
    fitted = RowFeatures(language.holds, rows).fit(bought.questions[shown], bought.answers[shown], bought.noise_sd)
    weights = np.rint(fitted.weights * WEIGHT_UNIT).astype(np.int64)
    return BuiltIn(rows=rows, weights=weights, spread=fitted.spread)


def kept_rows(found: EvenRows) -> BuiltIn:
    """Rows of a histogram, as a file keeps them: the most frequent ones, where they are very many."""
    most = np.sort(np.argsort(-found.weights, kind="stable")[:MOST_KEPT])
    weights = np.rint(found.weights[most] * WEIGHT_UNIT).astype(np.int64)
    return BuiltIn(rows=found.rows[most], weights=weights, spread=1.0, even=True)


def fit_kernel(language: Spoken, tables: LowOrderModel, bought: Bought) -> BuiltIn:
    """The kernel for all of, or any of, some conditions."""
    shown = ~bought.held_out
    fitted = _kernel(tables, language).fit(bought.questions[shown], bought.answers[shown], bought.noise_sd)
    nothing = np.zeros(0, dtype=np.int64)
    return BuiltIn(rows=nothing.reshape(0, 1), weights=nothing, spread=fitted.spread, shrink=fitted.shrink)


def _kernel(tables: LowOrderModel, language: Spoken) -> ConjKernel:
    singles = tuple(shares(_table(tables, position)) for position in language.positions)
    return ConjKernel(singles, opposite=language.language.name == "any_of")


def _table(tables: LowOrderModel, *positions: int) -> Floats:
    """The noisy shares of the cells of some columns."""
    sizes = [tables.domain.sizes[p] for p in positions]
    return np.asarray(tables.frame(positions).table(len(positions), np.ones(()), relative=True).value).reshape(sizes)

"""What the noise of released tables moves: exactly in answers about one column, to first order in those about more.

Replicates start from what the model has kept. Where noise has left a column hardly anything of some values, they show
nothing of these; the noise of the column is known all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.weighted_rows.replicates import GOLDEN, Replicates
from ...questions.parse import Question
from .measured import measured_estimates

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["mean_noise", "moved_by_columns", "one_column"]

Floats = NDArray[np.float64]
# So many of the rows that carry replicates stand for all, and so many numbers are made at once at most.
SOME_ROWS, MOST_NUMBERS = 4096, 1_000_000
# A column of a condition whose noise moves no share by more than this is left to the replicates, which know it well.
LITTLE = 0.03


def one_column(model: WholeTableModel, question: Question, value: Floats) -> tuple[Floats, Floats]:
    """Standard errors and excess kurtosis of shares in one column.

    The noise of its released counts, and how far the rows are from these: where columns nearly fix each other, the fit
    comes to them slowly.
    """
    released = measured_estimates(model, question, relative=True)
    assert released is not None
    (position,) = question.positions
    share = model.cloud.shares[position]
    if question.where:
        share = share * question.where.table((position,), [len(share)])
    apart = value - (share if question.groups else share.sum())
    noise = np.asarray(released.stderr, dtype=np.float64)
    return np.sqrt(noise**2 + apart**2 + 1 / model.total[0] ** 2), np.asarray(released.kurtosis, dtype=np.float64)


def moved_by_columns(model: WholeTableModel, replicates: Replicates, question: Question, own: Floats) -> Floats:
    """Variances of shares (`own`, one a group) by the noise of every column's counts.

    A count that is off by x moves a share by x times the share of the other columns' rows that it brings in: each
    column is taken as independent of the others here.
    """
    moved, rows = np.zeros_like(own), model.total[0]
    sizes = [model.domain.sizes[p] for p in question.groups]
    for position in question.positions:
        size, noise = model.domain.sizes[position], model.totals.variances[position] / rows**2
        if position in question.groups:
            axis = question.groups.index(position)
            rest = own.reshape(sizes).sum(axis=axis, keepdims=True)
            moved += noise * (1 - 1 / size) * np.broadcast_to(rest**2, sizes).ravel()
        elif position in _asked(question) and noise * size > 4 * LITTLE**2 and len(own) * size <= MOST_NUMBERS:
            kept = _kept_by_value(replicates, question, position, size, sizes)
            moved += noise * ((kept - kept.mean(axis=0)) ** 2).sum(axis=0)
    return moved


def _asked(question: Question) -> frozenset[int]:
    return question.where.positions if question.where else frozenset()


def _kept_by_value(
    replicates: Replicates, question: Question, position: int, size: int, sizes: list[int]
) -> NDArray[np.float64]:
    """For every value of a column, if all rows had it, the share of the rows that each group then has."""
    step = max(len(replicates.carriers[0]) // SOME_ROWS, 1)
    codes, weights = replicates.codes(question.positions)[:, ::step].copy(), replicates.carriers[1][::step]
    # An even sequence stands for chance.
    values = (((np.arange(codes.shape[1]) + 0.5) * GOLDEN) % 1.0 * size).astype(np.uint16)
    codes[position] = values
    assert question.where is not None
    holds = question.where.on_rows(codes)[0]
    key, cells = values.astype(np.int64), 1
    for axis, group in enumerate(question.groups):
        key, cells = key * sizes[axis] + codes[group], cells * sizes[axis]
    kept = np.bincount(key, weights * holds, minlength=size * cells).reshape(size, cells)
    whole = np.bincount(values, weights, minlength=size)[:, None]
    return np.asarray(kept / np.where(whole > 0, whole, 1.0))


def mean_noise(model: WholeTableModel, question: Question, middle: Floats, mean: Floats) -> Floats:
    """Standard deviations of sums of (value - mean) over groups of rows, as shares of all rows, by a pair's noise.

    0 where the averaged column and the column of the groups, or of the condition, were not measured as a pair.
    """
    own, positions = question.average, question.positions
    pair = next((raw for raw in model.tables if len(positions) == 2 and set(raw.set.members) == set(positions)), None)
    if pair is None or own is None or own in question.groups:
        return np.zeros_like(mean)
    at = pair.set.members.index(own)
    groups, others = pair.set.maps[at], pair.set.maps[1 - at]
    share = model.cloud.shares[own]
    whole = np.bincount(groups, share)
    value = np.bincount(groups, share * middle) / np.where(whole > 0, whole, 1.0)
    apart = np.sqrt(((value - mean[:, None]) ** 2).sum(axis=1))
    other = pair.set.members[1 - at]
    if question.groups:
        part = _part_of_group(others, model.cloud.shares[other])
        return np.asarray(np.sqrt(pair.variance) * apart * part / model.total[0])
    assert question.where is not None
    kept = question.where.table((other,), [len(others)]) > 0
    return np.asarray(np.sqrt(pair.variance * len(np.unique(others[kept]))) * apart / model.total[0])


def _part_of_group(groups: NDArray[np.int64], share: Floats) -> Floats:
    whole = np.bincount(groups, share)[groups]
    return np.asarray(np.where(whole > 0, share / np.where(whole > 0, whole, 1.0), 0.0))

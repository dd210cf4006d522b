"""Measured answers of a whole table: linear in the released numbers, so unbiased and with exact error bars."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...maths.interactions.noisy_table import Moments
from ...maths.weighted_rows.grouped_sets import RawTable
from ...questions.parse import Question
from ..averages import Spans, averages
from ..build_answer import Estimates
from ..quotients import Averages

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["measured_averages", "measured_estimates", "moments_of_column", "moments_of_pair"]

Floats = NDArray[np.float64]
Map = NDArray[np.int64]
# More numbers than this are not worth the memory: no measured table is that fine.
MOST_NUMBERS = 20_000_000


@dataclass
class _Sums:
    """For every cell: value + share x (number of rows), with the variance and fourth cumulant of the value's noise.

    The number of rows has noise of its own, uncorrelated with the rest; see `Totals`.
    """

    value: Floats
    share: Floats
    variance: Floats
    fourth: Floats


def measured_estimates(model: WholeTableModel, question: Question, *, relative: bool) -> Estimates | None:
    """Value and noise of every cell that is a union of measured groups; nan for the others.

    None when no cell is measured.
    """
    where = _condition(model, question)
    told = None if where is None else _sums_and_known(model, question.positions, where, len(question.groups))
    if told is None or not told[1].any():
        return None
    sums, can = told
    rows, spread = model.total
    value, variance = sums.value + sums.share * rows, sums.variance + sums.share**2 * spread
    if relative:
        # (value / rows + share): only the first part depends on the number of rows.
        variance = (sums.variance + (sums.value / rows) ** 2 * spread) / rows**2
        value = value / rows
    fourth = sums.fourth / (rows**4 if relative else 1.0)
    kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(variance), where=variance > 0)
    unknown = np.where(can, 1.0, np.nan)
    return Estimates(value=value * unknown, stderr=np.sqrt(variance) * unknown, kurtosis=kurtosis)


def moments_of_column(model: WholeTableModel, attribute: int) -> tuple[Floats, Floats]:
    """Unbiased counts of a column's values, and their standard errors."""
    sums = _nothing(model.domain.sizes[attribute])
    _add_column(model, attribute, np.eye(model.domain.sizes[attribute]), sums)
    return _counts(model, sums)


def moments_of_pair(model: WholeTableModel, table: RawTable) -> tuple[Floats, Floats]:
    """Unbiased counts of a measured pair's cells, at its own groups, and their standard errors."""
    weights = np.eye(table.set.cells).reshape(-1, *table.set.shape)
    return _counts(model, _weighed(model, table, table.set.members, table.set.maps, weights))


def _nothing(cells: int) -> _Sums:
    return _Sums(*(np.zeros(cells) for _ in range(4)))


def _counts(model: WholeTableModel, sums: _Sums) -> tuple[Floats, Floats]:
    rows, spread = model.total
    return sums.value + sums.share * rows, np.sqrt(sums.variance + sums.share**2 * spread)


def _condition(model: WholeTableModel, question: Question) -> Floats | None:
    """The table of the question's condition; None where it is larger than any measured one."""
    positions, sizes = question.positions, model.domain.sizes
    shape, cells = [sizes[p] for p in positions], prod(sizes[p] for p in question.groups)
    if max(cells * prod(min(size, 64) for size in shape), prod(shape)) > MOST_NUMBERS:
        return None
    return question.where.table(positions, shape) if question.where else np.ones(shape)


def _sums_and_known(
    model: WholeTableModel, positions: tuple[int, ...], where: Floats, axes: int
) -> tuple[_Sums, NDArray[np.bool_]] | None:
    """Sums of the weights in `where`, for every cell of its first axes, and whether groups suffice to tell it."""
    if not positions:
        return None
    if len(positions) == 1:
        weights = np.diag(where) if axes else where[None]
        sums = _nothing(len(weights))
        _add_column(model, positions[0], weights, sums)
        return sums, np.ones(len(weights), dtype=bool)
    table = next((t for t in model.measured if set(t.set.members) == set(positions)), None)
    if table is None or len(positions) != 2:
        return None
    return _from_pair(model, table, positions, where, axes)


@dataclass(frozen=True, eq=False)
class MeasuredSums:
    """The released numbers about these attributes: sums over rows of a function, nan where they do not tell."""

    model: WholeTableModel
    positions: tuple[int, ...]

    def coefficients(self, function: Floats) -> Floats:
        """The function itself: its sum is linear in the cells."""
        return function

    def moments(self, coefficients: Floats) -> Moments:
        """Value, variance and fourth cumulant of the sum; nan where what was measured does not tell it."""
        told = _sums_and_known(self.model, self.positions, coefficients, 0)
        if told is None or not told[1][0]:
            unknown = np.array(np.nan)
            return Moments(unknown, unknown, unknown)
        sums, (rows, spread) = told[0], self.model.total
        variance = sums.variance + sums.share**2 * spread
        return Moments((sums.value + sums.share * rows)[0], variance[0], sums.fourth[0])


def measured_averages(model: WholeTableModel, question: Question) -> Averages | None:
    """Averages from released numbers alone; None when they tell none."""
    where = _condition(model, question)
    assert question.average is not None
    if where is None or where.size * prod(where.shape[: len(question.groups)]) > MOST_NUMBERS:
        return None
    spans = Spans.of(model.domain.closed[question.average], question, where)
    released = averages(MeasuredSums(model, question.positions), spans)
    return None if np.isnan(released.value).all() else released


def _add_column(model: WholeTableModel, attribute: int, weights: Floats, sums: _Sums) -> None:
    """Adds the sum of weight x count over one attribute's values, for every cell (a row of `weights`)."""
    mean = weights.mean(axis=1)
    centred = weights - mean[:, None]
    noise = model.totals.variances[attribute]
    sums.value += weights @ model.totals.centred(attribute)
    sums.share += mean
    sums.variance += noise * (centred**2).sum(axis=1)
    sums.fourth += _fourth(model, noise) * (centred**4).sum(axis=1)


def _fourth(model: WholeTableModel, variance: float) -> float:
    """Fourth cumulant of noise of a variance."""
    return model.law.kurtosis * variance**2


def _from_pair(
    model: WholeTableModel, table: RawTable, positions: tuple[int, ...], where: Floats, axes: int
) -> tuple[_Sums, NDArray[np.bool_]]:
    """cell (a, b) = interaction + margin_i(a) / g_j + margin_j(b) / g_i - rows / (g_i g_j), summed with weights."""
    maps = tuple(table.set.maps[table.set.members.index(p)] for p in positions)
    weights, can = _on_groups(where, maps, axes)
    return _weighed(model, table, positions, maps, weights), can


def _weighed(
    model: WholeTableModel, table: RawTable, positions: tuple[int, ...], maps: tuple[Map, ...], weights: Floats
) -> _Sums:
    """Sums of the pair's cells with weights, one for every first index."""
    order = [table.set.members.index(p) for p in positions]
    across, sums = weights.shape[1:], _nothing(len(weights))
    inner = weights - weights.mean(axis=1, keepdims=True)
    inner = inner - inner.mean(axis=2, keepdims=True)
    sums.value += (inner * table.interaction.transpose(order)).sum(axis=(1, 2))
    sums.variance += table.variance * (inner**2).sum(axis=(1, 2))
    sums.fourth += _fourth(model, table.variance) * (inner**4).sum(axis=(1, 2))
    sums.share -= weights.sum(axis=(1, 2)) / prod(across)
    for axis, position in enumerate(positions):
        _add_column(model, position, (weights.sum(axis=2 - axis) / across[1 - axis])[:, maps[axis]], sums)
    return sums


def _on_groups(where: Floats, maps: tuple[Map, ...], axes: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Weights of the pair's cells for every cell asked for, and whether groups suffice to tell it."""
    firsts = [np.unique(groups, return_index=True)[1] for groups in maps]
    can, weights = np.ones(where.shape, dtype=bool), where
    for axis in range(axes, 2):
        weights = np.take(weights, firsts[axis], axis=axis)
        can &= np.take(np.take(where, firsts[axis], axis=axis), maps[axis], axis=axis) == where
    for axis in range(axes):
        shape = [1, 1]
        shape[axis] = -1
        can &= (np.bincount(maps[axis])[maps[axis]] == 1).reshape(shape)
    hot = [np.eye(len(first))[groups] for first, groups in zip(firsts, maps, strict=True)]
    if axes == 0:
        return weights[None], np.array([can.all()])
    if axes == 1:
        return np.asarray(np.einsum("va,vb->vab", hot[0], weights)), np.asarray(can.all(axis=1))
    spread = np.einsum("va,wb,vw->vwab", hot[0], hot[1], weights)
    return spread.reshape(-1, *spread.shape[2:]), can.ravel()

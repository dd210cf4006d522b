"""Wide counts: for each of some questions about many attributes, the number of rows for which it is true."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.wide.shape import Symmetric
from .base import Codes, Statistic, Sums

__all__ = ["WideCounts"]


class WideCounts(Statistic):
    """One count a question; the questions come in blocks of equal number, which distances are told of.

    A row adds 0 or 1 to each count, so adding, removing or replacing one changes each by at most 1, and the distance
    of a block from any fixed counts by at most the number of its questions.
    """

    name: ClassVar[str] = "wide-counts"
    groups = 1

    def __init__(self, sizes: Sequence[int], blocks: Sequence[Sequence[Symmetric]]) -> None:
        self.sizes, self.questions = tuple(sizes), [question for block in blocks for question in block]
        if len({len(block) for block in blocks}) != 1:
            raise ValueError("blocks have equally many questions")
        self._each = len(blocks[0])

    def zeros(self) -> Sums:
        """The sums over no rows."""
        return np.zeros(len(self.questions) + 1, dtype=np.int64)

    def accumulate(self, codes: Codes) -> Sums:
        """How many rows each question is true for, and how many there are."""
        out = self.zeros()
        for place, question in enumerate(self.questions):
            holding = np.zeros(codes.shape[1], dtype=np.uint8)
            for position, mask in zip(question.positions, question.masks, strict=True):
                holding += _fulfils(codes[position], mask)
            out[place] = _count(holding, question)
        out[-1] = codes.shape[1]
        return out

    def to_coordinates(self, sums: Sums) -> Sums:
        """The counts alone."""
        return sums[:-1]

    def rows(self, sums: Sums) -> int:
        """Kept behind the counts."""
        return int(sums[-1])

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """The same noise on every count."""
        index = np.zeros(len(self.questions), dtype=np.int32)
        return CoordinateNoise(law=law, table=tuple(per_group), index=index)

    def block_starts(self) -> Sums:
        """Where each block of questions begins, then the end."""
        return np.arange(0, len(self.questions) + 1, self._each, dtype=np.int64)

    def block_change(self, neighbours: Neighbours) -> int:
        """As many as a block has questions that a row can change, each by 1."""
        return int(self._changed(neighbours).reshape(-1, self._each).sum(axis=1).max())

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Weight x the questions that a row can change: from above, and exact where some row changes them all."""
        (weight,) = weights
        return weight * int(self._changed(neighbours).sum())

    def largest_change(self, neighbours: Neighbours) -> int:
        """1, unless no row can change any count."""
        return int(self._changed(neighbours).any())

    def _changed(self, neighbours: Neighbours) -> NDArray[np.bool_]:
        """Of each question whether a row can change its count: one it is true of, and with replace another it is not.

        The number of conditions that hold is anything between how many hold for all codes and how many for some.
        """
        out = np.zeros(len(self.questions), dtype=bool)
        for place, question in enumerate(self.questions):
            least, most = (sum(map(every, question.masks)) for every in (all, any))
            truths = question.values[least : most + 1]
            out[place] = any(truths) and (neighbours == "add-remove" or not all(truths))
        return out


def _fulfils(codes: Codes, mask: Sequence[bool]) -> NDArray[np.uint8]:
    """1 for each row whose code is among those of a condition."""
    if tuple(mask) in ((False, True), (True, False)):
        # As below, without a table: compilers do whole registers of comparisons at a time.
        fulfilled: NDArray[np.uint8] = ((codes != 0) if mask[1] else (codes == 0)).view(np.uint8)
        return fulfilled
    return np.asarray(np.array(mask, dtype=np.uint8)[np.minimum(codes, len(mask) - 1)])


def _count(holding: NDArray[np.uint8], question: Symmetric) -> int:
    """Of how many rows a question is true, from how many of its conditions each fulfils."""
    true = [number for number, value in enumerate(question.values) if int(value)]
    false = [number for number, value in enumerate(question.values) if not int(value)]
    fewer = min(true, false, key=len)
    counted = sum(int(np.count_nonzero(holding == number)) for number in fewer)
    return counted if fewer is true else len(holding) - counted

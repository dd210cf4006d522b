"""Functions: the sums over rows of a few given functions, each in whole numbers between -unit and unit."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...budget import Neighbours, touched
from ...laws import Law
from ...maths.interactions.layout import CoordinateNoise
from ...maths.smooth.axes import Block
from ...maths.smooth.evaluation import evaluate
from ...maths.smooth.expressions import Expression, names_in
from .reals import RealRows, RealStatistic

__all__ = ["FunctionStatistic", "FunctionSums"]


class FunctionStatistic(RealStatistic, ABC):
    """Sums that depend on the values of a few functions, each cut to its stated range."""

    def __init__(
        self, block: Block, functions: Sequence[Expression], ranges: Sequence[tuple[float, float]], unit: int
    ) -> None:
        super().__init__([block])
        self.functions, self.ranges, self.unit = tuple(functions), tuple(ranges), unit
        may = {axis.name for axis in block.axes if axis.optional}
        self.needs = tuple(frozenset(names_in(f) & may) for f in self.functions)
        """For each function, its columns that may be missing."""

    def absent(self, codes: RealRows) -> dict[frozenset[str], NDArray[np.bool_]]:
        """For each set of columns that may be missing from a function, which rows lack one of them."""
        missing = {axis.name: np.isnan(x) for axis, x in zip(self.axes, codes.x, strict=True)}
        nowhere = np.zeros(codes.x.shape[1], dtype=bool)
        return {needed: sum((missing[name] for name in needed), nowhere) for needed in {*self.needs}}

    def scaled(self, codes: RealRows) -> Iterator[NDArray[np.float64]]:
        """For each function its value in every row, its range stretched to [-1, 1].

        Values are cut to the stated range, so that the sensitivity does not depend on what is stated.
        """
        columns = {axis.name: axis.original(x) for axis, x in zip(self.axes, codes.x, strict=True)}
        for function, (low, high) in zip(self.functions, self.ranges, strict=True):
            values = np.broadcast_to(evaluate(function, columns), (codes.x.shape[1],))
            # Nothing that is not a number comes from a function whose range is proven; if it did, it counts as 0.
            yield np.clip(np.nan_to_num((2 * values - low - high) / (high - low)), -1.0, 1.0)


class FunctionSums(FunctionStatistic):
    """The number of rows, then for each function the sum of its values, its range stretched to [-unit, unit].

    A row in which a column of a function is missing adds 0, and 1 to the last numbers: for each set of columns that may
    be missing from a function, how many rows lack one of them. A group each.
    """

    name: ClassVar[str] = "functions"

    def __init__(
        self, block: Block, functions: Sequence[Expression], ranges: Sequence[tuple[float, float]], unit: int
    ) -> None:
        super().__init__(block, functions, ranges, unit)
        self.lacking = tuple(dict.fromkeys(needed for needed in self.needs if needed))
        self.groups = 1 + len(self.functions) + len(self.lacking)

    def zeros(self) -> NDArray[np.int64]:
        """The sum over no rows."""
        return np.zeros(self.groups, dtype=np.int64)

    def accumulate(self, codes: RealRows) -> NDArray[np.int64]:
        """The number of rows, the sums, and how many rows were left out of them."""
        sums, absent = self.zeros(), self.absent(codes)
        sums[0] = codes.x.shape[1]
        for i, (scaled, needed) in enumerate(zip(self.scaled(codes), self.needs, strict=True), start=1):
            sums[i] = np.rint(np.where(absent[needed], 0.0, scaled) * self.unit).astype(np.int64).sum()
        for i, needed in enumerate(self.lacking, start=1 + len(self.functions)):
            sums[i] = np.count_nonzero(absent[needed])
        return sums

    def to_coordinates(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums are the coordinates."""
        self.check_room(sums)
        return sums

    def scales(self, law: Law, per_group: Sequence[Fraction]) -> CoordinateNoise:
        """Each its own."""
        return CoordinateNoise(law=law, table=tuple(per_group), index=np.arange(self.groups, dtype=np.int32))

    def _sensitivity(self, *, power: int, weights: Sequence[Fraction], neighbours: Neighbours) -> Fraction:
        """Every function may move by its whole range at once; the number of rows only when one is added or removed.

        Functions of the same columns move together: either by their range, or by half of it and one row is lacking.
        Exact while for every set of columns the former is the larger, as it is in every plan.
        """
        alone = neighbours == "add-remove"
        total = weights[0] if alone else Fraction(0)
        absent = dict(zip(self.lacking, weights[1 + len(self.functions) :], strict=True))
        for needed in {*self.needs}:
            own = [w for w, n in zip(weights[1:], self.needs, strict=False) if n == needed]
            half = sum(own, Fraction(0)) * self.unit**power
            whole = half if alone else half * 2**power
            total += max(whole, absent[needed] + (0 if alone else half)) if needed else whole
        return Fraction(total)

    def largest_change(self, neighbours: Neighbours) -> int:
        """From one end of a range to the other, or one end."""
        return self.unit * touched(neighbours)

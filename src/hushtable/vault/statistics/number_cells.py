"""Number cells: tables of single columns of numbers, by cells that were chosen for them, and by how round they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Binned
from ...maths.ranges.habits import class_of, round_classes
from .base import Codes, Sums
from .table_statistic import TableStatistic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NumberCells"]


class NumberCells(TableStatistic):
    """One table a column, with noise of its own: the cells between its cuts, then what is undeclared or missing.

    attributes  the columns, each with the cuts that are counted
    rounded     columns whose values are also counted by class: the largest of the round numbers of steps that divides
                them, and one more class for rows without a value inside the bounds; a table each, behind the others

    A row is in one cell of every table. Under replace some two rows differ in all of them, unless a column's values of
    different cells are all of one class: then the sensitivity is an upper bound.
    """

    name: ClassVar[str] = "number-cells"

    def __init__(self, attributes: Sequence[Binned], rounded: Sequence[Binned] = ()) -> None:
        self.attributes, self.rounded = tuple(attributes), tuple(rounded)
        self.classes = tuple(round_classes(attribute) for attribute in self.rounded)
        sizes = [*(a.size for a in self.attributes), *(len(own) + 1 for own in self.classes)]
        self._starts = np.cumsum([0, *sizes]).astype(np.int64)
        self.groups = len(sizes)

    @property
    def starts(self) -> Sums:
        return self._starts

    @property
    def group_of_table(self) -> NDArray[np.int32]:
        return np.arange(self.groups, dtype=np.int32)

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """Each once, though it may have two tables."""
        return tuple(dict.fromkeys(a.name for a in (*self.attributes, *self.rounded)))

    def read(self, batch: pa.RecordBatch, domain: Domain) -> Codes:
        """For every table the cell of each row."""
        from ..coding import encode, real_numbers

        place = {name: i for i, name in enumerate(self.columns(domain))}
        cells = [encode(a, batch.column(place[a.name])) for a in self.attributes]
        for attribute, classes in zip(self.rounded, self.classes, strict=True):
            numbers = real_numbers(attribute, batch.column(place[attribute.name]))
            cells.append(_classes(attribute, numbers, classes).astype(np.uint16))
        return np.array(cells, dtype=np.uint16).reshape(self.groups, batch.num_rows)

    def accumulate(self, codes: Codes) -> Sums:
        """Counts of all cells."""
        counts = [np.bincount(own, minlength=size) for own, size in zip(codes, np.diff(self.starts), strict=True)]
        return np.concatenate(counts).astype(np.int64)


def _classes(attribute: Binned, numbers: NDArray[np.float64], classes: tuple[int, ...]) -> NDArray[np.int64]:
    """The class of every number, by the nearest whole number of steps; the last one where there is none."""
    with np.errstate(invalid="ignore"):
        inside = (numbers >= float(attribute.low)) & (numbers <= float(attribute.high))
        steps = np.rint(np.where(inside, numbers, 0.0) / float(attribute.unit))
    return np.where(inside, class_of(steps, classes), len(classes))

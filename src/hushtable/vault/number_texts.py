"""Number texts: columns of text that spell numbers, all at once where that is sure, each cell by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["NumberTexts", "is_text"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class NumberTexts(NamedTuple):
    """Of every cell: the number it plainly spells (else NaN), whether it does, and whether it is blank or null.

    What a cell is depends on that cell alone. Cells that are neither plain nor blank are read by the attribute itself,
    one by one.
    """

    numbers: Floats
    plain: Flags
    blank: Flags

    @property
    def rest(self) -> Flags:
        """Cells that say something else: a word, a number with an exponent or with many digits."""
        return ~(self.plain | self.blank)

    @classmethod
    def of(cls, column: pa.Array) -> NumberTexts:
        """Of a column of text."""
        from .number_kernel import BLANK, PLAIN, parse_all

        width = np.int64 if pa.types.is_large_string(column.type) else np.int32
        _, offsets, data = column.buffers()
        numbers, form = np.empty(len(column)), np.empty(len(column), dtype=np.uint8)
        if len(column):
            ends = np.frombuffer(offsets, width, len(column) + 1, column.offset * np.dtype(width).itemsize)
            text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
            parse_all(text, ends, numbers, form)
        if column.null_count:
            missing = np.asarray(column.is_null())
            form[missing], numbers[missing] = BLANK, np.nan
        return cls(numbers, form == PLAIN, form == BLANK)


def is_text(kind: pa.DataType) -> bool:
    """Whether it is one of Arrow's plain types of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

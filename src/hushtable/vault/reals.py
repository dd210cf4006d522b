"""Coding of real columns: from the values of an Arrow column to numbers; every value has one, whatever it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain.attributes import Binned, number_in
from ..errors import BadData
from ..maths.keys.keys import plain_value, scalar_text, valid_text

__all__ = ["real_numbers"]

Floats = NDArray[np.float64]


def real_numbers(attribute: Binned, column: pa.Array) -> Floats:
    """The number each value spells, equal to `number_in` one by one; NaN where it spells none or is missing.

    BadData only where the domain says `missing: error` and something is missing, or is no number and not `other`; it
    names the column and no more.
    """
    numbers, missing = _plain(column) or _distinct(attribute, column)
    absent = missing if attribute.other else np.isnan(numbers)
    if attribute.missing == "error" and absent.any():
        raise BadData(
            f"column {attribute.name} has missing values or values that are no numbers, and its domain says `missing: "
            "error`; correct the data, or let `missing: category` leave such rows out"
        )
    return numbers


def _plain(column: pa.Array) -> tuple[Floats, NDArray[np.bool_]] | None:
    """Columns of numbers, and of texts that Arrow reads as finite numbers without exception, as Python does."""
    kind = column.type
    typed = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        trimmed = pc.utf8_trim_whitespace(valid_text(column))
        column = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, trimmed.type), trimmed)
    elif not typed:
        return None
    try:
        read = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid:
        return None
    missing = np.asarray(pc.is_null(read, nan_is_null=typed))
    numbers = np.asarray(pc.fill_null(read, np.nan))
    if not typed and not np.isfinite(numbers[~missing]).all():
        return None  # words such as nan and inf: only Python's reading of them counts
    return np.where(np.isfinite(numbers), numbers, np.nan), missing


def _distinct(attribute: Binned, column: pa.Array) -> tuple[Floats, NDArray[np.bool_]]:
    """Any other column: each distinct value is read once."""
    try:
        encoded = column if isinstance(column, pa.DictionaryArray) else pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        encoded = pc.dictionary_encode(pa.array([scalar_text(v) for v in column], pa.large_string()))
    values, indices = [plain_value(v) for v in encoded.dictionary], encoded.indices
    found = [number_in(v) for v in values]
    numbers = np.array([*(np.nan if f is None else f for f in found), np.nan])
    missing = np.array([*(attribute.is_missing(v) for v in values), True])
    places = np.asarray(pc.fill_null(indices.cast(pa.int64()), len(values)))
    return numbers[places], missing[places]

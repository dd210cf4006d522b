"""Coding: from the values of an Arrow column to the codes of an attribute, a whole batch at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute, Binned, Boolean, Integer, edge_text
from ..errors import BadData
from ..maths.keys.keys import plain_value, scalar_text
from .statistics.base import Codes

__all__ = ["encode", "encode_batch"]

# Marks a value the domain has no code for; larger than any code.
NOWHERE = 65_535
UNCODED = np.uint16(NOWHERE)


def encode_batch(batch: pa.RecordBatch, domain: Domain) -> Codes:
    """Codes of a batch with one column per closed attribute: shape (attributes, rows)."""
    small = max(domain.sizes, default=0) <= 256
    shape = (len(domain.closed), batch.num_rows)
    codes: Codes = np.empty(shape, np.uint8) if small else np.empty(shape, np.uint16)
    for i, attribute in enumerate(domain.closed):
        codes[i] = encode(attribute, batch.column(i))
    return codes


def encode(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """The code of every value, equal to `attribute.code` one by one, so that it depends on nothing else.

    BadData only where the domain says `missing: error` and a value has no code; it names the column and the rule,
    never a value, a row or how many there are.
    """
    codes = _numbers(attribute, column) if _is_number(column.type) else _distinct(attribute, column)
    if attribute.missing == "error" and (codes == UNCODED).any():
        raise BadData(
            f"column {attribute.name} has missing values or values outside its declared {_rule(attribute)}, and its "
            "domain says `missing: error`; correct the data, or let `missing: category` count them"
        )
    return codes


def _rule(attribute: Attribute) -> str:
    if isinstance(attribute, Binned):
        return f"range [{edge_text(attribute.low)}, {edge_text(attribute.high)}]"
    return f"{len(attribute.values)} values"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _code_or_nowhere(code: int | None) -> int:
    return NOWHERE if code is None else code


def _numbers(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """Numeric columns: bins by binary search, everything else through the distinct values."""
    if not isinstance(attribute, (Binned, Boolean)):
        return _distinct(attribute, column)
    undeclared = attribute.missing_code if attribute.other_code is None else attribute.other_code
    missing = np.asarray(pc.is_null(column, nan_is_null=True))
    filled = column if column.null_count == 0 else pc.fill_null(column, False if column.type == pa.bool_() else 0)
    values = np.asarray(filled.cast(pa.float64(), safe=False))
    if isinstance(attribute, Boolean):
        codes = np.where(values == 0, 0, np.where(values == 1, 1, _code_or_nowhere(undeclared)))
    else:
        with np.errstate(invalid="ignore"):
            inside = (values >= float(attribute.low)) & (values <= float(attribute.high))
            if isinstance(attribute, Integer):
                inside &= np.floor(values) == values
        codes = np.searchsorted(np.array([float(c) for c in attribute.cuts]), values, side="right")
        codes = np.where(inside, codes, _code_or_nowhere(undeclared))
    codes[missing] = _code_or_nowhere(attribute.missing_code)
    return codes.astype(np.uint16)


def _distinct(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """Any other column: each distinct value is coded once, by the attribute itself."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    encoded = column if isinstance(column, pa.DictionaryArray) else _dictionary(column)
    table = [_code_or_nowhere(attribute.code(plain_value(value))) for value in encoded.dictionary]
    table.append(_code_or_nowhere(attribute.missing_code))
    indices = encoded.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int64()), len(table) - 1)
    codes: NDArray[np.uint16] = np.array(table, dtype=np.uint16)[np.asarray(indices)]
    return codes


def _dictionary(column: pa.Array) -> pa.DictionaryArray:
    try:
        return pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        # Nested values, runs: their text decides.
        return pc.dictionary_encode(pa.array([scalar_text(value) for value in column], pa.large_string()))

"""Reading keys: the canonical bytes of the key columns of every row of a batch."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ..domain.attributes import Attribute, Uncoded
from ..maths.keys.keys import join_keys, key_texts
from .coding import encode

__all__ = ["read_keys"]


def read_keys(attributes: Sequence[Attribute], batch: pa.RecordBatch) -> pa.Array:
    """The keys of the rows, without nulls. An attribute with codes counts as the label of its code."""
    return join_keys([_texts(a, batch.column(i)) for i, a in enumerate(attributes)])


def _texts(attribute: Attribute, column: pa.Array) -> pa.Array:
    if not isinstance(attribute, Uncoded):
        return pa.array(attribute.labels, pa.large_string()).take(pa.array(encode(attribute, column)))
    return key_texts(column)

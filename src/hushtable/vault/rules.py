"""Coding of decision lists: from the values of an Arrow column to numbers a statistic can sum."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain.decision_list import DecisionList
from ..errors import BadData
from ..maths.keys.keys import plain_value

__all__ = ["encode_rules"]


def encode_rules(attribute: DecisionList, column: pa.Array) -> NDArray[np.uint16]:
    """One column a row of the table: number of rules, decisions (bit i is rule i's), then a number for each literal.

    A list without rules has its default in place of the decisions; with rules the default is the opposite of the
    last one. A literal is twice its input, plus 1 if negated. What is no such list counts as missing; BadData only
    where the domain says `missing: error`, and it names the column, never a value or a row.
    """
    values, indices = _distinct(column)
    coded = [_numbers(attribute, value) for value in values]
    used = set(np.unique(indices).tolist())
    if any(numbers is None for i, numbers in enumerate(coded) if i in used):
        raise BadData(
            f"column {attribute.name} has values that are not decision lists of at most {attribute.length} rules over "
            f"its {len(attribute.inputs)} inputs, and its domain says `missing: error`; correct the domain or the data"
        )
    height = 2 + attribute.most_rules
    table = np.array([numbers or [0] * height for numbers in coded], dtype=np.uint16).reshape(-1, height)
    return np.ascontiguousarray(table[indices].T)


def _numbers(attribute: DecisionList, value: object) -> list[int] | None:
    rules = attribute.rules(value)
    if rules is None:
        return None if attribute.missing == "error" else _numbers(attribute, None)
    bits = sum(decision << i for i, decision in enumerate(rules.decisions)) if len(rules) else int(rules.default)
    literals = [2 * number + negated for number, negated in zip(rules.inputs, rules.negated, strict=True)]
    return [len(rules), bits, *literals, *[0] * (attribute.most_rules - len(rules))]


def _distinct(column: pa.Array) -> tuple[list[object], NDArray[np.int64]]:
    """The distinct values, None among them, and which of them each row has: lists are many, kinds of lists few."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if not isinstance(column, pa.DictionaryArray):
        try:
            column = pc.dictionary_encode(column)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values
            column = pc.dictionary_encode(pa.array(map(_text, column), pa.string()))
    values = list(map(_text, column.dictionary))
    indices = np.asarray(pc.fill_null(column.indices.cast(pa.int64()), len(values)))
    return [*values, None], indices


def _text(scalar: pa.Scalar) -> object:
    """What is read: text as it is, other values as JSON, so that a number or a date is no decision list."""
    value = plain_value(scalar)
    return value if value is None or isinstance(value, (str, bytes)) else json.dumps(value, default=str)

"""Coding: from the values of an Arrow column to what statistics sum, a whole batch at a time.

Codes of closed attributes (`encode`), numbers of real columns (`real_numbers`), the rules of decision lists
(`encode_rules`) and the bytes of keys (`read_keys`). How a row is coded depends on that row and the domain alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute, Binned, Boolean, Integer, Uncoded, edge_text, number_in
from ..domain.decision_list import DecisionList, RuleList
from ..errors import BadData
from ..maths.keys.keys import join_keys, key_texts, plain_value, scalar_text
from .number_texts import NumberTexts, is_text
from .statistics.base import Codes

__all__ = ["empty_codes", "encode", "encode_batch", "encode_long_rules", "encode_rules", "read_keys", "real_numbers"]

# Marks a value the domain has no code for; larger than any code.
NOWHERE = 65_535
UNCODED = np.uint16(NOWHERE)

# Whole numbers below this are floats without rounding.
EXACT = 2.0**53

Floats = NDArray[np.float64]


def encode_batch(batch: pa.RecordBatch, domain: Domain) -> Codes:
    """Codes of a batch with one column per closed attribute: shape (attributes, rows)."""
    codes = empty_codes(domain.sizes, batch.num_rows)
    for i, attribute in enumerate(domain.closed):
        codes[i] = encode(attribute, batch.column(i))
    return codes


def empty_codes(sizes: Sequence[int], rows: int = 0) -> Codes:
    """Room for the codes of so many rows: a byte each where that is enough for every attribute."""
    shape = (len(sizes), rows)
    return np.empty(shape, np.uint8) if max(sizes, default=0) <= 256 else np.empty(shape, np.uint16)


def encode(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """The code of every value, equal to `attribute.code` one by one, so that it depends on nothing else.

    BadData only where the domain says `missing: error` and a value has no code; it names the column and the rule,
    never a value, a row or how many there are.
    """
    codes = _codes(attribute, column)
    if attribute.missing == "error" and (codes == UNCODED).any():
        raise BadData(
            f"column {attribute.name} has missing values or values outside its declared {_rule(attribute)}, and its "
            "domain says `missing: error`; correct the data, or let `missing: category` count them"
        )
    return codes


def _codes(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """The codes, with NOWHERE for values that have none."""
    if _is_number(column.type):
        return _number_codes(attribute, column)
    if isinstance(attribute, Binned) and is_text(column.type):
        return _number_text_codes(attribute, column)
    return _distinct_codes(attribute, column)


def _number_text_codes(attribute: Binned, column: pa.Array) -> NDArray[np.uint16]:
    """Text of numbers: bins by binary search where a cell is plainly a number, else by the attribute itself."""
    texts = NumberTexts.of(column)
    codes = _binned_codes(attribute, texts.numbers)
    codes[texts.blank] = _code_or_nowhere(attribute.missing_code)
    # A number that may be a code for a missing value is one by its text, which knows 9 from 09.
    rest = texts.rest | _says_missing(attribute, texts.numbers)
    if rest.any():
        codes[rest] = _distinct_codes(attribute, column.filter(pa.array(rest)))
    return codes.astype(np.uint16)


def _binned_codes(attribute: Binned, values: Floats) -> NDArray[np.int64]:
    """The bins of numbers inside the bounds, and the code of all others."""
    undeclared = attribute.missing_code if attribute.other_code is None else attribute.other_code
    with np.errstate(invalid="ignore"):
        inside = (values >= float(attribute.low)) & (values <= float(attribute.high))
        if isinstance(attribute, Integer):
            inside &= np.floor(values) == values
    codes = np.searchsorted(np.array([float(c) for c in attribute.cuts]), values, side="right")
    return np.where(inside, codes, _code_or_nowhere(undeclared))


def _rule(attribute: Attribute) -> str:
    if isinstance(attribute, Binned):
        return f"range [{edge_text(attribute.low)}, {edge_text(attribute.high)}]"
    return f"{len(attribute.values)} values"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _code_or_nowhere(code: int | None) -> int:
    return NOWHERE if code is None else code


def _number_codes(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """Numeric columns: bins by binary search, everything else through the distinct values."""
    if not isinstance(attribute, (Binned, Boolean)) or (isinstance(attribute, Boolean) and attribute.labels_of):
        return _distinct_codes(attribute, column)
    if column.type == pa.bool_():
        return _boolean_codes(attribute, column)
    undeclared = attribute.missing_code if attribute.other_code is None else attribute.other_code
    missing = np.asarray(pc.is_null(column, nan_is_null=True))
    filled = column if column.null_count == 0 else pc.fill_null(column, 0)
    values = np.asarray(filled.cast(pa.float64(), safe=False))
    if isinstance(attribute, Boolean):
        codes = np.where(values == 0, 0, np.where(values == 1, 1, _code_or_nowhere(undeclared)))
    else:
        codes = _binned_codes(attribute, values)
    codes[missing | _says_missing(attribute, values)] = _code_or_nowhere(attribute.missing_code)
    return codes.astype(np.uint16)


def _boolean_codes(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """Of a column of true and false: each of the three values it can have is coded once, by the attribute itself."""
    table = np.array([_code_or_nowhere(attribute.code(value)) for value in (False, True, None)], dtype=np.uint16)
    filled = pc.fill_null(column.cast(pa.uint8()), 2) if column.null_count else column.cast(pa.uint8())
    codes: NDArray[np.uint16] = table[np.asarray(filled)]
    return codes


def _says_missing(attribute: Attribute, values: Floats) -> NDArray[np.bool_]:
    """Which numbers are declared to say that there is no value, such as -9: those with the same text."""
    numbers = [number for code in attribute.missing_values if (number := number_in(code)) is not None]
    told = [number for number in numbers if abs(number) < EXACT and attribute.is_missing(number)]
    return np.isin(values, told) if told else np.zeros(len(values), dtype=bool)


def _distinct_codes(attribute: Attribute, column: pa.Array) -> NDArray[np.uint16]:
    """Any other column: each distinct value is coded once, by the attribute itself."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    encoded = _dictionary(column, scalar_text)
    table = [_code_or_nowhere(attribute.code(plain_value(value))) for value in encoded.dictionary]
    table.append(_code_or_nowhere(attribute.missing_code))
    indices = encoded.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int64()), len(table) - 1)
    codes: NDArray[np.uint16] = np.array(table, dtype=np.uint16)[np.asarray(indices)]
    return codes


def _dictionary(column: pa.Array, text: Callable[[pa.Scalar], object]) -> pa.DictionaryArray:
    """The distinct values, and which of them each row has; of nested values their text decides."""
    if isinstance(column, pa.DictionaryArray):
        return column
    try:
        return pc.dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pc.dictionary_encode(pa.array(map(text, column), pa.large_string()))


def real_numbers(attribute: Binned, column: pa.Array) -> Floats:
    """The number each value spells, equal to `number_in` one by one; NaN where it spells none or is missing.

    BadData only where the domain says `missing: error` and something is missing, or is no number and not `other`; it
    names the column and no more.
    """
    if is_text(column.type):
        numbers, missing = _spelled_numbers(attribute, column)
    else:
        plain = None if attribute.missing_values else _typed_numbers(column)
        numbers, missing = plain or _distinct_numbers(attribute, column)
    absent = missing if attribute.other else np.isnan(numbers)
    if attribute.missing == "error" and absent.any():
        raise BadData(
            f"column {attribute.name} has missing values or values that are no numbers, and its domain says `missing: "
            "error`; correct the data, or let `missing: category` leave such rows out"
        )
    return numbers


def _spelled_numbers(attribute: Binned, column: pa.Array) -> tuple[Floats, NDArray[np.bool_]]:
    """Columns of text: cells that are plainly numbers all at once, others one by one."""
    texts = NumberTexts.of(column)
    numbers, missing = texts.numbers, texts.blank
    rest = texts.rest | _says_missing(attribute, numbers)
    if rest.any():
        numbers[rest], missing[rest] = _distinct_numbers(attribute, column.filter(pa.array(rest)))
    return numbers, missing


def _typed_numbers(column: pa.Array) -> tuple[Floats, NDArray[np.bool_]] | None:
    """Columns of numbers; None for any other type."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return None
    read = pc.cast(column, pa.float64(), safe=False)
    numbers = np.asarray(pc.fill_null(read, np.nan))
    return np.where(np.isfinite(numbers), numbers, np.nan), np.asarray(pc.is_null(read, nan_is_null=True))


def _distinct_numbers(attribute: Binned, column: pa.Array) -> tuple[Floats, NDArray[np.bool_]]:
    """Any other column: each distinct value is read once."""
    encoded = _dictionary(column, scalar_text)
    values, indices = [plain_value(v) for v in encoded.dictionary], encoded.indices
    spelled = [None if attribute.is_missing(v) else number_in(v) for v in values]
    numbers = np.array([*(np.nan if number is None else number for number in spelled), np.nan])
    missing = np.array([*(attribute.is_missing(v) for v in values), True])
    places = np.asarray(pc.fill_null(indices.cast(pa.int64()), len(values)))
    return numbers[places], missing[places]


def encode_rules(attribute: DecisionList, column: pa.Array) -> NDArray[np.uint16]:
    """One column a row of the table: number of rules, decisions (bit i is rule i's), then a number for each literal.

    A list without rules has its default in place of the decisions; with rules the default is the opposite of the
    last one. A literal is twice its input, plus 1 if negated. What is no such list counts as missing; BadData only
    where the domain says `missing: error`, and it names the column, never a value or a row.
    """
    return _encoded_lists(attribute, column, _short_numbers, 2 + attribute.most_rules)


def encode_long_rules(attribute: DecisionList, column: pa.Array) -> NDArray[np.uint16]:
    """The same for lists of any length: number of rules, default if there are none, literals, decisions."""
    return _encoded_lists(attribute, column, _long_numbers, 2 + 2 * attribute.most_rules)


def _encoded_lists(
    attribute: DecisionList, column: pa.Array, numbers_of: Callable[[DecisionList, RuleList], list[int]], height: int
) -> NDArray[np.uint16]:
    values, indices = _distinct_lists(column)
    coded = [_rule_numbers(attribute, value, numbers_of) for value in values]
    used = set(np.unique(indices).tolist())
    if any(numbers is None for i, numbers in enumerate(coded) if i in used):
        raise BadData(
            f"column {attribute.name} has values that are not decision lists of at most {attribute.length} rules over "
            f"its {len(attribute.inputs)} inputs, and its domain says `missing: error`; correct the domain or the data"
        )
    table = np.array([numbers or [0] * height for numbers in coded], dtype=np.uint16).reshape(-1, height)
    return np.ascontiguousarray(table[indices].T)


def _rule_numbers(
    attribute: DecisionList, value: object, numbers_of: Callable[[DecisionList, RuleList], list[int]]
) -> list[int] | None:
    rules = attribute.rules(value)
    if rules is None:
        return None if attribute.missing == "error" else _rule_numbers(attribute, None, numbers_of)
    return numbers_of(attribute, rules)


def _short_numbers(attribute: DecisionList, rules: RuleList) -> list[int]:
    bits = sum(decision << i for i, decision in enumerate(rules.decisions)) if len(rules) else int(rules.default)
    return [len(rules), bits, *_literals(attribute, rules)]


def _long_numbers(attribute: DecisionList, rules: RuleList) -> list[int]:
    decisions = [*map(int, rules.decisions), *[0] * (attribute.most_rules - len(rules))]
    return [len(rules), int(rules.default), *_literals(attribute, rules), *decisions]


def _literals(attribute: DecisionList, rules: RuleList) -> list[int]:
    literals = [2 * number + negated for number, negated in zip(rules.inputs, rules.negated, strict=True)]
    return [*literals, *[0] * (attribute.most_rules - len(rules))]


def _distinct_lists(column: pa.Array) -> tuple[list[object], NDArray[np.int64]]:
    """The distinct values, None among them, and which of them each row has: lists are many, kinds of lists few."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    encoded = _dictionary(column, _list_text)
    values = list(map(_list_text, encoded.dictionary))
    indices = np.asarray(pc.fill_null(encoded.indices.cast(pa.int64()), len(values)))
    return [*values, None], indices


def _list_text(scalar: pa.Scalar) -> object:
    """What is read: text as it is, other values as JSON, so that a number or a date is no decision list."""
    value = plain_value(scalar)
    return value if value is None or isinstance(value, (str, bytes)) else json.dumps(value, default=str)


def read_keys(attributes: Sequence[Attribute], batch: pa.RecordBatch) -> pa.Array:
    """The canonical bytes of the key columns of every row, without nulls; of a coded attribute, those of its label."""
    return join_keys([_key_texts(a, batch.column(i)) for i, a in enumerate(attributes)])


def _key_texts(attribute: Attribute, column: pa.Array) -> pa.Array:
    if isinstance(attribute, Uncoded):
        return key_texts(column)
    return pa.array(attribute.labels, pa.large_string()).take(pa.array(encode(attribute, column)))

"""Keys: one canonical form for rows and questions, and no two values with the same one."""

import datetime
import decimal
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushtable.maths.keys.keys import join_keys, key_of, key_texts, texts_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.none() | TEXT, max_size=30))
def test_texts_in_rows_and_in_questions_have_the_same_key(values):
    assert join_keys([key_texts(pa.array(values, pa.string()))]).to_pylist() == [key_of([v]) for v in values]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, -2, None]),
        pa.array([2**63], pa.uint64()),
        pa.array([1.0, 2.5, float("nan"), None, 1e300, -0.0]),
        pa.array([True, None, False]),
        pa.array([datetime.date(2020, 1, 1), None]),
        pa.array([decimal.Decimal("1.50")]),
        pa.array([b"ab", b"\xff", None]),
        pa.array([["a"], None]),
        pa.array(["a", " b", None, "a"]).dictionary_encode(),
        pa.array([{"a": 1}]),
        pa.array([], pa.string()),
        pa.array([None, None]),
        pa.array(["a", "b", " c", ""])[1:],
        pa.array(["plain", "texts"], pa.large_string()),
    ],
    ids=lambda array: str(array.type),
)
def test_every_type_of_column_has_the_keys_of_its_values(array):
    assert join_keys([key_texts(array)]).to_pylist() == [key_of([v]) for v in array.to_pylist()]


def test_spaces_are_those_of_python_for_every_character():
    characters = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i <= 0xDFFF]
    texts = pa.array([f"{c}x{c}" for c in characters])
    assert key_texts(texts).to_pylist() == [texts_of(key_of([f"{c}x{c}"]))[0] for c in characters]


@given(st.tuples(st.none() | TEXT, st.none() | TEXT), st.tuples(st.none() | TEXT, st.none() | TEXT))
def test_two_columns_have_the_same_key_only_if_both_texts_agree(first, second):
    assert (key_of(first) == key_of(second)) == (texts_of(key_of(first)) == texts_of(key_of(second)))
    assert len(texts_of(key_of(first))) == 2
    arrays = [key_texts(pa.array([pair[i] for pair in (first, second)], pa.string())) for i in range(2)]
    assert join_keys(arrays).to_pylist() == [key_of(first), key_of(second)]


def test_the_documented_bytes():
    assert key_of([" caf\u0065\u0301 "]) == "café".encode()
    assert key_of([None]) == key_of([""]) == key_of(["  "]) == b"\xff"
    assert key_of(["a", None, 3.0]) == b"a\xfe\xff\xfe3"
    assert key_of(["250.0"]) != key_of(["250"])

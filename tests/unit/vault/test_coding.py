"""Coding is total: a whole column gets the codes its values get one by one, whatever the physical type."""

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.domain import Domain
from hushtable.errors import BadData
from hushtable.vault.coding import encode, encode_batch

SHARED = [{"other": other, "missing": missing} for other in (False, True) for missing in ("category", "error")]
KINDS = {
    "boolean": {"kind": "boolean"},
    "category": {"kind": "category", "values": ["a", "B", "1", "0.5", "true", "2020-01-01", "é"]},
    "single": {"kind": "integer", "between": [-2, 3]},
    "binned": {"kind": "integer", "between": [-100, 2**53 + 4], "edges": [0, 1, 18, 2**53]},
    "number": {"kind": "number", "between": ["-0.5", 100], "edges": ["0.1", "0.5", 1, "2.5"]},
    "bins": {"kind": "number", "between": [-10, 10], "bins": 7},
}
ATTRIBUTES = [
    Domain.from_dict({"table": "t", "attributes": {"column": KINDS[kind] | shared}}).closed[0]
    for kind in KINDS
    for shared in SHARED
]

SPELLINGS = (
    "a,B,b, 1 ,1.0,0.5,.5,5e-1,true,TRUE,T,yes,No,0,-1,18,2.5,é,,  ,nan,inf,-inf,1e999,1_0,0x1,null,2020-01-01,\u0663"
)
spellings = st.sampled_from([*SPELLINGS.split(","), "9007199254740993"])
floats = st.one_of(
    st.floats(),
    st.sampled_from(
        [0.0, -0.0, 0.1, 0.5, 1.0, 2.5, -0.5, 100.0, np.nextafter(0.1, 0), np.nextafter(100, 101), 2.0**53]
    ),
)


def integers(bits, *, signed=True):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    edges = [v for v in (-101, -100, -2, -1, 0, 1, 3, 4, 17, 18, 2**53, 2**53 + 1, 2**53 + 5) if low <= v <= high]
    return st.one_of(st.integers(low, high), st.sampled_from(edges))


words = st.one_of(spellings, st.text(max_size=4))
raw = st.one_of(words.map(str.encode), st.binary(max_size=4))
moments = st.datetimes(min_value=dt.datetime(1900, 1, 1), max_value=dt.datetime(2200, 1, 1))
decimals = st.decimals(-200, 200, places=3)
TYPES = {
    "int8": (pa.int8(), integers(8)),
    "int16": (pa.int16(), integers(16)),
    "int32": (pa.int32(), integers(32)),
    "int64": (pa.int64(), integers(64)),
    "uint8": (pa.uint8(), integers(8, signed=False)),
    "uint64": (pa.uint64(), integers(64, signed=False)),
    "float16": (pa.float16(), st.floats(width=16).map(np.float16)),
    "float32": (pa.float32(), st.floats(width=32)),
    "float64": (pa.float64(), floats),
    "bool": (pa.bool_(), st.booleans()),
    "null": (pa.null(), st.none()),
    "string": (pa.string(), words),
    "large_string": (pa.large_string(), words),
    "string_view": (pa.string_view(), words),
    "binary": (pa.binary(), raw),
    "large_binary": (pa.large_binary(), raw),
    "binary_view": (pa.binary_view(), raw),
    "decimal128": (pa.decimal128(9, 3), decimals),
    "decimal256": (pa.decimal256(50, 3), decimals),
    "date32": (pa.date32(), st.dates()),
    "date64": (pa.date64(), st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1))),
    "timestamp": (pa.timestamp("us"), moments),
    "timestamp ns": (pa.timestamp("ns"), moments),
    "duration": (pa.duration("us"), st.timedeltas(dt.timedelta(-9), dt.timedelta(9))),
    "time": (pa.time64("us"), st.times()),
    "list": (pa.list_(pa.int64()), st.lists(st.integers(-5, 5), max_size=2)),
    "struct": (pa.struct({"x": pa.int64()}), st.fixed_dictionaries({"x": st.integers(-5, 5)})),
}


def coded(attribute, column):
    """The codes, or the error's text."""
    try:
        return encode(attribute, column).tolist()
    except BadData as error:
        return str(error)


# What the error says of each attribute, whatever the rows are.
SAYS = [coded(a, pa.array([None if a.missing == "error" else "no such value"])) for a in ATTRIBUTES]


def check(*columns):
    """Codes as one by one, and BadData exactly where one by one has none."""
    for column in columns:
        values = column.to_pylist()
        for attribute, says in zip(ATTRIBUTES, SAYS, strict=True):
            expected = [attribute.code(value) for value in values]
            assert coded(attribute, column) == (says if None in expected else expected)


@pytest.mark.parametrize("physical", TYPES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_a_column_is_coded_as_its_values_one_by_one(physical, data):
    kind, values = TYPES[physical]
    column = pa.array(data.draw(st.lists(st.one_of(st.none(), values), max_size=12)), kind)
    start = data.draw(st.integers(0, len(column)))
    check(column, column[start:])


@pytest.mark.parametrize("physical", ["int64", "float64", "bool", "string", "binary", "decimal128", "date32"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_dictionaries_and_runs_are_coded_as_what_they_stand_for(physical, data):
    kind, values = TYPES[physical]
    stored = pa.array(data.draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=6)), kind)
    some = st.one_of(st.none(), st.integers(0, len(stored) - 1))
    indices = data.draw(st.lists(some, max_size=12))
    width = data.draw(st.sampled_from([pa.int8(), pa.uint8(), pa.uint16(), pa.int32(), pa.int64()]))
    column = pa.DictionaryArray.from_arrays(pa.array(indices, width), stored)
    runs = pa.RunEndEncodedArray.from_arrays(np.arange(2, 2 * len(stored) + 1, 2, dtype=np.int32), stored)
    check(column, runs)


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.duration("s"), pa.date32()], ids=str)
def test_a_date_no_calendar_has_is_undeclared(kind):
    column = pa.array([2**31 - 1 if kind == pa.date32() else 2**60], pa.int32() if kind == pa.date32() else pa.int64())
    for attribute in ATTRIBUTES:
        if attribute.other or attribute.missing == "category":
            assert encode(attribute, column.view(kind)).tolist() == [attribute.code("no such date")]
        else:
            with pytest.raises(BadData):
                encode(attribute, column.view(kind))


@pytest.mark.parametrize("attribute", [a for a in ATTRIBUTES if not a.other], ids=lambda a: f"{a.kind}-{a.missing}")
def test_what_is_not_declared_is_missing_unless_the_domain_calls_that_an_error(attribute):
    """The error names neither a value nor how many there are."""
    good = next(v for v in ("a", "1", "0.5") if attribute.place(v) is not None)
    says = set()
    for bad in (["-77777777"], ["-77777777"] * 13, ["-88888888", good, "-99999999"]):
        for column in (pa.array(bad), pa.array([float(b) if b != good else 1.0 for b in bad])):
            if attribute.missing == "category":
                assert encode(attribute, column)[0] == attribute.missing_code
                continue
            with pytest.raises(BadData) as caught:
                encode(attribute, column)
            says.add(str(caught.value))
    assert len(says) == (attribute.missing == "error")
    for text in says:
        assert text.startswith("column column has missing values or values outside its declared")
        assert not re.search("7777|8888|9999|13", text)
        assert len(text.splitlines()) == 1


def test_a_batch_is_coded_column_by_column():
    attributes = {"x": KINDS["boolean"], "url": {"kind": "open"}, "y": KINDS["single"] | {"other": True}}
    domain = Domain.from_dict({"table": "t", "attributes": attributes})
    batch = pa.record_batch({"x": pa.array([True, None]), "y": pa.array(["3", "x"])})
    codes = encode_batch(batch, domain)
    assert codes.dtype == np.uint8
    assert codes.tolist() == [[1, 2], [5, 6]]


@pytest.mark.parametrize(("values", "dtype"), [(254, np.uint8), (255, np.uint8), (256, np.uint16), (60_000, np.uint16)])
def test_the_largest_codes_fit(values, dtype):
    attributes = {"x": {"kind": "integer", "between": [1, values], "bins": values}}
    domain = Domain.from_dict({"table": "t", "attributes": attributes})
    codes = encode_batch(pa.record_batch({"x": pa.array([1, values, None])}), domain)
    assert codes.dtype == dtype
    assert codes.tolist() == [[0, values - 1, values]]


@pytest.mark.parametrize("value", ["1.0", Decimal("1.0"), "1.00"], ids=repr)
def test_a_whole_number_written_with_decimals_is_the_same_value(value):
    """A column of whole numbers with gaps leaves pandas as floats, so its CSV says 1.0."""
    attribute = Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "category", "values": [1, 2]}}}).closed[0]
    assert attribute.code(1.0) == attribute.code(value) == 0


def test_a_declared_decimal_matches_the_number():
    attributes = {"x": {"kind": "category", "values": ["0.5", "1.0"]}}
    attribute = Domain.from_dict({"table": "t", "attributes": attributes}).closed[0]
    assert encode(attribute, pa.array([0.5, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda a: f"{type(a).__name__} {a.missing} {a.other}")
@pytest.mark.parametrize("values", [[True, False] * 20, [None, True, False, False] * 10, [True] * 9], ids=str)
def test_long_columns_of_true_and_false_are_coded_as_their_values_one_by_one(attribute, values):
    expected = [attribute.code(value) for value in values]
    column = pa.array(values, pa.bool_())
    if None in expected and attribute.missing == "error":
        with pytest.raises(BadData):
            encode(attribute, column)
        return
    assert encode(attribute, column).tolist() == expected
    assert encode(attribute, column[3:]).tolist() == expected[3:]


@pytest.mark.parametrize("coded", ["0", "1", "true"])
def test_a_boolean_that_stands_for_a_missing_value_is_one(coded):
    shape = {"kind": "boolean", "missing_values": [coded]}
    attribute = Domain.from_dict({"table": "t", "attributes": {"column": shape}}).closed[0]
    values = [True, False, None] * 10
    assert encode(attribute, pa.array(values, pa.bool_())).tolist() == [attribute.code(value) for value in values]

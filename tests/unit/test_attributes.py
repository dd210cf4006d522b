"""Attributes: every value has exactly one code, whatever its physical type; edges fall where they are declared."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.domain import Domain
from hushtable.domain.attributes import (
    FALSE_WORDS,
    MOST_CODES,
    TRUE_WORDS,
    Boolean,
    Category,
    Integer,
    Number,
    Open,
    canonical,
    number_in,
)
from hushtable.errors import BadDomain

OTHER_AND_MISSING = [(other, missing) for other in (False, True) for missing in ("category", "error")]


def one(**settings):
    return Domain.from_dict({"table": "t", "attributes": {"x": settings}}).attributes[0]


def every_closed(other, missing):
    shared = {"other": other, "missing": missing}
    return [
        one(kind="boolean", **shared),
        one(kind="category", values=["a", "b", "1"], **shared),
        one(kind="integer", between=[-5, 9], edges=[0, 3, 9], **shared),
        one(kind="number", between=["-0.5", "2.5"], edges=["0.1", 1], **shared),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (math.nan, None),
        ("", None),
        ("  \t", None),
        (b"", None),
        (True, "true"),
        (False, "false"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e22, "10000000000000000000000"),
        (" a b ", "a b"),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "\ufffd"),
        (Decimal("0.50"), "0.5"),
        (Decimal("2.500000"), "2.5"),
        (Decimal("2.000"), "2"),
        (Decimal("-0.0"), "0"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E+999999"), "1E+999999"),
        (Decimal("NaN"), None),
        (np.float32(0.5), "0.5"),
        (np.bool_(True), "true"),
        (bytearray(b"a"), "a"),
        (math.inf, "inf"),
    ],
)
def test_canonical_text(value, text):
    assert canonical(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("12", 12.0),
        (" 1e3 ", 1000.0),
        (True, 1.0),
        (False, 0.0),
        (Decimal("2.50"), 2.5),
        (b"7", 7.0),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        (math.inf, None),
        (10**400, None),
        ("1_000", None),
        ("0x10", None),
        ("twelve", None),
        (None, None),
    ],
)
def test_number_in(value, number):
    assert number_in(value) == number


@pytest.mark.parametrize(("other", "missing"), OTHER_AND_MISSING)
@settings(max_examples=60, deadline=None)
@given(
    value=st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(max_size=6), st.decimals(),
        st.dates(), st.sampled_from(["a", "B", " 1 ", "yes", "0.1", "2.5", "9", "-5"]),
    )
)  # fmt: skip
def test_every_value_has_one_code_or_is_declared_an_error(other, missing, value):
    for attribute in every_closed(other, missing):
        code = attribute.code(value)
        absent = attribute.is_missing(value)
        undeclared = not absent and attribute.place(value) is None
        assert (code is None) == (missing == "error" and (absent or (undeclared and not other)))
        if code is not None:
            assert 0 <= code < attribute.size
            assert (code == attribute.missing_code) == (absent or (undeclared and not other))
            assert (code == attribute.other_code) == (undeclared and other)


@pytest.mark.parametrize(("other", "missing"), OTHER_AND_MISSING)
def test_labels_are_declared_values_then_other_then_missing(other, missing):
    extra = ["other"] * other + ["missing"] * (missing == "category")
    for attribute in every_closed(other, missing):
        assert attribute.labels == (*attribute.values, *extra)
        assert attribute.size == len(attribute.values) + len(extra)
        assert attribute.other_code == (len(attribute.values) if other else None)
        assert attribute.missing_code == (attribute.size - 1 if missing == "category" else None)


@pytest.mark.parametrize("word", sorted(TRUE_WORDS | FALSE_WORDS))
def test_a_boolean_reads_every_usual_spelling(word):
    attribute = Boolean(name="x")
    for spelling in (word, word.upper(), word.title(), f" {word} "):
        assert attribute.code(spelling) == (word in TRUE_WORDS)


@pytest.mark.parametrize("value", [2, -1, 0.5, "maybe", "tr ue", "01"])
def test_the_rest_is_no_boolean(value):
    assert Boolean(name="x").place(value) is None
    assert Boolean(name="x").code(value) == Boolean(name="x").missing_code


def test_a_category_is_matched_by_text_whatever_the_type():
    attribute = Category(name="x", names=("1", "true", "0.5", "a"))
    assert [attribute.code(v) for v in (1, 1.0, "1", b"1", Decimal(1), " 1 ")] == [0] * 6
    assert [attribute.code(v) for v in (True, "true", 0.5, "0.5", "a", b"a")] == [1, 1, 2, 2, 3, 3]
    assert [attribute.code(v) for v in ("0.50", "0.500000", Decimal("0.50"))] == [2] * 3
    assert [attribute.place(v) for v in ("A", "True", 2, "0.501", "00.5")] == [None] * 5


def test_a_declared_spelling_comes_before_an_equal_number():
    attribute = Category(name="x", names=("2.5", "2.50"))
    assert [attribute.code(v) for v in ("2.5", "2.50", "2.500", 2.5, Decimal("2.50"))] == [0, 1, 0, 0, 0]


binned = st.tuples(
    st.booleans(),
    st.lists(st.fractions(-1000, 1000, max_denominator=64), min_size=2, max_size=8, unique=True).map(sorted),
)


@settings(max_examples=50, deadline=None)
@given(binned)
def test_a_bin_holds_its_lower_edge_and_not_its_upper_one(drawn):
    whole, points = drawn
    points = sorted({Fraction(math.floor(p)) for p in points}) if whole else points
    if len(points) < 2:
        return
    low, *cuts, high = points
    attribute = (Integer if whole else Number)(name="x", low=low, high=high, cuts=tuple(cuts))
    for code, cut in enumerate(cuts, start=1):
        assert attribute.code(float(cut)) == code
        below = cut - 1 if whole else math.nextafter(float(cut), -math.inf)
        assert attribute.code(float(below)) == code - 1
    assert attribute.code(float(low)) == 0
    assert attribute.code(float(high)) == len(cuts)
    assert attribute.place(math.nextafter(float(low), -math.inf)) is None
    assert attribute.place(math.nextafter(float(high), math.inf)) is None
    for code, (first, last) in enumerate(attribute.bin_bounds()):
        assert attribute.code(float(first)) == code
        if whole or code == len(cuts):
            assert attribute.code(float(last)) == code
            assert not whole or float(last).is_integer()


def test_an_integer_takes_whole_numbers_only():
    attribute = one(kind="integer", between=[0, 9])
    assert [attribute.code(v) for v in (3, 3.0, "3", "3.0", "3e0", Decimal("3.00"))] == [3] * 6
    assert [attribute.place(v) for v in (3.5, "3.5", -1, 10, "three")] == [None] * 5


@pytest.mark.parametrize("value", [None, math.nan, "", " ", "nan", "NaN", Decimal("nan")])
def test_not_a_number_is_a_missing_number(value):
    for declared in ({"kind": "integer", "between": [0, 9]}, {"kind": "number", "between": [0, 9], "bins": 2}):
        attribute = one(**declared)
        assert attribute.code(value) == attribute.missing_code
    assert one(kind="category", values=["nan"]).code("nan") == 0


def test_labels_of_bins():
    assert one(kind="integer", between=[0, 20], edges=[1, 18]).values == ("0", "1-17", "18-20")
    assert one(kind="number", between=[0, 1], edges=["0.25"]).values == ("[0, 0.25)", "[0.25, 1]")


def test_labels_of_neighbouring_long_edges_differ():
    attribute = one(kind="number", between=[0, 3_000_000], edges=[1_000_000, 1_000_001, 1_000_002])
    assert len(set(attribute.labels)) == attribute.size


def test_an_open_attribute_has_no_codes():
    attribute = Open(name="url")
    assert (attribute.size, attribute.labels, attribute.values) == (0, (), ())
    assert attribute.code("https://example.org") is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"names": ()}, "empty"),
        ({"names": ("a", "b", "a")}, "'a' is listed twice"),
        ({"names": ("other", "b"), "other": True}, "'other'"),
        ({"names": ("missing", "b")}, "'missing'"),
        ({"names": tuple(map(str, range(MOST_CODES + 1)))}, "at most 65,000"),
    ],
)
def test_a_category_refuses(settings, says):
    with pytest.raises(BadDomain, match=says):
        Category(name="x", **settings)


def test_special_words_are_fine_where_they_are_not_special():
    assert Category(name="x", names=("other", "missing"), missing="error").size == 2


@pytest.mark.parametrize("cuts", [(5, 3), (3, 3), (0, 3), (3, 10), (-1, 3), (3, 11)])
def test_cuts_must_ascend_between_the_bounds(cuts):
    with pytest.raises(BadDomain, match="ascend strictly between 0 and 10"):
        Number(name="x", low=Fraction(0), high=Fraction(10), cuts=tuple(map(Fraction, cuts)))


def test_too_many_bins():
    cuts = tuple(map(Fraction, range(1, MOST_CODES + 1)))
    with pytest.raises(BadDomain, match="65,001 bins"):
        Number(name="x", low=Fraction(0), high=Fraction(10**6), cuts=cuts)
    assert Number(name="x", low=Fraction(0), high=Fraction(10**6), cuts=cuts[:-1]).code(10**6) == MOST_CODES - 1

"""Decoding undoes coding: a value drawn for a code has that code again, whatever the domain declares."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from hushtable.domain.attributes import Binned, Boolean, Category, Integer, Number
from hushtable.domain.decoding import decoder, loses_other
from hushtable.vault.coding import encode

FALSE_ALARM = 1e-9

shared = st.fixed_dictionaries(
    {"name": st.just("x"), "other": st.booleans(), "missing": st.sampled_from(["category", "error"])}
)
AWKWARD = ["1", "1.0", "-0", "0", "true", "nan", "null", "é", 'a "word", quoted', "two\nlines", "inf", "2020-01-01"]
words = st.one_of(st.sampled_from(AWKWARD), st.text(min_size=1, max_size=4).map(str.strip).filter(bool))
wholes = st.one_of(
    st.integers(-20, 20),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([2**53 + i for i in range(-2, 6)] + [2**63 - 1, 2**63, -(2**63), 10**25, 10**300]),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.one_of(st.fractions(max_denominator=50), finite.map(Fraction), wholes.map(Fraction))
taken = {"other", "missing"}


def binned(cls, edges):
    low, *cuts, high = sorted(edges)
    last = high - 1 if cls is Integer else high
    return shared.map(lambda options: cls(low=low, cuts=tuple(cuts), high=last, **options))


attributes = st.one_of(
    shared.map(lambda options: Boolean(**options)),
    st.tuples(shared, st.lists(words.filter(lambda w: w not in taken), min_size=1, unique=True)).map(
        lambda both: Category(names=tuple(both[1]), **both[0])
    ),
    st.lists(wholes.map(Fraction), min_size=2, max_size=6, unique=True).flatmap(lambda e: binned(Integer, e)),
    st.lists(fractions, min_size=2, max_size=6, unique=True).flatmap(lambda e: binned(Number, e)),
)


def decoded(attribute, codes, seed=1):
    return decoder(attribute)(np.array(codes, np.uint16), np.random.default_rng(seed))


def has_a_value(attribute, code):
    """Not so where two edges of a bin are the same 64-bit float, or where only values nobody listed have the code."""
    if isinstance(attribute, Binned) and code < len(attribute.values):
        return attribute.code(float(attribute.edges[code])) == code
    return not (loses_other(attribute) and code == attribute.other_code)


@settings(max_examples=400, deadline=None)
@given(attribute=attributes, seed=st.integers(0, 2**32))
def test_every_code_comes_back(attribute, seed):
    codes = [code for code in range(attribute.size) if has_a_value(attribute, code)] * 9
    column = decoded(attribute, codes, seed)
    assert encode(attribute, column).tolist() == codes
    assert [value is None for value in column.to_pylist()] == [code == attribute.missing_code for code in codes]


@settings(max_examples=100, deadline=None)
@given(attribute=attributes)
def test_every_code_has_something_to_show_and_one_type(attribute):
    column = decoded(attribute, range(attribute.size))
    column.validate(full=True)
    assert column.type == decoded(attribute, []).type
    if loses_other(attribute):
        assert column[attribute.other_code].as_py() is None
    elif attribute.other:
        assert column[attribute.other_code].as_py() == "other"


@pytest.mark.parametrize(
    ("attribute", "kind"),
    [
        (Boolean(name="x"), pa.bool_()),
        (Category(name="x", names=("a",)), pa.string()),
        (Integer(name="x", low=Fraction(0), high=Fraction(2**63 - 1), cuts=(Fraction(2**63 - 1),)), pa.int64()),
        (Integer(name="x", low=Fraction(-(2**63)), high=Fraction(2**63 - 1), cuts=()), pa.int64()),
        (Integer(name="x", low=Fraction(0), high=Fraction(2**63), cuts=()), pa.float64()),
        (Number(name="x", low=Fraction(-1.7e308), high=Fraction(1.7e308), cuts=()), pa.float64()),
    ],
    ids=lambda x: str(getattr(x, "kind", x)),
)
def test_types(attribute, kind):
    column = decoded(attribute, [0] * 5)
    assert column.type == kind
    assert column.null_count == 0
    assert encode(attribute, column).tolist() == [0] * 5


def test_a_bin_of_one_float_is_that_float():
    after = float(np.nextafter(0.1, 1))
    attribute = Number(name="x", low=Fraction(0), high=Fraction(1), cuts=(Fraction(0.1), Fraction(after)))
    assert set(decoded(attribute, [1] * 1000).to_pylist()) == {0.1}


@pytest.mark.parametrize("cls", [Integer, Number])
def test_a_bin_that_no_row_can_be_in_still_decodes(cls):
    """Rows are compared as floats, and as floats these two edges are one."""
    attribute = cls(name="x", low=Fraction(0), high=Fraction(2**60), cuts=(Fraction(2**53), Fraction(2**53 + 1)))
    assert attribute.code(2**53) == 2
    assert decoded(attribute, [1, 1]).to_pylist() == [2**53] * 2


def test_a_word_that_spells_missing_is_a_word():
    attribute = Category(name="x", names=("missing", "other"), missing="error")
    assert decoded(attribute, [0, 1]).to_pylist() == ["missing", "other"]


def test_whole_numbers_are_uniform_in_their_bin():
    """The 35 values of one bin, 100,000 draws of a fixed seed; sees every second value drawn 7% too often."""
    attribute = Integer(name="x", low=Fraction(0), high=Fraction(99), cuts=(Fraction(65),))
    values = np.asarray(decoded(attribute, [1] * 100_000))
    seen = np.bincount(values, minlength=100)
    assert seen[:65].sum() == 0

    def fits(shares):
        expected = 100_000 * shares / shares.sum()
        return ((seen[65:] - expected) ** 2 / expected).sum() < chi2.isf(FALSE_ALARM, 34)

    assert fits(np.ones(35))
    assert not fits(np.where(np.arange(35) % 2, 1, 1.07))


def test_numbers_are_uniform_in_their_bin():
    """100,000 draws of a fixed seed; sees a bin 7% too wide or too narrow."""
    attribute = Number(name="x", low=Fraction(-3), high=Fraction(10), cuts=(Fraction(1, 3), Fraction(7)))
    values = np.asarray(decoded(attribute, [1] * 100_000))
    share = (values - 1 / 3) / (7 - 1 / 3)
    assert kstest(share, "uniform").pvalue > FALSE_ALARM
    assert kstest(share * 0.93, "uniform").pvalue < FALSE_ALARM
    assert kstest(share * 1.07, "uniform").pvalue < FALSE_ALARM

"""Dates, times, labels and codes for missing values: how they are declared, read, asked about and drawn again."""

import math
from datetime import date, datetime, time

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.dates import day_number, seconds_of
from hushtable.domain.decoding import decoder
from hushtable.domain.dummy import dummy_rows
from hushtable.errors import BadDomain, BadQuestion
from hushtable.vault.coding import encode, real_numbers
from hushtable.vault.sources import open_source


def domain(**attributes):
    parts = {"table": "t", "attributes": attributes}
    made = ht.Domain.from_dict(parts)
    assert ht.Domain.from_dict(made.to_dict()) == made
    return made


def column(**given):
    return domain(x=given).closed[0]


DATE = {"kind": "date", "between": ["2024-01-15", "2024-12-31"]}


@pytest.mark.parametrize(
    ("value", "style", "day"),
    [
        ("2024-01-31", "iso", date(2024, 1, 31)),
        ("2024/1/31", "iso", date(2024, 1, 31)),
        ("20240131", "iso", date(2024, 1, 31)),
        (20240131, "iso", date(2024, 1, 31)),
        ("2024-01-31T23:59:59Z", "iso", date(2024, 1, 31)),
        (datetime(2024, 1, 31, 23), "iso", date(2024, 1, 31)),
        (date(2024, 1, 31), "month-first", date(2024, 1, 31)),
        ("31.01.2024", "day-first", date(2024, 1, 31)),
        ("3/4/2024", "day-first", date(2024, 4, 3)),
        ("3/4/2024", "month-first", date(2024, 3, 4)),
        ("31.01.2024", "iso", None),
        ("3/4/2024", "iso", None),
        ("2024-02-30", "iso", None),
        ("2024-01/31", "iso", None),
        ("yesterday", "iso", None),
        ("", "iso", None),
        (None, "iso", None),
    ],
)
def test_days_are_read_as_declared(value, style, day):
    assert day_number(value, style) == (None if day is None else (day - date(1970, 1, 1)).days)


@pytest.mark.parametrize(
    ("value", "second"),
    [("08:30", 30600), ("8:30", 30600), ("8:30 pm", 73800), ("12:05 AM", 300), ("08:30:15.5", 30615),
     (time(8, 30), 30600), ("2024-01-31 08:30:00", 30600), ("24:00", None), ("8", None), ("13:00 pm", None)],
)  # fmt: skip
def test_times_are_read(value, second):
    assert seconds_of(value) == second


@pytest.mark.parametrize(
    ("bins", "first", "count"),
    [("day", "2024-01-15", 352), ("week", "2024-W03", 51), ("month", "2024-01-15 to 2024-01-31", 12),
     ("quarter", "2024-01-15 to 2024-03-31", 4), ("year", "2024-01-15 to 2024-12-31", 1)],
)  # fmt: skip
def test_bins_of_the_calendar(bins, first, count):
    made = column(**DATE, bins=bins)
    assert made.values[0] == first
    assert len(made.values) == count
    days = [date(2024, 1, 15), date(2024, 2, 29), date(2024, 12, 31)]
    for day in days:
        low, high = made.bin_bounds()[made.place(day)]
        assert low <= day_number(day) <= high


def test_edges_of_dates_and_times():
    made = column(kind="date", between=["2020-01-01", "2024-12-31"], edges=["2021-07-01"])
    assert made.values == ("2020-01-01 to 2021-06-30", "2021-07-01 to 2024-12-31")
    clock = column(kind="time", between=["06:00", "21:59:59"], edges=["12:00", "18:00"])
    assert clock.values == ("06:00-11:59", "12:00-17:59", "18:00-21:59")
    assert [clock.code(t) for t in ("05:59", "06:00", "11:59:59", "12:00", "22:00")] == [3, 0, 0, 1, 3]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"kind": "date"}, "needs `between: [2024-01-01, 2024-12-31]`"),
        (DATE | {"bins": "fortnight"}, "bins is one of day, week, month, quarter, year, not 'fortnight'"),
        (DATE | {"bins": "weak"}, "Did you mean 'week'?"),
        (DATE | {"format": "us"}, "format is iso, day-first, month-first, not 'us'"),
        (DATE | {"between": ["2024-01-15", "2024-01-01"]}, "between must ascend"),
        (DATE | {"between": ["15.1.2024", "2024-12-31"]}, "expected [2024-01-01, 2024-12-31], not '15.1.2024'"),
        ({"kind": "time", "edges": ["8"], "bins": "hour"}, "give edges or bins, not both"),
        ({"kind": "category", "labels": {1: "male"}, "values": ["man"]}, "label '1' stands for 'male'"),
        ({"kind": "boolean", "labels": {1: "perhaps"}}, "which is none of its values"),
        ({"kind": "category", "values": ["NA"], "missing_values": ["NA"]}, "'NA' is a value and a missing value"),
        ({"kind": "boolean", "missing_values": "NA"}, "is a list such as [NA, '?', -9], or the word usual"),
    ],
)
def test_a_mistake_in_the_domain_is_one_line(given, says):
    with pytest.raises(BadDomain) as caught:
        column(**given)
    assert says in str(caught.value)


CODED = {
    "age": {"kind": "integer", "between": [-10, 99], "edges": [18], "missing_values": [-9, "NA"], "other": True},
    "pay": {"kind": "number", "between": [0, 10], "bins": 2, "missing_values": ["9.5", -1]},
    "ok": {"kind": "boolean", "labels": {1: "yes", 2: "no"}, "missing_values": [9]},
    "sex": {"kind": "category", "labels": {1: "male", 2: "female"}, "missing_values": [9]},
    "day": DATE | {"missing_values": ["0"]},
}
COLUMNS = {
    "age": [17, 18, -9, -8, None, 200],
    "pay": [9.5, 0.0, -1.0, 7.25, math.nan, None],
    "ok": [1, 2, 9, 0, None, 3],
    "sex": [1, 2, 9, 3, None, 1],
    "day": [20240201, 0, 20240115, None, 1, 20241231],
}


@pytest.mark.parametrize("name", CODED)
@pytest.mark.parametrize("form", ["typed", "text", "float"])
def test_columns_are_coded_as_their_values_are_one_by_one(name, form):
    attribute, values = column(**CODED[name]), COLUMNS[name]
    if form == "text":
        values = [None if v is None else str(v) for v in values]
    if form == "float":
        values = [None if v is None else float(v) for v in values]
    codes = encode(attribute, pa.array(values, from_pandas=False))
    assert codes.tolist() == [attribute.code(value) for value in values]


def test_codes_for_missing_values_are_missing():
    made = domain(**CODED)
    by_name = {a.name: a for a in made.closed}
    for name, value in (("age", -9), ("age", "-9.0"), ("age", "NA"), ("pay", 9.5), ("ok", 9), ("sex", "9"), ("day", 0)):
        assert by_name[name].labels[by_name[name].code(value)] == "missing", (name, value)
    assert by_name["age"].labels[by_name["age"].code("n.a.")] == "other"
    assert [by_name["ok"].code(v) for v in (1, "2", "yes", True)] == [1, 0, 1, 1]
    assert [by_name["sex"].labels[by_name["sex"].code(v)] for v in (1, "2", "female", "1.0")] == [
        "male", "female", "female", "male",
    ]  # fmt: skip
    numbers = real_numbers(by_name["pay"], pa.array([9.5, 3.0, -1.0, None]))
    np.testing.assert_array_equal(numbers, [np.nan, 3.0, np.nan, np.nan])


def test_codes_of_the_whole_domain_spare_declared_values():
    made = ht.Domain.from_dict(
        {"table": "t", "missing_values": "usual", "attributes": {
            "x": {"kind": "category", "values": ["-", "b"], "other": True}, "y": {"kind": "boolean", "other": True}}}
    )  # fmt: skip
    assert made.closed[0].labels[made.closed[0].code("-")] == "-"
    assert made.closed[0].labels[made.closed[0].code("NA")] == "missing"
    assert made.closed[1].labels[made.closed[1].code("-")] == "missing"


@pytest.mark.parametrize("name", [*CODED, "clock"])
def test_what_is_drawn_or_made_up_has_its_code_again(name):
    attribute = column(**(CODED | {"clock": {"kind": "time"}})[name])
    codes = np.arange(attribute.size, dtype=np.uint16)
    drawn = decoder(attribute)(codes, np.random.default_rng(1))
    lost = {attribute.other_code} if attribute.other else set()
    for code, value in zip(codes.tolist(), drawn.to_pylist(), strict=True):
        assert attribute.code(value) == (attribute.missing_code if code in lost else code)
    made = dummy_rows(domain(x=attribute.to_dict()), rows=200, seed=1)["x"]
    assert len({attribute.code(v) for v in made}) >= min(attribute.size, 5)


def test_whole_numbers_that_name_categories_stay_numbers():
    sex, plain = column(**CODED["sex"]), column(kind="category", values=["0", "1"])
    for attribute, values in ((sex, [1, 2, None]), (plain, [0, 1, None])):
        drawn = decoder(attribute)(np.arange(3, dtype=np.uint16), np.random.default_rng(1))
        assert pa.types.is_integer(drawn.type)
        assert drawn.to_pylist() == values


def test_thousands_and_decimals_of_a_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pay;n\n1.234,5;1.000\n1.23,5;12.00\n12,5;7\n", encoding="utf-8")
    made = ht.Domain.from_dict(
        {"table": "t", "csv": {"separator": ";", "decimal": ",", "thousands": "."}, "attributes": {
            "pay": {"kind": "number", "between": [0, 2000], "edges": [100]},
            "n": {"kind": "integer", "between": [0, 2000], "edges": [100]}}}
    )  # fmt: skip
    (batch,) = open_source(path, made).batches(["pay", "n"])
    codes = [encode(a, batch.column(i)).tolist() for i, a in enumerate(made.closed)]
    assert codes == [[1, 2, 0], [1, 2, 0]]
    with pytest.raises(BadDomain, match="thousands is a comma, point, space or apostrophe"):
        made.with_csv(decimal=".", thousands=".")


def test_the_same_rows_in_every_kind_of_file(tmp_path):
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2024-02-01", "2024-12-31"]), "n": [1, 2]})
    made = domain(day=DATE, n={"kind": "integer", "between": [0, 9]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_feather(tmp_path / "t.feather")
    frame.to_csv(tmp_path / "t.csv", index=False)
    ways = [
        frame,
        polars.from_pandas(frame),
        polars.from_pandas(frame).lazy(),
        *map(tmp_path.joinpath, ("t.xlsx", "t.feather", "t.csv")),
    ]
    for data in ways:
        (batch,) = open_source(data, made).batches(["day", "n"])
        assert [encode(a, batch.column(i)).tolist() for i, a in enumerate(made.closed)] == [[1, 11], [1, 2]], data


def test_parts_that_a_bin_does_not_tell_are_refused():
    made = domain(day=DATE | {"bins": "quarter"}, clock={"kind": "time"}, n={"kind": "integer", "between": [0, 3]})
    from hushtable.domain.conditions import read_condition

    for text, says in (
        ("month(day) = 2", "month(day) differs inside the bin"),
        ("year(n) = 2", "n is no date or time"),
        ("extract(century FROM day) = 20", "ask for year, quarter, month"),
        ("minute(clock) = 5", "differs inside the bin"),
        ("day >= 'soon'", "compare it with a date such as '2024-01-31'"),
        ("clock < '8'", "compare it with a time such as '08:30'"),
    ):
        with pytest.raises(BadQuestion) as caught:
            read_condition(text, made)
        assert says in str(caught.value), text

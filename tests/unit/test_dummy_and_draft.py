"""Dummy rows fit the domain they come from; a draft is a domain that the data it saw fit, and says what it is."""

import json
from dataclasses import replace
from datetime import date

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from hushtable.cli import app
from hushtable.domain import Domain
from hushtable.domain.dummy import dummy_rows, write_dummy
from hushtable.errors import BadData, BadPath, BadPlan
from hushtable.owner.draft import MOST_DISTINCT, MOST_VALUES, WARNING, draft, draft_domain
from hushtable.owner.fit import fit_of, require_fit
from hushtable.owner.rule_counts import broken_rules
from hushtable.owner.true_rows import read_rows
from hushtable.vault.coding import encode_batch
from hushtable.vault.sources import open_source

CLOSED = {
    "smoker": {"kind": "boolean"},
    "strict": {"kind": "boolean", "missing": "error"},
    "asthma": {"kind": "boolean", "other": True},
    "sex": {"kind": "category", "values": ["f", "m", 'a "quoted", word', "1"], "other": True},
    "age": {"kind": "integer", "between": [-3, 99], "edges": [0, 18, 65], "other": True},
    "visits": {"kind": "integer", "between": [0, 4], "missing": "error"},
    "large": {"kind": "integer", "between": [-(10**25), 10**25], "bins": 3},
    "pay": {"kind": "number", "between": ["-0.1", "1e6"], "edges": ["0.3", 7], "other": True},
    "tiny": {"kind": "number", "between": ["1e-300", "2e-300"], "bins": 3, "missing": "error"},
}


def shape(attributes):
    return Domain.from_dict({"table": "t", "attributes": attributes})


DOMAIN = shape(CLOSED | {"url": {"kind": "open"}})


def codes_of(data, domain):
    return np.concatenate(
        [encode_batch(b, domain) for b in open_source(data).batches([a.name for a in domain.closed])], 1
    )


def test_dummy_rows_fit_and_reach_every_code():
    rows = dummy_rows(DOMAIN, rows=600, seed=1)
    assert list(rows) == list(DOMAIN.names)
    codes = codes_of(pa.table(rows), DOMAIN)
    for attribute, column in zip(DOMAIN.closed, codes, strict=True):
        assert set(column.tolist()) == set(range(attribute.size)), attribute.name


def test_a_dummy_file_fits_too(tmp_path):
    path = tmp_path / "dummy.csv"
    write_dummy(DOMAIN, rows=300, path=path, seed=2)
    assert fits(path, DOMAIN)
    np.testing.assert_array_equal(
        codes_of(path, DOMAIN), codes_of(pa.table(dummy_rows(DOMAIN, rows=300, seed=2)), DOMAIN)
    )
    with pytest.raises(BadPath, match="exists"):
        write_dummy(DOMAIN, rows=300, path=path, seed=2)
    with pytest.raises(BadPath, match="cannot write"):
        write_dummy(DOMAIN, rows=300, path=tmp_path / "no" / "dummy.csv", seed=2)


@pytest.mark.parametrize("name", CLOSED)
def test_a_dummy_file_of_one_column_fits(name, tmp_path):
    domain = shape({name: CLOSED[name]})
    write_dummy(domain, rows=200, path=tmp_path / "dummy.csv", seed=3)
    codes = codes_of(tmp_path / "dummy.csv", domain)
    assert codes.shape == (1, 200)
    assert set(codes[0].tolist()) == set(range(domain.sizes[0]))


def test_dummy_rows_come_from_the_seed_alone():
    assert dummy_rows(DOMAIN, rows=20, seed=1) == dummy_rows(DOMAIN, rows=20, seed=1)
    assert dummy_rows(DOMAIN, rows=20, seed=1) != dummy_rows(DOMAIN, rows=20, seed=2)


@pytest.mark.parametrize("rows", [0, -1])
def test_dummy_rows_are_at_least_one(rows):
    with pytest.raises(BadPlan, match="at least 1"):
        dummy_rows(DOMAIN, rows=rows, seed=1)


COLUMNS = {
    "booleans": ([True, False, True], "boolean", "error"),
    "booleans with gaps": ([True, None, False], "boolean", "category"),
    "zeros and ones": ([0, 1, 1], "boolean", "error"),
    "yes and no": (["Yes", "no", "N", "t"], "boolean", "error"),
    "few whole numbers": ([3, 7, 5], "integer", "error"),
    "many whole numbers": ([3, 900, None], "integer", "category"),
    "one whole number": ([7, 7], "integer", "error"),
    "whole numbers as floats": ([3.0, 4.0, float("nan")], "integer", "category"),
    "large whole numbers": ([10**18, 5, 2**62], "integer", "error"),
    "numbers": ([0.1, 2.5, -3.75], "number", "error"),
    "one number": ([0.1, 0.1], "number", "error"),
    "numbers as text": (["0.1", "2", ""], "number", "category"),
    "tiny numbers": ([1e-300, 2.5e-310], "number", "error"),
    "huge numbers": ([1.5e308, 0.5], "number", "error"),
    "huge whole numbers": ([1e300], "integer", "error"),
    "words": (["a", "b", None, "a"], "category", "category"),
    "dates": ([date(2020, 1, 1), None], "date", "category"),
    "the word other": (["other", "a"], "category", "error"),
    "the word missing": (["missing", "a", None], "category", "category"),
    "only special words": (["missing", "other"], "category", "error"),
    "nothing but gaps": (pa.array([None, None], pa.string()), "category", "category"),
    "infinite": ([1.5, float("inf")], "category", "error"),
    "lists": ([[1], [1, 2], None], "category", "category"),
    "many words": ([f"w{i}" for i in range(MOST_VALUES + 1)], "open", None),
    "as many words as listed": ([f"w{i}" for i in range(MOST_VALUES)], "category", "error"),
    "bytes": ([b"a", b"b"], "category", "error"),
    "dictionary with gaps": (pa.array(["a", None, "b"]).dictionary_encode(), "category", "category"),
    "dictionary of numbers": (pa.array([5, 5, 6, None]).dictionary_encode(), "integer", "category"),
}


def fits(data, domain):
    return not any(
        fit.refused or (fit.undeclared and not a.other)
        for fit, a in zip(fit_of(data, domain), domain.attributes, strict=True)
    )


@pytest.mark.parametrize("case", COLUMNS)
def test_a_draft_of_every_kind_fits_what_it_saw(case):
    values, kind, missing = COLUMNS[case]
    table = pa.table({"x": values})
    domain = draft_domain(table, "t")
    attribute = domain.attributes[0]
    assert attribute.kind == kind
    assert kind == "open" or attribute.missing == missing
    assert fits(table, domain)
    assert Domain.from_dict(domain.to_dict()) == domain


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.floats()), max_size=9).map(lambda v: pa.array(v, pa.float64())),
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=9).map(
            lambda v: pa.array(v, pa.int64())
        ),
        st.lists(st.one_of(st.none(), st.text(max_size=4)), max_size=9).map(lambda v: pa.array(v, pa.string())),
        st.lists(st.one_of(st.none(), st.booleans()), max_size=9).map(lambda v: pa.array(v, pa.bool_())),
    )
)
def test_a_draft_fits_whatever_it_saw(column):
    table = pa.table({"x": column})
    assert fits(table, draft_domain(table, "t"))


def test_a_draft_of_more_values_than_it_looks_at_fits(tmp_path):
    """The gap comes in the second batch, after more distinct values than are kept."""
    numbers = [*range(MOST_DISTINCT + 40_000), None]
    table = pa.table({"x": pa.array(numbers, pa.int64())})
    assert fits(table, draft_domain(table, "t"))


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_draft_of_a_file_fits_it(ending, tmp_path):
    frame = pandas.DataFrame(
        {"b": [True, False, None], "i": [1, 2, 40], "f": [0.5, None, 2.5], "c": ["other", None, "a,b"], "d": ["x"] * 3}
    )
    path = tmp_path / f"t.{ending}"
    table = polars.DataFrame(frame.astype(object).where(frame.notna(), None).to_dict("list"))
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[ending](path)
    domain = draft_domain(path, "t")
    assert [a.kind for a in domain.attributes] == ["boolean", "integer", "number", "category", "category"]
    assert fits(path, domain)


BAD = shape(
    {"sex": {"kind": "category", "values": ["f"]}, "age": {"kind": "integer", "between": [0, 9], "other": True}}
)
BAD_ROWS = "sex,age\nf,1\nsecret,2\nsecret,12345\nf\n,3\n"


def test_what_does_not_fit_is_counted_column_by_column(tmp_path):
    (tmp_path / "t.csv").write_text(BAD_ROWS)
    sex, age = fit_of(tmp_path / "t.csv", BAD)
    assert (sex.rows, sex.blank, sex.undeclared, sex.broken, sex.share) == (5, 1, 2, 0, 0.4)
    assert (age.rows, age.blank, age.undeclared, age.broken, age.share) == (5, 0, 1, 1, 0.4)
    assert not sex.refused


def test_a_strict_release_is_refused_by_column_only(tmp_path):
    (tmp_path / "t.csv").write_text(BAD_ROWS)
    require_fit(tmp_path / "t.csv", BAD, most=0.4)
    with pytest.raises(BadData) as caught:
        require_fit(tmp_path / "t.csv", BAD, most=0.39)
    message = str(caught.value)
    assert "more than 0.39 of the rows do not fit the domain in: sex, age; nothing was spent" in message
    assert "secret" not in message
    assert "12345" not in message


@pytest.mark.parametrize(("strict", "code"), [("0.5", 0), ("0.1", 1)])
def test_strict_on_the_command_line_spends_nothing_where_it_refuses(strict, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    BAD.save("t.yaml")
    (tmp_path / "t.csv").write_text(BAD_ROWS)
    words = ["release", "t.csv", "--domain", "t.yaml", "--epsilon", "1", "--workload", "marginals(width=1)"]
    done = CliRunner().invoke(app, [*words, "--strict", strict, "-o", "t.hush"])
    assert (done.exit_code != 0) == bool(code)
    assert (tmp_path / "t.ledger").exists() == (code == 0)


def test_checking_data_counts_and_points_at_what_looks_wrong(tmp_path):
    (tmp_path / "t.csv").write_text(BAD_ROWS)
    BAD.save(tmp_path / "t.yaml")
    words = ["domain", "check", str(tmp_path / "t.yaml"), "--data", str(tmp_path / "t.csv")]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    assert "NOT FOR PUBLICATION" in shown.stdout
    assert "look at sex: 40% of its values do not fit" in shown.stdout
    counts = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["data"]
    assert [(c["name"], c["undeclared"], c["broken"]) for c in counts] == [("sex", 2, 0), ("age", 1, 1)]


def test_reading_options_on_the_command_line(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"sex|age\nf|1\n'f'|2\n")
    BAD.save(tmp_path / "t.yaml")
    words = ["domain", "check", str(tmp_path / "t.yaml"), "--data", str(tmp_path / "t.csv"), "--json"]
    counts = [
        [c["undeclared"] for c in json.loads(CliRunner().invoke(app, [*words, *more]).stdout)["data"]]
        for more in ((), ("--separator", "|"), ("--quote", "'"), ("--quote", "none"))
    ]
    assert counts == [[1, 0], [1, 0], [0, 0], [1, 0]]
    wrong = CliRunner().invoke(app, [*words, "--separator", ","])
    assert wrong.exit_code != 0


def test_a_draft_warns_on_paper_and_on_the_screen(tmp_path):
    pyarrow.parquet.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "t.parquet")
    shown = CliRunner().invoke(app, ["domain", "draft", str(tmp_path / "t.parquet")])
    assert shown.exit_code == 0
    assert WARNING in shown.stderr
    for line in WARNING.splitlines():
        assert f"# {line}" in shown.stdout
    written = CliRunner().invoke(app, ["domain", "draft", str(tmp_path / "t.parquet"), "-o", str(tmp_path / "t.yaml")])
    assert WARNING in written.stderr
    assert (tmp_path / "t.yaml").read_text().startswith("# DRAFT")
    assert Domain.load(tmp_path / "t.yaml").table == "t"
    printed = CliRunner().invoke(app, ["domain", "draft", str(tmp_path / "t.parquet"), "--json"])
    assert "reveals values" in json.loads(printed.stdout)["warning"]


@pytest.mark.parametrize(
    ("values", "drafted"),
    [
        (["2024-01-31", "2024-12-01"], {"kind": "date", "between": ["2024-01-31", "2024-12-01"], "bins": "month"}),
        (["2024-01-31 10:00:00", "2024-02-02 11:30:00"], {"kind": "date", "bins": "day"}),
        (["31.01.2024", "01.02.2024"], {"kind": "date", "format": "day-first"}),
        (["1/31/2024", "2/1/2024"], {"kind": "date", "format": "month-first"}),
        (["1/2/2024", "2/1/2024"], {"kind": "category"}),
        (["08:30", "23:59"], {"kind": "time"}),
        (["20240131", "20240201"], {"kind": "integer"}),
        (["1", "2", "NA"], {"kind": "integer", "missing_values": ["NA"]}),
        (["1", "2", "3", "9"] * 10, {"kind": "category", "values": ["1", "2", "3", "9"]}),
        (["yes", "no", "?"], {"kind": "boolean", "missing_values": ["?"]}),
        (["2 to 5", "10 or more", "0 to 1"], {"kind": "category", "values": ["0 to 1", "2 to 5", "10 or more"]}),
        (["NA", "NA"], {"kind": "category", "values": ["NA"]}),
    ],
)
def test_a_draft_knows_dates_times_missing_codes_and_the_order_of_numbers_in_words(values, drafted):
    table = pa.table({"x": values})
    domain = draft_domain(table, "t")
    told = domain.to_dict()["attributes"]["x"]
    assert {name: told[name] for name in drafted} == drafted
    assert fits(table, domain)


def test_a_draft_declares_ranges_alone():
    random = np.random.default_rng(3)
    table = pa.table({"age": random.integers(0, 100, 4000), "pay": np.round(random.lognormal(10, 0.6, 4000), 2)})
    made = draft(table, "t")
    pay = made.domain.to_dict()["attributes"]["pay"]
    assert pay.keys() == {"kind", "between", "other", "missing"}
    assert [a.name for a in made.domain.ranged] == ["pay"]
    assert "cells are found by a release" in made.text()


RULED = {
    "table": "t",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "bins": 10},
        "children": {"kind": "integer", "between": [0, 9], "missing": "error"},
        "family": {"kind": "integer", "between": [1, 10], "missing": "error"},
        "born": {"kind": "number", "between": [0, 1], "bins": 3, "missing": "error"},
        "left": {"kind": "number", "between": [0, 1], "bins": 2, "missing": "error"},
        "married": {"kind": "category", "values": ["never", "now", "once"]},
        **{f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(12)},
    },
    "always": ["age < 20 -> married = 'never'", "age < 20 -> children = 0", *(f"b{i} -> b{i + 1}" for i in range(11))],
    "impossible": ["children >= family", "left < born"],
}


def test_dummy_rows_keep_the_rules():
    ruled = Domain.from_dict(RULED)
    rows = dummy_rows(ruled, rows=3000, seed=1)
    free = Domain.from_dict({k: v for k, v in RULED.items() if k not in ("always", "impossible")})
    fake, loose = pa.table(rows), pa.table(dummy_rows(free, rows=3000, seed=1))
    broken = [
        sum(rule.broken for rule in broken_rules(replace(read_rows(t, free), domain=ruled))) for t in (fake, loose)
    ]
    assert broken[0] == 0
    assert broken[1] > 3000
    assert len(set(rows["age"])) > 50


def test_rules_that_leave_random_rows_no_place_are_one_line():
    shape = Domain.from_dict(RULED)
    with pytest.raises(BadPlan, match="keep the rules"):
        dummy_rows(replace(shape, impossible=("age >= 0 OR age < 0 OR age IS NULL",), always=()), rows=5, seed=1)


def test_a_draft_says_why_and_leaves_ids_out():
    rows = 400
    table = pa.table(
        {
            "patient_id": [f"p{i}" for i in range(rows)],
            "doctor_id": [f"d{i % 60}" for i in range(rows)],
            "patient": [i % 200 for i in range(rows)],
            "code": [i % 3 for i in range(rows)],
            "answer": ["NA" if i % 5 == 0 else "10 or more" if i % 2 else "2 to 9" for i in range(rows)],
        }
    )
    made = draft(table, "t")
    assert made.domain.names == ("code", "answer")
    text = made.text()
    assert "patient_id: left out: an id, since nearly every row has its own value" in text
    assert "doctor_id: left out: an id with up to 7 rows a value" in text
    assert "if it names persons, say how many rows one may have: unit: {person: patient, rows: 2}" in text
    assert "few whole numbers: one bin each" in text
    assert "NA taken for missing" in text
    assert text.index("2 to 9") < text.index("10 or more")
    assert yaml.safe_load(text)["attributes"].keys() == {"code", "answer"}
    # An id alone is better than nothing at all.
    assert draft_domain(table.select(["patient_id"]), "t").names == ("patient_id",)


def test_codes_with_zeros_are_quoted_all_alike():
    text = draft(pa.table({"ward": ["007", "008", "019"] * 50}), "t").text()
    assert "values: ['007', '008', '019']" in text

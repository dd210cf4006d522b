"""The same table gives the same codes from every source; a file that cannot be read says so without quoting it."""

import csv
import gzip
import json
from datetime import date
from functools import cache

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

from hushtable.domain import Domain
from hushtable.errors import BadData, BadPath, HushError
from hushtable.vault.coding import encode_batch
from hushtable.vault.sources import FrameSource, frames, json_file, open_source, parquet_file, text_blocks
from hushtable.vault.statistics import Histogram

DOMAIN = Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "region": {"kind": "category", "values": ["north", 'the "far" south', "a,b", "1"], "other": True},
            "smoker": {"kind": "boolean"},
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
            "pay": {"kind": "number", "between": ["-1.5", 100], "edges": ["0.1", "2.5"], "other": True},
            "day": {"kind": "category", "values": ["2020-01-01", "2020-01-02"], "other": True},
        },
    }
)
ROWS = 400


@cache
def columns():
    g = np.random.default_rng(5)

    def drawn(values):
        return [values[i] for i in g.integers(0, len(values), ROWS)]

    return {
        "day": drawn([date(2020, 1, 1), date(2020, 1, 2), date(2021, 1, 1), None]),
        "unused": drawn(["x"]),
        "pay": drawn([0.1, 0.5, -1.5, 2.5, 100.0, 3.25, 1e300, None]),
        "region": drawn(["north", 'the "far" south', "a,b", "1", "Ünknown", "north ", None]),
        "age": drawn([0, 17, 18, 64, 65, 99, 100, -5, None]),
        "smoker": drawn([True, False, None]),
    }


def plain(values):
    return [v.isoformat() if isinstance(v, date) else v for v in values]


def as_csv(path, *, delimiter=","):
    with gzip.open(path, "wt", newline="") if path.suffix == ".gz" else path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns())
        writer.writerows(zip(*columns().values(), strict=True))
    return path


def as_json(path):
    lines = [dict(zip(columns(), row, strict=True)) for row in zip(*map(plain, columns().values()), strict=True)]
    text = json.dumps(lines) if path.suffix == ".json" else "\n".join(json.dumps(line) for line in lines)
    path.write_text(text)
    return path


def as_parquet(path):
    pyarrow.parquet.write_table(pa.table(columns()), path)
    return path


def with_categories(frame):
    return frame.assign(region=frame["region"].astype("category"), smoker=frame["smoker"].astype("category"))


WAYS = {
    "csv": lambda p: as_csv(p / "t.csv"),
    "csv.gz": lambda p: as_csv(p / "t.csv.gz"),
    "tsv": lambda p: as_csv(p / "t.tsv", delimiter="\t"),
    "semicolons": lambda p: as_csv(p / "t.csv", delimiter=";"),
    "text path": lambda p: str(as_csv(p / "t.csv")),
    "parquet": lambda p: as_parquet(p / "t.parquet"),
    "jsonl": lambda p: as_json(p / "t.jsonl"),
    "ndjson": lambda p: as_json(p / "t.ndjson"),
    "json": lambda p: as_json(p / "t.json"),
    "pandas": lambda p: pandas.DataFrame(columns()),
    "pandas objects": lambda p: pandas.DataFrame({k: pandas.Series(v, dtype=object) for k, v in columns().items()}),
    "pandas arrow": lambda p: pandas.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": lambda p: with_categories(pandas.DataFrame(columns())),
    "pandas text": lambda p: pandas.DataFrame({k: ["" if x is None else str(x) for x in v]
                                               for k, v in columns().items()}),
    "polars": lambda p: polars.DataFrame(columns()),
    "polars categories": lambda p: polars.DataFrame(columns(), schema_overrides={"region": polars.Categorical}),
    "pyarrow": lambda p: pa.table(columns()),
    "pyarrow dictionaries": lambda p: pa.table({k: pa.array(v).dictionary_encode() for k, v in columns().items()}),
    "record batch": lambda p: pa.record_batch(columns()),
    "reader": lambda p: pa.table(columns()).to_reader(max_chunksize=7),
    "pandas csv": lambda p: pandas.DataFrame(columns()).drop(columns="age").assign(
        age=pandas.Series(columns()["age"], dtype="Int64")).to_csv(p / "t.csv", index=False) or p / "t.csv",
    "polars csv": lambda p: polars.DataFrame(columns()).write_csv(p / "t.csv") or p / "t.csv",
    "polars parquet": lambda p: polars.DataFrame(columns()).write_parquet(p / "t.parquet") or p / "t.parquet",
    "polars jsonl": lambda p: polars.DataFrame(columns()).write_ndjson(p / "t.jsonl") or p / "t.jsonl",
}  # fmt: skip


def codes_of(data, domain=DOMAIN):
    source = open_source(data)
    source.check(domain)
    batches = [encode_batch(b, domain) for b in source.batches([a.name for a in domain.closed])]
    codes = np.concatenate(batches, axis=1)
    assert source.count() == codes.shape[1]
    return codes


def expected():
    return np.array([[a.code(v) for v in columns()[a.name]] for a in DOMAIN.closed], dtype=np.uint8)


@pytest.mark.parametrize("way", WAYS)
def test_every_source_gives_the_same_codes(way, tmp_path):
    codes = codes_of(WAYS[way](tmp_path))
    assert codes.dtype == np.uint8
    np.testing.assert_array_equal(codes, expected())


def test_every_code_occurs_in_that_table():
    for attribute, codes in zip(DOMAIN.closed, expected(), strict=True):
        assert set(codes) == set(range(attribute.size))


@pytest.mark.parametrize("way", ["csv", "parquet", "jsonl", "pandas", "polars", "pyarrow"])
def test_batches_do_not_matter(way, tmp_path, monkeypatch):
    for module in (frames, json_file, parquet_file):
        monkeypatch.setattr(module, "BATCH_ROWS", 64)
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", 1000)
    source, seen = open_source(WAYS[way](tmp_path)), []
    total = source.total(Histogram(DOMAIN.sizes), DOMAIN, progress=seen.append)
    assert total.sum() == seen[-1] == ROWS
    whole = Histogram(DOMAIN.sizes).accumulate(expected())
    np.testing.assert_array_equal(total, whole)
    assert len(seen) > 1


def test_a_source_is_passed_through():
    source = FrameSource(pa.table({"x": [1]}))
    assert open_source(source) is source


def test_columns_the_domain_leaves_out_are_not_read(tmp_path):
    """A list of structs has no code, and is not asked for one."""
    table = pa.table(columns()).append_column("nested", pa.array([[{"a": 1}]] * ROWS))
    np.testing.assert_array_equal(codes_of(table), expected())


def test_a_column_that_is_not_there_is_named_and_a_close_one_offered():
    for name, says in (("aeg", "Did you mean"), ("weight", "they have day, unused, pay")):
        domain = Domain.from_dict({"table": "t", "attributes": {name: {"kind": "boolean"}}})
        with pytest.raises(BadData, match=f"the domain has {name} but the data have no such column") as caught:
            open_source(pa.table(columns())).check(domain)
        assert says in str(caught.value)


def boolean(name):
    return Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "category", "values": ["x", "y"], "other": True}}}
    )


@pytest.mark.parametrize(
    "name", ['quo"te', "it's", "back\\slash", "$.a", "sp ace", "{curly}", "select", "a.b", "é", "x?"]
)
def test_any_column_name_will_do(name, tmp_path):
    for data in (pa.table({name: ["x", "y"]}), *(tmp_path / f"t.{end}" for end in ("csv", "parquet", "jsonl"))):
        if not isinstance(data, pa.Table):
            table = polars.DataFrame({name: ["x", "y"]})
            {".csv": table.write_csv, ".parquet": table.write_parquet, ".jsonl": table.write_ndjson}[data.suffix](data)
        assert codes_of(data, boolean(name)).tolist() == [[0, 1]]


@pytest.mark.parametrize("name", ["t[1].csv", "t*.csv", "t?.csv", "a b.csv", "it's.csv"])
def test_a_path_is_one_file_and_not_a_pattern(name, tmp_path):
    for other in ("t1.csv", "t2.csv"):
        (tmp_path / other).write_text("x\nnot this\n")
    (tmp_path / name).write_text("x\ny\n")
    assert codes_of(tmp_path / name, boolean("x")).tolist() == [[1]]


CSV = {
    "values with semicolons": ("a\nx;y\nx;z\n", ["x;y", "x;z"]),
    "lines that look like comments": ("a,b\nx,1\n#y,2\n# z,3\n", ["x", "#y", "# z"]),
    "blank lines in one column": ('a\nx\n\n""\ny\n', ["x", None, None, "y"]),
    "quotes that come late": ("a,b\n" + "x,1\n" * 1500 + '"y,z",2\n', ["x"] * 1500 + ["y,z"]),
    "line ends of both kinds": ("a,b\r\nx,1\r\ny,2\r\n", ["x", "y"]),
    "a byte order mark": ("\ufeffa,b\nx,1\n", ["x"]),
    "words for missing stay words": ("a\nNULL\nNA\nnan\n", ["NULL", "NA", "nan"]),
    "dates and numbers stay text": ("a\n2020-01-01\n007\n1.50\n", ["2020-01-01", "007", "1.50"]),
    "no rows": ("a,b\n", []),
}


@pytest.mark.parametrize("case", CSV)
def test_csv_is_read_as_it_stands(case, tmp_path):
    text, values = CSV[case]
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    source = open_source(path)
    assert source.columns[0] == "a"
    assert [v or None for batch in source.batches(["a"]) for v in batch.column(0).to_pylist()] == values
    assert source.count() == len(values)


UUID = "550E8400-E29B-41D4-A716-446655440000"
JSON = {
    "numbers and words together": (["1", '"x"'], ["1", "x"]),
    "texts that look like times": (['"2020-01-01T00:00:00"'] * 2, ["2020-01-01T00:00:00"] * 2),
    "texts that look like identifiers": ([f'"{UUID}"'], [UUID]),
    "a word after many numbers": (["1"] * 30_000 + ['"x"'], ["1"] * 30_000 + ["x"]),
}  # fmt: skip


@pytest.mark.parametrize("case", JSON)
def test_json_is_read_as_it_stands(case, tmp_path):
    values, texts = JSON[case]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(f'{{"a": {value}}}' for value in values))
    read = [v for batch in open_source(path).batches(["a"]) for v in batch.column(0).to_pylist()]
    assert [str(v) for v in read] == texts


SECRET = "Bartholomew-77123"
DAMAGED = {
    "t.parquet": (SECRET, "it is damaged or not what its ending says"),
    "t.json": (f'[{{"a": "{SECRET}"}}, ', "it is damaged or not what its ending says"),
    "lines.json": (f'{{"a": "{SECRET}"}}', "is no JSON array; a file with one object a line is named .jsonl"),
    "t.csv.gz": (SECRET, "it is damaged or not what its ending says"),
    "quote.csv": (f'"a,{SECRET}\n1,2\n', "has a quote that is not closed"),
    "empty.csv": ("", "is empty or begins with an empty line; its first line must name the columns"),
    "blank.csv": (f"\na,b\n{SECRET},2\n", "is empty or begins with an empty line"),
    "twice.csv": (f"a,b,a\n{SECRET},2,3\n", "has two columns named a; name each column once"),
    "other.csv": (
        f"x;b\n{SECRET};2\n",
        "no such column; the first line of a CSV file names the columns, separated by ';'",
    ),
}
DAMAGED_SHAPE = Domain.from_dict({"table": "t", "attributes": {n: {"kind": "open"} for n in ("a", "b")}})


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_without_quoting_it(name, tmp_path):
    content, says = DAMAGED[name]
    path = tmp_path / name
    path.write_text(content)

    def read():
        source = open_source(path)
        source.check(DAMAGED_SHAPE)
        return list(source.batches(["a", "b"]))

    with pytest.raises(BadData) as caught:
        read()
    text = "".join(map(str, (caught.value, caught.value.__cause__)))
    assert says in text
    assert len(text.removesuffix("None").splitlines()) == 1
    assert "Bartholomew" not in text
    assert "77123" not in text


@pytest.mark.parametrize(
    ("name", "says"),
    [("none.csv", "no file"), ("t.xls", "allowed: .csv"), ("folder.csv", "is not a file"), ("t.gz", "allowed: .csv")],
)
def test_a_path_that_is_no_table(name, says, tmp_path):
    if name.startswith("folder"):
        (tmp_path / name).mkdir()
    elif not name.startswith("none"):
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(BadPath, match=says) as caught:
        open_source(tmp_path / name)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "thing",
    [[1, 2], {"a": [1]}, 5, None, pandas.Series([1]), pandas.DataFrame([[1, 2]], columns=["a", "a"]), object()],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_table_is_refused_in_one_line(thing):
    with pytest.raises(HushError) as caught:
        open_source(thing)
    assert len(str(caught.value).splitlines()) == 1


def test_mixed_objects_are_read_by_their_text():
    mixed = pandas.DataFrame({"x": pandas.Series([1.0, "1", True, b"y", None, float("nan"), ["x"]], dtype=object)})
    attributes = {"x": {"kind": "category", "values": ["1", "true", "y"], "other": True}}
    codes = codes_of(mixed, Domain.from_dict({"table": "t", "attributes": attributes}))
    assert codes.tolist() == [[0, 0, 1, 2, 4, 4, 3]]


def test_missing_among_mixed_objects():
    mixed = pandas.DataFrame({"x": pandas.Series(["x", 1, pandas.NA], dtype=object)})
    assert codes_of(mixed, boolean("x")).tolist() == [[0, 2, 3]]


def test_not_a_number_is_missing_in_a_csv_too(tmp_path):
    frame = polars.DataFrame({"pay": [1.0, float("nan")]})
    frame.write_csv(tmp_path / "t.csv")
    attributes = {"pay": {"kind": "number", "between": [0, 2], "bins": 2, "other": True}}
    domain = Domain.from_dict({"table": "t", "attributes": attributes})
    np.testing.assert_array_equal(codes_of(tmp_path / "t.csv", domain), codes_of(frame, domain))

"""Whatever one person's rows hold, the rows of all others that count stay the same, in every kind of source.

A case is a table and a neighbour of it in which one person, or a row that names nobody, is gone, or has come, or has
other rows. Rows are known by a column that the domain leaves out, so that it can be seen which of them count.
"""

import contextlib
import csv
import json
import random
import sqlite3

import duckdb
import numpy as np
import pandas
import polars
import postgres
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hostile import CELLS
from openpyxl import Workbook

import hushtable as ht
from hushtable.addresses import TableAt
from hushtable.vault.bounded_source import PART_ROWS, BoundedSource
from hushtable.vault.sources import open_source, quoted

COLUMNS = ("who", "share", "age", "word", "open", "place", "also", "more")
ATTRIBUTES = {
    "share": {"kind": "number", "between": [0, 1], "bins": 2, "other": True},
    "age": {"kind": "integer", "between": [0, 99], "bins": 3, "other": True},
    "word": {"kind": "category", "values": ["a", "b"], "other": True},
    "open": {"kind": "open"},
}
UNIT = {"person": "who", "rows": 2}
DOMAINS = [
    ht.Domain.from_dict({"table": "t", "unit": UNIT, "attributes": ATTRIBUTES}),
    ht.Domain.from_dict({"table": "t", "unit": UNIT, "missing_values": ["-9", "0.25"], "attributes": ATTRIBUTES}),
]
INF, NAN = float("inf"), float("nan")
SHARES = [0.25, 0.5, 0.75, -9.0, 7.5, -0.0, 1e300, -1e300, INF, -INF, NAN, None]
AGES = [3, 30, 90, -9, 0, 2**53 + 1, 2**62, -(2**62), None]
WORDS = ["a", "b", "c", " a ", "", "é", None]
# The longest cell is left to the tests of sources.
TEXTS = [text for text in CELLS if len(text) < 10_000] + [None]


def typed(luck, who, place):
    row = [who, luck.choice(SHARES), luck.choice(AGES), luck.choice(WORDS), luck.choice(TEXTS), place, "", ""]
    return [
        cell.encode("utf-8", "replace").decode().replace("\x00", "") if isinstance(cell, str) else cell for cell in row
    ]


def texts(luck, who, place):
    """The same as text, among it what is no number."""
    row = [None if cell is None else str(cell) for cell in typed(luck, who, place)]
    for column in (1, 2):
        if luck.random() < 0.2:
            row[column] = luck.choice(TEXTS)
    return [cell if cell is None else cell.replace("\x00", "") for cell in row]


def objects(luck, who, place):
    row = typed(luck, who, place)
    for column in (1, 2, 4):
        if luck.random() < 0.3:
            row[column] = luck.choice(
                [True, b"\xff", "x", 5, 2.5, None, NAN, pandas.NA, pandas.NaT, np.float32(0.5), []]
            )
    return row


def by_column(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def as_arrow(rows, path, who=None, share=None):
    who = who or (pa.float64() if isinstance(rows[0][0], float) else pa.int64())
    kinds = [who, share or pa.float64(), pa.int64(), pa.string(), pa.string(), pa.string(), pa.string(), pa.string()]
    columns = by_column(rows)
    return pa.table({name: pa.array(columns[name], kind) for name, kind in zip(COLUMNS, kinds, strict=True)})


def as_arrow_floats(rows, path):
    return as_arrow([[row[0] and float(row[0]), *row[1:]] for row in rows], path, pa.float64(), pa.float32())


def as_arrow_words(rows, path):
    return as_arrow([[row[0] and f"é{row[0]}", *row[1:]] for row in rows], path, pa.string())


def as_arrow_dictionary(rows, path):
    return as_arrow([[row[0] and f"p{row[0]}", *row[1:]] for row in rows], path, pa.dictionary(pa.int8(), pa.string()))


def as_arrow_pieces(rows, path):
    """In batches of three rows, so that a batch has a missing value and the next one none."""
    return pa.Table.from_batches(as_arrow(rows, path).to_batches(max_chunksize=3))


def as_parquet(rows, path):
    pyarrow.parquet.write_table(as_arrow(rows, path), path / "t.parquet", row_group_size=5)
    return path / "t.parquet"


def as_feather(rows, path):
    pyarrow.feather.write_feather(as_arrow(rows, path), path / "t.feather", chunksize=5)
    return path / "t.feather"


def as_pandas(rows, path):
    """Types are pandas' own choice: one missing identifier makes floats of all."""
    return pandas.DataFrame(by_column(rows))


def as_pandas_nullable(rows, path):
    columns = by_column(rows)
    kinds = ["Int64", "Float64", "Int64", *["string"] * 5]
    return pandas.DataFrame(
        {name: pandas.array(columns[name], dtype=kind) for name, kind in zip(COLUMNS, kinds, strict=True)}
    )


def as_objects(rows, path):
    return pandas.DataFrame({name: pandas.Series(cells, dtype=object) for name, cells in by_column(rows).items()})


def as_polars(rows, path):
    """Its text is held as views."""
    return polars.from_arrow(as_arrow(rows, path))


def as_csv(rows, path, name="t.csv"):
    with (path / name).open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows([cell and cell.replace("\n", " ").replace("\r", " ") for cell in row] for row in rows)
    return path / name


def as_jsonl(rows, path):
    (path / "t.jsonl").write_text("".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows))
    return path / "t.jsonl"


def as_json(rows, path):
    (path / "t.json").write_text(json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows]))
    return path / "t.json"


def as_excel(rows, path):
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (COLUMNS, *rows):
        sheet.append(list(row))
    book.save(path / "t.xlsx")
    return path / "t.xlsx"


def as_sqlite(rows, path):
    (path / "t.sqlite").unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path / "t.sqlite")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(map(quoted, COLUMNS))})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", rows)
        connection.commit()
    return TableAt(f"sqlite:///{path}/t.sqlite", "t")


def as_duckdb(rows, path):
    (path / "t.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(path / "t.duckdb")) as connection:
        connection.register("given", as_arrow(rows, path))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return TableAt(f"duckdb:///{path}/t.duckdb", "t")


def as_postgresql(rows, path):
    postgres.server().ingest("t", as_arrow(rows, path))
    return TableAt(postgres.server().address(), "t")


def no_texts(luck, who, place):
    """What a sheet can hold."""
    row = typed(luck, who, place)
    numbers = [None if isinstance(cell, float) and not np.isfinite(cell) else cell for cell in row[1:3]]
    return [who, *numbers, row[3], "x", place, "", ""]


@pytest.fixture(autouse=True, scope="module")
def types_known():
    with contextlib.nullcontext() if postgres.missing() else postgres.types_known():
        yield


# What a row is, what a table is made of, and how many cases.
WAYS = {
    "arrow": (typed, as_arrow, 100),
    "arrow floats": (typed, as_arrow_floats, 100),
    "arrow words": (typed, as_arrow_words, 100),
    "arrow dictionary": (typed, as_arrow_dictionary, 100),
    "arrow pieces": (typed, as_arrow_pieces, 100),
    "parquet": (typed, as_parquet, 60),
    "feather": (typed, as_feather, 60),
    "pandas": (typed, as_pandas, 100),
    "pandas nullable": (typed, as_pandas_nullable, 60),
    "pandas objects": (objects, as_objects, 100),
    "polars": (typed, as_polars, 60),
    "csv": (texts, as_csv, 100),
    "jsonl": (texts, as_jsonl, 20),
    "jsonl numbers": (typed, as_jsonl, 20),
    "json": (texts, as_json, 20),
    "excel": (no_texts, as_excel, 20),
    "sqlite": (typed, as_sqlite, 40),
    "duckdb": (typed, as_duckdb, 20),
}
if not postgres.missing():
    WAYS["postgresql"] = (typed, as_postgresql, 40)


def counted(data, domain, part_rows):
    """The places of the rows that count."""
    source = BoundedSource(open_source(data, domain), domain, "secret", part_rows=part_rows)
    with source.snapshot():
        return {place for batch in source.batches(["place"]) for place in batch.column(0).to_pylist()}


def lot(luck, row, who, name):
    """The rows of one person, some of them equal; of nobody there is one, who is a person of its own."""
    rows = [row(luck, who, f"{name}.{i}") for i in range(1 if who is None else luck.randrange(1, 6))]
    return [luck.choice(rows)[:5] + own[5:] if luck.random() < 0.3 else own for own in rows]


@pytest.mark.parametrize("way", WAYS)
def test_one_person_decides_about_nobody_elses_rows(way, tmp_path):
    row, build, cases = WAYS[way]
    luck = random.Random(f"people of {way}")
    for case in range(cases):
        domain, parts = DOMAINS[case % 2], (PART_ROWS, 7)[case % 3 == 2]
        if case % 10 < 2:  # a new table, for either domain
            lots = [lot(luck, row, who, f"p{place}") for place, who in enumerate([*range(10, 18), None, None, None])]
            table = luck.sample(whole := [entry for own in lots for entry in own], len(whole))
            seen = {}
        if case % 2 not in seen:
            seen[case % 2] = counted(build(table, tmp_path), domain, parts)
            assert {entry[5] for entry in table if entry[0] is None} <= seen[case % 2]
        gone = luck.choice(lots) if luck.random() < 0.8 else []
        rest = [entry for entry in table if entry[5] not in {own[5] for own in gone}]
        newcomers = lot(luck, row, luck.choice([gone[0][0] if gone else None, None, 99]), "new")
        near = list(rest)
        for entry in newcomers if not gone or luck.random() < 0.8 else []:
            near.insert(luck.randrange(len(near) + 1), entry)
        others = {entry[5] for entry in rest}
        found = counted(build(near, tmp_path), domain, parts)
        assert found & others == seen[case % 2] & others
        assert {entry[5] for entry in near if entry[0] is None} <= found


FLOATS = {"arrow": as_arrow, "parquet": as_parquet, "sqlite": as_sqlite, "duckdb": as_duckdb, "csv": as_csv}
if not postgres.missing():
    FLOATS["postgresql"] = as_postgresql


@pytest.mark.parametrize("way", FLOATS)
def test_a_person_whose_number_is_a_float_is_who_she_is_where_it_is_whole(way, tmp_path):
    """In every source 17.0 is 17, so that the same rows of her count."""
    rows = [[float(i % 7), i / 60, i % 50, "a", f"o{i}", f"p{i}", "", ""] for i in range(60)]
    whole = counted(as_arrow([[int(row[0]), *row[1:]] for row in rows], tmp_path), DOMAINS[0], PART_ROWS)
    if way == "csv":
        rows = [[str(cell) for cell in row] for row in rows]
    assert counted(FLOATS[way](rows, tmp_path), DOMAINS[0], PART_ROWS) == whole

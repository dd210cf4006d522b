"""Cells, rows and files of any size: one that is too long is missing, and none refuses a release or moves another."""

import contextlib
import json
import sqlite3

import duckdb
import pandas
import postgres
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.addresses import TableAt
from hushtable.vault.sources import open_source, spark_task
from hushtable.vault.sources.frames import cell_texts
from hushtable.vault.sources.postgresql import MOST_BYTES
from hushtable.vault.sources.text_blocks import LONGEST

DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"word": {"kind": "open"}, "other": {"kind": "open"}}})
# What is stored, and whether it is missing when read.
CELLS = [("a", False), ("b" * LONGEST, False), ("c" * (LONGEST + 1), True), ("é" * (LONGEST // 2), False),
         ("é" * (LONGEST // 2) + "x", True), ("d", False)]  # fmt: skip
ROWS = [(cell, f"row {i}") for i, (cell, _) in enumerate(CELLS)]


@pytest.fixture(autouse=True, scope="module")
def types_known():
    with contextlib.nullcontext() if postgres.missing() else postgres.types_known():
        yield


def read(data):
    source = open_source(data, DOMAIN)
    with source.snapshot():
        return [tuple(row.values()) for batch in source.batches(DOMAIN.names) for row in batch.to_pylist()]


def expected():
    return [(None if long else cell, name) for (cell, long), (_, name) in zip(CELLS, ROWS, strict=True)]


def in_sqlite(rows, path):
    with contextlib.closing(sqlite3.connect(path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (word, other)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
    return TableAt(f"sqlite:///{path}/t.sqlite", "t")


def test_sqlite(tmp_path):
    more = [("\x00" + "e" * LONGEST, "text"), (b"\x00" + b"e" * LONGEST, "bytes"), (5, "number"), (None, "nothing")]
    found = read(in_sqlite([*ROWS, *more], tmp_path))
    assert found == [*expected(), (None, "text"), (None, "bytes"), ("5", "number"), (None, "nothing")]


def test_duckdb(tmp_path):
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t (word VARCHAR, other VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
    source = open_source(TableAt(f"duckdb:///{tmp_path}/t.duckdb", "t"), DOMAIN)
    assert read(source) == expected()
    # More text than 2 GB in one batch has places for it.
    assert {batch.column(0).type for batch in source.batches(DOMAIN.names)} == {pa.large_string()}


@pytest.mark.skipif(bool(postgres.missing()), reason=postgres.missing() or "-")
class TestPostgresql:
    def test_texts_of_every_type(self):
        server = postgres.server()
        server.ingest("long_cells", pa.table({"word": [c for c, _ in ROWS], "other": [o for _, o in ROWS]}))
        assert read(TableAt(server.address(), "long_cells")) == expected()
        for kind, short in (("varchar", "x"), ("json", '"x"'), ("bytea", "\\x78"), ("bpchar", "x"), ("xml", "<x/>")):
            long = "repeat('x', 5000000)" if kind not in ("json", "xml") else (
                "to_json(repeat('x', 5000000))" if kind == "json" else "('<x>' || repeat('x', 5000000) || '</x>')"
            )  # fmt: skip
            server.do("DROP TABLE IF EXISTS long_kinds")
            server.do(f"CREATE TABLE long_kinds (word {kind}, other text)")
            server.do(f"INSERT INTO long_kinds VALUES ('{short}', 'short'), ({long}::{kind}, 'long'), (NULL, 'none')")
            assert read(TableAt(server.address(), "long_kinds")) == [(short, "short"), (None, "long"), (None, "none")]

    def test_a_row_of_many_columns_is_no_more_than_the_server_sends(self):
        """Each of its cells may be as long as the same share of half a gigabyte."""
        server, columns = postgres.server(), 400
        most = MOST_BYTES // columns
        server.do("DROP TABLE IF EXISTS many_columns")
        server.do(f"CREATE TABLE many_columns (word text, other text, {', '.join(f'c{i} text' for i in range(398))})")
        server.do(f"INSERT INTO many_columns VALUES (repeat('x', {most}), 'x'), (repeat('x', {most + 1}), 'y')")
        assert most < LONGEST
        assert read(TableAt(server.address(), "many_columns")) == [("x" * most, "x"), (None, "y")]


@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "many lines"])
def test_an_array_of_json_is_read_whatever_its_lines_are(indent, tmp_path):
    rows = [{"word": "x" * 100, "other": f"row {i}"} for i in range(100_000)]
    rows[7]["word"] = "y" * (LONGEST + 1)
    (tmp_path / "t.json").write_text(json.dumps(rows, indent=indent))
    found = read(tmp_path / "t.json")
    assert found[7] == (None, None)
    assert found[:7] + found[8:] == [tuple(row.values()) for row in rows[:7] + rows[8:]]


def test_texts_of_objects_have_places_beyond_two_gigabytes():
    assert cell_texts(["a", None]).type == cell_texts([1, b"x", None]).type == pa.large_string()
    frame = pandas.DataFrame({"word": pandas.Series(["a", 5], dtype="category"), "other": ["b", None]})
    kinds = next(iter(open_source(frame, DOMAIN).batches(DOMAIN.names))).schema.types
    assert kinds[0].value_type == pa.large_string()


def test_rows_that_are_too_large_for_one_value_travel_in_several(monkeypatch):
    monkeypatch.setattr(spark_task, "PACKED_BYTES", 3_000)
    batch = pa.record_batch({"word": ["x" * (5_000 if i == 3 else 400) for i in range(50)], "other": ["y"] * 50})
    parts = [spark_task.unpacked(spark_task.packed(part)) for part in spark_task.halved(batch)]
    assert pa.Table.from_batches(parts).to_pydict() == batch.to_pydict()
    assert [part.num_rows for part in parts if part.nbytes > 3_000] == [1]
    assert list(spark_task.halved(batch.slice(0, 0))) == [batch.slice(0, 0)]

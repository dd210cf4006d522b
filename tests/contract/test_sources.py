"""Every source reads a row by itself: another row changed, added, removed or moved changes no other row's reading.

Every price assumes this. A case is a pair of tables that differ in one row; what the program makes of the other rows
(codes, keys, numbers, decision lists) must be the same, and so must success: no row may refuse a release.
"""

import contextlib
import csv
import gzip
import json
import random
import re
import sqlite3
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import postgres
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hostile import CELLS, JSON_LINES, LINES, OBJECTS, SHEET_CELLS, SHEET_ROWS, SHEET_TEXTS
from made_workbook import cell, made_workbook, row_of
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from hushtable.addresses import TableAt
from hushtable.domain import Domain
from hushtable.errors import BadPath
from hushtable.vault.coding import encode, encode_rules, read_keys, real_numbers
from hushtable.vault.sources import Source, open_source, sources

DOMAIN = Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "name": {"kind": "category", "values": ["a", "b", "Smith, John", "'a'"], "other": True},
            "sex": {"kind": "category", "values": ["female", "male"]},
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
            "dose": {"kind": "category", "values": ["0.5", "2.5", "10"], "other": True},
            "pay": {"kind": "number", "between": [0, 100], "bins": 8},
            "smoker": {"kind": "boolean"},
            "url": {"kind": "open"},
            "choice": {"kind": "decision_list", "inputs": ["x", "y"], "length": 2},
        },
    }
)
# The same columns as dates, times, labelled codes, and with codes for missing values: all may hold anything.
CODED = Domain.from_dict(
    {
        "table": "t",
        "missing_values": ["NA", "-9", "17", "2.5"],
        "csv": {"thousands": "'"},
        "attributes": {
            "name": {"kind": "category", "labels": {"a": "one", "b": "two"}, "other": True},
            "sex": {"kind": "boolean", "labels": {"female": "true", "male": "false"}, "other": True},
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
            "dose": {"kind": "time", "other": True},
            "pay": {"kind": "number", "between": [0, 100], "bins": 8},
            "smoker": {"kind": "date", "between": ["2000-01-01", "2030-12-31"], "bins": "year", "format": "day-first"},
            "url": {"kind": "open"},
            "choice": {"kind": "decision_list", "inputs": ["x", "y"], "length": 2},
        },
    }
)
NAMES = DOMAIN.names
ROWS = 12


@pytest.fixture(autouse=True, scope="module")
def types_known():
    if postgres.missing():
        yield
    else:
        with postgres.types_known():
            yield


def reading(data, domain=DOMAIN):
    """One entry a row: all that the program makes of it, in one snapshot, as a release reads."""
    source = open_source(data, domain)
    with source.snapshot():
        return read_by(source, domain)


def read_by(source, domain):
    source.check(domain)
    rows = []
    for batch in source.batches(domain.names):
        columns = {a: batch.column(i) for i, a in enumerate(domain.attributes)}
        closed = [encode(a, columns[a]) for a in domain.closed]
        pay, url, choice = (next(a for a in columns if a.name == n) for n in ("pay", "url", "choice"))
        numbers = np.nan_to_num(real_numbers(pay, columns[pay]), nan=-1.0)
        keys = read_keys([url], pa.record_batch({"url": columns[url]})).to_pylist()
        lists = encode_rules(choice, columns[choice])
        rows += list(zip(*(c.tolist() for c in closed), numbers.tolist(), keys, *lists.tolist(), strict=True))
    assert source.count() == len(rows)
    return rows


# Ordinary rows, as text and as objects.
TEXT = [
    ["a", "female", "17", "2.5", "3.25", "true", "http://x", "x:1, default:0"],
    ["b", "male", "18", "0.5", "99", "false", "http://y", "default:1"],
    ["Smith, John", "female", "64", "10", "0", "yes", "", "!y:0, default:1"],
    ["'a'", "", "65", "2.50", "12.5", "no", "2.0", ""],
]
TYPED = [
    ["a", "female", 17, Decimal("2.5"), 3.25, True, "http://x", "x:1, default:0"],
    ["b", "male", 18, Decimal("0.5"), 99.0, False, "http://y", "default:1"],
    ["Smith, John", "female", 64, Decimal(10), 0.0, True, None, "!y:0, default:1"],
    ["'a'", None, 65, Decimal("2.50"), 12.5, False, Decimal("2.0"), None],
]


def ordinary(kind, luck):
    return list(luck.choice(kind))


def csv_line(cells, separator=b","):
    quoted = ('"' + c.replace('"', '""') + '"' if set(c) & set('," \n\r;\t|') else c for c in cells)
    return separator.join(c.encode("utf-8", "surrogatepass") for c in quoted)


# Ways into the program. Each has: ordinary rows, hostile rows, and a function from rows to data.


def csv_ordinary(luck):
    return csv_line(ordinary(TEXT, luck))


def csv_hostile(luck):
    if luck.random() < 0.6:
        return luck.choice(LINES)
    cells = ordinary(TEXT, luck)
    cells[luck.randrange(len(cells))] = luck.choice(CELLS).replace("\n", " ")
    raw = csv_line(cells) if luck.random() < 0.5 else ",".join(cells).encode("utf-8", "surrogatepass")
    return _mutated(raw, luck) if luck.random() < 0.3 else raw


def _mutated(raw, luck):
    raw = bytearray(raw[:10_000])
    for _ in range(luck.randrange(1, 4)):
        raw.insert(luck.randrange(len(raw) + 1), luck.choice(b"\",;|\t\r\x00\xff\xc3 #\\'a5"))
    return bytes(raw)


def as_csv(rows, path):
    path = path / "t.csv"
    path.write_bytes(b"\n".join([",".join(NAMES).encode(), *rows, b""]))
    return path


def as_windows_csv_gz(rows, path):
    path = path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"\r\n".join([",".join(NAMES).encode(), *rows, b""]), 1))
    return path


def json_ordinary(luck):
    return json.dumps(dict(zip(NAMES, ordinary(TEXT, luck), strict=True))).encode()


def json_hostile(luck):
    return luck.choice(JSON_LINES)[0] if luck.random() < 0.6 else _json_cell(luck)


def json_value(luck):
    return luck.choice([line for line, valid in JSON_LINES if valid]) if luck.random() < 0.6 else _json_cell(luck)


def _json_cell(luck):
    cells = ordinary(TEXT, luck)
    cells[luck.randrange(len(cells))] = luck.choice(CELLS)
    return json.dumps(dict(zip(NAMES, cells, strict=True)), ensure_ascii=luck.random() < 0.5).encode()


def as_jsonl(rows, path):
    path = path / "t.jsonl"
    path.write_bytes(b"\n".join([*rows, b""]))
    return path


def as_json(rows, path):
    path = path / "t.json"
    path.write_bytes(b"[" + b",\n".join(rows) + b"]")
    return path


def objects_ordinary(luck):
    return ordinary(TYPED, luck)


def objects_hostile(luck):
    cells = ordinary(TYPED, luck)
    for _ in range(luck.choice((1, 1, 8))):
        cells[luck.randrange(len(cells))] = luck.choice(OBJECTS)
    return cells


def _by_column(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}


def as_objects(rows, path):
    return pandas.DataFrame({n: pandas.Series(v, dtype=object) for n, v in _by_column(rows).items()})


def as_categories(rows, path):
    return as_objects(rows, path).apply(lambda column: column.map(str).astype("category"))


def as_polars_objects(rows, path):
    return polars.DataFrame({n: polars.Series(n, v, dtype=polars.Object) for n, v in _by_column(rows).items()})


def text_ordinary(luck):
    return ordinary(TEXT, luck)


def text_hostile(luck):
    cells = text_ordinary(luck)
    cells[luck.randrange(len(cells))] = luck.choice([*CELLS, None])
    return cells


def as_pandas_text(rows, path):
    return pandas.DataFrame({n: pandas.Series(v, dtype="string") for n, v in _by_column(rows).items()})


def as_pandas_inferred(rows, path):
    return pandas.DataFrame(_by_column(rows))


def as_polars_text(rows, path):
    return polars.DataFrame({n: polars.Series(n, v, dtype=polars.String) for n, v in _by_column(rows).items()})


BROKEN = (b"\xff", b"a\xc3", b"\xed\xa0\x80")


def raw_ordinary(luck):
    return [cell.encode() for cell in ordinary(TEXT, luck)]


def raw_hostile(luck):
    cells = [None if c is None else c.encode() for c in text_hostile(luck)]
    cells[luck.randrange(len(cells))] = luck.choice((*BROKEN, b"a", None))
    return cells


def as_arrow_text(rows, path):
    """Arrow does not look whether its text is text."""
    columns = {}
    for name, values in _by_column(rows).items():
        raw = pa.array(values, pa.binary())
        columns[name] = pa.StringArray.from_buffers(len(raw), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
    return pa.table(columns)


def as_parquet_text(rows, path):
    pyarrow.parquet.write_table(as_arrow_text(rows, path), path / "t.parquet")
    return path / "t.parquet"


TYPES = [
    pa.string(), pa.dictionary(pa.int32(), pa.string()), pa.int64(), pa.decimal128(30, 6), pa.float64(), pa.bool_(),
    pa.timestamp("ns"), pa.large_string(),
]  # fmt: skip
TYPED_CELLS = [
    ["a", "b", "'a'", None, *CELLS],
    ["female", "male", None, "x", ""],
    [0, 5, 70, -(2**63), 2**63 - 1, None],
    [Decimal("2.5"), Decimal("0.5"), Decimal("1.125"), Decimal("123456789012345678901234.5"), None],
    [0.0, 2.5, float("nan"), float("inf"), -1e308, 5e-324, None],
    [True, False, None],
    [0, 2**60, -(2**62), None],
    ["x:1, default:0", "default:1", "z", None, *CELLS],
]


def typed_row(luck):
    return [luck.choice(cells[:2]) for cells in TYPED_CELLS]


def typed_hostile(luck):
    return [luck.choice(cells) for cells in TYPED_CELLS]


def as_arrow(rows, path):
    columns = _by_column(rows)
    return pa.table({n: pa.array(columns[n], t) for n, t in zip(NAMES, TYPES, strict=True)})


def as_parquet(rows, path):
    pyarrow.parquet.write_table(as_arrow(rows, path), path / "t.parquet")
    return path / "t.parquet"


def as_feather(rows, path):
    pyarrow.feather.write_feather(as_arrow(rows, path), path / "t.feather")
    return path / "t.feather"


def as_lazy(rows, path):
    return as_polars_text(rows, path).lazy()


def excel_hostile(luck):
    """What a sheet can hold: text without control characters, numbers, dates, truths, formulas and errors."""
    cells = ordinary(TYPED, luck)
    odd = [*CELLS, None, 2**60, -1e300, 5e-324, True, datetime(1900, 1, 1), date(9999, 12, 31), time(23, 59), "#N/A"]
    for _ in range(luck.choice((1, 1, 8))):
        cells[luck.randrange(len(cells))] = luck.choice(odd)
    return [_in_a_sheet(cell) for cell in cells]


def _in_a_sheet(cell):
    if not isinstance(cell, str):
        return cell
    return ILLEGAL_CHARACTERS_RE.sub("", cell.encode("utf-8", "replace").decode())[:32_000]


def as_excel(rows, path):
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(list(NAMES))
    for row in rows:
        sheet.append([float(cell) if isinstance(cell, Decimal) else cell for cell in row])
    book.save(path / "t.xlsx")
    return path / "t.xlsx"


def sheet_ordinary(luck):
    """One `<row>` as a program writes it, with its texts in the list that all rows share."""
    return row_of([cell(value) for value in ordinary(TYPED, luck)])


def sheet_hostile(luck):
    """What no library writes: cells that contradict their type, rows that are no XML, and texts that are none."""
    if luck.random() < 0.3:
        return luck.choice(SHEET_ROWS), []
    cells = [cell(value) for value in ordinary(TYPED, luck)]
    for _ in range(luck.choice((1, 1, 8))):
        odd = luck.choice((SHEET_CELLS, SHEET_TEXTS))
        cells[luck.randrange(len(cells))] = luck.choice(odd), odd is SHEET_TEXTS
    return row_of(cells)


def as_sheet(rows, path):
    return made_workbook(path / "t.xlsx", [row_of([cell(name) for name in NAMES]), *rows])


def sqlite_hostile(luck):
    """Cells of a column have any type; text may hold anything."""
    cells = ordinary(TEXT, luck)
    odd = [*CELLS, None, 2**63 - 1, -(2**63), 1e308, 5e-324, float("inf"), b"\xff\x00", b"17", 17, 2.5, 1]
    for _ in range(luck.choice((1, 1, 8))):
        cells[luck.randrange(len(cells))] = luck.choice(odd)
    return cells


def _storable(cell, never=""):
    if not isinstance(cell, str):
        return cell
    return cell.encode("utf-8", "replace").decode().replace(never or "\x00\x01\x02", "")


def as_sqlite(rows, path):
    (path / "t.sqlite").unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path / "t.sqlite")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
        marks = ", ".join("?" * len(NAMES))
        connection.executemany(f"INSERT INTO t VALUES ({marks})", [[_storable(c) for c in row] for row in rows])
        connection.commit()
    return TableAt(f"sqlite:///{path}/t.sqlite", "t")


def _text_table(rows, never=""):
    columns = _by_column([[_storable(cell, never) for cell in row] for row in rows])
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def as_duckdb(rows, path):
    (path / "t.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(path / "t.duckdb")) as connection:
        given = _text_table(rows)
        connection.register("given", given)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return TableAt(f"duckdb:///{path}/t.duckdb", "t")


def as_postgresql(rows, path):
    """It stores no character 0."""
    postgres.server().ingest("t", _text_table(rows, never="\x00"))
    return TableAt(postgres.server().address(), "t")


WAYS = {
    "csv": (csv_ordinary, csv_hostile, as_csv, 3000),
    "windows csv.gz": (csv_ordinary, csv_hostile, as_windows_csv_gz, 800),
    "jsonl": (json_ordinary, json_hostile, as_jsonl, 400),
    "json": (json_ordinary, json_value, as_json, 300),
    "pandas objects": (objects_ordinary, objects_hostile, as_objects, 2000),
    "pandas categories": (text_ordinary, text_hostile, as_categories, 500),
    "pandas text": (text_ordinary, text_hostile, as_pandas_text, 500),
    "pandas inferred": (text_ordinary, text_hostile, as_pandas_inferred, 500),
    "polars objects": (objects_ordinary, objects_hostile, as_polars_objects, 500),
    "polars text": (text_ordinary, text_hostile, as_polars_text, 500),
    "arrow text": (raw_ordinary, raw_hostile, as_arrow_text, 500),
    "arrow typed": (typed_row, typed_hostile, as_arrow, 500),
    "parquet text": (raw_ordinary, raw_hostile, as_parquet_text, 300),
    "parquet typed": (typed_row, typed_hostile, as_parquet, 300),
    "feather typed": (typed_row, typed_hostile, as_feather, 200),
    "polars lazy": (text_ordinary, text_hostile, as_lazy, 200),
    "excel": (objects_ordinary, excel_hostile, as_excel, 100),
    "excel by hand": (sheet_ordinary, sheet_hostile, as_sheet, 1000),
    "sqlite": (text_ordinary, sqlite_hostile, as_sqlite, 300),
    "duckdb": (text_ordinary, text_hostile, as_duckdb, 100),
}
if not postgres.missing():
    WAYS["postgresql"] = (text_ordinary, text_hostile, as_postgresql, 150)


def test_there_are_ten_thousand_cases():
    assert sum(cases for *_, cases in WAYS.values()) >= 10_000


def test_every_source_is_held_to_this(tmp_path):
    """A new source without a way in here fails."""

    held = set()
    for row, _, build, _ in WAYS.values():
        held.add(type(open_source(build([row(random.Random(1))], tmp_path), DOMAIN)))
    left = {sources()["postgresql"]} if postgres.missing() else set()
    left.add(sources()["spark"])  # has an environment of its own: tests/spark/test_rows.py, with the same rows
    assert set(sources().values()) == held | left


def test_every_source_says_what_it_takes():
    assert sorted(sources()) == [
        "csv",
        "duckdb",
        "excel",
        "feather",
        "frame",
        "json",
        "parquet",
        "postgresql",
        "spark",
        "sqlite",
    ]
    for kind in sources().values():
        assert kind.takes.__func__ is not Source.takes.__func__, kind


@pytest.mark.parametrize("way", WAYS)
def test_exactly_one_source_takes_each_kind_of_data(way, tmp_path):
    row, _, build, _ = WAYS[way]
    data = build([row(random.Random(1))], tmp_path)
    takers = [kind for kind in sources().values() if kind.takes(data)]
    assert [type(open_source(data, DOMAIN))] == takers
    if isinstance(data, Path):  # a path: what it is read by does not depend on how it is given, or on letters
        for same in (str(data), str(data).upper(), data.name):
            assert [kind for kind in sources().values() if kind.takes(same)] == takers


@pytest.mark.parametrize("data", ["t.xls", "t.gz", "t.parquet.gz", "", "postgresql://u@h/t.csv", 5, None, [], b"t.csv"])
def test_no_source_takes_what_none_reads(data):
    assert not any(kind.takes(data) for kind in sources().values())


@pytest.mark.parametrize("scheme", ["s3", "file", "duckdb+x"])
def test_an_address_that_none_reads_is_refused_in_one_line_that_says_what_is(scheme):
    with pytest.raises(BadPath, match=rf"nothing here reads {re.escape(scheme)}:// addresses; .*\.parquet") as caught:
        open_source(f"{scheme}://user:secret@host/t.csv", DOMAIN)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_an_address_reaches_the_source_that_takes_it_as_it_was_written(monkeypatch):
    class Anything(Source):
        name, columns, seen = "anything", (), None
        count = batches = None

        def __init__(self, data):
            self.seen = data

        @classmethod
        def takes(cls, data):
            return str(data).startswith("postgresql://")

    monkeypatch.setattr("hushtable.vault.sources.sources", lambda: {"anything": Anything})
    assert open_source("postgresql://u@h/db").seen == "postgresql://u@h/db"


def moved(rows, others, hostile, luck):
    """A neighbouring table, and the readings its other rows must have, None for the row that differs."""
    place = luck.randrange(len(rows) + 1)
    what = luck.choice(("change", "change", "add", "remove", "move"))
    if what == "add":
        return [*rows[:place], hostile, *rows[place:]], [*others[:place], None, *others[place:]]
    place %= len(rows)
    if what == "change":
        return [*rows[:place], hostile, *rows[place + 1 :]], [*others[:place], None, *others[place + 1 :]]
    fewer, left = rows[:place] + rows[place + 1 :], others[:place] + others[place + 1 :]
    if what == "remove":
        return fewer, left
    to = luck.randrange(len(rows))
    return [*fewer[:to], rows[place], *fewer[to:]], [*left[:to], others[place], *left[to:]]


@pytest.mark.parametrize("domain", [DOMAIN, CODED], ids=["plain", "coded"])
@pytest.mark.parametrize("way", WAYS)
def test_a_row_is_read_by_itself(way, domain, tmp_path):
    row, hostile, build, cases = WAYS[way]
    luck = random.Random(f"rows of {way}")
    for case in range(cases if domain is DOMAIN else cases // 4):
        if case % 20 == 0:  # a new table, half of the time with a hostile row already in it
            rows = [row(luck) for _ in range(ROWS)]
            if luck.random() < 0.5:
                rows[luck.randrange(ROWS)] = hostile(luck)
            others = reading(build(rows, tmp_path), domain)
            assert len(others) == ROWS
        near, expected = moved(rows, others, hostile(luck), luck)
        found = reading(build(near, tmp_path), domain)
        assert [f if e is not None else None for f, e in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize("way", WAYS)
def test_every_hostile_thing_is_survived_and_stays_where_it_is(way, tmp_path):
    """Each entry of the dictionaries once, in the middle of ordinary rows."""
    row, _, build, _ = WAYS[way]
    luck = random.Random(1)
    rows = [row(luck) for _ in range(3)]
    plain = reading(build(rows, tmp_path))
    for thing in things(way, rows[1]):
        found = reading(build([rows[0], thing, rows[2]], tmp_path))
        assert [found[0], found[2], len(found)] == [plain[0], plain[2], 3]


def things(way, row):
    if way in ("csv", "windows csv.gz"):
        return LINES
    if "json" in way:
        return [line for line, valid in JSON_LINES if valid or way == "jsonl"]
    if way == "excel by hand":
        pairs = [(thing, False) for thing in SHEET_CELLS] + [(thing, True) for thing in SHEET_TEXTS]
        ordinary_cells = [cell(value) for value in TYPED[0]]
        odd = [row_of([*ordinary_cells[:i], pair, *ordinary_cells[i + 1 :]]) for pair in pairs for i in (0, 4)]
        return [*((raw, []) for raw in SHEET_ROWS), *odd]
    hostile = {"objects": OBJECTS, "text": CELLS}.get(way.split()[-1], [])
    if way in ("arrow text", "parquet text"):
        hostile = [*BROKEN, *(c.encode() for c in CELLS)]
    return [[thing, *row[1:]] for thing in hostile] + [[*row[:4], thing, *row[5:]] for thing in hostile]


def test_a_planted_reader_that_looks_at_other_rows_is_seen(tmp_path):
    """The contract can fail: a source whose decimals have as many digits as the longest one is caught."""

    class Alike(Source):
        columns = NAMES

        def __init__(self, rows):
            self.rows = rows

        def count(self):
            return len(self.rows)

        def batches(self, names):
            digits = max(len(str(row[3]).partition(".")[2]) for row in self.rows)
            columns = {n: [row[i] for row in self.rows] for i, n in enumerate(NAMES)}
            columns["dose"] = [f"{float(v):.{digits}f}x" for v in columns["dose"]]
            yield pa.record_batch({n: pa.array([str(v) for v in columns[n]]) for n in names})

    domain = Domain.from_dict(
        DOMAIN.to_dict() | {"attributes": DOMAIN.to_dict()["attributes"] | {"dose": {"kind": "open"}}}
    )
    attributes = domain.to_dict()["attributes"] | {"dose": {"kind": "category", "values": ["2.5x"], "other": True}}
    domain = Domain.from_dict(domain.to_dict() | {"attributes": attributes})
    rows = [list(TEXT[0]) for _ in range(ROWS)]
    others = reading(Alike(rows), domain)
    rows[3][3] = "1.125"
    assert [r for i, r in enumerate(reading(Alike(rows), domain)) if i != 3] != others[:-1]


class TestCsvRules:
    """What a line says, against another reader of single lines."""

    COLUMNS = ("a", "b", "c")
    SHAPE = Domain.from_dict({"table": "t", "attributes": {name: {"kind": "open"} for name in COLUMNS}})

    def cells(self, lines, tmp_path, **csv_options):
        path = tmp_path / "t.csv"
        header = csv_options.get("separator", ",").join(self.COLUMNS)
        path.write_bytes(b"\n".join([header.encode(), *lines, b""]))
        source = open_source(path, self.SHAPE.with_csv(**csv_options))
        batches = list(source.batches(self.COLUMNS))
        return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]

    def expected(self, line, separator=",", quote='"'):
        """What Python's reader makes of one line, where our rules are the same as its own."""
        cells = next(csv.reader([line], delimiter=separator, quotechar=quote, skipinitialspace=True), [])
        extra = [cell for cell in cells[3:] if cell]
        cells = [None] * 3 if extra else cells[:3] + [None] * (3 - len(cells))
        return tuple(cells)

    @pytest.mark.parametrize(("separator", "quote"), [(",", '"'), (";", "'"), ("\t", '"'), ("|", '"')])
    def test_lines_with_closed_quotes_are_read_as_python_reads_them(self, separator, quote, tmp_path):
        luck = random.Random(separator)
        pieces = [separator, quote, quote * 2, "a", "b c", " ", "é", "1", f"{quote}x{separator}y{quote}", "#", "\\"]
        lines = []
        while len(lines) < 3000:
            line = "".join(luck.choice(pieces) for _ in range(luck.randrange(1, 9)))
            whole = csv.reader([line + "\n", "end"], delimiter=separator, quotechar=quote, skipinitialspace=True)
            if len(list(whole)) < 2:
                continue  # an unclosed quote, where Python takes the next line for the field
            if line.strip():
                lines.append(line)
        found = self.cells([line.encode() for line in lines], tmp_path, separator=separator, quote=quote)
        for line, cells in zip(lines, found, strict=True):
            assert cells == self.expected(line, separator, quote), line

    def test_an_unclosed_quote_leaves_the_rest_of_its_row_missing(self, tmp_path):
        lines = [b'x,"y,z', b"1,2,3", b'"x,y,z', b"1,2,3"]
        assert self.cells(lines, tmp_path) == [
            ("x", None, None), ("1", "2", "3"), (None, None, None), ("1", "2", "3")
        ]  # fmt: skip

    def test_fields_that_are_lacking_are_missing_and_a_row_with_too_many_has_none(self, tmp_path):
        lines = [b"x", b"x,y", b"x,y,z,", b"x,y,z,,,", b"x,y,z,v", b""]
        assert self.cells(lines, tmp_path) == [
            ("x", None, None), ("x", "y", None), ("x", "y", "z"), ("x", "y", "z"), (None, None, None), ("", None, None)
        ]  # fmt: skip

    def test_line_breaks_inside_quotes_need_a_declaration(self, tmp_path):
        lines = [b'1,"two', b'lines",3', b"4,5,6"]
        assert self.cells(lines, tmp_path) == [("1", None, None), ('lines"', "3", None), ("4", "5", "6")]
        assert self.cells(lines, tmp_path, multiline=True) == [("1", "two\nlines", "3"), ("4", "5", "6")]

    def test_with_line_breaks_a_quote_that_is_never_closed_ends_with_its_line(self, tmp_path):
        lines = [b'1,"two', b"4,5,6", b'7,"8",9']
        assert self.cells(lines[:2], tmp_path, multiline=True) == [("1", None, None), ("4", "5", "6")]
        closed_late = self.cells(lines, tmp_path, multiline=True)
        assert closed_late == [("1", 'two\n4,5,6\n7,8"', "9")]  # what the declaration trusts: see docs/domain.md

    @pytest.mark.parametrize("size", [64, 100, 1000])
    def test_blocks_do_not_matter(self, size, tmp_path, monkeypatch):
        lines = [b'%d,"a\nb%d",c' % (i, i) if i % 7 == 0 else b"%d,x,\xff" % i for i in range(300)]
        whole = {multi: self.cells(lines, tmp_path, multiline=multi) for multi in (True, False)}
        monkeypatch.setattr("hushtable.vault.sources.text_blocks.BLOCK_BYTES", size)
        for multi, expected in whole.items():
            assert self.cells(lines, tmp_path, multiline=multi) == expected

    def test_lines_up_to_the_limit_are_read_whole(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hushtable.vault.sources.text_blocks.LONGEST", 50)
        monkeypatch.setattr("hushtable.vault.sources.csv_cells.LONGEST", 50)
        for size in (16, 64, 1 << 20):
            monkeypatch.setattr("hushtable.vault.sources.text_blocks.BLOCK_BYTES", size)
            lines = [b"x" * n + b",y,z" for n in (46, 47, 200)]
            assert [row[1] for row in self.cells([*lines, b"1,2,3"], tmp_path)] == ["y", None, None, "2"]

    def test_the_separator_is_read_from_the_first_line_alone(self, tmp_path):
        path = tmp_path / "t.csv"
        for separator in ",;\t|":
            for rows in ("1,2,3", "1;2;3", "1\t2\t3", "1|2|3"):
                path.write_text(separator.join(self.COLUMNS) + "\n" + (rows + "\n") * 50)
                assert open_source(path, self.SHAPE).separator == separator

    def test_encodings(self, tmp_path):
        assert self.cells(["é,ß,€".encode("cp1252")], tmp_path, encoding="cp1252") == [("é", "ß", "€")]
        assert self.cells(["é,ß,x".encode("latin-1")], tmp_path) == [("\ufffd", "\ufffd", "x")]


def test_a_decimal_comma_is_declared(tmp_path):
    (tmp_path / "t.csv").write_text("pay;name\n2,5;2,5\n2.5;x\n1.000,5;x\n7;x\n;x\n", encoding="utf-8")
    attributes = {
        "pay": {"kind": "number", "between": [0, 10], "edges": [1, 3], "other": True},
        "name": {"kind": "category", "values": ["2,5"], "other": True},
    }
    shape = Domain.from_dict({"table": "t", "attributes": attributes, "csv": {"separator": ";", "decimal": ","}})
    batch = next(iter(open_source(tmp_path / "t.csv", shape).batches(("pay", "name"))))
    assert encode(shape.closed[0], batch.column(0)).tolist() == [1, 3, 3, 2, 4]
    assert encode(shape.closed[1], batch.column(1)).tolist() == [0, 1, 1, 1, 1]

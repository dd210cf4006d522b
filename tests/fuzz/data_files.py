"""Campaign: data files of every ending: broken encodings, ragged rows, NULs, wrong types, damaged containers."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from mutations import NASTY_NUMBERS, NASTY_TEXTS, mutate_bytes, nasty_value

from hushtable.domain import Domain
from hushtable.errors import BadData, HushError
from hushtable.owner.draft import draft_domain
from hushtable.owner.fit import fit_of
from hushtable.owner.vault import Vault

SHAPE = Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
            "sex": {"kind": "category", "values": ["female", "male"], "other": True},
            "smoker": {"kind": "boolean", "other": True},
            "url": {"kind": "open"},
        },
    }
)
NAMES = SHAPE.names
SECRET = "Zyxwvut7Secret"
ENDINGS = (".csv", ".csv", ".csv.gz", ".tsv", ".jsonl", ".json", ".ndjson", ".parquet")


def prepare(folder: Path) -> Callable[[random.Random], None]:
    # Making a connection takes much longer than reading a small file, so that all cases share one.
    shared = duckdb.connect(config={"autoinstall_known_extensions": False, "threads": 1})
    duckdb.connect = lambda **_: shared.cursor()

    def run(luck: random.Random) -> None:
        ending = luck.choice(ENDINGS)
        path = folder / f"t{ending}"
        path.write_bytes(made(ending, luck))
        try:
            use(path, luck)
        except HushError as error:
            # Every file has this word in a cell, and no error may quote a cell.
            if SECRET in str(error):
                raise RuntimeError("an error quotes a cell") from error
            raise

    # Every ending has kernels of its own; where they are not in the cache yet, they are compiled and written now.
    for number in range(40):
        with contextlib.suppress(HushError):
            run(random.Random(f"first {number}"))
    return run


def use(path: Path, luck: random.Random) -> None:
    what = luck.randrange(3)
    if what == 0:
        fit_of(path, SHAPE)
    elif what == 1:
        draft_domain(path, "t")
    else:
        vault = Vault(path, SHAPE, ledger=path.with_suffix(".ledger"))
        if vault.rows is None:
            raise BadData("under replace the number of rows is known")


def made(ending: str, luck: random.Random) -> bytes:
    rows = [[_cell(luck) for _ in NAMES] for _ in range(luck.choice((0, 1, 3, 20)))]
    if ending == ".parquet":
        data = parquet(rows, luck)
    elif "json" in ending or "ndjson" in ending:
        data = lines(rows, luck)
    else:
        data = text(rows, "\t" if ending == ".tsv" else ",", luck)
    if luck.random() < 0.4:
        data = mutate_bytes(data, luck)
    if ending.endswith(".gz"):
        data = gzip.compress(data, 1)
        data = mutate_bytes(data, luck) if luck.random() < 0.3 else data
    return data


def _cell(luck: random.Random) -> Any:
    return luck.choice(
        (SECRET, "5", 70, "male", "true", None, "", luck.choice(NASTY_TEXTS), luck.choice(NASTY_NUMBERS))
    )


def text(rows: list[list[Any]], comma: str, luck: random.Random) -> bytes:
    header = comma.join(NAMES) if luck.random() < 0.8 else luck.choice(("", "age", comma * 9, "age,age,sex", "\x00"))
    out = [header]
    for row in rows:
        cells = [_written(cell, comma, luck) for cell in row]
        if luck.random() < 0.1:
            cells = cells[: luck.randrange(5)] + ["x"] * luck.randrange(3)
        out.append(comma.join(cells))
    joined = luck.choice(("\n", "\n", "\r\n", "\r")).join(out) + luck.choice(("\n", "", "\n\n", '"', "\x00"))
    return joined.encode(luck.choice(("utf-8", "utf-8", "utf-16", "latin-1", "utf-8-sig")), "replace")


def _written(cell: Any, comma: str, luck: random.Random) -> str:
    plain = "" if cell is None else str(cell)
    if luck.random() < 0.05:
        return luck.choice(('"', '"x', 'x"y', "\x00", "a\nb", "=1+1", comma))
    quoted = any(c in plain for c in (comma, '"', "\n", "\r"))
    return '"' + plain.replace('"', '""') + '"' if quoted else plain


def lines(rows: list[list[Any]], luck: random.Random) -> bytes:
    out = []
    for row in rows:
        value: Any = dict(zip(NAMES, row, strict=True))
        if luck.random() < 0.15:
            value = luck.choice((nasty_value(luck), list(value), {**value, "more": nasty_value(luck)}))
        out.append(json.dumps(value))
    if luck.random() < 0.1:
        out.append(
            luck.choice(("{", "[" * 5000, '{"age": NaN}', '{"age": 1e999}', "null", '"x"', '{"age": "\\ud800"}'))
        )
    return luck.choice(("\n", "\n", ",")).join(out).encode("utf-8", "surrogatepass")


def parquet(rows: list[list[Any]], luck: random.Random) -> bytes:
    kinds: dict[str, Any] = {
        "age": luck.choice(
            (pa.int64(), pa.float32(), pa.string(), pa.decimal128(20, 2), pa.date32(), pa.list_(pa.int8()))
        ),
        "sex": luck.choice((pa.string(), pa.binary(), pa.dictionary(pa.int8(), pa.string()), pa.timestamp("ns"))),
        "smoker": luck.choice((pa.bool_(), pa.int8(), pa.string(), pa.struct([("a", pa.int8())]), pa.float64())),
        "url": luck.choice((pa.string(), pa.large_string(), pa.binary(), pa.null())),
    }
    columns = {name: [_typed(row[i], kinds[name]) for row in rows] for i, name in enumerate(NAMES)}
    sink = io.BytesIO()
    pq.write_table(pa.table({n: pa.array(v, kinds[n]) for n, v in columns.items()}), sink)
    return sink.getvalue()


def _typed(cell: Any, kind: pa.DataType) -> Any:
    """The cell if the type can hold it, else something that it can."""
    if pa.types.is_nested(kind):
        return None if cell is None else [1] if pa.types.is_list(kind) else {"a": 1}
    for value in (cell, str(cell), 0, True):
        try:
            pa.scalar(value, kind)
            return value
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    return None

"""Campaign: files that are small and mean much: bombs of every container, and very many columns."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from data_files import SHAPE
from specimens import SPECIMENS
from synopsis_files import sealed, zipped

from hushtable.domain import Domain
from hushtable.owner.fit import fit_of
from hushtable.synopsis.file_format import _parquet, pack, read

MEMBER = "cells.parquet"


def prepare(folder: Path) -> Callable[[random.Random], None]:
    text, members = pack(next(specimen for specimen in SPECIMENS if specimen.name == "histogram").release())
    manifest = json.loads(text)

    def synopsis(name: str, data: bytes, **attributes: object) -> None:
        changed = json.loads(json.dumps(manifest))
        changed["domain"]["attributes"] |= attributes
        parts = members | {name: data}
        read(io.BytesIO(zipped({"manifest.json": sealed(changed, parts)} | parts)))  # type: ignore[arg-type]

    def table(ending: str, data: bytes) -> None:
        (folder / f"t{ending}").write_bytes(data)
        fit_of(folder / f"t{ending}", SHAPE)

    def domain(data: str) -> None:
        (folder / "t.yaml").write_text(data)
        Domain.load(folder / "t.yaml")

    header = ",".join(SHAPE.names)
    huge = {"kind": "integer", "between": [0, 99_999_999], "bins": 65_000}
    bombs: list[Callable[[], object]] = [
        lambda: synopsis(MEMBER, _parquet(np.zeros(30_000_000, dtype=np.int64))),
        lambda: synopsis(MEMBER, members[MEMBER], age=huge, more=huge, most=huge),
        lambda: read(io.BytesIO(zipped({"manifest.json": b" " * 40_000_000}, zipfile.ZIP_DEFLATED))),  # type: ignore[arg-type]
        lambda: read(io.BytesIO(zipped({f"{i}": b"" for i in range(50_000)}))),  # type: ignore[arg-type]
        lambda: table(".csv.gz", gzip.compress(header.encode() + b"\n" + b"0" * 50_000_000, 1)),
        lambda: table(".csv.gz", gzip.compress(b"," * 200_000_000, 1)),
        lambda: table(".csv.gz", gzip.compress(header.encode() + b"\n" + b"5,male,true,u\n" * 5_000_000, 1)),
        lambda: table(".csv", ",".join(f"c{i}" for i in range(1_000_000)).encode() + b"\n"),
        lambda: table(".jsonl", b'{"age": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
        lambda: table(".jsonl", json.dumps({f"c{i}": i for i in range(20_000)}).encode() + b"\n"),
        lambda: table(".parquet", _wide(20_000)),
        lambda: domain("table: t\nattributes:\n" + "".join(f"  c{i}: {{kind: boolean}}\n" for i in range(20_000))),
        lambda: domain("table: t\nattributes: {a: {kind: integer, between: [0, 1e400000000]}}\n"),
        lambda: domain("table: t\nattributes: {a: {kind: number, between: [0, 1], bins: 64999}}\n"),
    ]
    left = iter(bombs)

    def run(luck: random.Random) -> None:
        next(left, lambda: None)()

    return run


def _wide(columns: int) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": [1] for i in range(columns)}), sink)
    return sink.getvalue()

"""Synthetic rows: drawn from a released model, block by block. Public: no table is read and no budget is spent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..domain.attributes import Uncoded
from ..domain.decoding import decoder, loses_other
from ..errors import BadPath, BadQuestion
from ..files import new_file
from ..questions.stamp import SIMULATED
from ..words import listed

if TYPE_CHECKING:
    from . import Synopsis

__all__ = ["draw_rows", "left_out", "notes", "stream", "write_rows"]

BLOCK = 131_072
MOST_ROWS = 10**10
# In memory, rows times columns; a value takes about 8 bytes.
MOST_VALUES = 500_000_000
ENDINGS = (".csv", ".parquet")
UNMISTAKABLE = re.compile("not[-_ ]?private", re.IGNORECASE)


def draw_rows(synopsis: Synopsis, rows: int, *, seed: int | None = None) -> pa.Table:
    """All rows at once."""
    batches = stream(synopsis, rows, seed=seed)
    most = MOST_VALUES // len(synopsis.domain.closed)
    if rows > most:
        raise BadQuestion(
            f"{rows:,} rows of this table may not fit into memory, so at most {most:,} are drawn at once; "
            "draw fewer, or let `hush sample` write them to a file"
        )
    return batches.read_all()


def write_rows(
    synopsis: Synopsis,
    rows: int,
    path: str | Path,
    *,
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """The rows of `draw_rows` as a new .csv or .parquet file, in memory that does not grow with their number.

    A CSV file of a rehearsal must say in its name that it is not private; a Parquet file says so inside.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise BadPath(f"cannot tell how to write {path}; give it a name that ends in {' or '.join(ENDINGS)}")
    if synopsis.not_private and ending == ".csv" and not UNMISTAKABLE.search(Path(path).name):
        better = Path(path).with_name(f"{Path(path).stem}-not-private.csv")
        raise BadPath(
            f"these rows are of a rehearsal, {SIMULATED}, and a CSV file has no other place to say so than its name; "
            f"write {better}, or a .parquet file"
        )
    batches, done = stream(synopsis, rows, seed=seed), 0
    with new_file(path) as file, _writer(file, batches.schema, ending) as writer:
        for batch in batches:
            writer.write_batch(batch)
            done += batch.num_rows
            if progress:
                progress(done)


def stream(synopsis: Synopsis, rows: int, *, seed: int | None = None) -> pa.RecordBatchReader:
    """The rows in batches. Without a seed they are fresh every time; with one they can be drawn again.

    The schema says in its metadata that the rows are synthetic, where they come from and whether that was private.
    """
    _check(synopsis, rows, seed)
    attributes, random = synopsis.domain.closed, np.random.default_rng(seed)
    decoders = [decoder(a) for a in attributes]

    def columns(codes: Any) -> dict[str, pa.Array]:
        return {a.name: decode(c, random) for a, decode, c in zip(attributes, decoders, codes, strict=True)}

    none = np.zeros((len(attributes), 0), np.uint16)
    schema = pa.record_batch(columns(none)).schema.with_metadata(_origin(synopsis))
    batches = (
        pa.record_batch(columns(synopsis.model.draw(min(BLOCK, rows - start), random)), schema=schema)
        for start in range(0, rows, BLOCK)
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


def left_out(synopsis: Synopsis) -> list[str]:
    """Names of the columns that have no codes, and so are in no synthetic row."""
    return [a.name for a in synopsis.domain.attributes if isinstance(a, Uncoded)]


def notes(synopsis: Synopsis) -> list[str]:
    """What whoever uses the rows should know of them, one line each."""
    remarks = [SIMULATED] if synopsis.not_private else []
    if names := left_out(synopsis):
        remarks.append(f"left out, because their values are not listed: {listed(names)}")
    if names := [a.name for a in synopsis.domain.closed if loses_other(a)]:
        remarks.append(f"a value outside what the domain declares is a null, like a missing one, in: {listed(names)}")
    return remarks


def _check(synopsis: Synopsis, rows: int, seed: int | None) -> None:
    if not isinstance(rows, (int, np.integer)) or not 1 <= rows <= MOST_ROWS:
        raise BadQuestion(f"the number of rows must be a whole number from 1 to {MOST_ROWS:,}, not {rows!r}")
    if seed is not None and (not isinstance(seed, (int, np.integer)) or seed < 0):
        raise BadQuestion(f"a seed is a whole number of at least 0, not {seed!r}; leave it out for fresh rows")
    if not synopsis.domain.closed:
        raise BadQuestion("no column of this synopsis has listed values or bins, so there are no rows to draw")


def _origin(synopsis: Synopsis) -> dict[str, str]:
    origin = {
        "synthetic": True,
        "table": synopsis.domain.table,
        "workload": synopsis.workload,
        "mechanism": synopsis.mechanism,
        "not_private": synopsis.not_private,
    }
    return {"hushtable": json.dumps(origin)}


def _writer(file: IO[bytes], schema: pa.Schema, ending: str) -> Any:
    if ending == ".csv":
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(file, schema)
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")

"""Synthetic rows: drawn from a released model, block by block. Public: no table is read and no budget is spent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..domain.attributes import Uncoded
from ..domain.conditions import read_condition
from ..domain.csv_text import Csv
from ..domain.decoding import loses_other
from ..domain.predicate import Predicate, surely_empty
from ..domain.ruled_out import ruled_out
from ..errors import BadPath, BadQuestion
from ..files import new_file
from ..models.base import NO_REPLICATES
from ..questions.stamp import SIMULATED
from ..words import listed, shortened
from .csv_rows import CsvRows
from .row_values import RowValues

if TYPE_CHECKING:
    from . import Synopsis

__all__ = [
    "draw_rows",
    "left_out",
    "notes",
    "stream",
    "stream_sets",
    "stream_weighted",
    "write_batches",
    "write_rows",
]

BLOCK = 131_072
MOST_ROWS = 10**10
# In memory, rows times columns; a value takes about 8 bytes.
MOST_VALUES = 500_000_000
ENDINGS = (".csv", ".parquet")
UNMISTAKABLE = re.compile("not[-_ ]?private", re.IGNORECASE)


def draw_rows(synopsis: Synopsis, rows: int, *, seed: int | None = None, where: str | None = None) -> pa.Table:
    """All rows at once."""
    batches = stream(synopsis, rows, seed=seed, where=where)
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
    sets: int | None = None,
    where: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """The rows of `draw_rows` as a new .csv or .parquet file, in memory that does not grow with their number.

    With `sets`, so many sets of so many rows each.

    A CSV file of a rehearsal must say in its name that it is not private; a Parquet file says so inside.
    """
    if sets is None:
        batches = stream(synopsis, rows, seed=seed, where=where)
    else:
        batches = stream_sets(synopsis, rows, sets=sets, seed=seed, where=where)
    write_batches(synopsis, batches, path, progress=progress)


def write_batches(
    synopsis: Synopsis,
    batches: pa.RecordBatchReader,
    path: str | Path,
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Rows of a synopsis as a new file."""
    ending, done = Path(path).suffix.lower(), 0
    if ending not in ENDINGS:
        raise BadPath(f"cannot tell how to write {path}; give it a name that ends in {' or '.join(ENDINGS)}")
    if synopsis.not_private and ending == ".csv" and not UNMISTAKABLE.search(Path(path).name):
        better = Path(path).with_name(f"{Path(path).stem}-not-private.csv")
        raise BadPath(
            f"these rows are of a rehearsal, {SIMULATED}, and a CSV file has no other place to say so than its name; "
            f"write {better}, or a .parquet file"
        )
    text = CsvRows(synopsis.domain) if ending == ".csv" else None
    schema = batches.schema if text is None else text.schema(batches.schema)
    with new_file(path) as file, _writer(file, schema, ending, synopsis.domain.csv) as writer:
        for batch in batches:
            writer.write_batch(batch if text is None else text.batch(batch))
            done += batch.num_rows
            if progress:
                progress(done)


def stream(synopsis: Synopsis, rows: int, *, seed: int | None = None, where: str | None = None) -> pa.RecordBatchReader:
    """The rows in batches. Without a seed they are fresh every time; with one they can be drawn again.

    With a condition, only rows that meet it: their share of all rows says how many there would be.
    The schema says in its metadata that the rows are synthetic, where they come from and whether that was private.
    """
    _check(synopsis, rows, seed)
    values, random, kept = row_values(synopsis), np.random.default_rng(seed), _condition(synopsis, where)

    def draw(count: int) -> NDArray[np.uint16]:
        return synopsis.model.draw(count, random)

    def batch(codes: NDArray[np.uint16]) -> pa.RecordBatch:
        return pa.record_batch(values.columns(codes, random), names=values.names)

    schema = batch(np.zeros((len(synopsis.domain.closed), 0), np.uint16)).schema.with_metadata(_origin(synopsis))
    batches = (
        batch(values.meeting(draw, min(BLOCK, rows - start), kept)).replace_schema_metadata(schema.metadata)
        for start in range(0, rows, BLOCK)
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


def stream_sets(
    synopsis: Synopsis, rows: int, *, sets: int, seed: int | None = None, where: str | None = None
) -> pa.RecordBatchReader:
    """Several sets of rows, with a column `set` from 1 on: each drawn by another replicate of the model.

    What differs between sets is what other noise of the release would have changed, so that an analysis of each of
    them, combined by `ht.combine`, has standard errors that know of the noise.
    """
    _check(synopsis, rows, seed)
    most = synopsis.model.replicate_count
    if most == 0:
        raise BadQuestion(NO_REPLICATES)
    if not isinstance(sets, (int, np.integer)) or not 2 <= sets <= most:
        raise BadQuestion(f"the number of sets is from 2 to {most}, one a replicate, not {sets!r}")
    names, random = _with_own(synopsis, ("set",)), np.random.default_rng(seed)
    values, kept = row_values(synopsis), _condition(synopsis, where)

    def batch(number: int, count: int) -> pa.RecordBatch:
        codes = values.meeting(lambda n: synopsis.model.draw_replicate(number, n, random), count, kept)
        return pa.record_batch(
            [*values.columns(codes, random), pa.array(np.full(count, number + 1, dtype=np.int32))], names=names
        )

    schema = batch(0, 0).schema.with_metadata(_origin(synopsis))
    blocks = ((number, min(BLOCK, rows - start)) for number in range(sets) for start in range(0, rows, BLOCK))
    batches = (batch(*block).replace_schema_metadata(schema.metadata) for block in blocks)
    return pa.RecordBatchReader.from_batches(schema, batches)


def stream_weighted(synopsis: Synopsis, *, seed: int | None = None) -> pa.RecordBatchReader:
    """The rows that carry the model's replicates, with columns `weight`, `weight_1`, `weight_2`, ...

    The form that programs for surveys read: the variance of a statistic is the mean over replicates of its squared
    difference from that of `weight`.
    """
    _check(synopsis, 1, seed)
    random, (codes, weights) = np.random.default_rng(seed), synopsis.model.replicate_weights()
    own = ("weight", *(f"weight_{number}" for number in range(1, weights.shape[1])))
    columns = row_values(synopsis).columns(codes, random)
    batch = pa.record_batch([*columns, *(pa.array(w) for w in weights.T)], names=_with_own(synopsis, own))
    batch = batch.replace_schema_metadata(_origin(synopsis))
    return pa.RecordBatchReader.from_batches(batch.schema, iter([batch]))


def row_values(synopsis: Synopsis) -> RowValues:
    """What makes values of a synopsis' codes: inside found cells as released numbers say that they lie."""
    if (shapes := synopsis.shapes) is None:
        return RowValues(synopsis.domain)
    found = {}
    for column in shapes.columns:
        table = synopsis.model.fitted_table((synopsis.domain.position(column.name),))
        found[column.name] = shapes.decoder(column.name, table)
    return RowValues(synopsis.domain, found)


def _condition(synopsis: Synopsis, where: str | None) -> Predicate | None:
    """What drawn rows have to meet; BadQuestion where none can."""
    if where is None:
        return None
    predicate, remarks = read_condition(where, synopsis.domain)
    ruled = ruled_out(predicate, (), synopsis.domain)
    if ruled is not None or surely_empty(predicate, synopsis.domain.sizes):
        why = remarks[0] if remarks else "the domain's rules leave none" if ruled is not None else "it is never true"
        raise BadQuestion(f"no row can meet {shortened(where, 60)!r}: {why}")
    return predicate


def _with_own(synopsis: Synopsis, own: Sequence[str]) -> list[str]:
    """The names of all columns, then those of our own; BadQuestion where a column is called so already."""
    names = row_values(synopsis).names
    if taken := sorted(set(names) & set(own)):
        raise BadQuestion(f"a column of this table is called {taken[0]}, which is what one of ours would be called")
    return [*names, *own]


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


def _writer(file: IO[bytes], schema: pa.Schema, ending: str, csv: Csv) -> Any:
    if ending == ".csv":
        import pyarrow.csv

        between = csv.separator or (";" if csv.decimal == "," else ",")
        return pyarrow.csv.CSVWriter(file, schema, write_options=pyarrow.csv.WriteOptions(delimiter=between))
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")

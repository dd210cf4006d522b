"""Databases: a release of pairs from PostgreSQL against the same rows in Parquet and CSV; needs a server installed."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import hushtable as ht
from benchmarks._figure import figure
from hushtable.addresses import TableAt

FIGURES = ("postgresql-against-parquet", "postgresql-against-csv", "postgresql-own-time", "postgresql-memory")
ROWS, TIMES, LARGER = 1_000_000, 2, 3
WORDS = np.array(["north", "east", "south", "west"])
CHILD = """
import sys, tempfile
from pathlib import Path
from benchmarks._memory import peak_bytes
from benchmarks.databases import made_up, release
from hushtable.addresses import TableAt
folder = Path(tempfile.mkdtemp())
release(made_up(20_000), folder)
before = peak_bytes()
release(TableAt(sys.argv[1], sys.argv[2]), folder)
print(peak_bytes() - before)
"""
COLUMNS: dict[str, dict[str, Any]] = {
    "whole": {"kind": "integer", "between": [0, 99], "bins": 5},
    "real": {"kind": "number", "between": [0, 1], "bins": 8},
    "word": {"kind": "category", "values": WORDS.tolist()},
    "truth": {"kind": "boolean"},
}


def run() -> Iterator[dict[str, Any]]:
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    import postgres

    if why := postgres.missing():
        print(f"databases: left out, {why}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name), made_up()
        pyarrow.parquet.write_table(table, folder / "t.parquet")
        pyarrow.csv.write_csv(table, folder / "t.csv")
        postgres.server().ingest("t", table)
        ways = {
            "parquet": folder / "t.parquet",
            "csv": folder / "t.csv",
            "sql": TableAt(postgres.server().address(), "t"),
        }
        found = {way: [release(data, folder) for _ in range(TIMES)] for way, data in ways.items()}
        yield from speeds(found)
        before = postgres.server().cpu_seconds()
        release(ways["sql"], folder)
        print(
            f"databases: the server itself takes {postgres.server().cpu_seconds() - before:.2f} CPU s", file=sys.stderr
        )
        postgres.server().do(f"CREATE TABLE larger AS SELECT t.* FROM t, generate_series(1, {LARGER})")
        yield from memory(postgres.server().address())


def speeds(found: dict[str, list[tuple[float, float]]]) -> Iterator[dict[str, Any]]:
    """Rows per second by the clock, as a server works beside; and processor time of the process that releases."""
    clock, own = ({way: min(pair[i] for pair in pairs) for way, pairs in found.items()} for i in range(2))
    for way, bar in (("parquet", "ratio >= 0.3"), ("csv", "ratio >= 1.0")):
        rates, faster = (ROWS / clock["sql"], ROWS / clock[way]), clock[way] / clock["sql"]
        yield figure(f"postgresql-against-{way}", rates[0], "rows/s", baseline=rates[1], ratio=faster, bar=bar)
        less = own[way] / own["sql"]
        yield figure(f"postgresql-own-time-{way}", own["sql"], "CPU s", baseline=own[way], ratio=less, bar=bar)


def memory(address: str) -> Iterator[dict[str, Any]]:
    """What a release adds, and whether that grows with the rows by more than the codes that are held."""
    some, more = (added_memory(address, table) for table in ("t", "larger"))
    yield figure("postgresql-memory", some, "bytes", baseline=None, ratio=0, bar="value <= 150000000")
    codes = ROWS * 5 * len(COLUMNS)
    flat, grown = some - codes, more - LARGER * codes
    yield figure("postgresql-memory-growth", grown, "bytes without codes", baseline=flat, ratio=grown / flat,
                 bar="ratio <= 1.1")  # fmt: skip


def added_memory(address: str, table: str) -> int:
    """Bytes that a process of its own grows by, after one that reads few rows; the codes that are held are in it."""
    call = [sys.executable, "-c", CHILD, address, table]
    return int(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def made_up(rows: int = ROWS) -> pa.Table:
    source = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for copy in range(5):
        columns[f"whole{copy}"] = source.integers(0, 100, rows)
        columns[f"real{copy}"] = source.random(rows)
        columns[f"word{copy}"] = WORDS[source.integers(0, 4, rows)]
        columns[f"truth{copy}"] = source.random(rows) < 0.3
    return pa.table(columns)


def release(data: Any, folder: Path) -> tuple[float, float]:
    """Seconds by the clock and of this process."""
    attributes = {f"{kind}{copy}": shape for copy in range(5) for kind, shape in COLUMNS.items()}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    plan = ht.plan(domain, rows=ROWS, workload="marginals(width=2)", budget=ht.Budget(rho=1), mechanism="tables")
    start, own = perf_counter(), process_time()
    ht.Vault(data, domain, ledger=folder / "t.ledger").release(plan, randomness=ht.Simulated(1))
    return perf_counter() - start, process_time() - own

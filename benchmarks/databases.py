"""Databases: a release of pairs from PostgreSQL against the same rows in Parquet and CSV; needs a server installed."""

import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import hushtable as ht
from benchmarks._figure import figure
from hushtable.addresses import TableAt

FIGURES = ("postgresql-against-parquet", "postgresql-against-csv", "postgresql-memory")
ROWS, TIMES = 1_000_000, 3
WORDS = np.array(["north", "east", "south", "west"])
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
        seconds = {way: min(release(data, folder) for _ in range(TIMES)) for way, data in ways.items() if way != "sql"}
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds["sql"] = min(release(ways["sql"], folder) for _ in range(TIMES))
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        for way, bar in (("parquet", 0.3), ("csv", 1.0)):
            ratio = seconds[way] / seconds["sql"]
            found = ROWS / seconds["sql"], ROWS / seconds[way]
            yield figure(
                f"postgresql-against-{way}", found[0], "rows/s", baseline=found[1], ratio=ratio, bar=f"ratio >= {bar}"
            )
        yield figure("postgresql-memory", more, "bytes", baseline=None, ratio=0, bar="value <= 150000000")


def made_up() -> pa.Table:
    source = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for copy in range(5):
        columns[f"whole{copy}"] = source.integers(0, 100, ROWS)
        columns[f"real{copy}"] = source.random(ROWS)
        columns[f"word{copy}"] = WORDS[source.integers(0, 4, ROWS)]
        columns[f"truth{copy}"] = source.random(ROWS) < 0.3
    return pa.table(columns)


def release(data: Any, folder: Path) -> float:
    """Seconds by the clock, as a server works beside."""
    attributes = {f"{kind}{copy}": shape for copy in range(5) for kind, shape in COLUMNS.items()}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    plan = ht.plan(domain, rows=ROWS, workload="marginals(width=2)", budget=ht.Budget(rho=1), mechanism="tables")
    start = perf_counter()
    ht.Vault(data, domain, ledger=folder / "t.ledger").release(plan, randomness=ht.Simulated(1))
    return perf_counter() - start

"""Spark: sums of pairs on a small cluster of this machine against this machine alone; needs pyspark and Java."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet

from benchmarks._figure import figure
from benchmarks.databases import COLUMNS, made_up

FIGURES = ("spark-cpu", "spark-driver", "spark-driver-growth", "spark-later-pass", "spark-growth", "spark-whole-table")
ROWS, FEW, BLOCK = 10_000_000, 1_000_000, 1_000_000
# All processes of a run carry this name in their environment, so that their processor time can be summed.
MARK = "HUSHTABLE_BENCHMARK_SPARK"


def run() -> Iterator[dict[str, Any]]:
    if find_spec("pyspark") is None:
        print("spark: left out, pyspark is not installed (`make spark-test` makes .venv-spark)", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        paths = {rows: write(Path(name) / f"{rows}.parquet", rows) for rows in (FEW, ROWS)}
        few, many = (measured("spark", paths[rows]) for rows in (FEW, ROWS))
        here = measured("here", paths[ROWS])
        yield figure("spark-cpu", many["first"], "CPU s", baseline=here["first"],
                     ratio=many["first"] / here["first"], bar="ratio <= 5")  # fmt: skip
        yield figure("spark-driver", many["driver"], "bytes", baseline=None, ratio=0, bar="value <= 500000000")
        yield figure("spark-driver-growth", many["driver"], "bytes", baseline=few["driver"],
                     ratio=many["driver"] / few["driver"], bar="ratio <= 1.1")  # fmt: skip
        yield figure("spark-later-pass", many["later"], "CPU s", baseline=many["first"],
                     ratio=many["later"] / many["first"], bar="ratio <= 0.3")  # fmt: skip
        exponent = log(many["first"] / few["first"]) / log(ROWS / FEW)
        yield figure("spark-growth", exponent, "exponent", baseline=None, ratio=0, bar="value <= 1.05")
        errors = [measured(how, paths[FEW], "whole")["error"] for how in ("spark", "here")]
        yield figure("spark-whole-table", errors[0], "mean error of pairs", baseline=errors[1],
                     ratio=errors[0] / errors[1], bar="ratio <= 1")  # fmt: skip


def write(path: Path, rows: int) -> Path:
    """Twenty columns of numbers, words and truths."""
    writer = None
    for _ in range(0, rows, BLOCK):
        block = made_up(min(BLOCK, rows))
        writer = writer or pyarrow.parquet.ParquetWriter(path, block.schema)
        writer.write_table(block)
    assert writer is not None
    writer.close()
    return path


def measured(how: str, path: Path, what: str = "pairs") -> dict[str, float]:
    """One run in processes of its own."""
    call = [sys.executable, "-m", "benchmarks.spark", how, str(path), what]
    environment = os.environ | {MARK: str(path), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def processor_time() -> float:
    """Seconds of all processes that carry the mark: this one, Spark's own, and its Python workers."""
    mark, ticks = f"{MARK}={os.environ[MARK]}".encode(), 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes():
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))
        except OSError:
            continue  # it ended, or is another's
    return ticks / os.sysconf("SC_CLK_TCK")


def child(how: str, path: str, what: str) -> None:
    """Sums pairs twice, or releases the whole table and compares its pairs with the rows."""
    import hushtable as ht
    from benchmarks._memory import peak_bytes
    from hushtable.maths.interactions.layout import InteractionLayout
    from hushtable.vault.sources import open_source
    from hushtable.vault.statistics import Tables

    attributes = {f"{kind}{copy}": shape for copy in range(5) for kind, shape in COLUMNS.items()}
    if what == "whole":
        attributes = {name: shape for name, shape in attributes.items() if name.endswith(("0", "1"))}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    data = frame(path) if how == "spark" else path
    if what == "whole":
        print(json.dumps({"error": error_of_pairs(data, path, domain)}))
        return
    wanted = Tables(InteractionLayout(domain.sizes, 2))
    few = made_up(20_000)
    small = frame_of(few) if how == "spark" else few
    open_source(small, domain).total(wanted, domain)
    source = open_source(data, domain)
    start = processor_time()
    with source.snapshot():
        source.total(wanted, domain)
        first = processor_time()
        source.total(wanted, domain)
        later = processor_time()
    print(json.dumps({"first": first - start, "later": later - first, "driver": peak_bytes()}))


def error_of_pairs(data: Any, path: str, domain: Any) -> float:
    """The mean absolute error of all cells of pairs of a whole table, as shares of the rows; the same seed."""
    from itertools import combinations

    import hushtable as ht
    from hushtable.owner.compare import true_tables

    plan = ht.plan(domain, rows=FEW, budget=ht.Budget(rho="0.1"))
    synopsis = ht.Vault(data, domain, ledger=Path(path).with_suffix(".ledger")).release(
        plan, randomness=ht.Simulated(1)
    )
    pairs: list[tuple[int, ...]] = list(combinations(range(len(domain.names)), 2))
    apart = []
    for pair, true in zip(pairs, true_tables(path, domain, pairs), strict=True):
        fitted = synopsis.model.fitted_table(pair)
        assert fitted is not None
        apart.append(np.abs(fitted - true).ravel())
    return float(np.concatenate(apart).mean())


def session() -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "3g")
    return builder.getOrCreate()


def frame(path: str) -> Any:
    return session().read.parquet(path)


def frame_of(table: Any) -> Any:
    with tempfile.TemporaryDirectory() as name:
        pyarrow.parquet.write_table(table, f"{name}/few.parquet")
        return session().read.parquet(f"{name}/few.parquet").localCheckpoint()


if __name__ == "__main__":
    child(*sys.argv[1:])

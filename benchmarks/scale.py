"""Scale: 10^7 rows of 30 attributes from Parquet at order 2: rows per second, peak memory, growth with n."""

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._figure import figure
from benchmarks._memory import peak_bytes

FIGURES = ("scale-rows-per-second", "scale-peak-memory", "scale-growth")
ATTRIBUTES, VALUES, LARGE = 30, 4, 10_000_000
CHUNK = 500_000


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times = {}
        for rows in (LARGE // 10, LARGE):
            write(folder / f"{rows}.parquet", rows)
            # Best of two: the exponent is a ratio of times, and noise on a shared machine only ever adds.
            runs = [measured(folder / f"{rows}.parquet") for _ in range(2)]
            times[rows], peak = min(run["seconds"] for run in runs), max(run["peak"] for run in runs)
        seconds = times[LARGE]
        yield figure(
            "scale-rows-per-second", LARGE / seconds, "rows/s", baseline=None, ratio=seconds, bar="ratio <= 120"
        )
        yield figure("scale-peak-memory", peak / 2**30, "GiB", baseline=2, ratio=peak / 2**31, bar="value <= 2")
        growth = math.log10(times[LARGE] / times[LARGE // 10])
        yield figure("scale-growth", growth, "exponent", baseline=1, ratio=growth, bar="value <= 1.05")


def write(path: Path, rows: int) -> None:
    """Integers 0..3 in 30 columns, written in pieces so that this process stays small."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    g, names = np.random.default_rng(1), [f"x{i}" for i in range(ATTRIBUTES)]
    with pq.ParquetWriter(path, pa.schema([(n, pa.int64()) for n in names])) as writer:
        for start in range(0, rows, CHUNK):
            size = min(CHUNK, rows - start)
            writer.write_table(pa.table({n: g.integers(0, VALUES, size) for n in names}))


def measured(path: Path) -> dict[str, float]:
    """Seconds and peak resident memory of one release in a process of its own."""
    out = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", str(path)], check=True, capture_output=True, text=True
    )
    return dict(json.loads(out.stdout))


def release(path: Path) -> None:
    """One release, timed from opening the file to having the synopsis; prints what was seen."""
    import time

    import hushtable as ht

    attributes = {
        f"x{i}": {"kind": "integer", "between": [0, VALUES - 1], "missing": "error"} for i in range(ATTRIBUTES)
    }
    shape = ht.Domain.from_dict({"table": "big", "attributes": attributes})
    plan = ht.plan(shape, workload="marginals(width=2)", budget=ht.Budget(epsilon=1, delta="1e-9"))
    tiny = {name: [0] * 8 for name in attributes}
    import pyarrow as pa

    ht.Vault(pa.table(tiny), shape).release(plan, randomness=ht.Simulated(1))  # loads the compiled kernels
    start = time.perf_counter()
    ht.Vault(path, shape, ledger=path.with_suffix(".ledger")).release(plan, randomness=ht.Simulated(1))
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak": peak_bytes()}))


if __name__ == "__main__":
    release(Path(sys.argv[1]))

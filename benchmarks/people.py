"""People: what enforcing the rows of a person costs in time and memory, against the same release without it."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from benchmarks._figure import figure

FIGURES = ("people-time", "people-memory")
ROWS, PEOPLE, COLUMNS, TIMES = 10_000_000, 2_000_000, 20, 3
SIZES = (2, 5, 10, 100)
# In a process of its own, so that memory is that of one release; kernels are compiled on few rows before.
CHILD = """
import json, sys, time
import pyarrow.parquet, hushtable as ht
from benchmarks._memory import peak_bytes
from hushtable.owner.prepare import prepare
path, person, rows = sys.argv[1], sys.argv[2] == "person", int(sys.argv[3])
sizes = json.loads(sys.argv[4])
columns = {f"c{j}": {"kind": "integer", "between": [0, s - 1], "bins": min(8, s)} for j, s in enumerate(sizes)}
columns["word"] = {"kind": "category", "values": ["north", "east", "south", "west"]}
unit = {"person": "who", "rows": 3} if person else {"rows": 3}
domain = ht.Domain.from_dict({"table": "t", "unit": unit, "attributes": columns})
plan = ht.plan(domain, rows=rows, workload="marginals(width=2)", budget=ht.Budget(rho=1), mechanism="tables")
prepare(plan)
few = pyarrow.parquet.ParquetFile(path).read_row_group(0).slice(0, 20_000)
ht.Vault(few, domain).release(plan, randomness=ht.Simulated(1))
start = time.process_time()
ht.Vault(path, domain).release(plan, randomness=ht.Simulated(1))
print(json.dumps([time.process_time() - start, peak_bytes()]))
"""


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "people.parquet"
        sizes = [SIZES[j % len(SIZES)] for j in range(COLUMNS - 1)]
        write(path, sizes)
        found = {how: [released(path, how, sizes) for _ in range(TIMES)] for how in ("plain", "person")}
        plain, person = (min(seconds for seconds, _ in found[how]) for how in ("plain", "person"))
        ratio = person / plain
        yield figure("people-time", person, "CPU s", baseline=plain, ratio=ratio, bar="ratio <= 1.6")
        yield figure(
            "people-memory",
            max(peak for _, peak in found["person"]),
            "bytes",
            baseline=None,
            ratio=0,
            bar=f"value <= {2**31}",
        )


def write(path: Path, sizes: list[int]) -> None:
    """Blocks of rows of many people, in no order."""
    source, writer = np.random.default_rng(1), None
    words = np.array(["north", "east", "south", "west"])
    for _ in range(0, ROWS, 1_000_000):
        columns = {"who": source.integers(0, PEOPLE, 1_000_000)}
        columns |= {f"c{j}": source.integers(0, size, 1_000_000) for j, size in enumerate(sizes)}
        block = pa.table(columns | {"word": words[source.integers(0, 4, 1_000_000)]})
        writer = writer or pyarrow.parquet.ParquetWriter(path, block.schema)
        writer.write_table(block)
    assert writer is not None
    writer.close()


def released(path: Path, how: str, sizes: list[int]) -> tuple[float, int]:
    """CPU seconds of a release, and the most memory its process ever had."""
    call = [sys.executable, "-c", CHILD, str(path), how, str(ROWS), json.dumps(sizes)]
    seconds, peak = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return float(seconds), int(peak)

"""Reading CSV: text into Arrow columns, and into codes, against DuckDB's reader on the same file in the same run."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.demo.run import prepare
from hushtable.vault.coding import _distinct_codes, encode, encode_batch
from hushtable.vault.sources import open_source

FIGURES = ("csv-read", "csv-read-and-code", "csv-numbers")
ROWS, COPIES, VALUES = 50_000, 20, 1_000_000


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, rows=ROWS, seed=1)
        header, _, rows = (folder / "clinic.csv").read_text().partition("\n")
        (folder / "long.csv").write_text(header + "\n" + rows * COPIES)
        domain = ht.Domain.load(folder / "clinic.yaml")
        source = open_source(folder / "long.csv", domain)
        ours, theirs = (lambda: source.batches(domain.names)), (lambda: by_duckdb(folder / "long.csv", domain.names))
        for figure_name, work in zip(FIGURES[:2], (read, lambda batches: coded(batches, domain)), strict=True):
            seconds, baseline = least(lambda: work(ours())), least(lambda: work(theirs()))  # noqa: B023
            yield figure(figure_name, seconds, "CPU s", baseline=baseline, ratio=seconds / baseline, bar="ratio <= 1")
    yield numbers()


def numbers() -> dict[str, Any]:
    """Texts of numbers into codes, against coding each distinct one by the attribute, as for any other text."""
    source = np.random.default_rng(1)
    column = pa.array([f"{number:.2f}" for number in source.random(VALUES) * 1e5], pa.large_string())
    wanted = {"kind": "number", "between": [0, 100_000], "bins": 8}
    (attribute,) = ht.Domain.from_dict({"table": "t", "attributes": {"x": wanted}}).attributes
    seconds = [cpu(lambda: encode(attribute, column)) for _ in range(4)]
    baseline = cpu(lambda: _distinct_codes(attribute, column))
    ratio = min(seconds[1:]) / baseline
    return figure("csv-numbers", min(seconds[1:]), "CPU s", baseline=baseline, ratio=ratio, bar="ratio <= 0.33")


def cpu(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def by_duckdb(path: Path, names: tuple[str, ...]) -> Iterator[Any]:
    """All columns as text, as this project read them before it had a reader of its own."""
    with duckdb.connect() as connection:
        chosen = ", ".join(f'"{name}"' for name in names)
        relation = connection.sql(
            f"SELECT {chosen} FROM read_csv(?, all_varchar = true, header = true)", params=[str(path)]
        )
        yield from (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(131_072)


def read(batches: Iterator[Any]) -> int:
    return sum(batch.num_rows for batch in batches)


def coded(batches: Iterator[Any], domain: ht.Domain) -> int:
    return sum(encode_batch(batch, domain).shape[1] for batch in batches)


def least(work: Callable[[], int], times: int = 3) -> float:
    """CPU seconds of all threads, of the best run after one to compile."""
    seconds = []
    for _ in range(times + 1):
        start = process_time()
        if work() != ROWS * COPIES:
            raise RuntimeError("rows were lost")
        seconds.append(process_time() - start)
    return min(seconds[1:])

"""Reading CSV: text into Arrow columns, and into codes, against DuckDB's reader on the same file in the same run."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import duckdb

import hushtable as ht
from benchmarks._figure import figure
from hushtable.demo.run import prepare
from hushtable.vault.coding import encode_batch
from hushtable.vault.sources import open_source

FIGURES = ("csv-read", "csv-read-and-code")
ROWS, COPIES = 50_000, 20


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, rows=ROWS, seed=1)
        header, _, rows = (folder / "clinic.csv").read_text().partition("\n")
        (folder / "long.csv").write_text(header + "\n" + rows * COPIES)
        domain = ht.Domain.load(folder / "clinic.yaml")
        source = open_source(folder / "long.csv", domain)
        ours, theirs = (lambda: source.batches(domain.names)), (lambda: by_duckdb(folder / "long.csv", domain.names))
        for figure_name, work in zip(FIGURES, (read, lambda batches: coded(batches, domain)), strict=True):
            seconds, baseline = least(lambda: work(ours())), least(lambda: work(theirs()))  # noqa: B023
            yield figure(figure_name, seconds, "CPU s", baseline=baseline, ratio=seconds / baseline, bar="ratio <= 1")


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

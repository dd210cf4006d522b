"""Smooth questions on real tables with public bounds: error and coverage, against the source and histograms."""

import json
from collections.abc import Iterator
from typing import Any

import pandas

from benchmarks._smooth import DATA, REAL
from benchmarks._smooth_errors import errors, names_of

TABLES = {f"smooth-{file.split('.')[0]}": file for file in REAL}
FIGURES = tuple(figure for name in TABLES for figure in names_of(name))


def run() -> Iterator[dict[str, Any]]:
    for name, file in TABLES.items():
        if not (DATA / file).exists():
            print(json.dumps({"name": name, "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        frame = pandas.read_csv(DATA / file)
        columns = {column: frame[column].to_numpy(dtype=float) for column in REAL[file]}
        yield from errors(name, columns, REAL[file], 200, {"pure": None, "zcdp": None})

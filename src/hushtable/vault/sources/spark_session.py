"""Spark's sessions, types and errors: what of Spark itself a source needs to know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from ...addresses import SparkPath, scheme_of
from ...errors import BadData, BadPath, HushError
from ...extras import need
from .spark_task import SCHEMA, Job, run

__all__ = ["opened", "step", "unreadable", "words_of"]

LACKING = re.compile(r"No module named '([A-Za-z_0-9.]+)'|(PyArrow) .*must be installed")
READABLE = {
    "binary", "boolean", "byte", "char", "date", "decimal", "double", "float", "integer", "long", "short", "string",
    "timestamp", "timestamp_ntz", "varchar", "void",
}  # fmt: skip
FORMS = {".parquet": "parquet", ".orc": "orc", "": "parquet"}


def opened(data: SparkPath) -> Any:
    """The files at a path as a DataFrame, in the session that the environment configures."""
    for module in ("pyspark", "pandas"):
        need(module)
    form = FORMS.get(PurePosixPath(data.path.rstrip("/")).suffix.lower())
    if form is None:
        raise BadPath(
            f"with --engine spark a path is a .parquet or .orc file or folder, not {data.path}; text is read "
            "without it, or write it as Parquet first"
        )
    try:
        from pyspark.sql import SparkSession

        frame = SparkSession.builder.getOrCreate().read.format(form).load(data.path)
        frame.columns  # noqa: B018  # Spark Connect looks at a path no earlier
        return frame
    except Exception as error:
        raise _not_opened(error, data.path) from None


def _not_opened(error: Exception, path: str) -> HushError:
    words = str(error)
    if "PATH_NOT_FOUND" in words:
        return BadPath(f"Spark finds nothing at {path}; give a path that all workers see")
    if "UNABLE_TO_INFER_SCHEMA" in words or "CANNOT_READ_FILE" in words or "FAILED_READ_FILE" in words:
        return BadPath(f"Spark cannot read {path} as Parquet or ORC; give such a file or folder")
    if scheme_of(path):
        return BadPath(f"Spark cannot open {path}; its session needs the file system of that scheme")
    return BadData("no Spark session can be started; see what Spark itself says, and that Java 17 or later is there")


def unreadable(kind: Any) -> bool:
    """Whether Spark has no way to hand values of this type to Python that says the same as their text."""
    name = kind.typeName()
    if name == "struct":
        return any(unreadable(field.dataType) for field in kind)
    if name == "array":
        return unreadable(kind.elementType)
    return name not in READABLE


def words_of(error: Exception, label: str) -> HushError:
    """One line about what Spark raised; its own words may quote a value and are not repeated."""
    words = str(error)
    if lacking := LACKING.search(words):
        module = (lacking[1] or lacking[2]).split(".")[0].lower()
        return BadData(
            f"Spark's workers lack the module {module}: they need hushtable, pyarrow, numpy, numba, pandas and scipy; "
            "docs/spark.md says how these reach them"
        )
    if "Can't get attribute" in words:
        return BadData("Spark's workers have another version of hushtable than the driver; give both the same package")
    if "UNSUPPORTED_DATA_TYPE" in words or "UNSUPPORTED_ARROWTYPE" in words:
        return BadData(f"{label} has a column that Spark cannot hand to Python; cast it to text, or leave it out")
    return BadData(
        f"Spark could not read {label}, or lost its workers; its own log says why. What was charged stays spent: "
        "release again, or resume with the table (data=...)"
    )


def step(frame: Any, name: str, job: Job) -> Any:
    """A step of `spark_task` over a frame."""

    def task(batches: Any) -> Iterator[Any]:
        return run(name, job, batches)

    return frame.mapInArrow(task, SCHEMA)

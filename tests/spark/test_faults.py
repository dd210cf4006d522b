"""Workers that fail, die, are slow or lack something: nothing is counted twice, and one line says what was wrong."""

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import sparked
from spark_totals import DyingKeys, Troubled

import hushtable as ht
from hushtable.errors import BadData
from hushtable.vault.sources import open_source
from hushtable.vault.statistics import Histogram

pytestmark = pytest.mark.skipif(sparked.CONNECT, reason="a cluster of processes is classic")
ROWS = 4000
DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "integer", "between": [0, 9], "bins": 5}}})
WANTED = Histogram(DOMAIN.sizes)
PLANTED = "planted-value-7f3a"


@pytest.fixture(scope="module")
def cluster():
    """Two executors in processes of their own."""
    from pyspark.sql import SparkSession

    if active := SparkSession.getActiveSession():
        active.stop()
    made = sparked.session(
        "local-cluster[2,1,1024]",
        **{
            "spark.executorEnv.PYTHONPATH": f"{sparked.SUPPORT}:{Path(ht.__file__).parents[1]}",
            "spark.task.maxFailures": "4",
        },
    )
    yield made
    made.stop()


def frame_of(spark, folder, parts=4):
    values = np.random.default_rng(1).integers(0, 10, ROWS)
    pyarrow.parquet.write_table(pa.table({"x": values}), folder / "t.parquet")
    expected = open_source(folder / "t.parquet", DOMAIN).total(WANTED, DOMAIN)
    return spark.read.parquet(str(folder / "t.parquet")).repartition(parts), expected


@pytest.mark.parametrize("trouble", ["dies", "is slow", "loses its executor"])
def test_a_task_that_is_run_again_is_counted_once(cluster, trouble, tmp_path):
    frame, expected = frame_of(cluster, tmp_path)
    source = open_source(frame, DOMAIN)
    with source.snapshot():
        np.testing.assert_array_equal(source.total(WANTED, DOMAIN), expected)
        troubled = source.total(Troubled(WANTED, trouble, tmp_path), DOMAIN)  # held codes are lost with an executor
        np.testing.assert_array_equal(troubled, expected)
        np.testing.assert_array_equal(source.total(WANTED, DOMAIN), expected)
    assert (tmp_path / "was here").exists()


def test_a_task_that_dies_after_it_gave_something_is_counted_once(cluster, tmp_path):
    frame, _ = frame_of(cluster, tmp_path)
    found = open_source(frame, DOMAIN).total(DyingKeys(tmp_path), DOMAIN).found
    assert (tmp_path / "was here").exists()
    assert len(found) == 100_000
    assert set(found.values()) == {ROWS}


def test_a_table_whose_reader_dies_after_it_gave_its_rows_is_counted_once(cluster, tmp_path):
    frame, expected = frame_of(cluster, tmp_path)
    here = str(tmp_path)

    def gives_and_dies(batches):
        import os
        import time
        from pathlib import Path

        from spark_totals import first_time

        yield from batches
        if first_time(Path(here)):
            time.sleep(1)
            os._exit(1)

    source = open_source(frame.mapInArrow(gives_and_dies, frame.schema), DOMAIN)
    np.testing.assert_array_equal(source.total(WANTED, DOMAIN), expected)
    assert (tmp_path / "was here").exists()


def test_what_a_worker_raises_is_not_repeated(cluster, tmp_path, capfd):
    frame, _ = frame_of(cluster, tmp_path)
    with pytest.raises(BadData, match=r"a task failed on Spark's workers \(RuntimeError\); nothing of it") as caught:
        open_source(frame, DOMAIN).total(Troubled(WANTED, "raises", tmp_path), DOMAIN)
    assert PLANTED not in str(caught.value) + "".join(capfd.readouterr())


def test_rows_that_change_between_passes_are_an_error(cluster, tmp_path):
    frame, _ = frame_of(cluster, tmp_path)
    source = open_source(frame, DOMAIN)
    with source.snapshot():
        source.total(WANTED, DOMAIN)
        source._rows += 1
        with pytest.raises(BadData, match="the rows changed while they were read"):
            source.total(WANTED, DOMAIN)


def test_another_version_or_domain_on_a_worker_is_refused():
    source = open_source(_Frame(), DOMAIN)
    for note, words in [
        (f"0.0.9 {DOMAIN.digest}", r"workers have hushtable 0\.0\.9 and the driver"),
        (f"{ht.__version__} 123", "read the domain otherwise"),
        ("refused: column x has missing values", "^column x has missing values$"),
    ]:
        with pytest.raises(BadData, match=words):
            source._check_note(note, DOMAIN)


class DataFrame:
    """Called like Spark's own."""


DataFrame.__module__ = "pyspark.sql.dataframe"
_Frame = DataFrame


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An executor that does not find the package: a module of its name that is found first is none."""
    from pyspark.sql import SparkSession

    if active := SparkSession.getActiveSession():
        active.stop()
    hidden = tmp_path_factory.mktemp("hidden")
    (hidden / "hushtable.py").write_text("raise ModuleNotFoundError(\"No module named 'hushtable'\")\n")
    made = sparked.session("local-cluster[1,1,1024]", **{"spark.executorEnv.PYTHONPATH": str(hidden)})
    yield made
    made.stop()


def test_executors_without_the_package_are_named(bare, tmp_path):
    frame, _ = frame_of(bare, tmp_path, parts=1)
    with pytest.raises(BadData, match="Spark's workers lack the module hushtable: they need hushtable, pyarrow"):
        open_source(frame, DOMAIN).total(WANTED, DOMAIN)


def test_a_zip_that_is_added_brings_it(bare, tmp_path):
    package = Path(ht.__file__).parent
    with zipfile.ZipFile(tmp_path / "hushtable.zip", "w") as archive:
        for path in package.rglob("*.py"):
            archive.write(path, path.relative_to(package.parent))
    bare.addArtifacts(str(tmp_path / "hushtable.zip"), pyfile=True)
    frame, expected = frame_of(bare, tmp_path, parts=1)
    np.testing.assert_array_equal(open_source(frame, DOMAIN).total(WANTED, DOMAIN), expected)

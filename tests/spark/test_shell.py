"""Spark from the command line, columns that it cannot hand over, and what is wrong with a path or a table."""

import pyarrow as pa
import pyarrow.parquet
import pytest
import sparked
from typer.testing import CliRunner

import hushtable as ht
from hushtable.addresses import SparkPath
from hushtable.cli import app
from hushtable.errors import BadData, BadPath
from hushtable.vault.sources import open_source
from hushtable.vault.sources.spark_session import words_of

DOMAIN = {"table": "t", "attributes": {"x": {"kind": "integer", "between": [0, 9], "bins": 5}}}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.yaml").write_text("table: t\nattributes:\n  x: {kind: integer, between: [0, 9], bins: 5}\n")
    folder = tmp_path / "t.parquet"
    folder.mkdir()
    for part in range(2):
        pyarrow.parquet.write_table(pa.table({"x": list(range(10)) * 50}), folder / f"part-{part}.parquet")
    return tmp_path


@pytest.mark.skipif(sparked.CONNECT, reason="one way is enough")
def test_a_folder_of_parquet_is_released_checked_and_curated(spark, files):
    common = ["--domain", str(files / "t.yaml"), "--engine", "spark"]
    path = str(files / "t.parquet")
    out = CliRunner().invoke(app, ["release", path, *common, "--epsilon", "1", "-o", str(files / "t.hush")])
    assert out.exit_code == 0, out.output
    assert ht.load(files / "t.hush").ask("x < 2", count=True).value == pytest.approx(200, abs=60)
    assert (files / "t.ledger").exists()
    out = CliRunner().invoke(app, ["domain", "check", str(files / "t.yaml"), "--data", path, "--engine", "spark"])
    assert out.exit_code == 0, out.output
    asked = ["curate", path, "x < 2", *common, "--epsilon", "1", "--questions", "2", "--simulate", "3"]
    out = CliRunner().invoke(app, asked)
    assert out.exit_code == 0, out.output


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("t.csv", r"with --engine spark a path is a \.parquet or \.orc file or folder, not t\.csv"),
        ("nowhere.parquet", "Spark finds nothing at nowhere.parquet; give a path that all workers see"),
        ("empty", "Spark cannot read .*empty as Parquet or ORC"),
        ("s3a://nobody/t.parquet", "Spark cannot open s3a://nobody/t.parquet; its session needs the file system"),
    ],
)
def test_a_path_that_spark_cannot_read_is_named(spark, path, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    given = str(tmp_path / path) if path == "empty" else path
    with pytest.raises(BadPath, match=words):
        open_source(SparkPath(given), ht.Domain.from_dict(DOMAIN))


def test_a_password_in_a_path_is_refused_without_being_shown():
    with pytest.raises(BadPath, match="the address holds a password") as caught:
        SparkPath("s3a://me:hush-hush@bucket/t.parquet")
    assert "hush-hush" not in str(caught.value)


def test_columns_that_have_no_arrow_type_are_named_and_others_are_left_alone(spark):
    frame = spark.sql("SELECT 1 AS x, INTERVAL '1' YEAR AS y, 2 AS `a.b`")
    shape = DOMAIN | {"attributes": DOMAIN["attributes"] | {"y": {"kind": "open"}}}
    with pytest.raises(BadData, match="column y of the Spark table has a type that Spark cannot hand to Python"):
        ht.Vault(frame, ht.Domain.from_dict(shape))
    ht.Vault(frame, ht.Domain.from_dict(DOMAIN))
    dotted = ht.Domain.from_dict({"table": "t", "attributes": {"a.b": {"kind": "open"}}})
    assert open_source(frame, dotted).count() == 1
    assert [batch.to_pydict() for batch in open_source(frame, dotted).batches(("a.b",))] == [{"a.b": [2]}]


def test_a_column_that_is_missing_or_there_twice(spark):
    domain = ht.Domain.from_dict(DOMAIN)
    with pytest.raises(BadData, match="the domain has x but the data have no such column; they have y"):
        ht.Vault(spark.sql("SELECT 1 AS y"), domain)
    with pytest.raises(BadData, match="two columns named x"):
        ht.Vault(spark.sql("SELECT 1 AS x, 2 AS x"), domain)


def test_what_spark_says_is_not_repeated(spark):
    planted = "planted-value-7f3a"
    frame = spark.sql(f"SELECT CAST('{planted}' AS INT) AS x")
    with pytest.raises(BadData, match="Spark could not read the Spark table") as caught:
        list(open_source(frame, ht.Domain.from_dict(DOMAIN)).batches(("x",)))
    assert planted not in str(caught.value)


def test_workers_without_arrow_are_told_apart():
    for said in ("ModuleNotFoundError: No module named 'pyarrow'", "PyArrow >= 18.0.0 must be installed; however"):
        assert "workers lack the module pyarrow" in str(words_of(RuntimeError(said), "t"))
    assert "another version of hushtable" in str(words_of(RuntimeError("Can't get attribute 'Job' on"), "t"))

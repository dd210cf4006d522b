"""A file that is written while a release reads it: noticed by its size and time, before anything of it is shown."""

import gzip
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from openpyxl import Workbook

import hushtable as ht
from hushtable.errors import BadData
from hushtable.vault.bounded_source import bounded
from hushtable.vault.sources import Source, open_source
from hushtable.vault.statistics import Histogram

DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"smoker": {"kind": "boolean"}}})


@pytest.mark.parametrize("change", ["longer", "the same length", "another file", "gone"])
def test_a_file_that_changes_between_passes_is_refused(change, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("smoker\n" + "yes\nno\n" * 50)
    source, statistic = open_source(path, DOMAIN), Histogram(DOMAIN.sizes)
    with source.snapshot():
        assert source.total(statistic, DOMAIN).sum() == 100
        if change == "gone":
            real = source.batches

            def batches(names):
                yield from real(names)
                path.unlink()

            source.batches = batches  # type: ignore[method-assign]
        elif change == "another file":
            (tmp_path / "other").write_text(path.read_text())
            (tmp_path / "other").rename(path)
        else:
            path.write_text("smoker\n" + ("no\nyes\n" * 50 if change == "the same length" else "yes\n" * 200))
        with pytest.raises(BadData, match="changed while it was read; what was charged stays spent"):
            source.total(statistic, DOMAIN)
    if change != "gone":
        assert source.total(statistic, DOMAIN).sum() >= 100  # a new release reads what is there then


def written(path, values):
    """A table of one person a row; the file is as long whatever the values are."""
    columns = {"who": [str(10 + i % 40) for i in range(len(values))], "smoker": values}
    table = pa.table(columns)
    rows = table.to_pylist()
    if path.name.endswith(".csv"):
        path.write_text("".join(",".join(row) + "\n" for row in [columns, *(row.values() for row in rows)]))
    elif path.name.endswith(".csv.gz"):
        text = "".join(",".join(row) + "\n" for row in [columns, *(row.values() for row in rows)])
        path.write_bytes(gzip.compress(text.encode(), 0))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, compression="none")
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path, compression="uncompressed")
    else:
        book = Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in (columns, *(row.values() for row in rows)):
            sheet.append(list(row))
        book.save(path)


PEOPLE = ht.Domain.from_dict(DOMAIN.to_dict() | {"unit": {"person": "who", "rows": 1}})
FILES = ("t.csv", "t.csv.gz", "t.jsonl", "t.json", "t.parquet", "t.feather", "t.xlsx")


@pytest.mark.parametrize("domain", [DOMAIN, PEOPLE], ids=["rows", "people"])
@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_watched_with_people_and_without(name, domain, tmp_path):
    """Also where the people are the same, in the same order, and only what their rows say has changed."""
    path, statistic = tmp_path / name, Histogram(DOMAIN.sizes)
    written(path, ["yes", "noo"] * 40)
    source = open_source(path, domain)
    with source.snapshot():
        counted = bounded(source, domain, "secret")
        assert counted.total(statistic, domain).sum() == (80 if domain is DOMAIN else 40)
        written(path, ["noo", "yes"] * 40)
        with pytest.raises(BadData, match="changed while it was read; what was charged stays spent") as caught:
            Source.total(counted, statistic, domain) if domain is PEOPLE else counted.total(statistic, domain)
        assert len(str(caught.value).splitlines()) == 1


def test_a_file_that_changes_while_people_are_told_apart_is_noticed(tmp_path):
    path = tmp_path / "t.csv"
    written(path, ["yes", "noo"] * 40)
    source = open_source(path, PEOPLE)
    with source.snapshot():
        counted = bounded(source, PEOPLE, "secret")
        written(path, ["noo", "yes"] * 40)
        with pytest.raises(BadData, match="changed while it was read"):
            counted.total(Histogram(DOMAIN.sizes), PEOPLE)

"""Held codes: rows are coded once for each domain that they are asked for with, and totals are the same."""

from __future__ import annotations

import sqlite3

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.addresses import TableAt
from hushtable.vault import coding
from hushtable.vault.sources import open_source
from hushtable.vault.statistics.base import read_as
from hushtable.vault.statistics.histogram import Histogram

ROWS = 1_000
AGES = {"kind": "integer", "between": [0, 99], "missing": "error"}


def domain(bins: int) -> ht.Domain:
    return ht.Domain.from_dict({
        "table": "t",
        "neighbours": "add-remove",
        "attributes": {"age": AGES | {"bins": bins}, "sex": {"kind": "category", "values": ["f", "m"]}},
    })  # fmt: skip


@pytest.fixture(params=["frame", "database"])
def source(request, tmp_path):
    ages = np.arange(ROWS) % 100
    rows = pa.table({"age": ages, "sex": ["f" if age % 3 else "m" for age in ages]})
    if request.param == "frame":
        return open_source(rows, domain(10))

    with sqlite3.connect(tmp_path / "t.db") as database:
        database.execute("CREATE TABLE t (age INTEGER, sex TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?)", zip(*rows.to_pydict().values(), strict=True))

    return open_source(TableAt(f"sqlite:///{tmp_path}/t.db", "t"), domain(10))


@pytest.fixture
def coded(monkeypatch):
    """How often batches were coded."""
    seen, code = [], coding.encode_batch
    monkeypatch.setattr(coding, "encode_batch", lambda batch, own: seen.append(own) or code(batch, own))
    return seen


def test_each_domain_codes_rows_once(source, coded):
    coarse, fine = domain(10), domain(50)
    whole = Histogram(coarse.sizes), Histogram(fine.sizes)
    alone = [source.total(whole[0], coarse), read_as(lambda w: source.total(w, coarse), fine)(whole[1])]
    del coded[:]
    with source.snapshot():

        def total(wanted):
            return source.total(wanted, coarse)

        for _ in range(3):
            assert (total(whole[0]) == alone[0]).all()
        for _ in range(3):
            assert (read_as(total, fine)(whole[1]) == alone[1]).all()
    assert coded == [coarse, fine]


def test_after_the_snapshot_rows_are_read_again(source, coded):
    one = domain(10)
    wanted = Histogram(one.sizes)
    with source.snapshot():
        source.total(wanted, one)
    source.total(wanted, one)
    assert len(coded) == 2


def test_codes_that_take_too_much_memory_are_not_held(source, coded, monkeypatch):
    monkeypatch.setattr("hushtable.vault.coded_blocks.MOST_BYTES", ROWS)
    one = domain(10)
    wanted = Histogram(one.sizes)
    with source.snapshot():
        first = source.total(wanted, one)
        assert (source.total(wanted, one) == first).all()
    assert len(coded) == 2

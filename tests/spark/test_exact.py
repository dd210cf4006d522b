"""Spark gives the integers that this machine gives: every statistic, however the rows lie, classic and Connect."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from spark_totals import Several, SeveralOfCodes
from sparked import CONNECT

import hushtable as ht
from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.shapes import shape
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.owner.people import people_fit
from hushtable.vault.bounded_source import BoundedSource, bounded
from hushtable.vault.coded_blocks import CodedBlocks
from hushtable.vault.held_rows import HeldRows
from hushtable.vault.sources import open_source
from hushtable.vault.statistics import Histogram

ROWS = 5000


def by_shape() -> dict:
    """All statistics of the catalogue, by the domain that they are built on."""
    found: dict = {}
    for specimen in STATISTICS.values():
        domain = shape(specimen.attributes, "replace")
        _, statistics = found.setdefault(domain.digest, (domain, []))
        statistics += [statistic.whole for statistic in specimen.build(domain)]
    return found


def table_of(domain, count=ROWS) -> pa.Table:
    known = possible_rows(domain, most=150, seed=3)
    rows = [known[i] for i in np.random.default_rng(2).integers(0, len(known), count)]
    return pa.Table.from_batches([MadeUpTable(domain, rows).batch(domain.names)])


def in_parts(spark, table, folder, parts):
    """A frame of so many partitions, one of them empty."""
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    frame = spark.read.parquet(str(folder / "t.parquet"))
    return frame.repartition(parts).union(frame.limit(0))


@pytest.mark.parametrize("digest", by_shape())
def test_every_statistic_of_the_catalogue_has_the_same_sums(spark, digest, tmp_path):
    domain, statistics = by_shape()[digest]
    table = table_of(domain)
    here = open_source(table, domain)
    coded = [s for s in statistics if CodedBlocks.serves(s, domain)]
    wanted = [Several(statistics), *([SeveralOfCodes(coded)] if coded else [])]
    expected = [here.total(several, domain) for several in wanted]
    there = open_source(in_parts(spark, table, tmp_path, 3), domain)
    with there.snapshot():  # rows are held as codes, or as they are
        for several, sums in zip(wanted, expected, strict=True):
            np.testing.assert_array_equal(there.total(several, domain), sums)
    if not CONNECT:  # outside of a snapshot rows are read from the table
        alone = open_source(in_parts(spark, table, tmp_path, 1), domain)
        np.testing.assert_array_equal(alone.total(wanted[-1], domain), expected[-1])


def test_every_statistic_of_the_catalogue_is_here():
    assert sum(len(statistics) for _, statistics in by_shape().values()) >= len(STATISTICS) > 20


CLINIC = ht.Domain.from_dict({
    "table": "clinic",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
        "pay": {"kind": "number", "between": [0, 100], "bins": 4},
        "smoker": {"kind": "boolean"},
        "sex": {"kind": "category", "values": ["f", "m"], "other": True},
        "seen": {"kind": "date", "between": ["2020-01-01", "2020-12-31"], "bins": "month"},
        "url": {"kind": "open"},
    },
})  # fmt: skip
PLAIN = ht.Domain.from_dict(CLINIC.to_dict() | {"attributes": dict(list(CLINIC.to_dict()["attributes"].items())[:5])})


def clinic(count=3000) -> pa.Table:
    luck = np.random.default_rng(1)

    def gaps(values):
        return pa.array(values, mask=luck.random(count) < 0.1)

    seen = luck.integers(1577836800, 1609459200, count) * 1_000_000
    return pa.table({
        "age": gaps(luck.integers(0, 120, count)),
        "pay": gaps(luck.random(count) * 110),
        "smoker": gaps(luck.random(count) < 0.3),
        "sex": gaps(luck.choice(["f", "m", "other"], count)),
        "seen": pa.array(seen, pa.timestamp("us", tz="Asia/Tokyo"), mask=luck.random(count) < 0.1),
        "url": gaps(luck.choice([f"http://{i}" for i in range(40)], count)),
        "who": gaps([f"p{i}" for i in luck.integers(0, 700, count)]),
    })  # fmt: skip


WORKLOADS = {
    "marginals(width=2)": PLAIN,
    "whole_table()": PLAIN,
    "smooth(columns=[pay], length_scale=0.2)": PLAIN,
    "sparse(size=5)": ht.Domain.from_dict(
        CLINIC.to_dict() | {"attributes": {"url": CLINIC.to_dict()["attributes"]["url"]}}
    ),
}


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_release_is_byte_for_byte_that_of_the_parquet_file(spark, workload, person, tmp_path):
    if CONNECT and workload == "whole_table()":
        pytest.skip("classic only: five passes, of which each was seen alone")
    shape = WORKLOADS[workload]
    domain = ht.Domain.from_dict(shape.to_dict() | {"unit": {"rows": 2} | ({"person": person} if person else {})})
    pyarrow.parquet.write_table(clinic(), tmp_path / "t.parquet")
    frame = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
    plan = ht.plan(domain, rows=3000, workload=workload, budget=ht.Budget(epsilon=1, delta="1e-6"))
    files = []
    for number, data in enumerate((tmp_path / "t.parquet", frame)):
        synopsis = ht.Vault(data, domain, ledger=tmp_path / "t.ledger").release(plan, randomness=ht.Simulated(7))
        synopsis.save(tmp_path / f"{number}.hush")
        files.append((synopsis.digest, (tmp_path / f"{number}.hush").read_bytes()))
    assert files[0] == files[1]


def test_the_same_rows_of_each_person_count_and_the_same_people_are_cut(spark, tmp_path):
    domain = ht.Domain.from_dict(CLINIC.to_dict() | {"unit": {"rows": 2, "person": "who"}})
    table, wanted = clinic(), Histogram(domain.sizes)
    here = BoundedSource(open_source(table, domain), domain, "a secret")
    there = open_source(in_parts(spark, table, tmp_path, 4), domain)
    few = bounded(there, domain, "a secret")
    assert "who" not in few.columns
    for _ in range(2):
        np.testing.assert_array_equal(few.total(wanted, domain), here.total(wanted, domain))
    assert few.left_out() == here.left_out()
    assert here.left_out().unnamed > 0
    assert few.count() == here.count()
    mine, theirs = people_fit(table, domain), people_fit(there, domain)
    assert mine.rows == theirs.rows
    assert mine.people == theirs.people


def test_whatever_a_row_of_nobody_holds_the_same_rows_of_others_count(spark, tmp_path):
    attributes = {
        "share": {"kind": "number", "between": [0, 1], "bins": 2, "other": True},
        "age": {"kind": "integer", "between": [0, 99], "bins": 3, "other": True},
        "place": {"kind": "open"},
    }
    domain = ht.Domain.from_dict(
        {"table": "t", "unit": {"rows": 1, "person": "who"}, "missing_values": ["-9"], "attributes": attributes}
    )
    shares, ages = [0.25, -9.0, float("inf"), 1e300], [-9, 2**60, 5, 7]
    rows = [(i % 50, shares[i // 50], ages[i // 50], f"row {i}") for i in range(200)]
    counted = []
    for number, nobody in enumerate([(None, 0.5, 5, "nobody"), (None, None, None, "nobody")]):
        columns = zip(("who", "share", "age", "place"), zip(*rows, nobody, strict=True), strict=True)
        table, folder = pa.table({name: list(column) for name, column in columns}), tmp_path / str(number)
        folder.mkdir()
        for source in (open_source(in_parts(spark, table, folder, 2), domain), open_source(table, domain)):
            batches = bounded(source, domain, "a secret").batches(["place"])
            counted.append(sorted(place for batch in batches for place in batch.column(0).to_pylist()))
    assert len(counted[0]) == 51
    assert counted[1:] == counted[:1] * 3


def test_a_curator_holds_the_same_rows_and_keys(spark, tmp_path, monkeypatch):
    table = clinic()
    there = open_source(in_parts(spark, table, tmp_path, 4), CLINIC)
    here = open_source(table, CLINIC)
    for ours, theirs in zip(HeldRows.read(here, CLINIC)._codes, HeldRows.read(there, CLINIC)._codes, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    monkeypatch.setattr("hushtable.vault.sources.spark_keys.MOST_KEYS", 100)
    with pytest.raises(ht.HushError, match="more than 100 different rows or keys, which the driver cannot hold"):
        HeldRows.read(there, CLINIC)


def test_a_curator_of_lists_answers_from_keys_that_spark_counted(spark, tmp_path):
    domain = WORKLOADS["sparse(size=5)"]
    answers = []
    for data in (clinic(), in_parts(spark, clinic(), tmp_path, 4)):
        vault = ht.Vault(data, domain, ledger=tmp_path / "t.ledger")
        curator = vault.curate(
            budget=ht.Budget(epsilon=4), questions=3, workload="sparse(size=5)", randomness=ht.Simulated(3)
        )
        answers.append([curator.ask(f"url = 'http://{i}'").value for i in range(3)])
    assert answers[0] == answers[1]


def test_rows_come_to_the_driver_only_where_they_are_asked_for(spark, tmp_path):
    frame = in_parts(spark, clinic(), tmp_path, 3)
    batches = list(open_source(frame, CLINIC).batches(("age", "who")))
    assert sum(batch.num_rows for batch in batches) == 3000
    assert batches[0].schema.names == ["age", "who"]

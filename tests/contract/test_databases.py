"""Tables in databases: the same codes as in a file, one snapshot over all passes, and no secret in any message."""

import contextlib
import sqlite3
import threading
import time
from decimal import Decimal

import duckdb
import numpy as np
import postgres
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import hushtable as ht
from hushtable.addresses import TableAt
from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.shapes import shape
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.cli import app
from hushtable.errors import BadData, BadPath, HushError
from hushtable.owner.prepare import prepare
from hushtable.vault.coding import encode, read_keys
from hushtable.vault.ledger.ledger import Ledger
from hushtable.vault.sources import open_source
from hushtable.vault.sources.databases import DatabaseSource
from hushtable.vault.statistics import Histogram

SECRET = "planted-value-7f3a"
needs_postgres = pytest.mark.skipif(bool(postgres.missing()), reason=postgres.missing() or "there")
DOMAIN = ht.Domain.from_dict(
    {
        "table": "clinic",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
            "pay": {"kind": "number", "between": [0, 100], "bins": 4},
            "smoker": {"kind": "boolean"},
            "sex": {"kind": "category", "values": ["f", "m"], "other": True},
        },
    }
)


@pytest.fixture(autouse=True, scope="module")
def types_known():
    if postgres.missing():
        yield
    else:
        with postgres.types_known():
            yield


def rows(count=3000) -> pa.Table:
    source = np.random.default_rng(1)
    return pa.table({
        "age": pa.array(source.integers(0, 120, count), mask=source.random(count) < 0.1),
        "pay": pa.array(source.random(count) * 110, mask=source.random(count) < 0.1),
        "smoker": pa.array(source.random(count) < 0.3, mask=source.random(count) < 0.1),
        "sex": pa.array(source.choice(["f", "m", SECRET], count), mask=source.random(count) < 0.1),
        "unread": pa.array([SECRET] * count),
    })  # fmt: skip


def in_postgres(table, folder) -> TableAt:
    postgres.server().ingest("clinic", table)
    return TableAt(postgres.server().address(), "clinic")


def in_duckdb(table, folder) -> TableAt:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE clinic AS SELECT * FROM given")
    return TableAt(f"duckdb:///{folder}/t.duckdb", "clinic")


def in_sqlite(table, folder) -> TableAt:
    with contextlib.closing(sqlite3.connect(folder / "t.sqlite")) as connection:
        connection.execute(f"CREATE TABLE clinic ({', '.join(table.column_names)})")
        marks = ", ".join("?" * table.num_columns)
        connection.executemany(
            f"INSERT INTO clinic VALUES ({marks})", list(zip(*table.to_pydict().values(), strict=True))
        )
        connection.commit()
    return TableAt(f"sqlite:///{folder}/t.sqlite", "clinic")


WAYS = [pytest.param(in_postgres, marks=needs_postgres), in_duckdb, in_sqlite]
every_way = pytest.mark.parametrize("way", WAYS)


@every_way
@pytest.mark.parametrize("person", [None, "who"])
def test_a_release_is_byte_for_byte_that_of_the_parquet_file(way, person, tmp_path):
    table = rows().append_column("who", pa.array([f"p{i % 700}" for i in range(3000)]))
    unit = {"rows": 2} | ({"person": person} if person else {})
    domain = ht.Domain.from_dict(DOMAIN.to_dict() | {"unit": unit})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    plan = ht.plan(domain, rows=3000, workload="marginals(width=2)", budget=ht.Budget(epsilon=1))
    files = []
    for number, data in enumerate((tmp_path / "t.parquet", way(table, tmp_path))):
        synopsis = ht.Vault(data, domain, ledger=tmp_path / "t.ledger").release(plan, randomness=ht.Simulated(7))
        synopsis.save(tmp_path / f"{number}.hush")
        files.append((synopsis.digest, (tmp_path / f"{number}.hush").read_bytes()))
    assert files[0] == files[1]


def by_shape() -> dict:
    """All statistics of the catalogue, by the domain that they are built on."""
    found: dict = {}
    for specimen in STATISTICS.values():
        domain = ht.Domain.from_dict(shape(specimen.attributes, "replace").to_dict() | {"table": "clinic"})
        _, statistics = found.setdefault(domain.digest, (domain, []))
        statistics += [statistic.whole for statistic in specimen.build(domain)]
    return found


@every_way
@pytest.mark.parametrize("digest", by_shape())
def test_every_statistic_has_the_sums_of_the_same_rows_in_memory(way, digest, tmp_path):
    domain, statistics = by_shape()[digest]
    known = possible_rows(domain, most=150, seed=3)
    some = [known[i] for i in np.random.default_rng(2).integers(0, len(known), 400)]
    table = pa.Table.from_batches([MadeUpTable(domain, some).batch(domain.names)])
    here, there = open_source(table, domain), open_source(way(table, tmp_path), domain)
    with there.snapshot():
        for statistic in statistics:
            np.testing.assert_array_equal(there.total(statistic, domain), here.total(statistic, domain))


@every_way
def test_all_passes_of_a_release_see_one_snapshot(way, tmp_path):
    at = way(rows(500), tmp_path)
    source = open_source(at, DOMAIN)
    source.check(DOMAIN)
    statistic = Histogram(DOMAIN.sizes)
    with source.snapshot():
        first = [b.num_rows for b in source.batches(["age"])]
        if way is in_postgres:  # the others let nobody write meanwhile, or see what was there when they began
            postgres.server().do("INSERT INTO clinic (age) VALUES (1), (2), (3)")
        assert source.count() == sum(first) == int(source.total(statistic, DOMAIN).sum()) == 500
    assert source.count() == (503 if way is in_postgres else 500)


def said(call) -> str:
    """The one line of an error, which holds no secret."""
    with pytest.raises(HushError) as caught:
        call()
    text = str(caught.value)
    chained = caught.value.__cause__ is None
    assert chained
    assert "\n" not in text
    for secret in (SECRET, postgres.PASSWORD, "planted", "p%40ss", "word@"):
        assert secret not in text
    return text


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:planted@host/db",
        "postgresql://user:planted@word@host/db",
        "postgresql://user:planted/word@host/db",
        "postgresql://user:planted#word@host/db",
        "postgresql://user@host/db?password=planted",
        "postgresql://user@host:planted/db",
        "postgres://host/db?sslpassword=planted",
        "duckdb://:planted@/t.db",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_shown(address, tmp_path):
    DOMAIN.save(tmp_path / "d.yaml")
    assert "password" in said(lambda: ht.Vault(address, DOMAIN, ledger=tmp_path / "t.ledger"))
    assert "password" in said(lambda: ht.Vault(address, DOMAIN, ledger=tmp_path / "t.ledger", table="clinic"))
    line = ["release", address, "--domain", str(tmp_path / "d.yaml"), "--epsilon", "1", "--ledger", "l", "-o", "o.hush"]
    done = CliRunner().invoke(app, line)
    assert "planted" not in done.output


@pytest.mark.parametrize("table", ["", "a.b.c", ".a", "a.", 'a"b', '"a'])
def test_a_name_that_is_none_is_refused(table):
    with pytest.raises(BadPath, match=r"NAME or SCHEMA\.NAME"):
        TableAt("duckdb:///t.db", table)
    assert TableAt("duckdb:///t.db", '"a.b"."c""d"').names == ("a.b", 'c"d')


def test_a_table_is_named_for_databases_only(tmp_path):
    with pytest.raises(BadPath, match="for the address of a database"):
        ht.Vault(tmp_path / "t.csv", DOMAIN, table="clinic")


@every_way
def test_what_is_not_there_is_said_in_one_line(way, tmp_path):
    at = way(rows(10), tmp_path)
    assert "there is no table nowhere" in said(lambda: ht.Vault(TableAt(at.address, "nowhere"), DOMAIN, ledger="l"))
    other = ht.Domain.from_dict(DOMAIN.to_dict() | {"attributes": {"height": {"kind": "boolean"}}})
    assert "no such column" in said(lambda: ht.Vault(at, other, ledger="l"))
    if way is not in_postgres:
        gone = TableAt(at.address.replace("t.", "gone."), "clinic")
        assert "no file" in said(lambda: ht.Vault(gone, DOMAIN, ledger="l"))
        (tmp_path / "other.db").write_text(SECRET * 100)
        broken = TableAt(f"{at.scheme}:///{tmp_path}/other.db", "clinic")
        words = said(lambda: ht.Vault(broken, DOMAIN, ledger="l"))
        assert "cannot be opened: it is no database of this kind" in words
        assert "charged" not in words  # nothing was, before it is known what there is to read


@every_way
def test_hostile_names_are_names(way, tmp_path):
    odd = 'a"; DROP TABLE clinic; --'
    table = rows(50).rename_columns(["age", "pay", "smoker", odd, "unread"])
    attributes = {"age": DOMAIN.to_dict()["attributes"]["age"], odd: {"kind": "category", "values": ["f", "m"]}}
    domain = ht.Domain.from_dict({"table": "clinic", "attributes": attributes})
    if way is in_sqlite:
        table = rows(50)
        with contextlib.closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
            connection.execute('CREATE TABLE clinic (age, "a""; DROP TABLE clinic; --")')
            pairs = zip(table["age"].to_pylist(), table["sex"].to_pylist(), strict=True)
            connection.executemany("INSERT INTO clinic VALUES (?, ?)", list(pairs))
            connection.commit()
        at = TableAt(f"sqlite:///{tmp_path}/t.sqlite", "clinic")
    else:
        at = way(table, tmp_path)
    source = open_source(at, domain)
    source.check(domain)
    for _ in range(2):
        assert int(source.total(Histogram(domain.sizes), domain).sum()) == 50


def test_cells_of_any_type_in_a_column_of_sqlite(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE clinic (age, pay REAL, smoker, sex)")
        given = [(17, 1.5, 1, "f"), ("70", "x", "no", b"f"), (b"\xff", None, 0.0, 3), (20.0, 7, "yes", None)]
        connection.executemany("INSERT INTO clinic VALUES (?, ?, ?, ?)", given)
        connection.execute("INSERT INTO clinic VALUES (CAST(x'ff' AS TEXT), 1, 1, 'm')")
        connection.commit()
    source = open_source(TableAt(f"sqlite:///{tmp_path}/t.sqlite", "clinic"), DOMAIN)
    (batch,) = source.batches(DOMAIN.names)
    codes = [encode(a, batch.column(i)).tolist() for i, a in enumerate(DOMAIN.attributes)]
    expected = [[a.code(row[i]) for row in [*given, ("�", 1, 1, "m")]] for i, a in enumerate(DOMAIN.attributes)]
    assert codes == expected


def test_nested_columns_are_refused(tmp_path):
    nested = rows(3).append_column("list", pa.array([[1], [2], []]))
    at = in_duckdb(nested, tmp_path)
    domain = ht.Domain.from_dict({"table": "clinic", "attributes": {"list": {"kind": "open"}}})
    with pytest.raises(BadData, match=r"column list .* holds lists or records"):
        ht.Vault(at, domain, ledger="l")


# PostgreSQL alone


KINDS = {
    "int2": "3", "int8": "9007199254740993", "float4": "0.1", "float8": "'NaN'", "numeric": "1e400",
    "numeric(12,4)": "12.3400", "bool": "true", "text": f"'{SECRET}'", "char(9)": "'a b'", "date": "'infinity'",
    "timestamptz": "'2024-03-01 03:00+09'", "timestamp": "'0044-03-15 12:00 BC'", "time": "'08:30'",
    "timetz": "'08:30+02'", "interval": "'1 day 2 hours'", "uuid": "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
    "inet": "'10.0.0.1/8'", "bit(3)": "'101'", "money": "12.5", "int4range": "'[1,5)'", "bytea": "'\\xff'",
    "json": "'{\"a\": 1}'", "mood": "'happy'", "small": "17", "oid": "5", "name": "'n'",
}  # fmt: skip


@needs_postgres
def test_every_type_is_read_as_the_text_that_the_server_writes():
    """And a binned attribute codes it as it codes that text in a file."""
    server = postgres.server()
    columns = [f"c{i}" for i in range(len(KINDS))]
    shape = ", ".join(f"{c} {kind}" for c, kind in zip(columns, KINDS, strict=True))
    values = ", ".join(KINDS.values())
    server.do(
        "DROP TABLE IF EXISTS kinds", "DROP TYPE IF EXISTS mood", "DROP DOMAIN IF EXISTS small",
        "CREATE TYPE mood AS ENUM ('happy', 'sad')", "CREATE DOMAIN small AS int4 CHECK (VALUE < 1000)",
        f"CREATE TABLE kinds ({shape})", f"INSERT INTO kinds VALUES ({values})", "INSERT INTO kinds DEFAULT VALUES",
    )  # fmt: skip
    texts = server.do("SET timezone = 'UTC'", f"SELECT {', '.join(f'{c}::text' for c in columns)} FROM kinds")
    for kind in ({"kind": "open"}, {"kind": "number", "between": [0, 1000], "bins": 10, "other": True},
                 {"kind": "date", "between": ["2024-01-01", "2024-12-31"], "other": True}):  # fmt: skip
        domain = ht.Domain.from_dict({"table": "kinds", "attributes": dict.fromkeys(columns, kind)})
        source = open_source(server.address(), domain)
        source.check(domain)
        (batch,) = source.batches(columns)
        for i, attribute in enumerate(domain.attributes):
            written = pa.array([row[i] for row in texts], pa.string())
            if kind["kind"] == "open":
                keys = [read_keys([attribute], pa.record_batch({"x": x})) for x in (batch.column(i), written)]
                assert keys[0] == keys[1], attribute.name
            else:
                assert encode(attribute, batch.column(i)).tolist() == [attribute.code(row[i]) for row in texts]


@needs_postgres
def test_arrays_are_refused_and_views_and_schemas_are_read():
    server = postgres.server()
    server.do(
        "DROP SCHEMA IF EXISTS ward CASCADE",
        "CREATE SCHEMA ward",
        "CREATE TABLE ward.t (age int, tags text[])",
        "INSERT INTO ward.t VALUES (3, '{a}')",
        "CREATE VIEW ward.v AS SELECT age, tags[1] AS tag FROM ward.t",
    )
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"tags": {"kind": "open"}}})
    with pytest.raises(BadData, match="holds lists or records"):
        ht.Vault(server.address(), domain, table="ward.t", ledger="l")
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"tag": {"kind": "open"}}})
    source = open_source(TableAt(server.address(), "ward.v"), domain)
    assert source.columns == ["age", "tag"]
    assert source.count() == 1
    assert "there is no table t" in said(lambda: ht.Vault(server.address(), domain, ledger="l"))
    assert "there is no table pg_stats_x" in said(
        lambda: ht.Vault(server.address(), domain, table="pg_stats_x", ledger="l")
    )


@needs_postgres
def test_mistakes_with_a_server_are_said_without_its_words(monkeypatch):
    server = postgres.server()
    in_postgres(rows(10), None)
    server.do(
        "DO $$ BEGIN IF to_regrole('reader') IS NOT NULL THEN DROP OWNED BY reader; END IF; END $$",
        "DROP ROLE IF EXISTS reader", f"CREATE ROLE reader LOGIN PASSWORD '{postgres.PASSWORD}'",
    )  # fmt: skip

    def open_as(address):
        return lambda: ht.Vault(address, DOMAIN, table="clinic", ledger="l")

    monkeypatch.setenv("PGPASSWORD", "planted-wrong")
    assert "user or password is wrong" in said(open_as(server.at_host("reader")))
    monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)
    assert "no such database" in said(open_as(server.at_host("reader", "nowhere")))
    assert "no server answers" in said(open_as("postgresql://reader@127.0.0.1:1/db"))
    vault = open_as(server.at_host("reader"))()
    assert "this user may not read it" in said(lambda: vault.rows)
    server.do("GRANT SELECT ON clinic TO reader")
    assert vault.rows == 10
    server.do("ALTER TABLE clinic ENABLE ROW LEVEL SECURITY", "CREATE POLICY few ON clinic USING (age < 5)")
    assert "row security hides rows" in said(lambda: vault.rows)


@needs_postgres
@pytest.mark.parametrize("kill_before", [1, 2, 3])
def test_a_server_that_goes_away_costs_what_was_charged_and_no_more(kill_before, tmp_path, monkeypatch):
    """The table is read once into memory, so that a release is only interrupted before its first sums are known."""
    at = in_postgres(rows(2000), None)
    vault = ht.Vault(at, DOMAIN, ledger=tmp_path / "t.ledger")
    plan = ht.plan(DOMAIN, rows=2000, workload="whole_table()", budget=ht.Budget(epsilon=5, delta="1e-9"))
    passes = []
    real = DatabaseSource.total

    def total(source, *given):
        passes.append(1)
        if len(passes) == kill_before:
            postgres.server().do(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND state LIKE 'idle in%'"
            )
        return real(source, *given)

    monkeypatch.setattr(DatabaseSource, "total", total)
    if kill_before == 1:
        text = said(lambda: vault.release(plan, journal=tmp_path / "t.part"))
        assert "connection was lost" in text
        assert ht.Vault(at, DOMAIN, ledger=tmp_path / "t.ledger").release(plan).model.row_count() == (2000, 0)
    else:
        assert vault.release(plan, journal=tmp_path / "t.part").model.row_count() == (2000, 0)
        assert len(passes) >= kill_before


@needs_postgres
def test_a_second_session_may_write_all_the_time():
    at = in_postgres(rows(4000), None)
    source, stop = open_source(at, DOMAIN), threading.Event()

    def write():
        while not stop.is_set():
            postgres.server().do(
                "INSERT INTO clinic (age) SELECT 1 FROM generate_series(1, 50)", "DELETE FROM clinic WHERE age = 17"
            )

    writer = threading.Thread(target=write)
    with source.snapshot():
        before = source.count()
        writer.start()
        try:
            counts = [sum(b.num_rows for b in source.batches(["age", "pay"])) for _ in range(5)]
        finally:
            stop.set()
            writer.join()
    assert set(counts) == {before}


def test_decimals_are_coded_as_their_text(tmp_path):
    table = pa.table({"pay": pa.array([Decimal("12.3400"), Decimal("99.9999"), None], pa.decimal128(12, 4))})
    domain = ht.Domain.from_dict({"table": "clinic", "attributes": {"pay": DOMAIN.to_dict()["attributes"]["pay"]}})
    source = open_source(in_duckdb(table, tmp_path), domain)
    (batch,) = source.batches(["pay"])
    (pay,) = domain.attributes
    assert encode(pay, batch.column(0)).tolist() == [pay.code("12.34"), pay.code("99.9999"), pay.code(None)]


@needs_postgres
def test_without_room_for_codes_a_later_pass_that_is_lost_can_be_finished(tmp_path, monkeypatch):
    at = in_postgres(rows(2000), None)
    monkeypatch.setattr("hushtable.vault.coded_blocks.MOST_BYTES", 0)
    plan = ht.plan(DOMAIN, rows=2000, workload="whole_table()", budget=ht.Budget(epsilon=5, delta="1e-9"))
    prepare(plan)
    passes = []
    real = DatabaseSource.total

    def total(source, *given):
        passes.append(1)
        if len(passes) == 2:
            postgres.server().do(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND state LIKE 'idle in%'"
            )
        return real(source, *given)

    monkeypatch.setattr(DatabaseSource, "total", total)
    vault = ht.Vault(at, DOMAIN, ledger=tmp_path / "t.ledger")
    text = said(lambda: vault.release(plan, journal=tmp_path / "t.part"))
    assert "what was charged stays spent" in text
    charged = Ledger.open(tmp_path / "t.ledger").left
    assert ht.Vault.resume(tmp_path / "t.part", data=at).model.row_count() == (2000, 0)
    assert Ledger.open(tmp_path / "t.ledger").left == charged


@needs_postgres
def test_a_pause_longer_than_the_servers_patience_is_none():
    at = in_postgres(rows(20), None)
    postgres.server().do("ALTER ROLE owner SET idle_in_transaction_session_timeout = '50ms'")
    try:
        source = open_source(at, DOMAIN)
        with source.snapshot():
            before = source.count()
            time.sleep(0.4)
            assert source.count() == before == 20
    finally:
        postgres.server().do("ALTER ROLE owner RESET idle_in_transaction_session_timeout")

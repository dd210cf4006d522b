"""Vault: one release from rows to synopsis, what it charges, and what goes wrong without costing anything."""

import json
import subprocess
import sys

import pandas
import polars
import pyarrow as pa
import pyarrow.csv
import pytest
from tables import MIXED, domain, random_codes, table_of

import hushtable as ht
from hushtable.errors import BadData, BadLedger, BadPath, BadPlan, OverBudget

BUDGET = ht.Budget(epsilon=1, delta="1e-9")
SHAPE = domain()
CODES = random_codes(SHAPE, 300, seed=11)


@pytest.fixture
def folder(tmp_path):
    pa.csv.write_csv(table_of(SHAPE, CODES), tmp_path / "t.csv")
    SHAPE.save(tmp_path / "t.yaml")
    return tmp_path


def plan(shape=SHAPE, **changes):
    return ht.plan(shape, **({"workload": "marginals(width=2)", "budget": BUDGET} | changes))


def test_a_release_is_charged_and_named_in_the_ledger(folder):
    synopsis = ht.Vault(folder / "t.csv", SHAPE).release(plan())
    ledger = ht.Ledger.open(folder / "t.ledger")
    assert ledger.left == 0
    assert ledger.lines()[-1].synopsis_digest == synopsis.digest
    paid = synopsis.accounting["ledger"]
    assert ledger.lines()[paid["line"] - 1].hash == paid["hash"]
    assert ledger.verify() == len(ledger.lines())
    assert synopsis.not_private is False


def test_a_second_release_is_refused_until_the_total_is_raised(folder):
    vault = ht.Vault(folder / "t.csv", SHAPE)
    vault.release(plan())
    with pytest.raises(OverBudget):
        vault.release(plan())
    ht.Ledger.open(folder / "t.ledger").raise_total(ht.Budget(epsilon=2, delta="1e-9"), "a second release was agreed")
    vault.release(plan(budget=ht.Budget(rho="0.01")))


def test_a_pure_release_from_a_rho_ledger_names_both_prices(folder):
    vault = ht.Vault(folder / "t.csv", SHAPE)
    vault.release(plan())
    with pytest.raises(OverBudget, match=r"mu\^2/2 = 0.758956 \(epsilon = 1 in a ledger kept in mu\^2/2\)"):
        vault.release(plan(budget=ht.Budget(epsilon=1)))


def test_too_dear_reads_no_row(folder):
    ht.Ledger.create(
        folder / "t.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho="0.001")
    )
    vault = ht.Vault(folder / "t.csv", SHAPE)
    vault._source.batches = lambda names: pytest.fail("rows were read")
    with pytest.raises(OverBudget):
        vault.release(plan())


def test_rows_that_do_not_fit_leave_no_ledger_behind(folder):
    strict = domain(MIXED | {"region": {"kind": "category", "values": ["north"], "missing": "error"}})
    with pytest.raises(BadData, match="region"):
        ht.Vault(folder / "t.csv", strict).release(plan(strict))
    assert not (folder / "t.ledger").exists()


def test_rows_that_do_not_fit_return_the_reservation(folder):
    strict = domain(MIXED | {"region": {"kind": "category", "values": ["north"], "missing": "error"}})
    ledger = ht.Ledger.create(
        folder / "t.ledger", table="t", domain_digest=strict.digest, unit=strict.unit, total=BUDGET
    )
    with pytest.raises(BadData):
        ht.Vault(folder / "t.csv", strict).release(plan(strict))
    assert ledger.spent == 0
    assert [line.kind for line in ledger.lines()] == ["create", "reserve", "settle"]


def test_another_domain_is_not_this_ledgers_table(folder):
    ht.Vault(folder / "t.csv", SHAPE).release(plan())
    other = domain(MIXED | {"smoker": {"kind": "boolean"}})
    with pytest.raises(BadLedger):
        ht.Vault(folder / "t.csv", other).release(plan(other))
    with pytest.raises(BadPlan, match="another domain"):
        ht.Vault(folder / "t.csv", SHAPE).release(plan(other))


def test_a_column_of_the_domain_must_be_in_the_data(folder):
    more = domain(MIXED | {"weight": {"kind": "boolean"}})
    with pytest.raises(BadData, match="no such column"):
        ht.Vault(folder / "t.csv", more)


def test_columns_outside_the_domain_are_never_read(folder):
    fewer = domain({"smoker": MIXED["smoker"], "sex": MIXED["sex"]})
    vault = ht.Vault(folder / "t.csv", fewer)
    batches = list(vault._source.batches([a.name for a in fewer.closed]))
    assert batches[0].schema.names == ["smoker", "sex"]


def test_a_ledger_that_cannot_be_written_is_noticed_before_reading(folder):
    vault = ht.Vault(folder / "t.csv", SHAPE, ledger=folder / "missing" / "t.ledger")
    vault._source.batches = lambda names: pytest.fail("rows were read")
    with pytest.raises(BadPath):
        vault.release(plan())


def test_simulated_randomness_repeats_is_stamped_and_spends_nothing(folder):
    vault = ht.Vault(folder / "t.csv", SHAPE)
    first, second, other = (vault.release(plan(), randomness=ht.Simulated(seed)) for seed in (5, 5, 6))
    assert first.digest == second.digest != other.digest
    assert first.not_private
    assert "NOT PRIVATE" in first.ask("smoker").notes[0]
    assert "NOT PRIVATE" in str(first)
    assert not (folder / "t.ledger").exists()


def test_real_randomness_does_not_repeat(folder):
    """Whole files, because a single answer is a whole number of rows and may repeat by chance."""
    budget = ht.Budget(rho="0.01")
    ht.Ledger.create(
        folder / "t.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho=1)
    )
    vault = ht.Vault(folder / "t.csv", SHAPE)
    values = {vault.release(plan(budget=budget)).model.coordinates.tobytes() for _ in range(3)}
    assert len(values) == 3


def test_frames_of_every_kind_give_the_same_numbers(folder):
    table = table_of(SHAPE, CODES)
    frames = [
        table,
        table.to_batches()[0],
        table.to_pandas(),
        polars.from_arrow(table),
        pandas.read_csv(folder / "t.csv"),
        folder / "t.csv",
    ]
    digests = {ht.Vault(frame, SHAPE).release(plan(), randomness=ht.Simulated(1)).digest for frame in frames}
    assert len(digests) == 1


def test_public_rows_only_under_replace(folder):
    assert ht.Vault(folder / "t.csv", SHAPE).rows == 300
    assert ht.Vault(folder / "t.csv", domain(neighbours="add-remove")).rows is None


def test_open_attributes_ride_along_unread(folder):
    shape = domain(MIXED | {"url": {"kind": "open"}})
    table = table_of(SHAPE, CODES).append_column("url", pa.array(["x"] * 300))
    answer = ht.Vault(table, shape, ledger=folder / "o.ledger").release(plan(shape)).ask("smoker")
    assert 0 < answer.stderr < 1


def test_asking_never_loads_the_vault(folder):
    """An analyst's process has no code that could see rows."""
    ht.Vault(folder / "t.csv", SHAPE).release(plan()).save(folder / "t.hush")
    program = (
        "import sys, json, hushtable as ht; s = ht.load('t.hush'); s.ask('smoker AND age >= 65');"
        "print(json.dumps([m for m in sys.modules if 'vault' in m or m in ('numba', 'duckdb')]))"
    )
    out = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []

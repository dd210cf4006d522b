"""Addresses of tables: a text such as postgresql://u@h/db reaches the source as it was typed."""

import json

import pytest
from curators import CODES, SHAPE
from tables import table_of
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.errors import BadPath
from hushtable.owner import compare, draft, fit, people, vault
from hushtable.owner.journal import ReleaseJournal
from hushtable.vault.sources import FrameSource

ADDRESS = "postgresql://user:secret@host/db"


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """What every command hands to `open_source`; a table is given instead."""
    monkeypatch.chdir(tmp_path)
    SHAPE.save("t.yaml")
    texts: list[object] = []

    def open_source(data, *_, **__):
        texts.append(data)
        return FrameSource(table_of(SHAPE, CODES))

    for module in (compare, draft, fit, people, vault):
        monkeypatch.setattr(module, "open_source", open_source)
    return texts


@pytest.mark.parametrize(
    "line",
    [
        "release {} --domain t.yaml --rho 1 --workload marginals(width=1) --ledger t.ledger -o new.hush",
        "curate {} --domain t.yaml --rho 1 --ledger t.ledger smoker",
        "domain check t.yaml --data {}",
        "domain draft {} -o draft.yaml",
        "report t.hush --data {} -o report.html",
    ],
)
def test_a_command_passes_it_on_unchanged(opened, line):
    made = ht.plan(SHAPE, workload="marginals(width=1)", budget=ht.Budget(rho=1))
    ht.Vault(table_of(SHAPE, CODES), SHAPE).release(made, randomness=ht.Simulated(1)).save("t.hush")
    opened.clear()
    done = CliRunner().invoke(app, [ADDRESS if word == "{}" else word for word in line.split()])
    assert done.exit_code == 0, done.exception
    assert set(opened) == {ADDRESS}


@pytest.mark.parametrize("address", [ADDRESS, "duckdb:///x.db?table=t", "s3://bucket/t.parquet", "spark+x.y://h"])
def test_its_ledger_has_to_be_given(opened, address, tmp_path):
    with pytest.raises(BadPath, match="--ledger") as error:
        ht.Vault(address, SHAPE)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)
    assert not opened
    assert [path.name for path in tmp_path.iterdir()] == ["t.yaml"]
    assert ht.Vault(address, SHAPE, ledger="t.ledger").rows == CODES.shape[1]


@pytest.mark.parametrize("path", ["t.csv", "C://t.csv", "a:b/t.csv", "1x://t.csv"])
def test_a_path_is_none(opened, path):
    assert ht.Vault(path, SHAPE).ledger_path.name == "t.ledger"


def test_a_journal_does_not_keep_it_and_resuming_asks_for_it(opened, monkeypatch):
    """It may hold a password."""
    made = ht.plan(SHAPE, workload="marginals(width=1)", budget=ht.Budget(rho=1))

    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ReleaseJournal, "keep", stopped)
        with pytest.raises(KeyboardInterrupt):
            ht.Vault(ADDRESS, SHAPE, ledger="t.ledger").release(made, journal="t.part")
    with open("t.part") as file:
        assert json.loads(file.readline())["data"] is None
    with pytest.raises(ht.HushError, match="give the table too"):
        ht.Vault.resume("t.part")
    opened.clear()
    assert ht.Vault.resume("t.part", data=ADDRESS).ask("smoker").stderr > 0
    assert set(opened) == {ADDRESS}

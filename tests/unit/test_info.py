"""`hush info`: whoever is handed a file can find out what is in it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.questions.stamp import SIMULATED

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.hush"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_kind_of_file_says_what_it_holds(path):
    synopsis = ht.load(path)
    info = synopsis.info()
    assert [column.name for column in info.columns] == list(synopsis.domain.names)
    assert info.questions
    for question in info.questions:
        synopsis.ask(question)
    text = str(info)
    assert text.startswith(SIMULATED)
    for said in (synopsis.domain.table, synopsis.workload, synopsis.digest, "at most", *info.questions):
        assert said in text
    assert SIMULATED in info._repr_html_()
    assert len(repr(info)) < 200


def test_the_command_prints_it_and_json():
    path = next(path for path in GOLDEN if path.stem == "format-5-dates-pure")
    run = CliRunner().invoke(app, ["info", str(path)])
    assert run.exit_code == 0
    assert "category: male, female, missing (the data write 1 for male, 2 for female)" in run.stdout
    told = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).stdout)
    assert told["columns"][0]["kind"] == "date"
    assert told["columns"][2]["written"] == {"1": "male", "2": "female"}
    assert told["rows"] == 1000
    assert told["stamp"] == SIMULATED
    assert told["digest"] == ht.load(path).digest


def test_a_release_in_earnest_has_no_stamp_and_says_who_paid(tmp_path):
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "boolean"}}})
    plan = ht.plan(domain, rows=4, workload="marginals(width=1)", budget=ht.Budget(epsilon=1))
    (tmp_path / "t.csv").write_text("x\nyes\nno\nno\n\n", encoding="utf-8")
    ledger = tmp_path / "t.ledger"
    ht.Ledger.create(ledger, table="t", domain_digest=domain.digest, unit=domain.unit, total=ht.Budget(epsilon=2))
    synopsis = ht.Vault(tmp_path / "t.csv", domain, ledger=ledger).release(plan)
    info = synopsis.info()
    assert "stamp" not in info.to_dict()
    assert "line" in str(info)
    assert "at most 2.72 times as likely" in str(info)
    assert info.questions[0] == "x"

"""Everything that may leave the vault has an audit case, and the command says what it found.

The cases themselves are run by `make audit-fast`, and with more releases by `make audit`.
"""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from hushtable.audit import run as audit_run
from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.report import check_page, page
from hushtable.audit.run import FAST, audit, targets, total_alarm
from hushtable.audit.shapes import BINARY, MIXED, REAL, shape
from hushtable.cli import app
from hushtable.errors import BadPath, BadPlan
from hushtable.mechanisms import mechanisms


def test_a_mechanism_without_a_case_stops_the_audit(monkeypatch):
    monkeypatch.setattr(audit_run, "mechanisms", lambda: mechanisms() | {"new": None})
    with pytest.raises(BadPlan, match=r"no audit case for new; add a specimen to .*specimens.py"):
        targets()


def test_a_statistic_without_a_case_stops_the_audit(monkeypatch):
    monkeypatch.setattr(audit_run, "statistics", lambda: {"new": None})
    with pytest.raises(BadPlan, match="no audit case for new"):
        targets()


def test_an_unknown_name_is_refused_with_a_suggestion():
    with pytest.raises(BadPlan, match="Did you mean 'histogram'"):
        targets("histogramm")


def test_possible_rows_are_rows_of_the_domain():
    for attributes in (BINARY, MIXED, REAL):
        domain = shape(attributes)
        rows = possible_rows(domain, most=1000, seed=1)
        codes = np.array([[a.code(v) for a, v in zip(domain.closed, row, strict=True)] for row in rows])
        assert len({tuple(c) for c in codes}) == np.prod(domain.sizes)
        assert MadeUpTable(domain, rows).keys(domain.attributes).total() == len(rows)


def test_the_command_prints_json_and_writes_the_page(tmp_path):
    out = CliRunner().invoke(app, ["audit", "one-question", "--fast", "--json", "--write", str(tmp_path / "a.md")])
    assert out.exit_code == 0
    told = json.loads(out.stdout)
    assert told["passed"]
    assert told["false_alarm"] < 1e-6
    assert [case["name"] for case in told["cases"]] == ["one-question"] * 2
    written = (tmp_path / "a.md").read_text("utf-8")
    assert "| one-question, replace, laplace | epsilon 1 | 1 |" in written


def test_a_page_is_the_same_every_time_and_names_what_failed():
    results = list(audit(targets("row-count"), effort=FAST))
    assert page(results) == page(list(audit(targets("row-count"), effort=FAST)))
    assert total_alarm(results) <= 1e-6
    broken = [type(results[0])(r.target, r.case, tuple(
        type(c)(**{**c.__dict__, "passed": c.kind != "law"}) for c in r.checks)) for r in results]  # fmt: skip
    assert "**FAILED**: law" in page(broken)


def test_an_older_page_is_replaced_and_another_file_is_not(tmp_path):
    (tmp_path / "a.md").write_text("# Audit\n\nof last year\n")
    (tmp_path / "b.md").write_text("# Notes\n")
    assert check_page(tmp_path / "a.md") == tmp_path / "a.md"
    with pytest.raises(BadPath):
        check_page(tmp_path / "b.md")

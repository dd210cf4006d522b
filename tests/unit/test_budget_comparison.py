"""Several budgets beside each other: the table, the picture, and one line for mistakes."""

import json
import sys

import pytest
from tables import domain

import hushtable as ht
from hushtable.cli import main
from hushtable.mechanisms.comparison import BudgetComparison


def hush(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["hush", *arguments])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_twice_the_epsilon_halves_a_laplace_error_and_the_order_is_that_of_epsilon():
    plans = [
        ht.plan(domain(), rows=1000, workload="marginals(width=2)", mechanism="tables", budget=ht.Budget(epsilon=e))
        for e in (2, 1)
    ]
    compared = BudgetComparison.of(plans)
    assert [plan.budget.epsilon for plan in compared.plans] == [1, 2]
    one, two = (compared.errors(plan) for plan in compared.plans)
    assert one[1] == pytest.approx(2 * two[1], rel=1e-6)
    text = str(compared)
    assert "at most 73.1% sure" in text
    assert "at most 88.1% sure" in text
    assert len([line for line in text.splitlines() if "±" in line and "sure" in line]) == 2


def test_command(monkeypatch, tmp_path, capsys):
    domain().save(tmp_path / "t.yaml")
    given = ["plan", "--domain", str(tmp_path / "t.yaml"), "--rows", "1000", "--workload", "marginals(width=2)"]
    budgets = ["--epsilon", "0.5", "--epsilon", "1", "--epsilon", "8"]
    assert hush(monkeypatch, *given, *budgets, "--json") == 0
    assert [plan["budget"]["epsilon"] for plan in json.loads(capsys.readouterr().out)["plans"]] == [0.5, 1, 8]
    assert hush(monkeypatch, *given, *budgets) == 0
    assert "warning: epsilon = 8 is above 5" in capsys.readouterr().out
    assert hush(monkeypatch, *given, "--epsilon", "1", "--picture", str(tmp_path / "p.svg")) == 1
    assert "give --epsilon twice or more" in capsys.readouterr().err
    assert hush(monkeypatch, *given, "--epsilon", "1", "--epsilon", "x") == 1
    capsys.readouterr()
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    assert hush(monkeypatch, *given, *budgets, "--picture", str(tmp_path / "p.svg")) == 0
    assert "<svg" in (tmp_path / "p.svg").read_text()

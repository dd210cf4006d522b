"""Ordinary questions of analysts, each asked of a release without noise and of DuckDB on the same rows."""

import math
from datetime import date, datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest
import yaml
from four_tables import DOMAINS, meant, release

from hushtable.errors import BadQuestion
from hushtable.questions.answer import Answer
from hushtable.questions.selection import Selection

CASES = yaml.safe_load((Path(__file__).parent / "ordinary_questions.yaml").read_text(encoding="utf-8"))
ASKED = [(table, case) for table, cases in CASES.items() for case in cases]
MOST_REFUSED = 5


@pytest.fixture(scope="module")
def synopses():
    return {name: release(name) for name in DOMAINS}


@pytest.fixture(scope="module")
def base():
    connection = duckdb.connect()
    for name in DOMAINS:
        connection.register(name, meant(name))
    return connection


def label(value):
    """A group of DuckDB's as a synopsis writes it."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat()[:10] if isinstance(value, (date, datetime)) else str(value)


def lines(answer, confidence=0.95):
    """Groups, then of every number its value and interval."""
    if isinstance(answer, Answer):
        return [((), [(answer.value, *answer.interval(confidence))])]
    tables = list(answer.answers.values()) if isinstance(answer, Selection) else [answer]
    ends = [table.interval(confidence) for table in tables]
    numbers = [
        [(table.value[i], low[i], high[i]) for table, (low, high) in zip(tables, ends, strict=True)]
        for i in range(len(answer))
    ]
    keys = list(zip(*answer.groups.values(), strict=True)) if answer.groups else [()] * len(answer)
    return list(zip(keys, numbers, strict=True))


def true_lines(base, case, groups):
    found = base.execute(case.get("sql", case["ask"])).fetchall()
    return [(tuple(map(label, row[:groups])), [float("nan") if v is None else float(v) for v in row[groups:]])
            for row in found]  # fmt: skip


def close(number, true, case):
    value, low, high = number
    assert low <= true + 1e-6, (case, number, true)
    assert true - 1e-6 <= high, (case, number, true)
    if case["like"] == "exact":
        assert value == pytest.approx(true, rel=1e-6, abs=1e-6), case


@pytest.mark.parametrize(("table", "case"), ASKED, ids=[case["ask"][:70] for _, case in ASKED])
def test_it_is_answered_as_duckdb_answers_it(table, case, synopses, base):
    if "refused" in case:
        with pytest.raises(BadQuestion, match=case["refused"]):
            synopses[table].ask(case["ask"])
        return
    answer = synopses[table].ask(case["ask"])
    groups = 0 if isinstance(answer, Answer) else len(answer.groups)
    ours, true = lines(answer), true_lines(base, case, groups)
    if case.get("ordered"):
        assert [key for key, _ in ours] == [key for key, _ in true]
    known = dict(ours)
    assert len(known) == len(ours)
    for key, numbers in true:
        for number, value in zip(known[key], numbers, strict=True):
            close(number, value, case)
    # A group that DuckDB does not have is one without rows.
    for key in set(known) - {key for key, _ in true}:
        assert all(abs(value) < 1e-6 or math.isnan(value) for value, _, _ in known[key]), key


def test_there_are_sixty_of_them_and_few_are_refused():
    assert len(ASKED) >= 60
    assert sum("refused" in case for _, case in ASKED) <= MOST_REFUSED
    assert len({case["ask"] for _, case in ASKED}) == len(ASKED)


@pytest.mark.parametrize("name", DOMAINS)
def test_there_is_no_noise_to_hide_a_mistake(name, synopses):
    synopsis = synopses[name]
    for attribute in synopsis.domain.closed:
        table = synopsis.ask(f"SELECT {attribute.name}, count(*) FROM {name} GROUP BY {attribute.name}")
        assert np.allclose(table.value, np.round(table.value), atol=1e-6)
        assert table.stderr.max() < 0.01

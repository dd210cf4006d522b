"""Counts are SQL's counts: random conditions on a table with NULLs, asked of a release without noise and of DuckDB.

The budget is so large that the exact samplers draw 0, which the first test makes sure of, so that every row counts.
"""

import duckdb
import numpy as np
import pytest
from random_sql import CASES, COLUMNS, ROWS, Conditions, release, table

from hushtable.errors import BadQuestion


@pytest.fixture(scope="module", params=CASES)
def synopsis(request):
    return release(request.param)


@pytest.fixture(scope="module")
def base():
    connection = duckdb.connect()
    connection.register("t", table())
    return connection


def test_there_is_no_noise(synopsis):
    answer = synopsis.ask("SELECT i, count(*) FROM t GROUP BY i", count=True)
    true = [table()["i"].to_pylist().count(value) for value in COLUMNS["i"]]
    np.testing.assert_allclose(answer.value, true, atol=1e-6)


def test_random_conditions_count_the_rows_that_sql_counts(synopsis, base):
    cases = CASES[synopsis.mechanism]
    made, told = Conditions(cases), 0
    for _ in range(cases):
        ours, sql = made.any()
        (true,) = base.execute(f"SELECT count(*) FROM t WHERE {sql}").fetchone()
        assert synopsis.ask(ours, count=True).value == pytest.approx(true, abs=1e-4), (ours, sql)
        told += 0 < true < ROWS
    assert told > cases / 2  # most questions can tell a wrong count from a right one


def test_the_test_can_fail(base):
    """Two-valued logic, or `other` counted for missing ones, would be seen."""
    (without,) = base.execute("SELECT count(*) FROM t WHERE r NOT IN ('zz', 'yy')").fetchone()
    (absent,) = base.execute("SELECT count(*) FROM t WHERE r IS NULL").fetchone()
    assert absent > 20
    assert release("histogram").ask("r <> 'other'", count=True).value == pytest.approx(without, abs=1e-4)


@pytest.mark.parametrize("text", ["r = 'zz'", "r <> 'nobody'", "r IN ('a', 'yy')"])
def test_what_the_file_cannot_know_is_refused(synopsis, text):
    with pytest.raises(BadQuestion, match=r"cannot be told from the others; ask r = 'other' for all of them"):
        synopsis.ask(text)


def test_a_value_that_no_row_has_is_nothing_and_is_noted(synopsis):
    answer = synopsis.ask("s = 'nobody'", count=True)
    assert (answer.value, answer.stderr, answer.bias) == (0, 0, 0)
    assert any("'nobody' is not a declared value of s" in note for note in answer.notes)

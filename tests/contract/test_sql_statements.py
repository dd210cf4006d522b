"""Whole SELECTs are SQL's: random ones on a table with NULLs, asked of a release without noise and of DuckDB."""

import math
import random

import duckdb
import pytest
from random_sql import CASES, Conditions, release, table

from hushtable.questions.answer import Answer
from hushtable.questions.selection import Selection

STATEMENTS = {"low-order": 250, "histogram": 80, "tables": 80}
NUMBERS = ["i", "b"]


@pytest.fixture(scope="module", params=CASES)
def synopsis(request):
    return release(request.param)


@pytest.fixture(scope="module")
def base():
    connection = duckdb.connect()
    connection.register("t", table())
    return connection


class Statements:
    """Random SELECTs: what is asked, and the same for DuckDB, which has numbers for truth and sums where we say so."""

    def __init__(self, seed):
        self.random, self.conditions = random.Random(seed), Conditions(seed)

    def condition(self, depth=1):
        """Without `other`, which is a label here and a value nowhere."""
        while True:
            ours, sql = self.conditions.any(depth)
            if "'other'" not in ours and "r " not in ours and "p " not in ours:
                return ours, sql

    def aggregate(self):
        column, (ours, sql) = self.random.choice(NUMBERS), self.condition()
        case, number = "sum(CASE WHEN {} THEN 2 WHEN i = 3 THEN 1 ELSE 0 END)", f"CAST({column} AS INT)"
        return self.random.choice(
            [
                (f"count(*) FILTER (WHERE {ours})", f"count(*) FILTER (WHERE {sql})"),
                (f"count({column})", f"count({column})"),
                (f"sum({column})", f"coalesce(sum({number}), 0)"),
                (f"avg({column})", f"avg({number})"),
                (f"avg({ours})", f"avg(CAST(({sql}) AS INT))"),
                (case.format(ours), f"coalesce({case.format(sql)}, 0)"),
                ("stddev_pop(i)", "stddev_pop(i)"),
            ]
        )

    def any(self):
        pick = self.random
        groups = pick.sample(["s", "b", "CASE WHEN i < 4 THEN 'low' WHEN i >= 7 THEN 'high' END"], pick.randrange(3))
        measures = [self.aggregate() for _ in range(pick.randint(1, 3))]
        where = self.condition() if pick.random() < 0.6 else None
        texts = []
        for side in (0, 1):
            items = [*groups, *(measure[side] + f" AS m{i}" for i, measure in enumerate(measures))]
            text = f"SELECT {', '.join(items)} FROM t" + (f" WHERE {where[side]}" if where else "")
            texts.append(text + (f" GROUP BY {', '.join(map(str, range(1, len(groups) + 1)))}" if groups else ""))
        return texts[0], texts[1], len(groups)


def label(value):
    return "missing" if value is None else {True: "true", False: "false"}.get(value, value)


def ours(answer):
    if isinstance(answer, Answer):
        return {(): [answer.value]}
    tables = list(answer.answers.values()) if isinstance(answer, Selection) else [answer]
    keys = list(zip(*answer.groups.values(), strict=True)) if answer.groups else [()]
    return {key: [float(t.value[i]) for t in tables] for i, key in enumerate(keys)}


def test_random_statements_are_answered_as_sql_answers_them(synopsis, base):
    cases = STATEMENTS[synopsis.mechanism]
    made, told = Statements(cases), 0
    for _ in range(cases):
        text, sql, groups = made.any()
        found = ours(synopsis.ask(text))
        true = {tuple(map(label, row[:groups])): row[groups:] for row in base.execute(sql).fetchall()}
        assert set(true) <= set(found), text
        for key, values in found.items():
            for value, wanted in zip(values, true.get(key, (0.0,) * len(values)), strict=True):
                # An average of nothing is NULL there and unknown here.
                if wanted is None or (key not in true and math.isnan(value)):
                    assert math.isnan(value) or wanted is not None, (text, key)
                    continue
                assert value == pytest.approx(float(wanted), abs=2e-4), (text, sql, key)
                told += wanted > 0
    assert told > cases

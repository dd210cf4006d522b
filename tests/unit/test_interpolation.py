"""Cuts inside bins: an even spread is met exactly, and whatever the rows are, the truth is inside the interval."""

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadQuestion, CutInsideBin
from hushtable.owner.vault import Vault

SHAPE = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 99], "edges": [20, 50, 80]},
            "size": {"kind": "number", "between": [0, 8], "edges": [2, 4]},
            "day": {"kind": "date", "between": ["2024-01-01", "2024-12-31"], "bins": "month"},
            "sex": {"kind": "category", "values": ["f", "m"], "missing": "error"},
        },
    }
)
HUGE = ht.Budget(epsilon=10**6)
ROWS = 4000


def release(rows: pa.Table, mechanism: str | None = None) -> ht.Synopsis:
    workload = "marginals(width=4)" if mechanism is None else "whole_table()"
    made = ht.plan(SHAPE, rows=len(rows), workload=workload, mechanism=mechanism, budget=HUGE)
    return Vault(rows, SHAPE).release(made, randomness=ht.Simulated(3))


def table(age, size, day, sex) -> pa.Table:
    days = pa.array((np.datetime64("2024-01-01") + day).astype("datetime64[D]"))
    return pa.table({"age": age, "size": size, "day": days, "sex": np.where(sex, "f", "m")})


@pytest.fixture(scope="module")
def uneven():
    random = np.random.default_rng(5)
    age = pa.array(np.minimum(random.geometric(0.03, ROWS), 99), mask=random.random(ROWS) < 0.05)
    size = np.round(8 * random.beta(0.4, 2, ROWS), 1)
    rows = table(age, size, np.minimum(random.geometric(0.01, ROWS), 365), random.random(ROWS) < 0.4)
    return rows, release(rows)


CONDITIONS = [
    "age < 33",
    "age <= 33",
    "age > 98",
    "NOT age >= 33",
    "age = 33",
    "age <> 33",
    "age BETWEEN 25 AND 31",
    "age BETWEEN 10 AND 60",
    "age IN (20, 33, 99)",
    "age NOT IN (33, 34)",
    "age < 33 OR age >= 44",
    "size > 2",
    "size >= 3.3",
    "size = 0.1",
    "size <= 0.5 AND age > 7",
    "size > 1 OR age < 5 OR sex = 'm'",
    "NOT (size > 1 AND age < 5)",
    "exactly(1, age < 33, size < 1.5, sex = 'f')",
    "day >= DATE '2024-01-15' AND day < DATE '2024-03-10'",
    "day = DATE '2024-02-02'",
    "(age < 33) IS TRUE",
    "NOT ((age < 33) IS TRUE)",
]


def truth(rows: pa.Table, condition: str) -> float:
    import duckdb

    plain = condition.replace("exactly(1, age < 33, size < 1.5, sex = 'f')",
                              "(age < 33)::int + (size < 1.5)::int + (sex = 'f')::int = 1")  # fmt: skip
    with duckdb.connect() as database:
        database.register("rows", rows)
        found = database.execute(f"SELECT count(*) FILTER (WHERE {plain}) / count(*) FROM rows").fetchall()
    return float(found[0][0])


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_truth_is_inside_wherever_in_their_bins_rows_lie(uneven, condition):
    rows, released = uneven
    answer = released.ask(condition, interpolate=True)
    low, high = answer.interval(0.95)
    assert low - 1e-6 <= truth(rows, condition) <= high + 1e-6
    assert low <= answer.value <= high
    assert high - low < 1, "the interval says something"
    assert any("interpolated inside bins" in note for note in answer.notes)
    assert answer.estimator == "interpolated"
    # The interval is no wider than what the cut bins hold.
    assert answer.bias <= high - low + 1e-9


def test_rows_that_are_spread_evenly_are_counted_exactly():
    grid = np.array([(a, s, d) for a in range(100) for s in (0.5, 1.5, 2.5, 3.5, 5, 7) for d in (3, 10, 24)])
    # Evenly inside their bins: sizes at the middles of quarters.
    rows = table(grid[:, 0].astype(int), grid[:, 1], grid[:, 2].astype(int), np.arange(len(grid)) % 2 == 0)
    released = release(rows)
    for condition in ("age < 33", "age = 7", "age BETWEEN 25 AND 31", "age BETWEEN 10 AND 60", "size < 1",
                      "size >= 3 AND age >= 90", "size < 1 OR age < 10", "NOT (size < 1 AND age < 10)"):  # fmt: skip
        asked = released.ask(condition, interpolate=True)
        assert asked.value == pytest.approx(truth(rows, condition), abs=1e-5)


def test_groups_counts_and_other_models(uneven):
    rows, released = uneven
    by = released.ask("SELECT sex, count(*) FROM t WHERE age < 33 GROUP BY sex", interpolate=True)
    frame = rows.to_pandas()
    low, high = by.interval(0.95)
    for i, sex in enumerate(by.groups["sex"]):
        exact = ((frame.sex == sex) & (frame.age < 33)).sum()
        assert low[i] - 0.01 <= exact <= high[i] + 0.01
    assert by.unit == "count"
    whole = release(rows, "pair-rake").ask("age < 33", interpolate=True)
    low, high = whole.interval(0.95)
    assert low <= truth(rows, "age < 33") <= high


def test_what_cuts_no_bin_is_answered_as_ever(uneven):
    _, released = uneven
    for question in ("age < 50", "SELECT sex, avg(age), count(*) FROM t GROUP BY sex", "SELECT avg(age) FROM t"):
        plain, asked = released.ask(question), released.ask(question, interpolate=True)
        assert np.array_equal(plain.value, asked.value)
        assert plain.notes == asked.notes


def test_refusals(uneven):
    _, released = uneven
    with pytest.raises(CutInsideBin, match="--interpolate"):
        released.ask("age < 33")
    for question in (
        "SELECT avg(size) FROM t WHERE age < 33",
        "SELECT age, count(*) FROM t WHERE age < 33 GROUP BY age",
        "share of age < 33 by sex",
    ):
        with pytest.raises(BadQuestion, match="interpolation is for shares and counts"):
            released.ask(question, interpolate=True)
    many = " OR ".join(f"(age = {a} AND size > {a / 20 + 0.03})" for a in range(21, 45, 3))
    with pytest.raises(BadQuestion, match="too many bins"):
        released.ask(many, interpolate=True)

"""Declared means: exact averages beside the tables, priced and charged with the rest, and read back from the file."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadDomain
from hushtable.laws import Law
from hushtable.mechanisms.means import MEANS_SHARE
from hushtable.models.column_means import ColumnMeans
from hushtable.owner.vault import Vault
from hushtable.synopsis.file_format import FORMAT
from hushtable.vault.ledger.ledger import Ledger

PARTS = {
    "table": "t",
    "means": ["age", "size"],
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "edges": [50]},
        "size": {"kind": "number", "between": [1, 3], "edges": [2]},
        "sex": {"kind": "category", "values": ["f", "m"], "missing": "error"},
        "smoker": {"kind": "boolean"},
    },
}
SHAPE = ht.Domain.from_dict(PARTS)
ROWS = 5000


def table() -> pa.Table:
    random = np.random.default_rng(1)
    age = pa.array(np.minimum(random.geometric(0.03, ROWS), 120), mask=random.random(ROWS) < 0.1)
    sex = random.random(ROWS) < 0.3
    size = np.where(sex, random.uniform(1, 2.2, ROWS), random.uniform(2, 3, ROWS))
    return pa.table({"age": age, "size": size, "sex": np.where(sex, "f", "m"), "smoker": random.random(ROWS) < 0.2})


def release(workload: str, budget: ht.Budget, shape: ht.Domain = SHAPE, seed: int = 2) -> ht.Synopsis:
    made = ht.plan(shape, rows=ROWS, workload=workload, budget=budget)
    return Vault(table(), shape).release(made, randomness=ht.Simulated(seed))


@pytest.mark.parametrize(
    "workload", ["marginals(width=1)", "marginals(width=2)", "whole_table()", "predicates(width=3)"]
)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_averages_and_sums_at_a_huge_budget_are_those_of_the_clamped_values(workload, neighbours):
    shape = ht.Domain.from_dict(PARTS | {"neighbours": neighbours})
    released = release(workload, ht.Budget(rho=100), shape)
    frame = table().to_pandas()
    frame["age"] = frame["age"].clip(0, 99)
    asked = {
        "SELECT avg(age) FROM t": frame.age.mean(),
        "SELECT sum(age) FROM t": frame.age.sum(),
        "SELECT avg(size) FROM t WHERE sex = 'f'": frame[frame.sex == "f"]["size"].mean(),
        "SELECT avg(age) FROM t WHERE smoker": frame[frame.smoker].age.mean(),
    }
    for question, truth in asked.items():
        answer = released.ask(question)
        assert answer.value == pytest.approx(truth, rel=5e-3)
        assert "from the released sum" in " ".join(answer.notes)
        low, high = answer.interval(0.95)
        assert low <= truth <= high
        assert high - low < 0.03 * max(abs(truth), 1)
    by = released.ask("SELECT sex, avg(size), count(*) FROM t GROUP BY sex")["avg(size)"]
    assert by.value == pytest.approx(frame.groupby("sex")["size"].mean().to_numpy(), rel=5e-3)


def test_a_tenth_of_the_price_is_theirs_and_all_of_it_is_charged(tmp_path):
    budget = ht.Budget(epsilon=1, delta="1e-9")
    made = ht.plan(SHAPE, rows=ROWS, workload="marginals(width=2)", budget=budget)
    whole = budget.price_in(made.design.price.currency)
    assert made.means is not None
    assert made.price.amount == whole.amount
    assert made.means.price.amount == pytest.approx(float(whole.amount * MEANS_SHARE), rel=1e-9)
    assert "avg(age) ±" in str(made)
    assert "10% of the budget" in str(made)
    released = Vault(table(), SHAPE, ledger=tmp_path / "t.ledger").release(made)
    lines = Ledger.open(tmp_path / "t.ledger").lines()
    charged = [line for line in lines if line.kind == "charge"]
    assert [line.what for line in charged][-1] == "measure split-sums"
    assert sum((line.amount for line in charged), Fraction(0)) <= whole.amount
    assert Fraction(released.accounting["price"]) == whole.amount


def test_the_file_keeps_them(tmp_path):
    released = release("marginals(width=1)", ht.Budget(epsilon=1))
    released.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    assert again.info().format == FORMAT == 6
    for question in ("SELECT avg(age) FROM t", "SELECT sex, avg(age) FROM t GROUP BY sex"):
        assert np.array_equal(released.ask(question).value, again.ask(question).value)
    assert again.digest == released.digest


def test_forecast_and_observed_error():
    """100 releases; the forecast is the error of the worst mean, so that the observed one lies below it."""
    budget = ht.Budget(epsilon=1)
    made = ht.plan(SHAPE, rows=ROWS, workload="marginals(width=1)", budget=budget)
    assert made.means is not None
    forecast = made.means.forecast(SHAPE, ROWS)["size"]
    truth = float(np.mean(table()["size"].to_numpy()))
    answers = [release("marginals(width=1)", budget, seed=seed).ask("SELECT avg(size) FROM t") for seed in range(100)]
    errors = np.array([answer.value - truth for answer in answers])
    # Each share of both ends is about a half, so that the error is about the root of a half of the forecast. A spread
    # of 100 Laplace errors is off by 40% once in a million times.
    assert 0.4 * forecast < errors.std() < 1.1 * forecast
    assert np.mean([answer.stderr for answer in answers]) == pytest.approx(errors.std(), rel=0.5)
    inside = [low <= truth <= high for low, high in (answer.interval(0.95) for answer in answers)]
    assert sum(inside) >= 83  # 95% of 100; fewer once in 10^6 times


def test_where_the_sums_say_less_than_the_bins_the_bins_answer():
    fine = PARTS | {"attributes": PARTS["attributes"] | {"age": {"kind": "integer", "between": [0, 99]}}}
    released = release("marginals(width=1)", ht.Budget(epsilon="0.5"), ht.Domain.from_dict(fine))
    by = released.ask("SELECT avg(age) FROM t")
    own = ColumnMeans.answer(released.means, released.model.parse("SELECT avg(age) FROM t"))
    assert np.ptp(by.interval(0.95)) <= np.ptp(own.interval(0.95))


def test_other_workloads_say_that_they_measure_none():
    made = ht.plan(SHAPE, rows=ROWS, workload="smooth(columns=[age])", budget=ht.Budget(epsilon=1))
    assert made.means is None
    assert "averages   not measured for smooth" in str(made)


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ("age", "means is a list of columns, such as [age, size]"),
        (["aeg"], "'aeg' is no column of numbers; there are age, size. Did you mean 'age'?"),
        (["sex"], "'sex' is no column of numbers"),
        (["age", "age"], "means names a column twice"),
        ([3], "means is a list of columns"),
    ],
)
def test_bad_domains(means, said):
    with pytest.raises(BadDomain) as caught:
        ht.Domain.from_dict(PARTS | {"means": means})
    assert said in str(caught.value)


def test_a_domain_keeps_its_means_and_an_older_digest_stays():
    assert ht.Domain.from_dict(SHAPE.to_dict()) == SHAPE
    plain = ht.Domain.from_dict({k: v for k, v in PARTS.items() if k != "means"})
    assert plain.digest != SHAPE.digest
    assert "means" not in plain.to_dict()
    assert plain.form == 1


def test_law_follows_currency():
    for budget, law in ((ht.Budget(epsilon=1), Law.LAPLACE), (ht.Budget(epsilon=1, delta="1e-9"), Law.ROUNDED)):
        made = ht.plan(SHAPE, rows=ROWS, workload="marginals(width=2)", budget=budget)
        assert made.means is not None
        assert made.means.noise.law == law

"""Rows without a value in a smooth column: left out of its means and quantiles, and counted."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadQuestion
from hushtable.mechanisms import mechanisms
from hushtable.synopsis import load
from smooth import ATTRIBUTES, PURE, ZCDP, ExactDoor, exact, people, table

GOLDEN = Path(__file__).parents[1] / "golden"
MECHANISMS = [("smooth-spline", PURE), ("smooth-spline", ZCDP), ("smooth-cheb", ZCDP), ("smooth-paper", PURE)]
CASES = [(*one, relation) for one in MECHANISMS for relation in ("replace", "add-remove")]
ROWS = table(20_000)


def gaps(rows, seed=5):
    """A third of the large incomes and a few ages are missing, so that nothing is missing at random."""
    g = np.random.default_rng(seed)
    age, income = rows["age"].copy(), rows["income"].copy()
    income[(income > np.median(income)) & (g.random(len(income)) < 0.33)] = np.nan
    age[g.random(len(age)) < 0.05] = np.nan
    return rows | {"age": age, "income": income}


GAPS = gaps(ROWS)
AGE, INCOME = ~np.isnan(GAPS["age"]), ~np.isnan(GAPS["income"])
FEMALE = GAPS["sex"] == "female"


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_means_are_over_the_rows_that_have_the_columns_asked_about(mechanism, budget, neighbours):
    """Also of fewer columns than were released together, and within categories."""
    workload = "smooth(columns=[age, income], by=[sex], length_scale=0.3)"
    synopsis = exact(GAPS, people(neighbours=neighbours), workload, budget, mechanism)
    for where, kept in (("", np.ones(len(FEMALE), bool)), (" WHERE sex = 'female'", FEMALE)):
        for text, present, values in (
            ("age", AGE, GAPS["age"]),
            ("income", INCOME, GAPS["income"]),
            ("age*income/1e5", AGE & INCOME, GAPS["age"] * GAPS["income"] / 1e5),
            ("expit(age/20-2)", AGE, 1 / (1 + np.exp(2 - GAPS["age"] / 20))),
        ):
            answer, truth = synopsis.ask(f"avg({text}){where}"), values[present & kept].mean()
            assert abs(answer.value - truth) <= answer.bias + 1e-6 * abs(truth)
            low, high = answer.interval()
            assert low <= truth <= high


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_the_share_that_is_missing_is_released(mechanism, budget, neighbours):
    synopsis = exact(GAPS, people(neighbours=neighbours), "smooth(columns=[age, income], by=[sex])", budget, mechanism)
    for text, rows in (
        ("income IS NULL", ~INCOME),
        ("income IS NOT NULL", INCOME),
        ("age IS NULL AND income IS NULL", ~AGE & ~INCOME),
        ("age IS NULL OR income IS NULL", ~AGE | ~INCOME),
        ("income IS NULL AND sex = 'female'", ~INCOME & FEMALE),
        ("income IS NULL OR sex = 'female'", ~INCOME | FEMALE),
        ("NOT (income IS NULL) AND NOT sex = 'female'", INCOME & ~FEMALE),
    ):
        answer = synopsis.ask(text)
        assert answer.value == pytest.approx(rows.mean(), abs=1e-6)
        assert synopsis.ask(text, count=True).value == pytest.approx(rows.sum(), abs=0.01)
        assert answer.stderr > 0
    grouped = synopsis.ask("SELECT sex, count(*) FROM people WHERE income IS NULL GROUP BY sex", count=False)
    np.testing.assert_allclose(grouped.value, [(~INCOME & FEMALE).mean(), (~INCOME & ~FEMALE).mean()], atol=1e-6)
    with pytest.raises(BadQuestion, match="no bins to count"):
        synopsis.ask("income IS NULL AND age >= 39")


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_quantiles_are_of_the_rows_that_have_a_value(mechanism, budget, neighbours):
    synopsis = exact(GAPS, people(neighbours=neighbours), "smooth(columns=[age, income])", budget, mechanism)
    for level in (0.1, 0.5, 0.9):
        low, high = synopsis.ask(f"quantile(income, {level})").interval()
        assert low <= np.quantile(GAPS["income"][INCOME], level, method="inverted_cdf") <= high
        if mechanism != "smooth-paper":
            assert high - low < 50_000


@pytest.mark.parametrize("budget", [PURE, ZCDP], ids=["pure", "zcdp"])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_direct_answers_leave_rows_out_too(budget, neighbours, tmp_path):
    shape = people(neighbours=neighbours)
    workload = "smooth(columns=[[age, income], [bmi]], examples=['log(income)', 'age*log(income)', 'age', 'bmi'])"
    made = ht.plan(shape, rows=len(AGE), workload=workload, budget=budget, mechanism="smooth-direct")
    door = ExactDoor(GAPS, shape)
    model = mechanisms()["smooth-direct"].release(door, shape, made.design)
    assert sum(p.amount for p in door.prices) <= budget.price.amount
    ht.Synopsis.from_release(made, model, ledger=None, not_private=False).save(tmp_path / "d.hush")
    synopsis = load(tmp_path / "d.hush")
    logs = np.log(GAPS["income"])
    for text, values in (("log(income)", logs), ("age*log(income)", GAPS["age"] * logs), ("bmi", GAPS["bmi"])):
        answer = synopsis.ask(f"avg({text})")
        assert answer.value == pytest.approx(np.nanmean(values), rel=1e-6)
        assert answer.notes == ()


def test_counting_missing_rows_costs_a_direct_release_nothing():
    for budget, neighbours in ((PURE, "replace"), (PURE, "add-remove"), (ZCDP, "replace"), (ZCDP, "add-remove")):
        workload = "smooth(columns=[age, income], examples=['log(income)', 'age*log(income)', 'age'])"
        with_gaps, complete = (
            ht.plan(people(neighbours=neighbours, complete=complete), rows=5000, workload=workload, budget=budget,
                    mechanism="smooth-direct").design.parameters[1].per_group
            for complete in (False, True)
        )  # fmt: skip
        for one, other in zip(with_gaps, complete, strict=False):
            assert float(one) == pytest.approx(float(other), rel=1e-6)


@pytest.mark.parametrize(("mechanism", "budget"), MECHANISMS[:3])
def test_room_for_missing_values_costs_little(mechanism, budget):
    """Two rows that have values stay the farthest apart, so that what is added is the noise of one more number."""
    for columns, questions, most in (
        ("age", ("avg(age)", "avg(exp(-((age-40)/15)**2/2))", "avg(cos(age/10))"), 1.05),
        ("age, income", ("avg(age)", "avg(age*income)", "avg(expit(age/10-5)*exp(-income/1e5))"), 1.35),
    ):
        roomy, complete = (
            exact(ROWS, people(complete=complete), f"smooth(columns=[{columns}])", budget, mechanism)
            for complete in (False, True)
        )
        for question in questions:
            assert roomy.ask(question).stderr < most * complete.ask(question).stderr


@pytest.mark.parametrize(("mechanism", "budget"), [*MECHANISMS, ("smooth-direct", PURE)])
def test_a_file_says_that_missing_rows_are_left_out(mechanism, budget, tmp_path):
    examples = ", examples=['age', 'log(income)']" if mechanism == "smooth-direct" else ", by=[sex]"
    made = ht.plan(people(), rows=20_000, workload=f"smooth(columns=[age, income]{examples})", budget=budget,
                   mechanism=mechanism)  # fmt: skip
    synopsis = ht.Vault(pa.table(GAPS), people()).release(made, randomness=ht.Simulated(2))
    synopsis.save(tmp_path / "t.hush")
    again = load(tmp_path / "t.hush")
    assert again.model.format == (2 if budget.currency == "pure" else 3)
    assert again.model.form == 2
    assert again.digest == synopsis.digest
    assert synopsis.ask("avg(age)").to_dict() == again.ask("avg(age)").to_dict()


@pytest.mark.parametrize("name", ["smooth-spline-pure", "smooth-cheb-zcdp", "smooth-direct-pure"])
def test_a_file_from_before_answers_as_before_and_says_so(name):
    old = load(GOLDEN / f"format-1-{name}.hush")
    asked = json.loads((GOLDEN / f"format-1-{name}.json").read_text())[0]["question"]
    assert any("in the middle of the range: age" in note for note in old.ask(asked).notes)
    assert old.model.format == 1
    if name != "smooth-direct-pure":
        with pytest.raises(BadQuestion, match="not among the categories"):
            old.ask("age IS NULL")


def test_without_missing_values_a_release_is_bit_by_bit_the_one_of_before():
    """The old file was made of a table in which nothing was missing; a domain that says so gives its numbers."""
    age, sex = {"kind": "number", "between": [0, 100], "bins": 4, "missing": "error"}, ATTRIBUTES["sex"]
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"age": age, "sex": sex}})
    source = np.random.default_rng(7)
    rows = pa.table({"age": source.beta(2, 3, 1000) * 100, "sex": source.choice(["female", "male"], 1000)})
    for name, budget, workload in (
        ("smooth-spline-pure", ht.Budget(epsilon=2), "smooth(columns=[age], by=[sex])"),
        ("smooth-cheb-zcdp", ht.Budget(epsilon=2, delta="1e-9"), "smooth(columns=[age])"),
    ):
        made = ht.plan(shape, rows=1000, workload=workload, budget=budget, mechanism=name.rpartition("-")[0],
                       currency=budget.currencies[-1])  # fmt: skip
        model = ht.Vault(rows, shape).release(made, randomness=ht.Simulated(4)).model
        old = load(GOLDEN / f"format-1-{name}.hush").model
        assert model.format == 1
        for key, numbers in old.numbers().items():
            np.testing.assert_array_equal(model.numbers()[key], numbers)

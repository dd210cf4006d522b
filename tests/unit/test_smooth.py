"""Smooth questions from plan to answer: what is exact, what is bounded, what is refused."""

import json
import re

import numpy as np
import pandas
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadData, BadPath, BadPlan, BadQuestion, UnknownAttribute
from hushtable.maths.smooth.axes import axis_of
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.mechanisms import mechanisms
from hushtable.synopsis import load
from smooth import ATTRIBUTES, PURE, ZCDP, ExactDoor, exact, people, table

PAIR = "smooth(columns=[age, income])"
ROWS = table()
NUMBERS = ["age", "income", "bmi"]
MECHANISMS = [("smooth-spline", PURE), ("smooth-spline", ZCDP), ("smooth-cheb", ZCDP), ("smooth-paper", PURE)]
FORMULAS = [
    "age", "age*income/1e5", "exp(-((age-40)/15)**2/2 - ((income-4e4)/3e4)**2/2)", "expit((age-50)/10 + income/1e5)",
    "cos(age/20)", "ndtr((40-age)/8)*ndtr((5e4-income)/2e4)", "log(income)", "abs(age-40)",
]  # fmt: skip


def mean(text, rows=ROWS, kept=None):
    columns = {name: rows[name] if kept is None else rows[name][kept] for name in NUMBERS}
    return float(np.mean(evaluate(parse_expression(text, NUMBERS), columns) * np.ones(len(columns["age"]))))


@pytest.mark.parametrize(("mechanism", "budget"), MECHANISMS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_spends_its_price_and_no_more(mechanism, budget, neighbours):
    shape = people(neighbours=neighbours)
    for workload in (PAIR, "smooth(columns=[age, income], by=[sex])", "smooth(columns=[[age, income], [bmi]])"):
        made = ht.plan(shape, rows=4000, workload=workload, budget=budget, mechanism=mechanism)
        door = ExactDoor(ROWS, shape)
        mechanisms()[mechanism].release(door, shape, made.design)
        spent = sum(price.amount for price in door.prices)
        assert budget.price.amount * 999 / 1000 <= spent <= budget.price.amount


@pytest.mark.parametrize(("mechanism", "budget"), MECHANISMS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("text", FORMULAS)
def test_without_noise_the_truth_is_within_the_bias(mechanism, budget, neighbours, text):
    synopsis = exact(ROWS, people(neighbours=neighbours), PAIR, budget, mechanism)
    answer = synopsis.ask(f"avg({text})")
    assert abs(answer.value - mean(text)) <= answer.bias
    assert answer.stderr > 0 or mechanism == "smooth-paper"
    # A kink has no fifth derivative, and a logarithm a huge one near the lower bound of a wide column.
    assert text in ("abs(age-40)", "log(income)") or answer.bias_kind == "certified"


def test_the_bias_bound_holds_for_every_table():
    """Random tables, tables with all rows on one point, and the points where f and its splines differ most."""
    g = np.random.default_rng(1)
    shape = people(complete=True)
    made = ht.plan(shape, rows=50, workload=PAIR, budget=PURE)
    model = mechanisms()[made.mechanism].release(ExactDoor(table(50), shape), shape, made.design)
    basis = model.released[0].margin(["age", "income"]).basis
    bounds = {text: model.answer(model.parse(f"avg({text})")).bias for text in FORMULAS}
    for number in range(60):
        spots = g.uniform(0, 1, (2, 1 if number % 3 == 0 else 50))
        if number % 3 == 2:
            spots = (g.choice(basis.points, (2, 50)) + 1) / 2
        age, income = 18 + 80 * spots[0], 1000 + 199000 * spots[1]
        rows = {"age": age, "income": income, "bmi": age * 0 + 20, "sex": ["male"] * len(age),
                "region": ["west"] * len(age)}  # fmt: skip
        seen = mechanisms()[made.mechanism].release(ExactDoor(rows, shape), shape, made.design)
        for text in FORMULAS:
            value = seen.answer(seen.parse(f"avg({text})")).value
            assert abs(value - mean(text, rows)) <= bounds[text] * (1 + 1e-9)


def test_a_constant_is_exact():
    synopsis = exact(ROWS, people(), PAIR)
    for text, value in (("2.5", 2.5), ("age**0 * 3", 3.0), ("income - income + 1", 1.0)):
        answer = synopsis.ask(f"avg({text})")
        assert (answer.value, answer.stderr, answer.bias) == (pytest.approx(value, abs=1e-12), 0.0, 0.0)


def test_categories_multiply_in():
    rows, female = ROWS, ROWS["sex"] == "female"
    for budget in (PURE, ZCDP):
        synopsis = exact(rows, people(), "smooth(columns=[age, income], by=[sex, region])", budget)
        bump = "exp(-(age-40)*(age-40)/200)"
        answer = synopsis.ask(f"avg({bump}) WHERE sex = 'female'")
        assert abs(answer.value - mean(bump, kept=female)) <= answer.bias
        grouped = synopsis.ask(f"SELECT region, avg({bump}) FROM people WHERE sex = 'female' GROUP BY region")
        assert list(grouped.groups["region"]) == ["north", "south", "west"]
        for name, value, bias in zip(grouped.groups["region"], grouped.value, grouped.bias, strict=True):
            assert abs(value - mean(bump, kept=female & (rows["region"] == name))) <= bias
        assert synopsis.ask("sex = 'female'").value == pytest.approx(female.mean(), abs=1e-9)
        assert synopsis.ask("sex = 'female'", count=True).value == pytest.approx(female.sum(), abs=1e-3)
        counts = synopsis.ask("SELECT sex, count(*) FROM people GROUP BY sex", count=True)
        np.testing.assert_allclose(counts.value, [female.sum(), (~female).sum()], atol=1e-3)
        assert (counts.stderr > 0).all()


def test_groups_of_columns_share_the_budget():
    workload = "smooth(columns=[[age, income], [bmi], [age]])"
    synopsis = exact(ROWS, people(), workload)
    for text in ("age*income/1e5", "bmi", "age"):
        answer = synopsis.ask(f"avg({text})")
        assert abs(answer.value - mean(text)) <= answer.bias + 1e-9
    alone, shared = (exact(ROWS, people(), w).ask("avg(bmi)").stderr for w in ("smooth(columns=bmi)", workload))
    assert shared > 1.5 * alone
    with pytest.raises(BadQuestion, match="were not released together; the groups are: age, income; bmi; age"):
        synopsis.ask("avg(age*bmi)")


def test_fewer_columns_are_answered_from_more():
    for budget in (PURE, ZCDP):
        synopsis = exact(ROWS, people(), "smooth(columns=[age, income, bmi])", budget)
        for text in ("bmi", "age*bmi/100", "exp(-((income-5e4)/5e4)**2)"):
            answer = synopsis.ask(f"avg({text})")
            assert abs(answer.value - mean(text)) <= answer.bias


def test_transforms_keep_questions_in_original_units():
    synopsis = exact(ROWS, people(), "smooth(columns=[log(income), sqrt(bmi)])")
    for text in ("income", "log(income)", "bmi*log(income)", "kde(income=30000)", "cdf(income=30000, softness=6000)"):
        answer = synopsis.ask(text if "(income=" in text else f"avg({text})")
        assert answer.bias_kind == "certified"
        if "=" not in text:
            assert abs(answer.value - mean(text)) <= answer.bias


def test_shortcuts_are_the_formulas_they_stand_for():
    synopsis = exact(ROWS, people(), PAIR)
    pairs = [
        ("kde(age=40, bandwidth=6)", "avg(exp(-((age-40)/6)**2/2)/(6*2.5066282746310002))"),
        ("kde(age=40, income=5e4, bandwidth=[9, 2e4])",
         "avg(exp(-((age-40)/9)**2/2-((income-5e4)/2e4)**2/2)/(9*2e4*6.283185307179586))"),
        ("moment(age=2, income=1)", "avg(age**2*income)"),
        ("logit(age=0.1, income=-1e-5, intercept=-4)", "avg(expit(0.1*age-1e-5*income-4))"),
        ("cdf(age=40, income=6e4, softness=[7, 2e4])", "avg(ndtr((40-age)/7)*ndtr((6e4-income)/2e4))"),
    ]  # fmt: skip
    for short, long in pairs:
        a, b = synopsis.ask(short), synopsis.ask(long)
        assert a.value == pytest.approx(b.value, rel=1e-9)
        assert a.stderr == pytest.approx(b.stderr, rel=1e-6)
    wave = synopsis.ask("charfn(age=0.1)")
    assert wave.groups == {"part": ("cos", "sin")}
    assert wave.value[1] == pytest.approx(synopsis.ask("avg(sin(0.1*age))").value, abs=1e-12)
    assert synopsis.ask("kde(age=40)").value == pytest.approx(synopsis.ask("kde(age=40, bandwidth=6)").value, rel=1e-9)


@pytest.mark.parametrize(
    ("more", "step"),
    [({"step": 5}, 5.0), ({}, None), ({"step": 5, "atoms": [20]}, 5.0), ({"kind": "integer"}, 1.0)],
)
def test_a_declared_step_is_the_step_of_the_axis(more, step):
    spec = {"kind": "number", "between": [0, 100], "missing": "error"} | more
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"v": spec}})
    assert axis_of(shape, "v").step == step


def test_quantiles_of_a_declared_step_are_its_multiples():
    spec = {"kind": "number", "between": [0, 100], "step": 5, "missing": "error"}
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"v": spec}})
    values = 5.0 * np.random.default_rng(3).binomial(20, 0.4, 5_000)
    plan = ht.plan(shape, rows=5_000, workload=ht.Smooth(("v",)), budget=ht.Budget(epsilon=2))
    synopsis = ht.Vault(pandas.DataFrame({"v": values}), shape).release(plan, randomness=ht.Simulated(1))
    for level in (0.1, 0.5, 0.9):
        answer = synopsis.ask(f"quantile(v, {level})")
        ends = [float(answer.value), *(float(end) for end in answer.interval())]
        assert [end % 5 for end in ends] == [0.0] * 3
        assert ends[1] <= np.quantile(values, level, method="inverted_cdf") <= ends[2]


def test_a_quantile_is_where_the_soft_distribution_function_reaches_the_level():
    for budget in (PURE, ZCDP):
        synopsis = exact(ROWS, people(), "smooth(columns=[age, income], by=[sex])", budget)
        for level in (0.1, 0.5, 0.9):
            answer = synopsis.ask(f"quantile(age, {level}, softness=6)")
            low, high = answer.interval(0.95)
            back = synopsis.ask(f"cdf(age={answer.value!r}, softness=6)")
            assert back.value == pytest.approx(level, abs=0.002)
            soft = np.quantile(ROWS["age"] + 6 * np.random.default_rng(99).normal(size=len(ROWS["age"])), level)
            assert low - 1 <= soft <= high + 1
            assert answer.interval(0.5)[0] >= low
        women = synopsis.ask("quantile(income, 0.5) WHERE sex = 'female'")
        assert abs(women.value - np.median(ROWS["income"][ROWS["sex"] == "female"])) < 6000
        assert "between" in str(women)
        json.dumps(women.to_dict(), allow_nan=False)


def test_numpy_code_is_asked_by_its_argument_names():
    synopsis = exact(ROWS, people(), "smooth(columns=[age, income], by=[sex])")

    def score(income, age):
        return np.tanh(income / 1e5) * np.sqrt(age)

    answer = synopsis.average(score)
    assert answer.bias_kind == "sampled"
    assert abs(answer.value - score(ROWS["income"], ROWS["age"]).mean()) <= answer.bias
    women = synopsis.average(score, where="sex = 'female'")
    kept = ROWS["sex"] == "female"
    assert abs(women.value - score(ROWS["income"][kept], ROWS["age"][kept]).mean()) <= women.bias
    assert len(synopsis.average(score, by=["sex"])) == 2


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda age: 1.0, "shape"),
        (lambda age: np.ones(3), "one number a point"),
        (lambda age: np.where(age > 60, np.nan, 1.0), "not a finite number at age = 6"),
        (lambda height: height, "arguments name its columns"),
        (lambda: 1, "arguments name its columns"),
        (lambda age: np.array(["x"] * len(age)), "one number a point"),
        (np.exp, "arguments name its columns"),
    ],
)
def test_numpy_code_that_is_no_function_of_the_columns_is_refused(function, says):
    with pytest.raises(BadQuestion, match=says):
        exact(ROWS, people(), PAIR).average(function)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("avg(age) WHERE age >= 29 AND age > 40", "WHERE cannot cut it"),
        ("avg(log(age-50))", "not a finite number at age = 18"),
        ("avg(exp(income))", "not a finite number"),
        ("avg(age > 3)", "not allowed in an expression"),
        ("avg(bmi)", "no smooth column 'bmi'; this synopsis has age, income"),
        ("avg(agee)", "Did you mean 'age'"),
        ("avg(age", "never closed"),
        ("avg(age) WHERE age >= 39", "age is not among the categories"),
        ("avg(age) WHERE sex = 'female'", "release with by="),
        ("avg(age) LIMIT 3", "expected WHERE or GROUP BY"),
        ("max(age)", None),
        ("SELECT avg(age), avg(nothing) FROM people", "no attribute 'nothing'"),
        ("sex = 'female'", "not among the categories"),
        ("kde(40)", "write it like kde"),
        ("kde(age=40, bandwidth=0)", "must be above 0"),
        ("kde(age=40, bandwidth=[1, 2])", "give one, or one each"),
        ("kde(height=3)", "no smooth column 'height'"),
        ("kde(age='x')", "is a number"),
        ("moment(age=-1)", "whole numbers from 0 to 20"),
        ("moment()", "names each column once"),
        ("cdf(age=40, softness=-1)", "must be above 0"),
        ("charfn(age=__import__('os'))", "cannot read charfn"),
        ("quantile(age, 1.5)", "between 0 and 1"),
        ("quantile(age)", "cannot read quantile"),
        ("quantile(age, 0.5, softness=0)", "above 0"),
        ("quantile(age, 0.5) GROUP BY sex", "one group at a time"),
        ("avg(" + "(" * 3000 + "age" + ")" * 3000 + ")", None),
    ],
)
def test_a_bad_question_is_one_clear_line(question, says):
    with pytest.raises(BadQuestion) as caught:
        exact(ROWS, people(), PAIR).ask(question)
    assert "\n" not in str(caught.value)
    assert says is None or says in str(caught.value)


@pytest.mark.parametrize(
    ("workload", "says"),
    [
        ("smooth(columns=[])", "columns is a list of names"),
        ("smooth(columns=[age, height])", "no attribute 'height'"),
        ("smooth(columns=[age, sex])", "sex is a category"),
        ("smooth(columns=[age, age])", "age is named twice"),
        ("smooth(columns=[age, log(age)])", "age is named twice"),
        ("smooth(columns=[age], by=[age])", "age is named twice"),
        ("smooth(columns=[age], by=[height])", "no attribute 'height'"),
        ("smooth(columns=[[age], [age]])", "same columns"),
        (
            "smooth(columns=[a, b, c, d, e, f, g, h, i])",
            r"at most 8 .*columns=\[\[a, b\], \[c, d, e\]\]",
        ),
        ("smooth(columns=[age], length_scale=0)", "length_scale"),
        ("smooth(columns=[age], length_scale=nan)", "length_scale"),
        ("smooth(columns=[age], g=3)", "g must be a whole number of at least 4"),
        ("smooth(columns=[age], t=1)", "t must be a whole number of at least 2"),
        ("smooth(columns=[age, income], length_scale=0.001)", "numbers and the cap is"),
        ("smooth(columns=[age], examples=['income'])", "no smooth column 'income'"),
        ("smooth(columns=[age], examples=['log(age-50)'])", "not a finite number"),
        ("smooth(columns=[age], examples=['3'])", "no column"),
        ("smooth(columns=[log(bmi), log(zero)])", "log(zero) needs a lower bound above 0"),
        ("smooth()", "takes columns"),
    ],
)
def test_a_bad_workload_is_one_clear_line_before_anything_is_read(workload, says):
    shape = ht.Domain.from_dict(
        {"table": "t", "attributes": ATTRIBUTES | {"zero": {"kind": "number", "between": [0, 5], "bins": 2}}}
    )
    with pytest.raises(BadPlan, match=says.replace("(", r"\(").replace(")", r"\)")) as caught:
        ht.plan(shape, rows=1000, workload=workload, budget=PURE)
    assert "\n" not in str(caught.value)


def test_bounds_are_checked_by_the_domain():
    for between in ([5, 5], [6, 5], ["nan", 5], [0, "inf"]):
        with pytest.raises(ht.HushError):
            ht.Domain.from_dict({"table": "t", "attributes": {"v": {"kind": "number", "between": between, "bins": 2}}})
    with pytest.raises(BadPlan, match="rows must be"):
        ht.plan(people(), rows=0, workload=PAIR, budget=PURE)
    with pytest.raises(BadPlan, match="rows are more than"):
        ht.plan(people(), rows=2**41, workload=PAIR, budget=PURE)


def test_odd_values_are_placed_by_public_rules():
    """Beyond the bounds at the bound; what is missing or no number has no value, and its row is left out."""
    times = 100
    rows = {
        "age": pa.array(["17", "200", None, "nan", "inf", "x", "58"] * times),
        "income": pa.array([1e9, -5.0, 100500.0, None, np.inf, np.nan, 100500.0] * times),
        "bmi": pa.array([20.0] * 7 * times), "sex": pa.array(["male"] * 7 * times),
        "region": pa.array(["west"] * 7 * times),
    }  # fmt: skip
    synopsis = exact(rows, people(), PAIR)
    assert synopsis.ask("avg(age)").value == pytest.approx((18 + 98 + 58) / 3, rel=1e-9)
    assert synopsis.ask("avg(income)").value == pytest.approx((200000 + 1000 + 100500 * 2) / 4, rel=1e-9)
    both = synopsis.ask("avg(age*income)").value
    assert both == pytest.approx((18 * 200000 + 98 * 1000 + 58 * 100500) / 3, rel=1e-9)
    assert synopsis.ask("age IS NULL").value == pytest.approx(4 / 7)
    assert synopsis.ask("age IS NULL AND income IS NOT NULL").value == pytest.approx(1 / 7)


def test_a_small_group_has_no_mean():
    rows = {name: column.copy() for name, column in ROWS.items()}
    rows["sex"][:] = "male"
    synopsis = exact(rows, people(), "smooth(columns=[age], by=[sex])")
    with pytest.raises(BadQuestion, match="cannot be told from 0"):
        synopsis.ask("avg(age) WHERE sex = 'female'")
    with pytest.raises(BadQuestion, match="no quantile"):
        synopsis.ask("quantile(age, 0.5) WHERE sex = 'female'")
    both = synopsis.ask("avg(age) GROUP BY sex")
    assert np.isnan(both.value[0])
    assert "no mean" in both.notes[0]
    json.dumps(both.to_dict(), allow_nan=False)


def test_a_function_too_narrow_says_what_would_resolve_it():
    synopsis = exact(table(200_000), people(), PAIR)
    (note,) = synopsis.ask("avg(exp(-((age-40)/3)**2/2))").notes
    assert "narrow for this release, and about g=" in note
    (note,) = synopsis.ask("avg(abs(age-40))").notes
    assert "g=" in note
    assert synopsis.ask("avg(expit(age/20-2))").notes == ()
    assert "pole" in synopsis.ask("avg(1/(age-50.01))").notes[0]


def test_the_planner_takes_splines_for_epsilon_and_polynomials_for_rho():
    pure, both = (ht.plan(people(), rows=50_000, workload=PAIR, budget=b) for b in (PURE, ZCDP))
    assert (pure.mechanism, both.mechanism) == ("smooth-spline", "smooth-cheb")
    assert any(a.mechanism == "smooth-spline" and "no delta" in a.why_not for a in both.alternatives)
    text = str(pure)
    assert "smooth-direct" in text
    assert "wide bounds waste resolution" in text
    assert pure.to_dict()["forecast"][0]["stderr"] < 0.001


def test_few_known_questions_are_better_answered_directly():
    few = "smooth(columns=[age, income], examples=['exp(-((age-40)/10)**2)', 'expit(income/5e4-1)'])"
    many = f"smooth(columns=[age, income], examples={[f'cos(age/{k})' for k in range(20, 140)]})"
    for budget in (PURE, ZCDP):
        said = {
            name: next(a for a in ht.plan(people(), rows=50_000, workload=w, budget=budget).alternatives
                       if a.mechanism == "smooth-direct").why_not
            for name, w in (("few", few), ("many", many))
        }  # fmt: skip
        assert said["few"].startswith("SMALLER")
        assert said["many"].startswith("larger")


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_direct_answers(neighbours, budget, tmp_path):
    shape = people(neighbours=neighbours)
    workload = "smooth(columns=[age, income], examples=['exp(-((age-40)/10)**2)', 'log(income)*age'])"
    made = ht.plan(shape, rows=4000, workload=workload, budget=budget, mechanism="smooth-direct")
    door = ExactDoor(ROWS, shape)
    model = mechanisms()["smooth-direct"].release(door, shape, made.design)
    assert sum(p.amount for p in door.prices) <= budget.price.amount
    synopsis = ht.Synopsis.from_release(made, model, ledger=None, not_private=False)
    synopsis.save(tmp_path / "d.hush")
    for seen in (synopsis, load(tmp_path / "d.hush")):
        answer = seen.ask("avg(log(income)*age)")
        assert answer.value == pytest.approx(mean("log(income)*age"), rel=1e-6)
        assert 0 < answer.stderr < 10 * made.design.forecasts[0].worst / 4000
        with pytest.raises(BadQuestion, match="answers only the questions it was released for"):
            seen.ask("avg(age)")


@pytest.mark.parametrize(("mechanism", "budget"), MECHANISMS)
def test_a_synopsis_answers_the_same_after_save_and_load(mechanism, budget, tmp_path):
    made = ht.plan(people(), rows=4000, workload="smooth(columns=[[age, log(income)], [bmi]], by=[sex])", budget=budget,
                   mechanism=mechanism)  # fmt: skip
    vault = ht.Vault(pa.table(ROWS), people(), ledger=tmp_path / "t.ledger")
    synopsis = vault.release(made, randomness=ht.Simulated(3))
    synopsis.save(tmp_path / "t.hush")
    again = load(tmp_path / "t.hush")
    for question in ("avg(age)", "avg(bmi) GROUP BY sex", "quantile(income, 0.5)"):
        assert synopsis.ask(question).to_dict() == again.ask(question).to_dict()
    assert again.digest == synopsis.digest
    assert again.ask("avg(age)").notes[0].startswith("NOT PRIVATE")


@pytest.mark.parametrize("change", [
    {"rows": -1}, {"law": "uniform"}, {"basis": "wavelet"}, {"by": ["height"]}, {"smoothness": 99}, {"blocks": []},
    {"blocks": [{"columns": ["age"], "size": 3, "unit": 1, "scale": "1"}]},
    {"blocks": [{"columns": ["age"], "size": 28, "unit": 0, "scale": "1"}]},
    {"blocks": [{"columns": ["age"], "size": 28, "unit": 8, "scale": "0"}]},
])  # fmt: skip
def test_a_file_that_makes_no_sense_is_refused(change, tmp_path):
    from hushtable.errors import BadSynopsis
    from hushtable.models.smooth.smooth import SmoothModel

    good = {"basis": "spline", "law": "laplace", "rows": 100, "by": [], "smoothness": None,
            "blocks": [{"columns": ["age"], "size": 28, "unit": 8, "scale": "1"}]}  # fmt: skip
    assert SmoothModel.lengths(people(), good) == {"sums-0": 28}

    def read():
        SmoothModel.lengths(people(), good | change)
        SmoothModel.build(people(), good | change, {"sums-0": np.zeros(28, np.int64)})

    with pytest.raises((BadSynopsis, KeyError, UnknownAttribute)):
        read()


def test_nothing_is_spent_on_a_table_that_does_not_fit(tmp_path):
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"v": {"kind": "number", "between": [0, 9], "bins": 2,
                                                                   "missing": "error"}}})  # fmt: skip
    vault = ht.Vault(pa.table({"v": pa.array([1.0, None])}), shape, ledger=tmp_path / "t.ledger")
    with pytest.raises(BadData):
        vault.release(ht.plan(shape, rows=2, workload="smooth(columns=[v])", budget=PURE))
    assert not (tmp_path / "t.ledger").exists()


def test_tiny_and_huge_budgets_have_noise_that_can_be_drawn():
    for budget in (ht.Budget(epsilon="1e-6"), ht.Budget(rho="1e-9"), ht.Budget(epsilon=100), ht.Budget(rho=100)):
        made = ht.plan(people(complete=True), rows=1000, workload=PAIR, budget=budget)
        vault = ht.Vault(pa.table(ROWS), people(complete=True))
        assert np.isfinite(vault.release(made, randomness=ht.Simulated(1)).ask("avg(age)").value)


def test_several_rows_per_person_multiply_the_error():
    one, three = (ht.plan(people(rows=r), rows=1000, workload=PAIR, budget=PURE) for r in (1, 3))
    assert three.design.forecasts[0].typical == pytest.approx(3 * one.design.forecasts[0].typical, rel=1e-6)


def test_a_target_error_is_met():
    made = ht.plan(people(), rows=50_000, workload=PAIR, target_error="0.001")
    assert made.design.forecasts[0].typical / 50_000 <= 0.001


def test_other_synopses_say_what_they_cannot_do(tmp_path):
    made = ht.plan(people(), rows=4000, workload="marginals(width=1)", budget=PURE)
    synopsis = ht.Vault(pa.table(ROWS), people()).release(made, randomness=ht.Simulated(1))
    with pytest.raises(BadQuestion, match="no smooth columns"):
        synopsis.average(lambda age: age)
    from hushtable.synopsis.density import density

    with pytest.raises(BadQuestion, match="no smooth columns"):
        density(synopsis, ["age"])


def test_a_density_integrates_to_one_and_holds_the_truth():
    from hushtable.synopsis.density import density

    synopsis = exact(ROWS, people(), "smooth(columns=[age, log(income)], by=[sex])")
    one = density(synopsis, ["age"])
    assert np.trapezoid(one.value, one.places[0]) == pytest.approx(1, abs=0.02)
    kernel = synopsis.ask("kde(age=50, bandwidth=6)").value
    assert np.interp(50, one.places[0], one.value) == pytest.approx(kernel, rel=0.02)
    two = density(synopsis, ["income", "AGE"], where="sex = 'female'")
    inner = np.trapezoid(two.value, np.log(two.places[0]), axis=0)
    assert np.trapezoid(inner, two.places[1]) == pytest.approx(1, abs=0.03)
    assert (two.half > 0).all()
    for columns in ([], ["age", "age"], ["bmi"], ["age", "income", "bmi"]):
        with pytest.raises(BadQuestion, match="a picture has one or two"):
            density(synopsis, columns)


def test_pictures_are_written_where_they_can_be(tmp_path):
    from hushtable.report.plots import check_picture, save_density
    from hushtable.synopsis.density import density

    synopsis = exact(ROWS, people(), PAIR)
    for name, columns in (("a.svg", ["age"]), ("b.svg", ["age", "income"]), ("c.png", ["income"])):
        target = check_picture(tmp_path / name)
        save_density(target, density(synopsis, columns), title="people")
        assert target.stat().st_size > 5000
        with pytest.raises(BadPath, match="exists"):
            check_picture(tmp_path / name)
    with pytest.raises(BadPath, match=r"end it in .svg or .png"):
        check_picture(tmp_path / "d.pdf")


PUBLISHED = ht.Domain.from_dict(
    {"table": "t", "attributes": {"age": {"kind": "number", "between": [0, 100], "bins": 4, "missing": "error"}}}
)


@pytest.mark.parametrize("mechanism", [None, "smooth-spline", "smooth-cheb"])
def test_who_needs_no_order_says_so(mechanism):
    """A workload says what may be asked; questions with bounded derivatives are answered by all."""
    budget = ht.Budget(epsilon=1, delta="1e-9")
    workload = "smooth(columns=[age], order=4)"
    plan = ht.plan(PUBLISHED, rows=1000, workload=workload, budget=budget, mechanism=mechanism)
    assert "order=4 is not needed here: the bias of every answer is computed from its function" in str(plan)


@pytest.mark.parametrize(
    ("workload", "mechanism", "order"),
    [
        ("smooth(columns=[age])", "smooth-paper", 2),
        ("smooth(columns=[age])", "smooth-paper(order=4)", 4),
        ("smooth(columns=[age], order=4)", "smooth-paper", 4),
        ("smooth(columns=[age], order=4)", "smooth-paper(order=1)", 1),
    ],
)
def test_the_order_of_smoothness_is_that_of_the_mechanism_or_of_the_workload(workload, mechanism, order, tmp_path):
    """t is the source's (n epsilon)^(1 / (2d + K)), and the operator is that of K, also after loading."""
    plan = ht.plan(PUBLISHED, rows=10**6, workload=workload, mechanism=mechanism, budget=ht.Budget(epsilon=1))
    assert plan.design.numbers == round(10 ** (6 / (2 + order)))
    assert (plan.mechanism, str(plan.workload)) == (mechanism, workload)
    table = pa.table({"age": np.linspace(0, 100, 1000)})
    synopsis = ht.Vault(table, PUBLISHED).release(plan, randomness=ht.Simulated(1))
    synopsis.save(tmp_path / "s.hush")
    assert ht.load(tmp_path / "s.hush").model.released[0].smoothness == order


@pytest.mark.parametrize(
    ("workload", "mechanism", "said"),
    [
        ("smooth(columns=[age], order=0)", "smooth-paper", "order must be a whole number from 1 to 20"),
        ("smooth(columns=[age], order=21)", "smooth-paper", "order must be a whole number from 1 to 20"),
        ("smooth(columns=[age])", "smooth-paper(order=2.5)", "order must be a whole number from 1 to 20"),
        ("smooth(columns=[age])", "smooth-paper(order=12)", "or give t in the workload, as in smooth"),
        ("smooth(columns=[age])", "smooth-paper(K=2)", "smooth-paper takes order; given: K"),
    ],
)
def test_an_order_that_cannot_be_is_said_in_one_line(workload, mechanism, said):
    with pytest.raises(BadPlan, match=re.escape(said)):
        ht.plan(PUBLISHED, rows=10**6, workload=workload, mechanism=mechanism, budget=ht.Budget(epsilon=1))

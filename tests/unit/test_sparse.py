"""Sparse workloads from the plan to the answer, without luck where there is none, and with seeds where there is."""

import json
import math
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.cli import main
from hushtable.errors import BadPlan, BadQuestion, BadSynopsis, UnknownAttribute
from hushtable.laws import Law
from hushtable.questions.lists import flatten
from hushtable.questions.workloads import read_workload
from hushtable.questions.workloads.sparse import Conjunctions, Sparse

APPROX, PURE, RHO = ht.Budget(epsilon=1, delta="1e-6"), ht.Budget(epsilon=1), ht.Budget(rho="0.5")
URL = {"url": {"kind": "open"}}
KIND = {"kind": {"kind": "category", "values": ["read", "write"], "missing": "error"}}
SOURCE = np.random.default_rng(1)
VALUES = [f"site{i}.org" if i % 97 else None for i in SOURCE.zipf(1.3, 20_000)]
TRUTH = {value: VALUES.count(value) for value in set(VALUES)}


def shape(attributes=None, *, neighbours="replace", rows=1):
    return ht.Domain.from_dict(
        {"table": "t", "neighbours": neighbours, "unit": {"rows": rows}, "attributes": attributes or URL}
    )


def released(budget=APPROX, *, workload="sparse(size=100)", domain=None, table=None, seed=1, mechanism=None):
    domain = domain or shape()
    table = table or pa.table({"url": pa.array(VALUES)})
    plan = ht.plan(domain, workload=workload, budget=budget, rows=20_000, mechanism=mechanism)
    return ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed))


@pytest.fixture(scope="module")
def synopsis():
    return released()


def near(answer, truth, errors=8.0):
    """Within 8 standard errors; for sums of Laplace noise that fails with a chance below 1e-4 even for one alone,
    and seeds are fixed, so it never fails by luck."""
    return abs(answer.value - truth) <= answer.bias + errors * max(answer.stderr, 1e-9)


# Workloads and plans


@pytest.mark.parametrize(
    "text",
    [
        "sparse(size=100)",
        "sparse(size=5, columns=[url], rare=False, buckets=4096)",
        "conjunctions(free=3, buckets=256)",
    ],
)
def test_workloads_read_what_they_print(text):
    assert str(read_workload(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sparse(size=0)", "size must be"),
        ("sparse(size=1.5)", "size must be"),
        ("sparse(size=10, rare=7)", "rare is True or False"),
        ("sparse(size=10, buckets=1000)", "power of two"),
        ("sparse(size=10, columns=[])", "at least one column"),
        ("sparse(size=10, columns=[url, url])", "each once"),
        ("sparse()", "sparse takes"),
        ("conjunctions(free=13)", "free must be"),
        ("conjunctions(free=-1)", "free must be"),
    ],
)
def test_bad_workloads_say_what_is_wrong(text, says):
    with pytest.raises(BadPlan, match=says):
        read_workload(text)


def test_the_key_is_the_one_open_column_unless_columns_are_named():
    assert [a.name for a in Sparse(size=1).attributes(shape(URL | KIND))] == ["url"]
    assert [a.name for a in Sparse(size=1, columns=("kind", "url")).attributes(shape(URL | KIND))] == ["kind", "url"]
    with pytest.raises(BadPlan, match="no attribute of kind open; name the columns"):
        Sparse(size=1).check(shape(KIND))
    with pytest.raises(BadPlan, match="url, agent"):
        Sparse(size=1).check(shape(URL | {"agent": {"kind": "open"}}))
    with pytest.raises(UnknownAttribute, match="Did you mean 'url'"):
        Sparse(size=1, columns=("ur1",)).check(shape())
    lists = {"choice": {"kind": "decision_list", "inputs": ["a"], "length": 1}}
    with pytest.raises(BadPlan, match="holds decision lists"):
        Sparse(size=1, columns=("choice",)).check(shape(lists))


def test_open_columns_are_not_for_marginals():
    for text in ("marginals(width=1)", "predicates(width=1)"):
        with pytest.raises(BadPlan, match=r"no attribute with listed values; .*url is open .*; a sparse workload"):
            ht.plan(shape(), workload=text, budget=PURE)
    for text in ("marginals(width=2)", "predicates(width=2)"):
        with pytest.raises(BadPlan, match=r"1 attribute with listed values; use width=1 or less; url is open"):
            ht.plan(shape(URL | KIND), workload=text, budget=PURE)
    table = pa.table({"url": ["a"] * 50, "kind": ["read"] * 50})
    made = released(PURE, workload="marginals(width=1)", domain=shape(URL | KIND), table=table)
    with pytest.raises(BadQuestion, match=r"url is open .*; a sparse workload answers it"):
        made.ask("url = 'a'")
    with pytest.raises(BadQuestion, match="takes questions as text, not a Listed"):
        made.ask(ht.Listed(["a"]))


def test_a_table_of_one_open_column_needs_no_workload():
    assert str(ht.plan(shape(), budget=PURE).workload) == "sparse(size=100)"


def test_the_planner_follows_the_budget_and_what_the_user_declares():
    def chosen(budget, text="sparse(size=100)", rows=50_000):
        plan = ht.plan(shape(), workload=text, budget=budget, rows=rows)
        return plan.mechanism, plan.design.parameters, plan

    name, sizes, plan = chosen(APPROX)
    assert (name, sizes.width, sizes.signed, sizes.threshold) == ("hash-sketch", 2**20, True, 264)
    assert plan.design.price.delta == APPROX.delta
    assert sizes.noise.law == "laplace"
    assert float(sizes.noise.per_group[1]) == pytest.approx(2 / 0.9, rel=1e-9)
    name, sizes, _ = chosen(PURE)
    assert (name, sizes.width, sizes.threshold, sizes.list_scale) == ("hash-sketch", 2**22, 0, 0)
    name, sizes, _ = chosen(RHO)
    assert (name, sizes.signed, sizes.noise.law) == ("hash-sketch", False, "rounded-gaussian")
    assert float(sizes.noise.per_group[1]) == pytest.approx(2, rel=1e-9)  # 1 / rho
    assert chosen(APPROX, "sparse(size=100, rare=False)")[0] == "stability-histogram"
    assert chosen(ht.Budget(epsilon="0.2", delta="1e-6"))[1].list_scale == Fraction(2) / Fraction("0.01")
    assert chosen(APPROX, rows=10)[1].width == 2**12
    assert chosen(APPROX, "sparse(size=100, buckets=256)")[1].width == 256


def test_a_threshold_needs_a_delta():
    for budget in (PURE, RHO):
        with pytest.raises(BadPlan, match="a threshold needs a delta"):
            ht.plan(shape(), workload="sparse(size=9)", budget=budget, mechanism="stability-histogram")


def test_a_target_error_gives_the_epsilon_of_a_list():
    for delta in (None, "1e-6"):
        plan = ht.plan(shape(), workload="sparse(size=100)", target_error="0.001", delta=delta, rows=50_000, width=3)
        assert plan.design.forecasts[2].width == 100
        assert plan.design.forecasts[2].typical / 50_000 <= 0.001
        assert plan.design.forecasts[2].typical / 50_000 > 0.0009


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("budget", [APPROX, PURE, RHO], ids=["approx", "pure", "rho"])
def test_a_release_spends_its_budget_and_no_more(budget, rows, neighbours):
    """A door with exactly the price never refuses, and what it was asked for adds up to nearly all of it."""
    from hushtable.mechanisms import mechanisms
    from hushtable.vault.door.door import Door
    from hushtable.vault.sources import open_source

    class Account:
        def __init__(self):
            self.paid = []

        def charge(self, price, *, what):
            self.paid.append(price)

    domain = shape(neighbours=neighbours, rows=rows)
    for name in ("hash-sketch", "stability-histogram")[: 2 if budget is APPROX else 1]:
        plan = ht.plan(domain, workload="sparse(size=9)", budget=budget, rows=500, mechanism=name)
        account, source = Account(), open_source(pa.table({"url": VALUES[:500]}))
        door = Door(
            total=lambda s, source=source: source.total(s, domain),
            unit=domain.unit, price=plan.design.price, account=account, randomness=ht.Simulated(3),
        )  # fmt: skip
        mechanisms()[name].release(door, domain, plan.design)
        spent = sum(price.into(budget.currency if budget is RHO else "pure").amount for price in account.paid)
        assert 0.999 * plan.design.price.amount <= spent <= plan.design.price.amount
        assert sum(price.delta for price in account.paid) <= budget.delta
        if budget is APPROX:
            # A threshold is a whole number of rows, so it leaves a little.
            assert sum(price.delta for price in account.paid) > budget.delta / 3


# Answers


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [APPROX, PURE, RHO], ids=["approx", "pure", "rho"])
def test_answers_are_near_the_truth_and_say_how_near(budget, neighbours):
    made = released(budget, domain=shape(neighbours=neighbours))
    listed = ["site1.org", "site2.org", "site7777777.org", "nowhere"]
    truth = TRUTH["site1.org"] + TRUTH["site2.org"]
    for count in (True, False):
        answer = made.ask(ht.Listed(listed), count=count)
        assert near(answer, truth if count else truth / 20_000)
        assert answer.stderr == pytest.approx(math.hypot(answer.noise, answer.collision))
        assert 0 < answer.noise < (40 if count else 40 / 20_000)
        assert "noise" in answer.to_dict()
        assert "collision" in answer.to_dict()
    assert made.ask(ht.Listed([]), count=True).value == 0
    assert made.ask(ht.Listed([]), count=True).stderr == 0
    assert near(made.ask("url IS NULL", count=True), TRUTH[None])


def test_the_forms_of_a_question_agree(synopsis):
    for text in (
        "url IN ('site1.org', 'site2.org')",
        "(url IN ('site1.org', 'site2.org', 'site1.org', NULL, ' site3.org'))",
        "SELECT count(*) FROM t WHERE url IN ('site2.org', 'site1.org')",
    ):
        assert synopsis.ask(text, count=False).value == synopsis.ask(ht.Listed(("site1.org", "site2.org"))).value
    assert synopsis.ask("url = 'site1.org'").value == synopsis.ask(ht.Listed(["site1.org"])).value
    assert synopsis.ask("url IN (1, -2)").value == synopsis.ask(ht.Listed([1.0, "-2"])).value
    assert synopsis.ask("url = TRUE").value == synopsis.ask(ht.Listed([True])).value


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("url = ' site1.org '", "without spaces around them, so no row has url = ' site1.org '; ask url = 'site1.org'"),
        ("url IN ('  ')", "ask url IS NULL, which is what a blank one is read as"),
        ("url = ''", "ask url IS NULL"),
        ("url IN (NULL)", "no comparison with NULL is ever true in SQL; ask url IS NULL for missing values"),
        ("url = NULL", "ask url IS NULL"),
    ],
)
def test_what_no_row_can_have_is_nothing_and_a_note_says_why(synopsis, question, says):
    answer = synopsis.ask(question, count=True)
    assert (answer.value, answer.interval()) == (0, (0, 0))
    assert any(says in note for note in answer.notes)


def test_listed_columns_of_a_key_are_compared_as_elsewhere():
    """Labels of codes, one value a bin; an undeclared value is never taken for all undeclared ones."""
    shape = ht.Domain.from_dict(
        {
            "table": "t",
            "attributes": {
                "url": {"kind": "open"},
                "region": {"kind": "category", "values": ["north", "south"], "other": True},
                "age": {"kind": "integer", "between": [0, 9], "edges": [1]},
                "sex": {"kind": "category", "values": ["f", "m"]},
            },
        }
    )
    table = pa.table({"url": ["a"] * 30, "region": (["north"] * 10 + ["mars"] * 20), "age": [0] * 15 + [7] * 15,
                      "sex": [None] * 5 + ["f"] * 25})  # fmt: skip
    workload = "sparse(size=10, columns=[url, region, age, sex], buckets=256)"
    plan = ht.plan(shape, workload=workload, budget=ht.Budget(epsilon=4000), rows=30)
    made = ht.Vault(table, shape).release(plan, randomness=ht.Simulated(1))

    def count(*key):
        return round(made.ask(f"(url, region, age, sex) IN (({', '.join(key)}))", count=True).value)

    assert count("'a'", "'north'", "0", "'f'") == 5
    assert count("'a'", "'north'", "'0'", "'missing'") == 5
    assert count("'a'", "'other'", "'1-9'", "'f'") == 15
    assert count("'a'", "'north'", "0", "NULL") == 0
    assert count("'a'", "'north'", "0", "'x'") == 0
    assert made.ask(ht.Listed([("a", "other", "1-9", "f"), ("a", "north", 0, None)]), count=True).value > 19
    for key, says in (
        (("'a'", "'mars'", "0", "'f'"), "cannot be told from the others; ask region = 'other'"),
        (("'a'", "'north'", "7", "'f'"), "cuts a bin in two"),
    ):
        with pytest.raises(BadQuestion, match=says):
            count(*key)
    for values in (("a", "mars", 0, "f"), ("a", "north", 7, "f"), ("a", "north", 0, "x")):
        with pytest.raises(BadQuestion, match=r"has no value|the whole bin '1-9'"):
            made.ask(ht.Listed([values]))


def test_weights_count_in_proportion(synopsis):
    one, other = (synopsis.ask(ht.Listed([v]), count=True) for v in ("site1.org", "site2.org"))
    both = synopsis.ask(ht.Listed({"site1.org": 0.5, "site2.org": 0.25}), count=True)
    assert both.value == pytest.approx(0.5 * one.value + 0.25 * other.value)
    assert both.noise == pytest.approx(one.noise * math.hypot(0.5, 0.25))
    assert both.collision == pytest.approx(one.collision * math.hypot(0.5, 0.25))


def test_many_lists_at_once_are_the_lists_one_by_one(synopsis, monkeypatch):
    from hushtable.models.keyed import list_answers

    source = np.random.default_rng(2)
    lists = {
        f"list {i}": [f"site{x}.org" for x in source.choice(5000, i, replace=False)] for i in (0, 1, 50, 7, 0, 900)
    }
    lists["weighted"] = {"site1.org": 0.5}
    for block in (10, 10**6):
        monkeypatch.setattr(list_answers, "BLOCK", block)
        table = synopsis.ask(ht.Lists(lists), count=True)
        singles = [synopsis.ask(ht.Listed(one), count=True) for one in lists.values()]
        for name in ("value", "stderr", "noise", "collision", "bias", "kurtosis"):
            np.testing.assert_allclose(getattr(table, name), [getattr(one, name) for one in singles], atol=1e-9)
        assert table.groups == {"list": tuple(lists)}
    assert set(table.to_arrow().column_names) >= {"list", "value", "noise", "collision"}
    assert len(synopsis.ask(ht.Lists({}))) == 0


def test_values_of_one_list_that_share_a_bucket_share_its_noise():
    """In 256 buckets 40 values collide: the noise of the answer is that of the bucket sums, by brute force."""
    made = released(workload="sparse(size=100, buckets=256)")
    values = [f"value {i}" for i in range(40)]
    answer = made.ask(ht.Listed({v: (1 + i % 3) / 3 for i, v in enumerate(values)}), count=True)
    sketch = made.model.sketch
    places = sketch.places(flatten([values], made.model.columns.attributes).keys)
    sums = np.zeros(256)
    np.add.at(sums, places.buckets, places.signs * np.array([(1 + i % 3) / 3 for i in range(40)]))
    variance = Law.LAPLACE.discrete_variance(made.model.group_scales[1])
    assert answer.noise == pytest.approx(math.sqrt(variance * (sums**2).sum()))
    scale = float(made.model.group_scales[1])
    assert answer.kurtosis == pytest.approx(12 * scale**4 * (sums**4).sum() / answer.stderr**4)
    assert any("share buckets" in note for note in answer.notes)


def test_the_most_frequent_values_with_intervals(synopsis):
    top = synopsis.ask("top(3)", count=True)
    best = sorted(TRUTH, key=TRUTH.get, reverse=True)[:3]
    assert list(top.groups["url"]) == ["missing" if v is None else v for v in best]
    low, high = top.interval(0.999999)
    assert all(a <= TRUTH[v] <= b for v, a, b in zip(best, low, high, strict=True))
    assert "only" in synopsis.ask("top(1000000)").notes[-1]


def test_rare_values_may_be_counted_as_absent(synopsis):
    values = ["site1.org", "site4711.org", "nowhere"]
    answer = synopsis.ask(ht.Listed(values, rare_is_zero=True), count=True)
    alone = synopsis.ask(ht.Listed(["site1.org"]), count=True)
    assert answer.value == alone.value
    frequent = synopsis.model.frequent
    assert answer.bias == pytest.approx(2 * frequent.threshold)
    # The noise by which they were missed is in the interval, the more of it the surer it is.
    missed = 2 * Law.LAPLACE.discrete_variance(frequent.scale)
    assert answer.noise**2 == pytest.approx(alone.noise**2 + missed)
    assert any("count as absent" in note for note in answer.notes)


def test_the_noise_of_the_list_cancels(synopsis):
    """What the list takes out of the buckets it puts back: another noisy count on the list gives the same answers."""
    from dataclasses import replace

    model = synopsis.model
    moved = replace(model, frequent=replace(model.frequent, counts=model.frequent.counts + 17))
    for text in ("url = 'site1.org'", "url IN ('site1.org', 'site3.org', 'site5.org')"):
        assert moved.answer(moved.parse(text), count=True).value == model.answer(model.parse(text), count=True).value


def test_the_stability_histogram_answers_absent_values_with_nothing():
    made = released(workload="sparse(size=100, rare=False)")
    assert made.mechanism == "stability-histogram"
    answer = made.ask(ht.Listed(["site1.org", "nowhere"]), count=True)
    assert near(answer, TRUTH["site1.org"])
    assert answer.bias == pytest.approx(28)
    absent = made.ask(ht.Listed(["nowhere"]), count=True)
    # It has at most the threshold minus the noise by which it was missed, were it there.
    assert (absent.value, absent.stderr) == (0, pytest.approx(Law.LAPLACE.discrete_variance(2) ** 0.5))
    assert absent.interval(0.999)[1] - absent.interval(0.95)[1] > 2 * 2
    assert list(made.ask("top(1)").groups["url"]) == ["site1.org"]
    with pytest.raises(BadQuestion, match="'a' is listed twice"):
        made.ask(ht.Listed(["a", " a"]))


def test_several_columns_are_one_key():
    domain = shape(URL | KIND)
    table = pa.table({"url": VALUES, "kind": ["read" if i % 3 else "write" for i in range(len(VALUES))]})
    made = released(workload="sparse(size=9, columns=[url, kind])", domain=domain, table=table)
    truth = sum(v == "site1.org" and i % 3 == 0 for i, v in enumerate(VALUES))
    for question in ("(url, kind) IN (('site1.org', 'write'))", ht.Listed([("site1.org", "write")])):
        assert near(made.ask(question, count=True), truth)
    assert set(made.ask("top(2)").groups) == {"url", "kind"}
    with pytest.raises(BadQuestion, match="2 together"):
        made.ask(ht.Listed(["site1.org"]))
    with pytest.raises(BadQuestion, match="kind has no value 'reed'"):
        made.ask(ht.Listed([("site1.org", "reed")]))
    with pytest.raises(BadQuestion, match="lists of url, kind"):
        made.ask("url = 'a'")
    with pytest.raises(BadQuestion, match="2 values in brackets"):
        made.ask("(url, kind) IN ('a', 'b')")


def test_several_rows_a_person_scale_the_noise():
    one, five = (released(domain=shape(rows=r)).ask("url = 'site1.org'", count=True) for r in (1, 5))
    assert five.noise == pytest.approx(5 * one.noise, rel=0.01)


# Conjunctions


def test_conjunctions_on_all_but_a_few_columns():
    names = [f"b{i}" for i in range(10)]
    domain = shape({n: {"kind": "boolean", "missing": "error"} for n in names})
    rows = np.random.default_rng(3).random((8000, 10)) < np.linspace(0.3, 0.9, 10)
    table = pa.table({n: rows[:, i] for i, n in enumerate(names)})
    made = released(workload="conjunctions(free=4)", domain=domain, table=table)
    truth = (rows[:, 4:9].all(axis=1) & ~rows[:, 3]).sum()
    for text in (
        "NOT b3 AND b4 AND b5 AND b6 AND b7 AND b8",
        "b3 = FALSE AND b4 = 'yes' AND (b5 AND b6) AND all(b7, b8)",
        "SELECT count(*) FROM t WHERE NOT b3 AND b4 AND b5 AND b6 AND b7 AND b8",
    ):
        assert near(made.ask(text, count=True), truth)
    assert made.ask("b0 AND NOT b0 AND b4 AND b5 AND b6 AND b7 AND b8").value == 0
    assert len(made.ask("top(2)").groups) == 10
    with pytest.raises(BadQuestion, match=r"leaves 9 columns open .* allows 4"):
        made.ask("b0")
    with pytest.raises(BadQuestion, match="joins conditions on single columns by AND"):
        made.ask("b0 OR b1")
    with pytest.raises(BadQuestion, match="without averages"):
        made.ask("SELECT avg(b0) FROM t")


def test_conjunctions_need_two_values_a_column():
    with pytest.raises(BadPlan, match="b has 3 values"):
        Conjunctions(free=1).check(shape({"b": {"kind": "boolean"}}))
    with pytest.raises(BadPlan, match="url has unlisted values"):
        Conjunctions(free=1).check(shape())
    with pytest.raises(BadPlan, match="2 columns cannot be free"):
        Conjunctions(free=2).check(shape(KIND))


# Bad questions


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (ht.Listed(["a", "a"]), "listed twice"),
        (ht.Listed([None, ""]), "'missing' is listed twice"),
        (ht.Listed({"a": 1.5}), "weight of 'a' must be a number from 0 to 1, not 1.5"),
        (ht.Listed({"a": -0.1}), "from 0 to 1"),
        (ht.Listed({"a": float("nan")}), "from 0 to 1"),
        (ht.Listed({"a": "1"}), "from 0 to 1"),
        (ht.Listed(["\ud800"]), "UTF-8 cannot write"),
        (ht.Listed([["a"]]), "one text or number"),
        (ht.Listed("abc"), "not a single text"),
        ("url = 'a' OR url = 'b'", "one list, without AND, OR or NOT"),
        ("url IN (SELECT 1)", "no list of values"),
        ("url > 'a'", "no list of values"),
        ("url IN (url)", "expected a quoted text or a number"),
        ("lower(url) = 'a'", "expected a column name"),
        ("u = 'a'", "no attribute 'u'"),
        ("SELECT count(*) FROM other WHERE url = 'a'", "one table, t"),
        ("SELECT count(*) FROM t", "ask SELECT count"),
        ("SELECT url FROM t WHERE url = 'a'", "ask SELECT count"),
        ("top(0)", "whole number"),
        ("top('a')", "whole number"),
        (7, "a text, a Listed or a Lists, not a int"),
    ],
    ids=str,
)
def test_bad_questions_say_what_to_write(synopsis, question, says):
    with pytest.raises(BadQuestion, match=says) as caught:
        synopsis.ask(question)
    assert "\n" not in str(caught.value)


# Files and the command line


@pytest.mark.parametrize("workload", ["sparse(size=9)", "sparse(size=9, rare=False)"])
def test_a_synopsis_answers_the_same_after_save_and_load(workload, tmp_path):
    made = released(workload=workload)
    made.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    for question in ("url IN ('site1.org', 'site2.org')", "top(3)"):
        assert made.ask(question).to_dict() == again.ask(question).to_dict()
    assert (tmp_path / "t.hush").stat().st_size < 1e6
    assert again.accounting["delta"] == "1/1000000"
    assert (again.accounting["currency"], again.accounting["price"]) == ("pure", "1")


def test_a_file_without_frequent_values_loads(tmp_path):
    table = pa.table({"url": [f"v{i}" for i in range(30)]})
    made = released(table=table, workload="sparse(size=9, buckets=256)")
    assert made.model.frequent.texts == ()
    made.save(tmp_path / "t.hush")
    assert ht.load(tmp_path / "t.hush").ask("top(3)").value.tolist() == []


@pytest.mark.parametrize(
    "damage",
    [{"law": "uniform"}, {"key": "00"}, {"columns": []}, {"frequent": [["a", "b"]]}, {"group_scales": ["1"]}],
)
def test_parameters_that_make_no_sense_are_refused(synopsis, damage):
    model = synopsis.model
    numbers = model.numbers() | ({"frequent": np.zeros(1, dtype=np.int64)} if "frequent" in damage else {})
    with pytest.raises(BadSynopsis):
        type(model).build(model.domain, model.parameters() | damage, numbers)


def hush(monkeypatch, *line):
    monkeypatch.setattr(sys, "argv", ["hush", *line])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_the_command_line_takes_a_file_of_values(synopsis, tmp_path, monkeypatch, capsys):
    file, values = tmp_path / "t.hush", tmp_path / "list.txt"
    synopsis.save(file)
    values.write_text("\ufeffsite1.org\r\n\n site2.org \n", encoding="utf-8")
    assert hush(monkeypatch, "ask", str(file), "--in", str(values), "--count", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["value"] == synopsis.ask("url IN ('site1.org', 'site2.org')", count=True).value
    assert {"noise", "collision"} <= set(shown)
    values.write_bytes(b"\xff\xfe")
    for line, says in (
        (("--in", str(values)), "not UTF-8"),
        (("--in", str(tmp_path / "none")), "cannot read"),
        ((), "a question or --in FILE"),
        (("url = 'a'", "--in", str(values)), "a question or --in FILE"),
    ):
        assert hush(monkeypatch, "ask", str(file), *line) == 1
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_row_that_is_no_text_does_not_stop_a_release(ending, tmp_path, monkeypatch):
    """Bytes that UTF-8 cannot read, in a file of text and in a column that claims to be text."""
    monkeypatch.chdir(tmp_path)
    shape().save("t.yaml")
    if ending == "csv":
        (tmp_path / "t.csv").write_bytes(b"url\nfine\n\xff\xfe\xfa\n")
    else:
        import pyarrow.parquet as pq

        claimed = pa.array([b"fine", b"\xff\xfe\xfa"], pa.binary()).view(pa.string())
        pq.write_table(pa.table({"url": claimed}), "t.parquet")
    line = ("release", f"t.{ending}", "--domain", "t.yaml", "--epsilon", "1", "-o", "t.hush")
    assert hush(monkeypatch, *line) == 0
    assert (tmp_path / "t.hush").exists()


def test_a_list_longer_than_a_tenth_of_the_buckets_warns():
    made = released(workload="sparse(size=10, buckets=1024)")
    for size, warned in ((102, False), (103, True)):
        listed = [f"v{i}" for i in range(size)]
        assert any("longer than a tenth" in note for note in made.ask(ht.Listed(listed)).notes) is warned
        assert any("longer than a tenth" in n for n in made.ask(ht.Lists({"a": listed, "b": ["x"]})).notes) is warned


def test_a_private_release_is_charged_in_epsilon_and_delta(tmp_path):
    domain, budget = shape(), ht.Budget(epsilon=2, delta="1e-6")
    path = tmp_path / "t.ledger"
    ht.Ledger.create(path, table="t", domain_digest=domain.digest, unit=domain.unit, total=budget)
    vault = ht.Vault(pa.table({"url": VALUES[:2000]}), domain, ledger=path)
    half = ht.plan(domain, workload="sparse(size=9)", rows=2000, budget=ht.Budget(epsilon=1, delta="5e-7"))
    for _ in range(2):
        vault.release(half)
    ledger = ht.Ledger.open(path)
    assert ledger.left == 0
    with pytest.raises(ht.HushError, match="0 is left") as caught:
        vault.release(half)
    assert caught.value.exit_code == 3
    assert ledger.verify() == 1 + 2 * 4

"""The curator of lists: what it pays, answers, keeps and refuses, and the exact sensitivity of a list."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.curator.lists import GRID, ListSubject
from hushtable.domain import Domain
from hushtable.domain.attributes import Open
from hushtable.errors import BadPlan, BadQuestion, BadState, Exhausted
from hushtable.vault.door.door import price_of
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.held_keys import HeldKeys
from hushtable.vault.key_counts import KeyCounts
from hushtable.vault.sources import open_source
from hushtable.vault.statistics import Histogram
from hushtable.vault.statistics.list_count import ListCount
from hushtable.vault.statistics.row_count import RowCount

URL = Open(name="url")
SHAPE = Domain(table="t", attributes=(URL,))
VALUES = [f"v{i}" for i in np.random.default_rng(1).zipf(1.3, 20_000)]
TRUTH = {value: VALUES.count(value) for value in set(VALUES)}
TABLE = pa.table({"url": VALUES})
RICH = ht.Budget(rho=20)


def curator(budget=RICH, *, size=10, domain=SHAPE, table=TABLE, seed=2, **more):
    more = {"way": "hypothesis", "updates": 30, "questions": 500} | more
    vault = ht.Vault(table, domain)
    return vault.curate(budget=budget, workload=ht.Sparse(size=size), randomness=ht.Simulated(seed), **more)


def lists(count, size=10):
    source = np.random.default_rng(4)
    return [[f"v{x}" for x in source.choice(200, size, replace=False)] for _ in range(count)]


def truth(values):
    return sum(TRUTH.get(value, 0) for value in values)


# Answers and prices


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("budget", [RICH, ht.Budget(epsilon=60), ht.Budget(epsilon=8, delta="1e-6")], ids=str)
def test_answers_are_within_their_bounds_and_cost_what_the_plan_says(budget, rows, neighbours):
    """Intervals of 1 - 1e-9 each, 100 answers; seeds are fixed."""
    unit = {"neighbours": neighbours, "unit": {"rows": rows}}
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}}} | unit)
    made = curator(budget, domain=domain, updates=60, questions=5000)
    assert isinstance(made._subject, ListSubject)
    paid = 0
    for one in lists(100):
        answer = made.ask(ht.Listed(one), count=True)
        low, high = answer.interval(1 - 1e-9)
        assert answer.source == "unverified" or low <= truth(one) <= high
        paid += answer.source == "paid"
    assert 0 < paid <= 60
    spent = made.plan.price.amount - made.budget_left
    terms, start = made.plan.terms, made.plan.rows_amount
    stretches = (spent - start - terms.opening) / terms.each
    assert paid <= stretches <= paid + 1
    assert made.budget_left >= 0


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("budget", [ht.Budget(rho="0.5"), ht.Budget(epsilon=2)], ids=str)
def test_the_noise_of_a_paid_answer_costs_what_is_charged_for_it(budget, rows):
    """Exactly, for a list with a weight of 1; less for smaller weights."""
    domain = ht.Domain.from_dict({"table": "t", "unit": {"rows": rows}, "attributes": {"url": {"kind": "open"}}})
    made = curator(budget, domain=domain)
    for weight, share in ((1, 1), (0.5, Fraction(1, 2))):
        statistic = made._subject.asked(ht.Listed({"v1": weight, "v2": weight / 4})).statistic()
        price = price_of(statistic, made._answer_noise, domain.unit).amount
        assert price == made.plan.terms.answer * share**made.plan.law.power
        # A watch that is open for one row a person compares sums that change no more than that.
        assert statistic.largest_change("replace") <= made._subject.grain == GRID


def test_free_answers_come_where_the_weights_know_enough():
    made = curator(ht.Budget(rho=4), updates=200, questions=10**6)
    answers = [made.ask(ht.Listed(one)) for one in lists(300)]
    assert sum(answer.source == "free" for answer in answers) > 50
    assert sum(answer.source == "paid" for answer in answers) > 5


def test_the_same_list_is_answered_the_same_however_it_is_written():
    made = curator()
    first = made.ask("url IN ('v1', 'v2')", count=True)
    assert first.source == "paid"
    for again in ("url IN ('v2', 'v1', 'v2', NULL)", ht.Listed(["v2", "v1"]), ht.Listed({"v1": 1, "v2": 1.0, "v3": 0})):
        answer = made.ask(again, count=True)
        assert (answer.source, answer.value, answer.budget_left) == ("repeated", first.value, first.budget_left)
    assert made.ask(ht.Listed([])).source == "certain"
    assert made.ask(ht.Listed([])).value == 0


def test_weights_count_in_proportion():
    made = curator(ht.Budget(rho=2000), way="independent")
    for given in ({"v1": 0.5, "v2": 0.25}, {"v1": 1, "v9": 0.1}):
        answer = made.ask(ht.Listed(given), count=True)
        assert answer.value == pytest.approx(sum(w * TRUTH[v] for v, w in given.items()), abs=7 * answer.stderr + 1)
        assert answer.stderr < 1


def test_several_columns_are_one_key():
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}, "kind": {"kind": "boolean"}}})
    table = TABLE.append_column("kind", pa.array([i % 2 == 0 for i in range(len(VALUES))]))
    vault = ht.Vault(table, shape)
    workload = "sparse(size=5, columns=[url, kind])"
    made = vault.curate(budget=RICH, workload=workload, randomness=ht.Simulated(1), way="independent", questions=50)
    answer = made.ask("(url, kind) IN (('v1', 'true'))", count=True)
    assert abs(answer.value - sum(v == "v1" for v in VALUES[::2])) < 8 * answer.stderr
    # Without a workload the same table is asked conditions on its columns with codes.
    plain = vault.curate(budget=RICH, randomness=ht.Simulated(1))
    assert not isinstance(plain._subject, ListSubject)
    for call in (lambda: plain.ask(ht.Listed(["v1"])), lambda: plain.read_list("any.txt")):
        with pytest.raises(BadQuestion, match=r"answers conditions; begin one with workload sparse"):
            call()


def test_after_the_last_paid_answer_no_row_is_read():
    made = curator(ht.Budget(rho=5), updates=1)
    for one in lists(50):
        made.ask(ht.Listed(one))
    assert made.answers_left == 0
    made._door._total = made._door._remembered = None
    assert made.ask(ht.Listed(["v77"])).source == "unverified"
    strict = curator(ht.Budget(rho=5), updates=1, on_exhausted="refuse")
    while strict.answers_left:
        strict.ask(ht.Listed(lists(50)[strict.answers_left % 50]))
    with pytest.raises(Exhausted, match="1 paid answers to give and none is left"):
        strict.ask(ht.Listed(["v77"]))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (ht.Listed([f"v{i}" for i in range(11)]), "11 values and this curator takes at most 10"),
        (ht.Listed({"a": 1.5}), "from 0 to 1"),
        (ht.Listed(["a", " a"]), "'a' is listed twice"),
        (ht.Listed(["\ud800"]), "UTF-8 cannot write"),
        (ht.Listed(["a"], rare_is_zero=True), "leave it out"),
        (ht.Lists({"a": ["a"]}), "one at a time, not a Lists"),
        ("top(3)", "knows no frequent values"),
        ("url > 'a'", "no list of values"),
    ],
    ids=str,
)
def test_bad_lists_cost_nothing(question, says):
    made = curator()
    left = made.budget_left
    with pytest.raises(BadQuestion, match=says) as caught:
        made.ask(question)
    assert "\n" not in str(caught.value)
    assert made.budget_left == left


# Plans


def test_the_plan_says_when_a_synopsis_is_better():
    def planned(size, **more):
        more = {"rows": 50_000, "budget": ht.Budget(epsilon=1, delta="1e-6"), "questions": 5000} | more
        return ht.plan_curator(SHAPE, workload=ht.Sparse(size=size), **more)

    short, long = planned(100), planned(100_000)
    assert (short.way, short.start_amount) == ("hypothesis", 0)
    assert short.forecast == short.margin.threshold / 2
    assert "BETTER: release it" in str(short)
    assert "BETTER" not in str(long)
    assert short.to_dict()["synopsis_expected_error_rows"] < short.forecast < 1000
    assert long.to_dict()["synopsis_expected_error_rows"] > long.forecast
    assert planned(100, questions=20).way == "independent"
    assert ht.plan_curator(SHAPE, budget=RICH).workload == ht.Sparse(size=100)


@pytest.mark.parametrize(
    ("workload", "says"),
    [
        ("marginals(width=1)", "conditions .*, lists .* or conditions on nearly all columns .*, not marginals"),
        ("sparse(size=9, rare=False)", "leave buckets and rare out"),
        ("sparse(size=9, buckets=256)", "leave buckets and rare out"),
        ("sparse(size=9, columns=[nothing])", "no attribute 'nothing'"),
    ],
)
def test_other_workloads_are_refused(workload, says):
    with pytest.raises(ht.HushError, match=says):
        ht.plan_curator(SHAPE, budget=RICH, workload=workload)


# State, ledger and command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SHAPE.save("t.yaml")
    (tmp_path / "t.csv").write_text("\n".join(["url", *VALUES]) + "\n")
    return tmp_path


def test_another_process_goes_on_with_the_same_weights_and_answers(folder):
    vault = ht.Vault("t.csv", SHAPE)
    given = {"budget": ht.Budget(rho=4), "workload": "sparse(size=10)", "updates": 200, "questions": 10**6}
    with vault.curate(way="hypothesis", **given) as made:
        answers = {tuple(one): made.ask(ht.Listed(one), count=True) for one in lists(60)}
        weights, left = made._subject.belief.weights, made.budget_left
    paid = {one: answer for one, answer in answers.items() if answer.source == "paid"}
    assert paid
    with ht.Vault("t.csv", SHAPE).curate() as again:
        assert again._subject.belief.weights.__dict__ == weights.__dict__
        assert again.budget_left == left
        for one, answer in paid.items():
            assert again.ask(ht.Listed(one), count=True).value == answer.value
        assert again.budget_left == left
    assert ht.Ledger.open("t.ledger").verify() > len(paid)
    with pytest.raises(BadState, match=r"begun with workload sparse\(size=10\), not sparse\(size=11\)"):
        vault.curate(workload="sparse(size=11)")


def test_a_state_with_strange_answers_is_refused():
    made = curator()
    made.ask(ht.Listed(["v1"]))
    (entry,) = [e for e in made._state.entries if e["kind"] == "answer"]
    for damage in ({"keys": ["zz"]}, {"weights": []}, {"value": "x"}, {"scale": "1/0"}):
        made._state.entries[-1] = entry | damage
        with pytest.raises(BadState, match="no curator wrote"):
            made._subject.remember(made._state)


def test_the_command_line_curates_lists(folder):
    (folder / "list.txt").write_text("v1\nv2\n")
    line = ["curate", "t.csv", "--domain", "t.yaml", "--rho", "4", "--workload", "sparse(size=10)"]
    run = CliRunner().invoke(app, [*line, "--in", "list.txt", "--count", "--json", "url = 'v1'", "top(2)"])
    assert run.exit_code == 1
    assert "knows no frequent values" in run.stderr
    plan, *answers = map(json.loads, run.stdout.splitlines())
    assert plan["workload"] == "sparse(size=10)"
    assert [a["source"] for a in answers] == ["paid", "paid"]
    assert answers[0]["question"] == "IN the 2 values of list.txt"
    assert abs(answers[0]["value"] - truth(["v1", "v2"])) < 8 * answers[0]["stderr"]
    # Going on needs neither budget nor workload, and a list given in a file is enough.
    again = CliRunner().invoke(app, [*line[:4], "--in", "list.txt", "--count"])
    assert again.exit_code == 0
    assert "free; " in again.stdout.splitlines()[-1]


def test_a_curator_of_lists_does_not_freeze_and_says_so_before_a_question(folder):
    with pytest.raises(BadPlan, match=r"nothing to freeze; release sparse\(size=10\)"):
        curator().freeze()
    line = ["curate", "t.csv", "--domain", "t.yaml", "--rho", "4", "--workload", "sparse(size=10)"]
    run = CliRunner().invoke(app, [*line, "--freeze", "t.hush", "url = 'v1'"])
    assert isinstance(run.exception, BadPlan)
    assert run.stdout == ""


# Sensitivity


def test_the_sensitivity_of_a_list_is_its_largest_weight():
    weights = {b"a": 3, b"b": 5, b"c": 0}
    statistic = ListCount([URL], weights)
    rows = {key: int(statistic.accumulate(pa.array([key], pa.large_binary()))[0]) for key in (b"a", b"b", b"c", b"d")}
    assert rows == {b"a": 3, b"b": 5, b"c": 0, b"d": 0}
    for neighbours in ("replace", "add-remove"):
        largest = max(abs(x - y) for x in rows.values() for y in ([0] if neighbours == "add-remove" else rows.values()))
        assert statistic.largest_change(neighbours) == largest == 5
        for power in (1, 2):
            assert statistic.sensitivity(power=power, weights=[Fraction(1, 2)], neighbours=neighbours) == Fraction(
                5**power, 2
            )
    assert ListCount([URL], {}).largest_change("replace") == 0
    with pytest.raises(BadPlan, match="not negative"):
        ListCount([URL], {b"a": -1})
    with pytest.raises(ValueError, match="power"):
        statistic.sensitivity(power=3, weights=[Fraction(1)], neighbours="replace")


def test_held_keys_sum_lists_and_count_rows_and_nothing_else():
    held = HeldKeys.read(open_source(pa.table({"url": VALUES})), SHAPE, [URL], randomness=Simulated(1))
    listed = ListCount([URL], {b"v1": 2, b"nowhere": 9})
    assert held.total(listed).tolist() == [2 * VALUES.count("v1"), len(VALUES)]
    assert held.total(ListCount([URL], {})).tolist() == [0, len(VALUES)]
    assert held.total(RowCount()).tolist() == [len(VALUES)]
    others = [Histogram((2,)), ListCount([], {b"v1": 2}), KeyCounts([URL], bytes(32))]
    for other in others:
        with pytest.raises(BadPlan, match=f"cannot sum {type(other).__name__}"):
            held.total(other)


def test_a_list_is_the_same_sum_however_rows_are_split():
    statistic = ListCount([URL], {b"v1": 2, b"v3": 1, b"nowhere": 9})
    keys = pa.array([v.encode() for v in VALUES], pa.large_binary())
    sums = statistic.zeros()
    for start in range(0, len(VALUES), 3001):
        sums += statistic.accumulate(keys[start : start + 3001])
    assert statistic.to_coordinates(sums).tolist() == [2 * VALUES.count("v1") + VALUES.count("v3")]
    assert statistic.rows(sums) == len(VALUES)
    assert statistic.columns(SHAPE) == ("url",)

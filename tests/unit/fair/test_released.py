"""Released types: weights and rates come from a synopsis with their errors, policies from files, nothing from rows."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from fairness import check
from html_pages import checked, words

import hushtable as ht
from hushtable import fair
from hushtable.demo.lender import CELLS, LENDER, METRIC, simulate_lender
from hushtable.errors import BadPath, BadPolicy, HushError
from hushtable.fair.policy_file import metric_of_columns, read_costs, types_with_loss
from hushtable.report.fair import fair_report

ROWS = 20_000
COSTS = {"wrong_yes": 2.0, "wrong_no": 1.0}


def released(seed, tmp_path, rows=ROWS):
    domain = ht.Domain.from_dict(LENDER)
    table = pa.table({name: pa.array(values.tolist()) for name, values in simulate_lender(rows, 1).items()})
    plan = ht.plan(
        domain, rows=rows, workload=ht.Marginals(width=6), budget=ht.Budget(epsilon=1), mechanism="histogram"
    )
    vault = ht.Vault(table, domain, ledger=tmp_path / f"{seed}.ledger")
    return vault.release(plan, randomness=ht.Simulated(seed))


@pytest.fixture(scope="module")
def synopsis(tmp_path_factory):
    return released(3, tmp_path_factory.mktemp("ledger"))


@pytest.fixture(scope="module")
def types(synopsis):
    return fair.from_synopsis(synopsis, CELLS, "repaid", COSTS)


@pytest.fixture
def metric_file(tmp_path):
    (tmp_path / "metric.yaml").write_text(METRIC)
    return tmp_path / "metric.yaml"


def test_weights_and_rates_are_those_of_the_table(types):
    columns = simulate_lender(ROWS, 1)
    assert len(types) == 5 * 4 * 3 * 2 * 2
    place = types.names.index("[35000, 50000), [5000, 15000), good, hills, old")
    inside = (columns["income"] >= 35000) & (columns["income"] < 50000) & (columns["debt"] >= 5000)
    inside &= (columns["debt"] < 15000) & (columns["history"] == "good")
    inside &= (columns["district"] == "hills") & (columns["origin"] == "old")
    # Eight standard errors: with this seed it is decided, and a wrong cell would be off by far more.
    assert abs(types.weights[place] - inside.mean()) < 8 * types.weight_errors[place]
    assert abs(types.rates[place] - columns["repaid"][inside].mean()) < 8 * types.rate_errors[place]
    assert types.weights.sum() == pytest.approx(1)
    assert ((types.rates >= 0) & (types.rates <= 1)).all()
    np.testing.assert_allclose(types.loss[:, 1], 2 * (1 - types.rates))
    np.testing.assert_allclose(types.loss[:, 0], types.rates)


def test_the_error_of_a_loss_is_that_of_the_noise(tmp_path):
    """A fixed rule on 60 simulated releases, whose seeds decide the test: its loss spreads no more than stated."""
    made = [fair.from_synopsis(released(seed, tmp_path, 4000), CELLS, "repaid", COSTS) for seed in range(60)]
    odds = np.column_stack([1 - made[0].rates, made[0].rates])
    losses, stated = [], []
    for one in made:
        stated.append(one.loss_error(odds))
        losses.append(one.counted_loss(odds))
    assert 0.75 < np.std(losses) / np.mean(stated) < 1.25
    columns = simulate_lender(4000, 1)
    # The truth, as the rule's own types have it, is where the losses are on average: five standard errors of a mean.
    inside = [made[0].find({name: columns[name][i] for name in made[0].columns}) for i in range(4000)]
    true = np.where(columns["repaid"], odds[inside, 0] * 1.0, odds[inside, 1] * 2.0).mean()
    assert abs(np.mean(losses) - true) < 5 * np.mean(stated) / np.sqrt(60)


def test_a_rule_from_released_types_needs_no_declaration(types, metric_file):
    metric = fair.read_metric(metric_file, types)
    rule = fair.solve(types, metric, groups="origin", parity=0.05)
    check(rule)
    assert rule.bias("new", "old") <= 0.05 + 1e-9
    assert list(rule.groups) == ["new", "old"]
    report = rule.report()
    assert report.startswith("NOT PRIVATE")
    assert "±" in report
    assert "does not look at district, origin" in report


def test_numbers_beside_released_types_must_be_public(types, metric_file):
    metric = fair.read_metric(metric_file, types)
    with pytest.raises(BadPolicy, match="weights given as numbers"):
        fair.solve(types, metric, np.ones(len(types)))
    with pytest.raises(BadPolicy, match="groups given as numbers"):
        fair.solve(types, metric, groups={"S": np.arange(240) < 3, "T": np.arange(240) >= 3})
    with pytest.raises(BadPolicy, match="a metric given as numbers"):
        fair.solve(types, metric.matrix)


def test_people_find_their_type_by_their_values(synopsis, metric_file):
    few = fair.from_synopsis(synopsis, CELLS.replace("GROUP BY", "WHERE income < 50000 GROUP BY"), "repaid")
    rule = fair.solve(few, fair.read_metric(metric_file, few))
    person = {"income": 30000, "debt": "4000", "history": "good", "district": "hills", "origin": "old"}
    assert few.names[rule.position(person)] == "[20000, 35000), [0, 5000), good, hills, old"
    assert rule.decide(person).action in ("no", "yes")
    # As a new person they would be treated like their own type.
    np.testing.assert_allclose(rule.extend([person]).odds[0], rule.odds[rule.position(person)], atol=1e-9)
    with pytest.raises(BadPolicy, match="has no 'debt'"):
        rule.decide({k: v for k, v in person.items() if k != "debt"})
    with pytest.raises(HushError, match="Did you mean 'income'"):
        rule.decide(person | {"incme": 3})
    with pytest.raises(BadPolicy, match="history cannot be 'great'; allowed are poor, fair, good"):
        rule.decide(person | {"history": "great"})


def test_what_the_policy_says_is_what_counts(types):
    metric = metric_of_columns(
        {"combine": "sum", "scale": "2", "columns": {"income": {"scale": "10000"}, "district": {"weight": "0.5"},
                                                     "history": {"order": ["poor", "fair", "good"], "weight": "3"}}},
        types,
    )  # fmt: skip
    names = list(types.names)
    a = names.index("[20000, 35000), [0, 5000), poor, hills, old")
    b = names.index("[35000, 50000), [15000, 30000), good, harbour, new")
    assert metric.matrix[a, b] == pytest.approx((15000 / 10000 + 0.5 + 3 * 2) / 2)
    assert metric.declared
    assert metric.ignored == ("debt", "origin")
    legs = metric_of_columns(
        {"combine": "euclidean", "columns": {"income": {"scale": 10000}, "district": None}}, types, "inf"
    )
    assert legs.matrix[a, b] == pytest.approx(np.hypot(1.5, 1))
    assert legs.scale == 1
    median = metric_of_columns({"columns": {"income": {"scale": 10000}, "district": {}}}, types)
    assert "median" in median.notes[-1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("columns: {incme: {scale: 1}}", "Did you mean 'income'"),
        ("columns: {income: {scale: 0}}", "above 0"),
        ("columns: {income: {}}", "which difference counts 1"),
        ("columns: {income: {scale: x}}", "must be a number, not 'x'"),
        ("columns: {income: {scal: 1}}", "Did you mean 'scale'"),
        ("columns: {district: {scale: 1}}", "has no numbers"),
        ("columns: {district: {weight: -1}}", "at least 0"),
        ("columns: {history: {order: [poor, god]}}", "Did you mean 'good'"),
        ("columns: {history: {order: poor}}", "must be a list"),
        ("colums: {}", "Did you mean 'columns'"),
        ("columns: {}", "names no columns"),
        ("- 1", "is no metric"),
        ("columns: {district: 1}\ncombine: max", "no way to combine"),
    ],
)
def test_a_policy_that_cannot_be_read_is_one_line(text, said, types, tmp_path):
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(HushError, match=said) as caught:
        fair.read_metric(tmp_path / "m.yaml", types)
    assert "\n" not in str(caught.value)


def test_a_metric_may_be_a_matrix(synopsis, tmp_path):
    types = fair.from_synopsis(
        synopsis, "SELECT origin, district, count(*) FROM lender GROUP BY origin, district", "repaid"
    )
    names = ['"new, hills"', '"old, hills"', '"new, harbour"', '"old, harbour"']
    lines = [",".join(names), "0,1,2,3", "1,0,2,3", "2,2,0,1", "3,3,1,0"]
    (tmp_path / "m.csv").write_text("\n".join(lines))
    metric = fair.read_metric(tmp_path / "m.csv", types)
    assert metric.matrix[types.names.index("old, hills"), types.names.index("old, harbour")] == 3
    assert metric.declared
    for text, said in (
        ("", "is empty"),
        ("\n".join(lines).replace("new, hills", "new, hlls"), "Did you mean 'new, hills'"),
        ("\n".join(lines[:-1]), "3 lines of distances for 4 types"),
        ("\n".join([*lines[:-1], "3,3,x,0"]), "line 5"),
        ("\n".join([*lines[:-1], "3,3,2,0"]), "not symmetric"),
    ):
        (tmp_path / "m.csv").write_text(text)
        with pytest.raises(BadPolicy, match=said):
            fair.read_metric(tmp_path / "m.csv", types)
    with pytest.raises(BadPath, match="no file"):
        fair.read_metric(tmp_path / "none.csv", types)


def test_a_vendor_may_bring_any_loss(synopsis, tmp_path):
    cells = "SELECT origin, history, count(*) FROM lender GROUP BY origin, history"
    lines = ["origin,history,offer A,offer B,none"]
    lines += [f"{o},{h},{i},{2 - i},1" for o in ("new", "old") for i, h in enumerate(("poor", "fair", "good"))]
    (tmp_path / "loss.csv").write_text("\n".join(lines))
    types = types_with_loss(synopsis, cells, tmp_path / "loss.csv")
    assert types.actions == ("offer A", "offer B", "none")
    places = {"poor": 0, "fair": 1, "good": 2}
    same = fair.from_synopsis(synopsis, cells, loss=lambda cell: (i := places[cell["history"]], 2 - i, 1))
    np.testing.assert_array_equal(same.loss, types.loss)
    rule = fair.solve(types, metric_of_columns({"columns": {"history": {"order": ["poor", "fair", "good"]}}}, types))
    check(rule)
    assert types.loss_error(rule.odds) is None
    for text, said in (
        ("", "is empty"),
        ("\n".join(lines).replace("history", "histry"), "Did you mean 'histry'"),
        ("\n".join(lines[:-1]), "no line for 1 type, the first is old, good"),
        ("\n".join(lines).replace("offer B,none", "offer B"), "fields instead of"),
        ("\n".join(lines).replace(",2,0,1", ",x,0,1"), "not 3 numbers"),
    ):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(BadPolicy, match=said):
            types_with_loss(synopsis, cells, tmp_path / "bad.csv")
    with pytest.raises(BadPolicy, match="takes the place"):
        types_with_loss(synopsis, cells, tmp_path / "loss.csv", outcome="repaid")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"cells": "repaid"}, "GROUP BY"),
        ({"cells": "SELECT origin, avg(repaid) FROM lender GROUP BY origin"}, "GROUP BY"),
        ({"outcome": "SELECT origin, count(*) FROM lender GROUP BY origin"}, "must be a condition"),
        ({"outcome": "repayed"}, "Did you mean 'repaid'"),
        ({"outcome": None}, "not both or neither"),
        ({"costs": {"wrong_yess": 1}}, "Did you mean 'wrong_yes'"),
        ({"costs": {"wrong_yes": -1}}, "at least 0"),
    ],
)
def test_cells_and_outcomes_that_cannot_be_are_one_line(synopsis, more, said):
    with pytest.raises(HushError, match=said):
        fair.from_synopsis(**({"synopsis": synopsis, "cells": CELLS, "outcome": "repaid"} | more))


def test_groups_are_labels_of_a_column(types, metric_file):
    with pytest.raises(BadPolicy, match="Did you mean 'origin'"):
        fair.solve(types, fair.read_metric(metric_file, types), groups="orign")
    assert read_costs("wrong_yes=5, wrong_no = 1") == {"wrong_yes": 5.0, "wrong_no": 1.0}
    with pytest.raises(BadPolicy, match="cannot read the costs"):
        read_costs("5")


def test_a_rule_over_columns_comes_back_and_its_page_has_pictures(types, metric_file, tmp_path):
    rule = fair.solve(types, fair.read_metric(metric_file, types), groups="origin", parity=0.05)
    rule.save(tmp_path / "rule.json")
    again = fair.FairRule.load(tmp_path / "rule.json")
    assert again.report() == rule.report()
    np.testing.assert_array_equal(again.metric.matrix, rule.metric.matrix)
    page = fair_report(again)
    seen = checked(page).seen
    assert seen.count("svg") == 4
    text = words(page)
    for said in (
        "Chances by score",
        "What parity costs",
        "Pairs that bind",
        "What is not promised",
        "NOT PRIVATE",
        "±",
    ):
        assert said in text
    assert fair_report(rule) == page


def test_a_page_without_groups_or_released_types_has_no_holes():
    loss = np.random.default_rng(1).random((12, 3))
    rule = fair.solve(loss, 1 - np.eye(12), public=True)
    text = words(fair_report(rule))
    assert "A fair rule" in text
    assert "<h2>Groups</h2>" not in fair_report(rule)
    for empty in ("nan", "None", "inf "):
        assert empty not in text


def test_deciding_loads_no_trusted_code():
    """A process that solves and decides never imports the vault."""
    program = (
        "import sys; from hushtable import fair; rule = fair.solve([[0, 1], [1, 0]], [[0, .5], [.5, 0]], public=True);"
        "rule.decide(0); print([m for m in sys.modules if m.startswith('hushtable.vault')])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_types_of_a_whole_table_have_the_models_rates_and_say_where_errors_are_unknown(tmp_path):
    domain = ht.Domain.from_dict(LENDER)
    table = pa.table({name: pa.array(values.tolist()) for name, values in simulate_lender(6000, 1).items()})
    plan = ht.plan(domain, rows=6000, budget=ht.Budget(epsilon=1, delta="1e-9"))
    synopsis = ht.Vault(table, domain, ledger=tmp_path / "t.ledger").release(plan, randomness=ht.Simulated(1))
    barred = fair.from_synopsis(synopsis, CELLS, "repaid")
    assert barred.modelled
    rule = fair.solve(barred, metric_of_columns({"columns": {"income": {"scale": 20000}}}, barred))
    assert barred.loss_error(rule.odds) > 0
    # A file of before there were replicates has no bars for so many columns.
    synopsis = replace(synopsis, model=replace(synopsis.model, replicates=None, ratios=None))
    wide = fair.from_synopsis(synopsis, CELLS, "repaid")
    assert wide.modelled
    # No rate leans on everybody's: incomes still make a difference of more than a quarter.
    low, high = (np.array([line[0] == label for line in wide.labels]) for label in ("[0, 20000)", "[70000, 120000]"))
    means = [wide.weights[part] @ wide.rates[part] / wide.weights[part].sum() for part in (low, high)]
    assert means[1] - means[0] > 0.25
    rule = fair.solve(wide, metric_of_columns({"columns": {"income": {"scale": 20000}}}, wide), groups="origin")
    check(rule)
    assert "states no error bar for 240 of 240 types" in rule.report()
    assert rule.to_dict()["released"]["weight_errors"][0] is None
    few = fair.from_synopsis(synopsis, "SELECT income, count(*) FROM lender GROUP BY income", "repaid")
    rule = fair.solve(few, metric_of_columns({"columns": {"income": {"scale": 20000}}}, few))
    assert few.loss_error(rule.odds) > 0
    rule.save(tmp_path / "rule.json")
    assert fair.FairRule.load(tmp_path / "rule.json").released.modelled
    assert "±" in words(fair_report(rule))

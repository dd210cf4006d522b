"""Rules of a domain: what no row satisfies holds in answers and in rows, and mistakes are one line."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.column_pairs import surely
from hushtable.domain.consistency import unplaced
from hushtable.domain.impossible import rules_of
from hushtable.domain.rule_text import rule_texts
from hushtable.errors import BadDomain, BadQuestion
from hushtable.owner.rule_counts import broken_rules, proposals
from hushtable.owner.true_rows import read_rows

PARTS = {
    "table": "families",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 59], "edges": [15, 30, 45]},
        "married": {"kind": "category", "values": ["never", "yes", "widowed"]},
        "children": {"kind": "integer", "between": [0, 5]},
        "family": {"kind": "integer", "between": [1, 6]},
        "admitted": {"kind": "date", "between": ["2020-01-01", "2020-12-31"], "bins": "quarter"},
        "left": {"kind": "date", "between": ["2020-01-01", "2020-12-31"], "bins": "quarter"},
        "smoker": {"kind": "boolean"},
    },
}
RULES = {
    "impossible": ["children >= family", '"left" < admitted', "age < 15 AND smoker"],
    "always": ["age < 15 -> married = 'never'"],
}
BOUGHT = ht.Budget(epsilon=8, delta="1e-6")


def families(rows: int, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    age = random.integers(0, 60, rows)
    family = random.integers(1, 7, rows)
    start = random.integers(0, 366, rows)
    stay = np.minimum(start + random.integers(0, 60, rows), 365)
    day = np.datetime64("2020-01-01")
    return pa.table(
        {
            "age": age,
            "married": np.where(age < 15, "never", random.choice(["never", "yes", "widowed"], rows)),
            "children": random.integers(0, family),
            "family": family,
            "admitted": day + start,
            "left": day + stay,
            "smoker": (age >= 15) & (random.random(rows) < 0.3),
        }
    )


@pytest.fixture(scope="module")
def domain():
    return ht.Domain.from_dict(PARTS | RULES)


@pytest.fixture(scope="module")
def whole(domain):
    return released(domain, ht.WholeTable())


def released(domain, workload):
    plan = ht.plan(domain, rows=6_000, workload=workload, budget=BOUGHT)
    return ht.Vault(families(6_000), domain).release(plan, randomness=ht.Simulated(1))


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "<>"])
def test_what_bins_say_of_a_comparison_holds_for_every_value_in_them(operator):
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "=": np.equal,
               "<>": np.not_equal}[operator]  # fmt: skip
    kinds = {"a": {"kind": "integer", "between": [0, 9], "edges": [3, 4, 7]},
             "b": {"kind": "number", "between": [0, 9], "edges": [3, 6, 7]}}  # fmt: skip
    made = ht.Domain.from_dict({"table": "t", "attributes": kinds})
    values = {"a": range(10), "b": [i / 4 for i in range(37)]}
    for one, two in itertools.product("ab", repeat=2):
        left, right = made.closed["ab".index(one)], made.closed["ab".index(two)]
        true, false = surely(operator, left, right)
        seen = {}
        for x, y in itertools.product(values[one], values[two]):
            seen.setdefault((left.code(x), right.code(y)), set()).add(bool(compare(x, y)))
        for cell, outcomes in seen.items():
            if true[cell]:
                assert outcomes == {True}
            elif false[cell]:
                assert outcomes == {False}
            elif one == two == "a":  # all whole numbers were tried
                assert outcomes == {True, False}


def test_compiled_rules_say_what_the_text_says(domain):
    random = np.random.default_rng(2)
    codes = np.array([random.integers(0, size, 4000) for size in domain.sizes], dtype=np.uint16)
    for text, rule in zip(rule_texts(domain), rules_of(domain), strict=True):
        assert (text.by_codes(codes, domain) == rule.holds(codes)).all()
    last = rules_of(domain)[-1]
    assert (last.holds(codes) == (codes[0] == 0) & np.isin(codes[1], [1, 2])).all()


def test_saved_and_loaded_with_its_rules(domain, tmp_path):
    domain.save(tmp_path / "d.yaml")
    assert ht.Domain.load(tmp_path / "d.yaml") == domain
    assert domain.digest != ht.Domain.from_dict(PARTS).digest
    assert domain.form == 6


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"impossible": ["smoker"]}, "leaves smoker = 'true' no place"),
        ({"always": ["age >= 0"]}, "same for all rows"),
        ({"impossible": ["age >= 0 OR age IS NULL"]}, "same for all rows"),
        ({"impossible": ["admitted > age"]}, "different kinds"),
        ({"impossible": ["married > age"]}, "has no order"),
        ({"impossible": ["age < age"]}, "compared with itself"),
        ({"impossible": ["age < 12 AND smoker"]}, "cuts a bin"),
        ({"always": ["smoker -> age >= 15 -> married"]}, "one arrow only"),
        ({"always": ["smoker ->"]}, "before the arrow and one behind"),
        ({"always": "smoker -> age >= 15"}, "list of conditions"),
        ({"always": ["smoker -> aeg >= 15"]}, "Did you mean 'age'"),
        (
            {"always": ["smoker -> age < 15", "smoker -> age >= 15"]},
            "together the rules leave smoker = 'true' no place",
        ),
        (
            {"always": ["age < 15 -> smoker", "age < 15 -> NOT smoker", "age >= 15 -> smoker", "smoker -> age < 15"]},
            "contradict each other",
        ),
        (
            {"impossible": ["smoker AND married = 'yes'", "NOT smoker AND married = 'yes'"]},
            "together the rules leave married = 'yes' no place",
        ),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_read(rules, says):
    with pytest.raises(BadDomain) as caught:
        ht.Domain.from_dict(PARTS | rules)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ends_that_a_comparison_leaves_no_place_are_named_and_allowed():
    wide = PARTS | {"attributes": PARTS["attributes"] | {"children": {"kind": "integer", "between": [0, 8]}}}
    made = ht.Domain.from_dict(wide | {"impossible": ["children >= family"]})
    assert unplaced(rules_of(made), made) == [(2, code) for code in (6, 7, 8)]


class TestAnswers:
    @pytest.mark.parametrize("condition", ["children >= family", "age < 15 AND smoker", "married = 'yes' AND age < 15"])
    @pytest.mark.parametrize("workload", [ht.WholeTable(), ht.Marginals(width=2)], ids=str)
    def test_what_is_ruled_out_is_0_by_declaration(self, domain, workload, condition):
        answer = released(domain, workload).ask(condition)
        assert (answer.value, answer.stderr, answer.interval()) == (0.0, 0.0, (0.0, 0.0))
        assert answer.estimator == "by declaration"
        assert any("0 by declaration" in note for note in answer.notes)

    def test_a_cross_tab_says_which_of_its_groups(self, whole):
        for text in ("SELECT age, smoker, count(*) FROM families GROUP BY age, smoker",
                     "SELECT married, count(*) FROM families WHERE age < 15 GROUP BY married"):  # fmt: skip
            table = whole.ask(text)
            ruled = [i for i, label in enumerate(zip(*table.groups.values(), strict=True))
                     if label in {("0-14", "true"), ("yes",), ("widowed",)}]  # fmt: skip
            low, high = table.interval()
            assert ruled
            assert (table.value[ruled] == 0).all()
            assert (low[ruled] == 0).all()
            assert (high[ruled] == 0).all()
            assert table.value.sum() > 0
            assert any("by declaration" in note for note in table.notes)

    def test_what_is_not_ruled_out_is_answered_by_numbers(self, whole):
        assert whole.ask("age < 15").estimator != "by declaration"
        assert whole.ask("children < family").value == pytest.approx(1, abs=0.02)

    def test_bins_that_do_not_tell_are_named(self, whole):
        with pytest.raises(BadQuestion, match="overlap"):
            whole.ask('"left" < admitted')

    def test_a_curator_answers_it_for_nothing(self, domain, tmp_path):
        vault = ht.Vault(families(2_000), domain, ledger=tmp_path / "l")
        with vault.curate(budget=BOUGHT, state=tmp_path / "state", questions=5) as curator:
            left = curator.budget_left
            answer = curator.ask("age < 15 AND smoker")
            assert (answer.value, answer.stderr) == (0, 0)
            assert any("by declaration" in note for note in answer.notes)
            assert curator.budget_left == left


def test_no_row_breaks_a_rule_down_to_the_values(whole, domain):
    rows = whole.sample(50_000, seed=3)
    assert [count.broken for count in broken_rules(read_rows(rows, domain))] == [0, 0, 0, 0]
    sets = whole.sample_sets(2_000, sets=3, seed=3).drop_columns(["set"])
    assert sum(count.broken for count in broken_rules(read_rows(sets, domain))) == 0
    free = released(ht.Domain.from_dict(PARTS), ht.WholeTable()).sample(50_000, seed=3)
    assert sum(count.broken for count in broken_rules(read_rows(free, domain))) > 1_000
    # Most of these rules show in the counts, so that a model keeps them undeclared; independent columns break each.
    random = np.random.default_rng(1)
    loose = pa.table({name: free[name].take(random.permutation(50_000)) for name in free.column_names})
    assert min(count.broken for count in broken_rules(read_rows(loose, domain))) > 10  # the check can fail


def test_rows_of_models_that_know_no_rules_keep_them_too():
    kept = {name: PARTS["attributes"][name] for name in ("age", "married", "smoker")}
    few = ht.Domain.from_dict({"table": "t", "attributes": kept, "always": RULES["always"]})
    plan = ht.plan(few, rows=500, workload=ht.Marginals(width=2), budget=ht.Budget(epsilon=1), mechanism="histogram")
    rows = ht.Vault(families(500), few).release(plan, randomness=ht.Simulated(1)).sample(20_000, seed=1)
    assert sum(count.broken for count in broken_rules(read_rows(rows, few))) == 0


def test_rows_that_break_a_rule_are_counted_and_refuse_nothing(domain):
    bad = families(200).slice(0, 50)
    early = pa.array(np.full(50, np.datetime64("2020-01-01")))
    young = bad.set_column(0, "age", pa.array([3] * 50))
    rows = pa.concat_tables([families(1_000), young, bad.set_column(5, "left", early)])
    counts = {count.rule: count.broken for count in broken_rules(read_rows(rows, domain))}
    assert counts["age < 15 AND smoker"] == sum(bad.column("smoker").to_pylist())
    plan = ht.plan(domain, rows=1_100, workload=ht.Marginals(width=1), budget=BOUGHT)
    assert ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(1)).ask("age < 15").value > 0


def test_proposals_name_what_all_rows_keep():
    found = proposals(read_rows(families(3_000), ht.Domain.from_dict(PARTS)))
    assert any("children > family" in line for line in found)
    assert any(line.startswith("always: smoker -> age >= 15") for line in found)

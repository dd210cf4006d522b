"""Decision lists from the domain to the answer: values, polynomials, questions, plans, releases, the command line."""

import json
import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import FakeDoor
from typer.testing import CliRunner

import hushtable as ht
from hushtable.budget import Budget
from hushtable.cli import app
from hushtable.domain.attributes import Boolean
from hushtable.domain.decision_list import DecisionList, RuleList
from hushtable.domain.dummy import dummy_rows, write_dummy
from hushtable.errors import BadDomain, BadPlan, BadQuestion, BadSynopsis, UnknownAttribute
from hushtable.maths.wide.list_polynomials import list_polynomials
from hushtable.mechanisms import mechanisms
from hushtable.models.decision_lists import DecisionListsModel
from hushtable.owner.fit import fit_of
from hushtable.questions.decisions import parse_decision
from hushtable.questions.parse import parse
from hushtable.questions.workloads import DecisionLists, read_workload
from hushtable.synopsis import Synopsis
from hushtable.vault.coding import encode_rules
from hushtable.vault.door.door import Door, Noise, price_of
from hushtable.vault.door.randomness import Simulated

NAMES = ["near", "cheap", "sports", "rural", "ranked", "warm"]
BUDGETS = {"pure": Budget(epsilon=1), "zcdp": Budget(epsilon=1, delta="1e-9")}


LONG = ht.Domain.from_dict(
    {"table": "t", "attributes": {"c": {"kind": "decision_list", "inputs": [f"i{n}" for n in range(12)], "length": 20}}}
)


def shape(inputs=5, length=3, *, neighbours="replace", **more):
    lists = {"kind": "decision_list", "inputs": NAMES[:inputs], "length": length}
    return ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": {"choice": lists, **more}})


def lists_of(domain, rows, seed=1):
    return dummy_rows(domain, rows=rows, seed=seed)["choice"]


def column_of(domain):
    return DecisionLists().column(domain)


def truth_of(domain, texts, y):
    return np.mean([column_of(domain).rules(text).decide(y) for text in texts])


def all_inputs(domain):
    return list(product((False, True), repeat=len(column_of(domain).inputs)))


def asking(y):
    named = " AND ".join(f"{'' if value else 'NOT '}{name}" for name, value in zip(NAMES, y, strict=False))
    return f"decides(choice, {named})"


def released(domain, texts, budget=BUDGETS["zcdp"], order=None, rows=None):
    """A model without noise, made by the mechanism itself."""
    mechanism = mechanisms()["decision-lists"]
    design = mechanism.design(domain, DecisionLists(order=order), budget.price, rows)
    codes = encode_rules(column_of(domain), pa.array(texts, pa.string()))
    return mechanism.release(FakeDoor(codes, domain), domain, design), design


class TestValues:
    COLUMN = column_of(shape(4, 3))
    LITERALS = st.tuples(st.integers(0, 3), st.booleans(), st.booleans())

    @given(st.lists(LITERALS, max_size=9), st.booleans())
    def test_the_shortest_list_decides_as_the_given_one(self, rules, default):
        short = RuleList.of(rules, default)
        for y in product((False, True), repeat=4):
            said = next((decision for number, negated, decision in rules if y[number] != negated), default)
            assert short.decide(y) == said
        assert len(set(short.inputs)) == len(short)
        assert not len(short) or short.decisions[-1] != short.default

    @given(st.lists(LITERALS, max_size=9), st.booleans())
    def test_text_and_json_are_the_same_list(self, rules, default):
        named = [("!" * negated + self.COLUMN.inputs[number], int(decision)) for number, negated, decision in rules]
        text = ", ".join([f"{literal}:{decision}" for literal, decision in named] + [f"default:{int(default)}"])
        as_json = json.dumps({"rules": named, "default": default})
        expected = RuleList.of(rules, default)
        read = self.COLUMN.rules(text)
        assert read == (expected if len(expected) <= 3 else None)
        assert self.COLUMN.rules(as_json) == read
        assert self.COLUMN.rules(json.loads(as_json)) == read

    def test_only_rules_that_matter_count_towards_the_length(self):
        column = column_of(shape(4, 2))
        assert column.rules("near:1, near:0, near:1, cheap:0, default:1") == RuleList(
            (0, 1), (False,) * 2, (True, False), True
        )
        assert column.rules("near:1, !near:0, cheap:1, sports:0, default:1") == RuleList((0,), (False,), (True,), False)
        assert column.rules("near:0, cheap:1, sports:0, rural:0, default:0") == RuleList(
            (0, 1), (False,) * 2, (False, True), False
        )
        assert column.rules("near:1, cheap:0, sports:1, default:0") is None

    @pytest.mark.parametrize(
        "value",
        [
            "near:1", "near:1, default", "default:2", "near, default:1", "near:1:0, default:1", "default:1, near:0",
            "near:1,, default:0", "Near:1, default:0", "!!near:1, default:0", ":1, default:0", "near:, default:0",
            "{", "{}", "[]", "{[}", '{"rules": [], "default": null}', '{"rules": [["near"]], "default": 1}',
            '{"rules": {"near": 1}, "default": 1}', '{"rules": [["near", 1, 2]], "default": 1}',
            '{"rules": [], "default": 1, "more": 2}', '{"rules": ["ab"], "default": 1}', "[" * 100_000,
            '{"rules": ' + "[" * 100_000, 7, 1.5, True, b"\xff",
        ],
        ids=lambda v: repr(v)[:30],
    )  # fmt: skip
    def test_other_values_are_outside_the_domain(self, value):
        assert self.COLUMN.rules(value) is None

    def test_a_row_without_a_list_decides_0_or_is_an_error(self):
        for gap in (None, "", "  ", math.nan):
            assert self.COLUMN.rules(gap) == RuleList((), (), (), False)
            assert column_of(shape(4, 3)).rules(gap).decide([True] * 4) is False
            assert DecisionList(name="x", inputs=("a",), length=1, missing="error").rules(gap) is None


class TestDomain:
    def test_round_trip(self, tmp_path):
        domain = shape(4, 3, smoker={"kind": "boolean"})
        domain.save(tmp_path / "t.yaml")
        again = ht.Domain.load(tmp_path / "t.yaml")
        assert again == domain
        assert again.attributes[0].to_dict() == {"kind": "decision_list", "inputs": NAMES[:4], "length": 3}

    def test_it_has_no_codes(self):
        domain = shape(4, 3, smoker={"kind": "boolean"})
        assert [a.name for a in domain.closed] == ["smoker"]
        assert domain.sizes == (3,)
        assert (domain.attributes[0].size, domain.attributes[0].code("default:1")) == (0, None)
        with pytest.raises(UnknownAttribute):
            domain.position("choice")

    @pytest.mark.parametrize(
        ("settings", "says"),
        [
            ({}, "needs `inputs: [a, b, ...]`"),
            ({"inputs": "ab", "length": 2}, "needs `inputs: [a, b, ...]`"),
            ({"inputs": [], "length": 2}, "0 inputs; give 1 to 1,000"),
            ({"inputs": ["a", ["b"]], "length": 2}, "each of the inputs is one word"),
            ({"inputs": ["a", "b"]}, "length must be at least 1 and at most 64, not 0"),
            ({"inputs": ["a", "b"], "length": 65}, "at most 64, not 65"),
            ({"inputs": ["a", "b"], "length": "1.5"}, "whole number"),
            ({"inputs": ["a", "A"], "length": 1}, "'a' is listed twice"),
            ({"inputs": ["a", "Default"], "length": 1}, "cannot be called 'Default'"),
            ({"inputs": ["a:b"], "length": 1}, "cannot be called 'a:b'"),
            ({"inputs": ["!a"], "length": 1}, "cannot be called '!a'"),
            ({"inputs": ["a\nb"], "length": 1}, "write printable text other than 'default'"),
            ({"inputs": [f"i{i}" for i in range(1001)], "length": 1}, "1,001 inputs"),
            ({"inputs": ["a"], "length": 1, "other": True}, "unknown setting 'other'"),
            ({"inputs": ["a"], "length": 1, "missing": "no"}, "missing must be"),
        ],
    )
    def test_mistakes(self, settings, says):
        with pytest.raises(BadDomain, match="choice") as caught:
            ht.Domain.from_dict({"table": "t", "attributes": {"choice": {"kind": "decision_list"} | settings}})
        assert says in str(caught.value)

    def test_dummy_rows_fit(self, tmp_path):
        domain = shape(3, 5)
        texts = lists_of(domain, 300)
        assert {len(column_of(domain).rules(text)) for text in texts} == {0, 1, 2, 3}
        write_dummy(domain, rows=50, path=tmp_path / "t.csv", seed=1)
        assert [fit.share for fit in fit_of(tmp_path / "t.csv", domain)] == [0]
        (tmp_path / "bad.csv").write_text('choice\n"tuition:1, default:0"\n')
        assert [fit.undeclared for fit in fit_of(tmp_path / "bad.csv", domain)] == [1]


class TestPolynomials:
    @pytest.mark.parametrize("length", range(1, 9))
    def test_full_order_is_exact(self, length):
        polynomials = list_polynomials(length, length)
        assert polynomials.bias == 0
        assert polynomials.grid == length - 1
        # Parseval: a list that decides +1 or -1 has length 1.
        assert {sum(norm) for norm in polynomials.norms(2)} == {4**polynomials.grid}

    @pytest.mark.parametrize(
        ("length", "order", "least"),
        [(3, 1, 1 / 3), (3, 2, 1 / 8), (5, 1, 0.4), (5, 2, 0.2222), (5, 3, 0.1), (5, 4, 0.03125), (6, 3, 0.125)],
    )
    def test_a_disjunction_has_its_known_minimax_bias(self, length, order, least):
        """The row whose rules all decide 1, default 0: its distance is that of the best polynomial for OR."""
        table = list_polynomials(length, order).table(length)
        bits = np.arange(2**length)
        signs = 1 - 2 * (np.bitwise_count(bits[:, None] & bits).astype(np.int64) & 1)
        values = table[-1] @ signs / 2**20
        decided = np.where(bits > 0, 1, -1)
        assert np.abs(values - decided).max() / 2 == pytest.approx(least, abs=1e-3)
        assert float(list_polynomials(length, order).bias) >= least - 1e-4

    @pytest.mark.parametrize(("length", "order"), [(2, 1), (3, 1), (3, 2), (4, 2), (5, 3)])
    def test_no_list_at_no_input_is_farther_than_the_bias(self, length, order):
        """Every pattern of decisions at every input, evaluated one product at a time."""
        polynomials = list_polynomials(length, order)
        worst = Fraction(0)
        for rules in range(1, length + 1):
            for pattern, coefficients in enumerate(polynomials.table(rules)):
                decisions = tuple(bool(pattern >> i & 1) for i in range(rules))
                rule_list = RuleList(tuple(range(rules)), (False,) * rules, decisions, not decisions[-1])
                for y in product((False, True), repeat=rules):
                    value = sum(
                        int(c) * math.prod(-1 if y[i] else 1 for i in range(rules) if subset >> i & 1)
                        for subset, c in enumerate(coefficients)
                    )
                    off = abs(Fraction(value, 2**polynomials.grid) - (1 if rule_list.decide(y) else -1)) / 2
                    worst = max(worst, off)
        assert worst == polynomials.bias
        assert 0 < worst < Fraction(1, 2)

    def test_lists_with_all_decisions_turned_have_opposite_coefficients(self):
        for rules in range(1, 5):
            table = list_polynomials(4, 2).table(rules)
            np.testing.assert_array_equal(table, -table[::-1])


class TestWithoutNoise:
    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    @pytest.mark.parametrize(("inputs", "length"), [(1, 1), (3, 2), (5, 3), (2, 6), (6, 5)])
    def test_full_order_is_exact_at_every_input(self, inputs, length, neighbours):
        domain = shape(inputs, length, neighbours=neighbours)
        texts = [*lists_of(domain, 200), ""]
        model, _ = released(domain, texts)
        for y in all_inputs(domain):
            share, number = (model.answer(model.parse(asking(y)), count=count) for count in (False, True))
            assert share.value == pytest.approx(truth_of(domain, texts, y), abs=1e-12)
            assert number.value == pytest.approx(201 * truth_of(domain, texts, y), abs=1e-9)
            assert (share.bias, share.estimator, share.unit, number.unit) == (0, "exact", "fraction", "count")
            assert share.stderr > 0

    @pytest.mark.parametrize(("length", "order"), [(2, 1), (3, 1), (3, 2), (5, 2), (5, 3), (5, 4)])
    def test_lower_orders_keep_their_certified_bias_on_adversarial_tables(self, length, order):
        """All rows the same list, which no averaging helps, for every kind of list; some of them reach the bound."""
        domain = shape(6, length)
        column = column_of(domain)
        worst = 0.0
        for decisions in product("01", repeat=length):
            rules = [f"{'!' * (i % 2)}{name}:{d}" for i, (name, d) in enumerate(zip(NAMES, decisions, strict=False))]
            text = ", ".join([*rules, f"default:{1 - int(decisions[-1])}"])
            model, _ = released(domain, [text] * 3, order=order)
            for y in all_inputs(domain):
                answer = model.answer(model.parse(asking(y)))
                off = abs(answer.value - column.rules(text).decide(y))
                assert off <= answer.bias + 1e-12
                assert answer.estimator == "minimax"
                worst = max(worst, off)
        assert worst == pytest.approx(float(list_polynomials(length, order).bias), abs=0.02)

    @pytest.mark.parametrize("order", [1, 2, 3])
    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    @pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
    def test_it_spends_its_price_and_forecasts_its_errors(self, budget, neighbours, order):
        domain = shape(5, 3, neighbours=neighbours)
        mechanism = mechanisms()["decision-lists"]
        design = mechanism.design(domain, DecisionLists(order=order), budget.price)
        door = FakeDoor(encode_rules(column_of(domain), pa.array(lists_of(domain, 90))), domain)
        model = mechanism.release(door, domain, design)
        (price,) = (p.into(budget.currency).on_grid(up=True).amount for p in door.prices)
        assert budget.price.amount * Fraction(999, 1000) <= price <= budget.price.amount
        (forecast,) = design.forecasts
        for y in all_inputs(domain):
            number = model.answer(model.parse(asking(y)), count=True)
            assert number.stderr == pytest.approx(forecast.typical, rel=1e-9)
            assert number.bias == pytest.approx(90 * forecast.bias)
            share = model.answer(model.parse(asking(y)))
            assert share.stderr <= forecast.worst / 90 * (1 + 1e-9)
            assert share.bias == forecast.bias
        assert forecast.typical == forecast.worst


class TestPlanning:
    def test_noise_by_size_of_set_beats_the_same_noise_on_all(self):
        """One scale for all sets has standard error sqrt(numbers / 2 rho); lists have little weight on long sets."""
        lists = {"kind": "decision_list", "inputs": [f"i{i}" for i in range(20)], "length": 5}
        domain = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
        made = ht.plan(domain, workload="decision_lists()", budget=BUDGETS["zcdp"])
        same = math.sqrt(21_700 / (2 * float(made.budget.price.amount)))
        assert made.design.forecasts[0].typical == pytest.approx(199.9, abs=0.1)
        assert same / made.design.forecasts[0].typical == pytest.approx(4.05, abs=0.01)

    @pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
    def test_the_noise_is_optimal(self, budget):
        """Moving any group's scale up or down at the same price makes the answers worse."""
        domain = shape(6, 4)
        statistic, noise = mechanisms()["decision-lists"].design(domain, DecisionLists(), budget.price).parameters
        power = 2 // noise.law.power

        def variance(scales):
            price = price_of(statistic, Noise(law=noise.law, per_group=scales), domain.unit).amount
            counts = np.bincount(statistic.scales(noise.law, scales).index)
            return sum(c * float(s * price) ** power for c, s in zip(counts, scales, strict=True))

        best = variance(noise.per_group)
        for group in range(1, statistic.groups):
            for factor in (Fraction(4, 5), Fraction(5, 4)):
                moved = list(noise.per_group)
                moved[group] *= factor
                assert variance(tuple(moved)) > best * (1 - 1e-4)

    def test_few_rows_choose_a_lower_order_and_many_the_exact_one(self):
        domain = shape(6, 4)
        orders = []
        for rows in (10, 100, 1_000, 10_000, 1_000_000, None):
            made = ht.plan(domain, rows=rows, workload="decision_lists()", budget=BUDGETS["zcdp"])
            orders.append(made.design.parameters[0].order)
        assert orders == sorted(orders)
        assert orders[0] < 4
        assert orders[-2:] == [4, 4]

    def test_the_summary_says_what_is_released(self):
        exact = ht.plan(shape(6, 4), workload="decision_lists()", budget=BUDGETS["zcdp"])
        assert exact.design.summary == "57 parities of at most 4 inputs (exact) with rounded Gaussian noise"
        rough = ht.plan(shape(6, 4), workload="decision_lists(order=2)", budget=BUDGETS["pure"])
        assert (
            rough.design.summary == "22 parities of at most 2 inputs (bias at most 0.167) with discrete Laplace noise"
        )
        assert "1 attribute" in str(rough)
        assert str(rough.workload) == "decision_lists(order=2)"

    def test_a_target_error_finds_the_budget(self):
        made = ht.plan(shape(6, 3), rows=50_000, workload="decision_lists()", target_error="0.001", delta="1e-9")
        assert 0.00098 < made.design.forecasts[0].typical / 50_000 <= 0.001

    def test_a_table_of_lists_alone_needs_no_workload(self):
        assert ht.plan(shape(), rows=1000, budget=BUDGETS["pure"]).workload == DecisionLists()
        mixed = ht.plan(shape(smoker={"kind": "boolean"}), rows=1000, budget=BUDGETS["pure"])
        assert str(mixed.workload) == "marginals(width=1)"

    @pytest.mark.parametrize(
        ("workload", "domain", "says"),
        [
            ("decision_lists(order=0)", shape(), "order must be a whole number of at least 1, not 0"),
            ("decision_lists(order=four)", shape(), "not 'four'"),
            ("decision_lists(order=4)", shape(), "order 4 is more than the lists' 3 rules; use order=3"),
            ("decision_lists(order=33)", LONG, "more than the lists' 12 rules; leave it out for the best one"),
            ("decision_lists(order=3)", shape(2, 5), "the lists' 2 rules"),
            ("decision_lists(attribute=chioce)", shape(), "Did you mean 'choice'?"),
            ("decision_lists(attribute=smoker)", shape(smoker={"kind": "boolean"}), "they are in choice"),
            ("decision_lists(column=choice)", shape(), "decision_lists takes attribute, order"),
            (
                "decision_lists()",
                shape(other={"kind": "decision_list", "inputs": ["a"], "length": 1}),
                "2 columns of decision lists; say attribute=choice",
            ),
            ("decision_lists()", ht.Domain(table="t", attributes=(Boolean(name="a"),)), "no attribute of kind"),
        ],
    )
    def test_mistakes(self, workload, domain, says):
        with pytest.raises(BadPlan) as caught:
            ht.plan(domain, rows=100, workload=workload, budget=BUDGETS["zcdp"])
        assert says in str(caught.value)

    def test_too_many_numbers(self):
        lists = {"kind": "decision_list", "inputs": [f"i{i}" for i in range(200)], "length": 5}
        domain = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
        with pytest.raises(BadPlan, match=r"order 4 needs 66,018,452 numbers and the cap is 20,000,000; use order=3"):
            ht.plan(domain, rows=100, workload="decision_lists(order=4)", budget=BUDGETS["zcdp"])
        made = ht.plan(domain, workload="decision_lists()", budget=BUDGETS["zcdp"])
        assert made.design.parameters[0].order == 3

    def test_marginals_cannot_answer_lists(self):
        with pytest.raises(BadPlan, match="cannot answer decision_lists"):
            ht.plan(shape(), workload="decision_lists()", budget=BUDGETS["zcdp"], mechanism="low-order")
        assert read_workload("decision_lists(attribute=choice, order=2)") == DecisionLists("choice", 2)


class TestQuestions:
    DOMAIN = shape(4, 3, smoker={"kind": "boolean"})

    def ask(self, text):
        return parse_decision(text, self.DOMAIN, column_of(self.DOMAIN))

    @pytest.mark.parametrize(
        ("text", "truth", "unnamed"),
        [
            ("decides(choice, near AND NOT cheap AND sports)", (1, 0, 1, 0), ["rural"]),
            ("DECIDES(Choice, NEAR and (not (cheap)) and near)", (1, 0, 0, 0), ["sports", "rural"]),
            ('decides("choice", "near" AND NOT NOT rural)', (1, 0, 0, 1), ["cheap", "sports"]),
            ("decides(choice)", (0, 0, 0, 0), NAMES[:4]),
            ("decides(choice, NOT near AND NOT cheap AND NOT sports AND NOT rural)", (0, 0, 0, 0), []),
        ],
    )
    def test_reads(self, text, truth, unnamed):
        question = self.ask(text)
        assert question.truth == tuple(map(bool, truth))
        assert list(question.unnamed) == unnamed

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("decides(choice, naer)", "no input 'naer'; choice has near, cheap, sports, rural. Did you mean 'near'?"),
            ("decides(choice, near AND NOT near)", "near is both true and false"),
            ("decides(choice, near OR cheap)", "'near OR cheap' is not an input"),
            ("decides(choice, near = 1)", "is not an input"),
            ("decides(choice, t.near)", "is not an input"),
            ("decides(choice, near, cheap)", "decides takes a column and the inputs joined by AND"),
            ("decides()", "decides takes a column"),
            ("decides('choice', near)", "decides takes a column"),
            ("decides(chioce, near)", "no attribute 'chioce'"),
            ("decides(smoker, near)", "this synopsis is about choice, not smoker"),
            ("near AND cheap", "ask decides(choice, near AND NOT cheap), where inputs not named are false"),
            ("SELECT count(*) FROM t", "decision lists and nothing else"),
            ("any(near, cheap)", "decision lists and nothing else"),
            ("decides(choice, near", "a bracket is never closed"),
            ("", "write decides(choice"),
            ("decides(choice, near); decides(choice)", "one question at a time"),
            (f"decides(choice, {'(' * 5000}near{')' * 5000})", "check quotes and brackets"),
        ],
    )
    def test_mistakes_in_one_line(self, text, says):
        with pytest.raises(BadQuestion) as caught:
            self.ask(text)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_sql_questions_say_how_to_ask(self):
        with pytest.raises(
            BadQuestion, match=r"choice holds decision lists; release decision_lists\(\) and ask decides"
        ):
            parse("choice = 'near:1'", self.DOMAIN)
        with pytest.raises(BadQuestion, match=r"a synopsis of decision_lists\(\) answers decides"):
            parse("decides(choice, near)", self.DOMAIN)


class TestFile:
    def synopsis(self, neighbours="replace", order=None):
        domain = shape(5, 3, neighbours=neighbours)
        made = ht.plan(domain, workload=DecisionLists(order=order), budget=BUDGETS["zcdp"])
        table = pa.table({"choice": lists_of(domain, 200)})
        return ht.Vault(table, domain).release(made, randomness=Simulated(1))

    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    @pytest.mark.parametrize("order", [2, None])
    def test_a_synopsis_answers_the_same_after_save_and_load(self, neighbours, order, tmp_path):
        synopsis = self.synopsis(neighbours, order)
        synopsis.save(tmp_path / "t.hush")
        again = ht.load(tmp_path / "t.hush")
        for question in ("decides(choice)", "decides(choice, near AND rural)"):
            assert synopsis.ask(question).to_dict() == again.ask(question).to_dict()
            assert synopsis.ask(question, count=True) == again.ask(question, count=True)
        assert again.digest == synopsis.digest
        assert "inputs not named are false: cheap, sports, ranked" in again.ask("decides(choice, near AND rural)").notes
        assert "1 attribute" in str(again)

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"order": 4}, "order 4"),
            ({"order": "2"}, "order"),
            ({"attribute": "other"}, "does not have"),
            ({"law": "cauchy"}, "law that nobody knows"),
            ({"group_scales": ["0", "1"]}, "scales"),
            ({"group_scales": ["0", "1", "1", "1", "0"]}, "scales"),
            ({"grid": -1}, "grid"),
            ({"grid": 1000}, "grid"),
            ({"bias": "-1"}, "bias"),
        ],
    )
    def test_parameters_that_do_not_fit_are_refused(self, change, says):
        model = self.synopsis().model
        build = partial(DecisionListsModel.build, numbers=model.numbers())
        check = DecisionListsModel.lengths if {"order", "attribute"} & set(change) else build
        with pytest.raises(BadSynopsis, match=says):
            check(model.domain, model.parameters() | change)

    def test_an_empty_table_that_noise_made_negative_still_has_an_answer(self):
        model = self.synopsis("add-remove").model
        sums = model.sums.copy()
        sums[0] = -5
        empty = DecisionListsModel.build(model.domain, model.parameters(), {"decisions": sums})
        assert math.isfinite(empty.answer(empty.parse("decides(choice)")).stderr)


class TestCommandLine:
    def hush(self, *arguments):
        result = CliRunner().invoke(app, list(arguments))
        if isinstance(result.exception, ht.HushError):
            return result.exception.exit_code, str(result.exception)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.stdout

    def test_from_a_csv_to_an_answer(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        domain = shape(4, 3)
        domain.save("t.yaml")
        write_dummy(domain, rows=3000, path="t.csv", seed=1)
        budget = ("--epsilon", "1", "--delta", "1e-9")
        assert self.hush("domain", "check", "t.yaml", "--data", "t.csv")[0] == 0
        code, out = self.hush("plan", "--domain", "t.yaml", "--rows", "3000", *budget, "--workload", "decision_lists()")
        assert code == 0
        assert "15 parities of at most 3 inputs (exact)" in out
        code, out = self.hush("release", "t.csv", "--domain", "t.yaml", *budget, "-o", "t.hush")
        assert code == 0, out
        code, out = self.hush("ask", "t.hush", "decides(choice, near AND NOT cheap)", "--json")
        answer = json.loads(out)
        truth = truth_of(domain, lists_of(domain, 3000), (True, False, False, False))
        assert abs(answer["value"] - truth) < 6.2 * answer["stderr"]  # two-sided, 6e-10
        assert (answer["unit"], answer["estimator"], answer["bias"]) == ("fraction", "exact", 0)
        code, out = self.hush("ask", "t.hush", "decides(choice, near AND NOT cheap)")
        assert "note: inputs not named are false: sports, rural" in out
        code, out = self.hush("ask", "t.hush", "decides(choice, nearr)")
        assert (code, "Did you mean 'near'?" in out) == (1, True)

    @pytest.mark.parametrize("missing", ["category", "error"])
    def test_what_is_no_list_counts_as_missing_unless_that_is_an_error(self, missing, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        inputs = shape(4, 3).to_dict()["attributes"]["choice"] | {"missing": missing}
        ht.Domain.from_dict({"table": "t", "attributes": {"choice": inputs}}).save("t.yaml")
        (tmp_path / "t.csv").write_text('choice\n"near:1, default:0"\n"tuition:1, default:0"\n')
        code, out = self.hush("release", "t.csv", "--domain", "t.yaml", "--epsilon", "1", "-o", "t.hush")
        assert code == (missing == "error")
        assert ("column choice has values that are not decision lists of at most 3 rules" in out) == bool(code)
        assert "tuition" not in out
        assert (tmp_path / "t.ledger").exists() == (code == 0)

    def test_json_lines(self, tmp_path):
        domain = shape(4, 3)
        rows = ['{"rules": [["near", 1], ["!cheap", 0]], "default": 1}', '"near:1, default:0"', "null"]
        (tmp_path / "t.jsonl").write_text("".join(f'{{"choice": {row}}}\n' for row in rows))
        assert [fit.share for fit in fit_of(tmp_path / "t.jsonl", domain)] == [0]
        made = ht.plan(domain, rows=3, workload="decision_lists(order=3)", budget=Budget(rho=10**6))
        synopsis = ht.Vault(tmp_path / "t.jsonl", domain).release(made, randomness=Simulated(1))
        assert synopsis.ask("decides(choice, near AND cheap)").value == pytest.approx(2 / 3, abs=0.01)
        assert synopsis.ask("decides(choice, NOT near AND cheap)").value == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("law", BUDGETS)
@pytest.mark.parametrize("order", [2, 3])
def test_intervals_cover_and_standard_errors_are_right(order, law, neighbours):
    """4,000 releases of 2,000 lists: 95% intervals hold 93-97% of the truths (with a bias, at least 93%).

    One release is one independent trial for each question: the observed share has a standard error of 0.34%, so
    leaving 93-97% by chance has a rate of 7e-9. The spread of the standardised errors around their mean has a
    standard error of at most 1.8%, so leaving 0.9-1.1 has a rate below 3e-8; their mean one of 1.6%, so being off by
    more than 0.1 has a rate of 3e-10.
    """
    domain = shape(5, 3, neighbours=neighbours)
    texts, y, releases = lists_of(domain, 2000), (True, False, False, True, False), 4000
    exact, design = released(domain, texts, BUDGETS[law], order)
    statistic, _ = design.parameters
    sums = statistic.accumulate(encode_rules(column_of(domain), pa.array(texts)))
    question, truth = exact.parse(asking(y)), truth_of(domain, texts, y)
    held, z = {1: 0, 2000: 0}, {1: [], 2000: []}
    for seed in range(releases):
        door = Door(
            total=lambda _: sums, unit=domain.unit, price=design.price, account=Free(), randomness=Simulated(seed)
        )
        model = mechanisms()["decision-lists"].release(door, domain, design)
        for scale in held:
            answer = model.answer(question, count=scale > 1)
            low, high = answer.interval(0.95)
            held[scale] += low <= truth * scale <= high
            z[scale].append((answer.value - exact.answer(question, count=scale > 1).value) / answer.stderr)
    for scale, number in held.items():
        assert number / releases >= 0.93
        assert order == 2 or number / releases <= 0.97
        assert 0.9 < np.std(z[scale]) < 1.1
        assert abs(np.mean(z[scale])) < 0.1


class Free:
    def charge(self, price, *, what):
        assert price.amount > 0


def test_synopsis_is_made_from_a_release_of_lists():
    domain = shape()
    made = ht.plan(domain, workload="decision_lists()", budget=BUDGETS["pure"])
    model, _ = released(domain, lists_of(domain, 20), BUDGETS["pure"])
    synopsis = Synopsis.from_release(made, model, ledger=None, not_private=True)
    assert synopsis.ask("decides(choice)").notes[0].startswith("NOT PRIVATE")
    assert synopsis.ask("decides(choice)").kurtosis > 0

"""Long decision lists: a polynomial a rule, the sums of rows, and answers with a calibrated bar."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.dummy import dummy_rows
from hushtable.errors import BadPlan
from hushtable.maths.wide.list_polynomials import list_polynomials
from hushtable.maths.wide.made_up_lists import error_on_made_up_lists
from hushtable.maths.wide.prefix_polynomials import prefix_polynomials
from hushtable.maths.wide.single_polynomials import single_polynomials
from hushtable.vault.coding import encode_long_rules, encode_rules
from hushtable.vault.statistics.decided_counts import DecidedCounts
from hushtable.vault.statistics.decision_lists import DecisionListSums
from hushtable.vault.statistics.long_lists import LongListSums

WAYS = (prefix_polynomials, single_polynomials)


def domain(inputs, length):
    names = [f"i{j}" for j in range(inputs)]
    lists = {"kind": "decision_list", "inputs": names, "length": length}
    return ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})


def texts_of(shape, rows, seed=1):
    return dummy_rows(shape, rows=rows, seed=seed)["choice"]


def value(polynomials, decisions, true):
    """The polynomial of a list where these literals are true, set by set."""
    table, signs = polynomials.coefficients(np.array(decisions)), np.where(true, -1, 1)
    total = int(table[0, 0])
    for size in range(1, polynomials.order + 1):
        for chosen in combinations(range(len(decisions)), size):
            total += int(table[chosen[-1] + 1, size]) * int(np.prod(signs[list(chosen)]))
    return Fraction(total, 2**polynomials.grid)


def decided(decisions, true):
    return next((d for d, t in zip(decisions, true, strict=True) if t), -decisions[-1])


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("way", WAYS)
def test_a_list_is_within_its_bias_of_its_polynomial(way, order):
    """All lists of up to five rules at all inputs: the bias is that of the worst of them, and none at the whole
    order."""
    polynomials = way(5, order)
    off = max(
        abs(value(polynomials, decisions, true) - decided(decisions, true)) / 2
        for rules in range(1, 6)
        for decisions in product((-1, 1), repeat=rules)
        for true in product((False, True), repeat=rules)
    )
    assert off == polynomials.bias
    assert (polynomials.bias < Fraction(1, 10**4)) == (order == 5)


@pytest.mark.parametrize("length", [9, 16, 32])
@pytest.mark.parametrize("order", [2, 4])
def test_one_program_certifies_at_most_three_fifths_of_the_bias_of_prefix_ors(length, order):
    single, prefix = single_polynomials(length, order).bias, prefix_polynomials(length, order).bias
    assert single <= prefix * Fraction(3, 5)
    # Saying nothing of any list is off by a half.
    assert single <= Fraction(1, 2) + Fraction(1, 10**4)


@pytest.mark.parametrize(("length", "order", "near"), [(4, 2, 1.001), (5, 1, 1.001), (5, 3, 1.001), (6, 2, 1.14)])
def test_one_program_is_almost_as_near_as_a_polynomial_for_every_pattern(length, order, near):
    """Which short lists have, and no single one can beat."""
    best = float(list_polynomials(length, order).bias)
    assert best - 1e-5 <= float(single_polynomials(length, order).bias) <= near * best


@pytest.mark.parametrize("way", WAYS)
def test_no_list_is_longer_than_the_search_finds(way):
    polynomials = way(9, 3)
    for power in (1, 2):
        every = max(
            polynomials.norm(polynomials.coefficients(np.array(d)), power)
            for rules in range(1, 10)
            for d in product((-1, 1), repeat=rules)
        )
        assert polynomials.longest(power) == every


@pytest.mark.parametrize("way", WAYS)
def test_the_error_of_made_up_lists_is_that_of_lists_that_were_made(way):
    """Within 10% of drawn lists of the same law: 200 likings, 20 shares of true inputs each."""
    polynomials, source, m, off = way(9, 3), np.random.default_rng(4), 14, []
    values = [polynomials.values(rule) / 2.0**polynomials.grid for rule in range(1, 10)]
    for _ in range(200):
        liked, tested = source.random(m), source.random((1_500, m)).argsort(axis=1)[:, :9]
        decisions = 2 * liked[tested] - 1  # the mean of lists that decide so
        for chance in np.repeat([0.05, 0.1, 0.25, 0.5, 0.75], 4):
            true = (source.random(m) < chance)[tested].astype(int)
            ones = true.cumsum(axis=1) - true
            near = sum(decisions[:, i] * values[i][int(i == 8), true[:, i], ones[:, i]] for i in range(9))
            first = np.where(true.any(axis=1), true.argmax(axis=1), 8)
            exact = decisions[np.arange(1_500), first] * np.where(true.any(axis=1), 1, -1)
            off.append(abs((near - exact).mean()) / 2)
    assert error_on_made_up_lists(polynomials, m) == pytest.approx(np.mean(off), rel=0.1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("inputs", [4, 6])
def test_at_the_whole_order_sums_are_those_of_short_lists(inputs, way):
    shape = domain(inputs, 4)
    (column,), texts = shape.attributes, pa.array(texts_of(domain(inputs, 4), 200))
    long, short = LongListSums(column, way(4, 4)), DecisionListSums(column, 4)
    ours = long.accumulate(encode_long_rules(column, texts)).astype(float)
    theirs = short.accumulate(encode_rules(column, texts)).astype(float)
    ours[1:] /= 2**long.polynomials.grid
    theirs[1:] /= 2**short.polynomials.grid
    np.testing.assert_allclose(ours, theirs, atol=200 * 2.0**-17)


def test_a_row_beyond_the_length_is_cut_to_it(monkeypatch):
    shape = domain(10, 10)
    (column,) = shape.attributes
    statistic = LongListSums(column, prefix_polynomials(10, 2))
    monkeypatch.setattr(type(statistic.polynomials), "longest", lambda self, power: 2 ** (18 * power))
    codes = encode_long_rules(column, pa.array(texts_of(shape, 100)))
    seen = [statistic.accumulate(codes[:, [i]])[1:] for i in range(100) if codes[0, i]]
    assert max(abs(row).sum() for row in seen) <= 2**18
    assert max((row.astype(object) ** 2).sum() for row in seen) <= 2**36


def test_decided_counts_are_those_of_the_lists():
    shape = domain(12, 32)
    (column,), texts = shape.attributes, texts_of(domain(12, 32), 300)
    queries = np.random.default_rng(1).random((20, 12)) < 0.3
    statistic = DecidedCounts(column, queries)
    seen = statistic.to_coordinates(statistic.accumulate(encode_long_rules(column, pa.array(texts))))
    assert seen.tolist() == [sum(column.rules(text).decide(query) for text in texts) for query in queries]


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_answers_are_near_and_their_bars_hold(relation):
    """Lists of up to 32 rules over 16 inputs; 95% intervals of 60 inputs, of which chance leaves 50 with 1 - 1e-4."""
    shape = ht.Domain.from_dict(domain(16, 32).to_dict() | {"neighbours": relation})
    (column,), texts = shape.attributes, texts_of(shape, 8_000)
    plan = ht.plan(shape, rows=8_000, workload="decision_lists()", budget=ht.Budget(epsilon=1, delta="1e-9"))
    assert "order" in str(plan)
    synopsis = ht.Vault(pa.table({"choice": texts}), shape).release(plan, randomness=ht.Simulated(3))
    rules, source, held, off = [column.rules(text) for text in texts], np.random.default_rng(5), 0, []
    for _ in range(60):
        truth = source.random(16) < 0.4
        named = " AND ".join(name if one else f"NOT {name}" for name, one in zip(column.inputs, truth, strict=True))
        answer, exact = synopsis.ask(f"decides(choice, {named})"), np.mean([rule.decide(truth) for rule in rules])
        low, high = answer.interval()
        held, off = held + (low <= exact <= high), [*off, abs(answer.value - exact)]
        assert answer.estimator == "calibrated"
        assert answer.certified[0] <= low <= high <= answer.certified[1]
    assert np.mean(off) < 0.05
    assert held >= 50
    assert max(high - low, 2 * max(off)) < 0.5


def test_a_disjunction_of_many_literals_is_a_list():
    shape = domain(20, 32)
    texts = [", ".join([*(f"i{j}:1" for j in range(k)), "default:0"]) for k in (12, 16, 20)] * 3_000
    plan = ht.plan(shape, rows=9_000, workload="decision_lists(order=4)", budget=ht.Budget(epsilon=20, delta="1e-6"))
    synopsis = ht.Vault(pa.table({"choice": texts}), shape).release(plan, randomness=ht.Simulated(1))
    answer = synopsis.ask("decides(choice, i14)")
    low, high = answer.certified
    assert low <= 2 / 3 <= high


def test_what_cannot_be_is_said_before_anything_is_spent():
    for workload, rows, said in (
        ("decision_lists(order=7)", 100, "take an order of at most"),
        ("decision_lists()", None, "need about how many rows"),
        ("polynomials(family=decision_lists, basis=parity)", 100, "lists of up to 8 rules"),
    ):
        with pytest.raises(BadPlan, match=said):
            ht.plan(domain(12, 32), rows=rows, workload=workload, budget=ht.Budget(epsilon=1))

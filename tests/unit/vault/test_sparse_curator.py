"""The sparse curator: what it pays, what it answers, and the exact sensitivity of a list."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hushtable.attributes import Open
from hushtable.budget import Price, Unit
from hushtable.domain import Domain
from hushtable.errors import BadPlan, BadQuestion
from hushtable.vault.door import Door
from hushtable.vault.randomness import Simulated
from hushtable.vault.sources import open_source
from hushtable.vault.sparse_curator import SparseCurator, Terms
from hushtable.vault.statistics.list_count import KeyTotals, ListCount

URL = Open(name="url")
SHAPE = Domain(table="t", attributes=(URL,))
VALUES = [f"v{i}" for i in np.random.default_rng(1).zipf(1.3, 20_000)]


class Account:
    def __init__(self):
        self.paid = []

    def charge(self, price, *, what):
        self.paid.append((what.split()[0], price.amount))


def curator(rho=20, *, updates=30, largest=10, values=VALUES, questions=500):
    source, account = open_source(pa.table({"url": values})), Account()
    price = Price(currency="zcdp", amount=Fraction(rho))
    door = Door(
        total=lambda s: source.total(s, SHAPE), unit=Unit(), price=price, account=account, randomness=Simulated(2)
    )
    terms = Terms(rho=Fraction(rho), updates=updates, questions=questions)
    return SparseCurator(door, [URL], rows=len(values), largest=largest, terms=terms), account


def lists(count, size=10):
    source = np.random.default_rng(4)
    return [{f"v{x}".encode(): 1.0 for x in source.choice(200, size, replace=False)} for _ in range(count)]


def test_it_pays_for_what_it_gets_wrong_and_never_more_than_its_budget():
    made, account = curator()
    answers = [made.ask(question) for question in lists(500)]
    measured = sum(answer.measured for answer in answers)
    assert 0 < measured <= 30
    kinds = [what for what, _ in account.paid]
    assert kinds.count("measure") == measured
    assert measured <= kinds.count("watch") <= measured + 1
    assert sum(amount for _, amount in account.paid) <= 20


def test_answers_lie_within_the_threshold_while_it_has_updates():
    made, _ = curator(rho=4, updates=200, questions=10**6)
    table = {v: VALUES.count(v) for v in set(VALUES)}
    reach = made.terms.threshold + 60 / float(made.terms.epsilon)  # two noises, exp(-20) each
    answers = 0
    for question in lists(300):
        if not made.left:
            break
        answer = made.ask(question)
        assert abs(answer.value - sum(table.get(k.decode(), 0) for k in question)) < reach
        answers += not answer.measured
    assert answers > 50


def test_after_the_last_update_no_row_is_read():
    made, account = curator(updates=1, rho=5)
    while made.left:
        made.ask(lists(50)[len(account.paid) % 50])
    before = list(account.paid)
    made._door._total = None
    assert not made.ask(lists(1)[0]).measured
    assert account.paid == before


def test_bad_lists_cost_nothing():
    made, account = curator()
    with pytest.raises(BadQuestion, match="11 values and this curator takes at most 10"):
        made.ask({bytes([i]): 1.0 for i in range(11)})
    with pytest.raises(BadQuestion, match="from 0 to 1"):
        made.ask({b"a": 1.5})
    assert account.paid == []
    with pytest.raises(BadPlan, match="at least one row"):
        curator(values=VALUES[:1], largest=0)


def test_the_terms_spend_the_budget_exactly():
    terms = Terms(rho=Fraction(1, 40), updates=200)
    one = terms.epsilon**2 / 2 + 1 / (2 * terms.variance)
    assert one * 200 <= terms.rho
    assert one * 200 > terms.rho * Fraction(999, 1000)


def test_the_sensitivity_of_a_list_is_its_largest_weight():
    totals = KeyTotals([URL], bytes(range(32)))
    weights = {b"a": 3, b"b": 5, b"c": 0}
    statistic = ListCount(totals, weights)
    rows = {key: int(statistic.accumulate(pa.array([key], pa.large_binary()))[0]) for key in (b"a", b"b", b"c", b"d")}
    assert rows == {b"a": 3, b"b": 5, b"c": 0, b"d": 0}
    for neighbours in ("replace", "add-remove"):
        largest = max(abs(x - y) for x in rows.values() for y in ([0] if neighbours == "add-remove" else rows.values()))
        assert statistic.largest_change(neighbours) == largest == 5
        for power in (1, 2):
            assert statistic.spread(power=power, weights=[Fraction(1, 2)], neighbours=neighbours) == Fraction(
                5**power, 2
            )
    assert ListCount(totals, {}).largest_change("replace") == 0
    with pytest.raises(BadPlan, match="not negative"):
        ListCount(totals, {b"a": -1})
    with pytest.raises(ValueError, match="power"):
        statistic.spread(power=3, weights=[Fraction(1)], neighbours="replace")


def test_the_counts_of_all_keys_are_never_measured():
    totals = KeyTotals([URL], bytes(32))
    for call in (
        lambda: totals.scales("laplace", []),
        lambda: totals.spread(power=1, weights=[], neighbours="replace"),
        lambda: totals.largest_change("replace"),
    ):
        with pytest.raises(BadPlan, match="not measured"):
            call()


def test_a_list_is_the_same_sum_however_rows_are_split():
    totals = KeyTotals([URL], bytes(range(32)))
    statistic = ListCount(totals, {b"v1": 2, b"v3": 1, b"nowhere": 9})
    keys = pa.array([v.encode() for v in VALUES], pa.large_binary())
    whole = totals.zeros()
    parts = statistic.zeros()
    for start in range(0, len(VALUES), 3001):
        whole += totals.accumulate(keys[start : start + 3001])
        parts += statistic.accumulate(keys[start : start + 3001])
    truth = 2 * VALUES.count("v1") + VALUES.count("v3")
    assert statistic.cut(totals.finish(whole)).tolist() == statistic.finish(parts).tolist() == [truth]
    assert statistic.rows(whole) == len(VALUES)
    assert statistic.columns(SHAPE) == ("url",)

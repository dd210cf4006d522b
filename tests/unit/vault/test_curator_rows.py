"""A curator's answers where the number of rows is private: its noise is in each bar as it is in the answer."""

import math

import pytest
from curators import rehearsal
from tables import domain, random_codes

import hushtable as ht
from hushtable.curator.usual_bars import PASSED

ROWS = 400
ADD = domain(neighbours="add-remove")
CODES = random_codes(ADD, ROWS, seed=21)
CODES[3] = 1
BUDGETS = {"pure": ht.Budget(epsilon=8), "zcdp": ht.Budget(rho=4)}


def curator(budget="zcdp", *, seed=1, way="independent", shape=ADD, **more):
    more = {"questions": 2, "updates": 1} | more
    return rehearsal(BUDGETS[budget], seed=seed, shape=shape, codes=CODES, way=way, **more)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("seed", range(8))
def test_an_unverified_count_may_be_any_number_of_rows_there_can_be(budget, seed):
    """With the noise of their number above the released one: 99.9999% of it, or 2 x 8 alarms in a million."""
    with curator(budget, seed=seed, on_exhausted="unverified") as one:
        for text in ("smoker", "sex = 'male'"):
            one.ask(text)
        everything, answer = one.ask("smoker OR NOT smoker", count=True), one.ask("age >= 18", count=True)
        share = one.ask("age >= 18")
    assert answer.source == "unverified"
    for confidence in (0.5, 0.95, 0.999999):
        low, high = answer.surely(confidence)
        assert low == 0
        assert high >= everything.interval(confidence)[1] * (1 - 1e-12)
        assert share.surely(confidence) == pytest.approx((0, 1))
    assert answer.surely(0.999999)[1] >= ROWS
    assert answer.text().endswith("\nunknown (95%), unverified")


@pytest.mark.parametrize("count", [False, True], ids=["fraction", "count"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_a_paid_answer_is_not_cut_at_a_noisy_number_of_rows(budget, count):
    """All rows smoke: a released number of rows below the true one says nothing about what was measured."""
    seen = []
    for seed in range(30):
        with curator(budget, seed=seed) as one:
            rows = one.ask("smoker OR NOT smoker", count=True).value
            answer = one.ask("smoker", count=count)
            seen.append(answer.value > (rows if count else 1))
    assert any(seen)
    assert not all(seen)
    with curator(budget, seed=0, shape=domain()) as one:
        assert one.ask("smoker", count=True).value <= ROWS


def test_noise_of_the_number_of_rows_is_where_it_belongs():
    with curator(way="hypothesis", questions=200, updates=3) as one:
        plan = one.plan
        asked = ["smoker", "sex = 'male'", "age >= 18", "region = 'north'"]
        counts, shares = ([one.ask(text, count=count) for text in asked] for count in (True, False))
        everything = one.ask("smoker OR NOT smoker", count=True)
    assert everything.stderr == pytest.approx(plan.rows_stderr)
    sources = set()
    for count, share in zip(counts, shares, strict=True):
        paid = count.source in ("paid", "repeated")
        sources.add(paid)
        own = plan.answer_stderr if paid else PASSED * plan.margin.deviation
        assert count.stderr == pytest.approx(own)
        lean = count.value / everything.value
        assert share.stderr * everything.value == pytest.approx(math.hypot(own, lean * plan.rows_stderr))
    assert False in sources

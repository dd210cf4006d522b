"""Thresholds: the exact loss of neighbouring tables is never more than the price, and one threshold lower it is."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

from hushtable.budget import Price, Unit
from hushtable.domain import Domain
from hushtable.domain.attributes import Open
from hushtable.errors import BadData, BadPlan, OverBudget
from hushtable.vault import key_counts
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.door.reveal import reveal_price, threshold_for
from hushtable.vault.key_counts import Counts
from hushtable.vault.sources import open_source

URL = Open(name="url")
SHAPE = Domain(table="t", attributes=(URL,))


class Free:
    def __init__(self):
        self.paid = []

    def charge(self, price, *, what):
        self.paid.append(price)


def door_to(values, *, price, unit=None, seed=1, account=None):
    source = open_source(pa.table({"url": pa.array(values, pa.string())}))
    return Door(
        total=lambda statistic: source.total(statistic, SHAPE),
        unit=unit or Unit(),
        price=price,
        account=account or Free(),
        randomness=Simulated(seed),
    )


def law(count: int, scale: Fraction, threshold: int, top: int) -> np.ndarray:
    """Chance of being hidden, then of each shown count from the threshold to `top`."""
    r = math.exp(-1 / float(scale))
    shown = np.array([(1 - r) / (1 + r) * r ** abs(y - count) for y in range(threshold, top + 1)]) * (count > 0)
    return np.concatenate([[1 - shown.sum()], shown])


def excess(one: list[int], other: list[int], scale: Fraction, threshold: int, epsilon: float) -> float:
    """sum of max(0, P - e^epsilon Q) over all outputs: the least delta with which P is (epsilon, delta)-close to Q."""
    top = max(threshold, *one, *other) + math.ceil(40 * float(scale))
    p, q = (
        reduce(lambda a, b: np.outer(a, b).ravel(), [law(c, scale, threshold, top) for c in counts])
        for counts in (one, other)
    )
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def neighbours_of(unit: Unit):
    """Pairs of tables over up to three keys that differ in one person, with 0 to 2 rows of others on each key."""
    keys = 3 if unit.rows > 1 else 2
    person = [rows for rows in product(range(unit.rows + 1), repeat=keys) if sum(rows) <= unit.rows]
    exactly = [rows for rows in person if sum(rows) == unit.rows]
    pairs = (
        [(rows, (0,) * keys) for rows in person]
        if unit.neighbours == "add-remove"
        else list(combinations(exactly, 2))  # either way round is tried
    )
    for base in product((0, 2), repeat=keys):
        for mine, yours in pairs:
            yield [b + m for b, m in zip(base, mine, strict=True)], [b + y for b, y in zip(base, yours, strict=True)]


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_price_covers_the_exact_loss_of_every_pair(rows, neighbours):
    unit, scale = Unit(rows=rows, neighbours=neighbours), Fraction(3, 4) * rows
    threshold = threshold_for(scale, Fraction(1, 100), unit)
    price = reveal_price(scale, threshold, unit)
    assert price.currency == "pure"
    assert price.amount == rows * (2 if neighbours == "replace" else 1) / scale
    worst = 0.0
    for one, other in neighbours_of(unit):
        for a, b in ((one, other), (other, one)):
            worst = max(worst, excess(a, b, scale, threshold, float(price.amount)))
    assert worst <= float(price.delta) * (1 + 1e-9)
    assert worst >= 0.5 * float(price.delta), "the price is far from what is needed"
    assert float(price.delta) <= 0.01
    assert reveal_price(scale, threshold - 1, unit).delta > Fraction(1, 100), "a lower threshold would do"


def test_the_reference_thresholds():
    unit, delta = Unit(), Fraction(1, 10**6)
    assert threshold_for(Fraction(2), delta, unit) == 28
    assert threshold_for(Fraction(20), delta, unit) == 264
    for scale, t in ((Fraction(2), 28), (Fraction(20), 264)):
        assert reveal_price(scale, t, unit).delta <= delta < reveal_price(scale, t - 1, unit).delta


def test_a_threshold_that_protects_nobody_is_refused():
    for scale, threshold, unit in ((Fraction(0), 5, Unit()), (Fraction(2), 3, Unit(rows=4))):
        with pytest.raises(BadPlan, match="threshold needs noise"):
            reveal_price(scale, threshold, unit)
    with pytest.raises(BadPlan, match="too low"):
        reveal_price(Fraction(50), 1, Unit())


def test_values_of_one_row_are_shown_as_often_as_the_price_says():
    """200,000 values with one row each at delta = 0.01: the share shown is p(1) to 5.7 standard deviations (1e-8)."""
    unit, values = Unit(), 200_000
    scale = Fraction(2)
    threshold = threshold_for(scale, Fraction(1, 100), unit)
    price = reveal_price(scale, threshold, unit)
    seen = door_to([f"v{i}" for i in range(values)], price=price).reveal([URL], scale=scale, threshold=threshold)

    def fits(share):
        return abs(len(seen.keys) / values - share) <= 5.73 * math.sqrt(share / values)

    assert fits(float(price.delta))
    for factor in (Fraction(93, 100), Fraction(107, 100)):
        assert not fits(float(reveal_price(scale * factor, threshold, unit).delta)), "7% wrong noise must show"


def test_what_is_revealed_is_sorted_and_near_the_truth():
    values = ["b"] * 400 + ["a"] * 300 + [None] * 350 + ["rare"]
    account = Free()
    scale, threshold = Fraction(2), 30
    price = reveal_price(scale, threshold, Unit())
    seen = door_to(values, price=price, account=account).reveal([URL], scale=scale, threshold=threshold)
    assert seen.keys == [b"a", b"b", b"\xff"]
    assert np.abs(seen.counts - [300, 400, 350]).max() < 60  # exp(-30) a value
    assert seen.rows == len(values)
    assert account.paid == [price.on_grid(up=True)]


def test_too_little_delta_is_refused_before_anything_is_read():
    price = reveal_price(Fraction(2), 30, Unit())

    def never(_):
        raise AssertionError("read")

    for short in (
        Price(currency="pure", amount=price.amount),
        Price(currency="pure", amount=price.amount / 2, delta=price.delta),
    ):
        account = Free()
        door = Door(total=never, unit=Unit(), price=short, account=account, randomness=Simulated(1))
        with pytest.raises(OverBudget):
            door.reveal([URL], scale=Fraction(2), threshold=30)
        assert account.paid == []


@pytest.mark.parametrize("short", ["epsilon", "delta"])
@pytest.mark.parametrize("reveals", [1, 2, 3])
def test_every_reveal_spends_epsilon_and_delta_of_its_own(reveals, short):
    """There is plenty of one of the two, so that only the other can stop the next one."""
    one = reveal_price(Fraction(2), 30, Unit()).on_grid(up=True)
    whole = replace(
        one.times(reveals), **({"delta": Fraction(1, 2)} if short == "epsilon" else {"amount": Fraction(99)})
    )
    account = Free()
    door = door_to(["a"] * 99, price=whole, account=account)
    for _ in range(reveals):
        door.reveal([URL], scale=Fraction(2), threshold=30)
    with pytest.raises(OverBudget, match=short):
        door.reveal([URL], scale=Fraction(2), threshold=30)
    assert account.paid == [one] * reveals


def test_a_reveal_inside_a_paid_round_needs_the_delta_that_was_paid():
    one = reveal_price(Fraction(2), 30, Unit()).on_grid(up=True)
    account = Free()
    door = door_to(["a"] * 99, price=one.times(3), account=account)
    with door.paid(replace(one, delta=Fraction(0)), "round 1"), pytest.raises(OverBudget, match="delta"):
        door.reveal([URL], scale=Fraction(2), threshold=30)
    with door.paid(one.times(2), "round 2"):
        for _ in range(2):
            door.reveal([URL], scale=Fraction(2), threshold=30)
        with pytest.raises(OverBudget):
            door.reveal([URL], scale=Fraction(2), threshold=30)
    assert sum(price.delta for price in account.paid) == 2 * one.delta


def test_a_delta_has_few_digits_and_is_never_below_the_chance():
    for scale, threshold in product((Fraction(2), Fraction(22, 7), Fraction(1000, 3)), (3000, 5001)):
        delta = reveal_price(scale, threshold, Unit()).delta
        assert len(str(delta.numerator)) <= 30
        chance = math.exp(-(threshold - 1) / float(scale)) / (1 + math.exp(-1 / float(scale)))
        assert float(delta) == pytest.approx(chance, rel=1e-9)
        # The exact one, to 80 digits.
        with localcontext(prec=80):
            b = Decimal(scale.numerator) / Decimal(scale.denominator)
            assert Fraction((-(threshold - 1) / b).exp() / (1 + (-1 / b).exp())) <= delta


def test_an_empty_table_is_refused_where_its_size_is_public_and_only_there():
    price = reveal_price(Fraction(2), 30, Unit())
    with pytest.raises(BadData, match="no rows"):
        door_to([], price=price).reveal([URL], scale=Fraction(2), threshold=30)
    private = Unit(neighbours="add-remove")
    price = reveal_price(Fraction(2), 30, private)
    seen = door_to([], price=price, unit=private).reveal([URL], scale=Fraction(2), threshold=30)
    assert (seen.keys, seen.rows) == ([], None)


def test_counts_do_not_depend_on_the_split_nor_on_half_equal_digests(monkeypatch):
    monkeypatch.setattr(key_counts, "WAITING", 10)
    source = np.random.default_rng(3)
    first, second = (source.integers(0, 40, 3000).astype(np.uint64) for _ in range(2))
    whole = Counts(first, second)
    pieces = Counts(first[:0], second[:0])
    for start in range(0, 3000, 170):
        pieces += Counts(first[start : start + 170], second[start : start + 170])
    pairs = sorted(zip(first.tolist(), second.tolist(), strict=True))
    expected = {pair: pairs.count(pair) for pair in set(pairs)}
    for counts in (whole, pieces):
        halves = counts.digests_of(np.arange(len(counts.counts)))
        found = dict(zip(zip(*(h.tolist() for h in halves), strict=True), counts.counts.tolist(), strict=True))
        assert found == expected
        assert counts.rows() == 3000
    some = np.arange(45, dtype=np.uint64)
    looked = whole.look_up(np.repeat(some, 45), np.tile(some, 45))
    assert looked.tolist() == [expected.get((a, b), 0) for a in range(45) for b in range(45)]
    assert Counts(first[:0], second[:0]).look_up(some, some).sum() == 0

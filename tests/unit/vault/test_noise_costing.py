"""Noise that costs a price: never more, and hardly less."""

from fractions import Fraction

import pytest

from hushtable.budget import Price, Unit
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.door.noise import Noise, price_of, round_up
from hushtable.vault.statistics import Histogram, Parities, Residuals, Tables

STATISTICS = [
    Histogram((2, 3)),
    Tables(InteractionLayout((2, 3, 4), 2)),
    Residuals(InteractionLayout((2, 3, 4), 2)),
    Parities(InteractionLayout((2, 2, 2), 2)),
]
PRICES = [Price(currency="pure", amount=Fraction(1, 3)), Price(currency="zcdp", amount=Fraction(2, 7))]
UNITS = [Unit(rows=rows, neighbours=neighbours) for rows in (1, 3) for neighbours in ("replace", "add-remove")]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: s.name)
@pytest.mark.parametrize("price", PRICES, ids=lambda p: p.currency)
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.rows} rows, {u.neighbours}")
class TestCosting:
    def test_it_costs_the_price_and_not_more(self, statistic, price, unit):
        noise = Noise.costing(price, statistic, unit, [1.0 + 0.3 * g for g in range(statistic.groups)])
        cost = price_of(statistic, noise, unit)
        assert noise.law == Law.of(price)
        assert cost.currency == price.currency
        assert price.amount * (1 - Fraction(1, 2**38)) <= cost.amount <= price.amount

    def test_without_rounding_it_costs_what_the_grid_of_prices_allows(self, statistic, price, unit):
        noise = Noise.costing(price, statistic, unit, [1] * statistic.groups, rounded=False)
        assert price_of(statistic, noise, unit).amount == price.on_grid(up=False).amount

    def test_the_shape_is_kept(self, statistic, price, unit):
        shape = [1.0 + 0.3 * g for g in range(statistic.groups)]
        noise = Noise.costing(price, statistic, unit, shape)
        ratios = [float(scale) / part for scale, part in zip(noise.per_group, shape, strict=True)]
        assert max(ratios) <= min(ratios) * (1 + 1e-10)

    def test_shares_cost_the_price_at_most(self, statistic, price, unit):
        shares = [Fraction(1, statistic.groups)] * statistic.groups
        noise = Noise.sharing(price, statistic, unit, shares)
        assert price_of(statistic, noise, unit).amount <= price.amount


def test_what_no_row_changes_stays_exact():
    noise = Noise.costing(PRICES[0], Histogram((1,)), Unit(neighbours="replace"), [1])
    assert noise.per_group == (0,)


@pytest.mark.parametrize("value", [Fraction(1), Fraction(1, 3), Fraction(10**30, 7), Fraction(5, 2**70)])
def test_rounding_goes_up_and_only_once(value):
    rounded = round_up(value)
    assert value <= rounded <= value * (1 + Fraction(1, 2**38))
    assert round_up(rounded) == rounded

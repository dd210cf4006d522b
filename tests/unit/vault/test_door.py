"""The door: prices from the statistic, charge before noise, three verbs."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tables import BINARY, MIXED, all_rows, domain, random_codes

from hushtable.budget import Price, Unit
from hushtable.errors import BadData, BadPlan, OverBudget
from hushtable.interactions import Interactions
from hushtable.vault.door import Door, Noise, price_of
from hushtable.vault.randomness import Simulated
from hushtable.vault.statistics import Histogram, Parities, Residuals

FALSE_ALARM = 1e-9
SHAPE = domain(BINARY)
CODES = random_codes(SHAPE, 1000, seed=5)
PARITIES = Parities(Interactions(SHAPE.sizes, 2))


class Account:
    """Remembers what happened in which order."""

    def __init__(self, events):
        self.events = events

    def charge(self, price, *, what):
        self.events.append(("charge", price.amount, what))


class Watched(Simulated):
    """Tells when randomness is used."""

    def __init__(self, seed, events):
        super().__init__(seed)
        self.events = events

    def bytes(self, count):
        self.events.append(("draw",))
        return super().bytes(count)


def make_door(*, price=None, unit=None, codes=CODES, seed=1, total=None):
    events = []

    def read(statistic):
        events.append(("read",))
        return statistic.accumulate(codes)

    price = price or Price(currency="zcdp", amount=Fraction(1, 2))
    door = Door(
        total=total or read, unit=unit or Unit(), price=price, account=Account(events), randomness=Watched(seed, events)
    )
    return door, events


def gaussian(variance, statistic=PARITIES):
    return Noise(law="gaussian", per_group=(Fraction(0), *[Fraction(variance)] * (statistic.groups - 1)))


class TestMeasure:
    def test_reads_then_charges_then_draws(self):
        door, events = make_door()
        door.measure(PARITIES, gaussian(100))
        kinds = [event[0] for event in events]
        assert kinds[:3] == ["read", "charge", "draw"]
        assert "charge" not in kinds[2:]

    def test_too_dear_reads_nothing(self):
        door, events = make_door(price=Price(currency="zcdp", amount=Fraction(1, 10**6)))
        with pytest.raises(OverBudget):
            door.measure(PARITIES, gaussian(100))
        assert events == []

    def test_prices_add_up_to_the_reservation_exactly(self):
        one = price_of(PARITIES, gaussian(100), Unit()).on_grid(up=True)
        door, _ = make_door(price=one.times(7))
        for _ in range(7):
            door.measure(PARITIES, gaussian(100))
        with pytest.raises(OverBudget):
            door.measure(PARITIES, gaussian(100))

    def test_rows_that_do_not_fit_cost_nothing(self):
        def broken(statistic):
            raise BadData("column x has values outside its declared 2 values")

        door, events = make_door(total=broken)
        with pytest.raises(BadData):
            door.measure(PARITIES, gaussian(100))
        assert events == []

    def test_an_empty_table_is_refused_where_n_is_public_and_only_there(self):
        door, events = make_door(codes=CODES[:, :0])
        with pytest.raises(BadData, match="no rows"):
            door.measure(PARITIES, gaussian(100))
        assert [event[0] for event in events] == ["read"]
        door, _ = make_door(codes=CODES[:, :0], unit=Unit(neighbours="add-remove"))
        noise = Noise(law="gaussian", per_group=(Fraction(100),) * PARITIES.groups)
        assert door.measure(PARITIES, noise).rows is None

    def test_the_number_of_rows_is_exact_only_where_it_is_public(self):
        door, _ = make_door()
        assert door.measure(PARITIES, gaussian(100)).values[0] == 1000
        with pytest.raises(BadPlan, match="needs noise"):
            price_of(PARITIES, gaussian(100), Unit(neighbours="add-remove"))

    def test_no_group_that_rows_can_change_stays_without_noise(self):
        silent = Noise(law="gaussian", per_group=(Fraction(0), Fraction(0), Fraction(9)))
        with pytest.raises(BadPlan, match="needs noise"):
            price_of(PARITIES, silent, Unit())

    def test_m_rows_per_person_cost_m_times_epsilon_and_m_squared_rho(self):
        laplace = Noise(law="laplace", per_group=(Fraction(0), Fraction(9), Fraction(7)))
        for noise, power in ((gaussian(50), 2), (laplace, 1)):
            alone, five = (price_of(PARITIES, noise, Unit(rows=rows)).amount for rows in (1, 5))
            assert five == alone * 5**power

    def test_gaussian_noise_has_no_pure_price(self):
        from hushtable.errors import BadBudget

        door, _ = make_door(price=Price(currency="pure", amount=Fraction(1)))
        with pytest.raises(BadBudget):
            door.measure(PARITIES, gaussian(100))

    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    def test_price_is_the_largest_loss_over_all_pairs_of_rows(self, neighbours):
        """Brute force: Gaussian loss change^2/(2 sigma^2) summed over coordinates, for every pair of rows."""
        shape = domain(MIXED)
        statistic = Residuals(Interactions(shape.sizes, 2))
        per_group = tuple(Fraction(5 + 3 * g) for g in range(statistic.groups))
        noise = Noise(
            law="gaussian", per_group=(Fraction(0) if neighbours == "replace" else Fraction(4), *per_group[1:])
        )
        scales = statistic.scales("gaussian", noise.per_group)
        variance = np.array([float(s) for s in scales.table])[scales.index]
        one_each = np.array([statistic.finish(statistic.accumulate(row[:, None])) for row in all_rows(shape).T])
        pairs = one_each[:, None] - one_each[None] if neighbours == "replace" else one_each[None]
        loss = np.divide(pairs.astype(float) ** 2, 2 * variance, where=variance > 0, out=np.zeros(pairs.shape)).sum(-1)
        price = price_of(statistic, noise, Unit(neighbours=neighbours))
        assert float(price.amount) == pytest.approx(loss.max(), rel=1e-12)


class TestSelect:
    def test_finds_the_farthest_coordinate_when_epsilon_is_large(self):
        for currency in ("pure", "zcdp"):
            door, events = make_door(price=Price(currency=currency, amount=Fraction(1000)))
            reference = PARITIES.finish(PARITIES.accumulate(CODES))
            reference[7] += 300
            assert door.select(PARITIES, reference, Price(currency=currency, amount=Fraction(500))) == 7
            assert events[0] == ("read",)
            assert events[1][0] == "charge"

    def test_follows_the_exact_law(self):
        """Exponential mechanism at rho: P(i) ~ exp(epsilon score / 2D), epsilon = sqrt(8 rho), D = 2 for parities."""
        from scipy.stats import chisquare

        statistic = Histogram((2, 2))
        codes = random_codes(domain({k: BINARY[k] for k in ("b0", "b1")}), 9, seed=1)
        sums = statistic.finish(statistic.accumulate(codes))
        rho, draws = Fraction(1, 8), 20_000
        door, _ = make_door(codes=codes, price=Price(currency="zcdp", amount=rho * draws))
        price = Price(currency="zcdp", amount=rho)
        picks = Counter(door.select(statistic, np.zeros(4, np.int64), price) for _ in range(draws))
        observed = [picks[i] for i in range(4)]

        def fits(epsilon):
            weights = np.exp(epsilon * sums / (2 * statistic.largest_change("replace")))
            return chisquare(observed, draws * weights / weights.sum()).pvalue > FALSE_ALARM

        assert fits(1.0)
        assert not fits(1.07 * 1.15)  # far enough that 20,000 draws must see it
        assert not fits(0.85)


class TestExceeds:
    def watch(self, *, threshold, crossings=1, epsilon=200):
        price = Price(currency="pure", amount=Fraction(epsilon))
        door, events = make_door(price=price)
        return door, door.watch(PARITIES, threshold=threshold, price=price, crossings=crossings), events

    def test_says_no_below_and_yes_above(self):
        door, watch, _ = self.watch(threshold=100, crossings=2)
        truth = int(PARITIES.finish(PARITIES.accumulate(CODES))[3])
        assert door.exceeds(watch, 3, truth + 200)
        assert not door.exceeds(watch, 3, truth)
        assert door.exceeds(watch, 3, truth - 200)

    def test_closes_after_its_crossings(self):
        door, watch, _ = self.watch(threshold=-(10**6))
        assert door.exceeds(watch, 1, 0)
        with pytest.raises(BadPlan, match="open another"):
            door.exceeds(watch, 1, 0)

    def test_is_charged_once_at_its_start(self):
        door, watch, events = self.watch(threshold=10**6)
        for _ in range(20):
            door.exceeds(watch, 1, 0)
        assert sum(event[0] == "charge" for event in events) == 1

    def test_splits_epsilon_as_one_to_two_c_to_the_two_thirds(self):
        _, watch, _ = self.watch(threshold=0, crossings=4, epsilon=5)
        # e1 : e2 = 1 : 8^(2/3) = 1 : 4, so e2 = 4 and the comparison noise is 2 c D / e2 with D = 2
        assert watch.noise == pytest.approx(2 * 4 * 2 / 4)
        assert "threshold" not in repr(watch)

    def test_wrong_use_is_refused_before_anything_is_charged(self):
        door, events = make_door(price=Price(currency="pure", amount=Fraction(1)))
        with pytest.raises(BadPlan, match="crossings"):
            door.watch(PARITIES, threshold=1, price=Price(currency="pure", amount=Fraction(1)), crossings=0)
        with pytest.raises(BadPlan, match="epsilon"):
            door.watch(PARITIES, threshold=1, price=Price(currency="zcdp", amount=Fraction(1)))
        assert events == []

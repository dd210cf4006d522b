"""The door: prices from the statistic, charge before noise, three verbs."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tables import BINARY, MIXED, all_rows, domain, random_codes

from hushtable.budget import Price, Unit
from hushtable.errors import BadData, BadPlan, OverBudget
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.door.door import Door, JointNoise, Noise, price_of
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.statistics import Histogram, OneWayTables, Parities, Residuals, Tables

FALSE_ALARM = 1e-9
SHAPE = domain(BINARY)
CODES = random_codes(SHAPE, 1000, seed=5)
PARITIES = Parities(InteractionLayout(SHAPE.sizes, 2))


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
    return Noise(law=Law.GAUSSIAN, per_group=(Fraction(0), *[Fraction(variance)] * (statistic.groups - 1)))


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
        noise = Noise(law=Law.GAUSSIAN, per_group=(Fraction(100),) * PARITIES.groups)
        assert door.measure(PARITIES, noise).rows is None

    def test_the_number_of_rows_is_exact_only_where_it_is_public(self):
        door, _ = make_door()
        assert door.measure(PARITIES, gaussian(100)).values[0] == 1000
        with pytest.raises(BadPlan, match="needs noise"):
            price_of(PARITIES, gaussian(100), Unit(neighbours="add-remove"))

    def test_no_group_that_rows_can_change_stays_without_noise(self):
        silent = Noise(law=Law.GAUSSIAN, per_group=(Fraction(0), Fraction(0), Fraction(9)))
        with pytest.raises(BadPlan, match="needs noise"):
            price_of(PARITIES, silent, Unit())

    def test_m_rows_per_person_cost_m_times_epsilon_and_m_squared_rho(self):
        laplace = Noise(law=Law.LAPLACE, per_group=(Fraction(0), Fraction(9), Fraction(7)))
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
        statistic = Residuals(InteractionLayout(shape.sizes, 2))
        per_group = tuple(Fraction(5 + 3 * g) for g in range(statistic.groups))
        noise = Noise(
            law=Law.GAUSSIAN, per_group=(Fraction(0) if neighbours == "replace" else Fraction(4), *per_group[1:])
        )
        scales = statistic.scales(Law.GAUSSIAN, noise.per_group)
        variance = np.array([float(s) for s in scales.table])[scales.index]
        one_each = np.array([statistic.to_coordinates(statistic.accumulate(row[:, None])) for row in all_rows(shape).T])
        pairs = one_each[:, None] - one_each[None] if neighbours == "replace" else one_each[None]
        loss = np.divide(pairs.astype(float) ** 2, 2 * variance, where=variance > 0, out=np.zeros(pairs.shape)).sum(-1)
        price = price_of(statistic, noise, Unit(neighbours=neighbours))
        assert float(price.amount) == pytest.approx(loss.max(), rel=1e-12)


class TestSelect:
    def test_finds_the_farthest_coordinate_when_epsilon_is_large(self):
        for currency in ("pure", "zcdp"):
            door, events = make_door(price=Price(currency=currency, amount=Fraction(1000)))
            reference = PARITIES.to_coordinates(PARITIES.accumulate(CODES))
            reference[7] += 300
            assert door.select(PARITIES, reference, Price(currency=currency, amount=Fraction(500))) == 7
            assert events[0] == ("read",)
            assert events[1][0] == "charge"

    def test_follows_the_exact_law(self):
        """Exponential mechanism at rho: P(i) ~ exp(epsilon score / 2D), epsilon = sqrt(8 rho), D = 2 for parities."""
        from scipy.stats import chisquare

        statistic = Histogram((2, 2))
        codes = random_codes(domain({k: BINARY[k] for k in ("b0", "b1")}), 9, seed=1)
        sums = statistic.to_coordinates(statistic.accumulate(codes))
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
        return door, door.watch(change=2, threshold=threshold, price=price, crossings=crossings), events

    def test_says_no_below_and_yes_above(self):
        door, watch, _ = self.watch(threshold=100, crossings=2)
        truth = int(PARITIES.to_coordinates(PARITIES.accumulate(CODES))[3])
        assert door.exceeds(watch, PARITIES, truth + 200, coordinate=3)
        assert not door.exceeds(watch, PARITIES, truth, coordinate=3)
        assert door.exceeds(watch, PARITIES, truth - 200, coordinate=3)

    def test_closes_after_its_crossings(self):
        door, watch, _ = self.watch(threshold=-(10**6))
        assert door.exceeds(watch, PARITIES, 0, coordinate=1)
        with pytest.raises(BadPlan, match="open another"):
            door.exceeds(watch, PARITIES, 0, coordinate=1)

    def test_is_charged_once_at_its_start(self):
        door, watch, events = self.watch(threshold=10**6)
        for _ in range(20):
            door.exceeds(watch, PARITIES, 0, coordinate=1)
        assert sum(event[0] == "charge" for event in events) == 1

    def test_splits_epsilon_as_one_to_two_c_to_the_two_thirds(self):
        _, watch, _ = self.watch(threshold=0, crossings=4, epsilon=5)
        # e1 : e2 = 1 : 8^(2/3) = 1 : 4, so e2 = 4 and the comparison noise is 2 c D / e2 with D = 2
        assert watch.noise == pytest.approx(2 * 4 * 2 / 4)
        assert "threshold" not in repr(watch)

    def test_one_series_asks_about_many_statistics_but_none_that_changes_more(self):
        price = Price(currency="pure", amount=Fraction(200))
        door, _ = make_door(price=price)
        watch = door.watch(change=1, threshold=100, price=price)
        with pytest.raises(BadPlan, match="changes by more than the 1"):
            door.exceeds(watch, PARITIES, 0, coordinate=1)

    def test_crossings_can_be_paid_for_one_by_one(self):
        price = Price(currency="pure", amount=Fraction(9))
        door, events = make_door(price=price)
        # e1 : e2 = 1 : 8^(2/3) = 1 : 4, so the threshold costs 9/5 and each of four crossings 9/5
        watch = door.watch(change=2, threshold=-(10**6), price=price, crossings=4, paid=1)
        paid = [sum(event[1] for event in events if event[0] == "charge")]
        for _ in range(3):
            assert door.exceeds(watch, PARITIES, 0, coordinate=1)
            with pytest.raises(BadPlan, match="open another"):
                door.exceeds(watch, PARITIES, 0, coordinate=1)
            door.extend(watch)
            paid.append(sum(event[1] for event in events if event[0] == "charge"))
        assert [float(p) for p in paid] == pytest.approx([18 / 5, 27 / 5, 36 / 5, 9], abs=1e-5)
        assert paid[-1] <= 9 + Fraction(4, 10**15)
        with pytest.raises(BadPlan, match="open another"):
            door.extend(watch)

    def test_paying_crossing_by_crossing_changes_no_noise(self):
        price = Price(currency="pure", amount=Fraction(9))
        whole, _ = make_door(price=price, seed=3)
        parts, _ = make_door(price=price, seed=3)
        one = whole.watch(change=2, threshold=5, price=price, crossings=4)
        other = parts.watch(change=2, threshold=5, price=price, crossings=4, paid=2)
        assert (one.threshold, one.noise) == (other.threshold, other.noise)

    def test_in_rho_a_watch_is_not_paid_in_parts(self):
        """(a + b)^2 > a^2 + b^2: parts of one threshold would cost less than the whole."""
        door, events = make_door(price=Price(currency="zcdp", amount=Fraction(10)))
        with pytest.raises(BadPlan, match="as a whole"):
            door.watch(change=2, threshold=1, price=Price(currency="pure", amount=Fraction(1)), crossings=2, paid=1)
        assert events == []

    def test_every_comparison_has_noise_of_its_own(self):
        """3,000 draws of one watch are independent discrete Laplace draws: no value is handed out twice."""
        _, watch, _ = self.watch(threshold=0, epsilon=1)
        source = Simulated(12)
        draws = np.array([watch.draw(source) for _ in range(3000)])
        b = float(watch.noise)
        neighbours = np.corrcoef(draws[:-1], draws[1:])[0, 1]
        blocks = np.corrcoef(draws[: -watch.BLOCK], draws[watch.BLOCK :])[0, 1]
        assert max(abs(neighbours), abs(blocks)) < 6.2 / np.sqrt(2700)  # 6e-10 a test
        assert abs(np.mean(np.abs(draws)) / b - 1) < 6.2 / np.sqrt(3000)

    def test_a_forked_process_has_no_use_of_it(self, monkeypatch):
        door, watch, _ = self.watch(threshold=100)
        monkeypatch.setattr("os.getpid", lambda: -1)
        with pytest.raises(BadPlan, match="the process that opened it"):
            door.exceeds(watch, PARITIES, 0, coordinate=1)

    def test_wrong_use_is_refused_before_anything_is_charged(self):
        door, events = make_door(price=Price(currency="pure", amount=Fraction(1)))
        with pytest.raises(BadPlan, match="crossings"):
            door.watch(change=2, threshold=1, price=Price(currency="pure", amount=Fraction(1)), crossings=0)
        with pytest.raises(BadPlan, match="epsilon"):
            door.watch(change=2, threshold=1, price=Price(currency="zcdp", amount=Fraction(1)))
        assert events == []


class TestRounds:
    def test_several_steps_are_one_line_paid_before_the_first(self):
        price = Price(currency="pure", amount=Fraction(3))
        door, events = make_door(price=price)
        with door.paid(Price(currency="pure", amount=Fraction(2)), "round 1"):
            door.select(PARITIES, np.zeros(11, np.int64), Price(currency="pure", amount=Fraction(1)))
            door.select(PARITIES, np.zeros(11, np.int64), Price(currency="pure", amount=Fraction(1)))
            with pytest.raises(OverBudget):
                door.select(PARITIES, np.zeros(11, np.int64), Price(currency="pure", amount=Fraction(1, 10)))
        assert [event for event in events if event[0] == "charge"] == [("charge", Fraction(2), "round 1")]
        with pytest.raises(OverBudget):
            door.select(PARITIES, np.zeros(11, np.int64), Price(currency="pure", amount=Fraction(2)))


class TestBlocks:
    TABLES = Tables(InteractionLayout(SHAPE.sizes, 2))

    def test_select_finds_the_table_that_is_farthest_away(self):
        truth = self.TABLES.to_coordinates(self.TABLES.accumulate(CODES))
        starts = self.TABLES.block_starts()
        for block in (0, 2, len(starts) - 2):
            reference = truth.copy()
            reference[starts[block] : starts[block + 1]] += 100
            door, _ = make_door(price=Price(currency="pure", amount=Fraction(50)))
            assert door.select(self.TABLES, reference, Price(currency="pure", amount=Fraction(50))) == block

    def test_select_stays_among_the_candidates(self):
        door, _ = make_door(price=Price(currency="pure", amount=Fraction(1)))
        zero = self.TABLES.zeros()
        found = {
            door.select(self.TABLES, zero, Price(currency="pure", amount=Fraction(1, 100)), among=np.array([1, 4]))
            for _ in range(50)
        }
        assert found == {1, 4}

    @pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
    def test_no_pair_of_neighbours_moves_a_distance_by_more_than_the_block_change(self, neighbours):
        tables = Tables(InteractionLayout(domain(MIXED).sizes, 2))
        rows, random = all_rows(domain(MIXED)), np.random.default_rng(1)
        starts = tables.block_starts()[:-1]
        base = tables.to_coordinates(tables.accumulate(random_codes(domain(MIXED), 40, seed=2)))
        most = 0
        for reference in (base, base + random.integers(-3, 4, len(base))):
            ones = [tables.to_coordinates(tables.accumulate(rows[:, i : i + 1])) for i in range(rows.shape[1])]
            apart = [np.add.reduceat(np.abs(base + one - reference), starts) for one in ones]
            others = [np.add.reduceat(np.abs(base - reference), starts)] if neighbours == "add-remove" else apart
            most = max(most, *(int(np.abs(this - that).max()) for this in apart for that in others))
        assert most == tables.block_change(neighbours)

    def test_distances_are_priced_by_all_blocks_at_once(self):
        unit = Unit(neighbours="replace", rows=3)
        door, events = make_door(price=Price(currency="zcdp", amount=Fraction(200)), unit=unit)
        blocks = len(self.TABLES.block_starts()) - 1
        seen = door.distances(self.TABLES, self.TABLES.zeros(), Fraction(1), Law.GAUSSIAN)
        assert events[1][1] == Fraction(blocks * (2 * 3) ** 2, 2)
        assert np.abs(seen - 1000).max() < 20  # every table holds all 1,000 rows

    def test_the_number_of_rows_is_free_where_it_is_public_and_priced_where_it_is_not(self):
        door, events = make_door(unit=Unit(neighbours="replace"))
        assert door.count_rows(self.TABLES, Fraction(1), Law.GAUSSIAN) == 1000
        assert not [event for event in events if event[0] == "charge"]
        door, events = make_door(unit=Unit(neighbours="add-remove", rows=2))
        seen = door.count_rows(self.TABLES, Fraction(16), Law.GAUSSIAN)
        assert [event[1] for event in events if event[0] == "charge"] == [Fraction(4, 32)]
        assert 0 < abs(seen - 1000) < 60 or seen == 1000


def joint_door():
    statistic, price = OneWayTables(SHAPE.sizes), Price(currency="pure", amount=Fraction(1))
    door, events = make_door(price=price)
    return door, events, statistic, JointNoise.sharing(price, statistic, Unit(), [1.0])


def test_joint_noise_is_found_before_the_charge_and_added_after_it(monkeypatch):
    door, events, statistic, noise = joint_door()
    seen = door.measure_jointly(statistic, noise)
    kinds = [event[0] for event in events]
    assert kinds[0] == "read"
    assert kinds[-1] == "charge"
    assert kinds.count("charge") == 1
    assert (seen.values != statistic.accumulate(CODES)).any()


def test_a_charge_that_is_refused_hands_out_no_joint_noise():
    door, _, statistic, noise = joint_door()

    def refuse(price, *, what):
        raise OverBudget(asked=price.amount, left=Fraction(0), unit="epsilon")

    door._account.charge = refuse
    kept = []
    door._journal.keep = lambda *given: kept.append(given)
    with pytest.raises(OverBudget):
        door.measure_jointly(statistic, noise)
    assert not kept


@pytest.mark.parametrize("ends", [KeyboardInterrupt, MemoryError])
def test_a_search_for_noise_that_ends_early_costs_nothing(monkeypatch, ends):
    def broken(*_):
        raise ends

    monkeypatch.setattr("hushtable.vault.door.door.joint_noise", broken)
    door, events, statistic, noise = joint_door()
    with pytest.raises(ends):
        door.measure_jointly(statistic, noise)
    assert "charge" not in [event[0] for event in events]

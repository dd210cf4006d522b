"""Wide releases that decide and calibrate: the order follows dependence, nothing paid for is lost, bars hold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas
import pytest
from tables import FakeDoor, domain, random_codes

import hushtable as ht
from hushtable.errors import BadPlan, BadSynopsis
from hushtable.laws import Law
from hushtable.maths.wide.bar import Expected, WideBar
from hushtable.maths.wide.held_out import draw_questions, with_rare_sides
from hushtable.maths.wide.one_factor import OneFactor
from hushtable.maths.wide.order_choice import STRENGTHS, Look, expected_errors, weigh
from hushtable.maths.wide.symmetric import Bits, assisted
from hushtable.maths.wide.usual import Usual
from hushtable.models.linear.first_singles import FirstSingles
from hushtable.models.linear.low_order import LowOrderModel
from hushtable.questions.answer import interval_factor
from hushtable.questions.workloads.wide import Predicates

BUDGETS = {"pure": ht.Budget(epsilon=4), "delta": ht.Budget(epsilon=1, delta="1e-9")}
BIT = {"kind": "boolean", "missing": "error"}
ROWS = 20_000


def bits(columns, *, neighbours="replace"):
    return domain({f"x{i}": BIT for i in range(columns)}, neighbours=neighbours)


def rows_of(columns, strength, seed=1):
    """Codes whose columns lean on one hidden number; of strength 0 they are independent."""
    g = np.random.default_rng(seed)
    hidden, own = g.standard_normal(ROWS), g.standard_normal((columns, ROWS))
    return (np.sqrt(strength) * hidden + np.sqrt(1 - strength) * own > 0.9).astype(np.uint8)


def model_of(shape, codes, workload, budget):
    made = ht.plan(shape, rows=codes.shape[1], workload=workload, budget=budget)
    door = FakeDoor(codes, shape)
    return made, made.by.release(door, shape, made.design), door


class TestTheOrder:
    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    @pytest.mark.parametrize("budget", BUDGETS)
    def test_follows_dependence(self, budget, neighbours):
        """The plan is the same; single attributes serve independent columns, and higher orders dependent ones."""
        shape, found = bits(40, neighbours=neighbours), []
        for strength in (0.0, 0.7):
            made, model, _ = model_of(shape, rows_of(40, strength), "any_of(width=8)", BUDGETS[budget])
            assert model.order in made.design.parameters.orders
            found.append(model.order)
        assert found[0] < found[1]

    @pytest.mark.parametrize("strength", [0.0, 0.7])
    @pytest.mark.parametrize("budget", BUDGETS)
    def test_costs_the_same_whatever_is_decided(self, budget, strength):
        made, _, door = model_of(bits(24), rows_of(24, strength), "any_of(width=8)", BUDGETS[budget])
        spent, price = sum(one.amount for one in door.prices), made.design.price.amount
        assert price * Fraction(999, 1000) <= spent <= price

    def test_is_said_before_the_data_are_opened(self):
        text = str(ht.plan(bits(24), rows=ROWS, workload="any_of(width=8)", budget=BUDGETS["delta"]))
        assert "decided by released numbers" in text
        assert "of the budget goes to held-out questions" in text

    def test_can_be_given(self):
        made, model, _ = model_of(bits(24), rows_of(24, 0.0), "any_of(width=8, order=3)", BUDGETS["delta"])
        assert made.design.parameters.orders == (3,)
        assert (model.order, model.first) == (3, None)
        assert "decided" not in str(made)

    def test_is_not_looked_for_in_few_rows(self):
        made = ht.plan(bits(24), rows=300, workload="any_of(width=8)", budget=ht.Budget(epsilon="0.5"))
        assert len(made.design.parameters.orders) == 1
        assert "certified intervals only: too few rows or too small a budget" in str(made)

    def test_values_of_every_kind_are_looked_at(self):
        """Attributes of several codes, one code alone, and missing values."""
        shape = domain({f"c{i}": {"kind": "category", "values": list("abcd"[: 1 + i % 4])} for i in range(12)})
        codes = random_codes(shape, ROWS, seed=2)
        _, model, _ = model_of(shape, codes, "predicates(width=5)", BUDGETS["delta"])
        answer = model.answer(model.parse("any(c1 = 'a', c2 = 'b', c3 = 'c', c5 = 'a', c7 = 'd')"))
        held = [codes[1] == 0, codes[2] == 1, codes[3] == 2, codes[5] == 0, codes[7] == 3]
        assert answer.value == pytest.approx(np.any(held, axis=0).mean(), abs=0.05)


class TestTheChoice:
    VALUES = np.array([0.0, *[1.0] * 8])

    def look(self, strength, deviation=0.002):
        chances = [np.full(8, 0.15)] * 8
        rows = OneFactor(chances[0], strength)
        guess = 1 - 0.85**8
        distance = abs(rows.truth(self.VALUES) - guess)
        return Look(self.VALUES, chances, np.array([0.0, 1e-4]), distance, deviation, seed=1)

    @pytest.mark.parametrize("strength", [0.07, 0.3, 0.7])
    def test_the_distance_tells_the_strength(self, strength):
        weights = weigh(self.look(strength))
        assert weights.sum() == pytest.approx(1)
        assert abs(STRENGTHS.index(strength) - int(np.argmax(weights))) <= 1

    def test_without_a_distance_all_strengths_are_possible(self):
        weights = weigh(self.look(0.3, deviation=np.inf))
        assert weights.min() > 0
        np.testing.assert_allclose(weights, weigh(self.look(0.7, deviation=np.inf)))

    def test_shares_that_noise_made_too_small_are_no_dependence(self):
        """Fifteen independent conditions of 5% each, seen as 0.5% for all: their questions are far from what that
        says. Strengths stay as likely as before, where the noise of the mean can do that; else all seem strong."""
        values, seen = np.array([0.0, *[1.0] * 15]), [np.full(15, 0.005)] * 8
        distance = (1 - 0.95**15) - (1 - 0.995**15)
        look = Look(values, seen, np.array([0.0, 0.01]), distance, 0.01, seed=1, stray=0.045)
        assert weigh(replace(look, stray=0.0))[5:].sum() > 0.95
        assert weigh(look)[:5].sum() > 0.5

    def test_noise_and_bias_are_weighed(self):
        look = self.look(0.3)
        noises = {order: np.array([0.0, *[1e-4] * order]) for order in (1, 2, 4)}
        errors = expected_errors(look, weigh(look), noises)
        assert errors[4] < errors[2] < errors[1]
        noises[4] = np.array([0.0, 0.05, 0.05, 0.05, 0.05])
        assert expected_errors(look, weigh(look), noises)[4] > errors[2]

    def test_of_the_whole_width_only_noise_is_left(self):
        noise = np.array([0.0, *[1e-3] * 8])
        errors = expected_errors(self.look(0.7), weigh(self.look(0.7)), {8: noise, 1: noise[:2]})
        assert errors[8] == pytest.approx(0.8 * 1e-3 * np.sqrt(sum(4.0**i * _sets(i) for i in range(1, 9))) / 2**8)

    def test_the_tables_have_the_stated_chances(self):
        """A condition alone is as likely as stated; with strength 0 all are independent."""
        rows = OneFactor(np.array([0.1, 0.4, 0.7]), 0.5)
        assert rows.truth(np.array([0.0, 1 / 3, 2 / 3, 1.0])) == pytest.approx(0.4, abs=1e-3)
        alone = OneFactor(np.array([0.1, 0.4, 0.7]), 0.0)
        assert alone.truth(np.array([0.0, 1.0, 1.0, 1.0])) == pytest.approx(1 - 0.9 * 0.6 * 0.3)


def _sets(i):
    from math import comb

    return comb(8, i)


class TestWhatIsAlwaysMeasured:
    def test_pairs_where_noise_is_gaussian(self):
        """They cost next to nothing there: most of the price of order 2 goes to single attributes."""
        made = ht.plan(bits(100), rows=ROWS, workload="any_of(width=8)", budget=BUDGETS["delta"])
        assert min(made.design.parameters.orders) == 2
        pure = ht.plan(bits(100), rows=ROWS, workload="any_of(width=8)", budget=ht.Budget(epsilon=1))
        assert min(pure.design.parameters.orders) == 1

    def test_single_attributes_have_about_half_of_the_price_of_pairs(self):
        alone, pairs = (
            ht.plan(bits(100), rows=ROWS, workload=f"any_of(width=8, order={order})", budget=BUDGETS["delta"])
            for order in (1, 2)
        )
        share = float(alone.design.parameters.noise.per_group[1] / pairs.design.parameters.noise.per_group[1])
        assert 0.4 < share < 0.7


class TestBothMeasurements:
    def test_singles_are_weighed_by_their_noise(self):
        """Exact numbers from FakeDoor stay exact, and the stated noise is less than that of either."""
        shape, codes = bits(16), rows_of(16, 0.3)
        _, model, _ = model_of(shape, codes, "any_of(width=8)", BUDGETS["delta"])
        assert model.first is not None
        place = model.first.positions[3]
        value, variance, _ = model.released([place])
        own = model.variances[model.scales.index[model.interactions.place([place])]]
        first = model.first.contrasts_of(place)
        assert value[0] == pytest.approx(ROWS - 2 * int(codes[place].sum()))
        assert variance[0] == pytest.approx(1 / (1 / own[0] + 1 / first[1][0]))
        numbers, variances = model.released_bits(np.array([[place]]))
        assert (numbers[0], variances[0]) == (value[0], variance[0])
        answer = model.answer(model.parse(f"x{place}"))
        assert answer.stderr == pytest.approx(np.sqrt(variance[0]) / 2 / ROWS)

    def test_contrasts_of_cells_have_their_noise(self):
        g, law = np.random.default_rng(3), Law.LAPLACE
        cells = np.array([500, 300, 150, 50])
        noisy = cells + np.rint(g.laplace(scale=30, size=(4000, 4))).astype(np.int64)
        looks = [FirstSingles(law=law, sizes=(4,), positions=(2,), scale=Fraction(30), cells=row) for row in noisy]
        values = np.array([look.contrasts_of(2)[0] for look in looks])
        _, variances, _ = looks[0].contrasts_of(2)
        np.testing.assert_allclose(values.var(axis=0), variances, rtol=0.25)
        shares = [look.share((2, (True, False, True, False)), 1000.0) for look in looks]
        assert np.mean(shares) == pytest.approx(0.65, abs=0.01)
        assert np.std(shares) == pytest.approx(looks[0].deviation(1000.0), rel=0.2)


class TestTheBar:
    def test_is_the_mean_distance_of_held_out_questions(self):
        shape, codes = bits(16), rows_of(16, 0.5)
        _, model, _ = model_of(shape, codes, "any_of(width=8, order=2)", BUDGETS["delta"])
        assert model.bar is not None
        assert model.bar.widths == (8,)
        g, errors = np.random.default_rng(4), []
        for _ in range(300):
            columns = g.choice(16, 8, replace=False)
            answer = model.answer(model.parse(f"any({', '.join(f'x{c}' for c in columns)})"))
            errors.append(abs(answer.value - codes[columns].any(axis=0).mean()))
        noise = model.law.stderr(model.bar.scale) / (model.bar.questions * ROWS)
        assert model.bar.distance(8, ROWS) - noise == pytest.approx(np.mean(errors), rel=0.3)

    def test_widths_between_go_straight(self):
        bar = WideBar(
            law=Law.GAUSSIAN, widths=(4, 8), questions=100, scale=Fraction(1), distances=np.array([999, 1999])
        )
        assert [bar.distance(width, 1000.0) for width in (3, 4, 6, 8)] == pytest.approx([0.01, 0.01, 0.015, 0.02])
        stderr = bar.stderr(8, 1000.0, noise=1.0, reach=None)
        assert interval_factor(0.95, bar.kurtosis) * stderr == pytest.approx(2.8 * 0.02, rel=0.01)

    @pytest.mark.parametrize(("distance", "low", "high"), [(5.0, 4.9, 5.5), (0.0, 0.9, 1.6), (-9.0, 0.9, 1.6)])
    def test_what_was_measured_counts_as_far_as_it_is_exact(self, distance, low, high):
        """Distances in percent of the rows; noise alone makes 1%. Where the measurement is exact it is believed."""
        rows, exact = 1000.0, distance == 5.0
        bar = WideBar(
            law=Law.GAUSSIAN,
            widths=(8,),
            questions=100,
            scale=Fraction(100 if exact else 10**8),
            distances=np.array([int(distance * rows)]),
            expected=Expected(noise=(0.01,), reach=(0.1,)),
        )
        missed = bar.stderr(8, rows, noise=0.0, reach=None)
        assert low <= 100 * np.hypot(0.8 * missed, 0.01) <= (high if exact else 3.0)
        noisy = bar.stderr(8, rows, noise=0.03, reach=None)
        assert noisy == pytest.approx(np.hypot(missed, 0.03))

    def test_questions_that_pairs_could_move_far_have_more_of_it(self):
        bar = WideBar(Law.GAUSSIAN, (8,), 100, Fraction(100), np.array([5000]), Expected((0.01,), (0.1,)))
        near, usual, far = (bar.stderr(8, 1000.0, noise=0.0, reach=reach) for reach in (0.0, 0.1, 0.3))
        assert near == pytest.approx(usual * np.sqrt(0.1))
        assert far == pytest.approx(usual * np.sqrt(0.1 + 0.9 * 9))
        assert usual == bar.stderr(8, 1000.0, noise=0.0, reach=None)

    def test_noise_below_nothing_counts_as_nothing(self):
        bar = WideBar(law=Law.GAUSSIAN, widths=(8,), questions=100, scale=Fraction(9), distances=np.array([-50]))
        assert bar.distance(8, 100.0) == pytest.approx(3 / 100 / 100)

    @pytest.mark.parametrize("count", [False, True])
    def test_an_answer_says_what_it_means_and_keeps_what_is_certified(self, count):
        shape, codes = bits(16), rows_of(16, 0.3)
        _, model, _ = model_of(shape, codes, "predicates(width=8)", BUDGETS["delta"])
        question = model.parse("any(x0, x1, x2, x3, x4, x5, x6, x7)")
        answer = model.answer(question, count=count)
        assert answer.estimator == "calibrated"
        assert "made to hold 95% of questions of this kind" in answer.notes[0]
        low, high = answer.interval()
        assert answer.certified[0] < low < answer.value < high < answer.certified[1]
        truth = codes[:8].any(axis=0).mean() * (ROWS if count else 1)
        assert answer.certified[0] <= truth <= answer.certified[1]
        assert answer.to_dict()["certified"] == list(answer.certified)
        assert "certified between" not in answer.text()

    def test_groups_have_it_too(self):
        _, model, _ = model_of(bits(16), rows_of(16, 0.3), "predicates(width=8, order=2)", BUDGETS["delta"])
        table = model.answer(model.parse("SELECT x0, x1, count(*) FROM t WHERE x2 OR x3 OR x4 GROUP BY x0, x1"))
        assert table.estimator == "calibrated"
        alone = model.answer(model.parse("SELECT count(*) FROM t WHERE x0 AND x1 AND (x2 OR x3 OR x4)"))
        assert table.stderr[-1] == pytest.approx(alone.stderr)
        assert table.value[-1] == pytest.approx(alone.value)

    def test_without_it_intervals_are_certified_and_say_so(self):
        _, model, _ = model_of(bits(16), rows_of(16, 0.3), "any_of(width=8, calibration=0)", BUDGETS["delta"])
        answer = model.answer(model.parse("any(x0, x1, x2, x3, x4, x5, x6, x7)"))
        assert model.bar is None
        assert (answer.estimator, answer.certified) == ("assisted", None)
        assert "how far guesses usually are off was not measured" in answer.notes[0]

    @pytest.mark.parametrize("share", ["-0.1", "0.6", "true"])
    def test_bad_shares(self, share):
        with pytest.raises(BadPlan, match="calibration is a share of the budget from 0"):
            ht.plan(bits(8), rows=ROWS, workload=f"any_of(width=5, calibration={share})", budget=BUDGETS["pure"])

    @pytest.mark.slow
    def test_holds_on_a_real_table(self, real_table):
        """Random disjunctions of 8 of 100 columns: 90 to 99.5% inside, half-width at most 6 times the median error.

        Certified intervals are 30 times as wide and more.
        """
        from benchmarks.wide import adult, vault_of

        assert real_table("adult.csv.gz").exists()
        table = adult()
        shape, vault = vault_of(table)
        made = ht.plan(shape, rows=len(table), workload="any_of(width=8)", budget=ht.Budget(epsilon=1, delta="1e-9"))
        g, inside, halves, errors = np.random.default_rng(1), [], [], []
        for seed in range(3):
            synopsis = vault.release(made, randomness=ht.Simulated(seed))
            for _ in range(200):
                columns = g.choice(100, 8, replace=False)
                answer = synopsis.ask(f"any({', '.join(f'x{c}' for c in columns)})")
                truth = table[:, columns].any(axis=1).mean()
                low, high = answer.interval()
                inside.append(low <= truth <= high)
                halves.append((high - low) / 2)
                errors.append(abs(answer.value - truth))
        assert 0.9 <= np.mean(inside) <= 0.995
        assert np.median(halves) <= 6 * np.median(errors)


class TestTheSample:
    def test_is_public_and_the_same_every_time(self):
        first, again = (draw_questions([2] * 20, range(20), width=6, count=50) for _ in range(2))
        assert first == again
        assert all(len({p for p, _ in conditions}) == 6 for conditions in first)

    def test_every_other_question_is_about_rare_conditions(self):
        drawn = draw_questions([2] * 20, range(20), width=6, count=4)
        questions = with_rare_sides(drawn, lambda condition: 0.9, [(0.0, *[1.0] * 6)])
        assert [question.masks[0] for question in questions] == [(True, False), (False, True)] * 2

    def test_general_predicates_are_of_every_kind_and_some_in_opposite_senses(self):
        drawn = draw_questions([2] * 20, range(20), width=6, count=100)
        kinds = Predicates(width=6).kinds_of(6)
        questions = with_rare_sides(drawn, lambda condition: 0.9, kinds)
        assert {question.values for question in questions} == set(kinds)
        assert {sum(values) for values in kinds} == {1, 2, 3, 4, 5, 6}, "true from 1 to 6 conditions on"
        opposite = [len(set(question.masks)) == 2 for question in questions]
        assert not any(opposite[::3])
        assert not any(opposite[1::3])
        assert sum(opposite[2::3]) > 25
        assert questions == with_rare_sides(drawn, lambda condition: 0.9, kinds), "the same every time"


class TestBarsOfSeveralKinds:
    @staticmethod
    def bar(*, several: bool, distance: int = 0) -> WideBar:
        expected = Expected(noise=(0.001,), reach=(0.1,), order=4, several=several)
        return WideBar(Law.GAUSSIAN, (8,), 100, Fraction(1), np.array([distance]), expected)

    def test_little_that_pairs_could_move_still_has_most_of_the_bar(self):
        one, several = (self.bar(several=each, distance=10_000) for each in (False, True))
        far, near = (bar.stderr(8, 10_000, 0.001, 0.01) / bar.stderr(8, 10_000, 0.001, 0.1) for bar in (one, several))
        assert far < 0.4
        assert near > 0.7

    def test_more_is_expected_to_be_missed_and_by_fewer_questions(self):
        one, several = (replace(self.bar(several=each), scale=Fraction(10**14)) for each in (False, True))
        assert several.stderr(8, 10_000, 0.001, 0.1) > 1.5 * one.stderr(8, 10_000, 0.001, 0.1)
        assert several.kurtosis > one.kurtosis

    @pytest.mark.parametrize("workload", ["predicates(width=5, order=2)", "any_of(width=5, order=2)"])
    def test_a_file_says_so(self, workload, tmp_path):
        codes = rows_of(8, 0.3)
        made = ht.plan(bits(8), rows=ROWS, workload=workload, budget=BUDGETS["pure"])
        frame = pandas.DataFrame(codes.T.astype(bool), columns=[f"x{i}" for i in range(8)])
        synopsis = ht.Vault(frame, bits(8)).release(made, randomness=ht.Simulated(1))
        synopsis.save(tmp_path / "one.hush")
        again = ht.load(tmp_path / "one.hush")
        assert again.model.bar.expected.several is workload.startswith("predicates")
        question = "at_least(3, x0, NOT x1, x2, x3, NOT x4)"
        assert again.ask(question).interval() == synopsis.ask(question).interval()


class TestWhatIsUsuallyMissed:
    """What is missed beside noise, where the calibration itself is too noisy to tell."""

    @staticmethod
    def bar(order: int | None) -> WideBar:
        expected = Expected(noise=(0.001,), reach=(0.1,), order=order)
        return WideBar(Law.GAUSSIAN, (8,), 100, Fraction(10**12), np.array([0]), expected)

    def test_single_columns_miss_more_than_pairs(self):
        by_order = [self.bar(order).stderr(8, 10_000, 0.001, 0.1) for order in (1, 2, 3, 4, 5)]
        assert by_order == sorted(by_order, reverse=True)
        assert by_order[0] > 0.2 * 0.1 > by_order[2]
        assert self.bar(None).stderr(8, 10_000, 0.001, 0.1) < 0.003, "files of format 5 expect noise alone"

    def test_a_good_calibration_overrules_what_is_usual(self):
        exact = replace(self.bar(1), scale=Fraction(1), distances=np.array([100 * 10_000 * 2 // 1000]))
        assert exact.stderr(8, 10_000, 0.001, 0.1) == pytest.approx((0.002**2 - 0.001**2) ** 0.5 / 0.8, rel=0.2)

    def test_questions_that_pairs_could_move_have_wider_bars(self):
        bar = self.bar(2)
        assert bar.stderr(8, 10_000, 0.001, 0.2) > 1.8 * bar.stderr(8, 10_000, 0.001, 0.1)


class TestDoubts:
    """What is not known of shares that were drawn to what is usual."""

    def test_are_the_whole_error_of_drawn_shares(self):
        """Shares of 60 columns around 0.1, noise as large as they are: errors of `any` over 4 of them in 400 tables are
        as large as stated, within 6 of their own errors; the noise that is left states far less.
        """
        g, squares, stated, noise_alone = np.random.default_rng(2), [], [], []
        values = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
        for _ in range(400):
            true = np.clip(g.normal(0.1, 0.03, 60), 0.001, 0.999)
            noisy = Bits(np.full(60, 0.5), (np.ones(1), true - 0.5 + g.normal(0, 0.1, 60)),
                         (np.zeros(1), np.full(60, 0.01)))  # fmt: skip
            few = Bits(np.full(4, 0.5), (np.ones(1), noisy.values[1][:4]), (np.zeros(1), np.full(4, 0.01)))
            drawn = Usual.of(noisy).denoised(few, np.ones(4))
            guess = assisted(drawn, values)
            squares.append((guess.value - (1 - np.prod(1 - true[:4]))) ** 2)
            stated.append(guess.stderr**2)
            noise_alone.append(assisted(replace(drawn, unsure=drawn.variances, common=None), values).stderr ** 2)
        ratio, error = np.mean(squares) / np.mean(stated), np.std(squares) / np.mean(squares) / 20
        assert error < 0.12
        assert ratio < 1 + 6 * error
        assert ratio > 0.4
        assert np.mean(squares) > 2 * np.mean(noise_alone)


class TestFiles:
    def made(self):
        _, model, _ = model_of(bits(16), rows_of(16, 0.3), "any_of(width=9)", BUDGETS["delta"])
        assert model.first is not None
        assert model.bar is not None
        return model

    def test_come_back_as_they_were(self):
        model = self.made()
        assert model.format == 6
        again = LowOrderModel.build(model.domain, model.parameters(), model.numbers())
        question = model.parse("any(x0, x1, x2, x3, x4, x5)")
        assert (again.guesses, again.bar.expected) == ("doubted", model.bar.expected)
        assert again.answer(question).to_dict() == model.answer(question).to_dict()
        assert LowOrderModel.lengths(model.domain, model.parameters()) == {
            name: len(values) for name, values in model.numbers().items()
        }

    @pytest.mark.parametrize(
        ("part", "key", "value"),
        [
            ("first", "positions", [0, 99]),
            ("first", "positions", [1, 1]),
            ("first", "positions", []),
            ("first", "scale", "0"),
            ("bar", "widths", []),
            ("bar", "widths", [6, 3]),
            ("bar", "questions", 0),
            ("bar", "questions", True),
            ("bar", "scale", "-1"),
            ("bar", "noise", [0.1] * 7),
            ("bar", "reach", [0.1, -1.0]),
            ("bar", "noise", [0.1, float("nan")]),
            ("bar", "order", 0),
            ("bar", "order", "2"),
        ],
    )
    def test_forged_parts_are_refused(self, part, key, value):
        model = self.made()
        parameters = model.parameters()
        parameters[part] = parameters[part] | {key: value}
        with pytest.raises(BadSynopsis):
            LowOrderModel.build(model.domain, parameters, model.numbers())

    def test_files_of_format_five_keep_their_bar(self):
        """They do not say what order was measured: a bar by noise alone, and correlations of any size."""
        model = self.made()
        parameters = model.parameters() | {"guesses": "usual"}
        parameters["bar"] = {key: value for key, value in parameters["bar"].items() if key != "order"}
        before = LowOrderModel.build(model.domain, parameters, model.numbers())
        assert (before.format, before.guesses, before.bar.kurtosis) == (5, "usual", 1.5)
        question = model.parse(f"any({', '.join(f'x{i}' for i in range(9))})")
        assert before.answer(question).value == model.answer(question).value
        assert before.answer(question).interval() != model.answer(question).interval()

    def test_files_from_before_answer_as_they_did(self):
        """Without what is usual and what is expected: each guess by its own numbers, one bar for all of a width."""
        model = self.made()
        parameters = model.parameters()
        del parameters["guesses"]
        parameters["bar"] = {key: parameters["bar"][key] for key in ("widths", "questions", "scale")}
        before = LowOrderModel.build(model.domain, parameters, model.numbers())
        assert (before.format, before.guesses) == (3, "single")
        one, two = (
            before.answer(before.parse(f"any({', '.join(f'x{i}' for i in range(first, first + 9))})"))
            for first in (0, 7)
        )
        assert one.estimator == two.estimator == "calibrated"
        assert one.stderr == two.stderr == pytest.approx(1.29 * before.bar.distance(9, before.total))

    def test_a_way_to_guess_that_the_domain_does_not_allow_is_refused(self):
        shape = domain({f"c{i}": {"kind": "category", "values": list("abc")} for i in range(6)})
        codes = random_codes(shape, ROWS, seed=2)
        _, model, _ = model_of(shape, codes, "predicates(width=4, order=2)", BUDGETS["delta"])
        assert model.guesses == "single"
        for given in ("usual", "other"):
            with pytest.raises(BadSynopsis, match="way to guess"):
                LowOrderModel.build(shape, model.parameters() | {"guesses": given}, model.numbers())


def test_a_release_is_resumed_and_saved_with_all_its_parts(tmp_path):
    """Through the real door: charges add up to the price, and the file answers as the release did."""
    codes = rows_of(12, 0.3)
    shape = bits(12, neighbours="add-remove")
    frame = pandas.DataFrame(codes.T.astype(bool), columns=[f"x{i}" for i in range(12)])
    made = ht.plan(shape, rows=ROWS, workload="any_of(width=6)", budget=BUDGETS["pure"])
    synopsis = ht.Vault(frame, shape).release(made, randomness=ht.Simulated(1))
    synopsis.save(tmp_path / "wide.hush")
    again = ht.load(tmp_path / "wide.hush")
    text = "any(x0, x1, x2, x3, x4, x5)"
    assert again.ask(text).to_dict() == synopsis.ask(text).to_dict()
    assert synopsis.ask(text).certified is not None

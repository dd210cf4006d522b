"""MWEM through the door: rounds, options, error bars, files, plans and refusals."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from tables import BINARY, MIXED, FakeDoor, domain, random_codes, table_of

import hushtable as ht
from hushtable.budget import Price
from hushtable.errors import BadPlan, BadQuestion, BadSynopsis
from hushtable.laws import Law
from hushtable.maths.distribution import Factored
from hushtable.maths.distribution.measured import Measured
from hushtable.mechanisms import read_mechanism
from hushtable.mechanisms.mwem.calibrate import calibrated
from hushtable.mechanisms.mwem.learners import Learner, Sampled
from hushtable.mechanisms.mwem.mwem import MWEM, MwemRelease
from hushtable.models.weighted.weighted import WeightedModel
from hushtable.questions.parse import parse
from hushtable.questions.workloads import Marginals
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import Simulated

EPSILON, RHO = ht.Budget(epsilon=4), ht.Budget(rho="0.5")
SHAPE, BITS = domain(MIXED), domain(BINARY)
CODES = random_codes(SHAPE, 3000, seed=3)
BIT_CODES = random_codes(BITS, 3000, seed=3)


def released(mechanism="mwem", *, shape=SHAPE, codes=CODES, workload="marginals(width=2)", budget=EPSILON, seed=1):
    vault = ht.Vault(table_of(shape, codes), shape)
    made = ht.plan(shape, workload=workload, budget=budget, rows=codes.shape[1], mechanism=mechanism)
    return vault.release(made, randomness=Simulated(seed))


OPTIONS = ["mwem", "mwem(rounds=3)", "mwem(adaptive=true)", "mwem(start=histogram)", "mwem(sample=3)",
           "mwem(split=0.3)", "mwem(points=50)", "mwem(unit=query)"]  # fmt: skip


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [EPSILON, RHO], ids=["pure", "zcdp"])
@pytest.mark.parametrize("mechanism", OPTIONS)
def test_every_option_releases_saves_loads_and_draws(mechanism, budget, neighbours, tmp_path):
    shape = domain(MIXED, neighbours=neighbours)
    synopsis = released(mechanism, shape=shape, budget=budget)
    synopsis.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    for text in ("smoker", "sex = 'male' AND region = 'north' AND smoker", "SELECT sex, count(*) FROM t GROUP BY sex"):
        assert again.ask(text).to_dict() == synopsis.ask(text).to_dict()
    options = mechanism.removeprefix("mwem").strip("()").replace("0.3", "3/10").replace("true", "True")
    assert again.mechanism == f"mwem({options}{', ' * bool(options)}calibration=0.03)"
    assert again.sample(20).num_rows == 20


def test_what_differs_most_is_measured_first():
    """Only one pair depends on each other; a door without noise must find it."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 2, (4, 4000)).astype(np.uint8)
    codes[3] = codes[1] ^ (random.random(4000) < 0.1)
    settings = MWEM(rounds=1)
    plan = settings.design(BITS, Marginals(width=2), EPSILON.price, 4000).parameters
    run = MwemRelease(settings, plan, FakeDoor(codes, BITS), BITS)
    run.round(Fraction(4))
    assert run.measured[0].positions == (1, 3)
    truth = np.bincount(codes[1] * 2 + codes[3], minlength=4) / 4000
    np.testing.assert_allclose(run.hypothesis.table((1, 3)).ravel(), truth, atol=2e-3)


def test_a_factored_run_is_the_explicit_run():
    """The same door, the same choices: a hypothesis that joins as it goes against one that starts joined."""
    settings = MWEM(rounds=4)
    plan = settings.design(SHAPE, Marginals(width=2), RHO.price, 3000).parameters
    runs = [MwemRelease(settings, plan, FakeDoor(CODES, SHAPE), SHAPE) for _ in range(2)]
    runs[1].hypothesis = Factored.explicit(SHAPE.sizes, np.ones(int(np.prod(SHAPE.sizes))))
    for price in runs[0].prices():
        for run in runs:
            run.round(price)
    assert runs[0].chosen == runs[1].chosen
    joint = tuple(range(4))
    np.testing.assert_allclose(runs[0].hypothesis.table(joint), runs[1].hypothesis.table(joint), rtol=0, atol=1e-12)


def test_candidates_over_the_cap_are_left_out_before_choosing():
    """40 cells hold age x region x sex but not all four attributes."""
    settings = MWEM(rounds=5, cells=40)
    plan = settings.design(SHAPE, Marginals(width=2), EPSILON.price, 3000).parameters
    run = MwemRelease(settings, plan, FakeDoor(CODES, SHAPE), SHAPE)
    for price in run.prices():
        run.round(price)
    assert max(len(group.table) for group in run.hypothesis.groups) <= 40
    assert len(run.chosen) == len(set(run.chosen)) >= 3


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("price", [EPSILON.price, RHO.price], ids=["pure", "zcdp"])
def test_never_spends_more_than_its_price_and_pays_a_round_in_one_line(price, adaptive):
    charges = []

    class Account:
        def charge(self, price, *, what):
            charges.append((price.amount, what))

    settings = MWEM(adaptive=adaptive)
    plan = settings.design(SHAPE, Marginals(width=2), price, 3000).parameters
    door = Door(total=lambda s: s.accumulate(CODES), unit=SHAPE.unit, price=price, account=Account(),
                randomness=Simulated(4))  # fmt: skip
    run = MwemRelease(settings, plan, door, SHAPE)
    for amount in run.prices():
        run.round(amount)
    model = calibrated(door, run.model(), plan, run.for_calibration)
    sums = len(model.calibration.ratios.comparisons)
    rounds = [f"round {i + 1}" for i in range(len(run.chosen))]
    assert [what for _, what in charges] == [*rounds, *["distances of summed-tables"] * sums]
    assert sums > 0
    spent = sum(amount for amount, what in charges if "distances" in what)
    assert float(spent) == pytest.approx(float(price.amount) * settings.calibration, rel=1e-3)
    assert price.amount * Fraction(999, 1000) <= sum(amount for amount, _ in charges) <= price.amount


def test_one_candidate_is_not_selected_but_measured_with_everything():
    shape = domain({"smoker": {"kind": "boolean", "missing": "error"}})
    door = FakeDoor(np.array([[0, 1, 1]], dtype=np.uint8), shape)
    made = ht.plan(shape, workload="marginals(width=1)", budget=EPSILON, rows=3, mechanism="mwem")
    made.by.release(door, shape, made.design)
    assert door.prices == [Price(currency="pure", amount=Fraction(4))]


class TestBars:
    def test_a_measured_answer_holds_the_unbiased_interval(self):
        synopsis = released("mwem(rounds=6)")  # all six pairs
        answer = synopsis.ask("sex = 'male' AND smoker")
        assert any(note.startswith("measured: unbiased value") for note in answer.notes)
        assert 0 < answer.stderr < 0.01

    def test_what_was_not_measured_is_certified_and_what_is_wider_is_a_guess(self):
        synopsis = released("mwem(rounds=2, calibration=0)", budget=ht.Budget(epsilon=100))
        pairs = ("sex = 'male' AND smoker", "age < 18 AND smoker", "age < 18 AND region = 'west'",
                 "region = 'west' AND smoker", "sex = 'male' AND region = 'west'")  # fmt: skip
        notes = [synopsis.ask(text).notes[-1].split(";")[0].split(":")[0] for text in pairs]
        assert set(notes) == {"measured", "not measured"}
        wide = synopsis.ask("sex = 'male' AND smoker AND age < 18")
        assert "nothing certifies" in " ".join(wide.notes)
        low, high = wide.interval()
        assert low <= 0
        assert high >= 1

    @pytest.mark.parametrize(
        ("workload", "mechanism"),
        [("marginals(width=2)", "mwem(rounds=3, calibration=0)"),
         ("parities(order=2)", "mwem(rounds=4, calibration=0)"),
         ("marginals(width=2)", "mwem(rounds=4, measure_by=query, calibration=0)")],
    )  # fmt: skip
    def test_every_certificate_holds(self, workload, mechanism):
        """200 releases x all two-way cells. A bar fails with probability 0.005 at most (certified) or 0.05 (measured)
        a release; 60 of 200 would be a chance below 1e-20."""
        failed = certified = 0
        for seed in range(200):
            synopsis = released(mechanism, shape=BITS, codes=BIT_CODES, workload=workload, seed=seed,
                                budget=ht.Budget(epsilon=20))  # fmt: skip
            for i, j in ((0, 1), (0, 2), (1, 3)):
                answer = synopsis.ask(f"b{i} AND b{j}")
                truth = float((BIT_CODES[i] & BIT_CODES[j]).mean())
                low, high = answer.interval()
                if "not measured" in " ".join(answer.notes):
                    certified += 1
                    failed += not low <= truth <= high
        assert certified > 50
        assert failed <= 3

    def test_listed_queries_are_certified_and_others_are_not(self):
        listed = ["b0 AND b1", "b1 AND b2", "b0 OR b3", "b2 AND NOT b3", "at_least(2, b0, b1, b2)"]
        workload, budget = ht.Linear(questions=listed), ht.Budget(epsilon=50)
        synopsis = released("mwem(rounds=2, calibration=0)", shape=BITS, codes=BIT_CODES, workload=workload,
                            budget=budget)  # fmt: skip
        kinds = {text: " ".join(synopsis.ask(text).notes) for text in [*listed, "b1 AND b3"]}
        assert sum("not measured" in note for note in kinds.values()) == 3
        assert sum(note.startswith("NOT PRIVATE") and "unbiased" in note for note in kinds.values()) == 2
        assert "nothing certifies" in kinds["b1 AND b3"]

    def test_means_and_cross_tabs(self):
        synopsis = released("mwem(rounds=6)", budget=ht.Budget(epsilon=100))
        table = synopsis.ask("SELECT region, smoker, count(*) FROM t GROUP BY region, smoker", count=True)
        assert table.value.sum() == pytest.approx(3000)
        mean = synopsis.ask("SELECT avg(smoker) FROM t WHERE sex = 'male'")
        assert mean.value == pytest.approx(CODES[3][CODES[1] == 1].mean(), abs=0.02)
        poor = released("mwem(rounds=1)", budget=ht.Budget(epsilon="0.01"))
        assert poor.ask("SELECT avg(smoker) FROM t WHERE age < 18").text().splitlines()[1:] == ["unknown (95%)"]


def test_a_parity_of_two_columns_tells_the_shares_of_neither():
    """Nor does a query about both that is even in each; a query about one, or of both together, and a table do."""
    shape = ht.Domain.from_dict(
        {"table": "t", "attributes": {f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(4)}}
    )
    signs = np.array([[1, -1], [-1, 1]])

    def item(*positions, function):
        return Measured(positions, np.zeros(1, dtype=np.int64), Fraction(1), function)

    queries = [item(0, 1, function=signs.ravel()), item(2, function=np.array([0, 1])), item(1, 3, function=signs)]
    nothing = [SimpleNamespace(theta=np.zeros(1))] * 3
    model = WeightedModel.of(shape, queries, nothing, law=Law.GAUSSIAN, rows=100)
    assert model.told == {2}
    assert model.seen == {0, 1, 2, 3}
    both = replace(model, measured=(*queries, item(0, 3, function=np.array([0, 0, 0, 1]))))
    assert both.told == {0, 2, 3}


def test_a_question_about_very_many_attributes_is_summed_over_drawn_rows():
    shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(40)})
    codes = (np.random.default_rng(1).random((40, 500)) < 0.3).astype(np.uint8)
    synopsis = released("mwem(rounds=3)", shape=shape, codes=codes, workload="marginals(width=2)")
    answer = synopsis.ask(f"any({', '.join(f'b{i}' for i in range(40))})")
    assert answer.value > 0.99
    assert "rows drawn from the model" in " ".join(answer.notes)
    names = ", ".join(f"b{i}" for i in range(30))
    with pytest.raises(BadQuestion, match="fewer attributes"):
        synopsis.ask(f"SELECT {names}, count(*) FROM t GROUP BY {names}")


class TestPlan:
    def test_measures_all_where_noise_is_small_and_selects_where_it_is_not(self):
        shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(16)})
        many = ht.plan(shape, workload="marginals(width=2)", budget=ht.Budget(epsilon=1), rows=21_574)
        few = ht.plan(shape, workload="marginals(width=3)", budget=ht.Budget(epsilon=1), rows=21_574)
        assert many.mechanism == "low-order"
        assert few.mechanism == "mwem"
        assert {a.mechanism for a in few.alternatives} >= {"low-order"}
        assert {a.mechanism for a in many.alternatives} >= {"mwem"}
        assert "expected, not exact" in str(few)
        assert few.to_dict()["caution"]

    def test_without_rows_it_is_not_considered(self):
        made = ht.plan(SHAPE, workload="marginals(width=2)", budget=EPSILON)
        assert made.mechanism != "mwem"

    def test_the_rule_for_rounds_is_the_measured_one(self):
        """sqrt(epsilon n d) / 12 for parities and pairs, sqrt(epsilon n) / 10 for wider tables."""
        for rows, columns, rounds in (
            (70, 6, (2, 2, 2)),
            (1841, 6, (9, 9, 4)),
            (665, 8, (6, 6, 3)),
            (21_574, 16, (49, 49, 15)),
        ):
            shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(columns)})
            for workload, many in zip(
                ("parities(order=3)", "marginals(width=2)", "marginals(width=3)"), rounds, strict=True
            ):
                made = ht.plan(shape, workload=workload, budget=ht.Budget(epsilon=1), rows=rows, mechanism="mwem")
                assert made.design.summary.startswith(f"{many} rounds")

    def test_options_are_part_of_the_plan(self):
        made = ht.plan(SHAPE, workload="marginals(width=2)", budget=EPSILON, rows=100, mechanism="mwem(rounds=4)")
        plain = ht.plan(SHAPE, workload="marginals(width=2)", budget=EPSILON, rows=100, mechanism="mwem")
        assert made.mechanism == "mwem(rounds=4)"
        assert made.digest != plain.digest


def test_a_learner_of_ones_own_decides_what_is_measured():
    class Last(Learner):
        covers_all = False

        def choose(self, door, candidates, reference, allowed, price):
            return int(allowed[-1])

    synopsis = released(MWEM(rounds=2, learner=Last()), budget=EPSILON)
    assert [m.positions for m in synopsis.model.measured] == [(2, 3), (1, 3)]
    assert synopsis.model.certificate is None


def test_a_random_subset_covers_only_itself():
    seen = set()

    class Watching(FakeDoor):
        def select(self, statistic, reference, price, *, among=None):
            seen.add(tuple(among.tolist()))
            return super().select(statistic, reference, price, among=among)

    settings = MWEM(rounds=4, learner=Sampled(size=2))
    plan = settings.design(SHAPE, Marginals(width=2), RHO.price, 3000).parameters
    run = MwemRelease(settings, plan, Watching(CODES, SHAPE), SHAPE)
    for price in run.prices():
        run.round(price)
    assert {len(subset) for subset in seen} == {2}
    assert run.certificate is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mwem(rounds=0)", "rounds of mwem must be a whole number of at least 1, not 0"),
        ("mwem(rounds=2.5)", "not 2.5"),
        ("mwem(split=1)", "between 0 and 1, not 1"),
        ("mwem(unit=cell)", "measure_by=table|query"),
        ("mwem(unit=query, measure_by=query)", "unit is the former name of measure_by"),
        ("mwem(start=data)", "start=uniform|histogram"),
        ("mwem(cells=10_000_000_000)", "at most"),
        ("mwem(round=3)", "mwem takes rounds, split"),
        ("mwem(learner=x)", "mwem takes rounds, split"),
        ("mwen", "Did you mean 'mwem'"),
        ("mwem(", "no mechanism 'mwem('"),
        ("mwem(start=histogram, points=5)", "give one of them"),
        ("histogram(rounds=3)", "histogram takes no options"),
    ],
)
def test_a_wrong_option_is_one_line(text, says):
    with pytest.raises(BadPlan) as error:
        ht.plan(SHAPE, workload="marginals(width=2)", budget=EPSILON, rows=100, mechanism=text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_tables_over_the_cap_are_refused_before_anything_is_spent():
    with pytest.raises(BadPlan, match="more than 3 cells"):
        ht.plan(SHAPE, workload="marginals(width=2)", budget=EPSILON, rows=100, mechanism="mwem(cells=3)")
    with pytest.raises(BadPlan, match="use start=uniform"):
        ht.plan(
            SHAPE, workload="marginals(width=2)", budget=EPSILON, rows=9, mechanism="mwem(cells=20, start=histogram)"
        )


def test_read_mechanism_gives_what_was_asked():
    assert read_mechanism("mwem(rounds=3, adaptive=true)") == MWEM(rounds=3, adaptive=True)
    assert read_mechanism("mwem") == MWEM()


class TestForgedFiles:
    def model(self):
        return released("mwem(rounds=3)").model

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"cap": 2}, "more cells than it says"),
            ({"cap": 1 << 60}, "more cells than it says"),
            ({"rows": 0}, "makes no sense"),
            ({"law": "cauchy"}, "law that nobody knows"),
            ({"grid": -1}, "makes no sense"),
            ({"rows_stderr": 1e-200}, "makes no sense"),
            ({"points": -3}, "more cells than it says"),
            ({"covered": -1}, "more queries"),
            ({"certificate": {"apart": -1, "confidence": 0.9}}, "certificate"),
            ({"coverage": {"kind": "all", "width": 2}}, "covers"),
            ({"rounds": [{"positions": [9], "scale": "1", "query": False}]}, "does not have"),
            ({"rounds": [{"positions": [1, 1], "scale": "1", "query": False}]}, "does not have"),
        ],
    )
    def test_a_forged_parameter_is_refused(self, change, says):
        model = self.model()
        parameters = model.parameters() | change

        def read():
            WeightedModel.lengths(SHAPE, parameters)
            return WeightedModel.build(SHAPE, parameters, model.numbers())

        with pytest.raises(BadSynopsis, match=says):
            read()

    def test_a_forged_log_weight_is_refused(self):
        model = self.model()
        numbers = model.numbers() | {"theta": model.theta + (1 << 45)}
        with pytest.raises(BadSynopsis, match="log-weight"):
            WeightedModel.build(SHAPE, model.parameters(), numbers)

    def test_a_question_the_model_was_not_made_for_still_has_an_answer(self):
        model = self.model()
        again = replace(model, certificate=None)
        assert again.answer(parse("smoker AND age < 18 AND sex = 'male'", SHAPE)).value > 0


def test_the_former_name_of_an_option_is_read_and_kept_on_record():
    """Journals and files written before say unit, and digests of plans must not change."""
    asked = {"workload": "marginals(width=2)", "budget": EPSILON, "rows": 3000}
    former, today = (ht.plan(SHAPE, mechanism=f"mwem({name}=query)", **asked) for name in ("unit", "measure_by"))
    assert former.mechanism == today.mechanism == "mwem(measure_by=query)"
    assert former.design.recorded == today.design.recorded == "mwem(unit=query, calibration=0.03)"
    assert former.digest == today.digest

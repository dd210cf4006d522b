"""A curator whose hypothesis has weights on random rows alone: a universe of 2^40, and every mistake one line."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from curators import RICH, WIDE_QUESTIONS, ask_all, quick_vault, rehearsal, truth

import hushtable as ht
from hushtable.curator.plan import CuratorPlan, plan_curator
from hushtable.curator.sub_universe import SubUniverse
from hushtable.errors import BadPlan, BadState
from hushtable.maths.distribution.points import hashed_points

NAMES = tuple(f"b{i}" for i in range(40))
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
)
BUDGET = ht.Budget(epsilon=1, delta="1e-6")
POINTS = {"points": 60, "smoothness": 2}
# The first points of some tables, as every machine has them.
POINTED = [[2, 2, 2, 0], [1, 0, 0, 1], [2, 1, 1, 2]]


def smooth_vault(rows=5000, seed=0):
    """Independent even columns, of which the first two mostly go together."""
    bits = np.random.default_rng(seed).random((40, rows)) < 0.5
    bits[1, : rows // 2] = bits[0, : rows // 2]
    return bits, ht.Vault(pa.table(dict(zip(NAMES, bits, strict=True))), DOMAIN)


def asked(number, seed=1):
    g = np.random.default_rng(seed)
    for _ in range(number):
        columns, signs = g.choice(40, 3, replace=False), g.integers(0, 2, 3)
        yield columns, signs, " AND ".join(f"b{c}" if s else f"NOT b{c}" for c, s in zip(columns, signs, strict=True))


def test_a_universe_of_2_to_the_40_is_answered_within_what_is_stated():
    bits, vault = smooth_vault()
    curator = vault.curate(budget=BUDGET, questions=200, updates=40, points=4096, randomness=ht.Simulated(1))
    assert "4,096 random rows stand for all combinations" in str(curator)
    for columns, signs, text in asked(200):
        exact = (bits[columns] == signs[:, None]).all(axis=0).mean()
        answer = curator.ask(text)
        assert answer.source in ("free", "paid", "repeated")
        low, high = answer.interval(1 - 1e-9, simultaneous=True)
        assert low <= exact <= high
    assert curator.ask("b0 AND b1").value == pytest.approx(0.375, abs=0.12)


def test_it_learns_what_joins_too_many_columns_for_tables():
    """A chain of pairs ties 40 columns together, which no table of 2^22 cells holds."""
    g = np.random.default_rng(7)
    bits = g.random((40, 20_000)) < 0.5
    for i in range(39):
        bits[i + 1] = np.where(g.random(20_000) < 0.5, bits[i], bits[i + 1])
    vault = ht.Vault(pa.table(dict(zip(NAMES, bits, strict=True))), DOMAIN)

    def paid(**more):
        curator = vault.curate(budget=ht.Budget(rho=100), questions=100, updates=60, factor="0.01", way="hypothesis",
                               randomness=ht.Simulated(2), **more)  # fmt: skip
        answers = [curator.ask(f"b{i} AND b{i + 1}") for i in range(39)]
        bought = [answer for answer in answers if answer.source == "paid"]
        return len(bought), sum("cannot learn" in " ".join(answer.notes) for answer in bought)

    assert paid()[1] > 0
    many, unlearned = paid(points=20_000, smoothness=1)
    assert many > 30
    assert unlearned == 0


def test_memory_stays_flat():
    _, vault = smooth_vault()
    curator = vault.curate(budget=BUDGET, questions=600, updates=20, points=1 << 14, randomness=ht.Simulated(1))
    texts = [text for *_, text in asked(600)]
    for text in texts[:200]:
        curator.ask(text)
    tracemalloc.start()
    for text in texts[200:]:
        curator.ask(text)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 8_000_000  # layouts of 64 questions are 4 MB, and of every one would be 26


def test_the_threshold_is_raised_by_what_the_theorem_says():
    plain = plan_curator(DOMAIN, budget=BUDGET, questions=500, rows=50_000, way="hypothesis")
    made = plan_curator(DOMAIN, budget=BUDGET, questions=500, rows=50_000, points=1 << 16, smoothness=4)
    logs = np.log(4 * 500 / 0.05)
    gamma = np.sqrt(4 * logs / 2**16) + np.sqrt(logs / 100_000)
    assert made.way == "hypothesis"
    assert made.margin.threshold - plain.margin.threshold == np.ceil(50_000 * gamma)
    assert made.margin_for(10_000).threshold < made.margin.threshold
    assert (made.margin.first, made.margin.second) == (plain.margin.first, plain.margin.second)
    assert made.to_dict()["raised_rows"] == np.ceil(50_000 * gamma)
    assert plan_curator(DOMAIN, budget=BUDGET, questions=500, points=64).to_dict()["raised_rows"] is None


def test_a_threshold_that_is_not_raised_is_found(monkeypatch):
    """On few points the hypothesis stays wrong somewhere: every such question is paid for, until nothing is left."""

    def outcome():
        bits, vault = smooth_vault(20_000, seed=3)
        curator = vault.curate(budget=ht.Budget(rho=50), questions=500, updates=60, points=512, smoothness=3,
                               calibration=0, randomness=ht.Simulated(5))  # fmt: skip
        answers = [(curator.ask(text), (bits[c] == s[:, None]).all(axis=0).mean()) for c, s, text in asked(500, 4)]
        inside = [low <= exact <= high for answer, exact in answers
                  for low, high in [answer.interval(0.95, simultaneous=True)]]  # fmt: skip
        return all(inside), sum(answer.source == "unverified" for answer, _ in answers)

    assert outcome() == (True, 0)
    monkeypatch.setattr(SubUniverse, "beyond", lambda self, questions, rows: 0.0)
    within, unverified = outcome()
    assert not within
    assert unverified > 50


def test_points_follow_from_released_tables_on_every_machine():
    tables = [np.array([30, -2, 70]), np.array([0, 0]), np.array([5, 5, 5, 5])]
    codes = hashed_points(tables, 5000)
    assert codes.tolist() == hashed_points(tables, 5000).tolist()
    assert codes[:, :4].tolist() == POINTED
    likely, even = codes[:, :2500], codes[:, 2500:]
    assert set(likely[0].tolist()) == {0, 2}
    assert (likely[0] == 2).mean() == pytest.approx(0.7, abs=0.06)  # six standard deviations
    for p, table in enumerate(tables):
        assert np.bincount(even[p], minlength=len(table)) / 2500 == pytest.approx(1 / len(table), abs=0.06)
    assert hashed_points([tables[0] + 1, *tables[1:]], 5000).tolist() != codes.tolist()


@pytest.mark.parametrize("budget", [RICH, ht.Budget(epsilon=400), ht.Budget(epsilon=30, delta="1e-6")], ids=str)
def test_it_goes_on_where_it_was(tmp_path, budget):
    settings = {"budget": budget, "updates": 30, "questions": 1000, **POINTS}
    with quick_vault(tmp_path).curate(**settings) as curator:
        first = [(a.value, a.source) for a in ask_all(curator)]
        shares = curator._subject.distribution().groups[0].table.copy()
        plan = curator.plan
    with quick_vault(tmp_path).curate() as again:
        assert again.plan == plan
        assert (again.plan.points, again.plan.smoothness) == (60, 2)
        assert again._subject.distribution().groups[0].table == pytest.approx(shares, rel=1e-9)
        for text, (value, source) in zip(WIDE_QUESTIONS, first, strict=True):
            if source == "paid":
                assert (again.ask(text).source, again.ask(text).value) == ("repeated", value)


def test_another_number_of_points_is_refused(tmp_path):
    with quick_vault(tmp_path).curate(budget=RICH, questions=1000, **POINTS) as curator:
        curator.ask("smoker")
    with pytest.raises(BadState, match="was begun with points 60, not 50; leave it out to go on"):
        quick_vault(tmp_path).curate(points=50)
    with pytest.raises(BadState, match="was begun with smoothness 2, not 3"):
        quick_vault(tmp_path).curate(smoothness=3)


def test_what_it_learned_can_be_frozen(tmp_path):
    curator = rehearsal(**POINTS)
    ask_all(curator)
    synopsis = curator.freeze()
    synopsis.save(tmp_path / "f.hush")
    loaded = ht.load(tmp_path / "f.hush")
    assert loaded.model.points.shape[1] == 60
    for text in WIDE_QUESTIONS:
        assert loaded.ask(text).value == synopsis.ask(text).value
        assert loaded.ask(text).value == pytest.approx(truth(text), abs=0.25)


def test_a_private_number_of_rows_raises_it_by_the_released_one():
    from tables import domain, random_codes

    shape = domain(neighbours="add-remove")
    curator = rehearsal(shape=shape, codes=random_codes(shape, 2000, seed=21), **POINTS)
    assert curator.plan.rows is None
    raised = curator._margin.threshold - curator.plan.margin.threshold
    assert raised == curator.plan.raised(curator._subject.rows) > 0


def test_bars_of_free_answers_know_what_points_may_miss():
    curator = rehearsal(points=60, smoothness=2, budget=ht.Budget(rho=4000))
    free = [answer for answer in ask_all(curator) if answer.source == "free"]
    raised = curator.plan.raised(2000) / 2000
    assert free
    assert all(0.3 * raised < answer.stderr <= 0.4 * raised for answer in free if answer.estimator == "calibrated")
    for answer, text in zip(ask_all(curator), WIDE_QUESTIONS, strict=True):
        low, high = answer.interval(0.95, simultaneous=True)
        assert low <= truth(text) <= high


def test_what_no_point_has_is_paid_for_and_not_learned(monkeypatch):
    monkeypatch.setattr(SubUniverse, "beyond", lambda self, questions, rows: 0.0)
    curator = rehearsal(points=2, smoothness=1, factor="0.01", budget=ht.Budget(rho=4000))
    answers = ask_all(curator)
    assert any("true of all of its points, or of none" in note for answer in answers for note in answer.notes)
    assert all(np.isfinite(answer.value) for answer in answers)


def test_settings_come_back_the_same():
    made = plan_curator(DOMAIN, budget=BUDGET, questions=500, rows=50_000, points=1 << 16, smoothness="2.5")
    again = CuratorPlan.from_settings(DOMAIN, made.settings())
    assert again == made
    assert again.digest == made.digest


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"points": 0}, "points must be a whole number from 2 to 1,048,576, not 0"),
        ({"points": 1.5}, "points must be a whole number from 2 to 1,048,576, not 1.5"),
        ({"points": True}, "points must be a whole number from 2 to 1,048,576, not True"),
        ({"points": 2**21}, "points must be a whole number from 2 to 1,048,576, not 2097152"),
        ({"smoothness": 2}, "give points too"),
        ({"points": 10, "smoothness": "0.5"}, "from 1 to 1,000,000,000, not 0.5"),
        ({"points": 10, "smoothness": 10**10}, "from 1 to 1,000,000,000, not 10000000000"),
        ({"points": 10, "way": "independent"}, "has no hypothesis; leave points out"),
        ({"points": 10, "workload": "conjunctions(free=2)"}, "remembers keys; leave points out"),
        ({"points": 3}, "3 points say nothing of 500 questions about 50,000 rows; give at least 44, or"),
    ],
    ids=str,
)
def test_one_line_for_every_mistake(given, said):
    with pytest.raises(BadPlan, match=said) as caught:
        plan_curator(DOMAIN, budget=BUDGET, questions=500, rows=50_000, **given)
    assert "\n" not in str(caught.value)


def test_points_and_lists_are_refused_as_such_however_many_combinations_there_are():
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"v": {"kind": "open"}}})
    with pytest.raises(BadPlan, match="of lists remembers keys; leave points out"):
        plan_curator(shape, budget=BUDGET, points=1 << 16)


def test_the_least_points_that_say_something_are_taken():
    assert plan_curator(DOMAIN, budget=BUDGET, questions=500, rows=50_000, points=44).raised(50_000) < 50_000


def test_more_points_than_combinations_are_refused():
    small = ht.Domain.from_dict({"table": "t", "attributes": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}})
    with pytest.raises(BadPlan, match="the domain has 9 combinations of values, which 9 points do not reduce"):
        plan_curator(small, budget=BUDGET, points=9)

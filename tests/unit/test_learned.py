"""Release by learning: languages, learners that see public arrays alone, held-out bars, files and bad input."""

import gc
import pickle
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.conditions import read_condition
from hushtable.errors import BadPlan, BadQuestion
from hushtable.maths.learning.held_out import HeldOut, split
from hushtable.maths.learning.row_features import RowFeatures
from hushtable.models.learned.answers import OFF, STRETCHED
from hushtable.vault.sources import open_source
from hushtable.vault.statistics.polynomials import PolynomialSums

NAMES = tuple(f"a{i}" for i in range(8))
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
)
MIXED = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 40, 65]},
            "sex": {"kind": "category", "values": ["f", "m"], "other": True},
            "smoker": {"kind": "boolean"},
            "region": {"kind": "category", "values": ["north", "south", "west"], "missing": "error"},
        },
    }
)
BUDGET = ht.Budget(epsilon=1, delta="1e-6")
SURE = ht.Budget(rho=10**5)
ROWS = 4000


def bits(seed=3, rows=ROWS):
    """Two classes of rows, so that columns depend on each other."""
    random = np.random.default_rng(seed)
    shares = random.uniform(0.05, 0.95, (2, len(NAMES)))
    return (random.random((rows, len(NAMES))) < shares[random.integers(0, 2, rows)]).astype(np.int64)


BITS = bits()
TABLE = pa.table({name: BITS[:, i] == 1 for i, name in enumerate(NAMES)})


def released(workload, budget=BUDGET, seed=5, mechanism=None):
    plan = ht.plan(DOMAIN, rows=ROWS, workload=workload, budget=budget, mechanism=mechanism)
    return ht.Vault(TABLE, DOMAIN).release(plan, randomness=ht.Simulated(seed))


def most_of(question, row):
    """Whether more than half of the columns asked about are 1."""
    asked, held = 0, 0
    for place in range(len(question)):
        asked += question[place]
        held += question[place] * row[place]
    return 2 * held > asked


def share_of(question, row):
    """The share of the columns asked about that are 1."""
    asked, held = 0, 0
    for place in range(len(question)):
        asked += question[place]
        held += question[place] * row[place]
    return held / max(asked, 1)


def masks(random, count):
    return random.integers(0, 2, (count, len(NAMES)))


def language(**changes):
    said = {"name": "votes", "columns": NAMES, "predicate": most_of, "sampler": masks}
    return ht.Language(**(said | changes))


def truths(said, questions):
    return np.array([np.mean([said(q, row) for row in BITS[:500]]) for q in questions])


# Languages


@pytest.mark.parametrize("text", ["dnf, terms=3, width=2", "all_of, width=3", "any_of, width=3", "parities"])
@pytest.mark.parametrize("domain", [DOMAIN, MIXED], ids=["bits", "mixed"])
def test_a_language_says_one_by_one_what_it_says_at_once(text, domain):
    if text == "parities" and domain is MIXED:
        pytest.skip("it has no columns of two values")
    from hushtable.questions.workloads import read_workload

    spoken = read_workload(f"learned(language={text})").spoken(domain)
    questions = spoken.language.draw(1, 40)
    rows = np.random.default_rng(2).integers(0, spoken.sizes, (60, len(spoken.sizes)))
    each = [[bool(spoken.language.predicate(q, row)) for row in rows] for q in questions]
    assert np.array_equal(spoken.holds(questions, rows), np.array(each, dtype=float))
    assert spoken.language.understands(questions)
    assert all(spoken.language.is_typical(q) for q in questions)
    assert len({q.tobytes() for q in questions}) == 40


RULES = [
    "(age >= 65 AND smoker) OR NOT smoker",
    "sex = 'm' AND region IN ('north', 'west')",
    "NOT (smoker AND age < 18)",
    "any(smoker, sex = 'f')",
    "all(smoker, sex <> 'f') OR region = 'south'",
    "age BETWEEN 18 AND 39 OR sex IS NULL",
]


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_read_as_the_condition_that_it_is(text):
    """Row by row, with values that are missing or not declared."""
    from hushtable.questions.rule_text import read_rule

    spoken = ht.Learned("dnf", terms=3, width=3).spoken(MIXED)
    vector, _ = read_rule(text, MIXED, spoken, 3, 3)
    cells = np.array(list(product(*map(range, MIXED.sizes))))
    said = spoken.holds(vector[None], cells[:, list(spoken.positions)])[0]
    predicate, _ = read_condition(text, MIXED)
    assert np.array_equal(said == 1, predicate.on_rows(cells.T)[0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a0 AND a1 AND a2", "knows rules of up to 2 terms of up to 2 conditions"),
        ("at_least(2, a0, a1, a2)", "joined by AND, OR and NOT"),
        ("a0 AND NOT a0", "no row can meet"),
        ("a0 = 1 OR a0 = 0", "terms"),
        ("nothing", "no attribute"),
    ],
)
def test_a_question_outside_the_language_is_refused(text, says):
    synopsis = released("learned(language=dnf, terms=2, width=2)")
    if "OR a0 = 0" in text:
        assert synopsis.ask(text).value == pytest.approx(1, abs=0.05)
        return
    with pytest.raises(BadQuestion, match=says):
        synopsis.ask(text)


# The oracle: distinct questions, each measured once


@pytest.mark.parametrize("said", [most_of, share_of], ids=["yes or no", "shares"])
@pytest.mark.parametrize("quick", [0, 1 << 30], ids=["compiled", "listed"])
@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_sensitivity_is_that_of_the_worst_rows(said, quick, relation, monkeypatch):
    """Brute force over all pairs of rows; 2b for rows compiled one by one, which a bound knows to be at most b."""
    from hushtable.maths.learning import spoken as module

    monkeypatch.setattr(module, "QUICK", quick)
    few = language(predicate=said, columns=NAMES[:3], sampler=lambda r, m: r.integers(0, 2, (m, 3)))
    made = module.spoken(few, NAMES, DOMAIN.sizes)
    questions = few.draw(0, 6)
    statistic = PolynomialSums(made.sums(questions))
    assert made.sums(questions).listed == bool(quick)
    rows = np.array(list(product((0, 1), repeat=3)))
    codes = np.zeros((8, len(NAMES)), dtype=np.uint8)
    codes[:, :3] = rows
    each = np.array([statistic.to_coordinates(statistic.accumulate(row[:, None])) for row in codes])[:, 1:]
    steps = statistic.family.range[1]
    assert np.allclose(each / steps, made.holds(questions, rows).T, atol=1e-6)
    apart = each[:, None] - each if relation == "replace" else each
    for power in (1, 2):
        worst = int((np.abs(apart) ** power).reshape(-1, 6).sum(axis=1).max())
        ours = statistic.sensitivity(power=power, weights=[Fraction(0), Fraction(1)], neighbours=relation)
        assert worst <= ours <= 6 * steps**power * (1 + Fraction(1, 10**9))
        if quick:
            assert ours == worst


def test_the_noise_of_an_answer_is_that_of_all_questions(monkeypatch):
    """sigma^2 = b / (2 rho n^2) for the share of the budget that questions have; twice b is twice the variance.

    Less where all rows are tried and none changes all answers, which parities are an example of.
    """
    exact = (
        released("learned(language=parities, questions=100)", ht.Budget(rho="0.1"), mechanism="learned")
        .bought()
        .noise_sd
    )
    assert exact**2 < 0.7 * 100 / (2 * 0.07 * ROWS**2)
    monkeypatch.setattr("hushtable.maths.learning.spoken.QUICK", 0)
    for questions in (100, 200):
        synopsis = released(
            f"learned(language=parities, questions={questions})", ht.Budget(rho="0.1"), mechanism="learned"
        )
        assert synopsis.bought().noise_sd ** 2 == pytest.approx(questions / (2 * 0.07 * ROWS**2), rel=3e-4)


def test_questions_are_different_public_and_bought_once():
    synopsis = released("learned(language=dnf, terms=3, width=2, questions=150)")
    bought = synopsis.bought()
    assert len({q.tobytes() for q in bought.questions}) == 150
    again = released("learned(language=dnf, terms=3, width=2, questions=150)", seed=6).bought()
    assert np.array_equal(bought.questions, again.questions)
    assert np.array_equal(bought.held_out, again.held_out)
    assert not np.array_equal(bought.answers, again.answers)
    other = released("learned(language=dnf, terms=3, width=2, questions=150, seed=1)").bought()
    assert not np.array_equal(bought.questions, other.questions)


def test_asking_again_gives_the_same_answer_and_spends_nothing():
    synopsis = released("learned(language=all_of, width=3)")
    assert synopsis.ask("a0 AND NOT a1").value == synopsis.ask("NOT a1 AND a0").value


# Learners


def test_rows_that_are_the_table_give_back_what_was_measured():
    """Without noise, and with the different rows of the table as public rows."""
    spoken = ht.Learned("dnf", terms=3, width=2).spoken(DOMAIN)
    questions = spoken.language.draw(0, 60)
    exact = spoken.holds(questions, BITS).mean(axis=1)
    fitted = RowFeatures(spoken.holds, np.unique(BITS, axis=0)).fit(questions, exact, 0.0)
    assert fitted.predict(questions) == pytest.approx(exact, abs=1e-6)
    assert fitted.weights.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("text", ["dnf, terms=3, width=2", "all_of, width=3", "all_of, width=3, learner=kernel",
                                  "any_of, width=3", "any_of, width=3, learner=kernel"])  # fmt: skip
def test_what_is_learned_is_near_the_truth(text):
    synopsis = released(f"learned(language={text})", ht.Budget(rho=10))
    spoken = synopsis.model.language
    questions = spoken.language.draw(77, 100)
    exact = spoken.holds(questions, BITS).mean(axis=1)
    answers = synopsis.evaluate(questions)
    assert np.abs(answers.value - exact).mean() < 0.15 * exact.std()
    low, high = answers.interval(0.95)
    assert ((low <= exact) & (exact <= high)).mean() > 0.8


def test_opposites_add_up_to_one():
    spoken = ht.Learned("dnf", terms=2, width=2).spoken(DOMAIN)
    synopsis = released("learned(language=dnf, terms=2, width=2)")
    predictor = synopsis.model.judged.predictor
    yes, no = (synopsis.model.parse(text).vector for text in ("a0 AND a1", "NOT a0 OR NOT a1"))
    assert predictor.predict(np.stack([yes, no])).sum() == pytest.approx(1, abs=1e-9)
    assert spoken.language.understands(np.stack([yes, no]))


class Spy:
    """Looks for the table in everything that it is given, and in everything that these know of."""

    def fit(self, questions, answers, noise_sd):
        self.given = (questions, answers, noise_sd)
        return self

    def predict(self, questions):
        return np.full(len(questions), 0.5)


def reachable(start):
    """All objects that can be reached by references, but for modules and types, which know of everything."""
    seen, todo = {}, [start]
    while todo:
        one = todo.pop()
        # The type is asked, as a weak reference to something gone would complain.
        if id(one) in seen or issubclass(type(one), type) or type(one).__name__ in ("module", "frame"):
            continue
        seen[id(one)] = one
        todo += gc.get_referents(one)
    return list(seen.values())


def test_a_learner_never_reaches_the_table():
    """By references: from its arguments, and from all that it keeps of them."""
    source, spy = open_source(TABLE), Spy()
    plan = ht.plan(DOMAIN, rows=ROWS, workload=ht.Learned("dnf", terms=2, width=2, learner=spy), budget=BUDGET)
    synopsis = ht.Vault(source, DOMAIN).release(plan, randomness=ht.Simulated(1))
    found = reachable(spy)
    assert any(one is spy.given[0] for one in found)
    assert not any(one is TABLE or one is source or isinstance(one, (pa.Table, pa.RecordBatch)) for one in found)
    # Copies: writing into what it was given changes nothing for others.
    spy.given[1][:] = 0
    assert synopsis.bought().answers.any()
    # The search is able to find it.
    assert any(one is TABLE for one in reachable({"deep": [(TABLE,)]}))
    assert any(one is TABLE for one in reachable(ht.Vault(source, DOMAIN)))


class Failing(Spy):
    def __init__(self, how):
        self.how = how

    def fit(self, questions, answers, noise_sd):
        if self.how == "raises":
            raise RuntimeError("no")
        return self

    def predict(self, questions):
        return {"nan": np.full(len(questions), np.nan), "shape": np.zeros(3)}[self.how]


@pytest.mark.parametrize("how", ["raises", "nan", "shape"])
def test_a_learner_that_fails_costs_nothing_and_loses_nothing(how):
    plain = released("learned(language=dnf, terms=2, width=2)")
    synopsis = released(ht.Learned("dnf", terms=2, width=2, learner=Failing(how)))
    assert np.array_equal(synopsis.bought().answers, plain.bought().answers)
    assert synopsis.ask("a0 AND a1").value == plain.ask("a0 AND a1").value
    assert "the built-in learner answers instead" in synopsis.model.remarks()[0]
    with pytest.raises(BadQuestion, match="answers as before"):
        plain.learn(Failing(how))


class Nearest:
    """A regressor of scikit-learn's kind."""

    def fit(self, x, y):
        self.x, self.y = np.asarray(x), np.asarray(y)
        return self

    def predict(self, x):
        return self.y[[int(np.argmin(((self.x - row) ** 2).sum(axis=1))) for row in np.asarray(x)]]


def test_any_regressor_learns_again_at_no_cost(tmp_path):
    synopsis = released("learned(language=dnf, terms=2, width=2)")
    model, given = Nearest(), synopsis.bought()
    other = synopsis.learn(ht.Regressor(model))
    assert not hasattr(model, "x")
    assert other.ask("a0 AND a1").value != synopsis.ask("a0 AND a1").value
    assert other.learn().ask("a0 AND a1").value == synopsis.ask("a0 AND a1").value
    assert np.array_equal(other.bought().answers, given.answers)
    synopsis.save(tmp_path / "rules.hush")
    loaded = ht.load(tmp_path / "rules.hush")
    assert loaded.ask("a0 AND a1").interval() == pytest.approx(synopsis.ask("a0 AND a1").interval(), abs=1e-9)
    assert loaded.learn(ht.Regressor(Nearest())).ask("a0 AND a1").value == other.ask("a0 AND a1").value


def test_scikit_learn_goes_in():
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    synopsis = released("learned(language=dnf, terms=2, width=2)", ht.Budget(rho=10))
    boosted = synopsis.learn(ht.Regressor(ensemble.HistGradientBoostingRegressor(random_state=0)))
    questions = synopsis.model.language.language.draw(9, 100)
    exact = synopsis.model.language.holds(questions, BITS).mean(axis=1)
    assert np.abs(boosted.evaluate(questions).value - exact).mean() < exact.std()


class Trap:
    """A pickle that does something when it is read."""

    def __reduce__(self):
        return (happen, ())


HAPPENED = []


def happen():
    HAPPENED.append(1)


def test_a_pickled_learner_runs_on_request_alone(tmp_path):
    kept = released(ht.Learned("dnf", terms=2, width=2, learner=ht.Regressor(Nearest(), keep=True)))
    kept.save(tmp_path / "kept.hush")
    loaded = ht.load(tmp_path / "kept.hush")
    assert "run on request alone" in loaded.model.remarks()[0]
    assert loaded.ask("a0 AND a1").value == kept.learn().ask("a0 AND a1").value
    assert loaded.learn(trust=True).ask("a0 AND a1").value == kept.ask("a0 AND a1").value
    from dataclasses import replace

    trapped = replace(kept, model=replace(kept.model, taught=None, pickled=pickle.dumps(Trap())))
    trapped.save(tmp_path / "trap.hush")
    loaded = ht.load(tmp_path / "trap.hush")
    loaded.ask("a0 AND a1")
    loaded.info()
    loaded.save(tmp_path / "again.hush")
    assert not HAPPENED
    with pytest.raises(BadQuestion, match="does not predict"):
        loaded.learn(trust=True)
    assert HAPPENED
    with pytest.raises(BadQuestion, match="holds no pickled learner"):
        released("learned(language=dnf, terms=2, width=2)").learn(trust=True)


# Languages of one's own


@pytest.mark.parametrize("said", [most_of, share_of], ids=["yes or no", "shares"])
def test_a_language_of_ones_own_is_learned_saved_and_given_again(said, tmp_path):
    own = language(predicate=said)
    synopsis = released(ht.Learned(own, questions=120), ht.Budget(rho=10))
    assert synopsis.model.steps == (1 if said is most_of else 1 << 20)
    questions = own.draw(9, 60)
    exact = np.array([np.mean([said(q, row) for row in BITS]) for q in questions[:10]])
    assert np.abs(synopsis.evaluate(questions[:10]).value - exact).max() < 0.05
    synopsis.save(tmp_path / "own.hush")
    loaded = ht.load(tmp_path / "own.hush")
    with pytest.raises(BadQuestion, match=r"synopsis.learn\(language=...\)"):
        loaded.evaluate(questions)
    assert np.array_equal(loaded.learn(language=own).evaluate(questions).value, synopsis.evaluate(questions).value)
    with pytest.raises(BadQuestion, match="not that of this synopsis"):
        loaded.learn(language=language(sampler=lambda r, m: r.integers(0, 2, (m, len(NAMES)))[:, ::-1]))
    with pytest.raises(BadQuestion, match="and not 'others'"):
        loaded.learn(language=language(name="others"))
    with pytest.raises(BadQuestion, match="lines of whole numbers"):
        synopsis.ask("a0 AND a1")
    with pytest.raises(BadQuestion, match="8 columns"):
        synopsis.evaluate(np.zeros((3, 5), dtype=int))


def test_no_questions_are_no_answers():
    synopsis = released(ht.Learned(language(), questions=100))
    assert len(synopsis.evaluate(np.zeros((0, 8), dtype=int)).value) == 0


def test_a_predicate_that_does_not_compile_sees_public_cells_alone():
    """It keeps what it was given: cells of its columns in turn, and no row of the table."""
    seen = []

    def remembering(question, row):
        seen.append(tuple(row.tolist()))
        return f"{row[0]}" == "1" and bool(question[0])

    own = language(predicate=remembering, columns=NAMES[:2])
    plan = ht.plan(DOMAIN, rows=ROWS, workload=ht.Learned(own, questions=60), budget=BUDGET)
    before = len(seen)
    ht.Vault(TABLE, DOMAIN).release(plan, randomness=ht.Simulated(1))
    counts = {cell: seen[before:].count(cell) for cell in product((0, 1), repeat=2)}
    assert len(set(counts.values())) == 1  # equally often, whatever the table has


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"predicate": lambda q, row: 1 // 0}, "ends in ZeroDivisionError"),
        ({"predicate": lambda q, row: row}, "must say one number for a row"),
        ({"predicate": lambda q, row: 1.5}, "from 0 to 1"),
        ({"predicate": lambda q, row: -0.25 * row[0]}, "from 0 to 1"),
        ({"predicate": lambda q, row: 1.5, "steps": 1}, "from 0 to 1"),
        (
            {"predicate": lambda q, row: np.empty(1)[0] > 0},
            "names 'empty', which reads memory that may hold other rows",
        ),
        ({"predicate": lambda q, row: float("nan")}, "from 0 to 1"),
        ({"predicate": lambda q, row: "yes"}, "must say one number"),
        ({"predicate": 3}, "predicate must be a function"),
        ({"predicate": lambda q, row: sys.exit(3)}, "the predicate ends in SystemExit"),
        ({"sampler": lambda r, m: sys.exit(3)}, "the sampler ends in SystemExit"),
        ({"sampler": lambda r, m: r.integers(0, 9, (m, 8), dtype=np.uint64) + np.uint64(2**63)}, "up to 63 bits"),
        ({"sampler": lambda r, m: np.zeros((m, 8), dtype=int)}, "the sampler repeats itself: 1 different question"),
        ({"sampler": lambda r, m: r.random((m, 8))}, "lines of whole numbers"),
        ({"sampler": lambda r, m: r.integers(0, 2, (3, 8))}, "lines of whole numbers"),
        ({"sampler": lambda r, m: 1 // 0}, "the sampler ends in ZeroDivisionError"),
        ({"sampler": lambda r, m: np.random.default_rng().integers(0, 99, (m, 8))}, "the same every time"),
        ({"columns": ("a0", "b9")}, "no column 'b9'"),
        ({"columns": ()}, "at least one column"),
        ({"name": "two words"}, "one word"),
        ({"group": lambda q: int(q[0]) * 50 + int(q[1:].sum())}, "error bars need 20"),
        ({"group": lambda q: "x"}, "group of a question ends in ValueError"),
        ({"steps": 0}, "steps"),
    ],
)
def test_bad_languages_are_refused_in_one_line_before_anything_is_spent(changes, says):
    with pytest.raises(BadPlan, match=says) as error:
        ht.plan(DOMAIN, rows=ROWS, workload=ht.Learned(language(**changes), questions=100), budget=BUDGET)
    assert "\n" not in str(error.value)


def peeking(question, row):
    """Draws from a generator, whose state goes from row to row."""
    return np.random.random() < 0.5


def test_a_predicate_with_a_memory_is_refused(monkeypatch):
    monkeypatch.setattr("hushtable.maths.learning.spoken.QUICK", 0)
    with pytest.raises(BadPlan, match="random"):
        ht.plan(DOMAIN, rows=ROWS, workload=ht.Learned(language(predicate=peeking), questions=100), budget=BUDGET)


def unwritten(question, row):
    """Says what lies in memory that nobody wrote to."""
    return np.empty(8, np.int64)[3] == row[0]


def seldom_set(question, row):
    if row[0] + row[1] + row[2] + row[3] + row[4] + row[5] + row[6] + row[7] < 8:
        said = row[0]
    return said == 1


@pytest.mark.parametrize("predicate", [unwritten, seldom_set], ids=lambda f: f.__name__)
def test_a_predicate_that_reads_what_is_not_its_own_is_refused(predicate, monkeypatch):
    """At the plan, compiled: too seldom to be seen on public rows, and before anything is spent."""
    monkeypatch.setattr("hushtable.maths.learning.spoken.QUICK", 0)
    monkeypatch.setattr("hushtable.maths.learning.spoken.Spoken.check", lambda *_: None)
    own = ht.Learned(language(predicate=predicate, steps=1), questions=100)
    with pytest.raises(BadPlan, match=r"memory that may hold other rows|read 'said' before it is set") as error:
        ht.plan(DOMAIN, rows=ROWS, workload=own, budget=BUDGET)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("learned(language=cnf)", "no language 'cnf'"),
        ("learned(language=dnf, width=3)", "needs terms"),
        ("learned(language=all_of)", "needs width"),
        ("learned(language=all_of, width=3, terms=2)", "takes no terms"),
        ("learned(language=parities, width=3)", "takes no width"),
        ("learned(language=all_of, width=40)", "width"),
        ("learned(language=all_of, width=3, questions=5000)", "4,000"),
        ("learned(language=all_of, width=3, questions=30)", "error bars need 20"),
        ("learned(language=all_of, width=3, holdout=0.9)", "holdout"),
        ("learned(language=all_of, width=3, seed=-1)", "seed"),
        ("learned(language=all_of, width=3, learner=forest)", "no learner 'forest'"),
        ("learned(language=dnf, terms=2, width=2, learner=kernel)", "for all_of and any_of"),
        ("learned(language=all_of, width=12)", "12 columns at once"),
        ("learned(language=all_of, width=1)", "too few to hold"),
    ],
)
def test_bad_workloads_are_refused_in_one_line(text, says):
    with pytest.raises(BadPlan, match=says) as error:
        ht.plan(DOMAIN, rows=ROWS, workload=text, budget=BUDGET)
    assert "\n" not in str(error.value)


def test_learners_of_another_kind_are_refused():
    with pytest.raises(BadPlan, match="wrap a regressor"):
        ht.Learned("parities", learner=3)
    with pytest.raises(BadPlan, match=r"goes in as ht.Regressor\(model\)"):
        ht.Learned("parities", learner=Nearest())


def test_other_synopses_have_nothing_to_learn_from():
    plain = released(ht.Marginals(width=1))
    for ask in (plain.learn, plain.bought):
        with pytest.raises(BadQuestion, match="nothing to learn from"):
            ask()


# Bars


def test_questions_that_are_never_drawn_have_no_bar():
    plan = ht.plan(MIXED, rows=ROWS, workload="learned(language=all_of, width=3)", budget=BUDGET)
    from hushtable.domain.dummy import dummy_rows

    synopsis = ht.Vault(pa.table(dummy_rows(MIXED, rows=ROWS, seed=1)), MIXED).release(plan, randomness=ht.Simulated(1))
    usual = synopsis.ask("smoker AND age >= 65")
    assert OFF not in usual.notes
    assert usual.interval()[1] - usual.interval()[0] < 0.9
    strange = synopsis.ask("smoker AND region IN ('north', 'west')")
    assert OFF in strange.notes
    assert strange.interval() == (0.0, 1.0)
    assert usual.interval(0.9999) == (0.0, 1.0)  # more than held-out questions can say


def test_a_question_far_from_the_held_out_ones_says_so():
    synopsis = released("learned(language=dnf, terms=2, width=2)")
    held = synopsis.model.judged.held_out
    questions = synopsis.model.language.language.draw(55, 400)
    answers = synopsis.evaluate(questions)
    _, scale = synopsis.model.judged.predict(questions)
    groups = synopsis.model.language.language.groups_of(questions)
    beyond = scale > np.array([held.farthest(int(g)) for g in groups])
    told = [note for note in answers.notes if note.startswith(STRETCHED)]
    assert bool(told) == bool(beyond.any())
    for number in np.flatnonzero(beyond)[:3]:
        assert any(note.startswith(STRETCHED) for note in synopsis.evaluate(questions[number : number + 1]).notes)


def test_held_out_scores_give_the_bar_of_the_text_book():
    """The k-th smallest of m scores, k = ceil((m + 1) c); every group by itself."""
    scores = np.random.default_rng(1).random(60)
    held = HeldOut(np.repeat([4, 7], 30), scores, np.ones(60), 0.0)
    assert held.factor(4, 0.95) == np.sort(scores[:30])[29]
    assert held.factor(7, 0.5) == np.sort(scores[30:])[15]
    assert held.factor(4, 0.99) == np.inf
    assert held.factor(5, 0.5) == np.inf
    assert (held.known(4), held.known(5)) == (True, False)


def test_held_out_questions_are_the_first_of_each_group():
    groups = np.array([1] * 300 + [2] * 60 + [3] * 10)
    held = split(groups, 0.2)
    assert [int(held[groups == g].sum()) for g in (1, 2, 3)] == [60, 25, 5]
    assert held[:60].all()


def test_counts_are_shares_of_the_rows_and_files_come_back(tmp_path):
    synopsis = released("learned(language=any_of, width=3, learner=kernel)")
    share, count = synopsis.ask("a0 OR a1"), synopsis.ask("a0 OR a1", count=True)
    assert count.value == pytest.approx(ROWS * share.value)
    assert count.interval()[1] == pytest.approx(ROWS * share.interval()[1])
    synopsis.save(tmp_path / "k.hush")
    assert ht.load(tmp_path / "k.hush").ask("a0 OR a1").value == pytest.approx(share.value, abs=1e-9)


def test_a_small_language_is_measured_whole():
    plan = ht.plan(DOMAIN, rows=ROWS, workload="learned(language=all_of, width=2)", budget=BUDGET)
    assert "every one is measured" in str(plan)
    synopsis = released("learned(language=all_of, width=2)", SURE)
    exact = float((BITS[:, 0] * (1 - BITS[:, 1])).mean())
    assert synopsis.ask("a0 AND NOT a1").value == pytest.approx(exact, abs=1e-4)

"""The mechanism privlearn: the release of `learned`, predicted by the published learners, and its file."""

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadSynopsis
from hushtable.mechanisms import read_mechanism
from hushtable.models.learned.answers import OFF, STRETCHED
from hushtable.models.learned.file import lengths_of, read_fields

NAMES = tuple(f"a{i}" for i in range(8))
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
)
BUDGET = ht.Budget(epsilon=1, delta="1e-6")
ROWS = 4000


def bits():
    random = np.random.default_rng(3)
    shares = random.uniform(0.05, 0.95, (2, len(NAMES)))
    return (random.random((ROWS, len(NAMES))) < shares[random.integers(0, 2, ROWS)]).astype(np.int64)


BITS = bits()
TABLE = pa.table({name: BITS[:, i] == 1 for i, name in enumerate(NAMES)})
CONJUNCTIONS = "learned(language=all_of, width=3, questions=300)"


def planned(mechanism, workload=CONJUNCTIONS, budget=BUDGET):
    return ht.plan(DOMAIN, rows=ROWS, workload=workload, budget=budget, mechanism=mechanism)


def released(mechanism, workload=CONJUNCTIONS, budget=BUDGET):
    return ht.Vault(TABLE, DOMAIN).release(planned(mechanism, workload, budget), randomness=ht.Simulated(5))


def masks():
    """Conjunctions as the source has them: zeros and ones."""

    def holds(question, row):
        # A loop, as it is compiled.
        for place in range(len(question)):  # noqa: SIM110
            if question[place] > row[place]:
                return False
        return True

    return ht.Language(name="masks", columns=NAMES, predicate=holds,
                       sampler=lambda random, count: random.integers(0, 2, (count, len(NAMES))))  # fmt: skip


@pytest.mark.parametrize("text", ["all_of, width=3, questions=300", "any_of, width=3, questions=300"])
@pytest.mark.parametrize("mechanism", ["privlearn(alpha=0.1)", "privlearn(way=fourier)"])
def test_it_answers_from_the_noisy_answers_of_learned(text, mechanism, tmp_path):
    theirs, ours = (released(name, f"learned(language={text})", ht.Budget(rho=10)) for name in (mechanism, "learned"))
    assert np.array_equal(theirs.bought().answers, ours.bought().answers)
    assert np.array_equal(theirs.bought().held_out, ours.bought().held_out)
    assert theirs.model.tables.coordinates.tolist() == ours.model.tables.coordinates.tolist()
    spoken = theirs.model.language
    questions = spoken.language.draw(77, 200)
    exact = spoken.holds(questions, BITS).mean(axis=1)
    answers = theirs.evaluate(questions)
    assert np.abs(answers.value - exact).mean() < 0.3 * exact.std()
    low, high = answers.interval(0.95)
    assert ((low <= exact) & (exact <= high)).mean() > 0.8
    # The built-in learner, from the same answers, at no cost.
    assert np.array_equal(theirs.learn().evaluate(questions).value, ours.evaluate(questions).value)
    theirs.save(tmp_path / "p.hush")
    loaded = ht.load(tmp_path / "p.hush")
    assert np.array_equal(loaded.evaluate(questions).value, answers.value)
    assert "as published" in dict(loaded.model.facts())["Predicted by"]


def test_zeros_and_ones_of_a_language_of_ones_own_are_taken_as_they_are():
    synopsis = released("privlearn(alpha=0.1, degree=2)", ht.Learned(masks(), questions=200), ht.Budget(rho=10))
    questions = np.random.default_rng(9).integers(0, 2, (200, len(NAMES)))
    exact = (questions @ (1 - BITS).T == 0).mean(axis=1)
    assert np.abs(synopsis.evaluate(questions).value - exact).mean() < 0.05
    assert synopsis.model.polynomials.coefficients.shape == (29, 1 + 8 + 28)


def test_flags_and_groups_are_those_of_learned():
    """A learner that says nothing of its error never extrapolates; one bar a group."""
    synopsis = released("privlearn(alpha=0.1)", "learned(language=all_of, width=4)", ht.Budget(rho=10))
    spoken = synopsis.model.language.language
    questions = spoken.draw(55, 300)
    answers = synopsis.evaluate(questions)
    groups, widths = spoken.groups_of(questions), np.array(answers.stderr)
    assert len(np.unique(groups)) > 1
    inside = (np.array(answers.value) - widths * 2 > 0) & (np.array(answers.value) + widths * 2 < 1)
    for group in np.unique(groups):
        assert np.ptp(widths[(groups == group) & inside]) < 1e-9
    assert not any(note.startswith((OFF, STRETCHED)) for note in answers.notes)


@pytest.mark.parametrize(
    ("mechanism", "workload", "says"),
    [
        ("privlearn(way=sieve)", CONJUNCTIONS, "thresholds or fourier"),
        ("privlearn(alpha=0)", CONJUNCTIONS, "alpha must be a share"),
        ("privlearn(alpha=0.0001)", CONJUNCTIONS, "alpha must be at least 0.001"),
        ("privlearn(gamma=2)", CONJUNCTIONS, "gamma must be a share"),
        ("privlearn(degree=0)", CONJUNCTIONS, "degree"),
        ("privlearn(degree=5)", CONJUNCTIONS, "6,885 products, and at most 2,000"),
        ("privlearn(delta=3)", CONJUNCTIONS, "privlearn takes way, alpha, gamma"),
        ("privlearn", "learned(language=all_of, width=3, learner=kernel)", "leave learner out"),
        ("privlearn", "marginals(width=2)", "cannot answer"),
    ],
)
def test_bad_options_are_refused_in_one_line(mechanism, workload, says):
    with pytest.raises(BadPlan, match=says) as error:
        planned(mechanism, workload)
    assert "\n" not in str(error.value)


def test_questions_of_other_numbers_are_refused_in_one_line():
    other = ht.Language(name="points", columns=NAMES, predicate=lambda q, row: (q * row).sum() > 4,
                        sampler=lambda random, count: random.integers(0, 5, (count, len(NAMES))))  # fmt: skip
    with pytest.raises(BadPlan, match="questions of zeros and ones") as error:
        planned("privlearn", ht.Learned(other, questions=100))
    assert "\n" not in str(error.value)


def test_it_is_run_by_name_and_its_options_are_part_of_the_plan():
    assert planned(None).design.mechanism == "learned"
    plan = planned("privlearn(alpha=0.1, degree=1)")
    assert "29 thresholds, each a polynomial of degree 1 in 17 products" in str(plan)
    assert plan.design.title == "privlearn(alpha=0.1, degree=1)"
    assert read_mechanism(plan.design.title) == plan.by
    assert plan.price == planned("learned").price


@pytest.mark.parametrize(
    "damage",
    [{"degree": 3}, {"count": 2}, {"cells": 5}, {"signs": 1}, {"stopped": 99}, {"degree": -1}, {"width": 10**9}],
    ids=str,
)
def test_a_file_whose_polynomials_do_not_fit_is_refused(damage):
    synopsis = released("privlearn(alpha=0.5, degree=1)")
    kept = synopsis.model.parameters()

    def read(given):
        return lengths_of(DOMAIN, given), read_fields(DOMAIN, given, synopsis.model.numbers())

    with pytest.raises(BadSynopsis):
        read(kept | {"polynomials": kept["polynomials"] | damage})
    assert read(kept)[1]["polynomials"].degree == 1

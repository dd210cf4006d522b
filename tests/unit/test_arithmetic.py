"""Arithmetic between answers: values, bars that know what is shared, notes, stamps and refusals."""

import math
import pickle

import numpy as np
import pytest

from hushtable.errors import BadQuestion
from hushtable.questions.answer import Answer
from hushtable.questions.arithmetic import NOWHERE, Errors, QuotientSide, Release, quotient_ends
from hushtable.questions.stamp import SIMULATED, stamped


def answer(value, stderr, *, question="q", release="one", parts=None, **more):
    named = None if release is None else Release(release)
    return Answer(question=question, unit=more.pop("unit", "fraction"), value=value, stderr=stderr, release=named,
                  parts=parts, **more)  # fmt: skip


def replicated(value, apart, *, question="q", release="one", beside=0.0):
    apart = np.asarray(apart, dtype=np.float64)
    parts = Errors(replicates={NOWHERE: apart}, single={(NOWHERE, question): beside})
    return answer(value, math.sqrt(parts.variance()), question=question, release=release, parts=parts)


def test_values_and_bars_of_multiples_and_constants():
    given = answer(0.25, 0.01, bias=0.002, kurtosis=3.0)
    for made, value, stderr, bias in (
        (-given, -0.25, 0.01, 0.002), (2 * given, 0.5, 0.02, 0.004), (given * 3, 0.75, 0.03, 0.006),
        (given / 2, 0.125, 0.005, 0.001), (given - 0.1, 0.15, 0.01, 0.002), (1 - given, 0.75, 0.01, 0.002),
        (0.5 + given, 0.75, 0.01, 0.002),
    ):  # fmt: skip
        assert (made.value, made.stderr, made.bias) == pytest.approx((value, stderr, bias))
        assert made.kurtosis == 3.0
        assert made.estimator == "computed"
        assert made.unit == "fraction"


def test_answers_of_different_releases_are_independent():
    made = answer(0.5, 0.03) - answer(0.2, 0.04, release="two")
    assert made.stderr == pytest.approx(0.05)
    assert any("different releases" in note for note in made.notes)


def test_without_a_joint_law_bars_of_one_release_are_added_and_say_so():
    made = answer(0.5, 0.03, question="a") - answer(0.2, 0.04, question="b")
    assert made.stderr == pytest.approx(0.07)
    assert any("their bars are added" in note for note in made.notes)
    nobody = answer(0.5, 0.03, question="a", release=None) + answer(0.2, 0.04, question="b", release=None)
    assert nobody.stderr == pytest.approx(0.07), "an answer of unknown release may be of any"


def test_the_same_answer_cancels():
    given = answer(0.5, 0.03)
    assert (given - given).stderr == 0.0
    assert (given - given).value == 0.0
    assert (given + given).stderr == pytest.approx(0.06)


def test_replicates_are_computed_with():
    one = replicated(0.5, [0.01, -0.01, 0.02, -0.02], question="a")
    other = replicated(0.3, [0.01, -0.01, 0.02, -0.02], question="b")
    assert (one - other).stderr == pytest.approx(0.0)
    assert (one + other).stderr == pytest.approx(2 * one.stderr)
    assert any("every replicate" in note for note in (one - other).notes)
    apart = replicated(0.5, [0.01, -0.01, 0.02, -0.02], question="a", beside=0.03)
    again = replicated(0.3, [0.01, -0.01, 0.02, -0.02], question="b", beside=0.04)
    assert (apart - again).stderr == pytest.approx(0.05), "what is beside the replicates is independent"
    both = (one - other) + answer(0.1, 0.02, question="c")
    assert both.stderr == pytest.approx(0.02)
    mixed = one + answer(0.1, 0.02, question="c")
    assert mixed.stderr == pytest.approx(one.stderr + 0.02), "an error of unknown make may go with the others"


def test_variances_of_sums_are_right_in_a_simulated_release():
    """Linear answers of 5 noises, 16 replicates each: (error / bar)^2 is 1 on the mean, within 6 of its own errors.

    16 replicates tell a variance without bias, so that mean squared errors over mean variances is 1; a scale that is 7%
    wrong gives 1.14 or 0.87.
    """
    g = np.random.default_rng(4)
    first, second = g.normal(size=5), g.normal(size=5)
    errors, variances = [], []
    for _ in range(20_000):
        noise, others = g.normal(size=5), g.normal(size=(16, 5))
        one, other = (Errors(replicates={"r": others @ c}, single={("r", "q"): 0.0}) for c in (first, second))
        errors.append(((first - 0.5 * second) @ noise) ** 2)
        variances.append(one.plus(other.times(-0.5)).variance())
    ratio = np.mean(errors) / np.mean(variances)
    allowed = (
        6 * math.hypot(np.std(errors) / np.mean(errors), np.std(variances) / np.mean(variances)) / math.sqrt(20_000)
    )
    assert allowed < 0.1
    assert abs(ratio - 1) < allowed
    assert abs(ratio * 1.07**2 - 1) > allowed
    assert abs(ratio / 1.07**2 - 1) > allowed


def test_ratios_have_the_ends_of_fieller():
    a, b, k = 0.3, 0.5, 1.959964
    top, below = (
        Errors(single={("r", "a"): 0.02, ("r", "x"): 0.01}),
        Errors(single={("r", "b"): 0.03, ("r", "x"): 0.01}),
    )
    aa, bb, ab = 0.02**2 + 0.01**2, 0.03**2 + 0.01**2, 0.01**2
    ends = np.sort(np.roots([b**2 - k**2 * bb, -2 * (a * b - k**2 * ab), a**2 - k**2 * aa]).real)
    assert quotient_ends(QuotientSide(a, 0.0, top), QuotientSide(b, 0.0, below), k) == pytest.approx(
        tuple(ends), rel=1e-9
    )
    assert quotient_ends(QuotientSide(a, 0.0, top), QuotientSide(0.05, 0.0, below), k) == (-math.inf, math.inf)
    low, high = quotient_ends(QuotientSide(a, 0.01, top), QuotientSide(b, 0.0, below), k)
    assert low < ends[0]
    assert high > ends[1]


def test_a_ratio_with_a_group_near_empty_is_unknown():
    made = answer(0.02, 0.01, question="a") / answer(0.02, 0.01, question="b")
    assert math.isnan(made.value)
    assert "unknown" in str(made)
    assert any("cannot be told from 0" in note for note in made.notes)
    assert made.to_dict()["value"] is None
    later = made - 0.5
    assert "unknown" in str(later)
    fine = answer(0.02, 0.001, question="a") / answer(0.2, 0.01, question="b")
    assert fine.unit == "number"
    low, high = fine.interval()
    assert low < fine.value < high


def test_ratios_can_be_computed_with():
    one = replicated(0.2, [0.01, -0.01], question="a") / replicated(0.5, [0.02, -0.02], question="b")
    other = replicated(0.1, [0.01, -0.01], question="c") / replicated(0.5, [0.02, -0.02], question="d")
    apart = np.array([(0.01 - 0.4 * 0.02) / 0.5 - (0.01 - 0.2 * 0.02) / 0.5])
    assert (one - other).stderr == pytest.approx(abs(apart[0]))
    assert (one - other).value == pytest.approx(0.2)


def test_notes_and_the_stamp_go_on():
    given = stamped(answer(0.5, 0.03, notes=("some remark",)))
    made = given - answer(
        0.2, 0.04, question="b", notes=("another remark", "some remark", "below its noise: it may be 0")
    )
    assert made.not_private
    assert made.notes[0] == SIMULATED
    assert made.notes.count("some remark") == 1
    assert "another remark" in made.notes
    assert not any(note.startswith("below its noise") for note in made.notes)
    assert str(made).startswith(SIMULATED)
    assert not (answer(0.5, 0.03) / 2).not_private


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda a: a - answer(100, 3, unit="count"), "one answer is a fraction and the other a count"),
        (lambda a: a + "1", "not str"),
        (lambda a: a * math.nan, "finite"),
        (lambda a: a / 0, "divided by 0"),
        (lambda a: a + True, "not bool"),
    ],
)
def test_bad_input_says_what_to_do(work, words):
    with pytest.raises(BadQuestion, match=words):
        work(answer(0.5, 0.01))


def test_answers_are_small_when_pickled_and_know_their_release():
    class Large:
        digest, body = "abc", b"x" * 1_000_000

    given = Answer(question="q", unit="fraction", value=0.5, stderr=0.01, release=Release(Large()))
    text = pickle.dumps(given)
    assert len(text) < 10_000
    assert (pickle.loads(text) - given).stderr == 0.0

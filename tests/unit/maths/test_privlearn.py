"""The published route: oracle, aggregation, linear programs, low degrees, and polynomials of every width."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from hushtable.errors import BadQuestion
from hushtable.maths.learning.and_polynomials import best_and, degree_of, printed_and, threshold_margin
from hushtable.maths.learning.low_degree import LowDegree
from hushtable.maths.learning.polynomial_predictor import counted_thresholds
from hushtable.maths.learning.privlearn import PrivLearn, separating_polynomial, thresholds
from hushtable.maths.learning.products import QuestionBits, degree_for, number_of_products, products_of
from hushtable.maths.learning.rank_trees import decision_list, rank_bound, rank_tree, tree_threshold
from hushtable.maths.learning.threshold_oracle import UNKNOWN, ThresholdOracle, labels


def every(d):
    return (np.arange(1 << d)[:, None] >> np.arange(d)) & 1


def table(seed, n, d, share=0.5):
    return (np.random.default_rng(seed).random((n, d)) < share).astype(np.int64)


def holding(rows, questions):
    """In how many rows all columns asked about are one."""
    return (questions @ (1 - rows).T == 0).sum(axis=1)


# The oracle


def test_the_oracle_counts_different_questions_and_not_calls():
    drawn = []

    def answer(question):
        drawn.append(tuple(question))
        return 0.5 + 0.001 * len(drawn)

    oracle = ThresholdOracle(answer, most=2, tolerance=0.03)
    first, second, third = (np.array([i]) for i in range(3))
    assert len({oracle.noisy(first) for _ in range(5)}) == 1
    assert [oracle.label(first, t) for t in (0.1, 0.9, 0.5)] == [1, 0, UNKNOWN]
    oracle.label(second, 0.5)
    assert (oracle.spent, len(drawn)) == (2, 2)
    with pytest.raises(BadQuestion, match="2 different questions") as error:
        oracle.label(third, 0.5)
    assert "\n" not in str(error.value)
    assert (oracle.spent, len(drawn)) == (2, 2)
    assert oracle.label(first, 0.1) == 1


def test_labels_are_true_and_unknown_ones_are_near():
    """Where no noise is above a third of the tolerance [Har11, Lemma 7.3.3]; a little more noise and it is not so."""
    random, tolerance = np.random.default_rng(1), 0.06
    exact = random.random(20_000)
    for factor, holds in ((1.0, True), (4.0, False)):
        noise = random.uniform(-1, 1, len(exact)) * factor * tolerance / 3
        said = labels(exact + noise, 0.4, tolerance)
        known = said != UNKNOWN
        assert np.array_equal(said[known] == 1, exact[known] >= 0.4) == holds
        assert (np.abs(exact[~known] - 0.4) < tolerance).all() == holds


# From thresholds to answers


@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.3, 0.7, 1.0])
def test_counted_thresholds_are_right_to_half_a_cell(alpha):
    exact, cells = np.linspace(0, 1, 10_001), thresholds(alpha)
    passed = exact[:, None] >= np.arange(1, cells) / cells
    assert np.abs(counted_thresholds(passed, cells) - exact).max() <= 0.5 / cells + 1e-12
    wrong = passed.copy()
    nearest = np.abs(exact[:, None] - np.arange(1, cells) / cells).argmin(axis=1)
    wrong[np.arange(len(exact)), nearest] ^= True
    assert 1 / cells < np.abs(counted_thresholds(wrong, cells) - exact).max() <= 1.5 / cells + 1e-12
    assert 1.5 / cells <= 0.75 * alpha + 1e-12 or alpha > 0.7
    assert 2 * alpha / 7 < 1 / cells  # at most one threshold is within alpha / 7 of an answer


def test_a_polynomial_separates_what_can_be_separated():
    questions = every(6) == 1
    said = products_of(questions, 2)
    above = questions[:, 0] & questions[:, 1] | questions[:, 5]
    assert np.array_equal(said @ separating_polynomial(said, above) >= 0, above)
    parity = questions.sum(axis=1) % 2 == 1
    assert not np.array_equal(said @ separating_polynomial(said, parity) >= 0, parity)
    for constant in (True, False):
        same = np.full(len(questions), constant)
        assert np.array_equal(said @ separating_polynomial(said, same) >= 0, same)


def test_privlearn_is_accurate_and_stops_where_all_answers_are_the_same():
    rows = table(1, 500, 10, 0.7)
    questions = np.array([[i in chosen for i in range(10)] for chosen in combinations(range(10), 3)]).astype(np.int64)
    exact = holding(rows, questions) / 500
    fitted = PrivLearn(QuestionBits(), 2, 0.05).fit(questions, exact, 0.0)
    assert (np.abs(fitted.predict(questions) - exact) > 0.05).mean() <= 0.1
    assert fitted.stopped is None
    flat = PrivLearn(QuestionBits(), 2, 0.05).fit(questions, np.full(len(questions), 0.5), 0.0)
    assert flat.stopped == 30
    assert np.array_equal(flat.predict(questions[:3]), [0.5] * 3)
    assert "nearly all bought answers are near" in flat.told


def test_low_degree_learning_finds_a_polynomial_of_low_degree_and_no_other():
    questions = np.random.default_rng(1).permutation(every(8))
    signs = 1 - 2 * questions
    low = 0.5 + 0.2 * signs[:, 0] * signs[:, 3] - 0.1 * signs[:, 7]
    high = 0.5 + 0.3 * signs[:, :6].prod(axis=1)
    for exact, learned in ((low, True), (high, False)):
        found = LowDegree(QuestionBits(), 2).fit(questions[:160], exact[:160], 0.0).predict(questions)
        assert (np.abs(found - exact).max() < 0.02) == learned


def test_products_are_all_sets_of_up_to_so_many():
    bits = every(5) == 1
    made = products_of(bits, 3)
    assert made.shape == (32, number_of_products(5, 3)) == (32, 1 + 5 + 10 + 10)
    assert np.array_equal(made[:, -1], bits[:, [2, 3, 4]].all(axis=1))
    signs = products_of(bits, 5, signs=True)
    assert np.array_equal(signs.T @ signs, 32 * np.eye(32))
    assert [degree_for(16, None), degree_for(16, 3), degree_for(32, 9), degree_for(1000, None)] == [3, 2, 2, 1]


# Polynomials of few and of all columns [Har11, section 7.4.1]


@pytest.mark.parametrize("width", [1, 2, 5, 9, 20])
@pytest.mark.parametrize("worst", [Fraction(1, 6), Fraction(1, 300)], ids=str)
def test_and_polynomials_are_what_the_claim_says(width, worst):
    for made in (best_and(width, worst), printed_and(width, worst)):
        assert made.values[-1] == 1
        assert made.worst <= worst
    least = best_and(width, worst).degree
    assert least <= min(width, printed_and(width, worst).degree)
    # Finite differences beyond the degree of a polynomial are 0.
    rest = list(best_and(width, worst).values)
    for _ in range(least + 1):
        rest = [b - a for a, b in pairwise(rest)]
    assert not any(rest)


def test_the_sign_is_the_threshold_on_questions_of_few_columns():
    rows, width = table(2, 12, 8), 4
    questions = every(8)
    few = questions[questions.sum(axis=1) <= width]
    good, bad = best_and(width, Fraction(1, 36)), best_and(width, Fraction(2, 3))
    right = [np.array_equal([v >= 0 for v in threshold_margin(rows, 3, p, few)], holding(rows, few) >= 3)
             for p in (good, bad)]  # fmt: skip
    assert right == [True, False]
    with pytest.raises(ValueError, match="the polynomial is for 4"):
        threshold_margin(rows, 3, good, questions)


@pytest.mark.parametrize(("d", "n", "width"), [(8, 30, 2), (10, 60, 3), (12, 60, 4)])
def test_trees_have_the_rank_and_the_leaves_of_the_lemma(d, n, width):
    rows = table(3, n, d, 0.4)
    tree = rank_tree(rows, width)
    rules = decision_list(tree)
    assert 1 <= tree.rank <= rank_bound(d, width, n)
    assert max(len(rule.when) for rule in rules) <= tree.rank
    for rule in rules:
        own = 1 - rows[list(rule.leaf.rows)]
        own[:, list(rule.leaf.closed)] = 0
        assert own.sum(axis=1).max(initial=0) <= width


@pytest.mark.parametrize(("d", "n", "width", "seed"), [(6, 8, 2, 0), (7, 12, 3, 1), (8, 20, 2, 2)])
@pytest.mark.parametrize("count", [1, 3])
def test_one_polynomial_is_the_threshold_at_every_question(d, n, width, seed, count):
    """Lemma 7.4.9, in fractions: signs at all 2^d questions, and the degree of the polynomial that has them."""
    rows, questions = table(seed, n, d), every(d)
    made = tree_threshold(rows, count, width)
    values = made.values(questions)
    assert np.array_equal([value >= 0 for value in values], holding(rows, questions) >= count)
    assert degree_of(values) <= made.degree <= made.rank + made.polynomial.degree < d + made.rank


def test_the_degree_of_a_table_of_values_is_seen():
    questions = every(4)
    assert degree_of([Fraction(int(q[0] * q[2] * q[3])) for q in questions]) == 3
    assert degree_of([Fraction(int(q.sum() % 2)) for q in questions]) == 4
    assert degree_of([Fraction(7)] * 16) == 0
    assert sum(comb(4, k) for k in range(3)) == number_of_products(4, 2)

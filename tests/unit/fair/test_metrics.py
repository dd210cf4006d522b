"""Metrics: what is kept of them, what is refused, and how they are built, adjusted and measured."""

import numpy as np
import pytest
from fairness import random_metric, scored

from hushtable import fair
from hushtable.errors import BadPolicy, HushError

SQUARE = [[0, 1], [1, 0]]
LOSS = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[0, np.nan], [np.nan, 0]], "2 entries that are not numbers"),
        ([[0, -1], [-1, 0]], "a distance is -1"),
        ([[0, 1], [2, 0]], "not symmetric: types 0 and 1 are 1 apart one way and 2 the other"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([[0, 1, 2], [1, 0, 2]], "square"),
    ],
)
def test_a_matrix_that_is_no_metric_is_refused(given, words):
    with pytest.raises(BadPolicy, match=words):
        fair.metric_from_matrix(given)


def test_longer_ways_are_replaced_by_shorter_ones_and_said():
    metric = fair.metric_from_matrix([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    assert metric.matrix[0, 2] == 2
    assert metric.shrunk == pytest.approx(1 / 3)
    assert "33%" in metric.notes[0]
    assert not fair.metric_from_matrix(random_metric(np.random.default_rng(1), 20)).notes


def test_closing_keeps_zeros_and_infinities():
    metric = fair.metric_from_matrix([[0, 0, np.inf], [0, 0, 5], [np.inf, 5, 0]])
    assert metric.matrix[0, 1] == 0
    assert metric.matrix[0, 2] == 5
    apart = fair.metric_from_matrix([[0, np.inf], [np.inf, 0]])
    assert np.isinf(apart.matrix[0, 1])


def test_the_scale_of_points_is_the_median_unless_said():
    points, _ = scored(101, 2)
    metric = fair.metric_from_points(points)
    upper = metric.matrix[np.triu_indices(101, 1)]
    assert np.mean(upper < 1) == pytest.approx(0.5, abs=0.01)
    assert "median" in metric.notes[0]
    assert fair.metric_from_points(points, 3.0).scale == 3.0


def test_a_graph_is_its_shortest_paths():
    points, _ = scored(60, 2)
    graph = fair.knn_metric(points, 5, 2.0)
    assert (graph.matrix >= fair.metric_from_points(points, 2.0).matrix - 1e-12).all()
    line = fair.metric_from_edges(4, [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 1.0), (1, 0, 5.0)])
    np.testing.assert_allclose(line.matrix[0], [0, 1, 3, 4])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fair.solve(LOSS, SQUARE), "public=True"),
        (lambda: fair.solve([[0], [1]], SQUARE, public=True), "at least two"),
        (lambda: fair.solve([[0, 1]], SQUARE, public=True), "2 types"),
        (lambda: fair.solve([[0, np.inf], [0, 1]], SQUARE, public=True), "1 entries that are not finite"),
        (lambda: fair.solve([["a", "b"]], SQUARE, public=True), "table of numbers"),
        (lambda: fair.solve(LOSS, SQUARE, [1], public=True), "one number for each"),
        (lambda: fair.solve(LOSS, SQUARE, [-1, 1], public=True), "at least 0"),
        (lambda: fair.solve(LOSS, SQUARE, [0, 0], public=True), "all 0"),
        (lambda: fair.solve(LOSS, SQUARE, divergence="kl", public=True), "no divergence 'kl'"),
        (lambda: fair.solve(LOSS, SQUARE, method="lpp", public=True), "Did you mean 'lp'"),
        (lambda: fair.solve(LOSS, SQUARE, groups={"S": [1, 0], "T": [0, 0]}, public=True), "'T' is empty"),
        (lambda: fair.solve(LOSS, SQUARE, groups={"S": [1, 0]}, public=True), "at least two"),
        (lambda: fair.solve(LOSS, SQUARE, parity=0.1, public=True), "give groups"),
        (lambda: fair.solve(LOSS, SQUARE, groups={"S": [1, 0], "T": [0, 1]}, parity=2, public=True), "from 0 to 1"),
        (lambda: fair.solve(LOSS, SQUARE, groups={"S": [1, 0], "T": [0, 1]}, cross=0.1, public=True), "parity bound"),
        (
            lambda: fair.solve(
                LOSS, SQUARE, groups={"S": [1, 0], "T": [0, 1]}, parity=0, cross=1, penalty=1, public=True
            ),
            "give one of them",
        ),
        (
            lambda: fair.solve(
                LOSS, SQUARE, divergence="inf", groups={"S": [1, 0], "T": [0, 1]}, parity=0, cross=0.1, public=True
            ),
            "total variation",
        ),
        (
            lambda: fair.solve(LOSS, SQUARE, groups={"S": [1, 0], "T": [0, 1]}, protected="U", public=True),
            "no group 'U'",
        ),
        (lambda: fair.solve(LOSS, SQUARE, actions=["a"], public=True), "1 names of actions"),
        (lambda: fair.solve(LOSS, SQUARE, groups="sex", public=True), "released types"),
        (lambda: fair.solve(LOSS, SQUARE, tol=0, public=True), "above 0"),
        (lambda: fair.solve(LOSS, SQUARE, net=-1, public=True), "radius"),
        (lambda: fair.metric_from_points([[np.nan]]), "finite"),
        (lambda: fair.metric_from_points([[1.0]], 0), "above 0"),
        (lambda: fair.knn_metric([[0.0], [1.0]], 5), "from 1 to 1"),
        (lambda: fair.metric_from_edges(2, [(0, 5, 1.0)]), "numbered from 0 to 1"),
        (lambda: fair.metric_from_edges(2, [(0, 1, -1.0)]), "above 0"),
        (lambda: fair.exponential(SQUARE, c=-1), "above 0"),
        (lambda: fair.exponential([[0, np.inf], [np.inf, 0]]), "finite"),
        (lambda: fair.worst_bias(SQUARE, [0, 0], [1, 0]), "all 0"),
        (lambda: fair.adjust_metric([[0, np.inf], [np.inf, 0]], [1, 0], [0, 1], 0.1), "infinite"),
        (lambda: fair.adjust_metric(SQUARE, [1, 0], [0, 1], -1), "at least 0"),
        (lambda: fair.metric_from_labels([[0.0], [1.0]], []), "no judgements"),
        (lambda: fair.metric_from_labels([[0.0], [1.0]], [(0, 1, "alyke")]), "Did you mean 'alike'"),
        (lambda: fair.metric_from_labels([[0.0], [1.0]], [(0, 0, "alike")]), "two of 0 to 1"),
        (lambda: fair.metric_from_labels([[0.0], [1.0]], [(0, 1, "alike")]), "judge some different"),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(call, words):
    with pytest.raises(HushError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_private_numbers_are_refused_wherever_they_come_in():
    loss, metric = np.array(LOSS), fair.metric_from_matrix(SQUARE, declared=True)
    with pytest.raises(BadPolicy, match="a loss given as numbers"):
        fair.solve(loss, metric)
    assert fair.solve(loss, metric, public=True).loss >= 0


def test_the_exponential_mechanism_with_half_the_distance_is_always_fair():
    for seed in range(200):
        g = np.random.default_rng(seed)
        made = fair.exponential(random_metric(g, 12) * g.choice([0.5, 2, 8]), c=0.5)
        assert made.ratio <= 1 + 1e-9


def test_the_exponential_mechanism_as_printed_is_not_fair():
    """A cluster and one far away: the normaliser changes by as much as the numerator."""
    place = np.concatenate([np.linspace(0, 0.01, 100), [3.0]])
    line = np.abs(place[:, None] - place)
    assert fair.exponential(line, c=1.0).ratio > 1.9
    assert fair.exponential(line, c=0.5).ratio <= 1
    calibrated = fair.exponential(line)
    assert 0.5 <= calibrated.c < 1
    assert calibrated.ratio <= 1


def test_a_calibrated_mechanism_loses_less_than_half_the_distance():
    points = np.random.default_rng(1).random((200, 2)) * 10
    metric = fair.metric_from_points(points, 1.0)
    best, half = fair.exponential(metric), fair.exponential(metric, c=0.5)
    assert best.c > 0.52
    assert best.loss < half.loss
    assert best.ratio <= 1 + 1e-9
    np.testing.assert_allclose(best.odds.sum(axis=1), 1)


def test_an_adjusted_metric_is_a_metric_as_near_as_asked():
    g = np.random.default_rng(2)
    points = np.concatenate([g.normal(size=(12, 2)), g.normal(size=(18, 2)) + 1.5])
    s = np.arange(30) < 12
    before = fair.metric_from_points(points, 2.0)
    made = fair.adjust_metric(before, s.astype(float), (~s).astype(float), 0.4)
    d = made.metric.matrix
    assert made.before > 0.4 >= made.earthmover - 1e-7
    assert (d <= before.matrix + 1e-9).all()
    assert min((d[:, [z]] + d[[z], :] - d).min() for z in range(30)) >= -1e-7
    assert made.brought_together
    x, y, was, now = made.brought_together[0]
    assert was > now == d[x, y]
    assert len(made.brought_together) == int((np.triu(before.matrix - d, 1) > 1e-9).sum())
    # Scaling everything down would do as well, and changes much more.
    scaled = (before.matrix * (1 - 0.4 / made.before)).sum() / 2
    assert made.change < 0.9 * scaled
    assert fair.adjust_metric(before, s.astype(float), (~s).astype(float), 9.0).change == 0


def test_judgements_find_the_column_that_counts_and_report_disagreement():
    g = np.random.default_rng(4)
    points = g.random((40, 3))
    pairs = [(int(a), int(b)) for a, b in g.integers(0, 40, size=(60, 2)) if a != b]
    true = [float(2 * abs(points[a, 0] - points[b, 0])) for a, b in pairs]
    made = fair.metric_from_labels(points, [(a, b, d) for (a, b), d in zip(pairs, true, strict=True)])
    np.testing.assert_allclose(made.weights, [2, 0, 0], atol=1e-6)
    assert made.disagreement < 1e-6
    assert not made.contradicted
    wrong = [(a, b, d if i % 10 else 1.9) for i, ((a, b), d) in enumerate(zip(pairs, true, strict=True))]
    moved = fair.metric_from_labels(points, wrong)
    np.testing.assert_allclose(moved.weights, [2, 0, 0], atol=0.2)
    assert 0 < moved.disagreement < 0.2
    assert all(number % 10 == 0 for number, _, _ in moved.contradicted)
    assert moved.contradicted


def test_the_doubling_dimension_grows_with_the_dimension_of_space():
    g = np.random.default_rng(6)
    found = [fair.doubling_dimension(fair.metric_from_points(g.random((150, k)), 1.0)) for k in (1, 2, 4)]
    assert all(one.lower <= one.upper for one in found)
    assert [one.upper for one in found] == sorted(one.upper for one in found)
    assert found[0].upper <= 2 < found[2].upper
    assert fair.doubling_dimension(np.zeros((3, 3))).upper == 0
    # All at distance 1 from each other: one ball of radius 1 holds all, and each needs its own of radius 1/2.
    assert fair.doubling_dimension(1 - np.eye(16)).upper == 4

"""Groups: parity, preferential treatment, the worst bias that a metric allows, and the earthmover distance."""

from itertools import pairwise

import numpy as np
import pytest
from fairness import check, random_metric, scored

from hushtable import fair
from hushtable.fair.bias import bias_by_program
from hushtable.fair.metric import metric_from_matrix
from hushtable.fair.summary import between_groups, summary


def credit():
    """A small vendor: members of S have lower scores, and the metric sees only a part of why."""
    g = np.random.default_rng(3)
    points = g.normal(size=(60, 2))
    protected = np.arange(60) < 20
    points[protected] -= 0.6
    rate = 1 / (1 + np.exp(-points @ [1.0, 1.0] + 0.8 * protected))
    return np.column_stack([rate, 1 - rate]), fair.metric_from_points(points, 2.0), {"S": protected, "T": ~protected}


@pytest.mark.parametrize("seed", range(50))
def test_the_worst_bias_is_the_earthmover_distance_cut_off_at_1(seed):
    """Also for metrics beyond 1, where the source's theorem does not go: by transport and by the program."""
    g = np.random.default_rng(seed)
    distances = random_metric(g, 14) * g.choice([0.5, 1.0, 3.0])
    s, t = g.dirichlet(np.ones(14)), g.dirichlet(np.ones(14))
    metric = metric_from_matrix(distances)
    carried = fair.earthmover(np.minimum(distances, 1.0), s, t)
    assert fair.worst_bias(metric, s, t) == pytest.approx(carried, abs=1e-6)
    assert bias_by_program(metric, s - t, "tv") == pytest.approx(carried, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_ratios_allow_at_most_the_earthmover_distance_of_the_hyperbolic_tangent(seed):
    g = np.random.default_rng(seed)
    distances = random_metric(g, 12) * 2
    s, t = g.dirichlet(np.ones(12)), g.dirichlet(np.ones(12))
    exact = fair.worst_bias(distances, s, t, "inf")
    tangent = fair.earthmover(np.tanh(distances / 2), s, t)
    assert exact <= tangent + 1e-7 <= fair.earthmover(1 - np.exp(-distances), s, t) + 2e-7
    assert fair.earthmover(1 - np.exp(-distances), s, t) <= fair.earthmover(distances, s, t) + 1e-9


def test_two_points_reach_the_hyperbolic_tangent():
    for distance in (0.1, 1.0, 3.0):
        d = [[0, distance], [distance, 0]]
        assert fair.worst_bias(d, [1, 0], [0, 1], "inf") == pytest.approx(np.tanh(distance / 2), abs=1e-6)


@pytest.mark.parametrize("divergence", ["tv", "inf"])
def test_no_rule_is_more_biased_than_the_worst(divergence):
    g = np.random.default_rng(5)
    distances = random_metric(g, 12)
    s, t = g.dirichlet(np.ones(12)), g.dirichlet(np.ones(12))
    worst = fair.worst_bias(distances, s, t, divergence)
    biases = []
    for _ in range(100):
        loss = g.normal(size=(12, 3)) + (s - t)[:, None] * g.normal(size=3) * 20
        rule = fair.solve(loss, distances, None, divergence, {"S": s, "T": t}, public=True)
        biases.append(rule.bias("S", "T"))
    assert max(biases) <= worst + 1e-6
    assert max(biases) > 0.5 * worst


def test_the_earthmover_distance_of_a_line_is_the_distance_between_distribution_functions():
    g = np.random.default_rng(1)
    place = np.sort(g.random(30))
    s, t = g.dirichlet(np.ones(30)), g.dirichlet(np.ones(30))
    by_functions = np.abs(np.cumsum(s - t)[:-1]) @ np.diff(place)
    assert fair.earthmover(np.abs(place[:, None] - place), s, t) == pytest.approx(by_functions, abs=1e-9)


def test_equal_groups_are_0_apart_and_unreachable_ones_infinitely_far():
    assert fair.earthmover([[0, 1], [1, 0]], [1, 1], [2, 2]) == 0.0
    assert fair.worst_bias([[0, 1], [1, 0]], [1, 1], [1, 1]) == 0.0
    assert fair.earthmover([[0, np.inf], [np.inf, 0]], [1, 0], [0, 1]) == np.inf
    assert fair.worst_bias([[0, np.inf], [np.inf, 0]], [1, 0], [0, 1]) == pytest.approx(1.0)


@pytest.mark.parametrize("divergence", ["tv", "inf"])
@pytest.mark.parametrize("parity", [0.0, 0.01, 0.1])
def test_parity_holds_and_costs_more_the_stricter_it_is(divergence, parity):
    loss, metric, groups = credit()
    plain = fair.solve(loss, metric, divergence=divergence, groups=groups, public=True)
    rule = fair.solve(loss, metric, divergence=divergence, groups=groups, parity=parity, public=True)
    check(rule)
    assert rule.bias("S", "T") <= parity + 1e-9
    assert rule.loss >= plain.loss - 1e-4


def test_parity_of_three_actions_and_three_groups():
    points, loss = scored(45, 3)
    groups = {str(i): (np.arange(45) % 3) == i for i in range(3)}
    rule = fair.solve(loss, fair.metric_from_points(points, 3.0), groups=groups, parity=0.02, public=True)
    check(rule)
    assert max(rule.bias(a, b) for a in groups for b in groups) <= 0.02 + 1e-9


def test_groups_that_overlap_may_have_parity_but_no_preference():
    loss, metric, groups = credit()
    groups["T"] = np.ones(60, dtype=bool)
    assert fair.solve(loss, metric, groups=groups, parity=0.05, public=True).bias("S", "T") <= 0.05 + 1e-9
    with pytest.raises(Exception, match="20 types are in 'S' and in 'T'"):
        fair.solve(loss, metric, groups=groups, parity=0.05, cross=0.1, public=True)


def test_slack_between_groups_buys_loss_and_is_kept():
    loss, metric, groups = credit()

    def solved(**more):
        return fair.solve(loss, metric, groups=groups, parity=0.01, public=True, **more)

    limits = (0.0, 0.02, 0.05, 0.1)
    rules = [solved(cross=limit) for limit in limits] + [solved(cross=np.inf)]
    losses = [rule.loss for rule in rules]
    assert all(a >= b - 1e-6 for a, b in pairwise(losses))
    assert losses[0] - losses[-1] > 0.01
    for rule, limit in zip(rules, limits, strict=False):
        assert between_groups(rule, "S", "T")[0] <= limit + 1e-6
        assert rule.bias("S", "T") <= 0.01 + 1e-9
    for rule in rules:
        check_inside(rule)
    assert "wrong" in rules[-1].report()
    # A penalty walks along the same frontier: no limit does better at its slack.
    priced = solved(penalty=0.1)
    assert priced.loss == pytest.approx(solved(cross=between_groups(priced, "S", "T")[0]).loss, abs=1e-4)


def test_dropping_pairs_of_a_graph_keeps_paths_through_the_other_group():
    """Two members of S whose only path goes through T are still compared, at the length of that path."""
    graph = fair.metric_from_edges(3, [(0, 1, 0.1), (1, 2, 0.1)])
    groups = {"S": [True, False, True], "T": [False, True, False]}
    for more in ({"cross": np.inf}, {"cross": 0.5}, {"penalty": 0.01}, {"method": "earthmover"}):
        rule = fair.solve([[0, 1], [1, 0], [1, 0]], graph, groups=groups, parity=1.0, public=True, **more)
        assert abs(rule.odds[0, 1] - rule.odds[2, 1]) <= 0.2 + 1e-9


def test_groups_with_the_same_members_are_said():
    rule = fair.solve([[0, 1], [1, 0]], [[0, 0.5], [0.5, 0]], groups={"S": [1, 2], "T": [2, 4]}, public=True)
    assert rule.bias("S", "T") == 0
    assert "'S' and 'T' have the same members" in rule.report()


def check_inside(rule):
    """Fair inside each group."""
    for members in rule.groups.values():
        inside = np.flatnonzero(members > 0)
        odds = rule.odds[inside]
        apart = np.abs(odds[:, None] - odds[None]).sum(axis=2) / 2
        assert (apart - rule.metric.matrix[np.ix_(inside, inside)]).max() <= 1e-9


@pytest.mark.parametrize("divergence", ["tv", "inf"])
def test_two_steps_have_parity_and_keep_both_groups_fair_inside(divergence):
    loss, metric, groups = credit()
    rule = fair.solve(loss, metric, divergence=divergence, groups=groups, parity=0.0, method="earthmover", public=True)
    assert rule.bias("S", "T") < 1e-6
    if divergence == "tv":
        check_inside(rule)
        assert between_groups(rule, "S", "T")[0] <= rule.parameters["carried"] + 1e-6
    one = fair.solve(loss, metric, groups=groups, parity=0.01, penalty=0.1, public=True)
    assert divergence == "inf" or one.loss < rule.loss


def test_what_a_decision_tells_is_not_bounded_by_parity():
    """The source's second half of Proposition 8.3.2: parity of 0.01 with an outcome that only one group ever gets."""
    rule = fair.solve(
        [[0, 1], [1, 0]], [[0, 0.01], [0.01, 0]], groups={"S": [1, 0], "T": [0, 1]}, public=True, tol=1e-9
    )
    rule.odds[:] = [[1.0, 0.0], [0.99, 0.01]]
    compared = summary(rule)["compared"][0]
    assert compared["bias"] == pytest.approx(0.01)
    assert compared["tells"]["yes"] == 1.0

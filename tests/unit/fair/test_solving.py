"""Solving: cuts and the whole program agree, every rule is fair to every pair, and bounds are bounds."""

import numpy as np
import pytest
from fairness import check, largest_excess, random_metric, scored

from hushtable import fair
from hushtable.fair import program

# The optimum of the generator's cases, by the whole program.
OPTIMA = {2: 0.92482, 3: 0.70895, 5: 0.69116}


@pytest.mark.parametrize("actions", OPTIMA)
def test_cuts_and_the_whole_program_have_the_same_optimum(actions):
    points, loss = scored(100, actions)
    metric = fair.metric_from_points(points, 4.0)
    cuts = fair.solve(loss, metric, public=True, tol=1e-7)
    whole = fair.solve(loss, metric, public=True, every_pair=True)
    assert cuts.loss == pytest.approx(OPTIMA[actions], abs=6e-6)
    assert abs(cuts.loss - whole.loss) < 1e-6
    assert cuts.solution.rows < whole.solution.rows / 4
    check(cuts)
    check(whole)


@pytest.mark.parametrize("divergence", ["tv", "inf"])
@pytest.mark.parametrize("actions", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_every_rule_is_fair_to_every_pair_and_near_its_bound(divergence, actions, seed):
    g = np.random.default_rng(seed)
    distances, loss = random_metric(g, 25), g.normal(size=(25, actions))
    weights = g.gamma(1.0, size=25) * (g.random(25) < 0.8)
    rule = fair.solve(loss, distances, weights, divergence, public=True)
    check(rule)
    if divergence == "tv":
        assert (rule.odds.sum(axis=1) == 1).all()
    assert rule.solution.gap < 2e-3 * np.ptp(loss)
    assert rule.solution.free_loss <= rule.loss <= rule.solution.constant_loss + 1e-12


def test_the_excess_is_seen_when_a_pair_is_too_far_apart():
    """The check of every rule can fail."""
    rule = fair.solve([[0, 1], [1, 0]], [[0, 0.5], [0.5, 0]], public=True)
    check(rule)
    rule.odds[0] = [1, 0]
    rule.odds[1] = [0.49, 0.51]
    assert largest_excess(rule) == pytest.approx(0.01)


def test_the_bound_holds_whatever_the_solver_says(monkeypatch):
    """Weak duality: prices that are quite wrong still give a number that no fair rule goes below."""
    points, loss = scored(40, 3)
    metric = fair.metric_from_points(points, 4.0)
    exact = fair.solve(loss, metric, public=True, tol=1e-7).loss
    honest = program.Program._certified

    def spoilt(self, rows, bound, prices):
        return honest(self, rows, bound, prices * np.linspace(0.5, 1.6, len(prices)))

    monkeypatch.setattr(program.Program, "_certified", spoilt)
    assert fair.solve(loss, metric, public=True, tol=1e-7).solution.bound <= exact + 1e-9


@pytest.mark.parametrize(("epsilon", "optimum", "plain"), [(0.5, 1.654696, 1.686793), (1.0, 0.786816, None)])
def test_ratios_give_the_optimal_private_mechanism(epsilon, optimum, plain):
    """Counts from 0 to 20 that may change by one: the truncated geometric mechanism, remapped, is the best there is."""
    counts = np.arange(21)
    loss = np.abs(counts[:, None] - counts[None, :])
    edges = [(i, i + 1, epsilon) for i in range(20)]
    rule = fair.solve(loss, fair.metric_from_edges(21, edges), divergence="inf", public=True, tol=1e-7)
    assert rule.loss == pytest.approx(optimum, abs=1e-6)
    assert largest_excess(rule) <= 1e-9
    # Distances beyond 12 are cut to 12, which costs less than 1e-5 of the range of the loss, here 20.
    dense = fair.solve(loss, epsilon * loss, divergence="inf", public=True, tol=1e-7)
    assert optimum - 1e-6 <= dense.loss <= optimum + 20e-5
    if 20 * epsilon <= 12:
        assert dense.loss == pytest.approx(optimum, abs=1e-6)
    if plain is not None:
        assert _truncated_geometric(epsilon) == pytest.approx(plain, abs=1e-6)


def _truncated_geometric(epsilon):
    """Mean absolute error of the geometric mechanism whose answers below 0 and above 20 become 0 and 20."""
    ratio = np.exp(-epsilon)
    noise = np.arange(-400, 401)
    chance = (1 - ratio) / (1 + ratio) * ratio ** np.abs(noise)
    return float(np.mean([np.abs(np.clip(i + noise, 0, 20) - i) @ chance for i in range(21)]))


@pytest.mark.parametrize("divergence", ["tv", "inf"])
def test_merging_outcomes_keeps_a_rule_fair(divergence):
    points, loss = scored(40, 4)
    rule = fair.solve(loss, fair.metric_from_points(points, 4.0), divergence=divergence, public=True)
    for parts in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 2]):
        merged = np.stack([rule.odds[:, np.array(parts) == part].sum(axis=1) for part in range(max(parts) + 1)], axis=1)
        kept = fair.FairRule(
            odds=merged, loss_table=merged, weights=rule.weights, metric=rule.metric, divergence=divergence,
            actions=tuple(map(str, range(merged.shape[1]))), solution=rule.solution,
        )  # fmt: skip
        assert largest_excess(kept) <= 1e-9


def test_graphs_are_fair_along_every_path():
    points, loss = scored(300, 2)
    rule = fair.solve(loss, fair.knn_metric(points, 8, 4.0), public=True)
    check(rule)
    few = fair.solve(loss, fair.knn_metric(points, 299, 4.0), public=True, tol=1e-7)
    whole = fair.solve(loss, fair.metric_from_points(points, 4.0), public=True, tol=1e-7)
    assert few.loss == pytest.approx(whole.loss, abs=1e-6)


def test_distance_0_for_all_is_the_best_constant_rule():
    loss = np.array([[0.0, 1.0], [0.2, 0.1], [0.9, 0.3]])
    rule = fair.solve(loss, np.zeros((3, 3)), [0.5, 0.25, 0.25], public=True)
    assert rule.loss == pytest.approx(rule.solution.constant_loss)
    assert (rule.odds == rule.odds[0]).all()


@pytest.mark.parametrize("divergence", ["tv", "inf"])
def test_infinite_distances_leave_everybody_their_best_action(divergence):
    loss = np.array([[0.0, 1.0, 2.0], [0.2, 0.1, 0.5], [0.9, 0.3, 0.1]])
    rule = fair.solve(loss, np.where(np.eye(3) > 0, 0, np.inf), divergence=divergence, public=True)
    np.testing.assert_allclose(rule.odds, np.eye(3), atol=1e-12)
    assert rule.loss == pytest.approx(rule.solution.free_loss)


def test_types_without_weight_get_odds_that_are_fair_too():
    points, loss = scored(30, 3)
    weights = np.zeros(30)
    weights[:10] = 1
    rule = fair.solve(loss, fair.metric_from_points(points, 4.0), weights, public=True)
    check(rule)


def test_types_on_one_spot_get_the_same_odds():
    points, loss = scored(20, 2)
    points[1] = points[0]
    rule = fair.solve(loss, fair.metric_from_points(points, 4.0), public=True)
    np.testing.assert_array_equal(rule.odds[0], rule.odds[1])
    check(rule)


def test_the_pairs_that_bind_are_at_their_distance_and_worth_what_they_say():
    points, loss = scored(30, 2)
    metric = fair.metric_from_matrix(fair.metric_from_points(points, 4.0).matrix)
    rule = fair.solve(loss, metric, public=True, tol=1e-7)
    assert rule.solution.binding
    for a, b, price in rule.solution.binding[:5]:
        assert price > 0
        apart = np.abs(rule.odds[a] - rule.odds[b]).sum() / 2
        assert apart == pytest.approx(metric.matrix[a, b], abs=1e-6)
    # Every distance a little longer saves at most what the prices say: the optimum is convex in the distances.
    longer = fair.solve(loss, metric.matrix + 1e-3 * (1 - np.eye(30)), public=True, tol=1e-7)
    total = sum(price for *_, price in rule.solution.binding)
    assert 0 < rule.loss - longer.loss <= 1e-3 * total + 1e-7
    assert rule.loss - longer.loss == pytest.approx(1e-3 * total, rel=0.3)


def test_a_time_out_returns_a_fair_rule_with_its_gap(monkeypatch):
    points, loss = scored(60, 3)
    metric = fair.metric_from_points(points, 4.0)
    honest, calls = program.Program._run, []

    def slow(self, rows, bound, seconds):
        calls.append(1)
        return honest(self, rows, bound, seconds) if len(calls) <= slow.allowed else None

    monkeypatch.setattr(program.Program, "_run", slow)
    optimum = 0.0
    for slow.allowed in (99, 0, 1, 2):
        calls.clear()
        rule = fair.solve(loss, metric, public=True)
        check(rule)
        optimum = optimum or rule.loss
        assert rule.solution.timed_out == (slow.allowed < 99)
        if slow.allowed < 99:
            assert "time limit" in rule.report()
            assert rule.solution.bound <= optimum + 1e-9
            assert rule.loss >= optimum - 1e-3
            assert rule.solution.gap > 0
            assert rule.loss <= rule.solution.constant_loss + 1e-12


def test_a_time_limit_is_kept():
    points, loss = scored(400, 4)
    rule = fair.solve(loss, fair.metric_from_points(points, 4.0), public=True, time_limit=0.3)
    assert rule.solution.seconds < 3
    check(rule)


def test_a_solver_that_fails_returns_nothing(monkeypatch):
    class Failed:
        status, message = 4, "numerical\ndifficulties"

    monkeypatch.setattr(program, "attempt", lambda *_, **__: Failed)
    with pytest.raises(fair_errors(), match="numerical difficulties"):
        fair.solve([[0, 1], [1, 0]], [[0, 0.5], [0.5, 0]], public=True)


def fair_errors():
    from hushtable.errors import BadPolicy

    return BadPolicy

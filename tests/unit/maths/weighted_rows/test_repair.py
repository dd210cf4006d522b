"""Repairs: pairs that drift from what was seen are drawn back, others are left alone."""

from dataclasses import replace

import numpy as np
import pytest

from hushtable.maths.weighted_rows import network
from hushtable.maths.weighted_rows.fit import fit, touch_up
from hushtable.maths.weighted_rows.fit_targets import FitTargets
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet
from hushtable.maths.weighted_rows.repair import PairDistances, Repair, repairs
from hushtable.maths.weighted_rows.rules import Rules

ROWS, SIZE = 100_000.0, 4
PAIRS = ((0, 1), (0, 2), (1, 2))


def drifting():
    """Columns 0 and 2 both follow column 1; a model of these two pairs links 0 and 2."""
    shares = [np.full(SIZE, 1 / SIZE)] * 3
    follows = ROWS * (0.4 * np.eye(SIZE) + 0.6 / SIZE) / SIZE
    sets = [GroupedSet(pair, (np.arange(SIZE),) * 2) for pair in ((0, 1), (1, 2))]
    agreed = FitTargets(ROWS, shares, [1.0] * 3, sets, [follows, follows], [1.0, 1.0])
    net = network.build(agreed, [np.arange(SIZE)] * 3, Rules())
    return agreed, net, fit(net, [1.0, 1.0], 100_000, np.random.default_rng(1))


def seen(far: float, deviation: float = 100.0) -> PairDistances:
    chance = 0.8 * SIZE * ROWS**0.5
    distances = dict.fromkeys(PAIRS, chance) | {(0, 2): far}
    return PairDistances(distances, dict.fromkeys(PAIRS, chance), deviation, [np.arange(SIZE)] * 3)


def distance(done) -> float:
    key = done.codes[0].astype(np.int64) * SIZE + done.codes[2]
    table = np.bincount(key, done.weights, minlength=SIZE**2)
    return float(np.abs(ROWS * table / table.sum() - ROWS / SIZE**2).sum())


def found(agreed, net, done, distances, measured=((0, 1), (1, 2))):
    return repairs(net.base, agreed.shares, done.codes, done.weights, distances, set(measured), ROWS)


def test_a_pair_that_drifts_is_drawn_back_to_what_was_seen():
    agreed, net, done = drifting()
    before = distance(done)
    (only,) = found(agreed, net, done, seen(2000.0))
    assert only.set.members == (0, 2)
    more = network.build(agreed, net.base, net.rules, repairs=[only])
    after = touch_up(more, replace(done, theta=more.grown(net, done.theta)), np.random.default_rng(2))
    assert before > 20_000
    assert distance(after) < before / 4
    assert after.effective > 0.3


def test_a_pair_as_far_as_it_was_seen_or_measured_is_left_alone():
    agreed, net, done = drifting()
    assert not found(agreed, net, done, seen(distance(done)))
    assert not found(agreed, net, done, seen(2000.0, deviation=distance(done)))
    assert not found(agreed, net, done, seen(2000.0), measured=PAIRS)


def test_a_radius_takes_chance_away_and_grows_with_noise():
    pair = GroupedSet((0, 1), (np.arange(2),) * 2)
    own = Repair(pair, np.full((2, 2), 100.0), 500.0, 300.0, 50.0)
    assert own.radius(0.0) == pytest.approx(400.0)
    assert own.radius(2.0) == pytest.approx((600**2 - 300**2) ** 0.5)
    assert own.radius(0.0, noise=-1000.0) == 0.0
    assert own.stretched(0.0) == pytest.approx(1)
    assert own.stretched(50.0) > 1 > own.stretched(-50.0)


def test_columns_that_no_table_has_are_left_alone():
    agreed, net, done = drifting()
    alone = [*net.base, np.zeros(SIZE, dtype=np.int64)]
    codes = np.vstack([done.codes, np.zeros((1, done.codes.shape[1]), dtype=np.uint16)])
    distances = seen(2000.0)
    more = PairDistances(distances.seen, distances.chance, 100.0, [*distances.maps, np.arange(SIZE)])
    several = repairs(alone, [*agreed.shares, agreed.shares[0]], codes, done.weights, more, {(0, 1), (1, 2)}, ROWS)
    assert [repair.set.members for repair in several] == [(0, 2)]

"""Running: the same fit as for whole tables, and shares that agree with the explicit table."""

import numpy as np
import pytest

from hushtable.maths.distribution import Evidence, Factored, fit
from hushtable.maths.distribution.running import PASSES, WINDOW, Running
from hushtable.maths.distribution.running_kernel import best_move

SIZES = (2, 3, 2, 4, 2, 5)
EVERYTHING = tuple(range(len(SIZES)))


def conditions(seed: int, count: int, width: int = 3) -> list[Evidence]:
    """Inconsistent on purpose: random targets for random conditions, some of them true of most cells."""
    source = np.random.default_rng(seed)
    evidence = []
    for _ in range(count):
        positions = tuple(sorted(source.choice(len(SIZES), width, replace=False).tolist()))
        true = source.random(int(np.prod([SIZES[p] for p in positions]))) < source.choice([0.2, 0.8])
        true[0], true[-1] = True, False
        variance = float(source.choice([1e-5, 1e-2]))
        evidence.append(Evidence(positions, np.array([source.random()]), variance, true.astype(float)))
    return evidence


def learned(items: list[Evidence]) -> Running:
    running = Running(SIZES, cap=1 << 20)
    for item in items:
        running.learn(item)
    return running


def test_learning_is_the_fit_of_whole_tables():
    ours, theirs = conditions(1, 15), conditions(1, 15)
    running, distribution = learned(ours), Factored(SIZES)
    for many in range(1, len(theirs) + 1):
        for _ in range(PASSES):
            fit(distribution, theirs[:many][-WINDOW - 1 :], passes=1)
    np.testing.assert_allclose(running.distribution.table(EVERYTHING), distribution.table(EVERYTHING), atol=1e-9)
    np.testing.assert_allclose([i.theta[0] for i in ours], [i.theta[0] for i in theirs], atol=1e-6)


def test_log_weights_alone_restore_it():
    items = conditions(2, 80)
    running, again = learned(items), Running(SIZES, cap=1 << 20)
    again.restore(items)
    np.testing.assert_allclose(again.distribution.table(EVERYTHING), running.distribution.table(EVERYTHING), atol=1e-12)
    assert running.distribution.table(EVERYTHING).sum() == pytest.approx(1, abs=1e-12)


def begun(seed: int) -> list[Evidence]:
    source = np.random.default_rng(seed)
    return [Evidence((p,), source.dirichlet(np.ones(s)), 1e-6) for p, s in enumerate(SIZES)]


def test_what_is_learned_moves_no_column_away_from_what_was_measured_of_it():
    start = begun(5)
    running = Running(SIZES, cap=1 << 20, start=start)
    before = [running.distribution.table((p,)) for p in EVERYTHING]
    whole = running.distribution.table(EVERYTHING)
    for item in conditions(5, 4):
        # A target that columns as they are allow.
        true = item.weights.reshape([SIZES[p] for p in item.positions])
        others = tuple(p for p in EVERYTHING if p not in item.positions)
        target = 0.97 * float((whole.sum(axis=others) * true).sum())
        running.learn(Evidence(item.positions, np.array([target]), 1e-6, item.weights))
        found = float((running.distribution.table(item.positions) * true).sum())
        assert found == pytest.approx(target, abs=0.005)
    for p in EVERYTHING:
        np.testing.assert_allclose(running.distribution.table((p,)), before[p], atol=2e-3)


def test_log_weights_restore_what_was_fitted_again_of_the_start():
    items = conditions(6, 8)
    running, again = (Running(SIZES, cap=1 << 20, start=begun(6)) for _ in range(2))
    for item in items:
        running.learn(item)
    theta = {place: item.theta.tolist() for place, item in enumerate(running.start)}
    assert len(running.begun(items[-1].positions)) == len(SIZES)
    again.restore(items, theta)
    np.testing.assert_allclose(again.distribution.table(EVERYTHING), running.distribution.table(EVERYTHING), atol=1e-9)
    with pytest.raises(ValueError, match="another table"):
        again.restore([], {0: [1.0] * 9})


def test_only_the_last_measurements_are_fitted_again():
    items = conditions(3, WINDOW + 5)
    running = learned(items[:-1])
    before = [float(item.theta[0]) for item in items[:-1]]
    running.learn(items[-1])
    changed = [float(item.theta[0]) != old for item, old in zip(items, before, strict=False)]
    assert not any(changed[: len(items) - WINDOW - 1])
    assert sum(changed) > WINDOW // 2


@pytest.mark.parametrize("joined", [False, True])
def test_a_share_is_the_sum_over_the_true_cells(joined):
    source = np.random.default_rng(4)
    start = [Evidence((p,), source.dirichlet(np.ones(s)), 1e-6) for p, s in enumerate(SIZES)]
    running = Running(SIZES, cap=1 << 20, start=start)
    if joined:
        for item in conditions(4, 6):
            running.learn(item)
    whole = running.distribution.table(EVERYTHING)
    for positions in [(1,), (0, 3), (2, 5), (0, 1, 3, 5)]:
        true = source.random(int(np.prod([SIZES[p] for p in positions]))) < 0.4
        others = tuple(p for p in EVERYTHING if p not in positions)
        exact = whole.sum(axis=others).ravel()[true].sum()
        assert running.share(positions, true) == pytest.approx(exact, abs=1e-12)


def test_the_start_is_taken_over():
    tables = [np.arange(1, s + 1) / np.arange(1, s + 1).sum() for s in SIZES]
    running = Running(SIZES, cap=1 << 20, start=[Evidence((p,), t, 1e-9) for p, t in enumerate(tables)])
    for p, table in enumerate(tables):
        np.testing.assert_allclose(running.distribution.table((p,)), table, atol=1e-6)


def test_it_knows_what_it_cannot_join():
    running = Running(SIZES, cap=12)
    assert running.can_learn((0, 1), np.ones(1, dtype=bool))
    assert running.can_learn((1, 3), np.ones(1, dtype=bool))
    assert not running.can_learn((3, 5), np.ones(1, dtype=bool))
    running.distribution.join((0, 1, 2))
    assert not running.can_learn((2, 4), np.ones(1, dtype=bool))
    assert running.share((3, 5), np.arange(20) < 5) == pytest.approx(5 / 20)


@pytest.mark.parametrize("share", [1e-9, 0.3, 1 - 1e-9])
@pytest.mark.parametrize("target", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("give", [1e-9, 1e-4, 10.0])
def test_a_move_is_the_maximum(share, target, give):
    def value(x):
        return x * target - np.log1p(share * np.expm1(x)) - give * (0.3 + x) ** 2 / 2

    move = best_move(share, target, 0.3, give)
    around = value(np.clip(move, -60, 60) + np.linspace(-2, 2, 401))
    # log1p loses digits where nearly everything is taken away
    assert value(np.clip(move, -60, 60)) >= around.max() - 1e-7

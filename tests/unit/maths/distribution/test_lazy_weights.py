"""Sparse multiplicative weights: lazy weights are the explicit ones, and their potential behaves as proven."""

import math

import numpy as np
import pytest

from hushtable.errors import BadQuestion
from hushtable.maths.distribution.lazy_weights import LazyWeights

CELLS, KEYS = 400, [f"k{i}".encode() for i in range(60)]


def random_question(source, most=12):
    chosen = source.choice(len(KEYS), int(source.integers(1, most)), replace=False)
    return {KEYS[i]: float(source.random()) if source.random() < 0.5 else 1.0 for i in chosen}


def explicit(updates):
    """All cells written out: the first are the keys in the order in which they were corrected."""
    weights, place = np.full(CELLS, 1 / CELLS), {}
    for question, step in updates:
        for key, q in question.items():
            place.setdefault(key, len(place))
            weights[place[key]] *= math.exp(step * q)
        weights /= weights.sum()
    return weights, place


@pytest.mark.parametrize("seed", range(5))
def test_replayed_on_an_explicit_universe_they_agree(seed):
    source, lazy, updates = np.random.default_rng(seed), LazyWeights(CELLS), []
    for _ in range(150):
        question, step = random_question(source), float(source.normal() * 3)
        lazy.correct(question, step)
        updates.append((question, step))
    weights, place = explicit(updates)
    unassigned = weights[-1]
    for _ in range(50):
        question = random_question(source)
        expected = sum(q * (weights[place[k]] if k in place else unassigned) for k, q in question.items())
        assert lazy.share(question) == pytest.approx(expected, rel=1e-9)
    assert lazy.drift < 1e-9


def test_reading_never_changes_a_later_answer():
    source, read, quiet = np.random.default_rng(1), LazyWeights(CELLS), LazyWeights(CELLS)
    for _ in range(100):
        question, step = random_question(source), float(source.normal())
        for _ in range(5):
            read.share(random_question(source))
        for weights in (read, quiet):
            weights.correct(question, step)
        assert read.share(question) == quiet.share(question)
    assert read.assigned == quiet.assigned


def test_the_total_survives_extreme_steps():
    lazy = LazyWeights(CELLS)
    for step in (200.0, 200.0, -350.0, 300.0, -300.0):
        lazy.correct({KEYS[0]: 1.0}, step)
        assert lazy.drift < 1e-6
        assert 0 <= lazy.share({KEYS[0]: 1.0}) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_potential_moves_exactly_as_the_proof_says(seed):
    """Random data with less than all of their mass on the keys, where the published argument fails."""
    source, lazy = np.random.default_rng(seed), LazyWeights(CELLS)
    mass = source.dirichlet(np.full(len(KEYS) + 1, 0.1))[:-1] * source.random()
    shares = dict(zip(KEYS, mass.tolist(), strict=True))
    psi = lazy.potential(shares, KEYS)
    assert psi <= math.log(CELLS)
    for _ in range(60):
        question = random_question(source)
        held, true = lazy.share(question), sum(q * shares[k] for k, q in question.items())
        measured = true + float(source.normal()) * 0.01
        step = 4 * (measured - held)
        inside = {k: lazy.share({k: 1.0}) for k in question}
        grown = 1 + sum(inside[k] * math.expm1(step * q) for k, q in question.items())
        lazy.correct(question, step)
        after = lazy.potential(shares, KEYS)
        assert after - psi == pytest.approx(math.log(grown) - step * true, abs=1e-12)
        assert after - psi <= -2 * ((true - held) ** 2 - (measured - true) ** 2) + 1e-12
        assert after >= -1e-12
        psi = after


def test_without_the_cell_elsewhere_the_published_step_fails():
    """A decreasing update on keys that hold little of the data: their sum over assigned keys alone grows."""
    lazy, shares = LazyWeights(CELLS), {KEYS[0]: 0.01}
    lazy.correct({KEYS[0]: 1.0}, 6.0)
    held = lazy.share({KEYS[0]: 1.0})

    def published():
        return 0.01 * math.log(0.01 / lazy.share({KEYS[0]: 1.0}))

    before, whole = published(), lazy.potential(shares, KEYS[:1])
    lazy.correct({KEYS[0]: 1.0}, 4 * (0.01 - held))
    assert published() > before
    assert lazy.potential(shares, KEYS[:1]) < whole


def test_one_variable_stays_unassigned():
    lazy = LazyWeights(5)
    lazy.correct(dict.fromkeys(KEYS[:4], 1.0), 1.0)
    lazy.correct({KEYS[0]: 1.0}, 1.0)
    with pytest.raises(BadQuestion, match="only 0 more can be"):
        lazy.correct({KEYS[4]: 1.0}, 1.0)
    with pytest.raises(ValueError, match="at least 2 cells"):
        LazyWeights(1)

"""Averages: inside what a column can be, from whatever released them, and `unknown` wherever a group is too small."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import VALUES, domain, random_codes

import hushtable as ht
from hushtable.errors import BadQuestion
from hushtable.models.quotients import PLACES, Averages, Quotients, _score
from hushtable.owner.vault import Vault
from hushtable.questions.answer import Answer, interval_factor

ROWS = 300
SHAPE = {
    "score": {"kind": "integer", "between": [1, 10]},
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
    "region": {"kind": "category", "values": ["north", "south", "west"], "other": True},
    "smoker": {"kind": "boolean", "missing": "error"},
}
WORKLOADS = {
    "low-order": "marginals(width=2)",
    "tables": "marginals(width=2)",
    "histogram": "marginals(width=2)",
    "mwem(rounds=4)": "marginals(width=2)",
    "pair-rake": "whole_table()",
}
BUDGETS = {"pure": ht.Budget(epsilon=1), "zcdp": ht.Budget(epsilon=1, delta="1e-9")}
QUESTIONS = {
    "SELECT region, avg(score) FROM t GROUP BY region": (1, 10),
    "SELECT avg(score) FROM t WHERE region = 'north'": (1, 10),
    "SELECT region, avg(smoker) FROM t GROUP BY region": (0, 1),
    "SELECT region, avg(age) FROM t GROUP BY region": (0, 99),
    "SELECT avg(age) FROM t WHERE age < 65": (0, 64),
    "SELECT avg(age) FROM t": (0, 99),
}


@pytest.fixture(scope="module", params=list(product(WORKLOADS, ("replace", "add-remove"), BUDGETS)), ids="-".join)
def synopsis(request):
    mechanism, neighbours, budget = request.param
    shape = domain(SHAPE, neighbours=neighbours)
    plan = ht.plan(shape, workload=WORKLOADS[mechanism], budget=BUDGETS[budget], rows=ROWS, mechanism=mechanism)
    return Vault(table(shape), shape).release(plan, randomness=ht.Simulated(6))


def table(shape):
    """Most rows lie in the first two regions."""
    codes = random_codes(shape, ROWS, seed=3)
    codes[2][:290] = np.minimum(codes[2][:290], 1)
    scores = [None if c == 10 else int(c) + 1 for c in codes[0]]
    others = {name: pa.array([VALUES[name][c] for c in codes[i + 1]]) for i, name in enumerate(list(SHAPE)[1:])}
    return pa.table({"score": scores} | others)


def cells(answer):
    return [answer.to_dict()] if isinstance(answer, Answer) else answer.rows()


@pytest.mark.parametrize("text", QUESTIONS)
def test_intervals_stay_inside_what_there_can_be(synopsis, text):
    answer, (least, most) = synopsis.ask(text), QUESTIONS[text]
    for confidence in (0.5, 0.95, 0.999):
        low, high = (np.atleast_1d(end) for end in answer.interval(confidence))
        unknown = np.isnan(np.atleast_1d(answer.value))
        assert (low >= least).all()
        assert (high <= most).all()
        assert ((low <= answer.value) & (answer.value <= high) | unknown).all()
        assert (((low == least) & (high == most)) | ~unknown).all()


@pytest.mark.parametrize("text", QUESTIONS)
def test_unknown_is_said_alike_everywhere(synopsis, text):
    answer = synopsis.ask(text)
    said, frame, arrow = cells(answer), answer.to_pandas(), answer.to_arrow().to_pylist()
    lines = answer.text().splitlines()
    lines = lines[-1:] if isinstance(answer, Answer) else lines[-len(said) :]
    assert len(said) == len(frame) == len(arrow) == len(lines)
    for i, cell in enumerate(said):
        unknown = cell["value"] is None
        assert (cell["stderr"] is None) == (cell["bias"] is None) == unknown
        assert np.isnan(frame["value"][i]) == np.isnan(arrow[i]["value"]) == unknown
        assert (frame["low"][i], frame["high"][i]) == (cell["low"], cell["high"])
        own = lines[i].split("; measured")[0] if isinstance(answer, Answer) else lines[i].split("  ")[1:]
        assert (
            any(part.strip().startswith("unknown") for part in ([own] if isinstance(own, str) else own)) or not unknown
        )
    json.dumps(answer.to_dict(), allow_nan=False)
    if any(cell["value"] is None for cell in said):
        assert "unknown" in answer._repr_html_()
        assert any("unknown" in note for note in answer.notes)


def test_a_group_without_values_has_no_range():
    shape = domain(SHAPE)
    plan = ht.plan(shape, workload="marginals(width=1)", budget=BUDGETS["pure"], rows=ROWS, mechanism="low-order")
    released = Vault(table(shape), shape).release(plan, randomness=ht.Simulated(6))
    answer = released.ask("SELECT age, avg(age) FROM t GROUP BY age")
    last = answer.rows()[-1]
    nothing = {"value": None, "stderr": None, "bias": None, "low": None, "high": None}
    assert last == {"age": "missing"} | nothing | {"not_private": True}
    assert answer.text().splitlines()[-1].split() == ["missing", "unknown"]


def quotients(top, below, *, noise, laplace=False):
    """Groups of a boolean column: `noise` is the deviation of each of the two counts."""
    top, below = np.atleast_1d(np.asarray(top, dtype=np.float64)), np.atleast_1d(np.asarray(below, dtype=np.float64))
    weights = np.array([0.0, 1.0]) - PLACES[:, None]
    wide = np.ones((1, len(top)))
    variance = noise**2 * (weights**2).sum(axis=1, keepdims=True) * wide
    fourth = (3.0 if laplace else 0.0) * noise**4 * (weights**4).sum(axis=1, keepdims=True) * wide
    return Quotients.from_noise(top - PLACES[:, None] * below, variance, fourth)


@settings(max_examples=100, deadline=None)
@given(st.floats(-50, 300), st.floats(-50, 300), st.floats(0.1, 20), st.booleans())
def test_limits_hold_the_value_and_grow_with_the_confidence(top, below, noise, laplace):
    found = quotients(top, below, noise=noise, laplace=laplace)
    before = (found.value, found.value)
    for confidence in (0.1, 0.5, 0.95, 0.999, 1 - 1e-9):
        low, high = found.low(confidence), found.high(confidence)
        assert 0 <= low <= high <= 1
        if not found.known:
            assert (low, high) == (0, 1)
            continue
        assert low <= before[0] + 1e-12
        assert high >= before[1] - 1e-12
        before = (low, high)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 300), st.floats(1, 300), st.floats(0.1, 20))
def test_limits_of_yes_and_no_mirror_each_other(top, below, noise):
    yes, no = quotients(min(top, below), below, noise=noise), quotients(below - min(top, below), below, noise=noise)
    np.testing.assert_allclose(yes.low(0.95), 1 - no.high(0.95), atol=1e-9)
    np.testing.assert_allclose(yes.high(0.95), 1 - no.low(0.95), atol=1e-9)


def test_without_noise_there_is_no_interval():
    found = quotients([3, 0, 7], [7, 7, 7], noise=0.0)
    for confidence in (0.5, 0.999):
        np.testing.assert_allclose(found.low(confidence), found.value, atol=1e-9)
        np.testing.assert_allclose(found.high(confidence), found.value, atol=1e-9)
    assert not quotients([0], [0], noise=0.0).known


def test_noise_that_no_group_explains_is_moved_to_the_nearest_ratio():
    found = quotients([-8, 60], [50, 50], noise=3.0)
    np.testing.assert_array_equal(found.value, [0, 1])
    assert found.low(0.95)[0] == 0 < found.high(0.95)[0] < 0.25
    assert found.high(0.95)[1] == 1 > found.low(0.95)[1] > 0.75


def test_an_average_is_where_it_is_in_its_range():
    """Moving and stretching the values moves and stretches value, errors and limits."""
    plain, far = quotients([30, 3], [100, 9], noise=2.0), np.array([1e6, 1e6])
    here, there = Averages.of(plain, plain, far * 0, far * 0 + 1), Averages.of(plain, plain, far, far + 50)
    for one, other in zip((here.value, *here(0.95)), (there.value, *there(0.95)), strict=True):
        np.testing.assert_allclose(1e6 + 50 * one, other)
    np.testing.assert_allclose(50 * here.errors()[0], there.errors()[0])


def test_limits_hold_a_model_value_too():
    plain = quotients([30], [100], noise=2.0)
    moved = replace(Averages.of(plain, plain, np.zeros(1), np.ones(1)), value=np.array([0.9]))
    assert moved(0.95)[1] == 0.9


@pytest.mark.parametrize("confidence", [0, 1, -1, 95])
def test_a_confidence_is_between_0_and_1(confidence):
    for end in (quotients([1], [9], noise=1.0).low, quotients([1], [9], noise=1.0).high):
        with pytest.raises(BadQuestion, match="between 0 and 1"):
            end(confidence)


@pytest.mark.parametrize("kurtosis", [0.0, 1e-6, 0.1, 1.0, 3.0])
def test_scores_undo_the_correction_for_kurtosis(kurtosis):
    for confidence in (0.5, 0.9, 0.95, 0.999, 1 - 1e-9):
        u = np.array([1.0, -1.0]) * interval_factor(confidence, kurtosis)
        np.testing.assert_allclose(
            _score(u, np.full(2, kurtosis)), [interval_factor(confidence), -interval_factor(confidence)], rtol=1e-6
        )

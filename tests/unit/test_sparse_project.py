"""SparseProject by name: the published signs, their independence, and answers with honest bars."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan
from hushtable.maths.keys.projection import DIGEST_BITS, PRIME, Projection, independence_for, key_length

DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}}})
DELTA = ht.Budget(epsilon=1, delta="1e-6")
FALSE_ALARM = 1e-9
# The two-sided quantile of a normal number at that chance.
SIGMAS = 6.11


def projection(seed, independence, height):
    return Projection(np.random.default_rng(seed).bytes(key_length(independence)), height)


@pytest.mark.parametrize("independence", [1, 2, 7, 60])
def test_signs_are_those_of_the_polynomial(independence):
    made, points = projection(1, independence, 100), [0, 1, 2**DIGEST_BITS - 1, 12_345]
    wanted = np.zeros(100, dtype=np.int64)
    for weight, point in enumerate(points, start=1):
        for i in range(100):
            value = 0
            for c in made.coefficients.tolist():
                value = (value * (point + (i << DIGEST_BITS)) + c) % PRIME
            wanted[i] += weight * (1 if value % 2 else -1)
    assert (made.sums(np.array(points, dtype=np.uint64), np.arange(1, 5)) == wanted).all()


def products(independence, count, draws):
    """Means over random keys of the products of signs of `count` keys or coordinates that stand in a row."""
    seen = []
    for seed in range(draws):
        made = projection(seed, independence, count)
        along = made.sums(np.array([7], dtype=np.uint64), np.ones(1, dtype=np.int64))
        across = [made.sums(np.array([k], dtype=np.uint64), np.ones(1, dtype=np.int64))[0] for k in range(count)]
        seen.append([np.prod(along), np.prod(across)])
    return np.mean(seen, axis=0) * np.sqrt(draws)


def test_any_few_signs_are_independent():
    """The product of fewer than `independence` signs is fair; so many draws would see a bias of 0.14."""
    for count in (1, 2, 3, 4, 6):
        assert np.abs(products(8, count, 2000)).max() < SIGMAS


def test_signs_whose_independence_is_ignored_are_found():
    """Planted: a line instead of a polynomial of degree 7. The product of four of its signs in a row is 1 too often."""
    assert np.abs(products(2, 4, 2000)).max() > SIGMAS


def test_the_published_independence():
    assert independence_for(10_000, 16_384, 0.05) == 62
    plan = ht.plan(
        DOMAIN, rows=1000, workload="sparse(size=10)", budget=DELTA, mechanism="sparse-project(height=16384)"
    )
    assert plan.design.parameters.independence == 62
    assert "16,384 coordinates of 62-wise independent signs" in str(plan)


def test_it_is_never_chosen():
    assert ht.plan(DOMAIN, rows=1000, workload="sparse(size=10)", budget=DELTA).mechanism == "hash-sketch"


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_lists_are_answered_and_survive_a_file(tmp_path, neighbours):
    shape = ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": {"url": {"kind": "open"}}})
    values = [f"v{i}" for i in np.random.default_rng(6).zipf(1.5, 3000)]
    plan = ht.plan(
        shape, rows=3000, workload="sparse(size=10)", budget=ht.Budget(rho=10), mechanism="sparse-project(height=8192)"
    )
    synopsis = ht.Vault(pa.table({"url": values}), shape).release(plan, randomness=ht.Simulated(1))
    synopsis.save(tmp_path / "p.hush")
    loaded, counts = ht.load(tmp_path / "p.hush"), Counter(values)
    for question in (["v1"], ["v2", "v3", "nowhere"], ["nowhere"]):
        answer = loaded.ask(ht.Listed(question), count=True)
        low, high = answer.interval(0.99999)
        assert low <= sum(counts[v] for v in question) <= high
        assert high - low < 400
        assert answer.value == synopsis.ask(ht.Listed(question), count=True).value


def test_errors_are_as_large_as_they_are_said_to_be():
    """Over 300 keys and their noise: the mean of squared errors over that of squared standard errors."""
    values = [f"v{i}" for i in np.random.default_rng(6).zipf(1.5, 500)]
    counts, question = Counter(values), ["v1", "v2", "v5", "nowhere"]
    plan = ht.plan(DOMAIN, rows=500, workload="sparse(size=4)", budget=DELTA, mechanism="sparse-project(height=256)")
    vault, truth = ht.Vault(pa.table({"url": values}), DOMAIN), sum(counts[v] for v in question)
    squares, said = [], []
    for seed in range(300):
        answer = vault.release(plan, randomness=ht.Simulated(seed)).ask(ht.Listed(question), count=True)
        squares.append((answer.value - truth) ** 2)
        said.append(answer.stderr**2)
    ratio = np.mean(squares) / np.mean(said)
    # The mean of 300 squares of normal numbers has a standard deviation of 0.082; what is said is a little much.
    assert 1 - SIGMAS * 0.082 - 0.1 < ratio < 1 + SIGMAS * 0.082


@pytest.mark.parametrize(
    ("mechanism", "budget", "says"),
    [
        ("sparse-project", DELTA, "has no height, and at most 1,048,576 coordinates fit; as published 50,000 rows"),
        ("sparse-project(height=2000000)", DELTA, "has a height of 2,000,000, and at most 1,048,576 coordinates fit"),
        ("sparse-project(height=0)", DELTA, "height must be a whole number"),
        ("sparse-project(height=64, failure=1)", DELTA, "failure is a chance between 0 and 1"),
        ("sparse-project(height=64, lists=0)", DELTA, "lists must be a whole number"),
        ("sparse-project(height=64)", ht.Budget(epsilon=1), "needs a delta or a rho"),
    ],
)
def test_what_does_not_fit_is_refused_with_one_line(mechanism, budget, says):
    with pytest.raises(BadPlan) as error:
        ht.plan(DOMAIN, rows=50_000, workload="sparse(size=100)", budget=budget, mechanism=mechanism)
    assert says in str(error.value)
    assert "\n" not in str(error.value)

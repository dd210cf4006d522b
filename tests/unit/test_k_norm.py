"""K-norm noise from a plan to answers: who takes it, what is refused, bounds below it, and intervals that hold."""

import math

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion
from hushtable.maths.geometry.cut_search import cut_body, draw_body
from hushtable.maths.geometry.hulls import hull_bound, spanned
from hushtable.maths.geometry.lower_bounds import gaussian_bound

PURE = ht.Budget(epsilon=1)


def binary(count: int, **more) -> ht.Domain:
    attributes = {f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(count)}
    return ht.Domain.from_dict({"table": "t", "attributes": attributes} | more)


def rows_of(count: int, rows: int = 400) -> pa.Table:
    source = np.random.default_rng(2)
    return pa.table({f"b{i}": source.random(rows) < 0.3 for i in range(count)})


def test_the_planner_takes_it_for_a_pure_epsilon_alone():
    for workload in ("marginals(width=1)", "marginals(width=2)"):
        assert ht.plan(binary(3), rows=100, workload=workload, budget=PURE).mechanism == "k-norm"
        for budget in (ht.Budget(rho=1), ht.Budget(epsilon=1, delta="1e-6")):
            other = ht.plan(binary(3), rows=100, workload=workload, budget=budget)
            assert other.mechanism != "k-norm"
            assert "k-norm" not in str(other)


def test_one_large_column_is_hardly_worth_it_and_never_worse():
    values = [str(i) for i in range(60)]
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"a": {"kind": "category", "values": values}}})
    chosen = ht.plan(domain, rows=100, workload="marginals(width=1)", budget=PURE)
    tables = ht.plan(domain, rows=100, workload="marginals(width=1)", budget=PURE, mechanism="tables")
    assert chosen.design.error <= tables.design.error


@pytest.mark.parametrize(
    ("mechanism", "workload", "budget", "says"),
    [
        ("k-norm", "marginals(width=1)", ht.Budget(rho=1), "for a pure epsilon"),
        ("k-norm(levels=some)", "marginals(width=1)", PURE, r"levels=planned\|one\|thesis, not 'some'"),
        ("k-norm(rounds=3)", "marginals(width=1)", PURE, "k-norm takes levels; given: rounds"),
        ("k-norm", "whole_table()", PURE, "cannot answer"),
        ("k-norm", "marginals(width=3)", PURE, "dimensions"),
    ],
)
def test_what_it_cannot_do_is_said_in_one_line(mechanism, workload, budget, says):
    with pytest.raises(BadPlan, match=says) as error:
        ht.plan(binary(6), rows=100, workload=workload, budget=budget, mechanism=mechanism)
    assert "\n" not in str(error.value)


def test_columns_of_one_value_are_exact_and_free():
    attributes = {"a": {"kind": "category", "values": ["x"], "missing": "error"}}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    plan = ht.plan(domain, rows=7, workload="marginals(width=1)", budget=PURE, mechanism="k-norm")
    synopsis = ht.Vault(pa.table({"a": ["x"] * 7}), domain).release(plan, randomness=ht.Simulated(1))
    assert synopsis.ask("a = 'x'").value == 1.0
    assert synopsis.ask("a = 'x'").stderr == 0.0


def test_a_question_that_does_not_follow_is_refused():
    plan = ht.plan(binary(3), rows=100, workload="marginals(width=2)", budget=PURE, mechanism="k-norm")
    synopsis = ht.Vault(rows_of(3), binary(3)).release(plan, randomness=ht.Simulated(1))
    with pytest.raises(BadQuestion, match="follows from the queries about b0, b1, b2"):
        synopsis.ask("b0 AND b1 AND b2")


def test_listed_queries_and_ranges_are_answered():
    listed = ht.Linear(questions=["b0 AND b1", "b1 OR b2"])
    plan = ht.plan(binary(3), rows=400, workload=listed, budget=ht.Budget(epsilon=100), mechanism="k-norm")
    table = rows_of(3)
    synopsis = ht.Vault(table, binary(3)).release(plan, randomness=ht.Simulated(1))
    columns = [np.array(table[f"b{i}"]) for i in range(3)]
    assert synopsis.ask("b0 AND b1").value == pytest.approx((columns[0] & columns[1]).mean(), abs=0.01)
    assert synopsis.ask("NOT (b1 OR b2)").value == pytest.approx(1 - (columns[1] | columns[2]).mean(), abs=0.01)
    attributes = {"age": {"kind": "integer", "between": [0, 39], "bins": 4, "missing": "error"}}
    aged = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    made = ht.plan(
        aged, rows=40, workload="ranges(attributes=[age])", budget=ht.Budget(epsilon=100), mechanism="k-norm"
    )
    ages = ht.Vault(pa.table({"age": list(range(40))}), aged).release(made, randomness=ht.Simulated(1))
    assert ages.ask("age BETWEEN 10 AND 29").value == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("workload", ["marginals(width=1)", "marginals(width=2)"])
def test_intervals_hold_each_and_at_once(workload, neighbours):
    """300 releases: 95% of intervals of a cell, and of all cells at once, hold, within 6 standard errors."""
    domain, table, many = binary(3, neighbours=neighbours), rows_of(3), 300
    plan = ht.plan(domain, rows=400, workload=workload, budget=PURE, mechanism="k-norm")
    vault, truth = ht.Vault(table, domain), int(np.array(table["b1"]).sum())
    exact, each, joint = np.array([len(table) - truth, truth]), 0, 0
    for seed in range(many):
        answer = vault.release(plan, randomness=ht.Simulated(seed)).ask("SELECT b1, count(*) FROM t GROUP BY b1")
        for simultaneous in (False, True):
            low, high = answer.interval(simultaneous=simultaneous)
            held = (low <= exact) & (exact <= high)
            each, joint = (each, joint + held.all()) if simultaneous else (each + held[0], joint)
    error = math.sqrt(0.95 * 0.05 / many)
    assert abs(each / many - 0.95) < 6 * error
    assert joint / many > 0.95 - 6 * error


def test_the_bound_is_below_every_mechanism_on_random_workloads():
    """100 workloads: K-norm noise, Laplace and Gaussian noise on the queries, and on every kind of row.

    Bounds of at most four dimensions are exact. The error of K-norm noise is known from 2,000 draws, to 5% with more
    than six standard errors, and is twice its bound: a false alarm has a chance far below 1e-6.
    """
    source = np.random.default_rng(9)
    tried = 0
    while tried < 100:
        added = bool(tried % 2)
        queries = source.integers(-3, 4, (source.integers(1, 5), source.integers(4, 10)))
        hull = spanned(queries.astype(float), added=added)
        if hull.dimension < len(queries):
            continue
        tried += 1
        least = hull_bound(hull).rms
        k_norm = math.sqrt(np.trace(draw_body(cut_body(queries, added=added), 2_000, tried).second))
        moved = queries if added else queries[:, :, None] - queries[:, None, :]
        laplace = math.sqrt(2 * len(queries)) * float(np.abs(moved).sum(axis=0).max())
        centred = queries if added else queries - queries.mean(axis=1, keepdims=True)
        identity = math.sqrt(2 * (1 if added else 4) * float((centred**2).sum()))
        assert least <= 1.05 * k_norm
        assert least <= min(laplace, identity)
        assert 2 * least > 0.2 * k_norm, "a bound far below says nothing"
        # For rho = 1, on the queries: variance (change^2) / 2 each; on every kind of row, of which two change or one.
        values = np.linalg.svd(centred, compute_uv=False)
        logs = [(math.log(value), 1.0) for value in values if value > 1e-9]
        log_kinds = math.log(queries.shape[1])
        gaussian = gaussian_bound(logs if added else [(-math.inf, 1.0), *logs], log_kinds, added=added).rms
        assert gaussian <= math.sqrt(len(queries) / 2 * float((moved**2).sum(axis=0).max()))
        assert gaussian <= math.sqrt((0.5 if added else 1.0) * float((centred**2).sum()))

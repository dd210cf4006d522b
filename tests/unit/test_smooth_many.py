"""Smooth releases of many columns together, by sparse grids and as published."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan
from hushtable.maths.smooth.axes import Axis, Block
from hushtable.maths.smooth.sparse_grid import sparse_indices
from hushtable.vault.statistics.chebyshev import with_missing
from hushtable.vault.statistics.reals import RealRows
from hushtable.vault.statistics.sparse_chebyshev import SparseChebyshevSums

NAMES = [f"x{i}" for i in range(6)]
SIX = f"smooth(columns=[{', '.join(NAMES)}]"
SCORE = "expit(0.4*x0 - 0.3*x1 + 0.2*x2 - 0.2*x3 + 0.3*x4 - 0.1*x5)"


def domain(missing="error", neighbours="replace"):
    number = {"kind": "number", "between": [-3, 3], "bins": 4, "missing": missing}
    return ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": dict.fromkeys(NAMES, number)})


def rows(count=4000, seed=1, lacking=0.0):
    g = np.random.default_rng(seed)
    x = np.clip(0.6 * g.normal(size=(count, 1)) + 0.8 * g.normal(size=(count, 6)), -3, 3)
    return np.where(g.random(x.shape) < lacking, np.nan, x)


def table(x):
    return pa.table({name: pa.array(column, mask=np.isnan(column)) for name, column in zip(NAMES, x.T, strict=True)})


def released(x, workload, *, missing="error", epsilon=1000, mechanism=None, neighbours="replace"):
    shape = domain(missing, neighbours)
    budget = ht.Budget(epsilon=epsilon) if mechanism else ht.Budget(rho=epsilon)
    plan = ht.plan(shape, rows=len(x), workload=workload, budget=budget, mechanism=mechanism)
    return ht.Vault(table(x), shape).release(plan, randomness=ht.Simulated(1))


def score(x):
    return 1 / (1 + np.exp(-x @ np.array([0.4, -0.3, 0.2, -0.2, 0.3, -0.1])))


def test_six_columns_are_planned_and_answered(tmp_path):
    x = rows()
    synopsis = released(x, f"{SIX}, t=17)")
    assert synopsis.mechanism == "smooth-sparse"
    synopsis.save(tmp_path / "six.hush")
    loaded = ht.load(tmp_path / "six.hush")
    truths = {SCORE: score(x).mean(), "x0 * x3": (x[:, 0] * x[:, 3]).mean(), "x5": x[:, 5].mean()}
    for text, truth in truths.items():
        answer = loaded.ask(f"avg({text})")
        low, high = answer.interval(0.9999)
        assert low <= truth <= high
        assert abs(answer.value - truth) < 0.02
        assert answer.value == synopsis.ask(f"avg({text})").value
    assert loaded.ask(f"avg({SCORE})").bias_kind == "sampled"
    assert loaded.ask("avg(x0 * x3)").bias_kind == "certified"
    assert loaded.average(lambda x0, x2, x4: np.exp(-(x0 + x2 - x4) / 9)).bias_kind == "sampled"


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_rows_without_a_value_are_left_out_of_its_questions_alone(neighbours):
    x = rows(lacking=0.1)
    synopsis = released(x, f"{SIX}, t=9)", missing="category", neighbours=neighbours)
    for text, value in {SCORE: score(x), "x0 * x1": x[:, 0] * x[:, 1], "x2": x[:, 2]}.items():
        low, high = synopsis.ask(f"avg({text})").interval(0.9999)
        assert low <= np.nanmean(value) <= high


def test_sums_are_those_of_every_row_whatever_it_lacks():
    axes = tuple(Axis(name, -1, 1, optional=name != "b") for name in "abc")
    statistic = SparseChebyshevSums([Block(axes)], levels=[2], decay=0.0, bits=20, neighbours="add-remove")
    x = np.random.default_rng(2).uniform(-1, 1, (3, 60))
    x[0, ::3] = x[2, ::4] = np.nan
    sums = statistic.accumulate(RealRows(x, np.zeros(60, dtype=np.int64)))
    functions = [with_missing(column, 6) for column in x]
    indices = sparse_indices(2, [True, False, True])
    wanted = [np.prod([f[m] for f, m in zip(functions, index, strict=True)], axis=0).sum() for index in indices]
    assert np.allclose(sums[1:] / statistic.unit, wanted, atol=60 * 2.0**-19)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_no_pair_of_rows_is_farther_apart_than_the_price_says(power, neighbours):
    axes = tuple(Axis(name, -1, 1, optional=i % 2 == 0) for i, name in enumerate("abcde"))
    statistic = SparseChebyshevSums([Block(axes)], levels=[2], decay=0.5, bits=20, neighbours=neighbours)
    g = np.random.default_rng(7)
    corners = 1.0 - 2 * np.indices((2,) * 5).reshape(5, -1).T
    x = np.concatenate([corners, np.cos(np.pi * g.random((100, 5))), np.zeros((1, 5))])
    x[-60:, ::2] = np.where(g.random((60, 3)) < 0.5, np.nan, x[-60:, ::2])
    cell = np.zeros(1, dtype=np.int64)
    each = np.array([statistic.to_coordinates(statistic.accumulate(RealRows(r[:, None], cell))) for r in x], float)
    weights = statistic.weights[0][-each.shape[1] :] / 2.0**40
    pairs = each[:, None] - each if neighbours == "replace" else each
    apart = (np.abs(pairs) ** power * weights).sum(axis=-1).max()
    bound = statistic.sensitivity(power=power, weights=[Fraction(1)], neighbours=neighbours)
    assert apart <= float(bound)
    assert apart >= (0.7 if power == 2 else 0.3) * float(bound)


@pytest.mark.parametrize("order", [1, 4])
def test_the_published_summary_of_five_columns_and_any_order(order):
    x = rows()
    five = f"smooth(columns=[{', '.join(NAMES[:5])}], t=6)"
    synopsis = released(x, five, mechanism=f"smooth-paper(order={order})", epsilon=10**6)
    answer = synopsis.ask("avg(expit(0.2*x0 - 0.3*x1 + 0.1*x2 + 0.2*x3 - 0.1*x4))")
    truth = 1 / (1 + np.exp(-x[:, :5] @ np.array([0.2, -0.3, 0.1, 0.2, -0.1])))
    low, high = answer.interval(0.9999)
    assert low <= truth.mean() <= high
    assert answer.bias < 0.5


def test_order_is_part_of_any_smooth_workload():
    """Who bounds every question's bias from the question needs no order, and says so."""
    shape = domain()
    plan = ht.plan(shape, rows=1000, workload="smooth(columns=[x0], order=3)", budget=ht.Budget(epsilon=1))
    assert plan.mechanism == "smooth-spline"
    assert "order=3 is not needed here" in str(plan)
    third = "smooth(columns=[x0], order=3)"
    paper = ht.plan(shape, rows=10**6, workload=third, budget=ht.Budget(epsilon=1), mechanism="smooth-paper")
    assert "is not needed" not in str(paper)
    assert paper.design.parameters.smoothness == 3


@pytest.mark.parametrize(
    ("workload", "mechanism", "says"),
    [
        ("smooth(columns=[x0], order=0)", None, "order must be a whole number from 1 to 20, not 0"),
        ("smooth(columns=[x0], order=21)", None, "order must be a whole number from 1 to 20, not 21"),
        (f"{SIX}, g=8)", "smooth-sparse", "give t instead of g"),
        (f"{SIX})", "smooth-cheb", "6 smooth columns in one group and at most 4 are allowed by this mechanism"),
        (f"{SIX}, t=5000)", None, "are more than the 1,025 of a sparse release"),
        (f"{SIX}, order=9, t=4)", "smooth-paper", "the operator of order 9 needs at least 7 degrees a column"),
    ],
)
def test_bad_input_is_refused_with_one_line(workload, mechanism, says):
    budget = ht.Budget(epsilon=1) if mechanism == "smooth-paper" else ht.Budget(rho=1)
    with pytest.raises(BadPlan) as error:
        ht.plan(domain(), rows=10**6, workload=workload, budget=budget, mechanism=mechanism)
    assert says in str(error.value)
    assert "\n" not in str(error.value)

"""Tables and histograms against brute force: least squares over all cells of the whole table, solved densely."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from tables import domain

import hushtable as ht
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.models.linear.histogram import HistogramModel
from hushtable.models.linear.tables import TablesModel

THREE = {"kind": "category", "values": ["x", "y", "z"], "missing": "error"}
TWO = {"kind": "boolean", "missing": "error"}
SHAPE = domain({"a": THREE, "b": TWO, "c": TWO, "d": THREE})
SIZES = SHAPE.sizes
CELLS = int(np.prod(SIZES))
CODES = np.indices(SIZES).reshape(len(SIZES), -1)
RANDOM = np.random.default_rng(0)


class Brute:
    """The least-squares table for some released sums of cells, as a matrix that turns released numbers into cells."""

    def __init__(self, sums, variances, fourths, seen, rows):
        whitened = sums / np.sqrt(variances)[:, None]
        centre = np.eye(CELLS) if rows is None else np.eye(CELLS) - 1 / CELLS
        self.matrix = centre @ np.linalg.pinv(whitened @ centre) / np.sqrt(variances)
        start = np.full(CELLS, 0.0 if rows is None else rows / CELLS)
        self.cells = start + self.matrix @ (seen - sums @ start)
        self.variances, self.fourths = variances, fourths

    def moments(self, function, *, relative):
        """Value, variance and fourth cumulant of a sum over rows, or of its share of all rows to the first order."""
        total = self.cells.sum()
        value = function @ self.cells
        weights = function @ self.matrix
        if relative:
            weights = (function - value / total) @ self.matrix / total
        scale = total if relative else 1.0
        return value / scale, weights**2 @ self.variances, weights**4 @ self.fourths


def cumulants(scales, law):
    scales = np.array(scales, dtype=float)
    return (scales, 0 * scales) if law == "gaussian" else (2 * scales**2, 12 * scales**4)


def tables_model(law, rows, order):
    interactions = InteractionLayout(SIZES, order)
    kinds = [key for key in interactions.groups if len(key) == order]
    scales = tuple(Fraction(number + 1, 2) for number in range(len(kinds)))
    seen = RANDOM.integers(-5, 30, InteractionLayout.cells(SIZES, order))
    model = TablesModel(domain=SHAPE, law=law, order=order, group_scales=scales, cells=seen, rows=rows)
    sums, each = [], []
    for members in interactions.sets[-1]:
        shape = [SIZES[p] for p in members]
        code = np.ravel_multi_index([CODES[p] for p in members], shape)
        sums += [(code == cell) * 1.0 for cell in range(np.prod(shape))]
        each += [scales[kinds.index(tuple(sorted(shape)))]] * int(np.prod(shape))
    return model, Brute(np.array(sums), *cumulants(each, law), seen, rows)


def histogram_model(law, rows):
    seen = RANDOM.integers(-5, 30, CELLS)
    model = HistogramModel(domain=SHAPE, law=law, scale=Fraction(3, 2), cells=seen, rows=rows)
    return model, Brute(np.eye(CELLS), *cumulants([1.5] * CELLS, law), seen, rows)


MAKERS = {
    "tables of 1": lambda law, rows: tables_model(law, rows, 1),
    "tables of 2": lambda law, rows: tables_model(law, rows, 2),
    "tables of 3": lambda law, rows: tables_model(law, rows, 3),
    "the whole table": lambda law, rows: tables_model(law, rows, 4),
    "histogram": histogram_model,
}


@pytest.mark.parametrize("relative", [False, True], ids=["counts", "shares"])
@pytest.mark.parametrize("rows", [None, 700], ids=["noisy rows", "public rows"])
@pytest.mark.parametrize("law", [Law.GAUSSIAN, Law.LAPLACE])
@pytest.mark.parametrize("made", MAKERS)
def test_every_question_gets_the_least_squares_answer_and_its_exact_noise(made, law, rows, relative):
    model, brute = MAKERS[made](law, rows)
    width = getattr(model, "order", 4)
    for positions in (p for size in range(1, min(width, 3) + 1) for p in combinations((2, 0, 3, 1), size)):
        function = RANDOM.random([SIZES[p] for p in positions])
        whole = function[tuple(CODES[p] for p in positions)]
        frame = model.frame(positions)
        found = frame.moments(frame.coefficients(function), relative=relative)
        expected = brute.moments(whole, relative=relative)
        assert (float(found.value), float(found.variance), float(found.fourth)) == pytest.approx(expected, rel=1e-9)
        cells = frame.table(1, function[0], relative=relative)
        for cell in range(SIZES[positions[0]]):
            one = np.zeros_like(function)
            one[cell] = function[0]
            expected = brute.moments(one[tuple(CODES[p] for p in positions)], relative=relative)
            found = (cells.value[cell], cells.variance[cell], cells.fourth[cell])
            assert found == pytest.approx(expected, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("scale", ["1/10", "1", "7/2", "40"])
def test_cumulants_of_discrete_laplace_noise_are_sums_over_whole_numbers(scale):
    b = float(Fraction(scale))
    k = np.arange(-4000, 4001)
    weights = np.exp(-np.abs(k) / b)
    weights /= weights.sum()
    variance = weights @ k**2
    assert Law.LAPLACE.discrete_variance(Fraction(scale)) == pytest.approx(variance, rel=1e-9)
    assert Law.LAPLACE.discrete_fourth(Fraction(scale)) == pytest.approx(weights @ k**4.0 - 3 * variance**2, rel=1e-9)


@pytest.mark.parametrize("rho", ["1000", "1e5"])
def test_a_budget_that_buys_exact_numbers_gives_answers_with_next_to_no_bar(rho):
    table = pa.table({"a": RANDOM.choice(["x", "y", "z"], 300), "b": RANDOM.random(300) < 0.4})
    plan = ht.plan(domain({"a": THREE, "b": TWO}), rows=300, workload=ht.Marginals(width=2), mechanism="tables",
                   budget=ht.Budget(rho=rho))  # fmt: skip
    answer = ht.Vault(table, plan.domain).release(plan, randomness=ht.Simulated(1)).ask("a = 'x' AND b")
    truth = float(np.mean([a == "x" and b for a, b in zip(*(c.to_pylist() for c in table.columns), strict=True)]))
    low, high = answer.interval(0.95)
    assert low <= truth <= high
    assert high - low < 1e-6

"""Bases: what they are, how close they come, and bounds that no point exceeds."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from hushtable.maths.smooth.asked_function import CallableTarget, ExpressionTarget
from hushtable.maths.smooth.axes import Axis
from hushtable.maths.smooth.chebyshev import chebyshev_basis, decaying, jackson, spread_squared
from hushtable.maths.smooth.enclosures import value_range
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.maths.smooth.splines import default_size, spline_basis
from hushtable.maths.smooth.steepness import derivative_bounds

SQUARE = [Axis("x", -1, 1), Axis("y", -1, 1)]
FORMULAS = [
    "exp(-((x-0.13)/0.1)**2/2-((y+0.4)/0.15)**2/2)", "expit(3*x-4*y+1)", "x**3*y**2", "cos(5*x+4*y)", "sin(7*x)*y",
    "ndtr((0.3-x)/0.1)*ndtr((y-0.2)/0.2)", "tanh(4*x)/(2+y)", "log(x+1.5)*sqrt(y+2)", "(x+2)**y", "(x+1.5)**-2*y",
    "1/(2+x*y)", "exp(x)*abs(y+3)", "(x+1.2)**1.5+(y-2)**-3",
]  # fmt: skip


@pytest.mark.parametrize("size", [4, 5, 7, 28])
def test_splines_are_those_of_another_library(size):
    basis, x = spline_basis(size), np.linspace(-1, 1, 501)
    knots = np.concatenate([[-1] * 3, np.linspace(-1, 1, size - 2), [1] * 3])
    np.testing.assert_allclose(basis.at(x), BSpline.design_matrix(x, knots, 3).toarray(), atol=1e-13)
    assert basis.at(np.array([-1.0]))[0, 0] == basis.at(np.array([1.0]))[0, -1] == 1.0
    assert (basis.at(x) >= -1e-15).all()


def test_default_sizes():
    assert [default_size(h) for h in (0.1, 0.2, 0.3, 2.0)] == [28, 16, 12, 5]


def test_both_bases_reproduce_what_they_hold():
    cubic = ExpressionTarget(parse_expression("(x-0.2)**3*y - y**2 + 4", ["x", "y"]))
    for basis in (spline_basis(9), chebyshev_basis(7, 2)):
        values = cubic.values(SQUARE, basis.points)
        assert np.abs(basis.error(values, basis.fit(values))).max() < 1e-12


def dense_error(basis, text, fitted):
    at = np.concatenate([np.linspace(-1, 1, 901), basis.points])
    names = ["x", "y"]
    true = evaluate(parse_expression(text, names), {"x": at[:, None], "y": at[None, :]})
    return np.abs(true - basis.at(at) @ fitted @ basis.at(at).T).max()


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("basis", [spline_basis(16), chebyshev_basis(20, 2)], ids=["spline", "chebyshev"])
def test_a_certified_bound_holds_between_the_points_and_is_not_much_larger(basis, text):
    target = ExpressionTarget(parse_expression(text, ["x", "y"]))
    values = target.values(SQUARE, basis.points)
    fitted = basis.fit(values)
    bound, kind = target.bias(basis, SQUARE, values, fitted, stderr=1e-4)
    worst = dense_error(basis, text, fitted)
    assert kind == "certified"
    assert worst <= bound
    assert bound <= 3.2 * worst + 1.2e-4


def along_a_line(expression, moves, rest):
    """A polynomial of high degree through the values of an expression along one axis."""
    line = np.polynomial.Chebyshev.interpolate(lambda t: evaluate(expression, rest | {moves: t}) + 0 * t, 70)
    return line.trim(1e-14 * (1 + np.abs(line.coef).max()))


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("finer", [1, 2])
def test_derivative_bounds_are_above_the_derivatives(text, finer):
    """Against derivatives of the Chebyshev interpolation of high degree, along lines in both directions."""
    expression = parse_expression(text, ["x", "y"])
    for order in (1, 3, 5):
        bounds = derivative_bounds(expression, SQUARE, order, finer=finer)
        for other in np.linspace(-1, 1, 7):
            for axis, (moves, stays) in enumerate((("x", "y"), ("y", "x"))):
                line = along_a_line(expression, moves, {stays: other})
                seen = np.abs(line.deriv(order)(np.linspace(-0.9, 0.9, 201))).max() / [0, 1, 0, 6, 0, 120][order]
                assert seen <= bounds[axis] * (1 + 1e-5) + 1e-4


def test_a_kink_has_no_certificate_and_a_pole_no_range():
    kink = parse_expression("abs(x - 0.2)", ["x"])
    assert derivative_bounds(kink, SQUARE[:1], 5) == [np.inf]
    basis = spline_basis(16)
    target = ExpressionTarget(kink)
    values = target.values(SQUARE[:1], basis.points)
    _, kind = target.bias(basis, SQUARE[:1], values, basis.fit(values), stderr=1e-4)
    assert kind == "sampled"
    assert value_range(parse_expression("1 / x", ["x"]), SQUARE[:1])[1] == np.inf


@pytest.mark.parametrize("text", FORMULAS)
def test_a_range_holds_every_value(text):
    low, high = value_range(parse_expression(text, ["x", "y"]), SQUARE)
    at = np.linspace(-1, 1, 301)
    values = evaluate(parse_expression(text, ["x", "y"]), {"x": at[:, None], "y": at[None, :]})
    assert low <= values.min() <= values.max() <= high
    assert high - low < 1.5 * (values.max() - values.min())


def test_numpy_code_is_looked_at_on_a_second_grid():
    basis = spline_basis(16)
    between = (basis.points[40] + basis.points[41]) / 2

    def spike(x):
        return np.exp(-(((x - between) / 0.002) ** 2))

    target = CallableTarget.of(spike, ["x"])
    values = target.values(SQUARE[:1], basis.points)
    bound, kind = target.bias(basis, SQUARE[:1], values, basis.fit(values), stderr=1e-4)
    assert kind == "sampled"
    assert bound > 2 * basis.sampled(basis.error(values, basis.fit(values)))


def test_the_fast_transform_is_the_projection():
    from hushtable.maths.smooth.chebyshev import _cosine_transform

    basis, g = chebyshev_basis(24, 2), np.random.default_rng(1)
    values = g.normal(size=(len(basis.points),) * 2)
    np.testing.assert_allclose(_cosine_transform(values)[:24, :24], basis.fit(values), atol=1e-12)


def test_scales_go_there_and_back():
    for axis in (Axis("a", 18, 98), Axis("b", 1, 1000, "log"), Axis("c", 0, 50, "sqrt")):
        values = np.linspace(axis.low, axis.high, 50)
        np.testing.assert_allclose(axis.original(axis.scaled(values)), values, rtol=1e-12, atol=1e-12)
        odd = axis.scaled(np.array([-1e300, 1e300, np.nan, np.inf, -np.inf]))
        np.testing.assert_array_equal(odd, [-1, 1, 0, 0, 0])


@pytest.mark.parametrize(("t", "smoothness"), [(12, 2), (13, 1), (20, 4)])
def test_jackson_multipliers_are_those_of_the_integral(t, smoothness):
    """The operator by quadrature: -sum (-1)^l C(K+1, l) of the kernel's mean of f at angle + l s, for each cosine."""
    from math import ceil, comb

    folds = ceil((smoothness + 3) / 2)
    width = (t - 1) // folds + 1
    s = np.arange(4096) * 2 * np.pi / 4096
    with np.errstate(all="ignore"):
        kernel = np.where(np.sin(s / 2) == 0, width, np.sin(width * s / 2) / np.sin(s / 2)) ** (2 * folds)
    kernel /= kernel.sum()
    mine = jackson(t, smoothness)
    for m in range(t):
        angle = 0.7
        waves = sum(
            -((-1) ** j) * comb(smoothness + 1, j) * np.cos(m * (angle + j * s)) for j in range(1, smoothness + 2)
        )
        assert mine[m] * np.cos(m * angle) == pytest.approx(float(kernel @ waves), abs=1e-10)


@pytest.mark.parametrize(("t", "d", "tau"), [(32, 1, 3.0), (16, 2, 3.0), (9, 3, 1.5)])
def test_no_two_points_are_farther_apart_than_the_bound(t, d, tau):
    weights = decaying(t, d, tau)
    weights[(0,) * d] = 0.0
    bound = spread_squared(weights, grid=16 * t)
    g = np.random.default_rng(1)
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1)
    x = np.concatenate([g.uniform(-1, 1, (d, 3000)), np.cos(g.uniform(0, np.pi, (d, 3000))), corners], axis=1)

    def features(points):
        out = np.ones((points.shape[1], 1))
        for row in points:
            out = (out[:, :, None] * chebyshev_basis(t, 1).at(row)[:, None, :]).reshape(points.shape[1], -1)
        return out * np.sqrt(weights.ravel())

    a = features(x)
    b = features(x[:, g.permutation(x.shape[1])])
    seen = max(((a - b) ** 2).sum(axis=1).max(), ((a - a[-1]) ** 2).sum(axis=1).max())
    assert seen <= bound
    assert bound < 1.35 * seen


def test_the_published_scale_is_too_small():
    """t averages change by up to 1.198 t in total when a row is replaced (t = 32), and the source says t."""
    t = 32
    x = np.cos(np.linspace(0, np.pi, 2001))
    table = chebyshev_basis(t, 1).at(x)
    worst = max(np.abs(table - row).sum(axis=1).max() for row in table[::10])
    assert worst == pytest.approx(1.198 * t, rel=0.005)
    assert worst <= np.sqrt(2 * t * (t - 1)) <= 1.4 * t


def test_equal_weights_have_a_sharper_bound():
    """N + N' - 2K <= 2t for one axis: all pairs of a fine grid, for many t."""
    x = np.cos(np.linspace(0, np.pi, 601))
    for t in (*range(2, 20), 31, 32, 48, 63, 64):
        table = chebyshev_basis(t, 1).at(x)
        kernel = table @ table.T
        assert (np.diag(kernel)[:, None] + np.diag(kernel) - 2 * kernel).max() <= 2 * t + 1e-9

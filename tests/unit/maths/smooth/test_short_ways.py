"""Short ways to values and to bounds give what the long ways give."""

import numpy as np
import pytest

from hushtable.maths.smooth.asked_function import ExpressionTarget
from hushtable.maths.smooth.axes import Axis
from hushtable.maths.smooth.chebyshev import chebyshev_basis
from hushtable.maths.smooth.enclosures import BOXES
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.maths.smooth.jets import JetCalculus
from hushtable.maths.smooth.splines import spline_basis
from hushtable.maths.smooth.steepness import _on_all_boxes, derivative_bounds

SQUARE = [Axis("x", -1, 1), Axis("y", -1, 1)]
# Bias bounds with splines and with polynomials, computed by the plain recurrences over all boxes and a denser grid.
BOUNDS = {
    "exp(-((x-0.13)/0.1)**2/2-((y+0.4)/0.15)**2/2)": (0.11829635051651911, 0.09446584449808915),
    "expit(3*x-4*y+1)": (6.073286291245932e-05, 8.16724471772178e-06),
    "x**3*y**2": (9.909781677773287e-13, 1.0179608644542666e-12),
    "cos(5*x+4*y)": (0.0010923243453747334, 2.2870916703182483e-08),
    "sin(7*x)*y": (0.003109648357374651, 2.8823793016251333e-07),
    "ndtr((0.3-x)/0.1)*ndtr((y-0.2)/0.2)": (0.006219593086187141, 0.008725999898733175),
    "tanh(4*x)/(2+y)": (0.001891636847009024, 0.0006987975348168332),
    "log(x+1.5)*sqrt(y+2)": (4.4127727395422025e-05, 9.394342747204229e-08),
    "(x+2)**y": (1.0365468269537846e-05, 1.467814953336445e-09),
    "(x+1.5)**-2*y": (0.0016699057648468438, 1.6363940548628085e-05),
    "1/(2+x*y)": (1.1208990742207565e-05, 6.893012800062132e-09),
    "exp(x)*abs(y+3)": (1.0289176345904467e-05, 1.143078254281695e-11),
    "(x+1.2)**1.5+(y-2)**-3": (0.00021756509626605887, 1.0387679991766276e-05),
    "tanh(30*(x-y))": (0.45921638540073056, 0.4034652844775256),
    "exp(-40*(x-y)*(x-y))": (0.19777797042374187, 0.08528332942389164),
    "exp(-200*x*x-150*y*y+3)": (29.801011372277088, 9.37057284993117),
}


@pytest.mark.parametrize("text", BOUNDS)
def test_bias_bounds_stay_as_they_are(text):
    target = ExpressionTarget(parse_expression(text, ["x", "y"]))
    for basis, expected in zip((spline_basis(16), chebyshev_basis(20, 2)), BOUNDS[text], strict=True):
        values = target.values(SQUARE, basis.points)
        bias, _ = target.bias(basis, SQUARE, values, basis.fit(values), stderr=1e-4)
        assert bias == pytest.approx(expected, abs=1e-12 * (1 + np.abs(values).max()))


SUMS = [
    "exp(x+y+z)", "exp(3-(x**2+y**2)/2-z)", "exp(x*y+z)", "expit(2*x-y+z/3-0.5)", "cos(3*x-2*y+z+1)", "sin(x-y-z)",
    "sin(2*(x+y)+x)", "exp(400*x+y)", "exp(-350*(x+2)+y)", "expit(900*x-800*y+z)", "cos(x+5)", "exp(2)*x+y*z",
]  # fmt: skip


@pytest.mark.parametrize("text", SUMS)
@pytest.mark.parametrize("names", [["x", "y", "z"], ["z", "x", "y"]], ids="".join)
def test_addition_theorems_give_the_same_values(text, names):
    """On a grid, where they are used, against the same points in a row, where they are not."""
    expression, points = parse_expression(text, names), np.linspace(-1, 1, 23)
    grid = np.meshgrid(points, points, points, indexing="ij")
    plain = evaluate(expression, {name: x.ravel() for name, x in zip(names, grid, strict=True)})
    shapes = [(-1, 1, 1), (1, -1, 1), (1, 1, -1)]
    quick = evaluate(expression, {name: points.reshape(shape) for name, shape in zip(names, shapes, strict=True)})
    np.testing.assert_allclose(np.broadcast_to(quick, (23, 23, 23)).ravel(), plain, rtol=3e-13, atol=1e-13)


AXES = [Axis("x", -1, 1), Axis("y", 1, 9, "log"), Axis("z", 0, 4, "sqrt")]
STEEP = [
    "3*x*y", "x**3*(y+1)**2*z", "exp(-x*x)*tanh(z)", "expit(2*x-0.3*x+1)", "cos(3*x)*sin(y)", "exp(x+y)",
    "exp(-(x-0.2)**2-y/3+2*z-1)", "exp(x+2*x)", "exp(x**0+y)", "exp(x*y+z)", "ndtr(x)*x", "exp(y)*expit(-z)*0.5",
    "log(x)*y", "exp(log(x)+y)", "exp(500*x+y)", "exp(-400*(x+2)+y)",
]  # fmt: skip


@pytest.mark.parametrize("text", STEEP)
@pytest.mark.parametrize("finer", [1, 2])
def test_steepness_is_that_on_all_boxes(text, finer):
    expression = parse_expression(text, ["x", "y", "z"])
    for order in (1, 5, 8):
        calculus = JetCalculus(order, local=finer > 1)
        with np.errstate(all="ignore"):
            whole = _on_all_boxes(calculus, expression, AXES, BOXES[2] * finer)
        expected = [whole.get(axis.name, 0.0) for axis in AXES]
        np.testing.assert_allclose(derivative_bounds(expression, AXES, order, finer=finer), expected, rtol=1e-12)

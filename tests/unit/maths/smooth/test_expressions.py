"""Expressions: what may be written, what is refused, and what it means."""

import numpy as np
import pytest

from hushtable.errors import BadQuestion
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.maths.smooth.expressions import Constant, LinearForm, names_in, parse_expression
from hushtable.maths.smooth.functions import expit, ndtr

KNOWN = ["age", "income", "net worth"]
AT = {"age": np.array([20.0, 50.0]), "income": np.array([3.0, 7.0]), "net worth": np.array([1.0, 2.0])}


def value(text):
    return evaluate(parse_expression(text, KNOWN), AT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age", [20, 50]),
        ("AGE + Income", [23, 57]),
        ("-age", [-20, -50]),
        ("+age - -income", [23, 57]),
        ("age * income / 2", [30, 175]),
        ("2 ** 3 + age * 0", [8, 8]),
        ("income ** 2", [9, 49]),
        ("income ** -1", [1 / 3, 1 / 7]),
        ("2 ** income", [8, 128]),
        ("'net worth' * 10", [10, 20]),
        ("exp(-(age-40)*(age-40)/200)", np.exp([-2.0, -0.5])),
        ("sqrt(income + 1) + abs(age - 30)", [12, 20 + np.sqrt(8)]),
        ("log(age) + sin(income) + cos(income) + tanh(income)", None),
        ("expit(income) + ndtr(income - 5)", None),
        ("1e3", 1000),
        ("((2*age-70)/30 - 0.5) / 0.25", [-6, 2]),
    ],
)
def test_an_expression_means_what_python_means_by_it(text, expected):
    if expected is None:
        table = {"log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "expit": expit, "ndtr": ndtr}
        expected = eval(text, table | AT)  # the test may; the library never does
    np.testing.assert_allclose(value(text), expected, rtol=1e-13)


HOSTILE = [
    "__import__('os').system('true')", "age.__class__", "(lambda: 1)()", "[x for x in (1,)]", "age if age else 1",
    "open('f')", "exec('1')", "eval('1')", "age < 4", "age == 4", "age and income", "not age", "age % 2", "age // 2",
    "age @ age", "age & 1", "~age", "age[0]", "{1: 2}", "f'{age}'", "age := 3", "exp(age, 2)", "exp(x=age)", "exp()",
    "exp", "height", "1j", "True", "None", "...", "exp(*age)", "getattr(age, 'x')", "1(2)", "age income", "9**9**9**9",
    "1/0", "log(0)", "1e999", "sqrt(-1)", "await age", "yield age", "", "   ", "(", "\0", "(" * 300 + "age" + ")" * 300,
    "+" * 5000 + "age", "age" + "+age" * 2000, "print(age)", "exp.__call__(age)", "globals()", "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_anything_else_is_refused_in_one_line(text):
    with pytest.raises(BadQuestion) as caught:
        parse_expression(text, KNOWN)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_name_that_is_close_is_suggested():
    with pytest.raises(BadQuestion, match="Did you mean 'income'"):
        parse_expression("incme", KNOWN)
    with pytest.raises(BadQuestion, match="Did you mean 'tanh'"):
        parse_expression("tahn(age)", KNOWN)


def test_lines_and_constants_are_folded():
    line = parse_expression("((2*age-70)/32-0.5)/0.25", KNOWN)
    assert line == LinearForm("age", slope=0.25, shift=-10.75)
    assert parse_expression("exp(0) + 2*3", KNOWN) == Constant(7.0)
    assert parse_expression("age*1 + 0", KNOWN) == LinearForm("age")
    folded = parse_expression("(age - 3 + age) / 2", KNOWN)
    np.testing.assert_allclose(evaluate(folded, AT), (2 * AT["age"] - 3) / 2)
    np.testing.assert_allclose(value("2 * (age*income + 1) - income/age"), [122 - 3 / 20, 702 - 7 / 50])


def test_names_are_those_used():
    assert names_in(parse_expression("exp(age) * 3 + 'net worth'", KNOWN)) == {"age", "net worth"}


def test_the_normal_distribution_function_is_right():
    from math import erfc, sqrt

    u = np.linspace(-9, 9, 4001)
    right = np.array([erfc(-x / sqrt(2)) / 2 for x in u])
    assert np.abs(ndtr(u) - right).max() < 1e-13
    assert np.isnan(ndtr(np.array([np.nan]))).all()

"""Shortcuts: kernel densities, moments, scores, waves and distribution functions, as expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from functools import reduce

from ...errors import BadQuestion
from ...words import listed, suggestion
from .expressions import Call, Constant, Expression, LinearForm, joined

__all__ = ["SHORTCUTS", "Shortcut", "cdf", "charfn", "kde", "logit", "moment", "read_shortcut"]

Numbers = Mapping[str, float]
# The parts of an answer: usually one without a name, for charfn the real and the imaginary one.
Shortcut = dict[str, Expression]


def kde(point: Numbers, bandwidth: Numbers) -> Shortcut:
    """The kernel density at a point: normal kernels, in rows per unit of every column."""
    bumps: list[Expression] = []
    for name, at in point.items():
        u = _standard(name, at, bandwidth[name])
        bumps.append(Call("exp", joined("*", Constant(-0.5), joined("**", u, Constant(2.0)))))
    height = math.prod(1 / (bandwidth[name] * math.sqrt(2 * math.pi)) for name in point)
    return {"": joined("*", Constant(height), _product(bumps))}


def moment(powers: Numbers) -> Shortcut:
    """The mean of a product of powers."""
    return {"": _product([joined("**", LinearForm(name), Constant(float(p))) for name, p in powers.items()])}


def logit(coefficients: Numbers, intercept: float) -> Shortcut:
    """The mean of the logistic score expit(intercept + sum of coefficient x column)."""
    return {"": Call("expit", joined("+", Constant(intercept), _linear(coefficients)))}


def charfn(frequencies: Numbers) -> Shortcut:
    """The characteristic function: the means of cos and sin of the sum of frequency x column."""
    wave = _linear(frequencies)
    return {"cos": Call("cos", wave), "sin": Call("sin", wave)}


def cdf(point: Numbers, softness: Numbers) -> Shortcut:
    """The share of rows below a point in every column, each step softened to a normal distribution function."""
    steps: list[Expression] = [
        Call("ndtr", joined("*", Constant(-1.0), _standard(n, at, softness[n]))) for n, at in point.items()
    ]
    return {"": _product(steps)}


def _standard(name: str, at: float, width: float) -> Expression:
    return joined("/", joined("-", LinearForm(name), Constant(at)), Constant(width))


def _product(parts: list[Expression]) -> Expression:
    return reduce(lambda a, b: joined("*", a, b), parts)


def _linear(coefficients: Numbers) -> Expression:
    terms = [joined("*", Constant(c), LinearForm(name)) for name, c in coefficients.items()]
    return reduce(lambda a, b: joined("+", a, b), terms)


# Name, the example that errors show, and the word for its width (a number, or one for each column) if it has one.
SHORTCUTS: dict[str, tuple[str, str | None]] = {
    "kde": ("kde(age=40, income=50000, bandwidth=[5, 8000])", "bandwidth"),
    "moment": ("moment(age=1, income=2)", None),
    "logit": ("logit(age=0.05, income=-0.0001, intercept=-1)", "intercept"),
    "charfn": ("charfn(age=0.1)", None),
    "cdf": ("cdf(age=40, softness=2)", "softness"),
}


def read_shortcut(name: str, inner: str, known: list[str], usual: Callable[[str, float], float]) -> Shortcut:
    """The shortcut a text such as kde(age=40, bandwidth=5) means; `usual` gives the width of a column at a point."""
    example, extra = SHORTCUTS[name]
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or len(inner) > 2000:
            raise ValueError
        given = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise BadQuestion(f"cannot read {name}({' '.join(inner.split())[:60]}); write it like {example}") from None
    width = given.pop(extra, None) if extra else None
    columns = {_known(key, known): _number(name, key, value, example) for key, value in given.items()}
    if not columns or len(columns) < len(given):
        raise BadQuestion(f"{name} names each column once; write it like {example}")
    if name == "moment":
        if any(p != int(p) or not 0 <= p <= 20 for p in columns.values()):
            raise BadQuestion(f"powers are whole numbers from 0 to 20; write it like {example}")
        return moment(columns)
    if name == "charfn":
        return charfn(columns)
    if name == "logit":
        return logit(columns, 0.0 if width is None else _number(name, "intercept", width, example))
    widths = _widths(name, str(extra), width, columns, usual)
    return kde(columns, widths) if name == "kde" else cdf(columns, widths)


def _known(key: str, known: list[str]) -> str:
    for name in known:
        if name.lower() == key.lower():
            return name
    raise BadQuestion(f"no smooth column '{key[:60]}'; this synopsis has {listed(known)}.{suggestion(key, known)}")


def _number(name: str, key: str, value: object, example: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise BadQuestion(f"{key} of {name} is a number; write it like {example}")


def _widths(name: str, word: str, given: object, point: Numbers, usual: Callable[[str, float], float]) -> Numbers:
    """One width a column: given for each, one for all, or what the release resolves at the point."""
    if given is None:
        return {column: usual(column, at) for column, at in point.items()}
    many = list(given) if isinstance(given, (list, tuple)) else [given] * len(point)
    if len(many) != len(point):
        raise BadQuestion(f"{name} has {len(point)} columns and {len(many)} numbers in {word}; give one, or one each")
    widths = {column: _number(name, word, value, SHORTCUTS[name][0]) for column, value in zip(point, many, strict=True)}
    if min(widths.values()) <= 0:
        raise BadQuestion(f"{word} must be above 0, in the column's own units")
    return widths

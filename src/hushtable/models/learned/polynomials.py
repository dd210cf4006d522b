"""Polynomials: predictors by the published learners as plain values and whole numbers of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...maths.learning.polynomial_predictor import PolynomialPredictor
from ...maths.learning.products import MOST_PRODUCTS, QuestionBits, number_of_products
from ...maths.learning.spoken import Spoken

__all__ = ["MOST_CELLS", "RULES", "polynomial_lengths", "polynomial_parameters", "question_bits", "read_polynomials"]

Integers = NDArray[np.int64]
# More thresholds than these are not learned.
MOST_CELLS, MOST_DEGREE = 3000, 64
RULES = ("dnf", "all_of", "any_of")
KEYS = {"degree", "signs", "count", "width", "cells", "stopped"}
DAMAGED = "the synopsis has polynomials whose numbers do not fit each other"


def question_bits(name: str, own: bool, language: Spoken | None) -> QuestionBits:
    """How questions of a language become zeros and ones."""
    if own or name not in RULES or language is None:
        return QuestionBits()
    return QuestionBits(language.sizes, opposite=name == "any_of")


def polynomial_parameters(made: PolynomialPredictor | None) -> dict[str, Any]:
    """Everything but the coefficients."""
    if made is None:
        return {}
    count, width = made.coefficients.shape
    own = {"degree": made.degree, "signs": made.signs, "count": count, "width": width, "cells": made.cells}
    return {"polynomials": own | {"stopped": made.stopped}}


def polynomial_lengths(parameters: dict[str, Any]) -> dict[str, int]:
    """How many coefficients there are."""
    given = parameters.get("polynomials")
    if given is None:
        return {}
    if not isinstance(given, dict) or given.keys() != KEYS or type(given["signs"]) is not bool:
        raise BadSynopsis(DAMAGED)
    return {"coefficients": _whole(given["count"], MOST_CELLS) * _whole(given["width"], MOST_PRODUCTS)}


def read_polynomials(
    parameters: dict[str, Any], numbers: dict[str, Integers], bits: QuestionBits
) -> PolynomialPredictor | None:
    """The predictor; BadSynopsis where its numbers do not fit the questions."""
    given = parameters.get("polynomials")
    if given is None:
        return None
    degree, cells, stopped = _whole(given["degree"], MOST_DEGREE), given["cells"], given["stopped"]
    columns = sum(bits.sizes) if bits.rules else parameters["length"]
    if number_of_products(columns, degree) != given["width"]:
        raise BadSynopsis(DAMAGED)
    if given["count"] != (1 if cells is None else _whole(cells, MOST_CELLS + 1) - 1):
        raise BadSynopsis(DAMAGED)
    if stopped is not None and (cells is None or _whole(stopped, cells - 1) != stopped):
        raise BadSynopsis(DAMAGED)
    table = numbers["coefficients"].reshape(given["count"], given["width"])
    return PolynomialPredictor(bits, degree, given["signs"], table, cells=cells, stopped=stopped)


def _whole(given: Any, most: int) -> int:
    if type(given) is not int or not 1 <= given <= most:
        raise BadSynopsis(DAMAGED)
    return given

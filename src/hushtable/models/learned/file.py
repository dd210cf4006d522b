"""The file of a learned model: plain values and whole numbers, and back."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadPlan, BadSynopsis
from ...maths.learning.language import MOST_STEPS
from ...maths.learning.spoken import Spoken
from ...questions.workloads.learned import BUILT_IN, MOST_QUESTIONS, Learned
from ..linear.low_order import LowOrderModel
from ..reading import noise_scale, read_law
from .built_in import MOST_KEPT, BuiltIn
from .polynomials import polynomial_lengths, polynomial_parameters, question_bits, read_polynomials

if TYPE_CHECKING:
    from .learned import LearnedModel

__all__ = ["lengths_of", "numbers_of", "parameters_of", "read_fields"]

Integers = NDArray[np.int64]
MOST_LENGTH, MOST_ROWS, MOST_PICKLED = 4096, MOST_KEPT, 20_000_000
DAMAGED = "the synopsis has a learned language whose numbers do not fit each other"


def parameters_of(model: LearnedModel) -> dict[str, Any]:
    """Everything but the numbers."""
    fit = model.built_in
    rules = {} if model.own or model.name == "parities" else dict(
        zip(("terms", "width"), model.questions[0, :2].tolist(), strict=True)
    )  # fmt: skip
    return {
        "language": model.name,
        "own": model.own,
        **rules,
        "columns": list(model.positions),
        "seed": model.seed,
        "holdout": model.holdout,
        "law": model.law,
        "scale": str(model.scale),
        "rows_scale": str(model.rows_scale),
        "steps": model.steps,
        "questions": len(model.questions),
        "length": model.questions.shape[1],
        "public_rows": len(fit.rows),
        "spread": fit.spread,
        "tables": model.tables.parameters(),
    } | _more(model)  # fmt: skip


def _more(model: LearnedModel) -> dict[str, Any]:
    """What most files have not."""
    fit = model.built_in
    kernel = {} if fit.shrink is None else {"shrink": fit.shrink}
    pickled = {} if model.pickled is None else {"pickled": len(model.pickled)}
    return kernel | ({"even": True} if fit.even else {}) | polynomial_parameters(model.polynomials) | pickled


def numbers_of(model: LearnedModel) -> dict[str, Integers]:
    """Questions, groups, noisy sums, tables, and the predictor."""
    fit = model.built_in
    own = {
        "questions": model.questions.ravel(),
        "groups": model.groups,
        "sums": model.sums,
        "interactions": model.tables.coordinates,
        "rows": fit.rows.ravel(),
        "weights": fit.weights,
    }
    if model.polynomials is not None:
        own["coefficients"] = model.polynomials.coefficients.ravel()
    if model.pickled is not None:
        own["pickled"] = np.frombuffer(model.pickled, dtype=np.uint8).astype(np.int64)
    return own


def lengths_of(domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
    """How many numbers each member has."""
    questions = _whole(parameters["questions"], 1, MOST_QUESTIONS)
    length, rows = _whole(parameters["length"], 1, MOST_LENGTH), _whole(parameters["public_rows"], 0, MOST_ROWS)
    columns = _columns(domain, parameters["columns"])
    own = {
        "questions": questions * length,
        "groups": questions,
        "sums": 1 + questions,
        "rows": rows * len(columns) if rows else 0,
        "weights": rows,
        **LowOrderModel.lengths(domain, _plain(parameters["tables"])),
        **polynomial_lengths(parameters),
    }
    return own | ({"pickled": _whole(parameters["pickled"], 1, MOST_PICKLED)} if "pickled" in parameters else {})


def read_fields(domain: Domain, parameters: dict[str, Any], numbers: dict[str, Integers]) -> dict[str, Any]:
    """The fields of the model; BadSynopsis where they do not fit each other."""
    law, columns = read_law(parameters["law"]), _columns(domain, parameters["columns"])
    own, name = parameters["own"] is True, parameters["language"]
    if not isinstance(name, str) or not name.isidentifier():
        raise BadSynopsis(DAMAGED)
    questions = numbers["questions"].reshape(parameters["questions"], parameters["length"])
    language = None if own else _language(domain, parameters, questions, columns)
    pickled = numbers.get("pickled")
    if pickled is not None and (pickled.min() < 0 or pickled.max() > 255):
        raise BadSynopsis(DAMAGED)
    tables = LowOrderModel.build(domain, _plain(parameters["tables"]), {"interactions": numbers["interactions"]})
    return {
        "name": name,
        "own": own,
        "positions": columns,
        "language": language,
        "seed": _whole(parameters["seed"], 0, 2**32 - 1),
        "holdout": _share(parameters["holdout"]),
        "law": law,
        "scale": _above_zero(noise_scale(parameters["scale"], law, unit=MOST_STEPS)),
        "rows_scale": noise_scale(parameters["rows_scale"], law),
        "steps": _whole(parameters["steps"], 1, MOST_STEPS),
        "questions": questions,
        "groups": numbers["groups"],
        "sums": numbers["sums"],
        "tables": tables,
        "built_in": _built_in(domain, parameters, numbers, columns),
        "polynomials": read_polynomials(parameters, numbers, question_bits(name, own, language)),
        "pickled": None if pickled is None else pickled.astype(np.uint8).tobytes(),
        "complaint": "" if pickled is None else "the learner of this release is code, which is run on request alone",
    }


def _language(domain: Domain, parameters: dict[str, Any], questions: Integers, columns: tuple[int, ...]) -> Spoken:
    name, terms, width = parameters["language"], parameters.get("terms"), parameters.get("width")
    given: dict[str, dict[str, Any]] = {
        "dnf": {"terms": terms, "width": width},
        "all_of": {"width": width},
        "any_of": {"width": terms},
    }
    if name not in BUILT_IN:
        raise BadSynopsis(DAMAGED)
    try:
        made = Learned(name, **given.get(name, {})).spoken(domain)
    except BadPlan as error:
        raise BadSynopsis(str(error)) from None
    if made.positions != columns or not made.language.understands(questions):
        raise BadSynopsis(DAMAGED)
    return made


def _built_in(
    domain: Domain, parameters: dict[str, Any], numbers: dict[str, Integers], columns: tuple[int, ...]
) -> BuiltIn:
    rows = numbers["rows"].reshape(-1, len(columns))
    sizes = np.array([domain.sizes[p] for p in columns])
    if len(rows) and (rows.min() < 0 or (rows >= sizes).any()):
        raise BadSynopsis(DAMAGED)
    spread, shrink = parameters["spread"], parameters.get("shrink")
    for given in (spread, *([] if shrink is None else [shrink])):
        if type(given) not in (int, float) or not isfinite(given) or not 0 < given < 1e6:
            raise BadSynopsis(DAMAGED)
    even = parameters.get("even", False)
    if even and (even is not True or shrink is not None or not _two_valued(domain, parameters, columns)):
        raise BadSynopsis(DAMAGED)
    if not even and (shrink is None) != bool(len(rows)):
        raise BadSynopsis(DAMAGED)
    return BuiltIn(rows=rows, weights=numbers["weights"], spread=float(spread), shrink=shrink, even=even)


def _two_valued(domain: Domain, parameters: dict[str, Any], columns: tuple[int, ...]) -> bool:
    """Whether questions are parities, which alone count unknown rows as even."""
    return parameters["language"] == "parities" and all(domain.sizes[p] == 2 for p in columns)


def _plain(given: Any) -> dict[str, Any]:
    """The tables of a learned release are plain ones."""
    if not isinstance(given, dict) or given.keys() != {"order", "law", "group_scales", "width", "basis"}:
        raise BadSynopsis(DAMAGED)
    return given


def _columns(domain: Domain, given: Any) -> tuple[int, ...]:
    columns = tuple(given)
    known = all(type(p) is int and 0 <= p < len(domain.sizes) for p in columns)
    if not columns or not known or len(set(columns)) < len(columns):
        raise BadSynopsis("the synopsis names attributes that its domain does not have")
    return columns


def _whole(given: Any, least: int, most: int) -> int:
    if type(given) is not int or not least <= given <= most:
        raise BadSynopsis(DAMAGED)
    return given


def _share(given: Any) -> float:
    if type(given) is not float or not 0 < given <= 0.5:
        raise BadSynopsis(DAMAGED)
    return given


def _above_zero(scale: Fraction) -> Fraction:
    if scale <= 0:
        raise BadSynopsis(DAMAGED)
    return scale

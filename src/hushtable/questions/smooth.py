"""Smooth questions: `avg(formula)`, shortcuts and quantiles, with WHERE and GROUP BY about categories."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from ..domain import Domain
from ..domain.conditions import LONGEST
from ..domain.predicate import Predicate
from ..errors import BadQuestion, CutInsideBin
from ..maths.smooth.expressions import Constant, Expression, parse_expression
from ..maths.smooth.shortcuts import SHORTCUTS, Shortcut, read_shortcut
from .measure import COUNT
from .parse import parse

__all__ = ["QuantileOf", "SmoothQuestion", "parse_smooth"]

CALL = re.compile(rf"\b(avg|quantile|{'|'.join(SHORTCUTS)})\s*\(", re.IGNORECASE)
BRACKET = re.compile(r"[()]")
FORMS = (
    "avg(formula), kde(...), moment(...), logit(...), charfn(...), cdf(...) or quantile(column, level), "
    "then WHERE and GROUP BY about categories; or SELECT ... FROM table ..."
)


@dataclass(frozen=True, kw_only=True)
class QuantileOf:
    """The value of a column below which a share of the rows lies, with the step softened by `softness`."""

    column: str
    level: float
    softness: float | None


@dataclass(frozen=True, kw_only=True)
class SmoothQuestion:
    """What is asked: the mean of formulas (charfn has two), or a quantile, of the rows that WHERE keeps."""

    text: str
    parts: Shortcut
    where: Predicate | None = None
    groups: tuple[int, ...] = ()
    quantile: QuantileOf | None = None
    share: bool = False
    """Whether it asks for a share of rows: a condition on categories and no formula."""
    notes: tuple[str, ...] = ()
    """Remarks on what was asked, such as a value that no row can have; an answer carries them."""


def parse_smooth(text: str, domain: Domain, known: list[str], usual: Callable[[str, float], float]) -> SmoothQuestion:
    """The question a text asks of the smooth columns `known`; BadQuestion says what is wrong with it."""
    if len(text) > LONGEST:
        raise BadQuestion(f"the question has {len(text):,} characters; write {FORMS} in at most {LONGEST:,}")
    call = _call(text)
    if call is None:
        asked = parse(text, domain)
        if asked.measure != COUNT:
            raise BadQuestion(f"cannot read the question; write {FORMS}")
        everybody: Shortcut = {"": Constant(1.0)}
        return SmoothQuestion(text=text, parts=everybody, where=asked.where, groups=asked.groups, share=True,
                              notes=asked.notes)  # fmt: skip
    name, before, inner, after = call
    try:
        where, groups, notes = _rest(before, after, domain)
    except CutInsideBin as error:
        if error.name not in known:
            raise
        raise BadQuestion(
            f"{error.name} is a smooth column, so WHERE cannot cut it; soften the step inside the formula, as in "
            f"avg(ndtr((40-{error.name})/2)), or ask cdf({error.name}=40)"
        ) from None
    if name == "quantile":
        if groups:
            raise BadQuestion("quantile takes WHERE but no GROUP BY; ask for one group at a time")
        quantile = _quantile(inner, known)
        return SmoothQuestion(text=text, parts={}, where=where, quantile=quantile, notes=notes)
    parts: dict[str, Expression] = (
        {"": parse_expression(inner, known)} if name == "avg" else read_shortcut(name, inner, known, usual)
    )
    return SmoothQuestion(text=text, parts=parts, where=where, groups=groups, notes=notes)


def _call(text: str) -> tuple[str, str, str, str] | None:
    """Function name, what stands before it, between its brackets, and after them; None when there is none."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: "_" * len(quoted.group()), text)
    start = CALL.search(bare)
    if start is None:
        return None
    depth = 1
    for bracket in BRACKET.finditer(bare, start.end()):
        end = bracket.start()
        depth += 1 if bare[end] == "(" else -1
        if depth == 0:
            return start.group(1).lower(), text[: start.start()], text[start.end() : end], text[end + 1 :]
    raise BadQuestion(f"the bracket after {start.group(1)} is never closed; write {FORMS}")


def _rest(before: str, after: str, domain: Domain) -> tuple[Predicate | None, tuple[int, ...], tuple[str, ...]]:
    """The condition, the groups and the remarks, read as those of a count."""
    if not before.strip() and not after.strip():
        return None, (), ()
    words = after.split()
    if not before.strip():
        if words[0].upper() not in ("WHERE", "GROUP", "FROM"):
            raise BadQuestion(f"expected WHERE or GROUP BY after the formula, not {words[0][:40]!r}; write {FORMS}")
        table = domain.table.replace('"', '""')
        before, after = "SELECT ", after if words[0].upper() == "FROM" else f' FROM "{table}" {after}'
    elif before.split()[0].upper() != "SELECT":
        raise BadQuestion(
            f"expected SELECT or nothing before the formula, not {before.split()[0][:40]!r}; write {FORMS}"
        )
    asked = parse(f"{before}count(*){after}", domain)
    return asked.where, asked.groups, asked.notes


def _quantile(inner: str, known: list[str]) -> QuantileOf:
    """quantile(column, level) or quantile(column, level, softness=2)."""
    form = "quantile(age, 0.5), or quantile(age, 0.5, softness=2)"
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        if not isinstance(call, ast.Call) or len(call.args) != 2 or len(inner) > 2000:
            raise ValueError
        level = float(ast.literal_eval(call.args[1]))
        given = {str(k.arg): float(ast.literal_eval(k.value)) for k in call.keywords}
        softness = given.pop("softness", None)
        if given:
            raise ValueError
        name = ast.unparse(call.args[0]).strip("'\"")
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError):
        raise BadQuestion(f"cannot read quantile({' '.join(inner.split())[:60]}); write {form}") from None
    column = parse_expression(repr(name), known)
    if not 0 < level < 1:
        raise BadQuestion(f"the level of a quantile lies between 0 and 1 (the median is 0.5), not {level:g}")
    if softness is not None and not (softness > 0 and math.isfinite(softness)):
        raise BadQuestion("softness must be above 0, in the column's own units")
    return QuantileOf(column=column.name, level=level, softness=softness)  # type: ignore[union-attr]

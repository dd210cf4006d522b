"""From the evaluation of lists to answers: units, error bars, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..questions.answer import Floats, Limits, ListAnswer, ListTable, interval_factor
from ..questions.lists import KeyBatch, Listed, Lists, Top
from ..words import readable

if TYPE_CHECKING:
    from ..domain import Domain
    from ..laws import Law
    from .bucket_errors import BucketErrors
    from .frequent import Frequent
    from .key_columns import KeyColumns

__all__ = ["Above", "Evaluation", "ListModel", "answer_list", "answer_lists", "answer_top"]

# Keys that are looked up together.
BLOCK = 200_000
SHARED = "values of the list share buckets of the sketch: it is longer than a tenth of them, and errors grow"


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """Value and errors of some lists, in rows."""

    value: Floats
    noise: Floats
    collision: Floats
    bias: Floats
    fourth: Floats
    """Fourth cumulant of the noise."""
    values: Floats | None = None
    """As how many values of equal weight each list counts, where its error is that of a sum of so many buckets."""
    above: Above | None = None
    """Where the bias was read from noisy numbers: the noise of value + bias, which the truth is below."""

    @classmethod
    def of_nothing(cls) -> Evaluation:
        """No lists."""
        none = np.zeros(0)
        return cls(value=none, noise=none, collision=none, bias=none, fourth=none)


@dataclass(frozen=True, eq=False, kw_only=True)
class Above:
    """The noise of an upper limit: variance, fourth cumulant and share of the noise of the number of rows."""

    variance: Floats
    fourth: Floats
    lean: Floats


class ListModel(Protocol):
    """What a model of lists provides."""

    domain: Domain
    columns: KeyColumns
    law: Law

    @property
    def bucket_errors(self) -> BucketErrors | None:
        """The law of the error of a sum of buckets, if there are buckets."""

    @property
    def rows(self) -> float:
        """The number of rows."""

    @property
    def rows_variance(self) -> float:
        """Variance of the noise in it."""

    @property
    def rows_fourth(self) -> float:
        """Fourth cumulant of that noise."""

    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        """Value and errors of each list."""

    def too_long(self, flat: KeyBatch) -> bool:
        """Whether a warning is due."""


def answer_list(model: ListModel, question: Listed, *, count: bool) -> ListAnswer:
    """One list."""
    flat = model.columns.flat([question.values])
    found = _in_unit(model, model.evaluate(flat, rare_is_zero=question.rare_is_zero), count=count)
    limits = _limits(model, found, count=count)
    only: dict[str, Any] = {name: float(column[0]) for name, column in found.items()}
    notes = (
        [
            f"standard error {readable(only['stderr'])}: noise {readable(only['noise'])}, collisions of the hash "
            f"{readable(only['collision'])} (rare and large; estimated from the buckets, not a bound)"
        ]
        if only["collision"]
        else []
    )
    notes += [SHARED] if model.too_long(flat) else []
    if only["bias"]:
        notes.append(
            "values that are not on the list of frequent ones count as absent; the bias says what that may hide"
        )
    unit: Any = "count" if count else "fraction"
    name = question.text or f"IN a list of {len(flat.keys):,}"
    return ListAnswer(question=name, unit=unit, estimator="exact", notes=tuple(notes), limits=limits, **only)


def answer_lists(model: ListModel, question: Lists, *, count: bool) -> ListTable:
    """Many lists, a row each."""
    parts, notes = [_in_unit(model, Evaluation.of_nothing(), count=count)], set[str]()
    for block in _blocks(question.lists.values()):
        flat = model.columns.flat(block)
        parts.append(_in_unit(model, model.evaluate(flat), count=count))
        notes |= {SHARED} if model.too_long(flat) else set()
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    names = {"list": tuple(map(str, question.lists))}
    return _table(model, f"{len(names['list']):,} lists", names, found, tuple(notes), count=count)


def _blocks(lists: Iterable[Any]) -> Iterator[list[Any]]:
    """A few lists at a time: arrays that stay in a core's cache are much faster than long ones."""
    block, size = [], 0
    for one in lists:
        values = one if isinstance(one, (Mapping, list, str, bytes)) else list(one)
        block.append(values)
        size += len(values)
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def answer_top(model: ListModel, question: Top, frequent: Frequent, *, count: bool) -> ListTable:
    """The values of the list of frequent ones with the largest counts, each with its interval."""
    texts = frequent.texts
    flat = KeyBatch(frequent.keys, np.ones(len(texts)), np.arange(len(texts) + 1))
    found = _in_unit(model, model.evaluate(flat), count=count)
    order = np.argsort(-found["value"], kind="stable")[: question.count]
    labels = {
        a.name: tuple("missing" if texts[i][j] is None else str(texts[i][j]) for i in order)
        for j, a in enumerate(model.columns.attributes)
    }
    notes = ["ranked by noisy counts; each interval holds on its own"]
    if len(order) < question.count:
        notes.append(f"only {len(texts):,} values are on the list of frequent ones")
    return _table(model, question.text, labels, {k: v[order] for k, v in found.items()}, tuple(notes), count=count)


def _table(
    model: ListModel,
    text: str,
    groups: dict[str, tuple[str, ...]],
    found: dict[str, Any],
    notes: tuple[str, ...],
    *,
    count: bool,
) -> ListTable:
    unit: Any = "count" if count else "fraction"
    limits = _limits(model, found, count=count)
    return ListTable(question=text, unit=unit, groups=groups, law=model.law, notes=notes, limits=limits, **found)


def _limits(model: ListModel, found: dict[str, Floats], *, count: bool) -> Limits | None:
    """The ends of the intervals where the law of bucket errors says them; takes what only they need out of `found`.

    A fraction f of the rows is ruled out if value - f x rows is too large for the noise of both [Fie54].
    """
    values = found.pop("values")
    errors = model.bucket_errors
    if errors is None or not values.any():
        return None
    rows, spread = (1.0, 0.0) if count else (model.rows, model.rows_variance**0.5)
    value, shared = found["value"] * rows, np.abs(found["value"]) * spread
    noise, both = (np.sqrt(np.maximum((found[name] * rows) ** 2 - shared**2, 0.0)) for name in ("noise", "stderr"))

    def ends(confidence: float) -> tuple[Floats, Floats]:
        normal = interval_factor(confidence)
        # Collisions come on top of the noise, whose size is known and not learnt.
        half = np.maximum(errors.reach(confidence, values) * both, normal * noise)
        left = rows**2 - (normal * spread) ** 2
        if left <= 0:
            return np.minimum(0.0, found["value"]), np.maximum(1.0, found["value"])
        turn = np.sqrt(half**2 * left + (normal * spread * value) ** 2)
        return (value * rows - turn) / left, (value * rows + turn) / left

    return ends


def _in_unit(model: ListModel, found: Evaluation, *, count: bool) -> dict[str, Floats]:
    """Counts as they are; fractions of a noisy number of rows with its first-order error.

    A fraction of value / rows has `ratio` less of the noise of the number of rows than its count.
    """
    rows = 1.0 if count else model.rows
    ratio = np.zeros_like(found.value) if count else found.value / rows
    variance, fourth = _with_rows(model, found.noise**2, found.fourth, -ratio)
    if found.above is not None:
        # Each end of the interval needs the noise of its own limit; the wider of the two serves both.
        end, more = _with_rows(model, found.above.variance, found.above.fourth, found.above.lean - ratio)
        fourth = np.where(end > variance, more, fourth)
        variance = np.maximum(end, variance)
    noise = np.sqrt(variance)
    stderr = np.sqrt(variance + found.collision**2)
    kurtosis = np.divide(fourth, stderr**4, out=np.zeros_like(stderr), where=stderr > 0)
    parts = {"value": found.value, "stderr": stderr, "bias": found.bias, "noise": noise, "collision": found.collision}
    values = np.zeros_like(found.value) if found.values is None else found.values
    return {name: column / rows for name, column in parts.items()} | {"kurtosis": kurtosis, "values": values}


def _with_rows(model: ListModel, variance: Floats, fourth: Floats, lean: Floats) -> tuple[Floats, Floats]:
    """Variance and fourth cumulant with `lean` times the noise of the number of rows."""
    return variance + lean**2 * model.rows_variance, fourth + lean**4 * model.rows_fourth

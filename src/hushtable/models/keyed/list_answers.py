"""Answers about lists of values: from their evaluation to units, error bars and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...questions.answer import Floats, Limits, ListAnswer, ListTable, interval_factor
from ...questions.lists import KeyBatch, Listed, Lists, Top
from ...words import readable
from ..build_answer import Estimates, Labels, Wording, build_list_answer, unit_of
from ..limits import OfNoisyRows, fieller
from .evaluation import Evaluation

if TYPE_CHECKING:
    from .keyed import KeyedModel

__all__ = ["answer_list", "answer_lists", "answer_top"]

# Keys that are looked up together.
BLOCK = 200_000
SHARED = "values of the list share buckets of the sketch: it is longer than a tenth of them, and errors grow"


def answer_list(model: KeyedModel, question: Listed, *, count: bool) -> ListAnswer:
    """One list."""
    flat = model.columns.flat([question.values])
    numbers = _in_unit(model, model.evaluate(flat, rare_is_zero=question.rare_is_zero), count=count)
    stderr, noise, collision = (float(numbers[name][0]) for name in ("stderr", "noise", "collision"))
    notes = (
        [
            f"standard error {readable(stderr)}: noise {readable(noise)}, collisions of the hash "
            f"{readable(collision)} (rare and large; estimated from the buckets, not a bound)"
        ]
        if collision
        else []
    )
    notes += [SHARED] if model.too_long(flat) else []
    if numbers["bias"][0]:
        notes.append(
            "values that are not on the list of frequent ones count as absent; the bias says what that may hide"
        )
    text = question.text or f"IN a list of {len(flat.keys):,}"
    return cast(ListAnswer, _answer(model, text, None, numbers, tuple(notes), count=count))


def answer_lists(model: KeyedModel, question: Lists, *, count: bool) -> ListTable:
    """Many lists, a row each."""
    parts, notes = [_in_unit(model, Evaluation.of_nothing(), count=count)], set[str]()
    for block in _blocks(question.lists.values()):
        flat = model.columns.flat(block)
        parts.append(_in_unit(model, model.evaluate(flat), count=count))
        notes |= {SHARED} if model.too_long(flat) else set()
    numbers = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    names = {"list": tuple(map(str, question.lists))}
    text = f"{len(names['list']):,} lists"
    return cast(ListTable, _answer(model, text, names, numbers, tuple(notes), count=count))


def _blocks(lists: Iterable[Any]) -> Iterator[list[Any]]:
    """A few lists at a time: arrays that stay in a core's cache are much faster than long ones."""
    block, size = [], 0
    for given in lists:
        values = given if isinstance(given, (Mapping, list, str, bytes)) else list(given)
        block.append(values)
        size += len(values)
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def answer_top(model: KeyedModel, question: Top, *, count: bool) -> ListTable:
    """The values of the list of frequent ones with the largest counts, each with its interval."""
    texts = model.frequent.texts
    flat = KeyBatch(model.frequent.keys, np.ones(len(texts)), np.arange(len(texts) + 1))
    numbers = _in_unit(model, model.evaluate(flat), count=count)
    order = np.argsort(-numbers["value"], kind="stable")[: question.count]
    labels = {
        a.name: tuple("missing" if texts[i][j] is None else str(texts[i][j]) for i in order)
        for j, a in enumerate(model.columns.attributes)
    }
    notes = ["ranked by noisy counts; each interval holds on its own"]
    if len(order) < question.count:
        notes.append(f"only {len(texts):,} values are on the list of frequent ones")
    ranked = {name: column[order] for name, column in numbers.items()}
    return cast(ListTable, _answer(model, question.text, labels, ranked, tuple(notes), count=count))


def _answer(
    model: KeyedModel,
    text: str,
    groups: Labels | None,
    numbers: dict[str, Floats],
    notes: tuple[str, ...],
    *,
    count: bool,
) -> ListAnswer | ListTable:
    wording = Wording(question=text, unit=unit_of(count=count), law=model.law, groups=groups, notes=notes)
    estimates = Estimates(
        value=numbers["value"],
        stderr=numbers["stderr"],
        bias=numbers["bias"],
        kurtosis=numbers["kurtosis"],
        limits=_limits(model, numbers, count=count),
        parts={name: numbers[name] for name in ("noise", "collision")},
    )
    return build_list_answer(wording, estimates)


def _limits(model: KeyedModel, numbers: dict[str, Floats], *, count: bool) -> Limits | None:
    """The ends of the intervals where the law of bucket errors says them, or where the number of rows is noisy too.

    A fraction f of the rows is ruled out if value - f x rows is too large for the noise of both [Fie54].
    """
    values, errors = numbers["values"], model.bucket_errors
    rows, spread = (1.0, 0.0) if count else (model.rows, model.rows_variance**0.5)
    if errors is None or not values.any():
        if not spread or numbers["bias"].any():
            return None
        given = {name: numbers[name] for name in ("value", "stderr", "kurtosis", "bias")}
        return OfNoisyRows(**given, rows=rows, spread=spread)
    shared = np.abs(numbers["value"]) * spread
    noise, both = (np.sqrt(np.maximum((numbers[name] * rows) ** 2 - shared**2, 0.0)) for name in ("noise", "stderr"))

    def ends(confidence: float) -> tuple[Floats, Floats]:
        normal = interval_factor(confidence)
        # Collisions come on top of the noise, whose size is known and not learnt.
        half = np.maximum(errors.half_widths(confidence, values) * both, normal * noise)
        low, high = fieller(numbers["value"], half, normal * spread, rows)
        sure = np.isfinite(low)
        all_of_it = np.minimum(0.0, numbers["value"]), np.maximum(1.0, numbers["value"])
        return np.where(sure, low, all_of_it[0]), np.where(sure, high, all_of_it[1])

    return ends


def _in_unit(model: KeyedModel, lists: Evaluation, *, count: bool) -> dict[str, Floats]:
    """Counts as they are; fractions of a noisy number of rows with its first-order error.

    A fraction of value / rows has `ratio` less of the noise of the number of rows than its count.
    """
    rows = 1.0 if count else model.rows
    ratio = np.zeros_like(lists.value) if count else lists.value / rows
    variance, fourth = _with_rows(model, lists.noise**2, lists.fourth, -ratio)
    if lists.above is not None:
        # Each end of the interval needs the noise of its own limit; the wider of the two serves both.
        end, more = _with_rows(model, lists.above.variance, lists.above.fourth, lists.above.lean - ratio)
        fourth = np.where(end > variance, more, fourth)
        variance = np.maximum(end, variance)
    noise = np.sqrt(variance)
    stderr = np.sqrt(variance + lists.collision**2)
    kurtosis = np.divide(fourth, stderr**4, out=np.zeros_like(stderr), where=stderr > 0)
    parts = {"value": lists.value, "stderr": stderr, "bias": lists.bias, "noise": noise, "collision": lists.collision}
    values = np.zeros_like(lists.value) if lists.values is None else lists.values
    return {name: column / rows for name, column in parts.items()} | {"kurtosis": kurtosis, "values": values}


def _with_rows(model: KeyedModel, variance: Floats, fourth: Floats, lean: Floats) -> tuple[Floats, Floats]:
    """Variance and fourth cumulant with `lean` times the noise of the number of rows."""
    return variance + lean**2 * model.rows_variance, fourth + lean**4 * model.rows_fourth

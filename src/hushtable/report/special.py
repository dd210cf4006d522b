"""What a report shows of releases that are no tables of columns: frequent values, smooth columns, decision lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

import numpy as np

from ..errors import BadQuestion
from ..models.base import Model
from ..models.decision_lists import DecisionListsModel
from ..models.keyed import KeyedModel
from ..models.list_counts import ListCountsModel
from ..models.smooth import SmoothModel
from ..models.smooth_direct import SmoothDirectModel
from ..questions.answer import Answer, CrossTab
from ..questions.answer_forms import measured
from ..questions.lists import Lists
from ..synopsis import Synopsis
from ..synopsis.density import density
from ..words import counted
from .page import facts_table, figures, section
from .pictures import bars, line

__all__ = ["special_sections"]

MOST_VALUES, MOST_LISTS, MOST_COLUMNS = 24, 24, 20
LEVELS = ("0.05", "0.25", "0.5", "0.75", "0.95")
LENGTHS = (1, 10, 100)
MOST_COMBINATIONS = 2000


def special_sections(synopsis: Synopsis) -> list[str]:
    """The sections of a release with questions of its own; none for tables of columns."""
    model = synopsis.model
    if isinstance(model, ListCountsModel):
        return _lists(model)
    if isinstance(model, KeyedModel):
        return [*_frequent(model), *_lengths(model)]
    if isinstance(model, SmoothModel):
        return [*_smooth(synopsis, model), *_categories(model)]
    if isinstance(model, SmoothDirectModel):
        return [_asked("Released means", model, [f"avg({text})" for text in model.examples])]
    if isinstance(model, DecisionListsModel):
        return [_decisions(model)]
    return []


def _bars(found: CrossTab, name: str) -> str:
    """One bar a group, named by all its labels."""
    labels = [", ".join(parts) for parts in zip(*found.groups.values(), strict=True)]
    low, high = found.interval(0.95)
    return bars(labels, found.value, (high - low) / 2, None, name)


def _answers(model: Model, questions: Sequence[str]) -> Iterator[tuple[str, Answer | CrossTab]]:
    """The questions that have an answer."""
    for question in questions:
        try:
            yield question, model.answer(model.parse(question))
        except BadQuestion:
            continue


def _asked(heading: str, model: SmoothModel | SmoothDirectModel, questions: Sequence[str]) -> str:
    rows = [(question, str(answer)) for question, answer in _answers(model, questions)]
    return section(heading, facts_table(("question", "answer"), rows)) if rows else ""


def _frequent(model: KeyedModel) -> list[str]:
    names = ", ".join(a.name for a in model.columns.attributes)
    if not model.frequent.texts:
        return _without_frequent(model, names)
    found = model.answer(model.parse(f"top({MOST_VALUES})"))
    assert isinstance(found, CrossTab)
    text = (
        f"{counted(len(model.frequent.texts), 'value')} of {names} reached the threshold, with noise; at most "
        f"{MOST_VALUES} are shown, as shares of all rows with 95% error bars, each on its own. Values that are not on "
        "the list can be asked for all the same."
    )
    return [section("Most frequent values", figures([(names, _bars(found, f"most frequent {names}"))]), text=text)]


def _without_frequent(model: KeyedModel, names: str) -> list[str]:
    """All combinations of listed values, if they are few; else a word about what may be asked."""
    attributes = model.columns.attributes
    if 0 < prod(len(a.values) for a in attributes) <= MOST_COMBINATIONS:
        keys = list(product(*(a.values for a in attributes)))
        found = model.answer(Lists({str(i): [key if len(key) > 1 else key[0]] for i, key in enumerate(keys)}))
        assert isinstance(found, CrossTab)
        low, high = found.interval(0.95)
        largest = np.argsort(-found.value, kind="stable")[:MOST_VALUES]
        rows = [(*keys[i], measured(float(found.value[i]), float(high[i] - low[i]) / 2)) for i in largest]
        text = (
            f"Shares of all rows with 95% intervals, each on its own; at most {MOST_VALUES} of the "
            f"{counted(len(keys), 'combination')} of declared values of {names}: the largest, by noisy numbers."
        )
        return [section("Combinations", facts_table((*(a.name for a in attributes), "share"), rows), text=text)]
    text = (
        f"This release keeps no list of frequent values of {names}, so none can be shown before it is asked for; any "
        f"list of values has an answer: {names} IN (...)."
    )
    return [section("Values", text=text)]


def _lengths(model: KeyedModel) -> list[str]:
    """How sure an answer is, by the number of values it asks for: of the first declared ones, or of made up ones."""
    made_up = [f"unseen {i}" for i in range(max(LENGTHS))]
    keys = list(islice(product(*(a.values or made_up for a in model.columns.attributes)), max(LENGTHS)))
    values = [key[0] for key in keys] if len(model.columns.attributes) == 1 else keys
    found, rows = model.answer(Lists({f"{n}": values[:n] for n in LENGTHS if n <= len(values)})), []
    assert isinstance(found, CrossTab)
    low, high = found.interval(0.95)
    for name, half in zip(found.groups["list"], (high - low) / 2, strict=True):
        rows.append((name, f"± {half:.4f}", f"± {half * model.rows:,.0f}"))
    heads = ("values in the list", "95% interval of the share", "in rows")
    text = "How sure answers about values that are not frequent are, by how many of them one asks for together."
    return [section("Error of a list", facts_table(heads, rows), text=text)]


def _lists(model: ListCountsModel) -> list[str]:
    lists = {", ".join(one): list(one) for one in model.lists[:MOST_LISTS]}
    found = model.answer(Lists(lists))
    assert isinstance(found, CrossTab)
    many = counted(len(model.lists), "list")
    text = f"Shares of all rows that have one of a list's values, with 95% error bars; {many} in all."
    return [section("Released lists", figures([("lists", _bars(found, "released lists"))]), text=text)]


def _smooth(synopsis: Synopsis, model: SmoothModel) -> list[str]:
    pictures = []
    for name in model.columns[:MOST_COLUMNS]:
        try:
            seen = density(synopsis, [name])
        except BadQuestion:
            continue
        logarithmic = seen.axes[0].transform == "log"
        picture = line(seen.places[0], seen.value, seen.half, f"density of {name}", logarithmic=logarithmic)
        pictures.append((name, picture))
    text = "Lines are densities, softened as far as the release resolves; bands are 95% intervals of each point."
    drawn = [section("Smooth columns", figures(pictures), text=text)] if pictures else []
    names = [name if name.isidentifier() else repr(name) for name in model.columns[:MOST_COLUMNS]]
    asked = [f"avg({name})" for name in names] + [f"quantile({name}, {level})" for name in names for level in LEVELS]
    return [*drawn, _asked("Means and quantiles", model, asked)]


def _categories(model: SmoothModel) -> list[str]:
    table = _quoted(model.domain.table)
    names = dict.fromkeys(a.name for one in model.released for a in one.block.by)
    asked = {f"SELECT {_quoted(n)}, count(*) FROM {table} GROUP BY {_quoted(n)}": n for n in names}
    pictures = [
        (asked[text], _bars(found, f"shares of {asked[text]}"))
        for text, found in _answers(model, list(asked))
        if isinstance(found, CrossTab)
    ]
    return (
        [section("Categories", figures(pictures), text="Shares of all rows, with 95% error bars.")] if pictures else []
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _decisions(model: DecisionListsModel) -> str:
    """Each input on its own, with all others false."""
    column, labels, values, halves = model.column, ["none"], [], []
    questions = [f"decides({_quoted(column.name)})"]
    for name in column.inputs[: MOST_VALUES - 1]:
        labels.append(name)
        questions.append(f"decides({_quoted(column.name)}, {_quoted(name)})")
    for _, answer in _answers(model, questions):
        assert isinstance(answer, Answer)
        low, high = answer.interval(0.95)
        values.append(answer.value)
        halves.append((high - low) / 2)
    picture = bars(labels, np.array(values), np.array(halves), None, f"decisions of {column.name}")
    text = (
        f"Share of the lists in {column.name} that decide 1 where only the named input is true, with 95% error bars. "
        "Any other combination of the inputs can be asked."
    )
    return section("Decisions", figures([(column.name, picture)]), text=text)

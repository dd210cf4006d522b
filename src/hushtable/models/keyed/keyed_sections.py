"""What a report shows of lists of values: the frequent ones, the released lists, and how sure an answer is."""

from __future__ import annotations

from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ...questions.answer import CrossTab
from ...questions.answer_forms import measured
from ...questions.lists import Lists
from ...words import counted
from ..sections import Section, TextTable, bars_of

if TYPE_CHECKING:
    from .keyed import KeyedModel
    from .list_counts import ListCountsModel

__all__ = ["key_sections", "list_sections"]

MOST_VALUES, MOST_LISTS = 24, 24
LENGTHS = (1, 10, 100)
MOST_COMBINATIONS = 2000


def key_sections(model: KeyedModel) -> tuple[Section, ...]:
    """The most frequent values, or what there is instead, and the error of lists of others."""
    return _frequent(model), _lengths(model)


def list_sections(model: ListCountsModel) -> tuple[Section, ...]:
    """The released lists."""
    lists = {", ".join(values): list(values) for values in model.lists[:MOST_LISTS]}
    answer = model.answer(Lists(lists))
    assert isinstance(answer, CrossTab)
    many = counted(len(model.lists), "list")
    text = f"Shares of all rows that have one of a list's values, with 95% error bars; {many} in all."
    picture = bars_of(answer, caption="lists")
    return (Section(heading="Released lists", text=text, parts=((picture,),)),)


def _frequent(model: KeyedModel) -> Section:
    names = ", ".join(a.name for a in model.columns.attributes)
    if not model.frequent.texts:
        return _without_frequent(model, names)
    answer = model.answer(model.parse(f"top({MOST_VALUES})"))
    assert isinstance(answer, CrossTab)
    text = (
        f"{counted(len(model.frequent.texts), 'value')} of {names} reached the threshold, with noise; at most "
        f"{MOST_VALUES} are shown, as shares of all rows with 95% error bars, each on its own. Values that are not on "
        "the list can be asked for all the same."
    )
    picture = bars_of(answer, caption=names)
    return Section(heading="Most frequent values", text=text, parts=((picture,),))


def _without_frequent(model: KeyedModel, names: str) -> Section:
    """All combinations of listed values, if they are few; else a word about what may be asked."""
    attributes = model.columns.attributes
    if 0 < prod(len(a.values) for a in attributes) <= MOST_COMBINATIONS:
        keys = list(product(*(a.values for a in attributes)))
        answer = model.answer(Lists({str(i): [key if len(key) > 1 else key[0]] for i, key in enumerate(keys)}))
        assert isinstance(answer, CrossTab)
        low, high = answer.interval(0.95)
        largest = np.argsort(-answer.value, kind="stable")[:MOST_VALUES]
        lines = [(*keys[i], measured(float(answer.value[i]), float(high[i] - low[i]) / 2)) for i in largest]
        text = (
            f"Shares of all rows with 95% intervals, each on its own; at most {MOST_VALUES} of the "
            f"{counted(len(keys), 'combination')} of declared values of {names}: the largest, by noisy numbers."
        )
        table = TextTable((*(a.name for a in attributes), "share"), lines)
        return Section(heading="Combinations", text=text, parts=(table,))
    text = (
        f"This release keeps no list of frequent values of {names}, so none can be shown before it is asked for; any "
        f"list of values has an answer: {names} IN (...)."
    )
    return Section(heading="Values", text=text)


def _lengths(model: KeyedModel) -> Section:
    """How sure an answer is, by the number of values it asks for: of the first declared ones, or of made up ones."""
    made_up = [f"unseen {i}" for i in range(max(LENGTHS))]
    keys = list(islice(product(*(a.values or made_up for a in model.columns.attributes)), max(LENGTHS)))
    values = [key[0] for key in keys] if len(model.columns.attributes) == 1 else keys
    answer = model.answer(Lists({f"{n}": values[:n] for n in LENGTHS if n <= len(values)}))
    assert isinstance(answer, CrossTab)
    low, high = answer.interval(0.95)
    lines = [
        (name, f"± {half:.4f}", f"± {half * model.rows:,.0f}")
        for name, half in zip(answer.groups["list"], (high - low) / 2, strict=True)
    ]
    heads = ("values in the list", "95% interval of the share", "in rows")
    text = "How sure answers about values that are not frequent are, by how many of them one asks for together."
    return Section(heading="Error of a list", text=text, parts=(TextTable(heads, lines),))

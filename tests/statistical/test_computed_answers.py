"""Differences and ratios of answers hold what they say on tables whose truth is known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from whole_tables import BUDGETS, latent, release, whole_numbers

from hushtable.domain.predicate import Count, Event
from hushtable.questions.parse import Question
from hushtable.questions.sql.cells import quotient
from hushtable.questions.sql.evaluate import evaluate
from hushtable.questions.sql.statement import read_statement

pytestmark = pytest.mark.slow
SIZES = [8, 3, 5, 2, 2, 12]


def condition(g, width):
    members = sorted(g.choice(len(SIZES), width, replace=False).tolist())
    kept = [g.random(SIZES[j]) < g.uniform(0.3, 0.8) for j in members]
    events = tuple(Event(j, tuple(k.tolist()), tuple((~k).tolist())) for j, k in zip(members, kept, strict=True))
    return Question(text=f"{width} {g.integers(2**40)}", where=Count(len(events), len(events), events))


def test_differences_and_ratios_hold():
    """Some 2,400 of each, 12 releases of three tables: 93% and more inside 95% bars, too few with half of the width."""
    inside, narrow, unknown = {"-": [], "/": []}, {"-": [], "/": []}, 0
    for number in range(12):
        codes = latent(20_000, SIZES, number % 3)
        model, g = release(whole_numbers(SIZES), codes, BUDGETS[number % 2], number), np.random.default_rng(number)
        for _ in range(200):
            both = [condition(g, width) for width in g.integers(2, 4, 2)]
            one, other = (model.answer(question) for question in both)
            true, beside = (float(question.where.on_rows(codes)[0].mean()) for question in both)
            for word, made, truth in (("-", one - other, true - beside), ("/", one / other, true / max(beside, 1e-9))):
                if math.isnan(made.value):
                    unknown += 1
                    continue
                low, high = made.interval(0.95)
                inside[word].append(low <= truth <= high)
                narrow[word].append(abs(made.value - truth) <= made.stderr)
    for word, held in inside.items():
        assert len(held) > 1500
        assert np.mean(held) >= 0.93, word
        assert np.mean(narrow[word]) < 0.9, word
    assert unknown > 0, "a ratio to a group near empty is unknown"


def test_quotients_inside_a_select_hold_and_are_narrow():
    """Shares of two conditions by group, 6 releases of three tables, some 400 cells: 92% and more inside 95% bars, too
    few inside half of them, and narrower than intervals that hold however both counts go together.
    """
    inside, narrow, widths = [], [], []
    for number in range(6):
        codes = latent(20_000, SIZES, number % 3)
        shape = whole_numbers(SIZES)
        model, g = release(shape, codes, BUDGETS[number % 2], number), np.random.default_rng(number)
        for _ in range(12):
            group, one, other = g.choice([1, 2, 3, 4], 3, replace=False)
            a, b = (int(g.integers(1, SIZES[j])) for j in (one, other))
            ask = (f"SELECT c{group}, count(*) FILTER (WHERE c{one} < {a} AND c{other} < {b}) / "
                   f"count(*) FILTER (WHERE c{other} < {b}) FROM t GROUP BY c{group}")  # fmt: skip
            table = evaluate(read_statement(ask, shape), model)
            (low, high), (least, most) = table.interval(0.95), by_ends(model, shape, ask)
            for cell in range(SIZES[group]):
                below = (codes[group] == cell) & (codes[other] < b)
                true = float((below & (codes[one] < a)).sum() / max(below.sum(), 1))
                if np.isfinite(high[cell]) and below.any():
                    inside.append(low[cell] <= true <= high[cell])
                    narrow.append(abs(table.value[cell] - true) <= (high[cell] - low[cell]) / 4)
                    widths.append((high[cell] - low[cell]) / (most[cell] - least[cell]))
    assert len(inside) > 150
    assert np.mean(inside) >= 0.92
    assert np.mean(narrow) < 0.92
    assert np.median(widths) < 0.8


def by_ends(model, shape, ask):
    """The same quotient with nothing known of what both counts share."""
    top, below = ask.split(" / ")
    start, end = ask.split(",")[0], ask[ask.index(" FROM") :]
    tables = [evaluate(read_statement(text, shape), model)
              for text in (f"{top}{end}", f"{start}, {below.split(' FROM')[0]}{end}")]  # fmt: skip
    return quotient(*(replace(table, parts=None) for table in tables), inside=False).interval(0.95)


def test_all_cells_of_a_table_hold_at_once():
    """Cross-tabs of two columns: of 72, at least nine tenths hold in all of their cells at 95%, and intervals are no
    wider than those of independent cells.
    """
    held, wider = [], []
    for number in range(6):
        codes = latent(20_000, SIZES, number % 3)
        model, g = release(whole_numbers(SIZES), codes, BUDGETS[number % 2], number), np.random.default_rng(number)
        for _ in range(12):
            groups = tuple(int(j) for j in g.choice(5, 2, replace=False))
            table = model.answer(Question(text="", groups=groups))
            key = codes[groups[0]].astype(np.int64) * SIZES[groups[1]] + codes[groups[1]]
            true = np.bincount(key, minlength=len(table.value)) / codes.shape[1]
            low, high = table.interval(0.95, simultaneous=True)
            held.append(bool(((low <= true) & (true <= high)).all()))
            wider.append((high - low) / np.subtract(*table.interval(0.95 ** (1 / len(true)))[::-1]))
    assert np.mean(held) >= 0.9
    assert np.concatenate(wider).max() <= 1 + 1e-9
    assert np.mean(np.concatenate(wider)) < 0.999

"""Differences and ratios of answers hold what they say on tables whose truth is known."""

import math

import numpy as np
import pytest
from whole_tables import BUDGETS, latent, release, whole_numbers

from hushtable.domain.predicate import Count, Event
from hushtable.questions.parse import Question

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

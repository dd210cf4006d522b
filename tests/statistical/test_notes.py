"""Every sentence beside an answer is true as printed: notes of many answers, each claim with a number in it checked.

A note with a number that no check here knows fails the test: whoever adds a claim adds its check.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pandas
import pytest
from whole_tables import BUDGETS, latent, release, whole_numbers

from hushtable.domain.predicate import Count, Event
from hushtable.models.whole_table.replicated import KURTOSIS
from hushtable.questions.answer import Answer, interval_factor
from hushtable.questions.parse import Question

pytestmark = pytest.mark.slow

BARS = re.compile(r"bars (hold|are made to hold) for 95% of questions about (\d+) columns?")
GROUPS = re.compile(r"([\d,]+) of ([\d,]+) groups are below their noise")
TRIPLES = re.compile(r"a second round measured (\d+) tables? of three columns")
LIMIT = re.compile(r"with 95% confidence no question about .+ is wrong by more than ([\d.]+) of the rows")
WIDER = re.compile(r"bars for (\d+) columns are extrapolated")


def questions(shape, count, seed):
    """Conditions on one to six columns, and cross-tabs of one or two."""
    g = np.random.default_rng(seed)
    for number in range(count):
        width = min(1 + number % 6, len(shape.sizes))
        members = sorted(g.choice(len(shape.sizes), width, replace=False).tolist())
        if number % 10 == 9:
            yield Question(text="cross-tab", groups=tuple(members[:2]))
            continue
        kept = [g.random(shape.sizes[j]) < g.uniform(0.2, 0.9) for j in members]
        events = tuple(Event(j, tuple(k.tolist()), tuple((~k).tolist())) for j, k in zip(members, kept, strict=True))
        yield Question(text="condition", where=Count(len(events), len(events), events))


def truth(question, codes, shape):
    """True shares, one a group."""
    kept = question.where.on_rows(codes)[0] if question.where else np.ones(codes.shape[1], dtype=bool)
    sizes = [shape.sizes[j] for j in question.groups]
    key = np.ravel_multi_index([codes[j].astype(np.int64) for j in question.groups], sizes) if sizes else 0
    key = np.broadcast_to(key, kept.shape)
    return np.bincount(key[kept], minlength=int(np.prod(sizes, dtype=int))) / codes.shape[1]


class Seen:
    """What the notes claimed, and what was so."""

    def __init__(self):
        self.bars, self.narrow, self.limits, self.certified = [], [], [], []

    def check(self, model, answer, true):
        low, high = (np.atleast_1d(end) for end in answer.interval(0.95))
        off = np.abs(np.atleast_1d(answer.value) - true)
        for note in answer.notes:
            if found := BARS.search(note):
                self.bars += ((low <= true) & (true <= high)).tolist()
                self.narrow += (off <= np.atleast_1d(answer.stderr)).tolist()
                assert found[2] in note
            elif found := GROUPS.search(note):
                small = np.atleast_1d(answer.value) < interval_factor(0.95, KURTOSIS) * np.atleast_1d(answer.stderr)
                assert [int(n.replace(",", "")) for n in found.groups()] == [small.sum(), len(small)]
                assert (low[small] <= 0).all()
            elif found := TRIPLES.search(note):
                assert int(found[1]) == sum(len(raw.set.members) == 3 for raw in model.tables)
            elif found := LIMIT.search(note):
                self.limits.append(bool((off <= float(found[1]) + 5e-5).all()))
            elif found := WIDER.search(note):
                assert int(found[1]) > 5
            elif note.startswith("below its noise"):
                assert low[0] <= 0
            else:
                assert not re.search(r"\d", note), f"no check knows the number in {note!r}"
        if isinstance(answer, Answer) and answer.certified is not None:
            self.certified.append(answer.certified[0] <= true[0] <= answer.certified[1])


def ask_all(model, codes, count, seed, seen):
    for question in questions(model.domain, count, seed):
        true = truth(question, codes, model.domain)
        seen.check(model, model.answer(question), true)
        # As it is read from a file of format 1, whose notes state limits by the audit.
        older = model.answer(question) if model.audit is None else replace(model, replicates=None).answer(question)
        if not any("without an error bound" in note for note in older.notes):
            seen.check(model, older, true)


def judged(seen, bars):
    """Errors of one release go together, so the level is that of many releases: 93% for 95%, certified ones 95%."""
    assert len(seen.bars) >= bars
    assert np.mean(seen.bars) >= 0.93
    assert np.mean(seen.limits) >= 0.95
    assert np.mean(seen.certified) >= 0.95


def test_claims_about_made_up_tables():
    seen = Seen()
    for seed, (rows, sizes) in enumerate(((20_000, [4, 3, 5, 2, 2, 9, 30]), (3_000, [2] * 8), (40_000, [6] * 6))):
        shape, codes = whole_numbers(sizes), latent(rows, sizes, seed)
        for number, budget in enumerate(BUDGETS):
            ask_all(release(shape, codes, budget, 10 * seed + number), codes, 120, seed, seen)
    judged(seen, 1000)
    assert len(seen.limits) > 100
    # Power: bars less than half as wide would not do.
    assert np.mean(seen.narrow) < 0.9


def test_claims_about_a_real_table(real_table):
    path = real_table("adult_coded.csv.gz")
    sizes = json.loads((path.parent / "adult_coded-domain.json").read_text())
    rows = pandas.read_csv(path)
    codes = np.array([rows[c] for c in sizes], dtype=np.uint16)
    seen, shape = Seen(), whole_numbers(list(sizes.values()))
    ask_all(release(shape, codes, BUDGETS[0], 3), codes, 250, 3, seen)
    judged(seen, 200)

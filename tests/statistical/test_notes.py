"""Every sentence beside an answer is true as printed: notes of many answers, each claim with a number in it checked.

A note with a number that no check here knows fails the test: whoever adds a claim adds its check.
"""

import json
import re
from dataclasses import replace
from itertools import product

import duckdb
import numpy as np
import pandas
import pytest
from specimens import every_specimen, released, rows_of
from whole_tables import BUDGETS, latent, release, whole_numbers

from hushtable.domain.predicate import Count, Event
from hushtable.models.whole_table.replicated import ONE_COLUMN
from hushtable.questions.parse import Question

pytestmark = pytest.mark.slow

BARS = re.compile(r"bars (hold|are made to hold) for 95% of questions about (\d+) columns?")
GROUPS = re.compile(r"([\d,]+) of ([\d,]+) groups are below their noise")
TRIPLES = re.compile(r"a second round measured (\d+) tables? of three columns")
LIMIT = re.compile(r"with 95% confidence no question about .+ is wrong by more than ([\d.]+) of the rows")
BINS = re.compile(r"values may lie anywhere: (?:± ([\d.e+]+)|(\d+)%) of the bar is theirs")
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
        self.bars, self.narrow, self.limits, self.certified, self.columns = [], [], [], [], []

    def check(self, model, answer, true):
        low, high = (np.atleast_1d(end) for end in answer.interval(0.95))
        off = np.abs(np.atleast_1d(answer.value) - true)
        for note in answer.notes:
            if found := BARS.search(note):
                self.bars += ((low <= true) & (true <= high)).tolist()
                self.narrow += (off <= np.atleast_1d(answer.stderr)).tolist()
                assert found[2] in note
            elif found := GROUPS.search(note):
                assert [int(n.replace(",", "")) for n in found.groups()] == [(low <= 0).sum(), len(low)]
            elif found := TRIPLES.search(note):
                assert int(found[1]) == sum(len(raw.set.members) == 3 for raw in model.tables)
            elif found := LIMIT.search(note):
                self.limits.append(bool((off <= float(found[1]) + 5e-5).all()))
            elif found := WIDER.search(note):
                assert int(found[1]) > 5
            elif note.startswith("below its noise"):
                assert low[0] <= 0
            elif ONE_COLUMN in note:
                self.columns += ((low <= true) & (true <= high)).tolist()
            else:
                assert not re.search(r"\d", note), f"no check knows the number in {note!r}"
        if answer.certified is not None:
            least, most = (np.atleast_1d(end) for end in answer.certified)
            self.certified.append(bool(((least <= true) & (true <= most)).all()))


def ask_all(model, codes, count, seed, seen):
    for question in questions(model.domain, count, seed):
        true = truth(question, codes, model.domain)
        seen.check(model, model.answer(question), true)
        # As it is read from a file of format 1, whose notes state limits by the audit.
        older = model.answer(question) if model.audit is None else replace(model, replicates=None).answer(question)
        if not any(note.startswith("unknown: nothing says") for note in older.notes):
            seen.check(model, older, true)


def judged(seen, bars):
    """Errors of one release go together, so the level is that of many releases: 93% for 95%, certified ones 95%."""
    assert len(seen.bars) >= bars
    assert np.mean(seen.bars) >= 0.93
    assert np.mean(seen.limits) >= 0.95
    assert np.mean(seen.certified) >= 0.95
    # Errors of one column go together even more: a column of two values has one error a release.
    assert np.mean(seen.columns) >= 0.9


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


# Together 1,000 questions, and twice as many answers: each is asked of the older form of the file, too.
REAL = ("adult_coded", "nltcs", "titanic", "salary", "taxi_chicago")


def test_claims_about_real_tables(real_table):
    seen = Seen()
    for number, name in enumerate(REAL):
        path = real_table(f"{name}.csv" if name == "titanic" else f"{name}.csv.gz")
        rows, described = pandas.read_csv(path), path.parent / f"{name}-domain.json"
        sizes = json.loads(described.read_text()) if described.exists() else dict.fromkeys(rows.columns, 2)
        codes = np.array([rows[c] for c in sizes], dtype=np.uint16)
        shape = whole_numbers(list(sizes.values()))
        ask_all(release(shape, codes, BUDGETS[0], number), codes, 200, number, seen)
    judged(seen, 1000)


# What notes of other releases say with a number in them, and whether it is so.
UNBIASED = re.compile(r"measured: unbiased value ([\d.e+-]+); the bias is how far the model moved it")
SKETCHED = re.compile(r"standard error ([\d.e+-]+): noise ([\d.e+-]+), collisions of the hash ([\d.e+-]+) ")
FREQUENT = re.compile(r"only (\d+) values are on the list")
GUESSED = re.compile(r"certified alone: ([\d.-]+), bias at most ([\d.]+), noise ([\d.]+)")
UNKNOWN = re.compile(r"too small to tell from 0")
HELD_OUT = re.compile(r"the 95% interval is made to hold 95% of inputs, as (\d+) held-out ones say")
UNNAMED = re.compile(r"variables not named are 0: (.+)")


def check_other(note, answer, truth):
    if found := UNBIASED.search(note):
        assert abs(float(found[1]) - answer.value) == pytest.approx(answer.bias, rel=1e-3, abs=1e-5)
    elif found := SKETCHED.search(note):
        stderr, noise, collisions = (float(number) for number in found.groups())
        assert stderr == pytest.approx(np.hypot(noise, collisions), rel=1e-4)
        assert stderr == pytest.approx(float(np.atleast_1d(answer.stderr)[0]), rel=1e-4)
    elif found := FREQUENT.search(note):
        assert int(found[1]) == len(answer)
    elif found := GUESSED.search(note):
        value, bias, noise = (float(number) for number in found.groups())  # shares of the rows
        assert abs(value - truth()) <= bias + 6 * noise + 1e-4
    elif note.startswith("below its noise"):
        assert np.atleast_1d(answer.interval(0.95)[0])[0] <= 0
    elif found := HELD_OUT.search(note):
        # What share of inputs it holds is measured over many releases: benchmarks and the study of coverage.
        assert int(found[1]) > 0
        assert np.isfinite(answer.interval(0.95)).all()
    elif found := UNNAMED.search(note):
        assert not any(re.search(rf"\b{name}\b", answer.question) for name in found[1].split(", "))
    elif found := BINS.search(note):
        low, high = (np.atleast_1d(end) for end in answer.interval(0.95))
        half, bias = (high - low) / 2, np.atleast_1d(answer.bias)
        # The bias bound is that of the bins and, where a model stands for the rows, a little more.
        part = np.nanmedian(np.minimum(bias / half, 1.0))
        told = float(found[1]) / half[0] if found[1] else float(found[2]) / 100
        assert 0.75 * part - 0.01 <= told <= 1.06 * part + 0.01
    elif UNKNOWN.search(note):
        assert np.isnan(np.atleast_1d(answer.value)).any()
    elif not any(known.search(note) for known in (BARS, GROUPS, TRIPLES, LIMIT, WIDER)):
        assert not re.search(r"\d", note), f"no check knows the number in {note!r}"


def test_claims_of_every_release_of_the_catalogue(tmp_path):
    """Whoever adds a note with a number in it adds what tells whether it is so."""
    told = 0
    shapes = {specimen.name: specimen.attributes for specimen in every_specimen(tmp_path)}
    for name, (synopsis, asked) in released(tmp_path).items():
        for text, count in product(asked, (False, True)):
            answer = synopsis.ask(text, count=count)

            def truth(text=text, name=name):
                with duckdb.connect() as base:
                    base.register("t", rows_of(shapes[name]))
                    kept, rows = base.execute(f"SELECT count(*) FILTER ({text}), count(*) FROM t").fetchone()
                return kept / rows

            for note in answer.notes:
                told += bool(re.search(r"\d", note))
                check_other(note, answer, truth)
    assert told >= 10

"""Held rows: the same sums as reading the table, from the distinct rows alone."""

import numpy as np
import pytest
from tables import domain, random_codes, table_of

from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault import held_rows
from hushtable.vault.distinct_rows import EveryRow
from hushtable.vault.held_rows import HeldRows
from hushtable.vault.sources import open_source
from hushtable.vault.statistics import ChosenTables, Histogram, OneQuestion, Tables
from hushtable.vault.statistics.base import add_up

SHAPE = domain()
CODES = random_codes(SHAPE, 3000, seed=8)


def distinct(blocks):
    wanted = EveryRow(SHAPE.sizes)
    return add_up(wanted, map(wanted.accumulate, blocks)).codes()


def held(codes=CODES, pieces=4) -> HeldRows:
    return HeldRows(SHAPE.sizes, *distinct(np.array_split(codes, pieces, axis=1)))


def questions():
    source = np.random.default_rng(1)
    for positions in [(0,), (1, 3), (0, 2), (0, 1, 2, 3)]:
        cells = int(np.prod([SHAPE.sizes[p] for p in positions]))
        yield OneQuestion(SHAPE.sizes, positions, source.random(cells) < 0.4)


def test_distinct_rows_with_their_counts():
    codes, counts = distinct(np.array_split(CODES, 7, axis=1))
    kept, often = np.unique(CODES, axis=1, return_counts=True)
    assert sorted(map(tuple, codes.T)) == sorted(map(tuple, kept.T))
    assert {tuple(c): n for c, n in zip(codes.T, counts, strict=True)} == {
        tuple(c): n for c, n in zip(kept.T, often, strict=True)
    }


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_one_question_is_the_sum_over_all_rows(dtype):
    rows = held(CODES.astype(dtype))
    for statistic in [*questions(), *questions()]:
        np.testing.assert_array_equal(rows.total(statistic), statistic.accumulate(CODES))


def test_other_statistics_too(monkeypatch):
    monkeypatch.setattr(held_rows, "BLOCK", 257)
    for statistic in (
        ChosenTables(SHAPE.sizes, [(0,), (1, 2)]),
        Histogram(SHAPE.sizes),
        Tables(InteractionLayout(SHAPE.sizes, 2)),
    ):
        np.testing.assert_array_equal(held().total(statistic), statistic.accumulate(CODES))


def test_remembered_tables_are_bounded(monkeypatch):
    monkeypatch.setattr(held_rows, "MOST_CELLS", 100)
    rows = held()
    for statistic in [*questions(), *questions()]:
        np.testing.assert_array_equal(rows.total(statistic), statistic.accumulate(CODES))
        assert sum(map(len, rows._tables.values())) <= 100


def test_no_rows():
    rows = HeldRows.read(open_source(table_of(SHAPE, CODES[:, :0])), SHAPE)
    for statistic in questions():
        np.testing.assert_array_equal(rows.total(statistic), [0, 0])


def test_read_from_a_source_with_progress():
    seen = []
    rows = HeldRows.read(open_source(table_of(SHAPE, CODES)), SHAPE, seen.append)
    assert seen[-1] == 3000
    for statistic in questions():
        np.testing.assert_array_equal(rows.total(statistic), statistic.accumulate(CODES))

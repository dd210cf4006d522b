"""Which rows of a person count: the compiled choice, the one by sorting and the one that is written down here agree."""

import struct
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.maths.keys.siphash import column_digests, siphash
from hushtable.vault import person_rows
from hushtable.vault.person_kernel import CROWD, ODD, mix_numbers
from hushtable.vault.person_rows import People, RowKeys, choose, row_words

MASK = 2**64 - 1


def mixed(into: int, word: int) -> int:
    into = (into ^ word) * int(ODD) & MASK
    return into ^ into >> 32


def chosen(people: People, most: int) -> tuple[list[bool], int, int]:
    """Slowly and plainly: of each person the rows of least ticket."""
    rows = defaultdict(list)
    for place, (first, second, says, named) in enumerate(zip(*(column.tolist() for column in people), strict=True)):
        if named:
            rows[first, second].append((place, says))
    kept = [True] * len(people.named)
    for (first, _), own in rows.items():
        met, tickets = Counter(), []
        for place, says in own:
            ticket = mixed(mixed(mixed(met[says >> 32], first), says), first)
            met[says >> 32] += 1
            tickets.append((ticket >> 32, place))
        for _, place in sorted(tickets)[most:]:
            kept[place] = False
    return kept, len(rows), sum(len(own) > most for own in rows.values())


def some(rows: int, people: int, *, seed: int, says: int = 3, halves: int | None = None) -> People:
    """Rows of people, some of them equal and some of nobody; with `halves` many people share a first half."""
    source = np.random.default_rng(seed)
    names = source.integers(0, 2**64, (people, 2), dtype=np.uint64)
    if halves:
        names[:, 0] = names[source.integers(0, halves, people), 0]
    who = source.integers(0, people, rows)
    named = source.random(rows) < 0.95
    return People(names[who, 0] * named, names[who, 1] * named,
                  source.integers(0, 2**64, says, dtype=np.uint64)[source.integers(0, says, rows)], named)  # fmt: skip


CASES = {
    "nobody": (some(0, 1, seed=1), 2),
    "one row": (some(1, 1, seed=2), 1),
    "few rows each": (some(4_000, 1_500, seed=3), 2),
    "one person alone": (some(500, 1, seed=4, says=500), 3),
    "as many as go pair by pair": (some(CROWD, 1, seed=5, says=9), 3),
    "crowds beside others": (some(5_000, 40, seed=6, says=2000), 5),
    "the same first half": (some(900, 300, seed=7, halves=4), 1),
    "more than anyone has": (some(900, 300, seed=8), 900),
}


@pytest.mark.parametrize("bucket", [1 << 17, 100], ids=["whole", "in parts"])
@pytest.mark.parametrize(("people", "most"), CASES.values(), ids=CASES)
def test_rows_are_kept_as_written_down(people, most, bucket, monkeypatch):
    monkeypatch.setattr(person_rows, "BUCKET", bucket)
    choice = choose(people, most)
    kept, many, cut = chosen(people, most)
    assert choice.kept.tolist() == kept
    assert (choice.people, choice.cut, choice.named) == (many, cut, int(people.named.sum()))


def test_the_rows_of_a_person_do_not_depend_on_which_way_they_are_chosen():
    """Alone she has few neighbours and is compiled; in a crowd of more rows at her place she is sorted."""
    mine, others = some(CROWD, 1, seed=9, says=40), some(2 * CROWD, 1, seed=10)
    near = People(mine.first[:1].repeat(2 * CROWD), *others[1:])  # her first half, and so her place
    together = choose(People.joined([near, mine]), 3).kept[2 * CROWD :]
    assert together.tolist() == choose(mine, 3).kept.tolist()
    assert together.sum() == 3 + (~mine.named).sum()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("columns", [0, 1, 3, 4, 7, 8, 9, 20])
def test_what_rows_say_is_hashed_as_their_bytes(kind, columns):
    source = np.random.default_rng(columns)
    codes = source.integers(0, np.iinfo(kind).max, (columns, 50), dtype=kind, endpoint=True)
    words, key = source.integers(0, 2**64, 50, dtype=np.uint64), bytes(range(16))
    expected = [siphash(key, codes[:, i].astype(f"<u{kind().itemsize}").tobytes() + struct.pack("<Q", int(words[i])))
                for i in range(50)]  # fmt: skip
    assert column_digests(key, codes, words).tolist() == expected


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.int16, np.uint64])
def test_a_number_is_mixed_in_as_a_float_with_one_zero_and_one_nan(kind):
    numbers = np.array([0, 1, 17, 2**15 - 1], dtype=kind)
    if kind is np.float64:
        numbers = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, 1e-300])
    words = np.full(len(numbers), 5, dtype=np.uint64)
    mix_numbers(words, numbers)
    plain = [np.nan if np.isnan(n) else float(n) + 0.0 for n in numbers.tolist()]
    assert words.tolist() == [mixed(5, struct.unpack("<Q", struct.pack("<d", n))[0]) for n in plain]


def test_rows_that_differ_in_any_column_say_something_else():
    domain = ht.Domain.from_dict(
        {
            "table": "t",
            "attributes": {
                "whole": {"kind": "integer", "between": [0, 9], "bins": 1},
                "word": {"kind": "category", "values": ["a", "b"]},
                "open": {"kind": "open"},
                "real": {"kind": "number", "between": [0, 1], "bins": 1},
            },
        }
    )
    first = {"whole": 1, "word": "a", "open": "p", "real": 0.5}
    other = [first | change for change in ({"whole": 2}, {"word": "b"}, {"open": "q"}, {"real": 0.25})]
    batch = pa.RecordBatch.from_pylist([first, first, *other])
    keys = RowKeys.of("secret")
    codes, rest = row_words(batch, domain, keys)
    said = column_digests(keys.rows, codes, rest).tolist()
    assert said[0] == said[1]
    assert len(set(said)) == 5

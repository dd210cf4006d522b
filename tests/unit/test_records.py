"""Records of PostgreSQL: every field is read as it was written, and what is no record is refused."""

import struct

import numpy as np
import pyarrow as pa
import pytest

from hushtable.vault.sources.ahead import ahead
from hushtable.vault.sources.records import TYPES, columns_of

KINDS = ["int8", "text", "float8", "bool", "text"]
ROWS = [
    (0, "", 0.0, False, "a"),
    (-(2**63), "\U0001f9ea\x00é", -0.0, True, "x" * 70_000),
    (None, None, None, None, None),
    (2**63 - 1, "b", float("inf"), True, ""),
    (-1, None, 5e-324, None, "c"),
]
FORMS = {"int8": ">q", "float8": ">d", "bool": ">?"}


def field(kind: str, value: object) -> bytes:
    """One field as the server sends it: a type, which is not looked at, a length, and the value."""
    if value is None:
        return struct.pack(">ii", 25, -1)
    said = value.encode() if isinstance(value, str) else struct.pack(FORMS[kind], value)
    return struct.pack(">ii", 25, len(said)) + said


def record(row: tuple[object, ...], kinds: list[str] = KINDS) -> bytes:
    return struct.pack(">i", len(row)) + b"".join(map(field, kinds, row))


@pytest.mark.parametrize("skipped", [0, 2])
def test_columns_are_what_was_written(skipped):
    records = pa.array([*[b"before"] * skipped, *map(record, ROWS)], pa.binary()).slice(skipped)
    columns = columns_of(records, KINDS)
    for column, kind, values in zip(columns, KINDS, zip(*ROWS, strict=True), strict=True):
        column.validate(full=True)
        assert column.equals(pa.array(values, TYPES[kind]))
    assert np.signbit(columns[2][1].as_py())


def test_random_records():
    source = np.random.default_rng(1)
    rows = [(int(source.integers(-(2**62), 2**62)), "ü" * int(source.integers(0, 9)), float(source.normal()),
             bool(source.integers(2)), None) for _ in range(5_000)]  # fmt: skip
    table = pa.Table.from_arrays(columns_of(pa.array(map(record, rows), pa.binary()), KINDS), list("abcde"))
    assert list(zip(*table.to_pydict().values(), strict=True)) == rows


def test_no_records_give_empty_columns():
    assert [column.type for column in columns_of(pa.array([], pa.binary()), KINDS)] == [TYPES[kind] for kind in KINDS]


WHOLE = record(ROWS[0])
BROKEN = {
    "cut short": WHOLE[:-1],
    "with more": WHOLE + b"x",
    "empty": b"",
    "a length that is too large": WHOLE[:8] + struct.pack(">i", 2**31 - 1) + WHOLE[12:],
    "a number of four bytes": struct.pack(">iiii", 5, 20, 4, 7) + WHOLE[20:],
    "fields that are missing": record(ROWS[0][:4]),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_what_is_no_record_is_refused(broken):
    with pytest.raises(pa.ArrowInvalid, match="no records of these columns"):
        columns_of(pa.array([WHOLE, broken], pa.binary()), KINDS)


def batches(count: int, seen: list[int], fail_at: int | None = None):
    for number in range(count):
        if number == fail_at:
            raise ValueError(number)
        seen.append(number)
        yield pa.record_batch({"a": [number]})


def test_ahead_gives_the_same_batches_one_ahead():
    seen = list[int]()
    got = [batch["a"][0].as_py() for batch in ahead(batches(20, seen))]
    assert got == seen == list(range(20))


def test_ahead_passes_an_error_on_after_what_came_before():
    got, seen = list[int](), list[int]()
    with pytest.raises(ValueError, match="3"):
        got.extend(batch["a"][0].as_py() for batch in ahead(batches(9, seen, fail_at=3)))
    assert seen == [0, 1, 2]


def test_ahead_fetches_no_more_than_one_that_nobody_takes():
    seen = list[int]()
    going = ahead(batches(20, seen))
    next(going)
    going.close()
    assert seen == [0, 1]

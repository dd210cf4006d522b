"""Campaign: tables in memory with values of any type, coded by every kind of attribute and compared one by one."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from mutations import NASTY_NUMBERS, NASTY_TEXTS, mutate_text

from hushtable.domain import Domain
from hushtable.errors import HushError
from hushtable.vault.coding import encode, encode_rules

SHAPE = Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
            "income": {"kind": "number", "between": ["-1e9", "1e9"], "bins": 8},
            "sex": {"kind": "category", "values": ["female", "male", "1", "true"], "other": True},
            "smoker": {"kind": "boolean", "other": True, "missing": "error"},
            "choice": {"kind": "decision_list", "inputs": ["near", "cheap"], "length": 2},
        },
    }
)
TYPES = (
    pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(),
    pa.float64(), pa.bool_(), pa.null(), pa.date32(), pa.date64(), pa.timestamp("ns"), pa.timestamp("s", "UTC"),
    pa.duration("us"), pa.time64("ns"), pa.decimal128(38, 5), pa.decimal256(70, 1), pa.list_(pa.string()),
    pa.struct([("a", pa.int64())]), pa.dictionary(pa.int8(), pa.string()), pa.map_(pa.string(), pa.int8()),
)  # fmt: skip
WORDS = ("5", "70", "male", " male ", "true", "T", "0", "1.0", "1_0", "-0", "near:1;else:0", "!near:0", "cheap:1", "")


def prepare(folder: Path) -> Callable[[random.Random], None]:
    def run(luck: random.Random) -> None:
        attribute = luck.choice(SHAPE.attributes)
        column = array(luck)
        if attribute.kind == "decision_list":
            encode_rules(attribute, column)
            return
        codes = encode(attribute, column)
        if not pa.types.is_floating(column.type):
            slow = [attribute.code(value) for value in _values(column)]
            assert codes.tolist() == slow, f"{column.type}: {codes.tolist()} and one by one {slow}"

    # Kinds of text have kernels of their own; where they are not in the cache yet, they are compiled and written now.
    for number in range(200):
        with contextlib.suppress(HushError):
            run(random.Random(f"first {number}"))
    return run


def _values(column: pa.Array) -> list[Any]:
    values = []
    for scalar in column:
        try:
            values.append(scalar.as_py())
        except (OverflowError, ValueError):
            values.append("out of range")
    return values


def array(luck: random.Random) -> pa.Array:
    kind = luck.choice(TYPES)
    values = [luck.choice((None, luck.choice(WORDS), _nasty(luck), luck.choice(NASTY_NUMBERS))) for _ in range(6)]
    fits = [value for value in values if _fits(value, kind)]
    made = pa.array(fits, kind) if fits or kind == pa.null() else _any_bits(kind, luck)
    return made.slice(luck.randrange(3)) if len(made) > 3 and luck.random() < 0.3 else made


def _nasty(luck: random.Random) -> str:
    text = mutate_text(luck.choice(WORDS), luck) if luck.random() < 0.6 else luck.choice(NASTY_TEXTS)
    return text.encode("utf-8", "replace").decode()


def _fits(value: Any, kind: pa.DataType) -> bool:
    try:
        pa.scalar(value, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _any_bits(kind: pa.DataType, luck: random.Random) -> pa.Array:
    """Whatever eight bytes mean in a type of that width; nulls in the others."""
    if kind in (pa.date64(), pa.timestamp("ns"), pa.duration("us"), pa.int64()):
        return pa.array(np.frombuffer(luck.randbytes(40), np.int64)).cast(kind, safe=False)
    return pa.nulls(3, kind)

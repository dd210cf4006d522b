"""Mutations: of bytes, of text and of plain values as JSON has them; each a small random damage or trick."""

from __future__ import annotations

import random
from typing import Any

NASTY_TEXTS = (
    "", " ", "\x00", "\n", "\x1b[31m", "\ud800", "\u202e", "é" * 3, "x" * 5000, "../../etc/passwd", "/dev/zero", "nan",
    "inf", "-inf", "1e999", "1e-999", "1e400000000", "1/0", "1/3", "0", "-1", "9" * 400, "9" * 5000, "0x10", "1_000",
    "²", "١٢", "true", "null", "__class__", "{0.__class__}", "%s%s%s", "__import__('os').system('true')", "other",
    "missing", "gaussian", "rounded-gaussian", "laplace",
    "replace", "add-remove", "pure", "zcdp", "gdp", "age", "url", "table", "mean",
)  # fmt: skip
NASTY_NUMBERS = (
    0, 1, -1, 2, 3, 7, 64, 255, 256, 1000, 65535, 65536, 10**6, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63,
    -(2**63), 2**64, 10**18, 10**30, 10**400, 0.5, -0.5, 1e-300, 1e300, -1e300, 1e308,
)  # fmt: skip


def nasty_value(luck: random.Random) -> Any:
    """A value of any type that JSON has."""
    kind = luck.randrange(8)
    if kind < 2:
        return luck.choice(NASTY_TEXTS)
    if kind < 5:
        return luck.choice(NASTY_NUMBERS)
    if kind == 5:
        return luck.choice((None, True, False, [], {}, [[]], {"": None}, [None], [0] * 50, [{}]))
    if kind == 6:
        return [nasty_value(luck) for _ in range(luck.randrange(4))]
    return {luck.choice(NASTY_TEXTS): nasty_value(luck) for _ in range(luck.randrange(3))}


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a value, itself first."""
    found = [path]
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        found += places(part, (*path, key))
    return found


def mutate_value(value: Any, luck: random.Random) -> Any:
    """Changes one part of a value in place, and returns it; a change at the top returns another value."""
    path = luck.choice(places(value))
    if not path:
        return nasty_value(luck) if luck.random() < 0.1 else value
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    _change(holder, path[-1], luck)
    return value


def _change(holder: Any, key: Any, luck: random.Random) -> None:
    what, old = luck.randrange(7), holder[key]
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[luck.choice((*NASTY_TEXTS, *map(str, holder)))] = old
    elif what == 1:
        holder.extend([old] * luck.choice((1, 2, 100)))
    elif what == 2 and isinstance(old, int) and not isinstance(old, bool):
        holder[key] = old + luck.choice((-1, 1, 2, -old, old, 2**31, 2**63))
    elif what == 2 and isinstance(old, str):
        holder[key] = mutate_text(old, luck)
    elif what == 3 and isinstance(holder, list):
        luck.shuffle(holder)
    elif what == 4:
        holder[key] = [old]
    else:
        holder[key] = nasty_value(luck)


def mutate_text(text: str, luck: random.Random) -> str:
    """Cuts, repeats, swaps or inserts a piece."""
    for _ in range(luck.choice((1, 1, 2, 4))):
        start = luck.randrange(len(text) + 1)
        end = min(len(text), start + luck.choice((0, 1, 1, 2, 5, 20)))
        letter = chr(luck.randrange(32, 127)) if luck.random() < 0.5 else chr(luck.randrange(0x3000))
        sign = luck.choice("()[]{}'\"`;,.*-+/%\\<>=!|&~^#@$?: \t")
        piece = luck.choice(("", text[start:end] * 2, luck.choice(NASTY_TEXTS), letter, sign, sign))
        text = text[:start] + piece + text[end:]
    return text


def mutate_bytes(data: bytes, luck: random.Random) -> bytes:
    """Flips, cuts, repeats or inserts bytes."""
    changed = bytearray(data)
    for _ in range(luck.choice((1, 1, 2, 8))):
        place = luck.randrange(len(changed) + 1)
        what = luck.randrange(5)
        if what == 0 and place < len(changed):
            changed[place] ^= 1 << luck.randrange(8)
        elif what == 1:
            changed[place:place] = luck.randbytes(luck.choice((1, 2, 8, 64)))
        elif what == 2:
            del changed[place : place + luck.choice((1, 2, 8, 64, 4096))]
        elif what == 3:
            changed[place : place + 4] = luck.choice(
                (b"\xff" * 4, b"\x00" * 4, b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80")
            )
        else:
            other = luck.randrange(len(changed) + 1)
            changed[place:place] = changed[other : other + luck.choice((4, 32, 512))]
    return bytes(changed)

"""Shape: what a wide predicate looks like once each attribute is cut down to what the predicate sees of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...domain.predicate import Count, Event, Not, Predicate, Truth
from ...errors import BadQuestion

__all__ = ["General", "Symmetric", "shape_of"]

MOST_ATTRIBUTES, MOST_POINTS = 12, 2**14
Mask = tuple[bool, ...]


@dataclass(frozen=True)
class Symmetric:
    """True or false by how many of the bits are 1; a bit is whether an attribute's code is in a set."""

    positions: tuple[int, ...]
    masks: tuple[Mask, ...]
    values: tuple[float, ...]
    """The predicate for 0, 1, ..., k ones."""


@dataclass(frozen=True, eq=False)
class General:
    """Any predicate of a few attributes, over the classes of codes it cannot tell apart."""

    positions: tuple[int, ...]
    classes: tuple[NDArray[np.intp], ...]
    """Class of each code, per attribute."""
    table: NDArray[np.float64]
    """1 where the predicate is true, one axis of classes per attribute."""


def shape_of(predicate: Predicate, sizes: Sequence[int]) -> Symmetric | General:
    """The cheapest shape of a predicate: symmetric if it is one, else general if it is small enough."""
    return _symmetric(predicate, sizes) or _general(predicate, sizes)


def _symmetric(predicate: Predicate, sizes: Sequence[int]) -> Symmetric | None:
    """any, all, at least, exactly: conditions on one attribute each, on different attributes."""
    flat = _flattened(predicate)
    if not isinstance(flat, Count):
        return None
    bits: dict[int, list[tuple[Truth, Truth]]] = {}
    least, most = flat.least, flat.most
    for part in flat.parts:
        if len(part.positions) > 1:
            return None
        if not part.positions:
            true, _ = part.truth((), ())
            least, most = least - int(true), most - int(true)
            continue
        (position,) = part.positions
        bits.setdefault(position, []).append(part.truth((position,), (sizes[position],)))
    whole = flat.least == flat.most == len(flat.parts) or (flat.least <= 1 and flat.most >= len(flat.parts))
    if any(len(seen) > 1 for seen in bits.values()) and not whole:
        return None
    merge = np.logical_and if flat.least == len(flat.parts) else np.logical_or
    if most < len(flat.parts) and any(not (t | f).all() for seen in bits.values() for t, f in seen):
        return None  # `exactly` is unknown for a missing value, so it needs both ends of every part
    repeats = len([s for seen in bits.values() for s in seen]) - len(bits)
    least, most = (least - repeats, most - repeats) if merge is np.logical_and else (least, most)
    positions = tuple(sorted(bits))
    masks = tuple(tuple(map(bool, merge.reduce([t for t, _ in bits[p]]))) for p in positions)
    values = tuple(float(least <= ones <= max(most, 0)) for ones in range(len(positions) + 1))
    return Symmetric(positions, masks, values)


def _flattened(predicate: Predicate) -> Predicate:
    """NOT pushed inside, and AND in AND, OR in OR, written as one."""
    if isinstance(predicate, Not):
        inner = predicate.part
        if isinstance(inner, Not):
            return _flattened(inner.part)
        if isinstance(inner, Count) and inner.most == len(inner.parts):
            k = len(inner.parts)
            return _flattened(Count(k - inner.least + 1, k, tuple(Not(part) for part in inner.parts)))
        return predicate
    if not isinstance(predicate, Count):
        return predicate
    parts: list[Predicate] = []
    k = len(predicate.parts)
    kind = "and" if predicate.least == k else "or" if predicate.least == 1 and predicate.most == k else ""
    for part in map(_flattened, predicate.parts):
        size = len(part.parts) if isinstance(part, Count) else 0
        same = isinstance(part, Count) and part.most == size and part.least == (size if kind == "and" else 1)
        wide = len(part.positions) > 1
        parts += list(part.parts) if kind and same and wide and isinstance(part, Count) else [part]
    if not kind:
        return Count(predicate.least, predicate.most, tuple(parts))
    return Count(len(parts) if kind == "and" else 1, len(parts), tuple(parts))


def _general(predicate: Predicate, sizes: Sequence[int]) -> General:
    positions = tuple(sorted(predicate.positions))
    if len(positions) > MOST_ATTRIBUTES:
        raise BadQuestion(
            f"a general condition joins at most {MOST_ATTRIBUTES} attributes, not {len(positions)}; "
            "any(...), all(...), at_least(r, ...) and exactly(r, ...) of one condition per attribute go wider"
        )
    leaves = list(_leaves(predicate))
    classes, chosen = [], []
    for position in positions:
        seen = [part for leaf in leaves if leaf.position == position for part in (leaf.true, leaf.false)]
        _, first, which = np.unique(np.array(seen), axis=1, return_index=True, return_inverse=True)
        classes.append(which.ravel())
        chosen.append([int(code) for code in first])
    if prod(len(codes) for codes in chosen) > MOST_POINTS:
        raise BadQuestion("the condition tells too many combinations of values apart; ask about fewer attributes")
    small = _restricted(predicate, dict(zip(positions, chosen, strict=True)))
    return General(positions, tuple(classes), small.table(positions, [len(codes) for codes in chosen]))


def _leaves(predicate: Predicate) -> list[Event]:
    if isinstance(predicate, Event):
        return [predicate]
    parts = [predicate.part] if isinstance(predicate, Not) else list(getattr(predicate, "parts", ()))
    return [leaf for part in parts for leaf in _leaves(part)]


def _restricted(predicate: Predicate, codes: dict[int, list[int]]) -> Predicate:
    """The same predicate on a table that has only some codes of each attribute."""
    if isinstance(predicate, Event):
        kept = codes.get(predicate.position, range(len(predicate.true)))
        true, false = (tuple(mask[c] for c in kept) for mask in (predicate.true, predicate.false))
        return Event(predicate.position, true, false)
    if isinstance(predicate, Not):
        return Not(_restricted(predicate.part, codes))
    assert isinstance(predicate, Count)
    return Count(predicate.least, predicate.most, tuple(_restricted(part, codes) for part in predicate.parts))

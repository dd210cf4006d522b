"""Decoding: from the codes of an attribute back to values that have these codes, as an Arrow column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .attributes import OTHER, PLAIN_NUMBER, Attribute, Binned, Boolean, Category, Integer, Ordered
from .dates import Date, Time

__all__ = ["Decoder", "decoder", "loses_other"]

Codes = NDArray[np.uint16]
Floats = NDArray[np.float64]
Decoder = Callable[[Codes, np.random.Generator], pa.Array]
WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def decoder(attribute: Attribute) -> Decoder:
    """What turns codes into values that `Attribute.code` gives the same codes; a missing value is a null.

    Words come as declared, with `other` for an undeclared one. A number is drawn uniformly inside its bin. The code
    `other` of a number or a boolean stands for values that nobody listed, and becomes a null: see `loses_other`.
    """
    if isinstance(attribute, Category):
        return _words(attribute)
    if isinstance(attribute, (Date, Time)):
        return _moments(attribute)
    if isinstance(attribute, Boolean) and attribute.labels_of:
        return _listed(attribute, [_written(attribute, "false"), _written(attribute, "true")])
    if isinstance(attribute, Binned):
        fits = attribute.low >= SMALLEST and attribute.high <= LARGEST
        return _whole_numbers(attribute) if isinstance(attribute, Integer) and fits else _numbers(attribute)
    return lambda codes, random: pa.array(codes == 1, mask=codes > 1)


def written(attribute: Attribute, texts: Sequence[str | None]) -> pa.Array:
    """Values of an attribute as it decodes them, given as text; None is missing."""
    if isinstance(attribute, Integer):
        return pa.array([None if t is None else int(Fraction(t)) for t in texts], pa.int64())
    if isinstance(attribute, Binned):
        return pa.array([None if t is None else float(Fraction(t)) for t in texts], pa.float64())
    if isinstance(attribute, Ordered):
        numbers = [None if t is None else attribute.number(t) for t in texts]
        kind = pa.date32() if isinstance(attribute, Date) else pa.time32("s")
        return pa.array([None if n is None else int(n) for n in numbers], pa.int32()).cast(kind)
    code = {label: c for c, label in enumerate(attribute.labels)}
    places = [attribute.missing_code if t is None else code.get(t, attribute.place(t)) for t in texts]
    nowhere = attribute.size
    codes = np.array([nowhere if place is None else place for place in places], dtype=np.int64)
    kept = decoder(attribute)(np.minimum(codes, attribute.size - 1).astype(np.uint16), np.random.default_rng(0))
    return pc.if_else(pa.array(codes < nowhere), kept, pa.scalar(None, kept.type))


def spelled(attribute: Attribute, column: pa.Array) -> pa.Array:
    """The same with missing values as the data write them, where the domain says how and the column can hold it."""
    if not attribute.missing_values or column.null_count == 0:
        return column
    text, kind = attribute.missing_values[0], column.type
    if pa.types.is_string(kind):
        return pc.fill_null(column, text)
    if (pa.types.is_integer(kind) and WHOLE.fullmatch(text)) or (
        pa.types.is_floating(kind) and PLAIN_NUMBER.fullmatch(text)
    ):
        return pc.fill_null(column, pa.scalar(float(text), pa.float64()).cast(kind))
    return column


def loses_other(attribute: Attribute) -> bool:
    """Whether `other` and `missing` both decode to a null."""
    return attribute.other and not isinstance(attribute, Category)


def _words(attribute: Category) -> Decoder:
    """As the data write them: the codes of labelled values, and whole numbers as numbers."""
    return _listed(attribute, [_written(attribute, name) for name in attribute.names])


def _written(attribute: Category | Boolean, value: str) -> str:
    return next((text for text, meant in attribute.labels_of if meant == value), value)


def _listed(attribute: Attribute, values: list[str]) -> Decoder:
    """One value a code. Codes that are whole numbers stay numbers where no word stands beside them."""
    whole = [int(value) for value in values if WHOLE.fullmatch(value)]
    numbers = len(whole) == len(values) and not (attribute.other and isinstance(attribute, Category))
    own: list[str | int | None] = list(whole if numbers else values)
    if attribute.other:
        own.append(None if numbers or isinstance(attribute, Boolean) else OTHER)
    if attribute.missing_code is not None:
        own.append(None)
    kept = pa.array(own, pa.int64() if numbers else pa.string())
    return lambda codes, random: kept.take(pa.array(codes))


def _moments(attribute: Date | Time) -> Decoder:
    """Days and times, uniform inside their bins."""
    first, last = (np.array([int(b[end]) for b in attribute.bin_bounds()], np.int64) for end in (0, 1))
    kind = pa.date32() if isinstance(attribute, Date) else pa.time32("s")

    def decode(codes: Codes, random: np.random.Generator) -> pa.Array:
        known = codes < len(first)
        bins = np.where(known, codes, 0)
        drawn = random.integers(first[bins], last[bins], endpoint=True).astype(np.int32)
        return pa.array(drawn, pa.int32(), mask=~known).cast(kind)

    return decode


def _numbers(attribute: Binned) -> Decoder:
    """Floating-point numbers; whole ones too, where they are too large for 64 bits."""
    first, last = _floats(attribute)

    def decode(codes: Codes, random: np.random.Generator) -> pa.Array:
        known = codes < len(first)
        bins = np.where(known, codes, 0)
        share, low, high = random.random(len(codes)), first[bins], last[bins]
        # Not low + share * (high - low), whose difference overflows for the widest bins.
        drawn = np.clip((1 - share) * low + share * high, low, high)
        return pa.array(np.floor(drawn) if isinstance(attribute, Integer) else drawn, mask=~known)

    return decode


def _whole_numbers(attribute: Integer) -> Decoder:
    low, high = int(attribute.low), int(attribute.high)
    smallest, largest = _floats(attribute)
    # An edge of more than 53 bits may round to a float beyond the bounds, and so beyond 64 bits.
    first = np.array([min(max(math.ceil(x), low), high) for x in smallest.tolist()], np.int64)
    last = np.array([min(max(math.floor(x), low), high) for x in largest.tolist()], np.int64)

    def decode(codes: Codes, random: np.random.Generator) -> pa.Array:
        known = codes < len(first)
        bins = np.where(known, codes, 0)
        return pa.array(random.integers(first[bins], last[bins], endpoint=True), mask=~known)

    return decode


def _floats(attribute: Binned) -> tuple[Floats, Floats]:
    """Smallest and largest float of each bin; rows are coded by comparing floats, so the edges are rounded first.

    Where two edges round to one float, no row can have the code between them; it decodes to that float.
    """
    edges = np.array([float(edge) for edge in (attribute.low, *attribute.cuts)])
    last = np.append(np.nextafter(edges[1:], -np.inf), float(attribute.high))
    return edges, np.maximum(edges, last)

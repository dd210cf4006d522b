"""Packing: rows of base groups as a few whole numbers each, sorted, so that a file holds them in few bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_rows", "unpack_rows", "word_spans"]

Codes = NDArray[np.uint16]
WORD = 2**62


def word_spans(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Which attributes, in order, share a word: as many as fit."""
    spans, begin, filled = [], 0, 1
    for j, size in enumerate(sizes):
        if filled * size > WORD:
            spans.append((begin, j))
            begin, filled = j, 1
        filled *= size
    return [*spans, (begin, len(sizes))]


def pack_rows(codes: Codes, sizes: Sequence[int]) -> NDArray[np.int64]:
    """Words of all rows, shape (words, rows): mixed-radix numbers of the attributes in order."""
    words = []
    for begin, end in word_spans(sizes):
        word = np.zeros(codes.shape[1], dtype=np.int64)
        for j in range(begin, end):
            word = word * sizes[j] + codes[j]
        words.append(word)
    return np.array(words)


def unpack_rows(words: NDArray[np.int64], sizes: Sequence[int]) -> Codes:
    """The inverse of `pack_rows`."""
    codes = np.empty((len(sizes), words.shape[1]), dtype=np.uint16)
    for number, (begin, end) in enumerate(word_spans(sizes)):
        rest = words[number]
        for j in reversed(range(begin, end)):
            rest, codes[j] = np.divmod(rest, sizes[j])
    return codes

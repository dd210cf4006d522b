"""Key counts: how many rows have each key that occurs; exact, so they never leave the vault but through a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Attribute
from ..maths.keys.keys import byte_lines
from ..maths.keys.siphash import KEY_BYTES, digests
from .coding import read_keys

__all__ = ["Counts", "KeyCounts", "KeyTexts", "Texts"]

# Blocks are merged when this many keys wait, or as many as are merged already, whichever is more.
WAITING = 1 << 20
HALF_BYTES = 8
Words = NDArray[np.uint64]


class Counts:
    """Keys, as 128 bits of a secret hash, and how often they occur; counts of two blocks add up to those of both."""

    def __init__(self, first: Words, second: Words, counts: NDArray[np.int64] | None = None) -> None:
        ones = np.ones(len(first), dtype=np.int64) if counts is None else counts
        self._merged = _grouped(first, second, ones)
        self._waiting: list[tuple[Words, Words, NDArray[np.int64]]] = []

    def __iadd__(self, other: Counts) -> Counts:
        self._waiting += [other._merged, *other._waiting]
        if sum(len(part[0]) for part in self._waiting) > max(WAITING, len(self._merged[0])):
            self._merge()
        return self

    def _merge(self) -> None:
        parts, self._waiting = [self._merged, *self._waiting], []
        first, second, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._merged = _grouped(first, second, counts)

    def keyed(self) -> tuple[pa.Array, None, NDArray[np.int64]]:
        """Digests as 16 bytes each, in their order, and how often each occurs: how counts travel between machines."""
        first, second, counts = self._all
        halves = np.stack([first, second], axis=1).astype(">u8").view(np.uint8)
        return byte_lines(halves.reshape(-1, 2 * HALF_BYTES)), None, counts

    def add_keyed(self, keys: pa.Array, values: pa.Array, counts: NDArray[np.int64]) -> None:
        """Adds such a piece."""
        halves = np.frombuffer(b"".join(keys.to_pylist()), dtype=">u8").reshape(-1, 2).astype(np.uint64)
        self += Counts(halves[:, 0].copy(), halves[:, 1].copy(), counts)

    def blocks(self) -> Iterator[Counts]:
        """All keys, some at a time: here all at once."""
        yield self

    def here(self) -> Counts:
        """All of them in memory, as they are."""
        return self

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each key occurs."""
        return self._all[2]

    def digests_of(self, places: NDArray[np.intp]) -> tuple[Words, Words]:
        """The two halves of the digests at some places of `counts`."""
        return self._all[0][places], self._all[1][places]

    def look_up(self, first: Words, second: Words) -> NDArray[np.int64]:
        """How often the keys with these digests occur."""
        ours, others, counts = self._all
        times = np.zeros(len(first), dtype=np.int64)
        if not len(ours):
            return times
        at = np.searchsorted(ours, first)
        while (near := np.flatnonzero((at < len(ours)) & (ours[np.minimum(at, len(ours) - 1)] == first))).size:
            same = near[others[at[near]] == second[near]]
            times[same] = counts[at[same]]
            at[same] = len(ours)
            at[np.setdiff1d(near, same)] += 1  # another key with the same first half
        return times

    @property
    def _all(self) -> tuple[Words, Words, NDArray[np.int64]]:
        if self._waiting:
            self._merge()
        return self._merged

    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())


def _grouped(first: Words, second: Words, counts: NDArray[np.int64]) -> tuple[Words, Words, NDArray[np.int64]]:
    """Equal keys together, in the order of their digests."""
    if not len(first):
        return first, second, counts
    order = np.argsort(first)
    same = (first[order][1:] == first[order][:-1]) & (second[order][1:] != second[order][:-1])
    if same.any():  # two keys with the same first half: rare, and sorted out by the second
        order = np.lexsort((second, first))
    first, second, counts = first[order], second[order], counts[order]
    starts = np.flatnonzero(np.r_[True, (first[1:] != first[:-1]) | (second[1:] != second[:-1])])
    return first[starts], second[starts], np.add.reduceat(counts, starts)


class _Keys:
    """Reads as a statistic does; what it reads are the 128-bit digests of the rows' keys under a secret of its own."""

    def __init__(self, attributes: Sequence[Attribute], secret: bytes) -> None:
        if len(secret) != 2 * KEY_BYTES:
            raise ValueError(f"the secret has {2 * KEY_BYTES} bytes, not {len(secret)}")
        self.attributes, self.secret = tuple(attributes), secret

    def columns(self, domain: Domain) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(attribute.name for attribute in self.attributes)

    def read(self, batch: pa.RecordBatch, domain: Domain) -> pa.Array:
        """The keys of the rows."""
        return read_keys(self.attributes, batch)

    def hashed(self, keys: pa.Array) -> tuple[Words, Words]:
        """Both halves of the digests."""
        return digests(self.secret[:KEY_BYTES], keys), digests(self.secret[KEY_BYTES:], keys)


class KeyCounts(_Keys):
    """Its coordinates are the keys that occur, and those are private themselves: only `Door.reveal` takes it.

    Two keys count as one if both hashes agree, which has a chance of n^2 / 2^129 for n keys.
    """

    name: ClassVar[str] = "key-counts"

    def zeros(self) -> Counts:
        """The counts of no rows."""
        return self.accumulate(pa.array([], pa.large_binary()))

    def accumulate(self, codes: pa.Array) -> Counts:
        """The counts of one block of rows."""
        return Counts(*self.hashed(codes))


class Texts(dict[tuple[int, int], bytes]):
    """Digest to key."""

    def __iadd__(self, other: Texts) -> Texts:
        self.update(other)
        return self

    def keyed(self) -> tuple[pa.Array, pa.Array, NDArray[np.int64]]:
        """Digests and keys: how they travel between machines."""
        halves = [first.to_bytes(HALF_BYTES, "big") + second.to_bytes(HALF_BYTES, "big") for first, second in self]
        return pa.array(halves, pa.binary()), pa.array(self.values(), pa.binary()), np.ones(len(self), dtype=np.int64)

    def add_keyed(self, keys: pa.Array, values: pa.Array, counts: NDArray[np.int64]) -> None:
        """Adds such a piece."""
        halves = ((key[:HALF_BYTES], key[HALF_BYTES:]) for key in keys.to_pylist())
        pairs = ((int.from_bytes(first, "big"), int.from_bytes(second, "big")) for first, second in halves)
        self.update(zip(pairs, values.to_pylist(), strict=True))


class KeyTexts(_Keys):
    """The keys that have one of some digests; for digests that are public by now."""

    def __init__(self, source: KeyCounts, first: Words, second: Words) -> None:
        super().__init__(source.attributes, source.secret)
        self._first = np.sort(first)
        self._wanted = set(zip(first.tolist(), second.tolist(), strict=True))

    def zeros(self) -> Texts:
        """Nothing found."""
        return Texts()

    def accumulate(self, codes: pa.Array) -> Texts:
        """What one block of rows has of them."""
        first = digests(self.secret[:KEY_BYTES], codes)
        at = np.minimum(np.searchsorted(self._first, first), len(self._first) - 1)
        hits = np.flatnonzero(self._first[at] == first)
        keys = codes.take(pa.array(hits[np.unique(first[hits], return_index=True)[1]]))
        halves = (half.tolist() for half in self.hashed(keys))
        near = dict(zip(zip(*halves, strict=True), keys.to_pylist(), strict=True))
        return Texts({pair: key for pair, key in near.items() if pair in self._wanted})

"""People's rows: which rows of a person count, by a keyed hash of that person and her own rows alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.attributes import Binned, Uncoded
from ..maths.keys.keys import key_texts
from ..maths.keys.siphash import KEY_BYTES, column_digests, digests
from .coding import encode_batch, real_numbers
from .person_kernel import HALF, ODD, choose_few, mix_numbers, mix_words
from .statistics.base import Codes

__all__ = ["Choice", "People", "RowKeys", "choose", "first_halves", "row_words"]

Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
# About how many rows are put in order at a time.
BUCKET = 1 << 17


class RowKeys(NamedTuple):
    """Three keys of one secret: two for people, whose digests have 128 bits, and one for what rows say."""

    first: bytes
    second: bytes
    rows: bytes

    @classmethod
    def of(cls, secret: str) -> RowKeys:
        """From the secret of one release or curator, which no file that is published has."""
        whole = hashlib.blake2b(secret.encode(), digest_size=3 * KEY_BYTES, person=b"rows of people").digest()
        return cls(*(whole[at : at + KEY_BYTES] for at in range(0, len(whole), KEY_BYTES)))


class People(NamedTuple):
    """Whose a row is, and what it says: digests, one of each a row. Rows without a person are not `named`.

    Two people count as one if both halves agree, which has a chance of n^2 / 2^129 for n people.
    """

    first: Words
    second: Words
    content: Words
    named: Flags

    @classmethod
    def of(cls, person: pa.Array, codes: Codes, rest: Words, keys: RowKeys) -> People:
        """Of one batch: the column that tells people apart, and the rows as `row_words`."""
        ids, named = _ids(person)
        first, second = (digests(key, ids) * named for key in keys[:2])
        return cls(first, second, column_digests(keys.rows, codes, rest), named)

    def at(self, places: Flags | NDArray[np.intp]) -> People:
        """Some of the rows."""
        return People(self.first[places], self.second[places], self.content[places], self.named[places])

    @classmethod
    def joined(cls, parts: Sequence[People]) -> People:
        """All rows of several batches."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class Choice(NamedTuple):
    """Which rows count, and how many people that cuts. Not private: it never leaves the vault but for the owner."""

    kept: Flags
    people: int
    """How many people there are, rows without one left aside."""
    cut: int
    """How many of them have more rows than are kept."""
    named: int
    """How many rows name somebody."""


def first_halves(person: pa.Array, keys: RowKeys) -> Words:
    """The first halves of the digests of people, 0 where a row has none: enough to see whether the same ones come."""
    ids, named = _ids(person)
    return digests(keys.first, ids) * named


def _ids(person: pa.Array) -> tuple[pa.Array, Flags]:
    """The bytes of what names a person, as in the key of an open column but for 17.0; and whether there is anything."""
    texts = _without_zeros(key_texts(person))
    return pc.fill_null(texts, "").cast(pa.large_binary()), np.asarray(pc.is_valid(texts))


def _without_zeros(texts: pa.Array) -> pa.Array:
    """17.0 and 17.00 as 17, each by itself: so text says what was a float or a decimal, also in one column with 17."""
    _, _, data = texts.buffers()
    if data is None or not (np.frombuffer(data, np.uint8) == ord(".")).any():
        return texts
    pointed = pc.match_substring_regex(texts, r"^-?[0-9]+\.[0-9]+$")
    return pc.if_else(pointed, pc.replace_substring_regex(texts, r"\.?0*$", ""), texts)


def row_words(batch: pa.RecordBatch, domain: Domain, keys: RowKeys) -> tuple[Codes, Words]:
    """The codes of the closed columns, and a word of all else that any statistic could read of each row.

    BadData where the domain says `missing: error` and a row, counted or not, has no value.
    """
    columns = dict(zip(domain.names, batch.columns, strict=False))
    codes = encode_batch(batch.select([attribute.name for attribute in domain.closed]), domain)
    rest = np.zeros(batch.num_rows, dtype=np.uint64)
    for attribute in domain.attributes:
        column = columns[attribute.name]
        if isinstance(attribute, Binned):
            mix_numbers(rest, _numbers(attribute, column))
        elif isinstance(attribute, Uncoded):
            mix_words(rest, digests(keys.rows, pc.fill_null(key_texts(column).cast(pa.large_binary()), b"\xff")))
    return codes, rest


def _numbers(attribute: Binned, column: pa.Array) -> NDArray[Any]:
    """The numbers of a column, NaN for all that is no number: codes tell the rest apart.

    Which way they are read is decided by the type alone. Were it decided by whether anything is missing, one person's
    missing value would change what the rows of others say here, and so which of them count.
    """
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return real_numbers(attribute, column)
    if not (pa.types.is_int64(kind) or pa.types.is_float64(kind)) or column.null_count:
        column = column.cast(pa.float64(), safe=False)
    return np.asarray(pc.fill_null(column, np.nan) if column.null_count else column)


def choose(people: People, most: int) -> Choice:
    """At most so many rows of each person: those of least hash of (person, row, which of her equal rows it is).

    What is kept of a person depends on her own rows alone, in whatever order they come, and so whatever the keys are
    one person's rows change at most `most` rows that count for as many others. Rows without a person are a person
    each.
    """
    kept = np.ones(len(people.named), dtype=bool)
    named = np.flatnonzero(people.named)
    bits = max(0, min(16, (len(named) // BUCKET).bit_length()))
    many = cut = 0
    for bucket in _buckets(people.first, named, bits):
        counts, crowd = np.ones(len(bucket), dtype=bool), np.zeros(len(bucket), dtype=bool)
        parts = (digest[bucket] for digest in people[:3])
        seen, over = choose_few(*parts, most, bits, counts, crowd)
        rest = _choose(people.at(bucket[crowd]), most)
        counts[crowd] = rest.kept
        kept[bucket] = counts
        many, cut = many + seen + rest.people, cut + over + rest.cut
    return Choice(kept, many, cut, len(named))


def _buckets(first: Words, named: NDArray[np.intp], bits: int) -> list[NDArray[np.intp]]:
    """The rows that name somebody in parts that fit a cache, with all rows of a person in one."""
    if not bits:
        return [named]
    places = ((first[named] * ODD) >> np.uint64(64 - bits)).astype(np.uint16)
    sizes = np.bincount(places, minlength=1 << bits)
    return np.split(named[np.argsort(places, kind="stable")], np.cumsum(sizes)[:-1])


def _choose(people: People, most: int) -> Choice:
    """The same by sorting, for some people all of whose rows are here, and are named: however many each has."""
    kept = np.ones(len(people.first), dtype=bool)
    order = np.argsort(people.first, kind="stable")
    person = _numbered(people.first[order], people.second[order])
    if person is None:  # two people with the same first half: rare, and sorted out by the second
        order = np.lexsort((people.second, people.first))
        person = _numbered(people.first[order], people.second[order], sure=True)
    assert person is not None
    sizes = np.bincount(person)
    over = (sizes > most)[person]
    order, person = order[over], person[over]
    if len(order):
        tickets = _tickets(people.first[order], people.content[order], person)
        ranked = np.argsort(_within(person, tickets), kind="stable")
        kept[order[ranked[_place_in_run(person[ranked]) >= most]]] = False
    return Choice(kept, len(sizes), int((sizes > most).sum()), len(kept))


def _numbered(first: Words, second: Words, *, sure: bool = False) -> NDArray[np.intp] | None:
    """The number of the person each row is of, in their order; None where two have the same first half."""
    new_first, new_second = first[1:] != first[:-1], second[1:] != second[:-1]
    if not sure and (new_second & ~new_first).any():
        return None
    return np.concatenate([[0], np.cumsum(new_first | new_second)]).astype(np.intp)[: len(first)]


def _tickets(first: Words, content: Words, person: NDArray[np.intp]) -> Words:
    """A hash of person, row and which of her equal rows it is: equal rows may change places.

    It is keyed, as the digests of person and row are.
    """
    rows = _within(person, content)
    order = np.argsort(rows, kind="stable")
    tickets = np.empty(len(order), dtype=np.uint64)
    tickets[order] = _place_in_run(rows[order])
    for words in (first, content, first):
        mix_words(tickets, words)
    return tickets


def _within(person: NDArray[np.intp], digest: Words) -> Words:
    """One number that orders rows by person, then by the first half of a digest; enough, as a person has few rows.

    How many bits does not depend on how many people there are. Where two digests of one person share them, the order
    of her own rows in the table decides, and nobody else's.
    """
    return (person.astype(np.uint64) << HALF) | (digest >> HALF)


def _place_in_run(values: NDArray[Any]) -> NDArray[np.intp]:
    """0, 1, 2, ... in every run of equal values."""
    new = np.concatenate([[True], values[1:] != values[:-1]])
    places = np.arange(len(values))
    return places - np.maximum.accumulate(np.where(new, places, 0))

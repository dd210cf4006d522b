"""People's rows, compiled: what a number adds to what a row says, and which rows of a person with few of them count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["CROWD", "choose_few", "mix_numbers", "mix_words"]

U = np.uint64
# The odd number nearest to 2^64 over the golden ratio.
ODD, HALF = U(0x9E3779B97F4A7C15), U(32)
# More rows than this that share a place are left to a sort, as their time here would grow with their square.
CROWD = 64


@njit(inline="always", cache=True)
def _mixed(into: Any, word: Any) -> Any:
    """One more word: a bijection of what was there for every word, and of the word."""
    into = (into ^ word) * ODD
    return into ^ (into >> HALF)


@njit(nogil=True, cache=True)
def mix_words(into: NDArray[np.uint64], words: NDArray[np.uint64]) -> None:
    """One more word of each row, in place."""
    for i in range(len(into)):
        into[i] = _mixed(into[i], words[i])


@njit(nogil=True, cache=True)
def mix_numbers(into: NDArray[np.uint64], numbers: Any) -> None:
    """The same of numbers as floats, with one zero and one NaN."""
    number = np.empty(1, dtype=np.float64)
    word = number.view(np.uint64)
    for i in range(len(into)):
        number[0] = np.float64(numbers[i]) + 0.0
        if number[0] != number[0]:
            number[0] = np.nan
        into[i] = _mixed(into[i], word[0])


@njit(nogil=True, cache=True)
def choose_few(first: Any, second: Any, content: Any, most: int, skip: int, kept: Any, crowd: Any) -> tuple[int, int]:
    """Clears `kept` for rows of people that do not count, and marks as `crowd` those it leaves to somebody else.

    Rows are put in places by a hash of the person, a few in each; those of a place are looked at pair by pair. `skip`
    bits of that hash are the same for all. Returns how many people it saw, and how many have more than `most` rows.
    """
    bits = 1
    while len(first) >> (bits + 1):
        bits += 1
    ends, order = _places(first, skip, bits)
    says, tickets = np.empty(CROWD, dtype=np.uint64), np.empty(CROWD, dtype=np.uint64)
    people = cut = 0
    start: Any = 0
    for end in ends:
        if end - start > CROWD:
            for at in range(start, end):
                crowd[order[at]] = True
            start = end
            continue
        _sort(order, start, end, first, second)
        while start < end:
            last = start + 1
            while last < end and _same(first, second, order[start], order[last]):
                last += 1
            people += 1
            if last - start > most:
                cut += 1
                for at in range(start, last):
                    says[at - start] = content[order[at]]
                _draw(says, last - start, first[order[start]], tickets)
                for at in range(start, last):
                    kept[order[at]] = _before(tickets, last - start, at - start) < most
            start = last
    return people, cut


@njit(cache=True)
def _places(first: Any, skip: int, bits: int) -> Any:
    """Where the rows of each place end, and the rows in the order of their places; within one, in their own."""
    ends = np.zeros((1 << bits) + 1, dtype=np.int32)
    for word in first:
        ends[1 + np.int64(((word * ODD) << U(skip)) >> U(64 - bits))] += 1
    for one in range(1 << bits):
        ends[one + 1] += ends[one]
    order = np.empty(len(first), dtype=np.int32)
    for i in range(len(first)):
        place = np.int64(((first[i] * ODD) << U(skip)) >> U(64 - bits))
        order[ends[place]] = i
        ends[place] += 1
    return ends[:-1], order


@njit(inline="always", cache=True)
def _same(first: Any, second: Any, a: Any, b: Any) -> bool:
    return bool(first[a] == first[b] and second[a] == second[b])


@njit(cache=True)
def _sort(order: Any, start: int, end: int, first: Any, second: Any) -> None:
    """By person, and by their own order within one."""
    for i in range(start + 1, end):
        row, at = order[i], i
        while at > start and (
            first[order[at - 1]] > first[row]
            or (first[order[at - 1]] == first[row] and second[order[at - 1]] > second[row])
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = row


@njit(inline="always", cache=True)
def _draw(says: Any, rows: int, person: Any, tickets: Any) -> None:
    """A hash of person, row, and which of her equal rows it is; half of it decides, as is enough for few rows."""
    for i in range(rows):
        equal = U(0)
        for j in range(i):
            equal += U(says[j] >> HALF == says[i] >> HALF)
        tickets[i] = _mixed(_mixed(_mixed(equal, person), says[i]), person) >> HALF


@njit(inline="always", cache=True)
def _before(tickets: Any, rows: int, one: int) -> int:
    """How many rows of a person come before one."""
    count = 0
    for j in range(one):
        count += tickets[j] <= tickets[one]
    for j in range(one + 1, rows):
        count += tickets[j] < tickets[one]
    return count

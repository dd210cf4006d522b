"""Kernels of long decision lists: the coefficients of every set of their rules, and what they decide."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["add_lists", "decided"]

STEPS = 1 << 20


@numba.njit(cache=True)
def _table(parts, decisions, rules, out):  # type: ignore[no-untyped-def]
    """The coefficients of one list by last rule and size; `RulePolynomials.coefficients`, for rows."""
    out[:] = 0
    for size in range(parts.shape[2]):
        before = 0
        for rule in range(rules, 0, -1):
            kind = 2 if rule == rules else 0
            if size > 0:
                out[rule, size] = before + decisions[rule - 1] * parts[kind + 1, rule, size]
            before += decisions[rule - 1] * parts[kind, rule, size]
        if size == 0:
            out[0, 0] = before


@numba.njit(cache=True)
def _cut(out, sets, rules, most, squared):  # type: ignore[no-untyped-def]
    """Cuts a row's coefficients to both lengths, in whole numbers and towards 0; shorter rows stay as they are."""
    length, squares = abs(out[0, 0]), out[0, 0] * out[0, 0]
    for rule in range(1, rules + 1):
        for size in range(1, out.shape[1]):
            length += sets[rule, size] * abs(out[rule, size])
            squares += sets[rule, size] * out[rule, size] * out[rule, size]
    if length <= most and squares <= squared:
        return
    # One step less than the root, which pays for its rounding.
    part = np.int64(STEPS * min(most / length, np.sqrt(squared / squares))) - 1
    for rule in range(rules + 1):
        for size in range(out.shape[1]):
            kept = abs(out[rule, size]) * part // STEPS
            out[rule, size] = kept if out[rule, size] > 0 else -kept


@numba.njit(cache=True)
def _add(sums, table, inputs, signs, rules, starts, below, order):  # type: ignore[no-untyped-def]
    """Adds the coefficients of every set of at most `order` rules, each where the set of its inputs stands."""
    members = np.zeros((order + 1, order + 1), dtype=np.int64)
    chosen, turned = np.zeros(order + 1, dtype=np.int64), np.ones(order + 1, dtype=np.int64)
    sums[starts[0]] += table[0, 0]
    size, following = 0, 0
    while True:
        if following < rules and size < order:
            place, value = size, inputs[following]
            for i in range(size):
                members[size + 1, i] = members[size, i]
            while place > 0 and members[size + 1, place - 1] > value:
                members[size + 1, place] = members[size + 1, place - 1]
                place -= 1
            members[size + 1, place] = value
            chosen[size], turned[size + 1] = following, turned[size] * signs[following]
            size += 1
            rank = starts[size]
            for i in range(size):
                rank += below[i, members[size, i]]
            sums[rank] += table[following + 1, size] * turned[size]
            following += 1
        else:
            if size == 0:
                return
            size -= 1
            following = chosen[size] + 1


@numba.njit(cache=True)
def add_lists(codes, sums, parts, sets, grid, most, squared, starts, below, order):  # type: ignore[no-untyped-def]
    """Adds all lists, a column each: number of rules, default of a list without rules, literals, decisions."""
    longest = (codes.shape[0] - 2) // 2
    table = np.zeros((longest + 1, parts.shape[2]), dtype=np.int64)
    inputs, signs = np.zeros(longest, dtype=np.int64), np.zeros(longest, dtype=np.int64)
    decisions = np.zeros(longest, dtype=np.int64)
    for row in range(codes.shape[1]):
        rules = min(np.int64(codes[0, row]), longest)
        if rules == 0:
            sums[starts[0]] += (2 * np.int64(codes[1, row] > 0) - 1) << grid
            continue
        for i in range(rules):
            literal = np.int64(codes[2 + i, row])
            inputs[i], signs[i] = literal >> 1, 1 - 2 * (literal & 1)
            decisions[i] = 2 * np.int64(codes[2 + longest + i, row] > 0) - 1
        _table(parts, decisions, rules, table)
        _cut(table, sets, rules, most, squared)
        _add(sums, table, inputs, signs, rules, starts, below, order)


@numba.njit(cache=True)
def decided(codes, queries, out):  # type: ignore[no-untyped-def]
    """How many lists decide 1 at each input."""
    longest = (codes.shape[0] - 2) // 2
    for row in range(codes.shape[1]):
        rules = min(np.int64(codes[0, row]), longest)
        for q in range(queries.shape[0]):
            decision = codes[1, row] > 0 if rules == 0 else codes[2 + longest + rules - 1, row] == 0
            for i in range(rules):
                literal = np.int64(codes[2 + i, row])
                if queries[q, literal >> 1] != (literal & 1):
                    decision = codes[2 + longest + i, row] > 0
                    break
            out[q] += decision

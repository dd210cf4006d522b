"""Kernels: compiled loops over weighted rows. Cells are computed from the codes on the fly, so memory does not grow
with the number of tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = [
    "around",
    "compile_seldom_met",
    "exchanged",
    "gibbs_pass",
    "length_cells",
    "nearest_non_negative",
    "replicated_tables",
    "spread_rows",
    "weighted_tables",
]

# Larger logarithms of odds are cut here, so that no exponential leaves the range of single precision.
MOST_LOG_ODDS = np.float32(60.0)
TINY_F32 = np.float32(1e-30)


@njit(cache=True, nogil=True)
def nearest_non_negative(table: Any, rounds: int, near: float) -> Any:
    """The nearest table of two attributes without negative cells that has the same margins, by Dykstra's algorithm.

    It ends after so many rounds, or when no cell on the margins is further below 0 than `near`.
    """
    height, width = table.shape
    rows, columns = np.zeros(height), np.zeros(width)
    for i in range(height):
        for j in range(width):
            rows[i] += table[i, j]
            columns[j] += table[i, j]
    out, cut = table.copy(), np.zeros_like(table)
    for _ in range(rounds):
        by_row, by_column, least = rows.copy(), columns.copy(), 0.0
        for i in range(height):
            for j in range(width):
                by_row[i] -= out[i, j]
                by_column[j] -= out[i, j]
        both = by_row.sum() / (height * width)
        for i in range(height):
            for j in range(width):
                on = out[i, j] + by_row[i] / width + by_column[j] / height - both
                least = min(least, on)
                out[i, j] = max(on + cut[i, j], 0.0)
                cut[i, j] = on + cut[i, j] - out[i, j]
        if least > -near:
            break
    return out


@njit(cache=True, nogil=True)
def exchanged(codes: Any, chosen: Any, others: Any, excess: Any, starts: Any) -> None:
    """Puts other rows in the place of chosen ones where that lowers the sum of squares of `excess`.

    codes    base groups of the model's rows, one line an attribute
    chosen   places of drawn rows, changed in place; `others` are offered to the first of them, one each
    excess   of every attribute's groups, how many more rows are drawn than wanted; changed in place
    starts   where each attribute's groups begin
    """
    for r in range(len(others)):
        old, new, change = chosen[r], others[r], 0.0
        for j in range(len(codes)):
            before, after = starts[j] + codes[j, old], starts[j] + codes[j, new]
            if before != after:
                change += 1.0 - excess[before] + excess[after]
        if change < 0:
            chosen[r] = new
            for j in range(len(codes)):
                excess[starts[j] + codes[j, old]] -= 1.0
                excess[starts[j] + codes[j, new]] += 1.0


@njit(cache=True, nogil=True)
def around(values: Any, reach: int) -> Any:
    """For every row the sum over its neighbours on both sides, nearer ones more; without its own."""
    out = np.zeros_like(values)
    for row in range(len(values)):
        for step in range(1, reach + 1):
            weight = 1 - step / (reach + 1)
            for other in (row - step, row + step):
                if 0 <= other < len(values):
                    for k in range(values.shape[1]):
                        out[row, k] += weight * values[other, k]
    return out


@njit(cache=True, nogil=True)
def weighted_tables(codes: Any, weights: Any, lines: Any, spans: Any, maps: Any, starts: Any, out: Any) -> None:
    """Adds each row's weight to its cell of every table.

    Table t has the lines spans[t] to spans[t + 1]: an attribute, and the place of its map (code to stride x group); its
    cells begin at starts[t].
    """
    for table in range(len(spans) - 1):
        for r in range(len(weights)):
            cell = starts[table]
            for line in range(spans[table], spans[table + 1]):
                cell += maps[lines[line, 1] + codes[lines[line, 0], r]]
            out[cell] += weights[r]


@njit(cache=True, nogil=True, fastmath=True)
def replicated_tables(codes: Any, start: Any, weights: Any, ratios: Any, places: Any, lines: Any, spans: Any,
                      maps: Any, starts: Any, own: Any, each: Any) -> None:  # fmt: skip
    """The same for all replicates at once (`each`), and for the model (`own`).

    A row's weight in a replicate is multiplied by ratios[places[j] + code] for every attribute j that the table has;
    places[j] is -1 where there are none.
    """
    count = weights.shape[1]
    weight = np.empty(count)
    for table in range(len(spans) - 1):
        for r in range(len(start)):
            cell = starts[table]
            for k in range(count):  # by element: a view of a row costs more than its sixteen numbers
                weight[k] = weights[r, k]
            for line in range(spans[table], spans[table + 1]):
                j = lines[line, 0]
                code = np.int64(codes[j, r])
                cell += maps[lines[line, 1] + code]
                if places[j] >= 0:
                    place = places[j] + code
                    for k in range(count):
                        weight[k] *= ratios[place, k]
            own[cell] += start[r]
            for k in range(count):
                each[cell, k] += weight[k]


@njit(cache=True, nogil=True)
def spread_rows(codes: Any, weights: Any, members: Any, shape: Any, shares: Any, places: Any, out: Any) -> None:
    """Adds each row's weight to the cells of a table, parted among the groups of every attribute that it has.

    A row whose code of attribute members[m] is c has the part shares[places[m] + c x shape[m] + g] in group g of it.
    """
    cells = np.empty(len(out))
    for r in range(len(weights)):
        cells[0], count = weights[r], 1
        for m in range(len(members)):
            size = shape[m]
            begin = places[m] + np.int64(codes[members[m], r]) * size
            for cell in range(count - 1, -1, -1):  # from the last: what is written is not read again
                own = cells[cell]
                for group in range(size):
                    cells[cell * size + group] = own * shares[begin + group]
            count *= size
        for cell in range(count):
            out[cell] += cells[cell]


@njit(cache=True, nogil=True)
def _uniform(seed: Any, row: int, attribute: int) -> float:
    """A number in [0, 1) that depends on its arguments alone (splitmix64)."""
    z = seed + np.uint64(row) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(attribute + 1) * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, fastmath=True)
def _conditional(row: Any, chance: Any, links: Any, maps: Any, tables: Any) -> None:
    """Multiplies `chance` by the factor tables of one attribute, given the row's other codes."""
    size = len(chance)
    for k in range(len(links)):
        others = maps[links[k, 1] + row[links[k, 0]]] + maps[links[k, 3] + row[links[k, 2]]]
        place = links[k, 4] + size * others
        part = tables[place : place + size]
        for g in range(size):
            chance[g] *= part[g]


@njit(cache=True, nogil=True)
def _shift(log: Any, line: Any, by: Any) -> None:
    """Adds a line of odds, or takes it away."""
    for k in range(len(log)):
        log[k] += by * line[k]


@njit(cache=True, nogil=True)
def _log_odds(row: Any, shift: Any, odds: Any, log: Any) -> None:
    """Of every attribute, given the others."""
    log[:] = shift
    for j in range(len(row)):
        if row[j] == 1:
            _shift(log, odds[j], np.float32(1.0))


@njit(cache=True, nogil=True)
def _forbid(row: Any, chance: Any, first: int, last: int, rules: Any, spans: Any, classes: Any, banned: Any) -> None:
    """Sets the chance of every group to 0 that would make a declared impossibility true.

    Rule k, from the first to the last of one attribute, has the lines spans[k] to spans[k + 1] of `rules`, as
    `Rules.layout` says.
    """
    for k in range(first, last):
        own, cell = spans[k], 0
        for line in range(own + 1, spans[k + 1]):
            cell += rules[line, 2] * classes[rules[line, 1] + row[rules[line, 0]]]
        if spans[k + 1] > own + 1 and not banned[rules[own + 1, 3] + cell]:
            continue  # most rows meet few rules
        place = rules[own, 3] + cell * rules[own, 2]
        for g in range(len(chance)):
            if banned[place + classes[rules[own, 1] + g]]:
                chance[g] = 0.0


@njit(cache=True, nogil=True)
def _drawn(chance: Any, uniform: float) -> int:
    """A group by its chance, or -1 if none has one."""
    total = np.float32(0.0)
    for g in range(len(chance)):
        total += chance[g]
    if not total > TINY_F32:
        return -1
    left = np.float32(uniform) * total
    for g in range(len(chance)):
        left -= chance[g]
        if left < 0:
            return g
    last = len(chance) - 1  # rounding: the last group that has a chance
    while chance[last] == 0:
        last -= 1
    return last


@njit(cache=True, nogil=True)
def _length_cell(length: int, orders: int, rares: int) -> int:
    """None, one alone by its number (`orders` is the sum of the numbers), or two and more by how many."""
    if length == 0:
        return 0
    return 1 + orders if length == 1 else rares + length - 1


@njit(cache=True, nogil=True)
def length_cells(codes: Any, group: Any, order: Any) -> Any:
    """The cell of every row by its rare values: group[j] is the rare group of attribute j or -1."""
    width, count = codes.shape
    length, orders, rares = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64), 0
    for j in range(width):
        if group[j] >= 0:
            rares += 1
            for r in range(count):
                if codes[j, r] == group[j]:
                    length[r] += 1
                    orders[r] += order[j]
    for r in range(count):
        length[r] = _length_cell(length[r], orders[r], rares)
    return length


@njit(cache=True, nogil=True)
def _lengthen(row: Any, attribute: int, chance: Any, group: Any, order: Any, lengths: Any, state: Any) -> None:
    """Multiplies the chance of the rare group by what the longer row's cell has over the shorter one's.

    state  the row's length and the sum of the numbers of its rare values; `attribute` is taken out of it
    """
    rare, rares = group[attribute], len(lengths) // 2
    if row[attribute] == rare:
        state[0] -= 1
        state[1] -= order[attribute]
    longer = lengths[_length_cell(state[0] + 1, state[1] + order[attribute], rares)]
    chance[rare] *= longer / max(lengths[_length_cell(state[0], state[1], rares)], TINY_F32)


@njit(cache=True, nogil=True)
def _read(codes: Any, r: int, row: Any, group: Any, order: Any, lengths: Any, state: Any) -> None:
    """The codes of a row; and where lengths matter its length and the sum of the numbers of its rare values."""
    state[:] = 0
    for j in range(len(row)):
        row[j] = codes[j, r]
        if len(lengths) > 0 and row[j] == group[j]:
            state[0] += 1
            state[1] += order[j]


@njit(cache=True, nogil=True)
def gibbs_pass(codes: Any, base: Any, bases: Any, links: Any, starts: Any, maps: Any, tables: Any, seed: Any,
               rules: Any, spans: Any, firsts: Any, classes: Any, banned: Any, group: Any, order: Any, lengths: Any,
               shift: Any, odds: Any) -> None:  # fmt: skip
    """Draws every attribute of every row anew, given the row's others, from prod p_j prod of factor tables.

    Attribute j has the groups base[bases[j]:bases[j + 1]] (their shares) and the links starts[j] to starts[j + 1]:
    two other attributes, each with the place of its map, and the place of a table (rows: the others' groups,
    columns: base groups of j). `lengths` has the factors of the cells of `length_cells`, and may be empty.
    Where all attributes have two groups and no table has three members, `shift` and `odds` say the same as shares and
    links, in less time: the logarithm of the odds of group 1 of attribute j is shift[j] and the sum of odds[k, j] over
    all k of group 1. Else they are empty.
    A row stays as it is where every group has chance 0.
    """
    width, count = codes.shape
    row = np.empty(width, dtype=np.int64)
    chance = np.empty(np.max(np.diff(bases)), dtype=np.float32)
    state, log = np.zeros(2, dtype=np.int64), np.empty(width, dtype=np.float32)
    two = len(shift) > 0
    for r in range(count):
        _read(codes, r, row, group, order, lengths, state)
        if two:
            _log_odds(row, shift, odds, log)
        for j in range(width):
            size = bases[j + 1] - bases[j]
            if size < 2:
                continue
            mine = chance[:size]
            if two:
                mine[0] = 1.0
                mine[1] = np.exp(min(max(log[j], -MOST_LOG_ODDS), MOST_LOG_ODDS))
            else:
                mine[:] = base[bases[j] : bases[j + 1]]
                _conditional(row, mine, links[starts[j] : starts[j + 1]], maps, tables)
            if firsts[j] < firsts[j + 1]:
                _forbid(row, mine, firsts[j], firsts[j + 1], rules, spans, classes, banned)
            counted = len(lengths) > 0 and group[j] >= 0
            if counted:
                _lengthen(row, j, mine, group, order, lengths, state)
            chosen = _drawn(mine, _uniform(seed, r, j))
            if chosen >= 0:
                if two and chosen != row[j]:
                    _shift(log, odds[j], np.float32(chosen - row[j]))
                row[j] = chosen
                codes[j, r] = chosen
            if counted and row[j] == group[j]:
                state[0] += 1
                state[1] += order[j]


def compile_seldom_met() -> None:
    """Compiles what only some released numbers lead to: no trial on made-up rows is sure to meet these."""
    one = np.ones(1)
    around(np.ones((1, 1)), 1)
    spread_rows(np.zeros((1, 1), dtype=np.uint16), one, np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64), one,
                np.zeros(1, dtype=np.int64), np.zeros(1))  # fmt: skip

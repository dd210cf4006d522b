"""Raking kernels: compiled sweeps that fit the weights of rows to tables, for a model and for all its replicates at
once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["effective", "solve_cells", "sweep", "sweep_all", "weighted_counts"]

# Most that one Newton step, and one sweep, change a log-weight: far from the solution the exponential overshoots.
LARGEST_STEP, LARGEST_MOVE = 1.0, 2.0
# Newton's method on a convex increasing function: quadratic once near, so this many steps end at rounding.
STEPS = 60


@njit(cache=True, nogil=True)
def solve_cells(model: Any, theta: Any, target: Any, strength: Any, reach: float, change: Any) -> None:
    """Solves m e^x + c (theta + x) = y for x in every cell, |x| at most `reach`, by Newton's method."""
    for cell in range(len(model)):
        m, c, want = model[cell], strength[cell], target[cell] - strength[cell] * theta[cell]
        x = 0.0
        for _ in range(STEPS):
            e = m * np.exp(x)
            step = (e + c * x - want) / (e + c)
            step = min(max(step, -LARGEST_STEP), LARGEST_STEP)
            x -= step
            if abs(step) < 1e-12:
                break
            if abs(x) > reach:
                break
        # Where no row is, theta would rise with every sweep, until a move draws rows to it against all other tables.
        change[cell] = min(max(x, -reach), reach if m > 0 else 0.0)


@njit(cache=True, nogil=True)
def weighted_counts(codes: Any, weights: Any, members: Any, places: Any, maps: Any, out: Any) -> None:
    """Adds each row's weight to its cell: the sum of maps[place + code] over the members, which are one to three."""
    a, left = codes[members[0]], maps[places[0] :]
    if len(members) == 1:
        for r in range(len(weights)):
            out[left[a[r]]] += weights[r]
        return
    b, right = codes[members[1]], maps[places[1] :]
    if len(members) == 2:
        for r in range(len(weights)):
            out[left[a[r]] + right[b[r]]] += weights[r]
        return
    c, last = codes[members[2]], maps[places[2] :]
    for r in range(len(weights)):
        out[left[a[r]] + right[b[r]] + last[c[r]]] += weights[r]


@njit(cache=True, nogil=True)
def effective(weights: Any, copies: Any, count: int) -> float:
    """Effective share of `count` rows, (sum w)^2 / (count x sum w^2), where line r stands for copies[r] equal ones."""
    total = squares = 0.0
    for r in range(len(weights)):
        total += weights[r]
        squares += weights[r] * weights[r] / copies[r]
    return total * total / (squares * count) if squares > 0 else 0.0


@njit(cache=True, nogil=True)
def _step(codes: Any, weights: Any, cell: Any, factor: Any, members: Any, places: Any, maps: Any, out: Any) -> None:
    """Multiplies each row's weight by the factor of its cell; then finds its cell of the next table, where it is added.

    One pass for both: it is the reading of rows that takes the time.
    """
    a, left = codes[members[0]], maps[places[0] :]
    if len(members) == 1:
        for r in range(len(weights)):
            w = weights[r] * factor[cell[r]]
            weights[r], cell[r] = w, left[a[r]]
            out[cell[r]] += w
        return
    b, right = codes[members[1]], maps[places[1] :]
    if len(members) == 2:
        for r in range(len(weights)):
            w = weights[r] * factor[cell[r]]
            weights[r], cell[r] = w, left[a[r]] + right[b[r]]
            out[cell[r]] += w
        return
    c, last = codes[members[2]], maps[places[2] :]
    for r in range(len(weights)):
        w = weights[r] * factor[cell[r]]
        weights[r], cell[r] = w, left[a[r]] + right[b[r]] + last[c[r]]
        out[cell[r]] += w


@njit(cache=True, nogil=True)
def sweep(codes: Any, weights: Any, copies: Any, count: int, factors: Any, maps: Any, cells: Any, theta: Any,
          target: Any, strength: Any, rows: float, begin: int, floor: float, every: int) -> int:  # fmt: skip
    """Fits factor after factor from `begin` on; stops early when the weights degenerate.

    Factor f has factors[f, 0] members, factors[f, 1:4], whose maps (base group to stride x group) stand at
    factors[f, 4:7], and the cells cells[f] to cells[f + 1]. Returns the factor to go on with.
    """
    cell, factor = np.zeros(len(weights), dtype=np.int32), np.ones(1)
    for f in range(begin, len(factors)):
        arity, here, end = factors[f, 0], cells[f], cells[f + 1]
        model, change = np.zeros(end - here), np.empty(end - here)
        _step(codes, weights, cell, factor, factors[f, 1 : 1 + arity], factors[f, 4 : 4 + arity], maps, model)
        scale = rows / max(model.sum(), 1e-300)
        solve_cells(model * scale, theta[here:end], target[here:end], strength[here:end], LARGEST_MOVE, change)
        theta[here:end] += change
        factor = np.exp(change) * scale
        last = f + 1 == len(factors)
        check = every > 0 and (f + 1) % every == 0
        if last or check:
            for r in range(len(weights)):
                weights[r] *= factor[cell[r]]
                cell[r] = 0
            factor = np.ones(1)
        if check and effective(weights, copies, count) < floor:
            return f + 1
    return len(factors)


@njit(cache=True, nogil=True)
def _step_all(codes: Any, weights: Any, cell: Any, factor: Any, members: Any, places: Any, maps: Any, out: Any) -> None:
    """The same for several weights of each row, one a replicate."""
    arity, several = len(members), weights.shape[1]
    for r in range(len(weights)):
        now = maps[places[0] + codes[members[0], r]]
        if arity > 1:
            now += maps[places[1] + codes[members[1], r]]
        if arity > 2:
            now += maps[places[2] + codes[members[2], r]]
        before = cell[r]
        cell[r] = now
        for k in range(several):
            w = weights[r, k] * factor[before, k]
            weights[r, k] = w
            out[now, k] += w


@njit(cache=True, nogil=True)
def sweep_all(codes: Any, weights: Any, factors: Any, maps: Any, cells: Any, theta: Any, target: Any, strength: Any,
              rows: float, begin: int) -> None:  # fmt: skip
    """A sweep of every replicate: column k of weights (row by row), of theta and of target (cell by cell)."""
    several = weights.shape[1]
    cell, factor = np.zeros(len(weights), dtype=np.int32), np.ones((1, several))
    for f in range(begin, len(factors)):
        arity, here, end = factors[f, 0], cells[f], cells[f + 1]
        model, change = np.zeros((end - here, several)), np.empty(end - here)
        _step_all(codes, weights, cell, factor, factors[f, 1 : 1 + arity], factors[f, 4 : 4 + arity], maps, model)
        factor = np.empty((end - here, several))
        for k in range(several):
            scale = rows / max(model[:, k].sum(), 1e-300)
            solve_cells(
                model[:, k] * scale, theta[here:end, k], target[here:end, k], strength[here:end], LARGEST_MOVE, change
            )
            theta[here:end, k] += change
            factor[:, k] = np.exp(change) * scale
    for r in range(len(weights)):
        for k in range(several):
            weights[r, k] *= factor[cell[r], k]

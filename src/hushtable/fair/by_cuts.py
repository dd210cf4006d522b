"""Solving by cuts: a few pairs first, then those that the best rule so far breaks, until none is left."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from .cuts import Cuts, every_cut, join, single_outcomes, worst
from .metric import Floats
from .pairs import Divergence, Pairs
from .program import Extra, Program, Solved

__all__ = ["Found", "by_cuts"]

NEIGHBOURS, MOST_NEW, MOST_ROUNDS = 4, 4, 200
KEPT_ROOM, FORGETFUL_ROUNDS = 0.2, 12


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """Odds that break no pair by more than the tolerance, unless the time was over."""

    solved: Solved | None
    """None when not even the first program was solved in time."""
    bound: float
    """No fair rule has less cost."""
    cuts: Cuts
    rounds: int
    timed_out: bool
    seconds: float


def by_cuts(
    cost: Floats,
    pairs: Pairs,
    extra: Extra,
    *,
    divergence: Divergence,
    tol: float,
    seconds: float,
    every_pair: bool = False,
) -> Found:
    """The least cost over all rules that are fair to these pairs, within `tol`; with `every_pair` without cuts."""
    began = time.monotonic()
    program, actions = Program(cost, extra), cost.shape[1]
    if every_pair:
        cuts = join([every_cut(block, actions, divergence) for block in pairs.blocks()])
    else:
        cuts = single_outcomes(pairs.nearest(NEIGHBOURS), actions, divergence)
    best: Solved | None = None
    bound, timed_out, rounds = -np.inf, True, 0
    while rounds < MOST_ROUNDS:
        solved = program.solve(cuts, seconds - (time.monotonic() - began))
        if solved is None:
            break
        rounds += 1
        best, bound = solved, max(bound, solved.bound)
        new = broken(program, solved, pairs, divergence, tol)
        if not len(new):
            timed_out = False
            break
        cuts = join([_remembered(cuts, solved, rounds), new])
    return Found(
        solved=best, bound=bound, cuts=cuts, rounds=rounds, timed_out=timed_out, seconds=time.monotonic() - began
    )


def broken(program: Program, solved: Solved, pairs: Pairs, divergence: Divergence, tol: float) -> Cuts:
    """The cuts that are broken most, at most four for each type."""
    found, amounts = [], []
    centre = solved.odds.mean(axis=0)
    for block in pairs.blocks():
        column = program.slack_columns(block.first, block.second)
        slack = np.zeros(len(block))
        if column is not None:
            # Slack columns come after the odds in the program.
            has = column >= 0
            slack[has] = solved.extra[column[has] - program.types * program.actions]
        cuts, by = worst(solved.odds, block, slack, centre, tol, divergence)
        found.append(cuts)
        amounts.append(by)
    every, by = join(found), np.concatenate(amounts)
    most = max(MOST_NEW * program.types, 200)
    return every if len(every) <= most else every.take(np.argpartition(-by, most)[:most])


def _remembered(cuts: Cuts, solved: Solved, rounds: int) -> Cuts:
    """The cuts that are near binding. After some rounds all are kept, so that none comes and goes for ever."""
    if rounds == 1 or rounds > FORGETFUL_ROUNDS:
        return cuts
    return cuts.take(solved.room < KEPT_ROOM)

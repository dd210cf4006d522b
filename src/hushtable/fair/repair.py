"""Repair: from odds that are fair up to a tolerance to odds that are fair to every pair, in floating point."""

from __future__ import annotations

import numpy as np

from .cuts import excess
from .metric import Floats
from .pairs import Divergence, PairBlocks, TypePairs

__all__ = ["cleaned", "largest_excess", "mixed", "repaired", "share_needed"]

GRID = 2.0**50
"""Odds of `tv` are multiples of 2^-50, so that they add up to 1 exactly."""
UNUSED = 1e-7
"""An outcome that hardly anybody ever gets is dropped under `inf`, where it would have to be rare for everybody."""


def repaired(odds: Floats, weights: Floats, pairs: PairBlocks, divergence: Divergence) -> tuple[Floats, float]:
    """Odds that are fair to all pairs, and the share by which everybody was moved towards the average.

    M' = (1 - t) M + t c with c the average odds: every difference shrinks by 1 - t, and the loss grows by at most
    t (loss(c) - loss(M)). t = max (1 - d / D) for `tv`; for `inf` the largest v / (v + c(a) (e^d - 1)) over pairs and
    outcomes with v = mu_x(a) - e^d mu_y(a) > 0.
    """
    odds = cleaned(odds, weights, divergence)
    centre = weights @ odds / weights.sum()
    share = max((share_needed(odds, centre, block, divergence) for block in pairs.blocks()), default=0.0)
    for _ in range(20):
        made = mixed(odds, centre, share, divergence)
        over = largest_excess(made, pairs, divergence)
        if over <= 1e-12 or share >= 1:
            break
        share = min(1.0, share + max(4 * over, 1e-12) + share * 1e-9)
    return made, share


def cleaned(odds: Floats, weights: Floats, divergence: Divergence) -> Floats:
    """Odds of at least 0 that add up to 1; under `inf` without outcomes that nobody gets."""
    odds = np.clip(odds, 0.0, 1.0)
    if divergence == "inf":
        odds[:, weights @ odds < UNUSED * weights.sum()] = 0.0
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def share_needed(odds: Floats, centre: Floats, block: TypePairs, divergence: Divergence) -> float:
    """The least share towards the centre that mends these pairs."""
    if not len(block):
        return 0.0
    if divergence == "tv":
        apart = np.abs(odds[block.first] - odds[block.second]).sum(axis=1) / 2
        over = apart > block.distance
        return float((1 - block.distance[over] / apart[over]).max(initial=0.0))
    factor, needed = np.exp(block.distance)[:, None], 0.0
    for a, b in ((block.first, block.second), (block.second, block.first)):
        v = odds[a] - factor * odds[b]
        line, action = np.nonzero(v > 0)
        v = v[line, action]
        room = centre[action] * (factor[line, 0] - 1)
        needed = max(needed, float((v / (v + room)).max(initial=0.0)))
    return needed


def mixed(odds: Floats, centre: Floats, share: float, divergence: Divergence) -> Floats:
    """The odds moved towards the centre, adding up to 1 by what the most frequent outcome gets."""
    moved = (1 - share) * odds + share * centre
    most = int(np.argmax(centre))
    others = np.arange(odds.shape[1]) != most
    if divergence == "tv":
        moved[:, others] = np.floor(moved[:, others] * GRID) / GRID
    moved[:, most] = 1.0 - moved[:, others].sum(axis=1)
    return moved


def largest_excess(odds: Floats, pairs: PairBlocks, divergence: Divergence) -> float:
    """The largest D - d over all pairs; below 0 when everybody is treated more alike than asked."""
    return max(
        (float(excess(odds, block, divergence).max(initial=-np.inf)) for block in pairs.blocks()), default=-np.inf
    )

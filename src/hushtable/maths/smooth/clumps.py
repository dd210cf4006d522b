"""Clumps: how far the rows of a column may be from an even spread, judged by what each finer look at them found.

Rows that were drawn one by one from a smooth law lie in clumps of one row; rows piled up on single values in clumps of
many. The sums of a release tell which: rows in clumps of k stray from what coarser sums foretell by k times the
variance of single rows. What the finest sums leave open strays alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .functions import ndtr
from .row_spread import EVENNESS, Refinement, Spread, refinements

__all__ = ["Clumps", "clumps_of"]

Floats = NDArray[np.float64]
# Sizes of clumps that are weighed: from one row to all, in half powers of ten.
STEP, MOST_POWER = 0.5, 9.0
# How much the evidence at a place counts, and that of the whole column; that of the look before the last, half.
HERE, EVERYWHERE = 2.0, 1.0
LOOKS = (1.0, 0.5)
RIDGE = 1e-10
LEAST_VARIANCE = 1e-12


class Variances(NamedTuple):
    """Of the rows below each edge, their covariance with all rows, and of all rows; a line a size, or one for all."""

    below: Floats
    shared: Floats
    everyone: Floats

    def at(self, level: float) -> Floats:
        """Of rows below - level x rows."""
        return np.maximum(self.below - 2 * level * self.shared + level**2 * self.everyone, 0.0)


class Clumps(NamedTuple):
    """For each size of clumps its chance at each edge, and how far rows below the edges may be from the spread."""

    sizes: Floats
    chance: Floats
    """Matrix (sizes, edges)."""
    unseen: Variances
    """What sums without noise leave open."""
    noise: Variances
    """What noise adds to it."""
    fit: Variances
    """What noise does to the spread, which was made without a thought of sizes; one line."""

    @property
    def largest(self) -> float:
        """The size of clumps at the edge where they are largest: the mean of its powers, by their chances."""
        return float(np.exp((np.log(self.sizes) @ self.chance).max()))

    def scaled(self, scale: float) -> Clumps:
        """What sums without noise leave open is as large as the clumps say times this; what noise adds is as it is."""
        return self._replace(unseen=Variances(*(scale**2 * part for part in self.unseen)))

    def beyond(self, distance: Floats, level: float) -> Floats:
        """At each edge, the chance that rows below - level x rows is as far as this from what the spread says."""
        variance = self.unseen.at(level) + np.maximum(self.noise.at(level), self.fit.at(level))
        stderr = np.sqrt(np.maximum(variance, LEAST_VARIANCE))
        return np.asarray((self.chance * 2 * ndtr(-np.abs(distance) / stderr)).sum(axis=0))


def clumps_of(basis: Basis, sums: Floats, covariance: Floats, spread: Spread) -> Clumps | None:
    """Chances by the likelihood of each size, all sizes being as likely before; None where no number comes out."""
    powers = np.arange(0, min(max(np.log10(spread.rows), 0.0), MOST_POWER) + 1e-9, STEP)
    sizes = 10.0**powers
    evidence = np.zeros((len(sizes), len(spread.edges)))
    looks = refinements(basis)
    at_edges = basis.at(spread.edges)
    for back, weight in zip(range(1, len(looks)), LOOKS, strict=False):
        fine, coarse = looks[-back], looks[-back - 1]
        each = _likelihood(sizes, sums, covariance, spread, (fine, coarse, spread.before[-back]))
        near = np.maximum(at_edges @ fine.local.T, 0.0)
        near /= near.sum(axis=1, keepdims=True)
        evidence += weight * (HERE * each @ near.T + EVERYWHERE * each.mean(axis=1, keepdims=True))
    chance = np.exp(evidence - evidence.max(axis=0))
    try:
        bare = _variances(1.0, np.zeros_like(covariance), spread)
        noisy = [_variances(size, covariance, spread) for size in sizes]
        fit = _fit_noise(covariance, spread)
    except np.linalg.LinAlgError:
        return None
    unseen = Variances(*(np.multiply.outer(sizes, part) for part in bare))
    noise = Variances(*(
        np.array([given[i] - size * part for size, given in zip(sizes, noisy, strict=True)])
        for i, part in enumerate(bare)
    ))  # fmt: skip
    found = Clumps(sizes, chance / chance.sum(axis=0), unseen, noise, fit)
    parts = [found.chance, *unseen, *noise, *fit]
    return found if all(np.isfinite(part).all() for part in parts) else None


def _likelihood(
    sizes: Floats, sums: Floats, covariance: Floats, spread: Spread, look: tuple[Refinement, Refinement, Floats]
) -> Floats:
    """Matrix (sizes, local functions): log likelihood of how far each finer sum is from what the coarser foretold."""
    fine, coarse, before = look
    local, known = fine.local, coarse.functions
    gram = (spread.values * before[:, None]).T @ spread.values
    inner = known @ gram @ known.T
    inner[np.diag_indices_from(inner)] += RIDGE * np.trace(gram) / len(gram)
    shared = local @ gram @ known.T
    # Of single rows, given the coarser sums.
    variance = np.einsum("ij,ij->i", local @ gram, local) - np.einsum(
        "ij,ji->i", shared, np.linalg.solve(inner, shared.T)
    )
    noise = np.einsum("ij,ij->i", local @ covariance, local)
    off = local @ (sums - before @ spread.values)
    total = sizes[:, None] * np.maximum(variance, RIDGE) + noise
    return np.asarray(-0.5 * (np.log(total) + off**2 / total))


def _variances(size: float, covariance: Floats, spread: Spread) -> Variances:
    """Given the noisy sums, if cells stray by size x their rows."""
    weighed, steps = _sums_below(spread)
    solved = _solved(size * weighed.T @ spread.values + covariance, steps)
    below = np.append(spread.below, spread.rows)
    own = size * below - size**2 * np.einsum("ij,ji->i", steps, solved)
    shared = size * below - size**2 * steps @ solved[:, -1]
    return Variances(own[:-1], shared[:-1], np.full(len(own) - 1, own[-1]))


def _fit_noise(covariance: Floats, spread: Spread) -> Variances:
    """Of the spread itself, to first order in the noise of the sums."""
    weighed, steps = _sums_below(spread)
    solved = _solved(weighed.T @ spread.values + EVENNESS * covariance, steps)
    moved = covariance @ solved
    own = np.einsum("ji,ji->i", solved, moved)
    return Variances(own[:-1], (solved.T @ moved[:, -1])[:-1], np.full(len(own) - 1, own[-1]))


def _sums_below(spread: Spread) -> tuple[Floats, Floats]:
    """The functions weighed by the rows of each cell, and their sums over the cells below each edge, and over all."""
    weighed = spread.values * spread.masses[:, None]
    return weighed, np.cumsum(weighed, axis=0)


def _solved(inner: Floats, steps: Floats) -> Floats:
    inner[np.diag_indices_from(inner)] += RIDGE * np.trace(inner) / len(inner)
    return np.asarray(np.linalg.solve(inner, steps.T))

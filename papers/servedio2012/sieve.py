"""The Harmonic Sieve of section 7.5.1, Kushilevitz and Mansour's search, and the histogram that both are equal to.

Not private: simulations. Nobody should use the sieve: a noisy histogram has the same coefficients at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushtable.maths.learning.polynomial_predictor import counted_thresholds
from hushtable.maths.learning.privlearn import thresholds
from hushtable.maths.learning.threshold_oracle import UNKNOWN, labels
from papers.servedio2012.simulated import walsh

__all__ = ["Sieve", "heavy", "kept_cells", "parity_signs", "sieve_predictions"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sieve:
    """A majority of parities, by smooth boosting; the weak hypothesis is the heaviest coefficient there is."""

    rounds: int = 40
    smooth: float = 0.1
    """No example weighs more than one over this share of all."""

    def fit(self, codes: Integers, label: NDArray[np.bool_], bits: int) -> tuple[Integers, Floats]:
        """The parities and their signed weights, from questions (as codes) with their labels."""
        signs, margin = np.where(label, 1.0, -1.0), np.zeros(len(codes))
        parities, votes = [], []
        for _ in range(self.rounds):
            weights = np.minimum(1.0, np.exp(-margin))
            weights *= min(1.0, 1.0 / max(weights.mean(), self.smooth))
            table = np.bincount(codes, weights=weights * signs, minlength=1 << bits) / weights.sum()
            spectrum = walsh(table)
            best = int(np.abs(spectrum).argmax())
            edge = float(np.clip(spectrum[best], -0.999, 0.999))
            vote = 0.5 * np.log((1 + edge) / (1 - edge))
            parities.append(best)
            votes.append(vote)
            margin += vote * signs * parity_signs(codes, best)
        return np.array(parities), np.array(votes)


def parity_signs(codes: Integers, parity: int) -> Floats:
    """-1 where an odd number of the bits of a parity are set."""
    return 1.0 - 2.0 * (np.bitwise_count(codes & parity) & 1)


def sieve_predictions(codes: Integers, answers: Floats, bits: int, alpha: float, sieve: Sieve) -> tuple[Floats, int]:
    """PrivLearn with the sieve for every threshold: predictions for all 2^d questions, and how often it was run."""
    cells, ran = thresholds(alpha), 0
    every = np.arange(1 << bits)
    passed = np.zeros((len(every), cells - 1), dtype=bool)
    for number in range(1, cells):
        label = labels(answers, number / cells, alpha / 7)
        known = label != UNKNOWN
        if (label[known] == 1).all() or not (label[known] == 1).any():
            passed[:, number - 1] = bool((label[known] == 1).all())
            continue
        ran += 1
        parities, votes = sieve.fit(codes[known], label[known] == 1, bits)
        table = np.bincount(parities, weights=votes, minlength=1 << bits)
        passed[:, number - 1] = walsh(table) >= 0
    return counted_thresholds(passed, cells), ran


def heavy(coefficient_mass: Callable[[int, int], float], bits: int, least: float) -> tuple[set[int], int]:
    """Kushilevitz and Mansour: prefixes are split while the squared coefficients under them are at least `least`^2 / 2.

    coefficient_mass  from a prefix and how many bits it has to the sum of squared coefficients that begin so
    """
    alive, asked = [0], 0
    for length in range(1, bits + 1):
        nexts = [prefix | bit << (length - 1) for prefix in alive for bit in (0, 1)]
        asked += len(nexts)
        alive = [prefix for prefix in nexts if coefficient_mass(prefix, length) >= least**2 / 2]
    return {found for found in alive if coefficient_mass(found, bits) >= least**2}, asked


def kept_cells(shares: Floats, rows: int, epsilon: float, random: np.random.Generator, least: float) -> Floats:
    """A histogram with Laplace noise of scale 2 / epsilon, where cells of at most `least` rows are left out."""
    noisy = shares * rows + random.laplace(0, 2 / epsilon, len(shares))
    return np.where(noisy > least, noisy, 0.0) / rows

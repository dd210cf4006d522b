"""Usual: what is usual for the shares and pairs of a table, learnt from all of its released numbers together.

Where noise is large, most of what differs between two released shares, or between a pair of attributes and
independence, is noise. How much of it is shown by all of them together: a public estimate of how shares and
correlations are spread, by which each single one is drawn to what is usual (empirical Bayes). No budget is spent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .symmetric import Bits, sets_of

__all__ = ["Usual"]

Floats = NDArray[np.float64]
# Shares: normal laws around these, as wide as the way to the next; correlations: normal laws around 0 of these
# variances.
CENTRES = 1 / (1 + np.exp(-np.linspace(-7.0, 7.0, 57)))
WIDTHS = np.gradient(CENTRES)
VARIANCES = np.concatenate([[1e-8], 10.0 ** np.arange(-5.0, 0.1, 0.5)])
# Rounds of the estimate of how they are spread, and how many made-up observations hold each law up.
ROUNDS, HELD_UP = 60, 0.05
# Shares nearer to 0 or 1 are taken for these.
SURE = 1e-6


@dataclass(frozen=True, eq=False)
class Usual:
    """How often shares lie near each of CENTRES, and correlations spread by each of VARIANCES."""

    shares: Floats
    pairs: Floats | None
    centre: float = 0.0
    """The mean correlation of two attributes."""
    learnt_from: int = 1
    """How many attributes that was learnt from."""

    @classmethod
    def of(cls, bits: Bits) -> Self:
        """From the released numbers of many attributes, as they are (no condition turned around)."""
        shares = _spread(*_near_centres(bits.means + bits.values[1], bits.variances[1]))
        alone = cls(shares, None, learnt_from=max(len(bits.means), 1))
        if bits.order < 2:
            return alone
        chances, noise = alone._chances(bits, np.ones(len(bits.means)))
        products, variances, scale = _central(bits, chances, noise)
        centre = _mean(products / scale, variances / scale**2)
        often = _spread(*_around_zero(products / scale - centre, variances / scale**2))
        return replace(alone, pairs=often, centre=centre)

    def denoised(self, bits: Bits, turned: Floats) -> Bits:
        """The same numbers with shares and pairs drawn to what is usual; `turned` is -1 where a condition is negated.

        What is kept of the noise is stated with each, and what is not known of it: that noise, and how far it may have
        been drawn from the truth.
        """
        chances, noise = self._chances(bits, turned)
        values, variances, unsure = list(bits.values), list(bits.variances), list(bits.variances)
        values[1], variances[1] = chances - bits.means, noise**2 / np.maximum(bits.variances[1], 1e-300)
        unsure[1] = noise
        # A share goes to what is usual as far as its own noise is not trusted, and so it errs with what is usual.
        drawn = np.clip(1 - noise / np.maximum(bits.variances[1], 1e-300), 0.0, 1.0)
        common = turned * drawn * np.sqrt(bits.variances[1] / self.learnt_from)
        if self.pairs is not None and bits.order >= 2:
            products, own, scale = _central(bits, chances, noise)
            first, second = bits.sets[2].T
            centre = self.centre * turned[first] * turned[second]
            mean, left = _posterior(*_around_zero(products / scale - centre, own / scale**2), self.pairs)
            p, q = chances[first], chances[second]
            least, most = -np.minimum(p * q, (1 - p) * (1 - q)), np.minimum(p * (1 - q), q * (1 - p))
            values[2] = np.clip(scale * (centre + mean), least, most) + values[1][first] * values[1][second]
            variances[2], unsure[2] = (scale**2 * left) ** 2 / np.maximum(own, 1e-300), scale**2 * left
        return Bits(bits.means, tuple(values), tuple(variances), tuple(unsure), common)

    def _chances(self, bits: Bits, turned: Floats) -> tuple[Floats, Floats]:
        """The shares of the conditions, and the variance of what is not known of them."""
        raw = 0.5 + turned * (bits.means + bits.values[1] - 0.5)
        mean, left = _posterior(*_near_centres(raw, bits.variances[1]), self.shares)
        return np.clip(0.5 + turned * (mean - 0.5), SURE, 1 - SURE), left


def _central(bits: Bits, chances: Floats, noise: Floats) -> tuple[Floats, Floats, Floats]:
    """Of every pair the released product of distances from the shares, its noise, and the size of correlation 1."""
    first, second = sets_of(len(bits.means), 2).T
    away, spread = chances - bits.means, chances * (1 - chances)
    products = bits.values[2] - away[first] * away[second]
    variances = bits.variances[2] + noise[first] * away[second] ** 2 + noise[second] * away[first] ** 2
    return products, variances, np.sqrt(spread[first] * spread[second])


def _mean(correlations: Floats, noise: Floats) -> float:
    """Their mean, those with less noise counting for more, and none for more than how much they differ allows."""
    weights = 1 / (noise + max(float(np.median(correlations**2)), 1e-12))
    return float(np.clip(weights @ correlations / weights.sum(), -1.0, 1.0))


def _near_centres(raw: Floats, noise: Floats) -> tuple[Floats, Floats, Floats]:
    """For every number and law: how well the law explains it, the mean it then has, and what is not known of it."""
    prior, own = WIDTHS**2, noise[:, None]
    keep = prior / (prior + own)
    away = raw[:, None] - CENTRES
    return -0.5 * away**2 / (prior + own) - 0.5 * np.log(prior + own), CENTRES + keep * away, keep * own


def _around_zero(raw: Floats, noise: Floats) -> tuple[Floats, Floats, Floats]:
    """The same of correlations."""
    own = noise[:, None]
    keep = VARIANCES / (VARIANCES + own)
    logs = -0.5 * raw[:, None] ** 2 / (VARIANCES + own) - 0.5 * np.log(VARIANCES + own)
    return logs, keep * raw[:, None], keep * own


def _spread(logs: Floats, _means: Floats, _left: Floats) -> Floats:
    """How often each law applies: the likeliest, by rounds of guessing and counting."""
    fit = np.exp(logs - logs.max(axis=1, keepdims=True))
    often = np.full(fit.shape[1], 1 / fit.shape[1])
    for _ in range(ROUNDS):
        each = fit * often
        each /= each.sum(axis=1, keepdims=True)
        often = (each.sum(axis=0) + HELD_UP) / (len(fit) + HELD_UP * fit.shape[1])
    return np.asarray(often)


def _posterior(logs: Floats, means: Floats, left: Floats, often: Floats) -> tuple[Floats, Floats]:
    """The mean of every number over the laws, and the variance of what is not known of it."""
    each = np.exp(logs - logs.max(axis=1, keepdims=True)) * often
    each /= each.sum(axis=1, keepdims=True)
    mean = (each * means).sum(axis=1)
    return mean, np.maximum((each * (left + means**2)).sum(axis=1) - mean**2, 0.0)

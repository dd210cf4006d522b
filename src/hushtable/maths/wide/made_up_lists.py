"""Made-up decision lists: how far polynomials are off on them, before any row is read."""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import numpy as np

from .rule_polynomials import RulePolynomials
from .single_polynomials import CHANCES

__all__ = ["error_on_made_up_lists"]

MOST_INPUTS = 64


@cache
def error_on_made_up_lists(polynomials: RulePolynomials, inputs: int) -> float:
    """The mean distance between the share of lists that decide 1 and what their polynomials say, without noise.

    Public, and no lists are drawn: it is an expected value. Lists test as many inputs as they may, in any order; each
    input has its own chance to speak for 1, of which all are alike; and a twentieth to three quarters of the inputs
    are true. At an input with K of m true, a rule speaks for what its input is liked, on average over the K or the
    m - K others, so that the distance is that of a normal variable.
    """
    from scipy.stats import binom, hypergeom

    k = polynomials.length
    m = max(k, min(inputs, MOST_INPUTS))
    true, off = np.arange(m + 1)[:, None], np.zeros((2, m + 1))
    for rule in range(1, k + 1):
        inner, last = polynomials.distances(rule)
        distance, before = (inner if rule < k else last) / 2.0**polynomials.grid, np.arange(rule)[None, :]
        seen = hypergeom.pmf(before, m, true, rule - 1)
        fires = np.clip((true - before) / (m - rule + 1), 0, 1)
        off += np.stack([(seen * (1 - fires)) @ distance[0], (seen * fires) @ distance[1]])
    # The mean of 2 x chance - 1 over so many inputs has a variance of a third of their inverse.
    others = np.maximum(m - true[:, 0], 1), np.maximum(true[:, 0], 1)
    spread = np.sqrt((off[0] ** 2 / others[0] + off[1] ** 2 / others[1]) / 3)
    weights = np.mean([binom.pmf(true[:, 0], m, chance) for chance in CHANCES], axis=0)
    return float(weights @ spread) * sqrt(2 / pi) / 2

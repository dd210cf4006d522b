"""Prefix polynomials: a decision list as a sum of ORs of its first rules, each by its nearest polynomial."""

from __future__ import annotations

from functools import cache

import numpy as np

from .minimax import best_uniform
from .rule_polynomials import RulePolynomials

__all__ = ["PREFIX", "prefix_polynomials"]

PREFIX = "prefix ORs"


@cache
def prefix_polynomials(length: int, order: int) -> RulePolynomials:
    """For one length and degree, computed once.

    A list is b_{k+1} + sum_i (b_i - b_{i+1}) OR(z_1, ..., z_i), and each OR gets the nearest polynomial of degree
    `order` [ThaUV12, Lemma 15; KliS06]. Rule i is the first that is true where the OR of i rules is true, and that of
    i - 1 is not.
    """
    order = min(order, length)
    ors = np.zeros((length + 1, order + 1))
    for rules in range(1, length + 1):
        own = best_uniform(np.arange(rules + 1) > 0, rules, min(order, rules))[0]
        ors[rules, : len(own)] = own
    parts = np.zeros((4, length + 1, order + 1))
    parts[0, 1:], parts[1, 1:, 1:] = ors[1:] - ors[:-1], ors[1:, 1:]
    parts[2:] = parts[:2]
    parts[2, 1:] += ors[1:]
    parts[2, 1:, 0] -= 1
    parts[3, 1:, 1:] += ors[1:, 1:]
    # The OR of i rules has sets of i rules, none of which lies before rule i.
    for rule in range(1, order + 1):
        parts[[0, 2], rule, rule:] = 0
    return RulePolynomials(PREFIX, parts)

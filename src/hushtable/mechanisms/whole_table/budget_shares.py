"""Shares of the budget of a whole table: what each step of a release may spend.

The calibration has its own share, which the workload names. Wide tables of rare values have theirs beside their design
and the second round beside its triples; pairs, and single columns once more, get what the others leave.
"""

from __future__ import annotations

from ...maths.weighted_rows.triples import TRIPLE_SCORES, TRIPLES

__all__ = ["CRUDE", "ONE_WAYS", "ONE_WAYS_AGAIN", "PROFILES", "ROWS", "SCORES", "SECOND_ROUND"]

# The number of rows where it is private, single columns at first, scores of dependence, and profiles of unordered
# columns.
ROWS, ONE_WAYS, SCORES, PROFILES = 0.02, 0.30, 0.08, 0.06
# Another share for single columns, where their noise is on the mean above this total variation.
ONE_WAYS_AGAIN, CRUDE = 0.15, 0.03
# Scores of triples and the triples themselves, where a second round pays.
SECOND_ROUND = TRIPLE_SCORES + TRIPLES

"""Arithmetic: sums, differences, products and quotients of answers of one statement."""

from __future__ import annotations

import numpy as np

from ..answer import CrossTab
from .cells import Ends, combined, moved, quotient, sum_or_difference

__all__ = ["combine"]


def combine(operator: str, left: CrossTab, right: CrossTab) -> CrossTab:
    """left operator right. With a known number it is exact; sums and quotients know what both share, if anyone does."""
    sure = [not (table.stderr.any() or table.bias.any()) and table.limits is None for table in (left, right)]
    if sure[1] and operator in "+-*/":
        return _with_numbers(operator, left, right)
    if sure[0] and operator in "+*":
        return _with_numbers(operator, right, left)
    if operator == "/":
        return quotient(left, right, inside=False)
    if operator == "*":
        return _product(left, right)
    return sum_or_difference(left, right, 1.0 if operator == "+" else -1.0)


def _with_numbers(operator: str, table: CrossTab, numbers: CrossTab) -> CrossTab:
    """With the same known number for every group."""
    number = float(numbers.value[0])
    if operator == "*":
        return moved(table, number, 0.0, unit=table.unit if number == 1 else "value")
    if operator == "/":
        return moved(table, 1 / number if number else np.nan, 0.0, unit=table.unit if number == 1 else "value")
    return moved(table, 1.0, number if operator == "+" else -number, unit="value")


def _product(left: CrossTab, right: CrossTab) -> CrossTab:
    stderr = np.abs(left.value) * right.stderr + np.abs(right.value) * left.stderr
    bias = np.abs(left.value) * right.bias + np.abs(right.value) * left.bias

    def ends(both: list[Ends]) -> Ends:
        corners = np.array([a * b for a in both[0] for b in both[1]])
        return corners.min(axis=0), corners.max(axis=0)

    return combined([left, right], left.value * right.value, stderr, bias, ends, unit="value")

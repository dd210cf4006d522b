"""What can be said of rare values before the data are opened: the noise of a column on a public reference table."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...maths.weighted_rows.rare_design import WEIGHT_UNIT, Lengths, RareColumns, RareDesign

__all__ = ["column_noise", "rare_line"]

# The reference: every column has its rare value in this share of the rows, independently of the others.
REFERENCE_SHARE = 0.02


def rare_line(width: int, rows: int, unit: float) -> str:
    """For the plan of a wide table of two-valued columns.

    unit  standard deviation of the noise of a sum that one row changes by 1, at the price of all sums
    """
    noise = column_noise(width, rows, unit)
    return (
        f"  if rows have few unusual values, these are summed instead, and how many columns there are matters little: "
        f"where every column has its rare value in {REFERENCE_SHARE:.0%} of the rows, its count has a standard error "
        f"of {noise:.3g} rows"
    )


def column_noise(width: int, rows: int, unit: float) -> float:
    """Standard error of the count of a rare value, on the reference."""
    from scipy.stats import binom

    counts = rows * binom.pmf(np.arange(width + 1), width, REFERENCE_SHARE)
    lengths = Lengths(counts, np.full(width, counts[1] / width))
    design = RareDesign.of(lengths, RareColumns((), tuple(range(width)), (0,) * width), unit)
    _, single, _, _, both = design.deviations
    costs = lengths.each(1) * design.single**2.0 / single**2 + lengths.each(2) * design.both**2.0 / both**2
    return unit * sqrt(float(costs.max())) * single / (WEIGHT_UNIT * lengths.kept(design.single, 1))

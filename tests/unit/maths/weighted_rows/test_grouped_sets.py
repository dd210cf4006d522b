"""Grouped sets: what was measured of a table gives its interaction back."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.interactions.contrasts import contrasts
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable, interaction_of


def test_contrasts_give_the_interaction_back():
    g = np.random.default_rng(4)
    counts = g.integers(0, 100, (4, 3))
    numbers = contrasts(4).matrix[1:] @ counts @ contrasts(3).matrix[1:].T
    raw = RawTable(GroupedSet((0, 1), (np.arange(4), np.arange(3))), numbers.ravel(), Law.GAUSSIAN, Fraction(1), True)
    np.testing.assert_allclose(raw.interaction, interaction_of(counts.astype(float)), atol=1e-9)
    assert raw.set.length == pytest.approx(0.75 * 2 / 3)
    assert math.prod(raw.set.shape) == raw.set.cells

"""Calibration: references keep running sums, and bounds of small tables come from larger ones."""

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.weighted_rows.calibration import CALIBRATION_UNIT, Calibration, tables_to_compare, whole_reference


def test_a_reference_keeps_running_sums():
    shares = np.full(1_000_000, 1e-6)
    reference = whole_reference(shares, 48_842.3)
    assert abs(reference.sum() - 48_842.3 * CALIBRATION_UNIT) <= 1
    assert reference.max() - reference.min() <= 1


def test_bounds_of_smaller_tables_come_from_larger_ones_by_size_alone():
    tables = ((0, 1), (0, 1, 2), (0, 1, 3))
    calibration = Calibration(tables, np.array([2048, 4096, 8192]), 100.0, Law.GAUSSIAN)
    assert calibration.bound((1, 0), [2] * 4, 10.0).bias == pytest.approx(0.1 + 0.5 / CALIBRATION_UNIT)
    assert calibration.bound((3,), [2] * 4, 10.0).tables == 1
    assert calibration.bound((2, 3), [2] * 4, 10.0) is None
    assert tables_to_compare(4)[-1] == (1, 2, 3)
    assert len(tables_to_compare(100)) <= 2000

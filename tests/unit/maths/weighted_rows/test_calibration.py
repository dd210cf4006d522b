"""Calibration: references keep running sums, and bounds of small tables come from larger ones."""

import numpy as np
import pytest

from hushtable.laws import Law
from hushtable.maths.weighted_rows.calibration import AUDIT_UNIT, Audit, tables_to_audit, whole_reference


def test_an_audit_reference_keeps_running_sums():
    shares = np.full(1_000_000, 1e-6)
    reference = whole_reference(shares, 48_842.3)
    assert abs(reference.sum() - 48_842.3 * AUDIT_UNIT) <= 1
    assert reference.max() - reference.min() <= 1


def test_bounds_of_smaller_tables_come_from_larger_ones_by_size_alone():
    tables = ((0, 1), (0, 1, 2), (0, 1, 3))
    audit = Audit(tables, np.array([2048, 4096, 8192]), 100.0, Law.GAUSSIAN)
    assert audit.bound((1, 0), [2] * 4, 10.0).bias == pytest.approx(0.1 + 0.5 / AUDIT_UNIT)
    assert audit.bound((3,), [2] * 4, 10.0).tables == 1
    assert audit.bound((2, 3), [2] * 4, 10.0) is None
    assert tables_to_audit(4)[-1] == (1, 2, 3)
    assert len(tables_to_audit(100)) <= 2000

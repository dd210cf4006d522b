"""What a report shows of the audit of a whole table: how far the model is from the table."""

from __future__ import annotations

from math import hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ...maths.weighted_rows.calibration import CALIBRATION_UNIT, Bound, Calibration
from ..sections import Histogram, Section, TextTable

if TYPE_CHECKING:
    from .whole_table import WholeTableModel

__all__ = ["audit_section"]


def audit_section(model: WholeTableModel, audit: Calibration) -> Section:
    """The distances of all audited tables, and what they say of other questions."""
    rows, lines, pictures = model.total[0], [], []
    noise = audit.stderr / rows
    # As in answers: the error of a noisy number of rows moves a fraction by at most 3/2 of its own.
    limit = Bound(0.5 / CALIBRATION_UNIT, hypot(noise, 1.5 * sqrt(model.total[1]) / rows), 1).limit(0.95)
    for width in (2, 3):
        distances = audit.variations(width, rows)
        if distances.size:
            mean = f"{distances.mean():.4f} ± {1.96 * noise / distances.size**0.5:.4f}"
            largest = f"{np.quantile(distances, 0.95):.4f}", f"{distances.max():.4f}"
            lines.append((f"{width} columns", f"{distances.size:,}", mean, *largest))
            pictures.append(Histogram(caption=f"tables of {width} columns", axis="distance", values=distances))
    text = (
        "How far the model is from the table: half the summed absolute difference of all cells, measured with noise of "
        f"standard error {noise:.4f} a table. These are estimates, too small about as often as too large; with 95% "
        f"confidence no question about the columns of a table is wrong by more than its distance and {limit:.4f}."
    )
    table = TextTable(("audited tables of", "how many", "mean distance", "95% are below", "largest"), lines)
    return Section(heading="Calibration", text=text, parts=(table, tuple(pictures)), technical=True)

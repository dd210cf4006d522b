"""What a report shows of the bars of a whole table: how much larger errors are than what replicates show."""

from __future__ import annotations

from ...maths.weighted_rows.error_ratios import MOST_WIDTH, ErrorRatios
from ...words import counted
from ..sections import Section, TextTable

__all__ = ["ratio_section"]

BASES = {"measured": "this release", "usual": "other tables: the calibration is too noisy"}


def ratio_section(ratios: ErrorRatios) -> Section:
    """The ratio of each width, and what it rests on."""
    lines = []
    # A single column has the noise of its counts, which needs no ratio, but where rare values are counted.
    first = 2 if len(ratios.expected) and not ratios.expected[0] else 1
    for width in range(first, MOST_WIDTH + 1):
        ratio, basis = ratios.ratio(width)
        lines.append((counted(width, "column"), f"{ratio:.2f}", BASES[basis]))
    text = (
        "A bar is made for 95% of questions about so many columns, not for each question 95% of the time. It is the "
        "spread of the answer over replicates of the model, times a ratio that was measured: errors over spreads, on "
        "many random tables together, and a little more where that is noisy."
    )
    table = TextTable(("questions about", "ratio", "as seen on"), lines)
    return Section(heading="Error bars", text=text, parts=(table,), technical=True)

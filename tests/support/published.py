"""The published tables and algorithms of papers/hardt2012, for tests; the folder is no part of the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from papers.hardt2012.methods import (
    ParityClass,
    as_published,
    best_fit,
    ours,
    published_steps,
    relative_entropy,
)
from papers.hardt2012.tables import CZECH, MILDEW, PUBLISHED, ROCHDALE, Counts, nltcs

__all__ = ["CZECH", "MILDEW", "PUBLISHED", "ROCHDALE", "Counts", "ParityClass", "as_published", "best_fit", "nltcs",
           "ours", "published_steps", "relative_entropy"]  # fmt: skip

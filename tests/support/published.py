"""What tests need of papers/, which is no part of the package: tables and algorithms of hardt2012, and rows needed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from papers._requirements import (
    changed_parities,
    gaussian_precisions,
    laplace_precisions,
    monomial_stderr,
    parity_stderr_gaussian,
    parity_stderr_laplace,
    rows_needed,
)
from papers.hardt2012.methods import (
    ParityClass,
    as_published,
    best_fit,
    ours,
    published_steps,
    relative_entropy,
)
from papers.hardt2012.tables import CZECH, MILDEW, PUBLISHED, ROCHDALE, Counts, nltcs

__all__ = ["CZECH", "MILDEW", "PUBLISHED", "ROCHDALE", "Counts", "ParityClass", "as_published", "best_fit",
           "changed_parities", "gaussian_precisions", "laplace_precisions", "monomial_stderr", "nltcs", "ours",
           "parity_stderr_gaussian", "parity_stderr_laplace", "published_steps", "relative_entropy",
           "rows_needed"]  # fmt: skip

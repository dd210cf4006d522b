"""The catalogue of specimens, as tests want it: released, with what may be asked of each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hushtable as ht
from hushtable.audit.shapes import BINARY, CLOSED, OPEN, RULES, SMOOTH, shape
from hushtable.audit.specimen import APPROX, PURE, RHO, ROWS, Specimen, rows_of
from hushtable.audit.specimens import SPECIMENS as CATALOGUE
from hushtable.audit.specimens import TABLES

__all__ = [
    "APPROX",
    "BINARY",
    "CLOSED",
    "OPEN",
    "PURE",
    "RHO",
    "ROWS",
    "RULES",
    "SMOOTH",
    "SPECIMENS",
    "TABLES",
    "Specimen",
    "every_specimen",
    "frozen_curator",
    "released",
    "rows_of",
]  # fmt: skip

# Those that are planned from a text alone; the others need a folder for their lists.
SPECIMENS = tuple(specimen for specimen in CATALOGUE if not specimen.lists)


def every_specimen(folder: Path) -> tuple[Specimen, ...]:
    """The whole catalogue; lists that are known are in a file in this folder."""
    return tuple(specimen.in_folder(folder) for specimen in CATALOGUE)


def frozen_curator() -> tuple[ht.Synopsis, tuple[str, ...]]:
    """Not private: what a rehearsed curator learned, as a synopsis."""
    curator = ht.Vault(rows_of(CLOSED), shape(CLOSED)).curate(
        budget=ht.Budget(rho=40), updates=5, questions=100, way="hypothesis", randomness=ht.Simulated(1)
    )
    with curator:
        for text in ("age >= 65 AND smoker", "sex = 'male' AND smoker"):
            curator.ask(text)
        return curator.freeze(), TABLES


@cache
def released(folder: Path) -> dict[str, tuple[ht.Synopsis, tuple[str, ...]]]:
    """Every specimen's synopsis and questions, by name."""
    return dict(_released(folder))


def _released(folder: Path) -> Iterator[tuple[str, tuple[ht.Synopsis, tuple[str, ...]]]]:
    for specimen in every_specimen(folder):
        yield specimen.name, (specimen.release(), specimen.questions)
    yield "frozen", frozen_curator()

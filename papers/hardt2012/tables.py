"""Three published contingency tables of yes/no attributes, and the long-term care survey where it is at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht

__all__ = ["CZECH", "MILDEW", "PUBLISHED", "ROCHDALE", "Counts", "nltcs"]

DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[3] / "shared" / "data"))


@dataclass(frozen=True, eq=False)
class Counts:
    """How many rows have each combination of values, the last attribute changing fastest."""

    name: str
    attributes: tuple[str, ...]
    counts: NDArray[np.int64]
    source: str

    def __post_init__(self) -> None:
        if len(self.counts) != 1 << len(self.attributes):
            raise ValueError(f"{len(self.attributes)} attributes have {1 << len(self.attributes)} combinations")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @property
    def shares(self) -> NDArray[np.float64]:
        """The counts as a distribution."""
        return self.counts / self.rows

    @cached_property
    def codes(self) -> NDArray[np.uint8]:
        """The rows, a line an attribute."""
        cells = np.repeat(np.arange(len(self.counts)), self.counts)
        places = np.arange(len(self.attributes))[::-1, None]
        return (cells >> places & 1).astype(np.uint8)

    @cached_property
    def domain(self) -> ht.Domain:
        """All attributes are yes/no and never missing."""
        kind = {"kind": "boolean", "missing": "error"}
        return ht.Domain.from_dict({"table": self.name, "attributes": dict.fromkeys(self.attributes, kind)})

    @cached_property
    def vault(self) -> ht.Vault:
        """A vault of the rows; it is opened for simulations only, which spend nothing."""
        columns = {name: pa.array(own.astype(bool)) for name, own in zip(self.attributes, self.codes, strict=True)}
        return ht.Vault(pa.table(columns), self.domain)


# Powdery mildew of barley: two variants at each of six places of the genome of 70 offspring.
MILDEW = Counts(
    "mildew",
    ("la10", "locc", "mp58", "c365", "p53a", "a367"),
    np.array([
        0, 16, 1, 0, 0, 1, 0, 0, 3, 1, 7, 0, 0, 0, 1, 0, 0, 4, 1, 0, 0, 1, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 1,
        0, 0, 1, 4, 0, 0, 0, 0, 1, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 1, 11, 0,
    ]),
    "Christiansen, Giese (1991); Edwards (1992)",
)  # fmt: skip
# Risk factors for coronary thrombosis among 1,841 workers of a Czechoslovakian car factory.
CZECH = Counts(
    "czech",
    ("smoke", "mental", "phys", "systol", "protein", "family"),
    np.array([
        44, 5, 23, 7, 35, 4, 24, 4, 129, 9, 50, 9, 109, 14, 51, 5, 112, 21, 70, 14, 80, 11, 73, 13, 12, 1, 7, 2,
        7, 5, 7, 4, 40, 7, 32, 3, 12, 3, 25, 0, 145, 17, 80, 16, 67, 17, 63, 14, 67, 9, 66, 14, 33, 8, 57, 11,
        23, 4, 13, 3, 9, 2, 16, 4,
    ]),
    "Reinis et al. (1981); Edwards, Havranek (1985)",
)  # fmt: skip
# Wives' economic activity and husbands' unemployment in 665 households of Rochdale.
ROCHDALE = Counts(
    "rochdale",
    ("EconActive", "Age", "HusbandEmployed", "Child", "Education", "HusbandEducation", "Asian", "HouseholdWorking"),
    np.array([
        5, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 4, 0, 8, 2, 6, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 5, 0, 2,
        1, 5, 1, 0, 0, 4, 1, 0, 0, 6, 0, 2, 0, 8, 0, 11, 0, 13, 0, 1, 0, 3, 0, 1, 0, 26, 0, 1, 0, 4, 7, 3, 1, 1,
        1, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 10, 1, 1, 16, 7, 0,
        0, 0, 2, 0, 0, 10, 6, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 3, 2, 0, 23, 4, 0, 0, 22, 2, 0,
        0, 57, 3, 0, 0, 5, 1, 0, 0, 11, 0, 1, 0, 11, 0, 0, 0, 29, 2, 1, 1, 2, 4, 0, 0, 2, 1, 0, 0, 0, 1, 0, 0,
        2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 41, 25, 0, 1, 37, 26, 0, 0, 15, 10, 0, 0,
        43, 22, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
    ]),
    "Whittaker (1990)",
)  # fmt: skip
PUBLISHED = (MILDEW, CZECH, ROCHDALE)


def nltcs() -> Counts | None:
    """Disabilities of 21,574 elderly Americans (National Long Term Care Survey); None where it is not at hand."""
    path = DATA / "nltcs.csv.gz"
    if not path.exists():
        return None
    from pyarrow import csv

    table = csv.read_csv(path)
    bits = np.array([column.to_numpy() for column in table.columns], dtype=np.int64)
    cells = bits.T @ (1 << np.arange(len(bits))[::-1])
    names = tuple(name.replace(" ", "_").replace("/", "_") for name in table.column_names)
    return Counts("nltcs", names, np.bincount(cells, minlength=1 << len(bits)), "StatLib, extract of E. Erosheva")

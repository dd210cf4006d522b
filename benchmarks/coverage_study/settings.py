"""Settings: one family of releases under one relation, currency, unit and number of rows of one table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any
from zlib import crc32

import hushtable as ht

from .tables import present, shapes

__all__ = ["CURRENCIES", "RELATIONS", "ROWS", "UNITS", "Setting", "chosen_tables", "grid"]

RELATIONS = ("replace", "add-remove")
CURRENCIES = ("pure", "delta")
UNITS = (1, 3)
ROWS = (200, 2_000, 20_000, 100_000)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is repeated."""

    family: str
    table: str
    rows: int
    relation: str
    currency: str
    unit: int

    @property
    def key(self) -> str:
        """Its name in the file of results."""
        return f"{self.family}/{self.table}/{self.rows}/{self.relation}/{self.currency}/{self.unit}"

    @property
    def number(self) -> int:
        """A public seed for its questions: the same for all currencies, so that these are compared on one list."""
        return crc32(f"{self.family}/{self.table}/{self.rows}".encode())

    def budget(self, *, epsilon: int = 1, delta: str = "1e-9") -> ht.Budget:
        """Epsilon alone, or with a delta."""
        return ht.Budget(epsilon=epsilon) if self.currency == "pure" else ht.Budget(epsilon=epsilon, delta=delta)

    def domain(self, attributes: dict[str, dict[str, Any]]) -> ht.Domain:
        """These columns under the setting's relation and unit."""
        return ht.Domain.from_dict(
            {"table": "t", "neighbours": self.relation, "unit": {"rows": self.unit}, "attributes": attributes}
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def chosen_tables(role: str) -> list[str]:
    """Real tables of a role that are here, and simulated ones; numbers and codes always with the one that has gaps."""
    named = [name for name, shape in shapes().items() if shape.role == role]
    real = [name for name in named if shapes()[name].file is not None and present(name)]
    simulated = [name for name in named if shapes()[name].file is None]
    return [*real, *simulated] if role in ("numbers", "codes") or not real else real


def grid(family: str, role: str) -> list[Setting]:
    """All combinations; tables take turns, so that each relation, currency, unit and size meets several."""
    tables = chosen_tables(role)
    found = []
    for turn in product(range(len(ROWS)), range(len(RELATIONS)), range(len(CURRENCIES)), range(len(UNITS))):
        size, relation, currency, unit = turn
        found.append(
            Setting(
                family=family,
                table=tables[sum(turn) % len(tables)],
                rows=ROWS[size],
                relation=RELATIONS[relation],
                currency=CURRENCIES[currency],
                unit=UNITS[unit],
            )
        )
    return found

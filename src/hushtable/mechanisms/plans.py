"""Plan: everything decided about a release, and what else was looked at."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..budget import Budget, Currency, Price
from ..domain import Domain
from ..errors import HushError
from ..questions.workloads.base import Workload
from ..words import counted, html, shortened
from .base import Design, Mechanism
from .found_cells import CellsDesign
from .guidance import warnings_of
from .means import SumsDesign

if TYPE_CHECKING:
    from .geometry.optimality import Optimality

__all__ = ["Alternative", "Plan", "seconds"]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Another way that was looked at, and what it would give."""

    mechanism: str
    workload: str
    typical: tuple[float, ...]
    """Typical standard error in rows for widths 1, 2, ...; empty when it cannot be done."""
    why_not: str
    what: str = "typical cell by width:"
    """What the errors in `typical` are."""

    @classmethod
    def told(cls, design: Design[Any], workload: Workload, why_not: str) -> Alternative:
        """Another design, with the errors that sum it up."""
        shown = design.forecasts[-1:] if design.headline else design.forecasts
        return cls(
            mechanism=design.mechanism,
            workload=str(workload),
            why_not=why_not,
            typical=tuple(forecast.typical for forecast in shown),
            what=design.headline or f"{design.words[2]} by {design.words[0]}:",
        )

    @classmethod
    def refused(cls, mechanism: str, workload: Workload, error: HushError) -> Alternative:
        """What cannot be done, and why."""
        return cls(mechanism=mechanism, workload=str(workload), typical=(), why_not=str(error))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything decided about a release. Printing it shows the price and the forecast."""

    domain: Domain
    workload: Workload
    budget: Budget
    rows: int | None
    design: Design[Any]
    alternatives: tuple[Alternative, ...]
    means: SumsDesign | None = None
    """What is measured beside the tables, where the domain declares means."""
    cells: CellsDesign | None = None
    """How cells of numbers without bins are found before that."""

    @property
    def price(self) -> Price:
        """All that a release spends."""
        beside = [part.price for part in (self.means, self.cells) if part is not None]
        return sum(beside, self.design.price)

    @property
    def mechanism(self) -> str:
        """The chosen mechanism, with its options where they are not the defaults."""
        return self.design.title

    @property
    def currency(self) -> Currency:
        """In which the budget is spent; that of a workload which is served in epsilon and delta, zcdp."""
        own = self.design.price.currency
        return own if own in self.budget.currencies else self.budget.currencies[-1]

    @property
    def by(self) -> Mechanism[Any]:
        """The mechanism itself; what it is called need not be known to anybody else."""
        return self.design.by

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was decided; the ledger keeps it beside the charge."""
        facts = {
            "domain": self.domain.digest,
            "workload": self.workload.recorded,
            "mechanism": self.design.recorded,
            "budget": self.budget.to_dict(),
        }
        # Releases that were begun before there was a choice keep their digest.
        facts |= {"currency": "gdp"} if self.design.price.currency == "gdp" else {}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def optimality(self) -> Optimality:
        """How far its error is from the least that any mechanism of its kind can have; needs no data."""
        return self._optimality

    @cached_property
    def _optimality(self) -> Optimality:
        from .geometry.optimality import optimality_of

        return optimality_of(self)

    def to_dict(self) -> dict[str, Any]:
        """What `hush plan --json` prints. Errors in rows, and as fractions when the number of rows is known."""
        design, rows = self.design, self.rows
        return {
            "table": self.domain.table,
            "workload": str(self.workload),
            "mechanism": self.mechanism,
            "summary": design.summary,
            "budget": {k: float(Fraction(v)) for k, v in self.budget.to_dict().items()},
            "price": {"currency": self.price.currency, "amount": float(self.price.amount)}
            | ({"delta": float(self.price.delta)} if self.price.delta else {}),
            "currencies": {name: float(self.budget.price_in(name).amount) for name in self.budget.currencies},
            "neighbours": self.domain.unit.neighbours,
            "rows_per_person": self.domain.unit.rows,
            "rows": rows,
            "numbers": design.numbers,
            "memory_bytes": design.memory,
            "seconds": None if rows is None else seconds(design, rows),
            "forecast": [
                {"width": f.width, "tables": f.tables, "stderr_rows": f.typical, "worst_stderr_rows": f.worst}
                | {"bias": f.bias}
                | ({} if rows is None else {"stderr": f.typical / rows, "worst_stderr": f.worst / rows})
                for f in design.forecasts
            ],
            "caution": design.caution or None,
            "warnings": warnings_of(self),
            "found_cells": None
            if self.cells is None
            else {"columns": list(self.cells.parts), "share": self.cells.share},
            "means": None if self.means is None or rows is None else self.means.forecast(self.domain, rows),
            "optimality": self.optimality().to_dict(),
            "alternatives": [
                {"mechanism": a.mechanism, "workload": a.workload, "stderr_rows": list(a.typical), "why_not": a.why_not}
                for a in self.alternatives
            ],
        }

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f", {counted(self.rows, 'row')}"
        what = f"{shortened(str(self.workload), 200)} by {shortened(self.mechanism, 200)}"
        return f"<Plan for {shortened(self.domain.table, 80)}{rows}: {what}, {self.budget}; print it for the forecast>"

    def _repr_html_(self) -> str:
        return f"<pre>{html(str(self))}</pre>"

    def __str__(self) -> str:
        from .plan_text import plan_text

        return plan_text(self)


def seconds(design: Design[Any], rows: int) -> float:
    """About how long reading, counting and drawing noise will take."""
    return 0.5 + design.work * rows / 1e6 + design.numbers * 4e-7 + design.fit_seconds

"""Comparison: plans of the same release at several budgets, beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..words import readable
from .plans import Plan

__all__ = ["BudgetComparison"]


@dataclass(frozen=True)
class BudgetComparison:
    """What more epsilon buys, and what it costs one person."""

    plans: tuple[Plan, ...]

    @classmethod
    def of(cls, plans: Sequence[Plan]) -> BudgetComparison:
        """In the order of their epsilon."""
        return cls(tuple(sorted(plans, key=lambda plan: plan.budget.epsilon or 0)))

    @property
    def widths(self) -> list[int]:
        """How many columns questions are about."""
        return sorted({forecast.width for plan in self.plans for forecast in plan.design.forecasts})

    def errors(self, plan: Plan) -> dict[int, float]:
        """Half of the 95% interval of a typical cell, by width: as a share of the rows, or in rows."""
        return {f.width: 1.96 * f.typical / (plan.rows or 1) for f in plan.design.forecasts}

    def to_dict(self) -> dict[str, Any]:
        """What `hush plan --json` prints for several budgets."""
        return {"plans": [plan.to_dict() for plan in self.plans]}

    def __str__(self) -> str:
        first = self.plans[0]
        unit = "of all rows" if first.rows is not None else "in rows"
        heads = ["epsilon", *(f"{w} column{'s' if w > 1 else ''}" for w in self.widths), "one person", "mechanism"]
        lines = [self._line(plan) for plan in self.plans]
        wide = [max(len(line[i]) for line in (heads, *lines)) for i in range(len(heads))]
        told = [
            "  ".join(text.ljust(size) for text, size in zip(line, wide, strict=True)).rstrip()
            for line in (heads, *lines)
        ]
        warned = list(dict.fromkeys(f"warning: {w}" for plan in self.plans for w in plan.to_dict()["warnings"]))
        return "\n".join(
            [
                f"{first.domain.table}: {first.workload}, {first.rows or 'unknown'} rows",
                f"95% error bar of a typical cell, {unit}, by how many columns it is about",
                "",
                *told,
                "",
                "one person: how sure somebody who was in two minds about one person's answer can become",
                *warned,
            ]
        )

    def _line(self, plan: Plan) -> list[str]:
        errors, epsilon = self.errors(plan), float(plan.budget.epsilon or 0)
        cells = [f"± {readable(float(f'{errors[w]:.2g}'))}" if w in errors else "-" for w in self.widths]
        sure = f"at most {1 / (1 + math.exp(-min(epsilon, 700))):.1%} sure"
        return [readable(plan.budget.epsilon or 0), *cells, sure, plan.mechanism]

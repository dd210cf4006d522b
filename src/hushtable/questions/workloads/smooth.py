"""Smooth: the mean over rows of any smooth function of a few real columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...budget import Budget
from ...domain import Domain
from ...errors import BadPlan, BadQuestion, UnknownAttribute, check_whole
from ...maths.smooth.axes import MOST_AXES, Block, axis_of, split_name
from ...maths.smooth.expressions import Expression, names_in, parse_expression
from ...words import listed
from .base import Other, Workload

__all__ = ["MOST_ORDER", "Smooth"]

# Beyond it the coefficients of the operator, up to 2^(K + 1), leave nothing of the digits.
MOST_ORDER = 20
# By the number of columns that are asked about together; of five or more, those of one column alone.
LENGTH_SCALES = {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.3, 5: 0.0625, 6: 0.0625, 7: 0.125, 8: 0.25}


@dataclass(frozen=True)
class Smooth(Workload):
    """Kernel densities, moments, logistic scores, soft distribution functions, quantiles, any formula.

    columns       real columns that are asked about together, at most 8: [age, log(income)]; or several such groups,
                  [[age, income], [bmi]], which share the budget. Of 5 or more together, few at a time are resolved well
    by            categories that multiply in: any question may then be asked within them
    length_scale  the narrowest feature to resolve, where the range of a column is 2; chosen by the number of columns
                  when it is left out (0.1 for one or two)
    examples      questions that are typical, as formulas; the plan is tuned on them
    g             splines a column, when the length scale is not to decide
    t             degrees a column, likewise
    order         how many derivatives of a question are bounded, the source's K: smooth-paper needs it (2 unless
                  given), others compute the bias of every question from the question itself
    """

    columns: tuple[str, ...] | tuple[tuple[str, ...], ...]
    by: tuple[str, ...] = ()
    length_scale: float | None = None
    examples: tuple[str, ...] = ()
    g: int | None = None
    t: int | None = None
    order: int | None = None
    name = "smooth"

    def counted_ranges(self, domain: Domain) -> tuple[str, ...]:
        """Real columns have no cells; columns in `by` have."""
        return tuple(a.name for a in domain.ranged if a.name in self.by)

    def __post_init__(self) -> None:
        for field, names in (("columns", self.columns), ("by", self.by), ("examples", self.examples)):
            object.__setattr__(self, field, _tuple(names))
        groups = self.groups
        if not groups or any(not group or not all(isinstance(c, str) for c in group) for group in groups):
            raise BadPlan("columns is a list of names, [age, income], or of such lists, [[age, income], [bmi]]")
        for group in groups:
            if len(group) > MOST_AXES:
                shown = f"[[{', '.join(group[:2])}], [{', '.join(group[2:5])}]]"
                raise BadPlan(
                    f"{len(group)} smooth columns in one group and at most {MOST_AXES} are allowed; make groups of "
                    f"columns that are asked about together, such as columns={shown}"
                )
        scale = self.length_scale
        if scale is not None and not (
            isinstance(scale, (int, float)) and not isinstance(scale, bool) and math.isfinite(scale) and 0 < scale <= 2
        ):
            raise BadPlan(f"length_scale is a share of a column's range of 2, above 0 and at most 2, not {scale!r}")
        for field, size, least in (("g", self.g, 4), ("t", self.t, 2)):
            if size is not None:
                check_whole(size, field, BadPlan, least=least)
        if self.order is not None:
            check_whole(self.order, "order", BadPlan, most=MOST_ORDER)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of columns, also where there is one."""
        flat = all(isinstance(column, str) for column in self.columns)
        return (tuple(str(c) for c in self.columns),) if flat and self.columns else tuple(map(_tuple, self.columns))

    def scale_of(self, block: Block) -> float:
        """The narrowest feature of a block that is resolved."""
        return float(self.length_scale or LENGTH_SCALES[len(block.axes)])

    def blocks(self, domain: Domain) -> tuple[Block, ...]:
        """The groups as axes of a domain; BadPlan when a column is not there or not a number."""
        try:
            by = tuple(domain.closed[domain.position(str(name))] for name in self.by)
        except UnknownAttribute as error:
            raise BadPlan(str(error)) from None
        blocks = tuple(Block(tuple(axis_of(domain, text) for text in group), by) for group in self.groups)
        for block in blocks:
            names = [*block.names, *(a.name for a in by)]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise BadPlan(f"{twice} is named twice in one group of smooth columns; name each column once")
        if len({frozenset(block.names) for block in blocks}) < len(blocks):
            raise BadPlan("two groups have the same columns; name each group once")
        return blocks

    def questions(self, domain: Domain) -> list[tuple[int, Expression]]:
        """The examples, each with the number of the first group that has its columns."""
        blocks = self.blocks(domain)
        known = list(dict.fromkeys(name for block in blocks for name in block.names))
        questions = []
        for text in self.examples:
            try:
                expression = parse_expression(str(text), known)
            except BadQuestion as error:
                raise BadPlan(f"example {str(text)[:60]!r}: {error}") from None
            needed = names_in(expression)
            home = [i for i, block in enumerate(blocks) if needed <= set(block.names)]
            if not home or not needed:
                used = listed(sorted(needed)) or "no column"
                raise BadPlan(f"example {str(text)[:60]!r} uses {used}, which no group of columns has")
            questions.append((min(home, key=lambda i: len(blocks[i].axes)), expression))
        return questions

    def check(self, domain: Domain) -> None:
        """Columns that are numbers with bounds, categories with codes, examples over one group each."""
        self.questions(domain)

    def alternatives(self, domain: Domain, budget: Budget, *, widths: int, named: bool) -> Iterator[Other]:
        """Pure epsilon where a delta was given for it."""
        if not named and budget.epsilon is not None and budget.delta:
            remark = "{compared} error with the same epsilon and no delta, in a ledger of epsilon"
            yield Other(workload=self, budget=Budget(epsilon=budget.epsilon), remark=remark, by_rows=True)

    def __str__(self) -> str:
        parts = [f"columns={_text(self.columns)}"]
        parts += [f"by={_text(self.by)}"] if self.by else []
        parts += [
            f"{key}={getattr(self, key)}"
            for key in ("length_scale", "g", "t", "order")
            if getattr(self, key) is not None
        ]
        parts += [f"examples=[{', '.join(repr(e) for e in self.examples)}]"] if self.examples else []
        return f"{self.name}({', '.join(parts)})"


def _tuple(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(_tuple(item) if not isinstance(item, str) and isinstance(item, Iterable) else item for item in value)


def _text(names: Any) -> str:
    """As `read_workload` reads it back: quotes only where a name is not a Python name."""
    plain = [_text(n) if not isinstance(n, str) else n if split_name(n)[0].isidentifier() else repr(n) for n in names]
    return f"[{', '.join(plain)}]"

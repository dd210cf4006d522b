"""Selection: several answers about the same groups, as a SELECT with several aggregates asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answer import CrossTab
from .answer_forms import none_if_unknown, shown, with_bar
from .stamp import mark

__all__ = ["Selection"]

Floats = NDArray[np.float64]
PARTS = ("stderr", "bias", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Selection(CrossTab):
    """One table with several answers a line: `selection["n"]` is the cross-tab of one of them.

    Its own value, stderr and interval are those of the first answer.
    """

    answers: dict[str, CrossTab]
    """What was asked for, by its alias or its text."""

    @classmethod
    def of(cls, answers: dict[str, CrossTab]) -> Selection:
        """Answers about the same groups."""
        first = next(iter(answers.values()))
        own = {field.name: getattr(first, field.name) for field in fields(CrossTab)}
        notes = tuple(dict.fromkeys(note for table in answers.values() for note in table.notes))
        return cls(**(own | {"notes": notes, "unbiased": None, "answers": answers}))

    def __getitem__(self, name: str) -> CrossTab:
        """One of the answers."""
        return self.answers[name]

    def with_order(self, columns: frozenset[str]) -> Selection:
        """The same, knowing which of its columns have an order."""
        answers = {name: table.with_order(columns) for name, table in self.answers.items()}
        return replace(self, ordered=columns, answers=answers)

    def consistent(self) -> Selection:
        """A view without negative cells, as `CrossTab.consistent`."""
        return replace(self, answers={name: table.consistent() for name, table in self.answers.items()})

    def columns(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, list[Any]]:
        """Group columns, then of each answer its value under its own name, and name_stderr, name_low and so on."""
        out: dict[str, list[Any]] = {name: list(labels) for name, labels in self.groups.items()}
        for name, table in self.answers.items():
            low, high = table.interval(confidence, simultaneous=simultaneous)
            value, *numbers = *_barred(table, low, high), low, high
            out[name] = value.tolist()
            out |= {f"{name}_{part}": column.tolist() for part, column in zip(PARTS, numbers, strict=True)}
        return out | mark(self.not_private, len(self))

    def to_dict(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        """What `hush ask --json` prints: the usual keys, `columns` with the unit of each answer, and `rows`."""
        numbers = dict.fromkeys(("value", *PARTS))
        columns = [
            {"name": name, "unit": table.unit, "estimator": table.estimator} for name, table in self.answers.items()
        ]
        return {
            "question": self.question, "unit": "several", **numbers, "confidence": confidence,
            "estimator": "; ".join(dict.fromkeys(table.estimator for table in self.answers.values())),
            "notes": list(self.notes), "columns": columns,
            "rows": self.rows(confidence, simultaneous=simultaneous),
        } | self._marked()  # fmt: skip

    def rows(self, confidence: float = 0.95, *, simultaneous: bool = False) -> list[dict[str, Any]]:
        """One mapping a line: the groups, and of each answer its value, stderr, bias, low and high."""
        ends = {name: t.interval(confidence, simultaneous=simultaneous) for name, t in self.answers.items()}
        numbers = {name: (*_barred(table, *ends[name]), *ends[name]) for name, table in self.answers.items()}
        lines: list[dict[str, Any]] = []
        for i in range(len(self)):
            line: dict[str, Any] = {name: labels[i] for name, labels in self.groups.items()}
            for name, columns in numbers.items():
                line[name] = {
                    part: none_if_unknown(float(column[i]))
                    for part, column in zip(("value", *PARTS), columns, strict=True)
                }
            lines.append(line)
        return lines

    def _lines(self, confidence: float = 0.95, *, simultaneous: bool = False) -> Iterator[list[str]]:
        ends = {name: t.interval(confidence, simultaneous=simultaneous) for name, t in self.answers.items()}
        values = {name: _barred(table, *ends[name])[0] for name, table in self.answers.items()}
        for i in range(len(self)):
            cells = [
                shown(float(values[name][i]), float(ends[name][0][i]), float(ends[name][1][i])) for name in self.answers
            ]
            yield [*(labels[i] for labels in self.groups.values()), *cells]

    def _heads(self, bar: str) -> list[str]:
        return [*self.groups, *(f"{name} ({bar})" for name in self.answers)]

    def _glimpse(self) -> str:
        by = f" by {', '.join(self.groups)}" if self.groups else ""
        return f"{', '.join(self.answers)} of {len(self):,} lines{by}"


def _barred(table: CrossTab, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Value, stderr and bias, nan where there is no bar."""
    value, stderr, bias = (
        with_bar(each, low, high, table.estimator) for each in (table.value, table.stderr, table.bias)
    )
    return value, stderr, bias

"""Judged: the lines of the results brought together by kind and number of rows, each with its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .purposes import for_all_together, purpose
from .tally import Tally
from .verdict import Verdict, judge

__all__ = ["Judged", "brought_together"]

FEW = 200
"""Single settings with fewer intervals are not named as the lowest."""


@dataclass(frozen=True)
class Judged:
    """One kind at one number of rows: all settings together, and each on its own."""

    family: str
    kind: str
    rows: int
    total: Tally
    singles: tuple[tuple[str, Tally], ...]
    """Relation, currency, unit and table, as text; and what was seen there."""

    @property
    def why_wide(self) -> str | None:
        """The purpose of wide intervals, if they have one."""
        return purpose(self.family, self.kind)

    @property
    def verdict(self) -> Verdict | None:
        """Of all settings together."""
        return judge(self.total, conservative=self.why_wide is not None)

    @property
    def misses(self) -> tuple[str, ...]:
        """What is missed by all together or by a single setting, in words; see `for_all_together`."""
        found = [] if self.verdict is None else [f"all settings: {text}" for text in self.verdict.misses]
        for name, tally in () if for_all_together(self.kind) else self.singles:
            one = judge(tally, conservative=self.why_wide is not None)
            found += [] if one is None else [f"{name}: {text}" for text in one.misses]
        return tuple(found)

    @property
    def word(self) -> str:
        """For a table."""
        if self.verdict is None:
            return "no intervals"
        return "**misses**" if self.misses else self.verdict.word

    @property
    def lowest(self) -> tuple[str, Tally] | None:
        """The single setting whose 95% intervals hold least."""
        enough = [one for one in self.singles if one[1].intervals >= FEW]
        return min(enough, key=lambda one: one[1].coverage(1)) if enough else None


def brought_together(lines: Iterable[dict[str, Any]]) -> list[Judged]:
    """In the order of the lines' families, then kinds, then rows."""
    found: dict[tuple[str, str, int], list[tuple[str, Tally]]] = {}
    for line in lines:
        given = line["setting"]
        name = f"{given['relation']}, {given['currency']}, unit {given['unit']}, {given['table']}"
        for kind, tally in line.get("kinds", {}).items():
            found.setdefault((given["family"], kind, given["rows"]), []).append((name, Tally.from_dict(tally)))
    return [
        Judged(*key, total=sum((tally for _, tally in singles[1:]), singles[0][1]), singles=tuple(singles))
        for key, singles in sorted(found.items())
    ]

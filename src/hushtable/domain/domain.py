"""Domain: the public shape of a table, declared by its owner and never inferred from rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from ..budget import Unit
from ..errors import BadDomain, BadPath, UnknownAttribute
from ..words import counted, html_lines, listed, shortened
from .attributes import Attribute, Binned, Uncoded
from .csv_text import Csv
from .follows import Follower, ValueLevels, read_follows, read_levels, with_files
from .reading import check_settings, read_attributes, read_means, read_table, read_unit

__all__ = ["Domain"]

SETTINGS = ("always", "attributes", "csv", "follows", "impossible", "levels", "means", "missing_values", "neighbours",
            "table", "unit")  # fmt: skip

# Before it nobody knew dates, times, labels and codes for missing values.
CODED_FORM = 5
# Before it nobody knew what always holds, comparisons between columns, columns that follow others, sums of columns, who
# is told apart, nor numbers without bins.
NEWEST_FORM = 6
# Columns that a notebook shows.
MOST_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Table name, attributes in order, and who is protected.

    >>> clinic = Domain.from_dict({
    ...     "table": "clinic",
    ...     "attributes": {"smoker": {"kind": "boolean"}, "url": {"kind": "open"},
    ...                    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "missing": "error"}},
    ... })
    >>> clinic
    <Domain clinic: 3 attributes (smoker, url, age); 1 row a person, neighbours: replace>
    >>> clinic.sizes  # false, true and missing; three bins. An open column has no codes.
    (3, 3)
    >>> clinic.position("Age"), clinic.closed[1].labels
    (1, ('0-17', '18-64', '65-99'))
    >>> Domain.from_dict(clinic.to_dict()) == clinic
    True
    >>> clinic.with_csv(separator="tab").digest == clinic.digest
    True
    """

    table: str
    attributes: tuple[Attribute, ...]
    unit: Unit = field(default_factory=Unit)
    impossible: tuple[str, ...] = ()
    """Conditions that no row satisfies, in the words of a question."""
    means: tuple[str, ...] = ()
    """Columns of numbers whose exact sums are measured too."""
    always: tuple[str, ...] = ()
    """Conditions that every row satisfies: `a -> b`, or a condition alone."""
    followers: tuple[Follower, ...] = ()
    """Columns that others fix: not among the attributes, since nothing is measured of them."""
    levels: tuple[ValueLevels, ...] = ()
    """Groups of values with a meaning."""
    csv: Csv = field(default_factory=Csv)
    """How the text of a CSV file is read."""

    def __repr__(self) -> str:
        names = shortened(listed([shortened(name, 40) for name in self.names], 8), 400)
        people = f"{counted(self.unit.rows, 'row')} a person, neighbours: {self.unit.neighbours}"
        return f"<Domain {shortened(self.table, 80)}: {counted(len(self.names), 'attribute')} ({names}); {people}>"

    def _repr_html_(self) -> str:
        lines = [
            (a.name, f"{a.kind}: {shortened(listed([shortened(v, 40) for v in a.labels], 8), 300)}".rstrip(": "))
            for a in self.attributes[:MOST_SHOWN]
        ]
        rest = len(self.attributes) - MOST_SHOWN
        more = [("...", f"and {counted(rest, 'more column')}")] if rest > 0 else []
        people = f"{counted(self.unit.rows, 'row')} a person, neighbours: {self.unit.neighbours}"
        return html_lines([*lines, *more], f"Domain {shortened(self.table, 80)}: {people}")

    @classmethod
    def load(cls, path: str | Path) -> Domain:
        """Reads a domain file (YAML as in docs/domain.md)."""
        from .yaml_text import read_yaml

        return cls.from_dict(with_files(read_yaml(path), Path(path).parent))

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> Domain:
        """The domain a mapping describes; the inverse of `to_dict`."""
        if not isinstance(parts, Mapping):
            raise BadDomain("a domain is a mapping with table, attributes, unit and neighbours")
        check_settings(parts, SETTINGS, "the domain")
        declared = read_attributes(parts)
        if any(name in parts for name in ("impossible", "always")):
            from .rule_cuts import with_rule_cuts

            declared = with_rule_cuts(parts, declared)
        followers = read_follows(parts, declared) if "follows" in parts else ()
        following = {follower.name for follower in followers}
        attributes = tuple(a for a in declared if a.name not in following)
        made = cls(
            table=read_table(parts),
            attributes=attributes,
            followers=followers,
            levels=read_levels(parts, attributes) if "levels" in parts else (),
            unit=read_unit(parts, [a.name for a in declared]),
            csv=Csv.from_dict(parts.get("csv", {})),
        )
        if "means" in parts:
            made = replace(made, means=read_means(parts["means"], made.attributes))
        if "impossible" not in parts and "always" not in parts:
            return made
        from .impossible import checked_rules

        return checked_rules(parts, made)

    def save(self, path: str | Path) -> None:
        """Writes a domain file that `load` reads back to the same domain."""
        from .yaml_text import yaml_text

        try:
            Path(path).write_text(yaml_text(self.to_dict()), encoding="utf-8")
        except OSError as error:
            raise BadPath(f"cannot write {path}: {error.strerror}") from None

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` and YAML read back to the same domain."""
        csv = {"csv": self.csv.to_dict()} if self.csv != Csv() else {}
        return self._shape({a.name: a.to_dict() for a in self.every_column}) | csv

    def _shape(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """All that a release depends on once its rows are read."""
        return {
            "table": self.table,
            "unit": self.unit.declared,
            "neighbours": self.unit.neighbours,
            "attributes": attributes,
        } | self._declarations()

    def _declarations(self) -> dict[str, Any]:
        """What is said of several columns, where anything is."""
        said = {
            "impossible": list(self.impossible),
            "always": list(self.always),
            "means": list(self.means),
            "follows": {follower.name: follower.to_dict() for follower in self.followers},
            "levels": {
                level.name: dict(zip(self.closed[self.position(level.name)].values, level.groups, strict=True))
                for level in self.levels
            },
        }
        return {name: value for name, value in said.items() if value}

    def with_csv(self, **options: str | bool | None) -> Domain:
        """The same domain for files written otherwise; options as in `csv`, those that are None stay."""
        return replace(self, csv=self.csv.with_options(**options))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the domain: what binds a ledger to its table.

        No row enters it, nor how a file is written, nor the cells of numbers that a release has found.
        """
        declared = {a.name: {k: v for k, v in a.to_dict().items() if k != "cells"} for a in self.every_column}
        text = json.dumps(self._shape(declared), sort_keys=False, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def form(self) -> int:
        """The first version of the file format that knows all that is declared here."""
        newest = self.means or self.followers or self.levels or self.always or self.unit.person is not None
        plain = [dict(vars(a)) for a in self.attributes]
        newest = newest or any(p.get("ranged") or p.get("step") or p.get("atoms") for p in plain)
        newest = newest or any(a.kind == "vertex" for a in self.attributes)
        if newest or (self.impossible and self._compares):
            return NEWEST_FORM
        coded = any(a.kind in ("date", "time") for a in self.attributes)
        return CODED_FORM if coded or any(p.get("labels_of") or p["missing_values"] for p in plain) else 1

    @property
    def _compares(self) -> bool:
        from .rule_text import rule_texts

        return any(rule.tests for rule in rule_texts(self))

    @cached_property
    def ranged(self) -> tuple[Binned, ...]:
        """Numbers whose cells are yet to be found: only their range is declared."""
        return tuple(a for a in self.attributes if isinstance(a, Binned) and a.ranged and not a.found)

    def with_cells(self, cuts: Mapping[str, tuple[Fraction, ...]]) -> Domain:
        """The same domain with the cells of numbers that a release has found."""
        found = (replace(a, cuts=cuts[a.name], found=True) if a.name in cuts else a for a in self.attributes)  # type: ignore[call-arg]
        return replace(self, attributes=tuple(found))

    @cached_property
    def closed(self) -> tuple[Attribute, ...]:
        """The attributes with codes: all but open ones and decision lists."""
        return tuple(a for a in self.attributes if not isinstance(a, Uncoded))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all attributes, in order."""
        return tuple(a.name for a in self.attributes)

    @property
    def nameless(self) -> Domain:
        """The same domain for rows that are compared as they are, whoever they are of."""
        return replace(self, unit=replace(self.unit, person=None))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that data must have: the attributes, and the one that tells people apart, if one is declared."""
        return (*self.names, *([self.unit.person] if self.unit.person else []))

    @cached_property
    def every_column(self) -> tuple[Attribute, ...]:
        """All columns in the order of the file: attributes, and those that follow them."""
        found = list(self.attributes)
        for follower in sorted(self.followers, key=lambda follower: follower.place):
            found.insert(follower.place, follower.attribute)
        return tuple(found)

    def follower(self, name: str) -> Follower | None:
        """The column of this name that follows another; names match as in `position`."""
        exact = [f for f in self.followers if f.name == name]
        alike = exact or [f for f in self.followers if f.name.lower() == name.lower()]
        return alike[0] if len(alike) == 1 and (exact or name not in self._positions) else None

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of codes of each closed attribute."""
        return tuple(a.size for a in self.closed)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {a.name: i for i, a in enumerate(self.closed)}

    def position(self, name: str) -> int:
        """Where an attribute stands among the closed ones. Names match exactly, else without regard to case."""
        if name in self._positions:
            return self._positions[name]
        alike = [i for known, i in self._positions.items() if known.lower() == name.lower()]
        if len(alike) != 1:
            raise UnknownAttribute(name, known=self.names)
        return alike[0]

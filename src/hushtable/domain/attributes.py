"""Attributes: the public shape of one column; every value has exactly one code."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

from ..errors import BadDomain
from ..words import listed, readable, shortened
from .value_texts import canonical, number_in, plain_decimal

__all__ = ["Attribute", "Boolean", "Category", "Integer", "Number", "Open", "Ordered", "Uncoded", "canonical",
           "number_in", "plain_decimal"]  # fmt: skip

Missing = Literal["category", "error"]

TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1", "1.0"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0", "0.0"})
OTHER, MISSING = "other", "missing"
MOST_CODES = 65_000
# Steps that a number without a declared step has at least: finer than any cell of it that is ever found.
FINEST = 10_000
PLAIN_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Attribute(ABC):
    """One column. Codes run over the declared values, then `other` (if declared), then missing (if counted)."""

    kind: ClassVar[str]
    name: str
    other: bool = False
    missing: Missing = "category"
    missing_values: tuple[str, ...] = ()
    """Texts that say there is no value, such as NA or -9; a declared value is none of them."""

    def __init_subclass__(cls) -> None:
        # Set before @dataclass runs, which then keeps it; its own would print up to 65,000 values.
        cls.__repr__ = Attribute.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        labels = shortened(listed([shortened(label, 30) for label in self.labels], 8), 300)
        return f"<{self.kind} {shortened(self.name, 80)}{': ' if labels else ''}{labels}>"

    @property
    @abstractmethod
    def values(self) -> tuple[str, ...]:
        """Labels of the declared values or bins, in code order."""

    @abstractmethod
    def place(self, value: object) -> int | None:
        """Code of a value that is not missing, or None when it is outside the declared values."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What the domain file says of this attribute."""

    def code(self, value: object) -> int | None:
        """The one code of any value; None only where the domain says `missing: error`.

        What is not declared is `other` where the domain counts that, else missing: no value can stop a release.
        """
        place = None if self.is_missing(value) else self.place(value)
        if place is not None:
            return place
        return self.missing_code if self.other_code is None or self.is_missing(value) else self.other_code

    def is_missing(self, value: object) -> bool:
        """Whether there is no value: null, not a number, blank, or a declared code for that."""
        text = canonical(value)
        return text is None or (bool(self.missing_values) and self._says_missing(text))

    def _says_missing(self, text: str) -> bool:
        return text in self.missing_values or plain_decimal(text) in self.missing_values

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One label a code."""
        extra = ([OTHER] if self.other else []) + ([MISSING] if self.missing == "category" else [])
        return (*self.values, *extra)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.labels)

    @property
    def other_code(self) -> int | None:
        """Where undeclared values go, if anywhere."""
        return len(self.values) if self.other else None

    @property
    def missing_code(self) -> int | None:
        """Where missing values go, if anywhere."""
        return self.size - 1 if self.missing == "category" else None

    def options(self) -> dict[str, Any]:
        """The part of `to_dict` that all kinds share, defaults left out."""
        parts: dict[str, Any] = {"kind": self.kind}
        if self.other:
            parts["other"] = True
        if self.missing != "category":
            parts["missing"] = self.missing
        if self.missing_values:
            parts["missing_values"] = list(self.missing_values)
        return parts


@dataclass(frozen=True, kw_only=True)
class Boolean(Attribute):
    """True or false, in any of the usual spellings: true/false, t/f, yes/no, y/n, 1/0."""

    kind = "boolean"
    labels_of: tuple[tuple[str, str], ...] = ()
    """What the data write, and whether it is true or false: 2 for false, say."""

    @property
    def values(self) -> tuple[str, ...]:
        """false is 0, true is 1."""
        return ("false", "true")

    def place(self, value: object) -> int | None:
        """0, 1 or None."""
        text = canonical(value) or ""
        word = self._said.get(text, self._said.get(plain_decimal(text), text)).lower()
        return 1 if word in TRUE_WORDS else 0 if word in FALSE_WORDS else None

    @cached_property
    def _said(self) -> dict[str, str]:
        return dict(self.labels_of)

    def to_dict(self) -> dict[str, Any]:
        return self.options() | ({"labels": dict(self.labels_of)} if self.labels_of else {})


@dataclass(frozen=True, kw_only=True)
class Category(Attribute):
    """One of a declared list of values."""

    kind = "category"
    names: tuple[str, ...]
    labels_of: tuple[tuple[str, str], ...] = ()
    """What the data write, and the value it stands for: 1 for male, say."""

    def __post_init__(self) -> None:
        if not self.names:
            raise BadDomain(f"{self.name}: values is empty; list at least one value")
        if len(self.names) > MOST_CODES:
            raise BadDomain(f"{self.name}: {len(self.names):,} values; at most {MOST_CODES:,} are allowed")
        if len(set(self.names)) < len(self.names):
            twice = next(v for v in self.names if self.names.count(v) > 1)
            raise BadDomain(f"{self.name}: value '{twice}' is listed twice; list each value once")
        if self.other and OTHER in self.names:
            raise BadDomain(f"{self.name}: 'other' is both a value and the bin for undeclared values; drop one")
        if self.missing == "category" and MISSING in self.names:
            raise BadDomain(f"{self.name}: 'missing' is a value; set `missing: error` or rename it")

    @property
    def values(self) -> tuple[str, ...]:
        """As declared."""
        return self.names

    @cached_property
    def _codes(self) -> dict[str, int]:
        exact = {name: code for code, name in enumerate(self.names)}
        written = {text: exact[name] for text, name in self.labels_of}
        return {plain_decimal(name): code for name, code in (exact | written).items()} | exact | written

    def place(self, value: object) -> int | None:
        """Position in the declared list; 1.0 and 1 are found for each other, and 2.50 where 2.5 is declared."""
        text = canonical(value) or ""
        return self._codes.get(text, self._codes.get(plain_decimal(text)))

    def to_dict(self) -> dict[str, Any]:
        labels = {"labels": dict(self.labels_of)} if self.labels_of else {}
        return self.options() | {"values": list(self.names)} | labels

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, where all of them are; None for words."""
        found = [number_in(name) for name in self.names]
        return None if None in found else tuple(number for number in found if number is not None)


@dataclass(frozen=True, kw_only=True)
class Ordered(Attribute):
    """A value between two bounds, counted in bins [edge, next edge); each value has a number by which it is placed."""

    steps: ClassVar[bool] = False
    """Whether values are whole numbers, so that `> 4` is `>= 5`, and a bin's last value is one below the next edge."""
    wanted: ClassVar[str] = "a number"
    """What it is compared with."""
    low: Fraction
    high: Fraction
    cuts: tuple[Fraction, ...]
    """Inner edges, ascending."""

    def __post_init__(self) -> None:
        if any(a >= b for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise BadDomain(
                f"{self.name}: edges must ascend strictly between {self.text(self.low)} and {self.text(self.high)}"
            )
        if len(self.cuts) >= MOST_CODES:
            raise BadDomain(f"{self.name}: {len(self.cuts) + 1:,} bins; at most {MOST_CODES:,} are allowed")

    @cached_property
    def edges(self) -> tuple[Fraction, ...]:
        """Lower bound, cuts, and the end of the last bin: of steps that is one above the largest value."""
        return (self.low, *self.cuts, self.high + 1 if self.steps else self.high)

    def bin_bounds(self) -> list[tuple[Fraction, Fraction]]:
        """Smallest and largest value of each bin: its two edges, or the first and last step."""
        return [(a, b - 1 if self.steps else b) for a, b in zip(self.edges, self.edges[1:], strict=False)]

    @cached_property
    def _cuts(self) -> list[float]:
        return [float(cut) for cut in self.cuts]

    def text(self, number: Fraction) -> str:
        """A bound or an edge as it is written in a question."""
        return edge_text(number)

    def number(self, value: Fraction | str) -> Fraction | None:
        """The number of a value that a question names; None where it is no such value."""
        if isinstance(value, str):
            return Fraction(value) if PLAIN_NUMBER.fullmatch(value) else None
        return value


@dataclass(frozen=True, kw_only=True)
class Binned(Ordered):
    """A number between two bounds; the last bin includes its upper bound."""

    step: Fraction | None = None
    """Values are low + j steps, where that is declared."""
    atoms: tuple[Fraction, ...] = ()
    """Single values that many rows have, where they are declared."""
    ranged: bool = False
    """Whether no bins are declared: the cuts are a first look's, until a release has found better ones."""
    found: bool = False
    """Whether a release has found the cuts, from noisy counts."""
    fixed: tuple[Fraction, ...] = ()
    """Cuts that found cells must keep, because a rule names them."""

    @cached_property
    def unit(self) -> Fraction:
        """How far neighbouring values are apart: as declared, 1 of whole numbers, else a power of ten."""
        if self.step is not None or self.steps:
            return self.step or Fraction(1)
        return finest_step(self.low, self.high)

    def is_missing(self, value: object) -> bool:
        """Text may spell that there is no number, as data frames write it."""
        return super().is_missing(value) or (canonical(value) or "nan").lower() == "nan"

    def place(self, value: object) -> int | None:
        """The bin of a number inside the bounds."""
        number = number_in(value)
        if number is None or not self.inside(number):
            return None
        return bisect_right(self._cuts, number)

    def inside(self, number: float) -> bool:
        """Whether a number is one the attribute can have."""
        return float(self.low) <= number <= float(self.high)

    def to_dict(self) -> dict[str, Any]:
        parts = self.options() | {"between": [_plain(self.low), _plain(self.high)]}
        if self.step is not None:
            parts["step"] = _plain(self.step)
        if self.atoms:
            parts["atoms"] = [_plain(atom) for atom in self.atoms]
        if self.ranged and not self.found:
            return parts
        return parts | {"cells" if self.found else "edges": [_plain(cut) for cut in self.cuts]}


@dataclass(frozen=True, kw_only=True)
class Number(Binned):
    """A real number between two bounds."""

    kind = "number"

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Intervals as in mathematics: [0, 25000), the last one closed."""
        pairs = list(zip(self.edges, self.edges[1:], strict=False))
        last = len(pairs) - 1
        return tuple(f"[{edge_text(a)}, {edge_text(b)}{']' if i == last else ')'}" for i, (a, b) in enumerate(pairs))


@dataclass(frozen=True, kw_only=True)
class Integer(Binned):
    """A whole number between two bounds, both included. `high` here is the largest value."""

    kind = "integer"
    steps = True

    @cached_property
    def values(self) -> tuple[str, ...]:
        """`18-29`, or `18` for a bin of one value."""
        return tuple(f"{a}" if a == b else f"{a}-{b}" for a, b in self.bin_bounds())

    def inside(self, number: float) -> bool:
        """Whole numbers only."""
        return super().inside(number) and number.is_integer()


@dataclass(frozen=True, kw_only=True)
class Uncoded(Attribute):
    """A column without codes: no table counts it, and only a workload made for it answers questions about it."""

    @property
    @abstractmethod
    def advice(self) -> str:
        """What it is and how to ask about it, in words that follow its name."""

    @cached_property
    def values(self) -> tuple[str, ...]:
        """None: the universe is not listed."""
        return ()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """None, and so no codes."""
        return ()

    def place(self, value: object) -> int | None:
        """No value has a code."""
        return None

    def code(self, value: object) -> int | None:
        """No value has a code."""
        return None


@dataclass(frozen=True, kw_only=True)
class Open(Uncoded):
    """A value from an unbounded universe (a URL, a name); only sparse workloads use it."""

    kind = "open"

    @property
    def advice(self) -> str:
        return "is open (its values are not listed); a sparse workload answers it"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}


def finest_step(low: Fraction, high: Fraction) -> Fraction:
    """The largest power of ten of which at least FINEST fit between two bounds."""
    step = Fraction(1)
    while step * FINEST > high - low:
        step /= 10
    while 10 * step * FINEST <= high - low:
        step *= 10
    return step


def edge_text(number: Fraction) -> str:
    """An edge to read: exact where it is a decimal, so that neighbouring edges never look the same."""
    exact = str(_plain(number))
    return readable(number) if "/" in exact else exact


def _plain(number: Fraction) -> int | str:
    """A bound as YAML shows it best and reads it back exactly."""
    if number.denominator == 1:
        return int(number)
    as_float = repr(float(number))
    return as_float if Fraction(as_float) == number else str(number)

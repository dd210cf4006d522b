"""Answers: one number or a table of them, with error bars, ready to print, plot or compute with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..laws import Law
from .answer_forms import UNKNOWN, AnswerForms, AnswerUnit, html, measured, none_if_unknown, shown, with_bar
from .arithmetic import Errors, Later, Release
from .computed import Computed, notes_of
from .intervals import interval_factor
from .stamp import SIMULATED, mark, other_notes

if TYPE_CHECKING:
    from .drawing import Kind

__all__ = [
    "Answer",
    "CrossTab",
    "Limits",
    "ListAnswer",
    "ListTable",
    "QuantileAnswer",
    "SmoothAnswer",
    "SmoothTable",
    "interval_factor",
]

Floats = NDArray[np.float64]
Limits = Callable[[float], tuple[Floats, Floats]]
BiasKind = Literal["certified", "sampled", "calibrated"]


def _narrower(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether an interval says more than another: a measured value that does not is not printed."""
    width = one[1] - one[0]
    return math.isfinite(width) and not other[1] - other[0] <= width


@dataclass(frozen=True, kw_only=True)
class Answer(AnswerForms, Computed):
    """One number: its value, the standard error of the noise in it, and a certified bound on its bias.

    Without a bar every form of it (text, page, frame, JSON) says unknown; `value` is then what a model says, unchecked.
    """

    question: str
    unit: AnswerUnit
    value: float
    stderr: float
    bias: float = 0.0
    kurtosis: float = 0.0
    """Excess kurtosis of the noise: 0 for normal noise, 3 for a single Laplace."""
    estimator: str = "exact"
    notes: tuple[str, ...] = ()
    unbiased: Answer | None = None
    """The same from measured numbers alone, where the value itself is a model's."""
    limits: Limits | None = field(default=None, repr=False, compare=False)
    """From a confidence to the ends of the interval, where they do not lie evenly around the value: averages."""
    certified: tuple[float, float] | None = None
    """An interval that holds for the worst question of its kind (95%), where the bar is that of a usual one."""
    not_private: bool = False
    """Whether it comes from a rehearsal with simulated randomness."""
    release: Release | None = field(default=None, repr=False, compare=False)
    """What it was asked of: answers of one release share its noise."""
    parts: Errors | Later | None = field(default=None, repr=False, compare=False)
    """What its error is made of, where that is known: for arithmetic between answers."""

    def _computed(self, text: str, unit: AnswerUnit, numbers: dict[str, Any], others: list[Computed]) -> Answer:
        parts, unknown = numbers["parts"], numbers.get("unknown")
        stderr = math.nan if unknown else math.sqrt(parts.variance())
        kurtosis = max(float(parts.kurtosis()), *(each.kurtosis for each in (self, *others)))
        notes = notes_of(self, others, parts)
        guessed = any(each.estimator.startswith(UNKNOWN) for each in (self, *others))
        return Answer(
            question=text, unit=unit, value=numbers["value"], stderr=stderr, bias=numbers["bias"],
            kurtosis=kurtosis, estimator=UNKNOWN if guessed else "computed",
            notes=notes if unknown is None else (unknown, *notes), limits=numbers.get("limits"), parts=parts,
            not_private=any(each.not_private for each in (self, *others)),
        )  # fmt: skip

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Lower and upper end: bias and noise on both sides, never clipped; or an average's limits, in its range."""
        if self.limits is not None:
            low, high = self.limits(confidence)
            return float(low[0]), float(high[0])
        half = self.bias + interval_factor(confidence, self.kurtosis) * self.stderr
        return self.value - half, self.value + half

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """What `hush ask --json` prints; a number that is not known or too large is None."""
        return (
            {
                "question": self.question,
                "unit": self.unit,
                **{name: none_if_unknown(number) for name, number in self._numbers(confidence).items()},
                "confidence": confidence,
                "estimator": self.estimator,
                "notes": list(self.notes),
            }
            | self._marked()
            | ({} if self.unbiased is None else {"unbiased": self.unbiased.short(confidence)})
            | ({} if self.certified is None else {"certified": [none_if_unknown(end) for end in self.certified]})
        )

    def short(self, confidence: float = 0.95) -> dict[str, float | None]:
        """Value, standard error and interval alone."""
        numbers = self._numbers(confidence)
        return {name: none_if_unknown(numbers[name]) for name in ("value", "stderr", "low", "high")}

    def columns(self, confidence: float = 0.95) -> dict[str, list[Any]]:
        """One row."""
        return {name: [number] for name, number in self._numbers(confidence).items()} | mark(self.not_private, 1)

    def _numbers(self, confidence: float) -> dict[str, float]:
        """What every form of it has; nan where there is no bar."""
        low, high = self.interval(confidence)
        value, stderr, bias = with_bar([self.value, self.stderr, self.bias], low, high, self.estimator).tolist()
        return {"value": value, "stderr": stderr, "bias": bias, "low": low, "high": high}

    def text(self, confidence: float = 0.95) -> str:
        """The answer to read; that of a rehearsal begins with its stamp."""
        return self._stamp + self._plain(confidence)

    def _plain(self, confidence: float) -> str:
        """`0.0712 ± 0.0011 (95%)`; a guess stands beside what is certified, which is often much wider."""
        low, high = self.interval(confidence)
        if self.estimator == "assisted":
            digits = 0 if self.unit == "count" else 4
            value, least, most = (f"{number:,.{digits}f}" for number in (self.value, low, high))
            return f"{value}, certified between {least} and {most} ({100 * confidence:g}%)"
        exact = self.unbiased is not None and _narrower(self.unbiased.interval(confidence), (low, high))
        beside = f"; measured {self.unbiased._plain(confidence)}" if self.unbiased is not None and exact else ""
        barred = float(with_bar(self.value, low, high, self.estimator))
        return f"{shown(barred, low, high)} ({100 * confidence:g}%){beside}"

    def _glimpse(self) -> str:
        return self._plain(0.95)

    def __str__(self) -> str:
        return self.text() + self._said

    def _repr_html_(self) -> str:
        notes = "".join(f"<br><small>{html(note)}</small>" for note in self.notes)
        return f"<b>{html(self._plain(0.95))}</b> <code>{html(self.question)}</code>{notes}"


@dataclass(frozen=True, kw_only=True)
class ListAnswer(Answer):
    """An answer whose `stderr` has two independent parts."""

    noise: float
    """Standard error of the noise that protects the rows."""
    collision: float
    """Standard deviation over the hash's key of what other values in the same buckets add; estimated, no bound."""

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """The usual answer, and the parts of its error."""
        return super().to_dict(confidence) | {"noise": self.noise, "collision": self.collision}


@dataclass(frozen=True, kw_only=True)
class SmoothAnswer(Answer):
    """A mean. `bias_kind` is certified (proven between all points), sampled (looked at on a grid) or calibrated.

    Calibrated intervals are those of quantiles: they hold for columns as real ones are, and `certified` for all.
    """

    bias_kind: BiasKind = "certified"
    ends: Callable[[float], tuple[float, float]] | None = None
    """From a confidence to the interval, where it is not symmetric: bias and noise, as in `Answer.interval`."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Lower and upper end; not symmetric where the number of rows is noisy too."""
        return super().interval(confidence) if self.ends is None else self.ends(confidence)

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        return super().to_dict(confidence) | {"bias_kind": self.bias_kind}


@dataclass(frozen=True, kw_only=True)
class QuantileAnswer(SmoothAnswer):
    """A quantile. Where the distribution function is flat, it is known less well, so that `ends` are its interval."""

    def _plain(self, confidence: float) -> str:
        """`37.2, between 36.8 and 37.7 (95%)`."""
        low, high = self.interval(confidence)
        if not (math.isfinite(low) and math.isfinite(high)):
            return f"unknown ({100 * confidence:g}%)"
        places = measured(self.value, (high - low) / 2).partition(" ")[0]
        digits = len(places.partition(".")[2])
        return f"{places}, between {low:,.{digits}f} and {high:,.{digits}f} ({100 * confidence:g}%)"


@dataclass(frozen=True, kw_only=True)
class CrossTab(AnswerForms):
    """One answer per combination of the group columns."""

    question: str
    unit: AnswerUnit
    groups: dict[str, tuple[str, ...]]
    """Group column to its label in every row."""
    value: Floats
    stderr: Floats
    bias: Floats
    kurtosis: Floats
    law: Law
    estimator: str = "exact"
    notes: tuple[str, ...] = field(default_factory=tuple)
    unbiased: CrossTab | None = None
    """The same from measured numbers alone, nan where they do not tell; where the value itself is a model's."""
    limits: Limits | None = field(default=None, repr=False, compare=False)
    """From a confidence to the ends of the intervals, where they do not lie evenly around the values: averages."""
    certified: tuple[Floats, Floats] | None = field(default=None, repr=False)
    """Ends of intervals that hold for the worst question about these columns (95%), all cells at once."""
    limits_at_once: Limits | None = field(default=None, repr=False, compare=False)
    """The same for all intervals at once, where the noises of the cells are known together."""
    parts: Errors | Later | None = field(default=None, repr=False, compare=False)
    """What the errors of the cells are made of, where that is known: for arithmetic between tables."""
    not_private: bool = False
    """Whether it comes from a rehearsal with simulated randomness."""
    among: int | None = None
    """Of how many groups these were picked, by HAVING or LIMIT; intervals for all at once hold for those too."""
    ordered: frozenset[str] = frozenset()
    """Group columns whose labels have an order, such as bins of age: a picture may join them by a line."""

    def __len__(self) -> int:
        return len(self.value)

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Lower and upper ends, each cell on its own or all cells at once.

        At once: Sidak's inequality for normal noise, which needs no independence [Sid67]; Bonferroni otherwise, but
        where the noises are known together.
        """
        if simultaneous and self.limits_at_once is not None:
            return self.limits_at_once(confidence)
        if simultaneous and len(self) > 0 and 0 < confidence < 1:
            cells = max(len(self), self.among or 0)
            gaussian = self.law.power == 2
            confidence = confidence ** (1 / cells) if gaussian else 1 - (1 - confidence) / cells
        if self.limits is not None:
            return self.limits(confidence)
        half = self.bias + interval_factor(confidence, self.kurtosis) * self.stderr
        return self.value - half, self.value + half

    def columns(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, list[Any]]:
        """Group columns, then value, stderr, bias, low, high."""
        low, high = self.interval(confidence, simultaneous=simultaneous)
        told = {"value": self.value, "stderr": self.stderr, "bias": self.bias}
        numbers = {name: with_bar(each, low, high, self.estimator) for name, each in told.items()} | {
            "low": low,
            "high": high,
        }
        if self.unbiased is not None:
            numbers |= {"unbiased": self.unbiased.value, "unbiased_stderr": self.unbiased.stderr}
        if self.certified is not None:
            numbers |= dict(zip(("certified_low", "certified_high"), self.certified, strict=True))
        marked = mark(self.not_private, len(self))
        # A group column that is named like a number keeps its labels under another name.
        own = {*numbers, *marked}
        taken = {(f"{name}_group" if name in own else name): labels for name, labels in self.groups.items()}
        return (
            {name: list(labels) for name, labels in taken.items()}
            | {name: column.tolist() for name, column in numbers.items()}
            | marked
        )

    def with_order(self, columns: frozenset[str]) -> CrossTab:
        """The same, knowing which of its columns have an order."""
        return replace(self, ordered=columns)

    def plot(self, ax: Any = None, *, kind: Kind | None = None, confidence: float = 0.95) -> Any:
        """Bars, lines or a heat map with intervals, of one or two group columns; returns matplotlib's axes.

        On `ax`, or on a figure of its own (`answer.plot().figure.savefig("age.png")`).
        """
        from .drawing import draw

        return draw(self, ax, kind=kind, confidence=confidence)

    def rows(self, confidence: float = 0.95, *, simultaneous: bool = False) -> list[dict[str, Any]]:
        """One mapping a cell; a value that is not known (an empty group's mean) becomes None."""
        columns = self.columns(confidence, simultaneous=simultaneous)
        return [{name: none_if_unknown(columns[name][i]) for name in columns} for i in range(len(self))]

    def to_dict(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        """What `hush ask --json` prints; the table's own numbers are those of its rows."""
        return {
            "question": self.question,
            "unit": self.unit,
            "value": None,
            "stderr": None,
            "bias": None,
            "low": None,
            "high": None,
            "confidence": confidence,
            "estimator": self.estimator,
            "notes": list(self.notes),
            "rows": self.rows(confidence, simultaneous=simultaneous),
        } | self._marked()

    def consistent(self) -> CrossTab:
        """A view: the nearest table without negative cells and with the same sum. Error bars stay the raw ones."""
        if self.unit not in ("count", "fraction"):
            return self  # a mean may be negative, and means have no sum to keep
        from ..maths.linear.non_negative import nearest_non_negative

        note = "view: negative cells removed and the sum kept; the error bars are those of the raw values"
        value = nearest_non_negative(self.value, self.stderr**2)
        return replace(self, value=value, estimator=f"{self.estimator}, non-negative view", notes=(*self.notes, note))

    def _lines(self, confidence: float = 0.95, *, simultaneous: bool = False) -> Iterator[list[str]]:
        low, high = self.interval(confidence, simultaneous=simultaneous)
        beside, value = self.unbiased, with_bar(self.value, low, high, self.estimator)
        least, most = (low, high) if beside is None else beside.interval(confidence, simultaneous=simultaneous)
        for i in range(len(self)):
            labels = [labels[i] for labels in self.groups.values()]
            cells = [shown(float(value[i]), float(low[i]), float(high[i]))]
            if beside is not None:
                exact = _narrower((float(least[i]), float(most[i])), (float(low[i]), float(high[i])))
                text = shown(float(beside.value[i]), float(least[i]), float(most[i]))
                cells.append(text if exact else "")
            yield [*labels, *cells]

    def _heads(self, bar: str) -> list[str]:
        beside = [] if self.unbiased is None else [f"measured ({bar})"]
        return [*self.groups, f"{self.unit} ({bar})", *beside]

    def _glimpse(self) -> str:
        first = "; ".join(", ".join(line) for line in islice(self._lines(), 2))
        return f"{self.unit}s of {len(self):,} groups by {', '.join(self.groups)}, with 95% intervals; {first}; ..."

    def __str__(self) -> str:
        return self.text() + self._said

    def text(self, confidence: float = 0.95, *, simultaneous: bool = False) -> str:
        """An aligned table, a line a cell; that of a rehearsal begins with its stamp."""
        bar = f"{100 * confidence:g}%{', all cells at once' if simultaneous else ''}"
        lines = [[*self._heads(bar)], *self._lines(confidence, simultaneous=simultaneous)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return self._stamp + "\n".join(
            "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html(name)}</th>" for name in self._heads("95%"))
        body = "".join("<tr>" + "".join(f"<td>{html(c)}</td>" for c in line) + "</tr>" for line in self._lines())
        stamp = f"<p><b>{html(SIMULATED)}</b></p>" if self.not_private else ""
        notes = "".join(f"<br><small>{html(note)}</small>" for note in other_notes(self.notes))
        return f"{stamp}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


@dataclass(frozen=True, kw_only=True)
class ListTable(CrossTab):
    """One answer a list or value; errors in two parts, as in `ListAnswer`."""

    noise: Floats
    collision: Floats

    def columns(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, list[Any]]:
        """The usual columns, then the parts of the error."""
        parts = {"noise": self.noise.tolist(), "collision": self.collision.tolist()}
        return super().columns(confidence, simultaneous=simultaneous) | parts


@dataclass(frozen=True, kw_only=True)
class SmoothTable(CrossTab):
    """Means of groups, or the two parts of a characteristic function."""

    bias_kind: BiasKind = "certified"
    ends: Callable[[float], tuple[Floats, Floats]] | None = None
    """From a confidence to the intervals, where they are not symmetric."""

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Lower and upper ends. At once: Bonferroni, which holds for every law."""
        if self.ends is None:
            return super().interval(confidence, simultaneous=simultaneous)
        return self.ends(1 - (1 - confidence) / len(self) if simultaneous else confidence)

    def consistent(self) -> CrossTab:
        """A view as a plain table, whose intervals are those of the standard errors."""
        inherited = {field.name: getattr(self, field.name) for field in fields(CrossTab)}
        return self if self.unit == "mean" else CrossTab(**inherited).consistent()

    def to_dict(self, confidence: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        return super().to_dict(confidence, simultaneous=simultaneous) | {"bias_kind": self.bias_kind}

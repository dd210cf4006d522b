"""Language: questions as whole numbers, what a row says to each, and how typical ones are drawn. All of it public."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, check_whole
from ...words import shortened

__all__ = ["MOST_STEPS", "Language"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# What a predicate says is rounded to multiples of one over this where it is neither 0 nor 1.
MOST_STEPS = 1 << 20
# So many times the questions wanted are drawn before a sampler is said to repeat itself.
PATIENCE = 20
# Words in which a predicate that is no plain function is told.
SHOWN = 120


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """Any class of questions: f(q) is the mean over rows of a public P(q, row) between 0 and 1.

    name       what plans and files call it
    columns    what of a row it looks at, by name; a row is given as the codes of these columns
    predicate  from a question and one row, arrays of whole numbers, to what the row says: true, false, or a share. It
               sees one row at a time: cells of the columns in turn where they are few, else it must compile with numba
    sampler    from a generator of random numbers and m to m typical questions, a line each
    group      from a question to a whole number; bars are made for each group of questions apart
    steps      what is said is rounded to multiples of 1 / steps; found by trying unless it is given
    at_once    the predicate for all pairs of some questions and some rows, where there is a quick way
    typical    whether a question could be drawn; those that could not are answered without a bar
    valid      whether numbers are a question at all; those that are none are refused
    """

    name: str
    columns: Sequence[str]
    predicate: Callable[[Any, Any], Any]
    sampler: Callable[[Any, int], Any]
    group: Callable[[Any], int] | None = None
    steps: int | None = None
    at_once: Callable[[Integers, Integers], Any] | None = None
    typical: Callable[[Any], bool] | None = None
    valid: Callable[[Any], bool] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise BadPlan(f"a language is called by one word, not {self.name!r}")
        if isinstance(self.columns, str) or not self.columns or len(set(self.columns)) < len(self.columns):
            raise BadPlan(f"{self.name}: name at least one column, each once, not {self.columns!r}")
        for what in ("predicate", "sampler", "group", "at_once", "typical", "valid"):
            given = getattr(self, what)
            if not callable(given) and (given is not None or what in ("predicate", "sampler")):
                raise BadPlan(f"{self.name}: {what} must be a function, not {type(given).__name__}")
        if self.steps is not None:
            check_whole(self.steps, "steps", BadPlan, most=MOST_STEPS, limit=f"{MOST_STEPS:,}")

    def draw(self, seed: int, count: int) -> Integers:
        """Up to so many different typical questions, always the same; fewer where the sampler has no more."""
        random, kept = np.random.default_rng(seed), dict[bytes, Integers]()
        for _ in range(PATIENCE):
            for question in self._sampled(random, count):
                kept.setdefault(question.tobytes(), question)
            if len(kept) >= count:
                break
        if len({question.shape for question in kept.values()}) != 1:
            raise BadPlan(f"{self.name}: all questions must have the same number of numbers")
        return np.stack(list(kept.values())[:count])

    def _sampled(self, random: np.random.Generator, count: int) -> Integers:
        try:
            given = np.asarray(self.sampler(random, count))
        except (Exception, SystemExit) as error:
            raise BadPlan(f"{self.name}: the sampler ends in {_told(error)}") from None
        if given.ndim != 2 or not given.shape[1] or len(given) != count or given.dtype.kind not in "biu":
            raise BadPlan(
                f"{self.name}: the sampler must give {count} lines of whole numbers, a question each, and not shape "
                f"{given.shape} of {given.dtype}"
            )
        if given.dtype.kind == "u" and int(given.max(initial=0)) > np.iinfo(np.int64).max:
            raise BadPlan(f"{self.name}: the sampler gives whole numbers of up to 63 bits, and not {int(given.max())}")
        return np.ascontiguousarray(given, dtype=np.int64)

    def groups_of(self, questions: Integers) -> Integers:
        """The group of every question; all 0 where there is one."""
        if self.group is None:
            return np.zeros(len(questions), dtype=np.int64)
        try:
            return np.array([int(self.group(question.copy())) for question in questions], dtype=np.int64)
        except (Exception, SystemExit) as error:
            raise BadPlan(f"{self.name}: the group of a question ends in {_told(error)}") from None

    def is_typical(self, question: Integers) -> bool:
        """Whether the sampler could have drawn it, as far as that is known."""
        return self.typical is None or bool(self.typical(question.copy()))

    def understands(self, questions: Integers) -> bool:
        """Whether all of them are questions of this language."""
        return self.valid is None or all(bool(self.valid(question.copy())) for question in questions)

    def said(self, question: Integers, row: Integers) -> float:
        """What one row says, as the predicate has it; BadPlan where that is no share."""
        try:
            given = np.asarray(self.predicate(question.copy(), row.copy()))
        except (Exception, SystemExit) as error:
            raise BadPlan(f"{self.name}: the predicate ends in {_told(error)} for the row {row.tolist()}") from None
        if given.shape != () or given.dtype.kind not in "biuf":
            raise BadPlan(f"{self.name}: the predicate must say one number for a row, not {_seen(given)}")
        if not 0 <= float(given) <= 1:
            raise BadPlan(
                f"{self.name}: the predicate says {float(given):g} for the row {row.tolist()}; it must say a number "
                "from 0 to 1, or true or false"
            )
        return float(given)

    @property
    def digest(self) -> str:
        """SHA-256 of its name, columns and the code of its predicate."""
        given = getattr(self.predicate, "py_func", self.predicate)
        code = getattr(given, "__code__", None)
        told = None if code is None else (code.co_code, repr(code.co_consts), code.co_names)
        return hashlib.sha256(repr((self.name, tuple(self.columns), self.steps, told)).encode()).hexdigest()


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {shortened(' '.join(str(error).split()), SHOWN)}"


def _seen(given: NDArray[Any]) -> str:
    return f"shape {given.shape}" if given.shape else f"{given.dtype}"

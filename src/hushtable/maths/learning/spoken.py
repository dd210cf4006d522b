"""Spoken: a language on the columns of a domain, tried on public rows; its questions as sums over rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan
from ...words import listed, suggestion
from ..families.family import Family
from ..families.row_code import compiled_alone, refuse_unset
from ..families.row_polynomials import MOST_CELLS, RowPolynomials
from .language import MOST_STEPS, Language

__all__ = ["Spoken", "spoken"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Public random rows that a predicate is tried on, and questions for each.
TRIED, PER_ROW = 1000, 8
# Pairs of questions and cells up to which plain Python is quicker than compiling.
QUICK = 1 << 18


@dataclass(frozen=True, eq=False)
class Spoken:
    """A language where its columns have so many values each, at these places among all columns with codes."""

    language: Language
    sizes: tuple[int, ...]
    positions: tuple[int, ...]

    def check(self, questions: Integers) -> None:
        """BadPlan unless the predicate says a number from 0 to 1 to typical questions on public random rows."""
        refuse_unset(self.language.name, self.language.predicate)
        assert self._tried(questions) is not None

    def _tried(self, questions: Integers) -> Floats:
        random = np.random.default_rng(0)
        rows = random.integers(0, self.sizes, (TRIED, len(self.sizes)), dtype=np.int64)
        asked = random.integers(0, len(questions), (TRIED, PER_ROW))
        return np.array([self.language.said(questions[q], row) for row, own in zip(rows, asked, strict=True)
                         for q in own])  # fmt: skip

    def steps(self, questions: Integers) -> int:
        """1 for a predicate that was seen to say yes or no alone, unless the language says it."""
        if self.language.steps is not None:
            return self.language.steps
        return 1 if np.isin(self._tried(questions), (0.0, 1.0)).all() else MOST_STEPS

    def sums(self, questions: Integers) -> RowPolynomials:
        """What every possible row says to these questions, as whole numbers of steps: tried, and ready to be summed.

        A family with a variable a question, one of which is 1, so that the trusted code that adds up families of
        polynomials, row by row and cut to their bounds, adds up these.
        """
        if self.language.at_once is None:
            self.check(questions)
        questions = questions.copy()
        questions.setflags(write=False)
        steps = self.steps(questions)
        names = tuple(f"q{i}" for i in range(len(questions)))
        cells = int(np.prod(self.sizes, dtype=np.float64))
        plain, compiled = self.language.predicate, self._compiled
        few = cells * len(questions) <= QUICK or compiled is None
        family = Family(
            name=self.language.name,
            columns=tuple(self.language.columns),
            variables=names,
            exponents=[[name] for name in names],
            coefficients=_every(plain if few else compiled, questions, steps),  # type: ignore[arg-type]
            degree=1,
            between=(0, steps),
            l1=len(questions) * steps,
            l2=len(questions) ** 0.5 * steps,
            unit=1 / steps,
            width=1,
        )
        made = RowPolynomials(family, self.sizes, self.positions, MOST_CELLS if few else 0)
        made.check()
        return made

    @cached_property
    def _compiled(self) -> Callable[[Any, Any], Any] | None:
        """The predicate as machine code that reads nothing but its arguments; None where it does not compile."""
        import numba

        one = numba.types.Array(numba.types.int64, 1, "C")
        fixed = numba.types.Array(numba.types.int64, 1, "C", readonly=True)
        try:
            function = compiled_alone(self.language.name, self.language.predicate, (fixed, one))
        except TypeError:
            return None
        return function  # type: ignore[no-any-return]

    def holds(self, questions: Integers, rows: Integers) -> Floats:
        """What each public row (a line each) says to each question, a line a question; cut to 0 and 1."""
        if self.language.at_once is not None:
            return np.asarray(self.language.at_once(questions, rows), dtype=np.float64)
        different, place = np.unique(rows, axis=0, return_inverse=True)
        said = self.language.predicate if self._compiled is None else self._compiled
        if self._compiled is None:
            table = np.array([[float(said(q.copy(), row.copy())) for row in different] for q in questions])
        else:
            table = np.asarray(self._loop(np.ascontiguousarray(questions), np.ascontiguousarray(different)))
        return np.asarray(np.clip(np.nan_to_num(table), 0.0, 1.0)[:, place.ravel()])

    @cached_property
    def _loop(self) -> Any:
        import numba

        said: Any = self._compiled

        @numba.njit
        def loop(questions, rows):  # type: ignore[no-untyped-def]
            out = np.zeros((len(questions), len(rows)))
            # Copies, as a predicate may write into what it is given.
            question, row = questions[0].copy(), rows[0].copy()
            for i in range(len(questions)):
                for j in range(len(rows)):
                    question[:] = questions[i]
                    row[:] = rows[j]
                    out[i, j] = said(question, row) * 1.0
            return out

        return loop


def _every(said: Callable[[Any, Any], Any], questions: Integers, steps: int) -> Callable[[Integers], Integers]:
    """From a row to what it says to every question, in steps; anything that is no share is cut to one."""

    def coefficients(row: Integers) -> Integers:
        out = np.zeros(len(questions), dtype=np.int64)
        for number in range(len(questions)):
            share = said(questions[number], row) * 1.0
            if share >= 1.0:
                out[number] = steps
            elif share > 0.0:
                out[number] = np.int64(share * steps + 0.5)
        return out

    return coefficients


def spoken(language: Language, names: Sequence[str], sizes: Sequence[int]) -> Spoken:
    """A language on a domain whose columns with codes have these names and sizes; BadPlan where one is not there."""
    for column in language.columns:
        if column not in names:
            there = f"no column '{column}' with listed values; there are {listed(list(names))}"
            raise BadPlan(f"{language.name}: {there}.{suggestion(str(column), list(names))}")
    positions = tuple(list(names).index(column) for column in language.columns)
    return Spoken(language, tuple(sizes[p] for p in positions), positions)

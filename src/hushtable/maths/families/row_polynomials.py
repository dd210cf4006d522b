"""Row polynomials: a family on the columns of a domain, tried on public rows, as a table of all cells or compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan
from .family import Family
from .row_code import compiled_alone, refuse_unset

__all__ = ["RowPolynomials", "bound"]

Integers = NDArray[np.int64]
# Cells, and numbers in the table of all cells, up to which a family is evaluated once on each.
MOST_CELLS, MOST_NUMBERS = 1 << 16, 1 << 24
# Public rows that a compiled family is tried on, and the largest number of (row, query) pairs that gamma is tried on.
TRIED, MOST_PAIRS = 64, 1 << 18
# What rounding may make of a gamma.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class RowPolynomials:
    """A family where its columns have so many values each, at these places among all columns with codes."""

    family: Family
    sizes: tuple[int, ...]
    positions: tuple[int, ...]
    most_cells: int = MOST_CELLS
    """Up to so many it is evaluated on each of them."""

    @property
    def cells(self) -> int:
        """How many different rows there are."""
        return prod(self.sizes)

    @property
    def listed(self) -> bool:
        """Whether all rows are evaluated once, before any is read."""
        return self.cells <= self.most_cells and self.cells * len(self.family.terms) <= MOST_NUMBERS

    @cached_property
    def table(self) -> Integers:
        """The coefficients of every possible row, in C order; what was asked for, before any bound is enforced."""
        cells = np.stack(np.unravel_index(np.arange(self.cells), self.sizes), axis=1)
        return np.stack([self._asked(self.family.coefficients, row) for row in cells.astype(np.int64)])

    @cached_property
    def compiled(self) -> Callable[[Integers], Any]:
        """The function as machine code that keeps nothing from one row to the next, and reads nothing beyond one."""
        import numba

        row = numba.types.Array(numba.types.int64, 1, "C")
        try:
            function = compiled_alone(self.family.name, self.family.coefficients, (row,))
        except TypeError as error:
            raise BadPlan(
                f"{self.family.name}: its columns have {self.cells:,} cells, more than are tried one by one, and its "
                f"coefficients do not compile: name fewer columns, or use whole numbers and arrays alone ({error})"
            ) from None
        (returned,) = {overload.signature.return_type for overload in function.overloads.values()}
        if not isinstance(returned, numba.types.Array) or not isinstance(returned.dtype, numba.types.Integer):
            raise BadPlan(f"{self.family.name}: coefficients must return an array of whole numbers, not {returned}")
        return function  # type: ignore[no-any-return]

    def check(self) -> None:
        """BadPlan unless the family is what it says, on public rows: every cell, or some drawn at random."""
        refuse_unset(self.family.name, self.family.coefficients)
        rows = self._public_rows()
        if self.listed:
            coefficients = self.table
        else:
            coefficients = np.stack([self._asked(self.compiled, row) for row in rows])
            again = [self._asked(self.compiled, row) for row in rows[::-1]][::-1]
            plain = [self._asked(self.family.coefficients, row) for row in rows]
            if not (np.array_equal(coefficients, again) and np.array_equal(coefficients, plain)):
                raise BadPlan(
                    f"{self.family.name}: the coefficients of a row change with the rows before it, or with chance; "
                    "they must depend on that row alone"
                )
        self._check_norms(coefficients)
        self._check_gamma(rows, coefficients)

    def _public_rows(self) -> Integers:
        if self.listed:
            return np.stack(np.unravel_index(np.arange(self.cells), self.sizes), axis=1).astype(np.int64)
        drawn = np.random.default_rng(0).integers(0, self.sizes, (TRIED, len(self.sizes)))
        return np.concatenate([np.zeros((1, len(self.sizes)), np.int64), [np.array(self.sizes) - 1], drawn])

    def _asked(self, function: Callable[[Integers], Any], row: Integers) -> Integers:
        """What a function says of one row, a copy of it; BadPlan unless that is as many whole numbers as terms."""
        name, terms = self.family.name, len(self.family.terms)
        try:
            given = np.asarray(function(row.copy()))
        except Exception as error:
            raise BadPlan(f"{name}: the row {row.tolist()} ends in {type(error).__name__}: {error}") from None
        if given.shape != (terms,):
            raise BadPlan(f"{name}: a row has {terms} coefficients, one a term, and not shape {given.shape}")
        if given.dtype.kind not in "iub":
            raise BadPlan(
                f"{name}: coefficients must be whole numbers, not {given.dtype}; round them to a unit and say the unit"
            )
        return given.astype(np.int64)

    def _true(self, row: Integers, query: NDArray[np.bool_]) -> float:
        """What a row really says to a query, by the family's own word; BadPlan where that fails."""
        assert self.family.truth is not None
        try:
            return float(self.family.truth(row.copy(), query.astype(np.int64)))
        except Exception as error:
            raise BadPlan(
                f"{self.family.name}: truth ends in {type(error).__name__} for the row {row.tolist()}: {error}"
            ) from None

    def _check_norms(self, coefficients: Integers) -> None:
        family, (low, high) = self.family, self.family.range
        seen = int(coefficients.min()), int(coefficients.max())
        if seen[0] < low or seen[1] > high:
            raise BadPlan(f"{family.name}: coefficients from {seen[0]} to {seen[1]} are seen, beyond {low} to {high}")
        longest = int(np.abs(coefficients).sum(axis=1).max())
        if longest > family.l1:
            raise BadPlan(f"{family.name}: a row has coefficients that add up to {longest}, more than l1={family.l1}")
        squares = int((coefficients**2).sum(axis=1).max())
        if squares > family.squared:
            raise BadPlan(
                f"{family.name}: a row's coefficients are {squares**0.5:.6g} long, more than l2={family.l2:g}"
            )

    def _check_gamma(self, rows: Integers, coefficients: Integers) -> None:
        """Tried by brute force where there are few queries, else on some drawn at random."""
        family = self.family
        if family.truth is None:
            return
        units = np.array(family.units)[family.terms.sizes]
        queries = list(_queries(len(family.variables), family.most, MOST_PAIRS // len(rows)))
        for query in queries:
            value = (coefficients * units) @ family.terms.at(query, signs=family.signs)
            exact = np.array([self._true(row, query) for row in rows])
            off, allowed = float(np.abs(value - exact).max()), family.gammas[int(query.sum())]
            if not off <= allowed + ROUNDING:
                ones = [name for name, one in zip(family.variables, query, strict=True) if one]
                raise BadPlan(
                    f"{family.name}: the query {ones} is off by {off:.6g} for some row, more than gamma={allowed:g}"
                )


def _queries(variables: int, most: int, count: int) -> Iterator[NDArray[np.bool_]]:
    """All queries with at most `most` ones if there are not more than `count`, else so many at random."""
    if variables < 40 and 2**variables <= count:
        for number in range(2**variables):
            if number.bit_count() <= most:
                yield np.array([number >> i & 1 for i in range(variables)], dtype=bool)
        return
    source = np.random.default_rng(0)
    for _ in range(max(count, 16)):
        query = np.zeros(variables, dtype=bool)
        query[source.choice(variables, int(source.integers(0, most + 1)), replace=False)] = True
        yield query


def bound(family: Family, names: Sequence[str], sizes: Sequence[int]) -> RowPolynomials:
    """A family on a domain whose columns with codes have these names and sizes; BadPlan where one is not there."""
    from ...words import listed, suggestion

    for column in family.columns:
        if column not in names:
            there = f"no column '{column}' with listed values; there are {listed(list(names))}"
            raise BadPlan(f"{family.name}: {there}.{suggestion(str(column), list(names))}")
    positions = tuple(names.index(column) for column in family.columns)
    return RowPolynomials(family, tuple(sizes[p] for p in positions), positions)

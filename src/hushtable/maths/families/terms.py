"""Query terms: the products of query variables that a family's polynomials are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..interactions.layout import InteractionLayout

__all__ = ["QueryTerms"]


@dataclass(frozen=True, eq=False)
class QueryTerms:
    """Sets of variables, a term each; every set of at most `degree` variables unless they are listed.

    Exponents above 1 say nothing, because a query's variables are 0 or 1.
    """

    variables: int
    degree: int
    listed: tuple[tuple[int, ...], ...] | None = None
    """Ascending members of each set, in the order of the coefficients; None: by size, then by largest member first."""
    constant: bool = True
    """Whether the empty set is a term, where all sets are."""

    @staticmethod
    def count(variables: int, degree: int) -> int:
        """How many sets of at most `degree` variables there are, the empty one among them."""
        return InteractionLayout.count([2] * variables, degree)

    @classmethod
    def read(cls, variables: int, degree: int, members: NDArray[np.int64]) -> QueryTerms:
        """Listed sets from rows of members that are filled up with the number of variables."""
        return cls(variables, degree, tuple(tuple(int(v) for v in row if v < variables) for row in members))

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def members(self) -> NDArray[np.int16]:
        """A row a set, filled up with the number of variables."""
        out = [np.full((0, self.degree), self.variables, dtype=np.int16)]
        for rows in self._by_size():
            filled = np.full((len(rows), self.degree), self.variables, dtype=np.int16)
            filled[:, : rows.shape[1]] = rows
            out.append(filled)
        return np.concatenate(out)

    def _by_size(self) -> Iterable[NDArray[np.int32]]:
        """Blocks of sets of one size."""
        if self.listed is None:
            sets = InteractionLayout((2,) * self.variables, self.degree).sets
            return sets if self.constant else sets[1:]
        return (np.array([members], dtype=np.int32).reshape(1, len(members)) for members in self.listed)

    @cached_property
    def sizes(self) -> NDArray[np.int8]:
        """How many variables each term has."""
        return np.asarray((self.members < self.variables).sum(axis=1), dtype=np.int8)

    def at(self, query: NDArray[np.bool_], *, signs: bool) -> NDArray[np.int8]:
        """The value of every term: the product of its variables, or of -1 for every variable that is 1."""
        if signs:
            turned = np.append(query, False)[self.members].sum(axis=1, dtype=np.int8)
            return np.asarray(1 - 2 * (turned & 1), dtype=np.int8)
        return np.asarray(np.append(query, True)[self.members].all(axis=1), dtype=np.int8)

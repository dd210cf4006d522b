"""Weight matrix: queries given by their weight on every cell of the whole domain, from a file or from Python."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadPath, BadPlan
from ...maths.linear import ListedQueries

__all__ = ["WeightMatrix"]

# Weights between 0 and 1 are rounded to multiples of 1 / GRID, because noise is added to integers.
GRID = 1024
MOST_CELLS, MOST_WEIGHTS = 1 << 20, 1 << 26


@dataclass(frozen=True, eq=False)
class WeightMatrix:
    """Whole numbers from 0 to `grid`, one row a query, one column a combination of codes in C order."""

    weights: NDArray[np.uint16]
    grid: int

    @classmethod
    def of(cls, matrix: Any) -> WeightMatrix:
        """From numbers in [0, 1]: exact where all are 0 or 1, else rounded to multiples of 1/1024."""
        try:
            given = np.asarray(matrix)
        except ValueError:
            raise BadPlan("the rows of the matrix have different lengths; give every query one weight a cell") from None
        _check(given)
        for number, row in enumerate(given, 1):
            wrong = row[~((row >= 0) & (row <= 1))]  # true also of what is not a number
            if len(wrong):
                raise BadPlan(f"row {number} of the matrix has the weight {wrong[0]:.6g}; weights lie from 0 to 1")
        grid = 1 if all(((row == 0) | (row == 1)).all() for row in given) else GRID
        weights = np.empty(given.shape, dtype=np.uint16)
        for number, row in enumerate(given):
            weights[number] = np.rint(row.astype(np.float64) * grid)
        weights.setflags(write=False)
        return cls(weights, grid)

    @classmethod
    def read(cls, path: str) -> WeightMatrix:
        """From a .npy file: its header is checked before its numbers are read, and nothing is unpickled."""
        try:
            mapped = np.lib.format.open_memmap(path, mode="r")
        except FileNotFoundError:
            raise BadPath(f"no file {path}; give the path of a matrix saved with numpy.save") from None
        except OSError as error:
            raise BadPath(f"cannot read {path}: {error.strerror or 'it is not a file'}") from None
        except (ValueError, EOFError, OverflowError):
            raise BadPath(f"{path} is not a .npy file of numbers; write it with numpy.save") from None
        return cls.of(mapped)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the shape, the grid and the weights."""
        digest = hashlib.sha256(f"{self.weights.shape} {self.grid} ".encode())
        digest.update(self.weights.astype("<u2").tobytes())
        return digest.hexdigest()

    def __str__(self) -> str:
        return f"matrix=[{self.weights.shape[0]}, {self.weights.shape[1]}]"

    def linear_class(self, domain: Domain) -> ListedQueries:
        """The queries, over all attributes with codes."""
        cells, have = prod(domain.sizes), self.weights.shape[1]
        if not domain.closed:
            raise BadPlan("the domain has no attribute with listed values; a matrix of weights needs at least one")
        if cells > MOST_CELLS:
            raise BadPlan(
                f"the domain has {cells:,} cells and a matrix at most {MOST_CELLS:,}; list conditions instead"
            )
        if have != cells:
            raise BadPlan(f"the matrix has {have:,} columns and the domain {cells:,} cells; give one weight a cell")
        self._check_rows()
        everything = tuple(range(len(domain.closed)))
        return ListedQueries.of(domain.sizes, ((everything, row) for row in self.weights), grid=self.grid)

    def _check_rows(self) -> None:
        """Every query differs between rows of the table, and from the other queries."""
        seen: dict[bytes, int] = {}
        for number, row in enumerate(self.weights, 1):
            if row.min() == row.max():
                raise BadPlan(f"row {number} of the matrix is the same for every cell (after rounding); leave it out")
            before = seen.setdefault(hashlib.sha256(row.tobytes()).digest(), number)
            if before != number:
                raise BadPlan(f"rows {before} and {number} of the matrix are the same (after rounding); list each once")


def _check(matrix: NDArray[Any]) -> None:
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise BadPlan(f"a matrix of weights is two-dimensional, of numbers; given: {matrix.ndim} of {matrix.dtype}")
    if not 1 <= matrix.size <= MOST_WEIGHTS:
        raise BadPlan(f"the matrix of shape {matrix.shape} has {matrix.size:,} weights; 1 to {MOST_WEIGHTS:,} fit")

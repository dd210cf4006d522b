"""Query matrix: the linear queries of a workload as what a row of each kind counts in them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadPlan
from ...maths.linear import LinearClass
from ...questions.workloads.base import Workload
from ...questions.workloads.linear_workload import linear_class_of

__all__ = ["MOST_KINDS", "QueryMatrix", "query_matrix"]

# Kinds of rows, and numbers in the whole matrix: a matrix beyond is not written down.
MOST_KINDS, MOST_NUMBERS = 5_000, 4_000_000


@dataclass(frozen=True, eq=False)
class QueryMatrix:
    """One line a query, one column a combination of the codes of `columns`, in C order; whole numbers."""

    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    weights: NDArray[np.int64]
    grid: int
    """What a weight of 1 stands for: answers are sums of weights over it."""


def query_matrix(workload: Workload, domain: Domain) -> QueryMatrix:
    """The matrix of a workload; BadPlan where it is no list of linear queries, or too large to write down."""
    given = linear_class_of(workload, domain)
    columns = tuple(sorted({j for members in given.sets for j in members}))
    sizes = tuple(domain.sizes[j] for j in columns)
    kinds, lines = prod(sizes), int(given.starts[-1])
    if kinds > MOST_KINDS or kinds * lines > MOST_NUMBERS:
        raise BadPlan(
            f"{workload} counts rows of {kinds:,} kinds in {lines:,} queries; at most {MOST_KINDS:,} kinds and "
            f"{MOST_NUMBERS:,} numbers can be looked at together"
        )
    weights = np.empty((lines, kinds), dtype=np.int64)
    for candidate in range(len(given)):
        weights[given.place(candidate)] = _spread(given, candidate, columns, sizes)
    return QueryMatrix(columns, sizes, weights, given.grid)


def _spread(given: LinearClass, candidate: int, columns: tuple[int, ...], sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """A candidate's functions, of all columns."""
    members = given.sets[given.set_of(candidate)]
    functions = given.functions(candidate)
    shape = [size if column in members else 1 for column, size in zip(columns, sizes, strict=True)]
    spread = np.broadcast_to(functions.reshape(len(functions), *shape), (len(functions), *sizes))
    return np.asarray(spread.reshape(len(functions), -1))

"""The catalogue of statistics: how each is built on a small domain, which all tests of statistics read.

A new statistic is added here once: contract tests compare its sensitivity with all pairs of rows, and the audit attacks
it. tests/contract/test_catalogue.py says what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from ..domain import Domain
from ..domain.attributes import Binned, Open
from ..domain.decision_list import DecisionList
from ..maths.families.family import Family
from ..maths.families.row_polynomials import RowPolynomials
from ..maths.interactions.layout import InteractionLayout
from ..maths.keys.projection import Projection, key_length
from ..maths.keys.siphash import KEY_BYTES
from ..maths.keys.sketches import Sketch
from ..maths.linear import Boxes, ListedQueries
from ..maths.ranges.habits import round_classes
from ..maths.smooth.axes import Axis, Block
from ..maths.smooth.chebyshev import WEIGHT_UNIT, decaying
from ..maths.smooth.expressions import parse_expression
from ..maths.trees.question_tree import QuestionTree
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..maths.weighted_rows.rare_design import RareColumns
from ..maths.wide.prefix_polynomials import prefix_polynomials
from ..maths.wide.shape import Symmetric
from ..maths.wide.single_polynomials import single_polynomials
from ..questions.workloads.cuts import GraphCuts
from ..vault import statistics
from ..vault.statistics import Statistic
from ..vault.statistics.bounded_tables import BoundedTables
from ..vault.statistics.cell_vectors import CellVectors
from ..vault.statistics.chebyshev import ChebyshevSums
from ..vault.statistics.decided_counts import DecidedCounts
from ..vault.statistics.decision_lists import DecisionListSums
from ..vault.statistics.edge_degrees import EdgeDegrees
from ..vault.statistics.edge_pairs import VertexPairs
from ..vault.statistics.functions import FunctionSums
from ..vault.statistics.hash_sums import HashSums
from ..vault.statistics.leaf_means import LeafMeans
from ..vault.statistics.list_count import ListCount
from ..vault.statistics.list_monomials import ListMonomialSums
from ..vault.statistics.list_sums import ListSums
from ..vault.statistics.long_lists import LongListSums
from ..vault.statistics.number_cells import NumberCells
from ..vault.statistics.polynomials import PolynomialSums
from ..vault.statistics.projected_sums import ProjectedSums
from ..vault.statistics.row_count import RowCount
from ..vault.statistics.sparse_chebyshev import SparseChebyshevSums
from ..vault.statistics.splines import SplineSums
from ..vault.statistics.split_sums import SplitSums
from ..vault.statistics.wide_counts import WideCounts
from .made_up_tables import NAMES
from .shapes import BINARY, EDGES, FINE, MIXED, OPEN, RANGES, REAL, RULES, Attributes

__all__ = ["STATISTICS", "StatisticSpecimen", "key_of"]

Builder = Callable[[Domain], Sequence[Statistic]]


@dataclass(frozen=True, kw_only=True)
class StatisticSpecimen:
    """One statistic, built on a small domain in one or several ways."""

    attributes: Attributes
    build: Builder
    exact: tuple[int, ...] = (1, 2)
    """The powers for which its sensitivity is that of the worst pair of rows of this domain and not only a bound.

    Where rows are added or removed it is that of the worst row for both powers, unless this is empty.
    """


def _sets(domain: Domain) -> list[tuple[int, ...]]:
    return [(0,), (1, 2), (0, 2), (0, 1, 2)]


def _grouped(domain: Domain) -> list[GroupedSet]:
    """Pairs, with every code alone or in two groups."""
    sets = []
    for i, pair in enumerate(combinations(range(len(domain.sizes)), 2)):
        maps = [np.minimum(np.arange(domain.sizes[j]), 1 if (i + j) % 2 else domain.sizes[j]) for j in pair]
        sets.append(GroupedSet(pair, tuple(maps)))
    return sets


def _linear(domain: Domain) -> list[Statistic]:
    weights = [
        np.array([1 + (5 * i) % 9 for i in range(int(np.prod([domain.sizes[j] for j in s])))]) for s in _sets(domain)
    ]
    listed = ListedQueries.of(domain.sizes, zip(_sets(domain), weights, strict=True), grid=9)
    bins = {j: size - (j == 0) for j, size in enumerate(domain.sizes)}
    boxes = Boxes(domain.sizes, [(0,), (1, 2)], bins=bins)
    return [statistics.LinearQueries(listed, threads=1), statistics.LinearQueries(boxes, threads=1)]


def _cell_vectors(domain: Domain) -> list[Statistic]:
    """Two levels of whole vectors on two columns, of which one has negative numbers."""
    cells = domain.sizes[0] * domain.sizes[2]
    first = np.array([[(3 * i + j) % 4 for j in range(cells)] for i in range(2)])
    return [CellVectors(domain.sizes, (0, 2), [first, np.array([[2 - (5 * j) % 7 for j in range(cells)]])])]


def _question(domain: Domain) -> list[Statistic]:
    cells = domain.sizes[0] * domain.sizes[1]
    return [statistics.OneQuestion(domain.sizes, (0, 1), np.arange(cells) % 3 == 0)]


def _wide_counts(domain: Domain) -> list[Statistic]:
    """Any, at least two and all of three conditions: no row fulfils any of them, or one fulfils all."""
    masks = tuple(tuple(code >= size / 2 for code in range(size)) for size in domain.sizes)
    values = [tuple(float(ones >= least) for ones in range(4)) for least in (1, 2, 3)]
    questions = [Symmetric((0, 1, 2), masks, truth) for truth in values]
    return [WideCounts(domain.sizes, [questions]), WideCounts(domain.sizes, [questions[:1], questions[1:2]])]


def _thresholds(row: Any) -> Any:
    """For "the code of y's columns is at least 1": a constant, a term each and one of both."""
    low, high = min(row[0], 1), min(row[1], 1)
    return np.array([1 - low, 3 * low, -2 * high, low * high + row[0]])


def _polynomials(domain: Domain) -> list[Statistic]:
    """One family, evaluated on all cells, compiled, and with bounds that its rows exceed: they must be cut to them."""
    names, terms = [a.name for a in domain.closed][:2], ((), ("a",), ("b",), ("a", "b"))
    said: dict[str, Any] = {
        "name": "f",
        "columns": names,
        "variables": ("a", "b"),
        "coefficients": _thresholds,
        "degree": 2,
    }
    wide, tight = Family(exponents=terms, l1=9, l2=6, **said), Family(exponents=terms, l1=4, l2=3, **said)
    return [
        PolynomialSums(RowPolynomials(family, domain.sizes[:2], (0, 1), most_cells=most))
        for family, most in ((wide, 100), (tight, 100), (tight, 0))
    ]


def _list_count(domain: Domain) -> list[Statistic]:
    texts = [key_of(name) for name in NAMES[:3]]
    return [ListCount([_open(domain)], dict(zip(texts, (7, 3, 1), strict=True)))]


def _open(domain: Domain) -> Open:
    (attribute,) = domain.attributes
    assert isinstance(attribute, Open)
    return attribute


def key_of(text: str) -> bytes:
    """The key of a value of a single column."""
    import pyarrow as pa

    from ..maths.keys.keys import join_keys, key_texts

    return bytes(join_keys([key_texts(pa.array([text]))])[0].as_py())


def _hash_sums(domain: Domain) -> list[Statistic]:
    return [HashSums([_open(domain)], Sketch(bytes(range(KEY_BYTES)), 8, signed)) for signed in (True, False)]


def _projected_sums(domain: Domain) -> list[Statistic]:
    return [ProjectedSums([_open(domain)], Projection(bytes(range(1, 1 + key_length(4))), height)) for height in (1, 9)]


def _list_sums(domain: Domain) -> list[Statistic]:
    keys = [key_of(name) for name in NAMES]
    return [ListSums([_open(domain)], [keys[:2], keys[1:4], keys[:1]])]


def _row_count(domain: Domain) -> list[Statistic]:
    return [RowCount()]


def _decision_lists(domain: Domain) -> list[Statistic]:
    (attribute,) = domain.attributes
    assert isinstance(attribute, DecisionList)
    return [DecisionListSums(attribute, order) for order in (1, 2)]


def _list_monomials(domain: Domain) -> list[Statistic]:
    (attribute,) = domain.attributes
    assert isinstance(attribute, DecisionList)
    return [ListMonomialSums(attribute, order) for order in (1, 2)]


def _long_lists(domain: Domain) -> list[Statistic]:
    (attribute,) = domain.attributes
    assert isinstance(attribute, DecisionList)
    made = (prefix_polynomials, single_polynomials)
    return [LongListSums(attribute, make(attribute.most_rules, order)) for make in made for order in (1, 2)]


def _decided_counts(domain: Domain) -> list[Statistic]:
    (attribute,) = domain.attributes
    assert isinstance(attribute, DecisionList)
    inputs = np.arange(len(attribute.inputs))
    return [DecidedCounts(attribute, np.array([inputs >= 0, inputs == 1, inputs < 0]))]


def _block() -> Block:
    return Block((Axis("age", 18, 98, optional=True), Axis("bmi", 14, 54, optional=True)), ())


def _splines(domain: Domain) -> list[Statistic]:
    return [SplineSums([_block()], size=[4], unit=2**20)]


def _chebyshev(domain: Domain) -> list[Statistic]:
    neighbours = domain.unit.open_relation
    weights = np.rint(decaying(4, 2, 2.0) * WEIGHT_UNIT).astype(np.int64)  # the last is that of missing values
    usual = ChebyshevSums([_block()], weights=[weights], bits=10, neighbours=neighbours)
    # Equal weights have a bound without any room, and of one bit rounding leaves little.
    age, even = Block((Axis("age", 18, 98),)), np.full(5, WEIGHT_UNIT, dtype=np.int64)
    return [usual, ChebyshevSums([age], weights=[even], bits=1, neighbours=neighbours)]


def _sparse_chebyshev(domain: Domain) -> list[Statistic]:
    neighbours = domain.unit.neighbours
    sums = SparseChebyshevSums([_block()], levels=[2], decay=0.0, bits=10, neighbours=neighbours)
    full = Block((Axis("age", 18, 98), Axis("bmi", 14, 54)))
    return [sums, SparseChebyshevSums([full], levels=[3], decay=0.5, bits=12, neighbours=neighbours)]


def _functions(domain: Domain) -> list[Statistic]:
    # The last one states a range that its values leave: they must be cut to it.
    texts, ranges = ("exp(-age/50)", "age*bmi", "bmi"), ((0.1, 0.7), (252.0, 5292.0), (24.0, 34.0))
    return [FunctionSums(_block(), [parse_expression(t, ["age", "bmi"]) for t in texts], ranges, 2**20)]


def _split(domain: Domain) -> list[Statistic]:
    return [SplitSums(domain, [("age", None), ("bmi", None), ("age", "bmi")], unit=2**10)]


def _number_cells(domain: Domain) -> list[Statistic]:
    numbers = [a for a in domain.attributes if isinstance(a, Binned)]
    return [NumberCells(numbers), NumberCells(numbers, [a for a in numbers if round_classes(a)])]


def _bounded_tables(domain: Domain) -> list[Statistic]:
    texts, ranges = ("age", "bmi", "age"), ((18.0, 98.0), (14.0, 54.0), (30.0, 50.0))
    functions = [parse_expression(t, ["age", "bmi"]) for t in texts]
    return [BoundedTables(_block(), functions, ranges, 2**20, [[1], [0, 2]])]


def _leaf_means(domain: Domain) -> list[Statistic]:
    """One leaf, and a tree of three, for both codes, by widths and by a chance; values between units are rounded."""
    nodes = [np.array([[-1, 0, 0]]), np.array([[1, 1, 2], [-1, 0, 0], [0, 3, 4], [-1, 0, 0], [-1, 0, 0]])]
    return [
        LeafMeans(QuestionTree(own, 3), (1, 2), side=side, unit=100, chance=chance)
        for own in nodes for side in (0, 1) for chance in (None, Fraction(1, 3))
    ]  # fmt: skip


def _rare(domain: Domain) -> RareColumns:
    """The first column even, the others rare, with different usual values."""
    others = tuple(range(1, len(domain.sizes)))
    return RareColumns((0,), others, tuple(j % 2 for j in others))


STATISTICS: dict[str, StatisticSpecimen] = {
    "histogram": StatisticSpecimen(attributes=BINARY, build=lambda d: [statistics.Histogram(d.sizes)]),
    "parities": StatisticSpecimen(
        attributes=BINARY,
        build=lambda d: [
            statistics.Parities(InteractionLayout(d.sizes, 2, basis)) for basis in ("contrast", "monomial")
        ],
    ),
    "polynomials": StatisticSpecimen(attributes=MIXED, build=_polynomials, exact=()),
    "rare-lengths": StatisticSpecimen(attributes=BINARY, build=lambda d: [statistics.RareLengths(_rare(d))]),
    "rare-sums": StatisticSpecimen(
        attributes=BINARY, build=lambda d: [statistics.RareSums(_rare(d), [4, 4, 3], [4, 4, 2])]
    ),
    "residuals": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.Residuals(InteractionLayout(d.sizes, 2))], exact=(2,)
    ),
    "tables": StatisticSpecimen(attributes=MIXED, build=lambda d: [statistics.Tables(InteractionLayout(d.sizes, 2))]),
    "chosen-tables": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.ChosenTables(d.sizes, _sets(d), threads=1)]
    ),
    "grouped-tables": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.GroupedTables(d.sizes, _grouped(d), [0, 1, 1])]
    ),
    "summed-tables": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.SummedTables(d.sizes, _grouped(d), [0, 1, 1], times=3)]
    ),
    "grouped-interactions": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.GroupedInteractions(d.sizes, _grouped(d), [0, 1, 1])], exact=(2,)
    ),
    "one-way-tables": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.OneWayTables(d.sizes, [[1], [0, 2]])]
    ),
    "cell-vectors": StatisticSpecimen(attributes=MIXED, build=_cell_vectors),
    "linear-queries": StatisticSpecimen(attributes=MIXED, build=_linear),
    "one-question": StatisticSpecimen(attributes=MIXED, build=_question),
    "wide-counts": StatisticSpecimen(attributes=MIXED, build=_wide_counts),
    "part": StatisticSpecimen(
        attributes=MIXED, build=lambda d: [statistics.Tables(InteractionLayout(d.sizes, 2), threads=1).part(1)]
    ),
    "list-count": StatisticSpecimen(attributes=OPEN, build=_list_count),
    "list-sums": StatisticSpecimen(attributes=OPEN, build=_list_sums),
    "hash-sums": StatisticSpecimen(attributes=OPEN, build=_hash_sums),
    "projected-sums": StatisticSpecimen(attributes=OPEN, build=_projected_sums, exact=()),
    "row-count": StatisticSpecimen(attributes=MIXED, build=_row_count),
    "decision-lists": StatisticSpecimen(attributes=RULES, build=_decision_lists),
    "list-monomials": StatisticSpecimen(attributes=RULES, build=_list_monomials),
    "long-lists": StatisticSpecimen(attributes=RULES, build=_long_lists),
    "edge-degrees": StatisticSpecimen(attributes=EDGES, build=lambda d: [EdgeDegrees(GraphCuts().ends(d))]),
    "edge-pairs": StatisticSpecimen(attributes=EDGES, build=lambda d: [VertexPairs(GraphCuts().ends(d))]),
    "leaf-means": StatisticSpecimen(attributes=BINARY, build=_leaf_means),
    "decided-counts": StatisticSpecimen(attributes=RULES, build=_decided_counts),
    "splines": StatisticSpecimen(attributes=REAL, build=_splines),
    "chebyshev": StatisticSpecimen(attributes=FINE, build=_chebyshev, exact=()),
    "sparse-chebyshev": StatisticSpecimen(attributes=FINE, build=_sparse_chebyshev, exact=()),
    "bounded-tables": StatisticSpecimen(attributes=REAL, build=_bounded_tables, exact=()),
    "functions": StatisticSpecimen(attributes=REAL, build=_functions, exact=()),
    "split-sums": StatisticSpecimen(attributes=REAL, build=_split),
    "number-cells": StatisticSpecimen(attributes=RANGES, build=_number_cells),
}

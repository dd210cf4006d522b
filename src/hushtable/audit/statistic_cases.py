"""Cases of statistics: every statistic there is, each with uneven noise, under both relations and both laws."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np

from ..domain import Domain
from ..domain.attributes import Open
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..maths.keys.siphash import KEY_BYTES
from ..maths.keys.sketches import Sketch
from ..maths.linear import Boxes, ListedQueries
from ..maths.smooth.axes import Axis, Block
from ..maths.smooth.chebyshev import WEIGHT_UNIT, decaying
from ..maths.smooth.expressions import parse_expression
from ..maths.weighted_rows.grouped_sets import GroupedSet
from ..maths.weighted_rows.rare_design import RareColumns
from ..vault import statistics
from ..vault.door.door import Noise
from ..vault.statistics import Statistic
from .shapes import BINARY, FINE, LISTS, MIXED, OPEN, REAL, RELATIONS, persons, shape
from .steps import MeasureCase
from .tables import NAMES

__all__ = ["BUILDERS", "every_statistic", "key_of", "noise_for", "statistic_cases"]

Builder = Callable[[Domain], Sequence[Statistic]]
LAWS = (Law.LAPLACE, Law.GAUSSIAN)
# What the noise of a group is multiplied by, so that a mix-up of groups shows.
UNEVEN = (Fraction(1), Fraction(3, 2), Fraction(5, 2))
# Never measured: it only holds the counts that lists are summed from.
NEVER_MEASURED = frozenset({"key-totals"})


def every_statistic() -> dict[str, type[Statistic]]:
    """All statistics in the vault, by name."""
    for module in pkgutil.iter_modules(statistics.__path__):
        import_module(f"{statistics.__name__}.{module.name}")
    found: dict[str, type[Statistic]] = {}
    waiting = Statistic.__subclasses__()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith(statistics.__name__) and not inspect.isabstract(kind):
            found[kind.name] = kind
    return {name: found[name] for name in sorted(found) if name not in NEVER_MEASURED}


def statistic_cases(name: str) -> Iterator[MeasureCase]:
    """The cases of one statistic; also with two rows a person where that is quick."""
    attributes, build = BUILDERS[name]
    for relation in RELATIONS:
        for rows in (1, 2) if attributes is BINARY else (1,):
            domain = shape(attributes, relation, rows=rows)
            for number, statistic in enumerate(build(domain)):
                label = f"{name}{f' {number + 1}' if number else ''}, {relation}{persons(rows)}"
                for law in LAWS:
                    noise = noise_for(statistic, law, domain)
                    if noise is not None:
                        yield MeasureCase(f"{label}, {law}", domain, statistic, noise)


def noise_for(statistic: Statistic, law: Law, domain: Domain) -> Noise | None:
    """About epsilon 1 or rho 1/2; None where no row changes anything."""
    power, unit = (1 if law == Law.LAPLACE else 2), domain.unit
    alone = [
        statistic.sensitivity(
            power=power, weights=[Fraction(int(g == h)) for h in range(statistic.groups)], neighbours=unit.neighbours
        )
        for g in range(statistic.groups)
    ]
    if not any(alone):
        return None
    uneven = [UNEVEN[g % len(UNEVEN)] if alone[g] else Fraction(0) for g in range(statistic.groups)]
    weights = [1 / u if u else Fraction(0) for u in uneven]
    whole = statistic.sensitivity(power=power, weights=weights, neighbours=unit.neighbours) * Fraction(unit.rows**power)
    return Noise(law=law, per_group=tuple(u * whole for u in uneven))


def _sets(domain: Domain) -> list[tuple[int, ...]]:
    return [(0,), (1, 2), (0, 2), (0, 1, 2)]


def _grouped(domain: Domain) -> list[GroupedSet]:
    """Pairs, with every code alone or in two groups."""
    found = []
    for i, pair in enumerate(combinations(range(len(domain.sizes)), 2)):
        maps = [np.minimum(np.arange(domain.sizes[j]), 1 if (i + j) % 2 else domain.sizes[j]) for j in pair]
        found.append(GroupedSet(pair, tuple(maps)))
    return found


def _linear(domain: Domain) -> list[Statistic]:
    weights = [
        np.array([1 + (5 * i) % 9 for i in range(int(np.prod([domain.sizes[j] for j in s])))]) for s in _sets(domain)
    ]
    listed = ListedQueries.of(domain.sizes, zip(_sets(domain), weights, strict=True), grid=9)
    bins = {j: size - (j == 0) for j, size in enumerate(domain.sizes)}
    boxes = Boxes(domain.sizes, [(0,), (1, 2)], bins=bins)
    return [statistics.LinearQueries(listed, threads=1), statistics.LinearQueries(boxes, threads=1)]


def _question(domain: Domain) -> list[Statistic]:
    cells = domain.sizes[0] * domain.sizes[1]
    return [statistics.OneQuestion(domain.sizes, (0, 1), np.arange(cells) % 3 == 0)]


def _list_count(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.list_count import KeyTotals, ListCount

    texts = [key_of(name) for name in NAMES[:3]]
    return [ListCount(KeyTotals([_open(domain)], bytes(2 * KEY_BYTES)), dict(zip(texts, (7, 3, 1), strict=True)))]


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
    from ..vault.statistics.hash_sums import HashSums

    return [HashSums([_open(domain)], Sketch(bytes(range(KEY_BYTES)), 8, signed)) for signed in (True, False)]


def _list_sums(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.list_sums import ListSums

    keys = [key_of(name) for name in NAMES]
    return [ListSums([_open(domain)], [keys[:2], keys[1:4], keys[:1]])]


def _row_count(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.row_count import RowCount

    return [RowCount()]


def _decision_lists(domain: Domain) -> list[Statistic]:
    from ..domain.decision_list import DecisionList
    from ..vault.statistics.decision_lists import DecisionListSums

    (attribute,) = domain.attributes
    assert isinstance(attribute, DecisionList)
    return [DecisionListSums(attribute, order) for order in (1, 2)]


def _block() -> Block:
    return Block((Axis("age", 18, 98, optional=True), Axis("bmi", 14, 54, optional=True)), ())


def _splines(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.splines import SplineSums

    return [SplineSums([_block()], size=[4], unit=2**20)]


def _chebyshev(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.chebyshev import ChebyshevSums

    neighbours = domain.unit.neighbours
    weights = np.rint(decaying(4, 2, 2.0) * WEIGHT_UNIT).astype(np.int64)  # the last is that of missing values
    usual = ChebyshevSums([_block()], weights=[weights], bits=10, neighbours=neighbours)
    # Equal weights have a bound without any room, and of one bit rounding leaves little.
    age, even = Block((Axis("age", 18, 98),)), np.full(5, WEIGHT_UNIT, dtype=np.int64)
    return [usual, ChebyshevSums([age], weights=[even], bits=1, neighbours=neighbours)]


def _functions(domain: Domain) -> list[Statistic]:
    from ..vault.statistics.functions import FunctionSums

    # The last one states a range that its values leave: they must be cut to it.
    texts, ranges = ("exp(-age/50)", "age*bmi", "bmi"), ((0.1, 0.7), (252.0, 5292.0), (24.0, 34.0))
    return [FunctionSums(_block(), [parse_expression(t, ["age", "bmi"]) for t in texts], ranges, 2**20)]


def _rare(domain: Domain) -> RareColumns:
    """The first column even, the others rare, with different usual values."""
    others = tuple(range(1, len(domain.sizes)))
    return RareColumns((0,), others, tuple(j % 2 for j in others))


BUILDERS: dict[str, tuple[dict[str, Any], Builder]] = {
    "histogram": (BINARY, lambda d: [statistics.Histogram(d.sizes)]),
    "parities": (
        BINARY,
        lambda d: [statistics.Parities(InteractionLayout(d.sizes, 2, basis)) for basis in ("contrast", "monomial")],
    ),
    "rare-lengths": (BINARY, lambda d: [statistics.RareLengths(_rare(d))]),
    "rare-sums": (BINARY, lambda d: [statistics.RareSums(_rare(d), [4, 4, 3], [4, 4, 2])]),
    "residuals": (MIXED, lambda d: [statistics.Residuals(InteractionLayout(d.sizes, 2))]),
    "tables": (MIXED, lambda d: [statistics.Tables(InteractionLayout(d.sizes, 2))]),
    "chosen-tables": (MIXED, lambda d: [statistics.ChosenTables(d.sizes, _sets(d), threads=1)]),
    "grouped-tables": (MIXED, lambda d: [statistics.GroupedTables(d.sizes, _grouped(d), [0, 1, 1])]),
    "grouped-interactions": (MIXED, lambda d: [statistics.GroupedInteractions(d.sizes, _grouped(d), [0, 1, 1])]),
    "linear-queries": (MIXED, _linear),
    "one-question": (MIXED, _question),
    "part": (MIXED, lambda d: [statistics.Tables(InteractionLayout(d.sizes, 2), threads=1).part(1)]),
    "list-count": (OPEN, _list_count),
    "list-sums": (OPEN, _list_sums),
    "hash-sums": (OPEN, _hash_sums),
    "row-count": (MIXED, _row_count),
    "decision-lists": (LISTS, _decision_lists),
    "splines": (REAL, _splines),
    "chebyshev": (FINE, _chebyshev),
    "functions": (REAL, _functions),
}

"""TablesModel: the noisy cells of every table of t attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis, TooWide
from ...maths.interactions.layout import InteractionLayout
from ...maths.interactions.noisy_table import NoisyTable
from ...maths.interactions.pooled_table import PooledTable, TableSource, components, precision, subsets, tables_with
from ...questions.noises import Noises
from ..reading import noise_scale, read_law, row_count
from .linear import LinearModel

__all__ = ["TablesModel"]

Floats = NDArray[np.float64]

MOST_FRAMES = 500


@dataclass(frozen=True, eq=False)
class TablesModel(LinearModel):
    """Answers every question about at most `order` attributes without bias.

    A smaller table is the margin of many released ones, and a table holds many smaller ones: all released cells are
    fitted together by least squares, so that every question gets the estimate of least variance and all agree.
    """

    kind = "tables"
    order: int
    group_scales: tuple[Fraction, ...]
    cells: NDArray[np.int64]
    rows: int | None
    """The number of rows where it is public (replace); else None."""

    @cached_property
    def interactions(self) -> InteractionLayout:
        """Which tables there are, and where their cells stand."""
        return InteractionLayout(self.domain.sizes, self.order)

    @cached_property
    def _noise(self) -> dict[int, dict[tuple[int, ...], float]]:
        """Variance (2) and fourth cumulant (4) of a cell, by the kind of its table."""
        keys = [key for key in self.interactions.groups if len(key) == self.order]
        scales = dict(zip(keys, self.group_scales, strict=True))
        return {
            2: {key: self.law.variance(scale) for key, scale in scales.items()},
            4: {key: self.law.fourth(scale) for key, scale in scales.items()},
        }

    @cached_property
    def _frames(self) -> dict[tuple[int, ...], PooledTable]:
        return {}

    @cached_property
    def _margins(self) -> dict[tuple[int, ...], NDArray[np.float64]]:
        return {}

    def frame(self, positions: Sequence[int]) -> NoisyTable:
        if len(positions) > self.order:
            raise TooWide(names=[self.domain.closed[p].name for p in positions], width=self.order)
        key = tuple(positions)
        if key not in self._frames:
            if len(self._frames) >= MOST_FRAMES:
                self._frames.clear()
            sources = tuple(self._source(key, axes) for axes in subsets(tuple(range(len(key)))))
            self._frames[key] = PooledTable(self._cells(key), (None,) * len(key), None, sources)
        return self._frames[key]

    def noises(self, positions: Sequence[int], weights: Floats) -> Noises | None:
        """The part of each set of attributes has noise of its own, alike for all of its cells and uncorrelated.

        Such a part is noise without its means along every axis, so that weights count without theirs.
        """
        ascending, sizes = sorted(positions), self.domain.sizes
        turned = weights.transpose([0, *(1 + list(positions).index(p) for p in ascending)])
        numbers, each = [np.zeros(0, dtype=np.int64)], [np.zeros((0, len(weights)))]
        for members in subsets(tuple(ascending)):
            if not members and self.rows is not None:
                continue
            others = tuple(1 + i for i, p in enumerate(ascending) if p not in members)
            part = turned.mean(axis=others)
            for axis in range(1, part.ndim):
                part = part - part.mean(axis=axis, keepdims=True)
            spread = self._precision(tuple(sorted(sizes[p] for p in members))) ** -0.5
            numbers.append(self._number_of(members) + np.arange(part[0].size))
            each.append(spread * part.reshape(len(weights), -1).T)
        return Noises.of(np.concatenate(numbers), np.concatenate(each), self.law.kurtosis)

    def _number_of(self, members: tuple[int, ...]) -> int:
        """Where the noises of a set of attributes are counted from, the same in every copy of the release."""
        many = len(self.domain.sizes)
        rank = sum(comb(many, size) for size in range(len(members)))
        rank += sum(comb(p, place + 1) for place, p in enumerate(members))
        return rank * prod(sorted(self.domain.sizes)[-self.order :])

    def _cells(self, positions: tuple[int, ...]) -> NDArray[np.float64]:
        """The sum of the parts of all subsets, each spread evenly over the other attributes."""
        ascending, sizes = sorted(positions), self.domain.sizes
        out = np.zeros([sizes[p] for p in ascending])
        for members in subsets(tuple(ascending)):
            margin = self._margin(members)
            own = components(margin)[tuple(range(margin.ndim))]
            shape = [sizes[p] if p in members else 1 for p in ascending]
            out += own.reshape(shape) / prod(sizes[p] for p in ascending if p not in members)
        return out.transpose([ascending.index(p) for p in positions])

    def _source(self, positions: tuple[int, ...], axes: tuple[int, ...]) -> TableSource:
        """The tables that hold these of the attributes and no others of them."""
        sizes = self.domain.sizes
        outside = Counter(size for p, size in enumerate(sizes) if p not in positions)
        within = prod(sizes[positions[a]] for a in axes)
        kind = tuple(sorted(sizes[positions[a]] for a in axes))
        holding = list(tables_with(self.interactions, kind, outside))
        noise = {order: np.array([each[key] for key, _ in holding]) for order, each in self._noise.items()}
        weights = {}
        for members in subsets(axes):
            own = tuple(sorted(sizes[positions[a]] for a in members))
            margins = np.array([self._noise[2][key] * prod(key) / prod(own) for key, _ in holding])
            known = self.rows is not None and not members
            weights[members] = np.zeros(len(holding)) if known else 1 / margins / self._precision(own)
        copies = np.array([number * prod(key) / within for key, number in holding])
        return TableSource(axes, weights, copies, noise)

    def _precision(self, kind: tuple[int, ...]) -> float:
        return precision(self.interactions, kind, self._noise[2])

    def _margin(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """The mean of the margins of all tables that hold these attributes, by the inverse of their variance."""
        if not members and self.rows is not None:
            return np.array(float(self.rows))
        if len(members) == self.order:
            return self._table(members).astype(np.float64)
        if members not in self._margins:
            self._margins[members] = self._averaged(members) if members else self._total()
        return self._margins[members]

    def _averaged(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        sizes = self.domain.sizes
        others = [p for p in range(len(sizes)) if p not in members]
        out = np.zeros([sizes[p] for p in members])
        for more in combinations(others, self.order - len(members)):
            whole = tuple(sorted((*members, *more)))
            variance = self._noise[2][tuple(sorted(sizes[p] for p in whole))] * prod(sizes[p] for p in more)
            out += self._table(whole).sum(axis=tuple(whole.index(p) for p in more)) / variance
        return out / self._precision(tuple(sorted(sizes[p] for p in members)))

    def _total(self) -> NDArray[np.float64]:
        """The same for no attributes: the number of rows."""
        starts, groups = self.interactions.table_starts, self.interactions.groups
        kinds = self.interactions.group_of_set[-(len(starts) - 1) :]
        variance = np.array([self._noise[2].get(key, np.inf) for key in groups])[kinds] * np.diff(starts)
        return np.asarray((np.add.reduceat(self.cells, starts[:-1]) / variance).sum() / self._precision(()))

    def _table(self, members: tuple[int, ...]) -> NDArray[np.int64]:
        """A released table."""
        number = self.interactions.rank(members) - self.interactions.rank(range(self.order))
        start, end = self.interactions.table_starts[number : number + 2]
        return self.cells[start:end].reshape([self.domain.sizes[p] for p in members])

    def parameters(self) -> dict[str, Any]:
        scales = [str(s) for s in self.group_scales]
        return {"order": self.order, "law": self.law, "group_scales": scales, "rows": self.rows}

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"tables": self.cells}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        order = parameters["order"]
        if not isinstance(order, int) or not 1 <= order <= max(1, len(domain.sizes)):
            raise BadSynopsis(f"the synopsis says order {order!r}, which its domain does not allow")
        return {"tables": InteractionLayout.cells(domain.sizes, order)}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> TablesModel:
        law, rows, order = read_law(parameters["law"]), row_count(parameters["rows"]), parameters["order"]
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        kinds = [key for key in InteractionLayout(domain.sizes, order).groups if len(key) == order]
        if len(scales) != len(kinds) or min(scales) <= 0:
            raise BadSynopsis("the synopsis has noise scales that do not fit its domain")
        return cls(domain=domain, law=law, order=order, group_scales=scales, cells=numbers["tables"],
                   rows=rows)  # fmt: skip

"""Pairs: the two rows whose exchange a statistic shows most, by trying all pairs and by climbing from the best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..laws import Law
from ..vault.door.door import Noise
from ..vault.statistics import Statistic
from .exact_laws import Floats
from .made_up_tables import MadeUpTable, Row, possible_rows, telling_values

__all__ = ["Pair", "pair_tables", "weights_of", "worst_pair"]

MOST_ROWS, MOST_COORDINATES, ROUNDS = 400, 4_000_000, 4


@dataclass(frozen=True)
class Pair:
    """A row that goes, one that comes in its place (None where rows are added or removed), and the price of it."""

    gone: Row
    new: Row | None
    price: float


def weights_of(statistic: Statistic, noise: Noise) -> Floats:
    """What a change of one coordinate costs: price = sum of weight x |change|^power; 0 where nothing is noisy."""
    scales = statistic.scales(noise.law, noise.per_group)
    each = np.array([float(Fraction(s)) for s in scales.table])[scales.index]
    with np.errstate(divide="ignore"):
        weights = np.where(each > 0, (1 if noise.law == Law.LAPLACE else 0.5) / each, 0.0)
    return np.asarray(weights)


def worst_pair(statistic: Statistic, noise: Noise, domain: Domain, *, seed: int) -> Pair:
    """All pairs of many possible rows, then one value of the best pair changed at a time, as long as that helps."""
    power, weights, kinds = noise.law.power, weights_of(statistic, noise), domain.unit.changes
    rows = possible_rows(domain, most=min(MOST_ROWS, max(20, MOST_COORDINATES // len(weights))), seed=seed)
    vectors = np.array([MadeUpTable(domain, [row]).coordinates(statistic) for row in rows], dtype=np.float64)
    pairs = [_worst(rows, vectors, weights, power, added=kind == "add-remove") for kind in kinds]
    worst = max((_climb(statistic, domain, pair, weights, power) for pair in pairs), key=lambda pair: pair.price)
    return Pair(worst.gone, worst.new, worst.price * domain.unit.rows**power)


def _worst(rows: list[Row], vectors: Floats, weights: Floats, power: int, *, added: bool) -> Pair:
    best, pair = -1.0, (0, 0)
    for i, vector in enumerate(vectors):
        changes = vector[None] if added else vectors[i:] - vector
        prices = (np.abs(changes) ** power) @ weights
        if prices.max() > best:
            best, pair = float(prices.max()), (i, i + int(prices.argmax()))
    return Pair(rows[pair[0]], None if added else rows[pair[1]], best)


def _climb(statistic: Statistic, domain: Domain, pair: Pair, weights: NDArray[np.float64], power: int) -> Pair:
    values = [telling_values(a) for a in domain.attributes]
    for _ in range(ROUNDS):
        before = pair
        for side in (0, 1) if pair.new is not None else (0,):
            for place, choices in enumerate(values):
                for value in choices[:40]:
                    rows = [list(pair.gone), list(pair.new or ())]
                    rows[side][place] = value
                    gone, new = tuple(rows[0]), tuple(rows[1]) or None
                    price = _price(statistic, domain, gone, new, weights, power)
                    pair = Pair(gone, new, price) if price > pair.price * (1 + 1e-12) else pair
        if pair is before:
            break
    return pair


def _price(
    statistic: Statistic, domain: Domain, gone: Row, new: Row | None, weights: NDArray[np.float64], power: int
) -> float:
    change = MadeUpTable(domain, [gone]).coordinates(statistic).astype(np.float64)
    if new is not None:
        change = change - MadeUpTable(domain, [new]).coordinates(statistic)
    return float(np.abs(change) ** power @ weights)


def pair_tables(domain: Domain, pair: Pair, others: list[Row]) -> tuple[MadeUpTable, MadeUpTable]:
    """Two neighbouring tables: the same others, and one person with as many equal rows as a person may have.

    Nobody else has such a row: where a cell is empty but for one person there is most to betray.
    """
    others = [row for row in others if row not in (pair.gone, pair.new)]
    unit = domain.unit
    new = [] if pair.new is None else [pair.new] * unit.rows
    return MadeUpTable(domain, [*others, *[pair.gone] * unit.rows]), MadeUpTable(domain, [*others, *new])

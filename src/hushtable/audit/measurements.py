"""Measurements under attack: one statistic, its worst pair of rows, and very many releases in one go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..budget import UNIT_NAME, Price
from ..domain import Domain
from ..vault.door.door import Door, Noise, price_of
from ..vault.door.randomness import Simulated
from ..vault.statistics import Statistic
from .attacks import Claim, Releases, attack
from .checks import Check, coins_for, follows_law, halves, is_independent, price_covers
from .copies import Copies
from .exact_laws import Floats, noise_loss, noise_pit
from .made_up_tables import MadeUpTable, possible_rows
from .pairs import pair_tables, worst_pair

__all__ = ["MeasureCase", "Tally", "audit_measure"]

MOST_NUMBERS = 4_000_000
OTHERS = 5
# Of so many numbers all pairs are compared.
MOST_PAIRED = 24


@dataclass(frozen=True, eq=False)
class MeasureCase:
    """One statistic of one domain, with noise."""

    name: str
    domain: Domain
    statistic: Statistic
    noise: Noise


class Tally:
    """The account of a simulated door: adds up what is charged."""

    def __init__(self) -> None:
        self.charged: list[Price] = []

    def charge(self, price: Price, *, what: str) -> None:
        """Notes the price."""
        self.charged.append(price)


def audit_measure(case: MeasureCase, *, draws: int, seed: int, door: type[Door] = Door) -> list[Check]:
    """Exact price of the worst pair, law and independence of the noise, and the best attack."""
    statistic, noise, domain = case.statistic, case.noise, case.domain
    charged = price_of(statistic, noise, domain.unit)
    claim = Claim(unit=UNIT_NAME[charged.currency], amount=float(charged.amount))
    pair = worst_pair(statistic, noise, domain, seed=seed)
    checks = [price_covers(pair.price, claim.amount, claim.unit, runs=0, by="worst pair of rows")]
    tables = pair_tables(domain, pair, possible_rows(domain, most=OTHERS, seed=seed + 1)[:OTHERS])
    times = max(2000, min(draws, MOST_NUMBERS // len(tables[0].coordinates(statistic))))
    noisy = [_releases(case, table, times, seed + i, door) for i, table in enumerate(tables)]
    pits = [_pits(case, values, table, seed + i) for i, (values, table) in enumerate(zip(noisy, tables, strict=True))]
    whole = all(np.issubdtype(values.dtype, np.integer) for values in noisy)
    both = np.concatenate([p.ravel() for p in pits])
    checks.append(follows_law(both, runs=2 * times, by="all numbers", whole_numbers=whole))
    if pits[0].shape[1] > 1:
        signs = np.concatenate([halves(p) for p in pits])
        # Any two numbers of a release: each is a part of its own.
        parts, neighbours = signs[:, :MOST_PAIRED, None], (signs[:, :-1], signs[:, 1:])
        checks.append(is_independent(*neighbours, parts, runs=2 * times, by="numbers of one release"))
    sums = tuple(table.coordinates(statistic) for table in tables)
    moved = np.flatnonzero(sums[0] != sums[1])
    chosen = moved[:64] if moved.size else np.arange(min(2, len(sums[0])))
    releases = [Releases(values[:, chosen].astype(np.float64), _losses(case, values, tables)) for values in noisy]
    exact = (sums[0][chosen].astype(np.float64), sums[1][chosen].astype(np.float64))
    return checks + attack(releases[0], releases[1], claim, sums=exact)


def _releases(case: MeasureCase, table: MadeUpTable, times: int, seed: int, door: type[Door]) -> np.ndarray:
    """`times` releases, one a line, drawn through a door."""
    many = Copies(case.statistic, times)
    price = price_of(many, case.noise, case.domain.unit).on_grid(up=True)
    opened = door(total=table.total, unit=case.domain.unit, price=price, account=Tally(), randomness=Simulated(seed))
    return np.asarray(opened.measure(many, case.noise).values).reshape(times, -1)


def _pits(case: MeasureCase, values: np.ndarray, table: MadeUpTable, seed: int) -> Floats:
    scales = case.statistic.scales(case.noise.law, case.noise.per_group)
    noisy = np.flatnonzero(np.array([bool(s) for s in scales.table])[scales.index])
    apart, coins = values - table.coordinates(case.statistic), coins_for(seed)
    if not np.issubdtype(apart.dtype, np.integer):
        return np.full((len(values), len(noisy)), 0.5)
    pits = np.empty((len(values), len(scales.index)))
    for place, scale in enumerate(scales.table):
        at = np.flatnonzero(scales.index == place)
        if scale and at.size:
            pits[:, at] = noise_pit(scales.law, scale, apart[:, at], coins.random((len(values), at.size)))
    return pits[:, noisy]


def _losses(case: MeasureCase, values: np.ndarray, tables: tuple[MadeUpTable, MadeUpTable]) -> Floats:
    """The likelihood ratio by the stated law, of the coordinates that differ."""
    sums = [table.coordinates(case.statistic) for table in tables]
    scales = case.statistic.scales(case.noise.law, case.noise.per_group)
    each = np.array([float(s) for s in scales.table])[scales.index]
    moved = np.flatnonzero((sums[0] != sums[1]) & (each > 0))
    here, there = (values[:, moved] - s[moved] for s in sums)
    return np.asarray(noise_loss(case.noise.law, each[moved], here, there).sum(axis=1))

"""First model: weighted rows fitted to pairs, and the same again with measured triples beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.impossible import rules_of
from .fit import Fitted, fit, refit, touch_up
from .fit_rows import RowFit, repairs_of, row_fit, rows_to_fit, seeded
from .fit_targets import FitTargets
from .grouped_sets import GroupedSet, RawTable, interaction_of
from .network import Network, base_groups, build
from .repair import PairDistances, Repair
from .resolution import ordered, ranges_of
from .rules import Rules
from .shares import fit_prior
from .table_noise import TableNoise

__all__ = ["FirstModel", "trust"]

Floats = NDArray[np.float64]
# How much more than by chance a triple may differ from the model of pairs: the grid of a prior, fitted to all triples.
RATIOS, ROUNDS = 2.0 ** np.arange(-3, 14), 100
# The least ratio that a table is trusted at: its pull has a variance of at most 4 times its noise.
LEAST = 0.25


@dataclass(frozen=True, eq=False)
class FirstModel:
    """Weighted rows fitted to pairs, over base groups that also tell the groups of all triples apart."""

    domain: Domain
    agreed: FitTargets
    dependence: Sequence[float]
    network: Network
    fitted: Fitted
    random: np.random.Generator
    pairs: Sequence[RawTable]
    distances: PairDistances
    """Of all pairs from independence, as released."""

    @classmethod
    def of(
        cls,
        domain: Domain,
        agreed: FitTargets,
        dependence: Sequence[float],
        raw: Sequence[RawTable],
        finer: Sequence[GroupedSet],
        distances: PairDistances,
    ) -> FirstModel:
        """A pure function of the released numbers. `finer` are the tables that may come."""
        rules = Rules(rules_of(domain))
        base = base_groups(domain.sizes, [*agreed.sets, *finer], rules.groupings())
        network, random = build(agreed, base, rules.on_base(base)), seeded([table.numbers for table in raw])
        done = fit(network, dependence, rows_to_fit(agreed), random)
        pairs = [table for table in raw if not table.alone]
        return cls(domain, agreed, dependence, network, done, random, pairs, distances)

    def shares(self, grouped: GroupedSet) -> Floats:
        """The model's shares of a table's cells; its groups must not be finer than the base groups."""
        key = np.zeros(len(self.fitted.weights), dtype=np.int64)
        for member, groups, size in zip(grouped.members, grouped.maps, grouped.shape, strict=True):
            _, first = np.unique(self.network.base[member], return_index=True)
            key = key * size + groups[first][self.fitted.codes[member]]
        counts = np.bincount(key, self.fitted.weights, minlength=grouped.cells).reshape(grouped.shape)
        return np.asarray(counts / counts.sum())

    def weighted_rows(self) -> RowFit:
        """The rows as they are, but for pairs that they have too far from independence."""
        if not (needed := self._repairs()):
            return self._published(self.network, self.fitted, [])
        network = build(self.agreed, self.network.base, self.network.rules, repairs=needed)
        start = replace(self.fitted, theta=network.grown(self.network, self.fitted.theta))
        return self._published(network, touch_up(network, start, self.random), [])

    def _repairs(self) -> list[Repair]:
        return repairs_of(self.network, self.agreed, self.fitted, self.distances)

    def _published(self, network: Network, done: Fitted, tables: Sequence[RawTable]) -> RowFit:
        all_tables = [*self.pairs, *tables]
        noise = TableNoise(all_tables[0].law, all_tables, ordered(self.domain), ranges_of(self.domain))
        return row_fit(network, self.agreed, self.dependence, done, noise, self.random)

    def corrected(self, tables: Sequence[RawTable]) -> RowFit:
        """The rows fitted to pairs and triples. A triple keeps the model's margins: only its interaction is new."""
        model = [self.agreed.rows * self.shares(raw.set) for raw in tables]
        apart = [raw.interaction - interaction_of(counts) for raw, counts in zip(tables, model, strict=True)]
        both = replace(
            self.agreed,
            sets=[*self.agreed.sets, *(raw.set for raw in tables)],
            counts=[*self.agreed.counts, *(m + a for m, a in zip(model, apart, strict=True))],
            strengths=[*self.agreed.strengths, *trust(tables, apart, self.agreed.rows, self.fitted.carriers).tolist()],
        )
        network = build(both, self.network.base, self.network.rules, repairs=self._repairs())
        start = replace(self.fitted, theta=network.grown(self.network, self.fitted.theta))
        return self._published(network, refit(network, start, self.random), tables)


def trust(tables: Sequence[RawTable], apart: Sequence[Floats], rows: float, carriers: float) -> Floats:
    """The variance c of each table's pull on the model: its noise over how much more it differs than by chance.

    In every direction a triple differs from the model by noise and by ratio x (rows a cell), which is 1 where only
    sampling is at work. A prior on the ratio is fitted to all triples (maximum likelihood by EM [KieW56]): one of
    few numbers says too little of itself.
    """
    numbers = np.array([raw.set.interactions for raw in tables], dtype=np.float64)
    noise = np.array([raw.variance for raw in tables])
    sampling = rows / np.array([raw.set.cells for raw in tables], dtype=np.float64)
    squares = np.array([float((a**2).sum()) for a in apart])
    signal = sampling[:, None] * RATIOS[None]
    variance = signal + (noise + sampling * rows / carriers)[:, None]
    logs = -0.5 * (numbers[:, None] * np.log(variance) + squares[:, None] / variance)
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
    _, posterior = fit_prior(likelihood, ROUNDS)
    # The share of a difference that is believed, on the mean; and the ratio that would believe as much.
    kept = (posterior * (signal / (signal + noise[:, None]))).sum(axis=1)
    ratio = kept / (1 - kept) * noise / sampling
    return np.asarray(noise / np.maximum(ratio, LEAST) + 1.0)

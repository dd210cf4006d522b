"""Noise of released tables, simulated around a model's own values, and the replicates that come of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .empty_cells import emptied, seen_empty, taken_as_empty
from .fit_targets import FitTargets, half_projected, on_margins
from .grouped_sets import RawTable, interaction_of
from .network import Network
from .replicates import REPLICATES, Replicates, carriers, drawn, log_unit, packed, sweeps_for
from .row_logs import cell_logs, row_logs
from .shares import denoised
from .weighted_rows import WeightedRows

__all__ = ["TableNoise", "new_shares"]

Floats = NDArray[np.float64]
# Passes over single attributes after each sweep.
PASSES = 5
# With more tables, weights are kept row by row: to sum over the cells of all tables would take too long on loading.
MOST_SETS = 300
# Rounds of the projection of a pair's table; so few do most of it, and there are many tables.
PROJECTIONS = 50


@dataclass(frozen=True, eq=False)
class TableNoise:
    """The noise of a release of tables: drawn again around what the model says, and put through the same path."""

    law: Law
    tables: Sequence[RawTable]
    """Those of two attributes and more, in the order of the network's factors."""
    ordered: Collection[int]
    found: Collection[int] = ()
    """Numbers whose cells were found."""

    def replicates(
        self, cloud: WeightedRows, agreed: FitTargets, network: Network, theta: Floats, random: np.random.Generator
    ) -> Replicates:
        """The model's rows, raked to what other noise would have shown of the model; a function of released numbers.

        Noise around the noisy numbers themselves would count it twice, and undo what the fit has shrunk.
        """
        from .raking_kernels import sweep_all

        chosen, start = carriers(cloud)
        codes, start = np.ascontiguousarray(cloud.codes[:, chosen]), network.rows * start
        own = [_table(network, codes, start, number) for number in range(len(network.sets))]
        chance = [agreed.rows * table.set.expected(agreed.shares) for table in self.tables]
        noises, targets, shares = [], [], []
        for _ in range(REPLICATES):
            new = new_shares(agreed, self.law, self.ordered, random, self.found)
            moved = [after - before for after, before in zip(new, agreed.shares, strict=True)]
            seen = [interaction_of(drawn(self.law, t.variance, t.set.shape, random)) for t in self.tables]
            others = [float(drawn(self.law, repair.deviation**2, (1,), random)[0]) for repair in network.repairs]
            parts = [part.ravel() for part in self._targets(network, own, seen, others, moved, chance)]
            noises.append(seen)
            targets.append(np.concatenate([np.zeros(0), *parts]))
            shares.append(new)
        target, bent = np.ascontiguousarray(np.array(targets).T), np.repeat(theta[:, None], REPLICATES, axis=1)
        weights = np.repeat(start[:, None], REPLICATES, axis=1)
        for _ in range(sweeps_for(len(self.tables))):
            _margins_of_triples(network, target, own, noises, codes, weights)
            for begin in (0, *(network.alone,) * PASSES):
                sweep_all(codes, weights, network.factors, network.maps, network.cells, bent, target,
                          network.strength, network.rows, begin)  # fmt: skip
        if len(network.sets) > MOST_SETS or len(network.target) > len(start):
            by_row = np.log(np.maximum(weights / start[:, None], 1e-300))
            return packed(cloud, row_logs(by_row, log_unit(cloud)), shares)
        counts = np.concatenate([np.zeros(0), *(table.ravel() for table in own)])
        return packed(cloud, cell_logs(network.sets, bent - theta[:, None], counts), shares)

    def _targets(
        self,
        network: Network,
        own: Sequence[Floats],
        seen: Sequence[Floats],
        others: Sequence[float],
        moved: Sequence[Floats],
        chance: Sequence[Floats],
    ) -> Iterator[Floats]:
        """The model's own tables, moved as the noise of single columns moves margins; pairs by their own noise too,
        which may show more cells to be empty, and repaired ones as far as the noise of their distances stretches
        them. `chance` is what independence says of the measured tables."""
        for number, (grouped, table) in enumerate(zip(network.sets, own, strict=True)):
            if number < len(self.tables):
                own_set = self.tables[number].set
                new = table + on_margins(own_set, seen[number], moved, network.rows, total=0.0)
                begin, end = network.cells[number], network.cells[number + 1]
                strength = float(network.strength[begin])
                # An empty cell has hardly a row that a replicate could weigh up, and those few would carry all of it.
                empty = taken_as_empty(network.target[begin:end].reshape(new.shape), strength)
                empty |= seen_empty(own_set, new, self.tables[number].variance, chance[number])
                yield emptied(half_projected(new, PROJECTIONS), empty, strength)
            elif number < network.alone:
                repair = network.repairs[number - len(self.tables)]
                more = repair.stretched(others[number - len(self.tables)]) - 1
                yield table + on_margins(repair.set, more * interaction_of(table), moved, network.rows, total=0.0)
            else:
                (j,) = grouped.members
                yield np.maximum(table + network.rows * np.bincount(network.base[j], moved[j]), 0.0)


def new_shares(
    agreed: FitTargets, law: Law, ordered: Collection[int], random: np.random.Generator, found: Collection[int] = ()
) -> list[Floats]:
    """Shares of all single columns as other noise would have shown them.

    Cells that were found hold more than noise or were seen to be empty, and stay so: there is nothing to denoise.
    """
    shares = []
    for j, (share, variance) in enumerate(zip(agreed.shares, agreed.variances, strict=True)):
        noise = drawn(law, variance, share.shape, random)
        if j in found:
            held = np.maximum(agreed.rows * share + np.where(share > 0, noise, 0.0), 0.0)
            shares.append(np.asarray(held / held.sum()) if held.any() else share)
            continue
        counts = denoised(agreed.rows * share + noise - noise.mean(), variance**0.5, agreed.rows, ordered=j in ordered)
        shares.append(np.asarray(counts / counts.sum()))
    return shares


def _table(network: Network, codes: NDArray[np.uint16], weights: Floats, number: int) -> Floats:
    """The rows' table of a factor."""
    from .raking_kernels import weighted_counts

    factor, out = network.factors[number], np.zeros(network.sets[number].cells)
    arity = factor[0]
    weighted_counts(codes, weights, factor[1 : 1 + arity], factor[4 : 4 + arity], network.maps, out)
    return out.reshape(network.sets[number].shape)


def _margins_of_triples(
    network: Network, target: Floats, own: Sequence[Floats], noises: Sequence[Sequence[Floats]],
    codes: NDArray[np.uint16], weights: Floats,
) -> None:  # fmt: skip
    """A triple has the margins of the replicate as it stands: only its interaction was measured."""
    triples = [number for number, grouped in enumerate(network.sets) if len(grouped.members) == 3]
    for replicate, seen in enumerate(noises):
        present = np.ascontiguousarray(weights[:, replicate]) if triples else weights
        for number in triples:
            table = _table(network, codes, present, number)
            new = table + interaction_of(own[number] - table) + seen[number]
            target[network.cells[number] : network.cells[number + 1], replicate] = new.ravel()

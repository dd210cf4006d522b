"""Noise of released sums of rare values, simulated around a model's own, and the replicates that come of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...laws import Law
from .fit_targets import FitTargets
from .network import Network, build
from .rare_design import length_cell
from .rare_targets import RareMeasured, agree_rare
from .replicates import REPLICATES, Replicates, carriers, drawn, log_unit, packed, sweeps_for
from .row_lengths import row_lengths
from .row_logs import row_logs
from .weighted_rows import WeightedRows

__all__ = ["RareNoise"]

Floats = NDArray[np.float64]
# Rows whose products are summed at once.
ROWS = 16_384


@dataclass(frozen=True, eq=False)
class RareNoise:
    """The noise of lengths and sums: drawn again around what the model says, and put through the same path."""

    law: Law
    measured: RareMeasured

    def replicates(
        self, cloud: WeightedRows, agreed: FitTargets, network: Network, theta: Floats, random: np.random.Generator
    ) -> Replicates:
        """The model's rows, raked to what other noise would have shown of the model; a function of released numbers.

        Tables are fitted firmly, so that theta need not be known; a pair of rare values that other noise would not
        have made a table of stays as the model has it.
        """
        chosen, start = carriers(cloud)
        codes, start = np.ascontiguousarray(cloud.codes[:, chosen]), network.rows * start
        lengths, sums = self._own(codes, start)
        logs, shares = [], []
        for _ in range(REPLICATES):
            seen = replace(
                self.measured,
                lengths=np.rint(lengths + drawn(self.law, self._variance_of_lengths, lengths.shape, random)).astype(
                    np.int64
                ),
                sums=np.rint(sums + self._noise(random)).astype(np.int64),
            )
            new = agree_rare(seen, network.rows)
            weights = self._raked(codes, start, seen, new, network)
            logs.append(np.log(np.maximum(weights / start, 1e-300)))
            shares.append(new.shares)
        return packed(cloud, row_logs(np.array(logs).T, log_unit(cloud)), shares)

    @property
    def _variance_of_lengths(self) -> float:
        return self.law.variance(self.measured.lengths_scale)

    def _noise(self, random: np.random.Generator) -> Floats:
        counts, scales = self.measured.columns.counts, self.measured.scales
        return np.concatenate([
            drawn(self.law, self.law.variance(scale), (count,), random)
            for count, scale in zip(counts, scales, strict=True)
        ])  # fmt: skip

    def _own(self, codes: NDArray[np.uint16], weights: Floats) -> tuple[Floats, Floats]:
        """Lengths and sums of the model's rows, in the units of the released ones."""
        columns = self.measured.columns
        single, both = (np.asarray(w, dtype=np.float64) for w in (self.measured.single, self.measured.both))
        even_pairs, rare_pairs = (np.triu_indices(len(c), 1) for c in (columns.even, columns.rare))
        lengths, sums = np.zeros(len(self.measured.lengths)), np.zeros(sum(columns.counts))
        for begin in range(0, len(weights), ROWS):
            some, each = codes[:, begin : begin + ROWS], weights[begin : begin + ROWS]
            rare = columns.is_rare(some)
            x, z = rare.astype(np.float64), columns.signs(some).astype(np.float64)
            length = x.sum(axis=0).astype(np.int64)
            lengths += np.bincount(length_cell(rare), each, minlength=len(lengths))
            weighed = x * (single[length] * each)
            parts = [z @ each, weighed.sum(axis=1), ((z * each) @ z.T)[even_pairs], (z @ weighed.T).ravel(),
                     ((x * (both[length] * each)) @ x.T)[rare_pairs]]  # fmt: skip
            sums += np.concatenate(parts)
        return lengths, sums

    def _raked(
        self, codes: NDArray[np.uint16], start: Floats, seen: RareMeasured, new: FitTargets, network: Network
    ) -> Floats:
        from .raking_kernels import sweep

        lengths = row_lengths(seen.columns, seen.believed(network.rows), len(codes))
        net = build(new, network.base, network.rules, lengths)
        weights, theta, factors = start.copy(), np.zeros(len(net.target)), np.ones(len(lengths.wanted))
        for _ in range(sweeps_for(len(new.sets))):
            lengths.rake(codes, weights, factors)
            sweep(codes, weights, weights, len(weights), net.factors, net.maps, net.cells, theta, net.target,
                  net.strength, net.rows, 0, 0.0, 0)  # fmt: skip
        return weights

"""The lengths of the fitted rows are raked to the released ones, in turn with their tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .fit import Fitted
from .network import Network
from .rare_columns import RareColumns
from .rare_weights import Lengths

__all__ = ["with_lengths"]

# Rounds of lengths, then all tables; and how much the weight of a length changes in one.
ROUNDS, MOST = 4, 4.0


def with_lengths(network: Network, done: Fitted, columns: RareColumns, lengths: Lengths) -> Fitted:
    """That some rows are long makes every two rare values meet more often than by chance; no pair has to say so.

    Left as it is where a rare column is in no table, because the rows do not have it.
    """
    from .kernels import effective, sweep

    if any(network.sizes[j] < 2 for j in columns.rare):
        return done
    unusual = [network.base[j][1 - usual] for j, usual in zip(columns.rare, columns.usual, strict=True)]
    length = (done.codes[list(columns.rare)] == np.array(unusual)[:, None]).sum(axis=0)
    weights, theta, wanted = done.weights.copy(), done.theta.copy(), lengths.counts / lengths.counts.sum()
    for _ in range(ROUNDS):
        present = np.bincount(length, weights, minlength=len(wanted)) / weights.sum()
        factor = np.divide(wanted, present, out=np.ones_like(wanted), where=(present > 0) & (wanted > 0))
        weights *= np.clip(factor, 1 / MOST, MOST)[length]
        sweep(done.codes, weights, network.factors, network.maps, network.cells, theta, network.target,
              network.strength, network.rows, 0, 0.0, 0)  # fmt: skip
    return replace(done, weights=weights, theta=theta, effective=float(effective(weights)))

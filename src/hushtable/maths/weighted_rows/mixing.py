"""How often each of some cases occurs, fitted to many observations at once: non-parametric maximum likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_prior", "posterior_of"]

Floats = NDArray[np.float64]


def posterior_of(likelihood: Floats, prior: Floats) -> Floats:
    """Chances of the cases (columns) given each observation (row); one prior for all, or one for each."""
    joint = likelihood * prior
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def fit_prior(likelihood: Floats, rounds: int) -> tuple[Floats, Floats]:
    """The common prior by so many rounds of EM [KieW56], and the posteriors of the last of them."""
    prior = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    posterior = likelihood
    for _ in range(rounds):
        posterior = posterior_of(likelihood, prior)
        prior = posterior.mean(axis=0)
    return prior, posterior

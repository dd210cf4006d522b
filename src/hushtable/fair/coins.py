"""Coins: where the randomness of a decision comes from."""

from __future__ import annotations

import secrets

__all__ = ["REHEARSAL", "Coins"]

REHEARSAL = "REHEARSAL: decided with a seed, which whoever knows it can foresee"
BITS = 53


class Coins:
    """Fresh randomness of the operating system, or with a seed the same again: for rehearsals, and stamped as one."""

    def __init__(self, seed: int | None = None) -> None:
        self.rehearsal = seed is not None
        self._generator = None
        if seed is not None:
            import numpy as np

            self._generator = np.random.PCG64(seed)

    def uniform(self) -> float:
        """A number from 0 up to but not including 1, a multiple of 2^-53."""
        if self._generator is None:
            return secrets.randbits(BITS) / 2.0**BITS
        return (int(self._generator.random_raw()) >> (64 - BITS)) / 2.0**BITS

"""Lazy weights: a distribution over an unbounded universe that remembers only the keys it was corrected at."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from ...errors import BadQuestion

__all__ = ["LazyWeights"]

# The total is brought back to 1 when it leaves this range; doing so changes no share.
SMALLEST, LARGEST = 1e-100, 1e100


class LazyWeights:
    """`cells` variables of equal weight at first; a key gets one of them when it is first corrected.

    Sparse multiplicative weights [BluR11, Sec. 3]: reading a list never assigns, so no question changes a later answer
    but by a correction. The weight of a variable that was never assigned is one number for all, and the total is kept
    as a running sum, so a correction of m keys takes time m.

    Why corrections end. Let A be all keys ever assigned, and let one more cell, `elsewhere`, hold the rows D that have
    none of them, and all variables never assigned, of which there is at least one. With p the shares held here,
    psi = sum over A and elsewhere of D ln(D / p) starts at most at ln(cells), is never negative, and a correction by
    the factor exp(step Q(x)) changes it by exactly

    ln(sum p exp(step Q)) - step sum D Q  <=  step (Q(p) - Q(D)) + step^2 / 8,

    where variables elsewhere have Q = 0. With step = 4 (measured - Q(p)) that is at most
    -2 [(Q(D) - Q(p))^2 - (measured - Q(D))^2], so corrections with an error of at least T and noise of at most w happen
    at most ln(cells) / (2 (T^2 - w^2)) times. (Published without the cell elsewhere, where the step fails: the data
    have less than all of their mass on A.)
    """

    def __init__(self, cells: int) -> None:
        if cells < 2:
            raise ValueError(f"at least 2 cells are needed, not {cells}")
        self.cells = cells
        self._weights: dict[bytes, float] = {}
        self._unassigned = 1.0 / cells
        self._total = 1.0

    @property
    def assigned(self) -> int:
        """How many keys have a weight of their own."""
        return len(self._weights)

    def share(self, question: Mapping[bytes, float]) -> float:
        """Which share of the distribution a list has, weight by weight. Assigns nothing."""
        return sum(q * self._weights.get(key, self._unassigned) for key, q in question.items()) / self._total

    def check_room(self, question: Mapping[bytes, float]) -> None:
        """BadQuestion unless a correction at this list would leave a variable unassigned."""
        fresh = sum(key not in self._weights for key in question)
        if self.assigned + fresh >= self.cells:
            raise BadQuestion(
                f"the list has {fresh:,} values that were not corrected before, and only "
                f"{self.cells - 1 - self.assigned:,} more can be; ask shorter lists or start with more cells"
            )

    def correct(self, question: Mapping[bytes, float], step: float) -> None:
        """Multiplies the weight of every key of the list by exp(step x its weight there)."""
        self.check_room(question)
        for key, q in question.items():
            old = self._weights.get(key, self._unassigned)
            new = old * math.exp(step * q)
            self._weights[key] = new
            self._total += new - old
        if not SMALLEST < self._total < LARGEST:
            self._rescale()

    def _rescale(self) -> None:
        rest = (self.cells - self.assigned) * self._unassigned
        total = math.fsum([rest, *self._weights.values()])
        self._weights = {key: weight / total for key, weight in self._weights.items()}
        self._unassigned /= total
        self._total = 1.0

    @property
    def drift(self) -> float:
        """How far the running total is from the sum of all weights, relative; rounding only."""
        rest = (self.cells - self.assigned) * self._unassigned
        return abs(self._total / math.fsum([rest, *self._weights.values()]) - 1)

    def potential(self, shares: Mapping[bytes, float], keys: Collection[bytes]) -> float:
        """psi, for data with these shares, over these keys and elsewhere. Not private: it knows the data."""
        mass = [shares.get(key, 0.0) for key in keys]
        held = [self._weights.get(key, self._unassigned) / self._total for key in keys]
        rest = (self.cells - len(keys)) * self._unassigned / self._total
        pairs = [*zip(mass, held, strict=True), (1 - sum(mass), rest)]
        return sum(d * math.log(d / p) for d, p in pairs if d > 0)

"""Learners: private ways to find a question on which data and hypothesis disagree. Each is charged for its choice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...budget import Price

if TYPE_CHECKING:
    from ...vault.door.door import Door
    from .candidates import Candidates

__all__ = ["ChooseFromAll", "Learner", "Sampled", "public_chance"]

Sums = NDArray[np.int64]


def public_chance(door: Door) -> np.random.Generator:
    """Chance for what may be known to all. Through the door, so that a release that was interrupted has it again."""
    return np.random.default_rng(np.frombuffer(door.key_bytes(32), dtype=np.uint32))


class Learner(ABC):
    """Release through a private learner [Har11, section 6.5]: it sees rows through the door only.

    A learner of one's own derives from this class and is given to the mechanism as `learner=`.
    """

    covers_all: bool
    """Whether its choice says something about every candidate, or only about most."""

    @abstractmethod
    def choose(
        self, door: Door, candidates: Candidates, reference: Sums, allowed: NDArray[np.intp], price: Price
    ) -> int:
        """One of the allowed candidates, far from the reference if there is one; spends `price` at most."""


@dataclass(frozen=True)
class ChooseFromAll(Learner):
    """The exponential mechanism (permute-and-flip under pure epsilon) over all candidates."""

    covers_all = True

    def choose(
        self, door: Door, candidates: Candidates, reference: Sums, allowed: NDArray[np.intp], price: Price
    ) -> int:
        return door.select(candidates.statistic, reference, price, among=allowed)


@dataclass(frozen=True)
class Sampled(Learner):
    """The same over a fresh random subset each time, for classes too large to try all; the subset is public.

    Then only most candidates are covered, and the synopsis says so [Har11, remark 6.5.11].
    """

    size: int = 1000
    random: Any = None
    """A numpy Generator for repeatable runs; it decides what is looked at, not what is hidden."""
    covers_all = False

    def choose(
        self, door: Door, candidates: Candidates, reference: Sums, allowed: NDArray[np.intp], price: Price
    ) -> int:
        random = self.random or public_chance(door)
        subset = np.sort(random.choice(allowed, size=min(self.size, len(allowed)), replace=False))
        return door.select(candidates.statistic, reference, price, among=subset)

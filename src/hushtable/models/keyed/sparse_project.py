"""ProjectionModel: noisy coordinates of a projection by random signs, as published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...maths.keys.projection import MOST_HEIGHT, Projection
from ...questions.lists import KeyBatch
from .evaluation import Evaluation
from .noisy_sums import NoisySums

__all__ = ["ProjectionModel"]

MOST_KEY_BYTES = 4096


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectionModel(NoisySums):
    """Answers a list Q by <A Q, A D + noise>, with A the signs over the root of their number [BluR11, Sec. 4].

    Unbiased over the signs. Other values than the asked ones add to its variance (|Q|^2 F2 + Q(D)^2) / T at most, with
    F2 the sum of squared counts, which the coordinates themselves tell.
    """

    kind = "sparse-project"
    projection: Projection
    """Each of the sums is one of its coordinates, a sum of signs."""

    @property
    def form(self) -> int:
        return 6

    @cached_property
    def squares(self) -> float:
        """Estimate of the sum of squared counts."""
        found = float((self.sums[1:].astype(np.float64) ** 2).mean())
        return max(0.0, found - self.law.discrete_variance(self.group_scales[1]))

    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        """Value and errors of each list, in rows; there is no list of frequent values that rare ones could be off."""
        height, points = self.projection.height, self.projection.digests(flat.keys)
        numbers = self.sums[1:].astype(np.float64)
        value, squares, fourths = self.projection.lists(points, flat.weights, flat.starts, numbers)
        value = value / height
        lengths = flat.add_up(flat.weights**2)
        return Evaluation(
            value=value,
            noise=np.sqrt(squares * self.law.discrete_variance(self.group_scales[1])) / height,
            collision=np.sqrt((lengths * self.squares + value**2) / height),
            bias=np.zeros(len(flat)),
            fourth=fourths * self.law.discrete_fourth(self.group_scales[1]) / float(height) ** 4,
        )

    def too_long(self, flat: KeyBatch) -> bool:
        """Never: every value has all coordinates."""
        return False

    @property
    def shape(self) -> dict[str, Any]:
        return {"key": self.projection.key.hex(), "height": self.projection.height}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"sums": 1 + int(parameters["height"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> ProjectionModel:
        key, height = bytes.fromhex(parameters["key"]), parameters["height"]
        sane = isinstance(height, int) and 1 <= height <= MOST_HEIGHT and len(key) <= MOST_KEY_BYTES
        if not sane:
            raise BadSynopsis("the synopsis has a height or a key that makes no sense")
        return cls(projection=Projection(key, height), **cls.read(domain, parameters, numbers))

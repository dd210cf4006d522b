"""ProjectionModel: noisy coordinates of a projection by random signs, as published."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ...maths.keys.projection import MOST_HEIGHT, Projection
from ...questions.lists import KeyBatch
from ..reading import noise_scale, read_law
from .evaluation import Evaluation
from .frequent import NONE, Frequent
from .key_columns import KeyColumns
from .keyed import KeyedModel

__all__ = ["ProjectionModel"]

MOST_KEY_BYTES = 4096


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectionModel(KeyedModel):
    """Answers a list Q by <A Q, A D + noise>, with A the signs over the root of their number [BluR11, Sec. 4].

    Unbiased over the signs. Other values than the asked ones add to its variance (|Q|^2 F2 + Q(D)^2) / T at most, with
    F2 the sum of squared counts, which the coordinates themselves tell.
    """

    kind = "sparse-project"
    domain: Domain
    columns: KeyColumns
    projection: Projection
    law: Law
    group_scales: tuple[Fraction, Fraction]
    """Noise of the number of rows (0 where it is public), then of each coordinate."""
    sums: NDArray[np.int64]
    """The number of rows, then the coordinates, each a sum of signs."""
    frequent: Frequent = NONE

    @property
    def form(self) -> int:
        return 6

    @property
    def rows(self) -> float:
        """The number of rows; a noisy one below 1 carries no information, and dividing by 1 keeps answers finite."""
        return max(float(self.sums[0]), 1.0)

    @property
    def rows_noise(self) -> Fraction:
        return self.group_scales[0]

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

    def parameters(self) -> dict[str, Any]:
        return {
            **self.columns.parameters(),
            "key": self.projection.key.hex(),
            "height": self.projection.height,
            "law": self.law,
            "group_scales": [str(s) for s in self.group_scales],
        }

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"sums": self.sums}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"sums": 1 + int(parameters["height"])}

    @classmethod
    def build(
        cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]
    ) -> ProjectionModel:
        law = read_law(parameters["law"])
        scales = tuple(noise_scale(s, law) for s in parameters["group_scales"])
        key, height = bytes.fromhex(parameters["key"]), parameters["height"]
        sane = isinstance(height, int) and 1 <= height <= MOST_HEIGHT and len(key) <= MOST_KEY_BYTES
        if len(scales) != 2 or min(scales) < 0 or not sane:
            raise BadSynopsis("the synopsis has noise, a height or a key that makes no sense")
        return cls(
            domain=domain,
            columns=KeyColumns.read(domain, parameters),
            projection=Projection(key, height),
            law=law,
            group_scales=(scales[0], scales[1]),
            sums=numbers["sums"],
        )

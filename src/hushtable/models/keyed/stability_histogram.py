"""StabilityModel: the frequent values of a column with their noisy counts, and nothing of the others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ...maths.keys.siphash import KEY_BYTES, digests
from ...questions.lists import KeyBatch
from ..reading import noise_scale
from .evaluation import Above, Evaluation
from .frequent import Frequent, frequent_parameters, read_frequent
from .key_columns import KeyColumns
from .keyed import KeyedModel

__all__ = ["StabilityModel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class StabilityModel(KeyedModel):
    """Values on the list answer with their noisy counts, all others with 0 and no noise.

    The bias of an answer says how many rows the others may hide. A count just above the threshold got there with
    positive noise, so the list overstates its least frequent values.
    """

    kind = "stability-histogram"
    domain: Domain
    columns: KeyColumns
    frequent: Frequent
    count: int
    rows_scale: Fraction
    """Noise of the number of rows, 0 where it is public."""
    law: Law = Law.LAPLACE

    @property
    def rows(self) -> float:
        return max(float(self.count), 1.0)

    @property
    def rows_noise(self) -> Fraction:
        return self.rows_scale

    def evaluate(self, flat: KeyBatch, *, rare_is_zero: bool = False) -> Evaluation:
        """Rare values are always zero here."""
        width = 2**32
        flat.sharing((digests(bytes(KEY_BYTES), flat.keys) & np.uint64(width - 1)).view(np.int64), width)
        kept = self.frequent.find(flat.keys)
        weights = flat.weights * (kept >= 0)
        variance = Law.LAPLACE.discrete_variance(self.frequent.scale)
        fourth = Law.LAPLACE.discrete_fourth(self.frequent.scale)
        powers = {power: flat.add_up(weights**power) for power in (1, 2, 3, 4)}
        lost = self.lost(flat, kept)
        # Value + all rows - all frequent ones: a frequent value counts 1 - weight times less. Where rare values are
        # limited by the threshold, the upper end has the noise by which they were missed.
        squares = len(self.frequent.counts) - 2 * powers[1] + powers[2]
        fourths = len(self.frequent.counts) - 4 * powers[1] + 6 * powers[2] - 4 * powers[3] + powers[4]
        return Evaluation(
            value=flat.add_up(weights * np.append(self.frequent.counts, 0)[kept]),
            noise=np.sqrt(variance * powers[2]),
            collision=np.zeros(len(flat)),
            bias=lost.bias,
            fourth=fourth * powers[4],
            above=Above(
                variance=variance * np.where(lost.limited, squares, powers[2]) + lost.variance,
                fourth=fourth * np.where(lost.limited, fourths, powers[4]) + lost.fourth,
                lean=lost.limited,
            ),
        )

    def too_long(self, flat: KeyBatch) -> bool:
        """Never: there are no buckets."""
        return False

    def parameters(self) -> dict[str, Any]:
        scale = {"rows_scale": str(self.rows_scale)}
        return self.columns.parameters() | scale | frequent_parameters(self.frequent)

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"rows": np.array([self.count], dtype=np.int64), "frequent": self.frequent.counts}

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        return {"rows": 1, "frequent": len(parameters["frequent"])}

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> StabilityModel:
        scale, columns = noise_scale(parameters["rows_scale"], Law.LAPLACE), KeyColumns.read(domain, parameters)
        frequent = read_frequent(parameters, numbers["frequent"], len(columns.attributes))
        if scale < 0 or frequent.scale <= 0:
            raise BadSynopsis("the synopsis has a noise scale that makes no sense")
        rows = int(numbers["rows"][0])
        return cls(domain=domain, columns=columns, frequent=frequent, count=rows, rows_scale=scale)

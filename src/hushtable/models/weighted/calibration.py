"""What calibrates the bars of a weighted model: measured ratios of errors to deviations, and what they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ...maths.distribution.kind_ratios import Comparison, Kind, KindRatios

__all__ = ["WeightedCalibration", "calibration_length", "read_calibration", "read_ratios"]

Ints = NDArray[np.int64]
MOST_COMPARISONS = 64
BAD = "the synopsis has a calibration that makes no sense"


@dataclass(frozen=True, eq=False)
class WeightedCalibration:
    """How far answers usually are off, for questions about some columns."""

    ratios: KindRatios
    columns: tuple[int, ...]
    """Positions of the columns that were looked at; of others the model knows nothing."""
    replicates: bool = True
    """Whether deviations have the spread of replicates in them, or chance alone."""

    @classmethod
    def usual(cls, columns: tuple[int, ...], law: Law, *, replicates: bool = True) -> WeightedCalibration:
        """Nothing was measured: ratios are those of other tables."""
        none = np.zeros(0, dtype=np.int64)
        return cls(KindRatios((), none, none, (), law), columns, replicates)

    def to_dict(self) -> dict[str, Any]:
        """What the manifest says."""
        return {
            "columns": list(self.columns),
            "compared": [_plain(comparison) for comparison in self.ratios.comparisons],
            "scales": list(self.ratios.scales),
            "replicates": self.replicates,
        }

    @property
    def numbers(self) -> Ints:
        """The sums, then the expected ones."""
        return np.concatenate([self.ratios.sums, self.ratios.expected])


def _plain(comparison: Comparison) -> list[Any]:
    """Without columns as files of format 5 have it."""
    first, columns = list(comparison[:3]), list(comparison.columns)
    return [*first, columns] if columns else first


def calibration_length(parameters: dict[str, Any]) -> dict[str, int]:
    """How many whole numbers there are; none in a file without."""
    if "calibration" not in parameters:
        return {}
    compared = parameters["calibration"]["compared"]
    if not isinstance(compared, list) or len(compared) > MOST_COMPARISONS:
        raise BadSynopsis(BAD)
    return {"ratios": 2 * len(compared)}


def read_calibration(
    parameters: dict[str, Any], numbers: dict[str, Ints], columns: int, law: Law
) -> WeightedCalibration | None:
    """The inverse of `to_dict` and `numbers`; None in a file without."""
    if "calibration" not in parameters:
        return None
    given = parameters["calibration"]
    positions, replicates = given["columns"], given["replicates"]
    known = isinstance(positions, list) and all(type(p) is int and 0 <= p < columns for p in positions)
    if not known or not isinstance(replicates, bool):
        raise BadSynopsis(BAD)
    return WeightedCalibration(read_ratios(given, numbers["ratios"], law), tuple(positions), replicates)


def read_ratios(given: dict[str, Any], numbers: Ints, law: Law) -> KindRatios:
    """From what was compared with its scales of noise, and the sums and expected ones; BadSynopsis for nonsense."""
    scales, compared = given["scales"], given["compared"]
    plain = isinstance(scales, list) and all(isinstance(s, (int, float)) and 0 < s <= 1e60 for s in scales)
    if not plain or len(scales) != len(compared) or len(numbers) != 2 * len(scales):
        raise BadSynopsis(BAD)
    sums, expected = np.split(numbers, 2)
    if (expected <= 0).any() or np.abs(numbers).max(initial=0) > 2**60:
        raise BadSynopsis(BAD)
    return KindRatios(tuple(_comparison(*one) for one in compared), sums, expected, tuple(map(float, scales)), law)


def _comparison(kind: Any, least: Any, most: Any, columns: Any = ()) -> Comparison:
    if kind not in get_args(Kind) or type(least) is not int or type(most) is not int:
        raise BadSynopsis(BAD)
    if len(columns) > 2 or any(type(column) is not int for column in columns):
        raise BadSynopsis(BAD)
    return Comparison(kind, least, most, tuple(columns))

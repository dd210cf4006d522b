"""Replicates and error ratios on their way into the file and out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ...maths.weighted_rows.error_ratios import MOST_WIDTH, ErrorRatios
from ...maths.weighted_rows.replicates import CARRIERS, MOST_LOG, Replicates, log_unit
from ...maths.weighted_rows.weighted_rows import WeightedRows

__all__ = ["described_replicates", "read_ratios", "read_replicates", "replicate_lengths", "replicate_numbers"]

Integers = NDArray[np.int64]
MOST_REPLICATES = 256


def described_replicates(replicates: Replicates | None, ratios: ErrorRatios | None) -> dict[str, Any]:
    """What the manifest says of them; nothing where there are none."""
    if replicates is None:
        return {}
    return {"replicates": replicates.count, "ratio_scales": [] if ratios is None else list(ratios.scales)}


def replicate_numbers(replicates: Replicates | None, ratios: ErrorRatios | None) -> dict[str, Integers]:
    """Their whole numbers, by member name."""
    if replicates is None:
        return {}
    return {
        "replicates": replicates.logs.ravel(),
        "replicate_shares": np.concatenate([shares.ravel() for shares in replicates.fixed_shares]),
        "ratios": np.zeros(0, dtype=np.int64) if ratios is None else np.concatenate([ratios.sums, ratios.expected]),
    }


def replicate_lengths(parameters: dict[str, Any], sizes: Sequence[int]) -> dict[str, int]:
    """How many whole numbers there are."""
    if "replicates" not in parameters:
        return {}
    count, widths = parameters["replicates"], len(parameters["ratio_scales"])
    if type(count) is not int or not 1 <= count <= MOST_REPLICATES or widths > MOST_WIDTH:
        raise BadSynopsis("the synopsis has replicates that make no sense")
    carried = min(parameters["weighted_rows"], CARRIERS)
    return {"replicates": count * carried, "replicate_shares": count * sum(sizes), "ratios": 2 * widths}


def read_replicates(cloud: WeightedRows, parameters: dict[str, Any], numbers: dict[str, Integers]) -> Replicates | None:
    """The replicates as they were made; None in a file without."""
    if "replicates" not in parameters:
        return None
    count = parameters["replicates"]
    logs = numbers["replicates"].reshape(count, -1)
    ends = np.cumsum([count * len(base) for base in cloud.base])[:-1]
    shares = tuple(part.reshape(count, -1) for part in np.split(numbers["replicate_shares"], ends))
    beyond = np.abs(logs).max(initial=0) > MOST_LOG * log_unit(cloud)
    if beyond or any((p < 0).any() or (p.sum(axis=1) <= 0).any() or p.max() > 2**50 for p in shares):
        raise BadSynopsis("the synopsis has replicates that make no sense")
    return Replicates(cloud, logs, shares)


def read_ratios(law: Law, parameters: dict[str, Any], numbers: dict[str, Integers]) -> ErrorRatios | None:
    """The error ratios as they were measured; None where nothing was."""
    scales = tuple(float(scale) for scale in parameters.get("ratio_scales", ()))
    if not scales:
        return None
    if not all(0 < scale <= 1e60 for scale in scales) or numbers["ratios"][len(scales) :].min() < 0:
        raise BadSynopsis("the synopsis has a calibration that makes no sense")
    sums, expected = np.split(numbers["ratios"], 2)
    return ErrorRatios(sums, expected, scales, law)

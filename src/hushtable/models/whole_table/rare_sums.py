"""Sums of rare values on their way into the file and out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ...maths.weighted_rows.rare_design import WEIGHT_UNIT, RareColumns
from ...maths.weighted_rows.rare_targets import RareMeasured
from ..reading import noise_scale

__all__ = ["built", "described", "numbers_in"]

GROUPS = 5


def described(rare: RareMeasured) -> dict[str, Any]:
    """What the manifest says of the sums."""
    return {
        "even": list(rare.columns.even),
        "columns": list(rare.columns.rare),
        "usual": list(rare.columns.usual),
        "single": rare.single.tolist(),
        "both": rare.both.tolist(),
        "lengths_scale": str(rare.lengths_scale),
        "scales": [str(scale) for scale in rare.scales],
    }


def numbers_in(given: dict[str, Any], sizes: Sequence[int]) -> dict[str, int]:
    """How many integers there are; a description that does not fit its domain is refused."""
    columns = _columns(given)
    lengths = len(columns.rare) + 1
    sound = (
        sorted((*columns.even, *columns.rare)) == list(range(len(sizes)))
        and set(sizes) == {2}
        and len(columns.rare) > 0
        and len(columns.usual) == len(columns.rare)
        and set(columns.usual) <= {0, 1}
        and len(given["single"]) == len(given["both"]) == lengths
        and all(isinstance(w, int) and 0 <= w <= WEIGHT_UNIT for w in (*given["single"], *given["both"]))
        and len(given["scales"]) == GROUPS
    )
    if not sound:
        raise BadSynopsis("the synopsis has sums of rare values that do not fit its domain")
    return {"lengths": 2 * len(columns.rare), "sums": sum(columns.counts)}


def built(given: dict[str, Any], numbers: dict[str, NDArray[np.int64]], law: Law) -> RareMeasured:
    """The sums as they were released."""
    scales = tuple(noise_scale(text, law) for text in given["scales"])
    lengths_scale = noise_scale(given["lengths_scale"], law)
    if min(*scales, lengths_scale) <= 0:
        raise BadSynopsis("the synopsis has sums of rare values without noise")
    single, both = (np.array(given[name], dtype=np.int64) for name in ("single", "both"))
    return RareMeasured(_columns(given), single, both, numbers["lengths"], lengths_scale, numbers["sums"], scales, law)


def _columns(given: dict[str, Any]) -> RareColumns:
    even, rare, usual = (tuple(int(j) for j in given[name]) for name in ("even", "columns", "usual"))
    return RareColumns(even, rare, usual)

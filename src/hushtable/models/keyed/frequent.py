"""Frequent values: those that reached a threshold with noise, and how they are written down."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ..reading import noise_scale

__all__ = ["NONE", "Frequent", "frequent_parameters", "read_frequent"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Frequent:
    """Values that reached a threshold with noise, in the order of their keys, and their noisy counts."""

    scale: Fraction
    threshold: int
    texts: tuple[tuple[str | None, ...], ...]
    counts: NDArray[np.int64]

    @cached_property
    def keys(self) -> Any:
        """The keys, as an Arrow array."""
        import pyarrow as pa

        from ...maths.keys.keys import key_of

        return pa.array([key_of(texts) for texts in self.texts], pa.large_binary())

    def find(self, keys: Any) -> NDArray[np.int64]:
        """Where each key stands in the list, -1 where it does not."""
        import pyarrow.compute as pc

        return np.asarray(pc.fill_null(pc.index_in(keys, self.keys), -1)).astype(np.int64)


NONE = Frequent(scale=Fraction(0), threshold=0, texts=(), counts=np.zeros(0, dtype=np.int64))


def frequent_parameters(frequent: Frequent) -> dict[str, Any]:
    """Everything about frequent values but their counts, as plain values."""
    return {
        "frequent": [list(texts) for texts in frequent.texts],
        "frequent_scale": str(frequent.scale),
        "threshold": frequent.threshold,
    }


def read_frequent(parameters: dict[str, Any], counts: NDArray[np.int64], columns: int) -> Frequent:
    """The inverse of `frequent_parameters`."""
    texts = tuple(tuple(None if t is None else str(t) for t in value) for value in parameters["frequent"])
    if any(len(value) != columns for value in texts) or len(set(texts)) < len(texts):
        raise BadSynopsis("the frequent values of the synopsis do not fit its columns")
    scale, threshold = noise_scale(parameters["frequent_scale"], Law.LAPLACE), parameters["threshold"]
    if not isinstance(threshold, int) or not 0 <= threshold < 2**63:
        raise BadSynopsis("the synopsis has a threshold that makes no sense")
    frequent = Frequent(scale=scale, threshold=threshold, texts=texts, counts=counts)
    if len(frequent.keys.unique()) < len(texts):
        raise BadSynopsis("the frequent values of the synopsis are not distinct")
    return frequent

"""Noisy sums: what the models share whose numbers are how many rows there are and sums over them, each with noise."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ..reading import noise_scale, read_law
from .frequent import NONE, Frequent
from .key_columns import KeyColumns
from .keyed import KeyedModel

__all__ = ["NoisySums"]


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisySums(KeyedModel):
    """One law and two scales: that of the number of rows, and that of every other sum."""

    domain: Domain
    columns: KeyColumns
    law: Law
    group_scales: tuple[Fraction, Fraction]
    """Noise of the number of rows (0 where it is public), then of each of the other sums."""
    sums: NDArray[np.int64]
    """The number of rows, then the others."""
    frequent: Frequent = NONE

    @property
    def rows(self) -> float:
        return max(float(self.sums[0]), 1.0)

    @property
    def rows_noise(self) -> Fraction:
        return self.group_scales[0]

    @property
    @abstractmethod
    def shape(self) -> dict[str, Any]:
        """The parameters that say what the sums are of."""

    def parameters(self) -> dict[str, Any]:
        noise = {"law": self.law, "group_scales": [str(scale) for scale in self.group_scales]}
        return self.columns.parameters() | self.shape | noise

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        return {"sums": self.sums}

    @staticmethod
    def read(domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> dict[str, Any]:
        """The fields above, of a file; BadSynopsis where its noise cannot be."""
        law = read_law(parameters["law"])
        scales = tuple(noise_scale(scale, law) for scale in parameters["group_scales"])
        if len(scales) != 2 or min(scales) < 0:
            raise BadSynopsis("the synopsis has noise that makes no sense")
        columns = KeyColumns.read(domain, parameters)
        return {"domain": domain, "columns": columns, "law": law, "group_scales": scales, "sums": numbers["sums"]}

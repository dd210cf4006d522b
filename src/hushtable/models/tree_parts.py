"""Parts of a tree as a file has them: the bar, what goes with squares, and whether parents are those of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadSynopsis
from ..laws import Law
from ..maths.wide.bar import Expected, WideBar
from .reading import noise_scale

__all__ = ["MEASURED", "bar_of", "rooted", "square_of"]

# Sets are answered from what was measured of pairs up to this width.
MEASURED = 2


def bar_of(law: Law, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> WideBar | None:
    """How far it was off for held-out questions, if that was measured."""
    if "bar" not in parameters:
        return None
    given = parameters["bar"]
    widths, questions = tuple(given["widths"]), given["questions"]
    noise, reach = (tuple(map(float, given[name])) for name in ("noise", "reach"))
    whole = all(type(number) is int and number > 0 for number in (*widths, questions))
    scale = noise_scale(given["scale"], law)
    if not widths or not whole or list(widths) != sorted(set(widths)) or scale <= 0:
        raise BadSynopsis("the synopsis has a calibration that cannot be")
    for own in (noise, reach):
        if len(own) != len(widths) or not all(0 <= number < np.inf for number in own):
            raise BadSynopsis("the synopsis has a calibration whose noise or reach cannot be")
    return WideBar(law, widths, questions, scale, numbers["bar"], Expected(noise=noise, reach=reach, order=MEASURED))


def square_of(parameters: dict[str, Any]) -> float:
    """Files before it was known have none."""
    given = parameters.get("bar", {}).get("square", 0.0)
    if type(given) is not float or not 0 <= given <= 1:
        raise BadSynopsis("the synopsis has a calibration whose part of the square cannot be")
    return given


def rooted(parents: NDArray[np.int64]) -> bool:
    """Whether every way up ends at the root."""
    at = np.arange(len(parents))
    for _ in range(len(parents)):
        at = np.where(at >= 0, parents[at], -1)
    return bool((at < 0).all())

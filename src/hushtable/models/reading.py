"""Reading: plain values of a manifest as numbers that nothing computed from them can overflow."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from ..errors import BadSynopsis
from ..laws import Law

__all__ = ["noise_scale", "plain_fraction", "read_law", "row_count"]

# As Python writes a fraction. Others, such as 1e400000000, are short and fill the memory.
FRACTION = re.compile(r"-?[0-9]{1,2000}(/[1-9][0-9]{0,1999})?")
# Noise of one row times or over this is far beyond any budget; its eighth power is still a float.
WIDEST = 10**30


def plain_fraction(given: Any) -> Fraction:
    """A fraction in the text that `str(Fraction)` makes."""
    if not isinstance(given, str) or not FRACTION.fullmatch(given):
        raise BadSynopsis("the synopsis has a number that is no fraction")
    return Fraction(given)


def read_law(given: Any) -> Law:
    """The law of the noise."""
    try:
        return Law(given)
    except ValueError:
        raise BadSynopsis("the synopsis has noise of a law that nobody knows") from None


def noise_scale(given: Any, law: Law, *, unit: int = 1) -> Fraction:
    """The b of Laplace noise or the variance of Gaussian noise, in units of a row; 0 where there is none."""
    scale, widest = plain_fraction(given), WIDEST**law.power
    if scale and not Fraction(1, widest) <= scale <= widest * unit**law.power:
        raise BadSynopsis("the synopsis has a noise scale that makes no sense")
    return scale


def row_count(given: Any) -> int | None:
    """The number of rows where it is public, else None."""
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given < 2**63:
        raise BadSynopsis("the synopsis has a number of rows that makes no sense")
    return given

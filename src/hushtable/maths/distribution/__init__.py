"""Hypotheses: distributions over a domain that multiplicative weights shape to fit what was measured."""

from .factored import Factored
from .fit import Evidence, fit

__all__ = ["Evidence", "Factored", "fit"]

"""Distributions over a domain, or over keys without end, that multiplicative weights fit to what was measured."""

from .factored import Factored
from .fit import Evidence, fit

__all__ = ["Evidence", "Factored", "fit"]

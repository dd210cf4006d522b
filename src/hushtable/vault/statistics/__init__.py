"""What may leave the vault: sums over rows whose sensitivity is known exactly."""

from .base import Codes, Statistic
from .histogram import Histogram
from .parities import Parities
from .residuals import Residuals
from .tables import Tables

__all__ = ["Codes", "Histogram", "Parities", "Residuals", "Statistic", "Tables"]

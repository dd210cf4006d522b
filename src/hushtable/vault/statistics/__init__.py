"""What may leave the vault: sums over rows whose sensitivity is known exactly."""

from .base import Codes, Statistic
from .chosen_tables import ChosenTables
from .grouped_interactions import GroupedInteractions
from .grouped_tables import GroupedTables
from .histogram import Histogram
from .linear_queries import LinearQueries, statistic_of
from .one_question import OneQuestion
from .parities import Parities
from .part import Part
from .rare_sums import RareLengths, RareSums
from .residuals import Residuals
from .tables import Tables

__all__ = [
    "ChosenTables",
    "Codes",
    "GroupedInteractions",
    "GroupedTables",
    "Histogram",
    "LinearQueries",
    "OneQuestion",
    "Parities",
    "Part",
    "RareLengths",
    "RareSums",
    "Residuals",
    "Statistic",
    "Tables",
    "statistic_of",
]

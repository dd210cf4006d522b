"""What may leave the vault: sums over rows whose sensitivity is known exactly. One file a statistic."""

import sys

from ...registry import classes_in
from .base import Codes, Statistic
from .chosen_tables import ChosenTables
from .grouped_interactions import GroupedInteractions
from .grouped_tables import GroupedTables
from .histogram import Histogram
from .linear_queries import LinearQueries, statistic_of
from .one_question import OneQuestion
from .one_way_tables import OneWayTables
from .parities import Parities
from .part import Part
from .rare_sums import RareLengths, RareSums
from .residuals import Residuals
from .summed_tables import SummedTables
from .tables import Tables

__all__ = [
    "ChosenTables",
    "Codes",
    "GroupedInteractions",
    "GroupedTables",
    "Histogram",
    "LinearQueries",
    "OneQuestion",
    "OneWayTables",
    "Parities",
    "Part",
    "RareLengths",
    "RareSums",
    "Residuals",
    "Statistic",
    "SummedTables",
    "Tables",
    "statistic_of",
    "statistics",
]


def statistics() -> dict[str, type[Statistic]]:
    """Every statistic in this folder, by its name: to add one is to add its file."""
    return classes_in(sys.modules[__name__], Statistic)

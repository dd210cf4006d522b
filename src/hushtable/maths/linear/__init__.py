"""Classes of linear queries: what a mechanism may choose from, one file per way to write them down."""

from .base import MOST_CELLS, LinearClass, cell_starts
from .boxes import Boxes, intervals_of
from .listed import ListedQueries
from .whole_tables import WholeTables

__all__ = ["MOST_CELLS", "Boxes", "LinearClass", "ListedQueries", "WholeTables", "cell_starts", "intervals_of"]

"""What we then believe: from noisy numbers to answers with error bars. Never sees a row."""

from .base import Model
from .decision_lists import DecisionListsModel
from .hash_sketch import HashSketchModel
from .histogram import HistogramModel
from .list_counts import ListCountsModel
from .low_order import LowOrderModel
from .smooth import SmoothModel
from .smooth_direct import SmoothDirectModel
from .stability import StabilityModel
from .tables import TablesModel
from .weighted import WeightedModel
from .whole_table import WholeTableModel

__all__ = [
    "MODELS",
    "DecisionListsModel",
    "HashSketchModel",
    "HistogramModel",
    "ListCountsModel",
    "LowOrderModel",
    "Model",
    "SmoothDirectModel",
    "SmoothModel",
    "StabilityModel",
    "TablesModel",
    "WeightedModel",
    "WholeTableModel",
]

KINDS: tuple[type[Model], ...] = (
    LowOrderModel,
    HistogramModel,
    TablesModel,
    DecisionListsModel,
    WeightedModel,
    HashSketchModel,
    ListCountsModel,
    SmoothDirectModel,
    SmoothModel,
    StabilityModel,
    WholeTableModel,
)
MODELS: dict[str, type[Model]] = {model.kind: model for model in KINDS}

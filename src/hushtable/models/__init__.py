"""What we then believe: from noisy numbers to answers with error bars. Never sees a row."""

from .base import Model
from .decision_lists import DecisionListsModel
from .histogram import HistogramModel
from .low_order import LowOrderModel
from .tables import TablesModel

__all__ = ["MODELS", "DecisionListsModel", "HistogramModel", "LowOrderModel", "Model", "TablesModel"]

MODELS: dict[str, type[Model]] = {
    model.kind: model for model in (LowOrderModel, HistogramModel, TablesModel, DecisionListsModel)
}

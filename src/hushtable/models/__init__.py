"""What we then believe: from noisy numbers to answers with error bars. Never sees a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .base import Model

__all__ = ["MODELS", "Model"]

# Where each kind of model is: imported when a file has it, because importing all takes longer than an answer.
PLACES = {
    "decision-lists": ("decision_lists", "DecisionListsModel"),
    "hash-sketch": ("hash_sketch", "HashSketchModel"),
    "histogram": ("histogram", "HistogramModel"),
    "list-counts": ("list_counts", "ListCountsModel"),
    "low-order": ("low_order", "LowOrderModel"),
    "smooth": ("smooth", "SmoothModel"),
    "smooth-direct": ("smooth_direct", "SmoothDirectModel"),
    "stability-histogram": ("stability", "StabilityModel"),
    "tables": ("tables", "TablesModel"),
    "weighted": ("weighted", "WeightedModel"),
    "whole-table": ("whole_table", "WholeTableModel"),
}


class _Models(Mapping[str, type[Model]]):
    """Every kind of model by the name that files have for it."""

    def __getitem__(self, kind: str) -> type[Model]:
        module, name = PLACES[kind]
        found: type[Model] = getattr(import_module(f".{module}", __name__), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


MODELS: Mapping[str, type[Model]] = _Models()

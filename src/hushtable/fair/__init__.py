"""Fair decisions: similar people get similar odds, from released numbers and public policies alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adjust import AdjustedMetric as AdjustedMetric
    from .adjust import adjust_metric as adjust_metric
    from .bias import worst_bias as worst_bias
    from .coins import Coins as Coins
    from .dimension import doubling_dimension as doubling_dimension
    from .exponential_mechanism import ExponentialRule as ExponentialRule
    from .exponential_mechanism import exponential as exponential
    from .graph_metric import knn_metric as knn_metric
    from .graph_metric import metric_from_edges as metric_from_edges
    from .judgements import JudgedMetric as JudgedMetric
    from .judgements import metric_from_labels as metric_from_labels
    from .metric import Metric as Metric
    from .metric import metric_from_matrix as metric_from_matrix
    from .point_metric import metric_from_points as metric_from_points
    from .policy_file import read_metric as read_metric
    from .released import ReleasedTypes as ReleasedTypes
    from .released import from_synopsis as from_synopsis
    from .rule import FairRule as FairRule
    from .solving import solve as solve
    from .transport import earthmover as earthmover

# They load when first used: whoever only asks questions never loads a solver.
_HOMES = {
    "from_synopsis": "released",
    "ReleasedTypes": "released",
    "read_metric": "policy_file",
    "Metric": "metric",
    "metric_from_matrix": "metric",
    "metric_from_points": "point_metric",
    "knn_metric": "graph_metric",
    "metric_from_edges": "graph_metric",
    "metric_from_labels": "judgements",
    "JudgedMetric": "judgements",
    "adjust_metric": "adjust",
    "AdjustedMetric": "adjust",
    "doubling_dimension": "dimension",
    "solve": "solving",
    "FairRule": "rule",
    "Coins": "coins",
    "earthmover": "transport",
    "worst_bias": "bias",
    "exponential": "exponential_mechanism",
    "ExponentialRule": "exponential_mechanism",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hushtable.fair' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""What may be asked: one file per class of questions."""

from __future__ import annotations

import sys
from functools import cache

from ...errors import BadPlan
from ...registry import classes_in
from ...words import listed, read_call, suggestion
from .base import Workload, under_new_names
from .decision_lists import DecisionLists
from .marginals import Marginals
from .smooth import Smooth

__all__ = ["DecisionLists", "Marginals", "Smooth", "Workload", "read_workload", "workloads"]


@cache
def workloads() -> dict[str, type[Workload]]:
    """Every workload, by name."""
    return classes_in(sys.modules[__name__], Workload)


def read_workload(text: str) -> Workload:
    """The workload a text names: `marginals(width=3)`. Read as data, never evaluated."""
    try:
        name, given = read_call(text)
    except ValueError:
        like = "marginals(width=3) or linear(file='data/queries.csv')"
        raise BadPlan(f"cannot read the workload {text[:60]!r}; write it like {like}") from None
    known = workloads()
    if name not in known:
        names = sorted(known)
        raise BadPlan(f"no workload '{name}'; there are {listed(names)}.{suggestion(name, names)}")
    try:
        return known[name](**under_new_names(given, known[name].former))
    except TypeError:
        fields = [own for own in known[name].__dataclass_fields__ if not own.startswith("_")]  # type: ignore[attr-defined]
        raise BadPlan(
            f"{name} takes {listed(fields) or 'nothing'}; given: {listed(list(given)) or 'nothing'}"
        ) from None

"""What may be asked: one file per class of questions."""

from __future__ import annotations

import ast
import sys
from functools import cache
from typing import Any

from ..discover import classes_in
from ..errors import BadPlan, listed, suggestion
from .base import Workload
from .decision_lists import DecisionLists
from .marginals import Marginals

__all__ = ["DecisionLists", "Marginals", "Workload", "read_workload", "workloads"]


@cache
def workloads() -> dict[str, type[Workload]]:
    """Every workload, by name."""
    return classes_in(sys.modules[__name__], Workload)


def read_workload(text: str) -> Workload:
    """The workload a text names: `marginals(width=3)`. Read as data, never evaluated."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        name, given = call.func.id, {str(k.arg): _plain(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadPlan(f"cannot read the workload {text[:60]!r}; write it like marginals(width=3)") from None
    known = workloads()
    if name not in known:
        names = sorted(known)
        raise BadPlan(f"no workload '{name}'; there are {listed(names)}.{suggestion(name, names)}")
    try:
        return known[name](**given)
    except TypeError:
        fields = list(known[name].__dataclass_fields__)  # type: ignore[attr-defined]
        raise BadPlan(
            f"{name} takes {listed(fields) or 'nothing'}; given: {listed(list(given)) or 'nothing'}"
        ) from None


def _plain(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.List):
        return tuple(_plain(item) for item in node.elts)
    return ast.literal_eval(node)

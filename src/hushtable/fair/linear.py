"""Linear programs: one way to the solver, and sums over merged types."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import BadPolicy
from .metric import Floats, Numbers

__all__ = ["gathered", "minimise"]


def minimise(cost: Floats, **program: Any) -> Any:
    """The result of scipy's linear programming (HiGHS); BadPolicy, and nothing else, when it finds no optimum."""
    result = attempt(cost, **program)
    if result.status != 0:
        raise solver_failed(result)
    return result


def attempt(cost: Floats, **program: Any) -> Any:
    """The result as it is, optimal or not."""
    from scipy.optimize import linprog

    solver: Any = linprog
    return solver(cost, **({"method": "highs-ds"} | program))


def solver_failed(result: Any) -> BadPolicy:
    """The error for a program that was not solved."""
    why = " ".join(str(result.message).split())
    return BadPolicy(f"the solver failed ({why}); nothing is returned: rescale the loss or the metric")


def gathered(label: Numbers, values: Floats, count: int) -> Floats:
    """Sums of values over types with the same label."""
    return np.asarray(np.bincount(label, values, minlength=count), dtype=np.float64)

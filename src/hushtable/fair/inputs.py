"""Inputs: what a fair rule is made from, checked; one line for each thing that can be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadPolicy
from ..words import listed, suggestion
from .metric import Floats

__all__ = [
    "checked_actions",
    "checked_bound",
    "checked_choice",
    "checked_groups",
    "checked_loss",
    "checked_weights",
    "distribution",
    "refuse_private",
]

LEAST_WEIGHT = 1e-12
"""Types without weight keep this much: the rule must say, fairly, what they get too."""


def refuse_private(what: str) -> BadPolicy:
    """The error for numbers that may come from private rows."""
    return BadPolicy(
        f"{what} given as numbers may have come from private rows, and the rule would reveal them: take them from a "
        "synopsis (fair.from_synopsis), or say public=True if everybody may see them"
    )


def checked_choice(value: str, known: Sequence[str], what: str) -> str:
    """One of the known words."""
    if value not in known:
        raise BadPolicy(f"no {what} '{value}'; there are {listed(list(known))}.{suggestion(str(value), list(known))}")
    return value


def checked_loss(loss: ArrayLike, types: int) -> Floats:
    """A table with a line a type and a column an action."""
    try:
        table = np.array(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadPolicy("the loss is a table of numbers, one line a type and one column an action") from None
    if table.ndim != 2 or len(table) != types:
        raise BadPolicy(
            f"the loss has the shape {table.shape} and the metric {types:,} types; give one line a type and one column "
            "an action"
        )
    if table.shape[1] < 2:
        raise BadPolicy("the loss has one action; a decision needs at least two")
    if not np.isfinite(table).all():
        count = int((~np.isfinite(table)).sum())
        raise BadPolicy(f"the loss has {count:,} entries that are not finite numbers; write a large number for never")
    return table


def checked_weights(weights: ArrayLike | None, types: int) -> Floats:
    """Shares of the types that add up to 1; the same for all by default."""
    if weights is None:
        return np.full(types, 1 / types)
    return np.maximum(distribution(weights, types, "the weights"), LEAST_WEIGHT)


def distribution(values: ArrayLike, types: int, what: str) -> Floats:
    """Numbers of at least 0, one a type, divided by their sum."""
    given = np.array(values, dtype=np.float64)
    if given.shape != (types,):
        raise BadPolicy(f"{what} have the shape {given.shape}; give one number for each of the {types:,} types")
    if not np.isfinite(given).all() or (given < 0).any():
        raise BadPolicy(f"{what} must be finite numbers of at least 0")
    if not given.any():
        raise BadPolicy(f"{what} are all 0: nobody is there; give at least one type a weight above 0")
    return np.asarray(given / given.sum())


def checked_groups(groups: Mapping[str, ArrayLike] | None, weights: Floats) -> dict[str, Floats]:
    """Name to distribution. A group given as true and false has the weights of its types."""
    found = {}
    for name, members in (groups or {}).items():
        given = np.asarray(members)
        if given.dtype == bool and given.shape == weights.shape:
            if not given.any():
                raise BadPolicy(f"the group '{name}' is empty; leave it out or give it members")
            given = given * weights
        if not np.any(given):
            raise BadPolicy(f"the group '{name}' is empty; leave it out or give it members")
        found[str(name)] = distribution(given, len(weights), f"the members of '{name}'")
    if len(found) == 1:
        raise BadPolicy(f"one group, '{next(iter(found))}'; compare at least two, such as a group and everybody else")
    return found


def checked_bound(value: float | None, name: str, *, most: float = 1.0) -> float | None:
    """A number from 0 to `most`, or none."""
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= most:
        limit = "of at least 0" if most == np.inf else f"from 0 to {most:g}"
        raise BadPolicy(f"{name} must be a number {limit}, not {value}")
    return float(value)


def checked_actions(actions: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Names of the actions, all different: `no` and `yes` for two, numbers otherwise."""
    if actions is None:
        return ("no", "yes") if count == 2 else tuple(f"action {i + 1}" for i in range(count))
    names = tuple(str(name) for name in actions)
    if len(names) != count or len(set(names)) < count:
        raise BadPolicy(
            f"{len(names)} names of actions ({listed(names)}) for {count} columns of the loss; name each once"
        )
    return names


def plain(value: Any) -> Any:
    """A number for JSON, which has no infinity."""
    return None if isinstance(value, float) and not np.isfinite(value) else value

"""The file of a rule: JSON with everything that was used, so that anybody can check it and decide with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..domain import Domain
from ..errors import BadPath, BadPolicy, HushError
from ..files import new_file
from ..questions.stamp import SIMULATED
from .column_metric import ColumnMetric, ComparedColumn
from .graph_metric import GraphMetric
from .metric import Floats, MatrixMetric, Metric
from .point_metric import PointMetric
from .released import ReleasedTypes
from .rule import FairRule, Solution

__all__ = ["load", "rule_dict", "save"]

FORMAT = "hushtable fair rule 1"
MOST_BYTES = 1_000_000_000
OPTIONAL = ("rates", "rate_errors", "joint_errors", "counted")


def rule_dict(rule: FairRule) -> dict[str, Any]:
    """The rule in plain values."""
    return {
        "format": FORMAT,
        "not_private": SIMULATED if rule.not_private else False,
        "actions": list(rule.actions),
        "divergence": rule.divergence,
        "parameters": rule.parameters,
        "solution": asdict(rule.solution),
        "notes": list(rule.notes),
        "metric": rule.metric.to_dict() | {"notes": list(rule.metric.notes), "declared": rule.metric.declared},
        "groups": {name: members.tolist() for name, members in rule.groups.items()},
        "weights": rule.weights.tolist(),
        "loss": rule.loss_table.tolist(),
        "odds": rule.odds.tolist(),
        "released": None if rule.released is None else _released_dict(rule.released),
    }


def _released_dict(types: ReleasedTypes) -> dict[str, Any]:
    numbers = ("weights", "weight_errors", "loss", "rates", "rate_errors", "joint_errors", "counted")
    plain = {name: _listed(getattr(types, name)) for name in numbers}
    texts = {"columns": list(types.columns), "labels": [list(line) for line in types.labels], "outcome": types.outcome}
    rest = {
        "actions": list(types.actions),
        "costs": types.costs,
        "notes": list(types.notes),
        "modelled": types.modelled,
    }
    return {"domain": types.domain.to_dict(), **texts, **plain, **rest, "not_private": types.not_private}


def _listed(values: Floats | None) -> Any:
    """Numbers for JSON, unknown ones as null."""
    if values is None:
        return None
    return [[_known(v) for v in x] if isinstance(x, list) else _known(x) for x in values.tolist()]


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


def save(rule: FairRule, path: str | Path) -> None:
    """Writes the file; one of that name is not overwritten."""
    text = json.dumps(rule_dict(rule), ensure_ascii=False, allow_nan=False)
    with new_file(path) as file:
        file.write(text.encode("utf-8"))


def load(path: str | Path) -> FairRule:
    """Reads the file of a rule; BadPolicy in one line when it is none, or when its odds are no odds."""
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise BadPolicy(f"{path} is larger than {MOST_BYTES:,} bytes")
        given = json.loads(Path(path).read_bytes())
    except FileNotFoundError:
        raise BadPath(f"no file {path}; give the path of a rule (hush fair solve writes one)") from None
    except OSError as error:
        raise BadPath(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise BadPolicy(f"{path} is not JSON; give the file of a rule (hush fair solve writes one)") from None
    if not isinstance(given, Mapping) or given.get("format") != FORMAT:
        raise BadPolicy(f"{path} is not the file of a fair rule of a version this reads ('{FORMAT}')")
    try:
        rule = _built(given)
        fits = _fits(rule)
    except HushError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise BadPolicy(f"{path} is damaged or was edited ({type(error).__name__}); solve again") from None
    if not fits:
        raise BadPolicy(f"{path} is damaged or was edited: its tables do not have the same types; solve again")
    sums = rule.odds.sum(axis=1)
    # Or a decision would be drawn from something else than odds.
    if not ((rule.odds >= 0).all() and np.abs(sums - 1).max() < 1e-9):
        raise BadPolicy(f"{path} is damaged or was edited: a line of odds does not add up to 1; solve again")
    return rule


def _built(given: Mapping[str, Any]) -> FairRule:
    released = None if given["released"] is None else _released(given["released"])
    return FairRule(
        odds=_numbers(given["odds"]),
        loss_table=_numbers(given["loss"]),
        weights=_numbers(given["weights"]),
        metric=_metric(given["metric"], released, len(given["weights"])),
        divergence=str(given["divergence"]),
        actions=_texts(given["actions"]),
        groups={str(name): _numbers(members) for name, members in given["groups"].items()},
        parameters=_settings(given["parameters"]),
        solution=_solution(given["solution"]),
        notes=_texts(given["notes"]),
        released=released,
    )


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def _settings(given: Any) -> dict[str, Any]:
    """What was asked: names, and plain values."""
    if not all(value is None or isinstance(value, (str, int, float)) for value in given.values()):
        raise TypeError
    return dict(given)


def _solution(given: Mapping[str, Any]) -> Solution:
    """Every field by its own type, so that a report cannot fail on it."""
    kinds: dict[str, Any] = {"rounds": int, "rows": int, "timed_out": bool}
    plain = {name: kinds.get(name, float)(value) for name, value in given.items() if name != "binding"}
    binding = tuple((int(a), int(b), float(price)) for a, b, price in given["binding"])
    return Solution(**plain, binding=binding)


def _fits(rule: FairRule) -> bool:
    """Whether all tables are about the same types, and hold numbers."""
    types, actions = len(rule.weights), len(rule.actions)
    named = len(set(rule.actions)) == actions >= 2 and rule.divergence in ("tv", "inf")
    shapes = {rule.odds.shape, rule.loss_table.shape, (types, actions)}
    same = len(shapes) == 1 and rule.metric.size == types and all(g.shape == (types,) for g in rule.groups.values())
    known = rule.released is None or (len(rule.released) == types and rule.released.actions == rule.actions)
    inside = all(0 <= number < types for pair in rule.solution.binding for number in pair[:2])
    if not (named and same and known and inside):
        return False
    shares = (rule.weights, *rule.groups.values())
    counted = all(np.isfinite(members).all() and (members >= 0).all() and members.any() for members in shares)
    return bool(counted and np.isfinite(rule.loss_table).all() and (rule.metric.block([0]) >= 0).all())


def _numbers(values: Any) -> Floats:
    return np.array(values, dtype=np.float64)


def _released(given: Mapping[str, Any]) -> ReleasedTypes:
    optional: dict[str, Any] = {n: None if given[n] is None else _numbers(given[n]) for n in OPTIONAL}
    return ReleasedTypes(
        domain=Domain.from_dict(given["domain"]),
        columns=_texts(given["columns"]),
        labels=tuple(_texts(line) for line in given["labels"]),
        weights=_numbers(given["weights"]),
        weight_errors=_numbers(given["weight_errors"]),
        loss=_numbers(given["loss"]),
        actions=_texts(given["actions"]),
        outcome=str(given["outcome"]),
        costs=None if given["costs"] is None else {name: float(value) for name, value in given["costs"].items()},
        notes=_texts(given["notes"]),
        not_private=bool(given["not_private"]),
        modelled=bool(given["modelled"]),
        **optional,
    )


def _metric(given: Mapping[str, Any], released: ReleasedTypes | None, types: int) -> Metric:
    """The metric that a file keeps; IndexError, before anything is allocated, when it is about other types."""
    shared: dict[str, Any] = {
        "scale": float(given["scale"]),
        "notes": tuple(given["notes"]),
        "declared": bool(given["declared"]),
    }
    kind = given["kind"]
    if kind in ("matrix", "graph") and int(given["size"]) != types:
        raise IndexError
    if kind == "matrix":
        size = types
        distances = np.zeros((size, size))
        distances[np.triu_indices(size, 1)] = [np.inf if value is None else value for value in given["upper"]]
        return MatrixMetric(distances=distances + distances.T, **shared)
    if kind == "points":
        return PointMetric(
            points=_numbers(given["points"]),
            norm="cityblock" if given["norm"] == "cityblock" else "euclidean",
            **shared,
        )
    if kind == "graph":
        first, second, lengths = given["edges"]
        if not len(first) == len(second) == len(lengths) or not set(first + second) <= set(range(types)):
            raise IndexError
        points = None if given.get("points") is None else _numbers(given["points"])
        return GraphMetric(
            types=types, first=np.array(first, dtype=np.intp), second=np.array(second, dtype=np.intp),
            lengths=_numbers(lengths), points=points, neighbours=int(given.get("neighbours", 0)), **shared,
        )  # fmt: skip
    if kind != "columns" or released is None:
        raise BadPolicy(f"this reads no metric of the kind '{kind}'; solve again with this version")
    columns = tuple(
        ComparedColumn(name=c["name"], labels=tuple(c["labels"]), table=_numbers(c["table"])) for c in given["columns"]
    )
    places = tuple(released.columns.index(column.name) for column in columns)
    codes = [[c.labels.index(line[p]) for c, p in zip(columns, places, strict=True)] for line in released.labels]
    return ColumnMetric(
        columns=columns, ignored=tuple(given["ignored"]), combine=str(given["combine"]),
        codes=np.array(codes, dtype=np.intp), places=places, **shared,
    )  # fmt: skip

"""Policy files: a metric as people write it, columns with weights and scales in YAML, or a matrix in CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..domain.attributes import Attribute, Binned
from ..domain.yaml_text import read_yaml
from ..errors import BadPath, BadPolicy
from ..questions.measure import levels
from ..words import counted, listed, suggestion
from .column_metric import ColumnMetric, ComparedColumn
from .inputs import checked_choice
from .metric import Floats, MatrixMetric, Metric, checked_scale, metric_from_matrix
from .released import ReleasedTypes, cell_labels, from_synopsis

if TYPE_CHECKING:
    from ..synopsis import Synopsis

__all__ = ["metric_of_columns", "read_costs", "read_metric", "types_with_loss"]

SETTINGS = ("columns", "combine", "scale")
OPTIONS = ("weight", "scale", "order", "missing")
MOST_BYTES = 400_000_000


def read_metric(path: str | Path, types: ReleasedTypes, divergence: str = "tv") -> Metric:
    """The metric that a file declares for released types: `.csv` is a matrix, anything else YAML."""
    if Path(path).suffix.lower() == ".csv":
        return _matrix(path, types)
    given = read_yaml(path)
    if not isinstance(given, Mapping):
        raise BadPolicy(f"{path} is no metric; write columns: with a line for each column that counts")
    return metric_of_columns(given, types, divergence, where=str(path))


def metric_of_columns(
    policy: Mapping[str, Any], types: ReleasedTypes, divergence: str = "tv", where: str = "the metric"
) -> ColumnMetric:
    """The metric of a policy `{columns: {income: {scale: 20000}, region: {weight: 0.5}}}`.

    A difference of one `scale` counts `weight` (1 by default); categories count `weight` when they differ, or by their
    distance in a declared `order`. Without a scale of its own the whole is divided by the median distance between two
    people (`tv`), or by 1 (`inf`).
    """
    for name in policy:
        checked_choice(str(name), SETTINGS, f"setting in {where}:")
    columns = policy.get("columns")
    if not isinstance(columns, Mapping) or not columns:
        raise BadPolicy(f"{where} names no columns; write columns: with a line for each column that counts")
    for name in columns:
        if name not in types.columns:
            raise BadPolicy(
                f"{where} has a column '{name}' that is not among the cells; they have {listed(types.columns)}."
                f"{suggestion(str(name), types.columns)}"
            )
    combine = checked_choice(str(policy.get("combine", "sum")), ("sum", "euclidean"), f"way to combine in {where}:")
    made = tuple(_column(str(name), options, types, where) for name, options in columns.items())
    places = tuple(types.columns.index(column.name) for column in made)
    codes = np.array([[c.labels.index(line[p]) for c, p in zip(made, places, strict=True)] for line in types.labels])
    ignored = tuple(name for name in types.columns if name not in columns)
    shared: dict[str, Any] = {"columns": made, "ignored": ignored, "combine": combine, "codes": codes, "places": places}
    notes = (f"the metric does not look at {listed(ignored)}",) if ignored else ()
    if "scale" in policy:
        scale = checked_scale(_number(policy["scale"], f"the scale of {where}"))
        return ColumnMetric(**shared, scale=scale, notes=notes, declared=True)
    if divergence == "inf":
        return ColumnMetric(**shared, notes=notes, declared=True)
    scale = _median(ColumnMetric(**shared), types.weights)
    notes = (
        *notes,
        f"the scale is the median distance between two people, {scale:g}: half of all pairs is not constrained",
    )
    return ColumnMetric(**shared, scale=scale, notes=notes, declared=True)


def _column(name: str, options: Any, types: ReleasedTypes, where: str) -> ComparedColumn:
    """What any two labels of a column count."""
    attribute = types.domain.closed[types.domain.position(name)]
    given = {} if options in (None, "") else options
    if not isinstance(given, Mapping):
        given = {"weight": given}
    for option in given:
        checked_choice(str(option), OPTIONS, f"setting of {name} in {where}:")
    weight = _number(given.get("weight", 1), f"the weight of {name}")
    if weight < 0:
        raise BadPolicy(f"the weight of {name} in {where} is {weight:g}; weights are at least 0")
    missing = _number(given.get("missing", 1), f"missing of {name}")
    step = checked_scale(_number(given["scale"], f"the scale of {name}")) if "scale" in given else None
    places = _places(attribute, given.get("order"), name, where)
    if places is None:
        if step is not None:
            raise BadPolicy(f"{name} has no numbers; give it an order to count steps by, or leave out its scale")
        table = 1.0 - np.eye(attribute.size)
    else:
        known = np.isfinite(places)
        if step is None and isinstance(attribute, Binned) and "order" not in given:
            raise BadPolicy(
                f"{name} is a number; say in {where} which difference counts 1, as in {name}: {{scale: 10}}"
            )
        with np.errstate(invalid="ignore"):
            table = np.abs(places[:, None] - places[None, :]) / (step or 1.0)
        table[~known, :] = table[:, ~known] = missing
        np.fill_diagonal(table, 0.0)
    return ComparedColumn(name=name, labels=attribute.labels, table=weight * table)


def _places(attribute: Attribute, order: Any, name: str, where: str) -> Floats | None:
    """Where the labels of a column are on a line; nan for those that are nowhere, None for plain categories."""
    if order is not None:
        if not isinstance(order, Sequence) or isinstance(order, str):
            raise BadPolicy(f"the order of {name} in {where} must be a list of its values")
        for value in order:
            checked_choice(str(value), attribute.labels, f"value of {name} in {where}:")
        found = {str(value): float(number) for number, value in enumerate(order)}
        return np.array([found.get(label, np.nan) for label in attribute.labels])
    if not isinstance(attribute, Binned):
        return None
    middle, _, known = levels(attribute)
    return np.where(known > 0, middle, np.nan)


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise BadPolicy(f"{what} must be a number, not {value!r}")
    return number


def _median(metric: ColumnMetric, weights: Floats) -> float:
    """The median distance between two people of different types, each type counting as often as it is met."""
    rows = np.arange(metric.size)
    if metric.size > 1500:
        rows = np.argsort(-weights, kind="stable")[:1500]
    away = metric.block(rows)[:, rows]
    both = weights[rows][:, None] * weights[rows][None, :]
    apart = ~np.eye(len(rows), dtype=bool) & (both > 0)
    if not apart.any():
        return 1.0
    order = np.argsort(away[apart], kind="stable")
    share = np.cumsum(both[apart][order])
    middle = float(away[apart][order][int(np.searchsorted(share, share[-1] / 2))])
    return middle if middle > 0 else 1.0


def _lines(path: str | Path) -> list[list[str]]:
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise BadPolicy(f"{path} is larger than {MOST_BYTES:,} bytes")
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return [line for line in csv.reader(file) if line]
    except FileNotFoundError:
        raise BadPath(f"no file {path}; give the path of a CSV file") from None
    except (OSError, ValueError, csv.Error) as error:
        raise BadPath(
            f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not CSV text in UTF-8'}"
        ) from None


def _matrix(path: str | Path, types: ReleasedTypes) -> MatrixMetric:
    """A matrix whose head names every type, in any order; lines follow the order of the head."""
    lines = _lines(path)
    if not lines:
        raise BadPolicy(f"{path} is empty; its first line names the types, and a line of distances follows for each")
    head = [name.strip() for name in lines[0]]
    if sorted(head) != sorted(types.names):
        strange = [name for name in head if name not in types.names] or [n for n in types.names if n not in head]
        raise BadPolicy(
            f"the first line of {path} must name each of the {counted(len(types), 'type')} once, as in "
            f"\"{types.names[0]}\"; it differs at '{strange[0] if strange else head[0]}'."
            f"{suggestion(strange[0], types.names) if strange else ''}"
        )
    values = _numbers(lines[1:], len(head), path)
    if len(values) != len(head):
        raise BadPolicy(f"{path} has {len(values):,} lines of distances for {len(head):,} types; give one for each")
    order = [head.index(name) for name in types.names]
    return metric_from_matrix(values[np.ix_(order, order)], declared=True)


def _numbers(lines: Sequence[Sequence[str]], width: int, path: str | Path) -> Floats:
    found = np.empty((len(lines), width))
    for number, line in enumerate(lines):
        try:
            found[number] = [float(text) for text in line]
        except ValueError:
            raise BadPolicy(f"line {number + 2} of {path} is not {width:,} numbers") from None
    return found


def read_costs(text: str | None) -> dict[str, float] | None:
    """`wrong_yes=5,wrong_no=1` as numbers by name."""
    if text is None:
        return None
    found = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise BadPolicy(f"cannot read the costs at '{part.strip()}'; write wrong_yes=5,wrong_no=1")
        found[name] = _number(value, f"the cost {name}")
    return found


def types_with_loss(
    synopsis: Synopsis, cells: str, path: str | Path, *, outcome: str | None = None, costs: str | None = None
) -> ReleasedTypes:
    """Released types with a loss of one's own: a CSV file with the columns of the cells and one column an action."""
    if outcome is not None or costs is not None:
        raise BadPolicy("a loss of your own takes the place of an outcome and its costs; leave those out, or the loss")
    columns, labels = cell_labels(synopsis, cells)
    table, actions = _loss(path, columns, labels)
    return from_synopsis(synopsis, cells, loss=table, actions=actions)


def _loss(path: str | Path, columns: Sequence[str], labels: Sequence[Sequence[str]]) -> tuple[Floats, tuple[str, ...]]:
    """The table in the order of the cells, and the names of the actions."""
    lines = _lines(path)
    if not lines:
        raise BadPolicy(f"{path} is empty; its first line names {listed(list(columns))} and the actions")
    head = [name.strip() for name in lines[0]]
    for name in columns:
        if name not in head:
            raise BadPolicy(f"{path} has no column '{name}'; it has {listed(head)}.{suggestion(name, head)}")
    actions = tuple(name for name in head if name not in columns)
    places = [head.index(name) for name in columns]
    found: dict[tuple[str, ...], list[str]] = {}
    for line in lines[1:]:
        if len(line) != len(head):
            raise BadPolicy(f"{path} has a line with {len(line)} fields instead of {len(head)}")
        found[tuple(line[p].strip() for p in places)] = [line[head.index(action)] for action in actions]
    lost = [line for line in labels if tuple(line) not in found]
    if lost:
        raise BadPolicy(f"{path} has no line for {counted(len(lost), 'type')}, the first is {', '.join(lost[0])}")
    return _numbers([found[tuple(line)] for line in labels], len(actions), path), actions

"""Summaries: what a rule costs, whom it treats how, and how unequal any rule of its metric could be."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ..questions.stamp import SIMULATED
from ..words import readable
from .bias import worst_bias
from .column_metric import ColumnMetric
from .metric import Floats, Numbers
from .rule import FairRule

__all__ = ["between_groups", "group_bar", "summary", "summary_text"]

MOST_TYPES = 2000
SHOWN = 10


def summary(rule: FairRule) -> dict[str, Any]:
    """Everything a report says, in plain values."""
    solution = rule.solution
    error = None if rule.released is None else rule.released.loss_error(rule.odds)
    binding = [
        {
            "types": [_name(rule, a), _name(rule, b)],
            "distance": _plain(float(rule.metric.block([a])[0, b])),
            "saves": price,
        }
        for a, b, price in solution.binding[:SHOWN]
    ]
    return {
        "types": len(rule.odds),
        "actions": list(rule.actions),
        "divergence": rule.divergence,
        "metric": rule.metric.kind,
        "scale": rule.metric.scale,
        "loss": solution.loss,
        "counted_loss": None if rule.released is None else rule.released.counted_loss(rule.odds),
        "loss_stderr": error,
        "free_loss": solution.free_loss,
        "constant_loss": solution.constant_loss,
        "bound": solution.bound,
        "gap": solution.gap,
        "excess": solution.excess,
        "moved": solution.share,
        "timed_out": solution.timed_out,
        "seconds": solution.seconds,
        "parameters": rule.parameters,
        "groups": {name: _group(rule, name) for name in rule.groups},
        "compared": [_compared(rule, one, other) for one, other in combinations(rule.groups, 2)],
        "binding": binding,
        "notes": list(rule.notes),
        "not_private": rule.not_private,
    }


def _name(rule: FairRule, number: int) -> str:
    """A type by the columns that the metric looks at: those who differ only elsewhere are one."""
    if isinstance(rule.metric, ColumnMetric) and rule.released is not None:
        return ", ".join(rule.released.labels[number][place] for place in sorted(rule.metric.places))
    return rule.types[number]


def _group(rule: FairRule, name: str) -> dict[str, Any]:
    members = rule.groups[name]
    odds = rule.group_odds[name]
    found: dict[str, Any] = {"odds": dict(zip(rule.actions, odds.tolist(), strict=True))}
    if rule.released is not None:
        found["stderr"] = {
            action: rule.released.group_error(members, rule.odds[:, i]) for i, action in enumerate(rule.actions)
        }
    return found


def _compared(rule: FairRule, one: str, other: str) -> dict[str, Any]:
    """Bias of the rule, of any rule, and what an outcome tells about who got it."""
    s, t = rule.group_odds[one], rule.group_odds[other]
    tells = {a: _ratio(float(p), float(q)) for a, p, q in zip(rule.actions, s, t, strict=True)}
    crossing = between_groups(rule, one, other)
    small = len(rule.odds) <= MOST_TYPES
    return {
        "groups": [one, other],
        "bias": rule.bias(one, other),
        "worst_bias": worst_bias(rule.metric, rule.groups[one], rule.groups[other], rule.divergence) if small else None,
        "tells": tells,
        "mean_excess": crossing[0],
        "largest_excess": crossing[1],
    }


def _ratio(p: float, q: float) -> float:
    """How much more likely one group is than the other after seeing an outcome, both as likely before: from 0 to 1."""
    return abs(p - q) / (p + q) if p + q > 0 else 0.0


def between_groups(rule: FairRule, one: str, other: str) -> tuple[float, float]:
    """Mean over the first group of the largest D - d to the other, nothing below 0; and the largest of all."""
    s, t = rule.groups[one], rule.groups[other]
    inside, outside = np.flatnonzero(s > 0), np.flatnonzero(t > 0)
    worst = np.zeros(len(inside))
    for start in range(0, len(inside), 200):
        rows = inside[start : start + 200]
        over = _divergences(rule, rows, outside) - rule.metric.block(rows)[:, outside]
        worst[start : start + len(rows)] = np.maximum(over.max(axis=1), 0.0)
    return float(s[inside] @ worst), float(worst.max())


def _divergences(rule: FairRule, rows: Numbers, columns: Numbers) -> Floats:
    first, second = rule.odds[rows][:, None, :], rule.odds[columns][None, :, :]
    if rule.divergence == "tv":
        return np.asarray(np.abs(first - second).sum(axis=2) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(np.log(first) - np.log(second))
    apart[np.isnan(apart)] = 0.0
    return np.asarray(apart.max(axis=2))


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _bar(found: dict[str, Any]) -> str:
    if found["loss_stderr"] is None:
        return ""
    return f"; by the released counts {found['counted_loss']:.4f} ± {1.96 * found['loss_stderr']:.4f} (95%)"


def group_bar(group: dict[str, Any], action: str) -> str:
    """The error bar of what a group gets, where there is one."""
    error = group.get("stderr", {}).get(action)
    return "" if error is None else f" ± {1.96 * error:.3f}"


def summary_text(found: dict[str, Any]) -> str:
    """The summary to read."""
    bar = _bar(found)
    kept = "all pairs within their distance" if found["excess"] <= 1e-9 else f"pairs exceed it by {found['excess']:.2g}"
    lines = [f"{SIMULATED}"] if found["not_private"] else []
    lines += [
        f"rule       {found['types']:,} types, actions {', '.join(found['actions'])}; {found['divergence']}, {kept}",
        f"metric     {found['metric']}, scale {readable(found['scale'])}",
        f"loss       {found['loss']:.4f}{bar}",
        f"           {found['free_loss']:.4f} without fairness, {found['constant_loss']:.4f} treating everybody alike",
        f"           no such rule has less than {found['bound']:.4f}",
    ]
    for name, group in found["groups"].items():
        shown = ", ".join(
            f"{action} {share:.3f}" + (group_bar(group, action)) for action, share in group["odds"].items()
        )
        lines.append(f"group      {name}: {shown}")
    for pair in found["compared"]:
        one, other = pair["groups"]
        worst = (
            "" if pair["worst_bias"] is None else f"; no rule this metric allows can exceed {pair['worst_bias']:.3f}"
        )
        lines.append(f"bias       {one} and {other}: {pair['bias']:.3f}{worst}")
        if pair["largest_excess"] > 1e-9:
            mean, most = pair["mean_excess"], pair["largest_excess"]
            lines.append(
                f"           pairs between them exceed their distance by {mean:.3f} on average, {most:.3f} at most"
            )
    for pair in found["binding"][:3]:
        lines.append(f"binds      {' | '.join(pair['types'])}")
    return "\n".join([*lines, *(f"note: {note}" for note in found["notes"])])

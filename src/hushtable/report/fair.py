"""Fair report: what a rule promises, what it costs, and whom it treats how. Made from the file of the rule alone."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fair.frontier import Frontier, frontier, plain_fair
from ..fair.rule import FairRule
from ..fair.summary import group_bar, summary
from ..questions.stamp import SIMULATED
from .fair_pictures import COLOURS, Curve2, curves, odds_by_score
from .page import PagePart, facts_table, figures, page, section

__all__ = ["fair_report"]

Floats = NDArray[np.float64]
MOST_LINKS = 60


def fair_report(rule: FairRule) -> str:
    """One HTML page for everyone."""
    found = summary(rule)
    sections = [
        section("What this is", _wide(_facts(rule, found)), _remarks(rule)),
        section("What fairness costs", _wide(_costs(rule, found))),
        *_group_section(found),
        section("Chances by score", _legend(rule), figures(_odds(rule)), text=_score_text(rule)),
        *_frontier_section(rule),
        *_binding_section(rule, found),
        section("What is not promised", text=NOT_PROMISED),
    ]
    title = "A fair rule" if rule.released is None else f"{rule.released.domain.table}: a fair rule"
    return page(title, sections, stamp=SIMULATED if rule.not_private else None)


NOT_PROMISED = (
    "Two people are treated alike as far as the metric calls them alike, and no further: the promise is as good as the "
    "metric. Groups are treated alike only where parity was asked for. Every single decision is drawn by lot, so two "
    "people with the same chances may still get different decisions."
)


def _wide(inner: str) -> str:
    """What may be wider than a small screen scrolls by itself."""
    return f'<div style="overflow-x:auto">{inner}</div>'


def _facts(rule: FairRule, found: dict[str, Any]) -> str:
    meaning = {
        "tv": "the chance of no event differs by more than the distance",
        "inf": "no chance differs by more than a factor of e to the distance",
    }[rule.divergence]
    rows = [
        ("types of people", f"{found['types']:,}"),
        ("decisions", ", ".join(rule.actions)),
        ("promise for every pair", meaning),
        ("largest excess over it", "none" if found["excess"] < 1e-12 else f"{found['excess']:.1e}"),
        ("metric", f"{rule.metric.kind}, scale {rule.metric.scale:g}"),
    ]
    asked = {k: v for k, v in rule.parameters.items() if v is not None and k not in ("tol", "method")}
    if asked:
        rows.append(("also asked", ", ".join(f"{k} {_number(v)}" for k, v in asked.items())))
    if rule.released is not None and rule.released.outcome:
        costs = ", ".join(f"{name} = {value:g}" for name, value in (rule.released.costs or {}).items())
        rows.append(("outcome", f"{rule.released.outcome}; {costs}"))
    return facts_table(("", ""), rows)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _remarks(rule: FairRule) -> str:
    return "".join(f'<p class="note">{escape(note)}</p>' for note in rule.notes)


def _costs(rule: FairRule, found: dict[str, Any]) -> str:
    rows = [
        ("minding nothing but loss", f"{found['free_loss']:.4f}"),
        ("this rule", f"{found['loss']:.4f}"),
        ("no rule with these promises has less than", f"{found['bound']:.4f}"),
        ("treating everybody alike", f"{found['constant_loss']:.4f}"),
    ]
    if any(rule.parameters.get(name) is not None for name in ("parity", "cross", "penalty")):
        rows.insert(1, ("fair to pairs alone", f"{plain_fair(rule).loss:.4f}"))
    if found["loss_stderr"] is not None:
        counted = f"{found['counted_loss']:.4f} ± {1.96 * found['loss_stderr']:.4f}"
        rows.append(("this rule by the released counts as they are (95%)", counted))
    return facts_table(("rule", "expected loss"), rows)


def _group_section(found: dict[str, Any]) -> list[PagePart]:
    if not found["groups"]:
        return []
    actions = found["actions"]
    rows = [(name, *(_share(group, action) for action in actions)) for name, group in found["groups"].items()]
    compared = [
        (
            " and ".join(pair["groups"]),
            f"{pair['bias']:.3f}",
            "-" if pair["worst_bias"] is None else f"{pair['worst_bias']:.3f}",
            f"{pair['mean_excess']:.3f}",
            ", ".join(f"{action} {ratio:.2f}" for action, ratio in pair["tells"].items()),
        )
        for pair in found["compared"]
    ]
    heads = ("groups", "difference", "largest this metric allows", "mean excess between them", "what a decision tells")
    text = (
        "The difference is the total variation between what two groups get. No rule that this metric allows can exceed "
        "the largest. What a decision tells is how much likelier one group is than the other once it is seen, from 0 "
        "to 1, if both were as likely before."
    )
    tables = (_wide(facts_table(("group", *actions), rows)), _wide(facts_table(heads, compared)))
    return [section("Groups", *tables, text=text)]


def _share(group: dict[str, Any], action: str) -> str:
    return f"{group['odds'][action]:.3f}{group_bar(group, action)}"


def _score(rule: FairRule) -> Floats:
    """How good the last action is for the vendor: the released rate, or what it saves against the best other."""
    if rule.released is not None and rule.released.rates is not None:
        return rule.released.rates
    return np.asarray(rule.loss_table[:, :-1].min(axis=1) - rule.loss_table[:, -1])


def _axis(rule: FairRule) -> str:
    if rule.released is not None and rule.released.rates is not None:
        return f"rate of {rule.released.outcome}"
    return f"loss saved by {rule.actions[-1]}"


def _score_text(rule: FairRule) -> str:
    return (
        f"One dot a type, larger for more people: the chance of {rule.actions[-1]} against the {_axis(rule)}. "
        "Before: minding nothing but loss. After: this rule."
    )


def _groups_of(rule: FairRule) -> list[int]:
    """For each type the number of the first group that it is in."""
    if not rule.groups:
        return [0] * len(rule.odds)
    inside = np.array([members > 0 for members in rule.groups.values()])
    first = np.where(inside.any(axis=0), inside.argmax(axis=0), len(COLOURS) - 1)
    return [int(number) for number in first]


def _legend(rule: FairRule) -> str:
    names = "".join(_key(number, name) for number, name in enumerate(rule.groups))
    return f"<p>{names}</p>" if names else ""


def _key(number: int, name: str) -> str:
    """A coloured dot and its name."""
    dot = f'<span style="color:{COLOURS[number % len(COLOURS)]}">●</span>'
    return f'<span style="margin-right:1rem">{dot} {escape(name)}</span>'


def _odds(rule: FairRule) -> list[tuple[str, str]]:
    free = np.eye(len(rule.actions))[rule.loss_table.argmin(axis=1)]
    shared: dict[str, Any] = {"group": _groups_of(rule), "axis": _axis(rule), "action": rule.actions[-1]}
    score = _score(rule)
    return [
        (name, odds_by_score(score, odds[:, -1], rule.weights, title=f"chances by score, {name}", **shared))
        for name, odds in (("before", free), ("after", rule.odds))
    ]


def _frontier_section(rule: FairRule) -> list[PagePart]:
    found: Frontier | None = frontier(rule)
    if found is None:
        return []
    lines = [Curve2(name="every pair kept", x=found.parity, y=found.kept)]
    if found.dropped:
        lines.append(Curve2(name="pairs between groups not compared", x=found.parity, y=found.dropped))
    names = list(rule.groups)
    here = (max(rule.bias(a, b) for a in names for b in names), rule.loss)
    drawn = curves(lines, here, x_name="largest difference between groups", y_name="expected loss",
                   title="loss against parity")  # fmt: skip
    keys = "".join(_key(number, line.name) for number, line in enumerate(lines))
    text = "The least loss for every bound on the difference between groups. The ring is this rule."
    return [section("What parity costs", f"<p>{keys}</p>", figures([("loss against parity", drawn)]), text=text)]


def _binding_section(rule: FairRule, found: dict[str, Any]) -> list[PagePart]:
    if not found["binding"]:
        return []
    rows = [
        (" | ".join(pair["types"]), _distance(pair["distance"]), f"{pair['saves']:.2g}") for pair in found["binding"]
    ]
    links = [link for link in rule.solution.binding if link[2] > 0][:MOST_LINKS]
    drawn = odds_by_score(_score(rule), rule.odds[:, -1], rule.weights, _groups_of(rule), axis=_axis(rule),
                          action=rule.actions[-1], title="pairs that bind", links=links)  # fmt: skip
    text = (
        "These pairs hold the rule back most: it would pay to treat them further apart, and the metric forbids it. "
        "The last column is the loss that a little more distance would save, as a rate. If one of them looks wrong, "
        "question the metric."
    )
    table = _wide(facts_table(("types", "distance", "saves"), rows))
    return [section("Pairs that bind", figures([("the dearest pairs, joined", drawn)]), table, text=text)]


def _distance(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"

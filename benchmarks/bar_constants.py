"""Constants of the bars of whole tables, chosen with each table left out in turn: what bars then hold on that table.

For questions about two columns and more a half-width is t x ratio x deviation. Errors and deviations of many questions
are kept, and ratios and t computed again with other constants. Chosen is what makes the narrowest bars of all that hold
enough of the questions on the other tables; what is usual of a width (the constant USUAL) is the mean of the others.
`python -m benchmarks.bar_constants 2` makes two releases of each table instead of five.
"""

import json
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks import bars
from benchmarks._figure import figure
from benchmarks._tables import load
from hushtable.maths.weighted_rows import error_ratios
from hushtable.maths.weighted_rows.error_ratios import ErrorRatios
from hushtable.questions.answer import interval_factor

FIGURES = ("bar-constants",)
RELEASES, QUESTIONS = 5, 2000
WIDTHS = range(2, error_ratios.MOST_WIDTH + 1)
# What other tables must hold, on the mean and of the worst table and width.
MEAN, WORST = 0.96, 0.9
# What comes of one table is left out together.
SAME = {"adult8": "adult", "adult-permuted": "adult"}


class Choice(NamedTuple):
    """Standard errors that are added, the kurtosis that makes t, and how much tables differ (times what is usual)."""

    caution: float
    kurtosis: float
    spread: float


CHOICES = [Choice(*each) for each in product((0.0, 0.5, 1.0, 1.5), (2.0, 5.0, 8.0), (0.5, 1.0, 2.0))]
PRESENT = Choice(error_ratios.CAUTION, error_ratios.KURTOSIS, 1.0)


@dataclass(frozen=True, eq=False)
class Seen:
    """Of one release and one width: errors of questions, and their deviations before ratio and t."""

    table: str
    epsilon: str
    width: int
    ratios: ErrorRatios
    error: np.ndarray
    deviation: np.ndarray

    def over_usual(self) -> float:
        """The ratio that was measured, as it is."""
        at = self.width - 1
        return float(self.ratios.sums[at] / (self.ratios.expected[at] * error_ratios.SHOWN[at]))


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    """Not private: compares with the true tables."""
    seen: list[Seen] = []
    for name, epsilon in bars.CASES:
        if load(name) is None:
            print(json.dumps({"name": f"bar-constants-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        seen += gathered(name, epsilon, releases)
    tables = sorted({SAME.get(one.table, one.table) for one in seen})
    for left in tables if len(tables) > 1 else ():
        others = [one for one in seen if SAME.get(one.table, one.table) != left]
        own = [one for one in seen if SAME.get(one.table, one.table) == left]
        usual = usual_of(others)
        choice = chosen(others, usual)
        held, wide = outcome(own, usual, choice)
        before, as_now = outcome(own, error_ratios.USUAL, PRESENT)
        print(json.dumps({"name": f"bar-constants-{left}", "choice": choice._asdict(),
                          "usual": [round(u, 2) for u in usual], "held": round(held[0], 4), "worst": round(held[1], 4),
                          "held_at_present": round(before[0], 4), "worst_at_present": round(before[1], 4),
                          "width_over_present": round(wide / as_now, 3)}), flush=True)  # fmt: skip
        yield figure(f"bar-constants-{left}", held[0], "inside 95% bars, constants chosen on other tables",
                     baseline=before[0], ratio=held[0] / before[0], bar="value >= 0.9")  # fmt: skip


def gathered(name: str, epsilon: str, releases: int) -> Iterator[Seen]:
    """Errors and deviations of questions about two columns and more."""
    models: list[Any] = []
    plain = bars.answered

    def kept(model: Any, predicates: Any) -> tuple[np.ndarray, np.ndarray]:
        models.append(model)
        return plain(model, predicates)

    found: dict[int, list[Any]] = {}
    with mock.patch.object(bars, "answered", kept), mock.patch.object(bars, "joined", list):
        found.update(bars.measure(name, epsilon, releases, QUESTIONS))  # type: ignore[arg-type]
    each = models[:: len(found)]
    for width in set(found) & set(WIDTHS):
        for model, one in zip(each, found[width], strict=True):
            if model.ratios is not None and model.rare is None:
                factor = float(interval_factor(0.95, np.array(error_ratios.KURTOSIS))) * model.ratios.ratio(width).ratio
                yield Seen(name, epsilon, width, model.ratios, one.error, one.half / factor)


def usual_of(seen: list[Seen]) -> tuple[float, ...]:
    """The mean ratio of each width over tables, that of one column as it is."""
    means = [error_ratios.USUAL[0]]
    for width in WIDTHS:
        logs = [math.log(max(one.over_usual(), 0.1)) for one in seen if one.width == width]
        means.append(math.exp(float(np.mean(logs))))
    return tuple(means)


def chosen(seen: list[Seen], usual: tuple[float, ...]) -> Choice:
    """Of all choices that hold enough the one with the narrowest bars; if none does, the one that holds most."""
    found = {choice: outcome(seen, usual, choice) for choice in CHOICES}
    enough = [c for c, ((mean, worst), _) in found.items() if mean >= MEAN and worst >= WORST]
    if enough:
        return min(enough, key=lambda choice: found[choice][1])
    return max(found, key=lambda choice: found[choice][0][1])


def outcome(seen: list[Seen], usual: tuple[float, ...], choice: Choice) -> tuple[tuple[float, float], float]:
    """The share inside, on the mean and of the worst table and width; and the geometric mean of t x ratio."""
    t = float(interval_factor(0.95, np.array(choice.kurtosis)))
    inside: dict[tuple[str, str, int], list[float]] = {}
    logs = []
    with ExitStack() as patches:
        new = {"CAUTION": choice.caution, "COMMON": error_ratios.COMMON * choice.spread,
               "OWN": error_ratios.OWN * choice.spread}  # fmt: skip
        for constant, value in new.items():
            patches.enter_context(mock.patch.object(error_ratios, constant, value))
        for one in seen:
            ratio = replace(one.ratios, usual=usual).ratio(one.width).ratio
            logs.append(math.log(t * ratio))
            held = float((one.error <= t * ratio * one.deviation).mean())
            inside.setdefault((one.table, one.epsilon, one.width), []).append(held)
    shares = [float(np.mean(own)) for own in inside.values()]
    return (float(np.mean(shares)), min(shares)), math.exp(float(np.mean(logs)))


if __name__ == "__main__":
    lines = list(run(int(sys.argv[1]) if len(sys.argv) > 1 else RELEASES))
    for line in lines:
        print(json.dumps(line))
    sys.exit(0 if all(line["holds"] for line in lines) else 1)

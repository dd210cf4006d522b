"""Wide questions as they are released by default: error against the best fixed order, and what their bars hold."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks import wide
from benchmarks._figure import figure, wanted
from hushtable.errors import TooLarge

TABLES = {"adult": wide.adult, "nltcs": wide.nltcs, "retail": wide.retail}
ROWS, WIDTHS = (5_000, 15_000, None), (5, 8, 15)
BUDGETS = {"pure": ht.Budget(epsilon=1), "delta": ht.Budget(epsilon=1, delta="1e-9")}
RELATIONS = ("replace", "add-remove")
QUESTIONS, MOST_ORDER = 100, 8
# Errors of few columns hang on the same few noises, so that more releases are needed to compare them.
FEW_COLUMNS, RELEASES, MORE_RELEASES = 20, 3, 4
# An error so many times the least so far has only noise ahead: higher orders are left out.
HOPELESS = 2.0
FIGURES = (*(f"choice-{name}" for name in TABLES), "choice-predicates-8")


def run(only: str | None = None, relations: tuple[str, ...] = RELATIONS[:1]) -> Iterator[dict[str, Any]]:
    """Not private: real tables and random subsets of them; `choice-nltcs-5000-15` measures one subset and width."""
    for name, table in TABLES.items():
        if not wanted(f"choice-{name}", only):
            continue
        bits = table()
        if bits is None:
            print(json.dumps({"name": f"choice-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for rows in ROWS:
            g = np.random.default_rng(1)
            some = bits if rows is None else bits[g.choice(len(bits), rows, replace=False)]
            for width in WIDTHS:
                drawn = [g.choice(bits.shape[1], width, replace=False) for _ in range(QUESTIONS)]
                asked = [np.array(columns) for columns in sorted({tuple(sorted(columns)) for columns in drawn})]
                for relation in relations:
                    for currency, budget in BUDGETS.items():
                        what = f"choice-{name}-{len(some)}-{width}-{currency}-{relation}"
                        if wanted(what, only):
                            yield from figures(what, Setting(some, width, asked, relation, budget))
    if wanted("choice-predicates-8", only):
        yield from eight_of_seven_thousand()
    for name in TABLES:
        if f"choice-{name}".startswith(only or ""):
            by_whole_table(name)


class Setting:
    """One table, one width, one budget: every release answers the same questions, whose truth is known."""

    def __init__(
        self, bits: np.ndarray, width: int, asked: list[np.ndarray], relation: str, budget: ht.Budget,
        workload: str = "any_of",
    ) -> None:  # fmt: skip
        names = [f"x{i}" for i in range(bits.shape[1])]
        bit = {"kind": "boolean", "missing": "error"}
        self.domain = ht.Domain.from_dict(
            {"table": "t", "neighbours": relation, "attributes": dict.fromkeys(names, bit)}
        )
        self.vault = ht.Vault(pandas.DataFrame(bits.astype(bool), columns=names), self.domain)
        self.rows, self.columns, self.width, self.budget = len(bits), bits.shape[1], width, budget
        self.workload, self.releases = workload, MORE_RELEASES if self.columns <= FEW_COLUMNS else RELEASES
        self.asked = [f"any({', '.join(f'x{c}' for c in columns)})" for columns in asked]
        self.truth = np.array([bits[:, columns].any(axis=1).mean() for columns in asked])

    def released(self, order: int | None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """For every release its order, and for every question the value and the ends of its interval."""
        given = "" if order is None else f", order={order}, calibration=0"
        workload = f"{self.workload}(width={self.width}{given})"
        plan = ht.plan(self.domain, rows=self.rows, workload=workload, budget=self.budget)
        for seed in range(self.releases):
            made = self.vault.release(plan, randomness=ht.Simulated(seed))
            answers = [made.ask(text) for text in self.asked]
            model: Any = made.model
            yield model.order, np.array([a.value for a in answers]), np.array([a.interval() for a in answers])

    def errors(self) -> dict[int, np.ndarray]:
        """Absolute errors at every fixed order that fits, at the whole budget, a line a release."""
        found: dict[int, np.ndarray] = {}
        for order in range(1, min(self.width, MOST_ORDER) + 1):
            try:
                found[order] = np.array([np.abs(value - self.truth) for _, value, _ in self.released(order)])
            except TooLarge:
                break
            means = [errors.mean() for errors in found.values()]
            if order > 1 and min(means[-2:]) > HOPELESS * min(means):
                break
        return found


def best_of(fixed: dict[int, np.ndarray]) -> tuple[int, float, float]:
    """The order of least error, that error, and its standard error over releases.

    The least of several noisy means is too small, so the order that is best in half of the releases is measured in the
    other half, and the other way round.
    """
    mean = {order: errors.mean(axis=1) for order, errors in fixed.items()}
    best = min(mean, key=lambda order: float(mean[order].mean()))
    parts = []
    for half in (0, 1):
        chosen = min(mean, key=lambda order: float(mean[order][half::2].mean()))
        parts.append(mean[chosen][1 - half :: 2])
    own = np.concatenate(parts)
    return best, float(own.mean()), float(own.std(ddof=1) / np.sqrt(len(own)))


def figures(what: str, setting: Setting, fixed: dict[int, np.ndarray] | None = None) -> Iterator[dict[str, Any]]:
    """Error over that of the best order; share of questions inside 95% intervals; half-width over the median error."""
    released = list(setting.released(None))
    errors = np.abs(np.array([value for _, value, _ in released]) - setting.truth)
    ends = np.array([ends for _, _, ends in released])
    best, least, noise = best_of(setting.errors() if fixed is None else fixed)
    orders = "/".join(str(order) for order, _, _ in released)
    mean = float(errors.mean())
    ratio, own = mean / least, float(errors.mean(axis=1).std(ddof=1)) / np.sqrt(len(errors))
    give_or_take = float(ratio * np.hypot(own / mean, noise / least))
    yield figure(what, mean, f"mean absolute error at order {orders}; best: order {best}; ratio +- {give_or_take:.2f}",
                 baseline=least, ratio=ratio, bar=f"ratio <= {1.15 + 2 * give_or_take:.3g}")  # fmt: skip
    inside = (ends[:, :, 0] <= setting.truth) & (setting.truth <= ends[:, :, 1])
    held, half = float(inside.mean()), float(np.median(ends[:, :, 1] - ends[:, :, 0])) / 2
    yield figure(f"{what}-held", held, "share inside 95% intervals", baseline=0.95, ratio=held / 0.95,
                 bar="value >= 0.9")  # fmt: skip
    thirds = np.array_split(np.argsort(setting.truth, kind="stable"), 3)
    worst = min(float(inside[:, third].mean()) for third in thirds)
    yield figure(f"{what}-third", worst, "share inside in the worst third of the answers by size", baseline=0.95,
                 ratio=worst / 0.95, bar="value >= 0.85")  # fmt: skip
    median = float(np.median(errors))
    yield figure(f"{what}-half", half, "median half-width; baseline: median error", baseline=median,
                 ratio=half / max(median, 1e-12), bar="ratio <= 6")  # fmt: skip


def eight_of_seven_thousand() -> Iterator[dict[str, Any]]:
    """Not private: `predicates(width=8)` on 7,000 rows, median error against that of the best order."""
    bits = TABLES["nltcs"]()
    if bits is None:
        return
    g = np.random.default_rng(17)
    some = bits[g.choice(len(bits), 7_000, replace=False)]
    asked = [g.choice(bits.shape[1], 8, replace=False) for _ in range(QUESTIONS)]
    for currency, budget in BUDGETS.items():
        setting = Setting(some, 8, asked, "replace", budget, "predicates")
        fixed = {order: float(np.median(errors)) for order, errors in setting.errors().items()}
        best = min(fixed, key=lambda order: fixed[order])
        released = list(setting.released(None))
        median = float(np.median(np.abs(np.array([value for _, value, _ in released]) - setting.truth)))
        orders = "/".join(str(order) for order, _, _ in released)
        yield figure(f"choice-predicates-8-{currency}", median, f"median error at order {orders}; best: order {best}",
                     baseline=fixed[best], ratio=median / fixed[best], bar="ratio <= 1.2")  # fmt: skip


def by_whole_table(name: str) -> None:
    """Not private: prints the mean error of the same questions by a release of the whole table with a delta; no bar."""
    bits = TABLES[name]()
    if bits is None:
        return
    g = np.random.default_rng(1)
    asked = {width: [g.choice(bits.shape[1], width, replace=False) for _ in range(QUESTIONS)] for width in WIDTHS}
    settings = {width: Setting(bits, width, asked[width], "replace", BUDGETS["delta"]) for width in WIDTHS}
    plan = ht.plan(settings[WIDTHS[0]].domain, rows=len(bits), workload="whole_table", budget=BUDGETS["delta"])
    made = settings[WIDTHS[0]].vault.release(plan, randomness=ht.Simulated(0))
    for width, setting in settings.items():
        whole = float(np.mean(np.abs([made.ask(text).value for text in setting.asked] - setting.truth)))
        _, value, _ = next(setting.released(None))
        wide_error = float(np.abs(value - setting.truth).mean())
        compared = {"name": f"choice-{name}-{width}-whole-table", "value": wide_error, "baseline": whole}
        print(json.dumps(compared | {"unit": "mean absolute error; baseline: that of the whole table"}), flush=True)

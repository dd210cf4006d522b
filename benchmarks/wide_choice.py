"""Wide questions as they are released by default: error against the best fixed order, and what their bars hold."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

import hushtable as ht
from benchmarks import wide
from benchmarks._figure import figure
from hushtable.errors import TooLarge

TABLES = {"adult": wide.adult, "nltcs": wide.nltcs, "retail": wide.retail}
ROWS, WIDTHS = (5_000, 15_000, None), (5, 8, 15)
BUDGETS = {"pure": ht.Budget(epsilon=1), "delta": ht.Budget(epsilon=1, delta="1e-9")}
RELATIONS = ("replace", "add-remove")
QUESTIONS, RELEASES, MOST_ORDER = 150, 3, 8
FIGURES = tuple(f"choice-{name}" for name in TABLES)


def run(relations: tuple[str, ...] = RELATIONS[:1]) -> Iterator[dict[str, Any]]:
    """Not private: real tables and random subsets of them."""
    for name, table in TABLES.items():
        bits = table()
        if bits is None:
            print(json.dumps({"name": f"choice-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for rows in ROWS:
            g = np.random.default_rng(1)
            some = bits if rows is None else bits[g.choice(len(bits), rows, replace=False)]
            for width in WIDTHS:
                asked = [g.choice(bits.shape[1], width, replace=False) for _ in range(QUESTIONS)]
                for relation in relations:
                    for currency, budget in BUDGETS.items():
                        what = f"choice-{name}-{len(some)}-{width}-{currency}-{relation}"
                        yield from figures(what, Setting(some, width, asked, relation, budget))


class Setting:
    """One table, one width, one budget: every release answers the same questions, whose truth is known."""

    def __init__(self, bits: np.ndarray, width: int, asked: list[np.ndarray], relation: str, budget: ht.Budget) -> None:
        names = [f"x{i}" for i in range(bits.shape[1])]
        bit = {"kind": "boolean", "missing": "error"}
        self.domain = ht.Domain.from_dict(
            {"table": "t", "neighbours": relation, "attributes": dict.fromkeys(names, bit)}
        )
        self.vault = ht.Vault(pandas.DataFrame(bits.astype(bool), columns=names), self.domain)
        self.rows, self.columns, self.width, self.budget = len(bits), bits.shape[1], width, budget
        self.asked = [f"any({', '.join(f'x{c}' for c in columns)})" for columns in asked]
        self.truth = np.array([bits[:, columns].any(axis=1).mean() for columns in asked])

    def released(self, order: int | None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """For every release its order, and for every question the value and the ends of its interval."""
        given = "" if order is None else f", order={order}, calibration=0"
        workload = f"any_of(width={self.width}{given})"
        plan = ht.plan(self.domain, rows=self.rows, workload=workload, budget=self.budget)
        for seed in range(RELEASES):
            made = self.vault.release(plan, randomness=ht.Simulated(seed))
            answers = [made.ask(text) for text in self.asked]
            model: Any = made.model
            yield model.order, np.array([a.value for a in answers]), np.array([a.interval() for a in answers])

    def errors(self) -> dict[int, float]:
        """Mean absolute error at every fixed order that fits, at the whole budget."""
        found = {}
        for order in range(1, min(self.width, MOST_ORDER) + 1):
            try:
                off = [np.abs(value - self.truth).mean() for _, value, _ in self.released(order)]
            except TooLarge:
                break
            found[order] = float(np.mean(off))
            if found[order] > 10 * min(found.values()):
                break  # noise only grows from here
        return found


def figures(what: str, setting: Setting) -> Iterator[dict[str, Any]]:
    """Error over that of the best order; share of questions inside 95% intervals; half-width over the median error."""
    released = list(setting.released(None))
    errors = np.abs(np.array([value for _, value, _ in released]) - setting.truth)
    ends = np.array([ends for _, _, ends in released])
    fixed = setting.errors()
    best = min(fixed, key=lambda order: fixed[order])
    orders = "/".join(str(order) for order, _, _ in released)
    ratio = float(errors.mean()) / fixed[best]
    yield figure(what, float(errors.mean()), f"mean absolute error at order {orders}; best: order {best}",
                 baseline=fixed[best], ratio=ratio, bar="ratio <= 1.15")  # fmt: skip
    inside = (ends[:, :, 0] <= setting.truth) & (setting.truth <= ends[:, :, 1])
    held, half = float(inside.mean()), float(np.median(ends[:, :, 1] - ends[:, :, 0])) / 2
    yield figure(f"{what}-held", held, "share inside 95% intervals", baseline=0.95, ratio=held / 0.95,
                 bar="value >= 0.9")  # fmt: skip
    median = float(np.median(errors))
    yield figure(f"{what}-half", half, "median half-width; baseline: median error", baseline=median,
                 ratio=half / max(median, 1e-12), bar="ratio <= 6")  # fmt: skip

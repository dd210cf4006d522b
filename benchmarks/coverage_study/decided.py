"""Decision lists: columns whose values are rules. The rows are simulated, for no table of them is public."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from hushtable.domain.decision_list import DecisionList

from .asked import Asked
from .coded import repeated
from .settings import Setting
from .tables import draw

__all__ = ["lists"]


def lists(setting: Setting) -> Any:
    """Shares and counts of lists that decide 1."""
    table = draw(setting.table, setting.rows)
    column = setting.domain(table.attributes).attributes[0]
    assert isinstance(column, DecisionList)
    source, inputs = np.random.default_rng(setting.number), column.inputs
    counted = Counter(table.rows.column("choice").to_pylist())
    rules = [(column.rules(text), many) for text, many in counted.items()]
    asked = []
    for _ in range(15):
        truth = (source.random(len(inputs)) < 0.5).tolist()
        named = " AND ".join(name if yes else f"NOT {name}" for name, yes in zip(inputs, truth, strict=True))
        exact = float(sum(many for rule, many in rules if rule is not None and rule.decide(truth)))
        text = f"decides(choice, {named})"
        asked.append(Asked("share that decides 1", text, exact / setting.rows, span=(0, 1)))
        asked.append(Asked("count that decides 1", text, exact, count=True, span=(0, setting.rows)))
    return repeated(setting, table, asked, workload="decision_lists()", mechanism="decision-lists")

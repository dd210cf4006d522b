"""One figure of a benchmark: what was measured, against what, and whether the bar holds."""

import time
from collections.abc import Callable
from typing import Any


def figure(name: str, value: float, unit: str, *, baseline: float | None, ratio: float, bar: str) -> dict[str, Any]:
    """`bar` is written `ratio <= 1.05`, `ratio >= 8` or `value <= 1`; `holds` is computed from it."""
    what, relation, limit = bar.split()
    seen = ratio if what == "ratio" else value
    holds = seen <= float(limit) if relation == "<=" else seen >= float(limit)
    return {"name": name, "value": float(value), "unit": unit, "baseline": baseline,
            "ratio": float(ratio), "bar": bar, "holds": bool(holds)}  # fmt: skip


def wanted(name: str, only: str | None) -> bool:
    """Whether a call by `only` asks for figures whose names begin with `name`; a call without a name asks for all."""
    return not only or name.startswith(only) or only.startswith(f"{name}-")


def best_of(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest run: noise on a shared machine only ever adds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)

"""Constants of the fit of whole tables, chosen with each table left out in turn: what that costs on the one left out.

For every value of a constant, others as they are, all tables are released with the same seeds. The value that is best
on all tables but one is then held against the present one on that table. `python -m benchmarks.left_out 4` makes four
releases of each instead of one.
"""

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._tables import domain_of, load, true_triples, variations
from benchmarks.fit import no_replicates, release
from hushtable.maths.weighted_rows import fit_rows, fit_targets, repair

# A table, and the releases of it. What comes of one table is left out together.
TABLES = {
    "adult": (("adult", "1"), ("adult", "0.1"), ("adult8", "1")),
    **{
        name: ((name, "1"),)
        for name in ("titanic", "german_credit", "nltcs", "california_housing", "nycflights", "diamonds", "mushroom",
                     "salary", "taxi_chicago", "fire")
    },
}  # fmt: skip
RELEASES = 1
Errors = dict[float, dict[str, float]]


class Constant(NamedTuple):
    """One number of the fit, where it stands, and the other values that are tried."""

    module: Any
    attribute: str
    others: tuple[float, ...]
    repairs: bool = False
    """Whether it matters only where a pair is repaired."""

    @property
    def present(self) -> float:
        """What it is."""
        return float(getattr(self.module, self.attribute))


CONSTANTS = {
    "trust": Constant(fit_targets, "STRONGEST", (0.1, 0.03)),
    "projection": Constant(fit_targets, "PROJECTED", (0.0, 1.0)),
    "repair-trigger": Constant(repair, "TRIGGER", (1.0, math.inf)),
    "repair-kept": Constant(repair, "KEPT", (0.0, 1.0), repairs=True),
    "repair-groups": Constant(repair, "LEVEL", (6,), repairs=True),
}
FIGURES = tuple(f"left-out-{name}" for name in CONSTANTS)


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    """Not private: compares with the true tables."""
    found: dict[str, Errors] = {name: {} for name in CONSTANTS}
    for table, cases in TABLES.items():
        if load(cases[0][0]) is None:
            print(json.dumps({"name": f"left-out-{table}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for name, errors in over_present(cases, releases).items():
            for value, ratio in errors.items():
                found[name].setdefault(value, {})[table] = ratio
    for name, errors in found.items():
        if errors:
            yield chosen(name, errors)


def over_present(cases: tuple[tuple[str, str], ...], releases: int) -> dict[str, dict[float, float]]:
    """Three-way variation with other values of each constant over that with the present one: mean of the logarithm."""
    logs: dict[tuple[str, float], list[float]] = {}
    for name, epsilon in cases:
        frame, sizes = load(name)  # type: ignore[misc]
        codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
        domain, truth = ht.Domain.from_dict(domain_of(sizes)), true_triples(codes, list(sizes.values()))
        for seed in range(1, releases + 1):
            with watched() as repaired:
                present = error(codes, domain, epsilon, seed, truth)
            for what, constant in CONSTANTS.items():
                for value in constant.others:
                    idle = not repaired and (constant.repairs or value > constant.present == repair.TRIGGER)
                    with mock.patch.object(constant.module, constant.attribute, value):
                        own = present if idle else error(codes, domain, epsilon, seed, truth)
                    logs.setdefault((what, value), []).append(math.log(own / present))
            each = {f"{what}={value:g}": round(math.exp(own[-1]), 4) for (what, value), own in logs.items()}
            print(json.dumps({"name": f"left-out-{name}-{epsilon}", "seed": seed, "three_way": round(present, 5),
                              "repaired": len(repaired), **each}), flush=True)  # fmt: skip
    out: dict[str, dict[float, float]] = {}
    for (what, value), own in logs.items():
        out.setdefault(what, {})[value] = math.exp(float(np.mean(own)))
    return out


def error(codes: np.ndarray, domain: ht.Domain, epsilon: str, seed: int, truth: Any) -> float:
    with no_replicates():
        model: Any = release(codes, domain, epsilon, seed)[0].model
    return float(variations(model.cloud.table, truth).mean())


@contextmanager
def watched() -> Iterator[list[Any]]:
    """The pairs that are repaired inside."""
    found: list[Any] = []
    plain = fit_rows.repairs

    def noted(*given: Any) -> Any:
        found.extend(own := plain(*given))
        return own

    with mock.patch.object(fit_rows, "repairs", noted):
        yield found


def chosen(name: str, errors: Errors) -> dict[str, Any]:
    """The present value against the one that is best on all other tables, on the table that was left out."""
    present = CONSTANTS[name].present
    tables = sorted(next(iter(errors.values())))
    ratio = {present: dict.fromkeys(tables, 1.0), **errors}
    best, costs = {}, []
    for left in tables:
        others = [table for table in tables if table != left]
        mean = {value: float(np.mean([math.log(own[t]) for t in others])) for value, own in ratio.items()}
        best[left] = min(mean, key=lambda value: mean[value])
        costs.append(1 / ratio[best[left]][left])
    means = {f"{value:g}": round(float(np.exp(np.mean(np.log(list(own.values()))))), 4) for value, own in ratio.items()}
    print(json.dumps({"name": f"left-out-{name}", "present": present, "mean_over_present": means,
                      "chosen_without": {t: f"{b:g}" for t, b in best.items()}}), flush=True)  # fmt: skip
    mean_cost = float(np.exp(np.mean(np.log(costs))))
    return figure(f"left-out-{name}", mean_cost, "three-way variation over that of the value chosen on other tables",
                  baseline=1.0, ratio=mean_cost, bar="ratio <= 1.005")  # fmt: skip


if __name__ == "__main__":
    lines = list(run(int(sys.argv[1])))
    for line in lines:
        print(json.dumps(line))
    sys.exit(0 if all(line["holds"] for line in lines) else 1)

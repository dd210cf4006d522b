"""Constants of the fit of whole tables, chosen with each table left out in turn: what that costs on the one left out.

For every value of a constant, others where they started, all tables are released with the same seeds. The value that
is best on all tables but one is then held against the present one on that table. `python -m benchmarks.left_out 4`
makes four releases of each instead of one.
"""

import json
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._tables import domain_of, load, true_triples, variations
from benchmarks.fit import no_replicates, release
from hushtable.maths.weighted_rows import fit_rows, fit_targets, repair
from hushtable.maths.weighted_rows.repair import repairs

# A table, and the releases of it. What comes of one table is left out together.
TABLES = {
    "adult": (("adult", "1"), ("adult", "0.1"), ("adult8", "1")),
    **{
        name: ((name, "1"),)
        for name in ("titanic", "german_credit", "nltcs", "california_housing", "nycflights", "diamonds", "mushroom",
                     "salary", "taxi_chicago")
    },
}  # fmt: skip
RELEASES = 1
Errors = dict[float, dict[str, float]]


class Constant(NamedTuple):
    """One number of the fit: where it stands, the value at which the others are tried, and its own other values."""

    module: Any
    attribute: str
    start: float
    others: tuple[float, ...]
    repairs: bool = False
    """Whether it matters only where a pair is repaired."""

    @property
    def present(self) -> float:
        """What it is."""
        return float(getattr(self.module, self.attribute))


CONSTANTS = {
    "trust": Constant(fit_targets, "STRONGEST", 1.0, (0.1, 0.03)),
    "projection": Constant(fit_targets, "PROJECTED", 0.5, (0.0, 1.0)),
    "repair-trigger": Constant(repair, "TRIGGER", 2.0, (1.0, math.inf)),
    "repair-kept": Constant(repair, "KEPT", 0.5, (0.0, 1.0), repairs=True),
    "repair-groups": Constant(repair, "LEVEL", 12, (6,), repairs=True),
}
FIGURES = tuple(f"left-out-{name}" for name in CONSTANTS)


def run(releases: int = RELEASES) -> Iterator[dict[str, Any]]:
    """Not private: compares with the true tables."""
    found: dict[str, Errors] = {name: {} for name in CONSTANTS}
    for table, cases in TABLES.items():
        if load(cases[0][0]) is None:
            print(json.dumps({"name": f"left-out-{table}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for name, errors in over_start(cases, releases).items():
            for value, ratio in errors.items():
                found[name].setdefault(value, {})[table] = ratio
    for name, seen in found.items():
        if seen:
            yield chosen(name, seen)


def over_start(cases: tuple[tuple[str, str], ...], releases: int) -> dict[str, dict[float, float]]:
    """Three-way variation with other values of each constant over that at the start: geometric means."""
    logs: dict[tuple[str, float], list[float]] = {}
    for name, epsilon in cases:
        frame, sizes = load(name)  # type: ignore[misc]
        codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
        domain, truth = ht.Domain.from_dict(domain_of(sizes)), true_triples(codes, list(sizes.values()))
        for seed in range(1, releases + 1):
            with started(), watched() as repaired:
                start = error(codes, domain, epsilon, seed, truth)
            for what, constant in CONSTANTS.items():
                for value in constant.others:
                    # Where nothing is repaired, how it would be does not matter.
                    idle = not repaired and (constant.repairs or value == math.inf)
                    with started(), mock.patch.object(constant.module, constant.attribute, value):
                        own = start if idle else error(codes, domain, epsilon, seed, truth)
                    logs.setdefault((what, value), []).append(math.log(own / start))
            each = {f"{what}={value:g}": round(math.exp(own[-1]), 4) for (what, value), own in logs.items()}
            print(json.dumps({"name": f"left-out-{name}-{epsilon}", "seed": seed, "three_way": round(start, 5),
                              "repaired": len(repaired), **each}), flush=True)  # fmt: skip
    out: dict[str, dict[float, float]] = {}
    for (what, value), several in logs.items():
        out.setdefault(what, {})[value] = math.exp(float(np.mean(several)))
    return out


def error(codes: np.ndarray, domain: ht.Domain, epsilon: str, seed: int, truth: Any) -> float:
    with no_replicates():
        model: Any = release(codes, domain, epsilon, seed)[0].model
    return float(variations(model.cloud.table, truth).mean())


@contextmanager
def started() -> Iterator[None]:
    """All constants where they started."""
    with ExitStack() as patches:
        for constant in CONSTANTS.values():
            patches.enter_context(mock.patch.object(constant.module, constant.attribute, constant.start))
        yield


@contextmanager
def watched() -> Iterator[list[Any]]:
    """The pairs that are repaired inside."""
    found: list[Any] = []

    def noted(*given: Any) -> Any:
        found.extend(own := repairs(*given))
        return own

    with mock.patch.object(fit_rows, "repairs", noted):
        yield found


def chosen(name: str, errors: Errors) -> dict[str, Any]:
    """The present value against the one that is best on all other tables, on the table that was left out."""
    constant = CONSTANTS[name]
    tables = sorted(next(iter(errors.values())))
    ratio = {constant.start: dict.fromkeys(tables, 1.0), **errors}
    best, costs = {}, []
    for left in tables:
        others = [table for table in tables if table != left]
        mean = {value: geometric([own[t] for t in others]) for value, own in ratio.items()}
        best[left] = min(mean, key=lambda value: mean[value])
        costs.append(ratio[constant.present][left] / ratio[best[left]][left])
    means = {f"{value:g}": round(geometric(list(own.values())), 4) for value, own in ratio.items()}
    print(json.dumps({"name": f"left-out-{name}", "present": constant.present, "mean_over_start": means,
                      "chosen_without": {t: f"{b:g}" for t, b in best.items()}}), flush=True)  # fmt: skip
    cost = geometric(costs)
    return figure(f"left-out-{name}", cost, "three-way variation over that of the value chosen on other tables",
                  baseline=1.0, ratio=cost, bar="ratio <= 1.005")  # fmt: skip


def geometric(numbers: list[float]) -> float:
    return float(np.exp(np.mean(np.log(numbers))))


if __name__ == "__main__":
    lines = list(run(int(sys.argv[1]) if len(sys.argv) > 1 else RELEASES))
    for line in lines:
        print(json.dumps(line))
    sys.exit(0 if all(line["holds"] for line in lines) else 1)

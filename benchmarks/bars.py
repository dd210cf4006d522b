"""Error bars of whole tables: how many of many random questions they hold, by width and by size, and how wide they are.

A question: one to five random columns, of each a random set of its values that has 15 to 80% of the rows.
`python -m benchmarks bars-adult` measures one table alone, `bars-adult-0.1` one case.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure, wanted
from benchmarks._predicates import Predicates
from benchmarks._tables import domain_of, load
from benchmarks.whole_table import release
from hushtable.maths.weighted_rows.error_ratios import MOST_WIDTH
from hushtable.models.whole_table.replicated import ReplicateBars, ShareBars

CASES = (
    ("adult", "1"), ("adult", "0.1"), ("adult", "10"), ("adult8", "1"), ("fire", "1"), ("salary", "1"),
    ("taxi_chicago", "1"), ("nltcs", "1"), ("titanic", "1"), ("adult-permuted", "1"), ("nycflights", "1"),
    ("diamonds", "1"),
)  # fmt: skip
OF_ALL = ("bars-covered", "bars-not-too-wide")
FIGURES = (*(f"bars-{name}-{epsilon}" for name, epsilon in CASES), *OF_ALL)
RELEASES, QUESTIONS = 5, 2000
# Columns of two values have one error each, so that five releases of sixteen of them tell a share of 95% to 2.4% only.
MORE_RELEASES = {"nltcs": 20}


@dataclass(frozen=True)
class Seen:
    """Of many questions of one width: true shares, answers, and half of the width of their 95% intervals."""

    truth: np.ndarray
    value: np.ndarray
    half: np.ndarray

    @property
    def error(self) -> np.ndarray:
        return np.abs(self.value - self.truth)

    def covered(self) -> tuple[float, list[float]]:
        """Of all, and of each third by size."""
        inside = self.error <= self.half
        thirds = np.array_split(np.argsort(self.value, kind="stable"), 3)
        return float(inside.mean()), [float(inside[third].mean()) for third in thirds]


def run(only: str | None = None) -> Iterator[dict[str, Any]]:
    everything, whole = [], any(wanted(name, only) for name in OF_ALL)
    for name, epsilon in CASES:
        if not whole and not wanted(f"bars-{name}-{epsilon}", only):
            continue
        if load(name) is None:
            print(json.dumps({"name": f"bars-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        for width, seen in measure(name, epsilon, MORE_RELEASES.get(name, RELEASES), QUESTIONS).items():
            everything.append(seen.covered()[0])
            yield from lines(f"bars-{name}-{epsilon}-{width}", seen)
    if whole and everything:
        mean = float(np.mean(everything))
        yield figure("bars-covered", mean, "of all questions inside their 95% bar", baseline=0.95, ratio=mean / 0.95,
                     bar="value >= 0.93")  # fmt: skip
        yield figure("bars-not-too-wide", mean, "of all questions inside their 95% bar", baseline=0.95,
                     ratio=mean / 0.95, bar="value <= 0.99")  # fmt: skip


def lines(name: str, seen: Seen) -> Iterator[dict[str, Any]]:
    covered, thirds = seen.covered()
    wide = float(np.median(seen.half) / np.median(seen.error))
    print(json.dumps({"name": name, "covered": round(covered, 3), "thirds": [round(t, 3) for t in thirds],
                      "half_width_over_error": round(wide, 2), "error": float(f"{np.median(seen.error):.3g}")}),
          flush=True)  # fmt: skip
    yield figure(f"{name}-covered", covered, "inside 95% bars", baseline=0.9, ratio=covered / 0.9, bar="value >= 0.9")
    yield figure(f"{name}-third", min(thirds), "inside, worst third by size", baseline=0.85, ratio=min(thirds) / 0.85,
                 bar="value >= 0.85")  # fmt: skip
    yield figure(f"{name}-width", wide, "median half-width over median error", baseline=5.0, ratio=wide / 5,
                 bar="ratio <= 1")  # fmt: skip


def measure(name: str, epsilon: str, releases: int, questions: int) -> dict[int, Seen]:
    """What so many questions of each width showed, an equal part of them asked of every release.

    The releases are new every time, the questions are not.
    """
    frame, sizes = load(name)  # type: ignore[misc]
    codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
    domain = ht.Domain.from_dict(domain_of(sizes, ordered=name != "adult-permuted"))
    shares = [np.bincount(c, minlength=s) / codes.shape[1] for c, s in zip(codes, sizes.values(), strict=True)]
    random = np.random.default_rng(0)
    widths = range(1, min(MOST_WIDTH, len(sizes)) + 1)
    asked = {width: Predicates.random(shares, width, questions, random) for width in widths}
    seen: dict[int, list[Seen]] = {width: [] for width in asked}
    ends = np.linspace(0, questions, releases + 1).astype(int)
    for begin, end in pairwise(ends.tolist()):
        model = release(codes, domain, epsilon)
        for width, predicates in asked.items():
            part = predicates.some(begin, end)
            seen[width].append(Seen(part.true_shares(codes), *answered(model, part)))
    return {width: joined(several) for width, several in seen.items()}


def joined(several: list[Seen]) -> Seen:
    truth, value, half = (np.concatenate([getattr(s, n) for s in several]) for n in ("truth", "value", "half"))
    return Seen(truth, value, half)


def answered(model: Any, predicates: Predicates) -> tuple[np.ndarray, np.ndarray]:
    """Values and half-widths as in answers; what is a sum over rows is made for all questions at once."""
    value = predicates.model_shares(model.cloud)
    own, each = predicates.replicate_shares(model.replicates)
    spread = ((each - own[:, None]) ** 2).mean(axis=1)
    half = [
        _bars(model, predicates, number, value[number], spread[number]).half(0.95)[0] for number in range(len(value))
    ]
    return value, np.array(half)


def _bars(model: Any, predicates: Predicates, number: int, value: float, spread: float) -> ShareBars:
    bars = ReplicateBars(model, model.replicates, predicates.question(number, model.domain.sizes))
    return bars.fractions(np.array([value])) if bars.exact else bars.around(np.array([value]), np.array([spread]))

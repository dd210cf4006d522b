"""Error bars of whole tables: how many of many random questions they hold, by width and by size, and how wide they are.

A question: one to five random columns, of each a random set of its values that has 15 to 80% of the rows.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._tables import domain_of, load
from benchmarks.whole_table import release
from hushtable.domain.predicate import Count, Event
from hushtable.maths.weighted_rows.error_ratios import KURTOSIS, MOST_WIDTH
from hushtable.models.whole_table.replicated import ReplicateBars
from hushtable.questions.answer import interval_factor
from hushtable.questions.parse import Question

CASES = (
    ("adult", "1"), ("adult", "0.1"), ("adult", "10"), ("adult8", "1"), ("fire", "1"), ("salary", "1"),
    ("taxi_chicago", "1"), ("nltcs", "1"), ("titanic", "1"), ("adult-permuted", "1"), ("nycflights", "1"),
    ("diamonds", "1"),
)  # fmt: skip
FIGURES = ("bars", *(f"bars-{name}-{epsilon}" for name, epsilon in CASES))
RELEASES, QUESTIONS = 5, 400
LEAST, MOST = 0.15, 0.8


@dataclass(frozen=True)
class Seen:
    """Of many questions of one width: true shares, answers and their standard errors, and the mean ratio in these."""

    truth: np.ndarray
    value: np.ndarray
    stderr: np.ndarray
    ratio: float

    @property
    def error(self) -> np.ndarray:
        return np.abs(self.value - self.truth)

    @property
    def half(self) -> np.ndarray:
        return interval_factor(0.95, KURTOSIS) * self.stderr

    def covered(self) -> tuple[float, list[float]]:
        """Of all, and of each third by size."""
        inside = self.error <= self.half
        thirds = np.array_split(np.argsort(self.value, kind="stable"), 3)
        return float(inside.mean()), [float(inside[third].mean()) for third in thirds]


def run() -> Iterator[dict[str, Any]]:
    everything = []
    for name, epsilon in CASES:
        if load(name) is None:
            print(json.dumps({"name": f"bars-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        by_width = measure(name, epsilon, RELEASES, QUESTIONS)
        everything += [covered for seen in by_width.values() for covered in (seen.covered()[0],)]
        for width, seen in by_width.items():
            yield from lines(f"bars-{name}-{epsilon}-{width}", seen)
    if everything:
        mean = float(np.mean(everything))
        yield figure("bars-covered", mean, "of all questions inside their 95% bar", baseline=0.95, ratio=mean / 0.95,
                     bar="value >= 0.93")  # fmt: skip


def lines(name: str, seen: Seen) -> Iterator[dict[str, Any]]:
    covered, thirds = seen.covered()
    wide = float(np.median(seen.half) / np.median(seen.error))
    print(json.dumps({"name": name, "covered": round(covered, 3), "thirds": [round(t, 3) for t in thirds],
                      "half_width_over_error": round(wide, 2), "error": float(f"{np.median(seen.error):.3g}"),
                      "ratio": round(seen.ratio, 2)}))  # fmt: skip
    yield figure(f"{name}-covered", covered, "inside 95% bars", baseline=0.9, ratio=covered / 0.9, bar="value >= 0.9")
    yield figure(f"{name}-third", min(thirds), "inside, worst third by size", baseline=0.85, ratio=min(thirds) / 0.85,
                 bar="value >= 0.85")  # fmt: skip
    yield figure(f"{name}-width", wide, "median half-width over median error", baseline=5.0, ratio=wide / 5,
                 bar="ratio <= 1")  # fmt: skip


def measure(name: str, epsilon: str, releases: int, questions: int) -> dict[int, Seen]:
    """What many questions showed, by width; the releases are new every time, the questions are not."""
    frame, sizes = load(name)  # type: ignore[misc]
    codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
    domain = ht.Domain.from_dict(domain_of(sizes, ordered=name != "adult-permuted"))
    found: dict[int, list[Seen]] = {}
    for number in range(releases):
        model = release(codes, domain, epsilon)
        random = np.random.default_rng(number)
        for width in range(1, min(MOST_WIDTH, len(sizes)) + 1):
            found.setdefault(width, []).append(ask(model, codes, width, questions, random))
    return {width: joined(several) for width, several in found.items()}


def joined(several: list[Seen]) -> Seen:
    truth, value, stderr = (np.concatenate([getattr(s, n) for s in several]) for n in ("truth", "value", "stderr"))
    return Seen(truth, value, stderr, float(np.mean([s.ratio for s in several])))


def ask(model: Any, codes: np.ndarray, width: int, questions: int, random: np.random.Generator) -> Seen:
    """Values are exact sums over the model's rows, as answers are; bars are those of the answers."""
    rows, shares = codes.shape[1], [np.bincount(c, minlength=s) for c, s in zip(codes, model.domain.sizes, strict=True)]
    able = [j for j, counts in enumerate(shares) if splits(counts / rows)]
    cloud, truth, value, stderr, ratio = model.cloud, [], [], [], 1.0
    for _ in range(questions):
        members = sorted(random.choice(able, min(width, len(able)), replace=False).tolist())
        sets = [some_values(shares[j] / rows, random) for j in members]
        true, inside = np.ones(rows, dtype=bool), cloud.weights.copy()
        for j, kept in zip(members, sets, strict=True):
            true &= kept[codes[j]]
            inside *= np.bincount(cloud.base[j], cloud.inside[j] * kept)[cloud.codes[j]]
        events = tuple(
            Event(j, tuple(kept.tolist()), tuple((~kept).tolist())) for j, kept in zip(members, sets, strict=True)
        )
        bars = ReplicateBars(model, model.replicates, Question(text="", where=Count(len(events), len(events), events)))
        truth.append(true.mean())
        value.append(inside.sum())
        stderr.append(float(bars.fractions(np.array([value[-1]]))[0]))
        ratio = bars.ratio.ratio
    return Seen(np.array(truth), np.array(value), np.array(stderr), float(ratio))


def splits(share: np.ndarray) -> bool:
    """Whether some set of values has a share in the range."""
    return bool(share[share <= MOST].sum() >= LEAST)


def some_values(share: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A random set of values with a share in the range; values with more are never in it."""
    for _ in range(10_000):
        order = random.permutation(len(share))
        sums = np.cumsum(share[order])
        ends = np.flatnonzero((sums >= LEAST) & (sums <= MOST))
        if len(ends):
            kept = np.zeros(len(share), dtype=bool)
            kept[order[: 1 + random.choice(ends)]] = True
            return kept
    raise ValueError("no set of values has a share in the range")


if __name__ == "__main__":
    for _ in run():
        pass

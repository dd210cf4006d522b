"""The fit of whole tables: what its steps after measuring gain, pairs worse than independence, time, size and answers.

Two releases of the same seed, law and budget: one with every step, one without the half projection and without the
repair of drifted pairs. The rest of the fit is the same in both. Then one without replicates, for time and size, and
for how much longer an answer takes.
"""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np

import hushtable as ht
from benchmarks._figure import figure, wanted
from benchmarks._predicates import Predicates
from benchmarks._tables import domain_of, load, true_triples, variations
from hushtable.maths.weighted_rows import fit_targets, repair, table_noise
from hushtable.synopsis import Synopsis
from hushtable.synopsis.file_format import pack
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import Simulated

CASES = (
    ("adult", "1"), ("adult", "0.1"), ("adult", "10"), ("adult-permuted", "1"), ("adult8", "1"), ("salary", "1"),
    ("taxi_chicago", "1"), ("nltcs", "1"), ("titanic", "1"), ("nycflights", "1"), ("diamonds", "1"), ("fire", "1"),
)  # fmt: skip
FIGURES = (*(f"fit-{name}-{epsilon}" for name, epsilon in CASES), "fit-variation", "fit-even-100")
RELEASES = 3
# A pair may be so much further from the truth than the product of the released columns, in total variation, beside two
# standard errors of its released distance.
EXCESS, SIGMAS = 0.002, 2.0
# Answers that are timed, of each width, and how many milliseconds more than without replicates one may take.
ASKED, MOST_MORE = 40, 3.0
EVEN_COLUMNS, EVEN_ROWS = 100, 27_000


def run(only: str | None = None) -> Iterator[dict[str, Any]]:
    """`python -m benchmarks fit-adult-10` compares one case alone."""
    ratios, whole = [], wanted("fit-variation", only)
    for name, epsilon in CASES:
        if not whole and not wanted(f"fit-{name}-{epsilon}", only):
            continue
        if (found := load(name)) is None:
            print(json.dumps({"name": f"fit-{name}", "skipped": "no such table; set HUSHTABLE_DATA"}))
            continue
        frame, sizes = found
        domain = ht.Domain.from_dict(domain_of(sizes, ordered=name != "adult-permuted"))
        codes = np.array([frame[c] for c in sizes], dtype=np.uint16)
        for made in compare(f"fit-{name}-{epsilon}", codes, domain, epsilon):
            if made["name"].endswith("variation"):
                ratios.append(made["ratio"])
            yield made
    if whole and ratios:
        mean = float(np.mean(ratios))
        yield figure("fit-variation", mean, "mean over tables of variation with every step over that without",
                     baseline=1.0, ratio=mean, bar="ratio <= 0.99")  # fmt: skip
    if wanted("fit-even-100", only):
        yield from even()


class Free:
    """An account that charges nothing."""

    def charge(self, price: object, *, what: str) -> None:
        """Nothing to charge."""


def release(codes: np.ndarray, domain: ht.Domain, epsilon: str, seed: int) -> tuple[Synopsis, float]:
    """A rehearsal on rows in memory, and its CPU seconds."""
    made = ht.plan(domain, workload=ht.WholeTable(), budget=ht.Budget(epsilon=epsilon, delta="1e-9"))
    door = Door(total=lambda s: s.accumulate(codes), unit=domain.unit, price=made.design.price, account=Free(),
                randomness=Simulated(seed))  # fmt: skip
    start = time.process_time()
    model = made.by.release(door, domain, made.design)
    seconds = time.process_time() - start
    return Synopsis(domain=domain, model=model, workload="whole_table()", mechanism=made.mechanism, accounting={},
                    not_private=True), seconds  # fmt: skip


def as_it_is(table: np.ndarray, *_: object) -> np.ndarray:
    return table


@contextmanager
def fewer_steps() -> Iterator[None]:
    """Without the half projection of pairs (in the fit and in replicates), and without repairs."""
    with ExitStack() as patches:
        for module in (fit_targets, table_noise):
            patches.enter_context(mock.patch.object(module, "half_projected", as_it_is))
        patches.enter_context(mock.patch.object(repair, "TRIGGER", float("inf")))
        yield


@contextmanager
def no_replicates() -> Iterator[None]:
    with mock.patch.object(table_noise.TableNoise, "replicates", return_value=None):
        yield


def compare(label: str, codes: np.ndarray, domain: ht.Domain, epsilon: str) -> Iterator[dict[str, Any]]:
    truth = true_triples(codes, list(domain.sizes))
    release(codes[:, :2000], domain, epsilon, 0)
    before, after, seconds, bare, worse, worst, size, longer = [], [], [], [], [], [], [], []
    for seed in range(1, RELEASES + 1):
        with fewer_steps():
            before.append(variations(release(codes, domain, epsilon, seed)[0].model.cloud.table, truth).mean())  # type: ignore[attr-defined]
        with no_replicates():
            small, once = release(codes, domain, epsilon, seed)
        whole, cpu = release(codes, domain, epsilon, seed)
        model: Any = whole.model
        after.append(variations(model.cloud.table, truth).mean())
        excess, noise = excesses(model, codes)
        worse.append(int((excess > EXCESS + SIGMAS * noise).sum()))
        worst.append(float(excess.max()))
        seconds.append(cpu)
        bare.append(once)
        size.append(bytes_of(whole) / bytes_of(small))
        longer.append([milliseconds(each.model, codes) for each in (whole, small)])
    print(json.dumps({"name": label, "three_way_before": round(float(np.mean(before)), 5),
                      "three_way_after": round(float(np.mean(after)), 5), "pairs_worse": worse,
                      "worst_excess": round(max(worst), 4), "cpu_seconds": round(float(np.mean(seconds)), 2),
                      "cpu_without_replicates": round(float(np.mean(bare)), 2)}), flush=True)  # fmt: skip
    change = float(np.mean(after) / np.mean(before))
    apart = np.array(after) / np.array(before) - 1
    noise_of_ratio = max(2 * float(apart.std(ddof=1)) / len(apart) ** 0.5, 0.002)
    yield figure(f"{label}-variation", float(np.mean(after)), "mean total variation of three columns",
                 baseline=float(np.mean(before)), ratio=change, bar=f"ratio <= {1 + noise_of_ratio:.4f}")  # fmt: skip
    yield figure(f"{label}-pairs", max(worse), "pairs worse than independence beyond noise", baseline=None,
                 ratio=max(worse), bar="value <= 0")  # fmt: skip
    yield figure(f"{label}-size", float(np.mean(size)), "file over that without replicates", baseline=1.0,
                 ratio=float(np.mean(size)), bar="ratio <= 2.5")  # fmt: skip
    more = float(np.mean(seconds) / np.mean(bare))
    yield figure(f"{label}-time", float(np.mean(seconds)), "CPU seconds", baseline=float(np.mean(bare)), ratio=more,
                 bar="ratio <= 1.6")  # fmt: skip
    ask, alone = np.mean(longer, axis=0).tolist()
    yield figure(f"{label}-ask", ask - alone, "CPU milliseconds more an answer than without replicates", baseline=alone,
                 ratio=ask / alone, bar=f"value <= {MOST_MORE:g}")  # fmt: skip


def milliseconds(model: Any, codes: np.ndarray) -> float:
    """CPU time of an answer, over random conditions on one to five columns; the first one of all is not counted."""
    sizes, random = model.domain.sizes, np.random.default_rng(0)
    shares = [np.bincount(own, minlength=size) / codes.shape[1] for own, size in zip(codes, sizes, strict=True)]
    asked = [Predicates.random(shares, width, ASKED, random) for width in range(1, min(5, len(sizes)) + 1)]
    questions = [each.question(number, sizes) for each in asked for number in range(ASKED)]
    model.answer(questions[-1])
    start = time.process_time()
    for question in questions:
        model.answer(question)
    return 1000 * (time.process_time() - start) / len(questions)


def excesses(model: Any, codes: np.ndarray) -> tuple[np.ndarray, float]:
    """For every pair: total variation from the truth beyond that of the product of the released columns; and the
    standard error of a released distance, in the same units."""
    sizes, shares, found = model.domain.sizes, model.cloud.shares, []
    for i, j in combinations(range(len(sizes)), 2):
        true = np.bincount(codes[i].astype(np.int64) * sizes[j] + codes[j], minlength=sizes[i] * sizes[j])
        share = true.reshape(sizes[i], sizes[j]) / codes.shape[1]
        mine, alone = model.cloud.table((i, j)), np.outer(shares[i], shares[j])
        found.append((np.abs(mine - share).sum() - np.abs(alone - share).sum()) / 2)
    noise = model.law.stderr(model.score_scale) / 1024 / (2 * model.total[0])
    return np.array(found), float(noise)


def bytes_of(synopsis: Synopsis) -> int:
    manifest, members = pack(synopsis)
    return len(manifest) + sum(len(data) for data in members.values())


def even() -> Iterator[dict[str, Any]]:
    """A hundred dependent columns of two values, none of them rare: five hidden factors, shares of 0.3 to 0.7."""
    random = np.random.default_rng(0)
    hidden = random.normal(size=(5, EVEN_ROWS))
    lean = 0.6 * random.normal(size=(EVEN_COLUMNS, 5)) @ hidden + random.normal(size=(EVEN_COLUMNS, EVEN_ROWS))
    cuts = random.uniform(0.3, 0.7, EVEN_COLUMNS)
    codes = np.array([own > np.quantile(own, cut) for own, cut in zip(lean, cuts, strict=True)]).astype(np.uint16)
    domain = ht.Domain.from_dict(domain_of({f"b{j}": 2 for j in range(EVEN_COLUMNS)}))
    few = ht.Domain.from_dict(domain_of({f"b{j}": 2 for j in range(10)}))
    release(codes[:10, :2000], few, "1", 0)
    _, seconds = release(codes, domain, "1", 1)
    yield figure("fit-even-100", seconds, "CPU seconds", baseline=60, ratio=seconds / 60, bar="ratio <= 1")

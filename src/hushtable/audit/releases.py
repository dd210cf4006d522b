"""Whole releases under attack: the same steps on two neighbouring tables, again and again, through a traced door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..budget import UNIT_NAME, Price
from ..domain import Domain
from ..domain.attributes import Attribute
from ..vault.door.randomness import Simulated
from .attacks import Claim, Releases, attack
from .checks import Check, Signs, coins_for, follows_law, halves, is_independent, price_covers
from .exact_laws import Floats
from .key_law import KeyLaw
from .made_up_tables import MadeUpTable
from .measurements import Tally
from .traced_door import Neighbour, Step, Trace, TracedDoor

__all__ = ["Act", "ReleaseCase", "audit_release", "opener"]

# Opens a door; what the release needs of it is up to the case. Returns what was charged.
Act = Callable[[Callable[..., Any], MadeUpTable, Simulated], Price]
# A watch is summed over cells of thresholds, which costs some digits.
WATCH_SLACK = 1e-3
MOST_PITS = 64
# Of so many steps all pairs are compared.
MOST_STEPS = 24


@dataclass(frozen=True, eq=False)
class ReleaseCase:
    """Two neighbouring tables and what is done to each of them."""

    name: str
    domain: Domain
    tables: tuple[MadeUpTable, MadeUpTable]
    act: Act
    runs: int


@dataclass(frozen=True)
class TracedRelease:
    """One release: its steps, and what was charged for it."""

    trace: Trace
    charged: Price


def through(door: Callable[..., Any], price: Price, table: MadeUpTable, randomness: Simulated, tally: Tally) -> Any:
    """A door with an account of its own."""
    return door(total=table.total, unit=table.domain.unit, price=price, account=tally, randomness=randomness)


def spent(tally: Tally, price: Price) -> Price:
    """All that was charged, in the currency of the price; what goes beyond the price was never reserved."""
    total = Price(currency=price.currency, amount=price.amount * 0)
    for charge in tally.charged:
        total = total + charge.into(price.currency)
    amount, delta = min(total.amount, price.amount), min(total.delta, price.delta)
    return Price(currency=price.currency, amount=amount, delta=delta)


def opener(price: Price, release: Callable[[Any, Domain], object]) -> Act:
    """An act that opens one door with this much to spend and hands it to `release`."""

    def act(door: Callable[..., Any], table: MadeUpTable, randomness: Simulated) -> Price:
        tally = Tally()
        release(through(door, price, table, randomness, tally), table.domain)
        return spent(tally, price)

    return act


def audit_release(case: ReleaseCase, *, share: float, seed: int, door: Callable[..., Any] = TracedDoor) -> list[Check]:
    """Exact price of every release, law and independence of all its steps, and the best attack."""
    count = max(20, round(case.runs * share))
    runs = [[_run(case, i, seed + 2 * number + i, door) for number in range(count)] for i in (0, 1)]
    every = [run for side in runs for run in side]
    unit = UNIT_NAME[every[0].charged.currency]
    checks = [_dearest(every, unit)]
    delta = max(sum(step.delta for step in run.trace.steps) for run in every)
    charged = float(min(run.charged.delta for run in every))
    if delta or charged:
        checks.append(price_covers(delta, charged, "delta", runs=len(every), by="every release"))
    checks += _laws(every)
    amount = float(max(run.charged.amount for run in every))
    claim = Claim(unit=unit, amount=amount, delta=float(max(run.charged.delta for run in every)))
    releases = [_releases(side, sign) for side, sign in zip(runs, (1, -1), strict=True)]
    width = max(r.numbers.shape[1] for r in releases)
    wide = [Releases(_padded(r.numbers, width), r.losses) for r in releases]
    return checks + attack(wide[0], wide[1], claim)


def _run(case: ReleaseCase, side: int, seed: int, door: Callable[..., Any]) -> TracedRelease:
    here, other = case.tables[side], case.tables[1 - side]
    trace = Trace(coins_for(seed))

    def keys(attributes: Sequence[Attribute]) -> KeyLaw:
        return KeyLaw(here.keys(attributes), other.keys(attributes))

    def traced(**more: Any) -> Any:
        return door(there=Neighbour(other.total, keys), trace=trace, **more)

    return TracedRelease(trace, case.act(traced, here, Simulated(seed)))


def _dearest(runs: list[TracedRelease], unit: str) -> Check:
    """The release whose exact price comes nearest to what was charged, or exceeds it most."""
    ratios = [run.trace.price / float(run.charged.amount) if run.charged.amount else np.inf for run in runs]
    worst = runs[int(np.argmax(ratios))]
    watched = any(step.kind == "watch" for step in worst.trace.steps)
    slack = {"slack": WATCH_SLACK} if watched else {}
    return price_covers(
        worst.trace.price, float(worst.charged.amount), unit, runs=len(runs), by="every release", **slack
    )


def _laws(runs: list[TracedRelease]) -> list[Check]:
    """The law of every kind of step, and whether all noise is independent, within a step and across steps."""
    kinds = sorted({step.kind for run in runs for step in run.trace.steps})
    whole = all(run.trace.whole_numbers for run in runs)
    checks = []
    for kind in kinds:
        pits = np.concatenate([_shown(step) for run in runs for step in run.trace.steps if step.kind == kind])
        checks.append(follows_law(pits, runs=len(runs), by=kind, whole_numbers=whole))
    signs = [[halves(_shown(step)) for step in run.trace.steps] for run in runs]
    if any(sum(map(len, steps)) > 1 for steps in signs):
        series = [np.concatenate(steps) for steps in signs if steps]
        left, right = (np.concatenate([line[part] for line in series]) for part in (np.s_[:-1], np.s_[1:]))
        checks.append(is_independent(left, right, _by_step(signs), runs=len(runs), by="numbers of one release"))
    return checks


def _by_step(signs: list[list[Signs]]) -> Signs:
    """Releases x steps x numbers, 0 where a release has fewer; of its first steps."""
    steps = min(MOST_STEPS, max(map(len, signs)))
    width = max((len(halves_of) for each in signs for halves_of in each[:steps]), default=0)
    padded = np.zeros((len(signs), steps, width), dtype=np.int8)
    for run, each in enumerate(signs):
        for step, halves_of in enumerate(each[:steps]):
            padded[run, step, : len(halves_of)] = halves_of
    return padded


def _shown(step: Step) -> Floats:
    """Not all buckets of a sketch: enough to see, few enough to be quick."""
    return step.pits if len(step.pits) <= MOST_PITS * 4 else step.pits[: MOST_PITS * 4]


def _releases(runs: list[TracedRelease], sign: int) -> Releases:
    outputs = [run.trace.outputs[:256] for run in runs]
    width = max(map(len, outputs), default=0)
    numbers = _padded([np.array(numbers_of) for numbers_of in outputs], width)
    return Releases(numbers, np.array([sign * run.trace.loss for run in runs]))


def _padded(rows: Any, width: int) -> Floats:
    padded = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded

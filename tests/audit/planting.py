"""Planting: the audit of a case, with a fault in the door or in a statistic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hushtable.audit.checks import Check
from hushtable.audit.measurements import MeasureCase, audit_measure
from hushtable.audit.releases import ReleaseCase, audit_release
from hushtable.audit.shapes import BINARY, shape
from hushtable.audit.statistic_cases import noise_for
from hushtable.audit.step_cases import step_cases
from hushtable.audit.traced_door import Traced
from hushtable.laws import Law
from hushtable.vault.door import door as door_module
from hushtable.vault.door.door import Door

SMALL = shape(BINARY)
DRAWS, SHARE = 4000, 0.1


@contextmanager
def exchanged(**names: object) -> Iterator[None]:
    """The door with other functions in place of those it calls."""
    before = {name: getattr(door_module, name) for name in names}
    for name, value in names.items():
        setattr(door_module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(door_module, name, value)


def measured(statistic, law=Law.LAPLACE, domain=SMALL, *, seed, draws=DRAWS, door=Door) -> list[Check]:
    noise = noise_for(statistic, law, domain)
    return audit_measure(MeasureCase("planted", domain, statistic, noise), draws=draws, seed=seed, door=door)


def released(cases: Iterator[ReleaseCase], named: str, *, seed, door=None, share=SHARE) -> list[Check]:
    case = next(case for case in cases if case.name == named)
    traced = type("TracedFault", (Traced, door), {}) if door else type("TracedDoor", (Traced, Door), {})
    return audit_release(case, share=share, seed=seed, door=traced)


def watched(named: str, **more) -> list[Check]:
    return released(step_cases("watch, then measure"), named, **more)

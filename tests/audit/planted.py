"""Faults planted on purpose: each is a way to get privacy wrong that has happened, or nearly happened, somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

import numpy as np

from hushtable.audit.checks import Check
from hushtable.audit.curator_cases import curator_cases
from hushtable.audit.releases import ReleaseCase, audit_release
from hushtable.audit.shapes import BINARY, shape
from hushtable.audit.statistic_cases import noise_for
from hushtable.audit.step_cases import step_cases
from hushtable.audit.steps import MeasureCase, audit_measure
from hushtable.audit.trace import Traced
from hushtable.interactions import Interactions, Scales
from hushtable.vault import door as door_module
from hushtable.vault.door import Door, Measurement
from hushtable.vault.statistics import Histogram, OneQuestion, Parities

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


def measured(statistic, law="laplace", domain=SMALL, *, seed, draws=DRAWS, door=Door) -> list[Check]:
    noise = noise_for(statistic, law, domain)
    return audit_measure(MeasureCase("planted", domain, statistic, noise), draws=draws, seed=seed, door=door)


def released(cases: Iterator[ReleaseCase], number: int, *, seed, door=None, share=SHARE) -> list[Check]:
    case = next(islice(cases, number, None))
    traced = type("TracedFault", (Traced, door), {}) if door else type("TracedDoor", (Traced, Door), {})
    return audit_release(case, share=share, seed=seed, door=traced)


# Noise


def smaller(scales: Scales) -> Scales:
    """Noise whose scale is 10% too small: the variance, for Gaussian noise, by 19%."""
    factor = Fraction(9, 10) if scales.law == "laplace" else Fraction(81, 100)
    return replace(scales, table=tuple(s * factor for s in scales.table))


def small_noise(seed: int, law: str = "laplace", draws: int = DRAWS, statistic=None) -> list[Check]:
    real = door_module.sample
    with exchanged(sample=lambda scales, randomness: real(smaller(scales), randomness)):
        return measured(statistic or Histogram(SMALL.sizes), law, seed=seed, draws=draws)


def small_gaussian_noise(seed: int) -> list[Check]:
    return small_noise(seed, "gaussian")


def swapped_groups(seed: int) -> list[Check]:
    """Each group has the noise of the next one."""
    real = door_module.sample

    def sample(scales, randomness):
        table = scales.table
        return real(replace(scales, table=(*table[1:], table[0])), randomness)

    with exchanged(sample=sample):
        return measured(Parities(Interactions(SMALL.sizes, 2)), seed=seed, domain=shape(BINARY, "add-remove"))


def shared_noise(seed: int) -> list[Check]:
    """One draw for two coordinates: their difference has no noise at all."""
    real = door_module.sample

    def sample(scales, randomness):
        drawn = real(scales, randomness)
        drawn[1::2] = drawn[: len(drawn[1::2]) * 2 : 2]
        return drawn

    with exchanged(sample=sample):
        return measured(Histogram(SMALL.sizes), seed=seed)


class SkipsEmptyCells(Door):
    """Noise only on cells that occur: an empty cell says so."""

    def measure(self, statistic, noise):
        seen = super().measure(statistic, noise)
        return Measurement(np.where(self._finished(statistic) == 0, 0, seen.values), seen.noise, seen.rows)


def no_noise_on_empty_cells(seed: int) -> list[Check]:
    return measured(Histogram(SMALL.sizes), seed=seed, door=SkipsEmptyCells)


class FloatNoise(Door):
    """Laplace noise of floats: the low bits of a sum are those of its own grid [Mir12]."""

    def measure(self, statistic, noise):
        seen = super().measure(statistic, noise)
        sums = self._finished(statistic)
        chance = np.random.default_rng(int(self._randomness.words(1)[0]))
        return Measurement(sums + chance.laplace(0, float(noise.per_group[0]), len(sums)), seen.noise, seen.rows)


def float_noise(seed: int) -> list[Check]:
    return measured(Histogram(SMALL.sizes), seed=seed, domain=shape(BINARY, "add-remove"), door=FloatNoise)


def proven_above_the_claim(seed: int) -> list[Check]:
    """Noise 10% too small, with as many draws as `hush audit` has: an attack alone proves more than the claim."""
    return small_noise(seed, draws=150_000, statistic=OneQuestion(SMALL.sizes, (0,), np.array([True, False])))


# Sensitivity


class Halved(Histogram):
    """Believes that a replaced row changes one cell, and not two."""

    def spread(self, *, power, weights, neighbours):
        return super().spread(power=power, weights=weights, neighbours=neighbours) / 2


def halved_sensitivity(seed: int) -> list[Check]:
    return measured(Halved(SMALL.sizes), seed=seed)


class Forgetful(Parities):
    """Leaves its last group of coordinates out of its sensitivity."""

    def spread(self, *, power, weights, neighbours):
        return super().spread(power=power, weights=[*weights[:-1], Fraction(0)], neighbours=neighbours)


def forgotten_coordinate(seed: int) -> list[Check]:
    statistic = Forgetful(Interactions(SMALL.sizes, 2))
    noise = noise_for(Parities(Interactions(SMALL.sizes, 2)), "laplace", SMALL)
    return audit_measure(MeasureCase("planted", SMALL, statistic, noise), draws=DRAWS, seed=seed)


class OneRowTooFew(Histogram):
    """Knows nothing of people with several rows: its price is that of one."""

    def spread(self, *, power, weights, neighbours):
        return super().spread(power=power, weights=weights, neighbours=neighbours) / 2**power


def forgotten_rows(seed: int) -> list[Check]:
    return measured(OneRowTooFew(SMALL.sizes), "gaussian", shape(BINARY, rows=2), seed=seed)


# Choosing, comparing, paying


def missing_factor_two(seed: int) -> list[Check]:
    """exp(epsilon score / D) in place of exp(epsilon score / 2D)."""
    real = door_module.permute_and_flip
    with exchanged(permute_and_flip=lambda scores, step, randomness: real(scores, 2 * step, randomness)):
        return released(step_cases("select between two"), 0, seed=seed, share=0.2)


def missing_factor_two_of_rho(seed: int) -> list[Check]:
    real = door_module.exponential
    with exchanged(exponential=lambda scores, step, randomness: real(scores, 2 * step, randomness)):
        return released(step_cases("select between two"), 1, seed=seed, share=0.2)


class ReusesComparison(Door):
    """Answers with the noise of the comparison, as printed for pure epsilon: it shows where the threshold is."""

    def exceeds(self, watch, statistic, reference, *, coordinate=0):
        drawn = []
        draw = watch.draw
        watch.draw = lambda randomness: drawn.append(draw(randomness)) or drawn[0]
        try:
            return super().exceeds(watch, statistic, reference, coordinate=coordinate)
        finally:
            watch.draw, self._again = draw, drawn[0]

    def measure(self, statistic, noise):
        seen = super().measure(statistic, noise)
        if getattr(self, "_again", None) is None:
            return seen
        return Measurement(self._finished(statistic) + self._again, seen.noise, seen.rows)


def reused_comparison(seed: int) -> list[Check]:
    return released(step_cases("watch, then measure"), 0, seed=seed, door=ReusesComparison, share=0.25)


def reused_comparison_in_the_curator(seed: int) -> list[Check]:
    return released(curator_cases("curator", seed=1), 0, seed=seed, door=ReusesComparison, share=1.0)


class NoThresholdNoise(Door):
    """Compares with the threshold itself."""

    def watch(self, **more):
        opened = super().watch(**more)
        opened.threshold = more["threshold"]
        return opened


def exact_threshold(seed: int) -> list[Check]:
    """Under both relations, as an audit tries both."""
    return [
        check
        for number in (0, 2)
        for check in released(step_cases("watch, then measure"), number, seed=seed, door=NoThresholdNoise, share=1.0)
    ]


class PaysOnce(Door):
    """Charges the first step and takes the others for free."""

    def _pay(self, price, what):
        if not getattr(self, "_paid_once", False):
            super()._pay(price, what)
        self._paid_once = True


def charged_once(seed: int) -> list[Check]:
    return released(step_cases("four measurements"), 0, seed=seed, door=PaysOnce)


@dataclass(frozen=True)
class Planted:
    """A fault, and the kinds of checks of which one at least must fail."""

    run: Callable[[int], list[Check]]
    found_by: tuple[str, ...]


FAULTS = {
    "noise 10% too small": Planted(small_noise, ("law",)),
    "Gaussian noise 10% too small": Planted(small_gaussian_noise, ("law",)),
    "noise of another group": Planted(swapped_groups, ("law",)),
    "one draw for two numbers": Planted(shared_noise, ("independence",)),
    "no noise on empty cells": Planted(no_noise_on_empty_cells, ("law", "attack")),
    "noise on a float grid": Planted(float_noise, ("law", "attack")),
    "sensitivity halved": Planted(halved_sensitivity, ("price",)),
    "a coordinate forgotten": Planted(forgotten_coordinate, ("price",)),
    "rows of one person forgotten": Planted(forgotten_rows, ("price",)),
    "factor 2 missing": Planted(missing_factor_two, ("law",)),
    "factor 2 missing, rho": Planted(missing_factor_two_of_rho, ("law",)),
    "comparison noise reused": Planted(reused_comparison, ("law",)),
    "comparison noise reused, curator": Planted(reused_comparison_in_the_curator, ("law",)),
    "threshold without noise": Planted(exact_threshold, ("law",)),
    "charged once for four": Planted(charged_once, ("price",)),
}
__all__ = ["FAULTS", "Planted", "proven_above_the_claim"]

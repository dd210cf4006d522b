"""Faults planted on purpose: each is a way to get privacy wrong that has happened, or nearly happened, somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle

import numpy as np

from hushtable.audit.checks import Check
from hushtable.audit.curator_cases import curator_cases
from hushtable.audit.mechanism_cases import mechanism_cases
from hushtable.audit.releases import ReleaseCase, audit_release
from hushtable.audit.shapes import BINARY, FINE, REAL, RELATIONS, shape
from hushtable.audit.statistic_cases import BUILDERS, noise_for
from hushtable.audit.step_cases import step_cases
from hushtable.audit.steps import MeasureCase, audit_measure
from hushtable.audit.trace import Traced
from hushtable.interactions import Interactions, Scales
from hushtable.smooth.evaluation import evaluate
from hushtable.vault import door as door_module
from hushtable.vault.door import Door, Measurement
from hushtable.vault.noise import sample
from hushtable.vault.statistics import Histogram, OneQuestion, Parities
from hushtable.vault.statistics.chebyshev import MOST_BITS, ChebyshevSums
from hushtable.vault.statistics.functions import FunctionSums

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


def released(cases: Iterator[ReleaseCase], named: str, *, seed, door=None, share=SHARE) -> list[Check]:
    case = next(case for case in cases if case.name == named)
    traced = type("TracedFault", (Traced, door), {}) if door else type("TracedDoor", (Traced, Door), {})
    return audit_release(case, share=share, seed=seed, door=traced)


def watched(named: str, **more) -> list[Check]:
    return released(step_cases("watch, then measure"), named, **more)


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
        return released(step_cases("select between two"), "select between two, replace, pure", seed=seed, share=0.2)


def missing_factor_two_of_rho(seed: int) -> list[Check]:
    real = door_module.exponential
    with exchanged(exponential=lambda scores, step, randomness: real(scores, 2 * step, randomness)):
        return released(step_cases("select between two"), "select between two, replace, zcdp", seed=seed, share=0.2)


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
    return watched("watch, then measure, replace, pure", seed=seed, door=ReusesComparison, share=0.25)


def reused_comparison_in_the_curator(seed: int) -> list[Check]:
    named = "curator, hypothesis, replace, epsilon = 4"
    return released(curator_cases("curator", seed=1), named, seed=seed, door=ReusesComparison, share=1.0)


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
        for relation in RELATIONS
        for check in watched(f"watch, then measure, {relation}, pure", seed=seed, door=NoThresholdNoise, share=1.0)
    ]


class PaysOnce(Door):
    """Charges the first step and takes the others for free."""

    def _pay(self, price, what):
        if not getattr(self, "_paid_once", False):
            super()._pay(price, what)
        self._paid_once = True


def charged_once(seed: int) -> list[Check]:
    return released(step_cases("four measurements"), "four measurements, replace, pure", seed=seed, door=PaysOnce)


class KeepsDelta(Door):
    """Takes the delta of the first reveal only off what is left, so that the second one is free."""

    def _pay(self, price, what):
        left = self._delta
        super()._pay(price, what)
        self._delta = left


class ForgetsDelta(Door):
    """Charges epsilon for a reveal, and not its delta."""

    def _pay(self, price, what):
        super()._pay(replace(price, delta=Fraction(0)), what)


def reveals(door: type[Door], seed: int) -> list[Check]:
    return released(step_cases("reveal"), "reveal, replace, pure", seed=seed, door=door, share=0.05)


def delta_kept(seed: int) -> list[Check]:
    return reveals(KeepsDelta, seed)


def delta_not_charged(seed: int) -> list[Check]:
    return reveals(ForgetsDelta, seed)


# People with several rows


class OneRow(Door):
    """Believes, in one of its verbs, that a person has one row."""

    @contextmanager
    def _one_row(self):
        unit = self._unit
        self._unit = replace(unit, rows=1)
        try:
            yield
        finally:
            self._unit = unit


class WatchOfOneRow(OneRow):
    def watch(self, **more):
        with self._one_row():
            return super().watch(**more)


class SelectOfOneRow(OneRow):
    def select(self, statistic, reference, price, *, among=None):
        with self._one_row():
            return super().select(statistic, reference, price, among=among)


def watch_of_one_row(seed: int, rows: str = "zcdp, 3", share: float = 0.25) -> list[Check]:
    named = f"watch from afar, replace, {rows} rows a person"
    return released(step_cases("watch from afar"), named, seed=seed, door=WatchOfOneRow, share=share)


def watch_of_one_row_of_two(seed: int) -> list[Check]:
    return watch_of_one_row(seed, "pure, 2", share=0.8)


def watch_of_one_row_in_the_curator(seed: int) -> list[Check]:
    named = "curator, hypothesis, replace, rho = 4, 3 rows a person"
    return released(curator_cases("curator", seed=1), named, seed=seed, door=WatchOfOneRow, share=1.0)


def select_of_one_row(seed: int, rows: str = "zcdp, 3", share: float = SHARE) -> list[Check]:
    named = f"select between two, replace, {rows} rows a person"
    return released(step_cases("select between two"), named, seed=seed, door=SelectOfOneRow, share=share)


def select_of_one_row_of_two(seed: int) -> list[Check]:
    return select_of_one_row(seed, "pure, 2", share=0.2)


def select_of_one_row_in_mwem(seed: int) -> list[Check]:
    named = "mwem 4, replace, rho = 8, 3 rows a person: whole"
    return released(mechanism_cases("mwem", seed=1), named, seed=seed, door=SelectOfOneRow, share=1.0)


# Noise that is used twice


class NoiseByShape:
    """Draws noise once for every shape that is asked for, and hands the same out again."""

    def __init__(self):
        self.known, self.source = {}, None

    def __call__(self, scales, randomness):
        if randomness is not self.source:  # another release
            self.known, self.source = {}, randomness
        shape = scales.law, scales.table, len(scales.index)
        if shape not in self.known:
            self.known[shape] = sample(scales, randomness)
        return self.known[shape].copy()


def noise_used_again(seed: int) -> list[Check]:
    with exchanged(sample=NoiseByShape()):
        return released(step_cases("four measurements"), "four measurements, replace, pure", seed=seed)


def noise_used_again_later(seed: int) -> list[Check]:
    """Between two uses of one noise there is another, so that no step has the noise of the one before."""
    turns = cycle((NoiseByShape(), NoiseByShape()))

    def in_turn(scales, randomness):
        return next(turns)(scales, randomness)

    with exchanged(sample=in_turn):
        return released(step_cases("four measurements"), "four measurements, replace, zcdp", seed=seed)


def noise_used_again_within(seed: int) -> list[Check]:
    """One half of a measurement has the noise of the other."""

    def halved(scales, randomness):
        drawn = sample(scales, randomness)
        blocks = drawn.reshape(-1, 8)
        blocks[:, 4:] = blocks[:, :4]
        return drawn

    with exchanged(sample=halved):
        return measured(Histogram(SMALL.sizes), seed=seed)


# What a row counts


class Unclamped(FunctionSums):
    """Takes functions at their word that their values lie in the range they state."""

    def accumulate(self, codes):
        columns = {axis.name: axis.original(x) for axis, x in zip(self.axes, codes.x, strict=True)}
        sums = self.zeros()
        sums[0] = codes.x.shape[1]
        for i, (function, (low, high)) in enumerate(zip(self.functions, self.ranges, strict=True), start=1):
            scaled = (2 * evaluate(function, columns) - low - high) / (high - low)
            sums[i] = np.rint(scaled * self.unit).astype(np.int64).sum()
        return sums


def unclamped_values(seed: int) -> list[Check]:
    domain = shape(REAL)
    (real,) = BUILDERS["functions"][1](domain)
    return measured(Unclamped(*real.blocks, real.functions, real.ranges, real.unit), domain=domain, seed=seed)


class NoRoundingSlack(ChebyshevSums):
    """Prices the polynomials, and not what is left of them when they are rounded."""

    def reach_squared(self, group, neighbours):
        priced = ChebyshevSums(self.blocks, weights=self.weights, bits=MOST_BITS, neighbours=self.neighbours)
        return priced.reach_squared(group, neighbours)


def no_rounding_slack(seed: int) -> list[Check]:
    domain = shape(FINE)
    *_, coarse = BUILDERS["chebyshev"][1](domain)
    bare = NoRoundingSlack(coarse.blocks, weights=coarse.weights, bits=coarse.bits, neighbours="replace")
    return measured(bare, "gaussian", domain=domain, seed=seed)


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
    "delta kept by a second reveal": Planted(delta_kept, ("price",)),
    "delta not charged": Planted(delta_not_charged, ("price",)),
    "watch of one row, of three": Planted(watch_of_one_row, ("law",)),
    "watch of one row, of two": Planted(watch_of_one_row_of_two, ("law",)),
    "watch of one row, curator": Planted(watch_of_one_row_in_the_curator, ("law",)),
    "selection of one row, of three": Planted(select_of_one_row, ("law",)),
    "selection of one row, of two": Planted(select_of_one_row_of_two, ("law",)),
    "selection of one row, mwem": Planted(select_of_one_row_in_mwem, ("law",)),
    "noise used again": Planted(noise_used_again, ("independence",)),
    "noise used again, later": Planted(noise_used_again_later, ("independence",)),
    "noise used again, within": Planted(noise_used_again_within, ("independence",)),
    "values outside their range": Planted(unclamped_values, ("price",)),
    "rounding not priced": Planted(no_rounding_slack, ("price",)),
}
__all__ = ["FAULTS", "Planted", "proven_above_the_claim"]

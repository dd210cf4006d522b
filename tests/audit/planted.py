"""Faults planted on purpose: each is a way to get privacy wrong that has happened, or nearly happened, somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle

import numpy as np
import planted_people as people
import planted_steps as steps
from planting import DRAWS, SMALL, exchanged, measured, released

from hushtable.audit.checks import Check
from hushtable.audit.measurements import MeasureCase, audit_measure
from hushtable.audit.shapes import BINARY, EDGES, FINE, MIXED, REAL, shape
from hushtable.audit.statistic_cases import noise_for
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.audit.step_cases import step_cases
from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise, InteractionLayout
from hushtable.maths.smooth.evaluation import evaluate
from hushtable.questions.workloads.cuts import GraphCuts
from hushtable.questions.workloads.learned import Learned
from hushtable.vault.door import door as door_module
from hushtable.vault.door.door import Door, Measurement
from hushtable.vault.door.samplers import sample
from hushtable.vault.statistics import Histogram, OneQuestion, Parities
from hushtable.vault.statistics.chebyshev import MOST_BITS, ChebyshevSums
from hushtable.vault.statistics.edge_degrees import EdgeDegrees
from hushtable.vault.statistics.functions import FunctionSums
from hushtable.vault.statistics.leaf_means import LeafMeans
from hushtable.vault.statistics.polynomials import PolynomialSums

# Noise


def smaller(scales: CoordinateNoise) -> CoordinateNoise:
    """Noise whose scale is 10% too small: the variance, for Gaussian noise, by 19%."""
    factor = Fraction(9, 10) if scales.law == Law.LAPLACE else Fraction(81, 100)
    return replace(scales, table=tuple(s * factor for s in scales.table))


def small_noise(seed: int, law: Law = Law.LAPLACE, draws: int = DRAWS, statistic=None) -> list[Check]:
    real = door_module.sample
    with exchanged(sample=lambda scales, randomness: real(smaller(scales), randomness)):
        return measured(statistic or Histogram(SMALL.sizes), law, seed=seed, draws=draws)


def small_gaussian_noise(seed: int) -> list[Check]:
    return small_noise(seed, Law.GAUSSIAN)


def swapped_groups(seed: int) -> list[Check]:
    """Each group has the noise of the next one."""
    real = door_module.sample

    def sample(scales, randomness):
        table = scales.table
        return real(replace(scales, table=(*table[1:], table[0])), randomness)

    with exchanged(sample=sample):
        return measured(Parities(InteractionLayout(SMALL.sizes, 2)), seed=seed, domain=shape(BINARY, "add-remove"))


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

    def sensitivity(self, *, power, weights, neighbours):
        return super().sensitivity(power=power, weights=weights, neighbours=neighbours) / 2


def halved_sensitivity(seed: int) -> list[Check]:
    return measured(Halved(SMALL.sizes), seed=seed)


class Forgetful(Parities):
    """Leaves its last group of coordinates out of its sensitivity."""

    def sensitivity(self, *, power, weights, neighbours):
        return super().sensitivity(power=power, weights=[*weights[:-1], Fraction(0)], neighbours=neighbours)


def forgotten_coordinate(seed: int) -> list[Check]:
    statistic = Forgetful(InteractionLayout(SMALL.sizes, 2))
    noise = noise_for(Parities(InteractionLayout(SMALL.sizes, 2)), Law.LAPLACE, SMALL)
    return audit_measure(MeasureCase("planted", SMALL, statistic, noise), draws=DRAWS, seed=seed)


class OneRowTooFew(Histogram):
    """Knows nothing of people with several rows: its price is that of one."""

    def sensitivity(self, *, power, weights, neighbours):
        return super().sensitivity(power=power, weights=weights, neighbours=neighbours) / 2**power


def forgotten_rows(seed: int) -> list[Check]:
    return measured(OneRowTooFew(SMALL.sizes), Law.GAUSSIAN, shape(BINARY, rows=2), seed=seed)


class OneEnd(EdgeDegrees):
    """Believes that an edge is in the degree of one vertex, and not of two."""

    def sensitivity(self, *, power, weights, neighbours):
        return super().sensitivity(power=power, weights=[weights[0], weights[1] / 2], neighbours=neighbours)


def degree_of_one_end(seed: int) -> list[Check]:
    domain = shape(EDGES, "add-remove")
    return measured(OneEnd(GraphCuts().ends(domain)), domain=domain, seed=seed)


class OneMean(LeafMeans):
    """Has the noise of one mean, whatever their number: that of a single question, as figure 6.6 of Har11 prints it."""

    def sensitivity(self, *, power, weights, neighbours):
        return super().sensitivity(power=power, weights=weights, neighbours=neighbours) / len(self.places)


def noise_of_one_mean(seed: int) -> list[Check]:
    *_, whole = STATISTICS["leaf-means"].build(SMALL)
    return measured(OneMean(whole.tree, whole.widths, unit=whole.unit), seed=seed)


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
            scaled = np.nan_to_num((2 * evaluate(function, columns) - low - high) / (high - low))
            sums[i] = np.rint(scaled * self.unit).astype(np.int64).sum()
        return sums


def unclamped_values(seed: int) -> list[Check]:
    domain = shape(REAL)
    (real,) = STATISTICS["functions"].build(domain)
    return measured(Unclamped(*real.blocks, real.functions, real.ranges, real.unit), domain=domain, seed=seed)


class Believed(PolynomialSums):
    """Takes a family at its word that no row is longer than it states."""

    @property
    def _table(self):
        return self.polynomials.table

    def _longest(self, power):
        return self.family.l1 if power == 1 else self.family.squared

    def _farthest(self, power):
        return 2**power * self._longest(power)


def believed_norm(seed: int) -> list[Check]:
    domain = shape(MIXED)
    _, tight, _ = STATISTICS["polynomials"].build(domain)
    return measured(Believed(tight.polynomials), domain=domain, seed=seed)


class FreshEachCall(PolynomialSums):
    """An oracle without a memo: a question that is asked again has new noise, and is paid for once."""

    def _sensitivity(self, *, power, weights, neighbours):
        whole = super()._sensitivity(power=power, weights=weights, neighbours=neighbours)
        calls, distinct = len(self.family.terms), len(np.unique(self._table, axis=1).T)
        return whole * Fraction(distinct, calls)


def memo_by_calls(seed: int) -> list[Check]:
    domain = shape(BINARY)
    language = Learned("dnf", terms=2, width=2).spoken(domain)
    questions = language.language.draw(0, 4)
    return measured(FreshEachCall(language.sums(np.concatenate([questions, questions]))), domain=domain, seed=seed)


class NoRoundingSlack(ChebyshevSums):
    """Prices the polynomials, and not what is left of them when they are rounded."""

    def _reach(self, group, power, neighbours):
        priced = ChebyshevSums(self.blocks, weights=self.weights, bits=MOST_BITS, neighbours=self.neighbours)
        return priced._reach(group, power, neighbours)


def no_rounding_slack(seed: int) -> list[Check]:
    domain = shape(FINE)
    *_, coarse = STATISTICS["chebyshev"].build(domain)
    bare = NoRoundingSlack(coarse.blocks, weights=coarse.weights, bits=coarse.bits, neighbours="replace")
    return measured(bare, Law.GAUSSIAN, domain=domain, seed=seed)


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
    "an edge with one end": Planted(degree_of_one_end, ("price",)),
    "noise of one mean for all": Planted(noise_of_one_mean, ("price",)),
    "rows of one person forgotten": Planted(forgotten_rows, ("price",)),
    "factor 2 missing": Planted(steps.missing_factor_two, ("law",)),
    "factor 2 missing, rho": Planted(steps.missing_factor_two_of_rho, ("law",)),
    "comparison noise reused": Planted(steps.reused_comparison, ("law",)),
    "comparison noise reused, curator": Planted(steps.reused_comparison_in_the_curator, ("law",)),
    "threshold without noise": Planted(steps.exact_threshold, ("law",)),
    "charged once for four": Planted(steps.charged_once, ("price",)),
    "delta kept by a second reveal": Planted(steps.delta_kept, ("price",)),
    "which rows count hangs on others": Planted(people.rows_by_their_place, ("price",)),
    "other rows in a second pass": Planted(people.other_rows_in_a_second_pass, ("rows",)),
    "number of rows public, of people": Planted(people.public_rows_of_people, ("price",)),
    "delta not charged": Planted(steps.delta_not_charged, ("price",)),
    "watch of one row, of three": Planted(steps.watch_of_one_row, ("law",)),
    "watch of one row, of two": Planted(steps.watch_of_one_row_of_two, ("law",)),
    "watch of one row, curator": Planted(steps.watch_of_one_row_in_the_curator, ("law",)),
    "selection of one row, of three": Planted(steps.select_of_one_row, ("law",)),
    "selection of one row, of two": Planted(steps.select_of_one_row_of_two, ("law",)),
    "selection of one row, mwem": Planted(steps.select_of_one_row_in_mwem, ("law",)),
    "noise used again": Planted(noise_used_again, ("independence",)),
    "noise used again, later": Planted(noise_used_again_later, ("independence",)),
    "noise used again, within": Planted(noise_used_again_within, ("independence",)),
    "gauge 5% off": Planted(steps.gauge_too_narrow, ("law",)),
    "sum of a table forgotten": Planted(steps.sum_forgotten, ("law", "price")),
    "radius kept": Planted(steps.radius_kept, ("law",)),
    "projection forgotten": Planted(steps.projection_forgotten, ("law",)),
    "joint noise of one row": Planted(steps.gauge_of_one_row, ("law",)),
    "values outside their range": Planted(unclamped_values, ("price",)),
    "row norm not enforced": Planted(believed_norm, ("price",)),
    "memo counted by calls": Planted(memo_by_calls, ("price",)),
    "rounding not priced": Planted(no_rounding_slack, ("price",)),
}
__all__ = ["FAULTS", "Planted", "proven_above_the_claim"]

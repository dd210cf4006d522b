"""Faults in the steps of the door: choosing, comparing, paying, and people with several rows."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
from planting import SHARE, exchanged, released, watched

from hushtable.audit.checks import Check
from hushtable.audit.curator_cases import curator_cases
from hushtable.audit.mechanism_cases import mechanism_cases
from hushtable.audit.shapes import RELATIONS
from hushtable.audit.step_cases import step_cases
from hushtable.maths.geometry.cut_body import CutBody
from hushtable.vault.door import door as door_module
from hushtable.vault.door.door import Door, Measurement
from hushtable.vault.door.joint_samplers import below, radius

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
    """Never takes the delta of a reveal off what is left, so that the second one finds it again."""

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


# Noise of a gauge


class GaugeTooNarrow(Door):
    """Takes the gauge for 5% larger than it is: noise 5% too narrow."""

    def _joint_noise(self, body, scale):
        return super()._joint_noise(body, scale * Fraction(95, 100))


class ForgetsSum(Door):
    """Noise on every cell by itself, not brought to tables that keep their sum."""

    def _joint_noise(self, body, scale):
        noise = super()._joint_noise(body, scale)
        noise[0] += 1
        return noise


class RadiusKept(Door):
    """After a point outside the body only the point is drawn again."""

    def _joint_noise(self, body, scale):
        reach = radius(body.numerator(), scale, self._randomness)
        while True:
            drawn = [below(2 * int(w) * reach + 1, self._randomness) - int(w) * reach for w in body.widths]
            if body.gauge(np.array(drawn)) <= reach:
                return np.array(drawn)


class Section(CutBody):
    """What changes a level while all that it leaves out stays: a part of the body, where its projection is needed."""

    def _most(self, cuts):
        kinds = np.indices((2, 2, 2)).reshape(3, -1)
        at, rest = cuts @ self.rows, kinds[1:]
        alike = (rest[:, :, None] == rest[:, None, :]).all(axis=0)
        return np.where(alike, np.abs(at[:, :, None] - at[:, None, :]), 0).max(axis=(1, 2))


class ProjectionForgotten(Door):
    """Measures a level as if nothing but it could change."""

    def measure_jointly(self, statistic, noise):
        statistic = copy(statistic)
        whole = statistic.body
        statistic.body = lambda group, neighbours: (
            Section(statistic.vectors[1], False, statistic.cuts[1]) if group == 1 else whole(group, neighbours)
        )
        return super().measure_jointly(statistic, noise)


class GaugeOfOneRow(OneRow):
    """Prices and draws as if a person had one row."""

    def measure_jointly(self, statistic, noise):
        with self._one_row():
            return super().measure_jointly(statistic, replace(noise, per_group=tuple(
                scale / self._stated_unit.rows for scale in noise.per_group)))  # fmt: skip


def jointly(door: type[Door], seed: int, share: float, rows: str = "pure") -> list[Check]:
    named = f"measure jointly, replace, {rows}"
    return released(step_cases("measure jointly"), named, seed=seed, door=door, share=share)


def gauge_too_narrow(seed: int) -> list[Check]:
    return jointly(GaugeTooNarrow, seed, 6.0)


def sum_forgotten(seed: int) -> list[Check]:
    return jointly(ForgetsSum, seed, 0.1)


def radius_kept(seed: int) -> list[Check]:
    named = "measure levels jointly, replace, pure"
    return released(step_cases("measure levels jointly"), named, seed=seed, door=RadiusKept, share=2.0)


def projection_forgotten(seed: int) -> list[Check]:
    named = "measure levels jointly, replace, pure"
    return released(step_cases("measure levels jointly"), named, seed=seed, door=ProjectionForgotten, share=0.3)


def gauge_of_one_row(seed: int) -> list[Check]:
    return jointly(GaugeOfOneRow, seed, 0.5, "pure, 2 rows a person")

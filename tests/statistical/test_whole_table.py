"""Whole tables with real noise: stated against observed coverage, and the accuracy on a real table."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from tables import MIXED, domain, random_codes

import hushtable as ht
from hushtable.maths.weighted_rows.fit_rows import RowFit
from hushtable.maths.weighted_rows.grouped_sets import interaction_of
from hushtable.mechanisms.whole_table import rare_values as rare_survey
from hushtable.mechanisms.whole_table import second_round, steps
from hushtable.models.whole_table.measured import moments_of_column, moments_of_pair
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import SystemRandomness
from hushtable.vault.statistics import RareLengths, RareSums

pytestmark = pytest.mark.slow


class Free:
    def charge(self, price, *, what):
        pass


def release(shape, codes, budget, calibration=0.05):
    made = ht.plan(shape, workload=ht.WholeTable(calibration=calibration), budget=budget)
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=made.design.price, account=Free(),
                randomness=SystemRandomness())  # fmt: skip
    return made.by.release(door, shape, made.design)


WIDE = {f"c{j}": {"kind": "integer", "between": [0, 5 + 3 * j], "missing": "error"} for j in range(7)}
BASKET = {f"c{j}": {"kind": "boolean", "missing": "error"} for j in range(36)}


@pytest.fixture
def no_fit(monkeypatch):
    """The laws of what is measured do not depend on the rows fitted to it, which take all the time."""
    for module in (steps, rare_survey):
        monkeypatch.setattr(module, "fit_rows", lambda *_, **__: RowFit(None, 1.0, None))
    monkeypatch.setattr(second_round, "FirstModel", Independent)


class Independent:
    """Stands in for a fitted model."""

    fitted = SimpleNamespace(carriers=300_000.0)

    @classmethod
    def of(cls, domain, agreed, *_):
        made = cls()
        made.shares = lambda one: one.expected(agreed.shares)
        return made

    def weighted_rows(self):
        return RowFit(None, 1.0, None)

    def corrected(self, tables):
        return RowFit(None, 1.0, None)


def squares(model, codes, widths=(0, 1, 2, 3)):
    """Sum of squared errors of all measured tables, each over its variance, and how many independent numbers it has."""
    total, numbers = 0.0, 0
    for raw in model.tables:
        one = raw.set
        if len(one.members) not in widths:
            continue
        groups = [g[codes[j]] for j, g in zip(one.members, one.maps, strict=True)]
        place = np.ravel_multi_index(groups, one.shape) if groups else np.zeros(codes.shape[1], dtype=np.int64)
        true = np.bincount(place, minlength=one.cells).reshape(one.shape).astype(float)
        off = raw.cells - (interaction_of(true) if raw.contrasted else true)
        total, numbers = total + float((off**2).sum()) / raw.variance, numbers + len(raw.numbers)
    return total, numbers


def squares_of_sums(model, codes):
    """The same of the lengths of rows and the sums of rare values."""
    rare, total = model.rare, 0.0
    lengths = RareLengths(rare.columns)
    total += float(((rare.lengths - lengths.accumulate(codes)) ** 2).sum()) / float(rare.lengths_scale)
    statistic = RareSums(rare.columns, rare.single, rare.both)
    off = np.split(
        rare.sums - statistic.to_coordinates(statistic.accumulate(codes)), np.cumsum(rare.columns.counts)[:-1]
    )
    total += sum(float((o**2).sum()) / float(scale) for o, scale in zip(off, rare.scales, strict=True))
    return total, len(rare.lengths) + len(rare.sums)


def check_scale(found, kurtosis):
    """The mean square is 1 within 5.5 standard deviations: false alarm 4e-8. Scales 7% wrong are rejected.

    With so many numbers that tolerance is at most 0.07, and a mean square of 1.145 or 0.865 is rejected unless the
    sample itself is 5 standard deviations off.
    """
    total, numbers = np.sum(found, axis=0)
    tolerance = 5.5 * math.sqrt((2 + kurtosis) / numbers)
    assert tolerance < 0.07
    fits = lambda scale: abs(total / numbers * scale**2 - 1) < tolerance  # noqa: E731
    assert fits(1.0)
    assert not fits(1.07)
    assert not fits(0.93)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [ht.Budget(epsilon=1, delta="1e-9"), ht.Budget(epsilon=2)], ids=["zcdp", "pure"])
def test_measured_tables_have_the_noise_they_state(neighbours, budget, no_fit):
    shape, kurtosis = domain(WIDE, neighbours=neighbours), 3.0 if budget.currency == "pure" else 0.0
    codes, found = random_codes(shape, 20_000, seed=1), []
    while sum(n for _, n in found) < 6.4e3 * (2 + kurtosis):
        found.append(squares(release(shape, codes, budget, calibration=0), codes))
    check_scale(found, kurtosis)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_measured_triples_have_the_noise_they_state(neighbours, no_fit):
    shape = domain(WIDE, neighbours=neighbours)
    codes, found = random_codes(shape, 200_000, seed=1), []
    while sum(n for _, n in found) < 1.3e4:
        found.append(
            squares(release(shape, codes, ht.Budget(epsilon=1, delta="1e-9"), calibration=0), codes, widths=(3,))
        )
        assert found[-1][1] > 100, "no second round"
    check_scale(found, 0.0)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_sums_of_rare_values_have_the_noise_they_state(neighbours, no_fit):
    shape, random = domain(BASKET, neighbours=neighbours), np.random.default_rng(2)
    codes = (random.random((36, 20_000)) < np.r_[0.4, 0.3, np.full(34, 0.03)][:, None]).astype(np.uint8)
    found = []
    while sum(n for _, n in found) < 1.3e4:
        found.append(squares_of_sums(release(shape, codes, ht.Budget(epsilon=1, delta="1e-9"), calibration=0), codes))
    check_scale(found, 0.0)


def by_noise(model, raw, cell):
    """How a measured cell hangs on the noises of a release, each of variance 1: columns, interactions, rows."""
    one, (_, spread) = raw.set, model.total
    columns = [np.zeros(size) for size in model.domain.sizes]
    inner = [np.zeros(table.set.cells) for table in model.measured]
    share = (1 - len(one.members)) / one.cells
    for j, groups, size, mine in zip(one.members, one.maps, one.shape, np.unravel_index(cell, one.shape), strict=True):
        weights = (groups == mine) * (size / one.cells)
        columns[j], share = weights - weights.mean(), share + weights.mean()
    if not raw.alone:
        inner[model.measured.index(raw)] = interaction_of(np.eye(one.cells)[cell].reshape(one.shape)).ravel()
    parts = [w * v**0.5 for w, v in zip(columns, model.totals.variances, strict=True)]
    parts += [w * table.variance**0.5 for w, table in zip(inner, model.measured, strict=True)]
    return np.concatenate([*parts, [share * spread**0.5]])


def measured_errors(model, codes, random):
    """Errors of one random cell of every measured column and pair, what they state, and how they hang on the noises."""
    error, stderr, noises = [], [], []
    for raw in {raw.set.members: raw for raw in model.tables if raw.set.cells > 1}.values():
        one = raw.set
        if len(one.members) not in (1, 2):
            continue
        value, stated = moments_of_column(model, one.members[0]) if raw.alone else moments_of_pair(model, raw)
        groups = [g[codes[j]] for j, g in zip(one.members, one.maps, strict=True)]
        true = np.bincount(np.ravel_multi_index(groups, one.shape), minlength=one.cells)
        cell = int(random.integers(one.cells))
        error.append(value[cell] - true[cell])
        stderr.append(stated[cell])
        noises.append(by_noise(model, raw, cell))
    return np.array(error), np.array(stderr), np.array(noises)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [ht.Budget(epsilon=1, delta="1e-9"), ht.Budget(epsilon=2)], ids=["zcdp", "pure"])
def test_measured_values_have_the_errors_they_state(neighbours, budget, no_fit):
    """Answers from these tables: stated errors follow from the noises, and observed ones have their size and mean 0.

    Cells of a release share noise (of columns, and of the number of rows), so they are made independent first: then
    the mean square is 1, 6 sigma on each side, false alarm < 1e-8. Their sum has the standard deviation that the
    noises give it: 6 sigma, false alarm < 1e-8. Scales 25% wrong show; the noise itself is tested to 7% above.
    """
    shape, random = domain(MIXED, neighbours=neighbours), np.random.default_rng(3)
    codes, seen, total, variance = random_codes(shape, 4000, seed=1), [], 0.0, 0.0
    for _ in range(300):
        error, stderr, noises = measured_errors(release(shape, codes, budget, calibration=0), codes, random)
        assert stderr == pytest.approx(np.linalg.norm(noises, axis=1), rel=1e-9)
        seen.append(np.linalg.solve(np.linalg.cholesky(noises @ noises.T), error))
        total, variance = total + (error / stderr).sum(), variance + ((noises / stderr[:, None]).sum(axis=0) ** 2).sum()
    seen, kurtosis = np.concatenate(seen), 3.0 if budget.currency == "pure" else 0.0
    tolerance = 6 * math.sqrt((2 + kurtosis) / len(seen))
    fits = lambda scale: abs(float(np.mean((seen * scale) ** 2)) - 1) < tolerance  # noqa: E731
    assert fits(1.0)
    assert not fits(1.25)
    assert not fits(0.75)
    assert abs(total) < 6 * math.sqrt(variance)


def test_adult_at_epsilon_1(real_table):
    """All three-way tables: the bar is 0.072; releases differ by 0.001, so one is enough."""
    path = real_table("adult_coded.csv.gz")
    sizes = json.loads((path.parent / "adult_coded-domain.json").read_text())
    rows = pandas.read_csv(path)
    codes = np.array([rows[c] for c in sizes], dtype=np.uint16)
    shape = domain({c: {"kind": "integer", "between": [0, s - 1], "missing": "error"} for c, s in sizes.items()},
                   neighbours="add-remove")  # fmt: skip
    model = release(shape, codes, ht.Budget(epsilon=1, delta="1e-9"))
    off, within = [], []
    for members in (t for t in model.audit.tables if len(t) == 3):
        shape_of = [shape.sizes[j] for j in members]
        key = np.ravel_multi_index(codes[list(members)].astype(np.int64), shape_of)
        true = np.bincount(key, minlength=int(np.prod(shape_of))) / codes.shape[1]
        off.append(np.abs(model.cloud.table(members).ravel() - true).sum() / 2)
        bound = model.audit.bound(members, shape.sizes, model.total[0])
        within.append(off[-1] <= bound.bias + 1.96 * bound.stderr)
    assert len(off) == 364
    assert np.mean(off) <= 0.072
    assert np.mean(within) >= 0.93
    assert model.effective >= 0.2

"""Whole tables with real noise: stated against observed coverage, and the accuracy on a real table."""

import json
import math

import numpy as np
import pandas
import pytest
from tables import MIXED, domain, random_codes

import hushtable as ht
from hushtable.mechanisms import mechanisms
from hushtable.models.whole_table_measured import moments_of_column, moments_of_pair
from hushtable.vault.door import Door
from hushtable.vault.randomness import SystemRandomness

pytestmark = pytest.mark.slow


class Free:
    def charge(self, price, *, what):
        pass


def release(shape, codes, budget):
    made = ht.plan(shape, workload=ht.WholeTable(), budget=budget)
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=made.design.price, account=Free(),
                randomness=SystemRandomness())  # fmt: skip
    return mechanisms()[made.mechanism].release(door, shape, made.design)


def standard_errors(shape, codes, budget, releases):
    """(value - truth) / stderr of cells of measured tables; one cell a table, so that they are nearly independent."""
    found = []
    for number in range(releases):
        model = release(shape, codes, budget)
        for raw in model.tables:
            one = raw.set
            if not one.members or one.cells < 2:
                continue
            value, stderr = moments_of_column(model, one.members[0]) if raw.alone else moments_of_pair(model, raw)
            groups = [g[codes[j]] for j, g in zip(one.members, one.maps, strict=True)]
            true = np.bincount(np.ravel_multi_index(groups, one.shape), minlength=one.cells)
            cell = number % one.cells
            found.append((value[cell] - true[cell]) / stderr[cell])
    return np.array(found)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [ht.Budget(epsilon=1, delta="1e-9"), ht.Budget(epsilon=2)], ids=["zcdp", "pure"])
def test_measured_values_have_the_errors_they_state(neighbours, budget):
    """The mean square of standard errors is 1: 6 sigma on each side, false alarm < 1e-8; scales 25% wrong show."""
    shape = domain(MIXED, neighbours=neighbours)
    seen = standard_errors(shape, random_codes(shape, 4000, seed=1), budget, releases=100)
    kurtosis = 0.0 if budget.currency == "zcdp" else 3.0
    tolerance = 6 * math.sqrt((2 + kurtosis) / len(seen))
    fits = lambda scale: abs(float(np.mean((seen * scale) ** 2)) - 1) < tolerance  # noqa: E731
    assert fits(1.0)
    assert not fits(1.25)
    assert abs(seen.mean()) < 6 / math.sqrt(len(seen))


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

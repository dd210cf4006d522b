"""Numbers of found cells in a whole table: few nested groups, no second table of columns that are known, round cuts."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.laws import Law
from hushtable.maths.weighted_rows.fit_targets import FitTargets
from hushtable.maths.weighted_rows.resolution import FINEST, LEVELS, Groupings, refined
from hushtable.maths.weighted_rows.table_noise import new_shares

ROWS = 20_000
BETWEEN = {"pay": [0, 100_000], "rent": [0, 9_999], "debt": [0, 50_000]}


def made_up() -> pa.Table:
    random = np.random.default_rng(4)
    pay = random.gamma(2, 12_000, ROWS).clip(0, 100_000).astype(int)
    rent = (pay * random.uniform(0.1, 0.3, ROWS)).clip(0, 9_999).astype(int)
    return pa.table({"pay": pay, "rent": rent, "debt": random.gamma(1, 6_000, ROWS).clip(0, 50_000).astype(int)})


@pytest.fixture(scope="module")
def whole() -> ht.Synopsis:
    attributes = {n: {"kind": "integer", "between": b, "missing": "error"} for n, b in BETWEEN.items()}
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    plan = ht.plan(domain, workload=ht.WholeTable(), budget=ht.Budget(epsilon=1, delta="1e-9"))
    return ht.Vault(made_up(), domain, ledger="unused").release(plan, randomness=ht.Simulated(3))


def test_groups_are_even_and_each_is_made_of_whole_groups_of_the_finest_level():
    shares = np.random.default_rng(1).dirichlet(np.full(400, 0.5))
    shares[37] = 0.0
    shares *= 0.6 / shares.sum()
    shares[37] = 0.4  # a value that many rows have stands alone
    steps = Groupings(shares, even=True).steps
    finest = steps[FINEST]
    assert finest.max() + 1 <= FINEST + 2
    assert refined(list(steps.values())).max() == finest.max()
    for level in LEVELS:
        groups = steps[level]
        assert (np.diff(groups) >= 0).all()
        assert (groups == groups[37]).sum() == 1 or level == 2
        if level > 2:
            assert np.delete(np.bincount(groups, shares), groups[37]).max() < 1 / level + 1.3 / FINEST


def test_columns_whose_cells_were_found_are_not_measured_twice_at_once_for_being_many(whole):
    tables = [table.set for table in whole.model.tables if table.set.members]
    first = next(place for place, own in enumerate(tables) if len(own.members) > 1)
    assert [own.members for own in tables[:first]] == [(0,), (1,), (2,)]
    assert max(own.cells for own in tables[:first]) > 60


def test_pairs_are_compared_and_triples_of_a_cell_a_row_are_not(whole):
    compared = whole.model.audit.tables
    assert {len(members) for members in compared} == {2}
    ends = {a.name: min(a.cuts, key=lambda cut, a=a: abs(cut - a.high / 4)) for a in whole.domain.closed}
    pay, rent, debt = (f"{name} >= {end}" for name, end in ends.items())
    assert whole.ask(f"{pay} AND {rent}").certified is not None
    answer = whole.ask(f"{pay} AND {rent} AND {debt}")
    assert answer.certified is None
    low, high = answer.interval(0.95)
    assert low < answer.value < high


def test_cuts_of_the_first_look_are_round(whole):
    domain = ht.Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "integer", "between": [0, 99_999]}}})
    (x,) = domain.closed
    inner = [int(cut) for cut in x.cuts if 1_000 < cut < 99_999]
    assert all(cut % 100 == 0 for cut in inner)
    assert {5_000, 10_000} <= set(inner)
    assert all(1.05 < b / a < 1.6 for a, b in pairwise(inner))  # about equal in the cube root still
    assert whole.ask("pay >= 10000").value == pytest.approx(np.mean(np.array(made_up()["pay"]) >= 10000), abs=0.02)


def test_replicates_leave_cells_that_were_seen_to_be_empty_empty():
    share = np.concatenate([np.zeros(50), np.full(50, 0.02)])
    agreed = FitTargets(shares=[share], variances=[400.0], rows=10_000.0, sets=[], counts=[], strengths=[])
    random = np.random.default_rng(2)
    found, denoised = (new_shares(agreed, Law.GAUSSIAN, [0], random, known)[0] for known in ([0], []))
    assert found[:50].sum() == 0 < denoised[:50].sum()
    assert found.sum() == pytest.approx(1)
    # The noise of the others is all there.
    assert np.std(found[50:]) * 10_000 == pytest.approx(20, rel=0.4)


def test_numbers_with_many_bins_have_nested_groups_too():
    """Groups that are not nested would have most of the bins as their common refinement."""
    random = np.random.default_rng(8)
    age = random.gamma(3, 60, ROWS).clip(0, 699).astype(int)
    attributes = {
        "age": {"kind": "integer", "between": [0, 699], "missing": "error"},
        "pay": {"kind": "integer", "between": [0, 99], "missing": "error"},
        "rent": {"kind": "integer", "between": [0, 49], "missing": "error"},
    }
    rows = pa.table({"age": age, "pay": (age + random.normal(0, 60, ROWS)).clip(0, 699).astype(int) // 7,
                     "rent": (age + random.normal(0, 90, ROWS)).clip(0, 699).astype(int) // 14})  # fmt: skip
    domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    plan = ht.plan(domain, workload=ht.WholeTable(), budget=ht.Budget(epsilon=4, delta="1e-9"))
    model = ht.Vault(rows, domain, ledger="unused").release(plan, randomness=ht.Simulated(3)).model
    assert model.cloud.base_sizes[0] <= FINEST + 2
    assert model.cloud.base_sizes[1] > 30

"""Numbers of which only the range is declared: cells that are found, values inside them, rules, files and refusals."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion
from hushtable.maths.ranges.habits import Habits, round_classes
from hushtable.maths.ranges.passes import Pass, by_share, least_squares, parted
from hushtable.maths.ranges.slopes import log_slopes
from hushtable.maths.weighted_rows.range_shares import FoundRange

ROWS = 20_000
PARTS = {
    "table": "t",
    "attributes": {
        "pay": {"kind": "integer", "between": [0, 100_000], "atoms": [0]},
        "bmi": {"kind": "number", "between": [10, 60], "missing": "error"},
        "age": {"kind": "integer", "between": [0, 99], "bins": 10, "missing": "error"},
    },
    "always": ["age < 20 -> pay < 12345"],
}
BUDGET = ht.Budget(epsilon=2, delta="1e-9")


def made_up(seed: int = 1) -> pa.Table:
    random = np.random.default_rng(seed)
    age = random.integers(0, 100, ROWS)
    pay = random.gamma(2, 15_000, ROWS).clip(0, 100_000)
    pay = np.where(random.random(ROWS) < 0.7, np.round(pay / 1000) * 1000, np.round(pay)).astype(int)
    pay = np.where((random.random(ROWS) < 0.2) | (age < 20), 0, pay)
    bmi = random.normal(25, 4, ROWS).clip(10, 60).round(1)
    return pa.table({"pay": pa.array(pay, mask=random.random(ROWS) < 0.05), "bmi": bmi, "age": age})


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return made_up()


def released(table: pa.Table, workload, parts=PARTS, budget=BUDGET, **more) -> ht.Synopsis:
    shape = ht.Domain.from_dict(parts)
    plan = ht.plan(shape, workload=workload, budget=budget, rows=ROWS, **more)
    return ht.Vault(table, shape, ledger="unused").release(plan, randomness=ht.Simulated(3))


@pytest.fixture(scope="module")
def whole(table) -> ht.Synopsis:
    return released(table, ht.WholeTable())


def test_a_domain_declares_ranges_and_keeps_found_cells_out_of_its_digest(whole):
    shape = ht.Domain.from_dict(PARTS)
    assert [a.name for a in shape.ranged] == ["pay", "bmi"]
    assert shape.to_dict()["attributes"]["bmi"].keys() == {"kind", "missing", "between"}
    assert not whole.domain.ranged
    assert whole.domain.digest == shape.digest
    assert ht.Domain.from_dict(json.loads(json.dumps(whole.domain.to_dict()))) == whole.domain
    assert Fraction(12345) in whole.domain.closed[0].cuts
    assert {Fraction(1)} <= set(whole.domain.closed[0].cuts)  # the atom at 0 has a cell of its own


def test_answers_at_found_cells_hold_the_truth(whole, table):
    pay = np.array(table["pay"].to_pylist(), dtype=object)
    known = np.array([p is not None for p in pay])
    numbers = np.array([p if p is not None else -1 for p in pay])
    cuts = [int(c) for c in whole.domain.closed[0].cuts]
    inside = 0
    for cut in cuts[:: max(len(cuts) // 20, 1)]:
        answer = whole.ask(f"pay < {cut}")
        low, high = answer.interval(0.999)
        inside += low <= (known & (numbers < cut)).mean() <= high
    assert inside >= len(cuts[:: max(len(cuts) // 20, 1)]) - 1
    mean = whole.ask("SELECT avg(bmi) FROM t")
    low, high = mean.interval(0.999)
    assert low <= np.mean(table["bmi"].to_numpy()) <= high
    assert high - low < 2
    with pytest.raises(BadQuestion, match="pay"):
        whole.ask(f"pay < {next(c for c in range(20_000, 99_999) if c not in cuts)}")


def test_rows_are_whole_rounded_and_keep_the_rules(whole, table):
    rows = whole.sample(40_000, seed=1).to_pandas()
    pay = rows["pay"].dropna()
    assert (pay % 1 == 0).all()
    assert pay.between(0, 100_000).all()
    real = table["pay"].to_pandas().dropna()
    assert abs((pay == 0).mean() - (real == 0).mean()) < 0.03
    assert abs((pay % 1000 == 0).mean() - (real % 1000 == 0).mean()) < 0.05
    assert (np.abs(rows["bmi"] * 10 - np.round(rows["bmi"] * 10)) < 1e-6).mean() > 0.95  # decimals were found
    assert not ((rows["age"] < 20) & (rows["pay"] >= 12345)).any()
    for level in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert abs(np.quantile(pay, level) - np.quantile(real, level)) < 0.02 * 100_000
        assert abs(np.quantile(rows["bmi"], level) - np.quantile(table["bmi"].to_numpy(), level)) < 0.02 * 50


def test_a_file_keeps_the_passes_and_draws_the_same_rows(whole, tmp_path):
    whole.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    assert again.domain == whole.domain
    assert again.sample(2_000, seed=5).equals(whole.sample(2_000, seed=5))
    column = again.shapes.columns[0]
    assert column.name == "pay"
    assert len(again.shapes.passes("pay")) == 2
    assert again.shapes.habits("pay").classes == round_classes(again.domain.closed[0])


@pytest.mark.parametrize(
    ("workload", "mechanism"),
    [("marginals(width=2)", "low-order"), ("marginals(width=2)", "mwem(rounds=3)"), ("predicates(width=2)", None)],
)
def test_other_workloads_find_few_cells_first(workload, mechanism, table):
    made = released(table, workload, mechanism=mechanism)
    shape = ht.Domain.from_dict(PARTS)
    for found, first in zip(made.domain.closed, shape.closed, strict=True):
        assert found.size <= first.size
    assert 8 <= len(made.domain.closed[1].values) <= 20
    cut = made.domain.closed[1].cuts[5]
    answer = made.ask(f"bmi < {float(cut)}")
    low, high = answer.interval(0.999)
    assert low <= np.mean(table["bmi"].to_numpy() < float(cut)) <= high


def test_all_is_charged_and_the_plan_says_so(table, tmp_path):
    shape = ht.Domain.from_dict(PARTS)
    plan = ht.plan(shape, workload=ht.Marginals(width=2), budget=ht.Budget(epsilon=1), rows=ROWS)
    assert "cells of pay, bmi are found first" in str(plan)
    assert plan.to_dict()["found_cells"] == {"columns": ["pay", "bmi"], "share": 0.1}
    assert plan.price.amount <= 1
    assert plan.price.amount > Fraction(999, 1000)
    ht.Vault(table, shape, ledger=tmp_path / "l").release(plan).save(tmp_path / "t.hush")
    charged = [line for line in ht.Ledger.open(tmp_path / "l").lines() if line.kind == "charge"]
    assert [line.what for line in charged[:2]] == ["measure number-cells"] * 2
    assert sum((line.amount for line in charged), Fraction(0)) <= 1


@pytest.mark.parametrize("workload", ["linear(file=q.csv)", "ranges()", "sparse(size=3, columns=[bmi])"])
def test_workloads_that_need_bins_say_so(workload, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("age < 50\n")
    with pytest.raises(BadPlan, match="declare `bins: 8` or `edges"):
        ht.plan(ht.Domain.from_dict(PARTS), workload=workload, budget=BUDGET, rows=ROWS)


def test_a_curator_asks_for_bins(table):
    with pytest.raises(BadPlan, match="a curator counts bins, and there are none of pay, bmi"):
        ht.Vault(table, ht.Domain.from_dict(PARTS), ledger="unused").curate(budget=BUDGET, randomness=ht.Simulated(1))


def test_smooth_questions_need_no_cells(table):
    made = released(table, "smooth(columns=[bmi])")
    assert made.shapes is None
    assert abs(made.ask("SELECT avg(bmi) FROM t").value - 25) < 1


def test_least_squares_agree_with_all_passes():
    cuts = [(Fraction(4),), (Fraction(2), Fraction(4), Fraction(6))]
    passes = [Pass(cuts[0], np.array([10.0, 30.0]), 1.0), Pass(cuts[1], np.array([4.0, 4.0, 20.0, 12.0]), 1e-9)]
    assert np.allclose(least_squares(passes), [4, 4, 20, 12], atol=1e-6)
    loose = [passes[0], Pass(cuts[1], passes[1].counts, 1e9)]
    assert np.allclose(least_squares(loose), [5, 5, 19, 11], atol=1e-3)
    # A cut that is gone: the first pass is one sum of two counts.
    merged = least_squares([passes[0], Pass((Fraction(2),), np.array([4.0, 36.0]), 1e9)])
    assert np.isclose(merged.sum(), 40, atol=1e-3)


def test_least_squares_are_those_of_the_normal_equations():
    """Every count of every pass is one equation about the cells of the last; cuts that are gone join counts."""
    random = np.random.default_rng(5)
    for _ in range(20):
        passes = []
        for size in (6, 15, 40):
            cuts = tuple(Fraction(int(cut)) for cut in np.sort(random.choice(np.arange(1, 100), size, replace=False)))
            passes.append(Pass(cuts, random.normal(100, 30, size + 1), float(random.uniform(1, 2_000))))
        last, lines, right = passes[-1], [], []
        for own in passes:
            shared = [Fraction(-1), *sorted(set(own.cuts) & set(last.cuts)), Fraction(1_000)]
            for low, high in pairwise(shared):
                theirs = [low <= edge < high for edge in (Fraction(-1), *own.cuts)]
                weight = (own.variance * sum(theirs)) ** -0.5
                lines.append([weight * (low <= edge < high) for edge in (Fraction(-1), *last.cuts)])
                right.append(weight * own.counts[theirs].sum())
        wanted = np.linalg.lstsq(np.array(lines, dtype=np.float64), np.array(right), rcond=None)[0]
        np.testing.assert_allclose(least_squares(passes), wanted, rtol=1e-8)


def test_cells_are_fine_where_rows_are_and_keep_fixed_cuts():
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "integer", "between": [0, 9999]}}})
    (x,) = shape.closed
    counts = np.zeros(len(x.values))
    counts[5] = 100_000.0
    fixed = (x.cuts[20],)
    cuts = parted(x, [Pass(x.cuts, counts, 100.0)], 10.0, fixed)
    low, high = x.edges[5], x.edges[6]
    assert sum(low < c < high for c in cuts) > 10
    assert fixed[0] in cuts
    assert sum(c > high for c in cuts) <= 2
    few = by_share(x, [Pass(x.cuts, counts, 100.0)], 16, fixed)
    assert len(few) <= 17
    assert fixed[0] in few


def test_found_shares_prune_noise_and_keep_sums():
    random = np.random.default_rng(0)
    cuts = tuple(Fraction(i) for i in range(1, 100))
    truth = np.zeros(100)
    truth[30:60] = 400.0
    seen = truth + random.normal(0, 20, 100)
    clean = FoundRange(cuts, [Pass(cuts, truth + random.normal(0, 20, 100), 400.0)]).counts(seen, 400.0)
    assert clean[:25].sum() + clean[65:].sum() < 0.01 * truth.sum()
    assert abs(clean.sum() / truth.sum() - 1) < 0.02
    assert (clean >= 0).all()


def test_habits_are_found_in_cells():
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"x": {"kind": "integer", "between": [0, 9999]}}})
    (x,) = shape.closed
    classes = round_classes(x)
    counts = np.zeros(len(classes))
    counts[classes.index(100)] = 9_000.0
    counts[0] = 1_000.0
    widths = np.diff([float(e) for e in x.edges])
    inside = Habits(classes, counts, 25.0).in_cells(x, widths / widths.sum())
    assert np.allclose(inside.sum(axis=1), 1)
    wide = widths > 500
    assert (inside[wide, classes.index(100)] > 0.6).all()


def test_slopes_lean_as_neighbours_do():
    starts, widths = np.arange(6.0), np.ones(6)
    falling = log_slopes(starts, widths, np.exp(-np.arange(6.0)))
    assert np.allclose(falling[1:-1], -1)
    assert falling[0] == 0  # the first cell only decays outwards
    assert np.allclose(log_slopes(starts, widths, np.array([1, 2, 1, 2, 1, 2.0]))[1:-1], 0)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("workload", ["marginals(width=2)", "whole_table()"])
def test_few_rows_and_one_cell_are_no_trouble(neighbours, workload, tmp_path):
    """All rows drown in noise, so that cells are joined to one; its number is exact where rows are replaced."""
    parts = {"table": "t", "neighbours": neighbours, "attributes": {
        "x": {"kind": "integer", "between": [0, 5000], "missing": "error"},
        "y": {"kind": "boolean", "missing": "error"},
    }}  # fmt: skip
    shape, rows = ht.Domain.from_dict(parts), pa.table({"x": [7] * 12, "y": [True] * 12})
    for seed in range(6):
        plan = ht.plan(shape, workload=workload, budget=ht.Budget(epsilon="0.1"), rows=12)
        made = ht.Vault(rows, shape, ledger="unused").release(plan, randomness=ht.Simulated(seed))
        made.save(tmp_path / f"{seed}.hush")
        assert ht.load(tmp_path / f"{seed}.hush").domain == made.domain
        assert 4 <= made.domain.sizes[0] <= 34
        if workload == "whole_table()":
            assert made.sample(100, seed=1).num_rows == 100

"""Parities by a histogram without its small cells: errors, bars, its file, and who takes over beyond it."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadSynopsis
from hushtable.maths.learning.even_rows import EvenRows, best_kept
from hushtable.models.learned.file import read_fields

COLUMNS, ROWS = 10, 20_000
NAMES = [f"a{i}" for i in range(COLUMNS)]
BUDGET = ht.Budget(epsilon=1, delta="1e-6")


def domain(columns=COLUMNS, more=0):
    booleans = {f"a{i}": {"kind": "boolean", "missing": "error"} for i in range(columns)}
    others = {f"c{i}": {"kind": "category", "values": ["x", "y", "z"], "missing": "error"} for i in range(more)}
    return ht.Domain.from_dict({"table": "t", "attributes": others | booleans})


def skewed():
    """Some rows again and again."""
    random = np.random.default_rng(1)
    chances = np.stack([np.full(COLUMNS, 0.03), random.uniform(0.05, 0.5, COLUMNS), np.full(COLUMNS, 0.95)])
    return (random.random((ROWS, COLUMNS)) < chances[random.choice(3, ROWS, p=[0.5, 0.3, 0.2])]).astype(np.int64)


def even():
    """No row more often than others, so that every parity is about one half."""
    return np.random.default_rng(2).integers(0, 2, (ROWS, COLUMNS))


def released(rows, mechanism=None, budget=BUDGET, seed=3, **shape):
    own = domain(**shape)
    table = {name: rows[:, i] == 1 for i, name in enumerate(NAMES)}
    others = {f"c{i}": np.array(["x", "y", "z"])[np.arange(ROWS) % 3] for i in range(shape.get("more", 0))}
    plan = ht.plan(own, rows=ROWS, workload="learned(language=parities)", budget=budget, mechanism=mechanism)
    return ht.Vault(pa.table(others | table), own).release(plan, randomness=ht.Simulated(seed))


def asked():
    return np.array([q for q in product((0, 1), repeat=COLUMNS) if any(q)])


def truth(rows, questions):
    return ((questions @ rows.T) % 2).mean(axis=1)


@pytest.mark.parametrize("budget", [BUDGET, ht.Budget(epsilon=1)], ids=["delta", "pure"])
def test_frequent_rows_answer_parities_better_than_learning(budget):
    rows, questions = skewed(), asked()
    exact = truth(rows, questions)
    counted, learned = (released(rows, name, budget) for name in (None, "learned"))
    off = [np.abs(one.evaluate(questions).value - exact).mean() for one in (counted, learned)]
    assert off[0] < 0.5 * off[1] < 0.5 * np.abs(exact - 0.5).mean()
    low, high = counted.evaluate(questions).interval(0.95)
    assert ((low <= exact) & (exact <= high)).mean() > 0.9


def test_it_is_hardly_worse_than_one_half_where_no_row_is_frequent():
    """Which `learned` is not: its public rows are as uneven as so few are."""
    rows, questions = even(), asked()
    exact = truth(rows, questions)
    half = np.abs(exact - 0.5).mean()
    assert np.abs(released(rows).evaluate(questions).value - exact).mean() < 1.1 * half
    assert np.abs(released(rows, "learned").evaluate(questions).value - exact).mean() > 1.5 * half


def test_other_columns_are_left_alone_and_files_come_back(tmp_path):
    rows = skewed()
    synopsis = released(rows, more=2)
    exact = float((rows[:, [0, 3]].sum(axis=1) % 2).mean())
    answer = synopsis.ask("parity(a0, a3)")
    assert answer.value == pytest.approx(exact, abs=0.03)
    synopsis.save(tmp_path / "p.hush")
    loaded = ht.load(tmp_path / "p.hush")
    assert loaded.ask("parity(a0, a3)").interval() == answer.interval()
    model = synopsis.model
    for damage in ({"even": 1}, {"even": True, "shrink": 0.5}, {"even": True, "language": "all_of", "width": 3}):
        with pytest.raises(BadSynopsis):
            read_fields(synopsis.domain, model.parameters() | damage, model.numbers())


def test_the_bound_is_chosen_by_noisy_answers_and_one_half_is_among_the_choices():
    questions = asked()
    rows = np.array([[1, 0], [1, 1], [0, 1]]) @ np.eye(2, COLUMNS, dtype=np.int64)
    exact = EvenRows(rows, np.array([0.5, 0.2, 0.1])).predict(questions)
    shares = np.random.default_rng(1).normal(0, 0.004, 1 << COLUMNS)
    shares[rows @ (1 << np.arange(COLUMNS - 1, -1, -1))] = [0.5, 0.2, 0.1]
    found = best_kept(shares, COLUMNS, (0.0, 0.03, np.inf), questions, exact)
    assert sorted(found.weights) == [0.1, 0.2, 0.5]
    assert np.abs(found.predict(questions) - exact).max() < 1e-7
    none = best_kept(shares, COLUMNS, (0.0, 0.03, np.inf), questions, np.full(len(questions), 0.5))
    assert len(none.rows) == 0
    assert np.array_equal(none.predict(np.array([[0] * COLUMNS, [1] * COLUMNS])), [0.0, 0.5])


def test_a_row_moves_two_cells_whatever_the_columns():
    plans = [ht.plan(domain(columns), rows=ROWS, workload="learned(language=parities)", budget=BUDGET)
             for columns in (8, 12)]  # fmt: skip
    scales = [plan.design.parameters.cell_noise.per_group[0] for plan in plans]
    assert scales[0] == scales[1]
    noise = released(skewed()).model
    assert noise.built_in.even


def test_beyond_its_cells_learning_takes_over():
    wide = domain(23)
    assert ht.plan(wide, workload="learned(language=parities)", budget=BUDGET, rows=ROWS).design.mechanism == "learned"
    with pytest.raises(BadPlan, match=r"2\^23 cells, and at most 2\^22 fit; take --mechanism learned") as error:
        ht.plan(wide, workload="learned(language=parities)", budget=BUDGET, rows=ROWS, mechanism="parity-rows")
    assert "\n" not in str(error.value)
    with pytest.raises(BadPlan, match=r"cannot answer .*; these can: learned"):
        ht.plan(domain(), workload="learned(language=all_of, width=3)", budget=BUDGET, mechanism="parity-rows")

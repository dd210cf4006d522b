"""Every mechanism found keeps the same promises; a new file is tested with no edit here.

All are tested on their specimens; those that take tables of pairs also on larger domains, without noise.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tables import BINARY, MIXED, FakeDoor, domain, random_codes

from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.measurements import Tally
from hushtable.audit.shapes import RELATIONS
from hushtable.audit.specimens import SPECIMENS
from hushtable.budget import Budget
from hushtable.errors import BadPlan
from hushtable.mechanisms import mechanisms
from hushtable.mechanisms.planner import plan
from hushtable.questions.parse import parse
from hushtable.questions.workloads import Marginals
from hushtable.synopsis import Synopsis, load
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import Simulated

BUDGETS = {"pure": Budget(epsilon=1), "zcdp": Budget(epsilon=1, delta="1e-9"), "rho": Budget(rho="0.1")}
SHAPES = {
    f"{name}-{neighbours}": domain(attributes, neighbours=neighbours)
    for name, attributes in (("binary", BINARY), ("mixed", MIXED))
    for neighbours in ("replace", "add-remove")
}


MADE = [
    pytest.param(specimen.attacked(attack), attack, budget, relation, id=f"{specimen.name}-{i}-{budget}-{relation}")
    for specimen in SPECIMENS
    for i, attack in enumerate(specimen.attacks)
    for budget in attack.budgets
    for relation in RELATIONS
]


def test_every_mechanism_is_here():
    assert {case.values[0].by for case in MADE} == set(mechanisms())


def door_to(plan, tally: Tally) -> Door:
    rows = possible_rows(plan.domain, most=15, seed=3)[:15]
    return Door(total=MadeUpTable(plan.domain, rows).total, unit=plan.domain.unit, price=plan.design.price,
                account=tally, randomness=Simulated(5))  # fmt: skip


@pytest.mark.parametrize(("specimen", "attack", "budget", "relation"), MADE)
def test_a_specimen_spends_its_price_and_no_more(specimen, attack, budget, relation):
    plan, tally = specimen.plan(budget=budget, neighbours=relation, person=attack.person, rows=15), Tally()
    model = plan.by.release(door_to(plan, tally), plan.domain, plan.design)
    assert model.kind == specimen.model
    price = plan.design.price
    # With a delta a budget buys an amount of Gaussian noise, or epsilon and delta as they are.
    bought = budget.price_in(price.currency).amount if price.currency in budget.currencies else budget.epsilon
    spent = sum((each.into(price.currency).on_grid(up=True).amount for each in tally.charged), Fraction(0))
    assert spent <= price.amount <= bought
    assert spent >= price.amount * Fraction(999, 1000), "budget left unused"
    assert sum((each.delta for each in tally.charged), Fraction(0)) <= price.delta <= (budget.delta or 0)


@pytest.mark.parametrize(("specimen", "attack", "budget", "relation"), MADE)
def test_a_specimen_answers_the_same_after_save_and_load(specimen, attack, budget, relation, tmp_path):
    plan = specimen.plan(budget=budget, neighbours=relation, person=attack.person, rows=15)
    model = plan.by.release(door_to(plan, Tally()), plan.domain, plan.design)
    synopsis = Synopsis.from_release(plan, model, ledger=None, not_private=True)
    synopsis.save(tmp_path / "t.hush")
    again = load(tmp_path / "t.hush")
    assert again.digest == synopsis.digest
    assert again.model.parameters() == synopsis.model.parameters()
    assert {name: given.tolist() for name, given in again.model.numbers().items()} == {
        name: given.tolist() for name, given in synopsis.model.numbers().items()
    }


def takes(mechanism, shape, budget) -> bool:
    try:
        return mechanism.suits(Marginals(width=2)) and bool(
            mechanism.design(shape, Marginals(width=2), budget.price, 50)
        )
    except BadPlan:
        return False


CASES = [
    pytest.param(mechanism, shape, budget, id=f"{mechanism.name}-{shape_name}-{budget_name}")
    for mechanism in mechanisms().values()
    for shape_name, shape in SHAPES.items()
    for budget_name, budget in BUDGETS.items()
    if takes(mechanism, shape, budget)
]


def test_every_mechanism_takes_something():
    assert {case.values[0].name for case in CASES} >= {"low-order", "tables", "histogram", "monomial", "mwem"}


@pytest.mark.parametrize(("mechanism", "shape", "budget"), CASES)
def test_spends_its_price_and_no_more(mechanism, shape, budget):
    design = mechanism.design(shape, Marginals(width=2), budget.price, 50)
    door = FakeDoor(random_codes(shape, 50, seed=1), shape)
    mechanism.release(door, shape, design)
    spent = sum((price.into(budget.currency).on_grid(up=True).amount for price in door.prices), Fraction(0))
    assert spent <= budget.price.amount
    assert spent >= budget.price.amount * Fraction(999, 1000), "budget left unused"


EXACT = [case for case in CASES if case.values[0].unbiased]


@pytest.mark.parametrize(("mechanism", "shape", "budget"), EXACT)
def test_without_noise_every_table_is_exact(mechanism, shape, budget):
    codes = random_codes(shape, 777, seed=2)
    model = mechanism.release(FakeDoor(codes, shape), shape, mechanism.design(shape, Marginals(width=2), budget.price))
    for i, first in enumerate(shape.closed):
        for j, second in enumerate(shape.closed):
            if i == j:
                continue
            text = f"SELECT {first.name}, {second.name}, count(*) FROM t GROUP BY {first.name}, {second.name}"
            answer = model.answer(parse(text, shape), count=True)
            truth = np.zeros((first.size, second.size))
            np.add.at(truth, (codes[i], codes[j]), 1)
            assert np.abs(answer.value - truth.ravel()).max() < 1e-9
            assert (answer.stderr > 0).all(), "a table without noise would not be private"


@pytest.mark.parametrize(("mechanism", "shape", "budget"), EXACT)
def test_forecast_is_the_error_its_answers_state(mechanism, shape, budget):
    """The forecast (no data) and the stated standard errors (from the model) are two computations of one number."""
    made = plan(shape, workload=Marginals(width=2), budget=budget, mechanism=mechanism.name)
    model = mechanism.release(FakeDoor(random_codes(shape, 100, seed=3), shape), shape, made.design)
    for forecast in made.design.forecasts:
        variances, worst = [], 0.0
        for positions in ([(i,) for i in range(4)], [(i, j) for j in range(4) for i in range(j)])[forecast.width - 1]:
            names = ", ".join(shape.closed[p].name for p in positions)
            cells = model.answer(parse(f"SELECT {names}, count(*) FROM t GROUP BY {names}", shape), count=True)
            variances.append(cells.stderr**2)
            worst = max(worst, cells.stderr.max())
        assert np.sqrt(np.concatenate(variances).mean()) == pytest.approx(forecast.typical, rel=1e-9)
        assert worst <= forecast.worst * (1 + 1e-9)


@pytest.mark.parametrize(("mechanism", "shape", "budget"), CASES)
def test_a_synopsis_answers_the_same_after_save_and_load(mechanism, shape, budget, tmp_path):
    made = plan(shape, workload=Marginals(width=2), budget=budget, mechanism=mechanism.name, rows=100)
    model = mechanism.release(FakeDoor(random_codes(shape, 100, seed=4), shape), shape, made.design)
    synopsis = Synopsis.from_release(made, model, ledger=None, not_private=True)
    synopsis.save(tmp_path / "t.hush")
    again = load(tmp_path / "t.hush")
    question = f"SELECT {shape.names[0]}, count(*) FROM t WHERE {shape.names[3]} GROUP BY {shape.names[0]}"
    assert synopsis.ask(question).to_dict() == again.ask(question).to_dict()
    assert again.digest == synopsis.digest


@pytest.mark.parametrize("mechanism", mechanisms().values(), ids=lambda m: m.name)
def test_what_is_published_is_run_by_name_and_nothing_else_is_without_a_reason(mechanism):
    published = ".published." in type(mechanism).__module__
    assert mechanism.by_name_only == (published or bool(mechanism.why_by_name))


@pytest.mark.parametrize(("mechanism", "shape", "budget"), CASES)
def test_a_design_holds_its_mechanism(mechanism, shape, budget):
    design = mechanism.design(shape, Marginals(width=2), budget.price, 50)
    assert design.by is mechanism
    assert design.mechanism == mechanism.name


@pytest.mark.parametrize("mechanism", mechanisms().values(), ids=lambda m: m.name)
def test_cites_its_source(mechanism):
    references = (Path(__file__).parents[2] / "docs" / "references.bib").read_text()
    assert f"{{{mechanism.source}," in references

"""The second round of a whole table: when it is done, what it spends and measures, and that it helps."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tables import domain, table_of

import hushtable as ht
from hushtable.laws import Law
from hushtable.maths.weighted_rows.first_model import trust
from hushtable.maths.weighted_rows.grouped_sets import GroupedSet, RawTable
from hushtable.maths.weighted_rows.resolution import Groupings, Pricing
from hushtable.maths.weighted_rows.triples import FOR_EACH_COLUMN, plan_triples, second_round_pays, shortfall, triples
from hushtable.mechanisms.whole_table import steps
from hushtable.mechanisms.whole_table.budget_shares import SECOND_ROUND
from hushtable.vault.door.door import Door
from hushtable.vault.statistics import GroupedInteractions

BUDGET = ht.Budget(epsilon=1, delta="1e-9")
SIX = {f"b{j}": {"kind": "boolean", "missing": "error"} for j in range(6)}
ROWS = 60_000


def rows_of_six(rows=ROWS, seed=1):
    """Five dependent columns, and one that is mostly the parity of two of them, which no pair tells."""
    g = np.random.default_rng(seed)
    lean = g.random(rows)
    five = [(g.random(rows) + lean > 1).astype(np.uint8) for _ in range(5)]
    last = np.where(g.random(rows) < 0.7, five[0] ^ five[1], five[2])
    return np.array([*five, last.astype(np.uint8)])


class Account:
    def __init__(self):
        self.paid = []

    def charge(self, price, *, what):
        self.paid.append((price.amount, what))


def release(shape, codes, *, budget=BUDGET, seed=1):
    made = ht.plan(shape, workload=ht.WholeTable(), budget=budget)
    account = Account()
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=made.design.price, account=account,
                randomness=ht.Simulated(seed))  # fmt: skip
    return made.by.release(door, shape, made.design), made, account


def triples_in(model):
    return [raw for raw in model.tables if len(raw.set.members) == 3]


def error(model, codes, members):
    shape = [model.domain.sizes[j] for j in members]
    key = np.ravel_multi_index(codes[list(members)].astype(np.int64), shape)
    true = np.bincount(key, minlength=int(np.prod(shape))) / codes.shape[1]
    return float(np.abs(model.cloud.table(members).ravel() - true).sum() / 2)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_a_parity_of_two_columns_is_found_measured_and_fitted(neighbours, monkeypatch):
    shape, codes = domain(SIX, neighbours=neighbours), rows_of_six()
    model, made, account = release(shape, codes)
    assert (0, 1, 5) in [raw.set.members for raw in triples_in(model)]
    assert any("second round" in remark for remark in model.remarks())
    spent = sum((amount for amount, _ in account.paid), Fraction(0))
    assert Fraction(999, 1000) * made.design.price.amount <= spent <= made.design.price.amount
    monkeypatch.setattr(steps, "second_round_pays", lambda *_: False)
    once, _, _ = release(shape, codes)
    assert not triples_in(once)
    assert error(once, codes, (0, 1, 5)) > 0.1
    assert error(model, codes, (0, 1, 5)) < 0.02
    bound = model.audit.bound((0, 1, 5), shape.sizes, model.total[0])
    assert bound.bias + 6 * bound.stderr < 0.1


def test_it_spends_its_shares_in_two_steps():
    shape, codes = domain(SIX, neighbours="add-remove"), rows_of_six()
    _, made, account = release(shape, codes)
    whole = made.design.price.amount
    # Columns, scores, pairs; then scores and interactions of triples; then the calibration: four widths, and distances.
    shares = [float(amount / whole) for amount, _ in account.paid]
    assert len(shares) == 10
    assert shares[3:5] == pytest.approx([0.02, SECOND_ROUND - 0.02], rel=1e-3)
    assert shares[5:] == pytest.approx([0.005, 0.005, 0.005, 0.005, 0.01], rel=1e-3)


@pytest.mark.parametrize("case", ["few rows", "independent", "pure"])
def test_it_is_left_out_where_noise_would_win(case):
    shape, codes = domain(SIX, neighbours="add-remove"), rows_of_six(1500 if case == "few rows" else ROWS)
    if case == "independent":
        codes = np.random.default_rng(3).integers(0, 2, codes.shape).astype(np.uint8)
    model, _, account = release(shape, codes, budget=ht.Budget(epsilon=1) if case == "pure" else BUDGET)
    assert not triples_in(model)
    assert len(account.paid) == 8
    assert not any("second round" in remark for remark in model.remarks())


def test_when_it_pays():
    """Noise falls with rows and price, and what may be missed grows with dependence."""
    pricing, even = Pricing(Law.GAUSSIAN, 30.0), [Groupings(np.full(4, 0.25)) for _ in range(5)]
    candidates = triples(even)
    assert len(candidates) == 10
    assert [one.shape for one in candidates[0]] == [(4, 4, 4), (2, 2, 2)]
    some = dict.fromkeys([(i, j) for j in range(5) for i in range(j)], 0.1)
    assert second_round_pays(candidates, some, 100_000.0, pricing)
    assert not second_round_pays(candidates, some, 3000.0, pricing)
    assert not second_round_pays(candidates, some, 100_000.0, Pricing(Law.GAUSSIAN, 1000.0))
    assert not second_round_pays(candidates, some, 100_000.0, Pricing(Law.LAPLACE, 30.0))
    # One dependent pair is no three-way structure.
    assert not second_round_pays(candidates, dict.fromkeys(some, 0.0) | {(0, 1): 0.9}, 100_000.0, pricing)
    assert not triples([Groupings(np.full(2, 0.5)) for _ in range(30)]), "too many to be scored"
    assert not second_round_pays([], {}, 1e9, pricing)


def test_the_worst_are_measured_and_not_too_many():
    candidates = triples([Groupings(np.full(2, 0.5)) for _ in range(9)])
    scores = np.linspace(0.0, 0.1, len(candidates))
    plan = plan_triples(candidates, scores, 1e6, Pricing(Law.GAUSSIAN, 10.0), 9)
    assert [one.members for one in plan.tables] == [
        steps[0].members for steps in candidates[::-1][: FOR_EACH_COLUMN * 9]
    ]
    assert sum(0.125 * (10.0 / s) ** 2 for s in plan.deviations) == pytest.approx(1.0, rel=1e-6)


def test_shortfall_takes_chance_away():
    """Draws from the model's own table score near 0, though rows and model both have sampling error."""
    g, shares = np.random.default_rng(5), np.full(64, 1 / 64)
    rows, carriers = 40_000, 20_000
    drawn, model = g.multinomial(rows, shares), g.multinomial(carriers, shares) / carriers
    far = np.array([np.abs(drawn - rows * model).sum(), 8000.0])
    found = shortfall(far, 1.0, [model, model], float(rows), float(carriers))
    assert far[0] / (2 * rows) > 0.02
    assert found[0] < 0.012
    assert found[1] == pytest.approx(0.1, rel=0.05)


def test_trust_follows_what_all_triples_show():
    """Differences of the size of noise are hardly believed, large ones are."""
    one = GroupedSet((0, 1, 2), (np.arange(2),) * 3)
    tables = [RawTable(one, np.zeros(1, dtype=np.int64), Law.GAUSSIAN, Fraction(10_000), True)] * 40
    g = np.random.default_rng(6)
    small = [np.full((2, 2, 2), x / np.sqrt(8)) for x in g.normal(0, 100, 40)]
    large = [np.full((2, 2, 2), x / np.sqrt(8)) for x in g.normal(0, 3000, 40)]
    little, much = (trust(tables, apart, 8000.0, 1e9) for apart in (small, large))
    assert little.min() > 10_000
    assert much.max() < 100


def test_the_price_of_a_triple_is_that_of_the_statistic():
    """What plans take one to cost is the exact cost, under both relations."""
    for shape in product((2, 3, 4), repeat=3):
        one = GroupedSet((0, 1, 2), tuple(np.arange(size) for size in shape))
        statistic = GroupedInteractions(shape, [one])
        for neighbours, moved in (("replace", 2), ("add-remove", 1)):
            exact = statistic.sensitivity(power=2, weights=[Fraction(1)], neighbours=neighbours)
            assert moved * Pricing(Law.GAUSSIAN, 1.0, neighbours == "replace").price(one) == pytest.approx(float(exact))


def test_saved_and_loaded(tmp_path):
    shape = domain(SIX)
    table = table_of(shape, rows_of_six())
    made = ht.plan(shape, budget=BUDGET, rows=ROWS)
    assert "a second round (8% of the budget)" in str(made)
    assert "second round" not in str(ht.plan(shape, budget=BUDGET, rows=500))
    synopsis = ht.Vault(table, shape).release(made, randomness=ht.Simulated(3))
    synopsis.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    assert again.digest == synopsis.digest
    assert [raw.set.members for raw in triples_in(again.model)] == [
        raw.set.members for raw in triples_in(synopsis.model)
    ]
    answer = again.ask("b0 AND b1 AND b5")
    assert any("second round" in note for note in answer.notes)
    assert answer.unbiased is None, "of three columns only the interaction was measured"
    assert again.ask("b0 AND b1").unbiased is not None

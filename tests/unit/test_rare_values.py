"""Wide tables of rare values: when they are taken for such, what is measured, and that the model is worth it."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tables import domain

import hushtable as ht
from hushtable.errors import BadSynopsis
from hushtable.laws import Law
from hushtable.maths.weighted_rows.rare_design import (
    WEIGHT_UNIT,
    Lengths,
    RareColumns,
    RareDesign,
    filling_weights,
    length_cell,
    may_be_rare,
    single_weights,
    split,
)
from hushtable.maths.weighted_rows.rare_targets import shrunk
from hushtable.mechanisms.whole_table.budgeted_door import BudgetedDoor
from hushtable.mechanisms.whole_table.rare_values import first_look, measured_sums
from hushtable.models.whole_table.whole_table import WholeTableModel
from hushtable.questions.parse import parse
from hushtable.questions.workloads.whole_table import WholeTable
from hushtable.vault.door.door import Door
from hushtable.vault.statistics import RareLengths, RareSums

WIDTH, ROWS = 36, 30_000
SHAPE = {f"c{j}": {"kind": "boolean", "missing": "error"} for j in range(WIDTH)}


class Account:
    def __init__(self):
        self.paid = []

    def charge(self, price, *, what):
        self.paid.append(price.amount)


def baskets(rows=ROWS, seed=3):
    """Two even columns, rare ones that come with the first of them, one pair of near twins, one column nearly all 1."""
    random = np.random.default_rng(seed)
    codes = (random.random((WIDTH, rows)) < 0.03).astype(np.uint8)
    codes[0], codes[1] = random.random(rows) < 0.5, random.random(rows) < 0.3
    codes[2:8] |= (random.random((6, rows)) < 0.08 * codes[0]).astype(np.uint8)
    codes[11] = np.where(random.random(rows) < 0.9, codes[10], codes[11])
    codes[-1] = 1 - codes[-1]
    return codes


def release(codes):
    shape = domain(SHAPE, neighbours="add-remove")
    made = ht.plan(shape, workload=WholeTable(), budget=ht.Budget(epsilon=1, delta="1e-9"))
    account = Account()
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=made.design.price, account=account,
                randomness=ht.Simulated(5))  # fmt: skip
    return made.by.release(door, shape, made.design), made.design.price.amount, account


@pytest.fixture(scope="module")
def released():
    codes = baskets()
    return codes, *release(codes)


def pair(codes, i, j):
    return np.bincount(codes[i].astype(np.int64) * 2 + codes[j], minlength=4).reshape(2, 2) / codes.shape[1]


def test_spends_its_price_and_no_more(released):
    _, _, price, account = released
    assert Fraction(999, 1000) * price <= sum(account.paid, Fraction(0)) <= price


def test_rare_and_even_columns_are_told_apart(released):
    _, model, _, _ = released
    assert model.rare.columns == RareColumns((0, 1), tuple(range(2, WIDTH)), (*[0] * (WIDTH - 3), 1))


def test_pairs_are_nearer_to_the_truth_than_independence(released):
    """The twins most of all. Total variation at epsilon 1."""
    codes, model, _, _ = released
    mine, independent = [], []
    for i, j in combinations(range(WIDTH), 2):
        true = pair(codes, i, j)
        mine.append(np.abs(model.cloud.table((i, j)) - true).sum() / 2)
        independent.append(np.abs(np.outer(true.sum(1), true.sum(0)) - true).sum() / 2)
    assert mine[list(combinations(range(WIDTH), 2)).index((10, 11))] < 0.2 * max(independent)
    assert np.mean(mine) < 0.008
    assert model.effective > 0.5


def test_a_loaded_model_is_the_released_one(released):
    _, model, _, _ = released
    parameters, numbers = model.parameters(), model.numbers()
    lengths = WholeTableModel.lengths(model.domain, parameters)
    assert {name: len(values) for name, values in numbers.items()} == lengths
    again = WholeTableModel.build(model.domain, parameters, numbers)
    assert again.rare.scales == model.rare.scales
    assert again.rare.columns == model.rare.columns
    np.testing.assert_array_equal(again.rare.sums, model.rare.sums)
    np.testing.assert_array_equal(again.cloud.table((3, 4)), model.cloud.table((3, 4)))


def test_even_columns_and_their_pairs_have_measured_values(released):
    """Their sums have no weights. Within 6 standard errors, which are far below those of the first look."""
    codes, model, _, _ = released
    coarse = model.answer(parse("c5", model.domain)).unbiased.stderr
    for text, true in (("c0", codes[0]), ("c1", codes[1]), ("c0 AND NOT c1", codes[0] & (1 - codes[1]))):
        found = model.answer(parse(text, model.domain)).unbiased
        assert abs(found.value - true.mean()) < 6 * found.stderr
        assert found.stderr < 0.4 * coarse
    assert model.answer(parse("c0 AND c5", model.domain)).unbiased is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("even", [0, 0]), ("usual", [2] * (WIDTH - 2)), ("single", [1]), ("both", [-1] * (WIDTH - 1)), ("scales", ["1"])],
)
def test_a_damaged_description_is_refused(released, name, value):
    _, model, _, _ = released
    parameters = model.parameters()
    parameters["rare"] = parameters["rare"] | {name: value}
    with pytest.raises(BadSynopsis, match="rare values"):
        WholeTableModel.lengths(model.domain, parameters)


def test_sums_without_noise_are_refused(released):
    _, model, _, _ = released
    parameters = model.parameters()
    parameters["rare"] = parameters["rare"] | {"lengths_scale": "0"}
    with pytest.raises(BadSynopsis, match="without noise"):
        WholeTableModel.build(model.domain, parameters, model.numbers())


def test_only_many_columns_of_two_values_may_be_rare():
    assert may_be_rare([2] * 32, Law.GAUSSIAN)
    assert not may_be_rare([2] * 32, Law.LAPLACE)
    assert not may_be_rare([2] * 31, Law.GAUSSIAN)
    assert not may_be_rare([2] * 32 + [6], Law.GAUSSIAN)


def test_the_plan_says_what_noise_a_rare_column_will_have():
    """On a table like the reference the stated standard error is that of the release, within 3%."""
    width, rows, shape = 40, 50_000, domain({f"c{j}": SHAPE["c0"] for j in range(40)}, neighbours="add-remove")
    codes = (np.random.default_rng(2).random((width, rows)) < 0.02).astype(np.uint8)
    budget = ht.Budget(epsilon=1, delta="1e-9")
    (line,) = [x for x in str(ht.plan(shape, workload=WholeTable(), budget=budget, rows=rows)).splitlines()
               if "few unusual values" in x]  # fmt: skip
    said = float(line.split("standard error of ")[1].split()[0])
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=budget.price, account=Account(),
                randomness=ht.Simulated(5))  # fmt: skip
    survey = BudgetedDoor(door, shape, budget.price)
    _, columns = first_look(survey)
    seen = measured_sums(survey, columns, float(rows), survey.share(0.05))
    found = seen.deviations[1] / seen.believed(float(rows)).kept(seen.single, 1)
    assert said == pytest.approx(found, rel=0.03)


def test_a_table_of_even_columns_is_not_taken_for_rare():
    assert split([np.array([0.5, 0.5])] * 40) is None
    assert split([np.array([0.97, 0.03])] * 40).usual == (0,) * 40


def cells_of(counts, alone):
    """Noisy cells without noise: length 0, alone by column, 2, 3, ..."""
    return np.concatenate([counts[:1], alone, counts[2:]]).astype(np.int64)


def halving(rares=29, rows=100_000):
    """Lengths each of which has half as many rows as the one before; length 1 in equal parts."""
    counts = np.rint(rows / 2 * 0.5 ** np.arange(rares + 1))
    return Lengths.of(cells_of(counts, np.full(rares, counts[1] / rares)), 1.0, float(counts.sum()))


def profiles(lengths, tilts, mean):
    """Of columns with this mean count, how many of their rows have each length: tilted towards long rows or short."""
    shares, k = lengths.shares(1), np.maximum(np.arange(len(lengths.counts)), 1)
    each = shares * k ** np.array(tilts)[:, None]
    return mean * each / each.sum(axis=1, keepdims=True)


def test_weights_of_single_values_are_worth_their_bias():
    """Noise and bias together are far below those of full weights, and of weights that make every row cost the same."""
    lengths, mean, unit = halving(), 1000.0, 8.0
    columns = profiles(lengths, [-0.4, -0.2, 0.0, 0.2, 0.4], mean)

    def error(weights):
        kept = lengths.kept(weights, 1) * WEIGHT_UNIT
        noise = unit**2 * (lengths.each(1) * weights.astype(float) ** 2).max() / kept**2
        return float(np.sqrt(noise + np.mean((columns @ weights / kept - mean) ** 2)))

    chosen = single_weights(lengths, mean, unit)
    full, equal = np.full(30, WEIGHT_UNIT), np.floor(WEIGHT_UNIT / np.sqrt(np.maximum(np.arange(30), 1)))
    assert error(chosen) < 0.75 * min(error(full), error(equal.astype(int)))
    assert chosen.max() == WEIGHT_UNIT
    assert chosen[1] < WEIGHT_UNIT, "short rows are not weighed down against long ones"


def test_without_noise_all_rows_have_full_weight():
    assert set(single_weights(halving(12), 1000.0, 1e-6)[1:]) <= {WEIGHT_UNIT, WEIGHT_UNIT - 1}


def test_weights_of_pairs_use_the_price_up():
    lengths = halving(12)
    left = np.linspace(3.0, 1.0, 13)
    weights, deviation = filling_weights(lengths, left)
    spent = lengths.each(2) * weights**2.0 / deviation**2
    assert (spent <= left * (1 + 1e-9)).all()
    assert (spent[2:] > 0.9 * left[2:]).all()


@pytest.mark.parametrize("evens", [0, 2])
def test_rows_of_two_or_more_rare_values_cost_the_same(evens):
    """The design leaves nothing of the price of a common length unused."""
    columns = RareColumns(tuple(range(evens)), tuple(range(evens, evens + 29)), (0,) * 29)
    design, lengths = RareDesign.of(halving(), columns, 6.0), halving()
    _, rare, _, mixed, pairs = (1 / d**2 for d in design.deviations)
    price = lengths.each(1) * design.single**2.0 * (rare + evens * mixed) + lengths.each(2) * design.both**2.0 * pairs
    assert price[2:8].min() > 0.95 * price.max()
    assert price[1] < price[2]


def test_lengths_that_noise_hides_fall_on_as_the_known_ones():
    true = np.rint(50_000 * 0.5 ** np.arange(30))
    found = Lengths.of(cells_of(true, np.full(29, true[1] / 29)), 40.0**2, float(true.sum()))
    assert np.abs(found.counts - true).max() < 0.01 * true.sum()
    assert found.alone.sum() == pytest.approx(found.counts[1])
    weights = np.rint(WEIGHT_UNIT / np.sqrt(np.maximum(np.arange(30), 3) / 3)).astype(np.int64)
    assert found.kept(weights, 1) == pytest.approx(
        (np.arange(30) * true * weights).sum() / (256 * (np.arange(30) * true).sum()), abs=2e-3
    )


def test_lengths_below_the_noise_are_told_by_all_of_them_together():
    """Baskets of items: what is in rows of eight or more is known to a quarter, by cells with more noise than that."""
    true = np.array([29650, 26130, 15948, 8482, 4248, 2023, 941, 431, 165, 94, 28, 16, 3, 3, *[0] * 82])
    long, random, found = np.arange(96) * (np.arange(96) >= 8), np.random.default_rng(0), []
    for _ in range(50):
        noisy = cells_of(true, np.full(95, true[1] / 95)) + np.rint(random.normal(0, 41, 190)).astype(np.int64)
        found.append(Lengths.of(noisy, 41.0**2, float(true.sum())).counts @ long)
    assert np.sqrt(np.mean((np.array(found) - true @ long) ** 2)) < 0.25 * (true @ long)


def test_what_other_lengths_leave_is_of_length_one():
    """Noise on many cells of single columns does not add up to an error of their sum."""
    cells = np.concatenate([[6000], np.full(50, 80 + 10), [0] * 49])
    found = Lengths.of(cells, 40.0**2, 10_000.0)
    assert found.counts[:3].tolist() == [6000, 4000, 0]
    np.testing.assert_allclose(found.alone, 80)
    np.testing.assert_allclose(found.cells[:51].sum(), 10_000)


def test_an_empty_table_of_lengths_is_all_length_one():
    """No cell says otherwise, and rows there are."""
    assert Lengths.of(np.zeros(8, dtype=np.int64), 1.0, 7.0).counts.tolist() == [0, 7.0, 0, 0, 0]


def test_cells_of_rows_are_told_by_length_and_by_the_only_rare_value():
    rare = np.array([[0, 1, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 0, 1]], dtype=bool)
    assert length_cell(rare).tolist() == [0, 1, 3, 4, 5]


def test_shrinkage_leaves_large_differences_and_removes_noise():
    random = np.random.default_rng(1)
    true = np.concatenate([np.zeros(900), np.full(100, 400.0)])
    found = shrunk(true + random.normal(0, 20, 1000), 20.0, np.full(1000, 10.0))
    assert np.abs(found[:900]).mean() < 2
    assert np.abs(found[900:] - 400).mean() < 20


def test_sums_are_those_of_the_definition():
    codes, columns = baskets(200), RareColumns((0, 1), tuple(range(2, WIDTH)), (*[0] * (WIDTH - 3), 1))
    lengths = RareLengths(columns).accumulate(codes)
    x = np.array([codes[j] != u for j, u in zip(columns.rare, columns.usual, strict=True)]).astype(int)
    z, k = 2 * codes[:2].astype(int) - 1, x.sum(axis=0)
    wanted = [int((k == 0).sum()), *(x[:, k == 1].sum(axis=1)), *np.bincount(k, minlength=WIDTH - 1)[2:]]
    np.testing.assert_array_equal(lengths, wanted)
    single, both = np.arange(WIDTH - 1)[::-1], np.arange(WIDTH - 1) % 7
    statistic = RareSums(columns, single.tolist(), both.tolist())
    s, b = single[k], both[k]
    wanted = [z.sum(1), (s * x).sum(1), [(z[0] * z[1]).sum()], [(s * i * j).sum() for i in z for j in x],
              [(b * i * j).sum() for i, j in combinations(x, 2)]]  # fmt: skip
    np.testing.assert_array_equal(statistic.to_coordinates(statistic.accumulate(codes)), np.concatenate(wanted))


def test_wrong_weights_are_refused():
    with pytest.raises(ValueError, match="3 weights"):
        RareSums(RareColumns((), (0, 1), (0, 0)), [1, 1], [1, 1, 1])


def test_replace_and_several_rows_a_person_cost_their_price():
    codes, shape = baskets(40_000), domain(SHAPE, neighbours="replace", rows=2)
    price, account = ht.Budget(epsilon=1, delta="1e-9").price, Account()
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=price, account=account,
                randomness=ht.Simulated(5))  # fmt: skip
    survey = BudgetedDoor(door, shape, price)
    _, columns = first_look(survey)
    seen = measured_sums(survey, columns, float(survey.rows), Fraction(0))
    assert Fraction(999, 1000) * price.amount <= sum(account.paid, Fraction(0)) <= price.amount
    assert len(seen.sums) == sum(columns.counts)


def test_few_rows_are_measured_by_tables():
    """With counts of rare values near their noise the sums would not be worth fitting."""
    codes, shape = baskets(2000), domain(SHAPE, neighbours="add-remove")
    price = ht.Budget(epsilon=1, delta="1e-9").price
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=price, account=Account(),
                randomness=ht.Simulated(5))  # fmt: skip
    raw, columns = first_look(BudgetedDoor(door, shape, price))
    assert columns is None
    assert len(raw) == WIDTH + 1

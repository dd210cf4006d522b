"""Wide tables of rare values: when they are taken for such, what is measured, and that the model is worth it."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tables import domain

import hushtable as ht
from hushtable.errors import BadSynopsis
from hushtable.mechanisms import mechanisms
from hushtable.mechanisms.rare_survey import first_look, may_be_rare, measured_sums
from hushtable.mechanisms.survey import Survey
from hushtable.models.whole_table import WholeTableModel
from hushtable.rake.rare_agree import shrunk
from hushtable.rake.rare_columns import RareColumns, split
from hushtable.rake.rare_weights import WEIGHT_UNIT, Lengths, falling
from hushtable.vault.door import Door
from hushtable.vault.statistics import RareLengths, RareSums
from hushtable.workloads.whole_table import WholeTable

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
    return mechanisms()[made.mechanism].release(door, shape, made.design), made.design.price.amount, account


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
    assert may_be_rare(domain(SHAPE), "gaussian")
    assert not may_be_rare(domain(SHAPE), "laplace")
    assert not may_be_rare(domain({f"c{j}": SHAPE["c0"] for j in range(31)}), "gaussian")
    assert not may_be_rare(domain(SHAPE | {"age": {"kind": "integer", "between": [0, 5]}}), "gaussian")


def test_a_table_of_even_columns_is_not_taken_for_rare():
    assert split([np.array([0.5, 0.5])] * 40) is None
    assert split([np.array([0.97, 0.03])] * 40).usual == (0,) * 40


@pytest.mark.parametrize("order", [1, 2])
def test_weights_bound_the_squared_length_of_a_row(order):
    each = np.arange(60.0) if order == 1 else np.arange(60.0) * (np.arange(60.0) - 1) / 2
    for limit in (1.0, 4.5, 30.0):
        weights = falling(60, limit, order)
        assert (each * (weights / WEIGHT_UNIT) ** 2).max() <= limit * (1 + 1e-9)
        assert (weights[each <= limit] == WEIGHT_UNIT).all()


def test_lengths_that_noise_hides_fall_on_as_the_known_ones():
    true = np.rint(50_000 * 0.5 ** np.arange(30)).astype(np.int64)
    found = Lengths.of(true, 40.0**2, float(true.sum()))
    assert np.abs(found.counts - true).max() < 0.01 * true.sum()
    assert found.kept(falling(30, 3.0, 1), 1) == pytest.approx(
        (np.arange(30) * true * falling(30, 3.0, 1)).sum() / (256 * (np.arange(30) * true).sum()), abs=2e-3
    )


def test_an_empty_table_of_lengths_is_all_length_zero():
    assert Lengths.of(np.zeros(5, dtype=np.int64), 1.0, 7.0).counts.tolist() == [7.0, 0, 0, 0, 0]


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
    np.testing.assert_array_equal(lengths, np.bincount(k, minlength=WIDTH - 1))
    single, both = np.arange(WIDTH - 1)[::-1], np.arange(WIDTH - 1) % 7
    statistic = RareSums(columns, single.tolist(), both.tolist())
    s, b = single[k], both[k]
    wanted = [z.sum(1), (s * x).sum(1), [(z[0] * z[1]).sum()], [(s * i * j).sum() for i in z for j in x],
              [(b * i * j).sum() for i, j in combinations(x, 2)]]  # fmt: skip
    np.testing.assert_array_equal(statistic.finish(statistic.accumulate(codes)), np.concatenate(wanted))


def test_wrong_weights_are_refused():
    with pytest.raises(ValueError, match="3 weights"):
        RareSums(RareColumns((), (0, 1), (0, 0)), [1, 1], [1, 1, 1])


def test_replace_and_several_rows_a_person_cost_their_price():
    codes, shape = baskets(40_000), domain(SHAPE, neighbours="replace", rows=2)
    price, account = ht.Budget(epsilon=1, delta="1e-9").price, Account()
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=price, account=account,
                randomness=ht.Simulated(5))  # fmt: skip
    survey = Survey(door, shape, price)
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
    raw, columns = first_look(Survey(door, shape, price))
    assert columns is None
    assert len(raw) == WIDTH + 1

"""Chosen tables, linear queries and parts against definitions written out in full."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.budget import Price, Unit
from hushtable.errors import TooLarge
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.maths.linear import Boxes, ListedQueries, WholeTables
from hushtable.vault.door.door import Door, Noise, price_of
from hushtable.vault.door.randomness import Simulated
from hushtable.vault.statistics import (
    ChosenTables,
    LinearQueries,
    Parities,
    Tables,
    kernels,
    linear_queries,
    statistic_of,
)

SIZES = (3, 2, 4, 2)
BOXES = Boxes(SIZES, [(0,), (2,), (0, 2)], bins={0: 3, 2: 3})


def rows_of(sizes, count, seed=0, dtype=np.uint8):
    source = np.random.default_rng(seed)
    return np.array([source.integers(0, size, count) for size in sizes], dtype=dtype)


def by_hand(codes, sizes, members):
    table = np.zeros([sizes[j] for j in members], dtype=np.int64)
    np.add.at(table, tuple(codes[j].astype(np.intp) for j in members), 1)
    return table.ravel()


def finished(statistic, codes):
    return statistic.to_coordinates(statistic.accumulate(codes))


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=6),
    count=st.integers(0, 300),
    threads=st.integers(1, 3),
    wide=st.booleans(),
    data=st.data(),
)
def test_chosen_tables_equal_a_count_by_hand(sizes, count, threads, wide, data):
    codes = rows_of(sizes, count, seed=count, dtype=np.uint16 if wide else np.uint8)
    member = st.sets(st.integers(0, len(sizes) - 1), min_size=1)
    sets = [tuple(sorted(s)) for s in data.draw(st.lists(member, min_size=1, max_size=8))]
    counted = ChosenTables(sizes, sets, threads=threads).accumulate(codes)
    np.testing.assert_array_equal(counted, np.concatenate([by_hand(codes, sizes, s) for s in sets]))


def test_chosen_tables_over_many_blocks_small_and_large():
    sizes, sets = (40, 30, 3), [(0,), (0, 1), (1, 2), (0, 1, 2), (2,)]
    codes = rows_of(sizes, 64 * kernels.ROWS + 4099)
    expected = np.concatenate([by_hand(codes, sizes, s) for s in sets])
    np.testing.assert_array_equal(ChosenTables(sizes, sets, threads=2).accumulate(codes), expected)


def test_chosen_tables_of_one_width_are_the_tables():
    codes, whole = rows_of(SIZES, 500), WholeTables.of_width(SIZES, 2)
    np.testing.assert_array_equal(
        finished(ChosenTables(SIZES, whole.sets), codes), finished(Tables(InteractionLayout(SIZES, 2)), codes)
    )


def test_columns_that_no_set_names_do_not_matter():
    codes = rows_of(SIZES, 100)
    other = codes.copy()
    other[1] = 255
    statistic = ChosenTables(SIZES, [(0, 2), (3,)])
    np.testing.assert_array_equal(statistic.accumulate(codes), statistic.accumulate(other))


def test_too_many_cells_are_refused_before_they_are_made():
    with pytest.raises(TooLarge):
        ChosenTables((1000,) * 5, [(0, 1, 2, 3, 4)])
    with pytest.raises(TooLarge):
        ChosenTables((10, 10), [(0, 1)], cap=99)


@pytest.mark.parametrize("seed", range(5))
def test_the_bounds_of_large_classes_hold_and_are_not_far_off(seed, monkeypatch):
    source = np.random.default_rng(seed)
    sets = [(0, 2), (1,), (1, 3), (0,)]
    listed = [(s, 1 + source.integers(0, 9, int(np.prod([SIZES[j] for j in s])))) for s in sets]
    for given_class in (BOXES, ListedQueries.of(SIZES, listed, grid=9)):
        statistic = LinearQueries(given_class)
        for neighbours in ("add-remove", "replace"):
            for power in (1, 2):
                with monkeypatch.context() as patch:
                    exact = statistic.sensitivity(power=power, weights=[Fraction(2, 3)], neighbours=neighbours)
                    patch.setattr(linear_queries, "MOST_WORK", 0)
                    bound = statistic.sensitivity(power=power, weights=[Fraction(2, 3)], neighbours=neighbours)
                assert exact <= bound <= 4 * exact


def test_whole_tables_are_not_single_queries():
    with pytest.raises(ValueError, match="ChosenTables"):
        LinearQueries(WholeTables(SIZES, [(0,)]))


def test_the_statistic_of_a_class_has_its_layout():
    codes = rows_of(SIZES, 200)
    for given_class in (BOXES, WholeTables(SIZES, [(0, 1), (2,)])):
        statistic = statistic_of(given_class)
        cells = np.concatenate([by_hand(codes, SIZES, s) for s in given_class.sets])
        np.testing.assert_array_equal(finished(statistic, codes), given_class.apply(cells))
        for c in range(len(given_class)):
            part = statistic.part(c)
            assert slice(part.start, part.stop) == given_class.place(c)


def test_parts_of_tables_are_views():
    codes = rows_of(SIZES, 200)
    for statistic in (Tables(InteractionLayout(SIZES, 2)), ChosenTables(SIZES, [(0,), (1, 2)])):
        sums = statistic.accumulate(codes)
        assert np.shares_memory(statistic.part(1).to_coordinates(sums), sums)
        assert statistic.part(1).whole is statistic


GAUSSIAN, LAPLACE = (Noise(law=law, per_group=(Fraction(8),)) for law in (Law.GAUSSIAN, Law.LAPLACE))
TABLE = ChosenTables(SIZES, [(0, 1)]).part(0)
QUERY = LinearQueries(ListedQueries.of(SIZES, [((0,), np.array([2, 3, 7]))], grid=9)).part(0)
PARITY = Parities(InteractionLayout((2, 2, 2), 2)).part(4)


@pytest.mark.parametrize(
    ("part", "noise", "neighbours", "amount"),
    [
        (TABLE, LAPLACE, "add-remove", Fraction(1, 8)),
        (TABLE, LAPLACE, "replace", Fraction(2, 8)),
        (TABLE, GAUSSIAN, "add-remove", Fraction(1, 16)),
        (TABLE, GAUSSIAN, "replace", Fraction(2, 16)),
        (QUERY, LAPLACE, "add-remove", Fraction(7, 8)),
        (QUERY, LAPLACE, "replace", Fraction(5, 8)),
        (QUERY, GAUSSIAN, "add-remove", Fraction(49, 16)),
        (QUERY, GAUSSIAN, "replace", Fraction(25, 16)),
        (PARITY, LAPLACE, "add-remove", Fraction(1, 8)),
        (PARITY, LAPLACE, "replace", Fraction(2, 8)),
        (PARITY, GAUSSIAN, "add-remove", Fraction(1, 16)),
        (PARITY, GAUSSIAN, "replace", Fraction(4, 16)),
    ],
)
def test_the_price_of_a_part_is_that_of_its_own_change(part, noise, neighbours, amount):
    assert price_of(part, noise, Unit(neighbours=neighbours)).amount == amount
    three = price_of(part, noise, Unit(rows=3, neighbours=neighbours)).amount
    assert three == amount * (9 if noise.law == "gaussian" else 3)


class NoAccount:
    def charge(self, price, *, what):
        pass


def test_parts_are_measured_without_reading_the_rows_again():
    codes, reads = rows_of(SIZES, 300), []

    def total(statistic):
        reads.append(statistic)
        return statistic.accumulate(codes)

    price = Price(currency="zcdp", amount=Fraction(200))
    door = Door(total=total, unit=Unit(), price=price, account=NoAccount(), randomness=Simulated(1))
    statistic = LinearQueries(BOXES)
    door.select(statistic, np.zeros(len(BOXES), dtype=np.int64), Price(currency="zcdp", amount=Fraction(1)))
    tiny = Noise(law=Law.GAUSSIAN, per_group=(Fraction(1, 100),))
    for c in (0, 3, len(BOXES) - 1):
        seen = door.measure(statistic.part(c), tiny)
        np.testing.assert_array_equal(
            seen.values, BOXES.functions(c) @ by_hand(codes, SIZES, BOXES.sets[BOXES.set_of(c)])
        )
        assert seen.rows == 300
    assert reads == [statistic]

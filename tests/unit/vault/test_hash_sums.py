"""Hash sums: what one row can change, whatever the hash does, and sums that do not depend on the split."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hushtable.domain import Domain
from hushtable.domain.attributes import Category, Open
from hushtable.laws import Law
from hushtable.maths.keys.sketches import Sketch
from hushtable.vault.statistics.hash_sums import HashSums
from hushtable.vault.statistics.row_count import RowCount

URL = Open(name="url")
WEIGHTS = [[Fraction(1), Fraction(1)], [Fraction(0), Fraction(1)], [Fraction(3, 7), Fraction(2, 5)]]


def one_row(statistic, value):
    keys = pa.array([value], pa.large_binary())
    return statistic.accumulate(statistic.sketch.places(keys))


def changes(statistic, neighbours):
    """Every row of 40 values, or every pair of them."""
    rows = np.unique([one_row(statistic, f"v{i}".encode()) for i in range(40)], axis=0)
    return rows if neighbours == "add-remove" else (rows[:, None] - rows[None]).reshape(-1, rows.shape[1])


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("width", [1, 2, 4, 64])
def test_the_spread_is_that_of_the_worst_pair_under_every_key(width, signed, neighbours):
    for seed in range(8):
        key = np.random.default_rng(seed).bytes(16)
        statistic = HashSums([URL], Sketch(key, width, signed))
        seen = np.abs(changes(statistic, neighbours))
        for weights in WEIGHTS:
            for power in (1, 2):
                sums = {(int(row[0]) ** power, int((row[1:] ** power).sum())) for row in seen}
                worst = max(weights[0] * rows + weights[1] * buckets for rows, buckets in sums)
                stated = statistic.sensitivity(power=power, weights=weights, neighbours=neighbours)
                assert worst <= stated
                # 40 values reach the worst case of few buckets under every key.
                assert width > 4 or worst == stated
        assert seen.max() <= statistic.largest_change(neighbours)
        assert width > 4 or seen.max() == statistic.largest_change(neighbours)


def test_signs_double_the_square_of_a_replaced_row():
    signed, unsigned = (HashSums([URL], Sketch(bytes(16), 2, s)) for s in (True, False))
    bucket = [Fraction(0), Fraction(1)]
    assert [s.sensitivity(power=2, weights=bucket, neighbours="replace") for s in (signed, unsigned)] == [4, 2]
    with pytest.raises(ValueError, match="power"):
        signed.sensitivity(power=3, weights=bucket, neighbours="replace")


@pytest.mark.parametrize("columns", [1, 2])
def test_sums_of_any_partition_are_those_of_the_whole_bit_for_bit(columns):
    source = np.random.default_rng(4)
    table = pa.table(
        {
            "url": pa.array([None if i % 50 == 0 else f"site {i}" for i in source.zipf(1.4, 5000)]),
            "kind": pa.array(source.choice(["a", "b"], 5000)),
        }
    )
    attributes = [URL, Category(name="kind", names=("a", "b"), missing="error")][:columns]
    shape = Domain(table="t", attributes=tuple(attributes))
    statistic = HashSums(attributes, Sketch(source.bytes(16), 256, signed=True))

    def total(part):
        sums = statistic.zeros()
        for batch in part.select(statistic.columns(shape)).to_batches(max_chunksize=700):
            sums += statistic.accumulate(statistic.read(batch, shape))
        return sums

    whole = total(table)
    assert statistic.rows(whole) == 5000
    for seed in range(4):
        member = np.random.default_rng(seed).integers(0, 5, 5000)
        parts = [total(table.filter(pa.array(member == i))) for i in range(5)]
        np.testing.assert_array_equal(sum(parts), whole)
    assert statistic.to_coordinates(whole) is whole


def test_the_number_of_rows_alone():
    statistic, shape = RowCount(), Domain(table="t", attributes=(URL,))
    batch = pa.record_batch({"url": ["a", None, "a"]})
    assert statistic.columns(shape) == ("url",)
    sums = statistic.zeros() + statistic.accumulate(statistic.read(batch, shape))
    assert statistic.rows(statistic.to_coordinates(sums)) == 3
    for neighbours, change in (("replace", 0), ("add-remove", 1)):
        assert statistic.largest_change(neighbours) == change
        assert statistic.sensitivity(power=2, weights=[Fraction(5)], neighbours=neighbours) == 5 * change
    assert statistic.scales(Law.LAPLACE, [Fraction(2)]).variances().tolist() == [8.0]
    with pytest.raises(ValueError, match="power"):
        statistic.sensitivity(power=0, weights=[Fraction(1)], neighbours="replace")

"""Sums of splines, Chebyshev polynomials and functions: exact, additive, and no pair of rows beyond the spread."""

from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import pyarrow as pa
import pytest

from hushtable.domain.attributes import Category, number_in
from hushtable.errors import BadData
from hushtable.laws import Law
from hushtable.maths.smooth.axes import Axis, Block
from hushtable.maths.smooth.chebyshev import WEIGHT_UNIT, decaying
from hushtable.maths.smooth.expressions import parse_expression
from hushtable.maths.smooth.splines import spline_basis
from hushtable.vault.coding import real_numbers
from hushtable.vault.statistics.chebyshev import MOST_BITS, ChebyshevSums
from hushtable.vault.statistics.functions import FunctionSums
from hushtable.vault.statistics.reals import RealRows
from hushtable.vault.statistics.splines import SplineSums
from smooth import people

TWO = Category(name="sex", missing="error", names=("f", "m"))
UNIT = 2**30


def block(d, by=(), optional=()):
    return Block(tuple(Axis(f"x{i}", -1, 1, optional=i in optional) for i in range(d)), by)


def whole(d, t, tau=2.0, optional=(), absent=0.7):
    """Decaying weights; a missing value has a weight of its own."""
    weights = decaying(t, d, tau)
    for i in optional:
        weights = np.concatenate([weights, absent * np.take(weights, [0], axis=i)], axis=i)
    return np.rint(weights * WEIGHT_UNIT).astype(np.int64)


def splines(d, size, by=(), optional=()):
    return SplineSums([block(d, by, optional)], size=[size], unit=UNIT)


def chebyshev(d, t, by=(), neighbours="replace", bits=12, optional=(), absent=0.7):
    weights = [whole(d, t, optional=optional, absent=absent)]
    return ChebyshevSums([block(d, by, optional)], weights=weights, bits=bits, neighbours=neighbours)


def functions(optional=()):
    # The last three state ranges that their values leave: on both sides, on one, and all of them.
    texts = ("exp(-x0)", "x0*x1", "cos(9*x0)", "x0", "exp(x1)", "x1")
    ranges = ((0.3, 2.8), (-1.0, 1.0), (-1.0, 1.0), (-0.25, 0.5), (0.1, 1.0), (3.0, 4.0))
    return FunctionSums(block(2, (), optional), [parse_expression(t, ["x0", "x1"]) for t in texts], ranges, UNIT)


def rows(d, count, seed, cells=1, optional=()):
    g = np.random.default_rng(seed)
    x = np.clip(g.normal(0, 0.7, (d, count)), -1, 1)
    for i in optional:
        x[i, g.random(count) < 0.2] = np.nan
    return RealRows(x, g.integers(0, cells, count))


STATISTICS = {
    "spline-1": (splines(1, 7), 1, 1), "spline-2": (splines(2, 5), 2, 1), "spline-3": (splines(3, 4), 3, 1),
    "spline-by": (splines(2, 4, (TWO,)), 2, 2),
    "spline-groups": (SplineSums([block(2), block(1)], size=[5, 9], unit=UNIT), 2, 1),
    "cheb-1": (chebyshev(1, 9), 1, 1), "cheb-2": (chebyshev(2, 6), 2, 1), "cheb-3": (chebyshev(3, 4), 3, 1),
    "cheb-by": (chebyshev(2, 4, (TWO,)), 2, 2), "cheb-4": (chebyshev(4, 3), 4, 1), "functions": (functions(), 2, 1),
    "spline-1-missing": (splines(1, 7, optional=[0]), 1, 1), "spline-2-missing": (splines(2, 5, optional=[1]), 2, 1),
    "spline-by-missing": (splines(2, 4, (TWO,), optional=[0, 1]), 2, 2),
    "cheb-1-missing": (chebyshev(1, 9, optional=[0]), 1, 1), "cheb-2-missing": (chebyshev(2, 6, optional=[1]), 2, 1),
    "cheb-2-all-missing": (chebyshev(2, 5, optional=[0, 1]), 2, 1),
    "cheb-by-missing": (chebyshev(2, 4, (TWO,), optional=[0, 1]), 2, 2),
    "cheb-heavy-missing": (chebyshev(2, 5, optional=[0, 1], absent=9.0), 2, 1),
    "cheb-3-missing": (chebyshev(3, 3, optional=[0, 2]), 3, 1),
    "functions-missing": (functions([0, 1]), 2, 1), "functions-half-missing": (functions([1]), 2, 1),
}  # fmt: skip


def optional_axes(statistic):
    return [i for i, axis in enumerate(statistic.axes) if axis.optional]


def of_rows(statistic, x, cells):
    """Coordinates of single rows, one array row each."""
    found = []
    for i in range(x.shape[1]):
        sums = statistic.accumulate(RealRows(x[:, i : i + 1], cells[i : i + 1]))
        found.append(statistic.to_coordinates(sums))
    return np.array(found, dtype=object)


def candidates(d, cells, optional=()):
    """Corners, the middle, knots, extrema of polynomials and random points, in every cell; each also with gaps."""
    g = np.random.default_rng(3)
    grid = np.array(list(product([-1.0, 1.0], repeat=d))).T
    more = np.concatenate([np.zeros((d, 1)), np.cos(g.uniform(0, np.pi, (d, 40))), g.uniform(-1, 1, (d, 20))], axis=1)
    x = np.concatenate([grid, more], axis=1)
    for i in optional:
        missing = x[:, :: 1 if d == 1 else 2].copy()
        missing[i] = np.nan
        x = np.unique(np.concatenate([x, missing], axis=1), axis=1)
    return np.tile(x, cells), np.repeat(np.arange(cells), x.shape[1])


def unit_of_each(statistic, power, weights):
    law = Law.GAUSSIAN if power == 2 else Law.LAPLACE
    total = 0
    for group, weight in enumerate(weights):
        scales = statistic.scales(law, [Fraction(int(g == group)) for g in range(statistic.groups)])
        own = [weight / u if u else Fraction(0) for u in scales.table]
        total = total + np.array(own, dtype=object)[scales.index]
    return total


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("name", STATISTICS)
def test_no_pair_of_rows_differs_by_more_than_the_spread(name, power, neighbours):
    statistic, d, cells = STATISTICS[name]
    optional = optional_axes(statistic)
    if name.startswith("cheb"):
        size = statistic.weights[0].shape[0] - (0 in optional)
        absent = 9.0 if "heavy" in name else 0.7
        statistic = chebyshev(d, size, statistic.by, neighbours, optional=optional, absent=absent)
    weights = [Fraction(2 + g, 7) for g in range(statistic.groups)]
    if name.startswith("functions") and optional:
        # As every plan has it: the numbers of rows left out are so noisy that they cost nothing.
        own = weights[: 1 + len(statistic.functions)]
        weights = [*own, *(Fraction(1, 2) * UNIT for _ in statistic.lacking)]
    each = unit_of_each(statistic, power, weights)
    # Over one denominator: whole numbers are as exact as fractions and much quicker.
    denominator = lcm(*(Fraction(unit).denominator for unit in each))
    whole_units = np.array([int(unit * denominator) for unit in each], dtype=object)
    seen = of_rows(statistic, *candidates(d, cells, optional))
    changes = [seen] if neighbours == "add-remove" else [seen[i:] - row for i, row in enumerate(seen)]
    worst = Fraction(max(int((abs(c) ** power @ whole_units).max()) for c in changes), denominator)
    stated = statistic.sensitivity(power=power, weights=weights, neighbours=neighbours)
    assert worst <= stated
    if name.startswith("spline"):
        assert worst == stated
    elif power == 2 and name.startswith("cheb"):
        assert stated < (1.25 if d == 4 else 1.15) * worst
    else:
        assert stated < 3 * worst


def test_no_function_counts_for_more_than_the_range_it_states():
    statistic = functions()
    seen = of_rows(statistic, *candidates(2, 1))
    assert np.abs(seen[:, 1:]).max() == UNIT
    both, one, beyond = (set(seen[:, i].tolist()) for i in (4, 5, 6))
    assert {-UNIT, UNIT} <= both
    assert UNIT in one
    assert beyond == {-UNIT}


@pytest.mark.parametrize("weights", ["even", "decaying"])
@pytest.mark.parametrize("t", [2, 4, 5, 6])
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_rounding_is_priced_however_few_bits_there_are(bits, t, weights):
    """All pairs of 400 points of one axis. One bit rounds too far for the price of the polynomials."""
    even = np.full(t, WEIGHT_UNIT, dtype=np.int64) if weights == "even" else whole(1, t)
    statistic, fine = (
        ChebyshevSums([block(1)], weights=[even], bits=b, neighbours="replace") for b in (bits, MOST_BITS)
    )
    x = np.cos(np.linspace(0, np.pi, 400))[None]
    seen = of_rows(statistic, x, np.zeros(400, dtype=np.int64)).astype(np.float64) / statistic.unit
    scales = statistic.scales(Law.GAUSSIAN, [Fraction(1)])
    each = 1 / np.array([float(s) for s in scales.table])[scales.index]
    worst = max((np.abs(seen - row) ** 2 @ each).max() for row in seen)
    assert worst <= statistic.reach_squared(0, "replace") * (1 + 1e-12)
    if weights == "even" and bits == 1 and t in (4, 5):
        assert worst > fine.reach_squared(0, "replace"), "the test must see a price without rounding"


@pytest.mark.parametrize("name", STATISTICS)
def test_sums_do_not_depend_on_order_or_split(name):
    statistic, d, cells = STATISTICS[name]
    data = rows(d, 5000, 1, cells, optional_axes(statistic))
    total = statistic.accumulate(data)
    order = np.random.default_rng(2).permutation(5000)
    np.testing.assert_array_equal(statistic.accumulate(RealRows(data.x[:, order], data.cells[order])), total)
    parts = [statistic.accumulate(RealRows(data.x[:, a], data.cells[a])) for a in np.array_split(order, 7)]
    np.testing.assert_array_equal(sum(parts, statistic.zeros()), total)
    assert statistic.rows(total) == 5000
    assert not statistic.accumulate(RealRows(np.zeros((d, 0)), np.zeros(0, np.int64))).any()


@pytest.mark.parametrize("name", [n for n in STATISTICS if n.startswith("spline")])
def test_every_row_owns_its_units_exactly(name):
    statistic, d, cells = STATISTICS[name]
    x, where = candidates(d, cells, optional_axes(statistic))
    x = np.concatenate([x, np.nextafter(x, 0), np.clip(np.nextafter(x, 9), -1, 1)], axis=1)
    seen = of_rows(statistic, x, np.tile(where, 3))
    start = 0
    for length in statistic.lengths:
        part = seen[:, start : start + length]
        assert (part >= 0).all()
        assert (part.sum(axis=1) == UNIT).all()
        start += length


def test_spline_units_are_the_splines():
    statistic, basis = splines(2, 6), spline_basis(6)
    data = rows(2, 200, 5)
    true = np.einsum("ri,rj->rij", basis.at(data.x[0]), basis.at(data.x[1])).sum(axis=0).ravel()
    seen = statistic.to_coordinates(statistic.accumulate(data)) / UNIT
    np.testing.assert_allclose(seen, true, atol=200 * 2 * 16 / UNIT)


def test_chebyshev_sums_are_the_polynomials():
    statistic = chebyshev(3, 4, bits=18)
    data = rows(3, 300, 6)
    each = [np.cos(np.arange(4)[:, None] * np.arccos(x)) for x in data.x]
    true = np.einsum("ir,jr,kr->ijk", *each).ravel()
    seen = statistic.accumulate(data)[1:] / statistic.unit
    np.testing.assert_allclose(seen, true, atol=300 * 2.0**-17)


@pytest.mark.parametrize("power", [1, 2])
def test_equal_weights_are_priced_by_their_own_bound(power):
    even = [np.full((6, 6), WEIGHT_UNIT, dtype=np.int64)]
    statistic = ChebyshevSums([block(2)], weights=even, bits=12, neighbours="replace")
    seen = of_rows(statistic, *candidates(2, 1))
    worst = max((abs(seen - row) ** power).sum(axis=1).max() for row in seen)
    stated = statistic.sensitivity(power=power, weights=[Fraction(1)], neighbours="replace")
    assert worst <= stated
    assert stated < (1.01 if power == 2 else 1.3) * worst


def test_a_public_total_is_left_out_and_a_private_one_is_not():
    assert len(chebyshev(2, 4).to_coordinates(chebyshev(2, 4).zeros())) == 15
    assert len(chebyshev(2, 4, neighbours="add-remove").to_coordinates(chebyshev(2, 4).zeros())) == 16
    by = chebyshev(2, 4, (TWO,))
    assert len(by.to_coordinates(by.zeros())) == 32


@pytest.mark.parametrize("name", STATISTICS)
def test_far_more_rows_than_planned_are_refused(name):
    statistic, _, _ = STATISTICS[name]
    sums = statistic.zeros()
    sums[0] = 2**62 // statistic.unit
    with pytest.raises(BadData, match="plan again"):
        statistic.to_coordinates(sums)
    with pytest.raises(ValueError, match="power must be 1"):
        statistic.sensitivity(power=3, weights=[Fraction(1)] * statistic.groups, neighbours="replace")


VALUES = [1, "1", " 2.5 ", "1e3", None, "", "nan", "NaN", "inf", "-inf", "abc", "1_000", "true", "+7", "-0.0", "0x10"]


def test_every_value_has_one_number_whatever_its_type():
    age = next(a for a in people().closed if a.name == "bmi")
    expected = np.array([np.nan if (n := number_in(v)) is None else n for v in VALUES])
    text = [None if v is None else str(v) for v in VALUES]
    for column in (pa.array(text), pa.array(text).dictionary_encode(), pa.array(text, pa.large_string())):
        np.testing.assert_array_equal(real_numbers(age, column), expected)
    plain = pa.array(["3", "4.5", None, ""])
    np.testing.assert_array_equal(real_numbers(age, plain), [3, 4.5, np.nan, np.nan])
    np.testing.assert_array_equal(real_numbers(age, pa.array([1, None, 3])), [1, np.nan, 3])
    np.testing.assert_array_equal(real_numbers(age, pa.array([1.5, np.inf, np.nan])), [1.5, np.nan, np.nan])
    np.testing.assert_array_equal(real_numbers(age, pa.array([True, None])), [1, np.nan])
    assert np.isnan(real_numbers(age, pa.array([[1], [2]]))).all()


def test_missing_error_stops_without_a_value():
    from hushtable.domain import Domain

    spec = {"kind": "number", "between": [0, 10], "bins": 2, "missing": "error"}
    (strict,) = Domain.from_dict({"table": "t", "attributes": {"v": spec}}).closed
    for column in (pa.array([1.0, None]), pa.array(["", "2"]), pa.array(["x", "nan"]), pa.array(["x", "2"])):
        with pytest.raises(BadData, match="column v has missing values"):
            real_numbers(strict, column)
    (other,) = Domain.from_dict({"table": "t", "attributes": {"v": spec | {"other": True}}}).closed
    np.testing.assert_array_equal(real_numbers(other, pa.array(["x", "2"])), [np.nan, 2])

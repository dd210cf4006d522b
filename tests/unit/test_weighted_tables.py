"""What measured tables and the number of rows say together is linear in them: its weights are found by brute force."""

from fractions import Fraction

import numpy as np
import pytest
from tables import MIXED, domain, random_codes

from hushtable.laws import Law
from hushtable.maths.distribution import Evidence
from hushtable.maths.distribution.measured import Measured
from hushtable.models.weighted.error_bars import bar
from hushtable.models.weighted.pooled_tables import PooledTables
from hushtable.models.weighted.weighted import WeightedModel

SHAPE = domain(MIXED)
SIZES, ROWS = SHAPE.sizes, 1000
CODES = random_codes(SHAPE, ROWS, seed=9)
SCALES = {(0, 1): Fraction(6), (2, 1): Fraction(9), (2, 3): Fraction(5, 2)}
ROWS_STDERR = 31.0
QUESTIONS = ((0, 1), (1, 2), (1,), (2,), ())


def cells(positions):
    shape = [SIZES[p] for p in positions]
    codes = np.ravel_multi_index(CODES[list(positions)], shape) if positions else np.zeros(ROWS, dtype=int)
    return np.bincount(codes, minlength=int(np.prod(shape)))


def together(numbers, law, stderr):
    """From the number of rows and then the cells of all tables."""
    ends = np.cumsum([1, *(len(cells(p)) for p in SCALES)])
    tables = [
        Measured(p, numbers[a:b], s) for (p, s), a, b in zip(SCALES.items(), ends[:-1], ends[1:], strict=True)
    ]  # fmt: skip
    return PooledTables(tables, SIZES, law, rows=int(numbers[0]), rows_stderr=stderr)


def estimate(found, positions, function, lean):
    """lean x rows and the contrast of the function."""
    return float(((function - function.mean()) * found.table(positions).cells).sum()) + lean * found.rows


@pytest.mark.parametrize("stderr", [0.0, ROWS_STDERR], ids=["public", "private"])
@pytest.mark.parametrize("law", list(Law), ids=str)
@pytest.mark.parametrize("positions", QUESTIONS, ids=str)
def test_estimates_are_unbiased_and_have_exactly_the_stated_noise(positions, law, stderr):
    exact = np.concatenate([[ROWS], *(cells(p) for p in SCALES)])
    function = np.random.default_rng(1).random([SIZES[p] for p in positions])
    for lean in (float(function.mean()), -0.4, 0.0):
        base = estimate(together(exact, law, stderr), positions, function, lean)
        moved = np.eye(len(exact), dtype=np.int64)
        weights = [estimate(together(exact + step, law, stderr), positions, function, lean) - base for step in moved]
        each = np.concatenate([np.full(len(cells(p)), float(s)) for p, s in SCALES.items()])
        # Of Gaussian noise the number of rows has none of the fourth cumulant that rounding leaves.
        spread = {"gaussian": (each, 0 * each), "rounded-gaussian": (each + 1 / 12, 0 * each - 1 / 120)}
        own, fourth = spread.get(law, (2 * each**2, 12 * each**4))
        variances = np.append(stderr**2, own)
        fourths = np.append(3 * stderr**4 if law == "laplace" else 0.0, fourth)
        found = together(exact, law, stderr)
        stated = found.noise(lean, found.table(positions), function - function.mean())
        assert stated.variance == pytest.approx(np.square(weights) @ variances, rel=1e-6)
        assert stated.fourth == pytest.approx(np.power(weights, 4) @ fourths, rel=1e-6)
        assert base == pytest.approx(cells(positions) @ (function - function.mean()).ravel() + lean * ROWS, rel=1e-9)


@pytest.mark.parametrize("law", list(Law), ids=str)
def test_the_number_of_rows_is_never_noisier_than_each_of_its_sources(law):
    exact = np.concatenate([[ROWS], *(cells(p) for p in SCALES)])
    found = together(exact, law, ROWS_STDERR)
    sums = [len(cells(p)) * Measured(p, cells(p), s).variance(law) for p, s in SCALES.items()]
    assert 1 / found.noise(1.0).variance == pytest.approx(sum(1 / v for v in (ROWS_STDERR**2, *sums)))


@pytest.mark.parametrize("count", [False, True], ids=["fraction", "count"])
def test_a_measured_query_tells_of_its_opposite_and_its_multiples(count):
    condition = np.array([0, 1, 1, 0, 1])
    item = Measured((2,), np.array([400]), Fraction(50), condition)
    model = WeightedModel.of(
        SHAPE, [item], [Evidence((2,), np.array([0.4]), 1.0, condition * 1.0)], law=Law.LAPLACE, rows=ROWS
    )
    bars = [bar(model, (2,), f, v, count=count) for f, v in
            ((condition * 1.0, 0.4), (1.0 - condition, 0.6), (3.0 * condition - 1, 0.2))]  # fmt: skip
    assert [one.direct for one in bars] == pytest.approx([0.4, 0.6, 0.2])
    assert [one.stderr * ROWS for one in bars] == pytest.approx([2**0.5 * 50, 2**0.5 * 50, 3 * 2**0.5 * 50])
    assert [one.kurtosis for one in bars] == pytest.approx([3, 3, 3])
    other = bar(model, (2,), np.array([1.0, 0, 0, 0, 0]), 0.2, count=count)
    assert other.basis == "guessed"

"""Joint noise has exactly its law: on small lattices cell by cell, on cubes by its moments, and its gauge."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from hushtable.audit.joint_law import gauge_law
from hushtable.maths.geometry.bodies import Body, ProductBody
from hushtable.vault.door.joint_samplers import below, joint_noise, radius, weighted
from hushtable.vault.door.randomness import Simulated

ALARM = 1e-9
WRONG = Fraction(107, 100)


def drawn(body: Body, scale: Fraction, many: int, seed: int) -> np.ndarray:
    randomness = Simulated(seed)
    return np.array([joint_noise(body, scale, randomness) for _ in range(many)])


def lattice_p(body: Body, scale: Fraction, noise: np.ndarray, reach: int) -> float:
    """p-value of the chi-square test of every lattice point of gauge at most `reach`, and one cell for the rest."""
    law = gauge_law(body, scale)
    seen = Counter(map(tuple, noise.tolist()))
    per_gauge = Counter(body.gauge(np.array(point)) for point in seen)
    points = [body.points(j) - (body.points(j - 1) if j else 0) for j in range(reach + 1)]
    statistic = rest = 0.0
    for j, many in enumerate(points):
        expected = len(noise) * law[j] / many
        at = [count for point, count in seen.items() if body.gauge(np.array(point)) == j]
        assert len(at) == per_gauge[j] <= many
        statistic += sum((count - expected) ** 2 for count in at) / expected + (many - len(at)) * expected
        rest += sum(at)
    beyond = len(noise) * (1 - law[: reach + 1].sum())
    statistic += (len(noise) - rest - beyond) ** 2 / beyond
    return float(stats.chi2.sf(statistic, sum(points)))


@pytest.mark.parametrize("added", [False, True])
def test_product_noise_has_its_law_on_every_lattice_point(added):
    """Sizes (3, 2), epsilon 0.7: all points up to gauge 2. False alarm 1e-9; noise 7% too narrow or wide is found."""
    body, scale, many = ProductBody((3, 2), added), Fraction(10, 7), 30_000
    assert lattice_p(body, scale, drawn(body, scale, many, 1), reach=2) > ALARM
    for wrong in (scale * WRONG, scale / WRONG):
        assert lattice_p(body, scale, drawn(body, wrong, many, 2), reach=2) < ALARM


def second_moment(d: int, epsilon: float) -> float:
    """Exactly, of noise of the cube |v| <= 1 on whole numbers: by its radius j, d j (j + 1) / 3 given j."""
    weights = [(2 * j + 1) ** d * math.exp(-epsilon * j) for j in range(int(60 * d / epsilon) + 60)]
    return sum(w * d * j * (j + 1) / 3 for j, w in enumerate(weights)) / sum(weights)


@pytest.mark.parametrize(("d", "epsilon", "stated"), [(1, 1.0, 1.8413), (5, 1.0, 69.582), (10, 1.0, 439.167)])
def test_moments_of_a_cube_are_those_of_the_source(d, epsilon, stated):
    assert second_moment(d, epsilon) == pytest.approx(stated, abs=6e-4)


def z_of_squares(noise: np.ndarray, stated: float) -> float:
    squares = (noise.astype(float) ** 2).sum(axis=1)
    return abs(squares.mean() - stated) / (squares.std() / math.sqrt(len(squares)))


def test_a_cube_of_ten_has_its_second_moment():
    """20,000 draws within 6.2 standard errors (false alarm 1e-9); a scale 7% off is at 20 and more."""
    binary, many = ProductBody((2,) * 10), 20_000
    one_cell = drawn(binary, Fraction(1), many, 3)[:, ::2]
    assert z_of_squares(one_cell, second_moment(10, 1.0)) < 6.2
    assert z_of_squares(drawn(binary, WRONG, many, 4)[:, ::2], second_moment(10, 1.0)) > 6.2


@pytest.mark.parametrize("body", [ProductBody((2,) * 4), ProductBody((4, 3), True)], ids=str)
def test_the_gauge_has_its_law(body):
    """Chi-square of the gauge, false alarm 1e-9; 7% off is found."""
    for scale, right in ((Fraction(3), True), (3 * WRONG, False), (3 / WRONG, False)):
        law, many = gauge_law(body, Fraction(3)), 12_000
        seen = np.bincount([body.gauge(v) for v in drawn(body, scale, many, 6)], minlength=len(law))[: len(law)]
        keep = law * many >= 20
        observed, expected = np.append(seen[keep], many - seen[keep].sum()), np.append(law[keep], 1 - law[keep].sum())
        p = stats.chisquare(observed, many * expected).pvalue
        assert (p > ALARM) == right


class Digits(Simulated):
    """Randomness whose first bytes are chosen: so that a draw lands on the border of two outcomes."""

    def __init__(self, first: bytes) -> None:
        super().__init__(1)
        self.first = first

    def bytes(self, count: int) -> np.ndarray:
        if self.first:
            given, self.first = self.first[:count], self.first[count:]
            return np.frombuffer(given, dtype=np.uint8)
        return super().bytes(count)


def test_a_draw_on_the_border_takes_more_digits():
    """U C_d between 2 and 3 of weights 1, exp(-1), ...: 64 bits that agree with the border do not decide it."""
    q, weights = Fraction(1), (1, 1)
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        border = int(Decimal(2**64) / (1 + (-Decimal(1)).exp()))
    for step, expected in ((-1, 0), (1, 1)):
        assert weighted(weights, q, Digits((border + step).to_bytes(8, "little"))) == expected
    found = {weighted(weights, q, Digits(border.to_bytes(8, "little") + bytes([255 * side] * 8))) for side in (0, 1)}
    assert found == {0, 1}


def test_weighted_choice_has_its_law():
    """False alarm 1e-9; 7% off in the exponent is found."""
    weights, q, many = (1, 17, 17, 1), Fraction(7, 10), 40_000
    for rate, right in ((q, True), (q * WRONG * WRONG, False)):
        randomness = Simulated(7)
        seen = np.bincount([weighted(weights, rate, randomness) for _ in range(many)], minlength=4)
        law = np.array([w * math.exp(-float(q) * k) for k, w in enumerate(weights)])
        assert (stats.chisquare(seen, many * law / law.sum()).pvalue > ALARM) == right


def test_whole_numbers_below_any_bound_are_even():
    randomness = Simulated(8)
    seen = np.bincount([below(7, randomness) for _ in range(20_000)], minlength=7)
    assert stats.chisquare(seen).pvalue > ALARM
    large = [below(3 * 2**100, randomness) >> 100 for _ in range(9_000)]
    assert stats.chisquare(np.bincount(large, minlength=3)).pvalue > ALARM
    assert below(1, randomness) == 0


def test_a_radius_of_many_dimensions_is_that_of_its_law():
    """200 columns of two values: j is near a sum of 201 exponentials; its mean is exact to 6.2 standard errors."""
    body, randomness, many = ProductBody((2,) * 200), Simulated(9), 2_000
    drawn_radii = np.array([radius(body.numerator(), Fraction(2), randomness) for _ in range(many)], dtype=float)
    log = np.array([200 * math.log(2 * j + 1) - j / 2 for j in range(2_000)])
    law = np.exp(log - log.max())
    mean = (law * np.arange(len(law))).sum() / law.sum()
    assert abs(drawn_radii.mean() - mean) < 6.2 * drawn_radii.std() / math.sqrt(many)

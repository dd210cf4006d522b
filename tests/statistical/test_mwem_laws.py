"""MWEM step by step: how it selects, what one selection costs, how far an update gets, and that fits converge."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from published import CZECH, ParityClass, best_fit, relative_entropy
from scipy.stats import chisquare
from tables import BINARY, FakeDoor, domain, random_codes

from hushtable.budget import Budget, Price
from hushtable.laws import Law
from hushtable.maths.distribution import Factored, fit
from hushtable.maths.distribution.fit import objective
from hushtable.maths.distribution.measured import Measured
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.mechanisms.mwem.mwem import MWEM, MwemRelease
from hushtable.questions.workloads.parities import ParityQueries
from hushtable.vault.door.door import Door
from hushtable.vault.door.randomness import SystemRandomness
from hushtable.vault.statistics import Parities

FALSE_ALARM = 1e-9
DRAWS = 200_000
SHAPE = domain(BINARY)
PARITIES = Parities(InteractionLayout(SHAPE.sizes, 2))
EPSILON = Fraction(1, 2)
# One replaced row moves a sum of signs, and so a score, by 2.
CHANGE = 2


class Free:
    def charge(self, price: Price, *, what: str) -> None:
        assert price.amount > 0


def price_of_selecting(currency, epsilon):
    """What selecting at this epsilon costs."""
    return Price(currency=currency, amount=epsilon if currency == "pure" else epsilon**2 / 8)


def choices(codes, reference, among, currency, epsilon, draws=DRAWS):
    """How often each of the candidates is selected."""
    price = price_of_selecting(currency, epsilon)
    sums = PARITIES.accumulate(codes)
    door = Door(total=lambda _: sums, unit=SHAPE.unit, price=price.times(draws), account=Free(),
                randomness=SystemRandomness())  # fmt: skip
    found = [door.select(PARITIES, reference, price, among=among) for _ in range(draws)]
    return np.bincount(found, minlength=len(reference))[among]


def exponential_law(scores, step):
    weights = np.exp(step * (np.array(scores) - max(scores)))
    return weights / weights.sum()


def permute_and_flip_law(scores, step):
    """By enumeration of all coins: each shows heads with chance e^(-step (max - score)); one of the heads is taken."""
    heads = np.exp(step * (np.array(scores) - max(scores)))
    chances = np.zeros(len(scores))
    for coins in product([0, 1], repeat=len(scores)):
        if any(coins):
            chances += np.prod(np.where(coins, heads, 1 - heads)) * np.array(coins) / sum(coins)
    return chances


LAWS = {"pure": permute_and_flip_law, "zcdp": exponential_law}


@pytest.mark.slow
@pytest.mark.parametrize("currency", LAWS)
def test_the_door_selects_by_the_exact_law(currency):
    """Five candidates of given scores; the scale 7% off, twice as large (as printed), or the other law is rejected."""
    codes = random_codes(SHAPE, 400, seed=2)
    among, scores = np.array([1, 3, 4, 7, 9]), [40, 34, 26, 36, 12]
    reference = PARITIES.to_coordinates(PARITIES.accumulate(codes))
    reference[among] -= np.array(scores) * [1, -1, 1, 1, -1]
    seen = choices(codes, reference, among, currency, EPSILON)

    def fits(law, epsilon):
        return chisquare(seen, law(scores, float(epsilon) / (2 * CHANGE)) * DRAWS).pvalue > FALSE_ALARM

    (other,) = (law for name, law in LAWS.items() if name != currency)
    assert fits(LAWS[currency], EPSILON)
    assert not fits(other, EPSILON)
    for wrong in (2, 1.07, 0.93):
        assert not fits(LAWS[currency], EPSILON * Fraction(wrong))


@pytest.mark.slow
@pytest.mark.parametrize("currency", LAWS)
def test_one_row_changes_a_choice_by_no_more_than_epsilon(currency):
    """Two candidates whose scores one row moves in opposite directions; the rarer has a chance of about 0.05.

    log P(rarer | table) - log P(rarer | neighbour) <= epsilon + 6 standard errors; the scale of the printed algorithm
    (twice as large, here bought at twice the price) loses 0.97 where 0.5 was claimed, and is rejected.
    """
    codes = random_codes(SHAPE, 400, seed=3)
    neighbour = codes.copy()
    codes[:2, 0], neighbour[:2, 0] = (0, 1), (1, 0)
    # Sums of signs of the two attributes: the neighbour's first is 2 lower, its second 2 higher.
    among = np.array([1, 2])

    def loss(epsilon, draws):
        step = float(epsilon) / (2 * CHANGE)
        gap = 2 * round(math.log(19) / step / 2)
        reference = PARITIES.to_coordinates(PARITIES.accumulate(codes)) - 10
        reference[2] -= gap
        tables = (codes, neighbour)
        seen = [choices(table, reference, among, currency, epsilon, draws)[0] / draws for table in tables]
        assert 0.005 < seen[1] < seen[0] < 0.1
        return math.log(seen[0] / seen[1]), math.sqrt(sum((1 - p) / (p * draws) for p in seen))

    found, stderr = loss(EPSILON, DRAWS // 4)
    assert EPSILON / 2 < found <= EPSILON + 6 * stderr
    found, stderr = loss(2 * EPSILON, DRAWS // 4)
    assert found > EPSILON + 6 * stderr


def drops(rate, many, seed):
    """RE(x || p) - RE(x || p'), and what is promised, for random x, p, q, m; p' = p exp(rate (m - q(p)) q)."""
    g = np.random.default_rng(seed)
    for _ in range(many):
        x, p, q = g.dirichlet(np.full(8, g.choice([0.1, 1.0, 10.0])), 3)
        q = np.where(g.random() < 0.5, g.random(8), q > np.median(q))
        m = g.random()
        hypothesis = Factored.explicit((2, 2, 2), p)
        hypothesis.multiply((0, 1, 2), np.exp(rate * (m - p @ q) * q))
        gained = float(x @ np.log(hypothesis.table((0, 1, 2)).ravel() / p))
        yield gained, 2 * ((q @ x - q @ p) ** 2 - (m - q @ x) ** 2)


@pytest.mark.slow
def test_an_update_lowers_the_relative_entropy_by_what_is_promised():
    """2 ((q(x) - q(p))^2 - (m - q(x))^2) for every noise, by Hoeffding's lemma: no chance is involved.

    Twice the step breaks the promise, and so would a promise of twice as much.
    """
    assert all(gained >= promised - 1e-12 for gained, promised in drops(4, 10_000, seed=1))
    assert not all(gained >= promised - 1e-12 for gained, promised in drops(8, 1_000, seed=1))
    assert not all(gained >= 2 * promised - 1e-12 for gained, promised in drops(4, 1_000, seed=1) if promised > 0)


def test_without_noise_all_rounds_find_the_table_of_the_same_parities():
    """Czech, 41 rounds of 41 parities; 0.0059 is the relative entropy of the best fit of order 3."""
    settings = MWEM(rounds=41)
    plan = settings.design(CZECH.domain, ParityQueries(3), Budget(epsilon=10**6).price, 1841).parameters
    run = MwemRelease(settings, plan, FakeDoor(CZECH.codes, CZECH.domain), CZECH.domain)
    for amount in run.prices():
        run.round(amount)
    assert len(set(run.chosen)) == 41
    fit(run.hypothesis, run.evidence, passes=2000)
    found = relative_entropy(CZECH, run.hypothesis.table(range(6)).ravel())
    assert found == pytest.approx(0.0059, abs=1e-3)
    assert found == pytest.approx(relative_entropy(CZECH, best_fit(ParityClass(CZECH, 3), 2000)), abs=1e-4)


@pytest.mark.slow
def test_no_inconsistent_measurements_make_a_fit_worse_or_infinite():
    """1,000 random sets of tables and sums, with noise from a tenth of a row to a thousand; no pass is a step back."""
    g = np.random.default_rng(4)
    for _ in range(1000):
        sizes = tuple(int(s) for s in g.integers(2, 4, size=4))
        start, hypothesis = Factored(sizes), Factored(sizes)
        evidence = [measured(g, sizes) for _ in range(g.integers(2, 9))]
        last = objective(hypothesis, start, evidence)
        for _ in range(6):
            fit(hypothesis, evidence, passes=1)
            now = objective(hypothesis, start, evidence)
            assert now >= last - 1e-9 * max(1, abs(last))
            last = now
        table = hypothesis.table(range(4))
        assert table.min() > 0  # so every relative entropy is finite
        assert table.sum() == pytest.approx(1)


def measured(g, sizes):
    """What a round might have measured of 500 rows: counts that belong to no table, or one sum of 0/1 or of signs."""
    rows, scale = 500, Fraction(float(10 ** g.uniform(-1, 3)))
    positions = tuple(int(p) for p in g.choice(4, size=g.integers(1, 4), replace=False))
    cells = int(np.prod([sizes[p] for p in positions]))
    if g.random() < 0.5:
        values, function = g.multinomial(rows, g.dirichlet(np.full(cells, 0.3))), None
    else:
        function = g.choice([-1, 1], size=cells) if g.random() < 0.5 else g.permutation(np.arange(cells) % 2)
        values = g.integers(-rows, rows, size=1, endpoint=True)
    values = values + np.rint(g.laplace(scale=float(scale), size=len(values))).astype(np.int64)
    return Measured(positions, values, scale, function).evidence(rows=rows, grid=1, law=Law.LAPLACE)

"""What is usual: shares and pairs are drawn to it as far as they are noise, and no farther."""

from functools import partial

import numpy as np
import pytest

from hushtable.maths.wide.symmetric import Bits, assisted, sets_of
from hushtable.maths.wide.usual import Usual

COLUMNS = 60
SETS = sets_of(COLUMNS, 2)
VALUES = np.array([0.0, *[1.0] * 6])


def table(correlation, *, seed=1):
    """Shares and central products of two-valued attributes: some pairs, or all of them, are correlated."""
    g = np.random.default_rng(seed)
    shares = g.uniform(0.02, 0.12, COLUMNS)
    spread = np.sqrt(shares * (1 - shares))
    return shares, correlation(g, len(SETS)) * spread[SETS[:, 0]] * spread[SETS[:, 1]]


def released(shares, products, noise, *, seed=2):
    """Bits as a release has them, around 1/2, with normal noise of these deviations."""
    g = np.random.default_rng(seed)
    away = shares - 0.5
    singles = away + noise[0] * g.standard_normal(COLUMNS)
    pairs = products + away[SETS[:, 0]] * away[SETS[:, 1]] + noise[1] * g.standard_normal(len(SETS))
    variances = (np.zeros(1), np.full(COLUMNS, noise[0] ** 2), np.full(len(SETS), noise[1] ** 2))
    return Bits(np.full(COLUMNS, 0.5), (np.ones(1), singles, pairs), variances)


def sparse(g, count, share=0.05):
    return np.where(g.random(count) < share, g.uniform(-0.05, 0.4, count), 0.0)


def products_of(bits):
    return bits.about(bits.means + bits.values[1], 2)


class TestDenoised:
    whole = np.ones(COLUMNS)

    def test_shares_and_pairs_come_nearer_to_the_truth(self):
        shares, products = table(sparse)
        raw = released(shares, products, (0.03, 0.03))
        calm = Usual.of(raw).denoised(raw, self.whole)
        for before, after, truth in (
            (raw.means + raw.values[1], calm.means + calm.values[1], shares),
            (products_of(raw), products_of(calm), products),
        ):
            assert np.abs(after - truth).mean() < 0.8 * np.abs(before - truth).mean()
        assert calm.variances[2].mean() < 0.2 * raw.variances[2].mean()

    def test_exact_numbers_stay_as_they_are(self):
        shares, products = table(sparse)
        raw = released(shares, products, (1e-6, 1e-6))
        calm = Usual.of(raw).denoised(raw, self.whole)
        np.testing.assert_allclose(calm.values[1], raw.values[1], atol=1e-5)
        np.testing.assert_allclose(products_of(calm), products, atol=2e-5)

    def test_where_all_depend_they_are_drawn_to_what_they_have_in_common(self):
        """Drawing them to independence would lose what they say together."""
        shares, products = table(lambda g, count: np.full(count, 0.3))
        raw = released(shares, products, (0.003, 0.05))
        usual = Usual.of(raw)
        assert usual.centre == pytest.approx(0.3, abs=0.05)
        assert products_of(usual.denoised(raw, self.whole)).mean() == pytest.approx(products.mean(), rel=0.15)

    def test_a_condition_turned_around_is_its_complement(self):
        raw = released(*table(sparse), (0.02, 0.02))
        turned = np.where(np.arange(COLUMNS) % 3 == 0, -1.0, 1.0)
        signs = turned[SETS].prod(axis=1)
        other = Bits(raw.means, (raw.values[0], turned * raw.values[1], signs * raw.values[2]), raw.variances)
        usual = Usual.of(raw)
        one, two = usual.denoised(raw, self.whole), usual.denoised(other, turned)
        np.testing.assert_allclose(turned * two.values[1], one.values[1], atol=1e-12)
        np.testing.assert_allclose(signs * two.values[2], one.values[2], atol=1e-12)

    def test_pairs_stay_possible(self):
        """No pair is rarer than never, nor more frequent than the rarer of the two."""
        raw = released(*table(sparse), (0.05, 0.2))
        calm = Usual.of(raw).denoised(raw, self.whole)
        p = calm.means + calm.values[1]
        both = products_of(calm) + p[SETS[:, 0]] * p[SETS[:, 1]]
        assert both.min() >= -1e-12
        assert (both <= np.minimum(p[SETS[:, 0]], p[SETS[:, 1]]) + 1e-12).all()

    def test_wide_guesses_are_nearer(self):
        """Mean error of 100 disjunctions of six, where independence is the truth, is at most 0.8 of before."""
        shares, products = table(lambda g, count: np.zeros(count))
        raw = released(shares, products, (0.03, 0.03))
        usual, g, errors = Usual.of(raw), np.random.default_rng(3), []
        for _ in range(100):
            chosen = np.sort(g.choice(COLUMNS, 6, replace=False))
            few = part(raw, chosen)
            truth = 1 - np.prod(1 - shares[chosen])
            guess = partial(assisted, values=VALUES)
            errors.append([abs(guess(own).value - truth) for own in (few, usual.denoised(few, np.ones(6)))])
        before, after = np.mean(errors, axis=0)
        assert after < 0.8 * before


def part(bits, chosen):
    """The numbers of a few of the attributes."""
    pairs = chosen[sets_of(len(chosen), 2)]
    places = pairs[:, 0] + pairs[:, 1] * (pairs[:, 1] - 1) // 2
    where = (np.arange(1), chosen, places)
    return Bits(
        bits.means[chosen],
        tuple(value[own] for value, own in zip(bits.values, where, strict=True)),
        tuple(noise[own] for noise, own in zip(bits.variances, where, strict=True)),
    )

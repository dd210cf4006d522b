"""Prices and conversions against other people's code: OpenDP and dp-accounting."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hushtable.accounting import epsilon_of
from hushtable.audit.shapes import BINARY, RELATIONS, shape
from hushtable.audit.statistic_cases import noise_for
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.door.door import Noise, price_of
from hushtable.vault.statistics import ChosenTables, Histogram, Tables

# Those whose coordinates all have the scale of their group.
STATISTICS = {
    "histogram": Histogram,
    "chosen-tables": lambda sizes: ChosenTables(sizes, [(0,), (1, 2)], threads=1),
    "tables": lambda sizes: Tables(InteractionLayout(sizes, 2)),
}


def largest_change(statistic, domain, power: int) -> float:
    """By brute force, with one scale for all coordinates that move."""
    from hushtable.audit.made_up_tables import MadeUpTable, possible_rows

    rows = [MadeUpTable(domain, [row]).coordinates(statistic) for row in possible_rows(domain, most=100, seed=1)]
    others = rows if domain.unit.neighbours == "replace" else [np.zeros_like(rows[0])]
    return float(max((np.abs(a - b).astype(float) ** power).sum() for a in rows for b in others))


def even(statistic, law: Law, domain) -> Noise:
    noise = noise_for(statistic, law, domain)
    return Noise(law=law, per_group=tuple(Fraction(12) if scale else Fraction(0) for scale in noise.per_group))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", STATISTICS)
def test_opendp_asks_the_same_price_of_the_same_noise(name, relation):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    domain = shape(BINARY, relation)
    statistic = STATISTICS[name](domain.sizes)
    vector = dp.vector_domain(dp.atom_domain(T=int))
    laplace = dp.m.make_laplace(vector, dp.l1_distance(T=float), scale=12.0)
    ours = price_of(statistic, even(statistic, Law.LAPLACE, domain), domain.unit)
    assert float(ours.amount) == pytest.approx(laplace.map(largest_change(statistic, domain, 1)), rel=1e-9)
    gaussian = dp.m.make_gaussian(vector, dp.l2_distance(T=float), scale=math.sqrt(12))
    ours = price_of(statistic, even(statistic, Law.GAUSSIAN, domain), domain.unit)
    theirs = gaussian.map(math.sqrt(largest_change(statistic, domain, 2)))
    assert float(ours.amount) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(("rho", "delta"), [("0.01", 1e-9), ("0.5", 1e-6), ("2", 1e-5)])
def test_opendp_turns_rho_into_no_smaller_epsilon(rho, delta):
    """Theirs is another proof of another bound: ours may be smaller, by the part that it is tighter."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    scale = 1 / math.sqrt(2 * float(rho))
    measurement = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=float), scale=scale)
    theirs = dp.c.make_zCDP_to_approxDP(measurement).map(1.0).epsilon(delta)
    ours = float(epsilon_of(Fraction(rho), Fraction(delta), "zcdp"))
    assert 0.95 <= ours / theirs <= 1 + 1e-3


@pytest.mark.parametrize("count", [1, 4, 30])
def test_sums_of_prices_are_those_of_dp_accounting(count):
    dp_accounting = pytest.importorskip("dp_accounting")
    from dp_accounting import pld, rdp

    domain = shape(BINARY)
    statistic = Histogram(domain.sizes)
    rho = price_of(statistic, Noise(law=Law.GAUSSIAN, per_group=(Fraction(40),)), domain.unit).times(count).amount
    renyi = rdp.RdpAccountant(orders=[1 + math.exp(x / 50) for x in range(-200, 600)])
    renyi.compose(dp_accounting.GaussianDpEvent(math.sqrt(40 / 2)), count)  # two cells change by one: L2^2 = 2
    assert float(epsilon_of(rho, Fraction(1, 10**6), "zcdp")) == pytest.approx(renyi.get_epsilon(1e-6), rel=2e-3)
    epsilon = price_of(statistic, Noise(law=Law.LAPLACE, per_group=(Fraction(20),)), domain.unit).times(count).amount
    loss = pld.privacy_loss_distribution.from_laplace_mechanism(10.0).self_compose(count)
    # Pure epsilon: the two cells of a replaced row are one change of 2 in L1, and no composition exceeds the sum.
    assert loss.get_epsilon_for_delta(1e-9) <= float(epsilon) * (1 + 1e-3)
    assert loss.get_epsilon_for_delta(1e-9) > 0.3 * float(epsilon)

"""Plans say what a budget means, and warn of what may be regretted."""

from fractions import Fraction

import pytest
from tables import domain

import hushtable as ht
from hushtable.mechanisms.guidance import meaning


def planned(rows, **budget):
    return ht.plan(domain(), rows=rows, workload="marginals(width=2)", budget=ht.Budget(**budget))


@pytest.mark.parametrize(
    ("rows", "budget", "says"),
    [
        (100_000, {"epsilon": 5}, []),
        (100_000, {"epsilon": "5.1"}, ["epsilon = 5.1 is above 5"]),
        (100_000, {"epsilon": 1, "delta": "1e-6"}, []),
        (100_000, {"epsilon": 1, "delta": "1.1e-6"}, ["delta = 1.1e-06 is above 1 / (10 x rows); use 1e-06 or less"]),
        (20, {"epsilon": 1}, ["20 rows are few for these questions"]),
        (20, {"epsilon": 8, "delta": "0.1"}, ["epsilon = 8", "delta = 0.1"]),
        (None, {"epsilon": 1, "delta": "0.1"}, []),
        (100_000, {"rho": "0.1"}, []),
    ],
)
def test_warnings(rows, budget, says):
    plan = planned(rows, **budget)
    found = plan.to_dict()["warnings"]
    says = [*says, "bins make averages rough whatever is spent: age (± 16); add edges, or declare means: [age]"]
    assert len(found) == len(says)
    for warning, words in zip(found, says, strict=True):
        assert words in warning
        assert f"warning: {warning}" in str(plan)


def test_the_meaning_is_the_definition():
    assert "at most 2.72 times as likely" in meaning(Fraction(1), None)
    assert meaning(Fraction(1), Fraction(1, 10**9)).endswith("but for a chance of 1e-09")
    assert "rho" in meaning(None, None)
    assert meaning(Fraction(1), None) in str(planned(1000, epsilon=1))

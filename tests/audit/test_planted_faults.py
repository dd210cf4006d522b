"""The audit finds every fault planted on purpose, again and again, and nothing where there is none.

Each run here has a fraction of the releases of a full audit (`hush audit`), so that a full one finds them the surer.
"""

import math

import pytest
from planted import FAULTS, proven_above_the_claim
from planting import DRAWS, measured

from hushtable.audit.attacks import ALARM
from hushtable.audit.shapes import BINARY, shape
from hushtable.laws import Law
from hushtable.vault.statistics import Histogram

# 300 of 300 found says that more than 0.99 are, with 95% confidence: 0.99^299 < 0.05.
OFTEN = 300
# These take a second or more a run; their p-values say how far they are from being missed.
SLOW = {"factor 2 missing", "factor 2 missing, rho", "comparison noise reused", "comparison noise reused, curator",
        "threshold without noise", "watch of one row, of three", "watch of one row, of two",
        "watch of one row, curator", "selection of one row, of three", "selection of one row, of two",
        "selection of one row, mwem", "gauge 5% off", "radius kept", "projection forgotten"}  # fmt: skip
# ... and these are found once all the same.
ONCE = {"watch of one row, of three", "selection of one row, of three", "gauge 5% off", "radius kept",
        "projection forgotten"}  # fmt: skip
SELDOM = 8


def failed_kinds(name: str, seed: int) -> set[str]:
    return {check.kind for check in FAULTS[name].run(seed) if not check.passed}


@pytest.mark.parametrize("name", sorted(set(FAULTS) - SLOW | ONCE))
def test_a_planted_fault_is_found(name):
    assert set(FAULTS[name].found_by) <= failed_kinds(name, seed=17)


@pytest.mark.audit
@pytest.mark.parametrize("name", sorted(set(FAULTS) - SLOW))
def test_a_planted_fault_is_found_nearly_always(name):
    missed = [seed for seed in range(OFTEN) if not set(FAULTS[name].found_by) <= failed_kinds(name, seed=1000 + seed)]
    assert not missed


@pytest.mark.audit
@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_fault_of_choices_and_comparisons_is_found(name):
    """A p-value falls exponentially with the number of releases: below its threshold every time, it is far below it."""
    exponents = []
    for seed in range(SELDOM):
        checks = FAULTS[name].run(50_000 + 10_000 * seed)
        assert {check.kind for check in checks if not check.passed} >= set(FAULTS[name].found_by)
        exponents.append(-math.log10(max(min(c.found for c in checks if c.kind == "law"), 1e-300)))
    assert min(exponents) > -math.log10(ALARM)


@pytest.mark.audit
@pytest.mark.parametrize("seed", range(5))
def test_noise_ten_percent_too_small_is_proven_without_its_law(seed):
    """The attack alone, which knows nothing of the law, proves an epsilon above the one charged."""
    (attack,) = (check for check in proven_above_the_claim(7 + 1000 * seed) if check.kind == "attack")
    assert attack.found > attack.claim
    assert not attack.passed


@pytest.mark.parametrize("law", list(Law))
@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_without_a_fault_nothing_is_found(law, relation):
    domain = shape(BINARY, relation)
    checks = [c for seed in range(5) for c in measured(Histogram(domain.sizes), law, domain, seed=seed, draws=DRAWS)]
    assert all(check.passed for check in checks)
    assert {check.kind for check in checks} == {"price", "law", "independence", "attack"}

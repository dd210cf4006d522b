"""Decision lists in products of inputs, as published: the same answers as by parities, with their own noise."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.dummy import dummy_rows
from hushtable.maths.wide.list_monomials import list_monomials
from hushtable.maths.wide.list_polynomials import list_polynomials

INPUTS = ["near", "cheap", "rural", "new", "large"]
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {"choice": {"kind": "decision_list", "inputs": INPUTS, "length": 4}}}
)


@pytest.mark.parametrize(("rules", "order"), [(1, 1), (3, 3), (4, 2)])
def test_both_bases_are_the_same_function(rules, order):
    monomials, parities = list_monomials(4, order), list_polynomials(4, order)
    sets = list(product((0, 1), repeat=rules))
    for negated in (0, 1, 2**rules - 1):
        for y in product((0, 1), repeat=rules):
            true = [v ^ (negated >> i & 1) for i, v in enumerate(y)]
            signs = [np.prod([(-1) ** t for t, s in zip(true, one, strict=True) if s]) for one in sets]
            values = [np.prod([v for v, s in zip(y, one, strict=True) if s]) for one in sets]
            order_of = [sum(s << i for i, s in enumerate(one)) for one in sets]
            first = parities.table(rules)[:, order_of] @ np.array(signs)
            second = monomials.table(rules, negated)[:, order_of] @ np.array(values)
            assert (first == second).all()


@pytest.mark.parametrize("degree", [None, 2, 4])
def test_answers_are_those_of_parities(degree):
    texts = list(dummy_rows(DOMAIN, rows=400, seed=2)["choice"])
    of_degree = "" if degree is None else f", degree={degree}"
    answers = {}
    for basis in ("monomial", "parity"):
        workload = f"polynomials(family=decision_lists{of_degree}, basis={basis})"
        plan = ht.plan(DOMAIN, rows=400, workload=workload, budget=ht.Budget(epsilon=10**6))
        synopsis = ht.Vault(pa.table({"choice": texts}), DOMAIN).release(plan, randomness=ht.Simulated(1))
        answers[basis] = synopsis.ask("polynomial(near, NOT cheap, new)")
    (rules,) = DOMAIN.attributes
    decided = [rules.rules(text).decide([True, False, False, True, False]) for text in texts]
    for answer in answers.values():
        assert abs(answer.value - np.mean(decided)) <= answer.bias + 1e-3
    if degree is not None:
        assert abs(answers["monomial"].value - answers["parity"].value) < 1e-3


def test_the_published_degree_is_the_least_with_a_small_bias():
    plan = ht.plan(DOMAIN, rows=400, workload="polynomials(family=decision_lists)", budget=ht.Budget(epsilon=1))
    degree = plan.design.parameters.statistic.order
    assert list_polynomials(4, degree).bias <= 0.05
    assert degree == 1 or list_polynomials(4, degree - 1).bias > 0.05


def test_longer_lists_are_refused_with_one_line():
    lists = {"kind": "decision_list", "inputs": [f"i{j}" for j in range(12)], "length": 12}
    longer = ht.Domain.from_dict({"table": "t", "attributes": {"c": lists}})
    with pytest.raises(ht.HushError, match="take lists of up to 8 rules"):
        ht.plan(longer, rows=400, workload="polynomials(family=decision_lists)", budget=ht.Budget(epsilon=1))

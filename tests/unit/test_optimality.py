"""How far from optimal: bounds of the source, bounds below every mechanism, and what a plan says."""

import math
from itertools import combinations, product

import numpy as np
import pytest

import hushtable as ht
from hushtable.errors import BadPlan
from hushtable.maths.geometry.hulls import Hull, hull_bound, spanned
from hushtable.maths.geometry.lower_bounds import gaussian_bound, marginals_spectrum, product_bound
from hushtable.mechanisms import mechanisms
from hushtable.mechanisms.geometry.query_matrix import query_matrix
from hushtable.questions.workloads import Marginals, read_workload


def binary(count: int, neighbours: str = "replace") -> ht.Domain:
    attributes = {f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(count)}
    return ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": attributes})


def tables_of(columns: int, widths: tuple[int, ...]) -> np.ndarray:
    cells = list(product((0, 1), repeat=columns))
    return np.array(
        [
            [float(all(cell[i] == v for i, v in zip(members, values, strict=True))) for cell in cells]
            for width in widths
            for members in combinations(range(columns), width)
            for values in product((0, 1), repeat=width)
        ]
    )


@pytest.mark.parametrize(("d", "stated"), [(2, 1.13), (5, 3.16), (10, 7.53), (20, 19.0), (50, 68.8), (100, 187)])
def test_bounds_of_cubes_are_those_of_the_source(d, stated):
    assert product_bound((2,) * d, added=False).rms / math.sqrt(2) == pytest.approx(stated, rel=3e-3)


def test_a_volume_is_that_of_the_hull():
    for sizes, added in (((2, 3), False), ((3,), True), ((2, 2), True), ((4,), False)):
        rows = [np.concatenate([np.eye(s)[c] for s, c in zip(sizes, codes, strict=True)])
                for codes in product(*map(range, sizes))]  # fmt: skip
        whole = hull_bound(spanned(np.array(rows).T, added=added))
        assert whole.certificate == "facets"
        # The bound of parts is at least that of the whole.
        assert whole.rms <= product_bound(sizes, added=added).rms * (1 + 1e-9)
        if len(set(sizes)) == 1:
            assert whole.rms == pytest.approx(product_bound(sizes, added=added).rms)


def test_facets_of_pairs_of_three_columns():
    bound = hull_bound(spanned(tables_of(3, (1, 2)), added=False))
    assert (bound.k, bound.certificate) == (6, "facets")
    assert bound.rms == pytest.approx(4.66, abs=0.01)


def test_directions_and_determinants_are_below_the_exact_volume(monkeypatch):
    hull = spanned(tables_of(3, (1, 2)), added=False)
    exact = hull_bound(hull).rms
    monkeypatch.setattr("hushtable.maths.geometry.hulls.MOST_EXACT", 0)
    drawn = hull_bound(hull)
    assert drawn.certificate == "directions"
    assert 0.7 * exact < drawn.rms < exact
    monkeypatch.setattr("hushtable.maths.geometry.hulls.MOST_PROGRAM", 0)
    assert hull_bound(hull).certificate == "determinant"
    assert 0.4 * exact < hull_bound(hull).rms < exact


def test_a_gauge_is_one_on_every_corner_and_has_its_normal():
    source = np.random.default_rng(3)
    for added in (False, True):
        hull = Hull(source.integers(-3, 4, (3, 9)).astype(float), added)
        gauges = [hull.gauge(corner)[0] for corner in hull.differences.T if np.abs(corner).any()]
        assert max(gauges) == pytest.approx(1)
        point = source.standard_normal(3)
        gauge, normal = hull.gauge(point)
        assert hull.support(normal[None])[0] == pytest.approx(1)
        assert normal @ point == pytest.approx(gauge)


def test_singular_values_of_marginals():
    sizes = (2, 3, 4)
    cells = list(product(*map(range, sizes)))
    lines = [
        [float(all(cell[i] == v for i, v in zip(members, values, strict=True))) for cell in cells]
        for members in combinations(range(3), 2)
        for values in product(*(range(sizes[i]) for i in members))
    ]
    exact = np.linalg.svd(np.array(lines), compute_uv=False)
    stated = [math.exp(value) for value, many in marginals_spectrum(sizes, 2) for _ in range(round(many))]
    assert sorted(stated) == pytest.approx(sorted(exact[exact > 1e-9]))


def test_bounds_of_gaussian_noise_are_those_of_the_source():
    """1- and 2-way tables of 3 and 4 columns at rho 1/2: 6.80 and 10.91."""
    for columns, stated in ((3, 6.80), (4, 10.91)):
        queries = tables_of(columns, (1, 2))
        values = np.linalg.svd(queries - queries.mean(axis=1, keepdims=True), compute_uv=False)
        logs = [(-math.inf, 1.0), *((math.log(v), 1.0) for v in values if v > 1e-9)]
        bound = gaussian_bound(logs, columns * math.log(2), added=False)
        assert bound.rms / math.sqrt(0.5) == pytest.approx(stated, abs=0.01)


WORKLOADS = ("marginals(width=1)", "marginals(width=2)", "marginals(width=3)")


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_no_mechanism_is_below_its_bound(neighbours):
    """Every unbiased mechanism, pure and Gaussian, on tables of 2 to 4 columns."""
    tried = 0
    for columns in (2, 3, 4):
        domain = binary(columns, neighbours)
        for text, budget in product(WORKLOADS, (ht.Budget(epsilon=1), ht.Budget(rho=1))):
            workload = read_workload(text)
            if isinstance(workload, Marginals) and workload.width > columns:
                continue
            for mechanism in mechanisms().values():
                if not (mechanism.unbiased and mechanism.suits(workload)) or (mechanism.pure_only and budget.rho):
                    continue
                try:
                    found = ht.plan(domain, workload=text, budget=budget, mechanism=mechanism.name).optimality()
                except BadPlan:
                    continue
                assert found.factor is not None
                assert found.factor >= 1 - 1e-9
                tried += 1
    assert tried > 30


def test_what_a_plan_says():
    plan = ht.plan(binary(10), rows=1000, workload="marginals(width=1)", budget=ht.Budget(epsilon="0.5"))
    found = plan.optimality()
    assert (found.certificate, found.k, found.confidence) == ("volume", 10, 1.0)
    assert found.factor == pytest.approx(2.79, abs=0.01)
    assert "at most 2.79 times the error of any epsilon-private mechanism (certificate: volume, k = 10)" in str(plan)
    assert plan.to_dict()["optimality"]["lower_bound"] == pytest.approx(2 * math.sqrt(2) * 7.53, rel=1e-3)
    gaussian = ht.plan(binary(4), workload="marginals(width=2)", budget=ht.Budget(rho=1))
    assert "of any matrix mechanism with Gaussian noise (certificate: gaussian-class, k = 10)" in str(gaussian)


def test_two_rows_a_person_double_the_bound():
    domain = binary(4)
    twice = ht.Domain.from_dict(domain.to_dict() | {"unit": {"rows": 2}})
    one, two = (
        ht.plan(d, workload="marginals(width=1)", budget=ht.Budget(epsilon=1)).optimality() for d in (domain, twice)
    )
    assert two.lower_bound == pytest.approx(2 * one.lower_bound)
    assert two.factor == pytest.approx(one.factor, rel=1e-6)


def test_workloads_without_a_certificate_say_so():
    plan = ht.plan(binary(4), rows=1000, workload="whole_table()", budget=ht.Budget(epsilon=1))
    assert (plan.optimality().factor, plan.optimality().certificate) == (None, "none")
    assert "no certificate of how near to the best this is" in str(plan)


def test_a_workload_as_a_matrix():
    matrix = query_matrix(read_workload("marginals(width=2)"), binary(3))
    assert matrix.weights.shape == (12, 8)
    assert (matrix.weights.sum(axis=1) == 2).all()
    with pytest.raises(BadPlan, match="kinds"):
        query_matrix(read_workload("marginals(width=2)"), binary(20))

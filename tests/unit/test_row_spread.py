"""The spread of rows behind quantiles: it fits the released sums, is even where it may be, and knows piles."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.maths.smooth.chebyshev import chebyshev_basis
from hushtable.maths.smooth.clumps import clumps_of
from hushtable.maths.smooth.row_spread import refinements, spread_rows
from hushtable.maths.smooth.splines import spline_basis
from hushtable.models.smooth import usual_places as places
from smooth import PURE, ZCDP, releases

BASES = [spline_basis(28), spline_basis(9), spline_basis(4), chebyshev_basis(40, 1), chebyshev_basis(2, 1)]


def column(values, budget=PURE, kind="number", neighbours="replace", **spec):
    shape = {"kind": kind, "between": [0, 100], "bins": 2, "missing": "error"} | spec
    domain = ht.Domain.from_dict(
        {"table": "t", "neighbours": neighbours, "attributes": {"v": shape, "s": {"kind": "boolean"}}}
    )
    rows = {"v": pa.array(values), "s": pa.array(np.arange(len(values)) % 3 == 0)}
    _, model = releases(rows, domain, "smooth(columns=[v], by=[s])", budget, None, 1)
    return model


def ask(model, text):
    return model.answer(model.parse(text))


@pytest.mark.parametrize("basis", BASES, ids=lambda b: f"{type(b).__name__}-{b.size}")
def test_each_refinement_holds_the_coarser_ones_and_the_last_is_the_basis(basis):
    looks = refinements(basis)
    np.testing.assert_allclose(looks[-1].functions, np.eye(basis.size), atol=1e-9)
    for coarse, fine in pairwise(looks):
        assert len(coarse.functions) < len(fine.functions)
        solved, *_ = np.linalg.lstsq(fine.functions.T, coarse.functions.T, rcond=None)
        np.testing.assert_allclose(fine.functions.T @ solved, coarse.functions.T, atol=1e-8)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [PURE, ZCDP], ids=["spline", "chebyshev"])
@pytest.mark.parametrize("kept", [[1, 1, 1], [0, 1, 0], [1, 0, 1]])
def test_the_covariance_of_all_sums_is_that_of_each_question(budget, neighbours, kept):
    model = column(np.linspace(1, 99, 500), budget, neighbours=neighbours)
    margin, kept = model.released[0].margin(["v"]), np.array(kept, dtype=float)
    sums, covariance = margin.joint(kept)
    asked = np.random.default_rng(3).normal(size=(5, margin.basis.size))
    value, variance, _ = margin.sums(asked, kept)
    np.testing.assert_allclose(asked @ sums, value, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", asked, covariance, asked), variance, rtol=1e-9)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("basis", BASES, ids=lambda b: f"{type(b).__name__}-{b.size}")
def test_the_spread_has_the_sums_it_was_given(basis):
    x = np.clip(np.random.default_rng(5).normal(-0.2, 0.4, 4000), -1, 1)
    sums, covariance = basis.at(x).sum(axis=0), np.eye(basis.size)
    spread = spread_rows(basis, sums, covariance)
    off = spread.masses @ spread.values - sums
    assert np.abs(off).max() < 10  # of 4,000 rows, with sums that are known to a standard error of 1
    assert spread.rows == pytest.approx(4000, abs=10)
    assert (spread.masses > 0).all()
    clumps = clumps_of(basis, sums, covariance, spread)
    np.testing.assert_allclose(clumps.chance.sum(axis=0), 1.0)
    assert (clumps.unseen.at(0.5) > 0).any()
    assert (clumps.fit.at(0.5) <= 0.25 * 4 * 4000).all()


def test_single_rows_and_piles_are_told_apart():
    basis, g = spline_basis(28), np.random.default_rng(6)
    smooth = g.beta(3, 4, 20_000) * 2 - 1

    def usual_clump(x):
        sums, covariance = basis.at(x).sum(axis=0), 8 * np.eye(basis.size)
        spread = spread_rows(basis, sums, covariance)
        chance = clumps_of(basis, sums, covariance, spread).chance
        return float(np.median(np.log10(10.0) * 0.5 * np.arange(len(chance)) @ chance))

    assert usual_clump(smooth) < 1.0
    assert usual_clump(np.round(smooth * 5) / 5) > 2.0


@pytest.mark.parametrize("budget", [PURE, ZCDP], ids=["spline", "chebyshev"])
def test_smooth_columns_have_narrow_intervals_and_piles_wide_ones_within_what_is_certified(budget):
    smooth = np.random.default_rng(7).beta(2, 3, 20_000) * 100
    for values, widest in ((smooth, 0.4), (np.round(smooth, -1), 1.0)):
        answer = ask(column(values, budget), "quantile(v, 0.5)")
        low, high = answer.interval()
        least, most = answer.certified
        assert least <= low <= answer.value <= high <= most
        assert (high - low) <= widest * (most - least)
        assert (high - low) > (0 if widest < 1 else 0.05) * (most - least)
        assert answer.bias_kind == "calibrated"
        assert "whatever the rows" in answer.notes[0]
        assert answer.to_dict()["certified"] == [least, most]
        for confidence in (0.5, 0.95, 0.999):
            inner = answer.interval(confidence)
            assert inner[0] <= answer.value <= inner[1]
        assert answer.interval(0.999)[0] <= low


def test_rows_at_a_bound_are_found_there():
    g = np.random.default_rng(8)
    values = np.where(g.random(5000) < 0.6, 0.0, g.beta(2, 2, 5000) * 100)
    answer = ask(column(values), "quantile(v, 0.4)")
    assert answer.value == 0
    assert answer.interval()[0] == 0
    assert answer.interval()[1] < 1


def test_whole_numbers_have_whole_quantiles():
    values = np.clip(np.rint(np.random.default_rng(9).normal(40, 12, 8000)), 0, 100)
    for level in (0.2, 0.5, 0.8):
        answer = ask(column(values, kind="integer"), f"quantile(v, {level})")
        assert answer.value == int(answer.value)
        assert all(end == int(end) for end in answer.interval())
        low, high = answer.interval()
        assert low <= np.quantile(values, level, method="inverted_cdf") <= high


def test_numbers_that_no_rows_have_leave_what_is_certified(monkeypatch):
    basis = spline_basis(9)
    assert spread_rows(basis, -np.ones(9), np.eye(9)) is None
    assert spread_rows(basis, np.ones(9), np.full((9, 9), np.inf)) is None
    monkeypatch.setattr(places, "MOST_FUNCTIONS", 8)
    answer = ask(column(np.linspace(1, 99, 3000)), "quantile(v, 0.5)")
    assert answer.certified == answer.interval()
    assert answer.bias_kind == "certified"
    assert answer.bias > 0


def test_where_noise_hides_the_column_only_what_is_certified_is_said():
    values = np.random.default_rng(10).beta(2, 3, 6000) * 100
    few, many = (ask(column(values[:count], ZCDP), "quantile(v, 0.5)") for count in (300, 6000))
    assert (few.bias_kind, many.bias_kind) == ("certified", "calibrated")
    assert few.certified == few.interval()

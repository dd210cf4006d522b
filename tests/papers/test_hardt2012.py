"""hardt2012: its tables are the published ones, its algorithms are what they say, and without data it says so."""

import csv
import gzip
from fractions import Fraction

import numpy as np
import pytest
from published import CZECH, MILDEW, PUBLISHED, ROCHDALE, Counts, ParityClass, best_fit, nltcs, relative_entropy

from hushtable.vault.door.door import price_of


@pytest.mark.parametrize("table", PUBLISHED, ids=lambda t: t.name)
def test_the_counts_are_those_of_the_rows(table, real_table):
    with real_table(f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    cells = np.array([int("".join(row), 2) for row in rows])
    assert table.attributes == tuple(names)
    assert table.counts.tolist() == np.bincount(cells, minlength=len(table.counts)).tolist()


def test_the_large_table_is_read_as_it_is(real_table):
    with gzip.open(real_table("nltcs.csv.gz"), "rt", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    large = nltcs()
    assert sorted("".join(map(str, row)) for row in large.codes.T) == sorted("".join(row) for row in rows)
    assert relative_entropy(large, ParityClass(large, 1).uniform()) == pytest.approx(5.329, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "rows", "filled", "uniform", "fitted"),
    [(MILDEW, 70, 22, 1.546, 0.018), (CZECH, 1841, 63, 0.550, 0.006), (ROCHDALE, 665, 91, 1.754, 0.048)],
    ids=lambda v: getattr(v, "name", None),
)
def test_the_tables_have_the_published_shape_and_entropies(table, rows, filled, uniform, fitted):
    assert (table.rows, (table.counts > 0).sum()) == (rows, filled)
    parities = ParityClass(table, 3)
    assert relative_entropy(table, parities.uniform()) == pytest.approx(uniform, abs=5e-4)
    assert relative_entropy(table, best_fit(parities, 500)) == pytest.approx(fitted, abs=1e-3)
    assert relative_entropy(table, table.shares) == 0


def test_rows_and_counts_are_the_same_table():
    cells = np.array([int("".join(map(str, row)), 2) for row in ROCHDALE.codes.T])
    assert np.bincount(cells, minlength=256).tolist() == ROCHDALE.counts.tolist()


def test_counts_of_another_number_of_attributes_are_refused():
    with pytest.raises(ValueError, match="2 attributes have 4"):
        Counts("t", ("a", "b"), np.zeros(8, np.int64), "nobody")


def test_all_coefficients_cost_exactly_their_epsilon():
    parities = ParityClass(CZECH, 3)
    noise = parities.equal_noise(Fraction(1, 3))
    assert price_of(parities.statistic, noise, CZECH.domain.unit).amount == Fraction(1, 3)
    assert len(set(noise.per_group[1:])) == 1


def test_means_and_updates_are_those_of_the_signs():
    parities, g = ParityClass(CZECH, 3), np.random.default_rng(1)
    p = g.dirichlet(np.ones(64))
    bits = (np.arange(64)[:, None] >> np.arange(6)[::-1]) & 1
    signs = np.array([np.prod(1 - 2 * bits[:, list(own)], axis=1) for own in parities.sets])
    np.testing.assert_allclose(parities.means(p), signs @ p, atol=1e-14)
    np.testing.assert_allclose(parities.exact, signs @ CZECH.shares, atol=1e-14)
    targets, moved = {30: 0.2, 3: -0.4, 41: 0.0}, p.copy()
    for number, target in [*targets.items()] * 2:
        moved = moved * np.exp(0.5 * (target - signs[number] @ moved) * signs[number])
        moved /= moved.sum()
    parities.update(p, targets, passes=2)
    np.testing.assert_allclose(p, moved, atol=1e-14)


def test_without_the_survey_the_claims_about_it_are_skipped(monkeypatch, tmp_path):
    from papers.hardt2012 import run, tables

    monkeypatch.setattr(tables, "DATA", tmp_path)
    assert tables.nltcs() is None
    seen = run._large({run.ALL: {}}) | {"large-rounds": run._more_rounds([])}
    assert len(seen) == 6
    assert all(one.ours is None and "HUSHTABLE_DATA" in one.note for one in seen.values())


def letters(pairs):
    return " ".join("".join("ABCDEFGH"[p] for p in pair) for pair in sorted(pairs))


@pytest.mark.parametrize(
    ("table", "pairs", "entropy"),
    [(MILDEW, "AD BD BE CF EF", 0.123), (CZECH, "AC AD AE BC BE DE", 0.018),
     (ROCHDALE, "AC AD AE AG BD BE BH CE CG DG DH EF FG", 0.125)],
    ids=lambda v: getattr(v, "name", None),
)  # fmt: skip
def test_the_good_models_are_known_ones(table, pairs, entropy):
    """A chain of genes, the pairs every analysis of the car workers has, and all but one of Whittaker's model."""
    from papers.hardt2012.good_models import good_model, model_of_pairs

    chosen, found = good_model(table)
    assert letters(chosen) == pairs
    assert found == pytest.approx(entropy, abs=1e-3)
    model = model_of_pairs(table, chosen).reshape((2,) * len(table.attributes))
    shares = table.shares.reshape(model.shape)
    for pair in chosen:
        rest = tuple(p for p in range(model.ndim) if p not in pair)
        np.testing.assert_allclose(model.sum(axis=rest), shares.sum(axis=rest), atol=1e-5)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 10)], ids=str)
def test_the_optimised_algorithm_spends_its_epsilon_and_chooses_its_rounds(monkeypatch, share):
    from papers.hardt2012 import optimised as module

    spent, real, start = [], module.one_round, module.start_from

    def counted(parities, door, hypothesis, epsilon):
        spent.append(epsilon)
        return real(parities, door, hypothesis, epsilon)

    def begun(parities, door, epsilon):
        spent.append(epsilon)
        return start(parities, door, epsilon)

    monkeypatch.setattr(module, "one_round", counted)
    monkeypatch.setattr(module, "start_from", begun)
    parities, rounds = ParityClass(CZECH, 3), []
    for epsilon in (Fraction(1, 20), Fraction(4)):
        for seed in range(5):
            spent.clear()
            hypothesis = module.optimised(parities, epsilon, seed, histogram=share)
            assert sum(spent) == epsilon
            assert hypothesis.sum() == pytest.approx(1)
            rounds.append(len(spent))
    assert len(set(rounds)) > 1

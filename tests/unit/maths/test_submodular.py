"""Submodular functions: pieces are a partition whatever the oracle says, and Lipschitz where it is exact."""

from itertools import combinations

import numpy as np
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion
from hushtable.learning import SetFunction

D = 8


def noisy_oracle(seed: int) -> SetFunction:
    """Any numbers at all, without order or bound."""
    said = np.random.default_rng(seed).normal(0.5, 0.4, 2**D)
    return SetFunction(elements=range(D), value=lambda own: said[sum(1 << e for e in own)])


def random_graph(seed: int, vertices: int = 9) -> list[tuple[int, int]]:
    source = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(vertices), 2) if source.random() < 0.45]
    return [*pairs, *((v, (v + 1) % vertices) for v in range(vertices))]


def random_rows(seed: int, columns: int = D) -> np.ndarray:
    source = np.random.default_rng(seed)
    hidden = source.normal(size=(60, 1)) + 0.6 * source.normal(size=(60, columns))
    return hidden > source.normal(0.3, 0.8, columns)


def holds(piece: ht.learning.Piece, own: frozenset) -> bool:
    return piece.inside <= own and not piece.outside & own


def every_set(elements) -> list[frozenset]:
    return [frozenset(own) for size in range(len(elements) + 1) for own in combinations(elements, size)]


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("seed", range(200))
def test_every_set_is_in_exactly_one_piece_of_a_noisy_oracle(seed, stages):
    """All 256 sets, whatever is said of them, also when questions do not last."""
    order = ("given", "decreasing")[seed % 2]
    most = 30 + seed if seed % 3 == 0 else 10_000
    pieces = ht.learning.decompose(noisy_oracle(seed), 0.2, stages=stages, order=order, most_questions=most)
    assert pieces.complete == (most == 10_000) or pieces.questions <= most
    all_pieces = pieces.pieces
    for own in every_set(range(D)):
        assert [number for number, one in enumerate(all_pieces) if holds(one, own)] == [pieces.number(own)]


@pytest.mark.parametrize("order", ["given", "decreasing"])
@pytest.mark.parametrize("noise", [0.0, 1 / 12])
@pytest.mark.parametrize("seed", range(30))
def test_no_element_moves_a_cut_by_more_on_a_piece(seed, noise, order):
    """Of 30 random graphs, all 512 sets: exact, and with an oracle that is off by a twelfth of the bound."""
    truth, bound = ht.learning.cuts(random_graph(seed)), 0.15
    off = np.random.default_rng(seed).uniform(-noise * bound, noise * bound, 2**9)
    told = SetFunction(elements=truth.elements, value=lambda own: truth(own) + off[sum(1 << e for e in own)])
    pieces = ht.learning.decompose(told, bound, tolerant=noise > 0, order=order)
    assert pieces.complete
    for own in every_set(truth.elements):
        one = pieces.piece(pieces.number(own))
        assert holds(one, own)
        for other in set(truth.elements) - own - one.outside:
            assert abs(truth(own | {other}) - truth(own)) <= bound + 1e-9


def test_one_stage_leaves_falls_that_two_stages_find():
    truth = ht.learning.cuts(random_graph(3))
    one = ht.learning.decompose(truth, 0.1, stages=1)
    largest = max(
        truth(own) - truth(own | {other})
        for own in every_set(truth.elements)
        for other in set(truth.elements) - own - one.piece(one.number(own)).outside
    )
    assert largest > 0.1


@pytest.mark.parametrize("seed", range(20))
def test_depth_and_jumps_of_a_monotone_function_are_bounded(seed):
    rows = random_rows(seed)
    f = ht.learning.rows_lacking_any(rows)
    pieces = ht.learning.decompose(f, 0.15)
    for own in every_set(f.elements):
        one = pieces.piece(pieces.number(own))
        assert len(one.inside) < 1 / 0.15
        assert all(f(own | {other}) - f(own) <= 0.15 + 1e-12 for other in set(f.elements) - own - one.outside)


@pytest.mark.parametrize("seed", range(5))
def test_pieces_have_the_chances_of_their_sets(seed):
    pieces = ht.learning.decompose(noisy_oracle(seed), 0.3, stages=2)
    p = {e: float(c) for e, c in enumerate(np.random.default_rng(seed).uniform(0.1, 0.9, D))}
    counted = np.zeros(len(pieces))
    for own in every_set(range(D)):
        counted[pieces.number(own)] += np.prod([p[e] if e in own else 1 - p[e] for e in range(D)])
    np.testing.assert_allclose(pieces.chances(p), counted)
    assert pieces.chances(0.3).sum() == pytest.approx(1)


def test_questions_are_one_for_every_piece_and_element_behind_it():
    """And the empty set; the memo pays for the rest."""
    rows = random_rows(1)
    f = ht.learning.rows_with_any(rows)
    pieces = ht.learning.decompose(f, 0.1, order="given")
    behind = [D - 1 - max((f.places[e] for e in one.inside), default=-1) for one in pieces.pieces]
    assert pieces.questions == 1 + sum(behind)
    again = ht.learning.decompose(f, 0.1, order="given")
    assert again.questions == 0


def test_examples_are_what_they_say():
    sets = {"a": [1, 2, 3], "b": [3, 4], "c": []}
    f = ht.learning.coverage(sets)
    for own in every_set(list(sets)):
        assert f(own) == pytest.approx(len({x for name in own for x in sets[name]}) / 4)
    rows = random_rows(4)
    with_any, lacking = (
        ht.learning.rows_with_any(rows, literals=True),
        ht.learning.rows_lacking_any(rows, literals=True),
    )
    assert with_any.elements[0] == "c0"
    assert with_any.elements[-1] == "NOT c7"
    assert with_any(["c1", "NOT c2"]) == pytest.approx((rows[:, 1] | ~rows[:, 2]).mean())
    assert lacking(["c1", "NOT c2", "c5"]) == pytest.approx(1 - (rows[:, 1] & ~rows[:, 2] & rows[:, 5]).mean())
    assert lacking(["c1", "NOT c1"]) == 1
    sure = ht.learning.influence([(1, 2), (2, 3), (4, 4)], 1.0, worlds=3, seed=1)
    assert [sure([v]) for v in (1, 2, 3, 4)] == [0.75, 0.5, 0.25, 0.25]
    assert ht.learning.influence([(1, 2)], 0.0, worlds=3, seed=1)([1]) == 0.5


@pytest.mark.parametrize(
    ("f", "monotone"),
    [
        (ht.learning.rows_with_any(random_rows(7)), True),
        (ht.learning.rows_lacking_any(random_rows(7)), True),
        (ht.learning.coverage({i: np.random.default_rng(i).integers(0, 30, 6).tolist() for i in range(9)}), True),
        (ht.learning.influence(random_graph(5), 0.3, worlds=40, seed=2), True),
        (ht.learning.cuts(random_graph(5)), False),
    ],
    ids=["any", "lacking", "coverage", "influence", "cuts"],
)
def test_examples_are_submodular_and_a_wrong_one_is_seen(f, monotone):
    shape = ht.learning.shape_of(f, triples=600, seed=3)
    assert shape.submodular
    assert shape.monotone == monotone == f.monotone
    turned = SetFunction(elements=f.elements, value=lambda own: 1 - f(own))
    wrong = ht.learning.shape_of(turned, triples=600, seed=3)
    assert not wrong.submodular
    assert "above" in wrong.counterexample
    assert shape.lipschitz == pytest.approx(wrong.lipschitz)


def test_what_is_learned_is_within_alpha_as_often_as_is_promised():
    rows = random_rows(11, 10)
    f = ht.learning.rows_with_any(rows)
    learned = ht.learning.learn_submodular(f, 0.4, 0.3, 0.2, seed=1)
    assert learned.decomposition.complete
    assert learned.guarantee <= 0.3
    sets = np.array([[(number >> i) & 1 for i in range(10)] for number in range(1024)])
    weights = np.where(sets, 0.2, 0.8).prod(axis=1)
    truth = np.array([f([name for name, has in zip(f.elements, own, strict=True) if has]) for own in sets])
    missed = np.abs(learned.many(sets) - truth)
    assert weights[missed > 0.4].sum() <= learned.guarantee
    assert learned(["c1", "c2"]) == learned.many(sets[[6]])[0]
    means = np.bincount([learned.decomposition.number_of(m) for m in range(1024)], weights * truth)
    np.testing.assert_allclose(learned.means, means / learned.decomposition.chances(0.2), atol=1e-12)
    trial = learned.trial(300, seed=2)
    assert trial.share <= trial.most
    assert "beyond alpha" in str(trial)


def test_a_function_that_falls_is_learned_too_and_means_of_large_pieces_are_drawn():
    source = np.random.default_rng(6)
    edges = [(0, i) for i in range(1, 22)] + [tuple(source.choice(22, 2, replace=False).tolist()) for _ in range(40)]
    f = ht.learning.cuts(edges)
    learned = ht.learning.learn_submodular(f, 0.25, 0.2, 0.5, seed=1, lipschitz=0.45, samples=20_000)
    assert len(learned.decomposition) > 1
    flat = ht.learning.learn_submodular(f, 0.9, 0.2, 0.5, seed=1, lipschitz=1.7, samples=500)
    assert len(flat.decomposition) == 1
    assert learned.trial(500, seed=3).mean < flat.trial(500, seed=3).mean
    exact = [learned.means[i] for i in range(len(learned.means))]
    again = ht.learning.learn_submodular(f, 0.25, 0.2, 0.5, seed=9, lipschitz=0.45, samples=20_000)
    left = (1 / 6) * 0.25 - 0.45 / 12
    assert (learned.means != again.means).any()
    assert np.abs(np.array(exact) - again.means).max() < 2 * left


def test_a_decomposition_that_was_cut_short_promises_nothing():
    f = ht.learning.rows_with_any(random_rows(12, 20))
    learned = ht.learning.learn_submodular(f, 0.1, 0.1, 0.2, seed=1, most_questions=100, samples=50)
    assert not learned.decomposition.complete
    assert learned.guarantee == 1
    assert "cut short" in str(learned)
    assert "nothing is promised" in str(learned)


def test_the_bound_of_the_theorem_is_enough_for_its_promise():
    for alpha in (0.05, 0.1, 0.3, 1.0):
        for beta in (0.01, 0.1, 0.5, 1.0):
            rho = ht.learning.lipschitz_for(alpha, beta)
            assert ht.learning.tail_bound(rho, 5 * alpha / 6) <= beta


def wrong(**change):
    given = {"oracle": ht.learning.cuts([(1, 2), (2, 3)]), "alpha": 0.5, "beta": 0.5, "p": 0.5, "seed": 1}
    return ht.learning.learn_submodular(**(given | change))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: SetFunction(elements=[], value=len), "1 to 100,000 elements"),
        (lambda: SetFunction(elements="ab", value=len), "1 to 100,000 elements"),
        (lambda: SetFunction(elements=[1, 1], value=len), "names an element twice"),
        (lambda: SetFunction(elements=[1], value=3), "must be a function of a set, not int"),
        (lambda: SetFunction(elements=["age"], value=len)(["aeg"]), "'aeg'; there are 1. Did you mean 'age'?"),
        (lambda: SetFunction(elements=["age"], value=len)("age"), "a list of elements, not the text 'age'"),
        (lambda: SetFunction(elements=["age"], value=len)([["age"]]), "no element"),
        (lambda: SetFunction(elements=[1], value=lambda s: float("nan"))([1]), "the value of {1} is nan"),
        (lambda: SetFunction(elements=[1], value=lambda s: 1 / 0)([1]), "the value of {1} failed: ZeroDivisionError"),
        (lambda: ht.learning.decompose(len, 0.1), "takes a SetFunction"),
        (lambda: ht.learning.decompose(noisy_oracle(1), 0), "above 0, not 0"),
        (lambda: ht.learning.decompose(noisy_oracle(1), 0.1, stages=3), "stages is 1"),
        (lambda: ht.learning.decompose(noisy_oracle(1), 0.1, order="up"), "order is decreasing or given"),
        (lambda: ht.learning.decompose(noisy_oracle(1), 0.1, most_questions=0), "most_questions must be"),
        (lambda: wrong(alpha=0), "alpha is above 0 and at most 1, not 0"),
        (lambda: wrong(beta=1.5), "beta is above 0 and at most 1, not 1.5"),
        (lambda: wrong(p=1.5), "p is a chance from 0 to 1"),
        (lambda: wrong(p={1: 0.5, 2: 0.5}), "3 has None"),
        (lambda: wrong(p={1: 0.5, 2: 0.5, 3: 0.5, 4: 0.5}), "p names 4"),
        (lambda: wrong(oracle=len), "the oracle is a SetFunction"),
        (lambda: wrong(samples=0), "samples must be"),
        (lambda: wrong(lipschitz=1.0), "too large for alpha"),
        (lambda: wrong(oracle=SetFunction(elements=[1, 2], value=len)), "divide it by the most it can be"),
        (lambda: wrong().many([[0, 1]]), "with 3 columns, one an element"),
        (lambda: wrong().many([[0, 1, 2]]), "with 3 columns, one an element"),
        (lambda: ht.learning.shape_of(len, seed=1), "takes a SetFunction"),
        (lambda: ht.learning.shape_of(noisy_oracle(1), seed=1, tolerance=-1), "tolerance is how far"),
        (lambda: ht.learning.coverage({"a": []}), "at least one thing"),
        (lambda: ht.learning.cuts([]), "at least one edge"),
        (lambda: ht.learning.influence([], 0.5, worlds=2, seed=1), "at least one edge"),
        (lambda: ht.learning.influence([(1, 2)], 2, worlds=2, seed=1), "chance is from 0 to 1"),
        (lambda: ht.learning.rows_with_any([[0, 2]]), "a matrix of 0 and 1"),
        (lambda: ht.learning.rows_with_any([[0, 1]], ["a"]), "1 names for 2 columns"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(ask, says):
    with pytest.raises((BadPlan, BadQuestion)) as error:
        ask()
    assert says in str(error.value)
    assert "\n" not in str(error.value)

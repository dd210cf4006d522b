"""Trees over questions: the partition, means of leaves against brute force, the model, its noise and its answers."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion, BadSynopsis, TooWide
from hushtable.maths.trees.chow_liu import ChowLiu, frechet
from hushtable.maths.trees.question_tree import QuestionTree, grow
from hushtable.models.tree import TreeModel
from hushtable.vault.statistics.leaf_means import LeafMeans


def bits_domain(columns: int, neighbours: str = "replace") -> ht.Domain:
    named = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(columns)}
    return ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": named})


def dependent(rows: int, columns: int, seed: int) -> np.ndarray:
    """Columns that lean on one hidden number."""
    source = np.random.default_rng(seed)
    hidden = source.normal(size=(rows, 1)) + 0.4 * source.normal(size=(rows, columns))
    return hidden > source.normal(0.2, 0.6, columns)


def fitted(rows: np.ndarray) -> ChowLiu:
    both = rows.T.astype(float) @ rows / len(rows)
    return ChowLiu.fit(*frechet(np.diag(both).copy(), both, 1 / len(rows)))


def random_tree(columns: int, leaves: int, seed: int) -> QuestionTree:
    """A tree that asks anything, as noisy numbers may make it."""
    source = np.random.default_rng(seed)
    chances = source.uniform(0.05, 0.95, columns)
    pairs = source.uniform(0, 1, (columns, columns))
    return grow(ChowLiu.fit(*frechet(chances, (pairs + pairs.T) / 2, 0.01)), leaves, int(source.integers(1, columns)))


def all_sets(columns: int) -> np.ndarray:
    return (np.arange(2**columns)[:, None] >> np.arange(columns)) % 2 == 1


@pytest.mark.parametrize("seed", range(200))
def test_every_set_reaches_exactly_one_leaf(seed):
    tree, sets = random_tree(8, 2 + seed % 30, seed), all_sets(8)
    inside, free = tree.masks()
    outside = ~inside & ~free
    holds = (~inside[None] | sets[:, None]).all(axis=2) & ~(outside[None] & sets[:, None]).any(axis=2)
    assert (holds.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(holds.argmax(axis=1), tree.leaf_of(sets))
    again = QuestionTree.read(tree.nodes.ravel(), 8)
    assert again.leaves == tree.leaves


@pytest.mark.parametrize(
    "flat", [[], [0, 1, 2], [0, 1, 1, -1, 0, 0, -1, 0, 0], [9, 1, 2, -1, 0, 0, -1, 0, 0],
             [0, 1, 2, 0, 3, 4, -1, 0, 0, -1, 0, 0, -1, 0, 0]]
)  # fmt: skip
def test_numbers_that_are_no_tree_are_refused(flat):
    with pytest.raises(ValueError):  # noqa: PT011
        QuestionTree.read(np.array(flat, dtype=np.int64), 8)


@pytest.mark.parametrize("side", [0, 1])
def test_a_leaf_mean_is_the_mean_over_all_its_sets(side):
    """By brute force over all sets of a width, for ten columns."""
    rows = dependent(40, 10, seed=2)
    tree, widths = grow(fitted(rows), 9, 4), (1, 3, 5)
    unit = 2**40
    statistic = LeafMeans(tree, widths, side=side, unit=unit)
    sums = statistic.accumulate(np.ascontiguousarray(rows.T).astype(np.uint8))
    assert sums[0] == 40
    for (number, width), value in zip(statistic.places, sums[1:], strict=True):
        leaf = tree.leaves[number]
        own = [
            s for s in combinations(range(10), width) if set(leaf.inside) <= set(s) and not set(leaf.outside) & set(s)
        ]
        mean = np.mean([(rows[:, list(s)] == bool(side)).all(axis=1).mean() for s in own])
        assert value / unit / 40 == pytest.approx(mean, abs=1e-9)
    reached = {
        (number, width) for width in widths for number in set(tree.leaf_of(all_sets(10)[all_sets(10).sum(1) == width]))
    }
    assert set(statistic.places) == reached


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("chance", [Fraction(1, 20), Fraction(1, 3), Fraction("0.7")], ids=str)
def test_a_leaf_mean_by_a_chance_is_the_mean_over_all_its_sets(side, chance):
    """By brute force over all 512 sets of nine columns, each as likely as the chance makes it."""
    rows = dependent(40, 9, seed=2)
    tree, unit = grow(fitted(rows), 7, 4, float(chance)), 2**40
    statistic = LeafMeans(tree, (3,), side=side, unit=unit, chance=chance)
    sums = statistic.accumulate(np.ascontiguousarray(rows.T).astype(np.uint8))
    sets, model = all_sets(9), said_of_leaves(rows, tree, float(chance))
    leaves, weights = tree.leaf_of(sets), np.prod(np.where(sets, float(chance), 1 - float(chance)), axis=1)
    has = np.array([(rows[:, s] == bool(side)).all(axis=1).mean() for s in sets])
    said = fitted(rows).chance(np.where(sets, 1, -1).astype(np.int8))
    assert len(tree.leaves) == 7 == len(statistic.places)
    for number, value in enumerate(sums[1:]):
        own = leaves == number
        assert value / unit / 40 == pytest.approx(np.average(has[own], weights=weights[own]), abs=1e-9)
        assert model[number] == pytest.approx(np.average(said[own], weights=weights[own]), abs=1e-9)


def said_of_leaves(rows, tree, chance):
    """What the model of the pairs of these rows says of the leaves, as a release reckons it."""
    inside, free = tree.masks()
    lacks = np.where(inside, 0.0, np.where(free, 1 - chance, 1.0))
    return fitted(rows).weighed(lacks, np.ones_like(lacks))


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_no_pair_of_rows_changes_means_by_a_chance_by_more_than_stated(relation):
    """All pairs of rows of seven columns; the worst one reaches what is stated."""
    tree = grow(fitted(dependent(200, 7, seed=3)), 6, 3, 0.3)
    statistic = LeafMeans(tree, (), chance=Fraction(3, 10))
    alone = np.array([statistic.accumulate(row[:, None].astype(np.uint8))[1:] for row in all_sets(7)]).astype(float)
    others = alone if relation == "replace" else np.zeros((1, len(tree.leaves)))
    for power in (1, 2):
        worst = max((np.abs(alone - one) ** power).sum(axis=1).max() for one in others)
        assert worst == float(statistic.sensitivity(power=power, weights=[1], neighbours=relation))


def test_no_pair_of_rows_changes_means_by_more_than_stated():
    """10^4 random pairs of rows, and the pair of all and nothing, which reaches it."""
    tree = grow(fitted(dependent(200, 12, seed=3)), 20, 4)
    statistic, source = LeafMeans(tree, (3, 5)), np.random.default_rng(4)
    codes = source.integers(0, 2, (2, 10_000, 12)).astype(np.uint8)
    codes[0, 0], codes[1, 0] = 1, 0
    alone = [np.array([statistic.accumulate(row[:, None])[1:] for row in side[:500]]) for side in codes]
    worst = (np.abs(alone[0] - alone[1]).astype(float) ** 2).sum(axis=1).max()
    assert worst == float(statistic.sensitivity(power=2, weights=[1], neighbours="replace"))


def test_the_model_is_exact_on_tables_that_are_trees():
    """A chain of bits: every conjunction has the chance that the chain gives it, and sums over sets likewise."""
    source = np.random.default_rng(5)
    rows = np.zeros((4000, 5), dtype=bool)
    rows[:, 0] = source.random(4000) < 0.4
    for bit in range(1, 5):
        rows[:, bit] = source.random(4000) < np.where(rows[:, bit - 1], 0.8, 0.3)
    model = fitted(rows)
    joined = {frozenset((i, int(p))) for i, p in enumerate(model.parents) if p >= 0}
    assert joined == {frozenset((i, i + 1)) for i in range(4)}
    every = model.chance(np.where(all_sets(5), 1, 0).astype(np.int8))
    assert every.sum() == pytest.approx(1)
    sets = all_sets(5)
    by_sets = model.chance(np.where(sets, 1, -1).astype(np.int8))
    assert [every[(sets | ~s).all(axis=1)].sum() for s in sets] == pytest.approx(by_sets.tolist())
    inside = np.array([[True, False, False, False, False]])
    free = np.array([[False, True, True, True, False]])
    sums = model.subsets(inside, free, 3)[0]
    for size in range(4):
        own = list(combinations((1, 2, 3), size))
        want = sum(every[sets[:, [0, *s]].all(axis=1)].sum() for s in own)
        assert sums[size] == pytest.approx(want)


def released(rows, *, workload="all_of(width=5)", mechanism="tree(leaves=8)", epsilon=2, seed=1):
    domain = bits_domain(rows.shape[1])
    plan = ht.plan(domain, rows=len(rows), workload=workload, mechanism=mechanism,
                   budget=ht.Budget(epsilon=epsilon, delta="1e-6"))  # fmt: skip
    table = pa.table({f"c{i}": rows[:, i] for i in range(rows.shape[1])})
    return ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed))


ROWS = dependent(8000, 14, seed=6)


class TestAnswers:
    def test_means_correct_the_model(self):
        """With hardly any noise the mean error over sets of three to five columns is far below that of pairs alone."""
        synopsis = released(ROWS, epsilon=60)
        sets = np.array([np.isin(np.arange(14), s) for w in (3, 5) for s in combinations(range(14), w)])
        truth = np.array([ROWS[:, s].all(axis=1).mean() for s in sets])
        corrected = abs(synopsis.model.shares(sets) - truth).mean()
        alone = abs(synopsis.model.chow_liu.chance(np.where(sets, 1, -1).astype(np.int8)) - truth).mean()
        assert len(synopsis.model.tree.leaves) == 8
        assert corrected < alone / 2
        answers = synopsis.evaluate(sets)
        low, high = answers.interval()
        assert ((low <= truth) & (truth <= high)).mean() > 0.85

    @pytest.mark.parametrize("workload", ["all_of(width=5)", "any_of(width=5)"])
    def test_one_by_one_and_all_at_once_agree(self, workload):
        synopsis = released(ROWS, workload=workload, epsilon=20)
        word = workload[:3]
        sets = np.array([np.isin(np.arange(14), s) for s in ((0, 3, 7), (1, 2, 5, 9), (4, 5, 6, 10, 13))])
        many = synopsis.evaluate(sets)
        for line, own in enumerate(sets):
            names = ", ".join(f"c{i}" for i in np.flatnonzero(own))
            answer = synopsis.ask(f"{word}({names})")
            assert answer.value == pytest.approx(many.value[line])
            truth = (ROWS[:, own].all(axis=1) if word == "all" else ROWS[:, own].any(axis=1)).mean()
            assert abs(answer.value - truth) < 0.05
            low, high = answer.certified or answer.interval()
            assert low <= truth <= high
            assert synopsis.ask(f"{word}({names})", count=True).value == pytest.approx(8000 * answer.value)

    def test_other_sides_are_extrapolated_within_what_pairs_allow(self):
        synopsis = released(ROWS, epsilon=20)
        for text, truth in (
            ("all(c0, c1, NOT c2)", (ROWS[:, 0] & ROWS[:, 1] & ~ROWS[:, 2]).mean()),
            ("any(c0, c1, c2)", ROWS[:, :3].any(axis=1).mean()),
        ):
            answer = synopsis.ask(text)
            assert answer.estimator == "assisted"
            assert "extrapolated" in answer.notes[-1]
            low, high = answer.interval()
            assert low <= truth <= high

    def test_two_columns_are_those_of_the_pairs(self):
        synopsis = released(ROWS)
        assert synopsis.ask("c0 AND c1").to_dict() == synopsis.ask("all(c0, c1)").to_dict() | {"question": "c0 AND c1"}
        assert synopsis.ask("c0 AND c1").estimator == "exact"

    def test_the_empty_set_is_everybody(self):
        synopsis = released(ROWS)
        assert synopsis.model.shares(np.zeros((1, 14), dtype=bool))[0] == 1
        assert released(ROWS, workload="any_of(width=4)").evaluate(np.zeros((1, 14))).value[0] == 0

    @pytest.mark.parametrize(
        ("text", "error", "says"),
        [
            ("at_least(2, c0, c1, c2)", BadQuestion, "answers all\\(...\\) and any\\(...\\)"),
            ("(c0 OR c1) AND c2", BadQuestion, "predicates\\(width=...\\)"),
            ("all(c0, c1, c2, c3, c4, c5)", TooWide, "5"),
        ],
    )
    def test_other_questions_are_refused_in_one_line(self, text, error, says):
        with pytest.raises(error, match=says) as caught:
            released(ROWS).ask(text)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("queries", [np.ones((2, 3)), np.full((1, 14), 2), np.ones(14), np.ones((1, 14))])
    def test_a_matrix_of_something_else_is_refused(self, queries):
        with pytest.raises(BadQuestion, match=r"matrix of 0 and 1|at most 5 columns"):
            released(ROWS).evaluate(queries)

    def test_a_file_answers_as_the_release(self, tmp_path):
        synopsis = released(ROWS)
        synopsis.save(tmp_path / "t.hush")
        again = ht.load(tmp_path / "t.hush")
        for text in ("all(c0, c4, c8)", "any(c0, c4, c8)", "c2", "c0 AND NOT c3"):
            assert again.ask(text).to_dict() == synopsis.ask(text).to_dict()

    @pytest.mark.parametrize("word", ["all", "any"])
    def test_sets_by_a_chance_are_released_saved_and_answered(self, word, tmp_path):
        """Text alone asks for it; means correct the model over sets drawn so."""
        synopsis = released(ROWS, workload=f"{word}_of(width=9, p=0.25)", mechanism=None, epsilon=60)
        model = synopsis.model
        assert (model.kind, model.chance, len(model.sums)) == ("tree", 0.25, len(model.tree.leaves))
        assert "sets by p = 0.25" in dict(model.facts())["tree"]
        drawn = np.random.default_rng(8).random((4000, 14)) < 0.25
        sets = drawn[(drawn.sum(axis=1) >= 3) & (drawn.sum(axis=1) <= 9)][:1000]
        one = ROWS if word == "all" else ~ROWS
        truth = np.array([one[:, s].all(axis=1).mean() for s in sets])
        alone = abs(model.chow_liu.chance(np.where(sets, 1, -1).astype(np.int8)) - truth).mean()
        assert abs(model.shares(sets) - truth).mean() < alone / 1.5
        low, high = synopsis.evaluate(sets).interval()
        outside = truth if word == "all" else 1 - truth
        assert ((low <= outside) & (outside <= high)).mean() > 0.85
        synopsis.save(tmp_path / "t.hush")
        again = ht.load(tmp_path / "t.hush")
        assert np.array_equal(again.evaluate(sets).value, synopsis.evaluate(sets).value)
        assert again.ask(f"{word}(c0, c4, c8, c9)").to_dict() == synopsis.ask(f"{word}(c0, c4, c8, c9)").to_dict()

    def test_a_file_with_a_chance_that_is_none_is_refused(self):
        model = released(ROWS, workload="all_of(width=5, p=0.2)").model
        for chance in (0.0, 1.5, 1, "0.2"):
            with pytest.raises(BadSynopsis, match="by a chance that is none"):
                TreeModel.build(model.domain, model.parameters() | {"chance": chance}, model.numbers())

    def test_without_a_model_a_leaf_is_one_answer(self):
        synopsis = released(ROWS, mechanism="tree(leaves=4, model=none)", epsilon=20)
        sets = np.array([np.isin(np.arange(14), s) for s in combinations(range(14), 3)])
        leaves, corrections = synopsis.model.tree.leaf_of(sets), synopsis.model.corrections[:, 3]
        low, high = synopsis.model.limits(sets)
        np.testing.assert_allclose(synopsis.model.shares(sets), np.clip(corrections[leaves], low, high))


class TestPlans:
    def test_leaves_are_bought_where_pairs_say_that_they_are_worth_it(self):
        """Independent columns: the model of pairs is right, so that one mean a width is all that is bought."""
        even = np.random.default_rng(7).random((8000, 14)) < 0.4
        assert len(released(even).model.tree.leaves) == 1
        assert len(released(ROWS).model.tree.leaves) == 8

    def test_noise_grows_with_the_number_of_means(self):
        """Twice the leaves, twice the variance: noise for one question alone would not."""
        scales = [released(ROWS, mechanism=f"tree(leaves={n}, model=none)").model for n in (4, 8)]
        places = [len(model.sums) for model in scales]
        assert float(scales[1].scale / scales[0].scale) == pytest.approx(places[1] / places[0], rel=1e-6)

    def test_the_noise_of_means_is_as_stated(self):
        """2,000 releases of one table; a variance is told to 3.2%, and 20% is six of that."""
        rows = dependent(20, 6, seed=8)
        domain = bits_domain(6)
        plan = ht.plan(domain, rows=20, workload="all_of(width=3, calibration=0)", mechanism="tree(leaves=1)",
                       budget=ht.Budget(epsilon=2, delta="1e-3"))  # fmt: skip
        vault = ht.Vault(pa.table({f"c{i}": rows[:, i] for i in range(6)}), domain)
        models = [vault.release(plan, randomness=ht.Simulated(seed)).model for seed in range(2000)]
        sums = np.array([model.sums[0] for model in models], dtype=float)
        ratio = sums.var() / float(models[0].scale)
        assert 0.8 < ratio < 1.2
        assert not 0.8 < 2 * ratio < 1.2

    @pytest.mark.parametrize(
        ("mechanism", "workload", "says"),
        [
            ("tree(leaves=0)", "all_of(width=3)", "leaves"),
            ("tree(model=all)", "all_of(width=3)", "model is pairs or none, not 'all'"),
            ("tree(leaves=90000)", "all_of(width=8)", "270,000 means of leaves have noise"),
            ("tree", "all_of(width=2)", "3 columns or more"),
            ("tree", "all_of(width=3, order=2)", "order is for the mechanism low-order"),
            ("tree", "all_of(width=20)", "width 20 is more"),
            ("tree", "at_least(r=2, width=3)", "cannot answer"),
            ("low-order", "all_of(width=3, p=0.1)", "cannot answer .*; these can: tree"),
            (
                None,
                "all_of(width=3, p=1)",
                "p is how likely each column is to be in a question, between 0 and 1, not 1",
            ),
            (None, "all_of(width=3, p=0)", "between 0 and 1, not 0"),
            (None, "any_of(width=3, p=often)", "between 0 and 1, not 'often'"),
            (None, "all_of(width=2, p=0.1)", "3 columns or more"),
            (None, "all_of(width=3, order=2, p=0.1)", "order is for"),
            (None, "predicates(width=3, p=0.1)", "p"),
        ],
    )
    def test_what_cannot_be_is_refused(self, mechanism, workload, says):
        with pytest.raises(BadPlan, match=says) as error:
            ht.plan(bits_domain(14), rows=100, workload=workload, mechanism=mechanism, budget=ht.Budget(epsilon=1))
        assert "\n" not in str(error.value)

    def test_columns_of_two_values_are_needed_and_not_too_many(self):
        gaps = ht.Domain.from_dict({"table": "t", "attributes": {f"c{i}": {"kind": "boolean"} for i in range(4)}})
        for domain, says in ((gaps, "c0 has 3"), (bits_domain(151), "at most 150 columns, not of 151")):
            with pytest.raises(BadPlan, match=says):
                ht.plan(domain, rows=100, workload="all_of(width=3)", mechanism="tree", budget=ht.Budget(epsilon=1))
        with pytest.raises(BadPlan, match="about how many rows"):
            ht.plan(bits_domain(5), workload="all_of(width=3)", mechanism="tree", budget=ht.Budget(epsilon=1))

    def test_a_plan_of_many_columns_mentions_it(self):
        budget = ht.Budget(epsilon=1, delta="1e-6")
        many, few = (
            str(ht.plan(bits_domain(d), rows=50_000, workload="all_of(width=5)", budget=budget)) for d in (40, 8)
        )
        assert "tree for all_of(width=5)" in many
        assert "tree for" not in few

    @pytest.mark.parametrize("workload", ["all_of(width=5)", "any_of(width=5, p=0.1)"])
    def test_its_own_plan_shows_the_other_routes_and_not_itself(self, workload):
        plan = ht.plan(bits_domain(40), rows=50_000, workload=workload, mechanism="tree",
                       budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
        ways = {other.mechanism: other for other in plan.alternatives}
        assert ways["low-order"].workload == f"{workload[:6]}(width=5)"
        assert ways["low-order"].typical[0] > 0
        assert len(ways) == 2 == len(plan.alternatives)
        assert all(other.typical for other in plan.alternatives)
        assert "up to 5 attributes: noise of a mean over sets of columns" in str(plan)
        assert "expected error" not in str(plan).split("alternatives")[0]
        wider = ht.plan(bits_domain(41), rows=50_000, workload=workload, mechanism="tree",
                        budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
        assert [other.mechanism for other in wider.alternatives] == ["low-order"]
        alone = ht.plan(bits_domain(40), rows=50_000, workload="all_of(width=5, p=0.1)",
                        budget=ht.Budget(epsilon=1, delta="1e-6"))  # fmt: skip
        assert "tree" not in {other.mechanism for other in alone.alternatives}

"""Graphs: edges as rows, degrees and pairs with noise, and how many edges leave a group of vertices."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadDomain, BadPlan, BadQuestion
from hushtable.maths.graphs.degree_cuts import DegreeCuts
from hushtable.maths.graphs.pairs import pair_count, pair_matrix, pair_numbers
from hushtable.questions.workloads.cuts import GraphCuts
from hushtable.vault.statistics.edge_degrees import EdgeDegrees
from hushtable.vault.statistics.edge_pairs import VertexPairs
from hushtable.vault.vertex_codes import encode_edges, encode_vertices

NAMES = ["ada", "ben", "o'neil, c", "dee"]


def graph_domain(neighbours="add-remove", **vertices) -> ht.Domain:
    ends = vertices or {"between": [1, 50]}
    return ht.Domain.from_dict(
        {
            "table": "calls",
            "neighbours": neighbours,
            "attributes": {"caller": {"kind": "vertex", **ends}, "called": {"kind": "vertex", "like": "caller"}},
        }
    )


def random_graph(vertices: int, edges: int, seed: int) -> np.ndarray:
    """Pairs of different vertices from 0, each pair once, some vertices with many edges."""
    source = np.random.default_rng(seed)
    small, large = np.triu_indices(vertices, 1)
    weight = 1.0 / ((1 + small) * (1 + large)) ** 0.6
    chosen = source.choice(len(small), edges, replace=False, p=weight / weight.sum())
    return np.stack([small[chosen], large[chosen]])


def cut_of(edges: np.ndarray, group) -> int:
    inside = np.isin(edges, list(group))
    return int((inside[0] != inside[1]).sum())


def as_table(edges: np.ndarray) -> pa.Table:
    return pa.table({"caller": edges[0] + 1, "called": edges[1] + 1})


def released(edges, *, epsilon=1, seed=1, mechanism=None, domain=None) -> ht.Synopsis:
    domain = domain or graph_domain()
    plan = ht.plan(domain, rows=edges.shape[1], workload="cuts()", budget=ht.Budget(epsilon=epsilon),
                   mechanism=mechanism)  # fmt: skip
    return ht.Vault(as_table(edges), domain).release(plan, randomness=ht.Simulated(seed))


class TestVertices:
    def test_a_domain_is_read_and_written(self, tmp_path):
        for ends in ({"between": [1, 50]}, {"values": NAMES}):
            domain = graph_domain(**ends)
            assert ht.Domain.from_dict(domain.to_dict()) == domain
            assert domain.to_dict()["attributes"]["called"] == {"kind": "vertex", "like": "caller"}
            domain.save(tmp_path / f"{len(ends)}{next(iter(ends))}.yaml")
            assert ht.Domain.load(tmp_path / f"{len(ends)}{next(iter(ends))}.yaml") == domain
            assert domain.form == 6
        assert domain.closed == ()

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({}, "`values: \\[...\\]`, `between: \\[1, 1000\\]` or `like: COLUMN`"),
            ({"between": [1, 5], "values": ["a", "b"]}, "`values: \\[...\\]`"),
            ({"between": [5, 1]}, "between must ascend"),
            ({"between": [1, 1.5]}, "between whole numbers, not 1 and 1.5"),
            ({"between": 7}, "needs `between:"),
            ({"between": [1, 2_000_000]}, "2,000,000 vertices; declare 2 to 1,000,000"),
            ({"between": [2**53 + 1, 2**53 + 5]}, "up to 15 digits"),
            ({"values": ["a", "a"]}, "listed twice"),
            ({"values": ["a"]}, "1 vertices; declare 2"),
            ({"values": ["a", "b"], "like": "called"}, "declared there alone"),
            ({"like": "nobody"}, "'nobody', which declares no vertices"),
            ({"between": [1, 5], "edges": [3]}, "unknown setting 'edges'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, given, says):
        parts = {"table": "t", "attributes": {"caller": {"kind": "vertex", **given}}}
        with pytest.raises(BadDomain, match=says):
            ht.Domain.from_dict(parts)

    def test_values_are_found_one_by_one_and_all_at_once(self):
        """The same vertex for every value, whatever its physical type and whoever stands beside it."""
        numbers, names = graph_domain().attributes[0], graph_domain(values=[*NAMES, "7", "2.5"]).attributes[0]
        columns = [
            pa.array(["1", " 2 ", "3.0", "50", "51", "0", "-1", "x", "", None, "1e1", "2.5", "٣", "nan"]),
            pa.array([1, 50, 51, 0, -3, None, 2**62], pa.int64()),
            pa.array([1.0, 2.5, float("nan"), None, 50.0]),
            pa.array(["ada", " ben ", "Ada", "o'neil, c", None, "7.0", "7", "2.50", "dee"]).dictionary_encode(),
            pa.array(["ada", " ben ", "Ada", "o'neil, c", None, "7.0", "7", "2.50", "dee"], pa.large_string()),
            pa.array([True, False, None]),
            pa.array([b"ada", b"\xff"]),
        ]
        for attribute, column in product((numbers, names), columns):
            each = [attribute.vertex(value) for value in column.to_pylist()]
            wanted = [-1 if number is None else number for number in each]
            assert encode_vertices(attribute, column).tolist() == wanted
            assert [int(encode_vertices(attribute, column.slice(i, 1))[0]) for i in range(len(column))] == wanted
        assert encode_vertices(names, columns[4]).tolist() == [0, 1, -1, 2, -1, 4, 4, 5, 3]

    def test_a_row_is_an_edge_by_itself(self):
        """Unknown ends, missing ends and loops are none; a repeated edge is one more, in either direction."""
        domain = graph_domain(values=NAMES)
        batch = pa.record_batch(
            {
                "caller": ["ada", "ben", "ben", "ada", "zoe", None, "dee", "dee"],
                "called": ["ben", "ada", "ada", "ada", "ada", "ada", "", "ben"],
            }
        )
        edges = encode_edges(GraphCuts().ends(domain), batch)
        assert edges.T.tolist() == [[0, 1], [0, 1], [0, 1], [-1, -1], [-1, -1], [-1, -1], [-1, -1], [1, 3]]
        statistic = EdgeDegrees(GraphCuts().ends(domain))
        assert statistic.accumulate(edges).tolist() == [8, 4, 3, 4, 0, 1]
        assert VertexPairs(statistic.ends).accumulate(edges).tolist() == [8, 3, 0, 0, 0, 1, 0]


class TestSensitivity:
    @pytest.mark.parametrize("vertices", [2, 3, 4, 5])
    @pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
    def test_it_is_that_of_the_worst_change_of_any_small_graph(self, vertices, neighbours):
        """All graphs of up to two edges, repeated ones too, and all their neighbours: counted, not reasoned."""
        ends = GraphCuts().ends(graph_domain(between=[1, vertices]))
        rows = [(-1, -1), *combinations(range(vertices), 2)]
        tables = [list(t) for size in range(3) for t in product(rows, repeat=size)]
        for statistic in (EdgeDegrees(ends), VertexPairs(ends)):

            def total(table, statistic=statistic):
                return statistic.to_coordinates(statistic.accumulate(np.array(table, dtype=np.int64).reshape(-1, 2).T))

            changes = [
                abs(total([*table, row]) - total(table if neighbours == "add-remove" else [*table, other]))
                for table in tables
                for row in rows
                for other in (rows if neighbours == "replace" else [None])
            ]
            for weights in ([1, 1], [0, 1], [1, 0], [5, 1], [1, 7]):
                given = [Fraction(w) for w in weights[: statistic.groups]]
                each = np.array([given[g] for g in statistic.scales("laplace", given).index])
                for power in (1, 2):
                    worst = max((change**power * each).sum() for change in changes)
                    assert statistic.sensitivity(power=power, weights=given, neighbours=neighbours) == worst
            assert statistic.largest_change(neighbours) == max(int(change.max()) for change in changes)

    def test_degrees_have_l1_2_and_l2_root_2_for_one_edge(self):
        statistic = EdgeDegrees(GraphCuts().ends(graph_domain()))
        alone = [Fraction(0), Fraction(1)]
        assert [statistic.sensitivity(power=p, weights=alone, neighbours="add-remove") for p in (1, 2)] == [2, 2]
        assert [statistic.sensitivity(power=p, weights=alone, neighbours="replace") for p in (1, 2)] == [4, 4]

    def test_edges_of_one_person_cost_as_many(self):
        one = graph_domain()
        three = ht.Domain.from_dict(one.to_dict() | {"unit": {"rows": 3}})
        noise = [
            ht.plan(domain, rows=100, workload="cuts()", budget=ht.Budget(epsilon=1)).design.parameters.noise.per_group
            for domain in (one, three)
        ]
        assert all(float(b / a) == pytest.approx(3, rel=1e-9) for a, b in zip(*noise, strict=True))


class TestEstimates:
    def test_pairs_are_numbered_once_and_put_back(self):
        vertices = 7
        small, large = np.triu_indices(vertices, 1)
        numbers = pair_numbers(small, large)
        assert sorted(numbers) == list(range(pair_count(vertices)))
        matrix = pair_matrix(np.arange(pair_count(vertices)) + 1, vertices)
        assert (matrix[small, large] == numbers + 1).all()
        assert (matrix == matrix.T).all()
        assert not matrix.diagonal().any()

    def test_without_noise_single_vertices_are_exact_and_random_groups_unbiased(self):
        edges, vertices = random_graph(200, 3000, seed=3), 200
        degrees = np.bincount(edges.ravel(), minlength=vertices)
        noise = {"edge_variance": 1e-9, "edge_fourth": 0.0, "degree_variance": 1e-9, "degree_fourth": 0.0}
        cuts = DegreeCuts(measured=np.array([3000.0, *degrees]), **noise)
        for vertex in range(0, vertices, 17):
            assert cuts.cut(np.array([vertex])).value == pytest.approx(degrees[vertex], abs=1e-6)
            others = np.delete(np.arange(vertices), vertex)
            assert cuts.cut(others).value == pytest.approx(degrees[vertex], abs=1e-6)
        source, ratios, errors = np.random.default_rng(4), [], []
        for share in (0.1, 0.3, 0.5):
            for _ in range(400):
                group = np.flatnonzero(source.random(vertices) < share)
                estimate = cuts.cut(group)
                errors.append(estimate.value - cut_of(edges, group))
                ratios.append(errors[-1] ** 2 / estimate.unseen)
                assert 0 <= cut_of(edges, group) <= estimate.most + 1e-3
        # 1,200 groups of one graph; the mean of squared ratios has a standard error of about 0.05.
        assert 0.7 < np.mean(ratios) < 1.3
        assert abs(np.mean(errors)) < 5 * np.std(errors) / np.sqrt(len(errors))

    def test_single_noises_are_as_heavy_as_they_are(self):
        """Where all is known of the number of edges, its noise is that of one number; of a degree likewise."""
        cuts = DegreeCuts(measured=np.array([9.0, 6, 6, 6]), edge_variance=1.0, edge_fourth=3.0, degree_variance=1e6,
                          degree_fourth=3e12)  # fmt: skip
        edges = cuts.edge_estimate()
        assert (edges.noise, edges.fourth) == pytest.approx((1, 3), rel=1e-4)
        loose = DegreeCuts(measured=np.array([9.0, 6, 6, 6]), edge_variance=1e8, edge_fourth=3e16, degree_variance=1.0,
                           degree_fourth=3.0)  # fmt: skip
        degree = loose.cut(np.array([1]))
        assert (degree.noise, degree.fourth) == pytest.approx((1, 3), rel=1e-4)
        assert loose.edge_estimate().noise == pytest.approx(3 / 4, rel=1e-4)

    def test_the_stated_noise_is_that_of_many_draws(self):
        """With normal noise; 20,000 draws tell a variance to 1%, and six of that are less than a scale 7% off."""
        edges, vertices = random_graph(30, 200, seed=5), 30
        truth = np.array([200.0, *np.bincount(edges.ravel(), minlength=vertices)])
        source, group = np.random.default_rng(6), np.array([0, 3, 4, 11, 20])
        noise = {"edge_variance": 9.0, "edge_fourth": 0.0, "degree_variance": 4.0, "degree_fourth": 0.0}
        drawn = [
            DegreeCuts(measured=truth + source.normal(0, [3.0, *[2.0] * vertices]), **noise) for _ in range(20_000)
        ]
        exact = DegreeCuts(measured=truth, **noise)
        for found, stated in (
            ([d.cut(group).value for d in drawn], exact.cut(group).noise),
            ([d.cut(group[:1]).value for d in drawn], exact.cut(group[:1]).noise),
            ([d.edge_estimate().value for d in drawn], exact.edge_estimate().noise),
        ):
            ratio = np.var(found) / stated
            assert 0.94 < ratio < 1.06
            assert not 0.94 < ratio * 1.07**2 < 1.06
            assert not 0.94 < ratio / 1.07**2 < 1.06


class TestAnswers:
    EDGES = random_graph(50, 400, seed=1)

    def test_every_question_has_a_bar_and_the_truth_lies_in_it(self):
        synopsis = released(self.EDGES, epsilon=20)
        degree = int((self.EDGES == 0).sum())
        for text, truth in (("edges()", 400), ("degree(1)", degree), ("cut(1)", degree), ("CUT( 1 , 1.0 )", degree)):
            answer = synopsis.ask(text)
            low, high = answer.interval(0.999999)
            assert low <= truth <= high
            assert answer.unit == "count"
            assert answer.stderr > 0
        assert synopsis.ask("cut()").to_dict()["high"] == 0
        everybody = synopsis.ask(ht.Listed(range(1, 51)))
        assert (everybody.value, everybody.stderr) == (0, 0)

    def test_a_group_and_its_complement_are_left_by_the_same_edges(self):
        synopsis = released(self.EDGES, mechanism="degree-cuts(pairs=False)")
        group, others = list(range(1, 11)), list(range(11, 51))
        assert synopsis.ask(ht.Listed(group)).value == pytest.approx(synopsis.ask(ht.Listed(others)).value)

    def test_pairs_answer_any_group_and_degrees_the_others(self):
        """Two halves that only know themselves, and hardly any noise: pairs find what degrees cannot."""
        source = np.random.default_rng(7)
        halves = np.concatenate([source.integers(0, 25, (2, 4000)), source.integers(25, 50, (2, 4000))], axis=1)
        edges = halves[:, halves[0] != halves[1]]
        synopsis, group = released(edges, epsilon=50), ht.Listed(range(1, 26))
        by_pairs = synopsis.ask(group)
        assert by_pairs.interval(0.999999)[0] <= 0 <= by_pairs.interval(0.999999)[1]
        alone = released(edges, epsilon=50, mechanism="degree-cuts(pairs=False)")
        answer = alone.ask(group)
        assert answer.value > 1000
        assert "degrees do not tell" in answer.notes[-1]
        assert answer.certified[0] <= 0 <= answer.certified[1]
        with pytest.raises(BadQuestion, match="degrees of vertices and not their pairs"):
            alone.ask("unbiased cut(1, 2)")
        assert synopsis.ask("unbiased cut(1, 2)").estimator == "exact"

    def test_many_groups_are_one_table(self):
        synopsis = released(self.EDGES)
        table = synopsis.ask(ht.Lists({"few": [1, 2], "more": range(1, 20)}))
        assert table.to_pandas()["group"].tolist() == ["few", "more"]
        assert table.value[0] == synopsis.ask("cut(1, 2)").value

    def test_names_are_written_as_they_are(self):
        domain = graph_domain(values=NAMES)
        table = pa.table({"caller": ["ada", "ben"] * 40, "called": ["o'neil, c", "dee"] * 40})
        plan = ht.plan(domain, rows=80, budget=ht.Budget(epsilon=1))
        assert str(plan.workload) == "cuts()"
        synopsis = ht.Vault(table, domain).release(plan, randomness=ht.Simulated(1))
        wanted = synopsis.ask(ht.Listed(["ada", "o'neil, c"])).value
        for text in ("cut(ada, 'o''neil, c')", 'cut("o\'neil, c", ada)', "cut('ada','o''neil, c',ada);"):
            assert synopsis.ask(text).value == wanted
        assert any("cut(ada, ben, 'o''neil, c')" in line for line in str(synopsis.info()).splitlines())

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("cut(99)", "no vertex '99'; the domain has 50: 1 to 50"),
            ("cut(1,,2)", "separated by commas"),
            ("cut(1,)", "separated by commas"),
            ("cut('1, 2)", "separated by commas"),
            ("degree(1, 2)", "degree takes one vertex, not 2"),
            ("degree()", "degree takes one vertex, not 0"),
            ("edges(1)", "takes no vertices"),
            ("unbiased edges()", "only cut has another way"),
            ("caller = 1", "the edges of a graph and nothing else"),
            ("SELECT count(*) FROM calls", "the edges of a graph and nothing else"),
        ],
    )
    def test_other_questions_are_refused_in_one_line(self, text, says):
        with pytest.raises(BadQuestion, match=says) as error:
            released(self.EDGES).ask(text)
        assert "\n" not in str(error.value)

    def test_lists_with_weights_or_texts_are_refused(self):
        synopsis = released(self.EDGES)
        for values in ({1: 0.5}, "abc"):
            with pytest.raises(BadQuestion, match="a list of vertices"):
                synopsis.ask(ht.Listed(values))
        with pytest.raises(BadQuestion, match="not a int"):
            synopsis.ask(3)

    def test_a_file_answers_as_the_release(self, tmp_path):
        synopsis = released(self.EDGES)
        synopsis.save(tmp_path / "calls.hush")
        again = ht.load(tmp_path / "calls.hush")
        for text in ("cut(1, 5, 9)", "unbiased cut(1, 5, 9)", "degree(3)", "edges()"):
            assert again.ask(text).to_dict() == synopsis.ask(text).to_dict()


class TestPlans:
    def test_pairs_go_with_few_vertices(self):
        budget = ht.Budget(epsilon=1)
        small, large = graph_domain(between=[1, 5000]), graph_domain(between=[1, 5001])
        assert ht.plan(small, rows=100, budget=budget).design.numbers == 1 + 5000 + 12_497_500
        assert ht.plan(large, rows=100, budget=budget).design.numbers == 1 + 5001
        with pytest.raises(BadPlan, match="measured up to 5,000 vertices"):
            ht.plan(large, rows=100, budget=budget, mechanism="degree-cuts(pairs=true)")
        with pytest.raises(BadPlan, match="pairs is True or False, not 3"):
            ht.plan(large, rows=100, budget=budget, mechanism="degree-cuts(pairs=3)")

    def test_a_delta_is_left_alone_unless_a_currency_is_asked_for(self):
        budget = ht.Budget(epsilon=1, delta="1e-9")
        assert ht.plan(graph_domain(), rows=100, budget=budget).design.price.currency == "pure"
        assert ht.plan(graph_domain(), rows=100, budget=budget, currency="zcdp").design.price.currency == "zcdp"

    @pytest.mark.parametrize(
        ("attributes", "says"),
        [
            ({"a": {"kind": "vertex", "between": [1, 9]}}, "has a; cuts\\(\\) needs both ends"),
            ({"a": {"kind": "boolean"}}, "has none; cuts\\(\\) needs both ends"),
            (
                {c: {"kind": "vertex", "between": [1, n]} for c, n in (("a", 9), ("b", 8))},
                "different vertices; say `b:",
            ),
        ],
    )
    def test_a_domain_without_edges_is_refused(self, attributes, says):
        domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
        with pytest.raises(BadPlan, match=says):
            ht.plan(domain, rows=100, workload="cuts()", budget=ht.Budget(epsilon=1))

    @pytest.mark.parametrize("repeats", [0, -1, 1.5, "many", 10**7])
    def test_repeats_are_a_whole_number(self, repeats):
        with pytest.raises(BadPlan, match="repeats"):
            GraphCuts(repeats=repeats)
        assert str(GraphCuts(repeats=3)) == "cuts(repeats=3)"

    def test_bars_are_wider_where_edges_are_repeated(self):
        edges = np.repeat(random_graph(50, 300, seed=2), 4, axis=1)
        domain, bars = graph_domain(), []
        for workload in ("cuts()", "cuts(repeats=4)"):
            plan = ht.plan(domain, rows=1200, workload=workload, budget=ht.Budget(epsilon=100))
            synopsis = ht.Vault(as_table(edges), domain).release(plan, randomness=ht.Simulated(1))
            bars.append(synopsis.model.degrees.cut(np.arange(15)).unseen)
        assert bars[1] == pytest.approx(4 * bars[0])


def test_noise_that_is_next_to_never_there_leaves_answers_as_they_are():
    """Its variance is so small that its square is 0."""
    edges = random_graph(20, 60, seed=3)
    for mechanism in (None, "degree-cuts(pairs=False)"):
        synopsis = released(edges, epsilon=1000, mechanism=mechanism)
        answer = synopsis.ask("degree(1)")
        low, high = answer.interval()
        assert round(float(answer.value)) == (edges == 0).sum()
        assert high - low < 1
        assert np.isfinite(synopsis.ask("cut(1, 2)").interval()).all()

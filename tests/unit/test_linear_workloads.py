"""Parities, ranges and lists of queries: what they stand for, and one clear line for what cannot be."""

from itertools import combinations

import numpy as np
import pytest
from tables import BINARY, MIXED, domain, random_codes

import hushtable as ht
from hushtable.errors import BadPath, BadPlan, HushError, TooLarge, UnknownAttribute
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.maths.linear import WholeTables
from hushtable.questions.parse import parse
from hushtable.questions.workloads import Marginals, read_workload, workloads
from hushtable.questions.workloads.linear_workload import LinearWorkload, linear_class_of
from hushtable.vault.statistics import Parities, statistic_of

NUMBERS = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 45, 65]},
    "income": {"kind": "number", "between": [0, 100], "bins": 5, "missing": "error"},
    "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
    "pages": {"kind": "open"},
    "flat": {"kind": "integer", "between": [0, 9], "edges": [], "missing": "error"},
}
SHAPE = domain(NUMBERS)
QUESTIONS = [
    "age >= 65",
    "age < 18 AND sex = 'male'",
    "income >= 40 OR age IS NULL",
    "SELECT count(*) FROM t WHERE sex = 'male'",
]


def sums(workload, shape, codes):
    statistic = statistic_of(linear_class_of(workload, shape))
    return statistic.to_coordinates(statistic.accumulate(codes))


def refused(text, shape=SHAPE, kind=BadPlan):
    """The one line with which a workload is refused, when it is made or when it meets the domain."""
    with pytest.raises(kind) as caught:
        (read_workload(text) if isinstance(text, str) else text()).check(shape)
    message = str(caught.value)
    assert "\n" not in message
    return message


class TestTextForms:
    @pytest.mark.parametrize(
        "text",
        [
            "parities(order=3)",
            "ranges(width=1)",
            "ranges(attributes=[age, income], width=2)",
            "ranges(attributes=['my age', true.income], width=1)",
        ],
    )
    def test_are_read_back_to_the_same(self, text):
        assert str(read_workload(text)) == text
        assert read_workload(str(read_workload(text))) == read_workload(text)

    def test_defaults_and_single_names(self):
        assert read_workload("ranges()") == ht.Ranges()
        assert read_workload("ranges(attributes=age)") == ht.Ranges(attributes=["age"]) == ht.Ranges(("age",))

    def test_a_file_name_needs_quotes_only_where_it_is_no_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name, text in (("queries.csv", "queries.csv"), ("my queries.txt", "'my queries.txt'")):
            (tmp_path / name).write_text("\n".join(QUESTIONS))
            made = read_workload(f"linear(file={text})")
            assert str(made) == repr(made) == f"linear(file={text}, sha256='{made.queries.digest[:16]}')"
            assert read_workload(str(made)) == made == ht.Linear(file=name) == ht.Linear(questions=QUESTIONS)
            assert hash(made) == hash(ht.Linear(questions=QUESTIONS))
        assert "linear(file='data/queries.csv')" in refused("linear(file=data/queries.csv)")

    def test_a_changed_file_is_noticed_by_its_digest(self, tmp_path):
        path = tmp_path / "queries.txt"
        path.write_text("age >= 65\n")
        before = str(ht.Linear(file=str(path)))
        path.write_text("age >= 45\n")
        assert "not the queries meant" in refused(before)

    def test_lists_and_matrices_are_named_by_size_and_digest(self):
        assert str(ht.Linear(questions=["sex = 'male'"])).startswith("linear(questions=1, sha256=")
        one, two = (ht.Linear(matrix=[[0, weight]]) for weight in (1, 0.5))
        assert str(one).startswith("linear(matrix=[1, 2], sha256=")
        assert one != two

    def test_wrong_arguments_are_named(self):
        assert "linear takes file, questions, matrix, sha256; given: files" in refused("linear(files=a)")
        assert "parities takes order; given: nothing" in refused("parities()")

    def test_all_are_found(self):
        found = {name for name, kind in workloads().items() if issubclass(kind, LinearWorkload)}
        assert found == {"parities", "ranges", "linear"}


class TestParities:
    def test_count_even_rows_in_the_order_of_the_statistic(self):
        shape = domain(BINARY)
        codes = random_codes(shape, 500, seed=1)
        statistic = Parities(InteractionLayout(shape.sizes, 3))
        signed = statistic.to_coordinates(statistic.accumulate(codes))
        np.testing.assert_array_equal(2 * sums(ht.ParityQueries(order=3), shape, codes), 500 + signed[1:])

    def test_need_two_codes_everywhere(self):
        assert "age has 4 (0-17, 18-64, 65-99, missing)" in refused("parities(order=2)", domain(MIXED))

    @pytest.mark.parametrize("order", [0, -1, 1.5, True, "'three'"])
    def test_order_is_a_whole_number(self, order):
        assert "order must be a whole number" in refused(f"parities(order={order})")

    def test_no_higher_order_than_attributes_and_no_more_than_fit(self):
        assert "use order=4" in refused("parities(order=5)", domain(BINARY))
        wide = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(400)})
        assert "the largest order that fits is 2" in refused("parities(order=9)", wide)
        assert "at least one" in refused("parities(order=1)", domain({"url": {"kind": "open"}}))


class TestRanges:
    def test_count_rows_between_two_edges(self):
        codes = random_codes(SHAPE, 400, seed=2)
        counts = sums(ht.Ranges(["age", "income"], width=2), SHAPE, codes)
        # Four bins and missing, so that the whole range says who is not missing; five bins and nothing else.
        ages = [(a, b) for a in range(4) for b in range(a + 1, 5)]
        incomes = [(a, b) for a in range(5) for b in range(a + 1, 6) if b - a < 5]
        inside = {0: [(codes[0] >= a) & (codes[0] < b) for a, b in ages],
                  1: [(codes[1] >= a) & (codes[1] < b) for a, b in incomes]}  # fmt: skip
        expected = [i.sum() for i in inside[0]] + [i.sum() for i in inside[1]]
        expected += [(i & j).sum() for i in inside[0] for j in inside[1]]
        np.testing.assert_array_equal(counts, expected)

    def test_take_every_ordered_attribute_that_says_something(self):
        assert ht.Ranges().linear_class(SHAPE).sets == ((0,), (1,))

    def test_order_of_the_names_does_not_matter(self):
        one, two = (ht.Ranges(names, width=2).linear_class(SHAPE) for names in (["age", "income"], ["INCOME", "age"]))
        assert one.sets == two.sets

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("ranges(attributes=[sex])", "sex has no order, so it has no ranges; ordered are age, income, flat"),
            ("ranges(attributes=[pages])", "pages has no order"),
            ("ranges(attributes=[flat])", "flat has one bin only"),
            ("ranges(attributes=[age, Age])", "names an attribute twice"),
            ("ranges(attributes=[])", "attributes is a list of names"),
            ("ranges(attributes=[1])", "attributes is a list of names"),
            ("ranges(attributes=3)", "attributes is a list of names"),
            ("ranges(width=0)", "width must be a whole number"),
            ("ranges(width=true)", "width must be a whole number"),
            ("ranges(width=3)", "more than the 2 ordered attributes"),
        ],
    )
    def test_refusals(self, text, said):
        assert said in refused(text)

    def test_an_unknown_name_is_answered_with_the_nearest(self):
        assert "Did you mean 'income'?" in refused("ranges(attributes=[incom])", kind=UnknownAttribute)

    def test_need_an_ordered_attribute(self):
        assert "no attribute with an order" in refused("ranges()", domain(BINARY))
        assert "one bin only" in refused("ranges()", domain({"flat": NUMBERS["flat"]}))

    def test_too_many_are_counted_not_built(self):
        shape = domain({f"x{i}": {"kind": "number", "between": [0, 1], "bins": 100} for i in range(30)})
        assert "ranges and at most 4,194,304 fit" in refused("ranges(width=4)", shape)
        # One bin and missing: one range an attribute, two cells.
        flat = domain({f"x{i}": {"kind": "number", "between": [0, 1], "bins": 1} for i in range(22)})
        assert "cells and at most 67,108,864 fit" in refused("ranges(width=10)", flat)

    def test_a_hundred_thousand_ranges(self):
        shape = domain({"x": {"kind": "integer", "between": [0, 449], "bins": 450, "missing": "error"}})
        codes = np.arange(450, dtype=np.uint16)[None]
        counts = sums(ht.Ranges(), shape, codes)
        assert len(counts) == 450 * 451 // 2 - 1 > 100_000
        assert (counts.min(), counts.max()) == (1, 449)


class TestLinear:
    def test_counts_the_rows_for_which_each_condition_is_true(self):
        codes = random_codes(SHAPE, 400, seed=3)
        expected = [parse(text, SHAPE).where.on_rows(codes)[0].sum() for text in QUESTIONS]
        np.testing.assert_array_equal(sums(ht.Linear(questions=QUESTIONS), SHAPE, codes), expected)

    @pytest.mark.parametrize(
        "content",
        [
            "age >= 65\nsex IN ('female', 'male') AND age < 18\n",
            "# two questions\n\n  age >= 65  \r\n\tsex IN ('female', 'male') AND age < 18",
            "question\nage >= 65\n\"sex IN ('female', 'male') AND age < 18\"\n",
            "\ufeffid, Question ,why\n1,age >= 65,old\n\n2,\"sex IN ('female', 'male') AND age < 18\",\r\n",
        ],
    )
    def test_a_file_is_lines_or_a_column_of_csv(self, content, tmp_path):
        path = tmp_path / "queries.txt"
        path.write_bytes(content.encode())
        made = ht.Linear(file=str(path))
        assert made == ht.Linear(questions=["age >= 65", "sex IN ('female', 'male') AND age < 18"])
        assert len(made.linear_class(SHAPE)) == 2

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("age >= 65\n\nagee >= 18\n", "line 3: no attribute 'agee'"),
            ("age >= 65\nage >= 66\n", "line 2: age >= 66 cuts a bin in two"),
            ("age >= 65\nage >\n", "line 2: cannot read the question"),
            ("sex\n", "line 1: sex is not true or false on its own"),
            ("# x\nage >= 65\nNOT (age < 65)\n", "line 3: asks the same as line 2"),
            ("age >= 65\nage IS NULL OR age IS NOT NULL\n", "line 2: the condition is the same for every row"),
            ("SELECT count(*) FROM t\n", "line 1: 'SELECT count(*) FROM t' is the same for every row"),
            ("flat >= 0\n", "is the same for every row"),
            ("SELECT avg(age) FROM t\n", "line 1: write a condition"),
            ("SELECT sex, count(*) FROM t GROUP BY sex\n", "line 1: write a condition"),
            ("pages = 'x'\n", "line 1: pages is open"),
            ("question\nsex IN ('female', 'male')\n", "line 2: 2 columns where the header has 1"),
            ("id,question\n1,age >= 65\n2\n", "line 3: 1 columns where the header has 2"),
            ("question,x\n" + "y" * 200_000 + ",1\n", "line 2: not CSV"),
            ("", "there are 0 questions"),
            ("question\n", "there are 0 questions"),
            ("# nothing\n", "there are 0 questions"),
        ],
    )
    def test_the_line_that_is_wrong_is_named(self, content, said, tmp_path):
        path = tmp_path / "queries.csv"
        path.write_text(content)
        assert said in refused(f"linear(file={str(path)!r})")

    def test_files_that_cannot_be_read(self, tmp_path):
        (tmp_path / "latin.csv").write_bytes("größe".encode("latin-1"))
        (tmp_path / "noise.npy").write_bytes(b"not numpy")
        (tmp_path / "empty.npy").write_bytes(b"")
        np.save(tmp_path / "objects.npy", np.array([[{}]]), allow_pickle=True)
        with (tmp_path / "two.npy").open("wb") as file:
            np.savez(file, a=np.eye(2), b=np.eye(2))
        np.save(tmp_path / "cut.npy", np.ones((20, 20)))
        (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-8])
        for name in (
            "none.csv",
            "none.npy",
            "latin.csv",
            "noise.npy",
            "empty.npy",
            "objects.npy",
            "two.npy",
            "cut.npy",
            ".",
        ):
            refused(lambda name=name: ht.Linear(file=str(tmp_path / name)), kind=BadPath)

    def test_exactly_one_source(self):
        for given in ({}, {"file": "a", "questions": ["b"]}, {"questions": ["a"], "matrix": [[1, 0]]}):
            assert "one of file, questions and matrix" in refused(lambda given=given: ht.Linear(**given))
        for given in ("age >= 65", [1], 3):
            assert "questions is a list of texts" in refused(lambda given=given: ht.Linear(questions=given))

    def test_conditions_over_too_many_cells(self):
        values = {"kind": "category", "values": [f"v{i}" for i in range(100)], "missing": "error"}
        shape = domain({f"x{i}": values for i in range(9)})
        four = "x0 = 'v1' AND x1 = 'v1' AND x2 = 'v1' AND x3 = 'v1'"
        assert "question 1: joins attributes with 100,000,000 cells" in refused(
            lambda: ht.Linear(questions=[four]), shape
        )
        triples = [f"x{i} = 'v1' AND x{j} = 'v1' AND x{k} = 'v1'" for i, j, k in combinations(range(9), 3)]
        assert "84,000,000 cells together" in refused(lambda: ht.Linear(questions=triples), shape)

    def test_a_long_list_is_read_once_for_a_domain(self):
        workload = ht.Linear(questions=QUESTIONS)
        assert workload.linear_class(SHAPE) is workload.linear_class(SHAPE)
        with pytest.raises(HushError):
            workload.check(domain(BINARY))


class TestMatrix:
    SMALL = domain({name: MIXED[name] for name in ("sex", "smoker")})

    def test_rows_are_weights_of_the_cells_of_the_domain(self, tmp_path):
        codes = random_codes(self.SMALL, 300, seed=4)
        cells = np.bincount(codes[0] * 2 + codes[1], minlength=4)
        matrix = np.random.default_rng(5).random((6, 4))
        np.save(tmp_path / "queries.npy", matrix.astype(np.float32))
        made = ht.Linear(file=str(tmp_path / "queries.npy"))
        assert made == ht.Linear(matrix=matrix)
        given = made.linear_class(self.SMALL)
        assert given.grid == 1024
        exact = np.rint(matrix * 1024).astype(int) @ cells
        np.testing.assert_array_equal(sums(made, self.SMALL, codes), exact)
        assert np.abs(exact / given.grid - matrix @ cells).max() <= 300 / 2048

    @pytest.mark.parametrize("kind", [bool, np.int8, np.uint64, np.float16, list])
    def test_zeros_and_ones_stay_exact(self, kind):
        rows = [[0, 1, 1, 0], [1, 0, 0, 0]]
        given = ht.Linear(matrix=rows if kind is list else np.array(rows, dtype=kind)).linear_class(self.SMALL)
        assert given.grid == 1
        assert [given.functions(c)[0].tolist() for c in range(2)] == rows

    def test_a_later_change_of_the_array_changes_nothing(self):
        matrix = np.eye(4)
        made = ht.Linear(matrix=matrix)
        matrix[:] = 0
        assert made == ht.Linear(matrix=np.eye(4))

    @pytest.mark.parametrize(
        ("matrix", "said"),
        [
            ([[0, 1, 0]], "3 columns and the domain 4 cells"),
            ([0, 1, 0, 1], "two-dimensional"),
            ([["a", "b", "c", "d"]], "two-dimensional, of numbers"),
            ([[1j, 0, 0, 0]], "two-dimensional, of numbers"),
            ([[0, 1], [1]], "different lengths"),
            (np.zeros((0, 4)), "has 0 weights"),
            ([[0, 0, 0, 1], [0, 0, 0, 1.5]], "row 2 of the matrix has the weight 1.5"),
            ([[0, -1e-9, 0, 1]], "row 1 of the matrix has the weight -1e-09"),
            ([[0, np.nan, 0, 1]], "row 1 of the matrix has the weight nan"),
            ([[0, np.inf, 0, 1]], "row 1 of the matrix has the weight inf"),
            ([[0, 1, 0, 1], [1, 1, 1, 1]], "row 2 of the matrix is the same for every cell"),
            ([[0, 0, 0, 1e-9]], "row 1 of the matrix is the same for every cell (after rounding)"),
            ([[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 1]], "rows 1 and 3 of the matrix are the same"),
        ],
    )
    def test_refusals(self, matrix, said):
        assert said in refused(lambda: ht.Linear(matrix=matrix), self.SMALL)

    def test_too_large(self, tmp_path):
        wide = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(21)})
        assert "2,097,152 cells" in refused(lambda: ht.Linear(matrix=[[0, 1]]), wide)
        # A header that promises more than fits is enough: the file itself is never read.
        np.lib.format.open_memmap(tmp_path / "huge.npy", mode="w+", dtype=bool, shape=(1 << 14, 1 << 13))
        assert "67,108,864 fit" in refused(lambda: ht.Linear(file=str(tmp_path / "huge.npy")), wide)


def test_marginals_are_whole_tables_of_their_width():
    given = linear_class_of(Marginals(width=2), domain(MIXED))
    assert isinstance(given, WholeTables)
    assert len(given) == 6
    with pytest.raises(TooLarge):
        linear_class_of(
            Marginals(width=4),
            domain({f"x{i}": {"kind": "integer", "between": [0, 99], "missing": "error"} for i in range(9)}),
        )


def test_other_workloads_are_not_linear():
    with pytest.raises(BadPlan, match="not a class of linear queries"):
        linear_class_of(ht.AnyOf(width=2), domain(BINARY))

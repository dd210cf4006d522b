"""The statistic of decision lists: sums that add up, a spread no pair of rows exceeds, values read as meant."""

import json
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest

from hushtable.budget import Unit
from hushtable.domain.decision_list import DecisionList
from hushtable.errors import BadData, BadPlan
from hushtable.laws import Law
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.coding import encode_rules
from hushtable.vault.door.door import Noise, price_of
from hushtable.vault.statistics.decision_lists import DecisionListSums

NEIGHBOURS = ["replace", "add-remove"]
NAMES = ("near", "cheap", "sports", "rural", "ranked")
# (inputs, length, order): exact and approximate, lists shorter than, as long as and longer than there are inputs.
CASES = [(1, 1, 1), (3, 1, 1), (3, 2, 1), (3, 2, 2), (2, 5, 2), (3, 3, 1), (3, 3, 2), (3, 3, 3), (4, 2, 2)]


def column(inputs, length, **more):
    return DecisionList(name="choice", inputs=NAMES[:inputs], length=length, **more)


def every_list(attribute):
    """Every list with distinct inputs, as text."""
    for length in range(attribute.most_rules + 1):
        for names in permutations(attribute.inputs, length):
            for signs, decisions in product(product(("", "!"), repeat=length), product("01", repeat=length + 1)):
                rules = [f"{s}{n}:{d}" for s, n, d in zip(signs, names, decisions, strict=False)]
                yield ", ".join([*rules, f"default:{decisions[-1]}"])


def some_lists(attribute, count, seed):
    every = list(every_list(attribute))
    return [every[i] for i in np.random.default_rng(seed).integers(0, len(every), count)]


def coded(attribute, texts):
    return encode_rules(attribute, pa.array(texts, pa.string()))


def row_vectors(statistic):
    """The vector of every possible row, each once."""
    codes = coded(statistic.attribute, list(every_list(statistic.attribute)))
    rows = [statistic.to_coordinates(statistic.accumulate(codes[:, [i]])) for i in range(codes.shape[1])]
    return np.unique(np.array(rows), axis=0)


def changes(rows, neighbours):
    return rows if neighbours == "add-remove" else (rows[:, None] - rows[None]).reshape(-1, rows.shape[1])


@pytest.fixture(params=CASES, ids=lambda c: "inputs{}-length{}-order{}".format(*c))
def statistic(request):
    inputs, length, order = request.param
    return DecisionListSums(column(inputs, length), order)


class TestContract:
    def test_sums_do_not_depend_on_the_split(self, statistic):
        codes = coded(statistic.attribute, some_lists(statistic.attribute, 531, seed=1))
        before, whole = codes.copy(), statistic.accumulate(codes)
        assert whole.dtype == np.int64
        for seed in range(3):
            cuts = np.sort(np.random.default_rng(seed).integers(0, 532, 3))
            parts = [statistic.accumulate(part) for part in np.split(codes, cuts, axis=1)]
            np.testing.assert_array_equal(sum(parts, statistic.zeros()), whole)
        assert statistic.rows(whole) == 531
        np.testing.assert_array_equal(codes, before)

    def test_no_rows_sum_to_zero(self, statistic):
        np.testing.assert_array_equal(statistic.accumulate(coded(statistic.attribute, [])), statistic.zeros())

    @pytest.mark.parametrize("neighbours", NEIGHBOURS)
    @pytest.mark.parametrize("power", [1, 2])
    def test_spread_is_that_of_the_worst_pair(self, statistic, power, neighbours):
        """Brute force over all pairs of rows (or all rows), in whole numbers."""
        every = changes(row_vectors(statistic), neighbours)
        law = Law.GAUSSIAN if power == 2 else Law.LAPLACE
        for seed in range(3):
            drawn = np.random.default_rng(seed).integers(0, 9, statistic.groups)
            each = drawn[statistic.scales(law, [Fraction(1)] * statistic.groups).index]
            worst = int((np.abs(every) ** power @ each).max())
            weights = [Fraction(int(w), 7) for w in drawn]
            assert statistic.sensitivity(power=power, weights=weights, neighbours=neighbours) == Fraction(worst, 7)

    @pytest.mark.parametrize("neighbours", NEIGHBOURS)
    def test_largest_change_is_that_of_the_worst_pair(self, statistic, neighbours):
        worst = int(np.abs(changes(row_vectors(statistic), neighbours)).max())
        assert statistic.largest_change(neighbours) == worst

    def test_wrong_power_is_refused(self, statistic):
        with pytest.raises(ValueError, match="power must be 1"):
            statistic.sensitivity(power=3, weights=[Fraction(1)] * statistic.groups, neighbours="replace")

    def test_the_sets_stand_where_interactions_say(self, statistic):
        """At every input the coefficients, with the signs of the parities, add up to what the polynomial says."""
        attribute = statistic.attribute
        sets = [s for level in InteractionLayout((2,) * statistic.inputs, statistic.order).sets for s in level]
        inputs = list(product((False, True), repeat=statistic.inputs))
        signs = np.array([[np.prod([1 - 2 * y[j] for j in s]) for s in sets] for y in inputs])
        worst = 2 * statistic.polynomials.bias * 2**statistic.polynomials.grid
        for text in some_lists(attribute, 60, seed=2):
            sums = statistic.accumulate(coded(attribute, [text]))
            decided = np.array([1 if attribute.rules(text).decide(y) else -1 for y in inputs])
            assert np.abs(signs @ sums[1:] - (decided << statistic.polynomials.grid)).max() <= worst


class TestPrice:
    def test_one_row_has_length_one_however_many_inputs(self):
        """Parseval: exact lists decide +1 or -1 everywhere, so uniform weights give 1, and 4 for a pair."""
        for inputs, length in ((3, 2), (5, 5), (5, 3)):
            statistic = DecisionListSums(column(inputs, length), length)
            weights = [Fraction(0), *[Fraction(1, 4**statistic.polynomials.grid)] * (length + 1)]
            assert statistic.sensitivity(power=2, weights=weights, neighbours="replace") == 4
            assert statistic.sensitivity(power=2, weights=weights, neighbours="add-remove") == 1

    def test_the_number_of_rows_needs_noise_only_where_it_is_private(self):
        statistic = DecisionListSums(column(3, 2), 2)
        noise = Noise(law=Law.GAUSSIAN, per_group=(Fraction(0), *[Fraction(100)] * 3))
        assert price_of(statistic, noise, Unit()).amount == Fraction(4 * 4, 200)
        with pytest.raises(BadPlan, match="needs noise"):
            price_of(statistic, noise, Unit(neighbours="add-remove"))
        for group in (1, 2, 3):
            silent = [Fraction(0), *[Fraction(100)] * 3]
            silent[group] = Fraction(0)
            with pytest.raises(BadPlan, match="needs noise"):
                price_of(statistic, Noise(law=Law.LAPLACE, per_group=tuple(silent)), Unit())


class TestReading:
    TEXTS = ("near:1, !cheap:0, default:1", "default:1", "sports:0, default:1")
    OBJECTS = (
        {"rules": [["near", "1"], ["!cheap", "0"]], "default": 1},
        {"rules": [], "default": 1},
        {"rules": [["sports", "0"]], "default": 1},
    )

    @pytest.mark.parametrize(
        "values",
        [
            pa.array(TEXTS),
            pa.array(TEXTS).dictionary_encode(),
            pa.array(TEXTS, pa.large_string()),
            pa.array([t.encode() for t in TEXTS], pa.binary()),
            pa.array([json.dumps(o) for o in OBJECTS]),
            pa.array(OBJECTS),
            pa.array([" near : true ,! cheap:NO,default:yes ", "default:t", "sports:0,default:1.0"]),
        ],
        ids=["text", "dictionary", "large", "bytes", "json", "struct", "spelling"],
    )
    def test_every_form_is_the_same_list(self, values):
        codes = encode_rules(column(3, 3), values)
        # Rules, decisions, literals; the last rule of the third list is the opposite of its default.
        assert codes.T.tolist() == [[2, 0b01, 0, 3, 0], [0, 1, 0, 0, 0], [1, 0, 4, 0, 0]]

    def test_a_row_without_a_list_decides_0(self):
        gaps = pa.array([None, "", "  ", "default:0"])
        assert encode_rules(column(3, 2), gaps).T.tolist() == [[0, 0, 0, 0]] * 4
        assert encode_rules(column(3, 2), pa.nulls(2)).T.tolist() == [[0, 0, 0, 0]] * 2
        assert encode_rules(column(3, 2), pa.array([None, {"rules": [], "default": 0}])).shape == (4, 2)
        with pytest.raises(BadData, match="missing: error"):
            encode_rules(column(3, 2, missing="error"), gaps)

    @pytest.mark.parametrize(
        "values",
        [
            pa.array(["default:1", "tuition:1, default:0"]),
            pa.array(["near:1, cheap:0, sports:1, default:0"]),
            pa.array(["near:1"]),
            pa.array([3.5, 1.0]),
            pa.array([True]),
            pa.array([0], pa.timestamp("ns")),
            pa.array([2**62], pa.timestamp("s")),
            pa.array([[2**62]], pa.list_(pa.timestamp("s"))),
            pa.array([b"\xff"], pa.binary()),
            pa.array([[1, 2]]),
            pa.array([{"rules": [["near", "1"]]}]),
        ],
        ids=lambda values: str(values.type),
    )
    def test_anything_else_is_missing_or_refused_without_naming_it(self, values):
        none = encode_rules(column(5, 2), pa.nulls(1))[:, 0].tolist()
        assert none in encode_rules(column(5, 2), values).T.tolist()
        with pytest.raises(BadData) as caught:
            encode_rules(column(5, 2, missing="error"), values)
        assert str(caught.value) == (
            "column choice has values that are not decision lists of at most 2 rules over its 5 inputs, and its domain "
            "says `missing: error`; correct the domain or the data"
        )

    def test_a_value_of_the_dictionary_that_no_row_has_is_no_error(self):
        values = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["default:1", "nonsense"]))
        assert encode_rules(column(3, 2), values).T.tolist() == [[0, 1, 0, 0]] * 2

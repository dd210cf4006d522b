"""Answers against brute force: any question about at most t attributes is exact without noise."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import MIXED, VALUES, FakeDoor, domain, random_codes

import hushtable.models
from hushtable.budget import Budget
from hushtable.domain.predicate import Predicate
from hushtable.errors import TooWide
from hushtable.mechanisms import mechanisms
from hushtable.mechanisms.planner import plan
from hushtable.models import Model
from hushtable.questions.parse import parse
from hushtable.questions.workloads import Marginals
from hushtable.registry import classes_in

SHAPE = domain()
CODES = random_codes(SHAPE, 501, seed=7)


def exact_model(shape=SHAPE, codes=CODES, *, width=3, mechanism="low-order", budget=None):
    budget = budget or Budget(epsilon=1, delta="1e-9")
    made = plan(shape, workload=Marginals(width=width), budget=budget, mechanism=mechanism)
    return mechanisms()[mechanism].release(FakeDoor(codes, shape), shape, made.design)


class Arbitrary(Predicate):
    """Any 0/1 function of three attributes, as a table."""

    def __init__(self, positions, truth):
        self._positions, self._truth = positions, truth

    @property
    def positions(self):
        return frozenset(self._positions)

    def truth(self, positions, sizes):
        assert tuple(positions) == self._positions
        return self._truth, ~self._truth

    def on_rows(self, codes):
        true = self._truth[tuple(codes[p] for p in self._positions)]
        return true, ~true


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), positions=st.permutations(range(4)))
def test_any_predicate_on_three_attributes_is_exact(seed, positions):
    positions = tuple(sorted(positions[:3]))
    truth = np.random.default_rng(seed).random([SHAPE.sizes[p] for p in positions]) < 0.5
    question = parse("smoker", SHAPE)
    asked = type(question)(text="", where=Arbitrary(positions, truth))
    for mechanism in ("low-order", "histogram"):
        answer = MODELS[mechanism].answer(asked, count=True)
        assert answer.value == pytest.approx(truth[tuple(CODES[p] for p in positions)].sum(), abs=1e-9)
        assert answer.bias == 0


MODELS = {name: exact_model(mechanism=name) for name in ("low-order", "histogram")}


def test_wider_than_released_is_refused_by_low_order_and_answered_by_the_histogram():
    text = "age >= 18 AND sex = 'male' AND region = 'north' AND smoker"
    with pytest.raises(TooWide) as caught:
        MODELS["low-order"].answer(parse(text, SHAPE))
    assert caught.value.width == 3
    assert "age, sex, region, smoker" in str(caught.value)
    truth = (CODES[0] == 1) | (CODES[0] == 2)
    truth &= (CODES[1] == 1) & (CODES[2] == 0) & (CODES[3] == 1)
    assert MODELS["histogram"].answer(parse(text, SHAPE), count=True).value == pytest.approx(truth.sum())


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("mechanism", ["low-order", "histogram"])
def test_fractions_are_counts_over_rows(neighbours, mechanism):
    shape = domain(neighbours=neighbours)
    model = exact_model(shape, mechanism=mechanism)
    fraction, count = (model.answer(parse("smoker AND age >= 65", shape), count=c) for c in (False, True))
    assert fraction.value == pytest.approx(count.value / CODES.shape[1])
    if neighbours == "replace":
        assert fraction.stderr == pytest.approx(count.stderr / CODES.shape[1])


def test_under_add_remove_the_share_of_everything_is_one_without_error():
    shape = domain(neighbours="add-remove")
    everything = exact_model(shape).answer(parse("sex = 'male' OR sex = 'female'", shape))
    assert everything.value == pytest.approx(1)
    assert everything.stderr == pytest.approx(0, abs=1e-12)


def test_group_by_with_a_condition_on_group_and_other_columns():
    text = "SELECT region, count(*) FROM t WHERE smoker AND (region = 'north' OR sex = 'male') GROUP BY region"
    answer = MODELS["low-order"].answer(parse(text, SHAPE), count=True)
    kept = (CODES[3] == 1) & ((CODES[2] == 0) | (CODES[1] == 1))
    # SQL's WHERE is unknown for a missing region unless the other side of OR is true.
    truth = [int((kept & (CODES[2] == c)).sum()) for c in range(5)]
    assert answer.value == pytest.approx(truth)
    assert answer.groups == {"region": ("north", "south", "west", "other", "missing")}
    one = MODELS["low-order"].answer(parse("smoker AND sex = 'male' AND region = 'south'", SHAPE), count=True)
    assert answer.stderr[1] == pytest.approx(one.stderr), "a cell and the same question asked alone differ"


def test_a_question_and_its_complement_have_the_same_error():
    ask = MODELS["low-order"].answer
    yes, no = ask(parse("smoker", SHAPE)), ask(parse("NOT smoker", SHAPE))
    assert yes.value + no.value == pytest.approx(1)
    assert yes.stderr == pytest.approx(no.stderr)


class TestAverages:
    def test_of_a_coded_attribute_is_exact(self):
        shape = domain({"visits": {"kind": "integer", "between": [0, 6]}, "smoker": MIXED["smoker"]})
        codes = random_codes(shape, 400, seed=3)
        answer = exact_model(shape, codes, width=2).answer(parse("SELECT avg(visits) FROM t WHERE smoker", shape))
        has = (codes[0] < 7) & (codes[1] == 1)
        assert answer.value == pytest.approx(codes[0][has].mean())
        assert (answer.unit, answer.bias) == ("mean", 0)

    def test_of_a_binned_attribute_is_inside_its_bias(self):
        answer = MODELS["low-order"].answer(parse("SELECT avg(age) FROM t", SHAPE))
        ages = [a for a in (VALUES["age"][c] for c in CODES[0]) if a is not None]
        assert abs(answer.value - np.mean(ages)) <= answer.bias
        assert answer.bias < 25
        assert "bins" in answer.notes[0]

    def test_of_a_boolean_is_a_conditional_share(self):
        answer = MODELS["low-order"].answer(parse("SELECT avg(smoker) FROM t WHERE sex = 'male'", SHAPE))
        assert answer.value == pytest.approx(CODES[3][CODES[1] == 1].mean())

    def test_by_group(self):
        answer = MODELS["low-order"].answer(parse("SELECT sex, avg(smoker) FROM t GROUP BY sex", SHAPE))
        assert answer.value == pytest.approx([CODES[3][CODES[1] == c].mean() for c in (0, 1)])

    def test_of_a_group_that_is_not_there_is_unknown(self):
        codes = CODES.copy()
        codes[1] = 0
        answer = exact_model(codes=codes).answer(parse("SELECT avg(smoker) FROM t WHERE sex = 'male'", SHAPE))
        assert answer.text() == "unknown (95%)"
        assert answer.interval() == (0, 1)

    def test_of_absent_groups_is_not_a_number(self):
        codes = CODES.copy()
        codes[1] = 0
        answer = exact_model(codes=codes).answer(parse("SELECT sex, avg(smoker) FROM t GROUP BY sex", SHAPE))
        assert np.isnan(answer.value[1])
        assert answer.rows()[1]["value"] is None


def test_every_model_is_found_by_the_name_that_files_have_for_it():
    kinds = classes_in(hushtable.models, Model, key="kind")
    for kind, model in kinds.items():
        place = f"the file of {model.__name__} must be called {kind.replace('-', '_')}.py, anywhere in models/"
        assert hushtable.models.MODELS.get(kind) is model, place
    assert list(hushtable.models.MODELS) == sorted(kinds)
    assert set(kinds) == {model.kind for model in concrete(Model)}


@pytest.mark.parametrize("kind", ["base", "keyed", "linear", "nothing", "", "..os", 7, None])
def test_what_is_no_kind_of_model_is_not_found(kind):
    with pytest.raises(KeyError):
        hushtable.models.MODELS[kind]


def test_asking_for_one_kind_imports_no_other():
    program = (
        "import sys; from hushtable.models import MODELS; MODELS['decision-lists']; "
        "print([m for m in sys.modules if m.startswith('hushtable.models.') and m.rpartition('.')[2] in "
        "('histogram', 'hash_sketch', 'smooth_direct', 'weighted_answers', 'released_sums')])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def concrete(cls):
    """All classes of models that are complete."""
    below = [one for child in cls.__subclasses__() for one in concrete(child)]
    return below + ([] if inspect.isabstract(cls) or not hasattr(cls, "kind") else [cls])

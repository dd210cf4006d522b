"""Questions about more attributes than were measured: certified bounds hold, exact cases are exact, forms agree."""

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import FakeDoor, domain, random_codes

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion, TooWide
from hushtable.maths.wide.shape import General, Symmetric, shape_of
from hushtable.mechanisms import mechanisms
from hushtable.models.linear.wide import wide_estimate
from hushtable.questions.parse import parse

BUDGET = ht.Budget(epsilon=1, delta="1e-9")
BITS = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(10)})
MANY = domain(
    {
        "age": {"kind": "integer", "between": [0, 99], "edges": [18, 45, 65]},
        "sex": {"kind": "category", "values": ["f", "m"]},
        "region": {"kind": "category", "values": ["n", "s", "w"], "other": True},
        "smoker": {"kind": "boolean"},
        "asthma": {"kind": "boolean", "missing": "error"},
        "visits": {"kind": "integer", "between": [0, 4], "missing": "error"},
    }
)


# So large that the noise a model reckons with is negligible: FakeDoor adds none, and the estimators should know.
PLENTY = ht.Budget(rho=10**6)


def model_of(shape, codes, *, width, order, budget=PLENTY, mechanism="low-order"):
    workload = f"predicates(width={width}, order={order}, calibration=0)"
    made = ht.plan(shape, rows=codes.shape[1], workload=workload, budget=budget, mechanism=mechanism)
    return mechanisms()[mechanism].release(FakeDoor(codes, shape), shape, made.design)


def truth(predicate, codes, shape):
    """By brute force: the predicate's own truth at every row."""
    positions = tuple(sorted(predicate.positions))
    table = predicate.table(positions, [shape.sizes[p] for p in positions])
    return table[tuple(codes[p] for p in positions)].mean()


def names(k):
    return ", ".join(f"x{i}" for i in range(k))


SYMMETRIC = [
    "any({0})",
    "all({0})",
    "at_least(2, {0})",
    "at_least(4, {0})",
    "exactly(3, {0})",
    "NOT any({0})",
    "NOT at_least(3, {0})",
]


@pytest.mark.parametrize("form", SYMMETRIC)
@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_certified_bias_is_never_violated_without_noise(form, order):
    """Random tables, and the tables that hurt most: all rows with the same number of ones."""
    k = 6
    tables = [random_codes(BITS, 400, seed=s) for s in range(5)]
    for ones in range(k + 1):
        row = np.array([int(i < ones) for i in range(10)], dtype=np.uint8)
        tables.append(np.array([np.random.default_rng(ones).permutation(row[:k]) for _ in range(50)]).T)
    question = parse(form.format(names(k)), BITS)
    for codes in tables:
        full = codes if len(codes) == 10 else np.concatenate([codes, np.zeros((4, codes.shape[1]), np.uint8)])
        found = wide_estimate(model_of(BITS, full, width=10, order=order), question.where)
        exact = truth(question.where, full, BITS)
        assert abs(found.bound.value - exact) <= found.bound.bias + 1e-9
        assert abs(found.value - exact) <= found.bias + 1e-9
        if order >= k:
            assert found.bound.value == pytest.approx(exact, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), order=st.integers(1, 3))
def test_general_predicates_are_inside_their_certified_bias(seed, order):
    g = np.random.default_rng(seed)
    parts = [
        "age >= 65",
        "sex = 'm'",
        "region IN ('n', 'other')",
        "smoker",
        "NOT asthma",
        "visits >= 2",
        "age < 18",
        "NOT smoker",
    ]
    chosen = [str(p) for p in g.choice(parts, 6, replace=False)]
    text = f"({chosen[0]} OR {chosen[1]} AND {chosen[2]}) AND NOT ({chosen[3]} AND {chosen[4]}) OR {chosen[5]}"
    codes = random_codes(MANY, 300, seed=seed)
    question = parse(text, MANY)
    found = wide_estimate(model_of(MANY, codes, width=6, order=order), question.where)
    assert abs(found.bound.value - truth(question.where, codes, MANY)) <= found.bound.bias + 1e-9


@pytest.mark.parametrize("form", ["any", "all", "at_least(2, "])
def test_symmetric_and_general_estimates_agree_where_both_are_exact(form):
    """Categorical attributes, events of every kind, missing values: order 6 measures everything."""
    call = form if "(" in form else form + "("
    text = f"{call}age >= 65, sex = 'm', region <> 'n', smoker, asthma, visits >= 2)"
    codes = random_codes(MANY, 500, seed=4)
    question = parse(text, MANY)
    shape = shape_of(question.where, MANY.sizes)
    assert isinstance(shape, Symmetric)
    model = model_of(MANY, codes, width=6, order=6)
    exact = truth(question.where, codes, MANY)
    assert wide_estimate(model, question.where).bound.value == pytest.approx(exact, abs=1e-4)
    assert model.answer(question).value == pytest.approx(exact, abs=1e-9)


def test_shapes():
    def shape(text, where=MANY):
        return shape_of(parse(text, where).where, where.sizes)

    assert isinstance(shape("age >= 65 AND smoker AND (asthma OR visits >= 2)"), General)
    merged = shape("age >= 18 AND age < 65 AND smoker AND asthma AND asthma")
    assert isinstance(merged, Symmetric)
    assert merged.positions == (0, 3, 4)
    assert merged.masks[0] == (False, True, True, False, False)
    either = shape("(smoker OR asthma) OR (sex = 'm' OR visits >= 2)")
    assert isinstance(either, Symmetric)
    assert either.values == (0, 1, 1, 1, 1)
    assert isinstance(shape("NOT (smoker AND asthma AND sex = 'm')"), Symmetric)
    # exactly() is unknown where a value is missing, so it is not a function of the number of ones alone
    assert isinstance(shape("exactly(1, smoker, sex = 'm', asthma)"), General)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x0 AND NOT x0 AND x1 AND x2", 0.0),
        ("any(x0, NOT x0, x1, x2)", 1.0),
        ("x0 AND x0 AND x1 AND x1 AND x2", None),
    ],
)
def test_contradictory_and_repeated_literals_are_simplified(text, value):
    codes = random_codes(BITS, 300, seed=8)
    question = parse(text, BITS)
    found = model_of(BITS, codes, width=10, order=2).answer(question)
    expected = truth(question.where, codes, BITS) if value is None else value
    assert abs(found.value - expected) <= found.bias + 1e-9
    if value is not None:
        assert found.value == pytest.approx(value, abs=1e-6)


def test_assisted_is_exact_for_independent_bits_and_good_for_dependent_ones():
    g = np.random.default_rng(3)
    kinds = g.random(40_000) < 0.3
    codes = (g.random((10, 40_000)) < np.where(kinds, 0.45, 0.2)).astype(np.uint8)
    question = parse(f"any({names(8)})", BITS)
    exact = truth(question.where, codes, BITS)
    errors = [abs(model_of(BITS, codes, width=8, order=t).answer(question).value - exact) for t in (1, 2, 3)]
    assert errors[1] < 0.25 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_group_by_of_a_wide_predicate():
    codes = random_codes(MANY, 400, seed=5)
    text = "SELECT sex, count(*) FROM t WHERE smoker AND asthma AND visits >= 2 GROUP BY sex"
    table = model_of(MANY, codes, width=4, order=3).answer(parse(text, MANY))
    low, high = table.interval(0.95)
    for code in range(3):
        exact = ((codes[1] == code) & (codes[3] == 1) & (codes[4] == 1) & (codes[5] >= 2)).mean()
        assert low[code] - 1e-9 <= exact <= high[code] + 1e-9
    assert table.estimator == "assisted"


def test_counts_are_fractions_times_rows():
    codes = random_codes(BITS, 400, seed=5)
    model = model_of(BITS, codes, width=8, order=2)
    question = parse(f"any({names(8)})", BITS)
    fraction, count = (model.answer(question, count=c) for c in (False, True))
    for field in ("value", "stderr", "bias"):
        assert getattr(count, field) == pytest.approx(400 * getattr(fraction, field))
    assert fraction.estimator == "assisted"
    assert "certified" in fraction.notes[0]
    assert "certified between" in str(fraction)


class TestMonomialBasis:
    """The published algorithm: the same numbers in another basis."""

    PURE = ht.Budget(epsilon=1)

    def test_agrees_with_parities_without_noise(self):
        codes = random_codes(BITS, 300, seed=2)
        for form in ("any({0})", "all({0})"):
            question = parse(form.format(names(3)), BITS)
            both = []
            for mechanism in ("low-order", "monomial"):
                made = ht.plan(BITS, workload="marginals(width=3)", budget=self.PURE, mechanism=mechanism)
                both.append(
                    mechanisms()[mechanism].release(FakeDoor(codes, BITS), BITS, made.design).answer(question).value
                )
            assert both[0] == pytest.approx(both[1], abs=1e-9)
            assert both[0] == pytest.approx(truth(question.where, codes, BITS), abs=1e-9)

    def test_coordinates_count_the_rows_of_ones(self):
        made = ht.plan(BITS, workload="marginals(width=2)", budget=self.PURE, mechanism="monomial")
        codes = random_codes(BITS, 300, seed=2)
        model = mechanisms()["monomial"].release(FakeDoor(codes, BITS), BITS, made.design)
        place = model.interactions.place((2, 5))
        assert model.coordinates[place][0] == (codes[2] & codes[5]).sum()

    def test_published_polynomial_keeps_its_bound(self):
        codes = random_codes(BITS, 300, seed=6)
        made = ht.plan(BITS, rows=300, workload="any_of(width=8)", budget=self.PURE, mechanism="monomial")
        model = mechanisms()["monomial"].release(FakeDoor(codes, BITS), BITS, made.design)
        for form in ("any({0})", "all({0})", "at_least(3, {0})"):
            question = parse(form.format(names(8)), BITS)
            found = wide_estimate(model, question.where)
            assert abs(found.bound.value - truth(question.where, codes, BITS)) <= found.bound.bias + 1e-9

    def test_is_never_chosen_by_itself(self):
        assert ht.plan(BITS, workload="marginals(width=2)", budget=self.PURE).mechanism != "monomial"


class TestPlans:
    def test_order_grows_with_rows(self):
        wide = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(60)})
        orders = [
            ht.plan(wide, rows=rows, workload="any_of(width=8)", budget=BUDGET).design.parameters.usual
            for rows in (1_000, 30_000, 10**7)
        ]
        assert orders == sorted(orders)
        assert orders[-1] > orders[0]

    @pytest.mark.parametrize(
        ("columns", "rows", "workload", "order"),
        [
            (16, 7_000, "predicates(width=8)", 4),  # not all eight: their noise is several times the error of a guess
            (100, 27_000, "any_of(width=15)", 2),
            (100, 88_000, "any_of(width=5)", 2),
            (6, 1_000, "any_of(width=2)", 2),
            (6, 1_000, "any_of(width=1)", 1),
            (6, 300, "all_of(width=3)", 2),
        ],
    )
    def test_orders_that_were_found_good_on_real_tables(self, columns, rows, workload, order):
        """What is expected where nothing is known of the table; the data may decide otherwise."""
        bits = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(columns)})
        made = ht.plan(bits, rows=rows, workload=workload, budget=BUDGET)
        assert made.design.parameters.usual == order

    def test_a_real_table_is_measured_at_a_good_order(self, real_table):
        """Random conditions on eight of sixteen columns, 7,000 rows: the whole width has half as much error again."""
        source = np.random.default_rng(1)
        rows = pandas.read_csv(real_table("nltcs.csv.gz")).to_numpy(bool)
        rows = rows[source.choice(len(rows), 7_000, replace=False)]
        shape = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(16)})
        vault = ht.Vault(pandas.DataFrame(rows, columns=[f"x{i}" for i in range(16)]), shape)
        asked = [(source.choice(16, 8, replace=False), source.random(8) < 0.3) for _ in range(60)]

        def off(more: str) -> float:
            plan = ht.plan(shape, rows=7_000, workload=f"predicates(width=8{more})", budget=BUDGET)
            errors = []
            for seed in (1, 2, 3):
                made = vault.release(plan, randomness=ht.Simulated(seed))
                for columns, negated in asked:
                    parts = [f"{'NOT ' * int(no)}x{c}" for c, no in zip(columns, negated, strict=True)]
                    true = (rows[:, columns] ^ negated).any(axis=1).mean()
                    errors.append(made.ask(f"any({', '.join(parts)})").value - true)
            return float(np.sqrt(np.mean(np.square(errors))))

        planned = off("")
        assert planned < 0.8 * off(", order=8")
        assert planned < 1.15 * off(", order=2")

    def test_forecast_names_bias_noise_and_expected_error(self):
        made = ht.plan(BITS, rows=30_000, workload="at_least(r=2, width=8)", budget=BUDGET)
        last = made.design.forecasts[-1]
        assert last.width == 8
        assert 0 < last.bias < 0.5
        assert last.typical > 0
        assert "certified bias" in str(made)
        assert made.to_dict()["forecast"][-1]["bias"] == last.bias

    @pytest.mark.parametrize(
        ("workload", "words"),
        [
            ("predicates(width=11)", "more than the domain's 10 attributes"),
            ("at_least(r=9, width=8)", "r must be a whole number from 1 to the width 8"),
            ("any_of(width=0)", "width must be"),
            ("all_of(width=5, order=6)", "order must be"),
        ],
    )
    def test_bad_workloads(self, workload, words):
        with pytest.raises(BadPlan, match=words):
            ht.plan(BITS, rows=1000, workload=workload, budget=BUDGET)

    def test_rows_are_needed(self):
        with pytest.raises(BadPlan, match="how many rows"):
            ht.plan(BITS, workload="any_of(width=5)", budget=BUDGET)

    def test_an_order_too_large_for_memory_names_the_largest_that_fits(self):
        wide = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(300)})
        with pytest.raises(BadPlan, match="largest width that fits is 3"):
            ht.plan(wide, rows=1000, workload="any_of(width=8, order=4)", budget=BUDGET)


class TestRefusals:
    def test_wider_than_the_workload(self):
        model = model_of(BITS, random_codes(BITS, 100, seed=1), width=5, order=2)
        with pytest.raises(TooWide):
            model.answer(parse(f"any({names(6)})", BITS))

    def test_a_general_predicate_of_more_than_twelve_attributes(self):
        wide = domain({f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(14)})
        model = model_of(wide, random_codes(wide, 100, seed=1), width=14, order=2)
        pairs = " OR ".join(f"(x{i} AND x{i + 1})" for i in range(13))
        with pytest.raises(BadQuestion, match=r"at most 12 attributes, not 14.*go wider"):
            model.answer(parse(pairs, wide))
        assert model.answer(parse("at_least(3, " + ", ".join(f"x{i}" for i in range(14)) + ")", wide)).bias > 0

    def test_a_mean_over_too_many(self):
        model = model_of(BITS, random_codes(BITS, 100, seed=1), width=8, order=2)
        with pytest.raises(TooWide):
            model.answer(parse("SELECT avg(x0) FROM t WHERE x1 AND x2", BITS))

"""Plans of a curator: prices that fit the budget exactly, and the cheaper of two ways."""

import math
from fractions import Fraction

import pytest
from tables import BINARY, domain

import hushtable as ht
from hushtable.curator.plan import CuratorPlan, plan_curator
from hushtable.curator.terms import ANSWER_SHARE
from hushtable.errors import BadPlan

WIDE = {f"x{i}": BINARY["b0"] for i in range(16)}
BUDGETS = [
    ht.Budget(epsilon=1, delta="1e-6"),
    ht.Budget(epsilon=1),
    ht.Budget(rho="0.0001"),
    ht.Budget(epsilon="0.037"),
    ht.Budget(rho=3),
]


def plan(budget=BUDGETS[0], *, neighbours="replace", rows_per_person=1, rows=21_574, **more) -> CuratorPlan:
    shape = domain(WIDE, neighbours=neighbours, rows=rows_per_person)
    return plan_curator(shape, budget=budget, rows=rows, **more)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("way", ["hypothesis", "independent"])
@pytest.mark.parametrize("many", [1, 7, 200, 9999])
def test_everything_that_can_be_charged_fits_the_budget(budget, neighbours, way, many):
    made = plan(budget, neighbours=neighbours, way=way, updates=many, questions=many)
    terms = made.terms
    most = made.rows_amount + made.start_amount + terms.opening + made.paid_answers * terms.each
    most += len(made.stages) * made.calibration_each
    assert most <= made.price.amount
    assert most >= made.price.amount * Fraction(999_999, 1_000_000)
    assert all((amount * 10**15).denominator == 1 for amount in (terms.each, terms.answer, terms.opening))


def test_a_stretch_is_split_as_the_source_says():
    """r0 = 0.87 rho / 200, watching is 0.7 of it, e1 : e2 = 1 : 4^(1/3); sigma^2 = 1 / (2 r0 0.3)."""
    made, rho = plan(), float(plan().price.amount)
    each = 0.87 * rho / 200
    at = math.sqrt(2 * each * 0.7)
    first = at / (1 + 4 ** (1 / 3))
    margin = made.margin
    assert float(made.terms.each) == pytest.approx(each)
    assert (margin.first, margin.second) == pytest.approx((1 / first, 2 / (at - first)), rel=1e-5)
    assert margin.threshold == math.ceil(0.5 * margin.second * math.log(20_000 / 40))
    assert made.answer_stderr == pytest.approx(1 / math.sqrt(2 * each * float(ANSWER_SHARE)))


def test_pure_epsilon_keeps_one_threshold():
    made = plan(ht.Budget(epsilon=1))
    watching = 0.87 * 0.7
    first = watching / (1 + 400 ** (2 / 3))
    assert float(made.terms.opening) == pytest.approx(first, rel=1e-5)
    assert made.margin.first == pytest.approx(1 / first, rel=1e-5)
    assert made.margin.second == pytest.approx(2 * 200 / (watching - first), rel=1e-5)
    assert made.answer_stderr == pytest.approx(math.sqrt(2) * 200 / (0.3 * 0.87))


def test_a_person_with_more_rows_makes_everything_coarser():
    one, three = plan(), plan(rows_per_person=3)
    assert three.margin.second == pytest.approx(3 * one.margin.second)
    assert three.margin.threshold == pytest.approx(3 * one.margin.threshold, rel=1e-2)
    assert three.answer_stderr == pytest.approx(3 * one.answer_stderr)


@pytest.mark.parametrize(
    ("budget", "low", "high"),
    [(ht.Budget(epsilon=1, delta="1e-6"), 1500, 3000), (ht.Budget(epsilon=4, delta="1e-6"), 4000, 8000)],
    ids=str,
)
def test_few_questions_get_independent_noise(budget, low, high):
    """The break-even measured on a real table of this size: about 2,000 at epsilon 1, 5,500 at epsilon 4."""
    assert plan(budget, questions=low).way == "independent"
    assert plan(budget, questions=high).way == "hypothesis"


def test_both_ways_are_compared_by_their_forecast():
    for questions in (10, 300, 2000, 2200, 20_000):
        made = plan(questions=questions)
        assert made.forecast <= made.other().forecast
        assert made.other().other() == made


def test_independent_noise_is_priced_exactly():
    made = plan(questions=100)
    assert made.way == "independent"
    assert made.answer_stderr == pytest.approx(math.sqrt(100 / (2 * float(made.price.amount))))
    assert (made.margin, made.start_amount) == (None, 0)


def test_the_number_of_rows_is_paid_for_only_where_it_is_private():
    assert plan().rows_amount == 0
    private = plan(neighbours="add-remove")
    assert private.rows_amount > 0
    assert private.rows_stderr == pytest.approx(1 / math.sqrt(2 * 0.02 * float(private.price.amount)))


def test_settings_come_back_the_same():
    made = plan(ht.Budget(epsilon="0.1", delta="1e-9"), factor="0.75", updates=17, questions=12_345)
    again = CuratorPlan.from_settings(made.domain, made.settings())
    assert again == made
    assert again.digest == made.digest != plan().digest


def test_printing_shows_way_price_threshold_and_both_forecasts():
    text = str(plan())
    parts = ("hypothesis: free answers", "rho = 0.024356", "rho = 0.000105948 a paid answer", "832 rows", "0.0297",
             "after 50, 100, 200 paid answers")  # fmt: skip
    for part in parts:
        assert part in text
    assert "independent  0.0297" in text
    few = str(plan(questions=100))
    assert "independent: every new question" in few
    assert "threshold" not in few
    assert "expected error (rows)" in str(plan(rows=None))


def test_as_plain_values():
    found = plan().to_dict()
    assert found["way"] == "hypothesis"
    assert found["paid_answers"] == 200
    assert found["expected_error_rows"] < found["other_expected_error_rows"]
    assert plan(questions=5).to_dict()["threshold_rows"] is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"questions": 0}, "questions must be a whole number from 1"),
        ({"questions": 2.5}, "questions must be a whole number"),
        ({"updates": True}, "updates must be a whole number"),
        ({"rows": 0}, "rows must be a whole number"),
        ({"factor": 0}, "factor must be above 0"),
        ({"way": "quick"}, "way must be hypothesis or independent, not 'quick'"),
        ({"budget": ht.Budget(rho="1e-14"), "questions": 10**6, "updates": 10**6}, "too small for 1,000,000 questions"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(given, says):
    with pytest.raises(BadPlan, match=says) as caught:
        plan(**given)
    assert "\n" not in str(caught.value)


def test_a_domain_without_codes_has_nothing_to_curate():
    lists = domain({"choice": {"kind": "decision_list", "inputs": ["a"], "length": 1}})
    with pytest.raises(BadPlan, match="no attribute with codes"):
        plan_curator(lists, budget=BUDGETS[0])


def test_the_bound_of_a_free_answer_is_wider_for_all_at_once_and_for_more_confidence():
    margin = plan().margin
    assert margin.threshold < margin.half_width(0.5) < margin.half_width(0.95) < margin.half_width(0.99)
    assert margin.half_width(0.95) < margin.half_width(0.95, simultaneous=True)
    with pytest.raises(ht.HushError, match="confidence"):
        margin.half_width(1.0)

"""Errors: every kind has one shape for programs, and its message is the line people see; shared checks of settings."""

import json
from fractions import Fraction

import pytest

from hushtable import errors
from hushtable.errors import (
    BadBudget,
    BadPlan,
    CutInsideBin,
    HushError,
    OverBudget,
    TooLarge,
    TooWide,
    UnknownAttribute,
    check_whole,
    is_whole,
)

CARRYING = {
    OverBudget(asked=Fraction(1, 8), left=Fraction(1, 20), unit="rho"): {"asked": 0.125, "left": 0.05, "unit": "rho"},
    TooLarge(order=3, numbers=10**9, cap=10**6, fits=2): {"order": 3, "numbers": 10**9, "cap": 10**6, "fits": 2},
    UnknownAttribute("aeg", known=("age", "sex")): {"name": "aeg", "known": ["age", "sex"]},
    TooWide(names=["a", "b", "c"], width=2): {"names": ["a", "b", "c"], "width": 2},
    CutInsideBin(name="age", cut="> 3", below="0", above="18"): {
        "name": "age", "cut": "> 3", "below": "0", "above": "18"
    },
}  # fmt: skip
PLAIN = [
    kind("what is wrong; what to do")
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HushError) and kind not in {type(error) for error in CARRYING}
]


@pytest.mark.parametrize("error", [*CARRYING, *PLAIN], ids=lambda error: type(error).__name__)
def test_every_error_has_one_shape(error):
    facts = error.to_dict()
    assert list(facts)[:3] == ["kind", "message", "exit_code"]
    assert facts == json.loads(json.dumps(facts, allow_nan=False)) == {
        "kind": type(error).__name__, "message": str(error), "exit_code": error.exit_code
    } | CARRYING.get(error, {})  # fmt: skip


def test_every_error_is_in_the_list():
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, HushError)}
    assert kinds == {type(error).__name__ for error in (*CARRYING, *PLAIN)}
    assert all(name in errors.__doc__ for name in kinds)


def test_the_message_says_what_was_added_on_the_way():
    error = errors.BadPath("disk full")
    error.add_note("finish with\nhush release --resume x.part")
    assert error.to_dict()["message"] == "disk full; finish with hush release --resume x.part"


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, [1]])
def test_what_is_no_whole_number_is_refused_by_name(value):
    assert not is_whole(value)
    with pytest.raises(BadPlan) as caught:
        check_whole(value, "width", BadPlan, least=0)
    assert str(caught.value) == f"width must be a whole number of at least 0, not {value!r}"


@pytest.mark.parametrize(
    ("value", "limits", "says"),
    [
        (0, {}, "of at least 1, not 0"),
        (3, {"least": 4}, "of at least 4, not 3"),
        (-1, {"least": 0, "most": 1_000_000}, "from 0 to 1,000,000, not -1"),
        (5, {"most": 4, "limit": "the width 4"}, "from 1 to the width 4, not 5"),
    ],
)
def test_a_number_outside_its_limits_is_told_them(value, limits, says):
    assert is_whole(value)
    with pytest.raises(BadBudget, match=f"rounds must be a whole number {says}$"):
        check_whole(value, "rounds", BadBudget, **limits)


@pytest.mark.parametrize("value", [2, 3, 4])
def test_both_ends_are_allowed(value):
    check_whole(value, "order", BadPlan, least=2, most=4)

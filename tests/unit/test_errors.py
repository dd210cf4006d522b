"""Errors: every kind has one shape for programs, and its message is the line that people see."""

import json
from fractions import Fraction

import pytest

from hushtable import errors
from hushtable.errors import CutInsideBin, HushError, OverBudget, TooLarge, TooWide, UnknownAttribute

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

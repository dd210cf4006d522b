"""Checks that many settings share: a whole number is one, and nothing else is."""

import pytest

from hushtable.errors import BadBudget, BadPlan, check_whole, is_whole


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

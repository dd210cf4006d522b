"""A focus: tables with a column that matters weigh more in the plan, and the plan says so."""

import numpy as np
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, UnknownAttribute
from hushtable.laws import Law
from hushtable.maths.weighted_rows.resolution import Groupings, Pricing, plan_pairs
from hushtable.questions.workloads import read_workload
from hushtable.report.public import public_report

NAMES = ["a", "b", "c", "d"]
DOMAIN = ht.Domain.from_dict({
    "table": "t",
    "attributes": {name: {"kind": "category", "values": list("uvwxyz")} for name in NAMES},
    "follows": {"copy": {"of": "b", "map": {letter: letter for letter in "uvwxyz"}}},
})  # fmt: skip
BUDGET = ht.Budget(epsilon=1, delta="1e-6")


def planned(**options):
    return ht.plan(DOMAIN, rows=5_000, workload=ht.WholeTable(**options), budget=BUDGET)


def test_text_and_back():
    for workload in (ht.WholeTable(focus=("a", "b")), ht.WholeTable(target="d"), ht.WholeTable()):
        assert read_workload(str(workload)) == workload
        assert read_workload(workload.recorded) == workload
    assert ht.WholeTable(focus=["a"]) == ht.WholeTable(focus=("a",))
    assert ht.WholeTable().recorded == "whole_table(audit=0.03)"  # what files and ledgers have


def test_the_plan_says_what_it_does():
    assert "focus" not in str(planned())
    assert "focus: errors of tables with a weigh 3 times as much" in str(planned(focus=["a"]))
    assert "triples with d are looked at first" in str(planned(target="d"))


def test_a_column_that_follows_stands_for_the_one_it_follows():
    assert ht.WholeTable(focus=("copy",), target="d").focused(DOMAIN) == {1, 3}


@pytest.mark.parametrize(
    ("options", "error"),
    [({"focus": "a"}, BadPlan), ({"focus": ()}, BadPlan), ({"focus": (3,)}, BadPlan), ({"target": ("a",)}, BadPlan),
     ({"focus": ("e",)}, UnknownAttribute), ({"target": "e"}, UnknownAttribute)],
)  # fmt: skip
def test_mistakes_are_one_line_before_anything_is_read(options, error):
    with pytest.raises(error) as caught:
        planned(**options)
    assert "\n" not in str(caught.value)


def test_pairs_in_focus_have_less_noise_and_the_price_is_the_same():
    shares = np.full(7, 1 / 7)
    groupings, pairs = [Groupings(shares)] * 4, [(i, j) for i in range(4) for j in range(i + 1, 4)]
    pricing = Pricing(Law.GAUSSIAN, 2.0)
    plain, focused = (plan_pairs(groupings, pairs, np.full(6, 0.2), 5_000.0, pricing, focus=f) for f in ((), (0,)))
    costs = [
        sum(pricing.cost(pricing.price(table), s) for table, s in zip(plan.tables, plan.deviations, strict=True))
        for plan in (plain, focused)
    ]
    assert costs == pytest.approx([1, 1], rel=1e-6)
    by_pair = [dict(zip((t.members for t in p.tables), p.deviations, strict=True)) for p in (plain, focused)]
    for pair in pairs:
        assert (by_pair[1][pair] < by_pair[0][pair]) == (0 in pair)
    assert by_pair[1][1, 2] / by_pair[1][0, 1] == pytest.approx(3 ** (1 / 3))


def test_a_release_with_a_focus_and_a_target():
    random = np.random.default_rng(1)
    import pyarrow as pa

    a = random.integers(0, 6, 5_000)
    codes = [
        a,
        (a + random.integers(0, 3, 5_000)) % 6,
        random.integers(0, 6, 5_000),
        (a + random.integers(0, 2, 5_000)) % 6,
    ]
    rows = pa.table({name: np.array(list("uvwxyz"))[own] for name, own in zip(NAMES, codes, strict=True)})
    plan = planned(focus=["a"], target="d")
    synopsis = ht.Vault(rows, DOMAIN).release(plan, randomness=ht.Simulated(1))
    assert "focus=[a], target=d" in synopsis.workload
    assert "ables with a and d were weighed 3 times as much" in public_report(synopsis)
    assert synopsis.ask("a = 'u'").value == pytest.approx(np.mean(a == 0), abs=0.05)

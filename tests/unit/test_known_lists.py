"""Lists known before the release: exact sensitivity, the planner's choice, and answers to these lists alone."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.domain.attributes import Open
from hushtable.errors import BadPath, BadPlan, BadQuestion
from hushtable.questions.workloads import read_workload
from hushtable.vault.statistics import list_sums
from hushtable.vault.statistics.list_sums import ListSums

URL = Open(name="url")
DOMAIN = ht.Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}}})
VALUES = [f"v{i}" for i in np.random.default_rng(1).zipf(1.4, 3000)]
CASES = [
    [[b"a", b"b"], [b"b", b"c"], [b"c"]],
    [[b"a"], [b"b"], [b"c"]],
    [[b"a", b"b", b"c"]] * 3,
    [[b"a"], []],
    [[]],
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lists.txt"
    path.write_text("v1\tv2\tv3\n\nv7\t v8 \nv1\tv9\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("lists", CASES, ids=str)
def test_the_spread_is_that_of_the_worst_pair(lists, neighbours, monkeypatch):
    statistic = ListSums([URL], lists)
    rows = [statistic.accumulate(pa.array([key], pa.large_binary())) for key in (b"a", b"b", b"c", b"elsewhere")]
    changes = [x - y for x, y in product(rows, rows)] if neighbours == "replace" else rows
    for weights, power in product(([Fraction(1, 3), Fraction(2)], [Fraction(0), Fraction(1)]), (1, 2)):
        each = [weights[0], *[weights[1]] * len(lists)]
        worst = max(sum(w * abs(int(x)) ** power for w, x in zip(each, c, strict=True)) for c in changes)
        assert statistic.sensitivity(power=power, weights=weights, neighbours=neighbours) == worst
    assert statistic.largest_change(neighbours) == max(np.abs(c).max() for c in changes)
    monkeypatch.setattr(list_sums, "MOST_KINDS", 0)
    bound = ListSums([URL], lists).sensitivity(power=1, weights=[Fraction(0), Fraction(1)], neighbours=neighbours)
    assert bound >= statistic.sensitivity(power=1, weights=[Fraction(0), Fraction(1)], neighbours=neighbours)
    with pytest.raises(ValueError, match="power"):
        statistic.sensitivity(power=3, weights=[Fraction(1)] * 2, neighbours=neighbours)


def test_sums_do_not_depend_on_the_split():
    statistic = ListSums([URL], [[b"v1", b"v2"], [b"v2", b"nowhere"]])
    keys = pa.array([v.encode() for v in VALUES], pa.large_binary())
    parts = sum((statistic.accumulate(keys[i : i + 700]) for i in range(0, 3000, 700)), statistic.zeros())
    whole = [3000, VALUES.count("v1") + VALUES.count("v2"), VALUES.count("v2")]
    assert statistic.to_coordinates(parts).tolist() == statistic.accumulate(keys).tolist() == whole
    assert statistic.rows(parts) == 3000


def test_the_planner_takes_single_counts_for_few_lists_and_a_sketch_for_many(tmp_path):
    def chosen(lists, length, budget):
        path = tmp_path / f"{lists}-{length}.txt"
        shared = "\t".join(f"v{i}" for i in range(length))
        path.write_text("".join(f"{shared}\tonly{i}\n" for i in range(lists)))
        return ht.plan(DOMAIN, rows=50_000, workload=ht.KnownLists(file=str(path)), budget=budget).mechanism

    for budget in (ht.Budget(epsilon=1, delta="1e-6"), ht.Budget(epsilon=1)):
        assert chosen(3, 100, budget) == "list-counts"
        assert chosen(200, 100, budget) == "hash-sketch"
    # About half as many lists as values where a value may be in all of them.
    assert chosen(35, 100, ht.Budget(epsilon=1, delta="1e-6")) == "list-counts"
    assert chosen(60, 100, ht.Budget(epsilon=1, delta="1e-6")) == "hash-sketch"


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize(
    "budget", [ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-6"), ht.Budget(rho="0.1")], ids=str
)
def test_answers_to_the_lists_and_to_no_others(budget, neighbours, file, tmp_path):
    domain = ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": {"url": {"kind": "open"}}})
    plan = ht.plan(domain, rows=3000, workload=ht.KnownLists(file=file), budget=budget, mechanism="list-counts")
    made = ht.Vault(pa.table({"url": VALUES}), domain).release(plan, randomness=ht.Simulated(3))
    made.save(tmp_path / "t.hush")
    for synopsis in (made, ht.load(tmp_path / "t.hush")):
        for listed in (["v1", "v2", "v3"], ["v8", "v7"]):
            answer = synopsis.ask(ht.Listed(listed), count=True)
            assert abs(answer.value - sum(VALUES.count(v) for v in listed)) < 9 * answer.stderr
            assert answer.stderr == pytest.approx(plan.design.forecasts[0].typical, rel=0.05)
        assert synopsis.ask("url IN ('v9', 'v1')").value == synopsis.ask(ht.Lists({"x": ["v1", "v9"]})).value[0]
        assert synopsis.ask(ht.Listed([]), count=True).value == 0
        with pytest.raises(BadQuestion, match="not one of the 3 lists"):
            synopsis.ask("url = 'v1'")
        with pytest.raises(BadQuestion, match="without weights"):
            synopsis.ask(ht.Listed({"v7": 0.5, "v8": 1}))
        with pytest.raises(BadQuestion, match="listed twice"):
            synopsis.ask(ht.Listed(["v7", "v7"]))


def test_files_that_are_no_lists_say_so(file, tmp_path):
    assert str(read_workload(f"known_lists(file='{file}', column=url)")) == f"known_lists(file='{file}', column=url)"
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for path, kind, says in (
        ("none.txt", BadPath, "cannot read"),
        ("empty.txt", BadPlan, "has no lists"),
        ("bytes.txt", BadPlan, "not UTF-8"),
    ):
        with pytest.raises(kind, match=says):
            ht.plan(DOMAIN, workload=ht.KnownLists(file=str(tmp_path / path)), budget=ht.Budget(epsilon=1))

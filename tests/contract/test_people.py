"""People with several rows: what is kept of one depends on her alone, and a price covers every way she may change."""

from collections import Counter
from decimal import Decimal
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.audit.made_up_tables import MadeUpTable, possible_rows
from hushtable.audit.pairs import weights_of
from hushtable.audit.people_cases import audit_people, people_cases
from hushtable.audit.shapes import BINARY, RELATIONS, shape
from hushtable.audit.statistic_cases import noise_for
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.laws import Law
from hushtable.vault.bounded_source import BoundedSource
from hushtable.vault.door.noise import JointNoise, joint_price, price_of
from hushtable.vault.sources import FrameSource
from hushtable.vault.statistics.joint import JointStatistic

ROWS = 2


def lots(statistic, domain, most=8) -> np.ndarray:
    """The coordinates of everything that a person of 0 to ROWS rows may have."""
    rows = possible_rows(domain, most=most, seed=5)
    alone = np.array([MadeUpTable(domain, [row]).coordinates(statistic) for row in rows], dtype=np.float64)
    picks = [pick for many in range(ROWS + 1) for pick in combinations_with_replacement(range(len(rows)), many)]
    return np.array([alone[list(pick)].sum(axis=0) for pick in picks])


def cases():
    for name, specimen in STATISTICS.items():
        for relation in RELATIONS:
            domain = shape(specimen.attributes, relation, rows=ROWS, person="who")
            for number, statistic in enumerate(specimen.build(domain)):
                yield pytest.param(statistic, domain, specimen, id=f"{name}-{number}-{relation}")


@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
@pytest.mark.parametrize(("statistic", "domain", "specimen"), list(cases()))
def test_a_price_covers_every_change_of_a_whole_person(statistic, domain, specimen, law):
    noise = noise_for(statistic, law, domain)
    assert noise is not None
    price = float(price_of(statistic, noise, domain.unit).amount)
    weights, had = weights_of(statistic, noise), lots(statistic, domain)
    others = had if domain.unit.neighbours == "replace" else had[:1]
    worst = max(float((np.abs(had - other) ** law.power @ weights).max()) for other in others)
    assert worst <= price * (1 + 1e-9)
    every = len(possible_rows(domain, most=10**6, seed=5)) <= 8
    if every and law.power in specimen.exact:
        assert worst == pytest.approx(price, rel=1e-9)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_gauge_of_a_whole_person_is_covered(relation):
    domain = shape(BINARY, relation, rows=ROWS, person="who")
    for name in ("one-way-tables", "cell-vectors"):
        mixed = shape(STATISTICS[name].attributes, relation, rows=ROWS, person="who")
        for statistic in STATISTICS[name].build(mixed):
            assert isinstance(statistic, JointStatistic)
            had = lots(statistic, mixed, most=3).astype(np.int64)
            noise = JointNoise(per_group=(1,) * statistic.groups)
            price = joint_price(statistic, noise, mixed.unit).amount
            worst = []
            for first, second in product(had, had if relation == "replace" else had[:1]):
                gauges, starts = [], 0
                for group in range(statistic.groups):
                    body = statistic.body(group, mixed.unit.open_relation)
                    part = (first - second)[starts : starts + body.length]
                    starts += body.length
                    gauges.append(float(body.gauge(part)))
                worst.append(sum(gauges))
            assert max(worst) <= price * (1 + 1e-9)
    assert domain.unit.gauge == (2 * ROWS if relation == "replace" else ROWS)


@pytest.mark.parametrize("case", list(people_cases()), ids=lambda case: case.name)
def test_one_person_changes_no_row_of_another(case):
    for seed in range(3):
        assert all(check.passed for check in audit_people(case, seed=seed))


def frame(people, values):
    return pa.table({"who": people, "x": values})


DOMAIN = ht.Domain.from_dict(
    {
        "table": "t",
        "unit": {"person": "who", "rows": 2},
        "attributes": {"x": {"kind": "integer", "between": [0, 999], "edges": [500]}},
    }
)


def kept(table, secret="secret", domain=DOMAIN, **more):
    source = BoundedSource(FrameSource(table), domain, secret, **more)
    return [v for batch in source.batches(["x"]) for v in batch.column(0).to_pylist()], source


@pytest.mark.parametrize("part_rows", [10**9, 300, 77])
def test_rows_are_chosen_evenly_and_by_their_key_and_in_parts_alike(part_rows):
    people, values = [i % 400 for i in range(2000)], list(range(1000)) * 2
    first, source = kept(frame(people, values), part_rows=part_rows)
    assert first == kept(frame(people, values))[0]
    assert len(first) == 800 == source.count()
    assert (source.choice.people, source.choice.cut) == (400, 400)
    assert kept(frame(people, values), secret="other")[0] != first
    if part_rows < 10**9:
        return
    # Each of five rows has a chance of 2/5: below, the number of kept rows among the first fifth of 400 people.
    counts = [sum(kept(frame(people, values), secret=f"{s}")[1].choice.kept[:400]) for s in range(20)]
    assert abs(sum(counts) - 8000 * 0.4) < 7 * np.sqrt(8000 * 0.24)


def test_equal_rows_are_rows_each():
    """Nine equal rows and one other: the other is kept in one of five, not in one of one."""
    people, values = [i // 10 for i in range(10_000)], [7 if i % 10 else 600 for i in range(10_000)]
    chosen = Counter(kept(frame(people, values))[0])
    assert chosen[7] + chosen[600] == 2000
    assert abs(chosen[600] - 200) < 7 * np.sqrt(1000 * 0.16)


@pytest.mark.parametrize("blank", [None, "", "  ", float("nan")])
def test_rows_without_a_person_are_a_person_each(blank):
    people = pa.array([blank] * 50, pa.float64() if isinstance(blank, float) else pa.string())
    values, source = kept(frame(people, list(range(50))))
    assert values == list(range(50))
    assert (source.choice.people, source.choice.cut) == (0, 0)


def test_a_person_is_the_same_in_any_type():
    values = list(range(60))
    whole = [i % 10 for i in range(60)]
    texts, floats = [f" {p} " for p in whole], [float(p) for p in whole]
    as_text, as_number, as_float = (kept(frame(p, values))[0] for p in (texts, whole, floats))
    assert as_text == as_number == as_float
    decimals = pa.array([Decimal(p) for p in whole], pa.decimal128(9, 2))
    assert kept(frame(decimals, values))[0] == as_number
    # What a column of floats or decimals becomes in a text file, and a mixture of both.
    for ends in ((".0",), (".00 ",), ("", ".0", ".000")):
        spelled = [f"{p}{ends[i % len(ends)]}" for i, p in enumerate(whole)]
        assert kept(frame(spelled, values))[0] == as_number
        nullable = pa.array([*spelled, None]), pa.array([*whole, None])
        assert len({tuple(kept(frame(people, [*values, 60]))[0]) for people in nullable}) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("17.0", "17", True), ("17.50", "17.5", True), ("-3.00", "-3", True), ("100.0", "100", True),
        ("0.10", "0.1", True), ("10.05", "10.5", False), ("100.0", "1", False), ("017", "17", False),
        ("1.0.0", "1.0", False), ("a1.0", "a1", False), ("17.", "17", False), (".0", "0", False), ("1e1", "10", False),
        ("v2.0", "v2", False), ("1.0 b", "1 b", False), ("1\n.0", "1", False),
    ],
)  # fmt: skip
def test_which_spellings_are_one_person(one, other, same):
    _, source = kept(frame([one, other] * 3, [1, 2, 3, 4, 5, 6]))
    assert source.choice.people == (1 if same else 2)


def test_rows_that_change_between_passes_are_noticed():
    table = frame([1, 1, 1, 2], [1, 2, 3, 4])
    source = BoundedSource(FrameSource(table), DOMAIN, "secret")
    assert source.count() == 3
    for other in (table.slice(0, 3), table.take([3, 0, 1, 2]), pa.concat_tables([table, table])):
        source._source = FrameSource(other)
        with pytest.raises(ht.errors.BadData, match="rows changed while they were read"):
            list(source.batches(["x"]))

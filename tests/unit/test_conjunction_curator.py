"""A curator of conditions on all but a few columns: lists of 2^k keys over a universe of 2^40 rows."""

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion

NAMES = tuple(f"b{i}" for i in range(40))
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
)
BUDGET = ht.Budget(epsilon=1, delta="1e-6")


def clustered(rows=4000):
    """Six kinds of rows, which differ at random in their first three columns."""
    source = np.random.default_rng(0)
    kinds = source.random((6, 40)) < 0.5
    bits = kinds[source.choice(6, rows, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])].copy()
    bits[:, :3] ^= source.random((rows, 3)) < 0.3
    return kinds, bits


def text_of(kind, free=3):
    return " AND ".join(name if kind[i] else f"NOT {name}" for i, name in enumerate(NAMES) if i >= free)


@pytest.mark.parametrize("way", ["hypothesis", "independent"])
def test_answers_are_near_and_the_state_is_kept(way, tmp_path):
    kinds, bits = clustered()
    vault = ht.Vault(pa.table({name: bits[:, i] for i, name in enumerate(NAMES)}), DOMAIN, ledger=tmp_path / "l")
    asked = {"budget": BUDGET, "questions": 100, "workload": "conjunctions(free=3)", "way": way, "updates": 20}
    curator = vault.curate(**asked, state=tmp_path / "s")
    for kind in kinds:
        exact = (bits[:, 3:] == kind[3:]).all(axis=1).mean()
        answer = curator.ask(text_of(kind))
        low, high = answer.interval(1 - 1e-9)
        assert low <= exact <= high
        assert high - low < 1.9
    first = curator.ask(text_of(kinds[0])).value
    curator.close()
    again = vault.curate(state=tmp_path / "s")
    assert again.ask(text_of(kinds[0])).value == first


def test_a_condition_is_the_list_of_its_rows(tmp_path):
    """Without noise to speak of, and every answer paid for: the number of rows that meet it."""
    _, bits = clustered(300)
    vault = ht.Vault(pa.table({name: bits[:, i] for i, name in enumerate(NAMES)}), DOMAIN, ledger=tmp_path / "l")
    curator = vault.curate(
        budget=ht.Budget(epsilon=10**5), questions=10, workload="conjunctions(free=2)", way="independent",
        state=tmp_path / "s", randomness=ht.Simulated(1),
    )  # fmt: skip
    text = text_of(bits[0], free=2)
    assert curator.ask(text, count=True).value == pytest.approx((bits[:, 2:] == bits[0, 2:]).all(axis=1).sum(), abs=0.1)
    with pytest.raises(BadQuestion, match="leaves 38 columns open"):
        curator.ask("b0 AND b1")


def test_what_a_curator_does_not_take_is_said():
    for workload, said in (
        ("conjunctions(free=2, buckets=256)", "leave buckets and rare out"),
        ("marginals(width=2)", "conjunctions(free=...)"),
        ("conjunctions(free=50)", "free must be a whole number from 0 to 12"),
    ):
        with pytest.raises(BadPlan) as caught:
            ht.plan_curator(DOMAIN, rows=100, questions=10, budget=BUDGET, workload=workload)
        assert said in str(caught.value)

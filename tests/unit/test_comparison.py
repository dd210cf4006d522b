"""The owner's comparison: synthetic rows beside the real ones, and what perfect would look like."""

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.owner.comparison import NOT_FOR_PUBLICATION
from hushtable.owner.propensity import binned, propensity

PARTS = {
    "table": "t",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "bins": 5},
        "income": {"kind": "number", "between": [0, 1000], "bins": 4},
        "region": {"kind": "category", "values": list("abcd")},
        "smoker": {"kind": "boolean"},
    },
    "impossible": ["age < 20 AND smoker"],
}


def people(rows=3_000, seed=0):
    random = np.random.default_rng(seed)
    age = random.integers(0, 100, rows)
    income = np.where(random.random(rows) < 0.4, 0.0, random.gamma(2, 40, rows).clip(0, 1000))
    region = random.choice(list("abcd"), rows, p=[0.4, 0.3, 0.2, 0.1])
    return pa.table(
        {"age": age, "income": income, "region": region, "smoker": (age >= 20) & (random.random(rows) < 0.4)}
    )


@pytest.fixture(scope="module")
def compared():
    domain = ht.Domain.from_dict(PARTS)
    workload = ht.WholeTable(focus=("region",))
    plan = ht.plan(domain, rows=3_000, workload=workload, budget=ht.Budget(epsilon=8, delta="1e-6"))
    synopsis = ht.Vault(people(), domain).release(plan, randomness=ht.Simulated(1))
    return synopsis, ht.compare(synopsis, people())


def test_figures_name_what_is_wrong(compared):
    _, found = compared
    assert found.rows == 3_000
    assert found.synthetic.score < found.bootstrap.score <= 1000
    assert set(found.synthetic.by_focus) == {"region"}
    assert found.synthetic.gave_away[0] == "income"  # zeros, drawn uniformly inside a wide bin
    assert found.bootstrap.propensity < 0.01 < found.synthetic.propensity < 0.25
    assert [count.broken for count in found.synthetic.rules] == [0]


def test_it_says_that_it_is_not_for_publication(compared):
    synopsis, found = compared
    assert str(found).startswith(NOT_FOR_PUBLICATION)
    assert found.to_dict()["stamp"] == NOT_FOR_PUBLICATION
    assert b"propensity" not in synopsis._packed[0]


def test_the_report_of_the_owner_has_it(compared, tmp_path):
    import pyarrow.csv
    from typer.testing import CliRunner

    from hushtable.cli import app

    synopsis, _ = compared
    synopsis.save(tmp_path / "t.hush")
    pyarrow.csv.write_csv(people(), tmp_path / "t.csv")
    given = ["report", str(tmp_path / "t.hush"), "--data", str(tmp_path / "t.csv"), "-o", str(tmp_path / "t.html")]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "t.html").read_text()
    assert "propensity MSE" in page
    assert "rows against age &lt; 20 AND smoker" in page


class TestPropensity:
    def test_rows_of_one_law_are_told_apart_by_chance_alone(self):
        random = np.random.default_rng(3)
        columns = [random.integers(0, 5, 20_000) for _ in range(4)]
        found = propensity(columns, [True, False] * 2, np.arange(20_000) >= 10_000)
        assert found.error < 0.003  # 64 leaves: about 64 / (4 * 20,000) by chance, more for having been chosen

    def test_what_differs_is_found_and_named(self):
        random = np.random.default_rng(4)
        made = np.arange(10_000) >= 5_000
        shifted = random.normal(size=10_000) + 3.0 * made
        found = propensity([random.integers(0, 3, 10_000), binned(shifted)], [False, True], made)
        assert found.gave_away[0][0] == 1
        assert found.error == pytest.approx(0.19, abs=0.03)  # of normals 3 apart: E (p - 1/2)^2

    def test_words_are_split_by_shares(self):
        words = np.array([0, 1, 2, 3] * 1000)
        made = np.isin(words, [0, 2])
        assert propensity([words], [False], made).error == 0.25

    def test_an_atom_is_told_from_what_lies_beside_it(self):
        random = np.random.default_rng(5)
        made = np.arange(4_000) >= 2_000
        values = np.where(made, random.random(4_000), 0.0)
        assert propensity([binned(values)], [True], made).error == pytest.approx(0.25)

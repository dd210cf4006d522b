"""Rows by replicates: sets for other people's programs, weights for programs of surveys, and how sets are combined."""

import json

import numpy as np
import pyarrow.parquet
import pytest
from tables import MIXED, domain, random_codes, table_of
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.errors import BadQuestion

SHAPE = domain(MIXED, neighbours="add-remove")
ROWS = 5_000


@pytest.fixture(scope="module")
def synopsis():
    table = table_of(SHAPE, random_codes(SHAPE, ROWS, seed=4))
    plan = ht.plan(SHAPE, workload=ht.WholeTable(), budget=ht.Budget(epsilon=2, delta="1e-9"), rows=ROWS)
    return ht.Vault(table, SHAPE).release(plan, randomness=ht.Simulated(5))


@pytest.fixture
def file(synopsis, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    synopsis.save("t.hush")
    return tmp_path


def hush(*arguments):
    done = CliRunner().invoke(app, ["sample", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_sets_lie_around_the_model_as_far_as_answers_are_off(synopsis):
    """Shares of all regions over 16 sets: the mean is the model's, and the spread that of replicates, stretched."""
    drawn = synopsis.sample_sets(20_000, sets=16, seed=3)
    assert drawn.column_names == [*SHAPE.names, "set"]
    codes, number = synopsis.model.replicates.codes((0, 2)), np.asarray(drawn["set"].to_pylist())
    assert (np.bincount(number)[1:] == 20_000).all()
    age = np.array([value is not None and value >= 65 for value in drawn["age"].to_pylist()])
    seen = np.array([age[number == r].mean() for r in range(1, 17)])
    holds = codes[0] == 2
    (own,), *each = synopsis.model.replicates.tables((0,), holds, np.zeros(len(holds), dtype=np.int64), 1)
    spread = np.sqrt(np.mean([(one[0] - own[0]) ** 2 for (one,) in each]))
    foretold = synopsis.model.ratios.ratio(3).ratio * spread
    assert seen.mean() == pytest.approx(own[0], abs=2 * foretold)
    assert 0.5 < seen.std() / foretold < 2


def test_sets_repeat_with_a_seed_and_differ(synopsis):
    one, two = (synopsis.sample_sets(500, sets=3, seed=1) for _ in range(2))
    assert one.equals(two)
    assert not one.equals(synopsis.sample_sets(500, sets=3, seed=2))


@pytest.mark.parametrize("sets", [0, 1, 17, 2.5])
def test_how_many_sets(synopsis, sets):
    with pytest.raises(BadQuestion, match="number of sets is from 2 to 16"):
        synopsis.sample_sets(10, sets=sets)


def test_replicate_weights_give_the_answers_and_their_spread(synopsis):
    """Replicates of an answer, with which it is computed, are those of the weights."""
    table = synopsis.replicate_weights()
    assert table.column_names == [*SHAPE.names, "weight", *(f"weight_{r}" for r in range(1, 17))]
    weights = np.array([table[f"weight_{r}"].to_numpy() for r in range(1, 17)])
    usual, smoker = table["weight"].to_numpy(), np.asarray(table["smoker"].to_pylist(), dtype=bool)
    rows = synopsis.model.total[0]
    assert usual.sum() == pytest.approx(rows)
    np.testing.assert_allclose(weights.sum(axis=1), rows)
    answer = synopsis.ask("smoker")
    assert usual[smoker].sum() / rows == pytest.approx(answer.value, abs=0.002)
    apart = weights[:, smoker].sum(axis=1) / rows - usual[smoker].sum() / rows
    (shared,) = answer.parts.replicates.values()
    np.testing.assert_allclose(np.abs(np.corrcoef(shared, apart)[0, 1]), 1.0, atol=1e-3)
    assert np.sqrt((shared**2).mean()) <= answer.stderr * (1 + 1e-9)


def test_the_command_writes_sets_and_weights(file):
    code, out, _ = hush("t.hush", "-n", "100", "--sets", "4", "-o", "sets.parquet")
    assert code == 0
    assert "wrote 4 sets of 100 synthetic rows of 4 columns" in out
    sets = pyarrow.parquet.read_table("sets.parquet")
    assert sets.num_rows == 400
    assert json.loads(sets.schema.metadata[b"hushtable"])["synthetic"] is True
    code, out, _ = hush("t.hush", "--replicate-weights", "-o", "weights.parquet", "--json")
    assert code == 0
    assert pyarrow.parquet.read_table("weights.parquet").num_rows == json.loads(out)["rows"]


@pytest.mark.parametrize("arguments", [(), ("-n", "5", "--replicate-weights"), ("--sets", "3", "--replicate-weights")])
def test_what_goes_together(file, arguments):
    assert hush("t.hush", "-o", "new.parquet", *arguments)[0] == 2
    assert not (file / "new.parquet").exists()


def test_models_without_replicates_say_so():
    shape = domain({"set": {"kind": "boolean", "missing": "error"}, "b": {"kind": "boolean", "missing": "error"}})
    table = table_of(shape, random_codes(shape, 500, seed=1))
    budget = ht.Budget(epsilon=2, delta="1e-9")
    plan = ht.plan(shape, workload=ht.Marginals(width=2), budget=budget, rows=500, mechanism="histogram")
    histogram = ht.Vault(table, shape).release(plan, randomness=ht.Simulated(1))
    with pytest.raises(BadQuestion, match="no replicates"):
        histogram.replicate_weights()
    with pytest.raises(BadQuestion, match="no replicates"):
        histogram.sample_sets(10, sets=2)
    whole = ht.Vault(table, shape).release(ht.plan(shape, budget=budget, rows=500), randomness=ht.Simulated(1))
    with pytest.raises(BadQuestion, match="a column of this table is called set"):
        whole.sample_sets(10, sets=2)


def test_combining():
    """By hand: m = 4, mean 2.5, variance between sets 5/3, so 5/3 x 5/4."""
    found = ht.combine([1.0, 2.0, 3.0, 4.0], [0.1] * 4)
    assert found.estimate == 2.5
    assert found.stderr == pytest.approx((5 / 3 * 5 / 4) ** 0.5)
    assert found.freedom == 3
    low, high = found.interval(0.95)
    assert (high - low) / 2 == pytest.approx(3.1824463 * found.stderr)
    assert "2.5" in str(found)
    several = ht.combine([[1.0, 5.0], [1.0, 6.0]], [[4.0, 0.0], [4.0, 0.0]])
    np.testing.assert_allclose(several.stderr, [6**0.5, 0.75**0.5])


@pytest.mark.parametrize("given", [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, np.nan], [1, 1]), ([1.0, 2.0], [1, -1])])
def test_what_cannot_be_combined(given):
    with pytest.raises(BadQuestion):
        ht.combine(*given)


def test_combined_intervals_hold_as_often_as_they_say():
    """16 sets that differ by noise (sd 1) and by sampling (sd 0.5), around a model that noise moved too.

    20,000 simulated releases: 95% within 6 standard errors (0.9%), false alarm < 1e-8; variances 30% too small fail.
    """
    g, count = np.random.default_rng(5), 20_000
    model = g.normal(size=count) + g.normal(scale=0.5, size=count)  # noise of the release, and the rows as a sample
    sets = model + g.normal(size=(16, count)) + g.normal(scale=0.5, size=(16, count))
    found = ht.combine(sets, np.full(sets.shape, 0.25))
    holds = lambda scale: np.mean(np.abs(found.estimate) <= scale * (found.interval(0.95)[1] - found.estimate))  # noqa: E731
    assert abs(holds(1.0) - 0.95) < 0.0093
    assert not abs(holds(0.84) - 0.95) < 0.0093

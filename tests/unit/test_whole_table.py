"""The whole table, end to end: what is released, what is answered, what is refused."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tables import MIXED, domain, random_codes, table_of

import hushtable as ht
from hushtable.errors import BadDomain, BadPlan, BadQuestion
from hushtable.maths.weighted_rows.error_ratios import FEW_ROWS, model_tables, tables_to_sum
from hushtable.owner.vault import Vault
from hushtable.questions.parse import parse
from hushtable.questions.workloads import read_workload
from hushtable.questions.workloads.whole_table import WholeTable
from hushtable.vault.door.door import Door

BUDGETS = {"zcdp": ht.Budget(epsilon=1, delta="1e-9"), "pure": ht.Budget(epsilon=1)}


class Account:
    def __init__(self):
        self.paid = []

    def charge(self, price, *, what):
        self.paid.append(price.amount)


def release(shape, codes, *, budget=BUDGETS["zcdp"], seed=1, workload=None):
    made = ht.plan(shape, workload=workload or WholeTable(), budget=budget)
    account = Account()
    door = Door(total=lambda s: s.accumulate(codes), unit=shape.unit, price=made.design.price, account=account,
                randomness=ht.Simulated(seed))  # fmt: skip
    return made.by.release(door, shape, made.design), made, account


@pytest.fixture(scope="module")
def mixed():
    """One release of 20,000 dependent rows, with its truth."""
    shape = domain(MIXED, neighbours="add-remove")
    codes = random_codes(shape, 20_000, seed=5)
    model, _, _ = release(shape, codes)
    return shape, codes, model


def without_replicates(model):
    """As it is read from a file of format 1."""
    return replace(model, replicates=None, ratios=None)


def ask(model, text, **options):
    return model.answer(parse(text, model.domain), **options)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_spends_its_price_and_no_more(neighbours, budget, rows_per_person):
    shape = domain(MIXED, neighbours=neighbours, rows=rows_per_person)
    _, made, account = release(shape, random_codes(shape, 3000, seed=1), budget=BUDGETS[budget])
    spent = sum(account.paid, Fraction(0))
    assert Fraction(999, 1000) * made.design.price.amount <= spent <= made.design.price.amount


def test_what_is_measured_is_a_function_of_released_numbers_only():
    """Same first numbers from different tables: the same plan. Here: the same rows in another order."""
    shape = domain(MIXED, neighbours="add-remove")
    codes = random_codes(shape, 5000, seed=2)
    first, _, _ = release(shape, codes)
    again, _, _ = release(shape, codes[:, ::-1])
    assert first.parameters() == again.parameters()
    for name, numbers in first.numbers().items():
        np.testing.assert_array_equal(numbers, again.numbers()[name])


def test_tables_are_near_the_truth_and_audited(mixed):
    shape, codes, model = mixed
    for positions in ((0,), (0, 1), (0, 2, 3)):
        sizes = [shape.sizes[p] for p in positions]
        truth = np.bincount(np.ravel_multi_index(codes[list(positions)], sizes), minlength=np.prod(sizes)) / 20_000
        found = model.cloud.table(positions).ravel()
        off = np.abs(found - truth).sum() / 2
        assert off < 0.03
        bound = model.audit.bound(positions, shape.sizes, model.total[0])
        # 6 standard errors: false alarm < 1e-8.
        assert off <= bound.bias + 6 * bound.stderr


def test_group_by_predicate_and_mean_agree_with_the_model_table(mixed):
    _, _, model = mixed
    table = model.cloud.table((1, 3))
    crossed = ask(model, "SELECT sex, smoker, count(*) FROM t GROUP BY sex, smoker")
    np.testing.assert_allclose(crossed.value, table.ravel())
    one = ask(model, "sex = 'male' AND smoker")
    assert one.value == pytest.approx(table[1, 1])
    assert one.estimator == "model"
    assert any("bars" in note and "2 columns" in note for note in one.notes)
    assert ask(model, "sex = 'male' AND smoker", count=True).value == pytest.approx(table[1, 1] * model.total[0])
    mean = ask(model, "SELECT avg(smoker) FROM t WHERE sex = 'male'")
    assert mean.value == pytest.approx(table[1, 1] / table[1].sum())
    assert mean.stderr > 0
    low, high = mean.interval()
    assert 0 <= low < mean.value < high <= 1
    grouped = ask(model, "SELECT sex, avg(smoker) FROM t GROUP BY sex")
    np.testing.assert_allclose(grouped.value, table[:, 1] / table.sum(axis=1))
    ages = ask(model, "SELECT age, avg(age) FROM t GROUP BY age")
    assert ages.value[1] == pytest.approx(41.0)
    assert np.isnan(ages.value[-1]), "missing ages have no mean"


def test_wide_questions_are_evaluated_on_rows(mixed, monkeypatch):
    _, _, model = mixed
    text = "at_least(2, smoker, sex = 'male', age >= 18, region = 'north')"
    exact = ask(model, text)
    monkeypatch.setattr("hushtable.maths.weighted_rows.weighted_rows.MOST_CELLS", 1)
    by_rows = ask(model, text)
    assert by_rows.value == pytest.approx(exact.value, abs=0.005)
    assert exact.certified is None, "four columns were not compared together"
    assert 0 < exact.stderr < 0.02
    older = ask(without_replicates(model), text)
    assert np.isnan(older.bias)
    assert any(note.startswith("unknown: nothing says") for note in older.notes)
    assert older.to_dict()["value"] is None
    assert "unknown" in str(older)
    json.dumps(older.to_dict(), allow_nan=False)


def test_measured_values_are_unbiased_and_shown(mixed):
    """Mean over releases within 6 standard errors of the truth; false alarm < 1e-7 in all."""
    shape, codes, _ = mixed
    texts = ["smoker", "sex = 'male' AND smoker", "age >= 65 OR smoker"]
    true = [codes[3].mean(), ((codes[1] == 1) & (codes[3] == 1)).mean(), ((codes[0] == 2) | (codes[3] == 1)).mean()]
    off = {text: [] for text in texts}
    for seed in range(12):
        model, _, _ = release(shape, codes, seed=100 + seed, workload=WholeTable(calibration=0))
        for text, truth in zip(texts, true, strict=True):
            beside = ask(model, text).unbiased
            if beside is not None:
                off[text].append((beside.value - truth) / beside.stderr)
    for text in texts:
        assert len(off[text]) >= 6, f"{text} is hardly ever measured"
        assert abs(np.mean(off[text])) < 6 / np.sqrt(len(off[text]))
        assert 0.2 < np.std(off[text]) < 3


def test_measured_cells_of_a_cross_tab(mixed):
    _, _, model = mixed
    crossed = ask(model, "SELECT sex, smoker, count(*) FROM t GROUP BY sex, smoker", count=True)
    assert crossed.unbiased is not None
    assert np.abs(crossed.unbiased.value - crossed.value).max() < 8 * crossed.unbiased.stderr.max()
    assert crossed.unbiased.value.sum() == pytest.approx(model.total[0])
    assert "measured" in str(crossed)
    assert {"unbiased", "unbiased_stderr"} <= set(crossed.to_dict()["rows"][0])


def test_without_a_calibration_answers_say_so():
    shape = domain(MIXED, neighbours="add-remove")
    model, _, _ = release(shape, random_codes(shape, 5000, seed=3), workload=WholeTable(calibration=0))
    answer = ask(model, "smoker AND age >= 65")
    assert model.audit is None
    assert model.ratios is None
    assert any("as on other tables: no calibration" in note for note in answer.notes)
    assert answer.stderr > 0
    assert answer.certified is None
    older = ask(without_replicates(model), "smoker")
    assert any("without an audit" in note for note in older.notes)
    assert np.isnan(older.bias)


@pytest.mark.parametrize("budget", BUDGETS)
def test_saved_and_loaded_bit_by_bit(tmp_path, budget):
    shape = domain(MIXED)
    table = table_of(shape, random_codes(shape, 4000, seed=4))
    made = ht.plan(shape, budget=BUDGETS[budget], rows=4000)
    synopsis = Vault(table, shape, ledger=tmp_path / "t.ledger").release(made, randomness=ht.Simulated(3))
    synopsis.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    assert again.digest == synopsis.digest
    for text in ("smoker", "SELECT region, avg(age) FROM t GROUP BY region"):
        assert str(again.ask(text)) == str(synopsis.ask(text))
    random = [np.random.default_rng(1) for _ in range(2)]
    np.testing.assert_array_equal(again.model.draw(500, random[0]), synopsis.model.draw(500, random[1]))


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("budget", ["0.001", "1"])
def test_tiny_tables_and_tiny_budgets(rows, budget):
    shape = domain(MIXED, neighbours="add-remove")
    for seed in range(3):
        model, _, _ = release(shape, random_codes(shape, rows, seed=1), seed=seed,
                              budget=ht.Budget(epsilon=budget, delta="1e-9"))  # fmt: skip
        answer = ask(model, "SELECT sex, count(*) FROM t GROUP BY sex")
        assert answer.value.sum() == pytest.approx(1.0)
        assert (answer.value >= 0).all()
        assert model.draw(10, np.random.default_rng(0)).shape == (4, 10)


def test_columns_that_are_noise_for_a_good_part_are_measured_once_more_before_they_are_grouped():
    """Few rows and many values: the second tables have the same resolution and come before any pair."""
    shape = domain({f"c{j}": {"kind": "integer", "between": [0, 60], "missing": "error"} for j in range(4)},
                   neighbours="add-remove")  # fmt: skip

    def measured(rows):
        return [table.set.members for table in release(shape, random_codes(shape, rows, seed=3))[0].tables]

    once = [(), (0,), (1,), (2,), (3,)]
    assert measured(800)[:10] == once + once
    many = measured(50_000)
    assert many[:5] == once
    assert len(many[5]) == 2


def test_too_small_a_budget_releases_columns_alone_and_says_so():
    shape = domain(MIXED, neighbours="add-remove")
    model, made, account = release(shape, random_codes(shape, 300, seed=1), budget=ht.Budget(rho="1e-7"))
    assert any("too small" in remark for remark in model.remarks())
    assert sum(account.paid, Fraction(0)) > Fraction(99, 100) * made.design.price.amount
    pair = model.cloud.table((0, 1))
    np.testing.assert_allclose(pair, np.outer(pair.sum(axis=1), pair.sum(axis=0)), atol=2e-3)
    assert "too small" in " ".join(ask(model, "smoker").notes)


def test_a_column_with_one_value_does_no_harm():
    attributes = MIXED | {"same": {"kind": "category", "values": ["x"], "missing": "error"}}
    for neighbours in ("replace", "add-remove"):
        shape = domain(attributes, neighbours=neighbours)
        codes = np.vstack([random_codes(domain(MIXED), 2000, seed=1), np.zeros(2000, dtype=np.uint8)])
        model, _, _ = release(shape, codes)
        assert ask(model, "same = 'x'").value == pytest.approx(1.0)


class TestImpossible:
    RULES = ("age < 18 AND smoker", "sex = 'male' AND region IN ('west', 'south') AND NOT smoker")

    def shape(self, **more):
        parts = domain(MIXED, neighbours="add-remove").to_dict() | {"impossible": list(self.RULES)} | more
        return ht.Domain.from_dict(parts)

    def test_model_and_rows_respect_them(self):
        shape = self.shape()
        codes = random_codes(shape, 20_000, seed=6)
        fine = ~((codes[0] == 0) & (codes[3] == 1)) & ~((codes[1] == 1) & np.isin(codes[2], [1, 2]) & (codes[3] == 0))
        model, _, _ = release(shape, codes[:, fine])
        for rule in self.RULES:
            assert ask(model, rule).value == 0.0
        assert ask(model, "smoker").value == pytest.approx(codes[3, fine].mean(), abs=0.03)
        rows = model.draw(5000, np.random.default_rng(0))
        assert not ((rows[0] == 0) & (rows[3] == 1)).any()
        assert not ((rows[1] == 1) & np.isin(rows[2], [1, 2]) & (rows[3] == 0)).any()

    def test_part_of_the_domain_and_its_digest(self, tmp_path):
        shape = self.shape()
        assert shape.digest != domain(MIXED, neighbours="add-remove").digest
        shape.save(tmp_path / "d.yaml")
        assert ht.Domain.load(tmp_path / "d.yaml") == shape

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("age < 18", "list of conditions"),
            (["aeg < 18"], "no attribute 'aeg'"),
            (["age < 19"], "cuts a bin"),
            (["SELECT count(*) FROM t WHERE smoker"], "without SELECT"),
            (["age IS NULL OR age IS NOT NULL"], "same for all rows"),
        ],
    )
    def test_bad_ones_are_named(self, given, words):
        with pytest.raises(BadDomain, match=words):
            self.shape(impossible=given)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"a": {"kind": "boolean"}}, "at least two columns"),
        ({"a": {"kind": "boolean"}, "b": {"kind": "category", "values": ["x"], "missing": "error"}}, "at least two"),
        ({f"b{i}": {"kind": "boolean"} for i in range(251)}, "at most 250"),
        ({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}, "url": {"kind": "open"}}, "leave that column out"),
        ({"a": {"kind": "boolean"}, "b": {"kind": "number", "between": [0, 1], "bins": 5000}}, "use fewer bins"),
        ({"a": {"kind": "boolean"}, "b": {"kind": "category", "values": list(range(5000))}}, "frequent values"),
    ],
)
def test_refusals_name_the_column_and_the_way_out(attributes, words):
    with pytest.raises(BadPlan, match=words):
        ht.plan(domain(attributes), workload="whole_table()", budget=BUDGETS["zcdp"])


def test_more_than_65000_values_are_refused_by_the_domain():
    with pytest.raises(BadDomain, match="65000"):
        domain({"a": {"kind": "boolean"}, "b": {"kind": "number", "between": [0, 1], "bins": 70_000}})


@pytest.mark.parametrize("share", [-0.1, 0.6, "much", True])
def test_calibration_is_a_share(share):
    with pytest.raises(BadPlan, match="calibration"):
        WholeTable(calibration=share)


def test_the_former_name_of_an_option_is_read_and_kept_on_record():
    """Files, journals and ledgers written before say audit, and digests of plans must not change."""
    assert read_workload("whole_table(audit=0.03)") == read_workload("whole_table(calibration=0.03)")
    assert str(WholeTable()) == "whole_table(calibration=0.03)"
    assert WholeTable().recorded == "whole_table(audit=0.03)"
    assert read_workload(WholeTable(calibration=0.2).recorded) == WholeTable(calibration=0.2)
    with pytest.raises(BadPlan, match="audit is the former name of calibration"):
        read_workload("whole_table(audit=0.03, calibration=0.03)")


def test_the_digest_of_a_plan_is_what_it_was_before_the_option_was_renamed():
    shape = domain({"a": {"kind": "boolean", "missing": "error"}, "b": {"kind": "boolean", "missing": "error"}})
    made = ht.plan(shape, workload=WholeTable(calibration=0.05), budget=ht.Budget(rho="0.1"), rows=1000,
                   currency="zcdp")  # fmt: skip
    facts = {
        "domain": shape.digest,
        "workload": "whole_table(audit=0.05)",
        "mechanism": "pair-rake",
        "budget": made.budget.to_dict(),
    }
    assert made.digest == hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def test_it_is_what_a_plan_takes_when_nothing_is_said():
    made = ht.plan(domain(MIXED), budget=BUDGETS["zcdp"], rows=10_000)
    assert made.workload == WholeTable()
    assert "public reference table" in str(made)
    pure = ht.plan(domain(MIXED), budget=BUDGETS["pure"], rows=10_000)
    assert "a pure epsilon costs accuracy" in str(pure)
    one = ht.plan(domain({"a": {"kind": "boolean"}}), budget=BUDGETS["zcdp"])
    assert str(one.workload) == "marginals(width=1)"


def test_too_many_groups():
    attributes = {f"n{i}": {"kind": "integer", "between": [0, 199], "bins": 200, "missing": "error"} for i in range(3)}
    shape = domain(attributes, neighbours="add-remove")
    g = np.random.default_rng(0)
    codes = g.integers(0, 200, (3, 1000)).astype(np.uint8)
    model, _, _ = release(shape, codes, workload=WholeTable(calibration=0))
    with pytest.raises(BadQuestion, match="at most 2,000,000"):
        ask(model, "SELECT n0, n1, n2, count(*) FROM t GROUP BY n0, n1, n2")


def test_an_audit_in_several_readings_stays_within_its_price(monkeypatch):
    monkeypatch.setattr("hushtable.mechanisms.whole_table.budgeted_door.CELLS_AT_ONCE", 50)
    shape = domain(MIXED, neighbours="add-remove")
    codes = random_codes(shape, 2000, seed=1)
    for budget in (ht.Budget(rho="0.00001"), ht.Budget(epsilon="0.1"), ht.Budget(epsilon=1, delta="1e-9")):
        model, made, account = release(shape, codes, budget=budget)
        assert len(account.paid) > 6
        assert sum(account.paid, Fraction(0)) <= made.design.price.amount
        assert any(len(t) == 2 for t in model.audit.tables)


def test_columns_too_large_to_be_audited_are_released_without(monkeypatch):
    monkeypatch.setattr("hushtable.mechanisms.whole_table.budgeted_door.CELLS_AT_ONCE", 3)
    shape = domain(MIXED, neighbours="add-remove")
    model, made, account = release(shape, random_codes(shape, 2000, seed=1))
    assert model.audit is None
    assert sum(account.paid, Fraction(0)) >= Fraction(999, 1000) * made.design.price.amount


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_forecast_is_the_noise_of_the_first_tables(neighbours, budget):
    """What the plan says of single columns without data is what the release then has."""
    shape = domain(MIXED, neighbours=neighbours)
    model, made, _ = release(shape, random_codes(shape, 2000, seed=1), budget=BUDGETS[budget])
    first = [raw for raw in model.tables if raw.alone][: len(shape.sizes) + (model.tables[0].set.members == ())]
    total = model.tables[0].variance if not model.tables[0].set.members else 0.0
    if neighbours == "add-remove" and budget == "pure":
        total = 1 / sum(1 / (raw.variance * raw.set.cells) for raw in first)
    cells = [raw.variance * (raw.set.cells - 1) + total / raw.set.cells for raw in first if raw.set.members]
    assert made.design.forecasts[0].typical == pytest.approx(np.sqrt(sum(cells) / sum(shape.sizes)), rel=1e-3)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_what_holds_for_all_rows_or_none_is_exact(neighbours):
    shape = domain(MIXED, neighbours=neighbours)
    model, _, _ = release(shape, random_codes(shape, 3000, seed=2))
    for text, share in (
        ("SELECT count(*) FROM t", 1),
        ("sex = 'male' OR sex = 'female'", 1),
        ("smoker AND NOT smoker", 0),
    ):
        one, many = ask(model, text), ask(model, text, count=True)
        assert (one.value, *one.interval(0.999)) == (share, share, share)
        assert many.value == share * model.total[0]
        if neighbours == "replace":
            assert many.interval() == (3000 * share,) * 2
        else:
            assert many.stderr == pytest.approx(share * np.sqrt(model.total[1]))


def test_the_note_of_a_model_without_replicates_states_a_limit_with_its_confidence(mixed):
    shape, _, model = mixed
    rows, spread = model.total
    bound = model.audit.bound((1, 3), shape.sizes, rows)
    limit = bound.bias + 1.644854 * np.hypot(bound.stderr, 1.5 * np.sqrt(spread) / rows)
    older = ask(without_replicates(model), "sex = 'male' AND smoker")
    (note,) = (note for note in older.notes if "audited" in note)
    assert f"with 95% confidence no question about sex, smoker is wrong by more than {limit:.4f} of the rows" in note
    newer = ask(model, "sex = 'male' AND smoker")
    assert newer.certified == pytest.approx((max(newer.value - limit, 0), newer.value + limit))
    assert newer.to_dict()["certified"] == list(newer.certified)


def test_averages_without_an_audit_have_no_bound_but_where_measured():
    shape = domain(MIXED, neighbours="add-remove")
    model, _, _ = release(shape, random_codes(shape, 5000, seed=3), workload=WholeTable(calibration=0))
    model = without_replicates(model)
    wide = ask(model, "SELECT avg(smoker) FROM t WHERE sex = 'male' AND region = 'south'")
    assert wide.text().endswith("unknown (95%)")
    assert np.isnan(wide.interval()).all()
    alone = ask(model, "SELECT avg(smoker) FROM t")
    low, high = alone.interval()
    assert 0 < low < alone.value < high < 1
    assert high - low < 0.1


def independent(rows):
    """Two columns that know nothing of each other: no pair is measured, and one row of the model stands for all."""
    shape = domain({"d": {"kind": "integer", "between": [0, 5]}, "s": {"kind": "category", "values": ["a", "b", "c"]}})
    source = np.random.default_rng(4)
    return shape, np.array([source.integers(0, 6, rows), source.integers(0, 3, rows)], dtype=np.uint16)


def test_few_rows_of_a_model_stand_for_all_codes_of_their_groups():
    """In the comparison too: else its sum is that of a table with all rows in one cell, and bars are all there is."""
    shape, codes = independent(5000)
    model, _, _ = release(shape, codes, budget=ht.Budget(epsilon=1, delta="1e-9"))
    assert len(model.cloud.weights) < FEW_ROWS
    sets = tables_to_sum(model.cloud.shares, np.random.default_rng(0))
    for tables in sets:
        for grouped, made in zip(tables, model_tables(model.cloud, tables), strict=True):
            exact, expected = model.cloud.table(grouped.members), np.zeros(grouped.shape)
            places = np.ix_(*grouped.maps)
            np.add.at(expected, places, exact)
            assert made == pytest.approx(expected, abs=1e-12)
    low, high = ask(model, "d >= 3 AND s = 'b'").interval()
    assert 0.12 < low < 1 / 6 < high < 0.22


def test_certified_ends_follow_the_groups_of_a_statement(mixed):
    """Picked, in another order, and as shares."""
    shape, codes, _ = mixed
    plan = ht.plan(shape, workload=WholeTable(), budget=BUDGETS["zcdp"], rows=codes.shape[1])
    synopsis = Vault(table_of(shape, codes), shape).release(plan, randomness=ht.Simulated(1))
    whole = synopsis.ask("SELECT sex, smoker, count(*) FROM t GROUP BY sex, smoker")
    ends = {(row["sex"], row["smoker"]): (row["certified_low"], row["certified_high"]) for row in whole.rows()}
    picked = synopsis.ask("SELECT sex, smoker, count(*) AS n FROM t WHERE smoker GROUP BY 1, 2 ORDER BY n LIMIT 2")
    assert len(picked.rows()) == 2
    for row in picked.rows():
        assert (row["certified_low"], row["certified_high"]) == pytest.approx(ends[row["sex"], row["smoker"]])
    ratio = synopsis.ask("SELECT sex, count(*) FILTER (WHERE smoker) / count(*) AS share FROM t GROUP BY sex")
    assert "certified_low" not in ratio.rows()[0]


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-9"}], ids=str)
def test_a_plan_names_its_noise_once(budget):
    plan = ht.plan(domain(), rows=20_000, workload=ht.WholeTable(), budget=ht.Budget(**budget))
    assert " noise, and weighted rows" in str(plan)
    assert "discrete discrete" not in str(plan)
    assert "discrete rounded" not in str(plan)

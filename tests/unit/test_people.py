"""What users meet of people with many rows: domains, plans, checks, reports, curators, and releases that go on."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.errors import BadData, BadDomain, BadLedger
from hushtable.owner.people import identifiers, people_fit
from hushtable.owner.prepare import prepare
from hushtable.vault.door.door import Door
from hushtable.vault.ledger.ledger import Ledger

ATTRIBUTES = {
    "sex": {"kind": "category", "values": ["f", "m"]},
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
}
SECRETS = [f"patient-{n:04d}" for n in range(200)]


def shape(unit, **more):
    return ht.Domain.from_dict({"table": "t", "unit": unit, "attributes": ATTRIBUTES} | more)


PEOPLE = shape({"person": "patient_id", "rows": 2})


def rows(*, many=5) -> pa.Table:
    source = np.random.default_rng(1)
    who = [name for name in SECRETS for _ in range(many)]
    return pa.table({
        "patient_id": who,
        "sex": source.choice(["f", "m"], len(who)),
        "age": source.integers(0, 99, len(who)),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ({"person": "patient_id"}, r"not how many rows of each person are kept; write \{person: patient_id, rows: 3\}"),
        ({"person": "age", "rows": 2}, "age tells people apart .* cannot be an attribute too"),
        ({"person": 3, "rows": 2}, "the name of the column that tells people apart, not '3'"),
        ({"person": " ", "rows": 2}, "the name of the column"),
        ({"person": "who", "rows": "auto"}, "not looked for in the rows"),
        ({"person": "who", "rows": 0}, "at least 1, not 0"),
        ({"people": "who"}, "unknown setting 'people'; allowed: person, rows"),
    ],
)
def test_a_unit_that_makes_no_sense_is_refused(unit, words):
    with pytest.raises(BadDomain, match=words):
        shape(unit)


def test_a_domain_with_people_comes_back_and_is_another_domain():
    assert ht.Domain.from_dict(PEOPLE.to_dict()) == PEOPLE
    assert PEOPLE.digest != shape({"rows": 2}).digest
    assert PEOPLE.unit.private_rows
    assert PEOPLE.form == 6
    assert PEOPLE.names == ("sex", "age")
    assert PEOPLE.columns == ("sex", "age", "patient_id")


def test_a_table_without_the_column_is_refused(tmp_path):
    with pytest.raises(BadData, match="the domain has patient_id but the data have no such column"):
        ht.Vault(rows().drop_columns(["patient_id"]), PEOPLE)
    (tmp_path / "t.csv").write_text("sex,age\nf,3\n")
    with pytest.raises(BadData, match="the domain has patient_id but the data have no such column"):
        ht.Vault(tmp_path / "t.csv", PEOPLE)


def released(domain, table=None, **more):
    plan = ht.plan(domain, rows=400, workload="marginals(width=2)", budget=ht.Budget(epsilon=100))
    return ht.Vault(rows() if table is None else table, domain, **more).release(plan, randomness=ht.Simulated(3))


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_two_rows_of_each_count_and_their_number_is_noisy(neighbours):
    synopsis = released(shape({"person": "patient_id", "rows": 2}, neighbours=neighbours))
    count, stderr = synopsis.model.row_count()
    assert stderr > 0
    assert abs(count - 400) < 10 * stderr
    assert ht.Vault(rows(), PEOPLE).rows is None


def test_no_file_holds_who_anybody_is(tmp_path):
    vault = ht.Vault(rows(), PEOPLE, ledger=tmp_path / "t.ledger")
    plan = ht.plan(PEOPLE, rows=400, workload="marginals(width=2)", budget=ht.Budget(epsilon=1))
    kept = []
    keep = Door.measure

    def watched(door, *given):
        kept.append(b"".join(path.read_bytes() for path in tmp_path.iterdir()))
        return keep(door, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Door, "measure", watched)
        vault.release(plan).save(tmp_path / "t.hush")
    Ledger.open(tmp_path / "t.ledger").verify()
    everything = b"".join([*kept, *(path.read_bytes() for path in tmp_path.iterdir()), str(plan).encode()])
    assert kept
    assert not any(secret.encode() in everything for secret in SECRETS)
    assert b"patient_id" not in (tmp_path / "t.ledger").read_bytes()
    assert "patient_id" not in str(plan)
    assert "told apart" in str(plan)
    assert "at most 2 rows" in str(plan)


def test_a_release_that_goes_on_counts_the_same_rows(tmp_path, monkeypatch):
    """Killed after its first step, it reads again in another process: the key is in the journal."""
    from hushtable.owner import reading

    chosen = []
    real = reading.bounded

    def noting(source, domain, secret):
        made = real(source, domain, secret)
        chosen.append(made)
        return made

    monkeypatch.setattr(reading, "bounded", noting)
    vault = ht.Vault(rows(), PEOPLE, ledger=tmp_path / "t.ledger")
    plan = ht.plan(PEOPLE, rows=400, workload="whole_table()", budget=ht.Budget(epsilon=50, delta="1e-9"))
    steps = []
    measure = Door.measure

    def stops(door, *given):
        if len(steps) == 1:
            raise KeyboardInterrupt
        steps.append(1)
        return measure(door, *given)

    prepare(plan)
    with monkeypatch.context() as patch:
        patch.setattr(Door, "measure", stops)
        with pytest.raises(KeyboardInterrupt):
            vault.release(plan, journal=tmp_path / "t.part")
    synopsis = ht.Vault.resume(tmp_path / "t.part", data=rows())
    assert synopsis.model.row_count() is not None
    first, second = (one.choice.kept for one in chosen)
    assert first.sum() == 400
    assert (first == second).all()
    assert (real(chosen[0]._source, PEOPLE, "another").choice.kept != first).any()


def test_a_curator_counts_the_same_rows_whenever_it_goes_on(tmp_path, monkeypatch):
    import hushtable.owner.vault as owner

    chosen, real = [], owner.bounded
    monkeypatch.setattr(owner, "bounded", lambda *given: chosen.append(real(*given)) or chosen[-1])
    for _ in range(2):
        vault = ht.Vault(rows(), PEOPLE, ledger=tmp_path / "t.ledger")
        with vault.curate(budget=ht.Budget(epsilon=50), questions=10) as curator:
            curator.ask("sex = 'f'")
    first, second = (one.choice.kept for one in chosen)
    assert first.sum() == 400
    assert (first == second).all()


def test_an_identifier_that_repeats_is_said_loudly(tmp_path):
    table = rows(many=40).append_column("height", pa.array([1.5 + i % 40 / 100 for i in range(8000)]))
    found = identifiers(table, shape({"rows": 1}))
    assert [(one.name, one.values, one.most, one.above) for one in found] == [("patient_id", 200, 40, 200)]
    assert identifiers(table, shape({"rows": 40})) == []
    assert identifiers(table, PEOPLE) == []
    import pyarrow.csv

    pyarrow.csv.write_csv(table, tmp_path / "t.csv")
    shape({"rows": 1}).save(tmp_path / "one.yaml")
    PEOPLE.save(tmp_path / "people.yaml")
    run = CliRunner()
    said = run.invoke(app, ["domain", "check", str(tmp_path / "one.yaml"), "--data", str(tmp_path / "t.csv")]).output
    assert "LOOK AT patient_id: it looks like an identifier and has up to 40 rows a value" in said
    said = run.invoke(app, ["domain", "check", str(tmp_path / "people.yaml"), "--data", str(tmp_path / "t.csv")]).output
    assert "people: 200, of whom 200 have more than 2 rows; 7,600 of 8,000 rows would be left out" in said
    assert "LOOK AT" not in said
    as_json = ["domain", "check", str(tmp_path / "people.yaml"), "--data", str(tmp_path / "t.csv"), "--json"]
    assert json.loads(run.invoke(app, as_json).output)["people"]["left_out"] == 7600


def test_a_column_of_codes_that_is_named_like_an_identifier_is_looked_at():
    table = rows(many=40)
    table = table.rename_columns(["patient" if name == "patient_id" else name for name in table.column_names])
    patient = {"patient": {"kind": "category", "values": [f"p{i}" for i in range(200)], "other": True}}
    coded = shape({"rows": 1}).to_dict()
    coded = ht.Domain.from_dict(coded | {"attributes": coded["attributes"] | patient})
    assert [(one.name, one.most) for one in identifiers(table, coded)] == [("patient", 40)]


def test_the_owners_report_says_what_was_left_out(tmp_path):
    table = pa.concat_tables([rows(), pa.table({"patient_id": [None, None], "sex": ["f", "f"], "age": [1, 1]})],
                             promote_options="permissive")  # fmt: skip
    fit = people_fit(table, PEOPLE)
    assert fit is not None
    assert (fit.rows, fit.left_out, fit.people, fit.cut, fit.unnamed) == (1002, 600, 200, 200, 2)
    assert {name for name, _ in fit.moved} == {"sex", "age"}
    assert all(0 < far < 0.2 for _, far in fit.moved)
    assert people_fit(table, shape({"rows": 1})) is None
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    released(PEOPLE, table).save(tmp_path / "t.hush")
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        app, ["report", str(tmp_path / "t.hush"), "--data", str(tmp_path / "t.parquet"), "-o", str(page)]
    )
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "NOT FOR PUBLICATION" in text
    assert "People with many rows" in text
    assert "600 (59.9%)" in text
    public = tmp_path / "public.html"
    assert CliRunner().invoke(app, ["report", str(tmp_path / "t.hush"), "-o", str(public)]).exit_code == 0
    assert "People with many rows" not in public.read_text()


@pytest.mark.parametrize(
    "workload", ["marginals(width=2)", "whole_table()", "smooth(columns=[age])", "predicates(width=2)"]
)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_every_kind_of_release_takes_people(workload, neighbours, tmp_path: Path):
    domain = shape({"person": "patient_id", "rows": 2}, neighbours=neighbours)
    plan = ht.plan(domain, rows=400, workload=workload, budget=ht.Budget(epsilon=20, delta="1e-9"))
    synopsis = ht.Vault(rows(), domain).release(plan, randomness=ht.Simulated(5))
    synopsis.save(tmp_path / "t.hush")
    count = ht.load(tmp_path / "t.hush").model.row_count()
    assert count is not None
    assert abs(count[0] - 400) <= 10 * count[1] + 1


def test_a_ledger_knows_that_people_are_told_apart_and_not_by_what(tmp_path):
    total = ht.Budget(epsilon=1)
    made = Ledger.create(tmp_path / "t.ledger", table="t", domain_digest=PEOPLE.digest, unit=PEOPLE.unit, total=total)
    assert Ledger.open(tmp_path / "t.ledger").unit == made.unit
    other, without = shape({"person": "who", "rows": 2}), shape({"rows": 2})
    with pytest.raises(
        BadLedger, match=r"protects 2 rows a person, people told apart, .* and the new domain 2 rows a person, neigh"
    ):
        made.rebind(table="t", domain_digest=without.digest, unit=without.unit, why="simpler")
    made.rebind(table="t", domain_digest=other.digest, unit=other.unit, why="another name")
    made.verify()

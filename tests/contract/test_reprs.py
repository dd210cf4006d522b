"""What a Python prompt shows of an object: a short line or paragraph, never arrays and never rows."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from specimens import SPECIMENS

import hushtable as ht
from hushtable.domain import Domain

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.hush"))
MOST = 1000


def is_short(thing: object) -> bool:
    text = repr(thing)
    return 0 < len(text) < MOST and "array(" not in text and text.isprintable()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_files(path):
    synopsis = ht.load(path)
    assert is_short(synopsis)
    assert is_short(synopsis.model)
    assert is_short(synopsis.domain)
    for word in (
        synopsis.domain.table,
        synopsis.mechanism,
        *([] if synopsis.model.row_count() is None else ["rows"]),
        *synopsis.accounting["budget"],
        "NOT PRIVATE",
        ".ask(",
    ):
        assert word in repr(synopsis)
    for answer in json.loads(path.with_suffix(".json").read_text()):
        assert is_short(synopsis.ask(answer["question"]))


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda s: s.name)
def test_plans(specimen):
    plan = ht.plan(
        specimen.domain, rows=60, workload=specimen.workload, mechanism=specimen.mechanism, budget=specimen.budget
    )
    assert is_short(plan)
    assert is_short(plan.design)
    assert is_short(plan.workload)


LONG = "n" * 3000
HUGE = {
    "many columns": {f"column{i}": {"kind": "boolean"} for i in range(900)},
    "long names": {f"{LONG}{i}": {"kind": "boolean"} for i in range(9)},
    "many values": {"a": {"kind": "category", "values": [f"value{i}" for i in range(60_000)]}},
    "long values": {"a": {"kind": "category", "values": [f"{LONG}{i}" for i in range(9)]}},
    "many bins": {"a": {"kind": "number", "between": [0, 1], "bins": 50_000}},
}


@pytest.mark.parametrize("name", HUGE)
def test_any_domain(name):
    domain = Domain.from_dict({"table": LONG, "attributes": HUGE[name]})
    assert is_short(domain)
    assert all(is_short(attribute) for attribute in domain.attributes)
    plan = ht.plan(domain, rows=500, workload="marginals(width=1)", mechanism="tables", budget=ht.Budget(epsilon=1))
    assert is_short(plan)
    first = domain.attributes[0]
    table = pa.table({a.name: ["true" if a is not first else None] * 500 for a in domain.attributes})
    synopsis = ht.Vault(table, domain).release(plan, randomness=ht.Simulated(1))
    assert is_short(synopsis)
    quoted = '"' + first.name + '"'
    if len(first.name) < 100:
        assert is_short(synopsis.ask(f"SELECT {quoted}, count(*) GROUP BY {quoted}"))


def test_the_vault_shows_nothing_of_its_rows():
    domain = Domain.from_dict({"table": "t", "attributes": {"name": {"kind": "open"}, "age": {"kind": "boolean"}}})
    table = pa.table({"name": ["Zebediah"] * 77, "age": np.ones(77, bool)})
    for vault in (ht.Vault(table, domain), ht.Vault(table.to_pandas(), domain)):
        for shown in (repr(vault), str(vault), repr(vault._source)):
            text = re.sub("0x[0-9a-f]+", "", shown)  # the address of an object
            assert "Zebediah" not in text
            assert "77" not in text
            assert "True" not in text


def is_page(thing: object, *said: str) -> bool:
    """What a notebook shows: a piece of a page, with what is said in it, of a size that a screen takes."""
    page = thing._repr_html_()
    return page.startswith("<") and len(page) < 50_000 and "<script" not in page and all(word in page for word in said)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_a_notebook_shows_files_and_answers_with_their_stamp(path):
    synopsis = ht.load(path)
    assert is_page(synopsis, "NOT PRIVATE", "questions to try", synopsis.digest)
    assert is_page(synopsis.domain, "Domain t")
    for answer in json.loads(path.with_suffix(".json").read_text()):
        assert is_page(synopsis.ask(answer["question"]), "NOT PRIVATE")


def test_a_notebook_shows_what_an_owner_holds(tmp_path):
    domain = Domain.from_dict({"table": "<t>", "attributes": {"<b>": {"kind": "boolean"}}})
    table = pa.table({"<b>": [True] * 77})
    vault = ht.Vault(table, domain, ledger=tmp_path / "t.ledger")
    assert is_page(vault, "&lt;b&gt;", "boolean: false, true, missing")
    assert "77" not in vault._repr_html_().replace(str(tmp_path), "")
    plan = ht.plan(domain, rows=77, workload="marginals(width=1)", budget=ht.Budget(epsilon=1))
    assert is_page(plan, "&lt;t&gt;")
    given = {"table": "<t>", "domain_digest": domain.digest, "unit": domain.unit}
    ledger = ht.Ledger.create(tmp_path / "t.ledger", **given, total=ht.Budget(epsilon=2))
    vault.release(plan)
    assert is_short(ledger)
    assert "1 of 2" in repr(ledger)
    assert is_page(ledger, "&lt;t&gt;")


def test_a_mistake_is_one_line_in_a_notebook_too(monkeypatch):
    """IPython asks an exception how it wants to be shown."""
    synopsis = ht.load(GOLDEN[0])
    with pytest.raises(ht.HushError) as caught:
        synopsis.ask("nothing of the kind")
    monkeypatch.delenv("HUSH_DEBUG", raising=False)
    (line,) = caught.value._render_traceback_()
    assert line.startswith(f"{type(caught.value).__name__}: {str(caught.value)[:40]}")
    monkeypatch.setenv("HUSH_DEBUG", "1")
    assert any("Traceback" in line for line in caught.value._render_traceback_())


def test_curators():
    from curators import rehearsal

    curator = rehearsal()
    assert is_short(curator)
    assert is_page(curator, "paid answers left", "NOT PRIVATE")
    assert is_short(curator.ask("smoker"))
    assert is_short(curator.plan)
